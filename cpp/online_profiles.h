#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matched_rules.h"
#include "rule.h"
#include "slots.h"

namespace fuzzyucs {

// What rules say about each class, as amounts that add up to the logarithms of odds, learned by
// gradient steps on the log-loss, one example at a time. Evolved rules lie in slots; besides them
// each term of each feature is a rule with one condition, and one rule has none.
class OnlineProfiles {
  public:
    // The size of a step is the share of the error of an example that it takes back.
    OnlineProfiles(std::span<const std::uint32_t> n_terms, std::size_t n_classes, double step);

    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_terms() const { return of_terms_.size() / n_classes_; }

    // Probabilities of the classes, of an example and the rules that match it.
    void probabilities(const double* x, const MatchedRules& rules, double* result) const;

    // Learns from an example whose probabilities were `said`.
    void learn(const double* x, const MatchedRules& rules, Class y, const double* said);

    // Rules of neighbouring slots have moved to lower ones.
    void move(Slot from, Slot to, Slot n_rules);

    // A slot has a new rule, which says nothing yet.
    void clear(Slot slot);

    std::span<double> of_rule(Slot slot);
    std::span<double> of_terms() { return of_terms_; }
    std::span<double> of_all() { return of_all_; }

  private:
    // Calls visit(row of amounts, degree) for all terms that a row belongs to.
    template <class Visit>
    void visit_terms(const double* x, Visit&& visit) const;

    std::size_t n_classes_;
    double step_;
    std::vector<std::uint32_t> sizes_;
    std::vector<double> of_all_;
    std::vector<double> of_terms_;
    std::vector<double> of_rules_;
    std::vector<double> error_;
};

}  // namespace fuzzyucs
