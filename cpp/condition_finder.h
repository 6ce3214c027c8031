#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "class_histogram.h"
#include "code_table.h"
#include "few_rows.h"

namespace fuzzyucs {

// How much a rule would improve the objective if it were given a profile, from sums over the rows
// that it matches: parabolas at 0, one for each class.
class GainMeasure {
  public:
    GainMeasure(SumLayout layout, double least_experience)
        : layout_(layout), least_experience_(least_experience) {}

    const SumLayout& layout() const { return layout_; }
    // Sample weight per unit of a sum.
    double scale = 1;
    // Sums over all rows, in sample weights.
    std::vector<double> all;
    // The classes from the lowest to the highest, for rules that follow this order.
    std::vector<Class> order;

    // Sums over what the rule matches: weight, and own, probability and spread of some of the kept
    // classes.
    struct Inside {
        double weight;
        const double* own;
        const double* probability;
        const double* spread;
    };
    // With a sign, of a rule that has to speak more for higher classes the more it matches (1) or
    // for lower ones (-1). Of more than two classes, all have to be kept for that.
    double gain(const Inside& inside, std::span<const std::uint32_t> kept, double price,
                int sign = 0) const;

  private:
    double step_gain(const Inside& inside, double price, int sign) const;

    SumLayout layout_;
    double least_experience_;
};

// What a condition has to fulfil.
struct Direction {
    // 1 or -1 if the condition has to be open at one side: the membership of a condition that is
    // open above, times this, says for which classes the rule speaks.
    int feature = 0;
    // What the other conditions of the rule fix.
    int rule = 0;

    bool matters() const { return feature != 0 || rule != 0; }
};

struct FoundCondition {
    TermSet terms;
    double gain = 0;
};

// Finds the condition on a feature that gains most, if rows are to meet it besides what they meet
// already: of an ordered feature a run of terms, of a nominal one any set. Conditions are made of
// units: terms, or groups of terms where a model has no room for more.
class ConditionFinder {
  public:
    // `unit_of` has the number of the unit of each term, ascending in an ordered feature.
    // `group_of` tells which terms other rules tell apart: their borders are preferred.
    FoundCondition find(const ClassHistogram& histogram, const CodedFeature& feature,
                        std::span<const std::uint32_t> unit_of,
                        std::span<const std::uint32_t> group_of, const GainMeasure& measure,
                        double price, double least = 0, Direction direction = {});
    // The same from few rows themselves, of an ordered feature. A condition that does not gain more
    // than `least` is of no use, and may be left out.
    FoundCondition find(const RowStates& states, const std::uint8_t* column,
                        const ClassSlots& slots, const CodedFeature& feature,
                        std::span<const std::uint32_t> unit_of,
                        std::span<const std::uint32_t> group_of, const GainMeasure& measure,
                        double price, double least, Direction direction = {});

  private:
    void begin(const ClassSlots& slots, std::span<const std::uint32_t> unit_of);
    FoundCondition best(const ClassSlots& slots, const CodedFeature& feature,
                        std::span<const std::uint32_t> unit_of,
                        std::span<const std::uint32_t> group_of, const GainMeasure& measure,
                        double price, double least);
    void add_units(const ClassHistogram& histogram, const CodedFeature& feature,
                   std::span<const std::uint32_t> unit_of, const GainMeasure& measure);
    double keep_movable_classes(const ClassSlots& slots, const GainMeasure& measure, double price,
                                bool is_nominal);
    std::vector<std::size_t> leading_classes() const;
    FoundCondition find_run(const GainMeasure& measure, double price);
    void mark_known_borders(std::span<const std::uint32_t> unit_of,
                            std::span<const std::uint32_t> group_of);
    FoundCondition find_set(const GainMeasure& measure, double price);
    double run_gain(const GainMeasure& measure, double price, std::size_t low, std::size_t end);
    std::optional<int> sign_of_run(std::size_t low, std::size_t end) const;

    Direction direction_;
    FewRows few_rows_;
    std::size_t n_units_ = 0;
    std::size_t size_ = 0;  // of the sums of a unit
    // Of an ordered feature, sums over what lies in a unit or above it; of a nominal one, in a
    // unit. By unit, then by slot; then the same for the kept classes alone.
    std::vector<double> sums_;
    std::vector<std::uint32_t> kept_;
    std::vector<double> reach_;  // how far sets of units move the kept classes
    std::vector<std::uint32_t> kept_slots_;
    std::vector<double> lows_, highs_;  // of what runs or sets of units move, by slot
    std::vector<double> weight_, own_, probability_, spread_;
    std::vector<double> inside_own_, inside_probability_, inside_spread_;
    std::vector<TermSet> units_;
    std::vector<bool> is_known_;  // whether another rule has a border before a unit
};

}  // namespace fuzzyucs
