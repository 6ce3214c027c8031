#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace fuzzyucs {

// Vectors of 16 bytes, which every 64-bit machine has. Compilers left alone find them too seldom.
typedef double TwoDoubles __attribute__((vector_size(16)));
typedef std::uint64_t TwoWords __attribute__((vector_size(16)));
typedef std::int64_t TwoIntegers __attribute__((vector_size(16)));
typedef std::int32_t FourSmall __attribute__((vector_size(16)));
typedef std::int16_t EightShorts __attribute__((vector_size(16)));

template <class Vector, class Value>
inline Vector load(const Value* values) {
    Vector vector;
    static_assert(sizeof vector[0] == sizeof *values);
    std::memcpy(&vector, values, sizeof vector);
    return vector;
}

template <class Vector, class Value>
inline void store(const Vector& vector, Value* values) {
    static_assert(sizeof vector[0] == sizeof *values);
    std::memcpy(values, &vector, sizeof vector);
}

// Whether a comparison of vectors holds anywhere.
template <class Mask>
inline bool any(const Mask& mask) {
    const auto words = std::bit_cast<TwoWords>(mask);
    return (words[0] | words[1]) != 0;
}

}  // namespace fuzzyucs
