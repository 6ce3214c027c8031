#pragma once

#include <cstddef>
#include <span>

namespace fuzzyucs {

// Whether a row has a value outside of the range of its feature. Missing values lie nowhere, and
// without known limits (NaN) nothing lies outside.
inline bool has_value_outside(const double* row, std::span<const double> low,
                              std::span<const double> high) {
    int n_outside = 0;  // counted, since that needs no branch
    for (std::size_t f = 0; f < low.size(); ++f)
        n_outside += (row[f] < low[f]) + (row[f] > high[f]);
    return n_outside > 0;
}

}  // namespace fuzzyucs
