#include "class_histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vectors.h"

namespace fuzzyucs {

namespace {

constexpr double kMoreThanRounding = 1 + 1e-9;

[[gnu::always_inline]] inline void add_four(Sum* sums, const std::int32_t* values) {
    four(sums).values += __builtin_convertvector(load<FourSmall>(values), FourIntegers);
}

// Adds rows of few classes to sums by code. Two classes have a loop of their own: it has no other
// inside. Rows of the code that is left out are so many that a branch is foreseen.
FUZZYUCS_VECTOR_CLONES
void add_values(const RowStates::Part& part, const std::uint8_t* column, std::size_t stride,
                std::size_t left_out, Sum* sums, bool* has) {
    const std::uint32_t* numbers = part.numbers.data();
    const std::int32_t* values = part.values.data();
    if (stride == 4) {
        for (std::size_t i = 0, n = part.n_rows; i < n; ++i) {
            const std::size_t code = column[numbers[i]];
            if (code == left_out) continue;
            has[code] = true;
            add_four(sums + code * 4, values + i * 4);
        }
        return;
    }
    for (std::size_t i = 0; i < part.n_rows; ++i, values += stride) {
        const std::size_t code = column[numbers[i]];
        if (code == left_out) continue;
        has[code] = true;
        Sum* own = sums + code * stride;
        for (std::size_t j = 0; j < stride; j += 4) add_four(own + j, values + j);
    }
}

}  // namespace

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

// Few rows of a large table have few of the codes.
void ClassHistogram::begin(const ClassSlots& slots) {
    for (std::size_t code = 0; code < kCodes; ++code) {
        if (has_[code]) std::fill_n(&sums_[code * slots_.size()], slots_.size(), 0);
    }
    has_.fill(false);
    slots_ = slots;
    sums_.resize(kCodes * slots_.size());
}

void ClassHistogram::add(const RowStates& states, const RowStates::Part& part,
                         const std::uint8_t* column, std::size_t left_out) {
    if (states.layout.has_few()) {
        add_values(part, column, states.stride(), left_out, sums_.data(), has_.data());
        return;
    }
    const std::size_t size = slots_.size();
    const std::uint32_t* slot = slots_.of_class.data();
    const RowStates::InQuestion* next = part.classes.data();
    for (std::size_t i = 0; i < part.n_rows; ++i) {
        const std::size_t code = column[part.numbers[i]];
        const auto [weight, label, n_classes] = part.own[i];
        if (code == left_out) {
            next += n_classes;
            continue;
        }
        Sum* sums = &sums_[code * size];
        has_[code] = true;
        sums[0] += weight;
        sums[SumLayout::own(slot[label])] += weight;
        for (const RowStates::InQuestion* end = next + n_classes; next != end; ++next) {
            Sum* own = &sums[SumLayout::probability(slot[next->kept])];
            own[0] += next->probability;
            own[1] += next->spread;
        }
    }
}

void ClassHistogram::complete(std::size_t left_out, std::span<const Sum> all) {
    const std::size_t size = slots_.size(), n_slots = slots_.classes.size();
    Sum* sums = &sums_[left_out * size];
    sums[0] = all[0];
    for (std::size_t i = 0; i < n_slots; ++i) {
        std::copy_n(&all[SumLayout::own(slots_.classes[i])], 3, sums + SumLayout::own(i));
    }
    for (std::size_t code = 0; code < kCodes; ++code) {
        if (!has_[code]) continue;
        const Sum* others = of_code(code);
        for (std::size_t i = 0; i < 1 + 3 * n_slots; ++i) sums[i] -= others[i];
    }
    has_[left_out] = true;
}

void ClassHistogram::combine(std::span<ClassHistogram* const> histograms, std::span<Sum> others,
                             const SharedRows& shared) {
    std::vector<std::span<Sum>> sums{others};
    for (ClassHistogram* histogram : histograms) sums.emplace_back(histogram->sums_);
    shared.combine(sums);
    for (ClassHistogram* histogram : histograms) {
        const std::size_t size = histogram->slots_.size();
        for (std::size_t code = 0; code < kCodes; ++code) {
            const Sum* own = histogram->of_code(code);
            histogram->has_[code] = std::any_of(own, own + size, [](Sum sum) { return sum != 0; });
        }
    }
}

void ClassHistogram::add(const ClassHistogram& other) {
    for (std::size_t code = 0; code < kCodes; ++code) has_[code] |= other.has_[code];
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
}

}  // namespace fuzzyucs
