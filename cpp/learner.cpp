#include "learner.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "portable_math.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kMostNewRules = 3;  // of a step: one that covers, and two children
constexpr double kMostFilled = 0.85;      // share of slots with rules below which gaps are closed

}  // namespace

template <Representation Conditions, RulePolicy Policy>
Learner<Conditions, Policy>::Learner(Conditions representation, std::size_t n_classes,
                                     const Settings& settings, Rng rng)
    : settings_(settings),
      representation_(std::move(representation)),
      population_(n_classes, settings),
      input_(representation_.new_input()),
      rng_(rng),
      matches_everything_(!Policy::kOwnsClass && settings.as_published &&
                          !settings.membership_experience),
      tournament_(settings.tournament_fraction),
      code_(representation_.new_code()),
      class_row_(n_classes) {
    for (auto& child : children_) child.resize(representation_.n_features());
}

template <Representation Conditions, RulePolicy Policy>
std::span<const std::uint32_t> Learner<Conditions, Policy>::draw_order(std::size_t n_rows) {
    if (settings_.as_published && order_.size() == n_rows) return order_;
    order_.resize(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) order_[i] = static_cast<std::uint32_t>(i);
    rng_.shuffle(std::span(order_));
    return order_;
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::step(const double* x, Class y) {
    prepare_step();
    input_.read(x);
    form_match_set(y);
    learn_from_match_set(y);
}

// Makes room for new rules before rules that match are listed by their slots.
template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::prepare_step() {
    slot_changes_.moved.clear();
    slot_changes_.inserted.clear();
    make_room(kMostNewRules);
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::step_matched(Class y) {
    divide_match_set(y);
    learn_from_match_set(y);
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::learn_from_match_set(Class y) {
    has_match_ = false;
    if (needs_covering()) cover(y);
    update(y);
    if (settings_.correct_set_subsumption) subsume_correct_set();
    if (is_ga_due() && find_parents()) evolve();
    ++time_;
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::restore(std::span<const Gene> condition, const Rule& rule,
                                          std::span<const double> class_row) {
    has_match_ = false;
    make_room(1);
    representation_.encode(condition, code_);
    insert(condition, rule, class_row);
}

// Rules keep the order of their age: slots of deleted rules stay empty until there is no room left
// behind the youngest rule. Then gaps are closed if they are many, so that it happens seldom.
template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::make_room(std::size_t n_rules) {
    if (population_.room() >= n_rules) return;
    if (static_cast<double>(population_.n_rules()) >=
        kMostFilled * static_cast<double>(population_.n_slots())) {
        population_.add_block();
        representation_.add_block();
        return;
    }
    const GapCloser gaps(population_.alive());
    population_.close_gaps(gaps);
    representation_.close_gaps(gaps);
    if (notes_slot_changes_) slot_changes_.moved.assign(gaps.runs().begin(), gaps.runs().end());
}

// Inlined: the plane stays in registers.
template <Representation Conditions, RulePolicy Policy>
[[gnu::always_inline]] inline Plane Learner<Conditions, Policy>::match_block(
    std::size_t block) const {
    if (matches_everything_) [[unlikely]]
        return population_.alive()[block];
    return representation_.match(input_, block, population_.alive()[block]);
}

template <Representation Conditions, RulePolicy Policy>
const MatchedRules& Learner<Conditions, Policy>::match(const double* x) {
    prepare_step();
    input_.read(x);
    reserve_sets();
    Slot* end = all_.slots.data();
    for (std::size_t block = 0; block < matched_.size(); ++block) {
        matched_[block] = match_block(block);
        end = list_slots(matched_[block], block, end);
    }
    all_.end_at(end);
    input_.expect_matches(all_.size);
    find_degrees(all_);
    has_match_ = true;
    return all_;
}

// Lists the rules that match and have more than some experience.
template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::match_experienced(const double* x, double least_experience) {
    has_match_ = false;
    input_.read(x);
    reserve_sets();
    Slot* end = others_.slots.data();
    for (std::size_t block = 0; block < matched_.size(); ++block) {
        end = list_slots(match_block(block), block, end);
    }
    end = std::remove_if(others_.slots.data(), end, [&](Slot slot) {
        return !(population_[slot].experience > least_experience);
    });
    others_.end_at(end);
    input_.expect_matches(others_.size);
    find_degrees(others_);
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::votes(const double* x, double least_experience, double* scores) {
    match_experienced(x, least_experience);
    std::fill_n(scores, population_.n_classes(), 0.0);
    for (std::size_t k = 0; k < others_.size; ++k) {
        const Rule& rule = population_[others_.slots[k]];
        const double vote = population_.policy().fitness(rule) * rule.numerosity;
        scores[rule.consequent] += others_.degrees[k] * vote;
    }
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::log_commonalities(const double* x, double least_experience,
                                                    double* logs) {
    match_experienced(x, least_experience);
    const std::size_t n_classes = population_.n_classes();
    std::fill_n(logs, n_classes + 1, 0.0);
    for (std::size_t k = 0; k < others_.size; ++k) {
        const Slot slot = others_.slots[k];
        const double degree = others_.degrees[k], rest = 1 - degree;
        const double numerosity = population_[slot].numerosity;
        population_.write_weights(slot, class_row_.data());
        for (std::size_t c = 0; c <= n_classes; ++c) {
            const double weight = c < n_classes ? class_row_[c] : 0;
            const double factor = rest + degree * weight;
            logs[c] += factor > 0 ? numerosity * portable_log(factor)
                                  : -std::numeric_limits<double>::infinity();
        }
    }
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::condense() {
    has_match_ = false;
    const auto n_slots = static_cast<Slot>(population_.alive().size() * kBlockSlots);
    for (Slot subsumer = 0; settings_.correct_set_subsumption && subsumer < n_slots; ++subsumer) {
        if (!population_.is_alive(subsumer)) continue;
        if (!population_.may_subsume(population_[subsumer])) continue;
        for (Slot slot = 0; slot < n_slots; ++slot) {
            if (!population_.is_alive(slot)) continue;
            if (population_[slot].consequent != population_[subsumer].consequent) continue;
            if (is_more_general(subsumer, slot)) absorb(subsumer, slot);
        }
    }
    while (population_.n_micro_rules() > settings_.population_size) population_.delete_one(rng_);
}

// `code_` holds the encoded condition.
template <Representation Conditions, RulePolicy Policy>
Slot Learner<Conditions, Policy>::insert(std::span<const Gene> condition, const Rule& rule,
                                         std::span<const double> class_row) {
    const Slot slot = population_.insert(rule, class_row);
    if (notes_slot_changes_) slot_changes_.inserted.push_back(slot);
    representation_.assign(slot, condition, code_);
    return slot;
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::reserve_sets() {
    const std::size_t n_blocks = population_.n_blocks_in_use();
    if (matched_.size() == n_blocks) return;
    matched_.resize(n_blocks);
    const std::size_t n_slots = population_.n_slots();
    all_.reserve(n_slots);
    correct_.reserve(n_slots);
    others_.reserve(n_slots);
    subsumers_.resize(n_slots);
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::find_degrees(MatchedRules& rules) const {
    if (matches_everything_) return;  // all are 1
    representation_.degrees(input_, rules.in_use(), rules.degrees.data());
}

// [M] as its two halves: the correct set [C] and the rules of other classes, the oldest first.
template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::form_match_set(Class y) {
    reserve_sets();
    Slot* correct = correct_.slots.data();
    Slot* other = others_.slots.data();
    for (std::size_t block = 0; block < matched_.size(); ++block) {
        matched_[block] = match_block(block);
        Plane half = matched_[block];
        half.intersect(population_.of_class(block, y));
        correct = list_slots(half, block, correct);
        half = matched_[block];
        half.subtract(population_.of_class(block, y));
        other = list_slots(half, block, other);
    }
    correct_.end_at(correct);
    others_.end_at(other);
    input_.expect_matches(correct_.size + others_.size);
    find_degrees(correct_);
    find_degrees(others_);
}

// The same halves of what match() has found.
template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::divide_match_set(Class y) {
    correct_.size = others_.size = 0;
    for (std::size_t k = 0; k < all_.size; ++k) {
        const Slot slot = all_.slots[k];
        const bool is_correct = population_[slot].consequent == y;
        (is_correct ? correct_ : others_).append(slot, all_.degrees[k]);
    }
}

template <Representation Conditions, RulePolicy Policy>
bool Learner<Conditions, Policy>::needs_covering() const {
    double sum = 0;
    for (std::size_t k = 0; k < correct_.size; ++k) {
        sum += correct_.degrees[k];
        if (sum >= 1) return false;
    }
    return true;
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::cover(Class y) {
    representation_.cover(input_, children_[0], settings_.dont_care_rate, rng_);
    std::fill(class_row_.begin(), class_row_.end(), 0.0);
    class_row_[y] = 1;
    Rule rule = population_.policy().covering_rule();
    rule.time_stamp = time_;
    rule.consequent = y;
    representation_.encode(children_[0], code_);
    const Slot slot = insert(children_[0], rule, class_row_);
    reserve_sets();
    matched_[slot / kBlockSlots].set(slot % kBlockSlots, true);
    correct_.append(slot, 1);
    ++events_.covered;
    const Slot deleted = delete_if_crowded();
    if (deleted != kNoSlot) {
        matched_[deleted / kBlockSlots].set(deleted % kBlockSlots, false);
        correct_.erase(deleted);
        others_.erase(deleted);
    }
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::update(Class y) {
    for (std::size_t block = 0; block < matched_.size(); ++block) {
        population_.touch(block, matched_[block]);
    }
    set_size_ = 0;
    stamp_total_ = 0;
    for (std::size_t k = 0; k < correct_.size; ++k) {
        const Rule& rule = population_[correct_.slots[k]];
        set_size_ += rule.numerosity;
        stamp_total_ += rule.numerosity * rule.time_stamp;
    }
    const auto set_size = static_cast<double>(set_size_);
    n_subsumers_ = 0;
    for (std::size_t k = 0; k < correct_.size; ++k) {
        const Slot slot = correct_.slots[k];
        const Rule& rule = population_.update_correct(slot, correct_.degrees[k], set_size);
        subsumers_[n_subsumers_] = slot;
        n_subsumers_ += population_.seems_subsumer(rule);
    }
    for (std::size_t k = 0; k < others_.size; ++k) {
        population_.update_other(others_.slots[k], others_.degrees[k], y);
    }
}

// The most general accurate rule of [C] absorbs the rules it is strictly more general than. As
// published, the set is changed while it is walked: the rule after an absorbed one is left out.
template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::subsume_correct_set() {
    Slot subsumer = kNoSlot;
    for (std::size_t k = 0; k < n_subsumers_; ++k) {
        const Slot slot = subsumers_[k];
        if (population_.may_subsume(population_[slot]) &&
            (subsumer == kNoSlot || is_more_general(slot, subsumer))) {
            subsumer = slot;
        }
    }
    if (subsumer == kNoSlot) return;
    for (std::size_t k = 0; k < correct_.size;) {
        const Slot slot = correct_.slots[k];
        if (is_more_general(subsumer, slot)) {
            absorb(subsumer, slot);
            if (settings_.as_published) ++k;
        } else {
            ++k;
        }
    }
}

template <Representation Conditions, RulePolicy Policy>
bool Learner<Conditions, Policy>::is_more_general(Slot general, Slot specific) const {
    return representation_.strictly_more_general(general, specific);
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::absorb(Slot subsumer, Slot absorbed) {
    const auto numerosity = static_cast<std::int32_t>(population_[absorbed].numerosity);
    stamp_total_ +=
        numerosity * (population_[subsumer].time_stamp - population_[absorbed].time_stamp);
    population_.remove(absorbed);
    population_.change_numerosity(subsumer, numerosity);
    correct_.erase(absorbed);
    ++events_.subsumed;
}

template <Representation Conditions, RulePolicy Policy>
bool Learner<Conditions, Policy>::is_ga_due() const {
    if (correct_.size == 0) return false;
    const double mean_stamp = static_cast<double>(stamp_total_) / static_cast<double>(set_size_);
    return static_cast<double>(time_) - mean_stamp > settings_.ga_interval;
}

// The rules of [C] that may have children enter the tournament.
template <Representation Conditions, RulePolicy Policy>
bool Learner<Conditions, Policy>::find_parents() {
    tournament_.clear();
    for (std::size_t k = 0; k < correct_.size; ++k) {
        const Rule& rule = population_[correct_.slots[k]];
        if (population_.policy().fitness(rule) < 0) continue;
        const double score = population_.policy().powered_fitness(rule) * correct_.degrees[k];
        tournament_.add(correct_.slots[k], score / rule.numerosity, rule.numerosity);
    }
    return !tournament_.is_empty();
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::evolve() {
    ++events_.evolved;
    for (std::size_t k = 0; k < correct_.size; ++k) {
        population_[correct_.slots[k]].time_stamp = time_;
    }
    const std::array<Slot, 2> parents = {tournament_.draw(rng_), tournament_.draw(rng_)};
    std::array<Rule, 2> rules;
    std::array<std::vector<double>*, 2> rows = {&class_row_, &second_class_row_};
    second_class_row_.resize(class_row_.size());
    for (std::size_t k = 0; k < 2; ++k) {
        const auto condition = representation_.condition(parents[k]);
        std::copy(condition.begin(), condition.end(), children_[k].begin());
        const Rule& parent = population_[parents[k]];
        rules[k] = population_.policy().child_of(parent);
        rules[k].time_stamp = time_;
        rules[k].consequent = parent.consequent;
        population_.write_child_weights(parents[k], rows[k]->data());
    }
    if (rng_.chance(settings_.crossover_rate)) {
        representation_.crossover(children_[0], children_[1], rng_);
    }
    for (std::size_t k = 0; k < 2; ++k) {
        representation_.mutate(children_[k], settings_.mutation_rate, rng_);
        if constexpr (Policy::kOwnsClass) mutate_class(rules[k]);
    }
    for (std::size_t k = 0; k < 2; ++k) {
        add_child(children_[k], rules[k], *rows[k], parents);
        delete_if_crowded();
    }
}

template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::mutate_class(Rule& rule) {
    const auto n_others = static_cast<std::uint32_t>(population_.n_classes() - 1);
    if (!rng_.chance(settings_.mutation_rate) || n_others == 0) return;
    const Class other = rng_.below(n_others);
    rule.consequent = other + (other >= rule.consequent);
}

// A child adds to the numerosity of a parent that subsumes it or of a rule identical to it; only
// otherwise is it a new rule.
template <Representation Conditions, RulePolicy Policy>
void Learner<Conditions, Policy>::add_child(std::span<const Gene> condition, const Rule& rule,
                                            std::span<const double> class_row,
                                            const std::array<Slot, 2>& parents) {
    representation_.encode(condition, code_);
    if (settings_.ga_subsumption) {
        for (const Slot parent : parents) {
            if (population_.is_alive(parent) && population_.may_subsume(population_[parent]) &&
                population_[parent].consequent == rule.consequent &&
                representation_.strictly_more_general(parent, condition, code_)) {
                population_.change_numerosity(parent, 1);
                ++events_.subsumed;
                return;
            }
        }
    }
    const Slot twin =
        representation_.find(condition, code_, [&](std::size_t block) -> const Plane& {
            return population_.possible_twins(block, rule.consequent);
        });
    if (twin != kNoSlot) {
        population_.change_numerosity(twin, 1);
    } else {
        insert(condition, rule, class_row);
    }
}

template <Representation Conditions, RulePolicy Policy>
Slot Learner<Conditions, Policy>::delete_if_crowded() {
    if (population_.n_micro_rules() <= settings_.population_size) return kNoSlot;
    return population_.delete_one(rng_);
}

template class Learner<LinguisticMatcher, FuzzyPolicy>;
template class Learner<IntervalMatcher, CrispPolicy>;

}  // namespace fuzzyucs
