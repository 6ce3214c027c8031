#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matched_rules.h"
#include "moved_terms.h"
#include "rule.h"
#include "slots.h"

namespace fuzzyucs {

// What rules say about each class, as amounts that add up to the logarithms of odds, learned by
// gradient steps on the log-loss, one example at a time. Evolved rules lie in slots; besides them
// there are fixed rules: one has no condition, each term of each feature is one with a single
// condition, and each pair of terms of two features may be one with two conditions.
//
// There are several profiles of each rule, which learn with steps of other sizes. They lie side by
// side, in a row: what matches is read and changed once for all of them.
class OnlineProfiles {
  public:
    // The size of a step is the share of the error of an example that it takes back.
    OnlineProfiles(std::span<const std::uint32_t> n_terms, std::size_t n_classes,
                   std::span<const double> steps, bool has_pairs);

    // Number of pairs of terms of two features.
    static std::size_t n_pairs(std::span<const std::uint32_t> n_terms);

    std::size_t n_steps() const { return steps_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_fixed() const { return fixed_.size() / row_size_; }

    // Makes room for evolved rules.
    void reserve(std::size_t n_slots);

    // Finds probabilities of the classes, of an example and the evolved rules that match it,
    void say(const double* x, const MatchedRules& rules);
    // which the profiles with one of the steps have given,
    const double* said(std::size_t step) const { return &said_[step * n_classes_]; }
    // and learns from the same example.
    void learn(const MatchedRules& rules, Class y);

    // Rules of neighbouring slots have moved to lower ones.
    void move(Slot from, Slot to, Slot n_rules);

    // A slot has a new rule, which says nothing yet.
    void clear(Slot slot);

    // The terms of a feature have moved: they say at their peaks what was said there before.
    void move_terms(std::size_t feature, const MovedTerms& moved);

    // The amounts of a rule, with one of the steps.
    std::span<double> of_fixed(std::size_t step, std::size_t rule) {
        return {&fixed_[rule * row_size_ + step * n_classes_], n_classes_};
    }
    std::span<double> of_rule(std::size_t step, Slot slot) {
        reserve(slot + std::size_t{1});
        return {&of_rules_[slot * row_size_ + step * n_classes_], n_classes_};
    }

  private:
    void find_fixed(const double* x);
    void find_pairs();
    void move_line(std::size_t first, std::size_t stride, const MovedTerms& moved);

    std::size_t n_classes_;
    std::vector<double> steps_;
    std::size_t row_size_;  // amounts for each step and class, by fours
    bool has_pairs_;
    std::vector<std::uint32_t> sizes_;  // numbers of terms
    std::vector<Slot> firsts_;          // rows of the first terms; then that of the first pair
    std::vector<double> fixed_;
    std::vector<double> of_rules_;
    MatchedRules active_;            // the fixed rules that match, by their rows
    std::vector<std::size_t> ends_;  // of the terms of each feature among them
    std::vector<double> said_;
    std::vector<double> errors_;
};

}  // namespace fuzzyucs
