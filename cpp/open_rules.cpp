#include "open_rules.h"

#include <algorithm>
#include <limits>

#include "portable_math.h"

namespace fuzzyucs {

namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// The logarithm of a rule's factor if other missing values may not fit.
double log_discounted(const DempsterShafer& rules, const OpenRule& rule, std::size_t column) {
    const double log = rules.log_factor(rule.slot, rule.degree, column);
    const double fit = rule.condition.others_fit;
    return fit == 1 ? log : portable_log((1 - fit) + fit * portable_exp(log));
}

void combine_by_term(const DempsterShafer& rules, std::span<const OpenRule> open_rules,
                     std::uint32_t n_terms, TermLogs& logs) {
    logs.reset(rules.n_classes() + 1, n_terms);
    for (const OpenRule& rule : open_rules) {
        for (std::size_t c = 0; c < logs.size(); ++c) {
            const double log = log_discounted(rules, rule, c);
            double* by_term = logs[c];
            for_each_accepted(rule.condition.accepted, n_terms,
                              [&](std::size_t term) { by_term[term] += log; });
        }
    }
}

// Normalises commonalities of classes and Theta, given as logarithms, if a missing value has a
// certain term: by Dempster's rule, or by their mean under the prior. Total conflict leaves
// everything open.
void normalise_term(TermLogs& logs, std::size_t term, std::span<const double> prior) {
    double greatest = kImpossible;
    for (std::size_t c = 0; c < logs.size(); ++c) greatest = std::max(greatest, logs[c][term]);
    if (greatest == kImpossible) {
        for (std::size_t c = 0; c < logs.size(); ++c) logs[c][term] = 0;
        return;
    }
    const std::size_t n_classes = logs.size() - 1;
    const double theta = prior.empty() ? portable_exp(logs[n_classes][term] - greatest) : 0;
    double sum = theta;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double commonality = portable_exp(logs[c][term] - greatest);
        sum += prior.empty() ? std::max(0.0, commonality - theta) : prior[c] * commonality;
    }
    const double least = std::numeric_limits<double>::min();  // the prior may exclude what is left
    const double all = greatest + portable_log(std::max(sum, least));
    for (std::size_t c = 0; c < logs.size(); ++c) logs[c][term] -= all;
}

double mean_exp(const double* logs, const Belief& belief) {
    double mean = 0;
    for (std::size_t t = 0; t < belief.n_terms; ++t) {
        if (belief.probability[t] > 0) mean += belief.probability[t] * portable_exp(logs[t]);
    }
    return mean;
}

}  // namespace

void OpenRuleCombiner::multiply(const DempsterShafer& rules, std::span<const OpenRule> open_rules,
                                std::span<const Belief> beliefs,
                                std::span<const OpenProduct> products) {
    for (std::size_t begin = 0, end = 0; begin < open_rules.size(); begin = end) {
        const std::size_t missing = open_rules[begin].condition.missing;
        while (end < open_rules.size() && open_rules[end].condition.missing == missing) ++end;
        const Belief& belief = beliefs[missing];
        combine_by_term(rules, open_rules.subspan(begin, end - begin), belief.n_terms, logs_);
        for (const auto& [product, prior] : products) {
            normalised_ = logs_;
            for (std::size_t t = 0; t < belief.n_terms; ++t) normalise_term(normalised_, t, prior);
            const double discount = prior.empty() ? belief.vagueness : 0;
            for (std::size_t c = 0; c < normalised_.size(); ++c) {
                const double mean = mean_exp(normalised_[c], belief);
                product->multiply(c, discount + (1 - discount) * mean);
            }
        }
    }
}

}  // namespace fuzzyucs
