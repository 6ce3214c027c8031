#pragma once

#include <cstdint>

namespace fuzzyucs {

// Parameters of growth.
struct GrowthSettings {
    double condition_cost = 0.6;    // how much a condition adds to the penalty of a rule
    double least_experience = 3.0;  // of a rule
    std::uint32_t max_conditions = 0xffffffff;
    std::uint32_t most_partners = 0xffffffff;  // features that further conditions may be on
};

}  // namespace fuzzyucs
