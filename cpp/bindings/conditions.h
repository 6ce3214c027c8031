#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../interval_matcher.h"
#include "../linguistic_matcher.h"
#include "../settings.h"
#include "../term_forest.h"
#include "arrays.h"
#include "checks.h"

namespace fuzzyucs {

// The conditions of rules as an array: a number or a pair of numbers for each feature.
template <class Gene>
struct ConditionArray;

template <>
struct ConditionArray<Terms> {
    using Input = Input2<Terms>;
    static auto make(std::size_t n_rules, std::size_t n_features) {
        return new_array<Terms>(n_rules, n_features);
    }
    static bool has_shape(const Input& array, std::size_t n_rules, std::size_t n_features) {
        return array.shape(0) == n_rules && array.shape(1) == n_features;
    }
    static Terms read(const Terms* data, std::size_t i) { return data[i]; }
    static void write(Terms terms, Terms* data, std::size_t i) { data[i] = terms; }
};

template <>
struct ConditionArray<Bounds> {
    using Input = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
    static auto make(std::size_t n_rules, std::size_t n_features) {
        nb::capsule owner;
        double* data = allocate<double>(2 * n_rules * n_features, owner);
        return nb::ndarray<nb::numpy, double, nb::ndim<3>>(data, {n_rules, n_features, 2}, owner);
    }
    static bool has_shape(const Input& array, std::size_t n_rules, std::size_t n_features) {
        return array.shape(0) == n_rules && array.shape(1) == n_features && array.shape(2) == 2;
    }
    static Bounds read(const double* data, std::size_t i) { return {data[2 * i], data[2 * i + 1]}; }
    static void write(const Bounds& bounds, double* data, std::size_t i) {
        data[2 * i] = bounds.p;
        data[2 * i + 1] = bounds.q;
    }
};

template <class Gene>
using Conditions = typename ConditionArray<Gene>::Input;

inline void check_conditions(const LinguisticMatcher& matcher, std::span<const Terms> genes) {
    const auto n_terms = matcher.n_terms();
    for (std::size_t i = 0; i < genes.size(); ++i) {
        require(is_condition(genes[i], n_terms[i % n_terms.size()]), "conditions is out of range");
    }
}

inline void check_conditions(const IntervalMatcher&, std::span<const Bounds> genes) {
    for (const Bounds& bounds : genes) {
        require(bounds.lower() >= 0 && bounds.upper() <= 1 && !std::isnan(bounds.p + bounds.q),
                "conditions is out of range");
    }
}

template <class Matcher>
auto read_conditions(const Matcher& matcher, const Conditions<typename Matcher::Gene>& array,
                     std::size_t n_rules) {
    using Array = ConditionArray<typename Matcher::Gene>;
    require(Array::has_shape(array, n_rules, matcher.n_features()),
            "conditions has the wrong shape");
    std::vector<typename Matcher::Gene> genes(n_rules * matcher.n_features());
    for (std::size_t i = 0; i < genes.size(); ++i) genes[i] = Array::read(array.data(), i);
    check_conditions(matcher, genes);
    return genes;
}

inline void check_beliefs(const TermForest& forest, std::span<const bool> is_believed,
                          std::span<const std::uint32_t> n_terms) {
    require(is_believed.size() == n_terms.size() && forest.n_features() == n_terms.size(),
            "is_believed has the wrong length");
    for (std::size_t f = 0; f < n_terms.size(); ++f) {
        require(!is_believed[f] || forest.n_terms[f] == n_terms[f], "the forest has other terms");
    }
}

inline LinguisticMatcher make_linguistic_matcher(const Input1<std::uint32_t>& n_terms,
                                                 bool may_be_fine = false,
                                                 const Settings& settings = {}) {
    require(n_terms.size() > 0, "n_terms must not be empty");
    check_n_terms(as_span(n_terms), may_be_fine);
    return LinguisticMatcher(as_span(n_terms), settings);
}

inline IntervalMatcher make_interval_matcher(std::size_t n_features,
                                             const Settings& settings = {}) {
    require(n_features > 0, "n_features must be positive");
    return IntervalMatcher(n_features, settings);
}

}  // namespace fuzzyucs
