#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "linguistic_rule.h"
#include "slots.h"
#include "tags.h"
#include "term_forest.h"
#include "vectors.h"

namespace fuzzyucs {

// How the conditions of a rule are packed for matching.
//
// For each segment of a variable a rule keeps the two term bits around it; a missing term is 0. The
// bits of neighbouring features stand side by side in a lane, and lanes of four segments (five
// terms have four) fill one, two or four words: the fewer features, the fewer words. More features
// than a lane holds take several panels, more segments several quads of lanes in each panel.
struct CodeLayout {
    explicit CodeLayout(std::span<const std::uint32_t> n_terms)
        : lane_features(n_terms.size() <= 8    ? 8
                        : n_terms.size() <= 16 ? 16
                                               : 32),
          quad_words(lane_features / 8),
          n_quads((*std::max_element(n_terms.begin(), n_terms.end()) + 2) / 4),
          n_panels((n_terms.size() + lane_features - 1) / lane_features) {}

    std::size_t panel_words() const { return n_quads * quad_words; }
    std::size_t n_words() const { return n_panels * panel_words(); }

    // Sets two bits of a feature's lane for a segment.
    void set(std::uint64_t* code, std::size_t feature, std::size_t segment,
             std::uint64_t pair) const {
        const std::size_t lane_bits = 2 * lane_features;
        const std::size_t bit = segment % 4 * lane_bits + 2 * (feature % lane_features);
        const std::size_t word =
            feature / lane_features * panel_words() + segment / 4 * quad_words + bit / 64;
        code[word] |= pair << (bit % 64);
    }

    std::size_t lane_features;
    std::size_t quad_words;
    std::size_t n_quads;
    std::size_t n_panels;
};

// What to think of missing values: the forest's belief about features that are nearly always known;
// others match everything.
struct MissingValues {
    TermForest forest;
    std::vector<bool> is_believed;
};

// One input as the matcher wants it: the planes to intersect, and the membership of every
// combination of term bits that two neighbouring features can have.
class LinguisticInput {
  public:
    explicit LinguisticInput(std::span<const std::uint32_t> n_terms,
                             std::shared_ptr<const MissingValues> missing = nullptr)
        : n_terms_(n_terms.begin(), n_terms.end()),
          missing_(std::move(missing)),
          layout_(n_terms),
          places_(n_terms.size()),
          selectors_(layout_.n_words()),
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
                layout_.set(selectors_.data(), i, place.segment, 3);
            }
            first_plane += n_terms_[i];
        }
        for (std::size_t i = 0; i < places_.size(); i += 2) tabulate_pair(i);
        if (missing_) believe(positions);
    }

    // Larger tables pay when many rules match: one look-up instead of two and a product.
    void expect_matches(std::size_t n_rules) {
        has_fours_ = n_rules >= 96;
        if (has_fours_) tabulate_fours();
    }

    std::span<const Place> places() const { return places_; }

    // What is thought of a missing value.
    struct Belief {
        std::size_t feature;
        std::array<double, kMaxTerms> probability;
        double vagueness;  // 1: it could be any value
    };

  private:
    friend class LinguisticMatcher;

    void believe(const double* positions) {
        beliefs_.clear();
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (!places_[i].missing || !missing_->is_believed[i]) continue;
            beliefs_.push_back({i, {}, 1});
            const std::span<double> belief{beliefs_.back().probability.data(), n_terms_[i]};
            missing_->forest.believe(positions, i, belief);
            beliefs_.back().vagueness = missing_->forest.vagueness(i, belief);
        }
    }

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
    std::shared_ptr<const MissingValues> missing_;
    std::vector<Belief> beliefs_;
    CodeLayout layout_;
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
// feature: the slots that match an input are an intersection of planes. Beside it each rule keeps a
// code (CodeLayout): the bits of four features make a byte that looks up the product of their
// memberships, and generality and equality are tests on whole words.
class LinguisticMatcher {
  public:
    using Input = LinguisticInput;
    using Gene = Terms;
    using Code = std::vector<std::uint64_t>;

    explicit LinguisticMatcher(std::span<const std::uint32_t> n_terms)
        : n_terms_(n_terms.begin(), n_terms.end()),
          layout_(n_terms),
          n_groups_((n_terms.size() + 3) / 4) {
        for (const std::uint32_t n : n_terms_) n_planes_ += n;
    }

    std::size_t n_features() const { return n_terms_.size(); }
    std::span<const std::uint32_t> n_terms() const { return n_terms_; }
    Input new_input() const { return Input(n_terms_, missing_); }
    void set_missing(std::shared_ptr<const MissingValues> missing) {
        missing_ = std::move(missing);
    }
    Code new_code() const { return Code(code_size()); }

    void add_block() {
        planes_.resize(planes_.size() + n_planes_);
        conditions_.resize(conditions_.size() + kBlockSlots * n_features());
        codes_.resize(codes_.size() + kBlockSlots * code_size());
        tags_.add_block();
    }

    std::span<const Terms> condition(Slot slot) const {
        return {&conditions_[slot * n_features()], n_features()};
    }

    void encode(std::span<const Terms> condition, Code& code) const {
        std::fill(code.begin(), code.end(), 0);
        for (std::size_t i = 0; i < n_features(); ++i) {
            for (std::uint32_t segment = 0; segment + 1 < n_terms_[i]; ++segment) {
                layout_.set(code.data(), i, segment, (condition[i] >> segment) & 3);
            }
        }
    }

    void assign(Slot slot, std::span<const Terms> condition, std::span<const std::uint64_t> code) {
        std::copy(condition.begin(), condition.end(), &conditions_[slot * n_features()]);
        std::copy(code.begin(), code.end(), &codes_[slot * code_size()]);
        tags_.assign(slot, Tags::of(std::span<const std::uint64_t>(code)));
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
        switch (layout_.lane_features) {
            case 8:
                return multiply_panels<8>(input, slots, degrees);
            case 16:
                return multiply_panels<16>(input, slots, degrees);
            default:
                return multiply_panels<32>(input, slots, degrees);
        }
    }

    // What an input without some values leaves open about a rule: the first missing value that it
    // asks for, the terms it accepts there, and how probable it is that the others fit.
    struct Doubt {
        std::size_t missing;
        Terms accepted;
        double belief;
    };

    std::span<const Input::Belief> beliefs(const Input& input) const { return input.beliefs_; }

    std::optional<Doubt> doubt(const Input& input, Slot slot) const {
        std::optional<Doubt> found;
        for (std::size_t i = 0; i < input.beliefs_.size(); ++i) {
            const auto& value = input.beliefs_[i];
            const Terms terms = condition(slot)[value.feature];
            if (terms == every_term(n_terms_[value.feature])) continue;
            if (found) {
                found->belief *= accepted(value.probability, terms);
            } else {
                found = {i, terms, 1.0};
            }
        }
        return found;
    }

    // How probable it is that a rule matches the missing values.
    double belief(const Input& input, Slot slot) const {
        const auto found = doubt(input, slot);
        if (!found) return 1;
        return found->belief *
               accepted(input.beliefs_[found->missing].probability, found->accepted);
    }

    bool strictly_more_general(Slot general, Slot specific) const {
        return strictly_more_general(general, code(specific));
    }
    bool strictly_more_general(Slot general, std::span<const Terms>, const Code& specific) const {
        return strictly_more_general(general, specific.data());
    }

    // The first slot `among(block)` with this condition, or kNoSlot.
    template <class Among>
    Slot find(std::span<const Terms>, const Code& code, Among&& among) const {
        return tags_.find(Tags::of(std::span<const std::uint64_t>(code)), among, [&](Slot slot) {
            return std::equal(code.begin(), code.end(), this->code(slot));
        });
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
    std::size_t code_size() const { return layout_.n_words(); }
    const std::uint64_t* code(Slot slot) const { return &codes_[slot * code_size()]; }

    bool strictly_more_general(Slot slot, const std::uint64_t* specific) const {
        const std::uint64_t* general = code(slot);
        std::uint64_t more = 0;
        for (std::size_t i = 0; i < code_size(); ++i) {
            if (specific[i] & ~general[i]) return false;
            more |= general[i] & ~specific[i];
        }
        return more != 0;
    }

    static double accepted(std::span<const double> probability, Terms terms) {
        double sum = 0;
        for (; terms != 0; terms &= terms - 1) {
            sum += probability[static_cast<std::size_t>(std::countr_zero(terms))];
        }
        return std::min(sum, 1.0);
    }

    // Calls `work` with a number from Min to Max as a compile-time constant.
    template <std::size_t Min, std::size_t Max, class Work>
    static void with_constant(std::size_t n, Work&& work) {
        [&]<std::size_t... i>(std::index_sequence<i...>) {
            ((n == i + Min ? work(std::integral_constant<std::size_t, i + Min>()) : void()), ...);
        }(std::make_index_sequence<Max - Min + 1>());
    }

    // The term bits around the input, each from the segment where its feature lies.
    template <std::size_t LaneFeatures>
    static std::uint64_t select(const std::uint64_t* code, const std::uint64_t* selectors) {
        if constexpr (LaneFeatures == 32) {
            const TwoWords bits = (load<TwoWords>(code) & load<TwoWords>(selectors)) |
                                  (load<TwoWords>(code + 2) & load<TwoWords>(selectors + 2));
            return bits[0] | bits[1];
        } else if constexpr (LaneFeatures == 16) {
            const std::uint64_t bits = (code[0] & selectors[0]) | (code[1] & selectors[1]);
            return bits | bits >> 32;
        } else {
            std::uint64_t bits = code[0] & selectors[0];
            bits |= bits >> 32;
            return bits | bits >> 16;
        }
    }

    template <std::size_t LaneFeatures>
    void multiply_panels(const Input& input, std::span<const Slot> slots, double* degrees) const {
        constexpr std::size_t lane_groups = LaneFeatures / 4;
        constexpr std::size_t least_groups = LaneFeatures == 16 ? 3 : 1;  // 8 features take 2
        for (std::size_t panel = 0; panel < layout_.n_panels; ++panel) {
            const std::size_t n_groups = std::min(lane_groups, n_groups_ - panel * lane_groups);
            with_constant<least_groups, lane_groups>(n_groups, [&](auto n) {
                multiply_panel<LaneFeatures, n>(input, panel, slots, degrees);
            });
        }
    }

    // Multiplies the degrees by the memberships of the features of one panel. The number of groups
    // is known at compile time: the loop over them, the hottest of all, unrolls.
    template <std::size_t LaneFeatures, std::size_t n_groups>
    void multiply_panel(const Input& input, std::size_t panel, std::span<const Slot> slots,
                        double* degrees) const {
        const std::size_t first_group = panel * LaneFeatures / 4;
        if (input.has_fours_) {
            const double* fours = &input.fours_[first_group * Input::kFourTable];
            multiply_panel<LaneFeatures, n_groups>(
                input, panel, slots, degrees, [fours](std::size_t group, std::uint64_t code) {
                    return fours[group * Input::kFourTable + code];
                });
        } else {
            const double* pairs = &input.pairs_[first_group * 2 * Input::kPairTable];
            multiply_panel<LaneFeatures, n_groups>(
                input, panel, slots, degrees, [pairs](std::size_t group, std::uint64_t code) {
                    const double* low = pairs + 2 * group * Input::kPairTable;
                    return low[code & 15] * low[Input::kPairTable + (code >> 4)];
                });
        }
    }

    // `lookup(group, code)` is the product of the memberships of four features.
    template <std::size_t LaneFeatures, std::size_t n_groups, class Lookup>
    void multiply_panel(const Input& input, std::size_t panel, std::span<const Slot> slots,
                        double* degrees, Lookup&& lookup) const {
        constexpr std::size_t quad_words = LaneFeatures / 8;
        const std::size_t first = panel * layout_.panel_words(), stride = code_size();
        const std::size_t n_words = layout_.panel_words();
        const std::uint64_t* selectors = input.selectors_.data() + first;
        const std::uint64_t* codes = codes_.data() + first;
        const auto multiply_from = [&](auto is_first, auto&& select_bits) {
            for (std::size_t k = 0; k < slots.size(); ++k) {
                std::uint64_t bits = select_bits(codes + slots[k] * stride);
                double product = is_first ? 1 : degrees[k];
                for (std::size_t group = 0; group < n_groups; ++group, bits >>= 8) {
                    product *= lookup(group, bits & 255);
                }
                // No factor is above 1: what is too small after one panel stays so after all.
                degrees[k] = std::max(product, std::numeric_limits<double>::min());
            }
        };
        const auto multiply = [&](auto&& select_bits) {
            if (LaneFeatures < 32 || panel == 0) {
                multiply_from(std::true_type(), select_bits);
            } else {
                multiply_from(std::false_type(), select_bits);
            }
        };
        if (n_words == quad_words) {
            std::array<std::uint64_t, quad_words> mask;
            std::copy_n(selectors, quad_words, mask.begin());
            multiply([mask](const std::uint64_t* code) {
                return select<LaneFeatures>(code, mask.data());
            });
        } else {
            multiply([=](const std::uint64_t* code) {
                std::uint64_t bits = 0;
                for (std::size_t w = 0; w < n_words; w += quad_words) {
                    bits |= select<LaneFeatures>(code + w, selectors + w);
                }
                return bits;
            });
        }
    }

    std::vector<std::uint32_t> n_terms_;
    std::shared_ptr<const MissingValues> missing_;
    CodeLayout layout_;
    std::size_t n_groups_;
    std::size_t n_planes_ = 0;
    std::vector<Plane> planes_;
    std::vector<Terms> conditions_;
    std::vector<std::uint64_t> codes_;
    Tags tags_;
};

}  // namespace fuzzyucs
