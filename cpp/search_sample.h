#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evidence_weights.h"
#include "premise.h"
#include "rng.h"
#include "search_settings.h"
#include "search_table.h"

namespace fuzzyucs {

// The rows by which a search scores its candidates: all rows of a small table, a fresh sample of a
// large one. In single precision, four rows at a time.
class SearchSample {
  public:
    // The table has to outlive the sample.
    SearchSample(const SearchTable& table, const SearchSettings& settings);

    // Draws a new sample of a large table, and reads the present probabilities.
    void update(const EvidenceWeights& weights, Rng& rng);

    // How much a rule would improve the objective if it were given a strength: a lower bound from
    // the parabola at 0. Negative for a rule that is not worth its penalty.
    double score(const Premise& premise, double penalty);

    // Draws a row, with a probability that grows with its error; none if the sample is empty.
    std::optional<std::size_t> draw_row(Rng& rng) const;

  private:
    void draw(const EvidenceWeights& weights, Rng& rng);
    void gather(std::span<const std::uint32_t> rows, std::span<const float> factors);
    void find_degrees(const Premise& premise);

    const SearchTable& table_;
    SearchSettings settings_;
    // Rows are ordered by class; each class is filled up to whole vectors with rows of no weight.
    std::size_t n_sampled_ = 0;
    std::vector<std::uint32_t> rows_;
    std::vector<std::size_t> class_begin_;
    std::vector<float> positions_;  // of nominal features: bits of the terms that hold
    std::vector<float> factor_;
    std::vector<float> probability_;  // by class, then by row
    std::vector<float> degree_, mean_, square_;
    std::vector<double> class_experience_;
};

}  // namespace fuzzyucs
