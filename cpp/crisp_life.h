#pragma once

#include <cstdint>

#include "rule.h"
#include "settings.h"

namespace fuzzyucs {

// Size of the correct sets a rule has been in, the latest counting most.
struct RecentSetSize {
    double recent = 0;

    double value() const { return recent; }
};

// How a rule of UCS lives: its class is its own from birth, and its fitness is its accuracy.
class CrispLife {
  public:
    using Rule = fuzzyucs::Rule<RecentSetSize>;

    static constexpr bool kOwnsClass = true;  // the class is part of the rule, and evolves with it

    explicit CrispLife(const Settings& settings)
        : settings_(settings), patience_(1 / settings.learning_rate) {}

    // A rule made by covering.
    Rule first_rule() const { return {}; }
    Rule child_of(const Rule& parent) const {
        Rule child;
        child.first_fitness = kChildFitness;
        child.set_size = parent.set_size;
        return child;
    }

    // What a match adds to the experience.
    double gain(double) const { return 1; }

    // A mean at first, later a moving average.
    void join_correct_set(Rule& rule, double set_size) const {
        const double change = set_size - rule.set_size.recent;
        rule.set_size.recent += rule.experience < patience_ ? change / rule.experience
                                                            : change * settings_.learning_rate;
    }
    std::int64_t n_correct_sets(const Rule& rule) const {
        return static_cast<std::int64_t>(rule.correct);
    }
    void restore_set_size(Rule& rule, double set_size, std::int64_t) const {
        rule.set_size.recent = set_size;
    }

    // F = acc^nu
    double fitness(const Rule& rule) const {
        if (rule.experience == 0) return rule.first_fitness;
        return powered(rule.correct / rule.experience, settings_.fitness_exponent);
    }
    double strength(const Rule& rule) const { return fitness(rule); }
    // What deletion compares with the mean strength.
    double worth(const Rule& rule, double strength) const { return strength / rule.numerosity; }

    bool is_accurate(const Rule& rule) const {
        return rule.correct / rule.experience > settings_.fitness_threshold;
    }
    // The share of the consequent that makes a rule accurate.
    double least_accurate_weight() const { return settings_.fitness_threshold; }

  private:
    static constexpr double kChildFitness = 0.01;

    Settings settings_;
    double patience_;  // 1 / beta
};

}  // namespace fuzzyucs
