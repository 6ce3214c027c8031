#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "fixed_point.h"
#include "rule.h"
#include "shared_rows.h"
#include "workers.h"

namespace fuzzyucs {

class RuleLists;

// Added to the curvature along a variable, so that it is never 0.
inline constexpr double kLeastCurvature = 1e-10;

// Class profiles of rules: numbers beta that minimise
//
//   - sum_n c_n log p_n(y_n) + sum_k penalty_k (w_k + sum_i |d_ki|),   beta_ki = w_k g_ki + d_ki,
//   p_n(i) proportional to a_i exp(sum_k (mu_k(x_n) - neutral_k) beta_ki),
//
// a being the shares of the classes. g_k is the natural profile of rule k: logarithms of how many
// times more frequent classes are where it matches, divided by their range. With w_k >= 0 a rule
// speaks about all classes for the price of one; d_k adjusts that. All of it has the sign of g_k: a
// rule speaks only for classes that are more frequent than usual where it matches, and against
// those that are less frequent, so that what it says can be seen in the data.
//
// A rule with a sign follows the order of the classes: of two classes, it may speak for the higher
// one alone (1), or for the lower one alone (-1). Of more, its profile consists of steps, each of
// which speaks for all classes from one on, or against all of them,
//
//   beta_ki = sum over steps t up to the place of i of d_kt,   sign d_kt >= 0,
//
// with the penalty for sum_t |d_kt|, and only as far as these classes together are more, or less,
// frequent than usual where the rule matches.
//
// The problem is convex. Newton's method minimises a quadratic model over w, then over d of one
// class after the other, as far as they are not 0 or their gradient exceeds the penalty; a step is
// shortened until the objective decreases. Of two classes the second alone has a profile: only
// differences matter. Sums over rows are taken in whole numbers, so that their order does not
// matter.
class ClassProfiles {
  public:
    // Classes up to which a rule may speak by its natural profile.
    static constexpr std::size_t kMostNatural = 32;
    // The greatest sum of sample weights: products of two weights stay finite.
    static constexpr double kGreatestTotalWeight = 1e150;
    // The greatest loss of a row that counts.
    static constexpr double kGreatestLoss = 2048;

    // Of rows that are shared, those of one machine; every step is taken by all machines together.
    ClassProfiles(std::span<const Class> labels, std::span<const double> sample_weights,
                  std::size_t n_classes, MaybeShared shared = nullptr);

    // Lets workers share the rows and pause where nothing is half done, as long as they live.
    void set_workers(Workers* workers) { workers_ = workers; }

    // A rule by the rows that it matches, in ascending order, and its degrees there.
    struct NewRule {
        std::vector<std::uint32_t> rows;
        std::vector<double> degrees;
        double neutral;
        double penalty;
        int sign = 0;
    };

    // Lets classes have another order than their own; before there are rules.
    void set_order(std::span<const Class> order);
    std::span<const Class> order() const { return order_; }

    // Adds a rule that says nothing yet, by its degrees for all rows.
    void add(std::span<const double> degrees, double neutral, double penalty, int sign = 0);
    // Adds rules that say nothing yet.
    void add(std::vector<NewRule> rules);
    // Lets rules begin with profiles, as far as they are possible; a row for each rule.
    void begin_with(std::span<const double> profiles);
    void set_penalty(std::size_t rule, double penalty);
    // Adds numbers to the scores of rows, by class and then by row: what other evidence says. Not
    // while a fit is under way.
    void set_offset(std::vector<double> offset);
    // Lets rules go on with strengths, and adjustments with a row for each rule, of other profiles.
    void go_on_with(std::span<const double> strengths, std::span<const double> adjustments);

    // Takes steps until the quadratic models of all classes predict a decrease of the objective of
    // less than `tolerance`, at most `most_sweeps` for each class. Returns whether it got there.
    bool fit(double tolerance, std::size_t most_sweeps);

    // Adds a rule, and lets it speak: one step for all classes at once, as if they did not depend
    // on each other.
    void add_and_start(NewRule rule);

    // Takes one step for the adjustments of each class, along the `most_variables` that promise
    // most.
    void improve(std::size_t most_variables);

    // Drops the rules that say nothing; returns the indices of the others.
    std::vector<std::size_t> prune();

    double objective() const { return objective_; }

    // Derivative of the likelihood's part of the objective with respect to an entry of a profile.
    double gradient(std::size_t rule, Class c) const;

    std::size_t n_rules() const { return rules_.size(); }
    std::size_t n_rows() const { return labels_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    std::span<const double> profile(std::size_t rule) const { return rules_[rule].profile; }
    std::span<const double> natural(std::size_t rule) const { return rules_[rule].natural; }
    double strength(std::size_t rule) const { return rules_[rule].strength; }
    std::span<const double> adjustment(std::size_t rule) const { return rules_[rule].adjustment; }
    double neutral(std::size_t rule) const { return rules_[rule].neutral; }
    // Logarithms of the shares of the classes; a class without rows counts as half a row.
    std::span<const double> log_shares() const { return log_shares_; }
    // Odds of a class in all rows, and the sums over all classes.
    std::span<const double> odds(Class c) const {
        return std::span(odds_).subspan(c * n_rows(), n_rows());
    }
    std::span<const double> totals() const { return total_; }
    double probability(std::size_t row, Class c) const {
        return odds_[c * n_rows() + row] / total_[row];
    }

  private:
    struct Rule {
        std::vector<std::uint32_t> rows;
        std::vector<double> degrees;
        double neutral;
        double penalty;
        std::vector<double> natural;     // g
        double strength = 0;             // w
        std::vector<double> adjustment;  // d
        std::vector<double> profile;     // beta
        double size = 0;                 // w + sum |d|
        int sign = 0;
        bool has_steps = false;  // adjustments are steps, by place; g tells their signs

        bool may_say(Class c, double d) const {
            return (natural[c] > 0 ? d > 0 : d < 0) && d * sign >= 0;
        }
        void update_size();
        void update(Class c) { profile[c] = strength * natural[c] + adjustment[c]; }
    };

    // The quadratic model of a step. Its variables are the strengths of rules, if `label` is
    // n_classes(), adjustments of the class, if it is less, or else steps: those up to the place
    // by which it is more.
    struct Model {
        Class label = 0;
        std::vector<std::size_t> rules;
        std::size_t n_violating = 0;  // variables, also such as are not in the model
        std::vector<double> values;
        std::vector<double> gradient;
        std::vector<double> hessian;
    };

    // Calls work(first, last, thread) for parts of a range, in any order.
    template <class Work>
    void share(std::size_t n, const Work& work) const {
        if (workers_) return workers_->share_rows(n, work);
        if (n > 0) work(0, n, 0);
    }
    // The sum of work(first, last) over parts of a range.
    template <class Work>
    Sum sum_over(std::size_t n, const Work& work) const {
        std::vector<Sum> sums(n_threads());
        share(n, [&](std::size_t first, std::size_t last, std::size_t thread) {
            sums[thread] += work(first, last);
        });
        return std::accumulate(sums.begin(), sums.end(), Sum{0});
    }
    std::size_t n_threads() const { return workers_ ? workers_->size() : 1; }
    // Only where nothing is half changed.
    void pause(std::size_t thread) const {
        if (workers_ && thread == 0) workers_->pause();
    }
    bool is_natural(const Model& model) const { return model.label == n_classes_; }
    // The place of a step, or 0 of another label.
    Class place_of(Class label) const { return label > n_classes_ ? label - n_classes_ : 0; }
    // Whether rules have such a variable.
    bool has_variable(Class label, const Rule& rule) const {
        return rule.has_steps == (label > n_classes_);
    }
    // The probability of a class; of a step, of all classes from its place on.
    double probability_of(std::size_t row, Class label) const {
        const Class place = place_of(label);
        return place == 0 ? probability(row, label) : probability_from(row, place);
    }
    double probability_from(std::size_t row, Class place) const;
    bool is_of(std::size_t row, Class label) const {
        const Class place = place_of(label);
        return place == 0 ? labels_[row] == label : rank_[labels_[row]] >= place;
    }
    void update(Rule& rule, Class c) const;
    void find_step_signs(Rule& rule, std::span<const double> matched) const;
    void begin_with_steps(Rule& rule, std::span<const double> wanted) const;
    void start_with_step(Rule& rule, std::span<const Sum> matched);
    double& variable(const Model& model, std::size_t rule);
    double variable(const Model& model, std::size_t rule) const;
    bool is_allowed(const Model& model, std::size_t rule, double value) const;
    std::span<const double> residuals(Class c) const;
    std::vector<double> slopes(Class label, const RuleLists* lists = nullptr) const;
    std::vector<double> natural_slopes() const;
    std::vector<bool> may_matter(Class c, std::span<const double> residuals, double all,
                                 const RuleLists& lists) const;
    std::vector<bool> may_start(const Rule& rule) const;
    std::vector<Sum> push(NewRule rule);
    void find_natural(Rule& rule, std::span<const Sum> matched) const;
    std::vector<Class> blocks() const;
    Model model(Class label, std::size_t most, const RuleLists* lists) const;
    Model model_of(Class label, std::span<const std::size_t> rules,
                   std::span<const double> slopes) const;
    double violation(const Model& model, std::size_t rule, double slope) const;
    template <class Work>
    void list_rules(const Model& model, std::size_t first, std::size_t last,
                    const Work& work) const;
    void add_curvature(Model& model) const;
    void add_natural_curvature(Model& model) const;
    std::vector<double> best_values(const Model& model) const;
    double predicted_decrease(const Model& model, std::span<const double> values) const;
    // The first and the last class that a step of the model may move.
    std::pair<Class, Class> classes_of(const Model& model) const {
        const auto last = static_cast<Class>(n_classes_ - 1);
        return model.label >= n_classes_ ? std::pair(Class{0}, last)
                                         : std::pair(model.label, model.label);
    }
    bool take(const Model& model, std::span<const double> values, double predicted_decrease);
    double sweep(std::span<const Class> labels, std::size_t most_variables, double tolerance,
                 std::vector<Class>* moved = nullptr);
    void move(const Model& model, std::span<const double> values);
    void add_scores(const Rule& rule, Class c, double change);
    void update_scores();
    void update_class(Class c, double shift = 0);
    void update_objective();
    void update_objective(Class first, Class last);

    std::size_t n_classes_;
    MaybeShared shared_;
    std::vector<Class> labels_;
    std::vector<double> sample_weights_;
    FixedPoint weights_, losses_;
    std::vector<double> log_shares_;
    std::vector<Class> order_, rank_;  // classes from the lowest to the highest; their places
    std::vector<double> offset_;       // as scores, or empty
    std::vector<Rule> rules_;
    std::vector<double> scores_;     // by class, then by row
    std::vector<double> reference_;  // of each row, subtracted from scores before they are odds
    std::vector<double> odds_;       // by class, then by row
    std::vector<double> total_;      // sum of the odds of a row
    double objective_ = 0;
    mutable std::vector<double> residuals_;  // its memory serves again
    bool is_in_range_ = true;                // scores of the classes that were moved last
    Workers* workers_ = nullptr;
};

}  // namespace fuzzyucs
