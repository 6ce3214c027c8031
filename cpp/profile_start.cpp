// The first step of a new rule.

#include <algorithm>
#include <cmath>
#include <vector>

#include "class_profiles.h"

namespace fuzzyucs {

namespace {

constexpr int kHalvings = 30;
constexpr double kGreatestStart = 2;  // entry of a profile

// The value nearest to 0 that a penalty leaves of a slope.
double shrink(double value, double by) {
    return value > by ? value - by : value < -by ? value + by : 0.0;
}

// Sums for the first step of a rule: over all rows, and over those that it matches.
struct StartSums {
    Sum all = 0, all_spread = 0, slope = 0, spread = 0, square = 0;

    void operator+=(const StartSums& other) {
        all += other.all;
        all_spread += other.all_spread;
        slope += other.slope;
        spread += other.spread;
        square += other.square;
    }
    // As one array.
    static constexpr std::size_t kSize = 5;
    static std::span<Sum> as_span(std::vector<StartSums>& sums) {
        static_assert(sizeof(StartSums) == kSize * sizeof(Sum));
        return {&sums.front().all, sums.size() * kSize};
    }
};

}  // namespace

void ClassProfiles::add_and_start(NewRule added) {
    auto matched = push(std::move(added));
    Rule& rule = rules_.back();
    if (rule.has_steps) return start_with_step(rule, matched);
    const std::size_t n = n_rows();
    const Class first = n_classes_ == 2 ? 1 : 0;
    const auto n_classes = static_cast<double>(n_classes_);
    const double factor = n_classes_ == 2 ? 1.0 : n_classes / (n_classes - 1);
    std::vector<double> wanted(n_classes_);
    std::vector<StartSums> of_classes(n_classes_);
    const auto may_speak = may_start(rule);
    for (Class c = first; c < n_classes_; ++c) {
        if (!may_speak[c]) continue;
        const double* odds = odds_.data() + c * n;
        std::vector<StartSums> of_threads(n_threads());
        share(n, [&](std::size_t first, std::size_t last, std::size_t thread) {
            StartSums part;
            for (std::size_t r = first; r < last; ++r) {
                const double p = odds[r] / total_[r];
                part.all += weights_(sample_weights_[r] * (p - (labels_[r] == c)));
                part.all_spread += weights_(sample_weights_[r] * p * (1 - p));
            }
            of_threads[thread] += part;
        });
        share(rule.rows.size(), [&](std::size_t first, std::size_t last, std::size_t thread) {
            StartSums part;
            for (std::size_t j = first; j < last; ++j) {
                const std::size_t r = rule.rows[j];
                const double p = odds[r] / total_[r], degree = rule.degrees[j];
                const double spread = sample_weights_[r] * p * (1 - p) * degree;
                part.slope += weights_(sample_weights_[r] * (p - (labels_[r] == c)) * degree);
                part.spread += weights_(spread);
                part.square += weights_(spread * degree);
            }
            of_threads[thread] += part;
        });
        for (const StartSums& part : of_threads) of_classes[c] += part;
    }
    combine(shared_, {StartSums::as_span(of_classes), matched});
    find_natural(rule, matched);
    for (Class c = first; c < n_classes_; ++c) {
        if (!may_speak[c]) continue;
        const StartSums& sums = of_classes[c];
        const double slope = weights_.value(sums.slope) - rule.neutral * weights_.value(sums.all);
        const double curvature = weights_.value(sums.square) -
                                 2 * rule.neutral * weights_.value(sums.spread) +
                                 rule.neutral * rule.neutral * weights_.value(sums.all_spread);
        const double step =
            -shrink(slope, rule.penalty) / (factor * std::max(curvature, 0.0) + kLeastCurvature);
        if (rule.may_say(c, step)) wanted[c] = std::clamp(step, -kGreatestStart, kGreatestStart);
    }
    const double before = objective_;
    const auto adjust = [&] {
        for (Class c = first; c < n_classes_; ++c) {
            const double change = wanted[c] - rule.adjustment[c];
            if (change == 0) continue;
            rule.adjustment[c] = wanted[c];
            rule.update(c);
            add_scores(rule, c, change);
            update_class(c, -change * rule.neutral);
        }
        rule.update_size();
        update_objective(0, static_cast<Class>(n_classes_ - 1));
    };
    for (int halvings = 0; halvings < kHalvings; ++halvings) {
        adjust();
        if (objective_ <= before && is_in_range_) return;
        for (double& value : wanted) value /= 2;
    }
    std::ranges::fill(wanted, 0.0);  // no step helps
    adjust();
}

}  // namespace fuzzyucs
