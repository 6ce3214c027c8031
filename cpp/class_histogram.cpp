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

void add_row(Sum* sums, const SumLayout& layout, const RowStates::Row& row,
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

void read_part(const CodeTable& table, const ClassProfiles& profiles, double greatest_weight,
               std::size_t first, std::size_t last, RowStates::Part& part) {
    const bool is_two = table.n_classes == 2;
    part.rows.clear();
    part.classes.clear();
    for (std::size_t r = first; r < last; ++r) {
        const double weight = table.sample_weights[r] / greatest_weight * kUnit;
        const std::size_t before = part.classes.size();
        for (Class c = is_two ? 1 : 0; c < table.n_classes; ++c) {
            const double p = profiles.probability(r, c);
            const std::int32_t probability = rounded(p * weight);
            if (!is_two && probability < kLeastInQuestion) continue;
            part.classes.push_back({is_two ? 0 : c, probability, rounded(p * (1 - p) * weight)});
        }
        part.rows.push_back({static_cast<std::uint32_t>(r), kFullDegree, rounded(weight),
                             table.labels[r],
                             static_cast<std::uint32_t>(part.classes.size() - before)});
    }
}

void restrict_part(const RowStates::Part& part, const std::uint8_t* column,
                   const std::uint16_t* degrees, RowStates::Part& found) {
    found.rows.resize(part.rows.size());
    found.classes.resize(part.classes.size());
    RowStates::Row* row_end = found.rows.data();
    RowStates::InQuestion* class_end = found.classes.data();
    const RowStates::InQuestion* next = part.classes.data();
    for (const RowStates::Row& row : part.rows) {
        const RowStates::InQuestion* own = next;
        next += row.n_classes;
        const std::uint32_t degree = degrees[column[row.number]];
        if (degree == 0) continue;
        if (degree == kFullDegree) {
            *row_end++ = row;
            for (; own != next; ++own) *class_end++ = *own;
            continue;
        }
        const std::uint32_t product = (row.degree * degree + kFullDegree / 2) / kFullDegree;
        if (product == 0) continue;
        *row_end++ = {row.number, product, scaled(row.weight, degree), row.label, row.n_classes};
        for (; own != next; ++own) {
            *class_end++ = {own->kept, scaled(own->probability, degree),
                            scaled(own->spread, degree)};
        }
    }
    found.rows.resize(static_cast<std::size_t>(row_end - found.rows.data()));
    found.classes.resize(static_cast<std::size_t>(class_end - found.classes.data()));
}

}  // namespace

void RowStates::read(const CodeTable& table, const ClassProfiles& profiles, double greatest_weight,
                     Workers& workers) {
    parts.resize(Workers::n_parts(table.n_rows()));
    workers.share_rows(table.n_rows(), [&](std::size_t first, std::size_t last, std::size_t) {
        read_part(table, profiles, greatest_weight, first, last, parts[Workers::part_of(first)]);
    });
}

void RowStates::restrict_to(const std::uint8_t* column, const std::uint16_t* degrees,
                            RowStates& found, Workers& workers) const {
    found.parts.resize(parts.size());
    workers.share(parts.size(), [&](std::size_t i, std::size_t) {
        restrict_part(parts[i], column, degrees, found.parts[i]);
    });
}

std::vector<Sum> RowStates::sums(const SumLayout& layout, Workers& workers) const {
    std::vector<std::vector<Sum>> of_parts(parts.size(), std::vector<Sum>(layout.size()));
    workers.share(parts.size(), [&](std::size_t i, std::size_t) {
        const InQuestion* next = parts[i].classes.data();
        for (const Row& row : parts[i].rows) {
            add_row(of_parts[i].data(), layout, row, next);
            next += row.n_classes;
        }
    });
    std::vector<Sum> found(layout.size());
    for (const auto& sums : of_parts) {
        for (std::size_t i = 0; i < found.size(); ++i) found[i] += sums[i];
    }
    return found;
}

void ClassHistogram::clear() { std::fill(sums_.begin(), sums_.end(), 0); }

void ClassHistogram::add(const RowStates::Part& part, const std::uint8_t* column) {
    const std::size_t size = layout_.size();
    const RowStates::InQuestion* next = part.classes.data();
    for (const RowStates::Row& row : part.rows) {
        add_row(&sums_[column[row.number] * size], layout_, row, next);
        next += row.n_classes;
    }
}

void ClassHistogram::add(const ClassHistogram& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
}

}  // namespace fuzzyucs
