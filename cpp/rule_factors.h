#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "slots.h"
#include "vector_clones.h"
#include "vectors.h"

namespace fuzzyucs {

// Rules as sources of evidence: rule k multiplies the commonality in column c by
// 1 - degree + degree * weight, the weights lying in rows by slot.
struct RuleFactors {
    const Slot* slots;
    const double* degrees;
    const double* weights;
    std::size_t row_length;
};

// Multiplies the factors of the rules from `begin` to `end` for `Columns` columns. Every other rule
// goes into a second product: one alone would wait for each multiplication to finish.
template <std::size_t Columns>
void multiply_rules(const RuleFactors& rules, std::size_t begin, std::size_t end, double* even,
                    double* odd) {
    constexpr std::size_t n = Columns / 2;
    TwoDoubles products[2][n];
    for (auto& product : products) std::fill_n(product, n, TwoDoubles{1, 1});
    const auto multiply_rule = [&](TwoDoubles(&product)[n], std::size_t k) {
        const double degree = rules.degrees[k], rest = 1 - degree;
        const double* weights = rules.weights + rules.slots[k] * rules.row_length;
        for (std::size_t i = 0; i < n; ++i) {
            product[i] *= rest + degree * load<TwoDoubles>(weights + 2 * i);
        }
    };
    std::size_t k = begin;
    for (; k + 1 < end; k += 2) {
        multiply_rule(products[0], k);
        multiply_rule(products[1], k + 1);
    }
    if (k < end) multiply_rule(products[0], k);
    for (std::size_t i = 0; i < n; ++i) {
        store(products[0][i], even + 2 * i);
        store(products[1][i], odd + 2 * i);
    }
}

// Modules for Visual C++'s runtime cannot ask which processor it is: Clang's function for it is in
// a library that is not linked there.
#if defined(__x86_64__) && !defined(_MSC_VER) && !defined(FUZZYUCS_PORTABLE)
#define FUZZYUCS_FOUR_COLUMNS
#endif

#ifdef FUZZYUCS_FOUR_COLUMNS

// The same with vectors of four, to the last bit, for machines that have them. It pays with many
// classes. (The loops are written again because neither lambdas nor templates inherit the target.)
template <std::size_t n>
__attribute__((target("avx2"), always_inline)) inline void multiply_rule_avx2(
    const RuleFactors& rules, std::size_t k, FourDoubles (&product)[n]) {
    const double degree = rules.degrees[k], rest = 1 - degree;
    const double* weights = rules.weights + rules.slots[k] * rules.row_length;
    for (std::size_t i = 0; i < n; ++i) {
        FourDoubles four;
        std::memcpy(&four, weights + 4 * i, sizeof four);
        product[i] *= rest + degree * four;
    }
}

template <std::size_t Columns>
__attribute__((target("avx2"))) void multiply_rules_avx2(const RuleFactors& rules,
                                                         std::size_t begin, std::size_t end,
                                                         double* even, double* odd) {
    FourDoubles products[2][Columns / 4];
    for (auto& product : products) {
        for (auto& four : product) four = FourDoubles{1, 1, 1, 1};
    }
    std::size_t k = begin;
    for (; k + 1 < end; k += 2) {
        multiply_rule_avx2(rules, k, products[0]);
        multiply_rule_avx2(rules, k + 1, products[1]);
    }
    if (k < end) multiply_rule_avx2(rules, k, products[0]);
    std::memcpy(even, products[0], sizeof products[0]);
    std::memcpy(odd, products[1], sizeof products[1]);
}

#endif

template <std::size_t Columns>
auto fastest_multiply_rules() {
#ifdef FUZZYUCS_FOUR_COLUMNS
    if (__builtin_cpu_supports("avx2")) return &multiply_rules_avx2<Columns>;
#endif
    return &multiply_rules<Columns>;
}

}  // namespace fuzzyucs
