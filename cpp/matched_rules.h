#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "slots.h"

namespace fuzzyucs {

// Rules that match an input, with their degrees, as the first `size` entries of arrays that have
// room for all rules.
struct MatchedRules {
    std::vector<Slot> slots;
    std::vector<double> degrees;  // 1 until a matcher sets them
    std::size_t size = 0;

    void reserve(std::size_t n_slots) {
        slots.resize(n_slots + kListSlack);
        degrees.resize(n_slots, 1);
    }
    std::span<const Slot> in_use() const { return {slots.data(), size}; }
    // For list_slots(), which returns the end of what it has written.
    void end_at(const Slot* end) { size = static_cast<std::size_t>(end - slots.data()); }

    void append(Slot slot, double degree) {
        slots[size] = slot;
        degrees[size] = degree;
        ++size;
    }
    void erase(Slot slot) {
        const auto end = slots.begin() + static_cast<std::ptrdiff_t>(size);
        const auto found = std::find(slots.begin(), end, slot);
        if (found == end) return;
        const auto index = found - slots.begin();
        std::copy(found + 1, end, found);
        std::copy(degrees.begin() + index + 1, degrees.begin() + static_cast<std::ptrdiff_t>(size),
                  degrees.begin() + index);
        --size;
    }
};

}  // namespace fuzzyucs
