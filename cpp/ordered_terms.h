#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace fuzzyucs {

// The terms of an ordered feature, each of which is fully true from its peak to its end: all of
// them ascend, and an end may be the peak itself.
class OrderedTerms {
  public:
    static constexpr std::size_t kRows = 64;  // of a block
    using Column = std::array<double, kRows>;

    OrderedTerms(std::span<const double> peaks, std::span<const double> ends);

    // Replaces values by their positions: 0 is the first term, 1 the second. Values beyond the
    // outermost terms count as these; NaN stays NaN.
    void locate(Column& values) const;

  private:
    // Between the end of a term and the peak of the next.
    struct Gap {
        double low, width;  // halves
    };

    std::vector<double> peaks_;  // but the first
    double last_;                // of all peaks
    std::vector<Gap> gaps_;      // after each term; the last one never ends
};

}  // namespace fuzzyucs
