#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "term_forest.h"

namespace fuzzyucs {

// Fits forests: one to all rows, and for each fold one to the rows that are not in it. Row i is in
// fold i % n_folds.
class ForestGrower {
  public:
    ForestGrower(std::span<const double> positions, std::vector<std::uint32_t> n_terms,
                 std::size_t n_folds);

    std::size_t n_features() const { return n_terms_.size(); }
    std::size_t n_folds() const { return n_folds_; }

    // Computes the mutual information of a feature and each feature before it.
    void compare(std::size_t feature);

    // Fold n_folds stands for no fold: the forest from all rows.
    TermForest grow(std::size_t fold) const;

  private:
    using Table = std::vector<double>;

    struct Value {  // memberships of two neighbouring terms or groups of terms
        std::int32_t term = -1;
        double low = 0, high = 0;
    };

    void count_terms(std::size_t feature);
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
    std::vector<std::vector<double>> gains_;     // by fold; of the pairs (a, b), b < a
};

}  // namespace fuzzyucs
