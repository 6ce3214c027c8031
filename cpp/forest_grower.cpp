#include "forest_grower.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "portable_math.h"
#include "position.h"

namespace fuzzyucs {

ForestGrower::Value::Value(std::size_t term, double high)
    : bits_(static_cast<std::uint32_t>(term) << kShift |
            static_cast<std::uint32_t>(std::nearbyint(high * kUnits))) {}

ForestGrower::ForestGrower(std::size_t n_rows, std::vector<std::uint32_t> n_terms,
                           std::size_t n_folds)
    : n_terms_(std::move(n_terms)),
      n_rows_(n_rows),
      n_folds_(n_folds),
      values_(n_rows * n_terms_.size()),
      terms_(n_folds + 1),
      marginals_(n_folds + 1),
      edges_(n_folds + 1) {
    for (const std::uint32_t n : n_terms_) n_groups_.push_back(n_groups(n));
}

void ForestGrower::read(std::size_t first, std::span<const double> positions) {
    const std::size_t n_read = positions.size() / n_features();
    for (std::size_t r = 0; r < n_read; ++r) {
        for (std::size_t f = 0; f < n_features(); ++f) {
            const double value = positions[r * n_features() + f];
            if (n_terms_[f] == 0 || std::isnan(value)) continue;
            const Position position = Position::of(value, n_terms_[f]);
            values_[f * n_rows_ + first + r] = Value(position.segment, position.fraction);
        }
    }
}

void ForestGrower::count_all() {
    for (std::size_t f = 0; f < n_features(); ++f) {
        count_terms(f);
        if (n_groups_[f] < n_terms_[f]) form_groups(f);
    }
}

void ForestGrower::count_terms(std::size_t feature) {
    const std::size_t n = n_terms_[feature];
    for (std::size_t fold = 0; fold <= n_folds_; ++fold) {
        const Table& terms = terms_[fold].emplace_back(count(feature, fold));
        Table& groups = marginals_[fold].emplace_back(n_groups_[feature]);
        for (std::size_t t = 0; t < n; ++t) groups[group_of(t, n)] += terms[t];
    }
}

// From memberships of terms to those of groups: within a group, a value belongs to it alone.
void ForestGrower::form_groups(std::size_t feature) {
    const std::size_t n = n_terms_[feature], last = n_groups_[feature] - 1;
    for (std::size_t r = 0; r < n_rows_; ++r) {
        Value& value = values_[feature * n_rows_ + r];
        if (value.is_missing()) continue;
        const std::size_t low = group_of(value.term(), n), high = group_of(value.term() + 1, n);
        const double share = low != high ? value.high() : low < last ? 0 : 1;
        value = Value(std::min(low, last - 1), share);
    }
}

// Probabilities of the terms of a feature in the rows that are not in a fold; one row more has all
// terms alike.
ForestGrower::Table ForestGrower::count(std::size_t feature, std::size_t fold) const {
    Table counts(n_terms_[feature]);
    double sum = 1;
    for (std::size_t r = 0; r < n_rows_; ++r) {
        const Value& value = values_[feature * n_rows_ + r];
        if (value.is_missing() || r % n_folds_ == fold) continue;
        counts[value.term()] += value.low();
        counts[value.term() + 1] += value.high();
        sum += 1;
    }
    for (double& count : counts) count = (count + 1.0 / n_terms_[feature]) / sum;
    return counts;
}

std::span<const double> ForestGrower::marginal(std::size_t feature, std::size_t fold) const {
    return marginals_[fold][feature];
}

// Sums of the products of memberships, for each fold.
void ForestGrower::count_pairs(std::size_t a, std::size_t b, std::vector<Table>& tables) const {
    tables.resize(n_folds_);
    for (Table& table : tables) table.assign(n_groups_[a] * n_groups_[b], 0.0);
    const Value* first = values_.data() + a * n_rows_;
    const Value* second = values_.data() + b * n_rows_;
    std::size_t fold = 0;
    for (std::size_t r = 0; r < n_rows_; ++r) {
        const Value &x = first[r], &y = second[r];
        double* table = tables[fold].data();
        if (++fold == n_folds_) fold = 0;
        if (x.is_missing() || y.is_missing()) continue;
        double* row = table + x.term() * n_groups_[b] + y.term();
        row[0] += x.low() * y.low();
        row[1] += x.low() * y.high();
        row += n_groups_[b];
        row[0] += x.high() * y.low();
        row[1] += x.high() * y.high();
    }
}

ForestGrower::Table ForestGrower::without(const std::vector<Table>& tables,
                                          std::size_t fold) const {
    Table sum(tables[0].size());
    for (std::size_t k = 0; k < tables.size(); ++k) {
        if (k == fold) continue;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += tables[k][i];
    }
    return sum;
}

// Probabilities of pairs of groups; one row more, of independent terms, keeps them positive.
ForestGrower::Table ForestGrower::joint(std::span<const double> table, std::size_t a, std::size_t b,
                                        std::size_t fold) const {
    const auto pi_a = marginal(a, fold), pi_b = marginal(b, fold);
    const double sum = std::accumulate(table.begin(), table.end(), 1.0);
    Table pairs(table.begin(), table.end());
    for (std::size_t s = 0; s < pi_a.size(); ++s) {
        for (std::size_t t = 0; t < pi_b.size(); ++t) {
            double& pair = pairs[s * pi_b.size() + t];
            pair = (pair + pi_a[s] * pi_b[t]) / sum;
        }
    }
    return pairs;
}

// Mutual information, less what is expected of independent features.
double ForestGrower::information(std::span<const double> table, std::size_t a, std::size_t b,
                                 std::size_t fold) const {
    const double n_rows = std::accumulate(table.begin(), table.end(), 0.0);
    if (!(n_rows > 0)) return 0;
    const Table pairs = joint(table, a, b, fold);
    Table first(n_groups_[a]), second(n_groups_[b]);
    for (std::size_t s = 0; s < first.size(); ++s) {
        for (std::size_t t = 0; t < second.size(); ++t) {
            first[s] += pairs[s * second.size() + t];
            second[t] += pairs[s * second.size() + t];
        }
    }
    double sum = 0;
    for (std::size_t s = 0; s < first.size(); ++s) {
        for (std::size_t t = 0; t < second.size(); ++t) {
            const double pair = pairs[s * second.size() + t];
            sum += pair * portable_log(pair / (first[s] * second[t]));
        }
    }
    const auto n_a = static_cast<double>(first.size()), n_b = static_cast<double>(second.size());
    return sum - (n_a - 1) * (n_b - 1) / (2 * n_rows);
}

void ForestGrower::compare(std::size_t feature) {
    if (n_terms_[feature] == 0) return;
    std::vector<Table> tables;
    for (std::size_t other = 0; other < feature; ++other) {
        if (n_terms_[other] == 0) continue;
        count_pairs(feature, other, tables);
        for (std::size_t fold = 0; fold <= n_folds_; ++fold) {
            const double gain = information(without(tables, fold), feature, other, fold);
            if (gain > 0) {
                edges_[fold].push_back(
                    {gain, static_cast<std::uint32_t>(feature), static_cast<std::uint32_t>(other)});
            }
        }
    }
    for (std::vector<Edge>& edges : edges_) {
        if (edges.size() > 8 * n_features()) edges = spanning(std::move(edges));
    }
}

// The edges of the best forest, the greatest gain first (Kruskal). What is left out of the best
// forest of some edges is in none of more edges, so they can be looked at in any portions: among
// equal gains, the pair that comes first wins.
std::vector<ForestGrower::Edge> ForestGrower::spanning(std::vector<Edge> edges) const {
    std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
        return x.gain != y.gain ? x.gain > y.gain : x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    std::vector<std::uint32_t> tree(n_features());
    std::iota(tree.begin(), tree.end(), 0u);
    const auto find = [&](std::uint32_t f) {
        while (tree[f] != f) f = tree[f] = tree[tree[f]];
        return f;
    };
    std::vector<Edge> kept;
    for (const Edge& edge : edges) {
        const std::uint32_t a = find(edge.a), b = find(edge.b);
        if (a == b) continue;
        tree[a] = b;
        kept.push_back(edge);
    }
    return kept;
}

TermForest ForestGrower::grow(std::size_t fold) const {
    std::vector<std::vector<std::uint32_t>> neighbours(n_features());
    for (const Edge& edge : spanning(edges_[fold])) {
        neighbours[edge.a].push_back(edge.b);
        neighbours[edge.b].push_back(edge.a);
    }
    // The root of each tree is its feature with most neighbours.
    std::vector<std::uint32_t> roots(n_features());
    std::iota(roots.begin(), roots.end(), 0u);
    std::stable_sort(roots.begin(), roots.end(), [&](std::uint32_t a, std::uint32_t b) {
        return neighbours[a].size() > neighbours[b].size();
    });
    std::vector<std::int32_t> parent(n_features(), -1);
    std::vector<bool> is_reached(n_features());
    for (const std::uint32_t root : roots) {
        if (is_reached[root]) continue;
        is_reached[root] = true;
        std::vector<std::uint32_t> open{root};
        while (!open.empty()) {
            const std::uint32_t f = open.back();
            open.pop_back();
            for (const std::uint32_t other : neighbours[f]) {
                if (is_reached[other]) continue;
                is_reached[other] = true;
                parent[other] = static_cast<std::int32_t>(f);
                open.push_back(other);
            }
        }
    }
    Table marginals, joints;
    std::vector<Table> tables;
    for (std::size_t f = 0; f < n_features(); ++f) {
        const Table& pi = terms_[fold][f];
        marginals.insert(marginals.end(), pi.begin(), pi.end());
        if (parent[f] < 0) continue;
        const auto p = static_cast<std::size_t>(parent[f]);
        count_pairs(p, f, tables);
        const Table pairs = joint(without(tables, fold), p, f, fold);
        joints.insert(joints.end(), pairs.begin(), pairs.end());
    }
    return TermForest(n_terms_, parent, marginals, joints);
}

}  // namespace fuzzyucs
