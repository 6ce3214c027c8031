#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "class_profiles.h"
#include "code_table.h"
#include "fixed_point.h"
#include "workers.h"

namespace fuzzyucs {

inline constexpr std::int32_t kUnit = 1 << 18;        // of a row's weight or probability
inline constexpr std::size_t kManyClasses = 100;      // from which on growth saves time
inline constexpr std::uint32_t kFullDegree = 1 << 8;  // to which a row matches a premise

// Sums of a set of rows: weight, then for each class the weight of its own rows, its probability p,
// and p (1 - p). Of two classes the second alone is kept.
struct SumLayout {
    std::size_t n_classes;

    std::size_t n_kept() const { return n_classes == 2 ? 1 : n_classes; }
    std::size_t size() const { return 1 + 3 * n_kept(); }
    static std::size_t own(std::size_t kept) { return 1 + 3 * kept; }
    static std::size_t probability(std::size_t kept) { return 2 + 3 * kept; }
    static std::size_t spread(std::size_t kept) { return 3 + 3 * kept; }
};

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

    std::size_t size() const { return 1 + 3 * (classes.size() + 1); }
};

// What a model says about rows, in whole numbers: of each row, its weight, and p and p (1 - p) of
// the classes that are in question. All times the degree to which the row is matched.
struct RowStates {
    struct Row {
        std::uint32_t number;
        std::uint32_t degree;
        std::int32_t weight;
        Class label;              // among the kept classes; of two, 0 is the first and 1 the second
        std::uint32_t n_classes;  // in question
    };
    struct InQuestion {
        Class kept;
        std::int32_t probability;
        std::int32_t spread;
    };
    // Rows that are next to each other in the table.
    struct Part {
        std::vector<Row> rows;
        std::vector<InQuestion> classes;  // of all rows, one after the other
    };
    std::vector<Part> parts;

    // Reads the state of all rows, fully matched.
    void read(const CodeTable& table, const ClassProfiles& profiles, double greatest_weight,
              Workers& workers);
    // Finds the rows that have some degree in a table of degrees by code, in the memory of others.
    void restrict_to(const std::uint8_t* column, const std::uint16_t* degrees, RowStates& found,
                     Workers& workers) const;
    // Sums over all rows.
    std::vector<Sum> sums(const SumLayout& layout, Workers& workers) const;
};

// The sums for every code of a feature.
class ClassHistogram {
  public:
    explicit ClassHistogram(SumLayout layout) : layout_(layout), slots_(layout) {}

    // Begins anew, with sums of these classes alone.
    void begin(const ClassSlots& slots);
    void add(const RowStates::Part& part, const std::uint8_t* column);
    void add(const ClassHistogram& other);

    const ClassSlots& slots() const { return slots_; }
    // Weight, then own, probability and spread of each class that has a slot.
    const Sum* of_code(std::size_t code) const { return &sums_[code * slots_.size()]; }

  private:
    SumLayout layout_;
    ClassSlots slots_;
    std::vector<Sum> sums_;
};

}  // namespace fuzzyucs
