#include "inference.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "rng.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kMinColumns = 4;
constexpr std::int32_t kBitBudget = 1020;  // the product of factors this small is still normal

std::size_t padded(std::size_t n) { return (n + kMinColumns - 1) / kMinColumns * kMinColumns; }

// A factor (1 - mu) + mu * v lies between v and 1, or is 1 - mu when v is 0: then it is 0 or at
// least 2^-53. So many bits bound how fast a product of such factors can shrink.
std::int32_t bits_of(const double* weights, std::size_t n_classes) {
    std::int32_t bits = 53;
    for (std::size_t c = 0; c < n_classes; ++c) {
        if (weights[c] > 0) bits = std::max(bits, -std::ilogb(weights[c]));
    }
    return bits;
}

// Moves the powers of two of `value` to `exponent`; zero stays zero. (A subnormal number, which
// takes a weight below 2^-1000, keeps its exponent for the next time.)
inline void take_out_exponent(double& value, std::int64_t& exponent) {
    constexpr std::uint64_t one = 0x3ff0000000000000u, fraction = 0x000fffffffffffffu;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool is_normal = bits > fraction;
    exponent += is_normal ? static_cast<std::int64_t>(bits >> 52) - 1023 : 0;
    value = is_normal ? std::bit_cast<double>((bits & fraction) | one) : value;
}

// A draw that belongs to a row's own values: the same alone, in any batch and in any order.
std::uint32_t draw(std::uint64_t seed, const double* x, std::size_t n_features, std::size_t n) {
    std::uint64_t hash = seed;
    for (std::size_t i = 0; i < n_features; ++i) {
        const double value = std::isnan(x[i]) ? -1.0 : x[i] + 0.0;
        hash = splitmix(hash) ^ std::bit_cast<std::uint64_t>(value);
    }
    return Rng(hash).below(static_cast<std::uint32_t>(n));
}

double scaled(double mantissa, std::int64_t exponent) {
    return exponent < -2000 ? 0 : std::ldexp(mantissa, static_cast<int>(exponent));
}

}  // namespace

Inference::Inference(std::span<const std::uint32_t> n_terms, std::size_t n_classes,
                     std::span<const Terms> conditions, std::span<const double> weights,
                     std::span<const double> fitness, std::span<const std::uint32_t> numerosity,
                     std::span<const Class> consequent)
    : n_classes_(n_classes), n_columns_(padded(n_classes + 1)), matcher_(n_terms) {
    const std::size_t n_rules = numerosity.size();
    given_place_.resize(n_rules);
    std::iota(given_place_.begin(), given_place_.end(), 0u);
    std::stable_sort(given_place_.begin(), given_place_.end(),
                     [&](auto a, auto b) { return numerosity[a] > numerosity[b]; });
    weights_.assign(n_rules * n_columns_, 1.0);
    std::vector<std::uint64_t> code(matcher_.code_size());
    for (std::size_t slot = 0; slot < n_rules; ++slot) {
        const std::size_t given = given_place_[slot];
        if (slot % kBlockSlots == 0) {
            matcher_.add_block();
            alive_.emplace_back();
        }
        const auto condition = conditions.subspan(given * n_terms.size(), n_terms.size());
        matcher_.encode(condition, code);
        matcher_.assign(slot, condition, code);
        alive_.back().set(slot % kBlockSlots, true);
        numerosity_.push_back(numerosity[given]);
        fitness_.push_back(fitness[given]);
        vote_.push_back(fitness[given] * numerosity[given]);
        consequent_.push_back(consequent[given]);
        const double* row = &weights[given * n_classes];
        bits_.push_back(bits_of(row, n_classes));
        std::copy(row, row + n_classes, &weights_[slot * n_columns_]);
        weights_[slot * n_columns_ + n_classes] = 0;
    }
}

Inference::Scratch::Scratch(const Inference& rules)
    : input(rules.matcher_.n_terms()),
      slots(rules.n_rules()),
      degrees(rules.n_rules()),
      mantissa(rules.n_columns_),
      exponent(rules.n_columns_) {}

void Inference::match(const double* x, Scratch& scratch) const {
    scratch.input.read(x);
    Slot* slot = scratch.slots.data();
    for (std::size_t block = 0; block < alive_.size(); ++block) {
        for_each_slot(matcher_.match(scratch.input, block, alive_[block]), block,
                      [&](Slot matched) { *slot++ = matched; });
    }
    scratch.n_matched = static_cast<std::size_t>(slot - scratch.slots.data());
    scratch.input.expect_matches(scratch.n_matched);
    matcher_.degrees(scratch.input, {scratch.slots.data(), scratch.n_matched},
                     scratch.degrees.data());
}

void Inference::votes(const double* x, double* scores, Scratch& scratch) const {
    match(x, scratch);
    std::fill(scores, scores + n_classes_, 0.0);
    for (std::size_t k = 0; k < scratch.n_matched; ++k) {
        const Slot slot = scratch.slots[k];
        scores[consequent_[slot]] += scratch.degrees[k] * vote_[slot];
    }
}

Inference::Winner Inference::winner(const double* x, std::uint64_t seed, Scratch& scratch) const {
    match(x, scratch);
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

// A product for each column as mantissa * 2^exponent, so that it neither underflows nor overflows.
template <std::size_t Columns>
struct Inference::Product {
    using Values = std::array<double, Columns>;

    Values mantissa;
    std::array<std::int64_t, Columns> exponent{};

    Product() { mantissa.fill(1.0); }

    void multiply(const Values& factor) {
        for (std::size_t c = 0; c < Columns; ++c) mantissa[c] *= factor[c];
    }
    void normalise() {
        for (std::size_t c = 0; c < Columns; ++c) take_out_exponent(mantissa[c], exponent[c]);
    }
    // Multiplies by another product, `count` times. Mantissas of normalised products are below 2,
    // so a thousand of them fit into a double.
    void multiply_power(const Product& other, std::uint32_t count) {
        Product square = other;
        for (;;) {
            if (count % 2) {
                multiply(square.mantissa);
                for (std::size_t c = 0; c < Columns; ++c) exponent[c] += square.exponent[c];
                normalise();
            }
            count /= 2;
            if (count == 0) return;
            square.multiply(square.mantissa);
            for (auto& exponent : square.exponent) exponent *= 2;
            square.normalise();
        }
    }
};

// Splits the matching rules into portions of equal numerosity that a double bears.
void Inference::apportion(Scratch& scratch) const {
    const Slot* slots = scratch.slots.data();
    scratch.portions.clear();
    for (std::size_t k = 0; k < scratch.n_matched;) {
        const std::uint32_t numerosity = numerosity_[slots[k]];
        std::int32_t budget = kBitBudget;
        do {
            budget -= bits_[slots[k]];
            ++k;
        } while (k < scratch.n_matched && numerosity_[slots[k]] == numerosity &&
                 budget >= bits_[slots[k]]);
        const std::uint32_t next = k < scratch.n_matched ? numerosity_[slots[k]] : 0;
        scratch.portions.push_back({k, numerosity - next});
    }
}

// Rules come in descending order of numerosity. With P the product over all rules so far, the next
// lower numerosity tells how often P as a whole counts: (a b)^1 a^2 = a^3 b^1. So each rule is
// multiplied once, however numerous it is.
template <std::size_t Columns>
void Inference::combine_columns(std::size_t first, Scratch& scratch) const {
    using Values = typename Product<Columns>::Values;
    const Slot* slots = scratch.slots.data();
    const auto multiply_rule = [&](Values& product, std::size_t k) {
        const double degree = scratch.degrees[k], rest = 1 - degree;
        const double* weights = &weights_[slots[k] * n_columns_ + first];
        for (std::size_t c = 0; c < Columns; ++c) product[c] *= rest + degree * weights[c];
    };
    Product<Columns> so_far, total;
    std::size_t k = 0;
    for (const Portion& portion : scratch.portions) {
        // Two products side by side, because one would wait for each multiplication to finish.
        Values even, odd;
        even.fill(1.0);
        odd.fill(1.0);
        for (; k + 1 < portion.end; k += 2) {
            multiply_rule(even, k);
            multiply_rule(odd, k + 1);
        }
        if (k < portion.end) multiply_rule(even, k++);
        so_far.multiply(even);
        so_far.multiply(odd);
        so_far.normalise();
        if (portion.count > 0) total.multiply_power(so_far, portion.count);
    }
    std::copy(total.mantissa.begin(), total.mantissa.end(), &scratch.mantissa[first]);
    std::copy(total.exponent.begin(), total.exponent.end(), &scratch.exponent[first]);
}

void Inference::combine(const double* x, Scratch& scratch) const {
    match(x, scratch);
    apportion(scratch);
    for (std::size_t first = 0; first < n_columns_;) {
        if (n_columns_ - first >= 8) {
            combine_columns<8>(first, scratch);
            first += 8;
        } else {
            combine_columns<4>(first, scratch);
            first += 4;
        }
    }
}

double Inference::masses(const double* x, double* masses, Scratch& scratch) const {
    combine(x, scratch);
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
    return static_cast<double>(shift) * std::log(2.0) + std::log(sum);
}

Class Inference::predict(const double* x, Scheme scheme, std::uint64_t seed,
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
        combine(x, scratch);
        keep_best(best, [&](Class c) {
            constexpr auto impossible = std::numeric_limits<std::int64_t>::min();
            const double mantissa = scratch.mantissa[c];
            return std::pair(mantissa > 0 ? scratch.exponent[c] : impossible, mantissa);
        });
    }
    return best.size() == 1 ? best[0] : best[draw(seed, x, n_features(), best.size())];
}

template <class Key>
void Inference::keep_best(std::vector<Class>& best, Key&& key) const {
    best.assign(1, 0);
    for (Class c = 1; c < n_classes_; ++c) {
        if (key(c) > key(best[0])) {
            best.assign(1, c);
        } else if (key(c) == key(best[0])) {
            best.push_back(c);
        }
    }
}

void Inference::membership(const double* x, double* degrees, Scratch& scratch) const {
    match(x, scratch);
    std::fill(degrees, degrees + n_rules(), 0.0);
    for (std::size_t k = 0; k < scratch.n_matched; ++k) {
        degrees[given_place_[scratch.slots[k]]] = scratch.degrees[k];
    }
}

}  // namespace fuzzyucs
