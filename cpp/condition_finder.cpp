#include "condition_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "vector_clones.h"

namespace fuzzyucs {

namespace {

constexpr double kGreatestEntry = 2;  // of a profile: how far a parabola is trusted
constexpr double kRidge = 1e-3;
constexpr double kRounding = 1e-9;   // more than what sums and gains are rounded by
constexpr double kNearly = 0.98;     // of the greatest gain
constexpr std::size_t kGrid = 24;    // borders of which all pairs are tried
constexpr std::size_t kOrders = 32;  // classes by which terms without order are put in order

double bounded_gain(double excess, double curvature) {
    return excess <= kGreatestEntry * curvature
               ? excess * excess / (2 * curvature)
               : kGreatestEntry * excess - kGreatestEntry * kGreatestEntry / 2 * curvature;
}

[[gnu::always_inline]] inline void add(Sum* sums, const Sum* others, std::size_t size) {
    for (std::size_t i = 0; i < size; i += 4) four(sums + i).values += four(others + i).values;
}

// Sums over what lies in each unit of an ordered feature or above it. Codes between the peaks of
// two terms belong to the upper one in part, by their step: a sum of sums from the top down counts
// the first step once, the second twice. Codes that no row has are left out, and so are units that
// add none.
FUZZYUCS_VECTOR_CLONES
void add_from_the_top(const ClassHistogram& histogram, const CodedFeature& feature,
                      std::span<const std::uint32_t> unit_of, double scale, double* sums) {
    const std::size_t size = histogram.slots().size(), steps = feature.steps;
    const auto per_step = static_cast<double>(steps);
    std::vector<Sum> memory(3 * size);
    Sum *above = memory.data(), *between = above + size, *part = between + size;
    const Sum* missing = histogram.of_code(kMissingCode);
    bool is_new = histogram.has(kMissingCode);
    double share = 0;
    for (std::size_t t = feature.n_terms; t-- > 0;) {
        if (histogram.has(steps * t)) add(above, histogram.of_code(steps * t), size), is_new = true;
        share += feature.shares[t];
        bool is_between = false;
        for (std::size_t step = t > 0 ? steps : 1; step-- > 1;) {
            const std::size_t code = steps * (t - 1) + step;
            if (histogram.has(code)) {
                if (!is_between) std::fill_n(between, 2 * size, 0);
                add(between, histogram.of_code(code), size);
                is_between = true;
            }
            if (is_between) add(part, between, size);
        }
        if (t == 0 || unit_of[t] != unit_of[t - 1]) {
            double* own = sums + unit_of[t] * size;
            if (is_new || is_between) {
                const double missing_share = std::min(share, 1.0);
                for (std::size_t i = 0; i < size; i += 4) {
                    FourDoubles whole, partial{}, unknown;
                    as_doubles(four(above + i), whole);
                    if (is_between) as_doubles(four(part + i), partial);
                    as_doubles(four(missing + i), unknown);
                    four(own + i).values =
                        (whole + partial / per_step + missing_share * unknown) * scale;
                }
            } else {
                std::copy_n(own + size, size, own);
            }
            is_new = histogram.has(kMissingCode);
        }
        if (is_between) add(above, between, size), is_new = true;
    }
}

}  // namespace

// A rule moves rows by 1 - mean where it matches, and by -mean elsewhere.
double GainMeasure::gain(const Inside& inside, std::span<const std::uint32_t> kept, double price,
                         int sign) const {
    const double total = all[0];
    if (inside.weight < least_experience_ || total - inside.weight < least_experience_) return 0;
    if (sign != 0 && layout_.n_classes > 2) return step_gain(inside, price, sign);
    const double mean = inside.weight / total;
    const auto n = static_cast<double>(layout_.n_classes);
    const double factor = layout_.n_classes == 2 ? 1.0 : n / (n - 1);
    double gain = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const double all_own = all[SumLayout::own(kept[i])];
        const double drift = all_own - all[SumLayout::probability(kept[i])];
        const double slope = inside.own[i] - inside.probability[i] - mean * drift;
        const double excess = std::abs(slope) - price;
        if (excess <= 0) continue;
        // A rule speaks only for classes that are more frequent where it matches.
        if (slope * (inside.own[i] - mean * all_own) <= 0) continue;
        if (slope * sign < 0) continue;
        const double within = inside.spread[i];
        const double without = all[SumLayout::spread(kept[i])] - within;
        const double curvature =
            factor * ((1 - mean) * (1 - mean) * within + mean * mean * without) + kRidge;
        gain += bounded_gain(excess, curvature);
    }
    return gain;
}

// The same for a rule that speaks for all classes from one on, or for all others, by one entry: the
// best of these. The spread of several classes together is at most the sum of theirs, and that of
// the others.
double GainMeasure::step_gain(const Inside& inside, double price, int sign) const {
    const double mean = inside.weight / all[0];
    std::vector<double> spreads, outer;
    double spread = 0, without = 0;
    for (const Class c : order) {
        spreads.push_back(spread += inside.spread[c]);
        outer.push_back(without += all[SumLayout::spread(c)] - inside.spread[c]);
    }
    double own = 0, probability = 0, all_own = 0, all_probability = 0, best = 0;
    for (std::size_t step = order.size() - 1; step > 0; --step) {
        const Class c = order[step];
        own += inside.own[c];
        probability += inside.probability[c];
        all_own += all[SumLayout::own(c)];
        all_probability += all[SumLayout::probability(c)];
        const double slope = own - probability - mean * (all_own - all_probability);
        const double excess = std::abs(slope) - price;
        if (excess <= 0 || slope * sign <= 0) continue;
        if (slope * (own - mean * all_own) <= 0) continue;
        const double least = std::min(spreads[step - 1], spread - spreads[step - 1]);
        const double least_without = std::min(outer[step - 1], without - outer[step - 1]);
        const double curvature =
            (1 - mean) * (1 - mean) * least + mean * mean * least_without + kRidge;
        best = std::max(best, bounded_gain(excess, curvature));
    }
    return best;
}

FoundCondition ConditionFinder::find(const ClassHistogram& histogram, const CodedFeature& feature,
                                     std::span<const std::uint32_t> unit_of,
                                     std::span<const std::uint32_t> group_of,
                                     const GainMeasure& measure, double price, double least,
                                     Direction direction) {
    direction_ = direction;
    begin(histogram.slots(), unit_of);
    add_units(histogram, feature, unit_of, measure);
    return best(histogram.slots(), feature, unit_of, group_of, measure, price, least);
}

FoundCondition ConditionFinder::find(const RowStates& states, const std::uint8_t* column,
                                     const ClassSlots& slots, const CodedFeature& feature,
                                     std::span<const std::uint32_t> unit_of,
                                     std::span<const std::uint32_t> group_of,
                                     const GainMeasure& measure, double price, double least,
                                     Direction direction) {
    direction_ = direction;
    begin(slots, unit_of);
    few_rows_.add_from_the_top(states, column, feature, unit_of, measure.scale, sums_.data());
    return best(slots, feature, unit_of, group_of, measure, price, least);
}

void ConditionFinder::begin(const ClassSlots& slots, std::span<const std::uint32_t> unit_of) {
    size_ = slots.size();
    n_units_ = *std::max_element(unit_of.begin(), unit_of.end()) + 1;
    sums_.assign((n_units_ + 1) * size_, 0.0);
}

FoundCondition ConditionFinder::best(const ClassSlots& slots, const CodedFeature& feature,
                                     std::span<const std::uint32_t> unit_of,
                                     std::span<const std::uint32_t> group_of,
                                     const GainMeasure& measure, double price, double least) {
    const double most = keep_movable_classes(slots, measure, price, feature.is_nominal);
    if (kept_.empty() || most <= least) return {};
    units_.assign(n_units_, {});
    for (std::uint32_t t = 0; t < unit_of.size(); ++t) units_[unit_of[t]].insert(t);
    if (feature.is_nominal) return find_set(measure, price);
    mark_known_borders(unit_of, group_of);
    return find_run(measure, price);
}

void ConditionFinder::add_units(const ClassHistogram& histogram, const CodedFeature& feature,
                                std::span<const std::uint32_t> unit_of,
                                const GainMeasure& measure) {
    if (!feature.is_nominal) {
        add_from_the_top(histogram, feature, unit_of, measure.scale, sums_.data());
        return;
    }
    const Sum* missing = histogram.of_code(kMissingCode);
    for (std::size_t t = 0; t < feature.n_terms; ++t) {
        const Sum* own = histogram.of_code(t);
        double* sums = &sums_[unit_of[t] * size_];
        for (std::size_t i = 0; i < size_; ++i) {
            sums[i] += (static_cast<double>(own[i]) +
                        feature.shares[t] * static_cast<double>(missing[i])) *
                       measure.scale;
        }
    }
}

void ConditionFinder::mark_known_borders(std::span<const std::uint32_t> unit_of,
                                         std::span<const std::uint32_t> group_of) {
    is_known_.assign(n_units_ + 1, false);
    is_known_.front() = is_known_.back() = true;
    for (std::size_t t = 1; t < unit_of.size(); ++t) {
        if (group_of[t] != group_of[t - 1]) is_known_[unit_of[t]] = true;
    }
}

// Leaves out classes that no condition can move enough to be worth the price; returns what no
// condition gains more than.
double ConditionFinder::keep_movable_classes(const ClassSlots& slots, const GainMeasure& measure,
                                             double price, bool is_nominal) {
    const std::size_t size = size_;
    kept_.clear();
    kept_slots_.clear();
    reach_.clear();
    const std::size_t n_slots = slots.classes.size();
    lows_.assign(n_slots, 0.0);
    highs_.assign(n_slots, 0.0);
    for (std::size_t u = 0; u < n_units_; ++u) {
        const double* sums = &sums_[u * size];
        for (std::size_t i = 0; i < n_slots; ++i) {
            const double slope = sums[SumLayout::own(i)] - sums[SumLayout::probability(i)];
            const double below = std::min(slope, 0.0), above = std::max(slope, 0.0);
            lows_[i] = is_nominal ? lows_[i] + below : std::min(lows_[i], below);
            highs_[i] = is_nominal ? highs_[i] + above : std::max(highs_[i], above);
        }
    }
    double most = 0;
    for (std::uint32_t slot = 0; slot < n_slots; ++slot) {
        const std::uint32_t c = slots.classes[slot];
        const double low = lows_[slot], high = highs_[slot];
        const double drift =
            std::abs(measure.all[SumLayout::own(c)] - measure.all[SumLayout::probability(c)]);
        const bool is_needed = direction_.matters() && n_slots > 1;
        if (!is_needed && high - low + drift <= price) continue;
        kept_.push_back(c);
        kept_slots_.push_back(slot);
        reach_.push_back(high - low);
        most += kGreatestEntry * (high - low + drift - price);  // as `bounded_gain` does
    }
    // Classes that move together may gain more.
    if (direction_.matters() && n_slots > 1) most = std::numeric_limits<double>::infinity();
    const std::size_t n = kept_.size();
    if (n == 0) return 0;
    weight_.resize(n_units_ + 1);
    for (auto* part : {&own_, &probability_, &spread_}) part->resize((n_units_ + 1) * n);
    for (auto* part : {&inside_own_, &inside_probability_, &inside_spread_}) part->resize(n);
    for (std::size_t u = 0; u <= n_units_; ++u) {
        const double* sums = &sums_[u * size];
        weight_[u] = sums[0];
        for (std::size_t i = 0; i < n; ++i) {
            own_[u * n + i] = sums[SumLayout::own(kept_slots_[i])];
            probability_[u * n + i] = sums[SumLayout::probability(kept_slots_[i])];
            spread_[u * n + i] = sums[SumLayout::spread(kept_slots_[i])];
        }
    }
    return most * (1 + kRounding) + kRounding;
}

double ConditionFinder::run_gain(const GainMeasure& measure, double price, std::size_t low,
                                 std::size_t end) {
    const std::size_t n = kept_.size(), a = low * n, b = end * n;
    for (std::size_t i = 0; i < n; ++i) {
        inside_own_[i] = own_[a + i] - own_[b + i];
        inside_probability_[i] = probability_[a + i] - probability_[b + i];
        inside_spread_[i] = spread_[a + i] - spread_[b + i];
    }
    const auto sign = sign_of_run(low, end);
    if (!sign) return 0;
    return measure.gain({weight_[low] - weight_[end], inside_own_.data(),
                         inside_probability_.data(), inside_spread_.data()},
                        kept_, price, *sign);
}

// The sign of a rule with a condition on these units; none if it must not have one.
std::optional<int> ConditionFinder::sign_of_run(std::size_t low, std::size_t end) const {
    const auto [feature, rule] = direction_;
    if (feature == 0) return rule;
    if (low > 0 && end < n_units_) return std::nullopt;
    const int sign = low > 0 ? feature : -feature;
    if (rule != 0 && rule != sign) return std::nullopt;
    return sign;
}

// All pairs of some borders, then all near the best of them.
FoundCondition ConditionFinder::find_run(const GainMeasure& measure, double price) {
    const std::size_t n = n_units_;
    std::size_t best_low = 0, best_end = n;
    double best = 0;
    const auto attempt = [&](std::size_t low, std::size_t end) {
        if (low >= end || (low == 0 && end == n)) return;
        const double gain = run_gain(measure, price, low, end);
        if (gain > best) best = gain, best_low = low, best_end = end;
    };
    const std::size_t step = (n + kGrid - 1) / kGrid;
    for (std::size_t low = 0; low < n; low += step) {
        for (std::size_t end = low + step; end < n + step; end += step) {
            attempt(low, std::min(end, n));
        }
    }
    if (best <= 0) return {};
    if (step > 1) {
        const auto first = [&](std::size_t border) {
            return border == 0 || border == n ? border : (border >= step ? border - step + 1 : 1);
        };
        const auto last = [&](std::size_t border) {
            return border == 0 || border == n ? border : std::min(border + step - 1, n - 1);
        };
        const std::size_t low = best_low, end = best_end;
        for (std::size_t l = first(low); l <= last(low); ++l) {
            for (std::size_t e = first(end); e <= last(end); ++e) attempt(l, e);
        }
    }
    // A border that is known already, if it does nearly as well.
    const double enough = kNearly * best;
    for (std::size_t* border : {&best_low, &best_end}) {
        if (is_known_[*border]) continue;
        const std::size_t found = *border;
        double best_known = enough;
        for (std::size_t b = found > step * 2 ? found - step * 2 : 1;
             b <= std::min(found + step * 2, n - 1); ++b) {
            if (!is_known_[b]) continue;
            const std::size_t low = border == &best_low ? b : best_low;
            const std::size_t end = border == &best_low ? best_end : b;
            if (low >= end) continue;
            const double gain = run_gain(measure, price, low, end);
            if (gain > best_known) best_known = gain, best = gain, *border = b;
        }
    }
    FoundCondition found{{}, best};
    for (std::size_t u = best_low; u < best_end; ++u) found.terms.insert(units_[u]);
    return found;
}

// The classes by which units are put in order: of many, those that sets of units move most.
std::vector<std::size_t> ConditionFinder::leading_classes() const {
    std::vector<std::size_t> found(kept_.size());
    std::iota(found.begin(), found.end(), std::size_t{0});
    if (found.size() <= kOrders) return found;
    std::stable_sort(found.begin(), found.end(),
                     [&](std::size_t a, std::size_t b) { return reach_[a] > reach_[b]; });
    found.resize(kOrders);
    std::sort(found.begin(), found.end());
    return found;
}

// Sets of the units in which a class is most above, or most below, what the model expects.
FoundCondition ConditionFinder::find_set(const GainMeasure& measure, double price) {
    FoundCondition best;
    const std::size_t n = kept_.size();
    std::vector<std::size_t> order;
    for (std::size_t u = 0; u < n_units_; ++u) {
        if (weight_[u] > 0) order.push_back(u);
    }
    std::vector<double> ratio(n_units_);
    for (const std::size_t c : leading_classes()) {
        for (const std::size_t u : order) {
            ratio[u] = (own_[u * n + c] - probability_[u * n + c]) / (weight_[u] + 1);
        }
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return ratio[a] != ratio[b] ? ratio[a] > ratio[b] : a < b;
        });
        for (const bool is_reversed : {false, true}) {
            if (is_reversed) std::reverse(order.begin(), order.end());
            double weight = 0;
            for (auto* part : {&inside_own_, &inside_probability_, &inside_spread_}) {
                std::fill(part->begin(), part->end(), 0.0);
            }
            TermSet terms;
            for (std::size_t i = 0; i + 1 < order.size(); ++i) {
                const std::size_t u = order[i];
                terms.insert(units_[u]);
                weight += weight_[u];
                for (std::size_t k = 0; k < n; ++k) {
                    inside_own_[k] += own_[u * n + k];
                    inside_probability_[k] += probability_[u * n + k];
                    inside_spread_[k] += spread_[u * n + k];
                }
                const double gain = measure.gain(
                    {weight, inside_own_.data(), inside_probability_.data(), inside_spread_.data()},
                    kept_, price, direction_.rule);
                if (gain > best.gain) best = {terms, gain};
            }
        }
    }
    return best;
}

}  // namespace fuzzyucs
