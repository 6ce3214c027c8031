#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "terms.h"

namespace fuzzyucs {

// Where a value lies on its linguistic variable: between the plateaus of terms `segment` and
// `segment + 1`, a `fraction` of the way. As a number, a position counts in terms: 0 is the first
// plateau, 1 the second.
struct Position {
    std::uint32_t segment = 0;
    double fraction = 0;
    bool missing = false;

    static Position of(double position, std::uint32_t n_terms) {
        if (std::isnan(position)) return {0, 0, true};
        const double clipped = std::clamp(position, 0.0, static_cast<double>(n_terms - 1));
        const auto segment = std::min(static_cast<std::uint32_t>(clipped), n_terms - 2);
        return {segment, clipped - segment, false};
    }

    // The terms with non-zero membership: two neighbours, or one on a peak.
    Terms terms() const {
        Terms active = 0;
        if (fraction < 1) active |= Terms{1} << segment;
        if (fraction > 0) active |= Terms{2} << segment;
        return active;
    }
};

}  // namespace fuzzyucs
