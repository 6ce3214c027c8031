#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "crisp_life.h"
#include "evidence_weights.h"
#include "fuzzy_life.h"
#include "inference.h"
#include "interval_matcher.h"
#include "learner.h"
#include "linguistic_matcher.h"
#include "rule_search.h"
#include "term_forest.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fuzzyucs;

namespace {

using LinguisticLearner = Learner<LinguisticMatcher, FuzzyLife>;
using IntervalLearner = Learner<IntervalMatcher, CrispLife>;

template <class T>
using Input1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Input2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output1 = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Output2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

using RuleArrays = nb::typed<nb::dict, nb::str, nb::any>;

template <class T>
T* allocate(std::size_t size, nb::capsule& owner) {
    T* data = new T[std::max<std::size_t>(size, 1)]();
    owner = nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return data;
}

template <class T>
Output1<T> new_array(std::size_t n) {
    nb::capsule owner;
    T* data = allocate<T>(n, owner);
    return Output1<T>(data, {n}, owner);
}

template <class T>
Output2<T> new_array(std::size_t n, std::size_t m) {
    nb::capsule owner;
    T* data = allocate<T>(n * m, owner);
    return Output2<T>(data, {n, m}, owner);
}

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

template <class T>
std::span<const T> as_span(const Input1<T>& array) {
    return {array.data(), array.size()};
}

// Calls work(0), ..., work(n - 1) without the GIL, and lets Ctrl-C in several times a second.
template <class Work>
void run_interruptibly(std::size_t n, Work&& work) {
    using Clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::milliseconds(50);
    nb::gil_scoped_release release;
    auto last = Clock::now();
    for (std::size_t i = 0; i < n; ++i) {
        work(i);
        if (i % 16 == 0 && Clock::now() - last > patience) {
            nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            last = Clock::now();
        }
    }
}

// How the conditions of rules look as an array: a number or a pair of numbers for each feature.
template <class Gene>
struct ConditionArray;

template <>
struct ConditionArray<Terms> {
    using Input = Input2<Terms>;
    static auto make(std::size_t n_rules, std::size_t n_features) {
        return new_array<Terms>(n_rules, n_features);
    }
    static bool has_shape(const Input& array, std::size_t n_rules, std::size_t n_features) {
        return array.shape(0) == n_rules && array.shape(1) == n_features;
    }
    static Terms read(const Terms* data, std::size_t i) { return data[i]; }
    static void write(Terms terms, Terms* data, std::size_t i) { data[i] = terms; }
};

template <>
struct ConditionArray<Bounds> {
    using Input = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
    static auto make(std::size_t n_rules, std::size_t n_features) {
        nb::capsule owner;
        double* data = allocate<double>(2 * n_rules * n_features, owner);
        return nb::ndarray<nb::numpy, double, nb::ndim<3>>(data, {n_rules, n_features, 2}, owner);
    }
    static bool has_shape(const Input& array, std::size_t n_rules, std::size_t n_features) {
        return array.shape(0) == n_rules && array.shape(1) == n_features && array.shape(2) == 2;
    }
    static Bounds read(const double* data, std::size_t i) { return {data[2 * i], data[2 * i + 1]}; }
    static void write(const Bounds& bounds, double* data, std::size_t i) {
        data[2 * i] = bounds.p;
        data[2 * i + 1] = bounds.q;
    }
};

template <class Gene>
using Conditions = typename ConditionArray<Gene>::Input;

template <class Gene>
std::vector<Gene> read_conditions(const Conditions<Gene>& array, std::size_t n_rules,
                                  std::size_t n_features) {
    require(ConditionArray<Gene>::has_shape(array, n_rules, n_features),
            "conditions has the wrong shape");
    std::vector<Gene> genes(n_rules * n_features);
    for (std::size_t i = 0; i < genes.size(); ++i) {
        genes[i] = ConditionArray<Gene>::read(array.data(), i);
    }
    return genes;
}

void check_conditions(const LinguisticMatcher& matcher, std::span<const Terms> genes) {
    const auto n_terms = matcher.n_terms();
    for (std::size_t i = 0; i < genes.size(); ++i) {
        const Terms every = every_term(n_terms[i % n_terms.size()]);
        require(genes[i] != 0 && (genes[i] & ~every) == 0, "conditions is out of range");
    }
}

void check_conditions(const IntervalMatcher&, std::span<const Bounds> genes) {
    for (const Bounds& bounds : genes) {
        require(bounds.lower() >= 0 && bounds.upper() <= 1 && !std::isnan(bounds.p + bounds.q),
                "conditions is out of range");
    }
}

LinguisticMatcher make_linguistic_matcher(const Input1<std::uint32_t>& n_terms) {
    require(n_terms.size() > 0, "n_terms must not be empty");
    for (const std::uint32_t n : as_span(n_terms)) {
        require(n >= 2 && n <= kMaxTerms, "n_terms must lie between 2 and 32");
    }
    return LinguisticMatcher(as_span(n_terms));
}

IntervalMatcher make_interval_matcher(std::size_t n_features, const Settings& settings) {
    require(n_features > 0, "n_features must be positive");
    return IntervalMatcher(n_features, settings);
}

template <class Learner, class Matcher>
auto make_learner(Matcher matcher, std::size_t n_classes, const Settings& settings,
                  std::uint64_t seed) {
    require(n_classes > 0, "n_classes must be positive");
    return std::make_unique<Learner>(std::move(matcher), n_classes, settings, Rng(seed));
}

template <class Learner>
void check_rows(const Learner& learner, const Input2<double>& x, const Input1<std::uint32_t>& y) {
    require(x.shape(1) == learner.representation().n_features(),
            "x has the wrong number of columns");
    require(x.shape(0) == y.size(), "x and y have different lengths");
    require(x.shape(0) < kNoSlot, "x has too many rows");
    const std::size_t n_classes = learner.population().n_classes();
    for (const std::uint32_t label : as_span(y)) require(label < n_classes, "y is out of range");
}

template <class Learner>
void train_epoch(Learner& learner, const Input2<double>& x, const Input1<std::uint32_t>& y) {
    check_rows(learner, x, y);
    const auto order = learner.draw_order(y.size());
    run_interruptibly(order.size(), [&](std::size_t i) {
        learner.step(x.data() + order[i] * x.shape(1), y.data()[order[i]]);
    });
}

template <class Learner>
void step(Learner& learner, const Input1<double>& x, std::uint32_t y) {
    require(x.size() == learner.representation().n_features(), "x has the wrong length");
    require(y < learner.population().n_classes(), "y is out of range");
    learner.step(x.data(), y);
}

template <class Learner>
RuleArrays export_rules(const Learner& learner) {
    using Gene = typename Learner::Gene;
    const auto& population = learner.population();
    const auto& life = population.life();
    const auto n = static_cast<std::size_t>(population.n_rules());
    const std::size_t n_classes = population.n_classes();
    const std::size_t n_features = learner.representation().n_features();
    auto conditions = ConditionArray<Gene>::make(n, n_features);
    auto weights = new_array<double>(n, n_classes);
    auto class_experience = new_array<double>(n, n_classes);
    auto experience = new_array<double>(n);
    auto fitness = new_array<double>(n);
    auto numerosity = new_array<std::uint32_t>(n);
    auto consequent = new_array<std::uint32_t>(n);
    auto set_size = new_array<double>(n);
    auto set_count = new_array<std::uint64_t>(n);
    auto time_stamp = new_array<std::int64_t>(n);
    std::size_t i = 0;
    for (std::size_t block = 0; block < population.alive().size(); ++block) {
        for_each_slot(population.alive()[block], block, [&](Slot slot) {
            const auto& rule = population[slot];
            const auto condition = learner.representation().condition(slot);
            for (std::size_t f = 0; f < n_features; ++f) {
                ConditionArray<Gene>::write(condition[f], conditions.data(), i * n_features + f);
            }
            population.write_weights(slot, weights.data() + i * n_classes);
            population.write_class_experience(slot, class_experience.data() + i * n_classes);
            experience.data()[i] = rule.experience;
            fitness.data()[i] = life.fitness(rule);
            numerosity.data()[i] = rule.numerosity;
            consequent.data()[i] = rule.consequent;
            set_size.data()[i] = rule.set_size.value();
            set_count.data()[i] = static_cast<std::uint64_t>(life.n_correct_sets(rule));
            time_stamp.data()[i] = rule.time_stamp;
            ++i;
        });
    }
    RuleArrays rules;
    rules["conditions"] = conditions;
    rules["weights"] = weights;
    rules["class_experience"] = class_experience;
    rules["experience"] = experience;
    rules["fitness"] = fitness;
    rules["numerosity"] = numerosity;
    rules["consequent"] = consequent;
    rules["set_size"] = set_size;
    rules["set_count"] = set_count;
    rules["time_stamp"] = time_stamp;
    return rules;
}

template <class Learner>
void restore_rules(Learner& learner, const Conditions<typename Learner::Gene>& conditions,
                   const Input2<double>& weights, const Input2<double>& class_experience,
                   const Input1<double>& experience, const Input1<double>& fitness,
                   const Input1<std::uint32_t>& numerosity, const Input1<std::uint32_t>& consequent,
                   const Input1<double>& set_size, const Input1<std::uint64_t>& set_count,
                   const Input1<std::int64_t>& time_stamp) {
    const std::size_t n = experience.size();
    const std::size_t n_classes = learner.population().n_classes();
    const std::size_t n_features = learner.representation().n_features();
    const auto genes = read_conditions<typename Learner::Gene>(conditions, n, n_features);
    check_conditions(learner.representation(), genes);
    require(weights.shape(0) == n && weights.shape(1) == n_classes, "weights has the wrong shape");
    require(class_experience.shape(0) == n && class_experience.shape(1) == n_classes,
            "class_experience has the wrong shape");
    require(fitness.size() == n && numerosity.size() == n && consequent.size() == n &&
                set_size.size() == n && set_count.size() == n && time_stamp.size() == n,
            "the arrays have different lengths");
    for (std::size_t i = 0; i < n; ++i) {
        typename Learner::Rule rule;
        rule.experience = experience.data()[i];
        rule.first_fitness = fitness.data()[i];
        rule.numerosity = numerosity.data()[i];
        rule.consequent = consequent.data()[i];
        rule.time_stamp = time_stamp.data()[i];
        // Deletion relies on positive votes and on sums of them that fit into 64 bits.
        require(rule.numerosity > 0 &&
                    learner.population().n_micro_rules() + rule.numerosity <= kMaxPopulation + 1,
                "numerosity is out of range");
        require(set_size.data()[i] > 0.5 && set_size.data()[i] <= kMaxPopulation + 1,
                "set_size is out of range");
        learner.population().life().restore_set_size(
            rule, set_size.data()[i], static_cast<std::int64_t>(set_count.data()[i]));
        require(rule.experience >= 0 && std::isfinite(rule.experience),
                "experience is out of range");
        require(rule.consequent < n_classes, "consequent is out of range");
        const auto& row = rule.experience > 0 ? class_experience : weights;
        if (rule.experience > 0) {
            rule.correct = class_experience.data()[i * n_classes + rule.consequent];
        }
        learner.restore({genes.data() + i * n_features, n_features}, rule,
                        {row.data() + i * n_classes, n_classes});
    }
}

template <class Matcher>
auto make_inference(Matcher matcher, const Conditions<typename Matcher::Gene>& conditions,
                    const Input2<double>& weights, const Input1<double>& fitness,
                    const Input1<double>& strength, const Input1<double>& doubt,
                    const Input1<std::uint32_t>& consequent) {
    const std::size_t n = fitness.size(), n_classes = weights.shape(1);
    const auto genes = read_conditions<typename Matcher::Gene>(conditions, n, matcher.n_features());
    check_conditions(matcher, genes);
    require(weights.shape(0) == n && n_classes > 0, "weights has the wrong shape");
    require(strength.size() == n && doubt.size() == n && consequent.size() == n,
            "the arrays have different lengths");
    for (std::size_t k = 0; k < n; ++k) {
        require(strength.data()[k] >= 0 && strength.data()[k] <= kMaxPopulation + 1,
                "strength is out of range");
        require(doubt.data()[k] >= 0 && doubt.data()[k] <= 1, "doubt is out of range");
    }
    for (const Class c : as_span(consequent)) require(c < n_classes, "consequent is out of range");
    return std::make_unique<Inference<Matcher>>(
        std::move(matcher), n_classes, genes, std::span(weights.data(), weights.size()),
        as_span(fitness), as_span(strength), as_span(doubt), as_span(consequent));
}

// Calls work(row, i) for every row of x.
template <class Rules, class Work>
void for_each_row(const Rules& rules, const Input2<double>& x, Work&& work) {
    require(x.shape(1) == rules.n_features(), "x has the wrong number of columns");
    typename Rules::Scratch scratch(rules);
    run_interruptibly(x.shape(0),
                      [&](std::size_t i) { work(x.data() + i * x.shape(1), i, scratch); });
}

template <class Rules>
auto predict(const Rules& rules, const Input2<double>& x, Scheme scheme, std::uint64_t seed) {
    auto classes = new_array<std::uint32_t>(x.shape(0));
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        classes.data()[i] = rules.predict(row, scheme, seed, scratch);
    });
    return classes;
}

template <class Rules>
auto votes(const Rules& rules, const Input2<double>& x) {
    auto scores = new_array<double>(x.shape(0), rules.n_classes());
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        rules.votes(row, scores.data() + i * rules.n_classes(), scratch);
    });
    return scores;
}

template <class Rules>
auto winners(const Rules& rules, const Input2<double>& x, std::uint64_t seed) {
    auto winner = new_array<std::int64_t>(x.shape(0));
    auto degree = new_array<double>(x.shape(0));
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        const auto found = rules.winner(row, seed, scratch);
        winner.data()[i] = found.rule;
        degree.data()[i] = found.degree;
    });
    return std::pair(winner, degree);
}

template <class Rules>
auto masses(const Rules& rules, const Input2<double>& x) {
    const std::size_t n_columns = rules.n_classes() + 1;
    auto mass = new_array<double>(x.shape(0), n_columns);
    auto log_agreement = new_array<double>(x.shape(0));
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        log_agreement.data()[i] = rules.masses(row, mass.data() + i * n_columns, scratch);
    });
    return std::pair(mass, log_agreement);
}

template <class Rules>
auto log_commonalities(const Rules& rules, const Input2<double>& x,
                       const std::optional<Input1<double>>& prior) {
    const std::size_t n_columns = rules.n_classes() + 1;
    std::span<const double> shares;
    if (prior) {
        require(prior->size() == rules.n_classes(), "prior has the wrong length");
        for (const double share : as_span(*prior)) {
            require(share >= 0 && share <= 1, "prior is out of range");
        }
        shares = as_span(*prior);
    }
    auto logs = new_array<double>(x.shape(0), n_columns);
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        rules.log_commonalities(row, shares, logs.data() + i * n_columns, scratch);
    });
    return logs;
}

template <class Rules>
auto membership(const Rules& rules, const Input2<double>& x) {
    auto degrees = new_array<double>(x.shape(0), rules.n_rules());
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        rules.membership(row, degrees.data() + i * rules.n_rules(), scratch);
    });
    return degrees;
}

// The peaks of feature f are those from first[f] to first[f + 1]; without any, its places are 0.
auto locate_all(const Input2<double>& x, const Input1<double>& peaks,
                const Input1<std::uint32_t>& first) {
    const std::size_t n = x.shape(0), n_features = x.shape(1);
    require(first.size() == n_features + 1 && first.data()[n_features] == peaks.size(),
            "first has the wrong length");
    for (std::size_t f = 0; f < n_features; ++f) {
        require(first.data()[f] <= first.data()[f + 1], "first must not fall");
    }
    auto places = new_array<double>(n, n_features);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t f = 0; f < n_features; ++f) {
            const std::uint32_t begin = first.data()[f], end = first.data()[f + 1];
            if (begin == end) continue;
            places.data()[i * n_features + f] =
                locate(x.data()[i * n_features + f], {peaks.data() + begin, end - begin});
        }
    }
    return places;
}

std::unique_ptr<EvidenceWeights> make_weights(const Input1<std::uint32_t>& y,
                                              const Input1<double>& sample_weight,
                                              std::size_t n_classes, double doubt, double ridge) {
    require(y.size() > 0 && sample_weight.size() == y.size(), "the arrays have no common length");
    require(y.size() < kNoSlot, "y is too long");
    for (const Class label : as_span(y)) require(label < n_classes, "y is out of range");
    for (const double w : as_span(sample_weight)) {
        require(w >= 0 && std::isfinite(w), "sample_weight is out of range");
    }
    require(doubt > 0 && std::isfinite(doubt), "doubt must be positive");
    require(ridge >= 0 && std::isfinite(ridge), "ridge must not be negative");
    return std::make_unique<EvidenceWeights>(as_span(y), as_span(sample_weight), n_classes, doubt,
                                             ridge);
}

void add_rule(EvidenceWeights& weights, const Input1<double>& degrees, double penalty) {
    require(degrees.size() == weights.n_rows(), "degrees has the wrong length");
    for (const double mu : as_span(degrees)) require(mu >= 0 && mu <= 1, "degrees is out of range");
    require(penalty >= 0, "penalty must not be negative");
    weights.add(as_span(degrees), penalty);
}

auto rule_weights(const EvidenceWeights& weights) {
    auto result = new_array<double>(weights.n_rules());
    for (std::size_t k = 0; k < weights.n_rules(); ++k) result.data()[k] = weights.weight(k);
    return result;
}

auto rule_gradients(const EvidenceWeights& weights) {
    auto result = new_array<double>(weights.n_rules());
    for (std::size_t k = 0; k < weights.n_rules(); ++k) result.data()[k] = weights.gradient(k);
    return result;
}

auto prior(const EvidenceWeights& weights) {
    auto result = new_array<double>(weights.n_classes());
    std::copy(weights.prior().begin(), weights.prior().end(), result.data());
    return result;
}

auto class_experiences(const EvidenceWeights& weights) {
    auto result = new_array<double>(weights.n_rules(), weights.n_classes());
    for (std::size_t k = 0; k < weights.n_rules(); ++k) {
        const auto row = weights.class_experience(k);
        std::copy(row.begin(), row.end(), result.data() + k * weights.n_classes());
    }
    return result;
}

std::unique_ptr<RuleSearch> make_search(const Input2<double>& x,
                                        const Input1<std::uint32_t>& n_terms,
                                        const Input1<bool>& is_nominal,
                                        const Input1<std::uint32_t>& y,
                                        const Input1<double>& sample_weight, std::size_t n_classes,
                                        const SearchSettings& settings, std::uint64_t seed) {
    const std::size_t n = y.size(), n_features = n_terms.size();
    require(n > 0 && x.shape(0) == n && sample_weight.size() == n,
            "the arrays have no common length");
    require(n_features > 0 && x.shape(1) == n_features && is_nominal.size() == n_features,
            "x has the wrong number of columns");
    for (const Class label : as_span(y)) require(label < n_classes, "y is out of range");
    std::vector<Feature> features;
    for (std::size_t f = 0; f < n_features; ++f) {
        require(n_terms.data()[f] >= 2 && n_terms.data()[f] <= kMaxTerms,
                "n_terms must lie between 2 and 32");
        features.push_back({n_terms.data()[f], is_nominal.data()[f]});
    }
    std::vector<double> columns(n * n_features);
    for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t f = 0; f < n_features; ++f) {
            const double position = x.data()[r * n_features + f];
            require(std::isnan(position) || (position >= 0 && position <= features[f].n_terms - 1),
                    "x is out of range");
            columns[f * n + r] = position;
        }
    }
    return std::make_unique<RuleSearch>(columns, features, as_span(y), as_span(sample_weight),
                                        n_classes, settings, seed);
}

// Conditions with 0 for features that are not asked.
Premise read_premise(const RuleSearch& search, const Input1<Terms>& conditions) {
    require(conditions.size() == search.n_features(), "conditions has the wrong length");
    Premise premise;
    for (std::uint32_t f = 0; f < search.n_features(); ++f) {
        if (conditions.data()[f] != 0) premise.push_back({f, conditions.data()[f]});
    }
    return premise;
}

auto search_rules(const RuleSearch& search) {
    auto conditions = new_array<Terms>(search.rules().size(), search.n_features());
    auto weights = new_array<double>(search.rules().size());
    for (std::size_t k = 0; k < search.rules().size(); ++k) {
        for (const auto& [feature, terms] : search.rules()[k]) {
            conditions.data()[k * search.n_features() + feature] = terms;
        }
        weights.data()[k] = search.weights().weight(k);
    }
    return std::pair(conditions, weights);
}

auto search_scores(const RuleSearch& search, const Input2<double>& x) {
    require(x.shape(1) == search.n_features(), "x has the wrong number of columns");
    auto scores = new_array<double>(x.shape(0), search.n_classes());
    run_interruptibly(x.shape(0), [&](std::size_t i) {
        search.scores(x.data() + i * x.shape(1),
                      {scores.data() + i * search.n_classes(), search.n_classes()});
    });
    return scores;
}

std::unique_ptr<TermForest> make_forest(const Input1<std::uint32_t>& n_terms,
                                        const Input1<std::int32_t>& parent,
                                        const Input1<double>& marginal,
                                        const Input1<double>& joint) {
    const std::size_t n = n_terms.size();
    require(parent.size() == n, "parent has the wrong length");
    std::size_t n_all_terms = 0;
    for (std::size_t f = 0; f < n; ++f) {
        const std::uint32_t terms = n_terms.data()[f];
        require(terms == 0 || (terms >= 2 && terms <= kMaxTerms),
                "n_terms must be 0 or lie between 2 and 32");
        n_all_terms += terms;
        const std::int32_t p = parent.data()[f];
        require(p >= -1 && p < static_cast<std::int64_t>(n) && p != static_cast<std::int64_t>(f),
                "parent is out of range");
        require(p < 0 || (terms > 0 && n_terms.data()[p] > 0), "a feature without terms is alone");
    }
    require(marginal.size() == n_all_terms, "marginal has the wrong length");
    require(joint.size() == TermForest::joint_size(as_span(n_terms), as_span(parent)),
            "joint has the wrong length");
    for (const auto& array : {marginal, joint}) {
        for (const double p : as_span(array)) {
            require(p >= std::numeric_limits<double>::min() && p <= 1,
                    "probabilities must be positive");
        }
    }
    const auto copy = [](const auto& array) {
        return std::vector(array.data(), array.data() + array.size());
    };
    return std::make_unique<TermForest>(copy(n_terms), copy(parent), copy(marginal), copy(joint));
}

template <class T>
auto to_array(const std::vector<T>& values) {
    auto array = new_array<T>(values.size());
    std::copy(values.begin(), values.end(), array.data());
    return array;
}

void check_positions(const Input2<double>& x, std::span<const std::uint32_t> n_terms) {
    require(x.shape(1) == n_terms.size(), "x has the wrong number of columns");
}

auto surprises(const TermForest& forest, const Input2<double>& x, const Input1<double>& scale) {
    check_positions(x, forest.n_terms);
    require(scale.size() == forest.n_all_terms(), "scale has the wrong length");
    for (const double factor : as_span(scale)) {
        require(factor >= 0x1p-300 && factor <= 0x1p300, "scale is out of range");
    }
    auto result = new_array<double>(x.shape(0), x.shape(1));
    run_interruptibly(x.shape(0), [&](std::size_t i) {
        forest.surprise(x.data() + i * x.shape(1), as_span(scale), result.data() + i * x.shape(1));
    });
    return result;
}

auto beliefs(const TermForest& forest, const Input2<double>& x) {
    check_positions(x, forest.n_terms);
    auto result = new_array<double>(x.shape(0), forest.n_all_terms());
    run_interruptibly(x.shape(0), [&](std::size_t i) {
        for (std::size_t f = 0; f < forest.n_features(); ++f) {
            double* belief = result.data() + i * forest.n_all_terms() + forest.first_term(f);
            forest.believe(x.data() + i * x.shape(1), f, {belief, forest.n_terms[f]});
        }
    });
    return result;
}

// Forests from all rows but those of each fold, and last the one from all rows.
std::vector<TermForest> grow_forests(const Input2<double>& x, const Input1<std::uint32_t>& n_terms,
                                     std::size_t n_folds) {
    check_positions(x, as_span(n_terms));
    require(n_terms.size() > 0 && n_folds > 0, "nothing to grow from");
    for (const std::uint32_t terms : as_span(n_terms)) {
        require(terms == 0 || (terms >= 2 && terms <= kMaxTerms),
                "n_terms must be 0 or lie between 2 and 32");
    }
    ForestGrower grower({x.data(), x.size()}, {n_terms.data(), n_terms.data() + n_terms.size()},
                        n_folds);
    run_interruptibly(n_terms.size(), [&](std::size_t feature) { grower.weigh(feature); });
    std::vector<TermForest> forests;
    for (std::size_t fold = 0; fold <= n_folds; ++fold) forests.push_back(grower.grow(fold));
    return forests;
}

std::shared_ptr<const MissingValues> missing_values(const TermForest* forest,
                                                    const std::optional<Input1<bool>>& is_believed,
                                                    const Input1<std::uint32_t>& n_terms) {
    if (!forest || !is_believed) return nullptr;
    require(is_believed->size() == n_terms.size() && forest->n_features() == n_terms.size(),
            "is_believed has the wrong length");
    std::vector<bool> believed(n_terms.size());
    for (std::size_t f = 0; f < n_terms.size(); ++f) {
        believed[f] = is_believed->data()[f];
        require(!believed[f] || forest->n_terms[f] == n_terms.data()[f],
                "the forest has other terms");
    }
    return std::make_shared<const MissingValues>(MissingValues{*forest, believed});
}

template <class Learner>
auto bind_learner(nb::module_& m, const char* name, const char* doc) {
    return nb::class_<Learner>(m, name, doc)
        .def("train_epoch", &train_epoch<Learner>, "x"_a, "y"_a,
             "Present every row once, in a fresh random order.")
        .def("step", &step<Learner>, "x"_a, "y"_a, "Learn from one row.")
        .def("export_rules", &export_rules<Learner>, "The rules as arrays, in slot order.")
        .def("restore_rules", &restore_rules<Learner>, "conditions"_a, "weights"_a,
             "class_experience"_a, "experience"_a, "fitness"_a, "numerosity"_a, "consequent"_a,
             "set_size"_a, "set_count"_a, "time_stamp"_a, "Add rules that were exported.")
        .def_prop_rw("time", &Learner::time, &Learner::set_time)
        .def_prop_rw(
            "rng_state", [](const Learner& self) { return self.rng().state(); },
            [](Learner& self, const Rng::State& state) { self.set_rng(Rng(state)); })
        .def_prop_ro("n_rules", [](const Learner& self) { return self.population().n_rules(); })
        .def_prop_ro("n_micro_rules",
                     [](const Learner& self) { return self.population().n_micro_rules(); })
        .def_prop_ro("n_covered", [](const Learner& self) { return self.events().covered; })
        .def_prop_ro("n_subsumed", [](const Learner& self) { return self.events().subsumed; })
        .def_prop_ro("n_evolved", [](const Learner& self) { return self.events().evolved; });
}

template <class Matcher>
auto bind_inference(nb::module_& m, const char* name, const char* doc) {
    using Rules = Inference<Matcher>;
    return nb::class_<Rules>(m, name, doc)
        .def("predict", &predict<Rules>, "x"_a, "scheme"_a, "seed"_a, "The class of each row.")
        .def("votes", &votes<Rules>, "x"_a, "Sum of mu * F * num for each class.")
        .def("winners", &winners<Rules>, "x"_a, "seed"_a,
             "The rule with the largest mu * F (-1: none matches) and its degree.")
        .def("masses", &masses<Rules>, "x"_a,
             "Belief masses of the classes and of Theta, and the log of the agreement.")
        .def("log_commonalities", &log_commonalities<Rules>, "x"_a, "prior"_a = nb::none(),
             "Logarithms of the commonalities of the classes and of Theta.")
        .def("membership", &membership<Rules>, "x"_a, "Membership degrees of all rules.");
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The native engine of fuzzyucs. Arguments are validated by the Python classes.";

    nb::class_<Settings>(m, "Settings", "The hyperparameters of a learner.")
        .def(nb::init<>())
        .def_rw("population_size", &Settings::population_size)
        .def_rw("fitness_threshold", &Settings::fitness_threshold)
        .def_rw("fitness_exponent", &Settings::fitness_exponent)
        .def_rw("crossover_rate", &Settings::crossover_rate)
        .def_rw("mutation_rate", &Settings::mutation_rate)
        .def_rw("deletion_fraction", &Settings::deletion_fraction)
        .def_rw("ga_interval", &Settings::ga_interval)
        .def_rw("deletion_experience", &Settings::deletion_experience)
        .def_rw("subsumption_experience", &Settings::subsumption_experience)
        .def_rw("tournament_fraction", &Settings::tournament_fraction)
        .def_rw("dont_care_rate", &Settings::dont_care_rate)
        .def_rw("correct_set_subsumption", &Settings::correct_set_subsumption)
        .def_rw("ga_subsumption", &Settings::ga_subsumption)
        .def_rw("signed_fitness", &Settings::signed_fitness)
        .def_rw("membership_experience", &Settings::membership_experience)
        .def_rw("learning_rate", &Settings::learning_rate)
        .def_rw("mutation_step", &Settings::mutation_step)
        .def_rw("covering_range", &Settings::covering_range);

    bind_learner<LinguisticLearner>(m, "LinguisticLearner",
                                    "Fuzzy-UCS over positions on linguistic variables.")
        .def(nb::new_([](const Input1<std::uint32_t>& n_terms, std::size_t n_classes,
                         const Settings& settings, std::uint64_t seed) {
                 return make_learner<LinguisticLearner>(make_linguistic_matcher(n_terms), n_classes,
                                                        settings, seed);
             }),
             "n_terms"_a, "n_classes"_a, "settings"_a, "seed"_a);

    bind_learner<IntervalLearner>(m, "IntervalLearner", "UCS over values in [0, 1].")
        .def(nb::new_([](std::size_t n_features, std::size_t n_classes, const Settings& settings,
                         std::uint64_t seed) {
                 return make_learner<IntervalLearner>(make_interval_matcher(n_features, settings),
                                                      n_classes, settings, seed);
             }),
             "n_features"_a, "n_classes"_a, "settings"_a, "seed"_a);

    m.def("locate", &locate_all, "x"_a, "peaks"_a, "first"_a,
          "Where values lie among the ascending peaks of terms: 0 is the first, 1 the second.");

    nb::class_<TermForest>(m, "TermForest", "What is usual in a table, feature by feature.")
        .def(nb::new_(&make_forest), "n_terms"_a, "parent"_a, "marginal"_a, "joint"_a)
        .def(
            "arrays",
            [](const TermForest& self) {
                return std::tuple(to_array(self.n_terms), to_array(self.parent),
                                  to_array(self.marginal), to_array(self.joint));
            },
            "The arrays that a forest is made of.")
        .def("surprise", &surprises, "x"_a, "scale"_a,
             "How surprising each value is, given the feature's parent.")
        .def("believe", &beliefs, "x"_a,
             "Probabilities of the terms of each feature, given its known neighbours.");

    m.def("grow_forests", &grow_forests, "x"_a, "n_terms"_a, "n_folds"_a,
          "Forests from all rows but those of each fold, and last one from all rows.");

    nb::enum_<Scheme>(m, "Scheme", "How the rules that match reach a decision.")
        .value("ds", Scheme::dempster_shafer)
        .value("vote", Scheme::vote)
        .value("swin", Scheme::single_winner);

    bind_inference<LinguisticMatcher>(m, "LinguisticInference",
                                      "Linguistic rules frozen for the test phase.")
        .def(nb::new_([](const Input1<std::uint32_t>& n_terms, const Conditions<Terms>& conditions,
                         const Input2<double>& weights, const Input1<double>& fitness,
                         const Input1<double>& strength, const Input1<double>& doubt,
                         const Input1<std::uint32_t>& consequent, const TermForest* forest,
                         const std::optional<Input1<bool>>& is_believed) {
                 auto matcher = make_linguistic_matcher(n_terms);
                 matcher.set_missing(missing_values(forest, is_believed, n_terms));
                 return make_inference(std::move(matcher), conditions, weights, fitness, strength,
                                       doubt, consequent);
             }),
             "n_terms"_a, "conditions"_a, "weights"_a, "fitness"_a, "strength"_a, "doubt"_a,
             "consequent"_a, "forest"_a = nb::none(), "is_believed"_a = nb::none());

    bind_inference<IntervalMatcher>(m, "IntervalInference",
                                    "Rules on intervals frozen for the test phase.")
        .def(nb::new_([](std::size_t n_features, const Conditions<Bounds>& conditions,
                         const Input2<double>& weights, const Input1<double>& fitness,
                         const Input1<double>& strength, const Input1<double>& doubt,
                         const Input1<std::uint32_t>& consequent) {
                 return make_inference(make_interval_matcher(n_features, {}), conditions, weights,
                                       fitness, strength, doubt, consequent);
             }),
             "n_features"_a, "conditions"_a, "weights"_a, "fitness"_a, "strength"_a, "doubt"_a,
             "consequent"_a);

    nb::class_<EvidenceWeights>(m, "EvidenceWeights", "How often the evidence of rules counts.")
        .def(nb::new_(&make_weights), "y"_a, "sample_weight"_a, "n_classes"_a, "doubt"_a, "ridge"_a)
        .def("add", &add_rule, "degrees"_a, "penalty"_a, "Add a rule by its degrees for all rows.")
        .def("set_penalty", &EvidenceWeights::set_penalty, "rule"_a, "penalty"_a)
        .def("fit", &EvidenceWeights::fit, "tolerance"_a, "most_steps"_a,
             nb::call_guard<nb::gil_scoped_release>(), "Take Newton steps; tell whether they end.")
        .def("weights", &rule_weights)
        .def("gradients", &rule_gradients)
        .def("prior", &prior)
        .def("class_experience", &class_experiences)
        .def_prop_ro("objective", &EvidenceWeights::objective);

    nb::class_<SearchSettings>(m, "SearchSettings", "The parameters of a rule search.")
        .def(nb::init<>())
        .def_rw("doubt", &SearchSettings::doubt)
        .def_rw("ridge", &SearchSettings::ridge)
        .def_rw("condition_cost", &SearchSettings::condition_cost)
        .def_rw("least_experience", &SearchSettings::least_experience)
        .def_rw("max_conditions", &SearchSettings::max_conditions)
        .def_rw("n_climbs", &SearchSettings::n_climbs)
        .def_rw("n_mutations", &SearchSettings::n_mutations)
        .def_rw("n_kept", &SearchSettings::n_kept)
        .def_rw("sample_size", &SearchSettings::sample_size);

    nb::class_<RuleSearch>(m, "RuleSearch", "Rules and their evidence weights, grown together.")
        .def(nb::new_(&make_search), "x"_a, "n_terms"_a, "is_nominal"_a, "y"_a, "sample_weight"_a,
             "n_classes"_a, "settings"_a, "seed"_a)
        .def("set_penalty", &RuleSearch::set_penalty, "penalty"_a)
        .def("search", &RuleSearch::search, nb::call_guard<nb::gil_scoped_release>(),
             "Search once and find weights roughly.")
        .def("settle", &RuleSearch::settle, "tolerance"_a, "most_steps"_a,
             nb::call_guard<nb::gil_scoped_release>(), "Find weights exactly.")
        .def_prop_ro("objective", [](const RuleSearch& self) { return self.weights().objective(); })
        .def(
            "adopt",
            [](RuleSearch& self, const Input1<Terms>& conditions) {
                self.adopt(read_premise(self, conditions));
            },
            "conditions"_a, "Let a rule join.")
        .def(
            "gain",
            [](RuleSearch& self, const Input1<Terms>& conditions) {
                return self.gain(read_premise(self, conditions));
            },
            "conditions"_a, "What a rule promises to gain.")
        .def("rules", &search_rules, "Conditions (0: anything goes) and weights.")
        .def("scores", &search_scores, "x"_a, "Logarithms of the plausibility, with the prior.");
}
