#include "inference.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "interval_matcher.h"
#include "linguistic_matcher.h"
#include "portable_math.h"
#include "rng.h"
#include "rule_factors.h"
#include "vectors.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kMinColumns = 4;
std::size_t padded(std::size_t n) { return (n + kMinColumns - 1) / kMinColumns * kMinColumns; }

constexpr double kLeastWeight = 0x1p-960;  // keeps all factors normal; far below any rounding

// A draw that belongs to a row's own values: the same alone, in any batch and in any order.
std::uint32_t draw(std::uint64_t seed, const double* x, std::size_t n_features, std::size_t n) {
    std::uint64_t hash = seed;
    for (std::size_t i = 0; i < n_features; ++i) {
        const double value = std::isnan(x[i]) ? -1.0 : x[i] + 0.0;
        hash = splitmix(hash) ^ std::bit_cast<std::uint64_t>(value);
    }
    return Rng(hash).below(static_cast<std::uint32_t>(n));
}

// How often a rule is multiplied as it is; rules with another strength take logarithms.
double whole_number(double strength) { return std::floor(strength) == strength ? strength : 0; }

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// Normalises commonalities, given as logarithms, of classes and Theta, if a missing value has a
// certain term: by Dempster's rule, or by what the prior expects of them. Total conflict leaves
// everything open.
void normalise_term(std::span<std::array<double, kMaxTerms>> logs, std::size_t term,
                    std::span<const double> prior) {
    double greatest = kImpossible;
    for (const auto& log : logs) greatest = std::max(greatest, log[term]);
    if (greatest == kImpossible) {
        for (auto& log : logs) log[term] = 0;
        return;
    }
    const std::size_t n_classes = logs.size() - 1;
    const double theta = prior.empty() ? portable_exp(logs[n_classes][term] - greatest) : 0;
    double sum = theta;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double commonality = portable_exp(logs[c][term] - greatest);
        sum += prior.empty() ? std::max(0.0, commonality - theta) : prior[c] * commonality;
    }
    const double least = std::numeric_limits<double>::min();  // the prior may exclude what is left
    for (auto& log : logs) log[term] -= greatest + portable_log(std::max(sum, least));
}

double mean_exp(std::span<const double> logs, std::span<const double> probability) {
    double mean = 0;
    for (std::size_t t = 0; t < logs.size(); ++t) {
        if (probability[t] > 0) mean += probability[t] * portable_exp(logs[t]);
    }
    return mean;
}

double scaled(double mantissa, std::int64_t exponent) {
    return exponent < -2000 ? 0 : std::ldexp(mantissa, static_cast<int>(exponent));
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

template <class Matcher>
Inference<Matcher>::Inference(Matcher matcher, std::size_t n_classes,
                              std::span<const Gene> conditions, std::span<const double> weights,
                              std::span<const double> fitness, std::span<const double> strength,
                              std::span<const double> doubt, std::span<const Class> consequent)
    : n_classes_(n_classes), n_columns_(padded(n_classes + 1)), matcher_(std::move(matcher)) {
    const std::size_t n_rules = strength.size();
    given_place_.resize(n_rules);
    std::iota(given_place_.begin(), given_place_.end(), 0u);
    std::stable_sort(given_place_.begin(), given_place_.end(), [&](auto a, auto b) {
        return whole_number(strength[a]) > whole_number(strength[b]);
    });
    weights_.assign(n_rules * n_columns_, 1.0);
    auto code = matcher_.new_code();
    double least = 0x1p-53;
    for (Slot slot = 0; slot < n_rules; ++slot) {
        const std::size_t given = given_place_[slot];
        if (slot % kBlockSlots == 0) {
            matcher_.add_block();
            alive_.emplace_back();
        }
        const auto condition = conditions.subspan(given * n_features(), n_features());
        matcher_.encode(condition, code);
        matcher_.assign(slot, condition, code);
        alive_.back().set(slot % kBlockSlots, true);
        const double whole = whole_number(strength[given]);
        numerosity_.push_back(static_cast<std::uint32_t>(whole));
        fraction_.push_back(strength[given] - whole);
        fitness_.push_back(fitness[given]);
        vote_.push_back(fitness[given] * strength[given]);
        consequent_.push_back(consequent[given]);
        const double* row = &weights[given * n_classes];
        double* kept = &weights_[slot * n_columns_];
        for (std::size_t c = 0; c < n_classes; ++c) {
            const double weight = row[c] + doubt[given];
            kept[c] = weight > 0 ? std::max(weight, kLeastWeight) : 0;
            if (weight > 0) least = std::min(least, kept[c]);
        }
        kept[n_classes] = doubt[given] > 0 ? std::max(doubt[given], kLeastWeight) : 0;
        if (doubt[given] > 0) least = std::min(least, kept[n_classes]);
    }
    // A positive factor (1 - mu) + mu * v is at least 1 - mu, hence 2^-53, or the least positive v.
    // So half of a portion can be multiplied without a look at the exponent.
    greatest_portion_ = 2 * static_cast<std::size_t>(1020 / -std::ilogb(least));
}

template <class Matcher>
Inference<Matcher>::Scratch::Scratch(const Inference& rules)
    : input(rules.matcher_.new_input()),
      slots(rules.n_rules() + kListSlack),
      degrees(rules.n_rules(), 1),
      mantissa(rules.n_columns_),
      exponent(rules.n_columns_) {}

template <class Matcher>
void Inference<Matcher>::match(const double* x, Scratch& scratch) const {
    scratch.input.read(x);
    Slot* slot = scratch.slots.data();
    for (std::size_t block = 0; block < alive_.size(); ++block) {
        slot = list_slots(matcher_.match(scratch.input, block, alive_[block]), block, slot);
    }
    scratch.n_matched = static_cast<std::size_t>(slot - scratch.slots.data());
    scratch.input.expect_matches(scratch.n_matched);
    matcher_.degrees(scratch.input, {scratch.slots.data(), scratch.n_matched},
                     scratch.degrees.data());
}

// The same, where a condition on a missing value holds as far as it is believed.
template <class Matcher>
void Inference<Matcher>::match_as_believed(const double* x, Scratch& scratch) const {
    match(x, scratch);
    if constexpr (requires { matcher_.beliefs(scratch.input); }) {
        if (matcher_.beliefs(scratch.input).empty()) return;
        for (std::size_t k = 0; k < scratch.n_matched; ++k) {
            scratch.degrees[k] *= matcher_.belief(scratch.input, scratch.slots[k]);
        }
    }
}

template <class Matcher>
void Inference<Matcher>::set_doubtful_aside(Scratch& scratch) const {
    scratch.doubtful.clear();
    if constexpr (requires { matcher_.beliefs(scratch.input); }) {
        if (matcher_.beliefs(scratch.input).empty()) return;
        std::size_t n_kept = 0;
        for (std::size_t k = 0; k < scratch.n_matched; ++k) {
            const Slot slot = scratch.slots[k];
            const double degree = scratch.degrees[k];
            if (const auto doubt = matcher_.doubt(scratch.input, slot)) {
                scratch.doubtful.push_back(
                    {slot, degree, doubt->missing, doubt->accepted, doubt->belief});
            } else {
                scratch.slots[n_kept] = slot;
                scratch.degrees[n_kept++] = degree;
            }
        }
        scratch.n_matched = n_kept;
        std::stable_sort(
            scratch.doubtful.begin(), scratch.doubtful.end(),
            [](const Doubtful& a, const Doubtful& b) { return a.missing < b.missing; });
    }
}

// Rules that ask for the same missing value speak together: what they say is combined for each term
// that the value may have, and averaged.
template <class Matcher>
void Inference<Matcher>::multiply_doubtful(std::span<const double> prior, Scratch& scratch) const {
    if constexpr (requires { matcher_.beliefs(scratch.input); }) {
        const auto beliefs = matcher_.beliefs(scratch.input);
        const auto& doubtful = scratch.doubtful;
        auto& logs = scratch.logs;
        for (std::size_t begin = 0, end = 0; begin < doubtful.size(); begin = end) {
            const std::size_t missing = doubtful[begin].missing;
            while (end < doubtful.size() && doubtful[end].missing == missing) ++end;
            logs.assign(n_classes_ + 1, {});
            for (std::size_t k = begin; k < end; ++k) {
                for (std::size_t c = 0; c <= n_classes_; ++c) {
                    const double log = log_discounted(doubtful[k], c);
                    for (auto terms = doubtful[k].accepted; terms != 0; terms &= terms - 1) {
                        logs[c][static_cast<std::size_t>(std::countr_zero(terms))] += log;
                    }
                }
            }
            const double discount = prior.empty() ? beliefs[missing].vagueness : 0;
            for (std::size_t t = 0; t < kMaxTerms; ++t) normalise_term(logs, t, prior);
            for (std::size_t c = 0; c <= n_classes_; ++c) {
                const double mean = mean_exp(logs[c], beliefs[missing].probability);
                int exponent;
                const double product = scratch.mantissa[c] * (discount + (1 - discount) * mean);
                scratch.mantissa[c] = 2 * std::frexp(product, &exponent);
                scratch.exponent[c] += exponent - 1;
            }
        }
    }
}

// The logarithm of a rule's factor, with all its strength, if the other missing values may not fit.
template <class Matcher>
double Inference<Matcher>::log_discounted(const Doubtful& rule, std::size_t column) const {
    const double strength = numerosity_[rule.slot] + fraction_[rule.slot];
    const double weight = weights_[rule.slot * n_columns_ + column];
    const double factor = (1 - rule.degree) + rule.degree * weight;
    const double log = factor > 0 ? strength * portable_log(factor) : kImpossible;
    if (rule.belief == 1) return log;
    return portable_log((1 - rule.belief) + rule.belief * portable_exp(log));
}

template <class Matcher>
void Inference<Matcher>::votes(const double* x, double* scores, Scratch& scratch) const {
    match_as_believed(x, scratch);
    std::fill(scores, scores + n_classes_, 0.0);
    for (std::size_t k = 0; k < scratch.n_matched; ++k) {
        const Slot slot = scratch.slots[k];
        scores[consequent_[slot]] += scratch.degrees[k] * vote_[slot];
    }
}

template <class Matcher>
typename Inference<Matcher>::Winner Inference<Matcher>::winner(const double* x, std::uint64_t seed,
                                                               Scratch& scratch) const {
    match_as_believed(x, scratch);
    auto& tied = scratch.tied;
    tied.clear();
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < scratch.n_matched; ++k) {
        const Slot slot = scratch.slots[k];
        const double strength = scratch.degrees[k] * fitness_[slot];
        if (strength < best) continue;
        if (strength > best) tied.clear();
        best = strength;
        const bool is_new_class = std::none_of(tied.begin(), tied.end(), [&](const Winner& other) {
            return other.consequent == consequent_[slot];
        });
        if (is_new_class)
            tied.push_back({given_place_[slot], consequent_[slot], scratch.degrees[k]});
    }
    if (tied.empty()) return {-1, 0, 0};
    return tied.size() == 1 ? tied[0] : tied[draw(seed, x, n_features(), tied.size())];
}

// Splits the matching rules into portions of equal numerosity whose product a double can hold.
template <class Matcher>
void Inference<Matcher>::apportion(Scratch& scratch) const {
    const Slot* slots = scratch.slots.data();
    scratch.portions.clear();
    scratch.n_whole = scratch.n_matched;
    while (scratch.n_whole > 0 && numerosity_[slots[scratch.n_whole - 1]] == 0) --scratch.n_whole;
    for (std::size_t k = 0; k < scratch.n_whole;) {
        const std::size_t begin = k;
        const std::uint32_t numerosity = numerosity_[slots[k]];
        const std::size_t limit = std::min(scratch.n_whole, k + greatest_portion_);
        if (numerosity_[slots[limit - 1]] == numerosity) {
            k = limit;
        } else {
            while (k < scratch.n_whole && numerosity_[slots[k]] == numerosity) ++k;
        }
        const std::uint32_t next = k < scratch.n_whole ? numerosity_[slots[k]] : 0;
        scratch.portions.push_back({k, numerosity - next, 2 * (k - begin) > greatest_portion_});
    }
}

// Rules come in descending order of numerosity. With P the product over all rules so far, the next
// lower numerosity tells how often P as a whole counts: (a b)^1 a^2 = a^3 b^1. So each rule is
// multiplied once, however numerous it is.
template <class Matcher>
template <std::size_t Columns>
void Inference<Matcher>::combine_columns(std::size_t first, Scratch& scratch) const {
    static const auto multiply_rules = fastest_multiply_rules<Columns>();
    const RuleFactors rules{scratch.slots.data(), scratch.degrees.data(), weights_.data() + first,
                            n_columns_};
    Product<Columns> so_far, total;
    std::size_t begin = 0;
    for (const Portion& portion : scratch.portions) {
        std::array<double, Columns> even, odd;
        multiply_rules(rules, begin, portion.end, even.data(), odd.data());
        begin = portion.end;
        so_far.multiply(even);
        if (portion.is_large) so_far.normalise();
        so_far.multiply(odd);
        so_far.normalise();
        if (portion.count > 0) total.multiply_power(so_far, portion.count);
    }
    for (std::size_t i = 0; i < total.n_vectors; ++i) {
        store(total.mantissa[i], &scratch.mantissa[first + 2 * i]);
        store(total.exponent[i], &scratch.exponent[first + 2 * i]);
    }
}

template <class Matcher>
void Inference<Matcher>::combine(const double* x, std::span<const double> prior,
                                 Scratch& scratch) const {
    match(x, scratch);
    set_doubtful_aside(scratch);
    apportion(scratch);
    for (std::size_t first = 0; first < n_columns_;) {
        if (n_columns_ - first >= 12) {
            combine_columns<12>(first, scratch);
            first += 12;
        } else if (n_columns_ - first >= 8) {
            combine_columns<8>(first, scratch);
            first += 8;
        } else {
            combine_columns<4>(first, scratch);
            first += 4;
        }
    }
    if (scratch.n_whole < scratch.n_matched) multiply_fractions(scratch);
    multiply_doubtful(prior, scratch);
}

// Multiplies by the powers of the rules whose strength is no whole number, by logarithms.
template <class Matcher>
void Inference<Matcher>::multiply_fractions(Scratch& scratch) const {
    constexpr double ln2 = 0.6931471805599453;
    for (std::size_t c = 0; c <= n_classes_; c += 2) {
        TwoDoubles sum{};
        for (std::size_t k = scratch.n_whole; k < scratch.n_matched; ++k) {
            const Slot slot = scratch.slots[k];
            const double degree = scratch.degrees[k];
            const auto weights = load<TwoDoubles>(&weights_[slot * n_columns_ + c]);
            sum += fraction_[slot] * portable_log((1 - degree) + degree * weights);
        }
        for (std::size_t i = 0; i < 2; ++i) {
            const double n = std::nearbyint(sum[i] / ln2);
            int exponent;
            const double product = scratch.mantissa[c + i] * portable_exp(sum[i] - n * ln2);
            scratch.mantissa[c + i] = 2 * std::frexp(product, &exponent);
            scratch.exponent[c + i] += static_cast<std::int64_t>(n) + exponent - 1;
        }
    }
}

template <class Matcher>
void Inference<Matcher>::log_commonalities(const double* x, std::span<const double> prior,
                                           double* logs, Scratch& scratch) const {
    combine(x, prior, scratch);
    for (std::size_t c = 0; c <= n_classes_; ++c) {
        const double mantissa = scratch.mantissa[c];
        logs[c] = mantissa > 0 ? portable_log(mantissa) +
                                     static_cast<double>(scratch.exponent[c]) * 0.6931471805599453
                               : -std::numeric_limits<double>::infinity();
    }
}

template <class Matcher>
double Inference<Matcher>::masses(const double* x, double* masses, Scratch& scratch) const {
    combine(x, {}, scratch);
    std::int64_t shift = std::numeric_limits<std::int64_t>::min();
    for (std::size_t c = 0; c < n_classes_; ++c) {
        if (scratch.mantissa[c] > 0) shift = std::max(shift, scratch.exponent[c]);
    }
    if (shift == std::numeric_limits<std::int64_t>::min()) {
        // Total conflict: Yager's rule puts everything on Theta.
        std::fill(masses, masses + n_classes_, 0.0);
        masses[n_classes_] = 1;
        return -std::numeric_limits<double>::infinity();
    }
    const double theta = scaled(scratch.mantissa[n_classes_], scratch.exponent[n_classes_] - shift);
    double sum = theta;
    for (std::size_t c = 0; c < n_classes_; ++c) {
        const double commonality = scaled(scratch.mantissa[c], scratch.exponent[c] - shift);
        masses[c] = std::max(0.0, commonality - theta);
        sum += masses[c];
    }
    masses[n_classes_] = theta;
    for (std::size_t c = 0; c <= n_classes_; ++c) masses[c] /= sum;
    return std::min(0.0, static_cast<double>(shift) * std::log(2.0) + std::log(sum));
}

template <class Matcher>
Class Inference<Matcher>::predict(const double* x, Scheme scheme, std::uint64_t seed,
                                  Scratch& scratch) const {
    auto& best = scratch.best;
    if (scheme == Scheme::single_winner) {
        const Winner winner = this->winner(x, seed, scratch);
        if (winner.rule >= 0) return winner.consequent;
        best.resize(n_classes_);
        std::iota(best.begin(), best.end(), 0u);
    } else if (scheme == Scheme::vote) {
        votes(x, scratch.mantissa.data(), scratch);
        keep_best(best, [&](Class c) { return scratch.mantissa[c]; });
    } else {
        combine(x, {}, scratch);
        keep_best(best, [&](Class c) {
            constexpr auto impossible = std::numeric_limits<std::int64_t>::min();
            const double mantissa = scratch.mantissa[c];
            return std::pair(mantissa > 0 ? scratch.exponent[c] : impossible, mantissa);
        });
    }
    return best.size() == 1 ? best[0] : best[draw(seed, x, n_features(), best.size())];
}

template <class Matcher>
template <class Key>
void Inference<Matcher>::keep_best(std::vector<Class>& best, Key&& key) const {
    best.assign(1, 0);
    for (Class c = 1; c < n_classes_; ++c) {
        if (key(c) > key(best[0])) {
            best.assign(1, c);
        } else if (key(c) == key(best[0])) {
            best.push_back(c);
        }
    }
}

template <class Matcher>
void Inference<Matcher>::membership(const double* x, double* degrees, Scratch& scratch) const {
    match_as_believed(x, scratch);
    std::fill(degrees, degrees + n_rules(), 0.0);
    for (std::size_t k = 0; k < scratch.n_matched; ++k) {
        degrees[given_place_[scratch.slots[k]]] = scratch.degrees[k];
    }
}

template class Inference<LinguisticMatcher>;
template class Inference<IntervalMatcher>;

}  // namespace fuzzyucs
