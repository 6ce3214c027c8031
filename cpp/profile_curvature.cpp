#include <algorithm>

#include "aligned.h"
#include "class_profiles.h"
#include "rule_lists.h"
#include "vector_clones.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kDense = 4;      // rules for each one that matches a row
constexpr std::size_t kListed = 1024;  // rows whose lists of rules stay in the nearest memory

void add_sums(std::span<Sum> sums, std::span<const Sum> others) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
}

// A sum of covariances of class indicators: weight * (diag(p) - p p'), as far as they lie above the
// diagonal or in the same four columns.
struct Covariance {
    std::size_t n, stride;
    FixedPoint units;
    std::vector<Sum> sum;

    Covariance(std::size_t n_classes, const FixedPoint& fixed)
        : n(n_classes), stride(in_fours(n_classes)), units(fixed), sum(n_classes * stride) {}
    // Of a row; its probabilities by fours.
    [[gnu::always_inline]] inline void add(const double* p, double weight) {
        for (std::size_t c = 0; c < n; ++c) {
            const double part = weight * p[c];
            Sum* row = &sum[c * stride];
            for (std::size_t d = c / 4 * 4; d < stride; d += 4) {
                units.add(four(row + d), -part * four(p + d).values);
            }
            row[c] += units(part);
        }
    }
    void add(const Covariance& other) { add_sums(sum, other.sum); }
    double of(std::span<const double> a, std::span<const double> b) const {
        double product = 0;
        for (std::size_t c = 0; c < n; ++c) {
            double inner = 0;
            for (std::size_t d = 0; d < n; ++d) {
                inner += units.value(sum[std::min(c, d) * stride + std::max(c, d)]) * b[d];
            }
            product += a[c] * inner;
        }
        return product;
    }
};

// The sum of products of numbers about classes, by fours.
[[gnu::always_inline]] inline double inner_product(const double* a, const double* b,
                                                   std::size_t n) {
    FourDoubles sums = four(a).values * four(b).values;
    for (std::size_t c = 4; c < n; c += 4) sums += four(a + c).values * four(b + c).values;
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Sums for the curvature along natural profiles: of weight * (diag(p) - p p') over all rows, and
// over the rows of each rule by degree.
struct NaturalSums {
    std::vector<Sum> products;
    Covariance all;
    std::vector<Covariance> of_rule;
    std::vector<double> weighted;  // one number for each class

    NaturalSums(std::size_t n_rules, const Covariance& none)
        : products(n_rules * n_rules), all(none), of_rule(n_rules, none), weighted(none.stride) {}
};

// Adds a row that some rules match, with their natural profiles and its probabilities by fours.
FUZZYUCS_VECTOR_CLONES
void add_natural_row(NaturalSums& sums, std::span<const RuleLists::Entry> entries,
                     const double* naturals, const double* p, double weight) {
    const std::size_t stride = sums.all.stride, size = sums.of_rule.size();
    double* weighted = sums.weighted.data();
    sums.all.add(p, weight);
    for (std::size_t e = 0; e < entries.size(); ++e) {
        const double* natural = &naturals[entries[e].variable * stride];
        const double part = weight * entries[e].degree;
        sums.of_rule[entries[e].variable].add(p, part);
        const double mean = inner_product(p, natural, stride);
        for (std::size_t c = 0; c < stride; c += 4) {
            four(weighted + c).values =
                part * four(p + c).values * (four(natural + c).values - mean);
        }
        Sum* row = &sums.products[entries[e].variable * size];
        for (std::size_t f = 0; f <= e; ++f) {
            const double* other = &naturals[entries[f].variable * stride];
            const double product = inner_product(weighted, other, stride);
            row[entries[f].variable] += sums.all.units(entries[f].degree * product);
        }
    }
}

// Sums for the curvature along adjustments: over pairs of rules, over the rows of each rule, and
// over all rows.
struct AdjustmentSums {
    std::size_t stride;  // of the products, a row for each rule
    AlignedVector<Sum> products;
    std::vector<Sum> of_rule;
    Sum all = 0;
    AlignedVector<double> degrees;  // of all rules in a row

    explicit AdjustmentSums(std::size_t n_rules)
        : stride(in_fours(n_rules)),
          products(n_rules * stride),
          of_rule(n_rules),
          degrees(stride) {}
};

// Adds a row that some rules match. If they are many, it is faster to multiply the degrees of all
// rules, most of which are 0, by fours.
FUZZYUCS_VECTOR_CLONES
void add_adjusted_row(AdjustmentSums& sums, std::span<const RuleLists::Entry> entries,
                      double spread, const FixedPoint& units) {
    sums.all += units(spread);
    const bool is_dense = entries.size() * kDense > sums.stride;
    double* degrees = sums.degrees.data();
    if (is_dense) {
        for (const auto& [variable, degree] : entries) degrees[variable] = degree;
    }
    for (std::size_t e = 0; e < entries.size(); ++e) {
        const std::size_t variable = entries[e].variable;
        const double part = spread * entries[e].degree;
        sums.of_rule[variable] += units(part);
        Sum* row = &sums.products[variable * sums.stride];
        if (is_dense) {
            for (std::size_t i = 0; i <= variable; i += 4) {
                units.add(four(row + i), part * four(degrees + i).values);
            }
        } else {
            for (std::size_t f = 0; f <= e; ++f) {
                row[entries[f].variable] += units(part * entries[f].degree);
            }
        }
    }
    if (is_dense) {
        for (const auto& entry : entries) degrees[entry.variable] = 0;
    }
}

// Adds what centring contributes, and fills the upper triangle.
template <class Model, class Centring>
void complete_curvature(Model& model, std::span<const Sum> products, std::size_t stride,
                        Centring&& centring, const FixedPoint& units) {
    const std::size_t size = model.rules.size();
    model.hessian.resize(size * size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double& entry = model.hessian[i * size + j];
            entry = units.value(products[i * stride + j]) + centring(i, j);
            if (i == j) entry = std::max(entry, 0.0) + kLeastCurvature;
            model.hessian[j * size + i] = entry;
        }
    }
}

}  // namespace

// Calls work(row, rules that match it) for some rows.
template <class Work>
void ClassProfiles::list_rules(const Model& model, std::size_t first, std::size_t last,
                               const Work& work) const {
    RuleLists lists;
    for (; first < last; first += kListed) {
        const std::size_t end = std::min(first + kListed, last);
        lists.read(rules_, model.rules, first, end);
        for (std::size_t r = first; r < end; ++r) work(r, lists.of_row(r));
    }
}

// In a row, degrees mu and mu' contribute p (1 - p) (mu - neutral) (mu' - neutral').
void ClassProfiles::add_curvature(Model& model) const {
    std::vector<AdjustmentSums> of_threads(n_threads(), AdjustmentSums(model.rules.size()));
    share(n_rows(), [&](std::size_t first, std::size_t last, std::size_t thread) {
        pause(thread);
        list_rules(model, first, last, [&](std::size_t r, auto entries) {
            const double p = probability_of(r, model.label);
            add_adjusted_row(of_threads[thread], entries, sample_weights_[r] * p * (1 - p),
                             weights_);
        });
    });
    AdjustmentSums& sums = of_threads.front();
    for (std::size_t i = 1; i < of_threads.size(); ++i) {
        add_sums(sums.products, of_threads[i].products);
        add_sums(sums.of_rule, of_threads[i].of_rule);
        sums.all += of_threads[i].all;
    }
    combine(shared_, {sums.products, sums.of_rule, {&sums.all, 1}});
    complete_curvature(
        model, sums.products, sums.stride,
        [&](std::size_t i, std::size_t j) {
            const double neutral = rules_[model.rules[i]].neutral,
                         other = rules_[model.rules[j]].neutral;
            return neutral * other * weights_.value(sums.all) -
                   neutral * weights_.value(sums.of_rule[j]) -
                   other * weights_.value(sums.of_rule[i]);
        },
        weights_);
}

// In a row, natural profiles g and g' of rules with degrees mu and mu' contribute the covariance of
// g and g' under its probabilities, times (mu - neutral) (mu' - neutral').
void ClassProfiles::add_natural_curvature(Model& model) const {
    const std::size_t size = model.rules.size(), n_classes = n_classes_;
    const Covariance none(n_classes, weights_);
    std::vector<double> naturals(size * none.stride);
    for (std::size_t i = 0; i < size; ++i) {
        std::ranges::copy(rules_[model.rules[i]].natural, &naturals[i * none.stride]);
    }
    std::vector<NaturalSums> of_threads(n_threads(), {size, none});
    share(n_rows(), [&](std::size_t first, std::size_t last, std::size_t thread) {
        pause(thread);
        std::vector<double> p(none.stride);
        list_rules(model, first, last, [&](std::size_t r, auto entries) {
            for (Class c = 0; c < n_classes; ++c) p[c] = probability(r, c);
            add_natural_row(of_threads[thread], entries, naturals.data(), p.data(),
                            sample_weights_[r]);
        });
    });
    auto& [products, all, sums, weighted] = of_threads.front();
    for (std::size_t i = 1; i < of_threads.size(); ++i) {
        add_sums(products, of_threads[i].products);
        all.add(of_threads[i].all);
        for (std::size_t k = 0; k < size; ++k) sums[k].add(of_threads[i].of_rule[k]);
    }
    if (has_others(shared_)) {
        std::vector<Sum> of_rules;
        for (const Covariance& sum : sums) {
            of_rules.insert(of_rules.end(), sum.sum.begin(), sum.sum.end());
        }
        combine(shared_, {products, all.sum, of_rules});
        for (std::size_t k = 0; k < size; ++k) {
            std::copy_n(&of_rules[k * all.sum.size()], all.sum.size(), sums[k].sum.begin());
        }
    }
    complete_curvature(
        model, products, size,
        [&, &all = all, &sums = sums](std::size_t i, std::size_t j) {  // Clang 14 needs it
            const Rule &rule = rules_[model.rules[i]], &other = rules_[model.rules[j]];
            return rule.neutral * other.neutral * all.of(rule.natural, other.natural) -
                   rule.neutral * sums[j].of(rule.natural, other.natural) -
                   other.neutral * sums[i].of(rule.natural, other.natural);
        },
        weights_);
}

}  // namespace fuzzyucs
