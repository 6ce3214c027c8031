#include "../rule_growth.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

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
    require(settings.most_partners >= 1, "settings.most_partners must be at least 1");
}

void check_constraints(const GrowthSettings& settings, std::span<const CodedFeature> features,
                       std::size_t n_classes) {
    const std::size_t n = features.size();
    require(settings.monotone.empty() || settings.monotone.size() == n,
            "settings.monotone has the wrong length");
    for (std::size_t f = 0; f < settings.monotone.size(); ++f) {
        const int sign = settings.monotone[f];
        require(sign >= -1 && sign <= 1, "settings.monotone is out of range");
        require(sign == 0 || !features[f].is_nominal, "settings.monotone needs an order");
    }
    auto order = settings.class_order;
    std::ranges::sort(order);
    for (std::size_t c = 0; c < order.size(); ++c) {
        require(order.size() == n_classes && order[c] == c,
                "settings.class_order must have each class once");
    }
    require(n_classes > 2 || order.empty() || settings.class_order.front() == 0,
            "settings.class_order of two classes must be their own");
    for (const auto* sets : {&settings.together, &settings.apart}) {
        for (const auto& set : *sets) {
            for (const std::uint32_t feature : set) {
                require(feature < n, "settings.together or settings.apart is out of range");
            }
        }
    }
    require(settings.fees.empty() || settings.fees.size() == n,
            "settings.fees has the wrong length");
    for (const double fee : settings.fees) {
        require(fee >= 0 && std::isfinite(fee), "settings.fees must not be negative");
    }
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
    const GrowthSettings& settings, const Input1<double>& shares, std::size_t n_threads,
    const std::shared_ptr<SharedRows>& shared) {
    const std::size_t n = y.size(), n_features = n_terms.size();
    require((n > 0 || shared) && codes.shape(1) == n && sample_weight.size() == n,
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
    check_constraints(settings, table.features, n_classes);
    auto growth = std::make_unique<RuleGrowth>(std::move(table), settings, n_threads, shared);
    growth->set_pause(SignalCheck());
    return growth;
}

// Sets of terms, a few words for each feature; 0 where a premise asks for none.
auto to_words(std::span<const CodedPremise> premises, std::size_t n_features) {
    constexpr std::size_t words = TermSet::kWords;
    auto conditions = new_array<std::uint64_t>(premises.size(), n_features * words);
    for (std::size_t k = 0; k < premises.size(); ++k) {
        for (const auto& [feature, terms] : premises[k]) {
            std::copy(terms.words().begin(), terms.words().end(),
                      &conditions.data()[(k * n_features + feature) * words]);
        }
    }
    return conditions;
}

std::vector<CodedPremise> from_words(const Input2<std::uint64_t>& conditions,
                                     std::span<const CodedFeature> features) {
    constexpr std::size_t words = TermSet::kWords;
    require(conditions.shape(1) == features.size() * words, "rules has the wrong shape");
    std::vector<CodedPremise> premises(conditions.shape(0));
    const std::uint64_t* next = conditions.data();
    for (CodedPremise& premise : premises) {
        for (std::uint32_t f = 0; f < features.size(); ++f, next += words) {
            TermSet terms;
            bool is_any = false;
            for (std::uint32_t t = 0; t < words * 64; ++t) {
                if (!(next[t / 64] >> (t % 64) & 1)) continue;
                require(t < features[f].n_terms, "rules is out of range");
                terms.insert(t);
                is_any = true;
            }
            if (is_any) premise.push_back({f, terms});
        }
        require(!premise.empty(), "rules must have conditions");
    }
    return premises;
}

auto growth_rules(const RuleGrowth& search) {
    const std::size_t n = search.rules().size(), n_classes = search.n_classes();
    auto conditions = to_words(search.rules(), search.n_features());
    auto profile = new_array<double>(n, n_classes);
    auto neutral = new_array<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
        const auto entries = search.profiles().profile(k);
        std::copy(entries.begin(), entries.end(), profile.data() + k * n_classes);
        neutral.data()[k] = search.profiles().neutral(k);
    }
    return std::tuple(conditions, profile, neutral);
}

// Numbers of terms of all features, one feature after the other.
template <class OfFeature>
auto joined(std::size_t n_features, OfFeature&& of_feature) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t f = 0; f < n_features; ++f) {
        const std::vector<std::uint32_t>& own = of_feature(f);
        numbers.insert(numbers.end(), own.begin(), own.end());
    }
    return to_array<std::uint32_t>(numbers);
}

auto growth_state(const RuleGrowth& search) {
    const GrowthState state = search.state();
    const std::size_t n = state.rules.size(), n_classes = search.n_classes();
    auto adjustments = new_array<double>(n, n_classes);
    std::ranges::copy(state.adjustments, adjustments.data());
    return std::tuple(
        to_words(state.rules, search.n_features()), to_array<double>(state.neutral),
        to_array<double>(state.strengths), adjustments, to_words(state.known, search.n_features()),
        joined(search.n_features(), [&](std::size_t f) { return state.groups[f].of_term; }),
        joined(search.n_features(), [&](std::size_t f) { return state.units[f]; }), state.penalty);
}

void go_on_from(RuleGrowth& search, const Input2<std::uint64_t>& rules,
                const Input1<double>& neutral, const Input1<double>& strengths,
                const Input2<double>& adjustments, const Input2<std::uint64_t>& known,
                const Input1<std::uint32_t>& groups, const Input1<std::uint32_t>& units,
                double penalty) {
    const std::size_t n = rules.shape(0);
    require(search.rules().empty(), "the growth has rules already");
    require(neutral.size() == n && strengths.size() == n && adjustments.shape(0) == n,
            "the arrays have no common length");
    require(adjustments.shape(1) == search.n_classes(), "adjustments has the wrong shape");
    require(penalty >= 0 && std::isfinite(penalty), "penalty must not be negative");
    std::size_t n_terms = 0;
    for (const CodedFeature& feature : search.features()) n_terms += feature.n_terms;
    require(groups.size() == n_terms && units.size() == n_terms, "units has the wrong length");
    GrowthState state{from_words(rules, search.features()),
                      to_vector(neutral),
                      to_vector(strengths),
                      {adjustments.data(), adjustments.data() + adjustments.size()},
                      from_words(known, search.features()),
                      {},
                      {},
                      penalty};
    std::size_t first = 0;
    for (const CodedFeature& feature : search.features()) {
        const auto own = [&](const Input1<std::uint32_t>& numbers) {
            const std::uint32_t* begin = numbers.data() + first;
            std::vector<std::uint32_t> found(begin, begin + feature.n_terms);
            for (const std::uint32_t number : found) {
                require(number < feature.n_terms, "units is out of range");
            }
            return found;
        };
        auto of_term = own(groups);
        const std::size_t n_groups = std::ranges::max(of_term) + 1;
        state.groups.push_back({std::move(of_term), n_groups});
        state.units.push_back(own(units));
        first += feature.n_terms;
    }
    search.go_on_from(state);
}

}  // namespace

void bind_rule_growth(nb::module_& m) {
    nb::class_<GrowthSettings>(m, "GrowthSettings", "The parameters of growth.")
        .def(nb::init<>())
        .def_rw("condition_cost", &GrowthSettings::condition_cost)
        .def_rw("least_experience", &GrowthSettings::least_experience)
        .def_rw("max_conditions", &GrowthSettings::max_conditions)
        .def_rw("most_partners", &GrowthSettings::most_partners)
        .def_rw("monotone", &GrowthSettings::monotone)
        .def_rw("class_order", &GrowthSettings::class_order)
        .def_rw("together", &GrowthSettings::together)
        .def_rw("apart", &GrowthSettings::apart)
        .def_rw("fees", &GrowthSettings::fees);

    nb::class_<RuleGrowth>(m, "RuleGrowth", "Grows rules by histograms of all rows.")
        .def(nb::new_(&make_growth), "codes"_a, "n_terms"_a, "is_nominal"_a, "steps"_a, "y"_a,
             "sample_weight"_a, "n_classes"_a, "settings"_a, "shares"_a, "n_threads"_a = 1,
             "shared"_a.none() = nb::none())
        .def(
            "set_penalty",
            [](RuleGrowth& self, double penalty) {
                require(penalty >= 0 && std::isfinite(penalty), "penalty must not be negative");
                self.set_penalty(penalty);
            },
            "penalty"_a)
        .def(
            "set_offset",
            [](RuleGrowth& self, const Input2<double>& offset) {
                const ClassProfiles& profiles = self.profiles();
                require(self.rules().empty(), "there must be no rules yet");
                self.set_offset(offset_by_class(offset, profiles.n_rows(), profiles.n_classes()));
            },
            "offset"_a, "Add numbers to the scores of rows: what other evidence says.")
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
        .def("state", &growth_state,
             "What another growth in the same rows needs to go on after `settle`.")
        .def("go_on_from", &go_on_from, "rules"_a, "neutral"_a, "strengths"_a, "adjustments"_a,
             "known"_a, "groups"_a, "units"_a, "penalty"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "Go on where another growth in the same rows was.")
        .def_prop_ro("objective",
                     [](const RuleGrowth& self) { return self.profiles().objective(); })
        .def_prop_ro("n_rules", [](const RuleGrowth& self) { return self.rules().size(); })
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
