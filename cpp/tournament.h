#pragma once

#include <cstdint>
#include <vector>

#include "rng.h"
#include "slots.h"

namespace fuzzyucs {

// Tournament selection: each micro-rule takes part with the same probability (tau), and the rule
// with the greatest score wins.
class Tournament {
  public:
    explicit Tournament(double fraction) : fraction_(fraction) {}

    void clear() { candidates_.clear(); }
    void add(Slot slot, double score, std::uint32_t numerosity) {
        candidates_.push_back({slot, score, numerosity});
    }
    bool is_empty() const { return candidates_.empty(); }

    Slot draw(Rng& rng) {
        Slot best = kNoSlot;
        double best_score = 0;
        for (const Candidate& candidate : candidates_) {
            if (best != kNoSlot && !(candidate.score > best_score)) continue;
            if (rng.uniform() < entering_probability(candidate.numerosity)) {
                best = candidate.slot;
                best_score = candidate.score;
            }
        }
        if (best != kNoSlot) return best;
        return candidates_[rng.below(static_cast<std::uint32_t>(candidates_.size()))].slot;
    }

  private:
    struct Candidate {
        Slot slot;
        double score;
        std::uint32_t numerosity;
    };

    // 1 - (1 - tau)^num, by multiplication.
    double entering_probability(std::uint32_t numerosity) {
        while (staying_out_.size() <= numerosity) {
            staying_out_.push_back(staying_out_.back() * (1 - fraction_));
        }
        return 1 - staying_out_[numerosity];
    }

    double fraction_;
    std::vector<Candidate> candidates_;
    std::vector<double> staying_out_ = {1};
};

}  // namespace fuzzyucs
