#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "../ordered_terms.h"
#include "arrays.h"

namespace fuzzyucs {

// A column of any type of numbers, such as one of a table whose rows lie one after the other. It
// holds on to its array.
class NumberColumn {
  public:
    using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
    using Values = OrderedTerms::Column;

    // Negative whole numbers may stand for missing values.
    NumberColumn(Array x, bool negative_is_missing)
        : x_(std::move(x)), negative_is_missing_(negative_is_missing) {
        find_type<double, float, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                  std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>();
        require(read_ != nullptr, "x has a type that is not known");
    }

    std::size_t n_rows() const { return x_.shape(0); }

    // Reads up to as many values as there is room for, NaN where they are missing.
    void read(std::size_t first, std::size_t n, Values& values) const {
        (this->*read_)(first, n, values);
    }

  private:
    template <class... Types>
    void find_type() {
        ((x_.dtype() == nb::dtype<Types>() ? void(read_ = &NumberColumn::read_as<Types>) : void()),
         ...);
    }

    template <class T>
    void read_as(std::size_t first, std::size_t n, Values& values) const {
        const std::int64_t stride = x_.stride(0);
        const T* from =
            static_cast<const T*>(x_.data()) + static_cast<std::int64_t>(first) * stride;
        for (std::size_t r = 0; r < n; ++r) {
            const T value = from[static_cast<std::int64_t>(r) * stride];
            values[r] = static_cast<double>(value);
            if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
                if (negative_is_missing_ && value < 0) {
                    values[r] = std::numeric_limits<double>::quiet_NaN();
                }
            }
        }
    }

    Array x_;
    bool negative_is_missing_;
    void (NumberColumn::*read_)(std::size_t, std::size_t, Values&) const = nullptr;
};

}  // namespace fuzzyucs
