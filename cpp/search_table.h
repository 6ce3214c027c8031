#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "premise.h"
#include "rule.h"
#include "terms.h"

namespace fuzzyucs {

// A feature of a table. Terms of a nominal feature have no order: any set of them is a condition.
// All others take runs of neighbouring terms.
struct Feature {
    std::uint32_t n_terms;
    bool is_nominal;
};

// How probable the terms of a feature are where its value is missing.
struct Gaps {
    std::vector<double> share;        // if nothing is known
    std::vector<std::uint32_t> rows;  // with a missing value, in ascending order
    std::vector<double> probability;  // for each of these rows
};

// The probability that a value has one of some terms.
inline double accepted_share(const double* probability, Terms terms) {
    double sum = 0;
    for (; terms != 0; terms &= terms - 1) {
        sum += probability[static_cast<std::size_t>(std::countr_zero(terms))];
    }
    return sum < 1 ? sum : 1;
}

// Training data of a rule search.
struct SearchTable {
    std::vector<Feature> features;
    std::vector<double> positions;  // a column for each feature; NaN is a missing value
    std::vector<Class> labels;
    std::vector<double> sample_weights;
    std::size_t n_classes;
    std::vector<Gaps> gaps;  // of each feature

    std::size_t n_rows() const { return labels.size(); }
    double position(std::size_t feature, std::size_t row) const {
        return positions[feature * n_rows() + row];
    }
};

// The degree to which a rule is expected to match a row of which nothing is known.
inline double expected_degree(const SearchTable& table, const Premise& premise) {
    double degree = 1;
    for (const auto& [feature, terms] : premise) {
        degree *= accepted_share(table.gaps[feature].share.data(), terms);
    }
    return degree;
}

}  // namespace fuzzyucs
