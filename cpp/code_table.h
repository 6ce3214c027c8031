#pragma once

#include <cstdint>
#include <vector>

#include "rule.h"
#include "term_set.h"

namespace fuzzyucs {

inline constexpr std::size_t kCodes = 256;
inline constexpr std::uint8_t kMissingCode = 255;

// A feature of a coded table. The code of an ordered feature is its position among the terms, in
// `steps` per term: 0 is the peak of the first term, `steps` that of the second. The code of a
// nominal feature is its term.
struct CodedFeature {
    std::uint32_t n_terms;
    bool is_nominal;
    std::uint32_t steps;
    std::vector<double> shares;  // of the terms, where the value is missing
};

// Training data of a search by histograms: one byte per value.
struct CodeTable {
    std::vector<CodedFeature> features;
    std::vector<std::uint8_t> codes;  // a column for each feature
    std::vector<Class> labels;
    std::vector<double> sample_weights;
    std::size_t n_classes;

    std::size_t n_rows() const { return labels.size(); }
    const std::uint8_t* column(std::size_t feature) const {
        return codes.data() + feature * n_rows();
    }
};

// The condition of a rule on one feature.
struct CodedCondition {
    std::uint32_t feature;
    TermSet terms;
    auto operator<=>(const CodedCondition&) const = default;
};

// All conditions of a rule, ordered by feature.
using CodedPremise = std::vector<CodedCondition>;

}  // namespace fuzzyucs
