#include "../rule_degrees.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "../class_profiles.h"
#include "../fixed_point.h"
#include "../natural_profile.h"
#include "../profile_masses.h"
#include "../profile_pool.h"
#include "../stored_rows.h"
#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "conditions.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kRows = RuleDegrees::kRows;

std::unique_ptr<RuleDegrees> make_rule_degrees(const Input1<std::uint32_t>& n_terms,
                                               const Input2<Terms>& conditions,
                                               const TermForest* forest,
                                               const std::optional<Input1<bool>>& is_believed,
                                               const std::optional<Input1<double>>& dependence) {
    const auto terms = as_span(n_terms);
    require(n_terms.size() > 0, "n_terms must not be empty");
    check_n_terms(terms, true);
    require(conditions.shape(1) == n_terms.size(), "conditions has the wrong shape");
    const std::span<const Terms> genes(conditions.data(), conditions.size());
    for (std::size_t i = 0; i < genes.size(); ++i) {
        require(is_condition(genes[i], terms[i % terms.size()]), "conditions is out of range");
    }
    if (!is_believed) forest = nullptr;
    const auto believed = forest ? as_span(*is_believed) : std::span<const bool>();
    if (forest) check_beliefs(*forest, believed, terms);
    const auto ratios = dependence ? as_span(*dependence) : std::span<const double>();
    require(!dependence || ratios.size() == conditions.shape(0), "dependence has the wrong length");
    for (const double ratio : ratios) require(ratio >= 0, "dependence is out of range");
    return std::make_unique<RuleDegrees>(terms, genes, forest, believed, ratios);
}

std::size_t count_rows(const Input2<double>& x) { return x.shape(0); }
std::size_t count_rows(const StoredRows& x) { return x.n_rows(); }
std::size_t count_columns(const Input2<double>& x) { return x.shape(1); }
std::size_t count_columns(const StoredRows& x) { return x.n_features(); }

void match(const RuleDegrees& rules, const Input2<double>& x, std::size_t first, std::size_t n,
           RuleDegrees::Block& block) {
    rules.match(x.data() + first * x.shape(1), n, block);
}

void match(const RuleDegrees& rules, const StoredRows& x, std::size_t first, std::size_t n,
           RuleDegrees::Block& block) {
    rules.match(x, first, n, block);
}

// Calls work(block, first, n) for all blocks of rows of x, which are positions or stored.
template <class Rows, class Work>
void for_each_block(const RuleDegrees& rules, const Rows& x, Work&& work) {
    require(count_columns(x) == rules.n_features(), "x has the wrong number of columns");
    RuleDegrees::Block block(rules);
    const std::size_t n_rows = count_rows(x);
    run_interruptibly((n_rows + kRows - 1) / kRows, [&](std::size_t i) {
        const std::size_t first = i * kRows, n = std::min(kRows, n_rows - first);
        match(rules, x, first, n, block);
        work(block, first, n);
    });
}

auto membership(const RuleDegrees& rules, const Input2<double>& x) {
    const std::size_t n_rules = rules.n_rules();
    auto degrees = new_array<double>(x.shape(0), n_rules);
    for_each_block(rules, x, [&](const auto& block, std::size_t first, std::size_t n) {
        for (std::size_t r = 0; r < n; ++r) {
            double* row = degrees.data() + (first + r) * n_rules;
            for (std::size_t k = 0; k < n_rules; ++k) row[k] = block.degrees[k * kRows + r];
        }
    });
    return degrees;
}

// Sums over the rows of each class that lack nothing a rule asks for: of weights times degrees, and
// of weights.
template <class Rows>
auto known_sums(const RuleDegrees& rules, const Rows& x, const Input1<std::uint32_t>& y,
                std::size_t n_classes, const Input1<double>& weight,
                const std::shared_ptr<SharedRows>& shared) {
    require(weight.size() == count_rows(x), "weight has the wrong length");
    require(y.size() == count_rows(x), "y has the wrong length");
    check_labels(y, n_classes);
    const bool is_any = weight.size() > 0 || shared;
    const FixedPoint fixed(count_all(count_rows(x), shared),
                           is_any ? greatest_weight(as_span(weight), shared) : 1);
    const std::size_t n_rules = rules.n_rules();
    std::vector<Sum> sums(n_rules * n_classes), weights(n_rules * n_classes);
    for_each_block(rules, x, [&](const auto& block, std::size_t first, std::size_t n) {
        for (std::size_t k = 0; k < n_rules; ++k) {
            const double* degrees = &block.degrees[k * kRows];
            for (std::size_t r = 0; r < n; ++r) {
                if (block.n_missing[r] > 0 && rules.lacks(k, block, r)) continue;
                const std::size_t place = k * n_classes + y.data()[first + r];
                sums[place] += fixed(weight.data()[first + r] * degrees[r]);
                weights[place] += fixed(weight.data()[first + r]);
            }
        }
    });
    combine(shared, {sums, weights});
    auto of_degrees = new_array<double>(n_rules, n_classes);
    auto of_weights = new_array<double>(n_rules, n_classes);
    std::ranges::transform(sums, of_degrees.data(), [&](Sum sum) { return fixed.value(sum); });
    std::ranges::transform(weights, of_weights.data(), [&](Sum sum) { return fixed.value(sum); });
    return std::tuple(of_degrees, of_weights);
}

auto neutral_degrees(const Input2<double>& matched, const Input2<double>& all) {
    require(matched.shape(0) == all.shape(0) && matched.shape(1) == all.shape(1),
            "the arrays have different shapes");
    const std::size_t n_rules = matched.shape(0), n_classes = matched.shape(1);
    auto neutral = new_array<double>(n_rules);
    for (std::size_t k = 0; k < n_rules; ++k) {
        neutral.data()[k] = neutral_degree({matched.data() + k * n_classes, n_classes},
                                           {all.data() + k * n_classes, n_classes});
    }
    return neutral;
}

// Sums of degrees over the rows of each class, and of how far they are from neutral.
template <class Rows>
auto class_sums(const RuleDegrees& rules, const Rows& x, const Input1<std::uint32_t>& y,
                std::size_t n_classes, const Input1<double>& neutral,
                const std::shared_ptr<SharedRows>& shared) {
    const std::size_t n_rules = rules.n_rules();
    require(y.size() == count_rows(x), "y has the wrong length");
    check_labels(y, n_classes);
    require(neutral.size() == n_rules, "neutral has the wrong length");
    const FixedPoint fixed(count_all(count_rows(x), shared), 1);
    std::vector<Sum> sums(n_rules * n_classes), shifts(n_rules);
    for_each_block(rules, x, [&](const auto& block, std::size_t first, std::size_t n) {
        for (std::size_t k = 0; k < n_rules; ++k) {
            for (std::size_t r = 0; r < n; ++r) {
                const double degree = block.degrees[k * kRows + r];
                sums[k * n_classes + y.data()[first + r]] += fixed(degree);
                shifts[k] += fixed(std::abs(degree - neutral.data()[k]));
            }
        }
    });
    combine(shared, {sums, shifts});
    auto of_classes = new_array<double>(n_rules, n_classes);
    auto of_shifts = new_array<double>(n_rules);
    std::ranges::transform(sums, of_classes.data(), [&](Sum sum) { return fixed.value(sum); });
    std::ranges::transform(shifts, of_shifts.data(), [&](Sum sum) { return fixed.value(sum); });
    return std::tuple(of_classes, of_shifts);
}

// Adds rules to profiles by the rows that they match, which takes little memory.
template <class Rows>
void add_to_profiles(const RuleDegrees& rules, ClassProfiles& profiles, const Rows& x,
                     const Input1<double>& neutral, const Input1<double>& penalty,
                     const std::optional<Input1<std::int32_t>>& sign) {
    const std::size_t n_rules = rules.n_rules();
    require(count_rows(x) == profiles.n_rows(), "x has the wrong number of rows");
    require(neutral.size() == n_rules && penalty.size() == n_rules,
            "the arrays have different lengths");
    for (const double value : as_span(neutral))
        require(value >= 0 && value <= 1, "neutral is out of range");
    for (const double value : as_span(penalty)) require(value >= 0, "penalty must not be negative");
    require(!sign || sign->size() == n_rules, "sign has the wrong length");
    for (std::size_t k = 0; sign && k < n_rules; ++k) {
        require(std::abs(sign->data()[k]) <= 1, "sign is out of range");
    }
    std::vector<std::size_t> n_matched(n_rules);
    for_each_block(rules, x, [&](const auto& block, std::size_t, std::size_t n) {
        for (std::size_t k = 0; k < n_rules; ++k) {
            const double* degrees = &block.degrees[k * kRows];
            for (std::size_t r = 0; r < n; ++r) n_matched[k] += degrees[r] > 0;
        }
    });
    std::vector<ClassProfiles::NewRule> found;
    for (std::size_t k = 0; k < n_rules; ++k) {
        found.push_back({{}, {}, neutral.data()[k], penalty.data()[k], sign ? sign->data()[k] : 0});
        found[k].rows.reserve(n_matched[k]);
        found[k].degrees.reserve(n_matched[k]);
    }
    for_each_block(rules, x, [&](const auto& block, std::size_t first, std::size_t n) {
        for (std::size_t k = 0; k < n_rules; ++k) {
            const double* degrees = &block.degrees[k * kRows];
            for (std::size_t r = 0; r < n; ++r) {
                if (!(degrees[r] > 0)) continue;
                found[k].rows.push_back(static_cast<std::uint32_t>(first + r));
                found[k].degrees.push_back(degrees[r]);
            }
        }
    });
    profiles.add(std::move(found));
}

auto pool_profiles(const RuleDegrees& rules, const Input2<double>& x, const Input2<double>& profile,
                   const Input1<double>& neutral, const Input1<double>& log_rates, bool moderates) {
    const std::size_t n = x.shape(0), n_rules = rules.n_rules(), n_classes = profile.shape(1);
    require(profile.shape(0) == n_rules && n_classes > 0, "profile has the wrong shape");
    require(neutral.size() == n_rules, "neutral has the wrong length");
    require(log_rates.size() == n_classes, "log_rates has the wrong length");
    const ProfilePool pool({profile.data(), profile.size()}, as_span(neutral), as_span(log_rates),
                           moderates);
    ProfilePool::Scratch scratch(pool);
    auto scores = new_array<double>(n, n_classes);
    auto least = new_array<double>(n), greatest = new_array<double>(n);
    auto contradiction = new_array<double>(n), moderation = new_array<double>(n);
    auto n_missing = new_array<std::int64_t>(n);
    for_each_block(rules, x, [&](const auto& block, std::size_t first, std::size_t n_rows) {
        const ProfilePool::Pooled pooled{scores.data() + first * n_classes, least.data() + first,
                                         greatest.data() + first, contradiction.data() + first,
                                         moderation.data() + first};
        pool.add(block, n_rows, pooled, scratch);
        std::copy_n(block.n_missing.begin(), n_rows, n_missing.data() + first);
    });
    return std::tuple(scores, least, greatest, contradiction, moderation, n_missing);
}

auto profile_masses(const Input2<double>& scores, const Input1<double>& least,
                    const Input1<double>& greatest, const Input1<double>& rates) {
    const std::size_t n = scores.shape(0), n_classes = scores.shape(1);
    require(least.size() == n && greatest.size() == n, "the arrays have different lengths");
    require(n_classes > 0 && rates.size() == n_classes, "rates has the wrong length");
    const ProfileMasses masses(as_span(rates));
    auto mass = new_array<double>(n, n_classes);
    auto ignorance = new_array<double>(n), log_agreement = new_array<double>(n);
    run_interruptibly(n, [&](std::size_t i) {
        const auto rest = masses.add(scores.data() + i * n_classes, least.data()[i],
                                     greatest.data()[i], mass.data() + i * n_classes);
        ignorance.data()[i] = rest.ignorance;
        log_agreement.data()[i] = rest.log_agreement;
    });
    return std::tuple(mass, ignorance, log_agreement);
}

}  // namespace

namespace {

// The methods that take positions or stored rows.
template <class Rows>
void bind_sums(nb::class_<RuleDegrees>& bound) {
    bound
        .def("known_sums", &known_sums<Rows>, "x"_a, "y"_a, "n_classes"_a, "weight"_a,
             "shared"_a.none() = nb::none(),
             "Sums over the rows of each class that lack nothing a rule asks for: of weights times "
             "degrees, and of weights.")
        .def("class_sums", &class_sums<Rows>, "x"_a, "y"_a, "n_classes"_a, "neutral"_a,
             "shared"_a.none() = nb::none(),
             "Sums of degrees over the rows of each class, and of how far they are from neutral.")
        .def("add_to", &add_to_profiles<Rows>, "profiles"_a, "x"_a, "neutral"_a, "penalty"_a,
             "sign"_a = nb::none(), "Adds the rules to class profiles.");
}

}  // namespace

void bind_rule_degrees(nb::module_& m) {
    nb::class_<RuleDegrees> bound(m, "RuleDegrees",
                                  "Degrees to which rules with few conditions match.");
    bound
        .def(nb::new_(&make_rule_degrees), "n_terms"_a, "conditions"_a, "forest"_a = nb::none(),
             "is_believed"_a = nb::none(), "dependence"_a = nb::none())
        .def("membership", &membership, "x"_a, "Membership degrees of all rules.")
        .def("pool_profiles", &pool_profiles, "x"_a, "profile"_a, "neutral"_a, "log_rates"_a,
             "moderates"_a = true,
             "What rules with class profiles add to each class, to the class that each favours "
             "least and most, the share of it that cancels out, how many times it counts, and the "
             "number of missing values that rules ask for.");
    bind_sums<Input2<double>>(bound);
    bind_sums<StoredRows>(bound);

    m.def("neutral_degrees", &neutral_degrees, "matched"_a, "all"_a,
          "Degrees at which rules are neutral, from sums of weights by class: of what each rule "
          "matches, and of all rows.");

    m.def("profile_masses", &profile_masses, "scores"_a, "least"_a, "greatest"_a, "rates"_a,
          "Masses of classes and of Theta, and the log of the agreement, under base rates.");
}

}  // namespace fuzzyucs
