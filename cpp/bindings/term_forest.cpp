#include "../term_forest.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "../forest_grower.h"
#include "../surprise_total.h"
#include "arrays.h"
#include "bindings.h"
#include "checks.h"

namespace fuzzyucs {

namespace {

std::unique_ptr<TermForest> make_forest(const Input1<std::uint32_t>& n_terms,
                                        const Input1<std::int32_t>& parent,
                                        const Input1<double>& marginal,
                                        const Input1<double>& joint) {
    const std::size_t n = n_terms.size();
    require(parent.size() == n, "parent has the wrong length");
    check_forest_n_terms(as_span(n_terms));
    std::size_t n_all_terms = 0;
    for (std::size_t f = 0; f < n; ++f) {
        const std::uint32_t terms = n_terms.data()[f];
        n_all_terms += terms;
        const std::int32_t p = parent.data()[f];
        require(p >= -1 && p < static_cast<std::int64_t>(n) && p != static_cast<std::int64_t>(f),
                "parent is out of range");
        require(p < 0 || (terms > 0 && n_terms.data()[p] > 0), "a feature without terms is alone");
    }
    require(marginal.size() == n_all_terms, "marginal has the wrong length");
    require(joint.size() == TermForest::joint_size(as_span(n_terms), as_span(parent)),
            "joint has the wrong length");
    for (const auto& array : {marginal, joint}) {
        for (const double p : as_span(array)) {
            require(p >= std::numeric_limits<double>::min() && p <= 1,
                    "probabilities must be positive");
        }
    }
    return std::make_unique<TermForest>(to_vector(n_terms), to_vector(parent), to_vector(marginal),
                                        to_vector(joint));
}

auto forest_arrays(const TermForest& forest) {
    return std::tuple(to_array(std::span(forest.n_terms)), to_array(std::span(forest.parent)),
                      to_array(std::span(forest.marginal)), to_array(std::span(forest.joint)));
}

void check_positions(const Input2<double>& x, std::span<const std::uint32_t> n_terms) {
    require(x.shape(1) == n_terms.size(), "x has the wrong number of columns");
}

void check_scale(const TermForest& forest, const Input1<double>& scale) {
    require(scale.size() == forest.n_all_terms(), "scale has the wrong length");
    for (const double factor : as_span(scale)) {
        require(factor >= 0x1p-300 && factor <= 0x1p300, "scale is out of range");
    }
}

auto surprises(const TermForest& forest, const Input2<double>& x, const Input1<double>& scale) {
    check_positions(x, forest.n_terms);
    check_scale(forest, scale);
    auto result = new_array<double>(x.shape(0), x.shape(1));
    TermForest::Scratch scratch(forest);
    run_interruptibly(x.shape(0), [&](std::size_t i) {
        forest.surprise(x.data() + i * x.shape(1), as_span(scale), result.data() + i * x.shape(1),
                        scratch);
    });
    return result;
}

auto surprise_sums(const TermForest& forest, const Input2<double>& x, const Input1<double>& scale,
                   const Input2<double>& before) {
    const std::size_t n = forest.n_features();
    check_positions(x, forest.n_terms);
    check_scale(forest, scale);
    require(before.shape(0) == 2 && before.shape(1) == n, "before has the wrong shape");
    auto sums = new_array<double>(2, n);
    std::copy_n(before.data(), 2 * n, sums.data());
    TermForest::Scratch scratch(forest);
    run_interruptibly(x.shape(0), [&](std::size_t i) {
        forest.add_surprises(x.data() + i * n, as_span(scale), sums.data(), sums.data() + n,
                             scratch);
    });
    return sums;
}

std::unique_ptr<SurpriseTotal> make_total(const TermForest& forest, const Input1<double>& scale,
                                          const Input1<double>& typical,
                                          const Input1<double>& alone) {
    check_scale(forest, scale);
    require(typical.size() == forest.n_features() && alone.size() == forest.n_features(),
            "typical or alone has the wrong length");
    return std::make_unique<SurpriseTotal>(forest, as_span(scale), as_span(typical),
                                           as_span(alone));
}

auto totals(const SurpriseTotal& total, const Input2<double>& x) {
    constexpr std::size_t kRows = SurpriseTotal::kRows;
    require(x.shape(1) == total.n_features(), "x has the wrong number of columns");
    auto result = new_array<double>(x.shape(0));
    SurpriseTotal::Scratch scratch(total);
    run_interruptibly((x.shape(0) + kRows - 1) / kRows, [&](std::size_t block) {
        const std::size_t first = block * kRows, n = std::min(kRows, x.shape(0) - first);
        total.add(x.data() + first * x.shape(1), n, result.data() + first, scratch);
    });
    return result;
}

auto beliefs(const TermForest& forest, const Input2<double>& x) {
    check_positions(x, forest.n_terms);
    auto result = new_array<double>(x.shape(0), forest.n_all_terms());
    run_interruptibly(x.shape(0), [&](std::size_t i) {
        for (std::size_t f = 0; f < forest.n_features(); ++f) {
            double* belief = result.data() + i * forest.n_all_terms() + forest.first_term(f);
            forest.believe(x.data() + i * x.shape(1), f, {belief, forest.n_terms[f]});
        }
    });
    return result;
}

std::unique_ptr<ForestGrower> make_grower(std::size_t n_rows, const Input1<std::uint32_t>& n_terms,
                                          std::size_t n_folds) {
    require(n_terms.size() > 0 && n_folds > 0, "nothing to grow from");
    check_forest_n_terms(as_span(n_terms));
    return std::make_unique<ForestGrower>(n_rows, to_vector(n_terms), n_folds);
}

void read_rows(ForestGrower& grower, std::size_t first, const Input2<double>& x) {
    require(x.shape(1) == grower.n_features(), "x has the wrong number of columns");
    require(first <= grower.n_rows() && x.shape(0) <= grower.n_rows() - first,
            "x has too many rows");
    nb::gil_scoped_release release;
    grower.read(first, {x.data(), x.size()});
}

std::vector<TermForest> grow_forests(ForestGrower& grower, bool finds_edges) {
    require(!grower.is_counted(), "the rows are used up");
    grower.count_all();
    if (finds_edges) {
        run_interruptibly(grower.n_features(),
                          [&](std::size_t feature) { grower.compare(feature); });
    }
    std::vector<TermForest> forests;
    for (std::size_t fold = 0; fold <= grower.n_folds(); ++fold) {
        forests.push_back(grower.grow(fold));
    }
    return forests;
}

}  // namespace

void bind_term_forest(nb::module_& m) {
    nb::class_<TermForest>(m, "TermForest", "Probabilities of terms and of pairs of terms.")
        .def(nb::new_(&make_forest), "n_terms"_a, "parent"_a, "marginal"_a, "joint"_a)
        .def("arrays", &forest_arrays, "The arrays that a forest is made of.")
        .def("surprise", &surprises, "x"_a, "scale"_a,
             "How surprising each value is, given the feature's parent.")
        .def("surprise_sums", &surprise_sums, "x"_a, "scale"_a, "before"_a,
             "Sums over rows of how surprising values are, and of what they would be without "
             "parents, on top of such sums.")
        .def("believe", &beliefs, "x"_a,
             "Probabilities of the terms of each feature, given its known neighbours.");

    nb::class_<SurpriseTotal>(m, "SurpriseTotal", "How surprising all values of rows are together.")
        .def(nb::new_(&make_total), "forest"_a, "scale"_a, "typical"_a, "alone"_a)
        .def("add", &totals, "x"_a, "By how much the values of rows surprise more than usual.");

    nb::class_<ForestGrower>(m, "ForestGrower", "Finds forests in rows that come in blocks.")
        .def(nb::new_(&make_grower), "n_rows"_a, "n_terms"_a, "n_folds"_a)
        .def("read", &read_rows, "first"_a, "x"_a, "Reads positions of rows from the first on.")
        .def("grow", &grow_forests, "finds_edges"_a = true,
             "Forests from all rows but those of each fold, and last one from all rows; without "
             "edges if they are not to be found. The rows are used up.");
}

}  // namespace fuzzyucs
