#include "class_profiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "natural_profile.h"
#include "portable_math.h"
#include "rule_lists.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kInnerSweeps = 1000;
constexpr double kInnerTolerance = 1e-3;  // as a share of the gain of the first sweep
constexpr int kHalvings = 30;
constexpr std::size_t kMostVariables = 64;  // in one step

// The value nearest to 0 that a penalty leaves of a slope.
double shrink(double value, double by) {
    return value > by ? value - by : value < -by ? value + by : 0.0;
}

}  // namespace

void ClassProfiles::Rule::update_size() {
    size = strength;
    for (const double d : adjustment) size += std::abs(d);
}

ClassProfiles::ClassProfiles(std::span<const Class> labels, std::span<const double> sample_weights,
                             std::size_t n_classes, MaybeShared shared)
    : n_classes_(n_classes),
      shared_(std::move(shared)),
      labels_(labels.begin(), labels.end()),
      sample_weights_(sample_weights.begin(), sample_weights.end()),
      weights_(count_all(labels.size(), shared_), greatest_weight(sample_weights, shared_)),
      losses_(count_all(labels.size(), shared_),
              kGreatestLoss * greatest_weight(sample_weights, shared_)),
      scores_(n_classes * labels.size()),
      reference_(labels.size()),
      odds_(n_classes * labels.size()),
      total_(labels.size()) {
    std::vector<Sum> sums(n_classes);
    for (std::size_t r = 0; r < labels.size(); ++r) sums[labels[r]] += weights_(sample_weights[r]);
    combine(shared_, {sums});
    std::vector<double> rows;
    double all = 0;
    for (const Sum sum : sums) rows.push_back(sum > 0 ? weights_.value(sum) : 0.5);
    for (const double n : rows) all += n;
    for (const double n : rows) log_shares_.push_back(portable_log(n / all));
    order_.resize(n_classes);
    std::iota(order_.begin(), order_.end(), Class{0});
    rank_ = order_;
    update_scores();
}

void ClassProfiles::add(std::span<const double> degrees, double neutral, double penalty, int sign) {
    NewRule rule{{}, {}, neutral, penalty, sign};
    for (std::size_t r = 0; r < n_rows(); ++r) {
        if (!(degrees[r] > 0)) continue;
        rule.rows.push_back(static_cast<std::uint32_t>(r));
        rule.degrees.push_back(degrees[r]);
    }
    std::vector<NewRule> rules;
    rules.push_back(std::move(rule));
    add(std::move(rules));
}

// Machines that share rows exchange what they know of all these rules in one message.
void ClassProfiles::add(std::vector<NewRule> rules) {
    const std::size_t before = rules_.size();
    std::vector<Sum> sums;
    for (NewRule& rule : rules) {
        const auto matched = push(std::move(rule));
        sums.insert(sums.end(), matched.begin(), matched.end());
    }
    if (!rules.empty()) combine(shared_, {sums});
    for (std::size_t k = 0; k < rules.size(); ++k) {
        find_natural(rules_[before + k], {&sums[k * n_classes_], n_classes_});
    }
}

// Adds a rule without a natural profile; returns how much it matches of each class.
std::vector<Sum> ClassProfiles::push(NewRule added) {
    Rule rule{std::move(added.rows),
              std::move(added.degrees),
              added.neutral,
              added.penalty,
              {},
              0,
              {},
              {},
              0,
              added.sign,
              added.sign != 0 && n_classes_ > 2};
    rule.natural.resize(n_classes_);
    rule.adjustment.resize(n_classes_);
    rule.profile.resize(n_classes_);
    std::vector<Sum> sums(n_classes_);
    for (std::size_t j = 0; j < rule.rows.size(); ++j) {
        const std::size_t r = rule.rows[j];
        sums[labels_[r]] += weights_(sample_weights_[r] * rule.degrees[j]);
    }
    rules_.push_back(std::move(rule));
    return sums;
}

void ClassProfiles::find_natural(Rule& rule, std::span<const Sum> matched) const {
    std::vector<double> weights;
    for (const Sum sum : matched) weights.push_back(weights_.value(sum));
    if (rule.has_steps) return find_step_signs(rule, weights);
    natural_profile(weights, log_shares_, rule.natural);
}

// As much of a profile as possible is natural, since that is cheaper.
void ClassProfiles::begin_with(std::span<const double> profiles) {
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        Rule& rule = rules_[k];
        const auto wanted = profiles.subspan(k * n_classes_, n_classes_);
        if (rule.has_steps) {
            begin_with_steps(rule, wanted);
            continue;
        }
        const bool has_natural = n_classes_ > 2 && n_classes_ <= kMostNatural;
        double strength = has_natural ? std::numeric_limits<double>::infinity() : 0.0;
        for (Class c = 0; c < n_classes_; ++c) {
            if (rule.natural[c] == 0) continue;
            strength = std::min(strength, std::max(wanted[c] / rule.natural[c], 0.0));
        }
        rule.strength = std::isfinite(strength) ? strength : 0.0;
        for (Class c = n_classes_ == 2 ? 1 : 0; c < n_classes_; ++c) {
            const double rest = wanted[c] - rule.strength * rule.natural[c];
            rule.adjustment[c] = rule.may_say(c, rest) ? rest : 0.0;
            rule.update(c);
        }
    }
    update_scores();
}

// Later steps are compared with the objective that holds from now on.
void ClassProfiles::set_penalty(std::size_t rule, double penalty) {
    objective_ += (penalty - rules_[rule].penalty) * rules_[rule].size;
    rules_[rule].penalty = penalty;
}

void ClassProfiles::go_on_with(std::span<const double> strengths,
                               std::span<const double> adjustments) {
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        Rule& rule = rules_[k];
        rule.strength = strengths[k];
        std::copy_n(&adjustments[k * n_classes_], n_classes_, rule.adjustment.begin());
        for (Class c = 0; c < n_classes_; ++c) update(rule, c);
    }
    update_scores();
}

void ClassProfiles::set_offset(std::vector<double> offset) {
    offset_ = std::move(offset);
    update_scores();
}

void ClassProfiles::update_scores() {
    const std::size_t n = n_rows();
    for (Class c = 0; c < n_classes_; ++c) {
        double base = log_shares_[c];
        for (const Rule& rule : rules_) base -= rule.neutral * rule.profile[c];
        std::fill_n(scores_.begin() + static_cast<std::ptrdiff_t>(c * n), n, base);
    }
    for (std::size_t i = 0; i < offset_.size(); ++i) scores_[i] += offset_[i];
    for (const Rule& rule : rules_) {
        for (Class c = 0; c < n_classes_; ++c) add_scores(rule, c, rule.profile[c]);
    }
    for (std::size_t r = 0; r < n; ++r) {
        double greatest = scores_[r];
        for (Class c = 1; c < n_classes_; ++c) greatest = std::max(greatest, scores_[c * n + r]);
        reference_[r] = greatest;
    }
    std::fill(total_.begin(), total_.end(), 0.0);
    for (Class c = 0; c < n_classes_; ++c) {
        std::fill_n(odds_.begin() + static_cast<std::ptrdiff_t>(c * n), n, 0.0);
        update_class(c);
    }
    for (Rule& rule : rules_) rule.update_size();
    update_objective();
}

double& ClassProfiles::variable(const Model& model, std::size_t rule) {
    if (is_natural(model)) return rules_[rule].strength;
    const Class place = place_of(model.label);
    return rules_[rule].adjustment[place == 0 ? model.label : place];
}

bool ClassProfiles::is_allowed(const Model& model, std::size_t rule, double value) const {
    if (is_natural(model)) return value > 0;
    const Class place = place_of(model.label);
    return rules_[rule].may_say(place == 0 ? model.label : place, value);
}

double ClassProfiles::variable(const Model& model, std::size_t rule) const {
    if (is_natural(model)) return rules_[rule].strength;
    const Class place = place_of(model.label);
    return rules_[rule].adjustment[place == 0 ? model.label : place];
}

// Variables of a step each: strengths, then the adjustments of each class, then steps.
std::vector<Class> ClassProfiles::blocks() const {
    // Of two classes, the natural profile is that of the second.
    if (n_classes_ == 2) return {1};
    std::vector<Class> labels;
    if (n_classes_ <= kMostNatural) labels.push_back(static_cast<Class>(n_classes_));
    for (Class c = 0; c < n_classes_; ++c) labels.push_back(c);
    const auto has_steps = [](const Rule& rule) { return rule.has_steps; };
    if (std::ranges::any_of(rules_, has_steps)) {
        for (std::size_t place = 1; place < n_classes_; ++place) {
            labels.push_back(static_cast<Class>(n_classes_ + place));
        }
    }
    return labels;
}

// By how much the objective falls at first along a variable, 0 at its best value.
double ClassProfiles::violation(const Model& model, std::size_t rule, double slope) const {
    const double value = variable(model, rule), penalty = rules_[rule].penalty;
    if (value != 0) return std::abs(slope + std::copysign(penalty, value));
    return is_allowed(model, rule, -slope) ? std::max(std::abs(slope) - penalty, 0.0) : 0.0;
}

// The variables that promise most; `n_violating` of them are not at their best value.
ClassProfiles::Model ClassProfiles::model(Class label, std::size_t most,
                                          const RuleLists* lists) const {
    Model model;
    model.label = label;
    const auto slopes = this->slopes(label, lists);
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        if (!has_variable(label, rules_[k])) continue;
        if (violation(model, k, slopes[k]) > 0) chosen.push_back(k);
    }
    const std::size_t n_violating = chosen.size();
    std::stable_sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) {
        return violation(model, a, slopes[a]) > violation(model, b, slopes[b]);
    });
    if (chosen.size() > most) chosen.resize(most);
    model = model_of(label, chosen, slopes);
    model.n_violating = n_violating;
    return model;
}

ClassProfiles::Model ClassProfiles::model_of(Class label, std::span<const std::size_t> rules,
                                             std::span<const double> slopes) const {
    Model model;
    model.label = label;
    model.rules.assign(rules.begin(), rules.end());
    for (const std::size_t k : rules) {
        model.gradient.push_back(slopes[k]);
        model.values.push_back(variable(model, k));
    }
    if (!model.rules.empty())
        is_natural(model) ? add_natural_curvature(model) : add_curvature(model);
    return model;
}

// Minimises the model along one variable after the other; returns the values of the variables.
std::vector<double> ClassProfiles::best_values(const Model& model) const {
    const std::size_t size = model.rules.size();
    std::vector<double> values = model.values, slope = model.gradient;
    double first_gain = 0;
    for (std::size_t n = 0; n < kInnerSweeps; ++n) {
        double gained = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const Rule& rule = rules_[model.rules[i]];
            const double* row = &model.hessian[i * size];
            const double before = values[i];
            double after = shrink(before * row[i] - slope[i], rule.penalty) / row[i];
            if (!is_allowed(model, model.rules[i], after)) after = 0;
            const double change = after - before;
            if (change == 0) continue;
            gained -= change * (slope[i] + 0.5 * change * row[i]) +
                      rule.penalty * (std::abs(after) - std::abs(before));
            values[i] = after;
            for (std::size_t j = 0; j < size; ++j) slope[j] += change * row[j];
        }
        if (n == 0) first_gain = gained;
        if (gained <= kInnerTolerance * first_gain) break;
    }
    return values;
}

// By how much the objective decreases according to the model.
double ClassProfiles::predicted_decrease(const Model& model, std::span<const double> values) const {
    const std::size_t size = values.size();
    std::vector<double> step(size);
    for (std::size_t i = 0; i < size; ++i) step[i] = values[i] - model.values[i];
    double decrease = 0;
    for (std::size_t i = 0; i < size; ++i) {
        double product = 0;
        for (std::size_t j = 0; j < size; ++j) product += model.hessian[i * size + j] * step[j];
        decrease -=
            step[i] * (model.gradient[i] + 0.5 * product) +
            rules_[model.rules[i]].penalty * (std::abs(values[i]) - std::abs(model.values[i]));
    }
    return decrease;
}

void ClassProfiles::add_scores(const Rule& rule, Class c, double change) {
    if (change == 0) return;
    double* score = scores_.data() + c * n_rows();
    share(rule.rows.size(), [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t j = first; j < last; ++j) {
            score[rule.rows[j]] += change * rule.degrees[j];
        }
    });
}

// Sets variables to values and moves scores along.
void ClassProfiles::move(const Model& model, std::span<const double> values) {
    const auto [first, last] = classes_of(model);
    for (std::size_t i = 0; i < values.size(); ++i) variable(model, model.rules[i]) = values[i];
    for (Class c = first; c <= last; ++c) {
        if (rank_[c] < place_of(model.label)) continue;
        double base = 0;
        for (const std::size_t k : model.rules) {
            Rule& rule = rules_[k];
            const double before = rule.profile[c];
            update(rule, c);
            base -= (rule.profile[c] - before) * rule.neutral;
            add_scores(rule, c, rule.profile[c] - before);
        }
        update_class(c, base);
    }
    for (const std::size_t k : model.rules) rules_[k].update_size();
    update_objective(first, last);
}

// Goes to the values, or as far towards them as helps; false if the objective decreases nowhere.
bool ClassProfiles::take(const Model& model, std::span<const double> values,
                         double predicted_decrease) {
    const double before = objective_;
    std::vector<double> tried(values.begin(), values.end());
    double length = 1;
    for (int k = 0; k < kHalvings; ++k) {
        move(model, tried);
        if (is_in_range_ && objective_ <= before - 0.1 * length * predicted_decrease) return true;
        try {
            pause(0);
        } catch (...) {
            move(model, model.values);
            throw;
        }
        length /= 2;
        for (std::size_t i = 0; i < tried.size(); ++i) {
            tried[i] = model.values[i] + length * (values[i] - model.values[i]);
        }
    }
    move(model, model.values);
    return false;
}

// Takes a step for each class; returns by how much the objective should decrease, variables that
// were left out included.
double ClassProfiles::sweep(std::span<const Class> labels, std::size_t most_variables,
                            double tolerance, std::vector<Class>* moved) {
    double decrease = 0;
    std::optional<RuleLists> lists;  // of few classes, bounds are not worth their time
    if (n_classes_ > kMostNatural) {
        std::vector<std::size_t> all(rules_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        lists.emplace();
        lists->read(rules_, all, 0, n_rows());
    }
    for (const Class label : labels) {
        const Model model = this->model(label, most_variables, lists ? &*lists : nullptr);
        if (model.rules.empty()) continue;
        const auto values = best_values(model);
        const double predicted = predicted_decrease(model, values);
        // If no step helps, the rest is rounding.
        if (predicted > tolerance / static_cast<double>(n_classes_) &&
            take(model, values, predicted)) {
            if (moved) moved->push_back(label);
            decrease += predicted * static_cast<double>(model.n_violating) /
                        static_cast<double>(model.rules.size());
        }
    }
    return decrease;
}

void ClassProfiles::improve(std::size_t most_variables) {
    auto labels = blocks();
    std::erase(labels, static_cast<Class>(n_classes_));
    sweep(labels, most_variables, 0);
}

bool ClassProfiles::fit(double tolerance, std::size_t most_sweeps) {
    // Of many classes, those that moved take the next steps, until all are asked again.
    const auto all = blocks();
    std::vector<Class> labels = all;
    bool is_done = false;
    for (std::size_t n = 0; n < most_sweeps && !is_done; ++n) {
        std::vector<Class> moved;
        const bool is_small = sweep(labels, kMostVariables, tolerance, &moved) <= tolerance;
        is_done = is_small && labels.size() == all.size();
        labels = is_small || n_classes_ <= kMostNatural ? all : moved;
    }
    update_scores();  // sums of many changes have rounding errors
    return is_done;
}

std::vector<std::size_t> ClassProfiles::prune() {
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        if (rules_[k].size == 0) continue;
        if (kept.size() < k) rules_[kept.size()] = std::move(rules_[k]);
        kept.push_back(k);
    }
    rules_.resize(kept.size());
    return kept;
}

}  // namespace fuzzyucs
