#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rule.h"

namespace fuzzyucs {

// How often the evidence of each rule counts: strengths w >= 0 and a prior b that minimise
//
//   - sum_n c_n log p_n(y_n) + sum_k penalty_k w_k + ridge / 2 sum_i (b_i - log share_i)^2,
//   p_n(i) proportional to exp(b_i) prod_k f_ki(x_n)^w_k,   f_ki = 1 - mu_k + mu_k (v_ki + t_k),
//   v_ki = cm_ki / (exp_k + doubt),   t_k = doubt / (exp_k + doubt).
//
// The problem is convex. Solved by Newton's method: each step minimises a quadratic model over the
// rules with positive strength or negative gradient, and is shortened until the objective
// decreases.
class EvidenceWeights {
  public:
    // The greatest sum of sample weights: products of two weights stay finite.
    static constexpr double kGreatestTotalWeight = 1e150;

    EvidenceWeights(std::span<const Class> labels, std::span<const double> sample_weights,
                    std::size_t n_classes, double doubt, double ridge);

    // Adds a rule with strength 0 by its degrees for all rows. Its experience is counted here.
    void add(std::span<const double> degrees, double penalty);
    void set_penalty(std::size_t rule, double penalty) { rules_[rule].penalty = penalty; }

    // Takes Newton steps until the quadratic model predicts a decrease of the objective of less
    // than `tolerance`, at most `most_steps`. Returns whether it got there.
    bool fit(double tolerance, std::size_t most_steps);

    // Drops the rules of strength 0; returns the indices of the others.
    std::vector<std::size_t> prune();

    double objective() const { return objective_; }

    // Derivative of the objective with respect to the strength of a rule.
    double gradient(std::size_t rule) const;
    double prior_gradient(Class c) const;

    std::size_t n_rules() const { return rules_.size(); }
    std::size_t n_rows() const { return labels_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    double strength(std::size_t rule) const { return rules_[rule].strength; }
    double experience(std::size_t rule) const { return rules_[rule].experience; }
    std::span<const double> class_experience(std::size_t rule) const {
        return rules_[rule].class_experience;
    }
    std::span<const double> prior() const { return prior_; }
    double probability(std::size_t row, Class c) const { return probability_[c * n_rows() + row]; }

  private:
    // The log-factors of a rule in the rows that it matches, relative to the class with the least:
    // only differences between classes matter. log f of class `classes[a]` in the j-th of `rows` is
    // gain[a * rows.size() + j]; for all other classes it is 0.
    struct Rule {
        std::vector<std::uint32_t> rows;
        std::vector<Class> classes;
        std::vector<double> gain;
        double label_gain;  // sum of the gains of the true classes
        double strength;
        double penalty;
        double experience;
        std::vector<double> class_experience;
    };

    // The quadratic model of a step. Its variables are the prior, then the rules in use and those
    // with a negative gradient, or the steepest of them.
    struct Model {
        std::vector<std::size_t> rules;
        bool is_complete = true;
        std::vector<double> gradient;
        std::vector<double> hessian;  // the lower triangle is filled
    };

    Model model(std::size_t most_entering) const;
    void add_curvature(Model& model) const;
    std::vector<double> best_step(const Model& model) const;
    double predicted_decrease(const Model& model, std::span<const double> step) const;
    bool take(const Model& model, std::span<const double> step, double predicted_decrease);
    void evaluate();

    std::size_t n_classes_;
    double doubt_, ridge_;
    std::vector<Class> labels_;
    std::vector<double> sample_weights_;
    std::vector<Rule> rules_;
    std::vector<double> frequency_;  // logarithms of the shares of the classes, mean 0
    std::vector<double> prior_;
    std::vector<double> probability_;  // by class, then by row
    double objective_ = 0;
};

}  // namespace fuzzyucs
