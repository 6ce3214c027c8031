#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonalities.h"
#include "matched_rules.h"
#include "slots.h"

namespace fuzzyucs {

// Dempster's rule for evidence on single classes and Theta: the commonality of a class is the
// product of the factors (1 - mu) + mu * v of the matching rules, each to the power of the strength
// of its rule.
class DempsterShafer {
  public:
    DempsterShafer(std::size_t n_classes, std::size_t n_rules);

    // How often a rule is multiplied as it is; rules whose strength is no whole number take
    // logarithms instead: 0.
    static double whole_number(double strength);

    // Adds a rule in the next slot. `ignorance` is what it leaves on Theta where it matches fully.
    // Rules have to come in descending order of whole_number(strength).
    void add(std::span<const double> weights, double strength, double ignorance);

    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_columns() const { return n_columns_; }

    // Matching rules up to `end`; the product of all so far counts `count` times. Only half of a
    // large portion can be multiplied without a look at the exponent.
    struct Portion {
        std::size_t end;
        std::uint32_t count;
        bool is_large;
    };

    // Combines the evidence of the matching rules, which are in slot order.
    void combine(const MatchedRules& rules, std::vector<Portion>& portions,
                 Commonalities& product) const;

    // The same by the arithmetic of the article's program: one micro-rule after the other, in the
    // order of `order` (indices of matching rules), and masses normalised after each. Where a step
    // leaves so little that the conflict rounds to 1, everything goes to Theta and it ends there.
    // Writes masses of the classes, then of Theta. Returns the logarithm of the agreement.
    double combine_stepwise(const MatchedRules& rules, std::span<const std::uint32_t> order,
                            double* masses) const;

    // The logarithm of a rule's factor in a column, with all its strength; -infinity if it is 0.
    double log_factor(Slot slot, double degree, std::size_t column) const;

  private:
    std::size_t apportion(const MatchedRules& rules, std::vector<Portion>& portions) const;
    template <std::size_t Columns>
    void combine_columns(std::size_t first, const MatchedRules& rules,
                         std::span<const Portion> portions, Commonalities& product) const;
    void multiply_fractions(std::size_t begin, const MatchedRules& rules,
                            Commonalities& product) const;

    std::size_t n_classes_;
    std::size_t n_columns_;  // classes, Theta and padding
    double least_factor_ = 0x1p-53;
    std::size_t greatest_portion_;
    std::vector<std::uint32_t> numerosity_;  // strength, if it is a whole number, else 0
    std::vector<double> fraction_;           // strength, if it is none, else 0
    std::vector<double> weights_;
};

}  // namespace fuzzyucs
