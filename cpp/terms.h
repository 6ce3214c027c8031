#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fuzzyucs {

// The linguistic terms a rule accepts for one feature. Of up to 64 terms they are any set: bit t
// stands for term t. Of more terms, which only inference knows, they are a run of neighbours: the
// lowest byte is its first term, the next byte its last one.
using Terms = std::uint64_t;

inline constexpr std::uint32_t kMaxTerms = 64;       // of which any set is a condition
inline constexpr std::uint32_t kMaxFineTerms = 255;  // of which runs are

inline bool are_fine(std::uint32_t n_terms) { return n_terms > kMaxTerms; }

inline std::uint32_t first_of_run(Terms terms) { return terms & 255; }
inline std::uint32_t last_of_run(Terms terms) { return (terms >> 8) & 255; }

// All terms of a feature that has at most 64.
inline Terms every_term(std::uint32_t n_terms) { return ~Terms{0} >> (kMaxTerms - n_terms); }

inline bool accepts_all(Terms terms, std::uint32_t n_terms) {
    return terms == (are_fine(n_terms) ? Terms{n_terms - 1} << 8 : every_term(n_terms));
}

// Whether it is a condition: not empty, and without terms that the feature does not have.
inline bool is_condition(Terms terms, std::uint32_t n_terms) {
    if (!are_fine(n_terms)) return terms != 0 && (terms & ~every_term(n_terms)) == 0;
    return terms >> 16 == 0 && first_of_run(terms) <= last_of_run(terms) &&
           last_of_run(terms) < n_terms;
}

inline bool accepts(Terms terms, std::uint32_t term, std::uint32_t n_terms) {
    if (!are_fine(n_terms)) return (terms >> term) & 1;
    return first_of_run(terms) <= term && term <= last_of_run(terms);
}

// Calls `work` with each accepted term, in ascending order.
template <class Work>
void for_each_accepted(Terms terms, std::uint32_t n_terms, Work&& work) {
    if (are_fine(n_terms)) {
        for (std::size_t t = first_of_run(terms); t <= last_of_run(terms); ++t) work(t);
    } else {
        for (; terms != 0; terms &= terms - 1) {
            work(static_cast<std::size_t>(std::countr_zero(terms)));
        }
    }
}

// The probability that a value has one of the accepted terms.
inline double accepted_share(const double* probability, Terms terms, std::uint32_t n_terms) {
    double sum = 0;
    for_each_accepted(terms, n_terms, [&](std::size_t term) { sum += probability[term]; });
    return std::min(sum, 1.0);
}

}  // namespace fuzzyucs
