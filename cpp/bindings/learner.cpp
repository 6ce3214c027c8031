#include "../learner.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "conditions.h"

namespace fuzzyucs {

namespace {

using RuleArrays = nb::typed<nb::dict, nb::str, nb::any>;

template <class Learner, class Matcher>
auto make_learner(Matcher matcher, std::size_t n_classes, const Settings& settings,
                  std::uint64_t seed) {
    require(n_classes > 0, "n_classes must be positive");
    check_settings(settings);
    return std::make_unique<Learner>(std::move(matcher), n_classes, settings, Rng(seed));
}

template <class Learner>
void check_rows(const Learner& learner, const Input2<double>& x, const Input1<std::uint32_t>& y) {
    require(x.shape(1) == learner.representation().n_features(),
            "x has the wrong number of columns");
    require(x.shape(0) == y.size(), "x and y have different lengths");
    require(x.shape(0) <= kMaxRows, "x has too many rows");
    check_labels(y, learner.population().n_classes());
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
void train_in_order(Learner& learner, const Input2<double>& x, const Input1<std::uint32_t>& y) {
    check_rows(learner, x, y);
    run_interruptibly(y.size(),
                      [&](std::size_t i) { learner.step(x.data() + i * x.shape(1), y.data()[i]); });
}

template <class Learner>
auto copy(const Learner& learner) {
    return std::make_unique<Learner>(learner);
}

template <class Learner>
void step(Learner& learner, const Input1<double>& x, std::uint32_t y) {
    require(x.size() == learner.representation().n_features(), "x has the wrong length");
    require(y < learner.population().n_classes(), "y is out of range");
    learner.step(x.data(), y);
}

template <class Learner>
auto votes(Learner& learner, const Input1<double>& x, double least_experience) {
    require(x.size() == learner.representation().n_features(), "x has the wrong length");
    auto scores = new_array<double>(learner.population().n_classes());
    learner.votes(x.data(), least_experience, scores.data());
    return scores;
}

template <class Learner>
auto log_commonalities(Learner& learner, const Input1<double>& x, double least_experience) {
    require(x.size() == learner.representation().n_features(), "x has the wrong length");
    auto logs = new_array<double>(learner.population().n_classes() + 1);
    learner.log_commonalities(x.data(), least_experience, logs.data());
    return logs;
}

template <class Learner>
RuleArrays export_rules(const Learner& learner) {
    using Conditions = ConditionArray<typename Learner::Gene>;
    const auto& population = learner.population();
    const auto& policy = population.policy();
    const auto n = static_cast<std::size_t>(population.n_rules());
    const std::size_t n_classes = population.n_classes();
    const std::size_t n_features = learner.representation().n_features();
    auto conditions = Conditions::make(n, n_features);
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
                Conditions::write(condition[f], conditions.data(), i * n_features + f);
            }
            population.write_weights(slot, weights.data() + i * n_classes);
            population.write_class_experience(slot, class_experience.data() + i * n_classes);
            experience.data()[i] = rule.experience;
            fitness.data()[i] = policy.fitness(rule);
            numerosity.data()[i] = rule.numerosity;
            consequent.data()[i] = rule.consequent;
            set_size.data()[i] = rule.set_size.value();
            set_count.data()[i] = static_cast<std::uint64_t>(policy.n_correct_sets(rule));
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
    const auto genes = read_conditions(learner.representation(), conditions, n);
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
        learner.population().policy().restore_set_size(
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

template <class Learner>
auto bind_learner(nb::module_& m, const char* name, const char* doc) {
    return nb::class_<Learner>(m, name, doc)
        .def("train_epoch", &train_epoch<Learner>, "x"_a, "y"_a,
             "Present every row once, in a random order: a fresh one, or, as published, the same "
             "in all epochs.")
        .def("train_in_order", &train_in_order<Learner>, "x"_a, "y"_a,
             "Present every row once, in the order given.")
        .def("step", &step<Learner>, "x"_a, "y"_a, "Learn from one row.")
        .def("votes", &votes<Learner>, "x"_a, "least_experience"_a,
             "Votes of the rules as they are, for one row.")
        .def("log_commonalities", &log_commonalities<Learner>, "x"_a, "least_experience"_a,
             "Logarithms of commonalities of classes and Theta, for one row.")
        .def("export_rules", &export_rules<Learner>, "The rules as arrays, the oldest first.")
        .def("restore_rules", &restore_rules<Learner>, "conditions"_a, "weights"_a,
             "class_experience"_a, "experience"_a, "fitness"_a, "numerosity"_a, "consequent"_a,
             "set_size"_a, "set_count"_a, "time_stamp"_a,
             "Add rules that were exported, the oldest first.")
        .def("copy", &copy<Learner>, "Another learner in the same state.")
        .def("condense", &Learner::condense,
             "Let accurate rules absorb more special ones, and delete until the limit is kept.")
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

}  // namespace

void bind_learners(nb::module_& m) {
    bind_learner<LinguisticLearner>(m, "LinguisticLearner",
                                    "Fuzzy-UCS over positions on linguistic variables.")
        .def(nb::new_([](const Input1<std::uint32_t>& n_terms, std::size_t n_classes,
                         const Settings& settings, std::uint64_t seed) {
                 return make_learner<LinguisticLearner>(
                     make_linguistic_matcher(n_terms, false, settings), n_classes, settings, seed);
             }),
             "n_terms"_a, "n_classes"_a, "settings"_a, "seed"_a);

    bind_learner<IntervalLearner>(m, "IntervalLearner", "UCS over values in [0, 1].")
        .def(nb::new_([](std::size_t n_features, std::size_t n_classes, const Settings& settings,
                         std::uint64_t seed) {
                 return make_learner<IntervalLearner>(make_interval_matcher(n_features, settings),
                                                      n_classes, settings, seed);
             }),
             "n_features"_a, "n_classes"_a, "settings"_a, "seed"_a);
}

}  // namespace fuzzyucs
