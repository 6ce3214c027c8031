#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace fuzzyucs {

inline std::uint64_t splitmix(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// xoshiro256++ (Blackman and Vigna, 2019), seeded with splitmix64. The standard library's
// distributions and std::shuffle differ between implementations, so none of them is used.
class Rng {
  public:
    using State = std::array<std::uint64_t, 4>;

    explicit Rng(std::uint64_t seed) {
        for (auto& word : state_) word = splitmix(seed);
    }
    explicit Rng(const State& state) : state_(state) {}

    const State& state() const { return state_; }

    std::uint64_t next() {
        const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    // In [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    bool chance(double probability) { return uniform() < probability; }

    // In [0, n).
    std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

    template <class T>
    void shuffle(std::span<T> items) {
        for (std::size_t i = items.size(); i > 1; --i) {
            std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
        }
    }

  private:
    static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

    State state_;
};

}  // namespace fuzzyucs
