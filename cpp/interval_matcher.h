#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "concepts.h"
#include "gap_closer.h"
#include "interval_input.h"
#include "interval_rule.h"
#include "settings.h"
#include "slots.h"
#include "tags.h"
#include "vectors.h"

namespace fuzzyucs {

// The conditions of all rules, laid out for matching.
//
// Each block of 512 slots has two planes (one bit per slot, one cache line) for every bin of every
// feature: the rules whose interval reaches into the bin, and those that cut it, leaving a part of
// it out. An intersection of the first leaves few candidates, and only those that cut some bin of
// the input have their bounds compared: as shorts, and exactly where shorts are equal.
class IntervalMatcher {
  public:
    using Input = IntervalInput;
    using Gene = Bounds;
    using Code = std::vector<Short>;

    explicit IntervalMatcher(std::size_t n_features, const Settings& settings = {})
        : n_features_(n_features),
          bins_(n_features),
          n_shorts_(n_shorts(n_features)),
          mutation_step_(settings.mutation_step),
          covering_range_(settings.covering_range),
          twins_agree_in_order_(settings.as_published) {}

    std::size_t n_features() const { return n_features_; }
    Input new_input() const { return Input(n_features_); }
    Code new_code() const { return Code(n_shorts_, kNoBound); }

    void add_block() {
        // Conditions to begin with reach all bins.
        planes_.resize(planes_.size() + n_features_ * bins_.number, {Plane::full(), Plane()});
        conditions_.resize(conditions_.size() + kBlockSlots * n_features_);
        codes_.resize(codes_.size() + kBlockSlots * n_shorts_);
        tags_.add_block();
    }

    std::span<const Bounds> condition(Slot slot) const {
        return {&conditions_[slot * n_features_], n_features_};
    }

    void encode(std::span<const Bounds> condition, Code& code) const {
        for (std::size_t i = 0; i < n_features_; ++i) {
            code[2 * i] = shortened_lower(condition[i].lower());
            code[2 * i + 1] = negated_upper(condition[i].upper());
        }
    }

    void assign(Slot slot, std::span<const Bounds> condition, const Code& code) {
        tags_.assign(slot, Tags::of(std::span<const Short>(code)));
        std::copy(code.begin(), code.end(), &codes_[slot * n_shorts_]);
        Planes* planes = &planes_[slot / kBlockSlots * n_features_ * bins_.number];
        Bounds* bounds = &conditions_[slot * n_features_];
        for (std::size_t i = 0; i < n_features_; ++i, planes += bins_.number) {
            const Reach before(bounds[i], bins_), now(condition[i], bins_);
            bounds[i] = condition[i];
            for_each_bit(before.reached ^ now.reached, 0,
                         [&](std::size_t bin) { planes[bin].reached.flip(slot % kBlockSlots); });
            for_each_bit(before.cut ^ now.cut, 0,
                         [&](std::size_t bin) { planes[bin].cut.flip(slot % kBlockSlots); });
        }
    }

    // Free slots get conditions as in add_block().
    void close_gaps(const GapCloser& gaps) {
        const std::size_t n_planes = n_features_ * bins_.number;
        for (std::size_t i = 0; i < n_planes; ++i) {
            // Each is a pair of planes.
            gaps.close(&planes_[i].reached, 2 * n_planes, true);
            gaps.close(&planes_[i].cut, 2 * n_planes);
        }
        gaps.close(conditions_, n_features_);
        gaps.close(codes_, n_shorts_);
        tags_.close_gaps(gaps);
        std::fill(conditions_.begin() + static_cast<std::ptrdiff_t>(gaps.n_rules() * n_features_),
                  conditions_.end(), Bounds());
    }

    // Of the slots alive in a block, those whose condition holds at the input.
    Plane match(const Input& input, std::size_t block, const Plane& alive) const {
        const Planes* planes = &planes_[block * n_features_ * bins_.number];
        Plane matched = alive, cut;
        for (const std::size_t plane : input.planes_) {
            matched.intersect(planes[plane].reached);
            cut.unite(planes[plane].cut);
        }
        for (std::size_t w = 0; w < matched.words.size(); ++w) {
            const std::uint64_t candidates = matched.words[w] & cut.words[w];
            if (candidates) {
                matched.words[w] &= ~failing(candidates, block * kBlockSlots + 64 * w, input);
            }
        }
        return matched;
    }

    // Degrees are 1 to begin with, and a rule that matches does so fully.
    void degrees(const Input&, std::span<const Slot>, double*) const {}

    bool strictly_more_general(Slot general, Slot specific) const {
        return strictly_more_general(general, condition(specific), code(specific));
    }
    bool strictly_more_general(Slot general, std::span<const Bounds> specific,
                               const Code& code) const {
        return strictly_more_general(general, specific, code.data());
    }

    // The first slot `among(block)` with this condition, or kNoSlot.
    template <class Among>
    Slot find(std::span<const Bounds> condition, const Code& code, Among&& among) const {
        return tags_.find(Tags::of(std::span<const Short>(code)), among, [&](Slot slot) {
            return std::ranges::equal(
                condition, this->condition(slot), [this](const Bounds& a, const Bounds& b) {
                    return twins_agree_in_order_ ? a == b : a.same_interval(b);
                });
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
    const Short* code(Slot slot) const { return &codes_[slot * n_shorts_]; }

    // Of some slots, the first of which has bit 0, those whose condition does not hold.
    std::uint64_t failing(std::uint64_t slots, std::size_t first_slot, const Input& input) const {
        const Short* values = input.shorts_.data();
        std::uint64_t failing = 0;
        EightShorts equal{};
        for_each_bit(slots, first_slot, [&](Slot slot) {
            const Short* bounds = code(slot);
            EightShorts above{};
            for (std::size_t i = 0; i < n_shorts_; i += kLanes) {
                const auto bound = load<EightShorts>(bounds + i);
                const auto value = load<EightShorts>(values + i);
                above |= bound > value;
                equal |= bound == value;
            }
            failing |= std::uint64_t{any(above)} << (slot % 64);
        });
        if (any(equal)) [[unlikely]] {
            failing = 0;
            for_each_bit(slots, first_slot, [&](Slot slot) {
                failing |= std::uint64_t{!holds_exactly(slot, input)} << (slot % 64);
            });
        }
        return failing;
    }

    bool holds_exactly(Slot slot, const Input& input) const {
        for (std::size_t i = 0; i < n_features_; ++i) {
            const Bounds& bounds = condition(slot)[i];
            const double value = input.values_[i];
            if (value < bounds.lower() || value > bounds.upper()) return false;
        }
        return true;
    }

    bool strictly_more_general(Slot general, std::span<const Bounds> specific,
                               const Short* code) const {
        EightShorts above{};
        for (std::size_t i = 0; i < n_shorts_; i += kLanes) {
            above |= load<EightShorts>(this->code(general) + i) > load<EightShorts>(code + i);
        }
        return !any(above) && strictly_more_general(condition(general), specific);
    }

    static bool strictly_more_general(std::span<const Bounds> general,
                                      std::span<const Bounds> specific) {
        bool more = false;
        for (std::size_t i = 0; i < general.size(); ++i) {
            const Bounds &a = general[i], &b = specific[i];
            if (a.lower() > b.lower() || a.upper() < b.upper()) return false;
            more |= a.lower() < b.lower() || a.upper() > b.upper();
        }
        return more;
    }

    // The bins that an interval reaches, a bit for each, and those that it cuts.
    struct Reach {
        Reach(const Bounds& bounds, const Bins& bins) {
            const double lower = bounds.lower(), upper = bounds.upper();
            const std::uint64_t first = std::uint64_t{1} << bins.at(lower);
            const std::uint64_t last = std::uint64_t{1} << bins.at(upper);
            reached = 2 * last - first;
            cut = (lower > 0 ? first : 0) | (upper < 1 ? last : 0);
        }

        std::uint64_t reached;
        std::uint64_t cut;
    };

    struct Planes {
        Plane reached;
        Plane cut;
    };

    std::size_t n_features_;
    Bins bins_;
    std::size_t n_shorts_;
    double mutation_step_;
    double covering_range_;
    bool twins_agree_in_order_;  // in both bounds as stored, not only as intervals
    std::vector<Planes> planes_;
    std::vector<Bounds> conditions_;
    std::vector<Short> codes_;
    Tags tags_;
};

static_assert(Representation<IntervalMatcher>);

}  // namespace fuzzyucs
