// Forests of dependences from any rows, what they believe and find surprising, and rules with
// profiles that are asked about rows with gaps.

#include <algorithm>
#include <limits>

#include "../cpp/forest_grower.h"
#include "../cpp/profile_masses.h"
#include "../cpp/profile_pool.h"
#include "../cpp/rule_degrees.h"
#include "../cpp/surprise_total.h"
#include "input.h"

namespace {

using namespace fuzzyucs;
using fuzz::Input;

Terms read_condition(Input& in, std::uint32_t n_terms) {
    if (are_fine(n_terms)) {
        const std::size_t first = in.between(0, n_terms - 1);
        return first | in.between(first, n_terms - 1) << 8;
    }
    const Terms terms = in.bits() & every_term(n_terms);
    return terms ? terms : every_term(n_terms);
}

void ask_rules(Input& in, const TermForest& forest, std::span<const double> x) {
    const std::span<const std::uint32_t> n_terms = forest.n_terms;
    const std::size_t n = x.size() / n_terms.size(), n_rules = in.between(0, 6);
    std::vector<Terms> conditions;
    for (std::size_t i = 0; i < n_rules * n_terms.size(); ++i) {
        conditions.push_back(read_condition(in, n_terms[i % n_terms.size()]));
    }
    const std::size_t n_classes = in.between(1, 5);
    std::vector<double> dependence, neutral, profile(n_rules * n_classes), log_rates(n_classes);
    for (std::size_t k = 0; k < n_rules; ++k) {
        neutral.push_back(in.unit());
        if (n_rules % 2) dependence.push_back(in.unit() * 4);
    }
    for (double& entry : profile) entry = 40 * in.unit() - 20;
    std::vector<double> rates(n_classes);
    for (std::size_t c = 0; c < n_classes; ++c) {
        rates[c] = std::max(in.unit(), 0.01);
        log_rates[c] = std::log(rates[c]);
    }
    const bool believed[8] = {in.flag(), in.flag(), in.flag(), in.flag(),
                              in.flag(), in.flag(), in.flag(), in.flag()};
    const RuleDegrees rules(n_terms, conditions, in.flag() ? &forest : nullptr,
                            {believed, n_terms.size()}, dependence);
    RuleDegrees::Block block(rules);
    const ProfilePool pool(profile, neutral, log_rates);
    ProfilePool::Scratch scratch(pool);
    const ProfileMasses masses(rates);
    constexpr std::size_t kRows = RuleDegrees::kRows;
    std::vector<double> scores(kRows * n_classes), least(kRows), greatest(kRows),
        contradiction(kRows), moderation(kRows), mass(n_classes);
    for (std::size_t first = 0; first < n; first += kRows) {
        const std::size_t size = std::min(kRows, n - first);
        rules.match(x.data() + first * n_terms.size(), size, block);
        for (std::size_t k = 0; k < n_rules; ++k) {
            for (std::size_t r = 0; r < size; ++r) {
                const double degree = block.degrees[k * kRows + r];
                CHECK(degree >= 0 && degree <= 1);
                if (block.n_missing[r] > 0) rules.lacks(k, block, r);
            }
        }
        pool.add(
            block, size,
            {scores.data(), least.data(), greatest.data(), contradiction.data(), moderation.data()},
            scratch);
        for (std::size_t r = 0; r < size; ++r) {
            const auto rest =
                masses.add(&scores[r * n_classes], least[r], greatest[r], mass.data());
            double sum = rest.ignorance;
            for (const double part : mass) {
                CHECK(part >= 0 && part <= 1 + 1e-9);
                sum += part;
            }
            CHECK(rest.ignorance >= 0 && rest.ignorance <= 1);
            CHECK(n_classes == 1 || std::abs(sum - 1) < 1e-6 || rest.ignorance == 1);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input in(data, size);
    auto n_terms = in.term_counts(8, kMaxFineTerms);
    const bool has_empty = in.flag();
    if (has_empty) n_terms[0] = 0;
    const std::size_t n = in.flag() ? in.between(0, 6) : in.between(0, 140);
    const std::size_t n_folds = in.between(1, 4);
    std::vector<double> x;
    for (std::size_t r = 0; r < n; ++r) {
        const auto row = in.positions(n_terms);
        x.insert(x.end(), row.begin(), row.end());
    }
    ForestGrower grower(n, n_terms, n_folds);
    for (std::size_t first = 0; first < n;) {
        const std::size_t last = first + in.between(1, n - first);
        grower.read(first, {&x[first * n_terms.size()], (last - first) * n_terms.size()});
        first = last;
    }
    grower.count_all();
    for (std::size_t f = 0; f < n_terms.size(); ++f) grower.compare(f);
    for (std::size_t fold = 0; fold <= n_folds; ++fold) {
        const TermForest forest = grower.grow(fold);
        for (const auto& shares : {forest.marginal, forest.joint}) {
            for (const double p : shares) CHECK(p > 0 && p <= 1);
        }
        std::vector<double> scale(forest.n_all_terms());
        for (double& factor : scale) factor = std::clamp(in.amount(), 0x1p-300, 0x1p300);
        std::vector<double> sums(n_terms.size()), alone(n_terms.size()), found(n_terms.size());
        TermForest::Scratch scratch(forest);
        for (std::size_t r = 0; r < n; ++r) {
            const double* row = &x[r * n_terms.size()];
            forest.surprise(row, scale, found.data(), scratch);
            forest.add_surprises(row, scale, sums.data(), alone.data(), scratch);
            for (const double surprise : found) CHECK(std::isfinite(surprise));
            for (std::size_t f = 0; f < n_terms.size(); ++f) {
                std::vector<double> belief(n_terms[f]);
                forest.believe(row, f, belief);
                double sum = 0;
                for (const double p : belief) sum += p;
                CHECK(n_terms[f] == 0 || std::abs(sum - 1) < 1e-6);
                if (n_terms[f] > 0) CHECK(!std::isnan(forest.vagueness(f, belief)));
            }
        }
        const SurpriseTotal total(forest, scale, sums, alone);
        SurpriseTotal::Scratch of_total(total);
        constexpr std::size_t kRows = SurpriseTotal::kRows;
        std::vector<double> totals(kRows);
        for (std::size_t first = 0; first < n; first += kRows) {
            total.add(&x[first * n_terms.size()], std::min(kRows, n - first), totals.data(),
                      of_total);
        }
        if (!has_empty) ask_rules(in, forest, x);
    }
    return 0;
}
