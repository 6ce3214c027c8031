#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "vector_clones.h"
#include "vectors.h"

namespace fuzzyucs {

// Exponential and logarithm from additions and multiplications alone: the same bits on every
// machine, which the C library does not guarantee. Arguments must be finite; log needs a normal
// positive number.

// Powers of e, from the whole numbers nearest to x / log(2), in the low bits of `shifted`, and the
// rest. The error is about one unit in the last place.
template <class Doubles, class Words>
[[gnu::always_inline]] inline void find_exp(Doubles& x) {
    constexpr double log2e = 1.4426950408889634, ln2_high = 0x1.62e42fefa3800p-1,
                     ln2_low = 0x1.ef35793c76730p-45, round = 0x1.8p52;
    const Doubles shifted = x * log2e + round;
    const Doubles n = shifted - round;
    const Doubles r = (x - n * ln2_high) - n * ln2_low;      // |r| <= log(2) / 2
    Doubles sum = r * (1.0 / 6227020800) + 1.0 / 479001600;  // Taylor, to the 13th power
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
    const Words exponent = __builtin_bit_cast(Words, shifted) - std::bit_cast<std::uint64_t>(round);
    x = sum * __builtin_bit_cast(Doubles, (exponent + 1023) << 52);
}

// e^x for x <= 700; below -708 it is 0.
inline double portable_exp(double x) {
    if (x < -708) return 0;
    find_exp<double, std::uint64_t>(x);
    return x;
}

// The same in place.
[[gnu::always_inline]] inline void portable_exp(FourDoubles& x) {
    const FourDoubles none{};
    const auto is_none = x < -708.0;
    x = is_none ? none : x;
    find_exp<FourDoubles, FourWords>(x);
    x = is_none ? none : x;
}

// Natural logarithms, to about one unit in the last place.
template <class Doubles, class Words>
[[gnu::always_inline]] inline void find_log(Doubles& x) {
    constexpr double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
    constexpr std::uint64_t half_root = 0x3fe6a09e667f3bcdu;  // sqrt(1/2)
    // 2^52 + 2^51 + n has n in its low bits: SSE has no other way to convert 64-bit integers.
    constexpr double round = 0x1.8p52;
    const auto bits = __builtin_bit_cast(Words, x);
    const Words exponent = ((bits - half_root + (1023ull << 52)) >> 52) - 1023;
    const auto m = __builtin_bit_cast(Doubles, bits - (exponent << 52));
    const Words shifted = exponent + std::bit_cast<std::uint64_t>(round);
    const Doubles n = __builtin_bit_cast(Doubles, shifted) - round;
    const Doubles f = m - 1, t = f / (2 + f), z = t * t;  // log m = 2 artanh t, |t| < 0.172
    Doubles sum = z * (1.0 / 21) + 1.0 / 19;
    sum = sum * z + 1.0 / 17;
    sum = sum * z + 1.0 / 15;
    sum = sum * z + 1.0 / 13;
    sum = sum * z + 1.0 / 11;
    sum = sum * z + 1.0 / 9;
    sum = sum * z + 1.0 / 7;
    sum = sum * z + 1.0 / 5;
    sum = sum * z + 1.0 / 3;
    // f is exact; 2 t = f - t f, so that the rounding of t hardly matters.
    x = n * ln2_high + (f - (t * f - (2 * z * t * sum + n * ln2_low)));
}

inline TwoDoubles portable_log(TwoDoubles x) {
    find_log<TwoDoubles, TwoWords>(x);
    return x;
}

// In place.
[[gnu::always_inline]] inline void portable_log(FourDoubles& x) {
    find_log<FourDoubles, FourWords>(x);
}

inline double portable_log(double x) { return portable_log(TwoDoubles{x, 1})[0]; }

// Logarithms of some numbers, which may be written over them.
void take_logs(const double* numbers, std::size_t n, double* logs);

}  // namespace fuzzyucs
