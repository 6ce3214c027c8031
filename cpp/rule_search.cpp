#include "rule_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "portable_math.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kLanes = 4;
constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();
constexpr double kLongestWeight = 2;  // how far a gain is trusted
constexpr double kRoughTolerance = 0.1;
constexpr std::size_t kRoughSteps = 2;

std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

std::uint32_t lowest(Terms terms) { return static_cast<std::uint32_t>(std::countr_zero(terms)); }
std::uint32_t highest(Terms terms) { return static_cast<std::uint32_t>(std::bit_width(terms)) - 1; }
Terms run(std::uint32_t low, std::uint32_t high) {
    return every_term(high + 1) & ~((Terms{1} << low) - 1);
}

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

RuleSearch::RuleSearch(std::span<const double> positions, std::span<const Feature> features,
                       std::span<const Class> labels, std::span<const double> sample_weights,
                       std::size_t n_classes, const SearchSettings& settings, std::uint64_t seed)
    : settings_(settings),
      features_(features.begin(), features.end()),
      positions_(positions.begin(), positions.end()),
      labels_(labels.begin(), labels.end()),
      sample_weights_(sample_weights.begin(), sample_weights.end()),
      weights_(labels, sample_weights, n_classes, settings.doubt, settings.ridge),
      rng_(seed),
      class_experience_(n_classes) {
    weights_.fit(kRoughTolerance, kRoughSteps);
    if (labels_.size() <= settings_.sample_size) {
        std::vector<std::uint32_t> rows(labels_.size());
        std::iota(rows.begin(), rows.end(), 0u);
        gather(rows, std::vector<float>(rows.size(), 1.0f));
    }
}

double RuleSearch::penalty_of(const Premise& premise) const {
    return penalty_ * (1 + settings_.condition_cost * static_cast<double>(premise.size()));
}

// `position(feature)` is where a row lies.
template <class Position>
double RuleSearch::degree(const Premise& premise, Position&& position) const {
    double degree = 1;
    for (const auto& [feature, terms] : premise) {
        const double x = position(feature);
        if (std::isnan(x)) continue;
        if (features_[feature].is_nominal) {
            degree *= (terms >> static_cast<std::uint32_t>(x)) & 1;
        } else {
            const double rising = x - lowest(terms) + 1, falling = highest(terms) + 1.0 - x;
            degree *= std::clamp(std::min(rising, falling), 0.0, 1.0);
        }
        if (degree == 0) break;
    }
    return degree;
}

void RuleSearch::adopt(const Premise& premise) {
    const std::size_t n = labels_.size();
    std::vector<double> degrees(n);
    for (std::size_t r = 0; r < degrees.size(); ++r) {
        degrees[r] = degree(premise, [&](std::size_t f) { return positions_[f * n + r]; });
    }
    weights_.add(degrees, penalty_of(premise));
    rules_.push_back(premise);
}

void RuleSearch::prune(double least) {
    std::vector<Premise> kept;
    for (const std::size_t k : weights_.prune(least)) kept.push_back(std::move(rules_[k]));
    rules_ = std::move(kept);
}

void RuleSearch::set_penalty(double penalty) {
    penalty_ = penalty;
    for (std::size_t k = 0; k < rules_.size(); ++k) weights_.set_penalty(k, penalty_of(rules_[k]));
}

bool RuleSearch::settle(double tolerance, std::size_t most_steps) {
    const bool done = weights_.fit(tolerance, most_steps);
    prune(0);
    return done;
}

void RuleSearch::scores(const double* x, std::span<double> scores) const {
    std::copy(weights_.prior().begin(), weights_.prior().end(), scores.begin());
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        const double mu = degree(rules_[k], [&](std::size_t f) { return x[f]; });
        const double weight = weights_.weight(k);
        if (mu == 0) continue;
        const double whole = weights_.experience(k) + settings_.doubt;
        const auto known = weights_.class_experience(k);
        for (std::size_t c = 0; c < n_classes(); ++c) {
            const double against = (weights_.experience(k) - known[c]) / whole;
            scores[c] += weight * portable_log(1 - mu * against);
        }
    }
}

// The sample.

// Large tables: rows that are not yet explained are drawn more often, and count less for it.
void RuleSearch::draw_sample() {
    const std::size_t n = labels_.size();
    std::vector<double> wanted(n);
    double total = 0;
    for (std::size_t r = 0; r < n; ++r) {
        wanted[r] = (1 - weights_.probability(r, labels_[r]) + 0.05) * sample_weights_[r];
        total += wanted[r];
    }
    std::vector<std::uint32_t> rows;
    std::vector<float> factors;
    const double rate = settings_.sample_size / total;
    double next = rng_.uniform(), reached = 0;
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

void RuleSearch::gather(std::span<const std::uint32_t> rows, std::span<const float> factors) {
    const std::size_t n_classes = weights_.n_classes();
    std::vector<std::size_t> count(n_classes);
    for (const std::uint32_t r : rows) ++count[labels_[r]];
    class_begin_.assign(1, 0);
    for (const std::size_t n : count) class_begin_.push_back(class_begin_.back() + padded(n));
    n_sampled_ = class_begin_.back();
    sampled_rows_.assign(n_sampled_, kNoRow);
    factor_.assign(n_sampled_, 0.0f);
    std::vector<std::size_t> next(class_begin_.begin(), class_begin_.end() - 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t place = next[labels_[rows[i]]]++;
        sampled_rows_[place] = rows[i];
        factor_[place] = factors[i] * static_cast<float>(sample_weights_[rows[i]]);
    }
    sampled_positions_.assign(features_.size() * n_sampled_, 0.0f);
    for (std::size_t f = 0; f < features_.size(); ++f) {
        for (std::size_t i = 0; i < n_sampled_; ++i) {
            if (sampled_rows_[i] == kNoRow) continue;
            const double x = positions_[f * labels_.size() + sampled_rows_[i]];
            float& kept = sampled_positions_[f * n_sampled_ + i];
            if (!features_[f].is_nominal) {
                kept = static_cast<float>(x);
            } else {
                const Terms terms =
                    std::isnan(x) ? ~Terms{0} : Terms{1} << static_cast<std::uint32_t>(x);
                kept = std::bit_cast<float>(terms);
            }
        }
    }
    probability_.assign(n_classes * n_sampled_, 0.0f);
    degree_.resize(n_sampled_);
    mean_.resize(n_sampled_);
    square_.resize(n_sampled_);
}

void RuleSearch::update_probabilities() {
    for (Class c = 0; c < weights_.n_classes(); ++c) {
        for (std::size_t i = 0; i < n_sampled_; ++i) {
            if (sampled_rows_[i] == kNoRow) continue;
            probability_[c * n_sampled_ + i] =
                static_cast<float>(weights_.probability(sampled_rows_[i], c));
        }
    }
}

void RuleSearch::find_degrees(const Premise& premise) {
    std::fill(degree_.begin(), degree_.end(), 1.0f);
    for (const auto& [feature, terms] : premise) {
        const float* positions = &sampled_positions_[feature * n_sampled_];
        if (features_[feature].is_nominal) {
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

// How much a rule would improve the objective, were it given a weight: at least, as far as a
// parabola can tell. Negative for a rule that is not worth its penalty.
double RuleSearch::score(const Premise& premise) {
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
    const double slope = true_gain - sum(mean_lanes) - penalty_of(premise);
    const double curvature = sum(spread_lanes);
    if (slope <= 0) return slope;
    return slope <= kLongestWeight * curvature
               ? slope * slope / (2 * curvature)
               : kLongestWeight * slope - kLongestWeight * kLongestWeight / 2 * curvature;
}

// Candidates.

// The smallest condition around a value, each end opened with probability 1/2.
Condition RuleSearch::around(std::uint32_t feature, double position) {
    const auto [n_terms, is_nominal] = features_[feature];
    const auto nearest = static_cast<std::uint32_t>(position + 0.5);
    if (is_nominal) return {feature, Terms{1} << nearest};
    bool open_below = rng_.chance(0.5), open_above = rng_.chance(0.5);
    if (open_below && open_above) (rng_.chance(0.5) ? open_below : open_above) = false;
    std::uint32_t low = open_below ? 0 : nearest, high = open_above ? n_terms - 1 : nearest;
    if (low == 0 && high == n_terms - 1) (nearest == 0 ? high : low) = nearest;
    return {feature, run(low, high)};
}

// A rule for a training row, the likelier the less it is explained.
Premise RuleSearch::cover() {
    double total = 0;
    std::vector<double> reached(n_sampled_);
    for (Class c = 0; c < weights_.n_classes(); ++c) {
        for (std::size_t i = class_begin_[c]; i < class_begin_[c + 1]; ++i) {
            if (sampled_rows_[i] != kNoRow) {
                total += (1.001 - probability_[c * n_sampled_ + i]) * factor_[i];
            }
            reached[i] = total;
        }
    }
    const double drawn = rng_.uniform() * total;
    std::size_t i = 0;
    while (i + 1 < n_sampled_ && !(reached[i] > drawn)) ++i;
    const std::size_t row = sampled_rows_[i] == kNoRow ? 0 : sampled_rows_[i];
    Premise premise;
    const std::uint32_t most = std::min<std::uint32_t>(3, settings_.max_conditions);
    const std::uint32_t n_conditions = 1 + rng_.below(most);
    for (std::uint32_t k = 0; k < n_conditions; ++k) {
        const std::uint32_t feature = rng_.below(static_cast<std::uint32_t>(features_.size()));
        const double position = positions_[feature * labels_.size() + row];
        const bool is_used = std::any_of(premise.begin(), premise.end(),
                                         [&](const auto& c) { return c.feature == feature; });
        if (!is_used && !std::isnan(position)) premise.push_back(around(feature, position));
    }
    std::sort(premise.begin(), premise.end());
    return premise;
}

void RuleSearch::add_condition(Premise& premise) {
    const std::uint32_t feature = rng_.below(static_cast<std::uint32_t>(features_.size()));
    const bool is_used = std::any_of(premise.begin(), premise.end(),
                                     [&](const auto& c) { return c.feature == feature; });
    if (is_used) return;
    const auto term = static_cast<double>(rng_.below(features_[feature].n_terms));
    premise.push_back(around(feature, term));
    std::sort(premise.begin(), premise.end());
}

// Moves an end of a run, or lets a category in or out. False if nothing is asked any more.
bool RuleSearch::change(Condition& condition) {
    const auto [n_terms, is_nominal] = features_[condition.feature];
    Terms terms = condition.terms;
    if (is_nominal) {
        terms ^= Terms{1} << rng_.below(n_terms);
        if (terms == 0) return true;
    } else {
        std::uint32_t low = lowest(terms), high = highest(terms);
        const bool moves_low = rng_.chance(0.5), goes_up = rng_.chance(0.5);
        std::uint32_t& end = moves_low ? low : high;
        if (goes_up ? end == n_terms - 1 : end == 0) return true;
        end = goes_up ? end + 1 : end - 1;
        if (low > high) (moves_low ? high : low) = end;
        terms = run(low, high);
    }
    condition.terms = terms;
    return terms != every_term(n_terms);
}

void RuleSearch::edit(Premise& premise) {
    const int n_edits = rng_.chance(0.3) ? 2 : 1;
    for (int n = 0; n < n_edits; ++n) {
        const double kind = rng_.uniform();
        if (premise.empty() || (kind < 0.2 && premise.size() < settings_.max_conditions)) {
            add_condition(premise);
            continue;
        }
        const auto place = premise.begin() + rng_.below(static_cast<std::uint32_t>(premise.size()));
        const bool drops = kind >= 0.8 && premise.size() > 1;
        if (drops || !change(*place)) premise.erase(place);
    }
}

// Climbs meet again and again: about half of what they try has been tried in the same round.
double RuleSearch::known_score(const Premise& premise) {
    const auto [place, is_new] = known_.try_emplace(premise, 0.0);
    if (is_new) place->second = score(premise);
    return place->second;
}

RuleSearch::Candidate RuleSearch::climb(Premise premise) {
    constexpr double worthless = -std::numeric_limits<double>::infinity();
    Candidate best{premise, premise.empty() ? worthless : known_score(premise)};
    Premise tried;
    for (std::uint32_t n = 0; n < settings_.n_mutations; ++n) {
        tried = best.premise;
        edit(tried);
        if (tried.empty() || tried == best.premise) continue;
        const double found = known_score(tried);
        if (found > best.score) {
            best.score = found;
            std::swap(best.premise, tried);
        }
    }
    return best;
}

double RuleSearch::gain(const Premise& premise) {
    look_around();
    return score(premise);
}

// Brings the sample up to date.
void RuleSearch::look_around() {
    if (labels_.size() > settings_.sample_size) draw_sample();
    update_probabilities();
    known_.clear();
}

void RuleSearch::search() {
    look_around();
    std::vector<Candidate> candidates;
    for (std::uint32_t n = 0; n < settings_.n_climbs; ++n) {
        const bool mutates = 2 * n >= settings_.n_climbs && !rules_.empty();
        Premise start =
            mutates ? rules_[rng_.below(static_cast<std::uint32_t>(rules_.size()))] : cover();
        if (mutates) edit(start);
        candidates.push_back(climb(std::move(start)));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    std::uint32_t n_adopted = 0;
    for (const Candidate& candidate : candidates) {
        if (!(candidate.score > 0) || n_adopted == settings_.n_kept) break;
        const bool is_known =
            std::find(rules_.begin(), rules_.end(), candidate.premise) != rules_.end();
        if (is_known) continue;
        adopt(candidate.premise);
        ++n_adopted;
    }
    weights_.fit(kRoughTolerance, kRoughSteps);
    prune(0);
}

}  // namespace fuzzyucs
