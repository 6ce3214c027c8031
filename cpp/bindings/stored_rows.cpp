#include "../stored_rows.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "../code_table.h"
#include "../encoders.h"
#include "../even_terms.h"
#include "arrays.h"
#include "bindings.h"
#include "number_column.h"

namespace fuzzyucs {

namespace {

template <class Locate>
void add(StoredRows& rows, const NumberColumn::Array& x, bool negative_is_missing,
         Locate&& locate) {
    NumberColumn column(x, negative_is_missing);
    require(column.n_rows() == rows.n_rows(), "x has the wrong number of rows");
    rows.add([column = std::move(column)](std::size_t first, std::size_t n,
                                          auto& values) { column.read(first, n, values); },
             std::forward<Locate>(locate));
}

void add_ordered(StoredRows& rows, const NumberColumn::Array& x, bool negative_is_missing,
                 const Input1<double>& peaks, const Input1<double>& ends) {
    require(peaks.size() > 0 && ends.size() == peaks.size(), "ends has the wrong length");
    add(rows, x, negative_is_missing,
        [terms = OrderedTerms(as_span(peaks), as_span(ends))](auto& values) {
            terms.locate(values);
        });
}

void add_even(StoredRows& rows, const NumberColumn::Array& x, bool negative_is_missing, double low,
              double high, std::uint32_t n_terms) {
    require(n_terms > 0, "n_terms must be positive");
    add(rows, x, negative_is_missing,
        [terms = EvenTerms(low, high, n_terms)](auto& values) { terms.locate(values); });
}

void add_nominal(StoredRows& rows, const NumberColumn::Array& x, bool negative_is_missing,
                 const Input1<double>& values, const Input1<std::uint8_t>& terms,
                 bool takes_nearest) {
    require(values.size() > 0 && terms.size() == values.size(), "terms has the wrong length");
    for (const std::uint8_t term : as_span(terms)) {
        require(term < kMissingCode, "terms is out of range");
    }
    add(rows, x, negative_is_missing,
        [encoder = NominalEncoder(as_span(values), as_span(terms), takes_nearest)](auto& column) {
            for (double& value : column) {
                const std::uint8_t code = encoder.code(value);
                value = code == kMissingCode ? std::numeric_limits<double>::quiet_NaN() : code;
            }
        });
}

}  // namespace

void bind_stored_rows(nb::module_& m) {
    // Type checkers want to know that x may have any type.
    nb::class_<StoredRows>(m, "StoredRows",
                           "Rows in the types of their columns, located whenever they are read.")
        .def(nb::init<std::size_t>(), "n_rows"_a)
        .def("add_ordered", &add_ordered, "x"_a, "negative_is_missing"_a, "peaks"_a, "ends"_a,
             nb::sig("def add_ordered(self, x: NDArray[Any], negative_is_missing: bool, "
                     "peaks: NDArray[numpy.float64], ends: NDArray[numpy.float64]) -> None"),
             "Adds a feature with terms that are fully true from peaks to ends, which ascend.")
        .def("add_even", &add_even, "x"_a, "negative_is_missing"_a, "low"_a, "high"_a, "n_terms"_a,
             nb::sig("def add_even(self, x: NDArray[Any], negative_is_missing: bool, low: float, "
                     "high: float, n_terms: int) -> None"),
             "Adds a feature whose terms divide a range evenly.")
        .def("add_nominal", &add_nominal, "x"_a, "negative_is_missing"_a, "values"_a, "terms"_a,
             "takes_nearest"_a,
             nb::sig("def add_nominal(self, x: NDArray[Any], negative_is_missing: bool, "
                     "values: NDArray[numpy.float64], terms: NDArray[numpy.uint8], "
                     "takes_nearest: bool) -> None"),
             "Adds a feature whose ascending values belong to terms without order.");
}

}  // namespace fuzzyucs
