#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learner.h"
#include "moved_terms.h"
#include "online_profiles.h"

namespace fuzzyucs {

// Fuzzy-UCS evolves rules, and several profiles learn what they say, with steps of other sizes. The
// profiles count as much as they were right about the latest examples.
class StreamLearner {
  public:
    StreamLearner(std::span<const std::uint32_t> n_terms, const LinguisticLearner& learner,
                  std::span<const double> steps, double fading);

    LinguisticLearner& learner() { return learner_; }
    OnlineProfiles& profiles() { return profiles_; }
    std::vector<double>& merits() { return merits_; }
    std::size_t n_classes() const { return profiles_.n_classes(); }
    std::size_t n_features() const { return learner_.representation().n_features(); }

    void probabilities(const double* x, double* result);
    void learn(const double* x, Class y);

    // The terms of a feature have moved with its range.
    void move_terms(std::size_t feature, const MovedTerms& moved);

  private:
    // Finds what the profiles say of an example, which is often learned right after a prediction.
    const MatchedRules& say(const double* x);

    LinguisticLearner learner_;
    OnlineProfiles profiles_;
    double fading_;
    std::vector<double> merits_;  // logarithms of probabilities, the older the less
    std::vector<double> shares_;
    std::vector<double> last_;  // the example that was said something of
};

}  // namespace fuzzyucs
