#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ordered_terms.h"

namespace fuzzyucs {

// Terms that divide a range evenly.
class EvenTerms {
  public:
    EvenTerms(double low, double high, std::uint32_t n_terms)
        : low_(low / 2), width_(high / 2 - low / 2), last_(n_terms - 1.0) {}

    // The position of a value. Values beyond the range count as its ends, a feature that never
    // varied lies in the middle, and NaN stays NaN.
    double locate(double value) const {
        // Halves, because the difference of two doubles may exceed the largest one.
        const double scaled = width_ > 0 ? (value / 2 - low_) / width_ : 0.5;
        return std::isnan(value) ? value : std::clamp(scaled, 0.0, 1.0) * last_;
    }

    // Replaces values by their positions.
    void locate(OrderedTerms::Column& values) const {
        for (double& value : values) value = locate(value);
    }

  private:
    double low_, width_, last_;
};

}  // namespace fuzzyucs
