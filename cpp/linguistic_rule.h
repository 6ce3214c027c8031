#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "position.h"
#include "rng.h"
#include "terms.h"

namespace fuzzyucs {

// Genetic operators on linguistic conditions, which have a set of terms for each feature.

inline Terms term_at_rank(Terms terms, std::uint32_t rank) {
    for (; rank > 0; --rank) terms &= terms - 1;
    return terms & (~terms + 1);
}

inline Terms random_term(Terms terms, Rng& rng) {
    return term_at_rank(terms, rng.below(static_cast<std::uint32_t>(std::popcount(terms))));
}

inline void cover(std::span<Terms> condition, std::span<const Position> input,
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

// What the article's program does instead: the term moves beside its rank among the terms present.
inline Terms shift_by_rank(Terms terms, std::uint32_t n_terms, Rng& rng) {
    const std::uint32_t rank = rng.below(static_cast<std::uint32_t>(std::popcount(terms)));
    const bool up = rank == 0 || (rank != n_terms - 1 && rng.chance(0.5));
    return (terms & ~term_at_rank(terms, rank)) | Terms{1} << (up ? rank + 1 : rank - 1);
}

using Shift = Terms (*)(Terms, std::uint32_t, Rng&);

inline Terms mutate(Terms terms, std::uint32_t n_terms, Shift shift, Rng& rng) {
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
                   Shift shift, Rng& rng) {
    for (std::size_t i = 0; i < condition.size(); ++i) {
        if (rng.chance(rate)) condition[i] = mutate(condition[i], n_terms[i], shift, rng);
    }
}

}  // namespace fuzzyucs
