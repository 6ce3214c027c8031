#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "rng.h"

namespace fuzzyucs {

// Two numbers in [0, 1], in any order: a rule accepts the values from the smaller to the greater.
struct Bounds {
    double p = 0;
    double q = 1;

    double lower() const { return std::min(p, q); }
    double upper() const { return std::max(p, q); }
    bool operator==(const Bounds&) const = default;
    bool same_interval(const Bounds& other) const {
        return lower() == other.lower() && upper() == other.upper();
    }
};

// Which bound comes first is a coin flip, of an open interval, too.
inline void cover(std::span<Bounds> condition, std::span<const double> input, double dont_care_rate,
                  double range, Rng& rng) {
    for (std::size_t i = 0; i < condition.size(); ++i) {
        condition[i] = {0, 1};
        if (!rng.chance(dont_care_rate) && !std::isnan(input[i])) {
            condition[i].p = std::max(0.0, input[i] - rng.uniform() * range);
            condition[i].q = std::min(1.0, input[i] + rng.uniform() * range);
        }
        if (rng.chance(0.5)) std::swap(condition[i].p, condition[i].q);
    }
}

// Each bound of a feature is exchanged or kept on its own: open intervals of opposite orientation
// may shrink to one end of the range.
inline void crossover(std::span<Bounds> first, std::span<Bounds> second, Rng& rng) {
    for (std::size_t i = 0; i < first.size(); ++i) {
        const std::uint64_t coins = rng.next() >> 62;
        if (coins & 1) std::swap(first[i].p, second[i].p);
        if (coins & 2) std::swap(first[i].q, second[i].q);
    }
}

inline double moved(double bound, double step, Rng& rng) {
    return std::clamp(bound + (2 * rng.uniform() - 1) * step, 0.0, 1.0);
}

inline void mutate(std::span<Bounds> condition, double rate, double step, Rng& rng) {
    for (Bounds& bounds : condition) {
        if (!rng.chance(rate)) continue;
        bounds.p = moved(bounds.p, step, rng);
        bounds.q = moved(bounds.q, step, rng);
    }
}

}  // namespace fuzzyucs
