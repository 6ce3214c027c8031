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

// A draw that belongs to a row's own values: the same alone, in any batch and in any order.
std::uint32_t draw(std::uint64_t seed, const double* x, std::size_t n_features, std::size_t n) {
    std::uint64_t hash = seed;
    for (std::size_t i = 0; i < n_features; ++i) {
        const double value = std::isnan(x[i]) ? -1.0 : x[i] + 0.0;
        hash = splitmix(hash) ^ std::bit_cast<std::uint64_t>(value);
    }
    return Rng(hash).below(static_cast<std::uint32_t>(n));
}

}  // namespace

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
Inference<Conditions, Missing>::Inference(Conditions matcher, Missing missing,
                                          std::size_t n_classes, const Rules& rules)
    : n_classes_(n_classes),
      matcher_(std::move(matcher)),
      missing_(std::move(missing)),
      dempster_shafer_(n_classes, rules.strength.size()),
      given_index_(rules.strength.size()) {
    std::iota(given_index_.begin(), given_index_.end(), 0u);
    std::stable_sort(given_index_.begin(), given_index_.end(), [&](auto a, auto b) {
        return DempsterShafer::whole_number(rules.strength[a]) >
               DempsterShafer::whole_number(rules.strength[b]);
    });
    auto code = matcher_.new_code();
    for (Slot slot = 0; slot < n_rules(); ++slot) {
        const std::size_t given = given_index_[slot];
        if (slot % kBlockSlots == 0) {
            matcher_.add_block();
            alive_.emplace_back();
        }
        const auto condition = rules.conditions.subspan(given * n_features(), n_features());
        matcher_.encode(condition, code);
        matcher_.assign(slot, condition, code);
        alive_.back().set(slot % kBlockSlots, true);
        fitness_.push_back(rules.fitness[given]);
        vote_.push_back(rules.fitness[given] * rules.strength[given]);
        consequent_.push_back(rules.consequent[given]);
        dempster_shafer_.add(rules.weights.subspan(given * n_classes, n_classes),
                             rules.strength[given], rules.ignorance[given]);
    }
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
Inference<Conditions, Missing>::Scratch::Scratch(const Inference& rules)
    : input(rules.matcher_.new_input()),
      product(rules.dempster_shafer_.n_columns()),
      expected(rules.dempster_shafer_.n_columns()),
      scores(rules.n_classes()) {
    matched.reserve(rules.n_rules());
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
void Inference<Conditions, Missing>::match(const double* x, Scratch& scratch) const {
    scratch.input.read(x);
    missing_.believe(x, scratch.beliefs);
    MatchedRules& matched = scratch.matched;
    Slot* slot = matched.slots.data();
    for (std::size_t block = 0; block < alive_.size(); ++block) {
        slot = list_slots(matcher_.match(scratch.input, block, alive_[block]), block, slot);
    }
    matched.end_at(slot);
    scratch.input.expect_matches(matched.size);
    matcher_.degrees(scratch.input, matched.in_use(), matched.degrees.data());
}

// The same, where a condition on a missing value holds as far as it is believed.
template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
void Inference<Conditions, Missing>::match_as_believed(const double* x, Scratch& scratch) const {
    match(x, scratch);
    if (scratch.beliefs.empty()) return;
    MatchedRules& matched = scratch.matched;
    for (std::size_t k = 0; k < matched.size; ++k) {
        const auto open = missing_.open(matcher_.condition(matched.slots[k]), scratch.beliefs);
        if (!open) continue;
        matched.degrees[k] *= missing_.probability(*open, scratch.beliefs);
    }
}

// Moves the rules that ask for missing values from the matched rules to the open rules.
template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
void Inference<Conditions, Missing>::set_open_rules_aside(Scratch& scratch) const {
    auto& open_rules = scratch.open_rules;
    open_rules.clear();
    if (scratch.beliefs.empty()) return;
    MatchedRules& matched = scratch.matched;
    const std::size_t n_matched = std::exchange(matched.size, 0);
    for (std::size_t k = 0; k < n_matched; ++k) {
        const Slot slot = matched.slots[k];
        const double degree = matched.degrees[k];
        if (const auto open = missing_.open(matcher_.condition(slot), scratch.beliefs)) {
            open_rules.push_back({slot, degree, *open});
        } else {
            matched.append(slot, degree);
        }
    }
    std::stable_sort(open_rules.begin(), open_rules.end(),
                     [](const OpenRule& a, const OpenRule& b) {
                         return a.condition.missing < b.condition.missing;
                     });
}

// The product of the rules that do not depend on missing values.
template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
void Inference<Conditions, Missing>::combine_closed_rules(const double* x, Scratch& scratch) const {
    match(x, scratch);
    set_open_rules_aside(scratch);
    dempster_shafer_.combine(scratch.matched, scratch.portions, scratch.product);
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
void Inference<Conditions, Missing>::combine(const double* x, std::span<const double> prior,
                                             Scratch& scratch) const {
    combine_closed_rules(x, scratch);
    const std::array products{OpenProduct{&scratch.product, prior}};
    scratch.open_rule_combiner.multiply(dempster_shafer_, scratch.open_rules, scratch.beliefs,
                                        products);
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
void Inference<Conditions, Missing>::log_commonalities(const double* x,
                                                       std::span<const double> prior, double* logs,
                                                       Scratch& scratch) const {
    combine(x, prior, scratch);
    scratch.product.write_logs(n_classes_, logs);
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
double Inference<Conditions, Missing>::masses(const double* x, double* masses,
                                              Scratch& scratch) const {
    combine(x, {}, scratch);
    return scratch.product.write_masses(n_classes_, masses);
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
Class Inference<Conditions, Missing>::dempster_shafer(const double* x, std::uint64_t seed,
                                                      std::span<const double> prior,
                                                      const Evidence& evidence,
                                                      Scratch& scratch) const {
    combine_closed_rules(x, scratch);
    const bool prior_matters = !prior.empty() && !scratch.open_rules.empty();
    if (prior_matters) scratch.expected = scratch.product;
    const std::array products{OpenProduct{&scratch.product, {}},
                              OpenProduct{&scratch.expected, prior}};
    scratch.open_rule_combiner.multiply(dempster_shafer_, scratch.open_rules, scratch.beliefs,
                                        std::span(products).first(prior_matters ? 2 : 1));
    *evidence.log_agreement = scratch.product.write_masses(n_classes_, evidence.masses);
    const Commonalities& reported = prior_matters ? scratch.expected : scratch.product;
    reported.write_logs(n_classes_, evidence.log_commonalities);
    scratch.product.find_greatest(n_classes_, scratch.best);
    return draw_best(x, seed, scratch);
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
Class Inference<Conditions, Missing>::stepwise(const double* x, std::uint64_t seed, double* masses,
                                               double* log_agreement, Scratch& scratch) const {
    match_as_believed(x, scratch);
    const MatchedRules& matched = scratch.matched;
    scratch.order.resize(matched.size);
    std::iota(scratch.order.begin(), scratch.order.end(), 0u);
    std::sort(scratch.order.begin(), scratch.order.end(), [&](auto a, auto b) {
        return given_index_[matched.slots[a]] < given_index_[matched.slots[b]];
    });
    *log_agreement = dempster_shafer_.combine_stepwise(matched, scratch.order, masses);
    find_greatest_keys(n_classes_, [&](Class c) { return masses[c]; }, scratch.best);
    return draw_best(x, seed, scratch);
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
void Inference<Conditions, Missing>::votes(const double* x, double* scores,
                                           Scratch& scratch) const {
    match_as_believed(x, scratch);
    std::fill(scores, scores + n_classes_, 0.0);
    const MatchedRules& matched = scratch.matched;
    for (std::size_t k = 0; k < matched.size; ++k) {
        const Slot slot = matched.slots[k];
        scores[consequent_[slot]] += matched.degrees[k] * vote_[slot];
    }
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
Class Inference<Conditions, Missing>::vote(const double* x, std::uint64_t seed, double* scores,
                                           Scratch& scratch) const {
    votes(x, scores, scratch);
    find_greatest_keys(n_classes_, [&](Class c) { return scores[c]; }, scratch.best);
    return draw_best(x, seed, scratch);
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
typename Inference<Conditions, Missing>::Winner Inference<Conditions, Missing>::winner(
    const double* x, std::uint64_t seed, Scratch& scratch) const {
    match_as_believed(x, scratch);
    const MatchedRules& matched = scratch.matched;
    auto& tied = scratch.tied;
    tied.clear();
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < matched.size; ++k) {
        const Slot slot = matched.slots[k];
        const double score = matched.degrees[k] * fitness_[slot];
        if (score < best) continue;
        if (score > best) tied.clear();
        best = score;
        const bool is_new_class = std::none_of(tied.begin(), tied.end(), [&](const Winner& other) {
            return other.consequent == consequent_[slot];
        });
        if (is_new_class)
            tied.push_back({given_index_[slot], consequent_[slot], matched.degrees[k]});
    }
    if (tied.empty()) return {-1, 0, 0};
    return tied.size() == 1 ? tied[0] : tied[draw(seed, x, n_features(), tied.size())];
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
typename Inference<Conditions, Missing>::Winner Inference<Conditions, Missing>::single_winner(
    const double* x, std::uint64_t seed, Scratch& scratch) const {
    Winner found = winner(x, seed, scratch);
    if (found.rule < 0) {
        scratch.best.resize(n_classes_);
        std::iota(scratch.best.begin(), scratch.best.end(), 0u);
        found.consequent = draw_best(x, seed, scratch);
    }
    return found;
}

// One of the best classes.
template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
Class Inference<Conditions, Missing>::draw_best(const double* x, std::uint64_t seed,
                                                const Scratch& scratch) const {
    const auto& best = scratch.best;
    return best.size() == 1 ? best[0] : best[draw(seed, x, n_features(), best.size())];
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
Class Inference<Conditions, Missing>::predict(const double* x, Scheme scheme, std::uint64_t seed,
                                              Scratch& scratch) const {
    if (scheme == Scheme::single_winner) return single_winner(x, seed, scratch).consequent;
    if (scheme == Scheme::vote) return vote(x, seed, scratch.scores.data(), scratch);
    combine(x, {}, scratch);
    scratch.product.find_greatest(n_classes_, scratch.best);
    return draw_best(x, seed, scratch);
}

template <Matcher Conditions, MissingValues<typename Conditions::Gene> Missing>
void Inference<Conditions, Missing>::membership(const double* x, double* degrees,
                                                Scratch& scratch) const {
    match_as_believed(x, scratch);
    std::fill(degrees, degrees + n_rules(), 0.0);
    for (std::size_t k = 0; k < scratch.matched.size; ++k) {
        degrees[given_index_[scratch.matched.slots[k]]] = scratch.matched.degrees[k];
    }
}

template class Inference<LinguisticMatcher, TermBeliefs>;
template class Inference<IntervalMatcher, NoBeliefs>;

}  // namespace fuzzyucs
