#pragma once

#include <algorithm>
#include <cmath>
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

// The degree at which a rule is neutral. Take the class that it tells most about, and suppose that
// it were the only rule: in between what it says where it matches and where it does not, there is a
// degree at which it leaves the class as probable as usual. That is its mean degree if it tells
// little, and more for a rule about a rare class. Sums of weights by class: of what it matches, and
// of all rows.
inline double neutral_degree(std::span<const double> matched, std::span<const double> all) {
    double inside = 0, total = 0;
    for (std::size_t c = 0; c < all.size(); ++c) inside += matched[c], total += all[c];
    if (!(total > 0)) return 0;
    const double outside = std::max(total - inside, 0.0);
    double neutral = std::min(inside / total, 1.0), most = 0;
    const auto logit = [](double p) { return portable_log(p / (1 - p)); };
    for (std::size_t c = 0; c < all.size(); ++c) {
        const double usual = all[c] / total;
        if (!(usual > 0 && usual < 1)) continue;
        const auto share = [&](double own, double of) {
            return (std::max(own, 0.0) + kUsualExperience * usual) / (of + kUsualExperience);
        };
        const double within = share(matched[c], inside),
                     without = share(all[c] - matched[c], outside);
        const auto surprise = [&](double p) {
            return p * portable_log(p / usual) + (1 - p) * portable_log((1 - p) / (1 - usual));
        };
        if (!(within > 0 && within < 1 && without > 0 && without < 1)) continue;
        const double tells = inside * surprise(within) + outside * surprise(without);
        const double low = logit(usual) - logit(without), range = logit(within) - logit(without);
        // If it tells next to nothing, the ratio would be one of rounding errors.
        if (tells <= most || std::abs(range) < 1e-6) continue;
        most = tells;
        neutral = std::clamp(low / range, 0.0, 1.0);
    }
    return neutral;
}

}  // namespace fuzzyucs
