#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "missing_values.h"
#include "stored_rows.h"
#include "terms.h"

namespace fuzzyucs {

// Degrees to which rules with few conditions match, for blocks of rows.
//
// A condition accepts some terms, most often neighbouring ones: how true it is of a value takes a
// few operations on numbers, the same for all rows of a block and without a branch. Where a value
// is missing, a condition holds as far as it is believed.
class RuleDegrees {
  public:
    static constexpr std::size_t kRows = 64;  // of a block

    // A row of conditions for each rule. `dependence` tells how many times more often than by
    // chance the conditions of a rule hold together; it may be empty. It counts where values are
    // missing.
    RuleDegrees(std::span<const std::uint32_t> n_terms, std::span<const Terms> conditions,
                const TermForest* forest, std::span<const bool> is_believed,
                std::span<const double> dependence);

    std::size_t n_rules() const { return rules_.size(); }
    std::size_t n_features() const { return n_terms_.size(); }

    // The degrees of a block: kRows for each rule, one rule after the other.
    struct Block {
        explicit Block(const RuleDegrees& rules)
            : columns(rules.asked_.size() * kRows),
              lower(columns.size()),
              degrees(rules.n_rules() * kRows) {}

        std::vector<double> columns;      // positions, one asked feature after the other
        std::vector<std::int64_t> lower;  // the terms at or below them; of a missing value, any
        std::vector<double> degrees;
        bool is_known = true;       // or else some degrees are expected ones
        std::vector<double> known;  // to which known values match; of use only where some are not
        std::array<std::int64_t, kRows> n_missing;  // values of each row that rules ask for
        std::vector<double> rows;                   // all positions, if some are missing
        std::vector<Belief> beliefs;                // about one row
    };

    // Matches up to kRows rows of positions, one after the other.
    void match(const double* positions, std::size_t n_rows, Block& block) const;

    // Matches up to kRows stored rows, those from `first` on.
    void match(const StoredRows& rows, std::size_t first, std::size_t n_rows, Block& block) const;

    // Whether a row of a block lacks a value that a rule asks for.
    bool lacks(std::size_t rule, const Block& block, std::size_t row) const;

  private:
    // Neighbouring terms from the one after `below` to the one before `above`.
    struct Run {
        double below, above;
    };
    struct Condition {
        std::uint32_t column;
        bool is_run;
        Run run;  // if it is one
        Terms terms;
    };
    struct Rule {
        std::uint32_t first, last;  // conditions, the last one left out
    };

    // Works on columns that have been read; `all_rows` gives the positions of all features.
    template <class AllRows>
    void match_columns(std::size_t n_rows, AllRows&& all_rows, Block& block) const;
    void expect(const double* row, std::size_t number, Block& block) const;

    // Without branches, for all rows at once.
    static void multiply(std::span<const Rule> rules, const Condition* conditions,
                         const double* columns, const std::int64_t* lower, double* degrees);

    std::vector<std::uint32_t> n_terms_;
    std::vector<std::uint32_t> asked_;  // features that rules ask for
    std::vector<Terms> terms_;          // a row of conditions for each rule
    bool has_beliefs_;
    TermBeliefs beliefs_;
    std::vector<double> dependence_;
    std::vector<Rule> rules_;
    std::vector<Condition> conditions_;
};

}  // namespace fuzzyucs
