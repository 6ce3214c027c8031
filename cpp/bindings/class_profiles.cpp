#include "../class_profiles.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"

namespace fuzzyucs {

namespace {

std::unique_ptr<ClassProfiles> make_profiles(const Input1<std::uint32_t>& y,
                                             const Input1<double>& sample_weight,
                                             std::size_t n_classes,
                                             const std::shared_ptr<SharedRows>& shared,
                                             const std::vector<Class>& order) {
    require((y.size() > 0 || shared) && sample_weight.size() == y.size(),
            "the arrays have no common length");
    require(y.size() <= kMaxRows, "y is too long");
    check_labels(y, n_classes);
    check_sample_weight(sample_weight, ClassProfiles::kGreatestTotalWeight);
    auto sorted = order;
    std::ranges::sort(sorted);
    for (std::size_t c = 0; c < sorted.size(); ++c) {
        require(sorted.size() == n_classes && sorted[c] == c, "order must have each class once");
    }
    auto found =
        std::make_unique<ClassProfiles>(as_span(y), as_span(sample_weight), n_classes, shared);
    if (!order.empty()) found->set_order(order);
    return found;
}

void add_rule(ClassProfiles& profiles, const Input1<double>& degrees, double neutral,
              double penalty, int sign) {
    require(degrees.size() == profiles.n_rows(), "degrees has the wrong length");
    for (const double mu : as_span(degrees)) require(mu >= 0 && mu <= 1, "degrees is out of range");
    require(neutral >= 0 && neutral <= 1, "neutral is out of range");
    require(penalty >= 0, "penalty must not be negative");
    require(sign >= -1 && sign <= 1, "sign is out of range");
    profiles.add(as_span(degrees), neutral, penalty, sign);
}

bool fit_interruptibly(ClassProfiles& profiles, double tolerance, std::size_t most_sweeps) {
    struct Guard {
        ClassProfiles& profiles;
        Workers workers;

        explicit Guard(ClassProfiles& guarded) : profiles(guarded) {
            workers.pause = SignalCheck();
            profiles.set_workers(&workers);
        }
        ~Guard() { profiles.set_workers(nullptr); }
    };
    const Guard guard(profiles);
    return profiles.fit(tolerance, most_sweeps);
}

void begin_with(ClassProfiles& profiles, const Input2<double>& start) {
    require(start.shape(0) == profiles.n_rules() && start.shape(1) == profiles.n_classes(),
            "start has the wrong shape");
    const std::span<const double> values(start.data(), start.size());
    for (const double value : values) require(std::isfinite(value), "start must be finite");
    profiles.begin_with(values);
}

void set_rule_penalty(ClassProfiles& profiles, std::size_t rule, double penalty) {
    require(rule < profiles.n_rules(), "rule is out of range");
    profiles.set_penalty(rule, penalty);
}

void set_offset(ClassProfiles& profiles, const Input2<double>& offset) {
    profiles.set_offset(offset_by_class(offset, profiles.n_rows(), profiles.n_classes()));
}

auto all_profiles(const ClassProfiles& profiles) {
    const std::size_t n_classes = profiles.n_classes();
    auto result = new_array<double>(profiles.n_rules(), n_classes);
    for (std::size_t k = 0; k < profiles.n_rules(); ++k) {
        const auto row = profiles.profile(k);
        std::copy(row.begin(), row.end(), result.data() + k * n_classes);
    }
    return result;
}

auto all_naturals(const ClassProfiles& profiles) {
    const std::size_t n_classes = profiles.n_classes();
    auto result = new_array<double>(profiles.n_rules(), n_classes);
    for (std::size_t k = 0; k < profiles.n_rules(); ++k) {
        const auto row = profiles.natural(k);
        std::copy(row.begin(), row.end(), result.data() + k * n_classes);
    }
    return result;
}

auto all_strengths(const ClassProfiles& profiles) {
    auto result = new_array<double>(profiles.n_rules());
    for (std::size_t k = 0; k < profiles.n_rules(); ++k) result.data()[k] = profiles.strength(k);
    return result;
}

auto all_gradients(const ClassProfiles& profiles) {
    const std::size_t n_classes = profiles.n_classes();
    auto result = new_array<double>(profiles.n_rules(), n_classes);
    for (std::size_t k = 0; k < profiles.n_rules(); ++k) {
        for (Class c = 0; c < n_classes; ++c) {
            result.data()[k * n_classes + c] = profiles.gradient(k, c);
        }
    }
    return result;
}

}  // namespace

void bind_class_profiles(nb::module_& m) {
    nb::class_<ClassProfiles>(m, "ClassProfiles", "What rules say about each class.")
        .def(nb::new_(&make_profiles), "y"_a, "sample_weight"_a, "n_classes"_a,
             "shared"_a.none() = nb::none(), "order"_a = std::vector<Class>())
        .def("add", &add_rule, "degrees"_a, "neutral"_a, "penalty"_a, "sign"_a = 0,
             "Add a rule by its degrees for all rows.")
        .def("begin_with", &begin_with, "start"_a,
             "Let rules begin with profiles, as far as possible.")
        .def("set_penalty", &set_rule_penalty, "rule"_a, "penalty"_a)
        .def("set_offset", &set_offset, "offset"_a,
             "Add numbers to the scores of rows: what other evidence says of each class.")
        .def("fit", &fit_interruptibly, "tolerance"_a, "most_sweeps"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "Take Newton steps, class by class; return whether they converged.")
        .def("profiles", &all_profiles)
        .def("naturals", &all_naturals, "Natural profiles.")
        .def("strengths", &all_strengths, "How far rules speak by their natural profiles.")
        .def("gradients", &all_gradients)
        .def("log_shares", [](const ClassProfiles& self) { return to_array(self.log_shares()); })
        .def_prop_ro("objective", &ClassProfiles::objective);
}

}  // namespace fuzzyucs
