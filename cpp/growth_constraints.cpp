#include "growth_constraints.h"

#include <algorithm>

namespace fuzzyucs {

namespace {

std::vector<std::vector<bool>> as_masks(const std::vector<std::vector<std::uint32_t>>& sets,
                                        std::size_t n_features) {
    std::vector<std::vector<bool>> masks;
    for (const auto& set : sets) {
        masks.emplace_back(n_features);
        for (const std::uint32_t feature : set) masks.back()[feature] = true;
    }
    return masks;
}

}  // namespace

GrowthConstraints::GrowthConstraints(const GrowthSettings& settings,
                                     std::span<const CodedFeature> features)
    : settings_(settings),
      has_monotone_(std::ranges::any_of(settings.monotone, [](auto sign) { return sign != 0; })),
      together_(as_masks(settings.together, features.size())),
      apart_(as_masks(settings.apart, features.size())),
      is_used_(features.size()) {
    for (const CodedFeature& feature : features) n_terms_.push_back(feature.n_terms);
}

// Conditions on monotone features are open at one side, and agree with each other.
int GrowthConstraints::sign_of(const CodedPremise& premise, std::size_t left_out) const {
    if (!has_monotone_) return 0;
    for (std::size_t i = 0; i < premise.size(); ++i) {
        const auto& [feature, terms] = premise[i];
        if (i == left_out || monotone(feature) == 0) continue;
        return terms.contains(n_terms_[feature] - 1) ? monotone(feature) : -monotone(feature);
    }
    return 0;
}

bool GrowthConstraints::may_join(const CodedPremise& premise, std::uint32_t feature) const {
    if (!together_.empty()) {
        const auto has_all = [&](const std::vector<bool>& set) {
            return set[feature] &&
                   std::ranges::all_of(premise, [&](const auto& c) { return set[c.feature]; });
        };
        if (std::ranges::none_of(together_, has_all)) return false;
    }
    return std::ranges::none_of(apart_, [&](const std::vector<bool>& set) {
        return set[feature] &&
               std::ranges::any_of(premise, [&](const auto& c) { return set[c.feature]; });
    });
}

double GrowthConstraints::fee(std::uint32_t feature) const {
    return settings_.fees.empty() || is_used_[feature] ? 0 : settings_.fees[feature];
}

double GrowthConstraints::fee(const CodedPremise& premise) const {
    double sum = 0;
    for (const CodedCondition& condition : premise) sum += fee(condition.feature);
    return sum;
}

void GrowthConstraints::note(std::span<const CodedPremise> rules) {
    if (settings_.fees.empty()) return;
    std::fill(is_used_.begin(), is_used_.end(), false);
    for (const CodedPremise& premise : rules) {
        for (const CodedCondition& condition : premise) is_used_[condition.feature] = true;
    }
}

}  // namespace fuzzyucs
