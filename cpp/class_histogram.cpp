#include "class_histogram.h"

#include <algorithm>
#include <cmath>

namespace fuzzyucs {

namespace {

constexpr std::int32_t kLeastInQuestion = kUnit >> 10;

std::int32_t rounded(double value) { return static_cast<std::int32_t>(std::lrint(value)); }

// Half a unit of the degree is rounded up.
std::int32_t scaled(std::int32_t value, std::uint32_t degree) {
    return static_cast<std::int32_t>((std::int64_t{value} * degree + kFullDegree / 2) /
                                     kFullDegree);
}

void add(Sum* sums, const SumLayout& layout, const RowStates::Row& row,
         const RowStates::InQuestion* classes) {
    sums[0] += row.weight;
    if (layout.n_classes == 2) {
        sums[1] += row.label ? row.weight : 0;
        sums[2] += classes->probability;
        sums[3] += classes->spread;
        return;
    }
    sums[SumLayout::own(row.label)] += row.weight;
    for (std::uint32_t i = 0; i < row.n_classes; ++i) {
        Sum* own = &sums[SumLayout::probability(classes[i].kept)];
        own[0] += classes[i].probability;
        own[1] += classes[i].spread;
    }
}

}  // namespace

void RowStates::read(const CodeTable& table, const ClassProfiles& profiles,
                     double greatest_weight) {
    const std::size_t n = table.n_rows();
    const bool is_two = table.n_classes == 2;
    rows.clear();
    classes.clear();
    rows.reserve(n);
    for (std::uint32_t r = 0; r < n; ++r) {
        const double weight = table.sample_weights[r] / greatest_weight * kUnit;
        const std::size_t first = classes.size();
        for (Class c = is_two ? 1 : 0; c < table.n_classes; ++c) {
            const double p = profiles.probability(r, c);
            const std::int32_t probability = rounded(p * weight);
            if (!is_two && probability < kLeastInQuestion) continue;
            classes.push_back({is_two ? 0 : c, probability, rounded(p * (1 - p) * weight)});
        }
        rows.push_back({r, kFullDegree, rounded(weight), table.labels[r],
                        static_cast<std::uint32_t>(classes.size() - first)});
    }
}

RowStates RowStates::restricted(const std::uint8_t* column, const std::uint16_t* degrees) const {
    RowStates found;
    found.rows.reserve(rows.size());
    found.classes.reserve(classes.size());
    const InQuestion* next = classes.data();
    for (const Row& row : rows) {
        const InQuestion* own = next;
        next += row.n_classes;
        const std::uint32_t degree = degrees[column[row.number]];
        if (degree == 0) continue;
        if (degree == kFullDegree) {
            found.rows.push_back(row);
            found.classes.insert(found.classes.end(), own, next);
            continue;
        }
        const std::uint32_t product = (row.degree * degree + kFullDegree / 2) / kFullDegree;
        if (product == 0) continue;
        found.rows.push_back(
            {row.number, product, scaled(row.weight, degree), row.label, row.n_classes});
        for (; own != next; ++own) {
            found.classes.push_back(
                {own->kept, scaled(own->probability, degree), scaled(own->spread, degree)});
        }
    }
    return found;
}

std::vector<Sum> RowStates::sums(const SumLayout& layout) const {
    std::vector<Sum> found(layout.size());
    const InQuestion* next = classes.data();
    for (const Row& row : rows) {
        add(found.data(), layout, row, next);
        next += row.n_classes;
    }
    return found;
}

void ClassHistogram::count(const RowStates& states, const std::uint8_t* column) {
    std::fill(sums_.begin(), sums_.end(), 0);
    const std::size_t size = layout_.size();
    const RowStates::InQuestion* next = states.classes.data();
    for (const RowStates::Row& row : states.rows) {
        add(&sums_[column[row.number] * size], layout_, row, next);
        next += row.n_classes;
    }
}

}  // namespace fuzzyucs
