#include "few_rows.h"

#include <algorithm>

#include "vector_clones.h"
#include "vectors.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kFewRows = 2 * kCodes;

[[gnu::always_inline]] inline void add_rows(const RowStates::Part& part, const std::uint8_t* column,
                                            const CodePlace* places, std::size_t stride,
                                            Sum* memory) {
    const std::uint32_t* numbers = part.numbers.data();
    const std::int32_t* values = part.values.data();
    for (std::size_t i = 0, n = part.n_rows; i < n; ++i, values += stride) {
        const auto [term, step] = places[column[numbers[i]]];
        Sum* own = memory + 2 * stride * term;
        for (std::size_t j = 0; j < stride; j += 4) {
            static_assert(std::uint64_t{kUnit} * kCodes < (1u << 31));
            const auto value = load<FourSmall>(values + j);
            four(own + j).values += __builtin_convertvector(value, FourIntegers);
            four(own + stride + j).values +=
                __builtin_convertvector(value * std::int32_t{step}, FourIntegers);
        }
    }
}

// Of each term, sums over the rows from it to the next one, then the same times their steps; behind
// all terms, sums over rows whose value is missing. Two classes have a loop of their own.
FUZZYUCS_VECTOR_CLONES
void add_by_term(const RowStates::Part& part, const std::uint8_t* column, const CodePlace* places,
                 std::size_t stride, Sum* memory) {
    if (stride == 4) {
        add_rows(part, column, places, 4, memory);
    } else {
        add_rows(part, column, places, stride, memory);
    }
}

FUZZYUCS_VECTOR_CLONES
void add_up(const CodedFeature& feature, std::span<const std::uint32_t> unit_of, double scale,
            std::size_t stride, const Sum* memory, Sum* above, double* sums) {
    const auto per_step = static_cast<double>(feature.steps);
    const Sum* missing = memory + 2 * stride * feature.n_terms;
    double share = 0;
    for (std::size_t t = feature.n_terms; t-- > 0;) {
        const Sum* whole = memory + 2 * stride * t;
        const Sum* part = whole - stride;  // of the rows from the term below
        share += feature.shares[t];
        const double missing_share = std::min(share, 1.0);
        const bool is_first = t == 0 || unit_of[t] != unit_of[t - 1];
        double* own = sums + unit_of[t] * stride;
        for (std::size_t i = 0; i < stride; i += 4) {
            four(above + i).values += four(whole + i).values;
            if (!is_first) continue;
            FourDoubles all, partial{}, unknown;
            as_doubles(four(above + i), all);
            if (t > 0) as_doubles(four(part + i), partial);
            as_doubles(four(missing + i), unknown);
            four(own + i).values = (all + partial / per_step + missing_share * unknown) * scale;
        }
    }
}

}  // namespace

bool FewRows::are_few(const RowStates& states) {
    return states.layout.has_few() && states.parts.size() == 1 &&
           states.parts.front().n_rows <= kFewRows;
}

void FewRows::find_places(const CodedFeature& feature) {
    if (feature.steps == steps_ && feature.n_terms == n_terms_) return;
    steps_ = feature.steps;
    n_terms_ = feature.n_terms;
    for (std::uint32_t code = 0; code < kMissingCode; ++code) {
        const std::uint32_t term = std::min(code / steps_, n_terms_ - 1);
        places_[code] = {static_cast<std::uint8_t>(term), static_cast<std::uint8_t>(code % steps_)};
    }
    places_[kMissingCode] = {static_cast<std::uint8_t>(n_terms_), 0};
}

void FewRows::add_from_the_top(const RowStates& states, const std::uint8_t* column,
                               const CodedFeature& feature, std::span<const std::uint32_t> unit_of,
                               double scale, double* sums) {
    find_places(feature);
    const std::size_t stride = states.stride(), size = 2 * stride * (feature.n_terms + 1);
    memory_.assign(size + stride, 0);
    add_by_term(states.parts.front(), column, places_.data(), stride, memory_.data());
    add_up(feature, unit_of, scale, stride, memory_.data(), memory_.data() + size, sums);
}

}  // namespace fuzzyucs
