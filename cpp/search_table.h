#pragma once

#include <cstdint>
#include <vector>

#include "rule.h"
#include "terms.h"

namespace fuzzyucs {

// A feature of a table. Terms of a nominal feature have no order: any set of them is a condition.
// All others take runs of neighbouring terms.
struct Feature {
    std::uint32_t n_terms;
    bool is_nominal;
};

// Training data of a rule search.
struct SearchTable {
    std::vector<Feature> features;
    std::vector<double> positions;  // a column for each feature; NaN is a missing value
    std::vector<Class> labels;
    std::vector<double> sample_weights;
    std::size_t n_classes;

    std::size_t n_rows() const { return labels.size(); }
    double position(std::size_t feature, std::size_t row) const {
        return positions[feature * n_rows() + row];
    }
};

}  // namespace fuzzyucs
