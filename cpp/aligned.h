#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace fuzzyucs {

// Memory that begins where a line of the processor's caches does, so that no vector of four numbers
// lies in two of them.
template <class Value>
struct AlignedAllocator {
    using value_type = Value;
    static constexpr std::align_val_t kLine{64};

    AlignedAllocator() = default;
    template <class Other>
    AlignedAllocator(const AlignedAllocator<Other>&) {}

    Value* allocate(std::size_t n) {
        return static_cast<Value*>(::operator new(n * sizeof(Value), kLine));
    }
    void deallocate(Value* values, std::size_t) { ::operator delete(values, kLine); }

    bool operator==(const AlignedAllocator&) const { return true; }
};

template <class Value>
using AlignedVector = std::vector<Value, AlignedAllocator<Value>>;

}  // namespace fuzzyucs
