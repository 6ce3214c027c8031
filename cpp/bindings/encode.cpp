#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../code_table.h"
#include "../encoders.h"
#include "arrays.h"
#include "bindings.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kRows = OrderedTerms::kRows;

// A column of any type of numbers, such as one of a table with rows one after the other.
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

template <class T, class Encoder>
void encode_as(const AnyColumn& x, bool negative_is_missing, const Encoder& encoder,
               std::uint8_t* codes) {
    const auto* from = static_cast<const T*>(x.data());
    const std::int64_t stride = x.stride(0);
    const std::size_t n = x.shape(0);
    run_interruptibly((n + kRows - 1) / kRows, [&](std::size_t block) {
        const std::size_t begin = block * kRows, n_rows = std::min(n - begin, kRows);
        OrderedTerms::Column values{};
        for (std::size_t r = 0; r < n_rows; ++r) {
            const T value = from[static_cast<std::int64_t>(begin + r) * stride];
            values[r] = static_cast<double>(value);
            if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
                if (negative_is_missing && value < 0) {
                    values[r] = std::numeric_limits<double>::quiet_NaN();
                }
            }
        }
        encoder.encode(values, codes + begin, n_rows);
    });
}

template <class Encoder>
auto encode_any(const AnyColumn& x, bool negative_is_missing, const Encoder& encoder) {
    auto codes = new_array<std::uint8_t>(x.shape(0));
    const auto encode_if = [&]<class T>(T) {
        if (x.dtype() != nb::dtype<T>()) return false;
        encode_as<T>(x, negative_is_missing, encoder, codes.data());
        return true;
    };
    require(encode_if(double{}) || encode_if(float{}) || encode_if(std::int8_t{}) ||
                encode_if(std::int16_t{}) || encode_if(std::int32_t{}) ||
                encode_if(std::int64_t{}) || encode_if(std::uint8_t{}) ||
                encode_if(std::uint16_t{}) || encode_if(std::uint32_t{}) ||
                encode_if(std::uint64_t{}),
            "x has a type that is not known");
    return codes;
}

auto encode_ordered(const AnyColumn& x, bool negative_is_missing, const Input1<double>& peaks,
                    const Input1<double>& ends, std::uint32_t steps) {
    require(peaks.size() > 0 && ends.size() == peaks.size(), "ends has the wrong length");
    require(steps > 0 && steps < kMissingCode && steps * (peaks.size() - 1) < kMissingCode,
            "steps is out of range");
    return encode_any(x, negative_is_missing, OrderedEncoder(as_span(peaks), as_span(ends), steps));
}

auto encode_nominal(const AnyColumn& x, bool negative_is_missing, const Input1<double>& values,
                    const Input1<std::uint8_t>& terms, bool takes_nearest) {
    require(values.size() > 0 && terms.size() == values.size(), "terms has the wrong length");
    for (const std::uint8_t term : as_span(terms)) {
        require(term < kMissingCode, "terms is out of range");
    }
    return encode_any(x, negative_is_missing,
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
