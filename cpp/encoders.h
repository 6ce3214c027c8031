#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordered_terms.h"

namespace fuzzyucs {

// From the values of a feature to codes as in `CodeTable`, for blocks of rows. NaN becomes the code
// of a missing value.

// A position among terms, in steps.
class OrderedEncoder {
  public:
    OrderedEncoder(std::span<const double> peaks, std::span<const double> ends,
                   std::uint32_t steps);

    // Replaces the values by their positions.
    void encode(OrderedTerms::Column& values, std::uint8_t* codes, std::size_t n_rows) const;

  private:
    OrderedTerms terms_;
    double steps_;
};

// The term that a value belongs to.
class NominalEncoder {
  public:
    // Each of the ascending values belongs to a term. Others are missing, or count as the nearest.
    NominalEncoder(std::span<const double> values, std::span<const std::uint8_t> terms,
                   bool takes_nearest);

    void encode(const OrderedTerms::Column& values, std::uint8_t* codes, std::size_t n_rows) const;
    std::uint8_t code(double value) const;

  private:
    std::vector<double> values_;
    std::vector<std::uint8_t> terms_;
    bool takes_nearest_;
};

}  // namespace fuzzyucs
