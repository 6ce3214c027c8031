#include "missing_values.h"

#include <cmath>

namespace fuzzyucs {

namespace {

double accepted_probability(const Belief& belief, Terms terms) {
    return accepted_share(belief.probability.data(), terms, belief.n_terms);
}

}  // namespace

TermBeliefs::TermBeliefs(const TermForest& forest, std::span<const bool> is_believed)
    : forest_(forest) {
    for (std::uint32_t f = 0; f < is_believed.size(); ++f) {
        if (is_believed[f]) features_.push_back(f);
    }
}

void TermBeliefs::believe(const double* x, std::vector<Belief>& beliefs) const {
    believe_terms(x, beliefs);
    for (Belief& belief : beliefs) {
        const std::span<const double> probability{belief.probability.data(), belief.n_terms};
        belief.vagueness = forest_->vagueness(belief.feature, probability);
    }
}

void TermBeliefs::believe_terms(const double* x, std::vector<Belief>& beliefs) const {
    beliefs.clear();
    for (const std::uint32_t f : features_) {
        if (!std::isnan(x[f])) continue;
        beliefs.push_back({f, forest_->n_terms[f], {}, 1});
        Belief& belief = beliefs.back();
        forest_->believe(x, f, {belief.probability.data(), belief.n_terms});
    }
}

std::optional<OpenCondition> TermBeliefs::open(std::span<const Terms> condition,
                                               std::span<const Belief> beliefs) const {
    std::optional<OpenCondition> found;
    for (std::size_t i = 0; i < beliefs.size(); ++i) {
        const Belief& belief = beliefs[i];
        const Terms terms = condition[belief.feature];
        if (accepts_all(terms, belief.n_terms)) continue;
        if (found) {
            found->others_fit *= accepted_probability(belief, terms);
        } else {
            found = {i, terms, 1.0};
        }
    }
    return found;
}

double TermBeliefs::probability(const OpenCondition& open, std::span<const Belief> beliefs) const {
    return open.others_fit * accepted_probability(beliefs[open.missing], open.accepted);
}

}  // namespace fuzzyucs
