#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gap_closer.h"
#include "slots.h"

namespace fuzzyucs {

// A short hash of every rule's condition, so that an equal condition is found by one quick scan.
class Tags {
  public:
    using Tag = std::uint16_t;

    template <class Word>
    static Tag of(std::span<const Word> code) {
        std::uint64_t hash = 0;
        for (const Word word : code) {
            hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        return static_cast<Tag>(hash >> 48);
    }

    void add_block() { tags_.resize(tags_.size() + kBlockSlots); }
    void assign(Slot slot, Tag tag) { tags_[slot] = tag; }
    void close_gaps(const GapCloser& gaps) { gaps.close(tags_); }

    // The first slot with this tag that is in `among(block)` and for which `is_equal(slot)` holds,
    // or kNoSlot.
    template <class Among, class IsEqual>
    Slot find(Tag wanted, Among&& among, IsEqual&& is_equal) const {
        for (std::size_t block = 0; block < tags_.size() / kBlockSlots; ++block) {
            const Tag* tags = &tags_[block * kBlockSlots];
            Tag present = 0;
            for (std::size_t i = 0; i < kBlockSlots; ++i) present |= tags[i] == wanted;
            if (!present) continue;
            const Plane& plane = among(block);
            for (std::size_t i = 0; i < kBlockSlots; ++i) {
                const auto slot = static_cast<Slot>(block * kBlockSlots + i);
                if (tags[i] == wanted && plane.test(i) && is_equal(slot)) return slot;
            }
        }
        return kNoSlot;
    }

  private:
    std::vector<Tag> tags_;
};

}  // namespace fuzzyucs
