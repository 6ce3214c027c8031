#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fuzzyucs {

// What is usual in a table: how often the terms of each feature occur, and how often they occur
// together with those of one other feature, its parent in a forest.
//
// A feature with 0 terms takes no part: nothing is known about it.
struct TermForest {
    std::vector<std::uint32_t> n_terms;
    std::vector<std::int32_t> parent;  // -1: a root
    std::vector<double> marginal;      // probability of each term of each feature
    std::vector<double> joint;         // for each child, a row per term of its parent

    TermForest(std::vector<std::uint32_t> n_terms, std::vector<std::int32_t> parent,
               std::vector<double> marginal, std::vector<double> joint);

    std::size_t n_features() const { return n_terms.size(); }
    std::size_t n_all_terms() const { return first_.back(); }
    std::size_t first_term(std::size_t feature) const { return first_[feature]; }

    // How surprising each known value of a row is, given its parent's if that is known. The
    // membership of a term counts as often as `scale` says. Unknown values surprise nobody: 0.
    void surprise(const double* positions, std::span<const double> scale, double* surprise) const;

    // What the known neighbours of a feature say about its terms: probabilities.
    void believe(const double* positions, std::size_t feature, std::span<double> belief) const;

    // How much a belief about a feature leaves open: its entropy, as a share of that of the
    // feature.
    double vagueness(std::size_t feature, std::span<const double> belief) const;

    static std::size_t joint_size(std::span<const std::uint32_t> n_terms,
                                  std::span<const std::int32_t> parent);

  private:
    bool is_known(const double* positions, std::size_t feature) const;

    std::vector<std::size_t> first_;       // place of the first term of each feature
    std::vector<std::size_t> first_pair_;  // and of the first pair of terms
    std::vector<std::vector<std::uint32_t>> children_;
};

// Grows forests: one from all rows, and for each fold one from the rows that are not in it. Row i
// is in fold i % n_folds.
class ForestGrower {
  public:
    ForestGrower(std::span<const double> positions, std::vector<std::uint32_t> n_terms,
                 std::size_t n_folds);

    std::size_t n_features() const { return n_terms_.size(); }
    std::size_t n_folds() const { return n_folds_; }

    // Measures how much a feature tells about each feature before it.
    void weigh(std::size_t feature);

    // Fold n_folds stands for no fold: the forest from all rows.
    TermForest grow(std::size_t fold) const;

  private:
    using Table = std::vector<double>;

    struct Value {  // memberships of two neighbouring terms
        std::int32_t term = -1;
        double low = 0, high = 0;
    };

    Table count(std::size_t feature, std::size_t fold) const;
    void count_pairs(std::size_t a, std::size_t b, std::vector<Table>& tables) const;
    Table without(const std::vector<Table>& tables, std::size_t fold) const;
    double information(std::span<const double> table, std::size_t a, std::size_t b,
                       std::size_t fold) const;
    Table joint(std::span<const double> table, std::size_t a, std::size_t b,
                std::size_t fold) const;
    std::span<const double> marginal(std::size_t feature, std::size_t fold) const;

    std::vector<std::uint32_t> n_terms_;
    std::size_t n_rows_;
    std::size_t n_folds_;
    std::vector<Value> values_;                  // feature by feature
    std::vector<std::vector<Table>> marginals_;  // by fold and feature
    std::vector<std::vector<double>> gains_;     // by fold; of the pairs (a, b), b < a
};

}  // namespace fuzzyucs
