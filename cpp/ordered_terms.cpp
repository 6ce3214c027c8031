#include "ordered_terms.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "vector_clones.h"

namespace fuzzyucs {

namespace {

using Column = OrderedTerms::Column;
using Counts = std::array<std::int64_t, OrderedTerms::kRows>;

// How many peaks each value reaches. To compare with all of them is as fast as to search, since
// there are no more than 255: four values at a time, and nothing to wait for.
FUZZYUCS_VECTOR_CLONES
void count_reached(const Column& values, std::span<const double> peaks, Counts& counts) {
    for (std::size_t r = 0; r < values.size(); r += 16) {
        const FourDoubles a = four(&values[r]).values, b = four(&values[r + 4]).values,
                          c = four(&values[r + 8]).values, d = four(&values[r + 12]).values;
        FourIntegers in_a{}, in_b{}, in_c{}, in_d{};
        for (const double peak : peaks) {  // a comparison that holds is -1
            in_a -= a >= peak;
            in_b -= b >= peak;
            in_c -= c >= peak;
            in_d -= d >= peak;
        }
        std::memcpy(&counts[r], &in_a, sizeof in_a);
        std::memcpy(&counts[r + 4], &in_b, sizeof in_b);
        std::memcpy(&counts[r + 8], &in_c, sizeof in_c);
        std::memcpy(&counts[r + 12], &in_d, sizeof in_d);
    }
}

// Halves, because the difference of two doubles may exceed the largest one.
FUZZYUCS_VECTOR_CLONES
void pass(const Column& terms, const Column& lows, const Column& widths, double last,
          Column& values) {
    for (std::size_t r = 0; r < values.size(); r += 4) {
        const FourDoubles none{}, greatest = none + last, value = four(&values[r]).values;
        const FourDoubles passed =
            (value > greatest ? greatest : value) / 2 - four(&lows[r]).values;
        four(&values[r]).values =
            four(&terms[r]).values + (passed < none ? none : passed) / four(&widths[r]).values;
    }
}

}  // namespace

OrderedTerms::OrderedTerms(std::span<const double> peaks, std::span<const double> ends)
    : peaks_(peaks.begin() + 1, peaks.end()), last_(peaks.back()) {
    for (std::size_t t = 0; t < ends.size(); ++t) {
        const bool is_last = t == peaks_.size();
        const double next = is_last ? std::numeric_limits<double>::infinity() : peaks_[t];
        // Halves of the least numbers round to the same one: a gap is never 0.
        constexpr double least = std::numeric_limits<double>::denorm_min();
        gaps_.push_back({ends[t] / 2, std::max(next / 2 - ends[t] / 2, least)});
    }
}

void OrderedTerms::locate(Column& values) const {
    Counts counts;
    Column terms, lows, widths;
    count_reached(values, peaks_, counts);
    for (std::size_t r = 0; r < values.size(); ++r) {
        const Gap& gap = gaps_[static_cast<std::size_t>(counts[r])];
        terms[r] = static_cast<double>(counts[r]);
        lows[r] = gap.low;
        widths[r] = gap.width;
    }
    pass(terms, lows, widths, last_, values);
}

}  // namespace fuzzyucs
