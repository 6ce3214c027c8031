#include "rule_growth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "natural_profile.h"
#include "terms.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kBeams = 3;           // features that a rule may begin with
constexpr std::size_t kMostConditions = 5;  // of a rule
constexpr double kStillGood = 0.8;          // share of its gain that a rule has to keep
constexpr std::size_t kImproveEvery = 8;    // rules
constexpr std::size_t kImproved = 24;       // variables at a time
constexpr double kFrequent = 0.7;           // share of rows with a code that is not counted

// The code that so many rows have, or kCodes.
std::size_t frequent_code(std::span<const std::uint8_t> column) {
    std::array<std::size_t, kCodes> counts{};
    for (const std::uint8_t code : column) ++counts[code];
    const auto most = std::ranges::max_element(counts);
    const bool is_frequent =
        static_cast<double>(*most) > kFrequent * static_cast<double>(column.size());
    return is_frequent ? static_cast<std::size_t>(most - counts.begin()) : kCodes;
}

}  // namespace

RuleGrowth::RuleGrowth(CodeTable table, const GrowthSettings& settings, std::size_t n_threads,
                       MaybeShared shared)
    : table_(std::move(table)),
      settings_(settings),
      constraints_(settings, table_.features),
      shared_(std::move(shared)),
      greatest_weight_(greatest_weight(table_.sample_weights, shared_)),
      workers_(n_threads),
      profiles_(table_.labels, table_.sample_weights, table_.n_classes, shared_),
      measure_({table_.n_classes}, settings.least_experience),
      counters_(workers_.size(), {ClassHistogram({table_.n_classes}), {}}) {
    profiles_.set_workers(&workers_);
    measure_.scale = greatest_weight_ / kUnit;
    measure_.order = settings_.class_order;
    if (measure_.order.empty()) {
        measure_.order.resize(n_classes());
        std::iota(measure_.order.begin(), measure_.order.end(), Class{0});
    }
    profiles_.set_order(measure_.order);
    const bool is_shared = has_others(shared_);
    beams_.resize(is_shared ? kBeams : 1);
    partners_.resize(n_features());
    std::iota(partners_.begin(), partners_.end(), 0u);
    if (is_shared) {
        const auto n = std::min<std::size_t>(n_features(), settings_.most_partners);
        histograms_.resize(std::max(kBeams * n, n_features()), ClassHistogram({table_.n_classes}));
    }
    for (std::size_t f = 0; f < n_features(); ++f) {
        frequent_.push_back(frequent_code({table_.column(f), table_.n_rows()}));
    }
    for (const CodedFeature& feature : table_.features) {
        units_.emplace_back(feature.n_terms);
        std::iota(units_.back().begin(), units_.back().end(), 0u);
        groups_.push_back({std::vector<std::uint32_t>(feature.n_terms), 1});
    }
}

void RuleGrowth::set_penalty(double penalty) {
    penalty_ = penalty;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        profiles_.set_penalty(k, price(rules_[k].size()));
    }
}

void RuleGrowth::read_states() {
    states_.read(table_, profiles_, greatest_weight_, workers_);
    unknown_ = states_.sums(workers_);
    if (!has_others(shared_)) know_all();  // or else with the next message
}

// Sums over all rows are those of all machines now.
void RuleGrowth::know_all() {
    if (unknown_.empty()) return;
    measure_.all.clear();
    for (const Sum sum : unknown_) {
        measure_.all.push_back(static_cast<double>(sum) * measure_.scale);
    }
    unknown_.clear();
}

// Sums over rows, those of other machines included.
std::vector<Sum> RuleGrowth::all_sums(const RowStates& states) {
    auto sums = states.sums(workers_);
    combine(shared_, {sums, unknown_});
    know_all();
    return sums;
}

// The degree to which a value of each code meets a condition; a missing one as often as others do.
RuleGrowth::Degrees RuleGrowth::degrees_of(const CodedCondition& condition) const {
    const auto& [n_terms, is_nominal, steps, shares] = table_.features[condition.feature];
    Degrees degrees{};
    for (std::uint32_t t = 0; t < n_terms; ++t) {
        if (!condition.terms.contains(t)) continue;
        const std::uint32_t peak = t * (is_nominal ? 1 : steps);
        degrees[peak] = kFullDegree;
        if (is_nominal) continue;
        for (std::uint32_t away = 1; away < steps; ++away) {
            const auto part =
                static_cast<std::uint16_t>(((steps - away) * kFullDegree + steps / 2) / steps);
            for (const bool is_below : {true, false}) {
                if (is_below ? t == 0 : t + 1 == n_terms) continue;
                std::uint16_t& degree = degrees[is_below ? peak - away : peak + away];
                // The two terms around a value make up the whole.
                const bool is_between = condition.terms.contains(is_below ? t - 1 : t + 1);
                degree = is_between ? static_cast<std::uint16_t>(kFullDegree) : part;
            }
        }
    }
    degrees[kMissingCode] =
        static_cast<std::uint16_t>(std::lrint(share_of(condition) * kFullDegree));
    return degrees;
}

// New rules, the best first.
std::vector<RuleGrowth::Candidate> RuleGrowth::candidates() {
    std::vector<Candidate> starts, found;
    constraints_.note(rules_);
    const Question root = question(states_, price(1));
    const auto conditions = answers({&root, 1}).front();
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        const std::uint32_t f = root.features[i];
        const auto& [terms, gained] = conditions[i];
        const double gain = gained - fee(f);
        if (gain > 0) starts.push_back({{{f, terms}}, gain});
    }
    const auto gains_more = [](const auto& a, const auto& b) { return a.gain > b.gain; };
    std::stable_sort(starts.begin(), starts.end(), gains_more);
    // As many at a time as there is memory for.
    for (auto rest = std::span(starts); !rest.empty() && found.size() < kBeams;) {
        const std::size_t n = std::min({beams_.size(), kBeams - found.size(), rest.size()});
        extend(rest.first(n));
        polish(rest.first(n));
        for (Candidate& candidate : rest.first(n)) {
            std::sort(candidate.premise.begin(), candidate.premise.end());
            const auto is_same = [&](const Candidate& c) { return c.premise == candidate.premise; };
            if (known_.contains(candidate.premise) || std::ranges::any_of(found, is_same)) continue;
            found.push_back(std::move(candidate));
        }
        rest = rest.subspan(n);
    }
    std::stable_sort(found.begin(), found.end(), gains_more);
    return found;
}

// How much a rule gains with the present profiles, by sums over what it matches.
double RuleGrowth::gain(const CodedPremise& premise, std::span<const Sum> matched) const {
    std::vector<double> own, probability, spread;
    std::vector<std::uint32_t> kept;
    const auto value = [&](std::size_t i) {
        return static_cast<double>(matched[i]) * measure_.scale;
    };
    for (std::uint32_t c = 0; c < measure_.layout().n_kept(); ++c) {
        kept.push_back(c);
        own.push_back(value(SumLayout::own(c)));
        probability.push_back(value(SumLayout::probability(c)));
        spread.push_back(value(SumLayout::spread(c)));
    }
    return measure_.gain({value(0), own.data(), probability.data(), spread.data()}, kept,
                         price(premise.size()), constraints_.sign_of(premise)) -
           fee(premise);
}

// Adds the best condition on another feature while that gains something.
void RuleGrowth::extend(std::span<Candidate> candidates) {
    const std::size_t most = std::min<std::size_t>(settings_.max_conditions, kMostConditions);
    std::vector<std::size_t> open(candidates.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    std::vector<const RowStates*> matched(candidates.size(), &states_);
    while (true) {
        std::erase_if(open, [&](std::size_t i) { return candidates[i].premise.size() >= most; });
        if (open.empty()) return;
        std::vector<Question> questions;
        for (const std::size_t i : open) {
            const CodedPremise& premise = candidates[i].premise;
            matched[i] = &restricted(*matched[i], premise.back(), beams_[i]);
            questions.push_back(question(*matched[i], candidates[i]));
        }
        const auto found = answers(questions);
        std::vector<std::size_t> extended;
        for (std::size_t q = 0; q < open.size(); ++q) {
            auto& [premise, gain] = candidates[open[q]];
            Candidate best{{}, questions[q].least};
            const double paid = fee(premise);
            for (std::size_t i = 0; i < found[q].size(); ++i) {
                const std::uint32_t f = questions[q].features[i];
                const double gained = found[q][i].gain - (paid + fee(f));
                if (gained > best.gain) best = {{{f, found[q][i].terms}}, gained};
            }
            if (best.premise.empty()) continue;
            premise.push_back(best.premise.front());
            gain = best.gain;
            extended.push_back(open[q]);
        }
        open = std::move(extended);
    }
}

// Changes each condition to the best one beside the others.
void RuleGrowth::polish(std::span<Candidate> candidates) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].premise.size() > 1) open.push_back(i);
    }
    // Rows that meet the conditions so far.
    std::vector<const RowStates*> before(candidates.size(), &states_);
    for (std::size_t place = 0; !open.empty(); ++place) {
        std::vector<Question> questions;
        for (const std::size_t i : open) {
            const CodedPremise& premise = candidates[i].premise;
            const RowStates* others = before[i];
            for (std::size_t j = place + 1; j < premise.size(); ++j) {
                others = &restricted(*others, premise[j], beams_[i]);
            }
            questions.push_back({others,
                                 {premise[place].feature},
                                 price(premise.size()),
                                 0,
                                 constraints_.sign_of(premise, place)});
        }
        const auto found = answers(questions);
        for (std::size_t q = 0; q < open.size(); ++q) {
            auto& [premise, gain] = candidates[open[q]];
            const double gained = found[q].front().gain - fee(premise);
            if (gained > gain) {
                premise[place].terms = found[q].front().terms;
                gain = gained;
            }
            if (place + 1 < premise.size()) {
                RowStates& next = beams_[open[q]].polished[place % 2];
                restrict(*before[open[q]], premise[place], next);
                before[open[q]] = &next;
            }
        }
        std::erase_if(open,
                      [&](std::size_t i) { return place + 1 >= candidates[i].premise.size(); });
    }
}

// A model has room for so many groups of terms of a feature. False if there is none for the
// conditions of a premise: from then on, conditions on that feature consist of whole groups.
bool RuleGrowth::make_room(const CodedPremise& premise) {
    std::vector<Groups> refined;
    for (const auto& [feature, terms] : premise) {
        const Groups& groups = groups_[feature];
        Groups& next = refined.emplace_back();
        next.n = 0;
        std::map<std::pair<std::uint32_t, bool>, std::uint32_t> numbers;
        for (std::uint32_t t = 0; t < groups.of_term.size(); ++t) {
            const std::pair key(groups.of_term[t], terms.contains(t));
            if (!table_.features[feature].is_nominal && t > 0 &&
                key != std::pair(groups.of_term[t - 1], terms.contains(t - 1))) {
                numbers.erase(key);  // groups of an ordered feature are runs
            }
            const auto [found, is_new] = numbers.emplace(key, static_cast<std::uint32_t>(next.n));
            if (is_new) ++next.n;
            next.of_term.push_back(found->second);
        }
        // Conditions on ordered features are runs, for which there is always room.
        if (table_.features[feature].is_nominal && next.n > kMaxTerms) {
            units_[feature] = groups.of_term;
            return false;
        }
    }
    for (std::size_t i = 0; i < premise.size(); ++i) {
        groups_[premise[i].feature] = std::move(refined[i]);
    }
    return true;
}

// The degree at which a rule is neutral, from sums over what it matches.
double RuleGrowth::neutral_degree_of(std::span<const Sum> sums) const {
    const SumLayout& layout = measure_.layout();
    std::vector<double> own, all;
    for (std::size_t c = 0; c < layout.n_kept(); ++c) {
        own.push_back(static_cast<double>(sums[SumLayout::own(c)]) * measure_.scale);
        all.push_back(measure_.all[SumLayout::own(c)]);
    }
    if (n_classes() == 2) {  // the second alone is kept
        own.push_back(static_cast<double>(sums[0]) * measure_.scale - own[0]);
        all.push_back(measure_.all[0] - all[0]);
    }
    return neutral_degree(own, all);
}

// How probable it is that a value meets a condition.
double RuleGrowth::share_of(const CodedCondition& condition) const {
    const auto& shares = table_.features[condition.feature].shares;
    double share = 0;
    for (std::uint32_t t = 0; t < shares.size(); ++t) {
        if (condition.terms.contains(t)) share += shares[t];
    }
    return std::min(share, 1.0);
}

// The rows that match a rule, with a column of codes for each feature. A rule of which nothing is
// known is neutral; what is known makes it so many times more or less probable.
const RuleGrowth::Matches& RuleGrowth::matches(const CodedPremise& premise, double neutral,
                                               const std::uint8_t* codes, std::size_t n) const {
    struct Truth {
        const std::uint8_t* column;
        double share;
        std::array<double, kCodes> known;
    };
    struct Match {
        std::uint32_t row;
        bool is_open;  // a value is missing
        double degree, share;
    };
    std::vector<Truth> truths;
    double by_chance = 1;
    for (const CodedCondition& condition : premise) {
        Truth& truth = truths.emplace_back();
        truth.column = codes + condition.feature * n;
        truth.share = share_of(condition);
        const Degrees degrees = degrees_of(condition);
        for (std::size_t i = 0; i < kCodes; ++i) truth.known[i] = degrees[i] * (1.0 / kFullDegree);
        truth.known[kMissingCode] = 1;
        by_chance *= truth.share;
    }
    const double together = neutral / std::max(by_chance, std::numeric_limits<double>::min());
    Matches& found = found_;
    found.rows.clear();
    found.degrees.clear();
    std::array<Match, 1024> block;  // so small that it stays near
    for (std::size_t first = 0; first < n; first += block.size()) {
        std::size_t n_left = std::min(block.size(), n - first);
        for (std::size_t i = 0; i < n_left; ++i) {
            block[i] = {static_cast<std::uint32_t>(first + i), false, 1, 1};
        }
        for (const auto& [column, share, known] : truths) {
            std::size_t n_found = 0;
            for (std::size_t i = 0; i < n_left; ++i) {
                Match match = block[i];
                const std::uint8_t code = column[match.row];
                const bool is_missing = code == kMissingCode;
                match.degree *= known[code];
                match.share *= is_missing ? share : 1.0;
                match.is_open |= is_missing;
                block[n_found] = match;
                n_found += match.degree > 0;
            }
            n_left = n_found;
        }
        for (std::size_t i = 0; i < n_left; ++i) {
            const auto [row, is_open, known, share] = block[i];
            const double degree = is_open ? known * std::min(1.0, together * share) : known;
            if (!(degree > 0)) continue;
            found.rows.push_back(row);
            found.degrees.push_back(degree);
        }
    }
    return found;
}

// Adds a rule; returns the rows that it matches.
RuleGrowth::Matches RuleGrowth::adopt(const CodedPremise& premise, double neutral) {
    rules_.push_back(premise);
    return matches(premise, neutral, table_.codes.data(), table_.n_rows());
}

// A rule that was found beside the best is taken, too, if it gains nearly as much afterwards.
std::size_t RuleGrowth::grow(std::size_t most) {
    std::size_t n = 0;
    read_states();
    choose_partners();
    while (n < most) {
        const auto found = candidates();
        if (found.empty()) break;
        for (std::size_t i = 0; i < found.size() && n < most; ++i) {
            const auto& [premise, expected] = found[i];
            const auto matched = all_sums(restricted(premise));
            if (i > 0 && gain(premise, matched) < kStillGood * expected) continue;
            known_.insert(premise);
            if (!make_room(premise)) continue;
            const double neutral = neutral_degree_of(matched);
            auto [rows, degrees] = adopt(premise, neutral);
            profiles_.add_and_start({std::move(rows), std::move(degrees), neutral,
                                     price(premise.size()), constraints_.sign_of(premise)});
            constraints_.note(rules_);
            if (++n % kImproveEvery == 0 && !has_many_classes()) profiles_.improve(kImproved);
            if (n < most) read_states();
        }
    }
    return n;
}

GrowthState RuleGrowth::state() const {
    GrowthState state{rules_,  {},     {},      {}, {known_.begin(), known_.end()},
                      groups_, units_, penalty_};
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        state.neutral.push_back(profiles_.neutral(k));
        state.strengths.push_back(profiles_.strength(k));
        const auto adjustment = profiles_.adjustment(k);
        state.adjustments.insert(state.adjustments.end(), adjustment.begin(), adjustment.end());
    }
    return state;
}

void RuleGrowth::go_on_from(const GrowthState& state) {
    penalty_ = state.penalty;
    groups_ = state.groups;
    units_ = state.units;
    known_.insert(state.known.begin(), state.known.end());
    std::vector<ClassProfiles::NewRule> rules;
    for (std::size_t k = 0; k < state.rules.size(); ++k) {
        auto [rows, degrees] = adopt(state.rules[k], state.neutral[k]);
        rules.push_back({std::move(rows), std::move(degrees), state.neutral[k],
                         price(state.rules[k].size()), constraints_.sign_of(state.rules[k])});
    }
    profiles_.add(std::move(rules));
    profiles_.go_on_with(state.strengths, state.adjustments);
}

std::vector<double> RuleGrowth::scores(const std::uint8_t* codes, std::size_t n) const {
    const auto& shares = profiles_.log_shares();
    std::vector<double> scores(n * n_classes());
    std::vector<double> base(shares.begin(), shares.end());
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        const auto profile = profiles_.profile(k);
        for (std::size_t c = 0; c < n_classes(); ++c) base[c] -= profiles_.neutral(k) * profile[c];
    }
    for (std::size_t r = 0; r < n; ++r) {
        std::copy(base.begin(), base.end(), &scores[r * n_classes()]);
    }
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        const auto& [rows, degrees] = matches(rules_[k], profiles_.neutral(k), codes, n);
        const auto profile = profiles_.profile(k);
        std::vector<std::size_t> said;  // classes that the rule speaks about
        for (std::size_t c = 0; c < n_classes(); ++c) {
            if (profile[c] != 0) said.push_back(c);
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            double* row = &scores[rows[i] * n_classes()];
            for (const std::size_t c : said) row[c] += degrees[i] * profile[c];
        }
    }
    return scores;
}

bool RuleGrowth::settle(double tolerance, std::size_t most_sweeps, double relaxed) {
    if (rules_.empty()) return true;
    const bool is_settled = profiles_.fit(tolerance, most_sweeps);
    const auto kept = profiles_.prune();
    for (std::size_t k = 0; k < kept.size(); ++k) {
        if (kept[k] != k) rules_[k] = std::move(rules_[kept[k]]);
    }
    rules_.resize(kept.size());
    if (relaxed == 1) return is_settled;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        profiles_.set_penalty(k, relaxed * price(rules_[k].size()));
    }
    try {
        const bool is_done = profiles_.fit(tolerance, most_sweeps);
        set_penalty(penalty_);
        return is_done;
    } catch (...) {
        set_penalty(penalty_);
        throw;
    }
}

}  // namespace fuzzyucs
