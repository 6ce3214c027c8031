#include "commonalities.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "portable_math.h"
#include "vectors.h"

namespace fuzzyucs {

namespace {

constexpr auto kImpossible = std::numeric_limits<std::int64_t>::min();  // as an exponent

constexpr double kLn2 = 0.6931471805599453;

// mantissa * 2^exponent
double scaled(double mantissa, std::int64_t exponent) {
    if (exponent >= -1022 && exponent <= 1023) {  // a power of two that is a normal number
        return mantissa * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
    }
    return exponent < -2000 ? 0 : std::ldexp(mantissa, static_cast<int>(exponent));
}

}  // namespace

void Commonalities::multiply(std::size_t column, double factor, std::int64_t power) {
    int shift;
    mantissa[column] = 2 * std::frexp(mantissa[column] * factor, &shift);
    exponent[column] += power + shift - 1;
}

// Two at a time: columns are padded to an even number.
void Commonalities::write_logs(std::size_t n_classes, double* logs) const {
    const auto log = [&](std::size_t c, double of_mantissa) {
        return mantissa[c] > 0 ? of_mantissa + static_cast<double>(exponent[c]) * kLn2
                               : -std::numeric_limits<double>::infinity();
    };
    for (std::size_t c = 0; c <= n_classes; c += 2) {
        const TwoDoubles pair = portable_log(load<TwoDoubles>(&mantissa[c]));  // of 0: any number
        logs[c] = log(c, pair[0]);
        if (c < n_classes) logs[c + 1] = log(c + 1, pair[1]);
    }
}

double Commonalities::write_masses(std::size_t n_classes, double* masses) const {
    std::int64_t shift = kImpossible;
    for (std::size_t c = 0; c < n_classes; ++c) {
        if (mantissa[c] > 0) shift = std::max(shift, exponent[c]);
    }
    if (shift == kImpossible) {
        // Total conflict: Yager's rule puts everything on Theta.
        std::fill(masses, masses + n_classes, 0.0);
        masses[n_classes] = 1;
        return -std::numeric_limits<double>::infinity();
    }
    const double theta = scaled(mantissa[n_classes], exponent[n_classes] - shift);
    double sum = theta;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double commonality = scaled(mantissa[c], exponent[c] - shift);
        masses[c] = std::max(0.0, commonality - theta);
        sum += masses[c];
    }
    masses[n_classes] = theta;
    for (std::size_t c = 0; c <= n_classes; ++c) masses[c] /= sum;
    return std::min(0.0, static_cast<double>(shift) * portable_log(2.0) + portable_log(sum));
}

void Commonalities::find_greatest(std::size_t n_classes, std::vector<Class>& best) const {
    const auto key = [&](Class c) {
        return std::pair(mantissa[c] > 0 ? exponent[c] : kImpossible, mantissa[c]);
    };
    find_greatest_keys(n_classes, key, best);
}

}  // namespace fuzzyucs
