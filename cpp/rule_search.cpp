#include "rule_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fuzzyucs {

namespace {

constexpr double kRoughTolerance = 0.1;
constexpr std::size_t kRoughSteps = 2;

bool asks_for(const Premise& premise, std::uint32_t feature) {
    return std::any_of(premise.begin(), premise.end(),
                       [&](const Condition& c) { return c.feature == feature; });
}

}  // namespace

RuleSearch::RuleSearch(SearchTable table, const SearchSettings& settings, std::uint64_t seed)
    : table_(std::move(table)),
      settings_(settings),
      profiles_(table_.labels, table_.sample_weights, table_.n_classes),
      sample_(table_, settings),
      rng_(seed) {}

double RuleSearch::penalty_of(const Premise& premise) const {
    return penalty_ * (1 + settings_.condition_cost * static_cast<double>(premise.size()));
}

// The degree to which a condition holds in a row, or is expected to if the value is missing.
double RuleSearch::degree(const Condition& condition, std::size_t row) const {
    const auto [feature, terms] = condition;
    const double x = table_.position(feature, row);
    const auto [n_terms, is_nominal] = table_.features[feature];
    if (std::isnan(x)) {
        const Gaps& gaps = table_.gaps[feature];
        const auto found = std::lower_bound(gaps.rows.begin(), gaps.rows.end(), row);
        const auto index = static_cast<std::size_t>(found - gaps.rows.begin());
        return accepted_share(&gaps.probability[index * n_terms], terms);
    }
    if (is_nominal) return (terms >> static_cast<std::uint32_t>(x)) & 1;
    const double rising = x - lowest(terms) + 1, falling = highest(terms) + 1.0 - x;
    return std::clamp(std::min(rising, falling), 0.0, 1.0);
}

// The mean degree is that of the rows without missing values. Where values are missing, it tells
// how much more often than by chance the conditions hold together.
void RuleSearch::adopt(const Premise& premise) {
    const std::size_t n = table_.n_rows();
    std::vector<double> known(n, 1.0), fit(n, 1.0);
    std::vector<bool> is_open(n);
    double sum = 0, total = 0;
    for (std::size_t r = 0; r < n; ++r) {
        for (const Condition& condition : premise) {
            const bool is_missing = std::isnan(table_.position(condition.feature, r));
            (is_missing ? fit : known)[r] *= degree(condition, r);
            if (is_missing) is_open[r] = true;
        }
        if (is_open[r]) continue;
        sum += table_.sample_weights[r] * known[r];
        total += table_.sample_weights[r];
    }
    const double by_chance = expected_degree(table_, premise);
    const double mean = total > 0 ? sum / total : by_chance;
    for (std::size_t r = 0; r < n; ++r) {
        if (is_open[r]) known[r] *= std::min(1.0, mean / by_chance * fit[r]);
    }
    profiles_.add(known, mean, penalty_of(premise));
    rules_.push_back(premise);
}

// Drops the rules that say nothing.
void RuleSearch::prune() {
    std::vector<Premise> kept;
    for (const std::size_t k : profiles_.prune()) kept.push_back(std::move(rules_[k]));
    rules_ = std::move(kept);
}

void RuleSearch::set_penalty(double penalty) {
    penalty_ = penalty;
    for (std::size_t k = 0; k < rules_.size(); ++k) profiles_.set_penalty(k, penalty_of(rules_[k]));
}

bool RuleSearch::settle(double tolerance, std::size_t most_sweeps, double relaxed) {
    profiles_.fit(tolerance, most_sweeps);
    prune();
    const double penalty = penalty_;
    set_penalty(penalty * relaxed);
    const bool done = profiles_.fit(tolerance, most_sweeps);
    prune();
    set_penalty(penalty);
    return done;
}

// Candidates.

// The smallest condition around a value, each end opened with probability 1/2.
Condition RuleSearch::around(std::uint32_t feature, double position) {
    const auto [n_terms, is_nominal] = table_.features[feature];
    const auto nearest = static_cast<std::uint32_t>(position + 0.5);
    if (is_nominal) return {feature, Terms{1} << nearest};
    bool open_below = rng_.chance(0.5), open_above = rng_.chance(0.5);
    if (open_below && open_above) (rng_.chance(0.5) ? open_below : open_above) = false;
    std::uint32_t low = open_below ? 0 : nearest, high = open_above ? n_terms - 1 : nearest;
    if (low == 0 && high == n_terms - 1) (nearest == 0 ? high : low) = nearest;
    return {feature, run(low, high)};
}

// A rule for a row with a large error. Empty if the row has no value that was asked for.
Premise RuleSearch::cover() {
    Premise premise;
    const auto row = sample_.draw_row(rng_);
    if (!row) return premise;
    const std::uint32_t most = std::min<std::uint32_t>(3, settings_.max_conditions);
    const std::uint32_t n_conditions = 1 + rng_.below(most);
    for (std::uint32_t k = 0; k < n_conditions; ++k) {
        const std::uint32_t feature = rng_.below(static_cast<std::uint32_t>(n_features()));
        const double position = table_.position(feature, *row);
        if (!asks_for(premise, feature) && !std::isnan(position)) {
            premise.push_back(around(feature, position));
        }
    }
    std::sort(premise.begin(), premise.end());
    return premise;
}

void RuleSearch::add_condition(Premise& premise) {
    const std::uint32_t feature = rng_.below(static_cast<std::uint32_t>(n_features()));
    if (asks_for(premise, feature)) return;
    const auto term = static_cast<double>(rng_.below(table_.features[feature].n_terms));
    premise.push_back(around(feature, term));
    std::sort(premise.begin(), premise.end());
}

// Moves an end of a run, or adds or removes a category. False if the condition accepts every term
// now.
bool RuleSearch::change(Condition& condition) {
    const auto [n_terms, is_nominal] = table_.features[condition.feature];
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
        const auto edited =
            premise.begin() + rng_.below(static_cast<std::uint32_t>(premise.size()));
        const bool drops = kind >= 0.8 && premise.size() > 1;
        if (drops || !change(*edited)) premise.erase(edited);
    }
}

// Climbs often try the same: about half of the candidates have been scored in the same round.
double RuleSearch::known_score(const Premise& premise) {
    const auto [entry, is_new] = known_.try_emplace(premise, 0.0);
    if (is_new) entry->second = sample_.score(premise, penalty_of(premise));
    return entry->second;
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
    update_sample();
    return sample_.score(premise, penalty_of(premise));
}

void RuleSearch::update_sample() {
    sample_.update(profiles_, rng_);
    known_.clear();
}

void RuleSearch::search() {
    update_sample();
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
    profiles_.fit(kRoughTolerance, kRoughSteps);
    prune();
}

}  // namespace fuzzyucs
