#pragma once

#include <bit>
#include <cstdint>

#include "vectors.h"

namespace fuzzyucs {

// Exponential and logarithm from additions and multiplications alone: the same bits on every
// machine, which the C library does not guarantee. Arguments must be finite; log needs a normal
// positive number.

// e^x for x <= 700; below -708 it is 0. The error is about one unit in the last place.
inline double portable_exp(double x) {
    if (x < -708) return 0;
    constexpr double log2e = 1.4426950408889634, ln2_high = 0x1.62e42fefa3800p-1,
                     ln2_low = 0x1.ef35793c76730p-45, round = 0x1.8p52;
    const double shifted = x * log2e + round;  // the low bits are the nearest whole number
    const double n = shifted - round;
    const double r = (x - n * ln2_high) - n * ln2_low;  // |r| <= log(2) / 2
    double sum = 1.0 / 6227020800;                      // Taylor, to the 13th power
    sum = sum * r + 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 0.5;
    sum = sum * r + 1;
    sum = sum * r + 1;
    const auto exponent = static_cast<std::int64_t>(n);
    return sum * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// The natural logarithms, to about one unit in the last place.
inline TwoDoubles portable_log(TwoDoubles x) {
    constexpr double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
    constexpr std::uint64_t half_root = 0x3fe6a09e667f3bcdu;  // sqrt(1/2)
    // 2^52 + 2^51 + n has n in its low bits: SSE has no other way to convert 64-bit integers.
    constexpr double round = 0x1.8p52;
    const auto bits = std::bit_cast<TwoWords>(x);
    const TwoWords exponent = ((bits - half_root + (1023ull << 52)) >> 52) - 1023;
    const auto m = std::bit_cast<TwoDoubles>(bits - (exponent << 52));
    const auto shifted = exponent + std::bit_cast<std::uint64_t>(round);
    const TwoDoubles n = std::bit_cast<TwoDoubles>(shifted) - round;
    const TwoDoubles f = m - 1, t = f / (2 + f), z = t * t;  // log m = 2 artanh t, |t| < 0.172
    TwoDoubles sum = z * (1.0 / 21) + 1.0 / 19;
    sum = sum * z + 1.0 / 17;
    sum = sum * z + 1.0 / 15;
    sum = sum * z + 1.0 / 13;
    sum = sum * z + 1.0 / 11;
    sum = sum * z + 1.0 / 9;
    sum = sum * z + 1.0 / 7;
    sum = sum * z + 1.0 / 5;
    sum = sum * z + 1.0 / 3;
    // f is exact; 2 t = f - t f, so that the rounding of t hardly matters.
    return n * ln2_high + (f - (t * f - (2 * z * t * sum + n * ln2_low)));
}

inline double portable_log(double x) { return portable_log(TwoDoubles{x, 1})[0]; }

}  // namespace fuzzyucs
