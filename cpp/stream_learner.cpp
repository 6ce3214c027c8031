#include "stream_learner.h"

#include <algorithm>
#include <cstring>

#include "portable_math.h"

namespace fuzzyucs {

namespace {

constexpr double kLeast = 1e-12;

}  // namespace

StreamLearner::StreamLearner(std::span<const std::uint32_t> n_terms,
                             const LinguisticLearner& learner, std::span<const double> steps,
                             double fading)
    : learner_(learner),
      profiles_(n_terms, learner.population().n_classes(), steps),
      fading_(fading),
      merits_(steps.size()),
      shares_(steps.size()),
      last_(n_terms.size()) {
    learner_.keep_new_slots();
}

void StreamLearner::probabilities(const double* x, double* result) {
    say(x);
    const double greatest = *std::max_element(merits_.begin(), merits_.end());
    double total = 0;
    for (std::size_t j = 0; j < merits_.size(); ++j) {
        shares_[j] = portable_exp(merits_[j] - greatest);
        total += shares_[j];
    }
    std::fill_n(result, n_classes(), 0.0);
    for (std::size_t j = 0; j < merits_.size(); ++j) {
        const double share = shares_[j] / total;
        for (std::size_t c = 0; c < n_classes(); ++c) result[c] += share * profiles_.said(j)[c];
    }
}

void StreamLearner::learn(const double* x, Class y) {
    const MatchedRules& matched = say(x);
    for (std::size_t j = 0; j < merits_.size(); ++j) {
        merits_[j] = fading_ * merits_[j] + portable_log(std::max(profiles_.said(j)[y], kLeast));
    }
    profiles_.learn(matched, y);
    learner_.step_matched(y);
    for (const Slot slot : learner_.new_slots()) profiles_.clear(slot);
    learner_.new_slots().clear();
}

void StreamLearner::move_terms(std::size_t feature, const MovedTerms& moved) {
    learner_.rewrite(feature, [&](Terms condition) { return moved.rewritten(condition); });
    profiles_.move_terms(feature, moved);
}

const MatchedRules& StreamLearner::say(const double* x) {
    const std::size_t size = last_.size() * sizeof(double);
    if (!learner_.has_match() || std::memcmp(x, last_.data(), size) != 0) {
        std::memcpy(last_.data(), x, size);
        profiles_.say(x, learner_.match(x), learner_.population().n_slots());
    }
    return learner_.last_match();
}

}  // namespace fuzzyucs
