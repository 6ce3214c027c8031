#pragma once

#include <cstdint>
#include <vector>

#include "rule.h"

namespace fuzzyucs {

// Parameters of growth.
struct GrowthSettings {
    double condition_cost = 0.6;    // how much a condition adds to the penalty of a rule
    double least_experience = 3.0;  // of a rule
    std::uint32_t max_conditions = 0xffffffff;
    std::uint32_t most_partners = 0xffffffff;  // features that further conditions may be on

    // Constraints; all of them may be empty.

    // Of each feature: 1 if greater values must not make higher classes less probable, -1 if they
    // must not make them more probable, else 0.
    std::vector<std::int32_t> monotone;
    // The classes from the lowest to the highest; by default in their own order.
    std::vector<Class> class_order;
    // Sets of features: one of them has all features of a rule.
    std::vector<std::vector<std::uint32_t>> together;
    // Sets of features, of each of which a rule has one at most.
    std::vector<std::vector<std::uint32_t>> apart;
    // Of each feature: by how much the first rule that asks for it has to raise the log-likelihood
    // of a row, on average.
    std::vector<double> fees;
};

}  // namespace fuzzyucs
