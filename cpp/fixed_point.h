#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "vector_clones.h"

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
    // The nearest whole number of units. Beside so large a number, a double has no room for
    // fractions: adding it rounds, and the last bits are the whole number. Unlike `llrint`, vectors
    // can do that, too.
    Sum operator()(double value) const {
        return std::bit_cast<Sum>(value * to_ + kLarge) - std::bit_cast<Sum>(kLarge);
    }
    void add(FourIntegersOfArray& sums, const FourDoubles& values) const {
        sums.values += (FourIntegers)(values * to_ + kLarge) - std::bit_cast<Sum>(kLarge);
    }
    double value(Sum sum) const { return static_cast<double>(sum) * from_; }

  private:
    static constexpr int kMostBits = 1022;      // more make a unit that no double has
    static constexpr double kLarge = 0x1.8p52;  // for whole numbers below 2^51

    double to_, from_;
};

}  // namespace fuzzyucs
