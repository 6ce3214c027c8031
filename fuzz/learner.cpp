// Both learners with any settings, rows and order of calls, and inference with what they learned.

#include "../cpp/learner.h"

#include <algorithm>
#include <utility>

#include "../cpp/inference.h"
#include "input.h"

namespace {

using namespace fuzzyucs;
using fuzz::Input;

// What the estimators allow.
Settings read_settings(Input& in) {
    Settings s;
    s.population_size =
        static_cast<std::int64_t>(in.flag() ? in.between(1, 8) : in.between(1, 700));
    s.fitness_threshold = 2 * in.unit() - 1;
    s.fitness_exponent = in.flag() ? 1 : std::max(in.amount(), 1e-300);
    s.crossover_rate = in.unit();
    s.mutation_rate = in.unit();
    s.deletion_fraction = in.unit();
    s.ga_interval = in.flag() ? 0 : in.amount();
    s.deletion_experience = in.flag() ? 0 : in.amount();
    s.subsumption_experience = in.flag() ? 0 : in.amount();
    s.tournament_fraction = in.unit();
    s.dont_care_rate = in.unit();
    s.correct_set_subsumption = in.flag();
    s.ga_subsumption = in.flag();
    s.forgetting = in.flag() ? 0 : std::min(in.unit(), 0x1.fffffffffffffp-1);
    s.as_published = in.flag();
    s.signed_fitness = in.flag();
    s.membership_experience = in.flag();
    s.learning_rate = std::max(in.unit(), 1e-3);
    s.mutation_step = in.unit();
    s.covering_range = in.flag() ? 1 : in.amount();
    return s;
}

// Rules as arrays, in the order of their age.
template <class Learner>
struct Exported {
    std::vector<typename Learner::Gene> conditions;
    std::vector<typename Learner::Rule> rules;
    std::vector<double> weights, class_experience, fitness, strength, ignorance;
    std::vector<Class> consequent;

    explicit Exported(const Learner& learner) {
        const auto& population = learner.population();
        const std::size_t n_classes = population.n_classes();
        std::vector<double> row(n_classes);
        for (std::size_t block = 0; block < population.alive().size(); ++block) {
            for_each_slot(population.alive()[block], block, [&](Slot slot) {
                const auto condition = learner.representation().condition(slot);
                conditions.insert(conditions.end(), condition.begin(), condition.end());
                rules.push_back(population[slot]);
                population.write_weights(slot, row.data());
                for (const double weight : row) CHECK(weight >= 0 && weight <= 1);
                weights.insert(weights.end(), row.begin(), row.end());
                population.write_class_experience(slot, row.data());
                class_experience.insert(class_experience.end(), row.begin(), row.end());
                fitness.push_back(population.policy().fitness(population[slot]));
                strength.push_back(population[slot].numerosity);
                ignorance.push_back(population[slot].experience > 0 ? 0 : 1);
                consequent.push_back(population[slot].consequent);
                CHECK(population[slot].numerosity > 0 && consequent.back() < n_classes);
            });
        }
        CHECK(rules.size() == static_cast<std::size_t>(population.n_rules()));
    }
};

void check_masses(std::span<const double> masses) {
    double sum = 0;
    for (const double mass : masses) {
        CHECK(mass >= 0 && mass <= 1 + 1e-12);
        sum += mass;
    }
    CHECK(std::abs(sum - 1) < 1e-9);
}

template <class Inference, class Learner, class Empty, class Row>
void infer(const Learner& learner, Empty matcher, Input& in, Row&& row) {
    const Exported<Learner> found(learner);
    const std::size_t n_classes = learner.population().n_classes();
    using Missing =
        std::conditional_t<std::is_same_v<Inference, LinguisticInference>, TermBeliefs, NoBeliefs>;
    const Inference rules(std::move(matcher), Missing(), n_classes,
                          {found.conditions, found.weights, found.fitness, found.strength,
                           found.ignorance, found.consequent});
    typename Inference::Scratch scratch(rules);
    std::vector<double> masses(n_classes + 1), logs(n_classes + 1), degrees(rules.n_rules());
    for (std::size_t i = in.between(0, 3); i > 0; --i) {
        const std::vector<double> x = row();
        double log_agreement = 0;
        const std::uint64_t seed = in.bits();
        CHECK(rules.dempster_shafer(x.data(), seed, {},
                                    {masses.data(), &log_agreement, logs.data()},
                                    scratch) < n_classes);
        check_masses(masses);
        rules.stepwise(x.data(), seed, masses.data(), &log_agreement, scratch);
        check_masses(masses);
        for (const Scheme scheme : {Scheme::vote, Scheme::single_winner}) {
            CHECK(rules.predict(x.data(), scheme, seed, scratch) < n_classes);
        }
        CHECK(rules.winner(x.data(), seed, scratch).rule <
              static_cast<std::int64_t>(rules.n_rules()));
        rules.membership(x.data(), degrees.data(), scratch);
        for (const double degree : degrees) CHECK(degree >= 0 && degree <= 1);
    }
}

// Puts all rules into a new learner, as reading a model file does.
template <class Learner, class Empty>
Learner restored(const Learner& learner, Empty matcher, const Settings& settings) {
    const Exported<Learner> found(learner);
    const std::size_t n_classes = learner.population().n_classes();
    const std::size_t n_features = matcher.n_features();
    Learner other(std::move(matcher), n_classes, settings, learner.rng());
    other.set_time(learner.time());
    for (std::size_t k = 0; k < found.rules.size(); ++k) {
        const auto& rows = found.rules[k].experience > 0 ? found.class_experience : found.weights;
        other.restore({&found.conditions[k * n_features], n_features}, found.rules[k],
                      {&rows[k * n_classes], n_classes});
    }
    CHECK(other.population().n_micro_rules() == learner.population().n_micro_rules());
    return other;
}

template <class Inference, class Learner, class Empty, class Row>
void run(Input& in, Empty&& matcher, const Settings& settings, Row&& row) {
    const std::size_t n_classes = in.flag() ? in.between(1, 3) : in.between(1, 70);
    Learner learner(matcher(), n_classes, settings, Rng(in.bits()));
    const auto label = [&] { return static_cast<Class>(in.between(0, n_classes - 1)); };
    std::vector<double> said(n_classes + 1);
    while (!in.is_over()) {
        switch (in.between(0, 9)) {
            case 0:
                learner.votes(row().data(), in.amount(), said.data());
                break;
            case 1:
                learner.log_commonalities(row().data(), in.flag() ? 0 : in.amount(), said.data());
                break;
            case 2: {
                const std::vector<double> x = row();
                learner.match(x.data());
                learner.step_matched(label());
                break;
            }
            case 3:
                learner.condense();
                break;
            case 4:
                learner = Learner(learner);
                break;
            case 5:
                learner = restored(learner, matcher(), settings);
                break;
            case 6:
                infer<Inference>(learner, matcher(), in, row);
                break;
            case 7: {  // an example again and again, so that rules get experience
                const std::vector<double> x = row();
                const Class y = label();
                for (std::size_t i = in.between(1, 60); i > 0; --i) learner.step(x.data(), y);
                break;
            }
            default: {
                const std::vector<double> x = row();
                learner.step(x.data(), label());
            }
        }
        CHECK(learner.population().n_rules() <= learner.population().n_micro_rules());
    }
    infer<Inference>(learner, matcher(), in, row);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input in(data, size);
    const Settings settings = read_settings(in);
    if (in.flag()) {
        const auto n_terms = in.term_counts(9, kMaxTerms);
        run<LinguisticInference, LinguisticLearner>(
            in, [&] { return LinguisticMatcher(n_terms, settings); }, settings,
            [&] { return in.positions(n_terms); });
    } else {
        const std::size_t n_features = in.between(1, 12);
        run<IntervalInference, IntervalLearner>(
            in, [&] { return IntervalMatcher(n_features, settings); }, settings,
            [&] {
                std::vector<double> x(n_features);
                for (double& value : x) value = in.position(2);
                return x;
            });
    }
    return 0;
}
