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
    : learner_(learner), fading_(fading), last_(n_terms.size()) {
    const std::size_t n_classes = learner.population().n_classes();
    const std::size_t n_pairs = OnlineProfiles::n_pairs(n_terms);
    groups_.emplace_back(n_terms, n_classes, steps, false);
    if (n_pairs > 0 && n_pairs <= kMostPairs) groups_.emplace_back(n_terms, n_classes, steps, true);
    merits_.resize(groups_.size() * steps.size());
    shares_.resize(merits_.size());
    learner_.note_slot_changes();
}

template <class Work>
void StreamLearner::for_each_group(Work&& work) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        work(groups_[g], g == 0 ? learner_.last_match() : no_rules_);
    }
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
        for (std::size_t c = 0; c < n_classes(); ++c) result[c] += share * said(j)[c];
    }
}

void StreamLearner::learn(const double* x, Class y) {
    say(x);
    for (std::size_t j = 0; j < merits_.size(); ++j) {
        merits_[j] = fading_ * merits_[j] + portable_log(std::max(said(j)[y], kLeast));
    }
    for_each_group(
        [&](OnlineProfiles& group, const MatchedRules& rules) { group.learn(rules, y); });
    learner_.step_matched(y);
    for (const Slot slot : learner_.slot_changes().inserted) groups_[0].clear(slot);
}

void StreamLearner::move_terms(std::size_t feature, const MovedTerms& moved) {
    learner_.rewrite(feature, [&](Terms condition) { return moved.rewritten(condition); });
    for (OnlineProfiles& group : groups_) group.move_terms(feature, moved);
}

void StreamLearner::say(const double* x) {
    const std::size_t size = last_.size() * sizeof(double);
    if (learner_.has_match() && std::memcmp(x, last_.data(), size) == 0) return;
    std::memcpy(last_.data(), x, size);
    learner_.match(x);
    groups_[0].reserve(learner_.population().n_slots());
    for (const auto& run : learner_.slot_changes().moved) {
        groups_[0].move(run.from, run.to, run.size);
    }
    for_each_group([&](OnlineProfiles& group, const MatchedRules& rules) { group.say(x, rules); });
}

}  // namespace fuzzyucs
