#pragma once

#include <cstdint>
#include <vector>

#include "rule.h"

namespace fuzzyucs {

// Unnormalised commonalities of the classes, then of Theta, as mantissa * 2^exponent: products of
// thousands of factors neither underflow nor overflow. Mantissas are 0 or lie in [1, 2). Further
// columns are padding.
struct Commonalities {
    explicit Commonalities(std::size_t n_columns) : mantissa(n_columns), exponent(n_columns) {}

    std::vector<double> mantissa;
    std::vector<std::int64_t> exponent;

    // Multiplies a column by factor * 2^power.
    void multiply(std::size_t column, double factor, std::int64_t power = 0);

    // Writes logarithms of the commonalities of the classes, then of Theta.
    void write_logs(std::size_t n_classes, double* logs) const;

    // Writes normalised masses of the classes, then of Theta; total conflict is ignorance. Returns
    // log(1 - K), the logarithm of what the sources agree on.
    double write_masses(std::size_t n_classes, double* masses) const;

    // The classes with the greatest commonality, in ascending order.
    void find_greatest(std::size_t n_classes, std::vector<Class>& best) const;
};

// The classes with the greatest key, in ascending order.
template <class Key>
void find_greatest_keys(std::size_t n_classes, Key&& key, std::vector<Class>& best) {
    best.assign(1, 0);
    auto greatest = key(Class{0});
    for (Class c = 1; c < n_classes; ++c) {
        const auto found = key(c);
        if (found > greatest) {
            best.assign(1, c);
            greatest = found;
        } else if (found == greatest) {
            best.push_back(c);
        }
    }
}

}  // namespace fuzzyucs
