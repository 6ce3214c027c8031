#include "class_profiles.h"

#include <algorithm>
#include <cmath>

#include "portable_math.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kInnerSweeps = 1000;
constexpr double kInnerTolerance = 1e-3;  // as a share of the gain of the first sweep
constexpr int kHalvings = 30;
constexpr std::size_t kMostEntering = 64;  // rules in one step, at first
constexpr double kLeastCurvature = 1e-10;
constexpr double kGreatestScore = 600;  // above the reference of its row, before it is lifted

// The value nearest to 0 that a penalty leaves of a slope.
double shrink(double value, double by) {
    return value > by ? value - by : value < -by ? value + by : 0.0;
}

}  // namespace

bool ClassProfiles::Rule::says_nothing() const {
    return std::all_of(profile.begin(), profile.end(), [](double beta) { return beta == 0; });
}

ClassProfiles::ClassProfiles(std::span<const Class> labels, std::span<const double> sample_weights,
                             std::size_t n_classes)
    : n_classes_(n_classes),
      labels_(labels.begin(), labels.end()),
      sample_weights_(sample_weights.begin(), sample_weights.end()),
      scores_(n_classes * labels.size()),
      reference_(labels.size()),
      odds_(n_classes * labels.size()),
      total_(labels.size()) {
    std::vector<double> rows(n_classes);
    double all = 0;
    for (std::size_t r = 0; r < labels.size(); ++r) rows[labels[r]] += sample_weights[r];
    for (double& n : rows) all += n = n > 0 ? n : 0.5;
    for (const double n : rows) log_shares_.push_back(portable_log(n / all));
    update_scores();
}

void ClassProfiles::add(std::span<const double> degrees, double mean, double penalty) {
    Rule rule{{}, {}, mean, penalty, std::vector<double>(n_classes_), {}};
    std::vector<double> matched(n_classes_);
    double all = 0;
    for (std::size_t r = 0; r < n_rows(); ++r) {
        if (!(degrees[r] > 0)) continue;
        rule.rows.push_back(static_cast<std::uint32_t>(r));
        rule.degrees.push_back(degrees[r]);
        matched[labels_[r]] += sample_weights_[r] * degrees[r];
        all += sample_weights_[r] * degrees[r];
    }
    for (Class c = 0; c < n_classes_; ++c) {
        rule.is_for.push_back(matched[c] > all * portable_exp(log_shares_[c]));
    }
    rules_.push_back(std::move(rule));
}

void ClassProfiles::update_scores() {
    const std::size_t n = n_rows();
    for (Class c = 0; c < n_classes_; ++c) {
        double base = log_shares_[c];
        for (const Rule& rule : rules_) base -= rule.mean * rule.profile[c];
        std::fill_n(scores_.begin() + static_cast<std::ptrdiff_t>(c * n), n, base);
    }
    for (const Rule& rule : rules_) {
        for (Class c = 0; c < n_classes_; ++c) {
            const double beta = rule.profile[c];
            if (beta == 0) continue;
            double* score = &scores_[c * n];
            for (std::size_t j = 0; j < rule.rows.size(); ++j) {
                score[rule.rows[j]] += beta * rule.degrees[j];
            }
        }
    }
    for (std::size_t r = 0; r < n; ++r) {
        double greatest = scores_[r];
        for (Class c = 1; c < n_classes_; ++c) greatest = std::max(greatest, scores_[c * n + r]);
        reference_[r] = greatest;
    }
    for (Class c = 0; c < n_classes_; ++c) update_class(c);
    update_objective();
}

// Odds of a class from its scores.
void ClassProfiles::update_class(Class c) {
    const std::size_t n = n_rows();
    for (std::size_t r = 0; r < n; ++r) {
        odds_[c * n + r] = portable_exp(std::min(scores_[c * n + r] - reference_[r], 700.0));
    }
}

void ClassProfiles::update_objective() {
    const std::size_t n = n_rows();
    std::copy_n(odds_.begin(), n, total_.begin());
    for (Class c = 1; c < n_classes_; ++c) {
        for (std::size_t r = 0; r < n; ++r) total_[r] += odds_[c * n + r];
    }
    objective_ = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const double own = scores_[labels_[r] * n + r] - reference_[r];
        objective_ += sample_weights_[r] * (portable_log(total_[r]) - own);
    }
    for (const Rule& rule : rules_) {
        for (const double beta : rule.profile) objective_ += rule.penalty * std::abs(beta);
    }
}

double ClassProfiles::residual(std::size_t row, Class c) const {
    return sample_weights_[row] * (probability(row, c) - (labels_[row] == c));
}

double ClassProfiles::gradient(std::size_t index, Class c) const {
    const Rule& rule = rules_[index];
    double gradient = 0, all = 0;
    for (std::size_t j = 0; j < rule.rows.size(); ++j) {
        gradient += rule.degrees[j] * residual(rule.rows[j], c);
    }
    for (std::size_t r = 0; r < n_rows(); ++r) all += residual(r, c);
    return gradient - rule.mean * all;
}

ClassProfiles::Model ClassProfiles::model(Class c, std::size_t most_entering) const {
    Model model;
    model.label = c;
    std::vector<double> residuals(n_rows()), slopes(rules_.size());
    double all = 0;
    for (std::size_t r = 0; r < n_rows(); ++r) all += residuals[r] = residual(r, c);
    std::vector<std::size_t> entering;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        const Rule& rule = rules_[k];
        double slope = 0;
        for (std::size_t j = 0; j < rule.rows.size(); ++j) {
            slope += rule.degrees[j] * residuals[rule.rows[j]];
        }
        slopes[k] = slope - rule.mean * all;
        if (rule.profile[c] != 0) {
            model.rules.push_back(k);
        } else if (std::abs(slopes[k]) > rule.penalty && rule.may_say(c, -slopes[k])) {
            entering.push_back(k);
        }
    }
    if (entering.size() > most_entering) {
        model.is_complete = false;
        const auto excess = [&](std::size_t k) { return std::abs(slopes[k]) - rules_[k].penalty; };
        std::stable_sort(entering.begin(), entering.end(),
                         [&](std::size_t a, std::size_t b) { return excess(a) > excess(b); });
        entering.resize(most_entering);
    }
    model.rules.insert(model.rules.end(), entering.begin(), entering.end());
    for (const std::size_t k : model.rules) {
        model.gradient.push_back(slopes[k]);
        model.values.push_back(rules_[k].profile[c]);
    }
    if (!model.rules.empty()) add_curvature(model);
    return model;
}

// In a row, degrees mu and mu' contribute p (1 - p) (mu - mean) (mu' - mean').
void ClassProfiles::add_curvature(Model& model) const {
    const std::size_t n = n_rows(), size = model.rules.size();
    struct Entry {
        std::uint32_t variable;
        double degree;
    };
    std::vector<std::size_t> begin(n + 1);
    for (const std::size_t k : model.rules) {
        for (const std::uint32_t r : rules_[k].rows) ++begin[r + 1];
    }
    for (std::size_t r = 0; r < n; ++r) begin[r + 1] += begin[r];
    std::vector<Entry> entries(begin[n]);
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < size; ++i) {
        const Rule& rule = rules_[model.rules[i]];
        for (std::size_t j = 0; j < rule.rows.size(); ++j) {
            entries[next[rule.rows[j]]++] = {i, rule.degrees[j]};
        }
    }
    model.hessian.assign(size * size, 0.0);
    std::vector<double> sums(size);
    double all = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const double p = probability(r, model.label);
        const double spread = sample_weights_[r] * p * (1 - p);
        all += spread;
        for (std::size_t e = begin[r]; e < begin[r + 1]; ++e) {
            const double part = spread * entries[e].degree;
            sums[entries[e].variable] += part;
            double* row = &model.hessian[entries[e].variable * size];
            for (std::size_t f = begin[r]; f <= e; ++f) {
                row[entries[f].variable] += part * entries[f].degree;
            }
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        const double mean = rules_[model.rules[i]].mean;
        for (std::size_t j = 0; j <= i; ++j) {
            const double other = rules_[model.rules[j]].mean;
            double& entry = model.hessian[i * size + j];
            entry += mean * other * all - mean * sums[j] - other * sums[i];
            if (i == j) entry = std::max(entry, 0.0) + kLeastCurvature;
            model.hessian[j * size + i] = entry;
        }
    }
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
            if (!rule.may_say(model.label, after)) after = 0;
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

// Sets profiles to values and moves scores along.
void ClassProfiles::move(const Model& model, std::span<const double> values) {
    const std::size_t n = n_rows();
    double* score = &scores_[model.label * n];
    double base = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        Rule& rule = rules_[model.rules[i]];
        rule.profile[model.label] = values[i];
        const double change = values[i] - model.values[i];
        if (change == 0) continue;
        base -= change * rule.mean;
        for (std::size_t j = 0; j < rule.rows.size(); ++j) {
            score[rule.rows[j]] += change * rule.degrees[j];
        }
    }
    for (std::size_t r = 0; r < n; ++r) score[r] += base;
    update_class(model.label);
    update_objective();
}

// Goes to the values, or as far towards them as helps; false if the objective decreases nowhere.
bool ClassProfiles::take(const Model& model, std::span<const double> values,
                         double predicted_decrease) {
    const std::size_t n = n_rows(), first = model.label * n;
    const double before = objective_;
    const std::vector<double> old_scores(&scores_[first], &scores_[first] + n);
    std::vector<double> tried(values.begin(), values.end());
    double length = 1;
    for (int k = 0; k < kHalvings; ++k) {
        move(model, tried);
        bool is_in_range = true;
        for (std::size_t r = 0; r < n; ++r) {
            is_in_range &= scores_[first + r] - reference_[r] < kGreatestScore;
        }
        if (is_in_range && objective_ <= before - 0.1 * length * predicted_decrease) return true;
        std::copy(old_scores.begin(), old_scores.end(), &scores_[first]);
        length /= 2;
        for (std::size_t i = 0; i < tried.size(); ++i) {
            tried[i] = model.values[i] + length * (values[i] - model.values[i]);
        }
    }
    move(model, model.values);
    return false;
}

bool ClassProfiles::fit(double tolerance, std::size_t most_sweeps) {
    std::size_t most_entering = kMostEntering;
    const Class first = n_classes_ == 2 ? 1 : 0;
    for (std::size_t n = 0; n < most_sweeps; ++n) {
        bool is_complete = true;
        double decrease = 0;
        for (Class c = first; c < n_classes_; ++c) {
            const Model model = this->model(c, most_entering);
            is_complete &= model.is_complete;
            if (model.rules.empty()) continue;
            const auto values = best_values(model);
            const double predicted = predicted_decrease(model, values);
            // If no step helps, the rest is rounding.
            if (predicted > tolerance / static_cast<double>(n_classes_) &&
                take(model, values, predicted)) {
                decrease += predicted;
            }
        }
        update_scores();  // sums of many changes have rounding errors
        if (decrease > tolerance) continue;
        if (is_complete) return true;
        most_entering *= 4;
    }
    return false;
}

std::vector<std::size_t> ClassProfiles::prune() {
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        if (rules_[k].says_nothing()) continue;
        if (kept.size() < k) rules_[kept.size()] = std::move(rules_[k]);
        kept.push_back(k);
    }
    rules_.resize(kept.size());
    return kept;
}

}  // namespace fuzzyucs
