#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "aligned.h"
#include "code_table.h"
#include "fixed_point.h"
#include "row_states.h"
#include "shared_rows.h"

namespace fuzzyucs {

// The classes that sums are kept of, among all kept ones; the others share a place behind them.
struct ClassSlots {
    std::vector<std::uint32_t> classes;  // ascending
    std::vector<std::uint32_t> of_class;

    // All classes.
    explicit ClassSlots(const SumLayout& layout);
    // Classes that a condition on some of the rows may move by more than a price: sums of these
    // rows and of all rows, in sample weights per unit.
    ClassSlots(const SumLayout& layout, std::span<const Sum> sums, std::span<const double> all,
               double scale, double price);

    // By fours.
    std::size_t size() const {
        const bool has_others = classes.size() < of_class.size();
        return in_fours(1 + 3 * (classes.size() + has_others));
    }
};

// The sums for every code of a feature.
class ClassHistogram {
  public:
    explicit ClassHistogram(SumLayout layout) : slots_(layout), sums_(kCodes * slots_.size()) {}

    // Begins anew, with sums of these classes alone.
    void begin(const ClassSlots& slots);
    // Adds rows but those of one code, or of kCodes none.
    void add(const RowStates& states, const RowStates::Part& part, const std::uint8_t* column,
             std::size_t left_out);
    void add(const ClassHistogram& other);
    // What the other codes leave of sums over all rows belongs to the code that was left out.
    void complete(std::size_t left_out, std::span<const Sum> all);

    // Turns histograms of shared rows into those of all rows, in one message with other sums.
    static void combine(std::span<ClassHistogram* const> histograms, std::span<Sum> others,
                        const SharedRows& shared);

    const ClassSlots& slots() const { return slots_; }
    // Weight, then own, probability and spread of each class that has a slot; all 0 for codes that
    // no row has.
    const Sum* of_code(std::size_t code) const { return &sums_[code * slots_.size()]; }
    bool has(std::size_t code) const { return has_[code]; }

  private:
    ClassSlots slots_;
    AlignedVector<Sum> sums_;
    std::array<bool, kCodes> has_{};
};

}  // namespace fuzzyucs
