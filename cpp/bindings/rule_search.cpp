#include "../rule_search.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <memory>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"

namespace fuzzyucs {

namespace {

std::unique_ptr<RuleSearch> make_search(const Input2<double>& x,
                                        const Input1<std::uint32_t>& n_terms,
                                        const Input1<bool>& is_nominal,
                                        const Input1<std::uint32_t>& y,
                                        const Input1<double>& sample_weight, std::size_t n_classes,
                                        const SearchSettings& settings, std::uint64_t seed) {
    const std::size_t n = y.size(), n_features = n_terms.size();
    require(n > 0 && x.shape(0) == n && sample_weight.size() == n,
            "the arrays have no common length");
    require(n <= kMaxRows, "y is too long");
    require(n_features > 0 && x.shape(1) == n_features && is_nominal.size() == n_features,
            "x has the wrong number of columns");
    check_labels(y, n_classes);
    check_n_terms(as_span(n_terms));
    check_sample_weight(sample_weight, RuleSearch::kGreatestTotalWeight);
    SearchTable table{
        {}, std::vector<double>(n * n_features), to_vector(y), to_vector(sample_weight), n_classes};
    for (std::size_t f = 0; f < n_features; ++f) {
        table.features.push_back({n_terms.data()[f], is_nominal.data()[f]});
    }
    for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t f = 0; f < n_features; ++f) {
            const double position = x.data()[r * n_features + f];
            require(std::isnan(position) ||
                        (position >= 0 && position <= table.features[f].n_terms - 1),
                    "x is out of range");
            table.positions[f * n + r] = position;
        }
    }
    return std::make_unique<RuleSearch>(std::move(table), settings, seed);
}

// Conditions with 0 for features that the rule does not ask for.
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
    auto strengths = new_array<double>(search.rules().size());
    for (std::size_t k = 0; k < search.rules().size(); ++k) {
        for (const auto& [feature, terms] : search.rules()[k]) {
            conditions.data()[k * search.n_features() + feature] = terms;
        }
        strengths.data()[k] = search.weights().strength(k);
    }
    return std::pair(conditions, strengths);
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

}  // namespace

void bind_rule_search(nb::module_& m) {
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

    nb::class_<RuleSearch>(m, "RuleSearch", "Searches rules and fits their strengths in turn.")
        .def(nb::new_(&make_search), "x"_a, "n_terms"_a, "is_nominal"_a, "y"_a, "sample_weight"_a,
             "n_classes"_a, "settings"_a, "seed"_a)
        .def("set_penalty", &RuleSearch::set_penalty, "penalty"_a)
        .def("search", &RuleSearch::search, nb::call_guard<nb::gil_scoped_release>(),
             "Search for one round and fit strengths roughly.")
        .def("settle", &RuleSearch::settle, "tolerance"_a, "most_steps"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "Fit strengths; return whether they converged.")
        .def_prop_ro("objective", [](const RuleSearch& self) { return self.weights().objective(); })
        .def(
            "adopt",
            [](RuleSearch& self, const Input1<Terms>& conditions) {
                self.adopt(read_premise(self, conditions));
            },
            "conditions"_a, "Add a rule.")
        .def(
            "gain",
            [](RuleSearch& self, const Input1<Terms>& conditions) {
                return self.gain(read_premise(self, conditions));
            },
            "conditions"_a, "By how much a rule would improve the objective, approximately.")
        .def("rules", &search_rules, "Conditions (0: any value) and strengths.")
        .def("scores", &search_scores, "x"_a, "Logarithms of the plausibility, with the prior.");
}

}  // namespace fuzzyucs
