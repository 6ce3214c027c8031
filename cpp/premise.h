#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "terms.h"

namespace fuzzyucs {

// The condition of a rule on one feature.
struct Condition {
    std::uint32_t feature;
    Terms terms;
    auto operator<=>(const Condition&) const = default;
};

// All conditions of a rule, ordered by feature.
using Premise = std::vector<Condition>;

struct PremiseHash {
    std::size_t operator()(const Premise& premise) const {
        std::uint64_t hash = premise.size();
        for (const auto& [feature, terms] : premise) {
            for (const std::uint64_t word : {std::uint64_t{feature}, terms}) {
                hash = (hash ^ word) * 0x9e3779b97f4a7c15;
                hash ^= hash >> 32;
            }
        }
        return static_cast<std::size_t>(hash);
    }
};

// The ends of a run of neighbouring terms.
inline std::uint32_t lowest(Terms terms) {
    return static_cast<std::uint32_t>(std::countr_zero(terms));
}
inline std::uint32_t highest(Terms terms) {
    return static_cast<std::uint32_t>(std::bit_width(terms)) - 1;
}
inline Terms run(std::uint32_t low, std::uint32_t high) {
    return every_term(high + 1) & ~((Terms{1} << low) - 1);
}

}  // namespace fuzzyucs
