#include <algorithm>
#include <cmath>

#include "class_profiles.h"
#include "rule_lists.h"
#include "vector_clones.h"

namespace fuzzyucs {

namespace {

constexpr double kHardly = 1.0 / 1024;  // probability
constexpr double kSurely = 1 - 1e-6;    // more than rounding

// Adds the residuals of rows, times the degrees to which a rule matches them, to sums by class.
FUZZYUCS_VECTOR_CLONES
void add_products(std::span<const std::uint32_t> rows, const double* degrees,
                  const double* residuals, std::size_t first, std::size_t stride,
                  const FixedPoint& units, Sum* sums) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
        const double* own = &residuals[(rows[j] - first) * stride];
        for (std::size_t c = 0; c < stride; c += 4) {
            units.add(four(sums + c), degrees[j] * four(own + c).values);
        }
    }
}

}  // namespace

// Until the next call.
std::span<const double> ClassProfiles::residuals(Class c) const {
    residuals_.resize(n_rows());
    double* residuals = residuals_.data();
    share(n_rows(), [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t r = first; r < last; ++r) {
            residuals[r] = sample_weights_[r] * (probability_of(r, c) - is_of(r, c));
        }
    });
    return residuals_;
}

// Derivatives of the likelihood's part of the objective, for all rules; with lists of all rules, 0
// for those whose slope cannot matter.
std::vector<double> ClassProfiles::slopes(Class label, const RuleLists* lists) const {
    if (label == n_classes_) return natural_slopes();
    std::vector<double> slopes(rules_.size());
    const auto residuals = this->residuals(label);
    Sum all = sum_over(n_rows(), [&](std::size_t first, std::size_t last) {
        Sum sum = 0;
        for (std::size_t r = first; r < last; ++r) sum += weights_(residuals[r]);
        return sum;
    });
    std::vector<Sum> sums(rules_.size());
    const auto matters = lists ? may_matter(label, residuals, weights_.value(all), *lists)
                               : std::vector<bool>(rules_.size(), true);
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        if (!matters[k]) continue;
        const Rule& rule = rules_[k];
        pause(0);
        sums[k] = sum_over(rule.rows.size(), [&](std::size_t first, std::size_t last) {
            Sum part = 0;
            for (std::size_t j = first; j < last; ++j) {
                part += weights_(rule.degrees[j] * residuals[rule.rows[j]]);
            }
            return part;
        });
    }
    combine(shared_, {sums, {&all, 1}});
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        if (!matters[k]) continue;
        slopes[k] = weights_.value(sums[k]) - rules_[k].neutral * weights_.value(all);
    }
    return slopes;
}

// The same along natural profiles: sums for all classes at once, four at a time.
std::vector<double> ClassProfiles::natural_slopes() const {
    const std::size_t stride = in_fours(n_classes_), n_rules = rules_.size();
    // For each rule, and for all rows.
    std::vector<std::vector<Sum>> of_threads(n_threads(), std::vector<Sum>((n_rules + 1) * stride));
    share(n_rows(), [&](std::size_t first, std::size_t last, std::size_t thread) {
        pause(thread);
        auto& sums = of_threads[thread];
        std::vector<double> residuals((last - first) * stride);
        for (std::size_t r = first; r < last; ++r) {
            double* row = &residuals[(r - first) * stride];
            for (Class c = 0; c < n_classes_; ++c) {
                row[c] = sample_weights_[r] * (probability(r, c) - (labels_[r] == c));
                sums[n_rules * stride + c] += weights_(row[c]);
            }
        }
        for (std::size_t k = 0; k < n_rules; ++k) {
            const auto& rows = rules_[k].rows;
            const auto low = std::lower_bound(rows.begin(), rows.end(), first);
            const auto high = std::lower_bound(low, rows.end(), last);
            const double* degrees =
                rules_[k].degrees.data() + (low - rows.begin());  // there may be no more
            add_products({low, high}, degrees, residuals.data(), first, stride, weights_,
                         &sums[k * stride]);
        }
    });
    auto& sums = of_threads.front();
    for (std::size_t i = 1; i < of_threads.size(); ++i) {
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += of_threads[i][j];
    }
    combine(shared_, {sums});
    std::vector<double> slopes(n_rules);
    for (std::size_t k = 0; k < n_rules; ++k) {
        const Rule& rule = rules_[k];
        for (Class c = 0; c < n_classes_; ++c) {
            const double all = weights_.value(sums[n_rules * stride + c]);
            slopes[k] +=
                rule.natural[c] * (weights_.value(sums[k * stride + c]) - rule.neutral * all);
        }
    }
    return slopes;
}

double ClassProfiles::gradient(std::size_t rule, Class label) const { return slopes(label)[rule]; }

// Which rules may be worth a step for a class: those that speak about it, and those whose slope may
// exceed their penalty by a bound that takes a fraction of the time. Where rows are shared, a bound
// would take another message. A rule that may speak for the
// class can at most gain its own rows, one that may speak against it at most the others.
std::vector<bool> ClassProfiles::may_matter(Class c, std::span<const double> residuals, double all,
                                            const RuleLists& lists) const {
    if (has_others(shared_) || c > n_classes_) return std::vector<bool>(rules_.size(), true);
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
    if (n_classes_ <= kMostNatural || has_others(shared_)) return found;
    const std::size_t n = n_rows();
    std::vector<double> factor(n), shift(n, -rule.neutral), own(n_classes_);
    for (std::size_t r = 0; r < n; ++r) factor[r] = sample_weights_[r] / total_[r];
    for (std::size_t j = 0; j < rule.rows.size(); ++j) shift[rule.rows[j]] += rule.degrees[j];
    for (std::size_t r = 0; r < n; ++r) {
        factor[r] *= shift[r];
        own[labels_[r]] += sample_weights_[r] * shift[r];
    }
    const auto add_odds = [&](std::size_t c, std::size_t) {
        double slope = -own[c];
        for (std::size_t r = 0; r < n; ++r) slope += factor[r] * odds_[c * n + r];
        own[c] = slope;
    };
    if (workers_) {
        workers_->share(n_classes_, add_odds);
    } else {
        for (std::size_t c = 0; c < n_classes_; ++c) add_odds(c, 0);
    }
    for (Class c = 0; c < n_classes_; ++c) found[c] = std::abs(own[c]) > kSurely * rule.penalty;
    return found;
}

}  // namespace fuzzyucs
