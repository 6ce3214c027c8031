#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../rule.h"
#include "../terms.h"
#include "arrays.h"

namespace fuzzyucs {

// Checks of arguments that several bindings share.

inline constexpr std::size_t kMaxRows = 0xfffffffe;  // rows have 32-bit indices

inline void check_labels(const Input1<Class>& y, std::size_t n_classes) {
    for (const Class label : as_span(y)) require(label < n_classes, "y is out of range");
}

// Systems that learn take sets of terms alone; inference takes runs of fine terms, too.
inline void check_n_terms(std::span<const std::uint32_t> n_terms, bool may_be_fine = false) {
    for (const std::uint32_t n : n_terms) {
        require(n >= 2 && n <= (may_be_fine ? kMaxFineTerms : kMaxTerms),
                may_be_fine ? "n_terms must lie between 2 and 255"
                            : "n_terms must lie between 2 and 64");
    }
}

// The same for forests, in which features without terms take no part.
inline void check_forest_n_terms(std::span<const std::uint32_t> n_terms) {
    for (const std::uint32_t n : n_terms) {
        require(n != 1 && n <= kMaxFineTerms, "n_terms must be 0 or lie between 2 and 255");
    }
}

// Sums over rows are computed in doubles: the greatest total keeps them finite.
inline void check_sample_weight(const Input1<double>& sample_weight, double greatest_total) {
    double total = 0;
    for (const double weight : as_span(sample_weight)) {
        require(weight >= 0 && std::isfinite(weight), "sample_weight is out of range");
        total += weight;
    }
    require(total <= greatest_total, "sample_weight has too large a sum");
}

}  // namespace fuzzyucs
