#include "evidence_weights.h"

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

}  // namespace

EvidenceWeights::EvidenceWeights(std::span<const Class> labels,
                                 std::span<const double> sample_weights, std::size_t n_classes,
                                 double doubt, double ridge)
    : n_classes_(n_classes),
      doubt_(doubt),
      ridge_(ridge),
      labels_(labels.begin(), labels.end()),
      sample_weights_(sample_weights.begin(), sample_weights.end()),
      frequency_(n_classes),
      probability_(n_classes * labels.size()) {
    // One row more of each class, because a class may have none.
    std::vector<double> rows(n_classes, 1.0);
    for (std::size_t r = 0; r < labels.size(); ++r) rows[labels[r]] += sample_weights[r];
    double mean = 0;
    for (Class c = 0; c < n_classes; ++c) mean += portable_log(rows[c]) / double(n_classes);
    for (Class c = 0; c < n_classes; ++c) frequency_[c] = portable_log(rows[c]) - mean;
    prior_ = frequency_;
    evaluate();
}

void EvidenceWeights::add(std::span<const double> degrees, double penalty) {
    Rule rule{{}, {}, {}, 0, 0, penalty, 0, std::vector<double>(n_classes_)};
    std::vector<double> matched;
    for (std::size_t r = 0; r < n_rows(); ++r) {
        if (!(degrees[r] > 0)) continue;
        rule.rows.push_back(static_cast<std::uint32_t>(r));
        matched.push_back(degrees[r]);
        rule.class_experience[labels_[r]] += sample_weights_[r] * degrees[r];
    }
    for (const double experience : rule.class_experience) rule.experience += experience;
    const auto& known = rule.class_experience;
    const double least = *std::min_element(known.begin(), known.end());
    const double whole = rule.experience + doubt_;
    if (!(whole > 0)) {
        rules_.push_back(std::move(rule));
        return;
    }
    const double against = (rule.experience - least) / whole;
    const std::size_t n = rule.rows.size();
    for (Class c = 0; c < n_classes_; ++c) {
        if (known[c] == least) continue;
        const double more = (known[c] - least) / whole;
        rule.classes.push_back(c);
        for (std::size_t j = 0; j < n; ++j) {
            const double mu = matched[j];
            const double gain = portable_log(1 + mu * more / (1 - mu * against));
            rule.gain.push_back(gain);
            if (labels_[rule.rows[j]] == c) {
                rule.label_gain += sample_weights_[rule.rows[j]] * gain;
            }
        }
    }
    rules_.push_back(std::move(rule));
}

// Probabilities and objective for the present strengths.
void EvidenceWeights::evaluate() {
    const std::size_t n = n_rows();
    for (Class c = 0; c < n_classes_; ++c) {
        std::fill_n(probability_.begin() + static_cast<std::ptrdiff_t>(c * n), n, prior_[c]);
    }
    for (const Rule& rule : rules_) {
        if (rule.strength == 0) continue;
        const std::size_t m = rule.rows.size();
        for (std::size_t a = 0; a < rule.classes.size(); ++a) {
            double* score = &probability_[rule.classes[a] * n];
            const double* gain = &rule.gain[a * m];
            for (std::size_t j = 0; j < m; ++j) score[rule.rows[j]] += rule.strength * gain[j];
        }
    }
    objective_ = 0;
    for (std::size_t r = 0; r < n; ++r) {
        double greatest = probability_[r];
        for (Class c = 1; c < n_classes_; ++c) {
            greatest = std::max(greatest, probability_[c * n + r]);
        }
        double total = 0;
        const double label_score = probability_[labels_[r] * n + r] - greatest;
        for (Class c = 0; c < n_classes_; ++c) {
            double& p = probability_[c * n + r];
            total += p = portable_exp(p - greatest);
        }
        const double inverse = 1 / total;
        for (Class c = 0; c < n_classes_; ++c) probability_[c * n + r] *= inverse;
        objective_ += sample_weights_[r] * (portable_log(total) - label_score);
    }
    for (const Rule& rule : rules_) objective_ += rule.penalty * rule.strength;
    for (Class c = 0; c < n_classes_; ++c) {
        const double difference = prior_[c] - frequency_[c];
        objective_ += ridge_ / 2 * difference * difference;
    }
}

double EvidenceWeights::gradient(std::size_t index) const {
    const Rule& rule = rules_[index];
    const std::size_t n = n_rows(), m = rule.rows.size();
    double expected = 0;
    for (std::size_t a = 0; a < rule.classes.size(); ++a) {
        const double* probability = &probability_[rule.classes[a] * n];
        const double* gain = &rule.gain[a * m];
        for (std::size_t j = 0; j < m; ++j) {
            const std::uint32_t r = rule.rows[j];
            expected += sample_weights_[r] * probability[r] * gain[j];
        }
    }
    return expected - rule.label_gain + rule.penalty;
}

double EvidenceWeights::prior_gradient(Class c) const {
    double gradient = ridge_ * (prior_[c] - frequency_[c]);
    for (std::size_t r = 0; r < n_rows(); ++r) {
        gradient += sample_weights_[r] * (probability(r, c) - (labels_[r] == c));
    }
    return gradient;
}

EvidenceWeights::Model EvidenceWeights::model(std::size_t most_entering) const {
    Model model;
    std::vector<double> slopes(rules_.size());
    std::vector<std::size_t> entering;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        slopes[k] = gradient(k);
        if (rules_[k].strength > 0) {
            model.rules.push_back(k);
        } else if (slopes[k] < 0) {
            entering.push_back(k);
        }
    }
    if (entering.size() > most_entering) {
        model.is_complete = false;
        std::stable_sort(entering.begin(), entering.end(),
                         [&](std::size_t a, std::size_t b) { return slopes[a] < slopes[b]; });
        entering.resize(most_entering);
    }
    model.rules.insert(model.rules.end(), entering.begin(), entering.end());
    for (Class c = 0; c < n_classes_; ++c) model.gradient.push_back(prior_gradient(c));
    for (const std::size_t k : model.rules) model.gradient.push_back(slopes[k]);
    add_curvature(model);
    return model;
}

// In a row with probabilities p, gains g and g' contribute the covariance of g and g' under p. The
// gain of a prior is 1 for its own class and 0 for all others.
void EvidenceWeights::add_curvature(Model& model) const {
    const std::size_t n = n_rows(), size = model.gradient.size();
    model.hessian.assign(size * size, 0.0);
    // By row: which rules match, and where their gains are.
    struct Entry {
        std::uint32_t variable, match;
    };
    std::vector<std::size_t> begin(n + 1);
    for (const std::size_t k : model.rules) {
        for (const std::uint32_t r : rules_[k].rows) ++begin[r + 1];
    }
    for (std::size_t r = 0; r < n; ++r) begin[r + 1] += begin[r];
    std::vector<Entry> entries(begin[n]);
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < model.rules.size(); ++i) {
        const Rule& rule = rules_[model.rules[i]];
        for (std::uint32_t j = 0; j < rule.rows.size(); ++j) entries[next[rule.rows[j]]++] = {i, j};
    }

    struct Source {
        std::size_t variable, begin, end;
        double mean;
    };
    struct Gain {
        Class c;
        double value;
    };
    std::vector<Source> sources;
    std::vector<Gain> gains;
    std::vector<double> p(n_classes_), expected(n_classes_);
    for (std::size_t r = 0; r < n; ++r) {
        const double weight = sample_weights_[r];
        for (Class c = 0; c < n_classes_; ++c) {
            p[c] = probability(r, c);
            double* row = &model.hessian[c * size];
            for (Class d = 0; d < c; ++d) row[d] -= weight * p[c] * p[d];
            row[c] += weight * p[c] * (1 - p[c]);
        }
        sources.clear();
        gains.clear();
        for (std::size_t e = begin[r]; e < begin[r + 1]; ++e) {
            const Rule& rule = rules_[model.rules[entries[e].variable]];
            Source source{n_classes_ + entries[e].variable, gains.size(), 0, 0};
            for (std::size_t a = 0; a < rule.classes.size(); ++a) {
                const double gain = rule.gain[a * rule.rows.size() + entries[e].match];
                gains.push_back({rule.classes[a], gain});
                source.mean += p[rule.classes[a]] * gain;
            }
            source.end = gains.size();
            sources.push_back(source);
        }
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const Source& source = sources[i];
            double* row = &model.hessian[source.variable * size];
            const double mean = weight * source.mean;
            for (Class c = 0; c < n_classes_; ++c) row[c] -= p[c] * mean;
            for (std::size_t g = source.begin; g < source.end; ++g) {
                expected[gains[g].c] = weight * p[gains[g].c] * gains[g].value;
                row[gains[g].c] += expected[gains[g].c];
            }
            for (std::size_t j = 0; j <= i; ++j) {
                double product = -mean * sources[j].mean;
                for (std::size_t g = sources[j].begin; g < sources[j].end; ++g) {
                    product += expected[gains[g].c] * gains[g].value;
                }
                row[sources[j].variable] += product;
            }
            for (std::size_t g = source.begin; g < source.end; ++g) expected[gains[g].c] = 0;
        }
    }
    for (Class c = 0; c < n_classes_; ++c) model.hessian[c * size + c] += ridge_;
    for (std::size_t i = 0; i < size; ++i) {
        double& diagonal = model.hessian[i * size + i];
        diagonal = std::max(diagonal, 0.0) + kLeastCurvature;
        for (std::size_t j = 0; j < i; ++j) {
            model.hessian[j * size + i] = model.hessian[i * size + j];
        }
    }
}

// Minimises the model along one variable after the other; no strength becomes negative.
std::vector<double> EvidenceWeights::best_step(const Model& model) const {
    const std::size_t size = model.gradient.size();
    std::vector<double> step(size), slope = model.gradient;
    double first_gain = 0;
    for (std::size_t n = 0; n < kInnerSweeps; ++n) {
        double gained = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const double* row = &model.hessian[i * size];
            double change = -slope[i] / row[i];
            if (i >= n_classes_) {
                const double strength = rules_[model.rules[i - n_classes_]].strength;
                change = std::max(change, -strength - step[i]);
            }
            if (change == 0) continue;
            gained -= change * (slope[i] + 0.5 * change * row[i]);
            step[i] += change;
            for (std::size_t j = 0; j < size; ++j) slope[j] += change * row[j];
        }
        if (n == 0) first_gain = gained;
        if (gained <= kInnerTolerance * first_gain) break;
    }
    return step;
}

// By how much the objective decreases according to the model.
double EvidenceWeights::predicted_decrease(const Model& model, std::span<const double> step) const {
    const std::size_t size = step.size();
    double decrease = 0;
    for (std::size_t i = 0; i < size; ++i) {
        double product = 0;
        for (std::size_t j = 0; j < size; ++j) product += model.hessian[i * size + j] * step[j];
        decrease -= step[i] * (model.gradient[i] + 0.5 * product);
    }
    return decrease;
}

// Takes a step, shortened if need be; false if the objective decreases by no length of it.
bool EvidenceWeights::take(const Model& model, std::span<const double> step,
                           double predicted_decrease) {
    const double before = objective_;
    const std::vector<double> old_prior = prior_;
    std::vector<double> old_strengths;
    for (const std::size_t k : model.rules) old_strengths.push_back(rules_[k].strength);
    double length = 1;
    for (int n = 0; n < kHalvings; ++n, length /= 2) {
        for (Class c = 0; c < n_classes_; ++c) prior_[c] = old_prior[c] + length * step[c];
        for (std::size_t i = 0; i < model.rules.size(); ++i) {
            const double after = old_strengths[i] + length * step[n_classes_ + i];
            rules_[model.rules[i]].strength = std::max(0.0, after);
        }
        evaluate();
        if (objective_ <= before - 0.1 * length * predicted_decrease) return true;
    }
    prior_ = old_prior;
    for (std::size_t i = 0; i < model.rules.size(); ++i) {
        rules_[model.rules[i]].strength = old_strengths[i];
    }
    evaluate();
    return false;
}

bool EvidenceWeights::fit(double tolerance, std::size_t most_steps) {
    std::size_t most_entering = kMostEntering;
    for (std::size_t n = 0; n < most_steps; ++n) {
        const Model model = this->model(most_entering);
        const auto step = best_step(model);
        const double decrease = predicted_decrease(model, step);
        // If no step helps, the rest is rounding.
        if (decrease > tolerance && take(model, step, decrease)) continue;
        if (model.is_complete) return true;
        most_entering *= 4;
    }
    return false;
}

std::vector<std::size_t> EvidenceWeights::prune() {
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        if (!(rules_[k].strength > 0)) continue;
        if (kept.size() < k) rules_[kept.size()] = std::move(rules_[k]);
        kept.push_back(k);
    }
    rules_.resize(kept.size());
    return kept;
}

}  // namespace fuzzyucs
