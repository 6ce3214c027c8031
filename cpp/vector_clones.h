#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>

// Marks a function whose loops are compiled for machines with vectors of four doubles, too, and
// chosen when the module is loaded. Both do the same operations in the same order, to the last bit.
// The loops have to be in the function itself, and what they call has to be inlined.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(FUZZYUCS_PORTABLE)
#define FUZZYUCS_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define FUZZYUCS_VECTOR_CLONES
#endif

namespace fuzzyucs {

// Where a machine has no such vectors, compilers take two of 16 bytes.
typedef double FourDoubles __attribute__((vector_size(32)));
typedef std::int64_t FourIntegers __attribute__((vector_size(32)));
typedef std::uint64_t FourWords __attribute__((vector_size(32)));

// Four numbers of an array, which lie where numbers may. A type of its own: Clang forgets the
// alignment of a typedef where a function returns a reference.
struct __attribute__((packed, aligned(8), may_alias)) FourOfArray {
    FourDoubles values;
};
struct __attribute__((packed, aligned(8), may_alias)) FourIntegersOfArray {
    FourIntegers values;
};
inline FourOfArray& four(double* values) { return *reinterpret_cast<FourOfArray*>(values); }
inline const FourOfArray& four(const double* values) {
    return *reinterpret_cast<const FourOfArray*>(values);
}
inline FourIntegersOfArray& four(std::int64_t* values) {
    return *reinterpret_cast<FourIntegersOfArray*>(values);
}

inline const FourIntegersOfArray& four(const std::int64_t* values) {
    return *reinterpret_cast<const FourIntegersOfArray*>(values);
}

// Doubles of whole numbers below 2^51: so large a number has them in its last bits if it is added
// as a whole number, too. Few machines have another way for vectors.
[[gnu::always_inline]] inline void as_doubles(const FourIntegersOfArray& numbers,
                                              FourDoubles& doubles) {
    constexpr double large = 0x1.8p52;
    doubles = (FourDoubles)(numbers.values + std::bit_cast<std::int64_t>(large)) - large;
}

// The length of an array that has room for so many numbers, by fours.
inline std::size_t in_fours(std::size_t n) { return (n + 3) / 4 * 4; }

}  // namespace fuzzyucs
