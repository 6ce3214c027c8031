#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace fuzzyucs {

// Sums over rows in whole numbers: the same for any order of the rows, and however they are shared
// among threads or machines.
using Sum = std::int64_t;

// Units for numbers up to a bound, so small that rounding does not matter, and so large that a sum
// over all rows stays within 62 bits.
class FixedPoint {
  public:
    FixedPoint(std::size_t n_rows, double bound) {
        int of_bound = 0, of_rows = 0;
        std::frexp(bound, &of_bound);
        std::frexp(static_cast<double>(n_rows), &of_rows);
        const int bits = std::min(std::min(44, 62 - of_rows) - of_bound, kMostBits);
        to_ = std::ldexp(1.0, bits);
        from_ = std::ldexp(1.0, -bits);
    }
    // The nearest whole number of units.
    Sum operator()(double value) const { return static_cast<Sum>(std::llrint(value * to_)); }
    double value(Sum sum) const { return static_cast<double>(sum) * from_; }

  private:
    static constexpr int kMostBits = 1022;  // more make a unit that no double has

    double to_, from_;
};

}  // namespace fuzzyucs
