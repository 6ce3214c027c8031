#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "class_profiles.h"
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
    void update(const ClassProfiles& profiles, Rng& rng);

    // How much a rule would improve the objective if it were given a profile, natural or of single
    // classes, whichever is better: from parabolas at 0. Negative for a rule that is not worth its
    // penalty.
    double score(const Premise& premise, double penalty);

    // Draws a row, with a probability that grows with its error; none if the sample is empty.
    std::optional<std::size_t> draw_row(Rng& rng) const;

  private:
    // A missing value of a sampled row.
    struct Gap {
        std::uint32_t index;  // in the sample
        const double* probability;
    };
    // Sums over all sampled rows, for a class: of its rows, of residuals, and of what curves the
    // likelihood.
    struct Sums {
        double own, residual, spread;
    };

    void draw(const ClassProfiles& profiles, Rng& rng);
    void gather(std::span<const std::uint32_t> rows, std::span<const float> factors);
    void find_degrees(const Premise& premise);
    double natural_curvature(double mean);
    Class first_class() const { return table_.n_classes == 2 ? 1 : 0; }

    const SearchTable& table_;
    SearchSettings settings_;
    // Rows are filled up to whole vectors with rows of no weight.
    std::size_t n_sampled_ = 0;
    std::vector<std::uint32_t> rows_;
    std::vector<float> positions_;  // of nominal features: bits of the first 32 terms that hold
    std::vector<std::vector<float>> upper_halves_;  // of nominal features: bits of further terms
    std::vector<std::vector<Gap>> gaps_;
    std::vector<float> factor_;
    double total_factor_ = 0;
    std::vector<float> error_;
    std::vector<float> own_, residual_, spread_;  // by class, then by row
    std::vector<Sums> sums_;
    std::vector<double> log_shares_;
    std::vector<float> probability_;  // by class, then by row; for natural profiles
    std::vector<double> covariance_;  // of the classes, summed over all rows
    std::vector<double> experience_, slope_, natural_;  // of a candidate, by class
    std::vector<float> degree_;
    std::vector<std::uint32_t> matched_;  // where vectors of rows begin that a candidate matches
};

}  // namespace fuzzyucs
