#pragma once

#include <cmath>
#include <cstdint>

namespace fuzzyucs {

using Class = std::uint32_t;

// Statistics of one rule, whatever form its condition has. One cache line. How the size of its
// correct sets (cs) is stored differs between systems.
template <class SetSize>
struct alignas(64) Rule {
    double experience = 0;  // exp
    double correct = 0;     // cm of the consequent; its entry in the class row is out of date
    SetSize set_size;
    double first_fitness = 0;     // F until it has experience
    std::int64_t time_stamp = 0;  // ts
    std::uint32_t numerosity = 1;
    Class consequent = 0;
};

// Powers by multiplication are the same on every machine; libm's pow is not. Odd in its base, so
// that every exponent keeps the order of fitness values.
inline double powered(double fitness, double exponent) {
    if (exponent == 1) return fitness;
    const double base = std::abs(fitness);
    double result = 1;
    if (exponent == std::floor(exponent) && exponent <= 64) {
        for (int i = 0; i < static_cast<int>(exponent); ++i) result *= base;
    } else {
        result = std::pow(base, exponent);
    }
    return std::copysign(result, fitness);
}

}  // namespace fuzzyucs
