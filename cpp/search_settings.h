#pragma once

#include <cstdint>

namespace fuzzyucs {

// Parameters of a rule search.
struct SearchSettings {
    double condition_cost = 0.1;    // how much a condition adds to the penalty of a rule
    double least_experience = 3.0;  // of a rule
    std::uint32_t max_conditions = 0xffffffff;
    std::uint32_t n_climbs = 96;      // per round
    std::uint32_t n_mutations = 100;  // per climb
    std::uint32_t n_kept = 12;        // per round
    std::uint32_t sample_size = 1000;
};

}  // namespace fuzzyucs
