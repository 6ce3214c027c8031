#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

// What a fuzzer's bytes are read as: numbers, arrays and choices. When they are used up, everything
// is 0 or its least value, so that every input ends.

// Ends the run as a crash would, so that the fuzzer keeps the input.
#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                  \
        }                                                                                  \
    } while (false)

namespace fuzz {

class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

    bool is_over() { return bytes_.remaining_bytes() == 0; }
    bool flag() { return bytes_.ConsumeBool(); }
    std::size_t between(std::size_t least, std::size_t most) {
        return bytes_.ConsumeIntegralInRange<std::size_t>(least, most);
    }
    std::uint64_t bits() { return bytes_.ConsumeIntegral<std::uint64_t>(); }

    // Any double at all: often one of those that break things.
    double any() {
        using Limits = std::numeric_limits<double>;
        constexpr double odd[] = {0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.5,
                                  2,
                                  0.1,
                                  1e-17,
                                  1e308,
                                  -1e308,
                                  1e-300,
                                  1e16,
                                  Limits::max(),
                                  Limits::lowest(),
                                  Limits::min(),
                                  Limits::denorm_min(),
                                  Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::quiet_NaN()};
        const std::size_t i = bytes_.ConsumeIntegral<std::uint8_t>();
        if (i < std::size(odd)) return odd[i];
        if (i < 128) return static_cast<double>(i) / 16 - 4;
        const std::uint64_t word = bits();
        double number;
        std::memcpy(&number, &word, sizeof number);
        return number;
    }
    // A finite one from 0 on.
    double amount() {
        const double number = std::abs(any());
        return std::isfinite(number) ? number : 1e308;
    }
    // From 0 to 1, the ends included; one byte for most of them.
    double unit() {
        const std::size_t i = bytes_.ConsumeIntegral<std::uint8_t>();
        if (i == 255) return bytes_.ConsumeFloatingPointInRange<double>(0, 1);
        return static_cast<double>(i) / 254;
    }
    // A position among terms; sometimes missing, sometimes outside.
    double position(std::size_t n_terms) {
        const std::size_t i = bytes_.ConsumeIntegral<std::uint8_t>();
        if (i < 12) return std::numeric_limits<double>::quiet_NaN();
        if (i < 16) return any();
        return static_cast<double>(i - 16) / 239 * static_cast<double>(n_terms - 1);
    }
    std::vector<double> positions(std::span<const std::uint32_t> n_terms) {
        std::vector<double> row;
        for (const std::uint32_t n : n_terms) row.push_back(position(n < 2 ? 2 : n));
        return row;
    }

    // One number of terms for each of some features.
    std::vector<std::uint32_t> term_counts(std::size_t most_features, std::size_t most_terms) {
        std::vector<std::uint32_t> found(between(1, most_features));
        for (auto& n : found) {
            n = static_cast<std::uint32_t>(flag() ? between(2, 5) : between(2, most_terms));
        }
        return found;
    }

  private:
    FuzzedDataProvider bytes_;
};

}  // namespace fuzz
