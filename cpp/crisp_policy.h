#pragma once

#include <cstdint>

#include "concepts.h"
#include "rule.h"
#include "settings.h"

namespace fuzzyucs {

// Moving average of the sizes of the correct sets of a rule.
struct RecentSetSize {
    double recent = 0;

    double value() const { return recent; }
};

// The statistics of a rule in UCS: the class is fixed when the rule is made, and its fitness is a
// power of its accuracy.
class CrispPolicy {
  public:
    using Rule = fuzzyucs::Rule<RecentSetSize>;

    static constexpr bool kOwnsClass = true;  // the class is part of the rule, and evolves with it

    explicit CrispPolicy(const Settings& settings)
        : settings_(settings), n_averaged_(1 / settings.learning_rate) {}

    Rule covering_rule() const { return {}; }
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
        rule.set_size.recent += rule.experience < n_averaged_ ? change / rule.experience
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
    // The power is part of the fitness already.
    double powered_fitness(const Rule& rule) const { return fitness(rule); }
    // What deletion compares with the mean powered fitness of the population.
    double deletion_fitness(const Rule& rule, double powered_fitness) const {
        return powered_fitness / rule.numerosity;
    }

    bool is_accurate(const Rule& rule) const {
        return rule.correct / rule.experience > settings_.fitness_threshold;
    }
    // The least weight of the consequent that makes a rule accurate.
    double least_accurate_weight() const { return settings_.fitness_threshold; }

  private:
    static constexpr double kChildFitness = 0.01;

    Settings settings_;
    double n_averaged_;  // 1 / beta: up to this experience, a plain mean
};

static_assert(RulePolicy<CrispPolicy>);

}  // namespace fuzzyucs
