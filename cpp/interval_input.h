#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace fuzzyucs {

// Bounds and values as short numbers that keep their order, so that eight are compared at once. The
// short of a lower bound has to be below that of the value, and so has the negated short of an
// upper bound below the negated value; only if they are equal do the numbers themselves decide.
// That is rare, because the ends of the range, where bounds gather, have shorts of their own.
using Short = std::int16_t;

inline constexpr Short kNoBound = std::numeric_limits<Short>::min();
inline constexpr Short kEnd = std::numeric_limits<Short>::max();

// In (0, 1)
inline Short shortened(double value) { return static_cast<Short>(value * 65531 - 32765.5); }

// Without a branch: which values are at the end cannot be predicted.
inline int choose(bool condition, int yes, int no) { return no ^ ((no ^ yes) & -int{condition}); }

inline Short shortened_value(double value) {
    const int inner = choose(value == 1, kEnd, shortened(value));
    return static_cast<Short>(choose(value == 0, -kEnd, inner));
}
inline Short shortened_lower(double bound) {
    const int inner = choose(bound == 1, kEnd - 1, shortened(bound));
    return static_cast<Short>(choose(bound == 0, kNoBound, inner));
}
inline Short negated_upper(double bound) {
    const int inner = choose(bound == 0, kEnd - 1, -shortened(bound));
    return static_cast<Short>(choose(bound == 1, kNoBound, inner));
}

inline constexpr std::size_t kLanes = 8;

// Two shorts for each feature, in whole vectors.
inline std::size_t n_shorts(std::size_t n_features) {
    return (2 * n_features + kLanes - 1) / kLanes * kLanes;
}

// The range of a feature in equal bins, numbered from 0. More bins leave less to compare, but with
// many features they would not fit into the caches.
struct Bins {
    explicit Bins(std::size_t n_features) : number(n_features <= 10 ? 64 : 32) {}

    std::size_t at(double value) const {
        return std::min(static_cast<std::size_t>(value * static_cast<double>(number)), number - 1);
    }

    std::size_t number;
};

// One input, prepared for IntervalMatcher.
class IntervalInput {
  public:
    explicit IntervalInput(std::size_t n_features)
        : bins_(n_features), values_(n_features), shorts_(n_shorts(n_features)) {}

    void read(const double* x) {
        planes_.clear();
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (std::isnan(x[i])) {
                values_[i] = x[i];
                shorts_[2 * i] = shorts_[2 * i + 1] = kEnd;
                continue;
            }
            values_[i] = std::clamp(x[i], 0.0, 1.0);
            shorts_[2 * i] = shortened_value(values_[i]);
            shorts_[2 * i + 1] = static_cast<Short>(-shorts_[2 * i]);
            planes_.push_back(i * bins_.number + bins_.at(values_[i]));
        }
    }

    void expect_matches(std::size_t) {}  // many or few, it makes no difference

    std::span<const double> values() const { return values_; }

  private:
    friend class IntervalMatcher;

    Bins bins_;
    std::vector<double> values_;
    std::vector<Short> shorts_;
    std::vector<std::size_t> planes_;
};

}  // namespace fuzzyucs
