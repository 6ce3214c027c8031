#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace fuzzyucs {

// Number of the storage location of a rule. Slots ascend with the age of their rules, the oldest
// first: a new rule takes the slot after all others, and gaps are closed now and then.
using Slot = std::uint32_t;

inline constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();
inline constexpr std::size_t kBlockSlots = 512;

// One bit for each slot of a block: exactly one cache line.
struct alignas(64) Plane {
    std::array<std::uint64_t, kBlockSlots / 64> words{};

    static Plane full() {
        Plane plane;
        plane.words.fill(~std::uint64_t{0});
        return plane;
    }

    bool test(std::size_t i) const { return (words[i / 64] >> (i % 64)) & 1; }
    void set(std::size_t i, bool on) {
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        words[i / 64] = on ? words[i / 64] | bit : words[i / 64] & ~bit;
    }
    void flip(std::size_t i) { words[i / 64] ^= std::uint64_t{1} << (i % 64); }
    void unite(const Plane& other) {
        for (std::size_t w = 0; w < words.size(); ++w) words[w] |= other.words[w];
    }
    void subtract(const Plane& other) {
        for (std::size_t w = 0; w < words.size(); ++w) words[w] &= ~other.words[w];
    }
    void intersect(const Plane& other) {
        for (std::size_t w = 0; w < words.size(); ++w) words[w] &= other.words[w];
    }
    void intersect_union(const Plane& a, const Plane& b) {
        for (std::size_t w = 0; w < words.size(); ++w) words[w] &= a.words[w] | b.words[w];
    }
};

// Calls `visit(slot)` for every set bit of a word whose first bit is `first_slot`, in slot order.
template <class Visit>
inline void for_each_bit(std::uint64_t word, std::size_t first_slot, Visit&& visit) {
    for (; word; word &= word - 1) visit(static_cast<Slot>(first_slot + std::countr_zero(word)));
}

template <class Visit>
inline void for_each_slot(const Plane& plane, std::size_t block, Visit&& visit) {
    for (std::size_t w = 0; w < plane.words.size(); ++w) {
        for_each_bit(plane.words[w], block * kBlockSlots + 64 * w, visit);
    }
}

// How many slots list_slots() may write beyond the end of its list.
inline constexpr std::size_t kListSlack = 7;

// For each byte, the indices of its set bits.
inline constexpr auto kBitIndices = [] {
    std::array<std::array<std::uint8_t, 8>, 256> indices{};
    for (std::size_t byte = 0; byte < indices.size(); ++byte) {
        std::size_t n = 0;
        for (std::uint8_t bit = 0; bit < 8; ++bit) {
            if (byte >> bit & 1) indices[byte][n++] = bit;
        }
    }
    return indices;
}();

// Writes the slots of all set bits, in slot order, and returns the end of the list. Where there are
// many, it writes eight at a time whether the bits are set or not: no branch to predict.
inline Slot* list_slots(const Plane& plane, std::size_t block, Slot* list) {
    auto first_slot = static_cast<Slot>(block * kBlockSlots);
    for (std::uint64_t word : plane.words) {
        if (std::popcount(word) <= 8) {
            for_each_bit(word, first_slot, [&](Slot slot) { *list++ = slot; });
        } else {
            for (Slot slot = first_slot; word; slot += 8, word >>= 8) {
                const auto& indices = kBitIndices[word & 255];
                for (std::size_t i = 0; i < 8; ++i) list[i] = slot + indices[i];
                list += std::popcount(word & 255);
            }
        }
        first_slot += 64;
    }
    return list;
}

}  // namespace fuzzyucs
