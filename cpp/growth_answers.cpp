// What rows say about conditions that a rule might have: questions of a growth, and answers.

#include <algorithm>
#include <numeric>

#include "rule_growth.h"

namespace fuzzyucs {

namespace {

constexpr double kLeastGrowth = 1.002;  // of the gain, by another condition
constexpr std::size_t kFeatures = 32;   // that a thread takes at a time

}  // namespace

// The rows that meet a condition, too; those found before the last call are forgotten.
const RowStates& RuleGrowth::restricted(const RowStates& states, const CodedCondition& condition,
                                        Beam& beam) {
    RowStates& found = beam.matched[&states == &beam.matched[0] ? 1 : 0];
    restrict(states, condition, found);
    return found;
}

void RuleGrowth::restrict(const RowStates& states, const CodedCondition& condition,
                          RowStates& found) {
    workers_.pause();
    states.restrict_to(table_.column(condition.feature), degrees_of(condition).data(), found,
                       workers_);
}

// The rows that meet all conditions of a premise.
const RowStates& RuleGrowth::restricted(const CodedPremise& premise) {
    const RowStates* states = &states_;
    for (const CodedCondition& condition : premise) {
        states = &restricted(*states, condition, beams_.front());
    }
    return *states;
}

// Classes that another condition may move, by sums over rows; of few, all.
ClassSlots RuleGrowth::movable(std::span<const Sum> sums, double price) const {
    const SumLayout& layout = measure_.layout();
    if (layout.has_few() || constraints_.has_monotone()) return ClassSlots(layout);
    return {layout, sums, measure_.all, measure_.scale, price};
}

// What a histogram says about a feature.
FoundCondition RuleGrowth::found(const ClassHistogram& histogram, std::size_t feature,
                                 const Question& question, std::size_t thread, double least) {
    return counters_[thread].finder.find(histogram, table_.features[feature], units_[feature],
                                         groups_[feature].of_term, measure_, question.price, least,
                                         direction(question, feature));
}

// Counts rows by the code of a feature.
void RuleGrowth::count(const Question& question, std::span<const Sum> sums, std::size_t feature,
                       ClassHistogram& histogram) const {
    for (const auto& part : question.states->parts) {
        histogram.add(*question.states, part, table_.column(feature), frequent_[feature]);
    }
    if (frequent_[feature] < kCodes) histogram.complete(frequent_[feature], sums);
}

// The best condition on a feature; threads share the rows.
std::vector<FoundCondition> RuleGrowth::answer_about_one(const Question& question) {
    const RowStates& states = *question.states;
    const std::uint32_t feature = question.features.front();
    workers_.pause();
    const auto sums = states.sums(workers_);
    const ClassSlots slots = movable(sums, question.price);
    for (Counter& counter : counters_) counter.histogram.begin(slots);
    workers_.share(states.parts.size(), [&](std::size_t i, std::size_t thread) {
        counters_[thread].histogram.add(states, states.parts[i], table_.column(feature),
                                        frequent_[feature]);
    });
    ClassHistogram& histogram = counters_[0].histogram;
    for (std::size_t i = 1; i < counters_.size(); ++i) histogram.add(counters_[i].histogram);
    if (frequent_[feature] < kCodes) histogram.complete(frequent_[feature], sums);
    return {found(histogram, feature, question, 0)};
}

// The best condition on each of some features, which threads share. Only the best of all has to
// gain more than is asked for, and the first of those that gain as much.
std::vector<FoundCondition> RuleGrowth::answer(const Question& question) {
    if (question.features.size() == 1) return answer_about_one(question);
    // Not structured bindings: lambdas use them, which Clang 14 does not support.
    const RowStates& states = *question.states;
    const auto& features = question.features;
    std::vector<FoundCondition> best(features.size());
    const auto sums = states.sums(workers_);
    const ClassSlots slots = movable(sums, question.price);
    const bool are_few = FewRows::are_few(states);
    std::vector<double> least(workers_.size(), question.least);  // pieces ascend in each thread
    workers_.share(
        (features.size() + kFeatures - 1) / kFeatures, [&](std::size_t piece, std::size_t thread) {
            if (thread == 0) workers_.pause();
            auto& [histogram, finder] = counters_[thread];
            const std::size_t end = std::min((piece + 1) * kFeatures, features.size());
            for (std::size_t i = piece * kFeatures; i < end; ++i) {
                const std::uint32_t f = features[i];
                if (are_few && !table_.features[f].is_nominal) {
                    best[i] = finder.find(states, table_.column(f), slots, table_.features[f],
                                          units_[f], groups_[f].of_term, measure_, question.price,
                                          least[thread], direction(question, f));
                } else {
                    histogram.begin(slots);
                    count(question, sums, f, histogram);
                    best[i] = found(histogram, f, question, thread, least[thread]);
                }
                // With prices, a feature that gains less may be left with more.
                if (question.least > 0 && !constraints_.has_fees()) {
                    least[thread] = std::max(least[thread], best[i].gain);
                }
            }
        });
    return best;
}

// The same for several questions. Machines that share rows exchange what they need for all of them
// in one message.
std::vector<std::vector<FoundCondition>> RuleGrowth::answers(std::span<const Question> questions) {
    std::vector<std::vector<FoundCondition>> found;
    if (!has_others(shared_)) {
        for (const Question& question : questions) found.push_back(answer(question));
        return found;
    }
    const std::size_t n_sums = measure_.layout().size();
    std::vector<std::vector<Sum>> sums;
    std::vector<Sum> of_all;
    for (const Question& question : questions) {
        sums.push_back(question.states->sums(workers_));
        of_all.insert(of_all.end(), sums.back().begin(), sums.back().end());
    }
    if (!measure_.layout().has_few()) {
        shared_->combine({of_all, unknown_});
        know_all();
    }
    struct Piece {
        std::size_t question, number;
        ClassHistogram* histogram;
    };
    std::vector<Piece> pieces;
    std::vector<ClassHistogram*> counted;
    for (std::size_t q = 0; q < questions.size(); ++q) {
        const std::span<const Sum> all(&of_all[q * n_sums], n_sums);
        const ClassSlots slots = movable(all, questions[q].price);
        found.emplace_back(questions[q].features.size());
        for (std::size_t i = 0; i < questions[q].features.size(); ++i) {
            ClassHistogram& histogram = histograms_[pieces.size()];
            histogram.begin(slots);
            pieces.push_back({q, i, &histogram});
            counted.push_back(&histogram);
        }
    }
    workers_.share(pieces.size(), [&](std::size_t i, std::size_t thread) {
        if (thread == 0) workers_.pause();
        const auto& [q, number, histogram] = pieces[i];
        count(questions[q], sums[q], questions[q].features[number], *histogram);
    });
    ClassHistogram::combine(counted, unknown_, *shared_);
    know_all();
    workers_.share(pieces.size(), [&](std::size_t i, std::size_t thread) {
        const auto& [q, number, histogram] = pieces[i];
        found[q][number] =
            this->found(*histogram, questions[q].features[number], questions[q], thread);
    });
    return found;
}

// About conditions on all features.
RuleGrowth::Question RuleGrowth::question(const RowStates& states, double price) const {
    Question question{&states, std::vector<std::uint32_t>(n_features()), price};
    std::iota(question.features.begin(), question.features.end(), 0u);
    return question;
}

// About one more condition, on a partner that the candidate has none on.
RuleGrowth::Question RuleGrowth::question(const RowStates& states,
                                          const Candidate& candidate) const {
    const CodedPremise& premise = candidate.premise;  // Clang 14 captures no structured binding
    Question question{&states, partners_, price(premise.size() + 1), candidate.gain * kLeastGrowth,
                      constraints_.sign_of(premise)};
    std::erase_if(question.features, [&](std::uint32_t f) {
        const auto is_asked = [&](const auto& c) { return c.feature == f; };
        return std::ranges::any_of(premise, is_asked) || !constraints_.may_join(premise, f);
    });
    return question;
}

// Of very many features, those on which a rule of one condition would gain most if it cost nothing:
// others are not looked at when conditions are added, so that it takes no longer with more
// features.
void RuleGrowth::choose_partners() {
    const std::size_t most = settings_.most_partners;
    if (n_features() <= most) return;
    const Question root = question(states_, 0.0);
    const auto conditions = answers({&root, 1}).front();
    partners_ = root.features;
    std::stable_sort(partners_.begin(), partners_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return conditions[a].gain > conditions[b].gain;
    });
    partners_.resize(most);
    std::sort(partners_.begin(), partners_.end());
}

}  // namespace fuzzyucs
