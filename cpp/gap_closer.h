#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "slots.h"

namespace fuzzyucs {

// Moves everything that is kept by slot, so that the slots in use come first and in the same order.
class GapCloser {
  public:
    // Neighbouring slots that move together, to lower ones.
    struct Run {
        Slot from;
        Slot to;
        Slot size;
    };

    explicit GapCloser(std::span<const Plane> alive) {
        for (std::size_t block = 0; block < alive.size(); ++block) {
            blocks_.emplace_back(alive[block]);
            for_each_slot(alive[block], block, [&](Slot slot) { append(slot); });
        }
    }

    Slot n_rules() const { return n_rules_; }
    std::span<const Run> runs() const { return runs_; }

    // Entries of `width` items for each slot. What free slots have is left behind.
    template <class T>
    void close(std::vector<T>& entries, std::size_t width = 1) const {
        for (const Run& run : runs_) {
            const auto first = entries.begin() + static_cast<std::ptrdiff_t>(run.from * width);
            std::copy(first, first + static_cast<std::ptrdiff_t>(run.size * width),
                      entries.begin() + static_cast<std::ptrdiff_t>(run.to * width));
        }
    }

    // A plane in every block, `stride` planes apart. Free slots get `fill`.
    void close(Plane* planes, std::size_t stride, bool fill = false) const {
        const std::uint64_t rest = fill ? ~std::uint64_t{0} : 0;
        const auto word_at = [&](std::size_t i) -> std::uint64_t& {
            return planes[i / kWords * stride].words[i % kWords];
        };
        std::uint64_t gathered = 0;
        std::size_t n_gathered = 0, to = 0;
        for (std::size_t block = 0; block < blocks_.size(); ++block) {
            const Plane packed = blocks_[block].pack(planes[block * stride]);
            for (std::size_t w = 0; w < kWords; ++w) {
                const std::uint64_t bits = packed.words[w];
                const std::size_t n = blocks_[block].counts[w];
                gathered |= bits << n_gathered;
                n_gathered += n;
                if (n_gathered < 64) continue;
                word_at(to++) = gathered;
                n_gathered -= 64;
                gathered = n_gathered == 0 ? 0 : bits >> (n - n_gathered);  // what did not fit
            }
        }
        const std::size_t n_words = blocks_.size() * kWords;
        if (n_gathered > 0) word_at(to++) = gathered | rest << n_gathered;
        for (; to < n_words; ++to) word_at(to) = rest;
    }

  private:
    static constexpr std::size_t kWords = kBlockSlots / 64;

    // Moves the bits of slots in use to the lower end of their word, in six steps that move bits by
    // a power of two each (H. S. Warren, "Hacker's Delight", 2nd edition, section 7-4). All words
    // of a plane at once, so that the compiler makes vectors of them.
    struct Block {
        explicit Block(const Plane& alive) : in_use(alive) {
            for (std::size_t w = 0; w < kWords; ++w) {
                std::uint64_t left = alive.words[w], free = ~alive.words[w] << 1;
                counts[w] = static_cast<std::uint32_t>(std::popcount(left));
                for (std::size_t i = 0; i < moved.size(); ++i) {
                    std::uint64_t parity = free;  // of the free bits below each bit
                    for (int shift = 1; shift < 64; shift *= 2) parity ^= parity << shift;
                    moved[i].words[w] = parity & left;
                    left = (left ^ (parity & left)) | ((parity & left) >> (1 << i));
                    free &= ~parity;
                }
            }
        }

        Plane pack(Plane plane) const {
            plane.intersect(in_use);
            for (std::size_t i = 0; i < moved.size(); ++i) {
                for (std::size_t w = 0; w < kWords; ++w) {
                    const std::uint64_t moving = plane.words[w] & moved[i].words[w];
                    plane.words[w] = (plane.words[w] ^ moving) | (moving >> (1 << i));
                }
            }
            return plane;
        }

        Plane in_use;
        std::array<Plane, 6> moved;
        std::array<std::uint32_t, kWords> counts;
    };

    void append(Slot slot) {
        const Slot to = n_rules_++;
        if (slot == to) return;
        if (!runs_.empty() && runs_.back().from + runs_.back().size == slot) {
            ++runs_.back().size;
        } else {
            runs_.push_back({slot, to, 1});
        }
    }

    std::vector<Block> blocks_;
    std::vector<Run> runs_;
    Slot n_rules_ = 0;
};

}  // namespace fuzzyucs
