#include "rule_degrees.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>

#include "vector_clones.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kRows = RuleDegrees::kRows;
static_assert(kRows == StoredRows::kRows);

// How true it is that positions lie in a run; of a missing value, 1.
[[gnu::always_inline]] inline void find_truth(const double* positions, double below, double above,
                                              FourDoubles& truth) {
    const FourDoubles position = four(positions).values;
    const FourDoubles none{}, full = none + 1, rise = position - below, fall = above - position;
    truth = rise < full ? rise : full;
    truth = fall < truth ? fall : truth;
    truth = truth < none ? none : truth;
}

// The same for any set of terms, however many runs it has: a value lies between two terms, the
// lower of which is known.
[[gnu::always_inline]] inline void find_truth(const double* positions, const std::int64_t* lower,
                                              Terms terms, FourDoubles& truth) {
    const FourDoubles position = four(positions).values, none{}, full = none + 1;
    FourDoubles term;
    as_doubles(four(lower), term);
    const FourWords from_lower = (FourWords{} + terms) >> (FourWords)four(lower).values;
    const FourIntegers has_lower = (from_lower & 1) != 0, has_upper = (from_lower & 2) != 0;
    const FourDoubles rise = position - term, fall = (term + 1) - position;
    const FourDoubles above = has_upper ? full : fall, below = has_upper ? rise : none;
    truth = has_lower ? above : below;
    truth = position != position ? full : truth;
}

FUZZYUCS_VECTOR_CLONES
void count_missing(std::span<const double> columns, std::array<std::int64_t, kRows>& counts) {
    for (std::size_t r = 0; r < kRows; r += 4) {
        FourIntegers count{};
        for (std::size_t i = r; i < columns.size(); i += kRows) {
            const FourDoubles x = four(&columns[i]).values;
            count -= x != x;
        }
        std::memcpy(&counts[r], &count, sizeof count);
    }
}

std::vector<std::uint32_t> asked_features(std::span<const std::uint32_t> n_terms,
                                          std::span<const Terms> conditions) {
    std::vector<std::uint32_t> asked;
    for (std::uint32_t f = 0; f < n_terms.size(); ++f) {
        for (std::size_t i = f; i < conditions.size(); i += n_terms.size()) {
            if (accepts_all(conditions[i], n_terms[f])) continue;
            asked.push_back(f);
            break;
        }
    }
    return asked;
}

}  // namespace

RuleDegrees::RuleDegrees(std::span<const std::uint32_t> n_terms, std::span<const Terms> conditions,
                         const TermForest* forest, std::span<const bool> is_believed,
                         std::span<const double> dependence)
    : n_terms_(n_terms.begin(), n_terms.end()),
      asked_(asked_features(n_terms, conditions)),
      terms_(conditions.begin(), conditions.end()),
      has_beliefs_(forest != nullptr),
      dependence_(dependence.begin(), dependence.end()) {
    if (forest) {
        const auto matters = std::make_unique<bool[]>(n_terms.size());
        for (const std::uint32_t f : asked_) matters[f] = is_believed[f];
        beliefs_ = {*forest, {matters.get(), n_terms.size()}};
    }
    for (std::size_t rule = 0; rule < conditions.size() / n_terms.size(); ++rule) {
        const auto first = static_cast<std::uint32_t>(conditions_.size());
        for (std::uint32_t column = 0; column < asked_.size(); ++column) {
            const std::uint32_t n = n_terms[asked_[column]];
            const Terms terms = conditions[rule * n_terms.size() + asked_[column]];
            if (accepts_all(terms, n)) continue;
            Condition condition{column, true, {}, terms};
            bool is_first = true;
            for_each_accepted(terms, n, [&](std::size_t term) {
                const auto t = static_cast<double>(term);
                if (is_first) condition.run.below = t - 1;
                condition.is_run &= is_first || condition.run.above == t;
                condition.run.above = t + 1;
                is_first = false;
            });
            conditions_.push_back(condition);
        }
        rules_.push_back({first, static_cast<std::uint32_t>(conditions_.size())});
    }
}

FUZZYUCS_VECTOR_CLONES
void RuleDegrees::multiply(std::span<const Rule> rules, const Condition* conditions,
                           const double* columns, const std::int64_t* lower, double* degrees) {
    for (const Rule& rule : rules) {
        std::fill(degrees, degrees + kRows, 1.0);
        for (std::uint32_t c = rule.first; c < rule.last; ++c) {
            const Condition& condition = conditions[c];
            const double* column = columns + condition.column * kRows;
            if (condition.is_run) {
                const auto [below, above] = condition.run;
                for (std::size_t r = 0; r < kRows; r += 4) {
                    FourDoubles truth;
                    find_truth(column + r, below, above, truth);
                    four(degrees + r).values *= truth;
                }
                continue;
            }
            for (std::size_t r = 0; r < kRows; r += 4) {
                FourDoubles truth;
                find_truth(column + r, lower + condition.column * kRows + r, condition.terms,
                           truth);
                four(degrees + r).values *= truth;
            }
        }
        degrees += kRows;
    }
}

void RuleDegrees::match(const double* positions, std::size_t n_rows, Block& block) const {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        const double* x = positions + asked_[i];
        double* column = &block.columns[i * kRows];
        for (std::size_t r = 0; r < n_rows; ++r) column[r] = x[r * n_features()];
    }
    match_columns(n_rows, [&] { return positions; }, block);
}

void RuleDegrees::match(const StoredRows& rows, std::size_t first, std::size_t n_rows,
                        Block& block) const {
    StoredRows::Column column{};
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        rows.locate(asked_[i], first, n_rows, column);
        std::copy_n(column.begin(), n_rows, &block.columns[i * kRows]);
    }
    const auto all_rows = [&] {
        block.rows.resize(n_features() * kRows);
        for (std::size_t f = 0; f < n_features(); ++f) {
            rows.locate(f, first, n_rows, column);
            for (std::size_t r = 0; r < n_rows; ++r) block.rows[r * n_features() + f] = column[r];
        }
        return block.rows.data();
    };
    match_columns(n_rows, all_rows, block);
}

template <class AllRows>
void RuleDegrees::match_columns(std::size_t n_rows, AllRows&& all_rows, Block& block) const {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        const auto last = static_cast<double>(n_terms_[asked_[i]] - 1);
        double* column = &block.columns[i * kRows];
        std::int64_t* lower = &block.lower[i * kRows];
        for (std::size_t r = 0; r < n_rows; ++r) {  // NaN stays NaN
            column[r] = column[r] < 0 ? 0 : column[r] > last ? last : column[r];
            lower[r] = std::isnan(column[r]) ? 0 : static_cast<std::int64_t>(column[r]);
        }
        std::fill(column + n_rows, column + kRows, 0.0);
        std::fill(lower + n_rows, lower + kRows, 0);
    }
    multiply(rules_, conditions_.data(), block.columns.data(), block.lower.data(),
             block.degrees.data());
    count_missing(block.columns, block.n_missing);
    block.is_known = true;
    const double* rows = nullptr;
    for (std::size_t r = 0; r < n_rows; ++r) {
        if (block.n_missing[r] == 0 || !has_beliefs_) continue;
        if (block.is_known) {
            block.known = block.degrees;
            rows = all_rows();
        }
        block.is_known = false;
        expect(rows + r * n_features(), r, block);
    }
}

bool RuleDegrees::lacks(std::size_t rule, const Block& block, std::size_t row) const {
    const auto [first, last] = rules_[rule];
    const Condition* conditions = conditions_.data();
    return std::any_of(conditions + first, conditions + last, [&](const Condition& condition) {
        return std::isnan(block.columns[condition.column * kRows + row]);
    });
}

// Lets conditions on missing values hold as far as they are believed.
void RuleDegrees::expect(const double* row, std::size_t number, Block& block) const {
    beliefs_.believe_terms(row, block.beliefs);
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        double& degree = block.degrees[k * kRows + number];
        if (degree == 0) continue;
        const std::span<const Terms> condition(&terms_[k * n_features()], n_features());
        const auto open = beliefs_.open(condition, block.beliefs);
        if (!open) continue;
        const double fit = beliefs_.probability(*open, block.beliefs);
        degree *= dependence_.empty() ? fit : std::min(1.0, dependence_[k] * fit);
    }
}

}  // namespace fuzzyucs
