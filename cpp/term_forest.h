#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fuzzyucs {

// Pairs of terms are counted in at most 64 groups of neighbouring terms: tables of more would be
// large and almost empty.
inline std::size_t n_groups(std::size_t n_terms) { return std::min<std::size_t>(n_terms, 64); }
inline std::size_t group_of(std::size_t term, std::size_t n_terms) {
    return term * n_groups(n_terms) / n_terms;
}

// A Chow-Liu forest, the joint distribution of the terms of a table: the probabilities of the terms
// of each feature, and of pairs of groups of them with those of one other feature, its parent in a
// forest. Within its group, each term has the same share whatever the parent's term is.
//
// A feature with 0 terms takes no part: nothing is known about it.
struct TermForest {
    std::vector<std::uint32_t> n_terms;
    std::vector<std::int32_t> parent;  // -1: a root
    std::vector<double> marginal;      // probability of each term of each feature
    std::vector<double> joint;         // for each child, a row per group of its parent

    TermForest(std::vector<std::uint32_t> n_terms, std::vector<std::int32_t> parent,
               std::vector<double> marginal, std::vector<double> joint);

    std::size_t n_features() const { return n_terms.size(); }
    std::size_t n_all_terms() const { return first_.back(); }
    std::size_t first_term(std::size_t feature) const { return first_[feature]; }

    // The probability of a term of a feature together with a term of its parent.
    double pair(std::size_t feature, std::size_t term, std::size_t given) const;

    // Of a value of each feature.
    struct Scratch {
        struct Weighted {
            std::size_t term;
            double low, high;
        };
        explicit Scratch(const TermForest& forest)
            : weighted(forest.n_features()),
              plain(forest.n_features()),
              both(forest.n_features()) {}
        std::vector<Weighted> weighted;   // memberships times their factors
        std::vector<double> plain, both;  // logarithms of probabilities: alone, with the parent's
    };

    // The surprise of each known value of a row: minus the logarithm of its probability, given its
    // parent's value if that is known. The membership of a term is multiplied by `scale`. The
    // surprise of missing values is 0.
    void surprise(const double* positions, std::span<const double> scale, double* surprise,
                  Scratch& scratch) const;

    // Adds the surprises of a row to sums, and those that values would have without parents.
    void add_surprises(const double* positions, std::span<const double> scale, double* sums,
                       double* alone, Scratch& scratch) const;

    // Probabilities of the terms of a feature, given its known neighbours.
    void believe(const double* positions, std::size_t feature, std::span<double> belief) const;

    // How much a belief about a feature leaves open: its entropy, as a share of the entropy of the
    // feature.
    double vagueness(std::size_t feature, std::span<const double> belief) const;

    static std::size_t joint_size(std::span<const std::uint32_t> n_terms,
                                  std::span<const std::int32_t> parent);

  private:
    struct Group {
        std::size_t index;
        double marginal;
        double share;  // of the term in its group
    };

    bool is_known(const double* positions, std::size_t feature) const;
    bool knows_parent(const double* positions, std::size_t feature) const {
        const std::int32_t p = parent[feature];
        return p >= 0 && is_known(positions, static_cast<std::size_t>(p));
    }
    void find_logs(const double* positions, std::span<const double> scale, Scratch& scratch) const;
    double surprise_of(const double* positions, std::size_t feature, const Scratch& scratch) const;
    void form_groups(std::size_t feature);

    std::vector<std::size_t> first_;       // index of the first term of each feature
    std::vector<std::size_t> first_pair_;  // and of the first pair of groups
    std::vector<Group> groups_;            // to which each term belongs
    std::vector<std::vector<std::uint32_t>> children_;
};

}  // namespace fuzzyucs
