#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

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

}  // namespace fuzzyucs
