#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rule_degrees.h"

namespace fuzzyucs {

// What rules with class profiles say together. Rule k adds (mu_k - neutral_k) profile_ki to the
// score of class i. Differences as small as those of rounding count as none, here and wherever else
// models are evaluated, so that nothing speaks where nothing is known.
class ProfilePool {
  public:
    // Profiles by rule. The spans have to outlive the pool. Without moderation, missing values
    // leave evidence as it is: how much they leave open depends on what is known.
    ProfilePool(std::span<const double> profile, std::span<const double> neutral,
                std::span<const double> log_rates, bool moderates = true);

    // One number for each row; scores have one for each class.
    struct Pooled {
        double* scores;
        double *least, *greatest;  // sums over the rules of what each adds to one class
        double* contradiction;     // share of the evidence between two classes that cancels out
        double* moderation;        // how many times the evidence counts
    };

    // Working memory, kRows numbers for each item.
    struct Scratch {
        explicit Scratch(const ProfilePool& pool);
        std::vector<double> shifts;  // by rule
        std::vector<double> scores;  // by class
        std::vector<double> leads;   // by rule
    };

    // Writes what rules say about a block of rows. Known degrees are those to which the known
    // values alone match. What missing values leave open moderates all evidence: the mean of a
    // probability over a score with variance v is about the probability at the score divided by
    // sqrt(1 + pi v / 8).
    void add(const RuleDegrees::Block& block, std::size_t n_rows, const Pooled& pooled,
             Scratch& scratch) const;

  private:
    void compare(const RuleDegrees::Block& block, std::size_t n_rows, const Pooled& pooled,
                 Scratch& scratch) const;
    void find_leads(std::size_t n_rows, Scratch& scratch) const;

    std::size_t n_classes_;
    std::span<const double> profile_, neutral_, log_rates_;
    bool moderates_;
    std::vector<double> lowest_, highest_;
};

}  // namespace fuzzyucs
