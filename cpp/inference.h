#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "linguistic_rule.h"
#include "rule.h"
#include "slots.h"

namespace fuzzyucs {

enum class Scheme { dempster_shafer, vote, single_winner };

// Fitted rules, frozen for the test phase. All methods are const and keep their working memory in
// a Scratch, so that threads can share the rules.
template <class Matcher>
class Inference {
  public:
    using Gene = typename Matcher::Gene;

    // Arrays as in RuleSet, one row per rule. The evidence of a rule counts `strength` times, that
    // is, as often as its numerosity says or as learned; `doubt` is what it leaves on Theta where
    // it matches fully. The order of the rules changes no result beyond the rounding of sums. The
    // matcher comes without rules.
    Inference(Matcher matcher, std::size_t n_classes, std::span<const Gene> conditions,
              std::span<const double> weights, std::span<const double> fitness,
              std::span<const double> strength, std::span<const double> doubt,
              std::span<const Class> consequent);

    std::size_t n_rules() const { return numerosity_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_features() const { return matcher_.n_features(); }

    struct Winner {
        std::int64_t rule;
        Class consequent;
        double degree;
    };

    // Matching rules up to `end`; the product of all so far counts `count` times. Only half of a
    // large portion can be multiplied without a look at the exponent.
    struct Portion {
        std::size_t end;
        std::uint32_t count;
        bool is_large;
    };

    // A rule whose condition asks for missing values: for one of `accepted`, and for others that
    // fit with probability `belief`.
    struct Doubtful {
        Slot slot;
        double degree;
        std::size_t missing;
        std::uint32_t accepted;
        double belief;
    };

    struct Scratch {
        explicit Scratch(const Inference& rules);

        typename Matcher::Input input;
        std::vector<Slot> slots;
        std::vector<double> degrees;
        std::size_t n_matched = 0;
        std::size_t n_whole = 0;       // the first of them, whose strength is a whole number
        std::vector<double> mantissa;  // q = mantissa * 2^exponent, Theta after the classes
        std::vector<std::int64_t> exponent;
        std::vector<Portion> portions;
        std::vector<Doubtful> doubtful;
        std::vector<std::array<double, kMaxTerms>> logs;
        std::vector<Class> best;
        std::vector<Winner> tied;
    };

    // The class inferred. Ties, and inputs that no rule matches, are drawn uniformly.
    Class predict(const double* x, Scheme scheme, std::uint64_t seed, Scratch& scratch) const;

    // Sum of mu * F * num of the matching rules of each class.
    void votes(const double* x, double* scores, Scratch& scratch) const;

    // The rule with the largest mu * F; no rule (-1) if none matches.
    Winner winner(const double* x, std::uint64_t seed, Scratch& scratch) const;

    // Logarithms of the commonalities of the classes, then of Theta, before normalisation. Rules
    // that ask for a missing value speak only as far as it is known; with a prior, they speak for
    // the value it probably has, so that a value that could be any says nothing.
    void log_commonalities(const double* x, std::span<const double> prior, double* logs,
                           Scratch& scratch) const;

    // Dempster's rule over all micro-rules: masses of the classes, then of Theta. Returns
    // log(1 - K), the logarithm of what the sources agree on.
    double masses(const double* x, double* masses, Scratch& scratch) const;

    // Degrees of all rules, in their given order.
    void membership(const double* x, double* degrees, Scratch& scratch) const;

  private:
    void match(const double* x, Scratch& scratch) const;
    void match_as_believed(const double* x, Scratch& scratch) const;
    void set_doubtful_aside(Scratch& scratch) const;
    void multiply_doubtful(std::span<const double> prior, Scratch& scratch) const;
    double log_discounted(const Doubtful& rule, std::size_t column) const;
    void apportion(Scratch& scratch) const;
    void combine(const double* x, std::span<const double> prior, Scratch& scratch) const;
    void multiply_fractions(Scratch& scratch) const;
    template <class Key>
    void keep_best(std::vector<Class>& best, Key&& key) const;
    template <std::size_t Columns>
    void combine_columns(std::size_t first, Scratch& scratch) const;

    std::size_t n_classes_;
    std::size_t greatest_portion_ = 0;
    std::size_t n_columns_;  // classes, Theta and padding
    Matcher matcher_;
    std::vector<Plane> alive_;
    std::vector<std::uint32_t> given_place_;
    std::vector<std::uint32_t> numerosity_;  // strength, if it is a whole number, else 0
    std::vector<double> fraction_;           // strength, if it is none, else 0
    std::vector<double> fitness_;
    std::vector<double> vote_;
    std::vector<Class> consequent_;
    std::vector<double> weights_;
};

}  // namespace fuzzyucs
