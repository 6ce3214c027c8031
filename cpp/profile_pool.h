#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace fuzzyucs {

// Evidence, in log-odds, that makes half of the greatest contradiction if it cancels out: small
// differences that cancel out are no contradiction.
inline constexpr double kNoEvidence = 2;

// What rules with class profiles say together. Rule k adds (mu_k - mean_k) profile_ki to the score
// of class i. Differences as small as those of rounding count as none, here and wherever else
// models are evaluated, so that nothing speaks where nothing is known.
class ProfilePool {
  public:
    static constexpr double kRounding = 1e-12;

    // Profiles by rule. The spans have to outlive the pool.
    ProfilePool(std::span<const double> profile, std::span<const double> mean,
                std::span<const double> log_rates)
        : n_classes_(log_rates.size()), profile_(profile), mean_(mean), log_rates_(log_rates) {
        for (std::size_t k = 0; k < mean.size(); ++k) {
            const auto entries = profile.subspan(k * n_classes_, n_classes_);
            lowest_.push_back(*std::min_element(entries.begin(), entries.end()));
            highest_.push_back(*std::max_element(entries.begin(), entries.end()));
        }
    }

    struct Pooled {
        double least, greatest;  // sums over the rules of what each adds to one class
        double contradiction;    // share of the evidence between two classes that cancels out
        double moderation;       // how many times the evidence counts
    };

    // Writes the scores of the classes. `degrees` are expected ones; `known` are those to which the
    // known values alone match. What missing values leave open moderates all evidence: the mean of
    // a probability over a score with variance v is about the probability at the score divided by
    // sqrt(1 + pi v / 8).
    Pooled add(std::span<const double> degrees, std::span<const double> known,
               std::span<double> scores) const {
        Pooled pooled{0, 0, 0, 1};
        std::fill(scores.begin(), scores.end(), 0.0);
        for (std::size_t k = 0; k < degrees.size(); ++k) {
            const double shift = shift_of(k, degrees);
            for (std::size_t c = 0; c < n_classes_; ++c) {
                scores[c] += shift * profile_[k * n_classes_ + c];
            }
            pooled.least += shift * (shift > 0 ? lowest_[k] : highest_[k]);
            pooled.greatest += shift * (shift > 0 ? highest_[k] : lowest_[k]);
        }
        if (n_classes_ > 1) compare(degrees, known, scores, pooled);
        pooled.least *= pooled.moderation;
        pooled.greatest *= pooled.moderation;
        for (double& score : scores) score *= pooled.moderation;
        return pooled;
    }

  private:
    // How much more a rule matches than is expected if nothing is known.
    double shift_of(std::size_t k, std::span<const double> degrees) const {
        const double shift = degrees[k] - mean_[k];
        return std::abs(shift) < kRounding ? 0 : shift;
    }

    // Compares the most probable class with the next.
    void compare(std::span<const double> degrees, std::span<const double> known,
                 std::span<const double> scores, Pooled& pooled) const {
        std::size_t best = 0, next = 1;
        const auto whole = [&](std::size_t c) { return log_rates_[c] + scores[c]; };
        if (whole(1) > whole(0)) std::swap(best, next);
        for (std::size_t c = 2; c < n_classes_; ++c) {
            if (whole(c) > whole(best)) {
                next = best;
                best = c;
            } else if (whole(c) > whole(next)) {
                next = c;
            }
        }
        constexpr double eighth_of_pi = 0.39269908169872414;
        double sum = 0, size = 0, variance = 0;
        for (std::size_t k = 0; k < degrees.size(); ++k) {
            const double* profile = &profile_[k * n_classes_];
            const double lead = profile[best] - profile[next];
            const double part = shift_of(k, degrees) * lead;
            sum += part;
            size += std::abs(part);
            variance += degrees[k] * (known[k] - degrees[k]) * lead * lead;
        }
        pooled.contradiction = std::max(0.0, (size - std::abs(sum)) / (size + kNoEvidence));
        pooled.moderation = 1 / std::sqrt(1 + eighth_of_pi * std::max(variance, 0.0));
    }

    std::size_t n_classes_;
    std::span<const double> profile_, mean_, log_rates_;
    std::vector<double> lowest_, highest_;
};

}  // namespace fuzzyucs
