#include "../rule_growth.h"

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

#include "../terms.h"
#include "arrays.h"
#include "bindings.h"
#include "checks.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kMostThreads = 1024;

void check_settings(const GrowthSettings& settings) {
    require(settings.condition_cost >= 0 && std::isfinite(settings.condition_cost),
            "settings.condition_cost must not be negative");
    require(settings.least_experience >= 0, "settings.least_experience must not be negative");
}

// The terms of a feature fit into codes, and one code is left for missing values.
void check_feature(const CodedFeature& feature) {
    require(feature.n_terms >= 2 && feature.n_terms <= kMaxFineTerms,
            "n_terms must lie between 2 and 255");
    require(feature.steps >= 1 && (feature.is_nominal || feature.steps < kMissingCode),
            "steps must lie between 1 and 254");
    require(feature.is_nominal || feature.steps * (feature.n_terms - 1) < kMissingCode,
            "steps is too large for n_terms");
    for (const double share : feature.shares) {
        require(share >= 0 && share <= 1, "shares is out of range");
    }
}

// A code in range for each row, or the one of missing values; a column for each feature.
void check_codes(std::span<const CodedFeature> features, const std::uint8_t* codes, std::size_t n) {
    for (const auto& [n_terms, is_nominal, steps, shares] : features) {
        const std::uint32_t last = (is_nominal ? 1 : steps) * (n_terms - 1);
        bool is_in_range = true;
        for (std::size_t r = 0; r < n; ++r) {
            is_in_range &= codes[r] <= last || codes[r] == kMissingCode;
        }
        require(is_in_range, "codes is out of range");
        codes += n;
    }
}

void check_weights(const Input1<double>& sample_weight) {
    check_sample_weight(sample_weight, ClassProfiles::kGreatestTotalWeight);
    for (const double weight : as_span(sample_weight)) {
        require(weight > 0, "sample_weight must be positive");
    }
}

std::unique_ptr<RuleGrowth> make_growth(
    const Input2<std::uint8_t>& codes, const Input1<std::uint32_t>& n_terms,
    const Input1<bool>& is_nominal, const Input1<std::uint32_t>& steps,
    const Input1<std::uint32_t>& y, const Input1<double>& sample_weight, std::size_t n_classes,
    const GrowthSettings& settings, const Input1<double>& shares, std::size_t n_threads) {
    const std::size_t n = y.size(), n_features = n_terms.size();
    require(n > 0 && codes.shape(1) == n && sample_weight.size() == n,
            "the arrays have no common length");
    require(n <= kMaxRows, "y is too long");
    require(n_features > 0 && codes.shape(0) == n_features, "codes has the wrong number of rows");
    require(is_nominal.size() == n_features, "is_nominal has the wrong length");
    require(steps.size() == n_features, "steps has the wrong length");
    require(n_threads >= 1 && n_threads <= kMostThreads, "n_threads must lie between 1 and 1024");
    require(n_classes >= 2, "n_classes must be at least 2");
    check_labels(y, n_classes);
    check_weights(sample_weight);
    check_settings(settings);
    CodeTable table{{},
                    std::vector<std::uint8_t>(codes.data(), codes.data() + n * n_features),
                    to_vector(y),
                    to_vector(sample_weight),
                    n_classes};
    auto rest = as_span(shares);
    for (std::size_t f = 0; f < n_features; ++f) {
        const std::uint32_t size = n_terms.data()[f];
        require(size <= rest.size(), "shares has the wrong length");
        const auto own = rest.first(size);
        table.features.push_back({size, is_nominal.data()[f], steps.data()[f],
                                  std::vector<double>(own.begin(), own.end())});
        check_feature(table.features.back());
        rest = rest.subspan(size);
    }
    require(rest.empty(), "shares has the wrong length");
    check_codes(table.features, codes.data(), n);
    auto growth = std::make_unique<RuleGrowth>(std::move(table), settings, n_threads);
    growth->set_pause(SignalCheck());
    return growth;
}

auto growth_rules(const RuleGrowth& search) {
    const std::size_t n = search.rules().size(), n_classes = search.n_classes();
    constexpr std::size_t words = TermSet::kWords;
    auto conditions = new_array<std::uint64_t>(n, search.n_features() * words);
    auto profile = new_array<double>(n, n_classes);
    auto neutral = new_array<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
        for (const auto& [feature, terms] : search.rules()[k]) {
            std::copy(terms.words().begin(), terms.words().end(),
                      &conditions.data()[(k * search.n_features() + feature) * words]);
        }
        const auto entries = search.profiles().profile(k);
        std::copy(entries.begin(), entries.end(), profile.data() + k * n_classes);
        neutral.data()[k] = search.profiles().neutral(k);
    }
    return std::tuple(conditions, profile, neutral);
}

}  // namespace

void bind_rule_growth(nb::module_& m) {
    nb::class_<GrowthSettings>(m, "GrowthSettings", "The parameters of growth.")
        .def(nb::init<>())
        .def_rw("condition_cost", &GrowthSettings::condition_cost)
        .def_rw("least_experience", &GrowthSettings::least_experience)
        .def_rw("max_conditions", &GrowthSettings::max_conditions);

    nb::class_<RuleGrowth>(m, "RuleGrowth", "Grows rules by histograms of all rows.")
        .def(nb::new_(&make_growth), "codes"_a, "n_terms"_a, "is_nominal"_a, "steps"_a, "y"_a,
             "sample_weight"_a, "n_classes"_a, "settings"_a, "shares"_a, "n_threads"_a = 1)
        .def(
            "set_penalty",
            [](RuleGrowth& self, double penalty) {
                require(penalty >= 0 && std::isfinite(penalty), "penalty must not be negative");
                self.set_penalty(penalty);
            },
            "penalty"_a)
        .def("grow", &RuleGrowth::grow, "most"_a, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "settle",
            [](RuleGrowth& self, double tolerance, std::size_t most_sweeps, double relaxed) {
                require(tolerance >= 0, "tolerance must not be negative");
                require(relaxed >= 0 && std::isfinite(relaxed), "relaxed must not be negative");
                return self.settle(tolerance, most_sweeps, relaxed);
            },
            "tolerance"_a, "most_sweeps"_a, "relaxed"_a, nb::call_guard<nb::gil_scoped_release>(),
            "Fit profiles; return whether they converged.")
        .def_prop_ro("objective",
                     [](const RuleGrowth& self) { return self.profiles().objective(); })
        .def("rules", &growth_rules,
             "Sets of terms (four words per feature, 0: any value), profiles and neutral degrees.")
        .def(
            "scores",
            [](const RuleGrowth& self, const Input2<std::uint8_t>& codes) {
                require(codes.shape(0) == self.n_features(), "codes has the wrong number of rows");
                const std::size_t n = codes.shape(1);
                check_codes(self.features(), codes.data(), n);
                auto found = new_array<double>(n, self.n_classes());
                const auto scores = self.scores(codes.data(), n);
                std::copy(scores.begin(), scores.end(), found.data());
                return found;
            },
            "codes"_a, "Logarithms of odds of all classes.")
        .def("log_shares",
             [](const RuleGrowth& self) { return to_array(self.profiles().log_shares()); });
}

}  // namespace fuzzyucs
