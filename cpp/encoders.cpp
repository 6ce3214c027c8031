#include "encoders.h"

#include <algorithm>
#include <cmath>

#include "code_table.h"

namespace fuzzyucs {

OrderedEncoder::OrderedEncoder(std::span<const double> peaks, std::span<const double> ends,
                               std::uint32_t steps)
    : terms_(peaks, ends), steps_(steps) {}

void OrderedEncoder::encode(OrderedTerms::Column& values, std::uint8_t* codes,
                            std::size_t n_rows) const {
    terms_.locate(values);
    for (std::size_t r = 0; r < n_rows; ++r) {
        codes[r] = std::isnan(values[r])
                       ? kMissingCode
                       : static_cast<std::uint8_t>(std::nearbyint(values[r] * steps_));
    }
}

NominalEncoder::NominalEncoder(std::span<const double> values, std::span<const std::uint8_t> terms,
                               bool takes_nearest)
    : values_(values.begin(), values.end()),
      terms_(terms.begin(), terms.end()),
      takes_nearest_(takes_nearest) {}

void NominalEncoder::encode(const OrderedTerms::Column& values, std::uint8_t* codes,
                            std::size_t n_rows) const {
    for (std::size_t r = 0; r < n_rows; ++r) codes[r] = code(values[r]);
}

std::uint8_t NominalEncoder::code(double value) const {
    if (std::isnan(value)) return kMissingCode;
    const auto found = std::ranges::lower_bound(values_, value);
    auto index = std::min(static_cast<std::size_t>(found - values_.begin()), values_.size() - 1);
    if (!takes_nearest_ && values_[index] != value) return kMissingCode;
    // Halves, because the difference of two doubles may exceed the largest one.
    if (takes_nearest_ && index > 0 &&
        value / 2 - values_[index - 1] / 2 < values_[index] / 2 - value / 2) {
        --index;
    }
    return terms_[index];
}

}  // namespace fuzzyucs
