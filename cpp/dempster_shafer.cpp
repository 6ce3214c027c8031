#include "dempster_shafer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "portable_math.h"
#include "rule_factors.h"
#include "vectors.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kMinColumns = 4;
std::size_t padded(std::size_t n) { return (n + kMinColumns - 1) / kMinColumns * kMinColumns; }

constexpr double kLeastWeight = 0x1p-960;  // keeps all factors normal; far below any rounding

// A positive factor (1 - mu) + mu * v is at least 1 - mu, hence 2^-53, or the least positive v. So
// half of a portion can be multiplied without a look at the exponent.
std::size_t greatest_portion(double least_factor) {
    return 2 * static_cast<std::size_t>(1020 / -std::ilogb(least_factor));
}

// A product for each column as mantissa * 2^exponent, so that it neither underflows nor overflows.
template <std::size_t Columns>
struct Product {
    static constexpr std::size_t n_vectors = Columns / 2;

    std::array<TwoDoubles, n_vectors> mantissa;
    std::array<TwoIntegers, n_vectors> exponent{};

    Product() { mantissa.fill(TwoDoubles{1, 1}); }

    void multiply(const std::array<double, Columns>& factor) {
        for (std::size_t i = 0; i < n_vectors; ++i) {
            mantissa[i] *= load<TwoDoubles>(&factor[2 * i]);
        }
    }

    // Moves the powers of two of the mantissas to the exponents; zero stays zero.
    void normalise() {
        constexpr std::uint64_t one = 0x3ff0000000000000u, fraction = 0x000fffffffffffffu;
        for (std::size_t i = 0; i < n_vectors; ++i) {
            const auto bits = std::bit_cast<TwoWords>(mantissa[i]);
            const auto is_positive = std::bit_cast<TwoWords>(bits != 0);
            mantissa[i] = std::bit_cast<TwoDoubles>(((bits & fraction) | one) & is_positive);
            exponent[i] += std::bit_cast<TwoIntegers>(((bits >> 52) - 1023) & is_positive);
        }
    }

    void multiply(const Product& other) {
        for (std::size_t i = 0; i < n_vectors; ++i) {
            mantissa[i] *= other.mantissa[i];
            exponent[i] += other.exponent[i];
        }
        normalise();
    }

    void multiply_power(const Product& other, std::uint32_t count) {
        if (count == 1) return multiply(other);
        for (Product square = other; count > 0; count /= 2) {
            if (count % 2) multiply(square);
            square.multiply(Product(square));
        }
    }
};

}  // namespace

DempsterShafer::DempsterShafer(std::size_t n_classes, std::size_t n_rules)
    : n_classes_(n_classes),
      n_columns_(padded(n_classes + 1)),
      greatest_portion_(greatest_portion(least_factor_)) {
    weights_.reserve(n_rules * n_columns_);
}

double DempsterShafer::whole_number(double strength) {
    return std::floor(strength) == strength ? strength : 0;
}

void DempsterShafer::add(std::span<const double> weights, double strength, double ignorance) {
    const double whole = whole_number(strength);
    numerosity_.push_back(static_cast<std::uint32_t>(whole));
    fraction_.push_back(strength - whole);
    weights_.resize(weights_.size() + n_columns_, 1.0);
    double* row = &weights_[weights_.size() - n_columns_];
    const auto kept = [&](double weight) {
        if (!(weight > 0)) return 0.0;
        weight = std::max(weight, kLeastWeight);
        least_factor_ = std::min(least_factor_, weight);
        return weight;
    };
    for (std::size_t c = 0; c < n_classes_; ++c) row[c] = kept(weights[c] + ignorance);
    row[n_classes_] = kept(ignorance);
    greatest_portion_ = greatest_portion(least_factor_);
}

// Splits the matching rules into portions of equal numerosity whose product a double can hold.
// Returns how many these are; the strength of the others is no whole number.
std::size_t DempsterShafer::apportion(const MatchedRules& rules,
                                      std::vector<Portion>& portions) const {
    const Slot* slots = rules.slots.data();
    portions.clear();
    std::size_t n_whole = rules.size;
    while (n_whole > 0 && numerosity_[slots[n_whole - 1]] == 0) --n_whole;
    for (std::size_t k = 0; k < n_whole;) {
        const std::size_t begin = k;
        const std::uint32_t numerosity = numerosity_[slots[k]];
        const std::size_t limit = std::min(n_whole, k + greatest_portion_);
        if (numerosity_[slots[limit - 1]] == numerosity) {
            k = limit;
        } else {
            while (k < n_whole && numerosity_[slots[k]] == numerosity) ++k;
        }
        const std::uint32_t next = k < n_whole ? numerosity_[slots[k]] : 0;
        portions.push_back({k, numerosity - next, 2 * (k - begin) > greatest_portion_});
    }
    return n_whole;
}

// Rules come in descending order of numerosity. With P the product over all rules so far, the next
// lower numerosity determines how often P as a whole counts: (a b)^1 a^2 = a^3 b^1. So each rule is
// multiplied once, whatever its numerosity.
template <std::size_t Columns>
void DempsterShafer::combine_columns(std::size_t first, const MatchedRules& rules,
                                     std::span<const Portion> portions,
                                     Commonalities& product) const {
    static const auto multiply_rules = fastest_multiply_rules<Columns>();
    const double* weights = weights_.empty() ? nullptr : &weights_[first];
    const RuleFactors factors{rules.slots.data(), rules.degrees.data(), weights, n_columns_};
    Product<Columns> so_far, total;
    std::size_t begin = 0;
    for (const Portion& portion : portions) {
        std::array<double, Columns> even, odd;
        multiply_rules(factors, begin, portion.end, even.data(), odd.data());
        begin = portion.end;
        so_far.multiply(even);
        if (portion.is_large) so_far.normalise();
        so_far.multiply(odd);
        so_far.normalise();
        if (portion.count > 0) total.multiply_power(so_far, portion.count);
    }
    for (std::size_t i = 0; i < total.n_vectors; ++i) {
        store(total.mantissa[i], &product.mantissa[first + 2 * i]);
        store(total.exponent[i], &product.exponent[first + 2 * i]);
    }
}

void DempsterShafer::combine(const MatchedRules& rules, std::vector<Portion>& portions,
                             Commonalities& product) const {
    const std::size_t n_whole = apportion(rules, portions);
    for (std::size_t first = 0; first < n_columns_;) {
        if (n_columns_ - first >= 12) {
            combine_columns<12>(first, rules, portions, product);
            first += 12;
        } else if (n_columns_ - first >= 8) {
            combine_columns<8>(first, rules, portions, product);
            first += 8;
        } else {
            combine_columns<4>(first, rules, portions, product);
            first += 4;
        }
    }
    if (n_whole < rules.size) multiply_fractions(n_whole, rules, product);
}

// Multiplies by the powers of the rules from `begin` on, whose strength is no whole number, by
// logarithms.
void DempsterShafer::multiply_fractions(std::size_t begin, const MatchedRules& rules,
                                        Commonalities& product) const {
    constexpr double ln2 = 0.6931471805599453;
    for (std::size_t c = 0; c <= n_classes_; c += 2) {
        TwoDoubles sum{};
        for (std::size_t k = begin; k < rules.size; ++k) {
            const Slot slot = rules.slots[k];
            const double degree = rules.degrees[k];
            const auto weights = load<TwoDoubles>(&weights_[slot * n_columns_ + c]);
            sum += fraction_[slot] * portable_log((1 - degree) + degree * weights);
        }
        for (std::size_t i = 0; i < 2; ++i) {
            const double n = std::nearbyint(sum[i] / ln2);
            product.multiply(c + i, portable_exp(sum[i] - n * ln2), static_cast<std::int64_t>(n));
        }
    }
}

double DempsterShafer::combine_stepwise(const MatchedRules& rules,
                                        std::span<const std::uint32_t> order,
                                        double* masses) const {
    std::fill_n(masses, n_classes_, 0.0);
    double& theta = masses[n_classes_];
    theta = 1;
    double log_agreement = 0;
    for (const std::uint32_t k : order) {
        const Slot slot = rules.slots[k];
        const double degree = rules.degrees[k];
        const double* weights = &weights_[slot * n_columns_];
        const double rest = (1 - degree) + degree * weights[n_classes_];
        for (std::uint32_t i = 0; i < numerosity_[slot]; ++i) {
            double sum = 0;
            for (std::size_t c = 0; c < n_classes_; ++c) {
                const double given = degree * (weights[c] - weights[n_classes_]);
                masses[c] = masses[c] * given + masses[c] * rest + theta * given;
                sum += masses[c];
            }
            theta *= rest;
            sum += theta;
            if (1 - sum == 1) {
                std::fill_n(masses, n_classes_, 0.0);
                theta = 1;
                return -std::numeric_limits<double>::infinity();
            }
            for (std::size_t c = 0; c <= n_classes_; ++c) masses[c] /= sum;
            log_agreement += portable_log(sum);
        }
    }
    return std::min(0.0, log_agreement);
}

double DempsterShafer::log_factor(Slot slot, double degree, std::size_t column) const {
    const double strength = numerosity_[slot] + fraction_[slot];
    const double weight = weights_[slot * n_columns_ + column];
    const double factor = (1 - degree) + degree * weight;
    return factor > 0 ? strength * portable_log(factor) : -std::numeric_limits<double>::infinity();
}

}  // namespace fuzzyucs
