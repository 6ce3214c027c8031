#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "linguistic_rule.h"
#include "slots.h"
#include "vectors.h"

namespace fuzzyucs {

// Segments of the longest variable, rounded up to a multiple of four (five terms have four), so
// that loops over them take four at a time.
inline std::size_t padded_segments(std::span<const std::uint32_t> n_terms) {
    return (*std::max_element(n_terms.begin(), n_terms.end()) + 2) / 4 * 4;
}

// One input as the matcher wants it: the planes to intersect, and the membership of every
// combination of term bits that two neighbouring features can have.
class LinguisticInput {
  public:
    explicit LinguisticInput(std::span<const std::uint32_t> n_terms)
        : n_terms_(n_terms.begin(), n_terms.end()),
          n_segments_(padded_segments(n_terms)),
          places_(n_terms.size()),
          selectors_((n_terms.size() + kPerWord - 1) / kPerWord * n_segments_),
          pairs_((n_terms.size() + 3) / 4 * 2 * kPairTable),
          fours_((n_terms.size() + 3) / 4 * kFourTable) {
        std::fill(pairs_.begin(), pairs_.end(), 1.0);
    }

    void read(const double* positions) {
        std::fill(selectors_.begin(), selectors_.end(), 0);
        planes_.clear();
        std::uint32_t first_plane = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            places_[i] = Place::of(positions[i], n_terms_[i]);
            const Place& place = places_[i];
            if (!place.missing) {
                const std::uint32_t plane = first_plane + place.segment;
                planes_.emplace_back(plane + (place.fraction == 1), plane + (place.fraction > 0));
                selectors_[i / kPerWord * n_segments_ + place.segment] |= std::uint64_t{3}
                                                                          << (2 * (i % kPerWord));
            }
            first_plane += n_terms_[i];
        }
        for (std::size_t i = 0; i < places_.size(); i += 2) tabulate_pair(i);
    }

    // Larger tables pay when many rules match: one look-up instead of two and a product.
    void expect_matches(std::size_t n_rules) {
        has_fours_ = n_rules >= 96;
        if (has_fours_) tabulate_fours();
    }

    std::span<const Place> places() const { return places_; }

  private:
    friend class LinguisticMatcher;

    static constexpr std::size_t kPerWord = 32;     // features in a word of 2-bit codes
    static constexpr std::size_t kPairTable = 16;   // combinations of 2 bits for two features
    static constexpr std::size_t kFourTable = 256;  // and for four

    // Membership by the two term bits of a segment. A missing value has code 0 in every rule.
    std::array<double, 4> memberships(std::size_t feature) const {
        if (feature >= places_.size() || places_[feature].missing) return {1, 1, 1, 1};
        const double fraction = places_[feature].fraction;
        return {0, 1 - fraction, fraction, 1};
    }

    void tabulate_pair(std::size_t feature) {
        const auto a = memberships(feature);
        const auto b = memberships(feature + 1);
        double* table = &pairs_[feature / 2 * kPairTable];
        for (std::size_t h = 0; h < 4; ++h) {
            for (std::size_t l = 0; l < 4; ++l) table[4 * h + l] = a[l] * b[h];
        }
    }

    // Multiplies a row of a table.
    static void scale(const double* values, double factor, double* products) {
        for (std::size_t i = 0; i < kPairTable; i += 2) {
            store(load<TwoDoubles>(values + i) * factor, products + i);
        }
    }

    void tabulate_fours() {
        for (std::size_t group = 0; 4 * group < places_.size(); ++group) {
            const double* low = &pairs_[2 * group * kPairTable];
            const double* high = low + kPairTable;
            double* table = &fours_[group * kFourTable];
            const auto [third, third_end] = codes_in_use(4 * group + 2);
            const auto [fourth, fourth_end] = codes_in_use(4 * group + 3);
            for (std::size_t f = fourth; f < fourth_end; ++f) {
                for (std::size_t h = 4 * f + third; h < 4 * f + third_end; ++h) {
                    scale(low, high[h], table + 16 * h);
                }
            }
        }
    }

    // The range of codes that a matching rule can have for a feature.
    std::pair<std::size_t, std::size_t> codes_in_use(std::size_t feature) const {
        const bool has_value = feature < places_.size() && !places_[feature].missing;
        return has_value ? std::pair(1, 4) : std::pair(0, 1);
    }

    std::vector<std::uint32_t> n_terms_;
    std::size_t n_segments_;
    std::vector<Place> places_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> planes_;
    std::vector<std::uint64_t> selectors_;
    std::vector<double> pairs_;
    std::vector<double> fours_;
    bool has_fours_ = false;
};

// The conditions of all rules, laid out for matching.
//
// Each block of 512 slots has a plane (one bit per slot, one cache line) for every term of every
// feature: the slots that match an input are an intersection of planes. Beside it each rule keeps,
// for every segment, the two term bits around that segment packed at 2 bits per feature. Four
// features make a byte that looks up the product of their memberships, and generality and equality
// are tests on whole words.
class LinguisticMatcher {
  public:
    using Input = LinguisticInput;
    using Gene = Terms;

    explicit LinguisticMatcher(std::span<const std::uint32_t> n_terms)
        : n_terms_(n_terms.begin(), n_terms.end()),
          n_segments_(padded_segments(n_terms)),
          n_words_((n_terms.size() + Input::kPerWord - 1) / Input::kPerWord),
          n_groups_((n_terms.size() + 3) / 4) {
        for (const std::uint32_t n : n_terms_) n_planes_ += n;
    }

    std::size_t n_features() const { return n_terms_.size(); }
    std::size_t code_size() const { return n_words_ * n_segments_; }
    std::span<const std::uint32_t> n_terms() const { return n_terms_; }

    void add_block() {
        planes_.resize(planes_.size() + n_planes_);
        conditions_.resize(conditions_.size() + kBlockSlots * n_features());
        codes_.resize(codes_.size() + kBlockSlots * code_size());
        tags_.resize(tags_.size() + kBlockSlots);
    }

    std::span<const Terms> condition(std::size_t slot) const {
        return {&conditions_[slot * n_features()], n_features()};
    }
    const std::uint64_t* code(std::size_t slot) const { return &codes_[slot * code_size()]; }

    void encode(std::span<const Terms> condition, std::span<std::uint64_t> code) const {
        std::fill(code.begin(), code.end(), 0);
        for (std::size_t i = 0; i < n_features(); ++i) {
            std::uint64_t* word = &code[i / Input::kPerWord * n_segments_];
            for (std::uint32_t segment = 0; segment + 1 < n_terms_[i]; ++segment) {
                const std::uint64_t pair = (condition[i] >> segment) & 3;
                word[segment] |= pair << (2 * (i % Input::kPerWord));
            }
        }
    }

    void assign(std::size_t slot, std::span<const Terms> condition,
                std::span<const std::uint64_t> code) {
        std::copy(condition.begin(), condition.end(), &conditions_[slot * n_features()]);
        std::copy(code.begin(), code.end(), &codes_[slot * code_size()]);
        tags_[slot] = tag(code.data());
        Plane* plane = &planes_[slot / kBlockSlots * n_planes_];
        for (std::size_t i = 0; i < n_features(); ++i) {
            for (std::uint32_t term = 0; term < n_terms_[i]; ++term, ++plane) {
                plane->set(slot % kBlockSlots, (condition[i] >> term) & 1);
            }
        }
    }

    // Of the slots alive in a block, those whose condition holds at the input to some degree.
    Plane match(const Input& input, std::size_t block, const Plane& alive) const {
        const Plane* planes = &planes_[block * n_planes_];
        Plane matched = alive;
        for (const auto& [first, second] : input.planes_) {
            matched.intersect_union(planes[first], planes[second]);
        }
        return matched;
    }

    // Membership degrees of matching rules. A product too small for a double stays positive, so
    // that the experience of a rule that matched is never zero.
    void degrees(const Input& input, std::span<const Slot> slots, double* degrees) const {
        for (std::size_t word = 0; word < n_words_; ++word) {
            const std::size_t n_groups =
                std::min(kGroupsPerWord, n_groups_ - word * kGroupsPerWord);
            with_constant(n_groups, [&](auto n) { multiply<n>(input, word, slots, degrees); });
        }
    }

    bool strictly_more_general(const std::uint64_t* general, const std::uint64_t* specific) const {
        std::uint64_t more = 0;
        for (std::size_t i = 0; i < code_size(); i += 4) {
            const FourWords g(general + i), s(specific + i);
            if (s.without(g)) return false;
            more |= g.without(s);
        }
        return more != 0;
    }

    // The first live slot whose condition has this code, or kNoSlot.
    Slot find(const std::uint64_t* code, std::span<const Plane> alive) const {
        const std::uint16_t wanted = tag(code);
        for (std::size_t block = 0; block < alive.size(); ++block) {
            const std::uint16_t* tags = &tags_[block * kBlockSlots];
            std::uint16_t present = 0;
            for (std::size_t i = 0; i < kBlockSlots; ++i) present |= tags[i] == wanted;
            if (!present) continue;
            for (std::size_t i = 0; i < kBlockSlots; ++i) {
                const std::size_t slot = block * kBlockSlots + i;
                if (tags[i] == wanted && alive[block].test(i) &&
                    std::equal(code, code + code_size(), this->code(slot))) {
                    return static_cast<Slot>(slot);
                }
            }
        }
        return kNoSlot;
    }

    void cover(const Input& input, std::span<Terms> condition, double dont_care_rate,
               Rng& rng) const {
        fuzzyucs::cover(condition, input.places(), n_terms_, dont_care_rate, rng);
    }
    void crossover(std::span<Terms> first, std::span<Terms> second, Rng& rng) const {
        fuzzyucs::crossover(first, second, n_terms_, rng);
    }
    void mutate(std::span<Terms> condition, double rate, Rng& rng) const {
        fuzzyucs::mutate(condition, n_terms_, rate, rng);
    }

  private:
    static constexpr std::size_t kGroupsPerWord = Input::kPerWord / 4;

    // Calls `work` with a number from 1 to kGroupsPerWord as a compile-time constant.
    template <class Work>
    static void with_constant(std::size_t n, Work&& work) {
        [&]<std::size_t... i>(std::index_sequence<i...>) {
            ((n == i + 1 ? work(std::integral_constant<std::size_t, i + 1>()) : void()), ...);
        }(std::make_index_sequence<kGroupsPerWord>());
    }

    struct FourWords {
        TwoWords first, second;

        explicit FourWords(const std::uint64_t* words)
            : first(load<TwoWords>(words)), second(load<TwoWords>(words + 2)) {}

        // The term bits around the input, each from the segment where its feature lies.
        std::uint64_t select(const FourWords& selectors) const {
            const TwoWords bits = (first & selectors.first) | (second & selectors.second);
            return bits[0] | bits[1];
        }

        // Not 0 when some bit is not in the other words.
        std::uint64_t without(const FourWords& other) const {
            const TwoWords bits = (first & ~other.first) | (second & ~other.second);
            return bits[0] | bits[1];
        }
    };

    // Multiplies the degrees by the memberships of the features of one code word. The number of
    // groups is known at compile time: the loop over them, the hottest of all, unrolls.
    template <std::size_t n_groups>
    void multiply(const Input& input, std::size_t word, std::span<const Slot> slots,
                  double* degrees) const {
        if (input.has_fours_) {
            const double* fours = &input.fours_[word * kGroupsPerWord * Input::kFourTable];
            multiply<n_groups>(input, word, slots, degrees,
                               [fours](std::size_t group, std::uint64_t code) {
                                   return fours[group * Input::kFourTable + code];
                               });
        } else {
            const double* pairs = &input.pairs_[word * kGroupsPerWord * 2 * Input::kPairTable];
            multiply<n_groups>(input, word, slots, degrees,
                               [pairs](std::size_t group, std::uint64_t code) {
                                   const double* low = pairs + 2 * group * Input::kPairTable;
                                   return low[code & 15] * low[Input::kPairTable + (code >> 4)];
                               });
        }
    }

    // `lookup(group, code)` is the product of the memberships of four features.
    template <std::size_t n_groups, class Lookup>
    void multiply(const Input& input, std::size_t word, std::span<const Slot> slots,
                  double* degrees, Lookup&& lookup) const {
        const std::uint64_t* selectors = &input.selectors_[word * n_segments_];
        const FourWords first_selectors(selectors);
        const std::uint64_t* codes = codes_.data() + word * n_segments_;
        const std::size_t n_segments = n_segments_, stride = code_size();
        for (std::size_t k = 0; k < slots.size(); ++k) {
            const std::uint64_t* code = codes + slots[k] * stride;
            std::uint64_t bits = FourWords(code).select(first_selectors);
            for (std::size_t s = 4; s < n_segments; s += 4) {
                bits |= FourWords(code + s).select(FourWords(selectors + s));
            }
            double product = word == 0 ? 1 : degrees[k];
            for (std::size_t group = 0; group < n_groups; ++group, bits >>= 8) {
                product *= lookup(group, bits & 255);
            }
            // No factor is above 1, so what is too small after one word stays so after all.
            degrees[k] = std::max(product, std::numeric_limits<double>::min());
        }
    }

    std::uint16_t tag(const std::uint64_t* code) const {
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i < code_size(); ++i) {
            hash = (hash ^ code[i]) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        return static_cast<std::uint16_t>(hash >> 48);
    }

    std::vector<std::uint32_t> n_terms_;
    std::size_t n_segments_;
    std::size_t n_words_;
    std::size_t n_groups_;
    std::size_t n_planes_ = 0;
    std::vector<Plane> planes_;
    std::vector<Terms> conditions_;
    std::vector<std::uint64_t> codes_;
    std::vector<std::uint16_t> tags_;
};

}  // namespace fuzzyucs
