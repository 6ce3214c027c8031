#include "../evidence_weights.h"

#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"

namespace fuzzyucs {

namespace {

std::unique_ptr<EvidenceWeights> make_weights(const Input1<std::uint32_t>& y,
                                              const Input1<double>& sample_weight,
                                              std::size_t n_classes, double doubt, double ridge) {
    require(y.size() > 0 && sample_weight.size() == y.size(), "the arrays have no common length");
    require(y.size() <= kMaxRows, "y is too long");
    check_labels(y, n_classes);
    check_sample_weight(sample_weight, EvidenceWeights::kGreatestTotalWeight);
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

void set_penalty(EvidenceWeights& weights, std::size_t rule, double penalty) {
    require(rule < weights.n_rules(), "rule is out of range");
    weights.set_penalty(rule, penalty);
}

auto rule_strengths(const EvidenceWeights& weights) {
    auto result = new_array<double>(weights.n_rules());
    for (std::size_t k = 0; k < weights.n_rules(); ++k) result.data()[k] = weights.strength(k);
    return result;
}

auto rule_gradients(const EvidenceWeights& weights) {
    auto result = new_array<double>(weights.n_rules());
    for (std::size_t k = 0; k < weights.n_rules(); ++k) result.data()[k] = weights.gradient(k);
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

}  // namespace

void bind_evidence_weights(nb::module_& m) {
    nb::class_<EvidenceWeights>(m, "EvidenceWeights", "How often the evidence of rules counts.")
        .def(nb::new_(&make_weights), "y"_a, "sample_weight"_a, "n_classes"_a, "doubt"_a, "ridge"_a)
        .def("add", &add_rule, "degrees"_a, "penalty"_a, "Add a rule by its degrees for all rows.")
        .def("set_penalty", &set_penalty, "rule"_a, "penalty"_a)
        .def("fit", &EvidenceWeights::fit, "tolerance"_a, "most_steps"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "Take Newton steps; return whether they converged.")
        .def("weights", &rule_strengths, "The strength of each rule.")
        .def("gradients", &rule_gradients)
        .def("prior", [](const EvidenceWeights& self) { return to_array(self.prior()); })
        .def("class_experience", &class_experiences)
        .def_prop_ro("objective", &EvidenceWeights::objective);
}

}  // namespace fuzzyucs
