// What rows say about conditions that a rule might have: questions of a growth, and answers.

#include <algorithm>

#include "rule_growth.h"

namespace fuzzyucs {

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
ClassSlots RuleGrowth::movable(std::span<const Sum> sums, std::size_t n_conditions) const {
    const SumLayout& layout = measure_.layout();
    if (layout.has_few() || constraints_.has_monotone()) return ClassSlots(layout);
    return {layout, sums, measure_.all, measure_.scale, price(n_conditions)};
}

// What a histogram says about a feature.
FoundCondition RuleGrowth::found(const ClassHistogram& histogram, std::size_t feature,
                                 const Question& question, std::size_t thread) {
    return counters_[thread].finder.find(
        histogram, table_.features[feature], units_[feature], groups_[feature].of_term, measure_,
        price(question.n_conditions), {constraints_.monotone(feature), question.sign});
}

// Counts rows by the code of a feature.
void RuleGrowth::count(const Question& question, std::span<const Sum> sums, std::size_t feature,
                       ClassHistogram& histogram) const {
    for (const auto& part : question.states->parts) {
        histogram.add(*question.states, part, table_.column(feature), frequent_[feature]);
    }
    if (frequent_[feature] < kCodes) histogram.complete(frequent_[feature], sums);
}

// The best condition on each of some features; threads share the features, or the rows of one.
std::vector<FoundCondition> RuleGrowth::answer(const Question& question) {
    // Not structured bindings: lambdas use them, which Clang 14 does not support.
    const auto& states = question.states;
    const auto& features = question.features;
    const auto n_conditions = question.n_conditions;
    std::vector<FoundCondition> best(features.size());
    workers_.pause();
    const auto sums = states->sums(workers_);
    const ClassSlots slots = movable(sums, n_conditions);
    if (features.size() == 1) {
        const std::uint32_t feature = features.front();
        for (Counter& counter : counters_) counter.histogram.begin(slots);
        workers_.share(states->parts.size(), [&](std::size_t i, std::size_t thread) {
            counters_[thread].histogram.add(*states, states->parts[i], table_.column(feature),
                                            frequent_[feature]);
        });
        ClassHistogram& histogram = counters_[0].histogram;
        for (std::size_t i = 1; i < counters_.size(); ++i) histogram.add(counters_[i].histogram);
        if (frequent_[feature] < kCodes) histogram.complete(frequent_[feature], sums);
        best.front() = found(histogram, feature, question, 0);
        return best;
    }
    workers_.share(features.size(), [&](std::size_t i, std::size_t thread) {
        if (thread == 0) workers_.pause();
        ClassHistogram& histogram = counters_[thread].histogram;
        histogram.begin(slots);
        count(question, sums, features[i], histogram);
        best[i] = found(histogram, features[i], question, thread);
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
        const ClassSlots slots = movable(all, questions[q].n_conditions);
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

// About conditions on the features that a premise has none on.
RuleGrowth::Question RuleGrowth::question(const RowStates& states,
                                          const CodedPremise& premise) const {
    Question question{&states, {}, premise.size() + 1, constraints_.sign_of(premise)};
    for (std::uint32_t f = 0; f < n_features(); ++f) {
        const auto is_asked = [&](const CodedCondition& c) { return c.feature == f; };
        if (std::ranges::any_of(premise, is_asked)) continue;
        if (constraints_.may_join(premise, f)) question.features.push_back(f);
    }
    return question;
}

}  // namespace fuzzyucs
