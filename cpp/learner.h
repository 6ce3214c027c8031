#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "concepts.h"
#include "crisp_policy.h"
#include "fuzzy_policy.h"
#include "gap_closer.h"
#include "interval_matcher.h"
#include "linguistic_matcher.h"
#include "matched_rules.h"
#include "population.h"
#include "rng.h"
#include "settings.h"
#include "slots.h"
#include "tournament.h"

namespace fuzzyucs {

// Counts of what happened during training, for progress reports.
struct Events {
    std::int64_t covered = 0;
    std::int64_t subsumed = 0;
    std::int64_t evolved = 0;
};

// Supervised learning of rules, one example at a time: Algorithm 1. The representation knows
// conditions (how they match, cover and recombine), the policy the statistics of a rule, and the
// population which rules are in use.
template <Representation Conditions, RulePolicy Policy>
class Learner {
  public:
    using Gene = typename Conditions::Gene;
    using Rule = typename Policy::Rule;

    Learner(Conditions representation, std::size_t n_classes, const Settings& settings, Rng rng);

    const Conditions& representation() const { return representation_; }
    const Population<Policy>& population() const { return population_; }
    const Events& events() const { return events_; }
    const Rng& rng() const { return rng_; }
    // For those that keep something for each slot: rules that were moved to other slots by the last
    // step, or match, before they were listed, and the slots of rules that the step inserted. None
    // unless they are noted.
    struct SlotChanges {
        std::vector<GapCloser::Run> moved;
        std::vector<Slot> inserted;
    };
    const SlotChanges& slot_changes() const { return slot_changes_; }
    void note_slot_changes() { notes_slot_changes_ = true; }
    std::int64_t time() const { return time_; }
    void set_time(std::int64_t time) { time_ = time; }
    void set_rng(const Rng& rng) { rng_ = rng; }

    // A random order for one epoch: a fresh one, or, as published, the same for all.
    std::span<const std::uint32_t> draw_order(std::size_t n_rows);

    // Learns from one example.
    void step(const double* x, Class y);
    // The same, of the example that match() has found the rules of, and nothing has happened since.
    void step_matched(Class y);

    // What the rules with more than some experience say as they are, between two steps: the sums of
    // mu * F * num for each class,
    void votes(const double* x, double least_experience, double* scores);
    // the rules that match,
    const MatchedRules& match(const double* x);
    bool has_match() const { return has_match_; }
    const MatchedRules& last_match() const { return all_; }
    // and logarithms of the commonalities of the classes, then of Theta, before normalisation.
    void log_commonalities(const double* x, double least_experience, double* logs);

    // Adds a rule with its statistics, as the youngest one.
    void restore(std::span<const Gene> condition, const Rule& rule,
                 std::span<const double> class_row);

    // Replaces the conditions on a feature by what `rewritten` makes of them.
    template <class Rewrite>
    void rewrite(std::size_t feature, Rewrite&& rewritten);

    // Joins rules that were learned apart: accurate ones absorb more special ones of their class,
    // and deletion goes on until the population is not crowded any more.
    void condense();

  private:
    void prepare_step();
    void make_room(std::size_t n_rules);
    Slot insert(std::span<const Gene> condition, const Rule& rule,
                std::span<const double> class_row);
    void reserve_sets();
    Plane match_block(std::size_t block) const;
    void find_degrees(MatchedRules& rules) const;
    void form_match_set(Class y);
    void divide_match_set(Class y);
    void learn_from_match_set(Class y);
    void match_experienced(const double* x, double least_experience);
    bool needs_covering() const;
    void cover(Class y);
    void update(Class y);
    void subsume_correct_set();
    bool is_more_general(Slot general, Slot specific) const;
    void absorb(Slot subsumer, Slot absorbed);
    bool is_ga_due() const;
    bool find_parents();
    void evolve();
    void mutate_class(Rule& rule);
    void add_child(std::span<const Gene> condition, const Rule& rule,
                   std::span<const double> class_row, const std::array<Slot, 2>& parents);
    Slot delete_if_crowded();

    Settings settings_;
    Conditions representation_;
    Population<Policy> population_;
    typename Conditions::Input input_;
    Rng rng_;
    std::int64_t time_ = 0;
    Events events_;
    bool matches_everything_;
    std::vector<std::uint32_t> order_;
    bool notes_slot_changes_ = false;
    SlotChanges slot_changes_;

    std::vector<Plane> matched_;
    MatchedRules all_;             // [M], as match() has found it
    bool has_match_ = false;       // whether it is that of the input and the rules as they are
    MatchedRules correct_;         // [C]
    MatchedRules others_;          // the rest of [M]
    std::vector<Slot> subsumers_;  // rules of [C] that may be able to subsume
    std::size_t n_subsumers_ = 0;
    std::int64_t set_size_ = 0;
    std::int64_t stamp_total_ = 0;
    Tournament tournament_;
    std::array<std::vector<Gene>, 2> children_;
    typename Conditions::Code code_;  // of the condition that insert() adds
    std::vector<double> class_row_;
    std::vector<double> second_class_row_;
};

template <Representation Conditions, RulePolicy Policy>
template <class Rewrite>
void Learner<Conditions, Policy>::rewrite(std::size_t feature, Rewrite&& rewritten) {
    has_match_ = false;
    for (std::size_t block = 0; block < population_.alive().size(); ++block) {
        for_each_slot(population_.alive()[block], block, [&](Slot slot) {
            const auto condition = representation_.condition(slot);
            const Gene gene = rewritten(condition[feature]);
            if (gene == condition[feature]) return;
            std::copy(condition.begin(), condition.end(), children_[0].begin());
            children_[0][feature] = gene;
            representation_.encode(children_[0], code_);
            representation_.assign(slot, children_[0], code_);
        });
    }
}

// The two systems, compiled in learner.cpp.
using LinguisticLearner = Learner<LinguisticMatcher, FuzzyPolicy>;
using IntervalLearner = Learner<IntervalMatcher, CrispPolicy>;

}  // namespace fuzzyucs
