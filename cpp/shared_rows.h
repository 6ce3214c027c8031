#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "fixed_point.h"

namespace fuzzyucs {

// Rows that several machines hold in parts. All of them take the same steps in the same order,
// because every decision depends on sums over all rows; a machine may have no row at all.
struct SharedRows {
    std::size_t n_rows;                              // of all parts
    double greatest_weight;                          // of a row of any part
    std::function<void(std::span<Sum>)> add_others;  // none if this machine has all rows

    bool has_others() const { return add_others != nullptr; }

    // Turns sums over the rows of one part into sums over all rows, in one message.
    void combine(std::span<const std::span<Sum>> sums) const {
        message_.clear();
        for (const auto& part : sums) message_.insert(message_.end(), part.begin(), part.end());
        add_others(message_);
        auto next = message_.begin();
        for (const auto& part : sums) {
            std::copy_n(next, part.size(), part.begin());
            next += static_cast<std::ptrdiff_t>(part.size());
        }
    }
    void combine(std::initializer_list<std::span<Sum>> sums) const {
        combine(std::span(sums.begin(), sums.size()));
    }

    mutable std::vector<Sum> message_;  // its memory serves again
};

// None if there is nothing to know but the rows themselves.
using MaybeShared = std::shared_ptr<const SharedRows>;

inline bool has_others(const MaybeShared& shared) { return shared && shared->has_others(); }

inline void combine(const MaybeShared& shared, std::initializer_list<std::span<Sum>> sums) {
    if (has_others(shared)) shared->combine(sums);
}

inline std::size_t count_all(std::size_t n_rows, const MaybeShared& shared) {
    return shared ? shared->n_rows : n_rows;
}

inline double greatest_weight(std::span<const double> weights, const MaybeShared& shared) {
    return shared ? shared->greatest_weight : *std::max_element(weights.begin(), weights.end());
}

}  // namespace fuzzyucs
