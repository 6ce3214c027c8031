#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "portable_math.h"

namespace fuzzyucs {

// What scores of classes amount to under base rates a: with commonalities q, masses
// m_i = a_i (q_i - q_Theta) / S and m_Theta = q_Theta / S, S = sum a_i q_i.
class ProfileMasses {
  public:
    explicit ProfileMasses(std::span<const double> rates)
        : rates_(rates.begin(), rates.end()), sum_(sum_of(rates)) {
        constexpr double none = -std::numeric_limits<double>::infinity();
        for (const double rate : rates_) log_rates_.push_back(rate > 0 ? portable_log(rate) : none);
    }

    struct Rest {
        double ignorance;      // m_Theta
        double log_agreement;  // logarithm of what the sources agree on
    };

    // `least` and `greatest` are the sums of what each rule adds to the class that it favours least
    // and most. Without evidence, masses are 0 and ignorance is 1, to the last bit.
    Rest add(const double* scores, double least, double greatest, double* masses) const {
        std::size_t best = 0;
        for (std::size_t c = 1; c < rates_.size(); ++c) {
            if (log_rates_[c] + scores[c] > log_rates_[best] + scores[best]) best = c;
        }
        const double top = scores[best];
        for (std::size_t c = 0; c < rates_.size(); ++c) {
            masses[c] = rates_[c] * portable_exp(std::min(scores[c] - top, kGreatestLog));
        }
        const double total = sum_of({masses, rates_.size()}) / sum_;
        const double ignorance = std::min(portable_exp(least - top) / total, 1.0);
        for (std::size_t c = 0; c < rates_.size(); ++c) {
            masses[c] = std::max(masses[c] / total - rates_[c] * ignorance, 0.0);
        }
        return {ignorance, std::min(top + portable_log(total) - greatest, 0.0)};
    }

  private:
    // Whose exponential is finite; more is possible of base rate 0 alone.
    static constexpr double kGreatestLog = 700;

    static double sum_of(std::span<const double> values) {
        double sum = 0;
        for (const double value : values) sum += value;
        return sum;
    }

    std::vector<double> rates_, log_rates_;
    double sum_;
};

}  // namespace fuzzyucs
