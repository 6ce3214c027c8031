#include "surprise_total.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "portable_math.h"
#include "position.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kRows = SurpriseTotal::kRows;

// Products of positive numbers, one for each row, whatever their sizes.
class Products {
  public:
    Products() { mantissas_.fill(1); }

    void multiply(std::size_t row, double factor) {
        constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1, one = 1023ull << 52;
        constexpr double least = std::numeric_limits<double>::min();
        const auto bits = std::bit_cast<std::uint64_t>(mantissas_[row] * std::max(factor, least));
        exponents_[row] += static_cast<std::int64_t>(bits >> 52) - 1023;
        mantissas_[row] = std::bit_cast<double>((bits & mantissa) | one);
    }

    // The logarithm of the product of a row, divided by that of another.
    double log_ratio(const Products& other, std::size_t row) const {
        constexpr double ln2 = 0.6931471805599453;
        const TwoDoubles logs = portable_log(TwoDoubles{mantissas_[row], other.mantissas_[row]});
        const std::int64_t power = exponents_[row] - other.exponents_[row];
        return static_cast<double>(power) * ln2 + (logs[0] - logs[1]);
    }

  private:
    std::array<double, kRows> mantissas_;
    std::array<std::int64_t, kRows> exponents_{};
};

double between(const double* values, double fraction) {
    return (1 - fraction) * values[0] + fraction * values[1];
}

}  // namespace

SurpriseTotal::SurpriseTotal(const TermForest& forest, std::span<const double> scale,
                             std::span<const double> typical, std::span<const double> alone)
    : forest_(forest),
      scale_(scale.begin(), scale.end()),
      typical_(typical.begin(), typical.end()),
      alone_(alone.begin(), alone.end()) {
    for (std::size_t t = 0; t < scale.size(); ++t)
        weighted_.push_back(forest.marginal[t] * scale[t]);
    for (std::uint32_t f = 0; f < n_features(); ++f) {
        first_.push_back(forest.first_term(f));
        first_pair_.push_back(pairs_.size());
        if (forest.n_terms[f] == 0) continue;
        counted_.push_back(f);
        typical_total_ += typical[f];
        if (forest.parent[f] < 0) continue;
        const auto p = static_cast<std::size_t>(forest.parent[f]);
        for (std::size_t given = 0; given < forest.n_terms[p]; ++given) {
            for (std::size_t t = 0; t < forest.n_terms[f]; ++t) {
                pairs_.push_back(forest.pair(f, t, given) * scale[forest.first_term(f) + t] *
                                 scale[forest.first_term(p) + given]);
            }
        }
    }
}

void SurpriseTotal::read(const double* positions, std::size_t n_rows, bool* has_gaps,
                         Scratch& scratch) const {
    for (const std::uint32_t f : counted_) {
        for (std::size_t r = 0; r < n_rows; ++r) {
            const Position position =
                Position::of(positions[r * n_features() + f], forest_.n_terms[f]);
            has_gaps[r] |= position.missing;
            scratch.segments[f * kRows + r] = position.segment;
            scratch.fractions[f * kRows + r] = position.fraction;
            scratch.plain[f * kRows + r] =
                between(&weighted_[first_[f] + position.segment], position.fraction);
        }
    }
}

void SurpriseTotal::add(const double* positions, std::size_t n_rows, double* totals,
                        Scratch& scratch) const {
    std::array<bool, kRows> has_gaps{};
    read(positions, n_rows, has_gaps.data(), scratch);
    Products given, values;
    for (const std::uint32_t f : counted_) {
        const double* plain = &scratch.plain[f * kRows];
        if (forest_.parent[f] < 0) {
            for (std::size_t r = 0; r < n_rows; ++r) values.multiply(r, plain[r]);
            continue;
        }
        const auto p = static_cast<std::size_t>(forest_.parent[f]);
        const std::size_t n_terms = forest_.n_terms[f];
        const double* pairs = &pairs_[first_pair_[f]];
        const std::uint32_t *own = &scratch.segments[f * kRows],
                            *other = &scratch.segments[p * kRows];
        const double *x = &scratch.fractions[f * kRows], *y = &scratch.fractions[p * kRows];
        const double* plain_parent = &scratch.plain[p * kRows];
        for (std::size_t r = 0; r < n_rows; ++r) {
            const double* low = pairs + other[r] * n_terms + own[r];
            const double both =
                (1 - y[r]) * between(low, x[r]) + y[r] * between(low + n_terms, x[r]);
            values.multiply(r, both);
            given.multiply(r, plain_parent[r]);
        }
    }
    for (std::size_t r = 0; r < n_rows; ++r) {
        totals[r] = has_gaps[r] ? of_row_with_gaps(positions + r * n_features(), scratch)
                                : given.log_ratio(values, r) - typical_total_;
    }
}

double SurpriseTotal::of_row_with_gaps(const double* row, Scratch& scratch) const {
    forest_.surprise(row, scale_, scratch.surprise.data(), scratch.of_row);
    double total = 0;
    std::size_t n_known = 0;
    for (const std::uint32_t f : counted_) {
        if (std::isnan(row[f])) continue;
        const std::int32_t p = forest_.parent[f];
        const bool is_alone = p >= 0 && std::isnan(row[static_cast<std::size_t>(p)]);
        total += scratch.surprise[f] - (is_alone ? alone_[f] : typical_[f]);
        ++n_known;
    }
    const auto share = static_cast<double>(counted_.size()) /
                       static_cast<double>(std::max<std::size_t>(n_known, 1));
    return total * std::sqrt(share);
}

}  // namespace fuzzyucs
