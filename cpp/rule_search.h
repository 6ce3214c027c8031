#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "evidence_weights.h"
#include "linguistic_rule.h"
#include "rng.h"

namespace fuzzyucs {

// What a rule asks of one feature.
struct Condition {
    std::uint32_t feature;
    Terms terms;
    auto operator<=>(const Condition&) const = default;
};

// All that a rule asks, ordered by feature.
using Premise = std::vector<Condition>;

struct PremiseHash {
    std::size_t operator()(const Premise& premise) const {
        std::uint64_t hash = premise.size();
        for (const auto& [feature, terms] : premise) {
            hash = (hash ^ (std::uint64_t{feature} << 32 | terms)) * 0x9e3779b97f4a7c15;
            hash ^= hash >> 32;
        }
        return static_cast<std::size_t>(hash);
    }
};

// A feature as the search sees it. Terms of a nominal feature have no order: any set of them is a
// condition. All others take runs of neighbouring terms.
struct Feature {
    std::uint32_t n_terms;
    bool is_nominal;
};

struct SearchSettings {
    double doubt = 2.0;             // keeps part of a rule's evidence on "I don't know" (s)
    double ridge = 0.1;             // on the prior
    double condition_cost = 0.1;    // how much a condition adds to the penalty of a rule
    double least_experience = 3.0;  // of a rule
    std::uint32_t max_conditions = 0xffffffff;
    std::uint32_t n_climbs = 48;      // per round
    std::uint32_t n_mutations = 100;  // per climb
    std::uint32_t n_kept = 12;        // per round
    std::uint32_t sample_size = 1000;
};

// Rules and their evidence weights, grown together: each round looks for rules where evidence is
// missing, lets the best join, and finds the weights anew.
class RuleSearch {
  public:
    // `positions` has a column for each feature, one after the other; NaN is a missing value.
    RuleSearch(std::span<const double> positions, std::span<const Feature> features,
               std::span<const Class> labels, std::span<const double> sample_weights,
               std::size_t n_classes, const SearchSettings& settings, std::uint64_t seed);

    std::size_t n_features() const { return features_.size(); }
    std::size_t n_classes() const { return weights_.n_classes(); }

    // Prepares for another penalty of rules.
    void set_penalty(double penalty);

    // Lets a rule join.
    void adopt(const Premise& premise);

    // Searches once, then finds weights roughly.
    void search();

    // What a rule promises to gain (see `score`), with the weights as they are.
    double gain(const Premise& premise);

    // Finds weights exactly.
    bool settle(double tolerance, std::size_t most_steps);

    std::span<const Premise> rules() const { return rules_; }
    const EvidenceWeights& weights() const { return weights_; }

    // b + sum w log f for each class of a row, given by its positions.
    void scores(const double* x, std::span<double> scores) const;

  private:
    struct Candidate {
        Premise premise;
        double score;
    };

    double penalty_of(const Premise& premise) const;
    template <class Position>
    double degree(const Premise& premise, Position&& position) const;
    void prune(double least);

    void look_around();
    void draw_sample();
    void gather(std::span<const std::uint32_t> rows, std::span<const float> factors);
    void update_probabilities();
    double score(const Premise& premise);
    double known_score(const Premise& premise);
    void find_degrees(const Premise& premise);

    Premise cover();
    Condition around(std::uint32_t feature, double position);
    void edit(Premise& premise);
    void add_condition(Premise& premise);
    bool change(Condition& condition);
    Candidate climb(Premise premise);

    SearchSettings settings_;
    std::vector<Feature> features_;
    std::vector<double> positions_;
    std::vector<Class> labels_;
    std::vector<double> sample_weights_;
    EvidenceWeights weights_;
    std::vector<Premise> rules_;
    double penalty_ = 1;
    Rng rng_;

    // The rows that the search looks at, ordered by class; each class is filled up to whole vectors
    // with rows of no weight.
    std::size_t n_sampled_ = 0;
    std::vector<std::uint32_t> sampled_rows_;
    std::vector<std::size_t> class_begin_;
    std::vector<float> sampled_positions_;  // of nominal features: bits of the terms that hold
    std::vector<float> factor_;
    std::vector<float> probability_;  // by class, then by row
    std::vector<float> degree_, mean_, square_;
    std::vector<double> class_experience_;
    std::unordered_map<Premise, double, PremiseHash> known_;  // scores of this round
};

}  // namespace fuzzyucs
