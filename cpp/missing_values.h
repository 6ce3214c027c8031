#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "interval_rule.h"
#include "term_forest.h"
#include "terms.h"

namespace fuzzyucs {

// Belief about a missing value of an input.
struct Belief {
    std::size_t feature;
    std::uint32_t n_terms;
    std::array<double, kMaxFineTerms> probability;  // of each term
    double vagueness;                               // 1: it could be any value, or nobody asks
};

// What missing values leave open about a rule: the first of them that its condition asks for (an
// index into the beliefs), the terms it accepts there, and the probability that the others fit.
struct OpenCondition {
    std::size_t missing;
    Terms accepted;
    double others_fit;
};

// How inference treats missing values. Where it has no belief, they match every condition.
template <class T, class Gene>
concept MissingValues = requires(const T& missing, const double* x, std::vector<Belief>& beliefs,
                                 std::span<const Gene> condition, const OpenCondition& open) {
    // Replaces `beliefs` by those about the missing values of an input.
    { missing.believe(x, beliefs) } -> std::same_as<void>;
    { missing.open(condition, beliefs) } -> std::same_as<std::optional<OpenCondition>>;
    // The probability that the missing values fit an open condition.
    { missing.probability(open, beliefs) } -> std::same_as<double>;
};

// Beliefs about the terms of missing values that follow from the known values of a row. About
// features that are often missing there is no belief.
class TermBeliefs {
  public:
    TermBeliefs() = default;
    TermBeliefs(const TermForest& forest, std::span<const bool> is_believed);

    void believe(const double* x, std::vector<Belief>& beliefs) const;
    // The same without their vagueness, which takes time.
    void believe_terms(const double* x, std::vector<Belief>& beliefs) const;
    std::optional<OpenCondition> open(std::span<const Terms> condition,
                                      std::span<const Belief> beliefs) const;
    double probability(const OpenCondition& open, std::span<const Belief> beliefs) const;

  private:
    std::optional<TermForest> forest_;
    std::vector<std::uint32_t> features_;  // those with beliefs
};

static_assert(MissingValues<TermBeliefs, Terms>);

// Missing values match every interval.
class NoBeliefs {
  public:
    void believe(const double*, std::vector<Belief>&) const {}
    std::optional<OpenCondition> open(std::span<const Bounds>, std::span<const Belief>) const {
        return std::nullopt;
    }
    double probability(const OpenCondition&, std::span<const Belief>) const { return 1; }
};

static_assert(MissingValues<NoBeliefs, Bounds>);

}  // namespace fuzzyucs
