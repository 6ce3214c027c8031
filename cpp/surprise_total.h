#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "term_forest.h"

namespace fuzzyucs {

// How much more surprising the values of a row are together than those of a typical one. If little
// of a row is known, that counts more: it would otherwise seem more ordinary than it is.
//
// Of rows without gaps, which come in blocks, probabilities are multiplied: a product, kept as a
// number from 1 to 2 and a power of 2, needs a single logarithm.
class SurpriseTotal {
  public:
    static constexpr std::size_t kRows = 64;  // of a block

    // `typical` is the mean surprise of each feature, `alone` the same if nothing is known of its
    // parent.
    SurpriseTotal(const TermForest& forest, std::span<const double> scale,
                  std::span<const double> typical, std::span<const double> alone);

    std::size_t n_features() const { return forest_.n_features(); }

    // Working memory, kRows numbers for each feature.
    struct Scratch {
        explicit Scratch(const SurpriseTotal& total)
            : segments(total.n_features() * kRows),
              fractions(total.n_features() * kRows),
              plain(total.n_features() * kRows),
              surprise(total.n_features()),
              of_row(total.forest_) {}

        std::vector<std::uint32_t> segments;
        std::vector<double> fractions;
        std::vector<double> plain;     // how probable values are by themselves
        std::vector<double> surprise;  // of one row
        TermForest::Scratch of_row;
    };

    // Writes the totals of up to kRows rows of positions, one after the other.
    void add(const double* positions, std::size_t n_rows, double* totals, Scratch& scratch) const;

  private:
    double of_row_with_gaps(const double* row, Scratch& scratch) const;
    void read(const double* positions, std::size_t n_rows, bool* has_gaps, Scratch& scratch) const;

    TermForest forest_;
    std::vector<double> scale_, typical_, alone_;
    std::vector<std::uint32_t> counted_;   // features that have terms
    std::vector<std::size_t> first_;       // term of each feature
    std::vector<double> weighted_;         // probability of each term, scaled
    std::vector<std::size_t> first_pair_;  // of each feature
    std::vector<double> pairs_;            // and of pairs, a row per term of the parent
    double typical_total_ = 0;
};

}  // namespace fuzzyucs
