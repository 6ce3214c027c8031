#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "rng.h"

namespace fuzzyucs {

// The linguistic terms a rule accepts for one feature: bit t stands for term t.
using Terms = std::uint32_t;

inline constexpr std::uint32_t kMaxTerms = 32;

inline Terms every_term(std::uint32_t n_terms) { return ~Terms{0} >> (kMaxTerms - n_terms); }

// Where a value lies on its linguistic variable: between the peaks of terms `segment` and
// `segment + 1`, a `fraction` of the way. Positions count in terms: 0 is the first peak.
struct Place {
    std::uint32_t segment = 0;
    double fraction = 0;
    bool missing = false;

    static Place of(double position, std::uint32_t n_terms) {
        if (std::isnan(position)) return {0, 0, true};
        const double clipped = std::clamp(position, 0.0, static_cast<double>(n_terms - 1));
        const auto segment = std::min(static_cast<std::uint32_t>(clipped), n_terms - 2);
        return {segment, clipped - segment, false};
    }

    // The terms with non-zero membership: two neighbours, or one on a peak.
    Terms terms() const {
        Terms active = 0;
        if (fraction < 1) active |= Terms{1} << segment;
        if (fraction > 0) active |= Terms{2} << segment;
        return active;
    }
};

// Where a value lies among the ascending peaks of terms. Values beyond count as the nearest peak;
// NaN stays NaN.
inline double locate(double x, std::span<const double> peaks) {
    if (!(x > peaks.front())) return std::isnan(x) ? x : 0;
    if (x >= peaks.back()) return static_cast<double>(peaks.size() - 1);
    std::size_t term = 0;
    while (x >= peaks[term + 1]) ++term;
    // Halves, because the difference of two doubles may exceed the largest one.
    const double low = peaks[term] / 2;
    return static_cast<double>(term) + (x / 2 - low) / (peaks[term + 1] / 2 - low);
}

inline Terms term_at_rank(Terms terms, std::uint32_t rank) {
    for (; rank > 0; --rank) terms &= terms - 1;
    return terms & (~terms + 1);
}

inline Terms random_term(Terms terms, Rng& rng) {
    return term_at_rank(terms, rng.below(static_cast<std::uint32_t>(std::popcount(terms))));
}

inline void cover(std::span<Terms> condition, std::span<const Place> input,
                  std::span<const std::uint32_t> n_terms, double dont_care_rate, Rng& rng) {
    for (std::size_t i = 0; i < condition.size(); ++i) {
        const bool dont_care = rng.chance(dont_care_rate) || input[i].missing;
        condition[i] = dont_care ? every_term(n_terms[i]) : input[i].terms();
    }
}

inline void crossover(std::span<Terms> first, std::span<Terms> second,
                      std::span<const std::uint32_t> n_terms, Rng& rng) {
    for (std::size_t i = 0; i < first.size(); ++i) {
        const auto coins = static_cast<Terms>(rng.next() >> (64 - n_terms[i]));
        const Terms swapped = (first[i] ^ second[i]) & coins;
        first[i] ^= swapped;
        second[i] ^= swapped;
        if (!first[i]) first[i] = Terms{1} << rng.below(n_terms[i]);
        if (!second[i]) second[i] = Terms{1} << rng.below(n_terms[i]);
    }
}

inline Terms expand(Terms terms, std::uint32_t n_terms, Rng& rng) {
    return terms | random_term(every_term(n_terms) & ~terms, rng);
}

inline Terms contract(Terms terms, Rng& rng) { return terms & ~random_term(terms, rng); }

inline Terms shift(Terms terms, std::uint32_t n_terms, Rng& rng) {
    const Terms moved = random_term(terms, rng);
    const Terms last = Terms{1} << (n_terms - 1);
    const bool up = moved == 1 || (moved != last && rng.chance(0.5));
    return (terms & ~moved) | (up ? moved << 1 : moved >> 1);
}

inline Terms mutate(Terms terms, std::uint32_t n_terms, Rng& rng) {
    if (terms == every_term(n_terms)) return contract(terms, rng);
    if (std::has_single_bit(terms)) {
        return rng.chance(0.5) ? expand(terms, n_terms, rng) : shift(terms, n_terms, rng);
    }
    switch (rng.below(3)) {
        case 0:
            return expand(terms, n_terms, rng);
        case 1:
            return contract(terms, rng);
        default:
            return shift(terms, n_terms, rng);
    }
}

inline void mutate(std::span<Terms> condition, std::span<const std::uint32_t> n_terms, double rate,
                   Rng& rng) {
    for (std::size_t i = 0; i < condition.size(); ++i) {
        if (rng.chance(rate)) condition[i] = mutate(condition[i], n_terms[i], rng);
    }
}

}  // namespace fuzzyucs
