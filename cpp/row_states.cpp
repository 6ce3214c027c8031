#include "row_states.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "vectors.h"

namespace fuzzyucs {

namespace {

using Part = RowStates::Part;

// The least probability of a class that is in question. What is below counts as equally probable in
// all rows.
std::int32_t least_in_question(std::size_t n_classes) {
    return n_classes > kManyClasses ? kUnit >> 7 : kUnit >> 10;
}

std::int32_t rounded(double value) { return static_cast<std::int32_t>(std::lrint(value)); }

// Half a unit of the degree is rounded up. Values are not negative, and no product exceeds 31 bits.
template <class Value>
Value scaled(Value value, std::int32_t degree) {
    static_assert(std::uint64_t{kUnit} * kFullDegree + kFullDegree / 2 < (1u << 31));
    return (value * degree + std::int32_t{kFullDegree / 2}) >> kDegreeBits;
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
        std::vector<double> least(n);  // odds
        for (std::size_t i = 0; i < n; ++i) {
            const double weight = table.sample_weights[first + i] / greatest_weight * kUnit;
            least[i] =
                (least_in_question(table.n_classes) - 1) / weight * profiles.totals()[first + i];
        }
        std::vector<std::pair<std::uint32_t, Class>> found;
        for (Class c = 0; c < table.n_classes; ++c) {
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

void read_few(const CodeTable& table, const ClassProfiles& profiles, double greatest_weight,
              std::size_t first, std::size_t stride, Part& part) {
    const bool is_two = table.n_classes == 2;
    const std::int32_t least = is_two ? 0 : least_in_question(table.n_classes);
    std::fill_n(part.values.begin(), part.n_rows * stride, 0);
    for (std::size_t i = 0; i < part.n_rows; ++i) {
        const std::size_t r = first + i;
        const double weight = table.sample_weights[r] / greatest_weight * kUnit;
        std::int32_t* values = &part.values[i * stride];
        values[0] = rounded(weight);
        const Class label = table.labels[r];
        if (!is_two) values[SumLayout::own(label)] = values[0];
        if (is_two && label == 1) values[SumLayout::own(0)] = values[0];
        for (Class c = is_two ? 1 : 0; c < table.n_classes; ++c) {
            const double p = profiles.probability(r, c);
            const std::int32_t probability = rounded(p * weight);
            if (probability < least) continue;
            const std::size_t kept = is_two ? 0 : c;
            values[SumLayout::probability(kept)] = probability;
            values[SumLayout::spread(kept)] = rounded(p * (1 - p) * weight);
        }
    }
}

void read_more(const CodeTable& table, const ClassProfiles& profiles, double greatest_weight,
               std::size_t first, Part& part) {
    const std::int32_t least = least_in_question(table.n_classes);
    const Candidates candidates(table, profiles, greatest_weight, first, first + part.n_rows);
    part.classes.clear();
    for (std::size_t i = 0; i < part.n_rows; ++i) {
        const std::size_t r = first + i;
        const double weight = table.sample_weights[r] / greatest_weight * kUnit;
        const std::size_t before = part.classes.size();
        for (const Class c : candidates.of_row(r)) {
            const double p = profiles.probability(r, c);
            const std::int32_t probability = rounded(p * weight);
            if (probability < least) continue;
            part.classes.push_back({c, probability, rounded(p * (1 - p) * weight)});
        }
        part.own[i] = {rounded(weight), table.labels[r],
                       static_cast<std::uint32_t>(part.classes.size() - before)};
    }
}

// Without branches, which nobody could foresee: every row is written, and the next one over it if
// it does not match.
template <class Stride>
void restrict_few(const Part& part, const std::uint8_t* column, const std::uint16_t* degrees,
                  Stride stride, Part& found) {
    found.make_room(part.n_rows, part.n_rows * stride, 0);
    const std::uint32_t* numbers = part.numbers.data();
    const std::uint16_t* matched = part.degrees.data();
    const std::int32_t* values = part.values.data();
    std::uint32_t* found_numbers = found.numbers.data();
    std::uint16_t* found_degrees = found.degrees.data();
    std::int32_t* found_values = found.values.data();
    std::size_t n = 0;
    for (std::size_t i = 0, n_rows = part.n_rows; i < n_rows; ++i, values += stride) {
        const std::uint32_t number = numbers[i];
        const std::int32_t degree = degrees[column[number]];
        const std::int32_t product = scaled(std::int32_t{matched[i]}, degree);
        found_numbers[n] = number;
        found_degrees[n] = static_cast<std::uint16_t>(product);
        for (std::size_t j = 0; j < stride; j += 4) {
            store(scaled(load<FourSmall>(values + j), degree), found_values + n * stride + j);
        }
        n += product != 0;
    }
    found.n_rows = n;
}

// Sums over all rows. A sum in 32 bits has room for so many rows: vectors of twice as many numbers.
FUZZYUCS_VECTOR_CLONES
void add_all(const Part& part, std::size_t stride, Sum* sums) {
    constexpr std::size_t rows = ((1u << 31) - 1) / kUnit;
    for (std::size_t first = 0; first < part.n_rows; first += rows) {
        const std::size_t last = std::min(first + rows, part.n_rows);
        for (std::size_t j = 0; j < stride; j += 4) {
            FourSmall small{};
            for (std::size_t i = first; i < last; ++i) {
                small += load<FourSmall>(&part.values[i * stride + j]);
            }
            four(sums + j).values += __builtin_convertvector(small, FourIntegers);
        }
    }
}

void restrict_more(const Part& part, const std::uint8_t* column, const std::uint16_t* degrees,
                   Part& found) {
    found.make_room(part.n_rows, 0, part.classes.size());
    RowStates::InQuestion* class_end = found.classes.data();
    const RowStates::InQuestion* next = part.classes.data();
    std::size_t n = 0;
    for (std::size_t i = 0; i < part.n_rows; ++i) {
        const auto [weight, label, n_classes] = part.own[i];
        const RowStates::InQuestion* own = next;
        next += n_classes;
        const std::int32_t degree = degrees[column[part.numbers[i]]];
        const std::int32_t product = scaled(std::int32_t{part.degrees[i]}, degree);
        if (product == 0) continue;
        found.numbers[n] = part.numbers[i];
        found.degrees[n] = static_cast<std::uint16_t>(product);
        found.own[n++] = {scaled(weight, degree), label, n_classes};
        for (; own != next; ++own) {
            *class_end++ = {own->kept, scaled(own->probability, degree),
                            scaled(own->spread, degree)};
        }
    }
    found.n_rows = n;
}

}  // namespace

void RowStates::Part::make_room(std::size_t n, std::size_t n_values, std::size_t n_classes) {
    const auto grow = [](auto& array, std::size_t size) {
        if (array.size() < size) array.resize(size);
    };
    grow(numbers, n);
    grow(degrees, n);
    grow(values, n_values);
    if (n_values == 0) grow(own, n);
    grow(classes, n_classes);
}

void RowStates::read(const CodeTable& table, const ClassProfiles& profiles, double greatest_weight,
                     Workers& workers) {
    layout = {table.n_classes};
    parts.resize(Workers::n_parts(table.n_rows()));
    workers.share_rows(table.n_rows(), [&](std::size_t first, std::size_t last, std::size_t) {
        Part& part = parts[Workers::part_of(first)];
        part.n_rows = last - first;
        part.make_room(part.n_rows, layout.has_few() ? part.n_rows * stride() : 0, 0);
        std::iota(part.numbers.begin(), part.numbers.end(), static_cast<std::uint32_t>(first));
        std::ranges::fill(part.degrees, static_cast<std::uint16_t>(kFullDegree));
        layout.has_few() ? read_few(table, profiles, greatest_weight, first, stride(), part)
                         : read_more(table, profiles, greatest_weight, first, part);
    });
}

void RowStates::restrict_to(const std::uint8_t* column, const std::uint16_t* degrees,
                            RowStates& found, Workers& workers) const {
    found.layout = layout;
    found.parts.resize(parts.size());
    workers.share(parts.size(), [&](std::size_t i, std::size_t) {
        if (layout.n_classes == 2) {
            using Four = std::integral_constant<std::size_t, 4>;
            restrict_few(parts[i], column, degrees, Four{}, found.parts[i]);
        } else if (layout.has_few()) {
            restrict_few(parts[i], column, degrees, stride(), found.parts[i]);
        } else {
            restrict_more(parts[i], column, degrees, found.parts[i]);
        }
    });
}

std::vector<Sum> RowStates::sums(Workers& workers) const {
    std::vector<std::vector<Sum>> of_parts(parts.size(), std::vector<Sum>(stride()));
    workers.share(parts.size(), [&](std::size_t i, std::size_t) {
        const Part& part = parts[i];
        Sum* sums = of_parts[i].data();
        if (layout.has_few()) {
            add_all(part, stride(), sums);
            return;
        }
        const InQuestion* next = part.classes.data();
        for (std::size_t j = 0; j < part.n_rows; ++j) {
            const auto [weight, label, n_classes] = part.own[j];
            sums[0] += weight;
            sums[SumLayout::own(label)] += weight;
            for (const InQuestion* end = next + n_classes; next != end; ++next) {
                sums[SumLayout::probability(next->kept)] += next->probability;
                sums[SumLayout::spread(next->kept)] += next->spread;
            }
        }
    });
    std::vector<Sum> found(layout.size());
    for (const auto& sums : of_parts) {
        for (std::size_t i = 0; i < found.size(); ++i) found[i] += sums[i];
    }
    return found;
}

}  // namespace fuzzyucs
