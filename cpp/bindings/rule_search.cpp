#include "../rule_search.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"

namespace fuzzyucs {

namespace {

// `shares` are those of the terms of all features; `beliefs` has a row for each row with a missing
// value.
void read_gaps(SearchTable& table, std::span<const double> shares, const Input2<double>& beliefs) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t r = 0; r < table.n_rows(); ++r) {
        for (std::size_t f = 0; f < table.features.size(); ++f) {
            if (!std::isnan(table.position(f, r))) continue;
            rows.push_back(r);
            break;
        }
    }
    std::size_t n_all = 0;
    for (const Feature& feature : table.features) n_all += feature.n_terms;
    require(shares.size() == n_all, "shares has the wrong length");
    require(beliefs.shape(0) == rows.size() && (rows.empty() || beliefs.shape(1) == n_all),
            "beliefs has the wrong shape");
    for (std::size_t f = 0, first = 0; f < table.features.size(); ++f) {
        const std::size_t n_terms = table.features[f].n_terms;
        Gaps& gaps = table.gaps.emplace_back();
        gaps.share.assign(shares.begin() + static_cast<std::ptrdiff_t>(first),
                          shares.begin() + static_cast<std::ptrdiff_t>(first + n_terms));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (!std::isnan(table.position(f, rows[i]))) continue;
            gaps.rows.push_back(rows[i]);
            const double* belief = beliefs.data() + i * n_all + first;
            gaps.probability.insert(gaps.probability.end(), belief, belief + n_terms);
        }
        first += n_terms;
    }
}

std::unique_ptr<RuleSearch> make_search(
    const Input2<double>& x, const Input1<std::uint32_t>& n_terms, const Input1<bool>& is_nominal,
    const Input1<std::uint32_t>& y, const Input1<double>& sample_weight, std::size_t n_classes,
    const SearchSettings& settings, std::uint64_t seed, const Input1<double>& shares,
    const Input2<double>& beliefs) {
    const std::size_t n = y.size(), n_features = n_terms.size();
    require(n > 0 && x.shape(0) == n && sample_weight.size() == n,
            "the arrays have no common length");
    require(n <= kMaxRows, "y is too long");
    require(n_features > 0 && x.shape(1) == n_features && is_nominal.size() == n_features,
            "x has the wrong number of columns");
    check_labels(y, n_classes);
    check_n_terms(as_span(n_terms));
    check_sample_weight(sample_weight, RuleSearch::kGreatestTotalWeight);
    SearchTable table{{},           std::vector<double>(n * n_features),
                      to_vector(y), to_vector(sample_weight),
                      n_classes,    {}};
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
    read_gaps(table, as_span(shares), beliefs);
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
    const std::size_t n = search.rules().size(), n_classes = search.n_classes();
    auto conditions = new_array<Terms>(n, search.n_features());
    auto profile = new_array<double>(n, n_classes);
    auto mean = new_array<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
        for (const auto& [feature, terms] : search.rules()[k]) {
            conditions.data()[k * search.n_features() + feature] = terms;
        }
        const auto entries = search.profiles().profile(k);
        std::copy(entries.begin(), entries.end(), profile.data() + k * n_classes);
        mean.data()[k] = search.profiles().mean(k);
    }
    return std::tuple(conditions, profile, mean);
}

}  // namespace

void bind_rule_search(nb::module_& m) {
    nb::class_<SearchSettings>(m, "SearchSettings", "The parameters of a rule search.")
        .def(nb::init<>())
        .def_rw("condition_cost", &SearchSettings::condition_cost)
        .def_rw("least_experience", &SearchSettings::least_experience)
        .def_rw("max_conditions", &SearchSettings::max_conditions)
        .def_rw("n_climbs", &SearchSettings::n_climbs)
        .def_rw("n_mutations", &SearchSettings::n_mutations)
        .def_rw("n_kept", &SearchSettings::n_kept)
        .def_rw("sample_size", &SearchSettings::sample_size);

    nb::class_<RuleSearch>(m, "RuleSearch", "Searches rules and fits their profiles in turn.")
        .def(nb::new_(&make_search), "x"_a, "n_terms"_a, "is_nominal"_a, "y"_a, "sample_weight"_a,
             "n_classes"_a, "settings"_a, "seed"_a, "shares"_a, "beliefs"_a)
        .def("set_penalty", &RuleSearch::set_penalty, "penalty"_a)
        .def("search", &RuleSearch::search, nb::call_guard<nb::gil_scoped_release>(),
             "Search for one round and fit profiles roughly.")
        .def("settle", &RuleSearch::settle, "tolerance"_a, "most_sweeps"_a, "relaxed"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "Fit profiles; return whether they converged.")
        .def_prop_ro("objective",
                     [](const RuleSearch& self) { return self.profiles().objective(); })
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
        .def("rules", &search_rules, "Conditions (0: any value), profiles and mean degrees.")
        .def(
            "log_shares",
            [](const RuleSearch& self) { return to_array(self.profiles().log_shares()); },
            "Logarithms of the shares of the classes.");
}

}  // namespace fuzzyucs
