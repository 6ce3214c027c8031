#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "portable_math.h"

namespace fuzzyucs {

// Experience that a rule has of the usual shares of the classes, besides its own.
inline constexpr double kUsualExperience = 2;

// The natural profile of a rule: logarithms of how many times more frequent classes are in what it
// matches than usual, divided by their range. Zeros if nothing differs.
inline void natural_profile(std::span<const double> matched, std::span<const double> log_shares,
                            std::span<double> natural) {
    double all = kUsualExperience;
    for (const double experience : matched) all += experience;
    for (std::size_t c = 0; c < natural.size(); ++c) {
        const double usual = portable_exp(log_shares[c]);
        const double share = (matched[c] + kUsualExperience * usual) / all;
        natural[c] = portable_log(share / usual);
    }
    const auto [least, greatest] = std::minmax_element(natural.begin(), natural.end());
    const double range = *greatest - *least;
    for (double& entry : natural) entry = range > 1e-9 ? entry / range : 0;
}

}  // namespace fuzzyucs
