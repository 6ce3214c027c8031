#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "code_layout.h"
#include "concepts.h"
#include "gap_closer.h"
#include "linguistic_input.h"
#include "linguistic_rule.h"
#include "settings.h"
#include "slots.h"
#include "tags.h"
#include "vectors.h"

namespace fuzzyucs {

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

    explicit LinguisticMatcher(std::span<const std::uint32_t> n_terms,
                               const Settings& settings = {})
        : n_terms_(n_terms.begin(), n_terms.end()),
          layout_(n_terms),
          n_groups_((n_terms.size() + 3) / 4),
          shift_(settings.as_published ? shift_by_rank : shift) {
        for (const std::uint32_t n : n_terms_) {
            n_planes_ += n;
            if (are_fine(n)) has_fine_ = true;
        }
    }

    std::size_t n_features() const { return n_terms_.size(); }
    std::span<const std::uint32_t> n_terms() const { return n_terms_; }
    Input new_input() const { return Input(n_terms_); }
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
        if (has_fine_) return encode_runs(condition, code);
        for (std::size_t i = 0; i < n_features(); ++i) {
            for (std::uint32_t segment = 0; segment + 1 < n_terms_[i]; ++segment) {
                layout_.set(code.data(), i, segment, (condition[i] >> segment) & 3);
            }
        }
    }

    void assign(Slot slot, std::span<const Terms> condition, std::span<const std::uint64_t> code) {
        tags_.assign(slot, Tags::of(code));
        std::copy(condition.begin(), condition.end(), &conditions_[slot * n_features()]);
        std::copy(code.begin(), code.end(), &codes_[slot * code_size()]);
        Plane* plane = &planes_[slot / kBlockSlots * n_planes_];
        if (has_fine_) return assign_runs(slot, condition, plane);
        for (std::size_t i = 0; i < n_features(); ++i) {
            for (std::uint32_t term = 0; term < n_terms_[i]; ++term, ++plane) {
                plane->set(slot % kBlockSlots, (condition[i] >> term) & 1);
            }
        }
    }

    void close_gaps(const GapCloser& gaps) {
        for (std::size_t i = 0; i < n_planes_; ++i) gaps.close(&planes_[i], n_planes_);
        gaps.close(conditions_, n_features());
        gaps.close(codes_, code_size());
        tags_.close_gaps(gaps);
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
        fuzzyucs::cover(condition, input.positions(), n_terms_, dont_care_rate, rng);
    }
    void crossover(std::span<Terms> first, std::span<Terms> second, Rng& rng) const {
        fuzzyucs::crossover(first, second, n_terms_, rng);
    }
    void mutate(std::span<Terms> condition, double rate, Rng& rng) const {
        fuzzyucs::mutate(condition, n_terms_, rate, shift_, rng);
    }

  private:
    // The same for conditions some of which are runs. Only inference has them: apart from the loops
    // of training, they do not slow it down.
    void encode_runs(std::span<const Terms> condition, Code& code) const {
        for (std::size_t i = 0; i < n_features(); ++i) {
            for (std::uint32_t segment = 0; segment + 1 < n_terms_[i]; ++segment) {
                const std::uint64_t low = accepts(condition[i], segment, n_terms_[i]);
                const std::uint64_t high = accepts(condition[i], segment + 1, n_terms_[i]);
                layout_.set(code.data(), i, segment, low | high << 1);
            }
        }
    }
    void assign_runs(Slot slot, std::span<const Terms> condition, Plane* plane) {
        for (std::size_t i = 0; i < n_features(); ++i) {
            for (std::uint32_t term = 0; term < n_terms_[i]; ++term, ++plane) {
                plane->set(slot % kBlockSlots, accepts(condition[i], term, n_terms_[i]));
            }
        }
    }

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
    CodeLayout layout_;
    std::size_t n_groups_;
    Shift shift_;
    std::size_t n_planes_ = 0;
    bool has_fine_ = false;
    std::vector<Plane> planes_;
    std::vector<Terms> conditions_;
    std::vector<std::uint64_t> codes_;
    Tags tags_;
};

static_assert(Representation<LinguisticMatcher>);

}  // namespace fuzzyucs
