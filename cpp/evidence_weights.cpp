#include "evidence_weights.h"

#include <algorithm>
#include <cmath>

#include "portable_math.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kInnerSweeps = 1000;
constexpr double kInnerTolerance = 1e-3;  // of what the first sweep gains
constexpr int kHalvings = 30;
constexpr std::size_t kMostEntering = 64;  // at first, in one step
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
      prior_(n_classes),
      probability_(n_classes * labels.size()) {
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

// Probabilities and objective for the present weights.
void EvidenceWeights::evaluate() {
    const std::size_t n = n_rows();
    for (Class c = 0; c < n_classes_; ++c) {
        std::fill_n(probability_.begin() + static_cast<std::ptrdiff_t>(c * n), n, prior_[c]);
    }
    for (const Rule& rule : rules_) {
        if (rule.weight == 0) continue;
        const std::size_t m = rule.rows.size();
        for (std::size_t a = 0; a < rule.classes.size(); ++a) {
            double* score = &probability_[rule.classes[a] * n];
            const double* gain = &rule.gain[a * m];
            for (std::size_t j = 0; j < m; ++j) score[rule.rows[j]] += rule.weight * gain[j];
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
    for (const Rule& rule : rules_) objective_ += rule.penalty * rule.weight;
    for (const double b : prior_) objective_ += ridge_ / 2 * b * b;
}

double EvidenceWeights::gradient(std::size_t place) const {
    const Rule& rule = rules_[place];
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
    double gradient = ridge_ * prior_[c];
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
        if (rules_[k].weight > 0) {
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

// In a row with probabilities p, gains g and g' contribute the covariance of g and g' under p: a
// product of vectors with one entry sqrt(p) (g - mean g) for each class.
void EvidenceWeights::add_curvature(Model& model) const {
    const std::size_t n = n_rows(), size = model.gradient.size();
    model.hessian.assign(size * size, 0.0);
    struct Entry {
        std::uint32_t variable;
        const double* gain;
    };
    std::vector<std::size_t> begin(n + 1);
    for (const std::size_t k : model.rules) {
        for (const std::uint32_t r : rules_[k].rows) ++begin[r + 1];
    }
    for (std::size_t r = 0; r < n; ++r) begin[r + 1] += begin[r];
    std::vector<Entry> entries(begin[n]);
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < model.rules.size(); ++i) {
        const Rule& rule = rules_[model.rules[i]];
        for (std::size_t j = 0; j < rule.rows.size(); ++j) {
            entries[next[rule.rows[j]]++] = {static_cast<std::uint32_t>(i), &rule.gain[j]};
        }
    }
    std::vector<double> p(n_classes_), root(n_classes_), vectors;
    std::vector<std::size_t> place;
    for (std::size_t r = 0; r < n; ++r) {
        for (Class c = 0; c < n_classes_; ++c) {
            p[c] = probability(r, c);
            root[c] = std::sqrt(sample_weights_[r] * p[c]);
        }
        place.clear();
        vectors.clear();
        for (Class variable = 0; variable < n_classes_; ++variable) {
            place.push_back(variable);
            for (Class c = 0; c < n_classes_; ++c) {
                vectors.push_back(root[c] * ((c == variable) - p[variable]));
            }
        }
        for (std::size_t e = begin[r]; e < begin[r + 1]; ++e) {
            const Rule& rule = rules_[model.rules[entries[e].variable]];
            const std::size_t m = rule.rows.size();
            double mean = 0;
            for (std::size_t a = 0; a < rule.classes.size(); ++a) {
                mean += p[rule.classes[a]] * entries[e].gain[a * m];
            }
            const std::size_t first = vectors.size();
            for (Class c = 0; c < n_classes_; ++c) vectors.push_back(-root[c] * mean);
            for (std::size_t a = 0; a < rule.classes.size(); ++a) {
                const Class c = rule.classes[a];
                vectors[first + c] += root[c] * entries[e].gain[a * m];
            }
            place.push_back(n_classes_ + entries[e].variable);
        }
        for (std::size_t i = 0; i < place.size(); ++i) {
            double* row = &model.hessian[place[i] * size];
            const double* u = &vectors[i * n_classes_];
            for (std::size_t j = 0; j <= i; ++j) {
                const double* v = &vectors[j * n_classes_];
                double product = 0;
                for (Class c = 0; c < n_classes_; ++c) product += u[c] * v[c];
                row[place[j]] += product;
            }
        }
    }
    for (Class c = 0; c < n_classes_; ++c) model.hessian[c * size + c] += ridge_;
    for (std::size_t i = 0; i < size; ++i) {
        model.hessian[i * size + i] += kLeastCurvature;
        for (std::size_t j = 0; j < i; ++j)
            model.hessian[j * size + i] = model.hessian[i * size + j];
    }
}

// Minimises the model along one variable after the other; no weight becomes negative.
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
                const double weight = rules_[model.rules[i - n_classes_]].weight;
                change = std::max(change, -weight - step[i]);
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

// By how much the model expects the objective to fall.
double EvidenceWeights::promise(const Model& model, std::span<const double> step) const {
    const std::size_t size = step.size();
    double fall = 0;
    for (std::size_t i = 0; i < size; ++i) {
        double product = 0;
        for (std::size_t j = 0; j < size; ++j) product += model.hessian[i * size + j] * step[j];
        fall -= step[i] * (model.gradient[i] + 0.5 * product);
    }
    return fall;
}

bool EvidenceWeights::take(const Model& model, std::span<const double> step, double promise) {
    const double before = objective_;
    const std::vector<double> old_prior = prior_;
    std::vector<double> old_weights;
    for (const std::size_t k : model.rules) old_weights.push_back(rules_[k].weight);
    double length = 1;
    for (int n = 0; n < kHalvings; ++n, length /= 2) {
        for (Class c = 0; c < n_classes_; ++c) prior_[c] = old_prior[c] + length * step[c];
        for (std::size_t i = 0; i < model.rules.size(); ++i) {
            const double after = old_weights[i] + length * step[n_classes_ + i];
            rules_[model.rules[i]].weight = std::max(0.0, after);
        }
        evaluate();
        if (objective_ <= before - 0.1 * length * promise) return true;
    }
    prior_ = old_prior;
    for (std::size_t i = 0; i < model.rules.size(); ++i) {
        rules_[model.rules[i]].weight = old_weights[i];
    }
    evaluate();
    return false;
}

bool EvidenceWeights::fit(double tolerance, std::size_t most_steps) {
    std::size_t most_entering = kMostEntering;
    for (std::size_t n = 0; n < most_steps; ++n) {
        const Model model = this->model(most_entering);
        const auto step = best_step(model);
        const double promise = this->promise(model, step);
        // If no step helps, rounding is all that is left.
        if (promise > tolerance && take(model, step, promise)) continue;
        if (model.is_complete) return true;
        most_entering *= 4;
    }
    return false;
}

std::vector<std::size_t> EvidenceWeights::prune(double least) {
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        if (!(rules_[k].weight > least)) continue;
        if (kept.size() < k) rules_[kept.size()] = std::move(rules_[k]);
        kept.push_back(k);
    }
    rules_.resize(kept.size());
    if (least > 0) evaluate();
    return kept;
}

}  // namespace fuzzyucs
