// Columns of any numbers: where values lie among terms, their codes, and stored rows.

#include <algorithm>

#include "../cpp/code_table.h"
#include "../cpp/encoders.h"
#include "../cpp/even_terms.h"
#include "../cpp/ranges.h"
#include "../cpp/stored_rows.h"
#include "../cpp/value_range.h"
#include "input.h"

using namespace fuzzyucs;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kRows = OrderedTerms::kRows;
    fuzz::Input in(data, size);
    // Peaks and ends ascend; values are in the order given.
    std::vector<double> ends;
    std::size_t n_terms = in.flag() ? in.between(1, 6) : in.between(1, 255);
    for (std::size_t i = 0; i < 2 * n_terms; ++i) {
        const double number = in.any();
        if (std::isfinite(number)) ends.push_back(number);
    }
    std::ranges::sort(ends);
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    if (ends.empty()) ends.push_back(0);
    const std::vector<double> values(ends);
    // Terms with a plateau, or with a peak alone.
    const bool has_plateaus = in.flag();
    std::vector<double> peaks, plateaus;
    for (std::size_t i = 0; i < ends.size() && peaks.size() < 255; ++i) {
        peaks.push_back(ends[i]);
        if (has_plateaus && i + 1 < ends.size()) ++i;
        plateaus.push_back(ends[i]);
    }
    n_terms = peaks.size();
    std::vector<std::uint8_t> terms(values.size());
    for (std::uint8_t& term : terms) term = static_cast<std::uint8_t>(in.between(0, 254));
    const auto steps = static_cast<std::uint32_t>(
        n_terms > 1 ? in.between(1, std::max<std::size_t>(1, 254 / (n_terms - 1))) : 1);
    const OrderedTerms ordered(peaks, plateaus);
    const NominalEncoder nominal(values, terms, in.flag());
    const double low = in.any(), high = in.any();
    const EvenTerms even(low, high, static_cast<std::uint32_t>(n_terms));

    std::vector<double> column(in.between(0, 3 * kRows));
    for (double& value : column) value = in.any();
    StoredRows rows(column.size());
    const auto read = [&](std::size_t first, std::size_t n, StoredRows::Column& into) {
        CHECK(first + n <= column.size());
        std::copy_n(column.begin() + static_cast<std::ptrdiff_t>(first), n, into.begin());
    };
    rows.add(read, [&](auto& found) { ordered.locate(found); });
    if (std::isfinite(low) && std::isfinite(high)) {
        rows.add(read, [&](auto& found) { even.locate(found); });
    }
    std::uint8_t codes[kRows];
    for (std::size_t first = 0; first < column.size(); first += kRows) {
        const std::size_t n = std::min(kRows, column.size() - first);
        StoredRows::Column found{};
        for (std::size_t f = 0; f < rows.n_features(); ++f) {
            rows.locate(f, first, n, found);
            for (std::size_t r = 0; r < n; ++r) {
                CHECK(std::isnan(found[r]) == std::isnan(column[first + r]));
                CHECK(std::isnan(found[r]) || (found[r] >= 0 && found[r] <= n_terms - 1.0));
            }
        }
        read(first, n, found);
        nominal.encode(found, codes, n);
        if (steps * (n_terms - 1) < kMissingCode) {
            OrderedEncoder(peaks, plateaus, steps).encode(found, codes, n);
            for (std::size_t r = 0; r < n; ++r) {
                CHECK(codes[r] <= steps * (n_terms - 1) || codes[r] == kMissingCode);
            }
        }
        has_value_outside(column.data() + first, {&low, 1}, {&high, 1});
    }
    ValueRange range;
    const double margin = std::min(in.unit(), 0.999);
    for (const double value : column) {
        if (!std::isfinite(value)) continue;
        range = range.widened(value, margin);
        CHECK(range.holds(value));
    }
    return 0;
}
