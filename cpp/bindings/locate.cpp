#include <algorithm>
#include <optional>
#include <vector>

#include "../ordered_terms.h"
#include "arrays.h"
#include "bindings.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kRows = 64;  // of a block, which stays in the cache

// The terms of feature f are those from first[f] to first[f + 1]; without any, its positions are 0.
auto locate_all(const Input2<double>& x, const Input1<double>& peaks, const Input1<double>& ends,
                const Input1<std::uint32_t>& first) {
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
        const std::size_t begin = block * kRows, end = std::min(n, begin + kRows);
        for (std::size_t f = 0; f < n_features; ++f) {
            if (!features[f]) continue;
            for (std::size_t i = begin * n_features + f; i < end * n_features; i += n_features) {
                positions.data()[i] = features[f]->locate(x.data()[i]);
            }
        }
    });
    return positions;
}

}  // namespace

void bind_locate(nb::module_& m) {
    m.def("locate", &locate_all, "x"_a, "peaks"_a, "ends"_a, "first"_a,
          "Positions of values among terms that are fully true from peaks to ends, which ascend: 0 "
          "is the first, 1 the second.");
}

}  // namespace fuzzyucs
