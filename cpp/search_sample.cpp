#include "search_sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "natural_profile.h"
#include "vectors.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kLanes = 4;
constexpr double kGreatestEntry = 2;  // of a profile: how far the parabola is trusted

std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// One half of a set of terms, as bits of a float.
float half(Terms terms, std::uint32_t which) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(terms >> 32 * which));
}

FourInts load_ints(const float* bits) { return std::bit_cast<FourInts>(load<FourFloats>(bits)); }

// Membership in a run of terms: NaN, which fails every comparison, belongs to all.
template <class Value>
Value in_run(Value x, float low, float high) {
    const Value rising = x - (low - 1), falling = (high + 1) - x;
    Value degree = rising < 1 ? rising : Value{} + 1;
    degree = falling < degree ? falling : degree;
    return degree > 0 ? degree : Value{};
}

// The greatest gain by an entry of a profile up to the greatest that is trusted.
double bounded_gain(double excess, double curvature) {
    return excess <= kGreatestEntry * curvature
               ? excess * excess / (2 * curvature)
               : kGreatestEntry * excess - kGreatestEntry * kGreatestEntry / 2 * curvature;
}

double sum(FourFloats lanes) {
    return (static_cast<double>(lanes[0]) + lanes[1]) + (static_cast<double>(lanes[2]) + lanes[3]);
}

}  // namespace

SearchSample::SearchSample(const SearchTable& table, const SearchSettings& settings)
    : table_(table),
      settings_(settings),
      sums_(table.n_classes),
      covariance_(table.n_classes * table.n_classes),
      experience_(table.n_classes),
      slope_(table.n_classes),
      natural_(table.n_classes) {
    if (table_.n_rows() > settings_.sample_size) return;
    std::vector<std::uint32_t> rows(table_.n_rows());
    std::iota(rows.begin(), rows.end(), 0u);
    gather(rows, std::vector<float>(rows.size(), 1.0f));
}

void SearchSample::update(const ClassProfiles& profiles, Rng& rng) {
    if (table_.n_rows() > settings_.sample_size) draw(profiles, rng);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        error_[i] = static_cast<float>(1 - profiles.probability(rows_[i], table_.labels[rows_[i]]));
    }
    const std::size_t n_classes = table_.n_classes;
    std::fill(sums_.begin(), sums_.end(), Sums{0, 0, 0});
    std::fill(covariance_.begin(), covariance_.end(), 0.0);
    log_shares_.assign(profiles.log_shares().begin(), profiles.log_shares().end());
    std::vector<double> p(n_classes);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        for (Class c = 0; c < n_classes; ++c) {
            p[c] = profiles.probability(rows_[i], c);
            const double own = table_.labels[rows_[i]] == c ? factor_[i] : 0;
            const double residual = own - factor_[i] * p[c];
            const double spread = factor_[i] * p[c] * (1 - p[c]);
            sums_[c].own += own;
            sums_[c].residual += residual;
            sums_[c].spread += spread;
            own_[c * n_sampled_ + i] = static_cast<float>(own);
            residual_[c * n_sampled_ + i] = static_cast<float>(residual);
            spread_[c * n_sampled_ + i] = static_cast<float>(spread);
            probability_[c * n_sampled_ + i] = static_cast<float>(p[c]);
        }
        if (n_classes == 2) continue;
        for (Class c = 0; c < n_classes; ++c) {
            for (Class d = 0; d < n_classes; ++d) {
                covariance_[c * n_classes + d] += factor_[i] * p[c] * ((c == d) - p[d]);
            }
        }
    }
}

// Rows with a large error are drawn more often, and count less for it.
void SearchSample::draw(const ClassProfiles& profiles, Rng& rng) {
    const std::size_t n = table_.n_rows();
    std::vector<double> wanted(n);
    double total = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const double error = 1 - profiles.probability(r, table_.labels[r]);
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
    rows_.assign(rows.begin(), rows.end());
    n_sampled_ = padded(rows.size());
    factor_.assign(n_sampled_, 0.0f);
    total_factor_ = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        factor_[i] = factors[i] * static_cast<float>(table_.sample_weights[rows[i]]);
        total_factor_ += factor_[i];
    }
    positions_.assign(table_.features.size() * n_sampled_, 0.0f);
    upper_halves_.assign(table_.features.size(), {});
    gaps_.assign(table_.features.size(), {});
    for (std::size_t f = 0; f < table_.features.size(); ++f) {
        const Gaps& gaps = table_.gaps[f];
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double x = table_.position(f, rows_[i]);
            if (std::isnan(x)) {
                const auto found = std::lower_bound(gaps.rows.begin(), gaps.rows.end(), rows_[i]);
                const auto index = static_cast<std::size_t>(found - gaps.rows.begin());
                gaps_[f].push_back({static_cast<std::uint32_t>(i),
                                    &gaps.probability[index * table_.features[f].n_terms]});
            }
            float& kept = positions_[f * n_sampled_ + i];
            if (!table_.features[f].is_nominal) {
                kept = static_cast<float>(x);
            } else {
                const Terms terms =
                    std::isnan(x) ? ~Terms{0} : Terms{1} << static_cast<std::uint32_t>(x);
                kept = half(terms, 0);
                if (table_.features[f].n_terms > 32) {
                    upper_halves_[f].resize(n_sampled_);
                    upper_halves_[f][i] = half(terms, 1);
                }
            }
        }
    }
    error_.assign(rows_.size(), 0.0f);
    own_.assign(table_.n_classes * n_sampled_, 0.0f);
    residual_.assign(table_.n_classes * n_sampled_, 0.0f);
    spread_.assign(table_.n_classes * n_sampled_, 0.0f);
    probability_.assign(table_.n_classes * n_sampled_, 0.0f);
    degree_.resize(n_sampled_);
}

void SearchSample::find_degrees(const Premise& premise) {
    std::fill(degree_.begin(), degree_.end(), 1.0f);
    for (const auto& [feature, terms] : premise) {
        const float* positions = positions_.data() + feature * n_sampled_;
        if (table_.features[feature].is_nominal) {
            const float* upper_halves = upper_halves_[feature].data();
            const auto lower = static_cast<std::int32_t>(terms);
            const auto upper = static_cast<std::int32_t>(terms >> 32);
            const auto keep_if = [&](auto&& holds) {
                for (std::size_t i = 0; i < n_sampled_; i += kLanes) {
                    const auto degree = std::bit_cast<FourInts>(load<FourFloats>(&degree_[i]));
                    store(std::bit_cast<FourFloats>(degree & (holds(i) != 0)), &degree_[i]);
                }
            };
            const auto in_lower = [&](std::size_t i) { return load_ints(positions + i) & lower; };
            if (upper_halves_[feature].empty()) {
                keep_if(in_lower);
            } else {
                keep_if([&](std::size_t i) {
                    return in_lower(i) | (load_ints(upper_halves + i) & upper);
                });
            }
        } else {
            const auto low = static_cast<float>(lowest(terms));
            const auto high = static_cast<float>(highest(terms));
            for (std::size_t i = 0; i < n_sampled_; i += kLanes) {
                const auto part = in_run(load<FourFloats>(positions + i), low, high);
                store(load<FourFloats>(&degree_[i]) * part, &degree_[i]);
            }
        }
        for (const auto& [index, probability] : gaps_[feature]) {
            degree_[index] *= static_cast<float>(accepted_share(probability, terms));
        }
    }
}

double SearchSample::score(const Premise& premise, double penalty) {
    constexpr double worthless = -std::numeric_limits<double>::infinity();
    find_degrees(premise);
    FourFloats lanes{};
    matched_.clear();
    for (std::uint32_t i = 0; i < n_sampled_; i += kLanes) {
        const auto degree = load<FourFloats>(&degree_[i]);
        if (!any(degree > 0)) continue;
        matched_.push_back(i);
        lanes += degree * load<FourFloats>(&factor_[i]);
    }
    const double experience = sum(lanes);
    if (std::min(experience, total_factor_ - experience) < settings_.least_experience) {
        return worthless;
    }
    const double mean = experience / total_factor_;
    const auto n_classes = static_cast<double>(table_.n_classes);
    // Curvatures of the classes on their own, so enlarged that their sum does not promise more
    // than all of them together hold.
    const double enlarged = table_.n_classes == 2 ? 1 : n_classes / (n_classes - 1);
    double gain = 0, nearest = worthless;
    for (Class c = first_class(); c < table_.n_classes; ++c) {
        const float* own = &own_[c * n_sampled_];
        const float* residual = &residual_[c * n_sampled_];
        const float* spread = &spread_[c * n_sampled_];
        FourFloats own_lanes{}, slope_lanes{}, spread_lanes{}, square_lanes{};
        for (const std::uint32_t i : matched_) {
            const auto degree = load<FourFloats>(&degree_[i]);
            const FourFloats part = degree * load<FourFloats>(spread + i);
            own_lanes += degree * load<FourFloats>(own + i);
            slope_lanes += degree * load<FourFloats>(residual + i);
            spread_lanes += part;
            square_lanes += part * degree;
        }
        experience_[c] = sum(own_lanes);
        slope_[c] = sum(slope_lanes) - mean * sums_[c].residual;
        // As in ClassProfiles: for a class only where it is more frequent than usual.
        const bool is_for = experience_[c] > experience * sums_[c].own / total_factor_;
        if (is_for != (slope_[c] > 0)) continue;
        const double curvature = enlarged * (sum(square_lanes) - 2 * mean * sum(spread_lanes) +
                                             mean * mean * sums_[c].spread);
        const double excess = std::abs(slope_[c]) - penalty;
        nearest = std::max(nearest, excess);
        if (excess > 0) gain += bounded_gain(excess, curvature);
    }
    if (table_.n_classes > 2) {
        natural_profile(experience_, log_shares_, natural_);
        const double slope =
            std::inner_product(slope_.begin(), slope_.end(), natural_.begin(), 0.0);
        nearest = std::max(nearest, slope - penalty);
        if (slope > penalty) {
            gain = std::max(gain, bounded_gain(slope - penalty, natural_curvature(mean)));
        }
    }
    return nearest > 0 ? gain : nearest;
}

// How the likelihood curves if a candidate speaks by its natural profile.
double SearchSample::natural_curvature(double mean) {
    const std::size_t n_classes = table_.n_classes;
    FourFloats lanes{};
    for (const std::uint32_t i : matched_) {
        FourFloats first{}, second{};
        for (Class c = 0; c < n_classes; ++c) {
            const auto entry = static_cast<float>(natural_[c]);
            const FourFloats part = entry * load<FourFloats>(&probability_[c * n_sampled_ + i]);
            first += part;
            second += entry * part;
        }
        const auto degree = load<FourFloats>(&degree_[i]);
        const FourFloats shift = degree * (degree - static_cast<float>(2 * mean));
        lanes += load<FourFloats>(&factor_[i]) * shift * (second - first * first);
    }
    double everywhere = 0;
    for (Class c = 0; c < n_classes; ++c) {
        for (Class d = 0; d < n_classes; ++d) {
            everywhere += natural_[c] * covariance_[c * n_classes + d] * natural_[d];
        }
    }
    return std::max(0.0, sum(lanes) + mean * mean * everywhere);
}

std::optional<std::size_t> SearchSample::draw_row(Rng& rng) const {
    if (rows_.empty()) return std::nullopt;
    double total = 0;
    std::vector<double> reached;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        reached.push_back(total += (0.001 + error_[i]) * factor_[i]);
    }
    const double drawn = rng.uniform() * total;
    std::size_t i = 0;
    while (i + 1 < rows_.size() && !(reached[i] > drawn)) ++i;
    return rows_[i];
}

}  // namespace fuzzyucs
