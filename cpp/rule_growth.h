#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "class_histogram.h"
#include "class_profiles.h"
#include "code_table.h"
#include "condition_finder.h"
#include "growth_constraints.h"
#include "growth_settings.h"
#include "growth_state.h"
#include "shared_rows.h"
#include "workers.h"

namespace fuzzyucs {

// Grows rules by histograms of all rows, one after the other where the present ones leave most to
// be said, and fits their profiles in between. Nothing is drawn at random, and every decision
// depends on sums over rows in whole numbers, so that the number of threads does not matter.
class RuleGrowth {
  public:
    // Of rows that are shared, the table has those of one machine; every step is taken by all
    // machines together, and has the same result on each.
    RuleGrowth(CodeTable table, const GrowthSettings& settings, std::size_t n_threads,
               MaybeShared shared = nullptr);

    // Called several times a second by `grow` and `settle`, from the thread that called them; what
    // it throws ends them, and leaves the rules that there are.
    void set_pause(std::function<void()> pause) { workers_.pause = std::move(pause); }

    std::size_t n_features() const { return table_.features.size(); }
    std::size_t n_classes() const { return table_.n_classes; }
    std::span<const CodedFeature> features() const { return table_.features; }

    // Adds numbers to the scores of rows, as in ClassProfiles; before rules grow.
    void set_offset(std::vector<double> offset) { profiles_.set_offset(std::move(offset)); }

    // Changes the penalty of a rule, known ones included.
    void set_penalty(double penalty);

    // Adds up to so many rules; returns how many, fewer if no other is worth its penalty.
    std::size_t grow(std::size_t most);

    // Fits the profiles and drops the rules that say nothing; then fits the others with a share of
    // their penalty, which shrinks what they say less.
    bool settle(double tolerance, std::size_t most_sweeps, double relaxed);

    // What another growth in the same rows needs to go on after `settle`, to the last bit. That
    // has to be new.
    GrowthState state() const;
    void go_on_from(const GrowthState& state);

    // Logarithms of odds of all classes for other rows, in codes as in the table.
    std::vector<double> scores(const std::uint8_t* codes, std::size_t n) const;

    std::span<const CodedPremise> rules() const { return rules_; }
    const ClassProfiles& profiles() const { return profiles_; }

  private:
    struct Candidate {
        CodedPremise premise;
        double gain = 0;
    };
    using Groups = GrowthState::Groups;
    // What a thread counts and finds with.
    struct Counter {
        ClassHistogram histogram;
        ConditionFinder finder;
    };
    // Rows that a premise matches, and to which degrees.
    struct Matches {
        std::vector<std::uint32_t> rows;
        std::vector<double> degrees;
    };
    // Rows, to be restricted by another condition: which one gains most of each of some features?
    struct Question {
        const RowStates* states;
        std::vector<std::uint32_t> features;
        double price;      // of a rule with the new condition
        double least = 0;  // what gains no more is of no use
        int sign = 0;      // of the rule, as far as its other conditions fix it
    };
    // The rows that a candidate matches while it grows.
    struct Beam {
        std::array<RowStates, 2> matched;   // by conditions, in turn
        std::array<RowStates, 2> polished;  // by those that were polished, in turn
    };
    using Degrees = std::array<std::uint16_t, kCodes>;

    double price(std::size_t n_conditions) const {
        return penalty_ * (1 + settings_.condition_cost * static_cast<double>(n_conditions));
    }
    // Steps in between cost as much as several rules.
    bool has_many_classes() const { return n_classes() > kManyClasses; }
    void read_states();
    double share_of(const CodedCondition& condition) const;
    Degrees degrees_of(const CodedCondition& condition) const;
    const Matches& matches(const CodedPremise& premise, double neutral, const std::uint8_t* codes,
                           std::size_t n) const;
    double neutral_degree_of(std::span<const Sum> matched) const;
    const RowStates& restricted(const RowStates& states, const CodedCondition& condition,
                                Beam& beam);
    void restrict(const RowStates& states, const CodedCondition& condition, RowStates& found);
    const RowStates& restricted(const CodedPremise& premise);
    Direction direction(const Question& question, std::size_t feature) const {
        return {constraints_.monotone(feature), question.sign};
    }
    ClassSlots movable(std::span<const Sum> sums, double price) const;
    FoundCondition found(const ClassHistogram& histogram, std::size_t feature,
                         const Question& question, std::size_t thread, double least = 0);
    void count(const Question& question, std::span<const Sum> sums, std::size_t feature,
               ClassHistogram& histogram) const;
    std::vector<FoundCondition> answer(const Question& question);
    std::vector<std::vector<FoundCondition>> answers(std::span<const Question> questions);
    std::vector<FoundCondition> answer_about_one(const Question& question);
    Question question(const RowStates& states, double price) const;
    Question question(const RowStates& states, const Candidate& candidate) const;
    void choose_partners();
    std::vector<Sum> all_sums(const RowStates& states);
    void know_all();
    std::vector<Candidate> candidates();
    double gain(const CodedPremise& premise, std::span<const Sum> matched) const;
    // What a premise or a feature costs beside those in use.
    template <class Asked>
    double fee(const Asked& asked) const {
        return constraints_.fee(asked) * measure_.all[0];
    }
    void extend(std::span<Candidate> candidates);
    void polish(std::span<Candidate> candidates);
    bool make_room(const CodedPremise& premise);
    Matches adopt(const CodedPremise& premise, double neutral);

    CodeTable table_;
    GrowthSettings settings_;
    GrowthConstraints constraints_;
    MaybeShared shared_;
    double greatest_weight_;
    Workers workers_;
    ClassProfiles profiles_;
    RowStates states_;
    std::vector<Sum> unknown_;  // sums over all rows of this machine, until others tell theirs
    std::vector<Beam> beams_;
    mutable Matches found_;  // its memory serves again
    GainMeasure measure_;
    std::vector<Counter> counters_;                  // one for each thread
    std::vector<ClassHistogram> histograms_;         // to be combined, if rows are shared
    std::vector<std::vector<std::uint32_t>> units_;  // of each feature, by term
    std::vector<std::size_t> frequent_;              // a code of each feature, or kCodes
    std::vector<Groups> groups_;
    std::vector<std::uint32_t> partners_;  // features that more conditions may be on
    std::vector<CodedPremise> rules_;
    std::set<CodedPremise> known_;
    double penalty_ = 1;
};

}  // namespace fuzzyucs
