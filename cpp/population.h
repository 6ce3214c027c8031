#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "concepts.h"
#include "deletion.h"
#include "gap_closer.h"
#include "rng.h"
#include "rule.h"
#include "settings.h"
#include "slots.h"

namespace fuzzyucs {

// The rules in use: their slots, statistics, numerosity and class. Conditions are kept elsewhere.
// The oldest rule has the lowest slot.
template <RulePolicy Policy>
class Population {
  public:
    using Rule = typename Policy::Rule;

    Population(std::size_t n_classes, const Settings& settings)
        : n_classes_(n_classes),
          settings_(settings),
          policy_(settings),
          deletion_(settings),
          least_subsumer_weight_((1 - 1e-9) * policy_.least_accurate_weight()) {}

    const Policy& policy() const { return policy_; }
    std::size_t n_classes() const { return n_classes_; }
    std::int64_t n_rules() const { return n_rules_; }
    std::int64_t n_micro_rules() const { return n_micro_rules_; }
    std::span<const Plane> alive() const { return alive_; }
    const Plane& of_class(std::size_t block, Class y) const {
        return of_class_[block * n_classes_ + y];
    }
    // The rules that an equal condition makes identical to one of class y.
    const Plane& possible_twins(std::size_t block, Class y) const {
        return Policy::kOwnsClass ? of_class(block, y) : alive_[block];
    }
    Rule& operator[](Slot slot) { return rules_[slot]; }
    const Rule& operator[](Slot slot) const { return rules_[slot]; }
    bool is_alive(Slot slot) const { return alive_[slot / kBlockSlots].test(slot % kBlockSlots); }
    std::size_t n_slots() const { return rules_.size(); }
    // Blocks up to the last slot in use.
    std::size_t n_blocks_in_use() const { return (end_ + kBlockSlots - 1) / kBlockSlots; }
    // How many rules can be inserted until room has to be made.
    std::size_t room() const { return rules_.size() - end_; }

    void add_block() {
        alive_.emplace_back();
        deletion_.add_block();
        of_class_.resize(of_class_.size() + n_classes_);
        rules_.resize(rules_.size() + kBlockSlots);
        class_rows_.resize(class_rows_.size() + kBlockSlots * n_classes_);
        first_weights_.resize(first_weights_.size() + kBlockSlots * n_classes_);
    }

    // Puts a rule behind all others. `class_row` is what write_weights() gives until the rule gains
    // experience; for a rule that has some, its class experience.
    Slot insert(const Rule& rule, std::span<const double> class_row) {
        const Slot slot = end_++;
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
        deletion_.touch(slot);
        of_class_[block * n_classes_ + rule.consequent].set(i, true);
        ++n_rules_;
        n_micro_rules_ += rule.numerosity;
        return slot;
    }

    void close_gaps(const GapCloser& gaps) {
        gaps.close(alive_.data(), 1);
        for (std::size_t c = 0; c < n_classes_; ++c) gaps.close(&of_class_[c], n_classes_);
        gaps.close(rules_);
        gaps.close(class_rows_, n_classes_);
        gaps.close(first_weights_, n_classes_);
        deletion_.close_gaps(gaps);
        end_ = gaps.n_rules();
    }

    void remove(Slot slot) {
        const std::size_t block = slot / kBlockSlots, i = slot % kBlockSlots;
        alive_[block].set(i, false);
        deletion_.remove(slot);
        of_class_[block * n_classes_ + rules_[slot].consequent].set(i, false);
        --n_rules_;
        n_micro_rules_ -= rules_[slot].numerosity;
    }

    void change_numerosity(Slot slot, std::int32_t change) {
        rules_[slot].numerosity += static_cast<std::uint32_t>(change);
        n_micro_rules_ += change;
        deletion_.touch(slot);
    }

    // To be called before the updates below.
    void touch(std::size_t block, const Plane& slots) { deletion_.touch(block, slots); }

    // A rule of the correct set has matched an input of its own class.
    const Rule& update_correct(Slot slot, double degree, double set_size) {
        const double gain = policy_.gain(degree);
        Rule& rule = rules_[slot];
        if (settings_.forgetting > 0) forget(slot, gain);
        rule.experience += gain;
        rule.correct += gain;
        if constexpr (!Policy::kOwnsClass) {
            if (settings_.forgetting > 0) find_consequent(slot);
        }
        policy_.join_correct_set(rule, set_size);
        return rule;
    }

    // A rule has matched an input of another class than its own.
    void update_other(Slot slot, double degree, Class y) {
        const double gain = policy_.gain(degree);
        Rule& rule = rules_[slot];
        if (settings_.forgetting > 0) forget(slot, gain);
        rule.experience += gain;
        double& other = class_rows_[slot * n_classes_ + y];
        other += gain;
        if constexpr (!Policy::kOwnsClass) {
            if (settings_.forgetting > 0) {
                find_consequent(slot);
            } else if (other >= rule.correct) {
                reconsider_consequent(slot, y);
            }
        }
    }

    bool may_subsume(const Rule& rule) const {
        return seems_subsumer(rule) && policy_.is_accurate(rule);
    }

    // Cheap and branch-free, but accepts a rule whose fitness is slightly too low.
    bool seems_subsumer(const Rule& rule) const {
        return (rule.experience > settings_.subsumption_experience) &
               (rule.correct > least_subsumer_weight_ * rule.experience);
    }

    // Deletes one micro-rule. Returns the slot if it was the rule's last, else kNoSlot.
    Slot delete_one(Rng& rng) {
        const Slot drawn = deletion_.draw(rules_, n_micro_rules_, rng);
        if (rules_[drawn].numerosity > 1) {
            change_numerosity(drawn, -1);
            return kNoSlot;
        }
        remove(drawn);
        return drawn;
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

    // First weights of a child: its parent's, or all equal if its class may change.
    void write_child_weights(Slot parent, double* row) const {
        if constexpr (Policy::kOwnsClass) {
            std::fill_n(row, n_classes_, 1 / static_cast<double>(n_classes_));
        } else {
            write_weights(parent, row);
        }
    }

  private:
    std::span<double> class_row(Slot slot) { return {&class_rows_[slot * n_classes_], n_classes_}; }
    std::span<const double> class_row(Slot slot) const {
        return {&class_rows_[slot * n_classes_], n_classes_};
    }

    // Another class has as much experience as the consequent, or more; of equals the first is the
    // consequent.
    void reconsider_consequent(Slot slot, Class y) {
        Rule& rule = rules_[slot];
        if (class_row(slot)[y] == rule.correct && rule.consequent < y) return;
        change_consequent(slot, y);
    }

    // A share of what a rule has learned goes with each match, in proportion to its gain.
    void forget(Slot slot, double gain) {
        const double kept = 1 - settings_.forgetting * gain;
        rules_[slot].experience *= kept;
        rules_[slot].correct *= kept;
        for (double& experience : class_row(slot)) experience *= kept;
    }

    // The first class with most experience. Forgetting rounds, so that any class may catch up.
    void find_consequent(Slot slot) {
        Rule& rule = rules_[slot];
        const auto row = class_row(slot);
        row[rule.consequent] = rule.correct;
        const auto best = std::max_element(row.begin(), row.end()) - row.begin();
        const auto y = static_cast<Class>(best);
        if (y != rule.consequent) change_consequent(slot, y);
    }

    void change_consequent(Slot slot, Class y) {
        Rule& rule = rules_[slot];
        Plane* planes = &of_class_[slot / kBlockSlots * n_classes_];
        planes[rule.consequent].set(slot % kBlockSlots, false);
        planes[y].set(slot % kBlockSlots, true);
        const auto row = class_row(slot);
        row[rule.consequent] = rule.correct;
        rule.consequent = y;
        rule.correct = row[y];
    }

    std::size_t n_classes_;
    Settings settings_;
    Policy policy_;
    Deletion<Policy> deletion_;
    double least_subsumer_weight_;  // below it the fitness need not be computed
    std::vector<Plane> alive_;
    std::vector<Plane> of_class_;
    std::vector<Rule> rules_;
    std::vector<double> class_rows_;     // cm
    std::vector<double> first_weights_;  // v until a rule has experience
    std::int64_t n_rules_ = 0;
    std::int64_t n_micro_rules_ = 0;
    Slot end_ = 0;  // the slots from here on are free
};

}  // namespace fuzzyucs
