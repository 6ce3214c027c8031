// Rules that follow the order of more than two classes: their profiles are made of steps.

#include <algorithm>
#include <cmath>
#include <vector>

#include "class_profiles.h"
#include "natural_profile.h"
#include "portable_math.h"

namespace fuzzyucs {

namespace {

constexpr double kGreatestStep = 2;  // at first
constexpr int kHalvings = 30;

}  // namespace

void ClassProfiles::set_order(std::span<const Class> order) {
    order_.assign(order.begin(), order.end());
    for (std::size_t place = 0; place < order_.size(); ++place) {
        rank_[order_[place]] = static_cast<Class>(place);
    }
}

double ClassProfiles::probability_from(std::size_t row, Class place) const {
    double odds = 0;
    for (std::size_t i = place; i < n_classes_; ++i) odds += odds_[order_[i] * n_rows() + row];
    return std::min(odds / total_[row], 1.0);
}

void ClassProfiles::update(Rule& rule, Class c) const {
    if (!rule.has_steps) return rule.update(c);
    double sum = 0;
    for (Class place = 1; place <= rank_[c]; ++place) sum += rule.adjustment[place];
    rule.profile[c] = sum;
}

// Whether the classes from each place on are together more frequent than usual where a rule
// matches, and how much.
void ClassProfiles::find_step_signs(Rule& rule, std::span<const double> matched) const {
    double all = kUsualExperience, own = 0, usual = 0;
    for (const double experience : matched) all += experience;
    for (std::size_t place = n_classes_ - 1; place > 0; --place) {
        const double share = portable_exp(log_shares_[order_[place]]);
        own += matched[order_[place]] + kUsualExperience * share;
        usual += share;
        rule.natural[place] = portable_log(own / all / usual);
    }
}

void ClassProfiles::begin_with_steps(Rule& rule, std::span<const double> wanted) const {
    for (Class place = 1; place < n_classes_; ++place) {
        const double step = wanted[order_[place]] - wanted[order_[place - 1]];
        rule.adjustment[place] = rule.may_say(place, step) ? step : 0.0;
    }
    for (Class c = 0; c < n_classes_; ++c) update(rule, c);
}

// Lets a new rule speak by the one step that promises most.
void ClassProfiles::start_with_step(Rule& rule, std::span<const Sum> matched) {
    // By place: slope and curvature, as sums over what the rule matches and over all rows.
    constexpr std::size_t n_sums = 5;
    std::vector<Sum> sums(n_sums * n_classes_ + n_classes_);
    for (Class place = 1; place < n_classes_; ++place) {
        const auto label = static_cast<Class>(n_classes_ + place);
        Sum* own = &sums[n_sums * place];
        const auto weighted = [&](std::size_t r, double p) {
            return sample_weights_[r] * (p - is_of(r, label));
        };
        for (std::size_t r = 0; r < n_rows(); ++r) {
            const double p = probability_of(r, label);
            own[0] += weights_(weighted(r, p));
            own[1] += weights_(sample_weights_[r] * p * (1 - p));
        }
        for (std::size_t j = 0; j < rule.rows.size(); ++j) {
            const std::size_t r = rule.rows[j];
            const double p = probability_of(r, label), degree = rule.degrees[j];
            const double spread = sample_weights_[r] * p * (1 - p) * degree;
            own[2] += weights_(weighted(r, p) * degree);
            own[3] += weights_(spread);
            own[4] += weights_(spread * degree);
        }
        pause(0);
    }
    std::ranges::copy(matched, sums.end() - static_cast<std::ptrdiff_t>(n_classes_));
    combine(shared_, {sums});
    find_natural(rule, std::span(sums).last(n_classes_));
    Class best = 0;
    double best_step = 0, best_gain = 0;
    for (Class place = 1; place < n_classes_; ++place) {
        const Sum* own = &sums[n_sums * place];
        const auto value = [&](std::size_t i) { return weights_.value(own[i]); };
        const double slope = value(2) - rule.neutral * value(0);
        const double curvature =
            value(4) - 2 * rule.neutral * value(3) + rule.neutral * rule.neutral * value(1);
        const double excess = std::abs(slope) - rule.penalty;
        const double bounded = std::max(curvature, 0.0) + kLeastCurvature;
        const double size = std::min(excess / bounded, kGreatestStep);
        const double gain = size * excess - size * size / 2 * bounded;
        if (excess <= 0 || gain <= best_gain || !rule.may_say(place, -slope)) continue;
        best = place, best_step = std::copysign(size, -slope), best_gain = gain;
    }
    if (best == 0) return;
    const double before = objective_;
    const auto step_to = [&](double value) {
        rule.adjustment[best] = value;
        for (Class c = 0; c < n_classes_; ++c) {
            if (rank_[c] < best) continue;
            const double change = value - rule.profile[c];
            update(rule, c);
            add_scores(rule, c, change);
            update_class(c, -change * rule.neutral);
        }
        rule.update_size();
        update_objective(0, static_cast<Class>(n_classes_ - 1));
    };
    for (int halvings = 0; halvings < kHalvings; ++halvings, best_step /= 2) {
        step_to(best_step);
        if (objective_ <= before && is_in_range_) return;
    }
    step_to(0);  // no step helps
}

}  // namespace fuzzyucs
