#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "aligned.h"
#include "code_table.h"
#include "fixed_point.h"
#include "row_states.h"

namespace fuzzyucs {

// A code lies so many steps above a term.
struct CodePlace {
    std::uint8_t term = 0;
    std::uint8_t step = 0;
};

// Sums over few rows, by the terms of an ordered feature: a histogram of all its codes would take
// longer to clear and to read than to fill.
class FewRows {
  public:
    // Whether it is faster for these rows.
    static bool are_few(const RowStates& states);

    // Sums over what lies in each unit of a feature or above it, as from a histogram: the same
    // whole numbers, and the same operations on them.
    void add_from_the_top(const RowStates& states, const std::uint8_t* column,
                          const CodedFeature& feature, std::span<const std::uint32_t> unit_of,
                          double scale, double* sums);

  private:
    void find_places(const CodedFeature& feature);

    std::uint32_t steps_ = 0, n_terms_ = 0;  // that places are known for
    std::array<CodePlace, kCodes> places_{};
    AlignedVector<Sum> memory_;
};

}  // namespace fuzzyucs
