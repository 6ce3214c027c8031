#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "gap_closer.h"
#include "rng.h"
#include "settings.h"
#include "slots.h"

namespace fuzzyucs {

// What the templates of the engine require of their arguments. A class that takes part says so with
// a static_assert below its definition: a function that is missing or renamed does not compile.

// One input, prepared for matching.
template <class T>
concept MatcherInput = requires(T& input, const double* x, std::size_t n_matched) {
    { input.read(x) } -> std::same_as<void>;
    // May prepare for many rules or for few; called between matching and degrees.
    { input.expect_matches(n_matched) } -> std::same_as<void>;
};

// The conditions of all rules, by slot, laid out for matching. A condition is a `Gene` for each
// feature; `Code` is the same condition, packed.
template <class T>
concept Matcher =
    MatcherInput<typename T::Input> &&
    requires(T& matcher, const T& fixed, const typename T::Input& input, typename T::Code& code,
             std::span<const typename T::Gene> condition, Slot slot, std::span<const Slot> slots,
             std::size_t block, const Plane& alive, double* degrees) {
        { fixed.n_features() } -> std::same_as<std::size_t>;
        { fixed.new_input() } -> std::same_as<typename T::Input>;
        { fixed.new_code() } -> std::same_as<typename T::Code>;
        // Makes room for kBlockSlots more rules.
        { matcher.add_block() } -> std::same_as<void>;
        { fixed.encode(condition, code) } -> std::same_as<void>;
        { matcher.assign(slot, condition, code) } -> std::same_as<void>;
        { fixed.condition(slot) } -> std::same_as<std::span<const typename T::Gene>>;
        // Of the slots alive in a block, those whose condition holds at the input to some degree.
        { fixed.match(input, block, alive) } -> std::same_as<Plane>;
        // Degrees of matching rules; may be left at their initial 1.
        { fixed.degrees(input, slots, degrees) } -> std::same_as<void>;
    };

// A matcher whose conditions evolve.
template <class T>
concept Representation =
    Matcher<T> &&
    requires(T& changing, const T& matcher, const typename T::Input& input,
             const typename T::Code& code, std::span<typename T::Gene> genes,
             std::span<const typename T::Gene> condition, Slot slot,
             const Plane& (*among)(std::size_t), const GapCloser& gaps, double rate, Rng& rng) {
        { changing.close_gaps(gaps) } -> std::same_as<void>;
        { matcher.strictly_more_general(slot, slot) } -> std::same_as<bool>;
        { matcher.strictly_more_general(slot, condition, code) } -> std::same_as<bool>;
        // The first slot in `among(block)` with this condition, or kNoSlot.
        { matcher.find(condition, code, among) } -> std::same_as<Slot>;
        { matcher.cover(input, genes, rate, rng) } -> std::same_as<void>;
        { matcher.crossover(genes, genes, rng) } -> std::same_as<void>;
        { matcher.mutate(genes, rate, rng) } -> std::same_as<void>;
    };

// How the statistics of a rule begin, change and are judged.
template <class T>
concept RulePolicy = requires(const T& policy, typename T::Rule& rule,
                              const typename T::Rule& fixed, double number, std::int64_t count) {
    requires std::constructible_from<T, const Settings&>;
    // Whether the class is part of a rule, or follows from its experience.
    { T::kOwnsClass } -> std::convertible_to<bool>;
    { policy.covering_rule() } -> std::same_as<typename T::Rule>;
    { policy.child_of(fixed) } -> std::same_as<typename T::Rule>;
    // What a match to a degree adds to the experience.
    { policy.gain(number) } -> std::same_as<double>;
    { policy.join_correct_set(rule, number) } -> std::same_as<void>;
    { policy.n_correct_sets(fixed) } -> std::same_as<std::int64_t>;
    { policy.restore_set_size(rule, number, count) } -> std::same_as<void>;
    { fixed.set_size.value() } -> std::same_as<double>;
    { policy.fitness(fixed) } -> std::same_as<double>;
    // What counts in tournaments, and what deletion compares with its mean in the population.
    { policy.powered_fitness(fixed) } -> std::same_as<double>;
    { policy.deletion_fitness(fixed, number) } -> std::same_as<double>;
    { policy.is_accurate(fixed) } -> std::same_as<bool>;
    { policy.least_accurate_weight() } -> std::same_as<double>;
};

}  // namespace fuzzyucs
