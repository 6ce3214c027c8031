"""Ordered features with more than 64 terms, whose conditions are runs."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from condition_truth import truth
from fuzzyucs import EvidentialRuleClassifier, LinguisticPartition, _core, load
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.estimators.weighing import Weighing
from fuzzyucs.plots import RuleHeatmapDisplay
from fuzzyucs.rules import ProfiledRuleSet
from fuzzyucs.variables import coding
from fuzzyucs.variables.coding import MAX_FINE_TERMS, as_run
from fuzzyucs.variables.forest import UNITS, TermForest
from fuzzyucs.variables.frames import Columns
from fuzzyucs.variables.linguistic import LinguisticVariable, term_names
from fuzzyucs.variables.table import Table
from kinds import fine_variables, fitted_model, random_conditions, records
from outcomes import outcome_of, outcomes

SIZES = [2, 63, 64, 65, 66, 127, 200, 255]


@pytest.fixture(scope="module")
def fitted():
    clf, (frame, y) = fitted_model("fine terms")
    return clf, frame, y


def a_table(n=500, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    X = np.column_stack([x, x + rng.normal(0, 0.3, n), rng.poisson(20, n), rng.integers(0, 5, n)])
    return X, LinguisticPartition.of(X, ["a", "b", "count", "kind"], nominal_features=["kind"])


def a_partition(column, n_terms, seed=0):
    """Return a variable of a column with terms at random values, some with plateaus."""
    rng = np.random.default_rng(seed)
    peaks = np.unique(rng.uniform(column.min(), column.max(), n_terms))
    ends = peaks + np.append(np.diff(peaks), 0.0) * rng.choice([0.0, 0.5, 0.9], len(peaks))
    variable = LinguisticVariable(peaks, term_names(len(peaks)), ends=ends)
    return LinguisticPartition.of_variables(column[:, None], ["x"], {0: variable})


def by_hand(condition, n_terms):
    """Return the terms of a condition as a set of numbers, by definition."""
    if n_terms > 64:
        return set(range(condition % 256, condition // 256 + 1))
    return {t for t in range(n_terms) if condition >> t & 1}


# The numbers themselves


@pytest.mark.parametrize("n_terms", SIZES)
def test_runs(n_terms):
    for first in range(0, n_terms, 7):
        for last in range(first, n_terms, 5):
            run = as_run(first, last, n_terms)
            assert by_hand(run, n_terms) == set(range(first, last + 1))
            accepted = coding.accepted_terms(run, n_terms)
            assert_array_equal(np.flatnonzero(accepted), np.arange(first, last + 1))
            assert coding.runs(run, n_terms) == [(first, last)]
            assert coding.as_condition(accepted) == run
            assert (run == coding.every_term(n_terms)) == accepted.all()
    for first, last in ((-1, 0), (1, 0), (0, n_terms)):
        with pytest.raises(ValueError, match="first and last"):
            as_run(first, last, n_terms)


def test_only_runs_of_many_terms_are_conditions():
    some = np.arange(65) % 2 == 0
    with pytest.raises(ValueError, match="must be neighbouring terms, of which there are 65"):
        coding.as_condition(some)
    assert by_hand(coding.as_condition(some[:64]), 64) == set(range(0, 64, 2))
    with pytest.raises(ValueError, match="at least one term"):
        coding.as_condition(some & False)


def test_complements_and_changes():
    rng = np.random.default_rng(0)
    n_terms = np.array(SIZES, dtype=np.uint32)
    rows = []
    for _ in range(300):
        runs = [sorted(rng.integers(0, n, 2).tolist()) for n in SIZES]
        ends = rng.random(len(SIZES))
        runs = [
            (0 if e < 0.4 else a, n - 1 if e > 0.6 else b)
            for (a, b), e, n in zip(runs, ends, SIZES, strict=True)
        ]
        rows.append([as_run(*run, n) for run, n in zip(runs, SIZES, strict=True)])
    conditions = np.array(rows, dtype=np.uint64)
    others, are_ends = coding.complements(conditions, n_terms)
    for f, n in enumerate(SIZES):
        found = set()
        for condition, other, is_end in zip(
            conditions[:, f].tolist(), others[:, f].tolist(), are_ends[:, f], strict=True
        ):
            own = by_hand(condition, n)
            rest = set(range(n)) - own
            assert is_end == ((0 in own) != (n - 1 in own))
            if not rest or (n > 64 and not is_end):
                assert other == condition
            else:
                assert by_hand(other, n) == rest
            found |= {t for t in range(n - 1) if (t in own) != (t + 1 in own)}
        changes = coding.changes(conditions[:, f], n)
        assert set(np.flatnonzero(changes).tolist()) == found


@given(st.integers(2, MAX_FINE_TERMS), st.integers(0, 2**64 - 1))
@settings(max_examples=300, deadline=None)
def test_the_engine_takes_what_is_a_condition(n_terms, code):
    code = code % 2**18 if n_terms > 64 and code % 3 else code
    conditions, counts = np.array([[code]], dtype=np.uint64), np.array([n_terms], dtype=np.uint32)
    one, zero = np.ones(1), np.zeros(1)
    arguments = (np.ones((1, 1)), one, one, zero, np.zeros(1, dtype=np.uint32))
    if coding.are_conditions(conditions, counts)[0, 0]:
        rules = _core.LinguisticInference(counts, conditions, *arguments)
        degrees = rules.membership(np.arange(float(n_terms))[:, None])[:, 0]
        assert set(np.flatnonzero(degrees).tolist()) == by_hand(code, n_terms)
    else:
        with pytest.raises(ValueError, match="conditions is out of range"):
            _core.LinguisticInference(counts, conditions, *arguments)


# Membership, with and without missing values


def brute_memberships(variables, feature, x):
    """Return how far values belong to the terms of a feature, by definition."""
    variable = variables.special[feature]
    if variable.is_nominal:
        return (x[:, None] == variable.peaks).astype(float)
    corners = np.column_stack([variable.peaks, variable.ends]).ravel()
    found = np.empty((len(x), len(variable.peaks)))
    for t in range(len(variable.peaks)):
        heights = np.zeros(len(corners))
        heights[2 * t : 2 * t + 2] = 1.0
        places = np.unique(corners)
        heights = np.array([heights[corners == place].max() for place in places])
        found[:, t] = np.interp(x, places, heights)
    return found


def brute_terms(variables):
    """Return a function that tells which terms a condition accepts, by definition."""

    def accepted(feature, condition):
        n_terms = int(variables.n_terms[feature])
        return sorted(by_hand(int(condition), n_terms))

    return accepted


@pytest.mark.parametrize("seed", range(4))
def test_membership(seed):
    X, usual = a_table(seed=seed)
    variables = fine_variables(usual, X, seed).without_beliefs()
    assert (variables.n_terms[:3] > 64).all()
    conditions = random_conditions(variables, 80, seed)
    accepted = brute_terms(variables)
    rng = np.random.default_rng(seed)
    rows = np.vstack([X[:100], X[:100] * 1.5 - 1])
    rows[:, 3] = rng.integers(0, 5, 200)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    expected = np.ones((len(rows), len(conditions)))
    for f in range(4):
        own = brute_memberships(variables, f, rows[:, f])
        missing = np.isnan(rows[:, f])
        for r, condition in enumerate(conditions[:, f]):
            degree = own[:, accepted(f, condition)].sum(axis=1)
            expected[:, r] *= np.where(missing, 1.0, degree)
    found = variables.degrees(conditions, variables.positions(rows))
    assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert 0.02 < (expected > 0).mean() < 0.98


def groups_of(n_terms):
    """Return the terms of each group whose pairs are counted, by definition."""
    n_groups = min(n_terms, 64)
    return [[t for t in range(n_terms) if t * n_groups // n_terms == g] for g in range(n_groups)]


def test_forests_count_pairs_of_groups():
    X, usual = a_table(3000)
    variables = fine_variables(usual, X, 3)
    forest = variables.forest
    exact = [brute_memberships(variables, f, X[:, f]) for f in range(4)]
    memberships = [np.rint(degrees * UNITS) / UNITS for degrees in exact]  # as they are counted
    n_rows = len(X)
    assert (forest.parent >= 0).sum() >= 1
    for f, own in enumerate(forest.marginals()):
        expected = (10 * memberships[f].sum(axis=0) + 1 / len(own)) / (10 * n_rows + 1)
        assert_allclose(own, expected, rtol=1e-9)
    for f, p, table in forest.tables():
        grouped = [
            np.column_stack([memberships[g][:, terms].sum(axis=1) for terms in groups_of(n)])
            for g, n in ((p, variables.n_terms[p]), (f, variables.n_terms[f]))
        ]
        shares = [
            np.array([forest.marginals()[g][terms].sum() for terms in groups_of(n)])
            for g, n in ((p, variables.n_terms[p]), (f, variables.n_terms[f]))
        ]
        counts = 10 * grouped[0].T @ grouped[1] + np.outer(*shares)
        assert_allclose(table, counts / (10 * n_rows + 1), rtol=1e-9, atol=1e-15)


def test_beliefs_about_fine_terms():
    X, usual = a_table(3000)
    variables = fine_variables(usual, X, 3)
    forest, marginals = variables.forest, variables.forest.marginals()
    # All pairs of terms, by definition: of groups, shared out within them.
    pairs = {}
    for f, p, table in forest.tables():
        fine = np.zeros((variables.n_terms[p], variables.n_terms[f]))
        for g, rows in enumerate(groups_of(variables.n_terms[p])):
            for h, columns in enumerate(groups_of(variables.n_terms[f])):
                inside = np.outer(marginals[p][rows], marginals[f][columns])
                fine[np.ix_(rows, columns)] = table[g, h] * inside / inside.sum()
        assert fine.sum() == pytest.approx(1)
        pairs[f, p], pairs[p, f] = fine.T, fine
    rows = X[:30].copy()
    for f in range(4):
        asked = rows.copy()
        asked[:, f] = np.nan
        expected = np.tile(marginals[f], (len(rows), 1))
        for (own, other), table in pairs.items():
            if own == f:
                given = brute_memberships(variables, other, rows[:, other]) / marginals[other]
                expected *= given @ table.T / marginals[f]
        expected /= expected.sum(axis=1, keepdims=True)
        found = forest.believe(variables.positions(asked), f)
        assert_allclose(found, expected, rtol=1e-9)
        # Conditions on the missing value hold as far as it is believed.
        n_terms = int(variables.n_terms[f])
        conditions = np.tile(coding.every_terms(variables.n_terms), (3, 1))
        for r, (first, last) in enumerate([(0, n_terms // 2), (1, n_terms - 1), (2, n_terms - 2)]):
            conditions[r, f] = as_run(first, last, n_terms)
            degree = expected[:, first : last + 1].sum(axis=1)
            found = variables.degrees(conditions[[r]], variables.positions(asked))[:, 0]
            assert_allclose(found, degree, rtol=1e-9)


def test_surprise_with_fine_terms():
    X, usual = a_table(3000)
    variables = fine_variables(usual, X, 3)
    forest, marginals = variables.forest, variables.forest.marginals()
    n_all = len(forest.marginal)
    found = forest.surprise(variables.positions(X[:50]), np.ones(n_all))
    for f, p, table in forest.tables():
        own = brute_memberships(variables, f, X[:50, f])
        given = brute_memberships(variables, p, X[:50, p])
        shares = []
        for n, marginal in (
            (variables.n_terms[p], marginals[p]),
            (variables.n_terms[f], marginals[f]),
        ):
            share = np.zeros((len(marginal), min(len(marginal), 64)))
            for g, terms in enumerate(groups_of(int(n))):
                share[terms, g] = marginal[terms] / marginal[terms].sum()
            shares.append(share)
        fine = shares[0] @ table @ shares[1].T
        both = np.einsum("rs,st,rt->r", given, fine, own)
        assert_allclose(found[:, f], np.log(given @ marginals[p]) - np.log(both), rtol=1e-8)


def test_a_record_without_values_has_the_base_rates(fitted):
    clf, frame, _ = fitted
    nothing = pd.DataFrame([[np.nan] * frame.shape[1]], columns=frame.columns)
    assert clf.predict_evidence(nothing).ignorance[0] == 1.0
    assert_allclose(clf.predict_proba(nothing)[0], clf.base_rates_, rtol=0, atol=1e-15)


# Texts


@pytest.mark.parametrize("n_terms", [65, 100, 255])
@pytest.mark.parametrize("kind", ["continuous", "counts", "rounded"])
def test_texts_are_true_and_can_be_read_again(n_terms, kind):
    rng = np.random.default_rng(n_terms)
    values = rng.normal(0, 50, 2000)
    values = {"continuous": values, "counts": np.abs(values).round(), "rounded": values.round(1)}
    x = values[kind]
    partition = a_partition(x, n_terms, seed=n_terms)
    n = int(partition.n_terms[0])
    borders = partition.numbered_borders(0)
    column = pd.Series(x)
    memberships = brute_memberships(partition, 0, x)
    n_read = 0
    for _ in range(60):
        first, last = sorted(rng.integers(0, n, 2).tolist())
        if first == 0 and last == n - 1:
            continue
        run = as_run(first, last, n)
        holds = partition.holds(np.array([[run]], dtype=np.uint64), x[:, None])[:, 0]
        degree = memberships[:, first : last + 1].sum(axis=1)
        clear = np.abs(degree - 0.5) > 1e-9
        assert_array_equal(holds[clear], degree[clear] >= 0.5)
        text = partition.describe_plain(0, run)
        assert_array_equal(truth(text, column).to_numpy(dtype=bool), holds)
        said = partition.phrase(0, run)
        read = partition.parse_condition(0, said)
        assert partition.phrase(0, read) == said
        is_unique = (
            first == 0 or (borders.at_least == borders.at_least[first - 1]).sum() == 1
        ) and (last == n - 1 or (borders.at_most == borders.at_most[last]).sum() == 1)
        if is_unique:
            assert read == run
            n_read += 1
        assert partition.parse_condition(0, partition.words(0, run)) == run
    assert n_read > 20 or kind == "counts"


def test_what_numbers_cannot_say_is_refused():
    partition = a_partition(np.arange(300.0), 100)
    at_most = partition.numbered_borders(0).at_most
    wrong = float(at_most[3] + at_most[4]) / 2 + 0.01
    with pytest.raises(ValueError, match=r"conditions on 'x' .* near it there is .* or "):
        partition.parse_condition(0, f"at most {wrong!r}")
    with pytest.raises(ValueError, match="must be ranges of numbers"):
        partition.parse_condition(0, "small")
    low, high = partition.describe_numbers(0, as_run(3, 3, 100)).split(" to ")
    with pytest.raises(ValueError, match="'x' must have the lesser number first"):
        partition.parse_condition(0, f"{high} to {low}")
    at_least = partition.numbered_borders(0).at_least
    with pytest.raises(ValueError, match="'x' must be one range of numbers"):
        partition.parse_condition(0, f"at most {at_most[3]:g} or at least {at_least[4]:g}")
    names = partition.terms(0)
    with pytest.raises(ValueError, match="'x' must list neighbouring terms, since there are 100"):
        partition.parse_condition(0, [names[3], names[5]])
    assert partition.parse_condition(0, list(names)) == coding.every_term(100)
    assert partition.parse_condition(0, None) == coding.every_term(100)


def test_ordered_categories_may_be_many():
    labels = [f"day {k:03d}" for k in range(150)]
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(150), rng.integers(0, 150, 500)])
    frame = pd.DataFrame({"x": pd.Categorical.from_codes(codes, labels, ordered=True)})
    columns = Columns.of(frame)
    X = np.asarray(columns.values(frame), dtype=float)
    variable = LinguisticVariable(np.arange(150.0), tuple(labels))
    partition = LinguisticPartition.of_variables(X, ["x"], {0: variable}, columns)
    run = as_run(20, 99, 150)
    assert partition.describe_plain(0, run) == "x is day 020 to day 099"
    assert partition.words(0, run) == labels[20:100]
    assert partition.parse_condition(0, labels[20:100]) == run
    holds = partition.holds(np.array([[run]], dtype=np.uint64), X)[:, 0]
    assert_array_equal(holds, (codes >= 20) & (codes <= 99))


# Rules


def test_rules_are_edited_described_and_drawn(fitted):
    clf, _, _ = fitted
    rules = clf.rules_
    rule = int(np.flatnonzero(rules.asks[:, 0])[0])
    run = as_run(30, 60, int(rules.variables.n_terms[0]))
    said = rules.variables.phrase(0, run)
    edited = rules.edit(rule, {"length": said})
    assert int(edited.conditions[rule, 0]) == run
    assert f"length is {said}" in edited.condition(rule)
    as_json = json.loads(edited.to_json())
    first = next(c for c in as_json["rules"][rule]["if"] if c["feature"] == 0)
    assert first["terms"] == list(rules.variables.terms(0)[30:61])
    display = RuleHeatmapDisplay.from_estimator(clf)
    assert display.figure_ is not None


def test_equal_conditions_are_one():
    X, usual = a_table()
    variables = fine_variables(usual, X, 0)
    conditions = random_conditions(variables, 50, 0)
    canonical = variables.canonical(np.vstack([conditions, conditions]))
    assert_array_equal(canonical[:50], canonical[50:])
    assert len(np.unique(canonical, axis=0)) == len(np.unique(conditions, axis=0))
    dont_cares = variables.dont_cares(conditions)
    for f in range(4):
        n_terms = int(variables.n_terms[f])
        every = [by_hand(c, n_terms) == set(range(n_terms)) for c in conditions[:, f].tolist()]
        assert_array_equal(dont_cares[:, f], every)


def test_flips_are_true_and_values_in_between_are_not_needed(fitted):
    clf, frame, _ = fitted
    variables = clf.rules_.variables
    n_flips = 0
    for _, row in frame.iloc[:12].iterrows():
        explanation = clf.explain(row)
        own = outcomes(clf, row.to_frame().T.astype(float))[0]
        for flip in explanation.flips:
            if flip.kind != "change":
                continue
            changed = row.to_frame().T.astype(float)
            changed[flip.feature] = flip.other
            assert outcomes(clf, changed)[0] == outcome_of(flip) != own
            n_flips += 1
    assert n_flips > 5
    # Between values that are left out no condition changes.
    for f in np.flatnonzero(clf.rules_.asks.any(axis=0)).tolist():
        if variables.is_nominal[f]:
            continue
        conditions = clf.rules_.conditions[clf.rules_.asks[:, f], f]
        every, some = variables.values_to_try(f), variables.values_to_try(f, conditions)
        left_out = np.setdiff1d(every, some)
        assert set(some) < set(every)
        memberships = brute_memberships(variables, f, left_out)
        n_terms = int(variables.n_terms[f])
        for condition in conditions.tolist():
            degree = memberships[:, sorted(by_hand(condition, n_terms))].sum(axis=1)
            assert (np.minimum(degree, 1 - degree) < 1e-12).all()


# Files


def test_files(fitted, tmp_path):
    clf, frame, _ = fitted
    path = tmp_path / "model.json"
    clf.save(path)
    loaded = load(path)
    rows = pd.DataFrame(records(frame), columns=frame.columns)
    assert_array_equal(clf.predict_proba(rows), loaded.predict_proba(rows))
    assert_array_equal(clf.rules_.conditions, loaded.rules_.conditions)
    assert clf.rules_.to_text() == loaded.rules_.to_text()
    assert path.stat().st_size < 2_000_000


@pytest.mark.parametrize("wrong", [255 << 8, 60 | 59 << 8, 1 << 16, 2**64 - 1])
def test_wrong_runs_in_files_are_refused(fitted, wrong, tmp_path):
    clf, _, _ = fitted
    path = tmp_path / "model.json"
    clf.save(path)
    text = path.read_text()
    n_terms = int(clf.rules_.variables.n_terms[0])
    conditions = clf.rules_.conditions[0].tolist()
    listed = re.search(r"\[\s*" + r",\s*".join(map(str, conditions)) + r"\s*\]", text)
    assert listed is not None
    changed = [wrong, *conditions[1:]]
    path.write_text(text.replace(listed[0], str(changed), 1))
    with pytest.raises(ValueError, match=rf"conditions\[0\] must be a run of {n_terms} terms"):
        load(path)


def test_learners_take_64_terms_at_most():
    with pytest.raises(ValueError, match="n_terms must lie between 2 and 64"):
        _core.LinguisticLearner(np.array([65], dtype=np.uint32), 2, _core.Settings(), 0)
    X, _ = a_table()
    y = (X[:, 0] > 0).astype(np.uint32)
    with pytest.raises(ValueError, match="n_terms"):
        EvidentialRuleClassifier(n_terms=65).fit(X, y)


def test_rules_are_turned_and_weighed():
    X, usual = a_table()
    variables = fine_variables(usual, X, 0)
    y = (X[:, 0] > 1).astype(np.uint32)
    data = TrainingData(np.array([0, 1]), Table.of(X), y, np.ones(len(X)))
    weighing = Weighing(data, variables)
    n = int(variables.n_terms[0])
    cut = int(np.ceil(variables.positions(np.array([[1.0, 0, 0, 0]]))[0, 0]))
    conditions = np.tile(coding.every_terms(variables.n_terms), (2, 1))
    conditions[:, 0] = as_run(0, cut - 1, n), as_run(1, n - 2, n)
    turned = weighing.turned(conditions)
    assert turned[:, 0].tolist() == [as_run(cut, n - 1, n), as_run(1, n - 2, n)]
    rules = weighing.weigh(turned, 1.0)
    assert isinstance(rules, ProfiledRuleSet)
    assert rules.variables.phrase(0, int(rules.conditions[0, 0])).startswith("at least ")


def test_a_forest_of_few_terms_is_as_before():
    """Up to 64 terms, a group is a term."""
    rng = np.random.default_rng(0)
    positions = np.column_stack([rng.uniform(0, 63, 3000), rng.uniform(0, 4, 3000)])
    positions[:, 1] = positions[:, 0] / 63 * 4
    forest = TermForest.grow(positions, np.array([64, 5], dtype=np.uint32))
    assert len(forest.joint) == 64 * 5
