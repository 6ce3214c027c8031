#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonalities.h"
#include "concepts.h"
#include "dempster_shafer.h"
#include "interval_matcher.h"
#include "linguistic_matcher.h"
#include "matched_rules.h"
#include "missing_values.h"
#include "open_rules.h"
#include "rule.h"
#include "slots.h"

namespace fuzzyucs {

enum class Scheme { dempster_shafer, vote, single_winner };

// Fitted rules, frozen for the test phase. All methods are const and keep their working memory in
// a Scratch, so that threads can share the rules.
template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
class Inference {
  public:
    using Gene = typename Conditions::Gene;

    // Arrays as in RuleSet, one row per rule.
    struct Rules {
        std::span<const Gene> conditions;
        std::span<const double> weights;
        std::span<const double> fitness;
        std::span<const double> strength;   // how often the evidence of a rule counts
        std::span<const double> ignorance;  // what it leaves on Theta where it matches fully
        std::span<const Class> consequent;
    };

    // The order of the rules changes no result beyond the rounding of sums. The matcher comes
    // without rules.
    Inference(Conditions matcher, Missing missing, std::size_t n_classes, const Rules& rules);

    std::size_t n_rules() const { return given_index_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_features() const { return matcher_.n_features(); }

    struct Winner {
        std::int64_t rule;
        Class consequent;
        double degree;
    };

    struct Scratch {
        explicit Scratch(const Inference& rules);

        typename Conditions::Input input;
        MatchedRules matched;
        std::vector<Belief> beliefs;
        std::vector<OpenRule> open_rules;
        OpenRuleCombiner open_rule_combiner;
        std::vector<DempsterShafer::Portion> portions;
        Commonalities product;
        Commonalities expected;  // the same under a prior, if that makes a difference
        std::vector<double> scores;
        std::vector<Class> best;
        std::vector<Winner> tied;
        std::vector<std::uint32_t> order;
    };

    // The class inferred. Ties, and inputs that no rule matches, are drawn uniformly.
    Class predict(const double* x, Scheme scheme, std::uint64_t seed, Scratch& scratch) const;

    // Sum of mu * F * num of the matching rules of each class.
    void votes(const double* x, double* scores, Scratch& scratch) const;

    // The rule with the largest mu * F; no rule (-1) if none matches.
    Winner winner(const double* x, std::uint64_t seed, Scratch& scratch) const;

    // Logarithms of the commonalities of the classes, then of Theta, before normalisation. The
    // prior matters for rules that ask for missing values (OpenProduct); it may be empty.
    void log_commonalities(const double* x, std::span<const double> prior, double* logs,
                           Scratch& scratch) const;

    // Dempster's rule over all micro-rules: masses of the classes, then of Theta. Returns
    // log(1 - K), the logarithm of what the sources agree on.
    double masses(const double* x, double* masses, Scratch& scratch) const;

    // All results of Dempster's rule from a single combination.
    struct Evidence {
        double* masses;
        double* log_agreement;
        double* log_commonalities;
    };
    Class dempster_shafer(const double* x, std::uint64_t seed, std::span<const double> prior,
                          const Evidence& evidence, Scratch& scratch) const;

    // Dempster's rule by the arithmetic of the article's program, which draws the class where it
    // loses all mass. Rules count in the order given.
    Class stepwise(const double* x, std::uint64_t seed, double* masses, double* log_agreement,
                   Scratch& scratch) const;

    // The class with most votes, and the votes.
    Class vote(const double* x, std::uint64_t seed, double* scores, Scratch& scratch) const;

    // The winner with its class; if no rule matches, the class is drawn.
    Winner single_winner(const double* x, std::uint64_t seed, Scratch& scratch) const;

    // Degrees of all rules, in their given order; of conditions on missing values, as far as they
    // are believed.
    void membership(const double* x, double* degrees, Scratch& scratch) const;

  private:
    void match(const double* x, Scratch& scratch) const;
    void match_as_believed(const double* x, Scratch& scratch) const;
    void set_open_rules_aside(Scratch& scratch) const;
    void combine_closed_rules(const double* x, Scratch& scratch) const;
    void combine(const double* x, std::span<const double> prior, Scratch& scratch) const;
    Class draw_best(const double* x, std::uint64_t seed, const Scratch& scratch) const;

    std::size_t n_classes_;
    Conditions matcher_;
    Missing missing_;
    DempsterShafer dempster_shafer_;
    std::vector<Plane> alive_;
    std::vector<std::uint32_t> given_index_;  // by slot
    std::vector<double> fitness_;
    std::vector<double> vote_;
    std::vector<Class> consequent_;
};

// The two kinds of conditions, compiled in inference.cpp.
using LinguisticInference = Inference<LinguisticMatcher, TermBeliefs>;
using IntervalInference = Inference<IntervalMatcher, NoBeliefs>;

}  // namespace fuzzyucs
