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
        first_pair_.push_back(n_pairs);
        const std::int32_t p = this->parent[f];
        if (p < 0) continue;
        n_pairs += this->n_terms[static_cast<std::size_t>(p)] * this->n_terms[f];
        children_[static_cast<std::size_t>(p)].push_back(static_cast<std::uint32_t>(f));
    }
}

std::size_t TermForest::joint_size(std::span<const std::uint32_t> n_terms,
                                   std::span<const std::int32_t> parent) {
    std::size_t size = 0;
    for (std::size_t f = 0; f < n_terms.size(); ++f) {
        if (parent[f] >= 0) size += n_terms[static_cast<std::size_t>(parent[f])] * n_terms[f];
    }
    return size;
}

bool TermForest::is_known(const double* positions, std::size_t feature) const {
    return n_terms[feature] > 0 && !std::isnan(positions[feature]);
}

void TermForest::surprise(const double* positions, std::span<const double> scale,
                          double* surprise) const {
    struct Weighted {
        std::size_t term;
        double low, high;
    };
    const auto weigh = [&](std::size_t f) {
        const Position position = Position::of(positions[f], n_terms[f]);
        const double* factor = scale.data() + first_[f] + position.segment;
        return Weighted{position.segment, (1 - position.fraction) * factor[0],
                        position.fraction * factor[1]};
    };
    const auto plain = [&](std::size_t f, const Weighted& x) {
        const double* pi = marginal.data() + first_[f] + x.term;
        return pi[0] * x.low + pi[1] * x.high;
    };
    for (std::size_t f = 0; f < n_features(); ++f) {
        surprise[f] = 0;
        if (!is_known(positions, f)) continue;
        const Weighted x = weigh(f);
        const std::int32_t p = parent[f];
        if (p < 0 || !is_known(positions, static_cast<std::size_t>(p))) {
            surprise[f] = -portable_log(plain(f, x));
            continue;
        }
        const Weighted given = weigh(static_cast<std::size_t>(p));
        const double* row = joint.data() + first_pair_[f] + given.term * n_terms[f] + x.term;
        const double* next = row + n_terms[f];
        const double both = given.low * (row[0] * x.low + row[1] * x.high) +
                            given.high * (next[0] * x.low + next[1] * x.high);
        const TwoDoubles logs =
            portable_log(TwoDoubles{plain(static_cast<std::size_t>(p), given), both});
        surprise[f] = logs[0] - logs[1];
    }
}

void TermForest::believe(const double* positions, std::size_t feature,
                         std::span<double> belief) const {
    const std::size_t n = n_terms[feature];
    const double* pi = marginal.data() + first_[feature];
    std::copy(pi, pi + n, belief.begin());
    const auto normalise = [&] {
        const double sum = std::accumulate(belief.begin(), belief.end(), 0.0);
        for (double& value : belief) value /= sum;
    };
    // Multiplies by how much more probable each term is, given the value of a neighbour.
    const auto condition_on = [&](std::size_t other, std::size_t first, std::size_t step_other,
                                  std::size_t step) {
        if (!is_known(positions, other)) return;
        const Position position = Position::of(positions[other], n_terms[other]);
        const double* pi_other = marginal.data() + first_[other] + position.segment;
        const double low = (1 - position.fraction) / pi_other[0],
                     high = position.fraction / pi_other[1];
        for (std::size_t t = 0; t < n; ++t) {
            const double* pair = joint.data() + first + position.segment * step_other + t * step;
            belief[t] *= (low * pair[0] + high * pair[step_other]) / pi[t];
        }
        normalise();
    };
    if (parent[feature] >= 0) {
        condition_on(static_cast<std::size_t>(parent[feature]), first_pair_[feature], n, 1);
    }
    for (const std::uint32_t child : children_[feature]) {
        condition_on(child, first_pair_[child], 1, n_terms[child]);
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
