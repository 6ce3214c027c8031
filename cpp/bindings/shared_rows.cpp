#include "../shared_rows.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "arrays.h"
#include "bindings.h"

namespace fuzzyucs {

namespace {

using Function = nb::typed<nb::callable, Output1<Sum>(Output1<Sum>)>;

std::shared_ptr<SharedRows> make_shared_rows(std::size_t n_rows, double greatest_weight,
                                             std::optional<Function> add_others) {
    require(n_rows > 0, "n_rows must be positive");
    require(greatest_weight > 0 && std::isfinite(greatest_weight),
            "greatest_weight must be positive");
    SharedRows shared{n_rows, greatest_weight, nullptr, {}};
    if (add_others) {
        shared.add_others = [function = std::move(*add_others)](std::span<Sum> sums) {
            nb::gil_scoped_acquire acquire;
            const nb::object answer = function(to_array<Sum>(sums));
            Input1<Sum> all;
            require(nb::try_cast(answer, all), "add_others must return an array of sums");
            require(all.size() == sums.size(), "add_others must return as many sums as it got");
            std::copy_n(all.data(), sums.size(), sums.begin());
        };
    }
    return std::make_shared<SharedRows>(std::move(shared));
}

}  // namespace

void bind_shared_rows(nb::module_& m) {
    nb::class_<SharedRows>(m, "SharedRows",
                           "Rows that several machines hold in parts. A function gets sums over "
                           "one part, and returns those over all.")
        .def(nb::new_(&make_shared_rows), "n_rows"_a, "greatest_weight"_a, "add_others"_a.none())
        .def_ro("n_rows", &SharedRows::n_rows)
        .def_ro("greatest_weight", &SharedRows::greatest_weight);
}

}  // namespace fuzzyucs
