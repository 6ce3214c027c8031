#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "population.h"
#include "rng.h"
#include "settings.h"
#include "slots.h"

namespace fuzzyucs {

// What happened during training, for progress reports.
struct Events {
    std::int64_t covered = 0;
    std::int64_t subsumed = 0;
    std::int64_t evolved = 0;
};

// Supervised learning of rules, one example at a time. The representation knows conditions (how
// they match, cover, recombine), the life of a rule what follows from its matches, the population
// who is alive; this is Algorithm 1.
template <class Representation, class Life>
class Learner {
  public:
    using Gene = typename Representation::Gene;
    using Rule = typename Life::Rule;

    Learner(Representation representation, std::size_t n_classes, const Settings& settings, Rng rng)
        : settings_(settings),
          representation_(std::move(representation)),
          population_(n_classes, settings),
          input_(representation_.new_input()),
          rng_(rng),
          class_row_(n_classes) {
        for (auto& child : children_) child.resize(representation_.n_features());
        code_ = representation_.new_code();
    }

    const Representation& representation() const { return representation_; }
    const Population<Life>& population() const { return population_; }
    const Events& events() const { return events_; }
    const Rng& rng() const { return rng_; }
    std::int64_t time() const { return time_; }
    void set_time(std::int64_t time) { time_ = time; }
    void set_rng(const Rng& rng) { rng_ = rng; }

    // A fresh random order for one epoch.
    std::vector<std::uint32_t> draw_order(std::size_t n_rows) {
        std::vector<std::uint32_t> order(n_rows);
        for (std::size_t i = 0; i < n_rows; ++i) order[i] = static_cast<std::uint32_t>(i);
        rng_.shuffle(std::span(order));
        return order;
    }

    void step(const double* x, Class y) {
        input_.read(x);
        form_match_set(y);
        if (needs_covering()) cover(y);
        update(y);
        if (settings_.correct_set_subsumption) subsume_correct_set();
        if (is_ga_due() && find_parents()) evolve();
        ++time_;
    }

    // A rule from elsewhere, with the life it has had.
    void restore(std::span<const Gene> condition, const Rule& rule,
                 std::span<const double> class_row) {
        representation_.encode(condition, code_);
        insert(condition, rule, class_row);
    }

  private:
    // `code_` holds the encoded condition.
    Slot insert(std::span<const Gene> condition, const Rule& rule,
                std::span<const double> class_row) {
        if (population_.is_full()) {
            population_.add_block();
            representation_.add_block();
        }
        const Slot slot = population_.insert(rule, class_row);
        representation_.assign(slot, condition, code_);
        return slot;
    }

    struct RuleSet {
        std::vector<Slot> slots;
        std::vector<double> degrees;
        std::size_t size = 0;

        void reserve(std::size_t n_slots) {
            slots.resize(n_slots + kListSlack);
            degrees.resize(n_slots, 1);
        }
        void append(Slot slot, double degree) {
            slots[size] = slot;
            degrees[size] = degree;
            ++size;
        }
        void erase(Slot slot) {
            const auto end = slots.begin() + static_cast<std::ptrdiff_t>(size);
            const auto found = std::find(slots.begin(), end, slot);
            if (found == end) return;
            const auto place = found - slots.begin();
            std::copy(found + 1, end, found);
            std::copy(degrees.begin() + place + 1,
                      degrees.begin() + static_cast<std::ptrdiff_t>(size), degrees.begin() + place);
            --size;
        }
    };

    void reserve_sets() {
        const std::size_t n_blocks = population_.alive().size();
        if (matched_.size() == n_blocks) return;
        matched_.resize(n_blocks);
        correct_.reserve(n_blocks * kBlockSlots);
        others_.reserve(n_blocks * kBlockSlots);
        subsumers_.resize(n_blocks * kBlockSlots);
    }

    // [M] as its two halves: the correct set [C] and the rules of other classes, in slot order.
    void form_match_set(Class y) {
        reserve_sets();
        Slot* correct = correct_.slots.data();
        Slot* other = others_.slots.data();
        for (std::size_t block = 0; block < matched_.size(); ++block) {
            matched_[block] = representation_.match(input_, block, population_.alive()[block]);
            Plane half = matched_[block];
            half.intersect(population_.of_class(block, y));
            correct = list_slots(half, block, correct);
            half = matched_[block];
            half.subtract(population_.of_class(block, y));
            other = list_slots(half, block, other);
        }
        correct_.size = static_cast<std::size_t>(correct - correct_.slots.data());
        others_.size = static_cast<std::size_t>(other - others_.slots.data());
        input_.expect_matches(correct_.size + others_.size);
        representation_.degrees(input_, {correct_.slots.data(), correct_.size},
                                correct_.degrees.data());
        representation_.degrees(input_, {others_.slots.data(), others_.size},
                                others_.degrees.data());
    }

    bool needs_covering() const {
        double sum = 0;
        for (std::size_t k = 0; k < correct_.size; ++k) {
            sum += correct_.degrees[k];
            if (sum >= 1) return false;
        }
        return true;
    }

    void cover(Class y) {
        representation_.cover(input_, children_[0], settings_.dont_care_rate, rng_);
        std::fill(class_row_.begin(), class_row_.end(), 0.0);
        class_row_[y] = 1;
        Rule rule = population_.life().first_rule();
        rule.time_stamp = time_;
        rule.consequent = y;
        representation_.encode(children_[0], code_);
        const Slot slot = insert(children_[0], rule, class_row_);
        reserve_sets();
        matched_[slot / kBlockSlots].set(slot % kBlockSlots, true);
        correct_.append(slot, 1);
        ++events_.covered;
        const Slot dead = delete_if_crowded();
        if (dead != kNoSlot) {
            matched_[dead / kBlockSlots].set(dead % kBlockSlots, false);
            correct_.erase(dead);
            others_.erase(dead);
        }
    }

    void update(Class y) {
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

    // The most general accurate rule of [C] absorbs the rules it is strictly more general than.
    void subsume_correct_set() {
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
            } else {
                ++k;
            }
        }
    }

    bool is_more_general(Slot general, Slot specific) const {
        return representation_.strictly_more_general(general, specific);
    }

    void absorb(Slot subsumer, Slot absorbed) {
        const auto numerosity = static_cast<std::int32_t>(population_[absorbed].numerosity);
        stamp_total_ +=
            numerosity * (population_[subsumer].time_stamp - population_[absorbed].time_stamp);
        population_.remove(absorbed);
        population_.change_numerosity(subsumer, numerosity);
        correct_.erase(absorbed);
        ++events_.subsumed;
    }

    bool is_ga_due() const {
        if (correct_.size == 0) return false;
        const double mean_stamp =
            static_cast<double>(stamp_total_) / static_cast<double>(set_size_);
        return static_cast<double>(time_) - mean_stamp > settings_.ga_interval;
    }

    void evolve() {
        ++events_.evolved;
        for (std::size_t k = 0; k < correct_.size; ++k) {
            population_[correct_.slots[k]].time_stamp = time_;
        }
        const std::array<Slot, 2> parents = {tournament(), tournament()};
        std::array<Rule, 2> rules;
        std::array<std::vector<double>*, 2> rows = {&class_row_, &second_class_row_};
        second_class_row_.resize(class_row_.size());
        for (std::size_t k = 0; k < 2; ++k) {
            const auto condition = representation_.condition(parents[k]);
            std::copy(condition.begin(), condition.end(), children_[k].begin());
            const Rule& parent = population_[parents[k]];
            rules[k] = population_.life().child_of(parent);
            rules[k].time_stamp = time_;
            rules[k].consequent = parent.consequent;
            population_.write_child_weights(parents[k], rows[k]->data());
        }
        if (rng_.chance(settings_.crossover_rate)) {
            representation_.crossover(children_[0], children_[1], rng_);
        }
        for (std::size_t k = 0; k < 2; ++k) {
            representation_.mutate(children_[k], settings_.mutation_rate, rng_);
            if constexpr (Life::kOwnsClass) mutate_class(rules[k]);
        }
        for (std::size_t k = 0; k < 2; ++k) {
            bring_in(children_[k], rules[k], *rows[k], parents);
            delete_if_crowded();
        }
    }

    void mutate_class(Rule& rule) {
        const auto n_others = static_cast<std::uint32_t>(population_.n_classes() - 1);
        if (!rng_.chance(settings_.mutation_rate) || n_others == 0) return;
        const Class other = rng_.below(n_others);
        rule.consequent = other + (other >= rule.consequent);
    }

    // The rules of [C] that may have children, with what they bring to a tournament.
    bool find_parents() {
        candidates_.clear();
        for (std::size_t k = 0; k < correct_.size; ++k) {
            const Rule& rule = population_[correct_.slots[k]];
            if (population_.life().fitness(rule) < 0) continue;
            const double strength = population_.life().strength(rule) * correct_.degrees[k];
            candidates_.push_back({correct_.slots[k], strength / rule.numerosity, rule.numerosity});
        }
        return !candidates_.empty();
    }

    Slot tournament() {
        Slot best = kNoSlot;
        double best_strength = 0;
        for (const auto& candidate : candidates_) {
            if (best != kNoSlot && !(candidate.strength > best_strength)) continue;
            if (rng_.uniform() < entering_probability(candidate.numerosity)) {
                best = candidate.slot;
                best_strength = candidate.strength;
            }
        }
        if (best != kNoSlot) return best;
        return candidates_[rng_.below(static_cast<std::uint32_t>(candidates_.size()))].slot;
    }

    // 1 - (1 - tau)^num, by multiplication.
    double entering_probability(std::uint32_t numerosity) {
        while (staying_out_.size() <= numerosity) {
            staying_out_.push_back(staying_out_.back() * (1 - settings_.tournament_fraction));
        }
        return 1 - staying_out_[numerosity];
    }

    // A child strengthens a parent that subsumes it or a rule identical to it; only otherwise is it
    // a new rule.
    void bring_in(std::span<const Gene> condition, const Rule& rule,
                  std::span<const double> class_row, const std::array<Slot, 2>& parents) {
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

    Slot delete_if_crowded() {
        if (population_.n_micro_rules() <= settings_.population_size) return kNoSlot;
        return population_.delete_one(rng_);
    }

    struct Candidate {
        Slot slot;
        double strength;
        std::uint32_t numerosity;
    };

    Settings settings_;
    Representation representation_;
    Population<Life> population_;
    typename Representation::Input input_;
    Rng rng_;
    std::int64_t time_ = 0;
    Events events_;

    std::vector<Plane> matched_;
    RuleSet correct_;
    RuleSet others_;
    std::vector<Slot> subsumers_;  // rules of [C] that may well be able to subsume
    std::size_t n_subsumers_ = 0;
    std::int64_t set_size_ = 0;
    std::int64_t stamp_total_ = 0;
    std::vector<Candidate> candidates_;
    std::vector<double> staying_out_ = {1};
    std::array<std::vector<Gene>, 2> children_;
    typename Representation::Code code_;
    std::vector<double> class_row_;
    std::vector<double> second_class_row_;
};

}  // namespace fuzzyucs
