#include "../position.h"
#include "arrays.h"
#include "bindings.h"

namespace fuzzyucs {

namespace {

// The terms of feature f are those from first[f] to first[f + 1]; without any, its positions are 0.
auto locate_all(const Input2<double>& x, const Input1<double>& peaks, const Input1<double>& ends,
                const Input1<std::uint32_t>& first) {
    const std::size_t n = x.shape(0), n_features = x.shape(1);
    require(first.size() == n_features + 1 && first.data()[n_features] == peaks.size(),
            "first has the wrong length");
    require(ends.size() == peaks.size(), "ends has the wrong length");
    for (std::size_t f = 0; f < n_features; ++f) {
        require(first.data()[f] <= first.data()[f + 1], "first must not fall");
    }
    auto positions = new_array<double>(n, n_features);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t f = 0; f < n_features; ++f) {
            const std::uint32_t begin = first.data()[f], end = first.data()[f + 1];
            if (begin == end) continue;
            positions.data()[i * n_features + f] =
                locate(x.data()[i * n_features + f], {peaks.data() + begin, end - begin},
                       {ends.data() + begin, end - begin});
        }
    }
    return positions;
}

}  // namespace

void bind_locate(nb::module_& m) {
    m.def("locate", &locate_all, "x"_a, "peaks"_a, "ends"_a, "first"_a,
          "Positions of values among terms that are fully true from peaks to ends, which ascend: 0 "
          "is the first, 1 the second.");
}

}  // namespace fuzzyucs
