#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "code_layout.h"
#include "position.h"
#include "vectors.h"

namespace fuzzyucs {

// One input, prepared for LinguisticMatcher: the planes to intersect, and the membership of every
// combination of term bits that two neighbouring features can have.
class LinguisticInput {
  public:
    explicit LinguisticInput(std::span<const std::uint32_t> n_terms)
        : n_terms_(n_terms.begin(), n_terms.end()),
          layout_(n_terms),
          positions_(n_terms.size()),
          selectors_(layout_.n_words()),
          pairs_((n_terms.size() + 3) / 4 * 2 * kPairTable),
          fours_((n_terms.size() + 3) / 4 * kFourTable) {
        std::fill(pairs_.begin(), pairs_.end(), 1.0);
    }

    void read(const double* x) {
        std::fill(selectors_.begin(), selectors_.end(), 0);
        planes_.clear();
        std::uint32_t first_plane = 0;
        for (std::size_t i = 0; i < positions_.size(); ++i) {
            positions_[i] = Position::of(x[i], n_terms_[i]);
            const Position& position = positions_[i];
            if (!position.missing) {
                const std::uint32_t plane = first_plane + position.segment;
                planes_.emplace_back(plane + (position.fraction == 1),
                                     plane + (position.fraction > 0));
                layout_.set(selectors_.data(), i, position.segment, 3);
            }
            first_plane += n_terms_[i];
        }
        for (std::size_t i = 0; i < positions_.size(); i += 2) tabulate_pair(i);
    }

    // Larger tables pay when many rules match: one look-up instead of two and a product.
    void expect_matches(std::size_t n_rules) {
        has_fours_ = n_rules >= 96;
        if (has_fours_) tabulate_fours();
    }

    std::span<const Position> positions() const { return positions_; }

  private:
    friend class LinguisticMatcher;

    static constexpr std::size_t kPairTable = 16;   // combinations of 2 bits for two features
    static constexpr std::size_t kFourTable = 256;  // and for four

    // Membership by the two term bits of a segment. A missing value has code 0 in every rule.
    std::array<double, 4> memberships(std::size_t feature) const {
        if (feature >= positions_.size() || positions_[feature].missing) return {1, 1, 1, 1};
        const double fraction = positions_[feature].fraction;
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
        for (std::size_t group = 0; 4 * group < positions_.size(); ++group) {
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
        const bool has_value = feature < positions_.size() && !positions_[feature].missing;
        return has_value ? std::pair(1, 4) : std::pair(0, 1);
    }

    std::vector<std::uint32_t> n_terms_;
    CodeLayout layout_;
    std::vector<Position> positions_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> planes_;
    std::vector<std::uint64_t> selectors_;
    std::vector<double> pairs_;
    std::vector<double> fours_;
    bool has_fours_ = false;
};

}  // namespace fuzzyucs
