#pragma once

#include <cstdint>
#include <vector>

#include "code_table.h"

namespace fuzzyucs {

// Rules that were grown, and what else decides how growth goes on.
struct GrowthState {
    // How the conditions of all rules divide the terms of a feature.
    struct Groups {
        std::vector<std::uint32_t> of_term;
        std::size_t n = 1;
    };
    std::vector<CodedPremise> rules;
    std::vector<double> neutral;
    std::vector<double> strengths;
    std::vector<double> adjustments;                // a row for each rule
    std::vector<CodedPremise> known;                // premises that were tried
    std::vector<Groups> groups;                     // of each feature
    std::vector<std::vector<std::uint32_t>> units;  // of each feature, by term
    double penalty = 1;
};

}  // namespace fuzzyucs
