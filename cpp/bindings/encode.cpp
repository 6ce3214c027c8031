#include <algorithm>
#include <cstdint>

#include "../code_table.h"
#include "../encoders.h"
#include "arrays.h"
#include "bindings.h"
#include "number_column.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kRows = OrderedTerms::kRows;

template <class Encoder>
auto encode(const NumberColumn& x, const Encoder& encoder) {
    const std::size_t n = x.n_rows();
    auto codes = new_array<std::uint8_t>(n);
    run_interruptibly((n + kRows - 1) / kRows, [&](std::size_t block) {
        const std::size_t first = block * kRows, n_rows = std::min(n - first, kRows);
        OrderedTerms::Column values{};
        x.read(first, n_rows, values);
        encoder.encode(values, codes.data() + first, n_rows);
    });
    return codes;
}

auto encode_ordered(const NumberColumn::Array& x, bool negative_is_missing,
                    const Input1<double>& peaks, const Input1<double>& ends, std::uint32_t steps) {
    require(peaks.size() > 0 && ends.size() == peaks.size(), "ends has the wrong length");
    require(steps > 0 && steps < kMissingCode && steps * (peaks.size() - 1) < kMissingCode,
            "steps is out of range");
    return encode(NumberColumn(x, negative_is_missing),
                  OrderedEncoder(as_span(peaks), as_span(ends), steps));
}

auto encode_nominal(const NumberColumn::Array& x, bool negative_is_missing,
                    const Input1<double>& values, const Input1<std::uint8_t>& terms,
                    bool takes_nearest) {
    require(values.size() > 0 && terms.size() == values.size(), "terms has the wrong length");
    for (const std::uint8_t term : as_span(terms)) {
        require(term < kMissingCode, "terms is out of range");
    }
    return encode(NumberColumn(x, negative_is_missing),
                  NominalEncoder(as_span(values), as_span(terms), takes_nearest));
}

}  // namespace

void bind_encode(nb::module_& m) {
    // Type checkers want to know that x may have any type.
    m.def("encode_ordered", &encode_ordered, "x"_a, "negative_is_missing"_a, "peaks"_a, "ends"_a,
          "steps"_a,
          nb::sig("def encode_ordered(x: NDArray[Any], negative_is_missing: bool, "
                  "peaks: NDArray[numpy.float64], ends: NDArray[numpy.float64], steps: int) "
                  "-> NDArray[numpy.uint8]"),
          "Codes of numbers: positions among ascending terms, in steps.");
    m.def("encode_nominal", &encode_nominal, "x"_a, "negative_is_missing"_a, "values"_a, "terms"_a,
          "takes_nearest"_a,
          nb::sig("def encode_nominal(x: NDArray[Any], negative_is_missing: bool, "
                  "values: NDArray[numpy.float64], terms: NDArray[numpy.uint8], "
                  "takes_nearest: bool) -> NDArray[numpy.uint8]"),
          "Codes of numbers: the terms that ascending values belong to.");
}

}  // namespace fuzzyucs
