#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "commonalities.h"
#include "dempster_shafer.h"
#include "missing_values.h"
#include "slots.h"
#include "terms.h"

namespace fuzzyucs {

// A matching rule whose condition asks for missing values.
struct OpenRule {
    Slot slot;
    double degree;  // to which the known values match
    OpenCondition condition;
};

// Commonalities to be multiplied by the evidence of open rules. Without a prior, these rules count
// only as far as the missing value is known. With a prior (shares of the classes), they count for
// the value it probably has, so that a value that could be any carries no information.
struct OpenProduct {
    Commonalities* product;
    std::span<const double> prior;
};

// For each class, then Theta: a logarithm for every term that a missing value may have.
class TermLogs {
  public:
    void reset(std::size_t n_columns, std::size_t n_terms) {
        n_columns_ = n_columns;
        n_terms_ = n_terms;
        logs_.assign(n_columns * n_terms, 0.0);
    }
    std::size_t size() const { return n_columns_; }
    double* operator[](std::size_t column) { return &logs_[column * n_terms_]; }

  private:
    std::size_t n_columns_ = 0, n_terms_ = 0;
    std::vector<double> logs_;
};

// Multiplies products by the evidence of open rules, which must be ordered by the missing value
// that they ask for. Rules that ask for the same one are combined for each term that it may have;
// the average over the terms counts.
class OpenRuleCombiner {
  public:
    void multiply(const DempsterShafer& rules, std::span<const OpenRule> open_rules,
                  std::span<const Belief> beliefs, std::span<const OpenProduct> products);

  private:
    TermLogs logs_;
    TermLogs normalised_;
};

}  // namespace fuzzyucs
