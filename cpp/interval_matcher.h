#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "interval_rule.h"
#include "settings.h"
#include "slots.h"
#include "tags.h"
#include "vectors.h"

namespace fuzzyucs {

// The range of a feature in equal bins. Their number is a power of two, so that the bin of a value
// is exact arithmetic.
inline constexpr std::size_t kBins = 32;

inline std::size_t bin_of(double value) {
    return std::min(static_cast<std::size_t>(value * kBins), kBins - 1);
}

// One input as the matcher wants it.
class IntervalInput {
  public:
    explicit IntervalInput(std::size_t n_features) : values_(n_features) {}

    void read(const double* x) {
        known_.clear();
        for (std::size_t i = 0; i < values_.size(); ++i) {
            values_[i] = std::isnan(x[i]) ? x[i] : std::clamp(x[i], 0.0, 1.0);
            if (!std::isnan(x[i])) known_.push_back({i, i * kBins + bin_of(values_[i])});
        }
    }

    void expect_matches(std::size_t) {}

    std::span<const double> values() const { return values_; }

  private:
    friend class IntervalMatcher;

    struct Known {
        std::size_t feature;
        std::size_t planes;
    };

    std::vector<double> values_;
    std::vector<Known> known_;
};

// The conditions of all rules, laid out for matching.
//
// Each block of 512 slots has two planes (one bit per slot, one cache line) for every bin of every
// feature: rules whose interval reaches into the bin, and among them those whose interval does not
// fill it. The first are intersected; only for the second are bounds compared with values. Beside
// it each rule keeps a code, for each feature its lower bound and its negated upper bound: a
// condition is more general than another if none of its numbers is greater.
class IntervalMatcher {
  public:
    using Input = IntervalInput;
    using Gene = Bounds;
    using Code = double;

    explicit IntervalMatcher(std::size_t n_features, const Settings& settings = {})
        : n_features_(n_features),
          mutation_step_(settings.mutation_step),
          covering_range_(settings.covering_range) {}

    std::size_t n_features() const { return n_features_; }
    std::size_t code_size() const { return 2 * n_features_; }
    Input new_input() const { return Input(n_features_); }

    void add_block() {
        planes_.resize(planes_.size() + n_features_ * kBins);
        conditions_.resize(conditions_.size() + kBlockSlots * n_features_);
        codes_.resize(codes_.size() + kBlockSlots * code_size());
        tags_.add_block();
    }

    std::span<const Bounds> condition(Slot slot) const {
        return {&conditions_[slot * n_features_], n_features_};
    }
    const double* code(Slot slot) const { return &codes_[slot * code_size()]; }

    void encode(std::span<const Bounds> condition, std::span<double> code) const {
        for (std::size_t i = 0; i < n_features_; ++i) {
            code[2 * i] = condition[i].lower();
            code[2 * i + 1] = 0 - condition[i].upper();  // never -0, which would have another tag
        }
    }

    void assign(Slot slot, std::span<const Bounds> condition, std::span<const double> code) {
        std::copy(condition.begin(), condition.end(), &conditions_[slot * n_features_]);
        std::copy(code.begin(), code.end(), &codes_[slot * code_size()]);
        tags_.assign(slot, Tags::of(code));
        Planes* planes = &planes_[slot / kBlockSlots * n_features_ * kBins];
        for (std::size_t i = 0; i < n_features_; ++i, planes += kBins) {
            const double lower = code[2 * i], upper = -code[2 * i + 1];
            const std::size_t first = bin_of(lower), last = bin_of(upper);
            const bool cuts_first = lower * kBins > static_cast<double>(first);
            const bool cuts_last = upper < 1;
            for (std::size_t bin = 0; bin < kBins; ++bin) {
                planes[bin].reached.set(slot % kBlockSlots, (first <= bin) & (bin <= last));
                planes[bin].cut.set(slot % kBlockSlots,
                                    ((bin == first) & cuts_first) | ((bin == last) & cuts_last));
            }
        }
    }

    // Of the slots alive in a block, those whose condition holds at the input.
    Plane match(const Input& input, std::size_t block, const Plane& alive) const {
        const Planes* planes = &planes_[block * n_features_ * kBins];
        Plane matched = alive;
        for (const auto& known : input.known_) matched.intersect(planes[known.planes].reached);
        for (const auto& known : input.known_) {
            const double value = input.values_[known.feature];
            const Plane& cut = planes[known.planes].cut;
            for (std::size_t w = 0; w < matched.words.size(); ++w) {
                std::uint64_t& word = matched.words[w];
                for_each_bit(word & cut.words[w], block * kBlockSlots + 64 * w, [&](Slot slot) {
                    const double* bounds = code(slot) + 2 * known.feature;
                    const bool holds = (bounds[0] <= value) & (bounds[1] <= -value);
                    word &= ~(std::uint64_t{!holds} << (slot % 64));
                });
            }
        }
        return matched;
    }

    // A rule that matches does so fully.
    void degrees(const Input&, std::span<const Slot> slots, double* degrees) const {
        std::fill_n(degrees, slots.size(), 1.0);
    }

    bool strictly_more_general(const double* general, const double* specific) const {
        bool more = false;
        for (std::size_t i = 0; i < code_size(); ++i) {
            if (general[i] > specific[i]) return false;
            more |= general[i] < specific[i];
        }
        return more;
    }

    // The first slot `among(block)` whose condition has this code, or kNoSlot.
    template <class Among>
    Slot find(std::span<const double> code, Among&& among) const {
        return tags_.find(Tags::of(code), among, [&](Slot slot) {
            return std::equal(code.begin(), code.end(), this->code(slot));
        });
    }

    void cover(const Input& input, std::span<Bounds> condition, double dont_care_rate,
               Rng& rng) const {
        fuzzyucs::cover(condition, input.values(), dont_care_rate, covering_range_, rng);
    }
    void crossover(std::span<Bounds> first, std::span<Bounds> second, Rng& rng) const {
        fuzzyucs::crossover(first, second, rng);
    }
    void mutate(std::span<Bounds> condition, double rate, Rng& rng) const {
        fuzzyucs::mutate(condition, rate, mutation_step_, rng);
    }

  private:
    struct Planes {
        Plane reached;
        Plane cut;
    };

    std::size_t n_features_;
    double mutation_step_;
    double covering_range_;
    std::vector<Planes> planes_;
    std::vector<Bounds> conditions_;
    std::vector<double> codes_;
    Tags tags_;
};

}  // namespace fuzzyucs
