#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "class_profiles.h"
#include "premise.h"
#include "rng.h"
#include "search_sample.h"
#include "search_settings.h"
#include "search_table.h"

namespace fuzzyucs {

// Searches rules and fits their profiles in turn: each round climbs from rows with a large error
// and from known rules, adds the best candidates, and fits the profiles anew.
class RuleSearch {
  public:
    // The greatest sum of sample weights. Scores are computed in single precision, which has to
    // hold sums of sample weights times squared logarithms.
    static constexpr double kGreatestTotalWeight = 1e30;

    RuleSearch(SearchTable table, const SearchSettings& settings, std::uint64_t seed);
    RuleSearch(const RuleSearch&) = delete;  // the sample refers to the table
    RuleSearch& operator=(const RuleSearch&) = delete;

    std::size_t n_features() const { return table_.features.size(); }
    std::size_t n_classes() const { return table_.n_classes; }

    // Changes the penalty of a rule, known ones included.
    void set_penalty(double penalty);

    // Adds a rule that says nothing yet.
    void adopt(const Premise& premise);

    // One round of search; profiles are fitted roughly.
    void search();

    // How much a rule would improve the objective (see SearchSample::score), with the present
    // profiles.
    double gain(const Premise& premise);

    // Fits the profiles and drops the rules that say nothing; then fits the others with a share of
    // their penalty, which shrinks what they say less.
    bool settle(double tolerance, std::size_t most_sweeps, double relaxed);

    std::span<const Premise> rules() const { return rules_; }
    const ClassProfiles& profiles() const { return profiles_; }

  private:
    struct Candidate {
        Premise premise;
        double score;
    };

    double penalty_of(const Premise& premise) const;
    double degree(const Condition& condition, std::size_t row) const;
    void prune();

    void update_sample();
    double known_score(const Premise& premise);

    Premise cover();
    Condition around(std::uint32_t feature, double position);
    void edit(Premise& premise);
    void add_condition(Premise& premise);
    bool change(Condition& condition);
    Candidate climb(Premise premise);

    SearchTable table_;
    SearchSettings settings_;
    ClassProfiles profiles_;
    SearchSample sample_;
    std::vector<Premise> rules_;
    double penalty_ = 1;
    Rng rng_;
    std::unordered_map<Premise, double, PremiseHash> known_;  // scores of this round
};

}  // namespace fuzzyucs
