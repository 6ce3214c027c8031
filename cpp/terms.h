#pragma once

#include <cstdint>

namespace fuzzyucs {

// The linguistic terms a rule accepts for one feature: bit t stands for term t.
using Terms = std::uint64_t;

inline constexpr std::uint32_t kMaxTerms = 64;

inline Terms every_term(std::uint32_t n_terms) { return ~Terms{0} >> (kMaxTerms - n_terms); }

}  // namespace fuzzyucs
