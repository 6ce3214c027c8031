#include "class_histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fuzzyucs {

namespace {

constexpr double kMoreThanRounding = 1 + 1e-9;

// The least probability of a class that is in question. What is below counts as equally probable in
// all rows.
std::int32_t least_in_question(std::size_t n_classes) {
    return n_classes > kManyClasses ? kUnit >> 7 : kUnit >> 10;
}

std::int32_t rounded(double value) { return static_cast<std::int32_t>(std::lrint(value)); }

// Half a unit of the degree is rounded up.
std::int32_t scaled(std::int32_t value, std::uint32_t degree) {
    return static_cast<std::int32_t>((std::int64_t{value} * degree + kFullDegree / 2) /
                                     kFullDegree);
}

void add_row(Sum* sums, const SumLayout& layout, const ClassSlots& slots, const RowStates::Row& row,
             const RowStates::InQuestion* classes) {
    sums[0] += row.weight;
    if (layout.n_classes == 2) {
        sums[1] += row.label ? row.weight : 0;
        sums[2] += classes->probability;
        sums[3] += classes->spread;
        return;
    }
    const std::uint32_t* slot = slots.of_class.data();
    sums[SumLayout::own(slot[row.label])] += row.weight;
    for (std::uint32_t i = 0; i < row.n_classes; ++i) {
        Sum* own = &sums[SumLayout::probability(slot[classes[i].kept])];
        own[0] += classes[i].probability;
        own[1] += classes[i].spread;
    }
}

// The classes that may be in question in each row of a part, in ascending order. Found class by
// class, without a division for each.
struct Candidates {
    std::size_t first;
    std::vector<std::size_t> begin;
    std::vector<Class> classes;

    Candidates(const CodeTable& table, const ClassProfiles& profiles, double greatest_weight,
               std::size_t first_row, std::size_t last_row)
        : first(first_row), begin(last_row - first_row + 1) {
        const std::size_t n = last_row - first_row;
        const Class from = table.n_classes == 2 ? 1 : 0;
        std::vector<double> least(n);  // odds
        for (std::size_t i = 0; i < n && table.n_classes > 2; ++i) {
            const double weight = table.sample_weights[first + i] / greatest_weight * kUnit;
            least[i] =
                (least_in_question(table.n_classes) - 1) / weight * profiles.totals()[first + i];
        }
        std::vector<std::pair<std::uint32_t, Class>> found;
        for (Class c = from; c < table.n_classes; ++c) {
            const double* odds = profiles.odds(c).data() + first;
            for (std::uint32_t i = 0; i < n; ++i) {
                if (!(odds[i] >= least[i])) continue;
                found.emplace_back(i, c);
                ++begin[i + 1];
            }
        }
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        classes.resize(found.size());
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (const auto& [row, c] : found) classes[next[row]++] = c;
    }
    std::span<const Class> of_row(std::size_t r) const {
        const std::size_t from = begin[r - first];
        return std::span(classes).subspan(from, begin[r - first + 1] - from);
    }
};

void read_part(const CodeTable& table, const ClassProfiles& profiles, double greatest_weight,
               std::size_t first, std::size_t last, RowStates::Part& part) {
    const bool is_two = table.n_classes == 2;
    const std::int32_t least = least_in_question(table.n_classes);
    part.rows.clear();
    part.classes.clear();
    const Candidates candidates(table, profiles, greatest_weight, first, last);
    for (std::size_t r = first; r < last; ++r) {
        const double weight = table.sample_weights[r] / greatest_weight * kUnit;
        const std::size_t before = part.classes.size();
        for (const Class c : candidates.of_row(r)) {
            const double p = profiles.probability(r, c);
            const std::int32_t probability = rounded(p * weight);
            if (!is_two && probability < least) continue;
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
    const ClassSlots slots(layout);
    std::vector<std::vector<Sum>> of_parts(parts.size(), std::vector<Sum>(slots.size()));
    workers.share(parts.size(), [&](std::size_t i, std::size_t) {
        const InQuestion* next = parts[i].classes.data();
        for (const Row& row : parts[i].rows) {
            add_row(of_parts[i].data(), layout, slots, row, next);
            next += row.n_classes;
        }
    });
    std::vector<Sum> found(layout.size());
    for (const auto& sums : of_parts) {
        for (std::size_t i = 0; i < found.size(); ++i) found[i] += sums[i];
    }
    return found;
}

ClassSlots::ClassSlots(const SumLayout& layout) : classes(layout.n_kept()) {
    std::iota(classes.begin(), classes.end(), 0u);
    of_class = classes;
}

ClassSlots::ClassSlots(const SumLayout& layout, std::span<const Sum> sums,
                       std::span<const double> all, double scale, double price)
    : of_class(layout.n_kept()) {
    for (std::uint32_t c = 0; c < layout.n_kept(); ++c) {
        const std::size_t own = SumLayout::own(c), probability = SumLayout::probability(c);
        const double most = static_cast<double>(sums[own] + sums[probability]) * scale;
        if ((most + std::abs(all[own] - all[probability])) * kMoreThanRounding > price) {
            classes.push_back(c);
        }
    }
    std::fill(of_class.begin(), of_class.end(), static_cast<std::uint32_t>(classes.size()));
    for (std::uint32_t i = 0; i < classes.size(); ++i) of_class[classes[i]] = i;
}

void ClassHistogram::begin(const ClassSlots& slots) {
    slots_ = slots;
    sums_.assign(kCodes * slots_.size(), 0);
}

void ClassHistogram::add(const RowStates::Part& part, const std::uint8_t* column) {
    const std::size_t size = slots_.size();
    const RowStates::InQuestion* next = part.classes.data();
    for (const RowStates::Row& row : part.rows) {
        add_row(&sums_[column[row.number] * size], layout_, slots_, row, next);
        next += row.n_classes;
    }
}

void ClassHistogram::add(const ClassHistogram& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
}

}  // namespace fuzzyucs
