#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "concepts.h"
#include "gap_closer.h"
#include "rng.h"
#include "settings.h"
#include "slots.h"

namespace fuzzyucs {

// Chooses the rules to delete, by roulette: the vote of a rule is the mean size of its correct sets
// times its numerosity, and more if it is experienced and of low fitness.
//
// A training step changes the statistics of many rules, but few steps delete one. So a change only
// marks a rule, and draw() brings the votes of all marked rules up to date. Sums over the
// population are kept in integers (votes in 2^-16, powered fitness in 2^-30): they don't depend on
// the order of summation, and so can be updated instead of recomputed.
template <RulePolicy Policy>
class Deletion {
  public:
    using Rule = typename Policy::Rule;

    explicit Deletion(const Settings& settings) : settings_(settings), policy_(settings) {}

    void add_block() {
        touched_.emplace_back();
        weak_.emplace_back();
        fitness_units_.resize(fitness_units_.size() + kBlockSlots);
        votes_.resize(votes_.size() + kBlockSlots);
        chunk_votes_.resize(chunk_votes_.size() + kBlockSlots / kChunk);
    }

    // The statistics of these rules change.
    void touch(Slot slot) { touched_[slot / kBlockSlots].set(slot % kBlockSlots, true); }
    void touch(std::size_t block, const Plane& slots) { touched_[block].unite(slots); }

    void remove(Slot slot) {
        const std::size_t block = slot / kBlockSlots, i = slot % kBlockSlots;
        touched_[block].set(i, false);
        weak_[block].set(i, false);
        total_fitness_units_ -= fitness_units_[slot];
        fitness_units_[slot] = 0;
        set_vote(slot, 0);
    }

    void close_gaps(const GapCloser& gaps) {
        gaps.close(touched_.data(), 1);
        gaps.close(weak_.data(), 1);
        gaps.close(fitness_units_);
        gaps.close(votes_);
        std::fill(fitness_units_.begin() + gaps.n_rules(), fitness_units_.end(), 0);
        std::fill(votes_.begin() + gaps.n_rules(), votes_.end(), 0);
        for (std::size_t chunk = 0; chunk < chunk_votes_.size(); ++chunk) {
            const auto first = votes_.begin() + static_cast<std::ptrdiff_t>(chunk * kChunk);
            chunk_votes_[chunk] = std::accumulate(first, first + kChunk, std::int64_t{0});
        }
    }

    // Draws one of the rules, which lie in `rules` by slot.
    Slot draw(std::span<const Rule> rules, std::int64_t n_micro_rules, Rng& rng) {
        update_votes(rules);
        return spin(rules, n_micro_rules, rng);
    }

  private:
    static constexpr double kVoteUnits = 0x1p16;
    static constexpr double kFitnessUnits = 0x1p30;
    static constexpr double kLeastFitness = 1e-12;
    static constexpr std::size_t kChunk = 64;  // slots whose votes have a common sum

    struct Penalised {
        Slot slot;
        std::int64_t votes;
        double running_total;
    };

    void set_vote(Slot slot, std::int64_t vote) {
        chunk_votes_[slot / kChunk] += vote - votes_[slot];
        votes_[slot] = vote;
    }

    static double vote(const Rule& rule) { return rule.set_size.value() * rule.numerosity; }

    // Brings the votes, the sum of fitness and the weak rules up to date. Not inlined: within
    // larger functions the loop over rules would run out of registers, which costs 5 % of training.
    [[gnu::noinline]] void update_votes(std::span<const Rule> rules) {
        for (std::size_t block = 0; block < touched_.size(); ++block) {
            for (std::size_t w = 0; w < touched_[block].words.size(); ++w) {
                update_votes_of_word(rules, block * kBlockSlots + 64 * w, touched_[block].words[w],
                                     weak_[block].words[w]);
                touched_[block].words[w] = 0;
            }
        }
    }

    void update_votes_of_word(std::span<const Rule> rules, std::size_t first, std::uint64_t touched,
                              std::uint64_t& weak) {
        std::uint64_t now_weak = weak & ~touched;
        std::int64_t votes_change = 0, units_change = 0;
        const Rule* word_rules = &rules[first];
        std::int32_t* word_units = &fitness_units_[first];
        std::int64_t* word_votes = &votes_[first];
        for_each_bit(touched, 0, [&](Slot i) {
            const Rule& rule = word_rules[i];
            const double powered = policy_.powered_fitness(rule);
            const auto units = static_cast<std::int32_t>(std::llrint(powered * kFitnessUnits));
            units_change += std::int64_t{units} - word_units[i];
            word_units[i] = units;
            const std::int64_t votes = std::llrint(vote(rule) * kVoteUnits);
            votes_change += votes - word_votes[i];
            word_votes[i] = votes;
            // The mean that it is compared with is at most 1: no other rule can be penalised.
            const bool is_weak =
                (rule.experience > settings_.deletion_experience) &
                (policy_.deletion_fitness(rule, powered) < settings_.deletion_fraction);
            now_weak |= std::uint64_t{is_weak} << i;
        });
        weak = now_weak;
        chunk_votes_[first / kChunk] += votes_change;
        total_fitness_units_ += units_change;
    }

    // Experienced rules of low fitness get a heavier vote; they come first on the wheel.
    Slot spin(std::span<const Rule> rules, std::int64_t n_micro_rules, Rng& rng) {
        const double mean = static_cast<double>(total_fitness_units_) / kFitnessUnits /
                            static_cast<double>(n_micro_rules);
        double penalised_total = 0;
        penalised_.clear();
        for (std::size_t block = 0; block < weak_.size() && mean > 0; ++block) {
            for_each_slot(weak_[block], block, [&](Slot slot) {
                const Rule& rule = rules[slot];
                const double powered = policy_.powered_fitness(rule);
                if (policy_.deletion_fitness(rule, powered) < settings_.deletion_fraction * mean) {
                    penalised_total += vote(rule) * (mean / std::max(powered, kLeastFitness));
                    penalised_.push_back({slot, votes_[slot], penalised_total});
                    set_vote(slot, 0);
                }
            });
        }
        std::int64_t total = 0;
        for (const std::int64_t votes : chunk_votes_) total += votes;
        const double spot =
            rng.uniform() * (penalised_total + static_cast<double>(total) / kVoteUnits);
        // Below the penalised total, which may be huge, there is no vote to count to.
        const auto target = [&] {
            return static_cast<std::int64_t>((spot - penalised_total) * kVoteUnits);
        };
        const Slot drawn = spot < penalised_total || total == 0
                               ? penalised_slot_at(spot)
                               : slot_at(std::min(target(), total - 1));
        for (const Penalised& rule : penalised_) set_vote(rule.slot, rule.votes);
        return drawn;
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

    Settings settings_;
    Policy policy_;
    std::vector<Plane> touched_;
    std::vector<Plane> weak_;                  // rules that may have to be penalised
    std::vector<std::int32_t> fitness_units_;  // F^nu in multiples of 2^-30
    std::vector<std::int64_t> votes_;
    std::vector<std::int64_t> chunk_votes_;
    std::vector<Penalised> penalised_;
    std::int64_t total_fitness_units_ = 0;
};

}  // namespace fuzzyucs
