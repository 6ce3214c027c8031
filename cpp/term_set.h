#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace fuzzyucs {

// A set of up to 256 terms of a feature, for searches among fine terms.
class TermSet {
  public:
    static constexpr std::size_t kWords = 4;

    void insert(std::uint32_t term) { words_[term / 64] |= std::uint64_t{1} << term % 64; }
    void insert(const TermSet& other) {
        for (std::size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
    }
    bool contains(std::uint32_t term) const { return words_[term / 64] >> term % 64 & 1; }
    const std::array<std::uint64_t, kWords>& words() const { return words_; }

    auto operator<=>(const TermSet&) const = default;

  private:
    std::array<std::uint64_t, kWords> words_{};
};

}  // namespace fuzzyucs
