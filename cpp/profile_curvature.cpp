#include <algorithm>

#include "class_profiles.h"
#include "rule_lists.h"

namespace fuzzyucs {

namespace {

constexpr double kLeastCurvature = 1e-10;

void add_sums(std::span<Sum> sums, std::span<const Sum> others) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
}

// A sum of covariances of class indicators: weight * (diag(p) - p p').
struct Covariance {
    std::size_t n;
    FixedPoint units;
    std::vector<Sum> sum;

    Covariance(std::size_t n_classes, const FixedPoint& fixed)
        : n(n_classes), units(fixed), sum(n_classes * n_classes) {}
    void add(std::span<const double> p, double weight) {
        for (std::size_t c = 0; c < n; ++c) {
            const double part = weight * p[c];
            Sum* row = &sum[c * n];
            for (std::size_t d = 0; d < n; ++d) row[d] -= units(part * p[d]);
            row[c] += units(part);
        }
    }
    void add(const Covariance& other) { add_sums(sum, other.sum); }
    double of(std::span<const double> a, std::span<const double> b) const {
        double product = 0;
        for (std::size_t c = 0; c < n; ++c) {
            double inner = 0;
            for (std::size_t d = 0; d < n; ++d) inner += units.value(sum[c * n + d]) * b[d];
            product += a[c] * inner;
        }
        return product;
    }
};

// Adds what centring contributes, and fills the upper triangle.
template <class Model, class Centring>
void complete_curvature(Model& model, std::span<const Sum> products, Centring&& centring,
                        const FixedPoint& units) {
    const std::size_t size = model.rules.size();
    model.hessian.resize(size * size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double& entry = model.hessian[i * size + j];
            entry = units.value(products[i * size + j]) + centring(i, j);
            if (i == j) entry = std::max(entry, 0.0) + kLeastCurvature;
            model.hessian[j * size + i] = entry;
        }
    }
}

}  // namespace

// In a row, degrees mu and mu' contribute p (1 - p) (mu - mean) (mu' - mean').
void ClassProfiles::add_curvature(Model& model) const {
    const std::size_t size = model.rules.size();
    struct Sums {
        std::vector<Sum> products, sums;
        Sum all = 0;
    };
    std::vector<Sums> of_threads(n_threads(),
                                 {std::vector<Sum>(size * size), std::vector<Sum>(size)});
    share(n_rows(), [&](std::size_t first, std::size_t last, std::size_t thread) {
        pause(thread);
        auto& [products, sums, all] = of_threads[thread];
        const RuleLists lists(rules_, model.rules, first, last);
        for (std::size_t r = first; r < last; ++r) {
            const double p = probability(r, model.label);
            const double spread = sample_weights_[r] * p * (1 - p);
            all += weights_(spread);
            const auto entries = lists.of_row(r);
            for (std::size_t e = 0; e < entries.size(); ++e) {
                const double part = spread * entries[e].degree;
                sums[entries[e].variable] += weights_(part);
                Sum* row = &products[entries[e].variable * size];
                for (std::size_t f = 0; f <= e; ++f)
                    row[entries[f].variable] += weights_(part * entries[f].degree);
            }
        }
    });
    auto& [products, sums, all] = of_threads.front();
    for (std::size_t i = 1; i < of_threads.size(); ++i) {
        add_sums(products, of_threads[i].products);
        add_sums(sums, of_threads[i].sums);
        all += of_threads[i].all;
    }
    complete_curvature(
        model, products,
        [&, &all = all, &sums = sums](std::size_t i, std::size_t j) {  // Clang 14 needs it
            const double mean = rules_[model.rules[i]].mean, other = rules_[model.rules[j]].mean;
            return mean * other * weights_.value(all) - mean * weights_.value(sums[j]) -
                   other * weights_.value(sums[i]);
        },
        weights_);
}

// In a row, natural profiles g and g' of rules with degrees mu and mu' contribute the covariance of
// g and g' under its probabilities, times (mu - mean) (mu' - mean').
void ClassProfiles::add_natural_curvature(Model& model) const {
    const std::size_t size = model.rules.size(), n_classes = n_classes_;
    // Sums of weight * (diag(p) - p p') over all rows, and over the rows of each rule by degree.
    struct Sums {
        std::vector<Sum> products;
        Covariance all;
        std::vector<Covariance> sums;
    };
    const Covariance none(n_classes, weights_);
    std::vector<Sums> of_threads(
        n_threads(), {std::vector<Sum>(size * size), none, std::vector<Covariance>(size, none)});
    share(n_rows(), [&](std::size_t first, std::size_t last, std::size_t thread) {
        pause(thread);
        auto& [products, all, sums] = of_threads[thread];
        const RuleLists lists(rules_, model.rules, first, last);
        std::vector<double> p(n_classes), weighted(n_classes);
        for (std::size_t r = first; r < last; ++r) {
            for (Class c = 0; c < n_classes; ++c) p[c] = probability(r, c);
            all.add(p, sample_weights_[r]);
            const auto entries = lists.of_row(r);
            for (std::size_t e = 0; e < entries.size(); ++e) {
                const auto& natural = rules_[model.rules[entries[e].variable]].natural;
                const double part = sample_weights_[r] * entries[e].degree;
                sums[entries[e].variable].add(p, part);
                double mean = 0;
                for (Class c = 0; c < n_classes; ++c) mean += p[c] * natural[c];
                for (Class c = 0; c < n_classes; ++c) {
                    weighted[c] = part * p[c] * (natural[c] - mean);
                }
                Sum* row = &products[entries[e].variable * size];
                for (std::size_t f = 0; f <= e; ++f) {
                    const auto& other = rules_[model.rules[entries[f].variable]].natural;
                    double product = 0;
                    for (Class c = 0; c < n_classes; ++c) product += weighted[c] * other[c];
                    row[entries[f].variable] += weights_(entries[f].degree * product);
                }
            }
        }
    });
    auto& [products, all, sums] = of_threads.front();
    for (std::size_t i = 1; i < of_threads.size(); ++i) {
        add_sums(products, of_threads[i].products);
        all.add(of_threads[i].all);
        for (std::size_t k = 0; k < size; ++k) sums[k].add(of_threads[i].sums[k]);
    }
    complete_curvature(
        model, products,
        [&, &all = all, &sums = sums](std::size_t i, std::size_t j) {  // Clang 14 needs it
            const Rule &rule = rules_[model.rules[i]], &other = rules_[model.rules[j]];
            return rule.mean * other.mean * all.of(rule.natural, other.natural) -
                   rule.mean * sums[j].of(rule.natural, other.natural) -
                   other.mean * sums[i].of(rule.natural, other.natural);
        },
        weights_);
}

}  // namespace fuzzyucs
