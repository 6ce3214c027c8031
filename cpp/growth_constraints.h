#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "code_table.h"
#include "growth_settings.h"

namespace fuzzyucs {

// What rules may ask for.
class GrowthConstraints {
  public:
    GrowthConstraints(const GrowthSettings& settings, std::span<const CodedFeature> features);

    bool has_monotone() const { return has_monotone_; }
    bool has_fees() const { return !settings_.fees.empty(); }
    int monotone(std::size_t feature) const {
        return has_monotone_ ? settings_.monotone[feature] : 0;
    }

    // Whether a rule has to speak more for higher classes the more it matches (1), or for lower
    // ones (-1). 0 if it asks for nothing that matters.
    int sign_of(const CodedPremise& premise, std::size_t left_out = kNone) const;

    // Whether a rule with these conditions may ask for another feature.
    bool may_join(const CodedPremise& premise, std::uint32_t feature) const;

    // What the features of a premise cost beside those that are in use, per unit of weight.
    double fee(const CodedPremise& premise) const;
    double fee(std::uint32_t feature) const;
    // Learns which features are in use.
    void note(std::span<const CodedPremise> rules);

  private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    GrowthSettings settings_;
    std::vector<std::uint32_t> n_terms_;
    bool has_monotone_ = false;
    std::vector<std::vector<bool>> together_, apart_;  // by set, then by feature
    std::vector<bool> is_used_;
};

}  // namespace fuzzyucs
