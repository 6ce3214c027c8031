#pragma once

#include <cstdint>
#include <vector>

#include "class_profiles.h"
#include "code_table.h"
#include "fixed_point.h"
#include "workers.h"

namespace fuzzyucs {

inline constexpr std::int32_t kUnit = 1 << 18;        // of a row's weight or probability
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
    explicit ClassHistogram(SumLayout layout) : layout_(layout), sums_(kCodes * layout.size()) {}

    void clear();
    void add(const RowStates::Part& part, const std::uint8_t* column);
    void add(const ClassHistogram& other);

    const Sum* of_code(std::size_t code) const { return &sums_[code * layout_.size()]; }

  private:
    SumLayout layout_;
    std::vector<Sum> sums_;
};

}  // namespace fuzzyucs
