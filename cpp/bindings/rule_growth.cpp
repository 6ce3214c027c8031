#include "../rule_growth.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"

namespace fuzzyucs {

namespace {

std::unique_ptr<RuleGrowth> make_growth(
    const Input2<std::uint8_t>& codes, const Input1<std::uint32_t>& n_terms,
    const Input1<bool>& is_nominal, const Input1<std::uint32_t>& steps,
    const Input1<std::uint32_t>& y, const Input1<double>& sample_weight, std::size_t n_classes,
    const SearchSettings& settings, const Input1<double>& shares) {
    const std::size_t n = y.size(), n_features = n_terms.size();
    require(n > 0 && codes.shape(1) == n && sample_weight.size() == n,
            "the arrays have no common length");
    require(n_features > 0 && codes.shape(0) == n_features && is_nominal.size() == n_features,
            "codes has the wrong number of rows");
    check_labels(y, n_classes);
    CodeTable table{{},
                    std::vector<std::uint8_t>(codes.data(), codes.data() + n * n_features),
                    to_vector(y),
                    to_vector(sample_weight),
                    n_classes};
    const double* share = shares.data();
    for (std::size_t f = 0; f < n_features; ++f) {
        const std::uint32_t size = n_terms.data()[f];
        table.features.push_back({size, is_nominal.data()[f], steps.data()[f],
                                  std::vector<double>(share, share + size)});
        share += size;
    }
    return std::make_unique<RuleGrowth>(std::move(table), settings);
}

auto growth_rules(const RuleGrowth& search) {
    const std::size_t n = search.rules().size(), n_classes = search.n_classes();
    constexpr std::size_t words = TermSet::kWords;
    auto conditions = new_array<std::uint64_t>(n, search.n_features() * words);
    auto profile = new_array<double>(n, n_classes);
    auto mean = new_array<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
        for (const auto& [feature, terms] : search.rules()[k]) {
            std::copy(terms.words().begin(), terms.words().end(),
                      &conditions.data()[(k * search.n_features() + feature) * words]);
        }
        const auto entries = search.profiles().profile(k);
        std::copy(entries.begin(), entries.end(), profile.data() + k * n_classes);
        mean.data()[k] = search.profiles().mean(k);
    }
    return std::tuple(conditions, profile, mean);
}

}  // namespace

void bind_rule_growth(nb::module_& m) {
    nb::class_<RuleGrowth>(m, "RuleGrowth", "Grows rules by histograms of all rows.")
        .def(nb::new_(&make_growth), "codes"_a, "n_terms"_a, "is_nominal"_a, "steps"_a, "y"_a,
             "sample_weight"_a, "n_classes"_a, "settings"_a, "shares"_a)
        .def("set_penalty", &RuleGrowth::set_penalty, "penalty"_a)
        .def("grow", &RuleGrowth::grow, "most"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("settle", &RuleGrowth::settle, "tolerance"_a, "most_sweeps"_a, "relaxed"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("objective",
                     [](const RuleGrowth& self) { return self.profiles().objective(); })
        .def("rules", &growth_rules,
             "Sets of terms (four words per feature, 0: any value), profiles and mean degrees.")
        .def(
            "scores",
            [](const RuleGrowth& self, const Input2<std::uint8_t>& codes) {
                require(codes.shape(0) == self.n_features(), "codes has the wrong number of rows");
                const std::size_t n = codes.shape(1);
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
