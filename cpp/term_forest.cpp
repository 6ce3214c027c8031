#include "term_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "portable_math.h"
#include "position.h"

namespace fuzzyucs {

TermForest::TermForest(std::vector<std::uint32_t> n_terms, std::vector<std::int32_t> parent,
                       std::vector<double> marginal, std::vector<double> joint)
    : n_terms(std::move(n_terms)),
      parent(std::move(parent)),
      marginal(std::move(marginal)),
      joint(std::move(joint)),
      first_(1),
      children_(this->n_terms.size()) {
    std::size_t n_pairs = 0;
    for (std::size_t f = 0; f < n_features(); ++f) {
        first_.push_back(first_.back() + this->n_terms[f]);
        form_groups(f);
        first_pair_.push_back(n_pairs);
        const std::int32_t p = this->parent[f];
        if (p < 0) continue;
        n_pairs +=
            n_groups(this->n_terms[static_cast<std::size_t>(p)]) * n_groups(this->n_terms[f]);
        children_[static_cast<std::size_t>(p)].push_back(static_cast<std::uint32_t>(f));
    }
}

void TermForest::form_groups(std::size_t feature) {
    const std::size_t n = n_terms[feature];
    const double* pi = marginal.data() + first_[feature];
    std::vector<double> sums(n_groups(n));
    for (std::size_t t = 0; t < n; ++t) sums[group_of(t, n)] += pi[t];
    for (std::size_t t = 0; t < n; ++t) {
        const std::size_t group = group_of(t, n);
        groups_.push_back({group, sums[group], pi[t] / sums[group]});
    }
}

std::size_t TermForest::joint_size(std::span<const std::uint32_t> n_terms,
                                   std::span<const std::int32_t> parent) {
    std::size_t size = 0;
    for (std::size_t f = 0; f < n_terms.size(); ++f) {
        if (parent[f] < 0) continue;
        size += n_groups(n_terms[static_cast<std::size_t>(parent[f])]) * n_groups(n_terms[f]);
    }
    return size;
}

bool TermForest::is_known(const double* positions, std::size_t feature) const {
    return n_terms[feature] > 0 && !std::isnan(positions[feature]);
}

double TermForest::pair(std::size_t feature, std::size_t term, std::size_t given) const {
    const auto p = static_cast<std::size_t>(parent[feature]);
    const Group &own = groups_[first_[feature] + term], &other = groups_[first_[p] + given];
    const std::size_t index = other.index * n_groups(n_terms[feature]) + own.index;
    return joint[first_pair_[feature] + index] * own.share * other.share;
}

// Logarithms of the probabilities of values, alone and with those of parents; 0 for missing values.
void TermForest::find_logs(const double* positions, std::span<const double> scale,
                           Scratch& scratch) const {
    for (std::size_t f = 0; f < n_features(); ++f) {
        scratch.plain[f] = scratch.both[f] = 1;
        if (!is_known(positions, f)) continue;
        const Position position = Position::of(positions[f], n_terms[f]);
        const double* factor = scale.data() + first_[f] + position.segment;
        const double* pi = marginal.data() + first_[f] + position.segment;
        auto& x = scratch.weighted[f];
        x = {position.segment, (1 - position.fraction) * factor[0], position.fraction * factor[1]};
        scratch.plain[f] = pi[0] * x.low + pi[1] * x.high;
    }
    for (std::size_t f = 0; f < n_features(); ++f) {
        if (!is_known(positions, f) || !knows_parent(positions, f)) continue;
        const auto p = static_cast<std::size_t>(parent[f]);
        const auto &x = scratch.weighted[f], &given = scratch.weighted[p];
        const Group* own = groups_.data() + first_[f] + x.term;
        const Group* other = groups_.data() + first_[p] + given.term;
        const auto inside = [&](const Group& row) {
            const double* pairs = joint.data() + first_pair_[f] + row.index * n_groups(n_terms[f]);
            return row.share * (pairs[own[0].index] * (own[0].share * x.low) +
                                pairs[own[1].index] * (own[1].share * x.high));
        };
        scratch.both[f] = given.low * inside(other[0]) + given.high * inside(other[1]);
    }
    take_logs(scratch.plain.data(), n_features(), scratch.plain.data());
    take_logs(scratch.both.data(), n_features(), scratch.both.data());
}

double TermForest::surprise_of(const double* positions, std::size_t feature,
                               const Scratch& scratch) const {
    if (!is_known(positions, feature)) return 0;
    if (!knows_parent(positions, feature)) return -scratch.plain[feature];
    return scratch.plain[static_cast<std::size_t>(parent[feature])] - scratch.both[feature];
}

void TermForest::surprise(const double* positions, std::span<const double> scale, double* surprise,
                          Scratch& scratch) const {
    find_logs(positions, scale, scratch);
    for (std::size_t f = 0; f < n_features(); ++f) {
        surprise[f] = surprise_of(positions, f, scratch);
    }
}

void TermForest::add_surprises(const double* positions, std::span<const double> scale, double* sums,
                               double* alone, Scratch& scratch) const {
    find_logs(positions, scale, scratch);
    for (std::size_t f = 0; f < n_features(); ++f) {
        sums[f] += surprise_of(positions, f, scratch);
        alone[f] -= scratch.plain[f];
    }
}

void TermForest::believe(const double* positions, std::size_t feature,
                         std::span<double> belief) const {
    const std::size_t n = n_terms[feature];
    const double* pi = marginal.data() + first_[feature];
    const Group* own = groups_.data() + first_[feature];
    std::copy(pi, pi + n, belief.begin());
    const auto normalise = [&] {
        const double sum = std::accumulate(belief.begin(), belief.end(), 0.0);
        for (double& value : belief) value /= sum;
    };
    // Multiplies by how much more probable the group of each term is, given a neighbour's value.
    const auto condition_on = [&](std::size_t other, std::size_t first, std::size_t step_other,
                                  std::size_t step) {
        if (!is_known(positions, other)) return;
        const Position position = Position::of(positions[other], n_terms[other]);
        const Group* given = groups_.data() + first_[other] + position.segment;
        const double low = (1 - position.fraction) / given[0].marginal,
                     high = position.fraction / given[1].marginal;
        const double* lower = joint.data() + first + given[0].index * step_other;
        const double* upper = joint.data() + first + given[1].index * step_other;
        for (std::size_t t = 0; t < n; ++t) {
            const std::size_t pair = own[t].index * step;
            belief[t] *= (low * lower[pair] + high * upper[pair]) / own[t].marginal;
        }
        normalise();
    };
    if (parent[feature] >= 0) {
        condition_on(static_cast<std::size_t>(parent[feature]), first_pair_[feature], n_groups(n),
                     1);
    }
    for (const std::uint32_t child : children_[feature]) {
        condition_on(child, first_pair_[child], 1, n_groups(n_terms[child]));
    }
}

double TermForest::vagueness(std::size_t feature, std::span<const double> belief) const {
    const auto entropy = [](std::span<const double> probability) {
        double sum = 0;
        for (const double p : probability) sum -= p * portable_log(p);
        return sum;
    };
    return std::min(
        1.0, entropy(belief) / entropy({marginal.data() + first_[feature], n_terms[feature]}));
}

}  // namespace fuzzyucs
