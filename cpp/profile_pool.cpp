#include "profile_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "vector_clones.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kRows = RuleDegrees::kRows;
constexpr double kRounding = 1e-12;
// Evidence, in log-odds, that makes half of the greatest contradiction if it cancels out: small
// differences that cancel out are no contradiction.
constexpr double kNoEvidence = 2;

// How much more a rule matches each row than is expected if nothing is known, and the sums of what
// it adds to the class that it favours least and most.
FUZZYUCS_VECTOR_CLONES
void shift(const double* degrees, double neutral, double lowest, double highest, double* shifts,
           double* least, double* greatest) {
    for (std::size_t r = 0; r < kRows; r += 4) {
        const FourDoubles difference = four(degrees + r).values - neutral, none{};
        const auto is_some = (difference >= kRounding) | (difference <= -kRounding);
        const FourDoubles shift = is_some ? difference : none;
        const FourDoubles low = shift * lowest, high = shift * highest;
        four(shifts + r).values = shift;
        four(least + r).values += shift > none ? low : high;
        four(greatest + r).values += shift > none ? high : low;
    }
}

FUZZYUCS_VECTOR_CLONES
void add_product(const double* values, double factor, double* sums) {
    for (std::size_t r = 0; r < kRows; ++r) sums[r] += values[r] * factor;
}

// Sums of what a rule adds to the lead of a class, and of the size of it.
FUZZYUCS_VECTOR_CLONES
void add_lead(const double* shifts, const double* leads, double* sums, double* sizes) {
    for (std::size_t r = 0; r < kRows; ++r) {
        const double part = shifts[r] * leads[r];
        sums[r] += part;
        sizes[r] += std::abs(part);
    }
}

}  // namespace

ProfilePool::ProfilePool(std::span<const double> profile, std::span<const double> neutral,
                         std::span<const double> log_rates, bool moderates)
    : n_classes_(log_rates.size()),
      profile_(profile),
      neutral_(neutral),
      log_rates_(log_rates),
      moderates_(moderates) {
    for (std::size_t k = 0; k < neutral.size(); ++k) {
        const auto entries = profile.subspan(k * n_classes_, n_classes_);
        lowest_.push_back(*std::min_element(entries.begin(), entries.end()));
        highest_.push_back(*std::max_element(entries.begin(), entries.end()));
    }
}

ProfilePool::Scratch::Scratch(const ProfilePool& pool)
    : shifts(pool.neutral_.size() * kRows),
      scores(pool.n_classes_ * kRows),
      leads(pool.neutral_.size() * kRows) {
    // Of two classes, which of them leads does not matter.
    for (std::size_t k = 0; pool.n_classes_ == 2 && k < pool.neutral_.size(); ++k) {
        std::fill_n(&leads[k * kRows], kRows, pool.profile_[2 * k + 1] - pool.profile_[2 * k]);
    }
}

void ProfilePool::add(const RuleDegrees::Block& block, std::size_t n_rows, const Pooled& pooled,
                      Scratch& scratch) const {
    std::array<double, kRows> least{}, greatest{};
    std::fill(scratch.scores.begin(), scratch.scores.end(), 0.0);
    for (std::size_t k = 0; k < neutral_.size(); ++k) {
        double* shifts = &scratch.shifts[k * kRows];
        shift(&block.degrees[k * kRows], neutral_[k], lowest_[k], highest_[k], shifts, least.data(),
              greatest.data());
        for (std::size_t c = 0; c < n_classes_; ++c) {
            const double entry = profile_[k * n_classes_ + c];
            if (entry != 0) add_product(shifts, entry, &scratch.scores[c * kRows]);
        }
    }
    std::fill(pooled.contradiction, pooled.contradiction + n_rows, 0.0);
    std::fill(pooled.moderation, pooled.moderation + n_rows, 1.0);
    if (n_classes_ > 1) compare(block, n_rows, pooled, scratch);
    for (std::size_t r = 0; r < n_rows; ++r) {
        pooled.least[r] = least[r] * pooled.moderation[r];
        pooled.greatest[r] = greatest[r] * pooled.moderation[r];
        for (std::size_t c = 0; c < n_classes_; ++c) {
            pooled.scores[r * n_classes_ + c] =
                scratch.scores[c * kRows + r] * pooled.moderation[r];
        }
    }
}

// Compares the most probable class with the next.
void ProfilePool::compare(const RuleDegrees::Block& block, std::size_t n_rows, const Pooled& pooled,
                          Scratch& scratch) const {
    constexpr double eighth_of_pi = 0.39269908169872414;
    if (n_classes_ > 2) find_leads(n_rows, scratch);
    std::array<double, kRows> sums{}, sizes{}, variances{};
    for (std::size_t k = 0; k < neutral_.size(); ++k) {
        const double* leads = &scratch.leads[k * kRows];
        add_lead(&scratch.shifts[k * kRows], leads, sums.data(), sizes.data());
        if (block.is_known || !moderates_) continue;
        const double* degrees = &block.degrees[k * kRows];
        const double* known = &block.known[k * kRows];
        for (std::size_t r = 0; r < n_rows; ++r) {
            variances[r] += degrees[r] * (known[r] - degrees[r]) * leads[r] * leads[r];
        }
    }
    for (std::size_t r = 0; r < n_rows; ++r) {
        const double cancelled = sizes[r] - std::abs(sums[r]);
        pooled.contradiction[r] = std::max(0.0, cancelled / (sizes[r] + kNoEvidence));
        pooled.moderation[r] = 1 / std::sqrt(1 + eighth_of_pi * std::max(variances[r], 0.0));
    }
}

// By how much each rule favours the most probable class over the next.
void ProfilePool::find_leads(std::size_t n_rows, Scratch& scratch) const {
    std::array<std::size_t, kRows> best{}, next{};
    for (std::size_t r = 0; r < n_rows; ++r) {
        const auto whole = [&](std::size_t c) {
            return log_rates_[c] + scratch.scores[c * kRows + r];
        };
        next[r] = 1;
        if (whole(1) > whole(0)) std::swap(best[r], next[r]);
        for (std::size_t c = 2; c < n_classes_; ++c) {
            if (whole(c) > whole(best[r])) {
                next[r] = std::exchange(best[r], c);
            } else if (whole(c) > whole(next[r])) {
                next[r] = c;
            }
        }
    }
    for (std::size_t k = 0; k < neutral_.size(); ++k) {
        const double* profile = &profile_[k * n_classes_];
        double* leads = &scratch.leads[k * kRows];
        for (std::size_t r = 0; r < n_rows; ++r) leads[r] = profile[best[r]] - profile[next[r]];
    }
}

}  // namespace fuzzyucs
