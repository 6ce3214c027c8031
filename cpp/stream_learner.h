#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learner.h"
#include "moved_terms.h"
#include "online_profiles.h"

namespace fuzzyucs {

// Fuzzy-UCS evolves rules, and profiles learn what they say beside the terms of features. If there
// are not too many, pairs of terms have profiles, too, in a group of their own. There are several
// profiles in a group, with steps of other sizes; all count as much as they were right about the
// latest examples.
class StreamLearner {
  public:
    StreamLearner(std::span<const std::uint32_t> n_terms, const LinguisticLearner& learner,
                  std::span<const double> steps, double fading);

    LinguisticLearner& learner() { return learner_; }
    // Those of evolved rules, and those of pairs.
    std::vector<OnlineProfiles>& groups() { return groups_; }
    // Of the profiles of one group after the other.
    std::vector<double>& merits() { return merits_; }
    std::size_t n_steps() const { return groups_[0].n_steps(); }
    std::size_t n_classes() const { return groups_[0].n_classes(); }
    std::size_t n_features() const { return learner_.representation().n_features(); }

    void probabilities(const double* x, double* result);
    void learn(const double* x, Class y);

    // The terms of a feature have moved with its range.
    void move_terms(std::size_t feature, const MovedTerms& moved);

  private:
    static constexpr std::size_t kMostPairs = 5000;

    const double* said(std::size_t profile) const {
        return groups_[profile / n_steps()].said(profile % n_steps());
    }

    // Finds what the profiles say of an example, which is often learned right after a prediction.
    void say(const double* x);
    // Calls work(group, evolved rules that it counts).
    template <class Work>
    void for_each_group(Work&& work);

    LinguisticLearner learner_;
    std::vector<OnlineProfiles> groups_;
    double fading_;
    std::vector<double> merits_;  // logarithms of probabilities, the older the less
    std::vector<double> shares_;
    const MatchedRules no_rules_;
    std::vector<double> last_;  // the example that was said something of
};

}  // namespace fuzzyucs
