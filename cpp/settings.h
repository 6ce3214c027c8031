#pragma once

#include <cstdint>

namespace fuzzyucs {

// Deletion votes of larger populations could overflow 64 bits.
inline constexpr std::int64_t kMaxPopulation = std::int64_t{1} << 23;

// The hyperparameters of the article's Table 2 and the switches of its appendices A and B.
// Their meaning is documented once, in FuzzyUCSClassifier and UCSClassifier.
struct Settings {
    std::int64_t population_size = 2000;
    double fitness_threshold = 0.99;  // of UCS: the accuracy threshold
    double fitness_exponent = 1;
    double crossover_rate = 0.8;
    double mutation_rate = 0.04;
    double deletion_fraction = 0.1;
    double ga_interval = 50;
    double deletion_experience = 50;
    double subsumption_experience = 50;
    double tournament_fraction = 0.4;
    double dont_care_rate = 0.33;
    bool correct_set_subsumption = true;
    bool ga_subsumption = true;
    double forgetting = 0;
    bool as_published = false;  // behave like the article's program where the article is silent

    // Fuzzy-UCS
    bool signed_fitness = true;
    bool membership_experience = true;

    // UCS
    double learning_rate = 0.2;
    double mutation_step = 0.1;
    double covering_range = 1;
};

}  // namespace fuzzyucs
