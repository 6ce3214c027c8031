#include <algorithm>
#include <optional>
#include <vector>

#include "../ordered_terms.h"
#include "../ranges.h"
#include "arrays.h"
#include "bindings.h"

namespace fuzzyucs {

namespace {

// The terms of feature f are those from first[f] to first[f + 1]; without any, its positions are 0.
auto locate_all(const Input2<double>& x, const Input1<double>& peaks, const Input1<double>& ends,
                const Input1<std::uint32_t>& first) {
    constexpr std::size_t kRows = OrderedTerms::kRows;
    const std::size_t n = x.shape(0), n_features = x.shape(1);
    require(first.size() == n_features + 1 && first.data()[n_features] == peaks.size(),
            "first has the wrong length");
    require(ends.size() == peaks.size(), "ends has the wrong length");
    std::vector<std::optional<OrderedTerms>> features(n_features);
    for (std::size_t f = 0; f < n_features; ++f) {
        const std::uint32_t begin = first.data()[f], end = first.data()[f + 1];
        require(begin <= end, "first must not fall");
        if (begin == end) continue;
        features[f].emplace(as_span(peaks).subspan(begin, end - begin),
                            as_span(ends).subspan(begin, end - begin));
    }
    auto positions = new_array<double>(n, n_features);
    run_interruptibly((n + kRows - 1) / kRows, [&](std::size_t block) {
        const std::size_t begin = block * kRows, n_rows = std::min(n - begin, kRows);
        const double* from = x.data() + begin * n_features;
        double* to = positions.data() + begin * n_features;
        for (std::size_t i = 0; i < kRows * n_features; i += 8) {
            __builtin_prefetch(from + kRows * n_features + i);  // the next block, line by line
        }
        OrderedTerms::Column column{};
        for (std::size_t f = 0; f < n_features; ++f) {
            if (!features[f]) continue;
            for (std::size_t r = 0; r < n_rows; ++r) column[r] = from[r * n_features + f];
            features[f]->locate(column);
            for (std::size_t r = 0; r < n_rows; ++r) to[r * n_features + f] = column[r];
        }
    });
    return positions;
}

auto rows_outside(const Input2<double>& x, const Input1<double>& low, const Input1<double>& high) {
    require(low.size() == x.shape(1) && high.size() == x.shape(1), "low or high is too long");
    auto outside = new_array<bool>(x.shape(0));
    for (std::size_t i = 0; i < x.shape(0); ++i) {
        outside.data()[i] =
            has_value_outside(x.data() + i * x.shape(1), as_span(low), as_span(high));
    }
    return outside;
}

}  // namespace

void bind_locate(nb::module_& m) {
    m.def("locate", &locate_all, "x"_a, "peaks"_a, "ends"_a, "first"_a,
          "Positions of values among terms that are fully true from peaks to ends, which ascend: 0 "
          "is the first, 1 the second.");
    m.def("rows_outside", &rows_outside, "x"_a, "low"_a, "high"_a,
          "Whether each row has a value below or above the range of its feature.");
}

}  // namespace fuzzyucs
