#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace fuzzyucs {

// The terms of an ordered feature, each of which is fully true from its peak to its end: all of
// them ascend, and an end may be the peak itself.
class OrderedTerms {
  public:
    OrderedTerms(std::span<const double> peaks, std::span<const double> ends)
        : peaks_(peaks.begin(), peaks.end()) {
        // Halves, because the difference of two doubles may exceed the largest one.
        for (std::size_t t = 0; t < peaks.size(); ++t) {
            const bool is_last = t + 1 == peaks.size();
            const double next = is_last ? std::numeric_limits<double>::infinity() : peaks[t + 1];
            gaps_.push_back({ends[t] / 2, next / 2 - ends[t] / 2});
        }
    }

    // The position of a value: 0 is the first term, 1 the second. Values beyond the outermost terms
    // count as these; NaN stays NaN. The search has no branch that depends on the value.
    double locate(double x) const {
        const double* peak = peaks_.data();  // the last one up to x
        for (std::size_t n = peaks_.size(); n > 1;) {
            const std::size_t half = n / 2;
            peak += -static_cast<std::size_t>(peak[half] <= x) & half;
            n -= half;
        }
        const auto term = static_cast<std::size_t>(peak - peaks_.data());
        const Gap& gap = gaps_[term];
        return static_cast<double>(term) + std::max(x / 2 - gap.low, 0.0) / gap.width;
    }

  private:
    // Between the end of a term and the peak of the next.
    struct Gap {
        double low, width;
    };

    std::vector<double> peaks_;
    std::vector<Gap> gaps_;
};

}  // namespace fuzzyucs
