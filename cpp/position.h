#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

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

// The position of a value among terms, each of which is fully true from its peak to its end: all of
// them ascend, and an end may be the peak itself. Values beyond the outermost ones count as these;
// NaN stays NaN.
inline double locate(double x, std::span<const double> peaks, std::span<const double> ends) {
    if (!(x > ends.front())) return std::isnan(x) ? x : 0;
    if (x >= peaks.back()) return static_cast<double>(peaks.size() - 1);
    // Few peaks are faster one by one.
    std::size_t term = 0;
    if (peaks.size() > 16) {
        const auto next = std::upper_bound(peaks.begin() + 1, peaks.end(), x);
        term = static_cast<std::size_t>(next - peaks.begin()) - 1;
    } else {
        while (x >= peaks[term + 1]) ++term;
    }
    // Halves, because the difference of two doubles may exceed the largest one.
    const double low = ends[term] / 2;
    const double passed = std::max(x / 2 - low, 0.0);
    return static_cast<double>(term) + passed / (peaks[term + 1] / 2 - low);
}

}  // namespace fuzzyucs
