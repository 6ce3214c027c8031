#include "../inference.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "../settings.h"
#include "arrays.h"
#include "bindings.h"
#include "conditions.h"

namespace fuzzyucs {

namespace {

template <class Rules, class Matcher, class Missing>
auto make_inference(Matcher matcher, Missing missing,
                    const Conditions<typename Matcher::Gene>& conditions,
                    const Input2<double>& weights, const Input1<double>& fitness,
                    const Input1<double>& strength, const Input1<double>& ignorance,
                    const Input1<std::uint32_t>& consequent) {
    const std::size_t n = fitness.size(), n_classes = weights.shape(1);
    const auto genes = read_conditions(matcher, conditions, n);
    require(weights.shape(0) == n && n_classes > 0, "weights has the wrong shape");
    require(strength.size() == n && ignorance.size() == n && consequent.size() == n,
            "the arrays have different lengths");
    for (std::size_t k = 0; k < n; ++k) {
        require(strength.data()[k] >= 0 && strength.data()[k] <= kMaxPopulation + 1,
                "strength is out of range");
        require(ignorance.data()[k] >= 0 && ignorance.data()[k] <= 1, "ignorance is out of range");
    }
    for (const Class c : as_span(consequent)) require(c < n_classes, "consequent is out of range");
    const typename Rules::Rules rules{genes,
                                      {weights.data(), weights.size()},
                                      as_span(fitness),
                                      as_span(strength),
                                      as_span(ignorance),
                                      as_span(consequent)};
    return std::make_unique<Rules>(std::move(matcher), std::move(missing), n_classes, rules);
}

TermBeliefs make_beliefs(const TermForest* forest, const std::optional<Input1<bool>>& is_believed,
                         const Input1<std::uint32_t>& n_terms) {
    if (!forest || !is_believed) return {};
    check_beliefs(*forest, as_span(*is_believed), as_span(n_terms));
    return {*forest, as_span(*is_believed)};
}

// Calls work(row, i, scratch) for every row of x.
template <class Rules, class Work>
void for_each_row(const Rules& rules, const Input2<double>& x, Work&& work) {
    require(x.shape(1) == rules.n_features(), "x has the wrong number of columns");
    typename Rules::Scratch scratch(rules);
    run_interruptibly(x.shape(0),
                      [&](std::size_t i) { work(x.data() + i * x.shape(1), i, scratch); });
}

// Shares of the classes; none is an empty span.
template <class Rules>
std::span<const double> read_prior(const Rules& rules, const std::optional<Input1<double>>& prior) {
    if (!prior) return {};
    require(prior->size() == rules.n_classes(), "prior has the wrong length");
    for (const double share : as_span(*prior)) {
        require(share >= 0 && share <= 1, "prior is out of range");
    }
    return as_span(*prior);
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
auto vote(const Rules& rules, const Input2<double>& x, std::uint64_t seed) {
    auto classes = new_array<std::uint32_t>(x.shape(0));
    auto scores = new_array<double>(x.shape(0), rules.n_classes());
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        classes.data()[i] = rules.vote(row, seed, scores.data() + i * rules.n_classes(), scratch);
    });
    return std::pair(classes, scores);
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
auto single_winner(const Rules& rules, const Input2<double>& x, std::uint64_t seed) {
    auto classes = new_array<std::uint32_t>(x.shape(0));
    auto winner = new_array<std::int64_t>(x.shape(0));
    auto degree = new_array<double>(x.shape(0));
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        const auto found = rules.single_winner(row, seed, scratch);
        classes.data()[i] = found.consequent;
        winner.data()[i] = found.rule;
        degree.data()[i] = found.degree;
    });
    return std::tuple(classes, winner, degree);
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
    const auto shares = read_prior(rules, prior);
    auto logs = new_array<double>(x.shape(0), n_columns);
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        rules.log_commonalities(row, shares, logs.data() + i * n_columns, scratch);
    });
    return logs;
}

template <class Rules>
auto dempster_shafer(const Rules& rules, const Input2<double>& x, std::uint64_t seed,
                     const std::optional<Input1<double>>& prior) {
    const std::size_t n = x.shape(0), n_columns = rules.n_classes() + 1;
    const auto shares = read_prior(rules, prior);
    auto classes = new_array<std::uint32_t>(n);
    auto mass = new_array<double>(n, n_columns);
    auto log_agreement = new_array<double>(n);
    auto logs = new_array<double>(n, n_columns);
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        const typename Rules::Evidence evidence{
            mass.data() + i * n_columns, log_agreement.data() + i, logs.data() + i * n_columns};
        classes.data()[i] = rules.dempster_shafer(row, seed, shares, evidence, scratch);
    });
    return std::tuple(classes, mass, log_agreement, logs);
}

template <class Rules>
auto stepwise(const Rules& rules, const Input2<double>& x, std::uint64_t seed) {
    const std::size_t n = x.shape(0), n_columns = rules.n_classes() + 1;
    auto classes = new_array<std::uint32_t>(n);
    auto mass = new_array<double>(n, n_columns);
    auto log_agreement = new_array<double>(n);
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        classes.data()[i] = rules.stepwise(row, seed, mass.data() + i * n_columns,
                                           log_agreement.data() + i, scratch);
    });
    return std::tuple(classes, mass, log_agreement);
}

template <class Rules>
auto membership(const Rules& rules, const Input2<double>& x) {
    auto degrees = new_array<double>(x.shape(0), rules.n_rules());
    for_each_row(rules, x, [&](const double* row, std::size_t i, auto& scratch) {
        rules.membership(row, degrees.data() + i * rules.n_rules(), scratch);
    });
    return degrees;
}

template <class Rules>
auto bind_rules(nb::module_& m, const char* name, const char* doc) {
    return nb::class_<Rules>(m, name, doc)
        .def("predict", &predict<Rules>, "x"_a, "scheme"_a, "seed"_a, "The class of each row.")
        .def("dempster_shafer", &dempster_shafer<Rules>, "x"_a, "seed"_a, "prior"_a = nb::none(),
             "Classes, masses, log of the agreement and log-commonalities from one combination.")
        .def("stepwise", &stepwise<Rules>, "x"_a, "seed"_a,
             "Classes, masses and log of the agreement by the arithmetic of the article's program.")
        .def("vote", &vote<Rules>, "x"_a, "seed"_a, "Classes and votes.")
        .def("single_winner", &single_winner<Rules>, "x"_a, "seed"_a,
             "Classes, the rules that decide (-1: none matches) and their degrees.")
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

void bind_inference(nb::module_& m) {
    nb::enum_<Scheme>(m, "Scheme", "How the rules that match reach a decision.")
        .value("ds", Scheme::dempster_shafer)
        .value("vote", Scheme::vote)
        .value("swin", Scheme::single_winner);

    bind_rules<LinguisticInference>(m, "LinguisticInference",
                                    "Linguistic rules frozen for the test phase.")
        .def(nb::new_([](const Input1<std::uint32_t>& n_terms, const Conditions<Terms>& conditions,
                         const Input2<double>& weights, const Input1<double>& fitness,
                         const Input1<double>& strength, const Input1<double>& ignorance,
                         const Input1<std::uint32_t>& consequent, const TermForest* forest,
                         const std::optional<Input1<bool>>& is_believed) {
                 return make_inference<LinguisticInference>(
                     make_linguistic_matcher(n_terms, true),
                     make_beliefs(forest, is_believed, n_terms), conditions, weights, fitness,
                     strength, ignorance, consequent);
             }),
             "n_terms"_a, "conditions"_a, "weights"_a, "fitness"_a, "strength"_a, "ignorance"_a,
             "consequent"_a, "forest"_a = nb::none(), "is_believed"_a = nb::none());

    bind_rules<IntervalInference>(m, "IntervalInference",
                                  "Rules on intervals frozen for the test phase.")
        .def(nb::new_([](std::size_t n_features, const Conditions<Bounds>& conditions,
                         const Input2<double>& weights, const Input1<double>& fitness,
                         const Input1<double>& strength, const Input1<double>& ignorance,
                         const Input1<std::uint32_t>& consequent) {
                 return make_inference<IntervalInference>(make_interval_matcher(n_features),
                                                          NoBeliefs(), conditions, weights, fitness,
                                                          strength, ignorance, consequent);
             }),
             "n_features"_a, "conditions"_a, "weights"_a, "fitness"_a, "strength"_a, "ignorance"_a,
             "consequent"_a);
}

}  // namespace fuzzyucs
