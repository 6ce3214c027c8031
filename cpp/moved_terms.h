#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "even_terms.h"
#include "position.h"
#include "terms.h"
#include "value_range.h"

namespace fuzzyucs {

// Terms that divide a range evenly, and where their peaks lie among the terms of the range before.
class MovedTerms {
  public:
    MovedTerms(const ValueRange& old, const ValueRange& now, std::uint32_t n_terms) {
        const EvenTerms before(old.minimum, old.maximum, n_terms);
        for (std::uint32_t term = 0; term < n_terms; ++term) {
            old_peaks_.push_back(peak(old, term, n_terms));
            peaks_.push_back(peak(now, term, n_terms));
            places_.push_back(Position::of(before.locate(peaks_.back()), n_terms));
        }
    }

    // Says with these terms what a condition said with the ones before: it accepts a term if it
    // accepted the value at its peak to 0.5 or more. A condition too narrow for any term gets the
    // one nearest to the middle of what it accepted.
    Terms rewritten(Terms condition) const {
        Terms kept = 0;
        for (std::size_t term = 0; term < places_.size(); ++term) {
            const Position& place = places_[term];
            const double low = (condition >> place.segment) & 1 ? 1 - place.fraction : 0;
            const double high = (condition >> (place.segment + 1)) & 1 ? place.fraction : 0;
            if (low + high >= 0.5) kept |= Terms{1} << term;
        }
        return kept ? kept : Terms{1} << nearest_to_middle(condition);
    }

    // For each term the term before that lies below its peak, and how far it is to the next one.
    const std::vector<Position>& places() const { return places_; }

  private:
    static double peak(const ValueRange& range, std::uint32_t term, std::uint32_t n_terms) {
        const double step = term + 1 == n_terms ? 1 : term * (1.0 / (n_terms - 1));
        return range.minimum * (1 - step) + range.maximum * step;
    }

    std::size_t nearest_to_middle(Terms condition) const {
        double sum = 0, count = 0;
        for_each_accepted(condition, static_cast<std::uint32_t>(peaks_.size()), [&](std::size_t t) {
            sum += old_peaks_[t];
            ++count;
        });
        std::size_t nearest = 0;
        for (std::size_t term = 1; term < peaks_.size(); ++term) {
            const double distance = std::abs(peaks_[term] - sum / count);
            if (distance < std::abs(peaks_[nearest] - sum / count)) nearest = term;
        }
        return nearest;
    }

    std::vector<double> old_peaks_, peaks_;
    std::vector<Position> places_;
};

}  // namespace fuzzyucs
