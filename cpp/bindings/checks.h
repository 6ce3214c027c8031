#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../rule.h"
#include "../settings.h"
#include "../terms.h"
#include "arrays.h"

namespace fuzzyucs {

// Checks of arguments that several bindings share.

inline constexpr std::size_t kMaxRows = 0xfffffffe;  // rows have 32-bit indices

inline void check_labels(const Input1<Class>& y, std::size_t n_classes) {
    for (const Class label : as_span(y)) require(label < n_classes, "y is out of range");
}

// Systems that learn take sets of terms alone; inference takes runs of fine terms, too.
inline void check_n_terms(std::span<const std::uint32_t> n_terms, bool may_be_fine = false) {
    for (const std::uint32_t n : n_terms) {
        require(n >= 2 && n <= (may_be_fine ? kMaxFineTerms : kMaxTerms),
                may_be_fine ? "n_terms must lie between 2 and 255"
                            : "n_terms must lie between 2 and 64");
    }
}

// The same for forests, in which features without terms take no part.
inline void check_forest_n_terms(std::span<const std::uint32_t> n_terms) {
    for (const std::uint32_t n : n_terms) {
        require(n != 1 && n <= kMaxFineTerms, "n_terms must be 0 or lie between 2 and 255");
    }
}

// Sums over rows are computed in doubles: the greatest total keeps them finite.
inline void check_sample_weight(const Input1<double>& sample_weight, double greatest_total) {
    double total = 0;
    for (const double weight : as_span(sample_weight)) {
        require(weight >= 0 && std::isfinite(weight), "sample_weight is out of range");
        total += weight;
    }
    require(total <= greatest_total, "sample_weight has too large a sum");
}

// Scores of rows, one for each class, by class and then by row.
inline std::vector<double> offset_by_class(const Input2<double>& offset, std::size_t n_rows,
                                           std::size_t n_classes) {
    require(offset.shape(0) == n_rows && offset.shape(1) == n_classes,
            "offset has the wrong shape");
    std::vector<double> found(offset.size());
    for (std::size_t r = 0; r < n_rows; ++r) {
        for (std::size_t c = 0; c < n_classes; ++c) {
            const double score = offset.data()[r * n_classes + c];
            require(std::isfinite(score), "offset must be finite");
            found[c * n_rows + r] = score;
        }
    }
    return found;
}

// Learners rely on it that numbers stay in their ranges: NaN bounds of intervals, or a population
// without any room, would lead beyond arrays.
inline void check_settings(const Settings& s) {
    const auto is_share = [](double x) { return x >= 0 && x <= 1; };
    require(s.population_size >= 1 && s.population_size <= kMaxPopulation,
            "settings.population_size is out of range");
    require(s.fitness_threshold >= -1 && s.fitness_threshold <= 1,
            "settings.fitness_threshold is out of range");
    require(s.fitness_exponent > 0, "settings.fitness_exponent must be positive");
    require(is_share(s.crossover_rate), "settings.crossover_rate is out of range");
    require(is_share(s.mutation_rate), "settings.mutation_rate is out of range");
    require(is_share(s.deletion_fraction), "settings.deletion_fraction is out of range");
    require(s.ga_interval >= 0, "settings.ga_interval must not be negative");
    require(s.deletion_experience >= 0, "settings.deletion_experience must not be negative");
    require(s.subsumption_experience >= 0, "settings.subsumption_experience must not be negative");
    require(is_share(s.tournament_fraction), "settings.tournament_fraction is out of range");
    require(is_share(s.dont_care_rate), "settings.dont_care_rate is out of range");
    require(s.forgetting >= 0 && s.forgetting < 1, "settings.forgetting is out of range");
    require(s.learning_rate > 0 && s.learning_rate <= 1, "settings.learning_rate is out of range");
    require(is_share(s.mutation_step), "settings.mutation_step is out of range");
    require(s.covering_range >= 0 && std::isfinite(s.covering_range),
            "settings.covering_range is out of range");
}

}  // namespace fuzzyucs
