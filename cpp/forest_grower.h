#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "term_forest.h"

namespace fuzzyucs {

// Fits forests: one to all rows, and for each fold one to the rows that are not in it. Row i is in
// fold i % n_folds.
class ForestGrower {
  public:
    ForestGrower(std::size_t n_rows, std::vector<std::uint32_t> n_terms, std::size_t n_folds);

    // Reads the positions of some rows, those from `first` on, one row after the other.
    void read(std::size_t first, std::span<const double> positions);

    // Counts terms, once all rows are read.
    void count_all();
    bool is_counted() const { return !terms_[0].empty(); }

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_features() const { return n_terms_.size(); }
    std::size_t n_folds() const { return n_folds_; }

    // Computes the mutual information of a feature and each feature before it. Features come in
    // ascending order.
    void compare(std::size_t feature);

    // Fold n_folds stands for no fold: the forest from all rows.
    TermForest grow(std::size_t fold) const;

  private:
    using Table = std::vector<double>;

    // Memberships of two neighbouring terms or groups of terms, which sum to 1. There is one for
    // each value of the table, so it is small.
    class Value {
      public:
        Value() = default;
        Value(std::size_t term, double high);

        bool is_missing() const { return bits_ == kMissing; }
        std::size_t term() const { return bits_ >> kShift; }
        double low() const { return 1 - high(); }
        double high() const { return (bits_ & kMask) / kUnits; }

      private:
        static constexpr std::uint32_t kMissing = 0xffffffff, kShift = 24, kMask = 0xffffff;
        // Memberships are multiples of a unit, so that sums of their products are exact in up to
        // two million rows: the order of rows does not matter.
        static constexpr double kUnits = 65536;

        std::uint32_t bits_ = kMissing;
    };

    struct Edge {
        double gain;
        std::uint32_t a, b;
    };

    void count_terms(std::size_t feature);
    std::vector<Edge> spanning(std::vector<Edge> edges) const;
    void form_groups(std::size_t feature);
    Table count(std::size_t feature, std::size_t fold) const;
    void count_pairs(std::size_t a, std::size_t b, std::vector<Table>& tables) const;
    Table without(const std::vector<Table>& tables, std::size_t fold) const;
    double information(std::span<const double> table, std::size_t a, std::size_t b,
                       std::size_t fold) const;
    Table joint(std::span<const double> table, std::size_t a, std::size_t b,
                std::size_t fold) const;
    std::span<const double> marginal(std::size_t feature, std::size_t fold) const;

    std::vector<std::uint32_t> n_terms_;
    std::vector<std::size_t> n_groups_;
    std::size_t n_rows_;
    std::size_t n_folds_;
    std::vector<Value> values_;                  // feature by feature
    std::vector<std::vector<Table>> terms_;      // probabilities, by fold and feature
    std::vector<std::vector<Table>> marginals_;  // of groups of terms
    // By fold: edges of the best forest so far, and new ones. There are at most a few for each
    // feature at a time, where all pairs would need memory that grows with their number.
    std::vector<std::vector<Edge>> edges_;
};

}  // namespace fuzzyucs
