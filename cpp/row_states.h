#pragma once

#include <cstdint>
#include <vector>

#include "class_profiles.h"
#include "code_table.h"
#include "fixed_point.h"
#include "vector_clones.h"
#include "workers.h"

namespace fuzzyucs {

inline constexpr std::int32_t kUnit = 1 << 18;    // of a row's weight or probability
inline constexpr std::size_t kFewClasses = 8;     // of which states and sums are alike
inline constexpr std::size_t kManyClasses = 100;  // from which on growth saves time
inline constexpr int kDegreeBits = 8;
inline constexpr std::uint32_t kFullDegree = 1 << kDegreeBits;  // to which rows match a premise

// Sums of a set of rows: weight, then for each class the weight of its own rows, its probability p,
// and p (1 - p). Of two classes the second alone is kept.
struct SumLayout {
    std::size_t n_classes = 0;

    bool has_few() const { return n_classes <= kFewClasses; }
    std::size_t n_kept() const { return n_classes == 2 ? 1 : n_classes; }
    std::size_t size() const { return 1 + 3 * n_kept(); }
    static std::size_t own(std::size_t kept) { return 1 + 3 * kept; }
    static std::size_t probability(std::size_t kept) { return 2 + 3 * kept; }
    static std::size_t spread(std::size_t kept) { return 3 + 3 * kept; }
};

// What a model says about rows, in whole numbers: of each row, its weight, and p and p (1 - p) of
// the classes that are in question. All times the degree to which the row is matched.
struct RowStates {
    struct InQuestion {
        Class kept;
        std::int32_t probability;
        std::int32_t spread;
    };
    struct Own {
        std::int32_t weight;
        Class label;
        std::uint32_t n_classes;  // in question
    };
    // Rows that are next to each other in the table. Arrays may be longer than what is in use:
    // their memory serves again.
    struct Part {
        std::size_t n_rows = 0;
        std::vector<std::uint32_t> numbers;
        std::vector<std::uint16_t> degrees;
        // Of few classes, what a row adds to each sum, by fours: vectors add and scale it.
        std::vector<std::int32_t> values;
        // Of more classes, those in question alone.
        std::vector<Own> own;
        std::vector<InQuestion> classes;  // of all rows, one after the other

        void make_room(std::size_t n_rows, std::size_t n_values, std::size_t n_classes);
    };
    SumLayout layout;
    std::vector<Part> parts;

    // Reads the state of all rows, fully matched.
    void read(const CodeTable& table, const ClassProfiles& profiles, double greatest_weight,
              Workers& workers);
    // Finds the rows that have some degree in a table of degrees by code, in the memory of others.
    void restrict_to(const std::uint8_t* column, const std::uint16_t* degrees, RowStates& found,
                     Workers& workers) const;
    // Sums over all rows.
    std::vector<Sum> sums(Workers& workers) const;

    // Numbers that a row of few classes has.
    std::size_t stride() const { return in_fours(layout.size()); }
};

}  // namespace fuzzyucs
