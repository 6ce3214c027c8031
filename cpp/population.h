#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "rng.h"
#include "rule.h"
#include "settings.h"
#include "slots.h"

namespace fuzzyucs {

// The living rules: their slots, their numerosity, their class, and who has to go.
//
// A step touches many rules but only adds to them. Fitness and deletion votes follow from what was
// added, so they are worked out when somebody asks: fitness on each call, votes for all rules
// touched since the last deletion (`settle`). Sums over the population are kept in integers
// (votes in 2^-16, fitness in 2^-30): they don't depend on the order of summation, and so can be
// updated instead of recomputed.
template <class Life>
class Population {
  public:
    using Rule = typename Life::Rule;

    Population(std::size_t n_classes, const Settings& settings)
        : n_classes_(n_classes),
          settings_(settings),
          life_(settings),
          least_subsumer_weight_((1 - 1e-9) * life_.least_accurate_weight()) {}

    const Life& life() const { return life_; }
    std::size_t n_classes() const { return n_classes_; }
    std::int64_t n_rules() const { return n_rules_; }
    std::int64_t n_micro_rules() const { return n_micro_rules_; }
    std::span<const Plane> alive() const { return alive_; }
    const Plane& of_class(std::size_t block, Class y) const {
        return of_class_[block * n_classes_ + y];
    }
    // The rules that an equal condition makes identical to one of class y.
    const Plane& possible_twins(std::size_t block, Class y) const {
        return Life::kOwnsClass ? of_class(block, y) : alive_[block];
    }
    Rule& operator[](Slot slot) { return rules_[slot]; }
    const Rule& operator[](Slot slot) const { return rules_[slot]; }
    bool is_alive(Slot slot) const { return alive_[slot / kBlockSlots].test(slot % kBlockSlots); }
    bool is_full() const { return n_rules_ == static_cast<std::int64_t>(rules_.size()); }

    void add_block() {
        alive_.emplace_back();
        touched_.emplace_back();
        of_class_.resize(of_class_.size() + n_classes_);
        rules_.resize(rules_.size() + kBlockSlots);
        class_rows_.resize(class_rows_.size() + kBlockSlots * n_classes_);
        first_weights_.resize(first_weights_.size() + kBlockSlots * n_classes_);
        fitness_units_.resize(fitness_units_.size() + kBlockSlots);
        votes_.resize(votes_.size() + kBlockSlots);
        chunk_votes_.resize(chunk_votes_.size() + kBlockSlots / kChunk);
        weak_.emplace_back();
    }

    // Puts a rule into the lowest free slot. `class_row` is what write_weights() gives until the
    // rule gains experience; for a rule that has some, its class experience.
    Slot insert(const Rule& rule, std::span<const double> class_row) {
        const Slot slot = lowest_free_slot();
        const std::size_t block = slot / kBlockSlots, i = slot % kBlockSlots;
        rules_[slot] = rule;
        const auto row = this->class_row(slot);
        if (rule.experience == 0) {
            std::fill(row.begin(), row.end(), 0.0);
            std::copy(class_row.begin(), class_row.end(), &first_weights_[slot * n_classes_]);
        } else {
            std::copy(class_row.begin(), class_row.end(), row.begin());
        }
        alive_[block].set(i, true);
        touched_[block].set(i, true);
        of_class_[block * n_classes_ + rule.consequent].set(i, true);
        ++n_rules_;
        n_micro_rules_ += rule.numerosity;
        return slot;
    }

    void remove(Slot slot) {
        const std::size_t block = slot / kBlockSlots, i = slot % kBlockSlots;
        alive_[block].set(i, false);
        touched_[block].set(i, false);
        weak_[block].set(i, false);
        of_class_[block * n_classes_ + rules_[slot].consequent].set(i, false);
        --n_rules_;
        n_micro_rules_ -= rules_[slot].numerosity;
        total_fitness_units_ -= fitness_units_[slot];
        fitness_units_[slot] = 0;
        set_vote(slot, 0);
        first_free_ = std::min(first_free_, block);
    }

    void change_numerosity(Slot slot, std::int32_t change) {
        rules_[slot].numerosity += static_cast<std::uint32_t>(change);
        n_micro_rules_ += change;
        touched_[slot / kBlockSlots].set(slot % kBlockSlots, true);
    }

    // The updates below are about to happen to these slots.
    void touch(std::size_t block, const Plane& slots) { touched_[block].unite(slots); }

    // A rule of the correct set has matched an input of its own class.
    const Rule& update_correct(Slot slot, double degree, double set_size) {
        const double gain = life_.gain(degree);
        Rule& rule = rules_[slot];
        rule.experience += gain;
        rule.correct += gain;
        life_.join_correct_set(rule, set_size);
        return rule;
    }

    // A rule has matched an input of another class than its own.
    void update_other(Slot slot, double degree, Class y) {
        const double gain = life_.gain(degree);
        Rule& rule = rules_[slot];
        rule.experience += gain;
        double& other = class_rows_[slot * n_classes_ + y];
        other += gain;
        if constexpr (!Life::kOwnsClass) {
            if (other >= rule.correct) reconsider_consequent(slot, y);
        }
    }

    bool may_subsume(const Rule& rule) const {
        return seems_subsumer(rule) && life_.is_accurate(rule);
    }

    // Cheap and branch-free, but lets through a rule whose fitness is a trifle too low.
    bool seems_subsumer(const Rule& rule) const {
        return (rule.experience > settings_.subsumption_experience) &
               (rule.correct > least_subsumer_weight_ * rule.experience);
    }

    // Roulette over the whole population; one micro-rule of the loser goes. Returns the slot if
    // it was the rule's last, else kNoSlot.
    Slot delete_one(Rng& rng) {
        settle();
        const Slot loser = spin(rng);
        if (rules_[loser].numerosity > 1) {
            change_numerosity(loser, -1);
            return kNoSlot;
        }
        remove(loser);
        return loser;
    }

    // cm, with the consequent's own entry up to date.
    void write_class_experience(Slot slot, double* row) const {
        const auto stored = class_row(slot);
        std::copy(stored.begin(), stored.end(), row);
        row[rules_[slot].consequent] = rules_[slot].correct;
    }

    // v: the share of each class in the experience, or the first weights until there is some.
    void write_weights(Slot slot, double* row) const {
        const Rule& rule = rules_[slot];
        if (rule.experience == 0) {
            std::copy_n(&first_weights_[slot * n_classes_], n_classes_, row);
            return;
        }
        write_class_experience(slot, row);
        for (std::size_t c = 0; c < n_classes_; ++c) row[c] /= rule.experience;
    }

    // v of a newborn child: its parent's, or none in particular if it may have another class.
    void write_child_weights(Slot parent, double* row) const {
        if constexpr (Life::kOwnsClass) {
            std::fill_n(row, n_classes_, 1 / static_cast<double>(n_classes_));
        } else {
            write_weights(parent, row);
        }
    }

  private:
    static constexpr double kVoteUnits = 0x1p16;
    static constexpr double kFitnessUnits = 0x1p30;
    static constexpr double kLeastFitness = 1e-12;
    static constexpr std::size_t kChunk = 64;  // slots whose votes have a common sum

    std::span<double> class_row(Slot slot) { return {&class_rows_[slot * n_classes_], n_classes_}; }
    std::span<const double> class_row(Slot slot) const {
        return {&class_rows_[slot * n_classes_], n_classes_};
    }

    Slot lowest_free_slot() {
        for (;; ++first_free_) {
            const auto& words = alive_[first_free_].words;
            for (std::size_t w = 0; w < words.size(); ++w) {
                if (~words[w]) {
                    return static_cast<Slot>(first_free_ * kBlockSlots + 64 * w +
                                             static_cast<std::size_t>(std::countr_one(words[w])));
                }
            }
        }
    }

    // Another class has caught up with the consequent; of equals the first is the consequent.
    void reconsider_consequent(Slot slot, Class y) {
        Rule& rule = rules_[slot];
        if (class_row(slot)[y] == rule.correct && rule.consequent < y) return;
        Plane* planes = &of_class_[slot / kBlockSlots * n_classes_];
        planes[rule.consequent].set(slot % kBlockSlots, false);
        planes[y].set(slot % kBlockSlots, true);
        const auto row = class_row(slot);
        row[rule.consequent] = rule.correct;
        rule.consequent = y;
        rule.correct = row[y];
    }

    void set_vote(Slot slot, std::int64_t vote) {
        chunk_votes_[slot / kChunk] += vote - votes_[slot];
        votes_[slot] = vote;
    }

    double vote(const Rule& rule) const { return rule.set_size.value() * rule.numerosity; }

    // Brings the votes, the sum of fitness and the weak rules up to date.
    void settle() {
        for (std::size_t block = 0; block < touched_.size(); ++block) {
            for (std::size_t w = 0; w < touched_[block].words.size(); ++w) {
                settle_word(block * kBlockSlots + 64 * w, touched_[block].words[w],
                            weak_[block].words[w]);
                touched_[block].words[w] = 0;
            }
        }
    }

    void settle_word(std::size_t first, std::uint64_t touched, std::uint64_t& weak) {
        std::uint64_t now_weak = weak & ~touched;
        std::int64_t votes_change = 0, units_change = 0;
        for_each_bit(touched, first, [&](Slot slot) {
            const Rule& rule = rules_[slot];
            const double strength = life_.strength(rule);
            const auto units = static_cast<std::int32_t>(std::llrint(strength * kFitnessUnits));
            units_change += std::int64_t{units} - fitness_units_[slot];
            fitness_units_[slot] = units;
            const std::int64_t votes = std::llrint(vote(rule) * kVoteUnits);
            votes_change += votes - votes_[slot];
            votes_[slot] = votes;
            // Deletion compares with a mean of at most 1: no other rule can be penalised.
            const bool is_weak = (rule.experience > settings_.deletion_experience) &
                                 (life_.worth(rule, strength) < settings_.deletion_fraction);
            now_weak |= std::uint64_t{is_weak} << (slot % 64);
        });
        weak = now_weak;
        chunk_votes_[first / kChunk] += votes_change;
        total_fitness_units_ += units_change;
    }

    // Experienced rules of low fitness get a heavier vote; they come first on the wheel.
    Slot spin(Rng& rng) {
        const double mean_strength = static_cast<double>(total_fitness_units_) / kFitnessUnits /
                                     static_cast<double>(n_micro_rules_);
        double penalised_total = 0;
        penalised_.clear();
        for (std::size_t block = 0; block < weak_.size() && mean_strength > 0; ++block) {
            for_each_slot(weak_[block], block, [&](Slot slot) {
                const Rule& rule = rules_[slot];
                const double strength = life_.strength(rule);
                if (life_.worth(rule, strength) < settings_.deletion_fraction * mean_strength) {
                    penalised_total +=
                        vote(rule) * (mean_strength / std::max(strength, kLeastFitness));
                    penalised_.push_back({slot, votes_[slot], penalised_total});
                    set_vote(slot, 0);
                }
            });
        }
        std::int64_t total = 0;
        for (const std::int64_t votes : chunk_votes_) total += votes;
        const double spot =
            rng.uniform() * (penalised_total + static_cast<double>(total) / kVoteUnits);
        const auto target = static_cast<std::int64_t>((spot - penalised_total) * kVoteUnits);
        const Slot loser = spot < penalised_total || total == 0
                               ? penalised_slot_at(spot)
                               : slot_at(std::min(target, total - 1));
        for (const Penalised& rule : penalised_) set_vote(rule.slot, rule.votes);
        return loser;
    }

    Slot penalised_slot_at(double spot) const {
        for (const Penalised& rule : penalised_) {
            if (rule.running_total > spot) return rule.slot;
        }
        return penalised_.back().slot;
    }

    Slot slot_at(std::int64_t target) const {
        std::size_t chunk = 0;
        for (; chunk_votes_[chunk] <= target; ++chunk) target -= chunk_votes_[chunk];
        std::size_t slot = chunk * kChunk;
        for (; votes_[slot] <= target; ++slot) target -= votes_[slot];
        return static_cast<Slot>(slot);
    }

    struct Penalised {
        Slot slot;
        std::int64_t votes;
        double running_total;
    };

    std::size_t n_classes_;
    Settings settings_;
    Life life_;
    double least_subsumer_weight_;  // below it the fitness need not be worked out
    std::vector<Plane> alive_;
    std::vector<Plane> touched_;
    std::vector<Plane> weak_;
    std::vector<Plane> of_class_;
    std::vector<Rule> rules_;
    std::vector<double> class_rows_;           // cm
    std::vector<double> first_weights_;        // v until a rule has experience
    std::vector<std::int32_t> fitness_units_;  // F^nu in multiples of 2^-30
    std::vector<std::int64_t> votes_;
    std::vector<std::int64_t> chunk_votes_;
    std::vector<Penalised> penalised_;
    std::int64_t n_rules_ = 0;
    std::int64_t n_micro_rules_ = 0;
    std::int64_t total_fitness_units_ = 0;
    std::size_t first_free_ = 0;
};

}  // namespace fuzzyucs
