#pragma once

#include <cmath>
#include <cstdint>

#include "concepts.h"
#include "rule.h"
#include "settings.h"

namespace fuzzyucs {

// Mean size of the correct sets of a rule; an initial value until there are any.
struct MeanSetSize {
    double total = 0;
    std::int64_t count = 0;
    double first = 1;

    double value() const { return count ? total / static_cast<double>(count) : first; }
};

// The statistics of a rule in Fuzzy-UCS: a rule predicts the class with most of its experience, and
// its fitness is how much that class outweighs the others.
class FuzzyPolicy {
  public:
    using Rule = fuzzyucs::Rule<MeanSetSize>;

    static constexpr bool kOwnsClass = false;  // the consequent follows from experience

    explicit FuzzyPolicy(const Settings& settings) : settings_(settings) {}

    Rule covering_rule() const {
        Rule rule;
        rule.first_fitness = 1;
        return rule;
    }
    Rule child_of(const Rule& parent) const {
        Rule child;
        child.first_fitness = fitness(parent);
        child.set_size.first = parent.set_size.value();
        return child;
    }

    // What a match adds to the experience.
    double gain(double degree) const { return settings_.membership_experience ? degree : 1; }

    void join_correct_set(Rule& rule, double set_size) const {
        rule.set_size.total += set_size;
        ++rule.set_size.count;
    }
    std::int64_t n_correct_sets(const Rule& rule) const { return rule.set_size.count; }
    void restore_set_size(Rule& rule, double set_size, std::int64_t count) const {
        rule.set_size = {std::round(set_size * static_cast<double>(count)), count, set_size};
    }

    // F
    double fitness(const Rule& rule) const {
        if (rule.experience == 0) return rule.first_fitness;
        const double weight = rule.correct / rule.experience;
        return settings_.signed_fitness ? 2 * weight - 1 : weight;
    }
    // F^nu, which counts in tournaments and deletion.
    double powered_fitness(const Rule& rule) const {
        return powered(fitness(rule), settings_.fitness_exponent);
    }
    // What deletion compares with the mean powered fitness of the population.
    double deletion_fitness(const Rule&, double powered_fitness) const { return powered_fitness; }

    bool is_accurate(const Rule& rule) const { return fitness(rule) > settings_.fitness_threshold; }
    // The least weight of the consequent that makes a rule accurate.
    double least_accurate_weight() const {
        return settings_.signed_fitness ? (settings_.fitness_threshold + 1) / 2
                                        : settings_.fitness_threshold;
    }

  private:
    Settings settings_;
};

static_assert(RulePolicy<FuzzyPolicy>);

}  // namespace fuzzyucs
