#include "search_sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "portable_math.h"
#include "vectors.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kLanes = 4;
constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();
constexpr double kGreatestStrength = 2;  // how far the parabola is trusted

std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Membership in a run of terms: NaN, which fails every comparison, belongs to all.
template <class Value>
Value in_run(Value x, float low, float high) {
    const Value rising = x - (low - 1), falling = (high + 1) - x;
    Value degree = rising < 1 ? rising : Value{} + 1;
    degree = falling < degree ? falling : degree;
    return degree > 0 ? degree : Value{};
}

double sum(FourFloats lanes) {
    return (static_cast<double>(lanes[0]) + lanes[1]) + (static_cast<double>(lanes[2]) + lanes[3]);
}

}  // namespace

SearchSample::SearchSample(const SearchTable& table, const SearchSettings& settings)
    : table_(table), settings_(settings), class_experience_(table.n_classes) {
    if (table_.n_rows() > settings_.sample_size) return;
    std::vector<std::uint32_t> rows(table_.n_rows());
    std::iota(rows.begin(), rows.end(), 0u);
    gather(rows, std::vector<float>(rows.size(), 1.0f));
}

void SearchSample::update(const EvidenceWeights& weights, Rng& rng) {
    if (table_.n_rows() > settings_.sample_size) draw(weights, rng);
    for (Class c = 0; c < table_.n_classes; ++c) {
        for (std::size_t i = 0; i < n_sampled_; ++i) {
            if (rows_[i] == kNoRow) continue;
            probability_[c * n_sampled_ + i] = static_cast<float>(weights.probability(rows_[i], c));
        }
    }
}

// Rows with a large error are drawn more often, and count less for it.
void SearchSample::draw(const EvidenceWeights& weights, Rng& rng) {
    const std::size_t n = table_.n_rows();
    std::vector<double> wanted(n);
    double total = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const double error = 1 - weights.probability(r, table_.labels[r]);
        wanted[r] = (error + 0.05) * table_.sample_weights[r];
        total += wanted[r];
    }
    std::vector<std::uint32_t> rows;
    std::vector<float> factors;
    const double rate = settings_.sample_size / total;
    double next = rng.uniform(), reached = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const double share = std::min(1.0, rate * wanted[r]);
        reached += share;
        if (reached < next) continue;
        next += 1;
        rows.push_back(static_cast<std::uint32_t>(r));
        factors.push_back(static_cast<float>(1 / share));
    }
    gather(rows, factors);
}

void SearchSample::gather(std::span<const std::uint32_t> rows, std::span<const float> factors) {
    std::vector<std::size_t> count(table_.n_classes);
    for (const std::uint32_t r : rows) ++count[table_.labels[r]];
    class_begin_.assign(1, 0);
    for (const std::size_t n : count) class_begin_.push_back(class_begin_.back() + padded(n));
    n_sampled_ = class_begin_.back();
    rows_.assign(n_sampled_, kNoRow);
    factor_.assign(n_sampled_, 0.0f);
    std::vector<std::size_t> next(class_begin_.begin(), class_begin_.end() - 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t index = next[table_.labels[rows[i]]]++;
        rows_[index] = rows[i];
        factor_[index] = factors[i] * static_cast<float>(table_.sample_weights[rows[i]]);
    }
    positions_.assign(table_.features.size() * n_sampled_, 0.0f);
    for (std::size_t f = 0; f < table_.features.size(); ++f) {
        for (std::size_t i = 0; i < n_sampled_; ++i) {
            if (rows_[i] == kNoRow) continue;
            const double x = table_.position(f, rows_[i]);
            float& kept = positions_[f * n_sampled_ + i];
            if (!table_.features[f].is_nominal) {
                kept = static_cast<float>(x);
            } else {
                const Terms terms =
                    std::isnan(x) ? ~Terms{0} : Terms{1} << static_cast<std::uint32_t>(x);
                kept = std::bit_cast<float>(terms);
            }
        }
    }
    probability_.assign(table_.n_classes * n_sampled_, 0.0f);
    degree_.resize(n_sampled_);
    mean_.resize(n_sampled_);
    square_.resize(n_sampled_);
}

void SearchSample::find_degrees(const Premise& premise) {
    std::fill(degree_.begin(), degree_.end(), 1.0f);
    for (const auto& [feature, terms] : premise) {
        const float* positions = positions_.data() + feature * n_sampled_;
        if (table_.features[feature].is_nominal) {
            const auto wanted = static_cast<std::int32_t>(terms);
            for (std::size_t i = 0; i < n_sampled_; i += kLanes) {
                const auto holds = std::bit_cast<FourInts>(load<FourFloats>(positions + i));
                const auto degree = std::bit_cast<FourInts>(load<FourFloats>(&degree_[i]));
                store(std::bit_cast<FourFloats>(degree & ((holds & wanted) != 0)), &degree_[i]);
            }
        } else {
            const auto low = static_cast<float>(lowest(terms));
            const auto high = static_cast<float>(highest(terms));
            for (std::size_t i = 0; i < n_sampled_; i += kLanes) {
                const auto part = in_run(load<FourFloats>(positions + i), low, high);
                store(load<FourFloats>(&degree_[i]) * part, &degree_[i]);
            }
        }
    }
}

double SearchSample::score(const Premise& premise, double penalty) {
    constexpr double worthless = -std::numeric_limits<double>::infinity();
    find_degrees(premise);
    const std::size_t n_classes = class_experience_.size();
    double experience = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        FourFloats lanes{};
        for (std::size_t i = class_begin_[c]; i < class_begin_[c + 1]; i += kLanes) {
            lanes += load<FourFloats>(&degree_[i]) * load<FourFloats>(&factor_[i]);
        }
        experience += class_experience_[c] = sum(lanes);
    }
    if (experience < settings_.least_experience) return worthless;
    const double least = *std::min_element(class_experience_.begin(), class_experience_.end());
    const double whole = experience + settings_.doubt;
    const auto against = static_cast<float>((experience - least) / whole);
    std::fill(mean_.begin(), mean_.end(), 0.0f);
    std::fill(square_.begin(), square_.end(), 0.0f);
    double true_gain = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        if (class_experience_[c] == least) continue;
        const auto more = static_cast<float>((class_experience_[c] - least) / whole);
        const float* probability = &probability_[c * n_sampled_];
        FourFloats lanes{};
        for (std::size_t i = 0; i < n_sampled_; i += kLanes) {
            const auto degree = load<FourFloats>(&degree_[i]);
            if (!any(degree > 0)) continue;
            const FourFloats gain = portable_log(1 + degree * more / (1 - degree * against));
            const FourFloats part = load<FourFloats>(probability + i) * gain;
            store(load<FourFloats>(&mean_[i]) + part, &mean_[i]);
            store(load<FourFloats>(&square_[i]) + part * gain, &square_[i]);
            if (i >= class_begin_[c] && i < class_begin_[c + 1]) {
                lanes += load<FourFloats>(&factor_[i]) * gain;
            }
        }
        true_gain += sum(lanes);
    }
    FourFloats mean_lanes{}, spread_lanes{};
    for (std::size_t i = 0; i < n_sampled_; i += kLanes) {
        const auto factor = load<FourFloats>(&factor_[i]), mean = load<FourFloats>(&mean_[i]);
        mean_lanes += factor * mean;
        spread_lanes += factor * (load<FourFloats>(&square_[i]) - mean * mean);
    }
    const double slope = true_gain - sum(mean_lanes) - penalty;
    const double curvature = sum(spread_lanes);
    if (slope <= 0) return slope;
    return slope <= kGreatestStrength * curvature
               ? slope * slope / (2 * curvature)
               : kGreatestStrength * slope - kGreatestStrength * kGreatestStrength / 2 * curvature;
}

std::optional<std::size_t> SearchSample::draw_row(Rng& rng) const {
    if (n_sampled_ == 0) return std::nullopt;
    double total = 0;
    std::vector<double> reached(n_sampled_);
    for (Class c = 0; c < table_.n_classes; ++c) {
        for (std::size_t i = class_begin_[c]; i < class_begin_[c + 1]; ++i) {
            if (rows_[i] != kNoRow) {
                total += (1.001 - probability_[c * n_sampled_ + i]) * factor_[i];
            }
            reached[i] = total;
        }
    }
    const double drawn = rng.uniform() * total;
    std::size_t i = 0;
    while (i + 1 < n_sampled_ && !(reached[i] > drawn)) ++i;
    return rows_[i] == kNoRow ? 0 : rows_[i];
}

}  // namespace fuzzyucs
