#include <cmath>

#include "class_profiles.h"
#include "rule_lists.h"

namespace fuzzyucs {

namespace {

constexpr double kHardly = 1.0 / 1024;  // probability
constexpr double kSurely = 1 - 1e-6;    // more than rounding

}  // namespace

std::vector<double> ClassProfiles::residuals(Class c) const {
    std::vector<double> residuals(n_rows());
    share(n_rows(), [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t r = first; r < last; ++r) {
            residuals[r] = sample_weights_[r] * (probability(r, c) - (labels_[r] == c));
        }
    });
    return residuals;
}

// Derivatives of the likelihood's part of the objective, for all rules; with lists of all rules, 0
// for those whose slope cannot matter.
std::vector<double> ClassProfiles::slopes(Class label, const RuleLists* lists) const {
    std::vector<double> slopes(rules_.size());
    const bool is_natural = label == n_classes_;
    for (Class c = is_natural ? 0 : label; c < (is_natural ? n_classes_ : label + 1); ++c) {
        const auto residuals = this->residuals(c);
        const Sum all = sum_over(n_rows(), [&](std::size_t first, std::size_t last) {
            Sum sum = 0;
            for (std::size_t r = first; r < last; ++r) sum += weights_(residuals[r]);
            return sum;
        });
        const auto matters = lists ? may_matter(c, residuals, weights_.value(all), *lists)
                                   : std::vector<bool>(rules_.size(), true);
        for (std::size_t k = 0; k < rules_.size(); ++k) {
            const Rule& rule = rules_[k];
            if (!matters[k] || (is_natural && rule.natural[c] == 0)) continue;
            pause(0);
            const Sum sum = sum_over(rule.rows.size(), [&](std::size_t first, std::size_t last) {
                Sum part = 0;
                for (std::size_t j = first; j < last; ++j) {
                    part += weights_(rule.degrees[j] * residuals[rule.rows[j]]);
                }
                return part;
            });
            const double slope = weights_.value(sum) - rule.neutral * weights_.value(all);
            slopes[k] += is_natural ? rule.natural[c] * slope : slope;
        }
    }
    return slopes;
}

double ClassProfiles::gradient(std::size_t rule, Class label) const { return slopes(label)[rule]; }

// Which rules may be worth a step for a class: those that speak about it, and those whose slope may
// exceed their penalty by a bound that takes a fraction of the time. A rule that may speak for the
// class can at most gain its own rows, one that may speak against it at most the others.
std::vector<bool> ClassProfiles::may_matter(Class c, std::span<const double> residuals, double all,
                                            const RuleLists& lists) const {
    std::vector<double> own(rules_.size()), others(rules_.size());
    double rest = 0;  // of rows that are hardly of the class
    for (std::size_t r = 0; r < n_rows(); ++r) {
        const double size = std::abs(residuals[r]);
        if (labels_[r] != c && size < kHardly * sample_weights_[r]) {
            rest += size;
            continue;
        }
        auto& sums = labels_[r] == c ? own : others;
        for (const auto& [rule, degree] : lists.of_row(r)) sums[rule] += degree * size;
    }
    std::vector<bool> found(rules_.size());
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        const Rule& rule = rules_[k];
        const double most =
            (rule.natural[c] > 0 ? own[k] : others[k] + rest) + rule.neutral * std::abs(all);
        found[k] = rule.adjustment[c] != 0 || most > kSurely * rule.penalty;
    }
    return found;
}

// Which classes a new rule may speak about: of many, those whose slope exceeds the penalty by sums
// that are less precise and take a fraction of the time.
std::vector<bool> ClassProfiles::may_start(const Rule& rule) const {
    std::vector<bool> found(n_classes_, true);
    if (n_classes_ <= kMostNatural) return found;
    const std::size_t n = n_rows();
    std::vector<double> factor(n), shift(n, -rule.neutral), own(n_classes_);
    for (std::size_t r = 0; r < n; ++r) factor[r] = sample_weights_[r] / total_[r];
    for (std::size_t j = 0; j < rule.rows.size(); ++j) shift[rule.rows[j]] += rule.degrees[j];
    for (std::size_t r = 0; r < n; ++r) {
        factor[r] *= shift[r];
        own[labels_[r]] += sample_weights_[r] * shift[r];
    }
    share(n_classes_, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t c = first; c < last; ++c) {
            double slope = -own[c];
            for (std::size_t r = 0; r < n; ++r) slope += factor[r] * odds_[c * n + r];
            own[c] = slope;
        }
    });
    for (Class c = 0; c < n_classes_; ++c) found[c] = std::abs(own[c]) > kSurely * rule.penalty;
    return found;
}

}  // namespace fuzzyucs
