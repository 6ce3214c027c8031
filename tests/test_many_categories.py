"""Columns with many categories: groups of them are terms, in the library and in all evaluators."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier, LinguisticPartition
from fuzzyucs.deployment.description import describe
from fuzzyucs.deployment.numpy_model import NumpyModel
from fuzzyucs.plots import PartitionDisplay, RuleHeatmapDisplay
from fuzzyucs.variables.coding import every_terms
from fuzzyucs.variables.linguistic import LinguisticVariable
from pages import EVALUATE, as_json, plain

TOWNS = [f"town {i:03}" for i in range(300)]
STEPS = [f"step {i:02}" for i in range(90)]


def table(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    town = rng.choice(300, n, p=rng.dirichlet(np.full(300, 2.0)))
    step = rng.integers(0, 90, n)
    frame = pd.DataFrame(
        {
            "town": np.array(TOWNS, dtype=object)[town],
            "step": pd.Categorical.from_codes(step, STEPS, ordered=True),
            "size": rng.normal(size=n),
        }
    )
    frame.loc[::40, "town"] = None
    score = (town % 7 == 0) * 2.0 + (step > 60) + frame["size"] + rng.normal(0, 0.5, n)
    return frame, np.where(score > 1.5, "yes", "no")


def in_groups(clf, takes_nearest):
    """Return a model whose towns are in other groups, some in none."""
    variables = clf.rules_.variables
    rng, known = np.random.default_rng(1), variables.special[0]
    codes = np.arange(len(clf.columns_.categories[0].labels))
    place = rng.integers(0, len(known.terms), len(codes))
    place[rng.choice(len(codes), len(known.terms), replace=False)] = np.arange(len(known.terms))
    unknown = rng.choice(codes[np.bincount(place)[place] > 1], 5, replace=False)
    groups = [
        [code for code in codes[place == term].tolist() if code not in unknown]
        for term in range(len(known.terms))
    ]
    groups = [group or codes[place == term].tolist() for term, group in enumerate(groups)]
    mixed = LinguisticVariable.of_groups(groups, clf.columns_.categories[0].terms)
    mixed = replace(mixed, takes_nearest=takes_nearest)
    special = {**variables.special, 0: mixed}
    rules = replace(clf.rules_, variables=replace(variables, special=special))
    other = EvidentialRuleClassifier(**clf.get_params())
    other.__dict__.update(clf.__dict__)
    other.rules_ = rules
    return other


@pytest.fixture(scope="module")
def fitted():
    frame, y = table()
    return EvidentialRuleClassifier(random_state=0).fit(frame, y), frame, y


@pytest.fixture(scope="module", params=["rest", "groups", "nearest"])
def model(request, fitted):
    clf, frame, y = fitted
    if request.param != "rest":
        clf = in_groups(clf, takes_nearest=request.param == "nearest")
    return clf, frame, y


def codes_of(clf, frame):
    rows = np.asarray(clf.columns_.values(frame), dtype=float)
    rows[5::11, 0] = np.nan
    rows[7::13, 2] = np.nan
    return rows


def restored(clf, frame, rows):
    return clf.columns_.restored(frame, rows)


def test_the_flagship_takes_any_number_of_categories(fitted):
    clf, frame, _ = fitted
    variables = clf.rules_.variables
    town = variables.special[0]
    assert 2 < variables.n_terms[0] == len(town.members) <= 64
    counts = frame["town"].value_counts()
    seen = clf.columns_.categories[0].terms
    assert len(seen) == len(counts) > 250
    members = [code for group in town.members for code in group]
    assert sorted(members) == list(range(len(seen)))
    # No rule tells towns apart of which it saw less than ten rows.
    rare = set(counts.index[counts < 10])
    assert 1 < len(rare) < len(seen)
    assert any(rare <= {seen[int(code)] for code in group} for group in town.members)
    assert clf.score(*table(seed=0)) > 0.75
    assert (clf.rules_.asks[:, 0]).any()
    assert "town 999" not in seen
    new = frame.iloc[:5].assign(town="town 999")
    assert_array_equal(clf.predict_proba(new), clf.predict_proba(frame.iloc[:5].assign(town=None)))


def test_texts_count_the_rows_that_they_name(model):
    clf, frame, _ = model
    labels = clf.columns_.categories[0].terms
    rules = clf.rules_[np.flatnonzero(clf.rules_.asks[:, 0])]
    conditions = np.tile(every_terms(rules.variables.n_terms), (len(rules), 1))
    conditions[:, 0] = rules.conditions[:, 0]
    rules = replace(rules, conditions=conditions)  # that ask for the town alone
    holds = rules.variables.holds(rules.conditions, codes_of(clf, frame)[:, :])
    table = frame["town"].mask(pd.isna(codes_of(clf, frame)[:, 0]))
    n_checked = 0
    for rule in range(len(rules)):
        named = rules.variables.words(0, rules.conditions[rule, 0])
        if clf.rules_.variables.special[0].takes_nearest:
            assert set(named) <= set(labels)
            continue
        assert_array_equal(holds[:, rule], table.isin(named))
        n_checked += 1
        (condition,) = json.loads(rules.to_json())["rules"][rule]["if"]
        assert condition["terms"] == named
        full = rules.condition(rule, full=True).removeprefix("town is ")
        edited = rules.edit(rule, {"town": named if full.startswith("no") else full})
        assert_array_equal(edited.conditions[rule], rules.conditions[rule])
        assert len(rules.condition(rule)) < 80
    assert n_checked or clf.rules_.variables.special[0].takes_nearest


def test_files_keep_groups(model, tmp_path):
    clf, frame, _ = model
    again = fuzzyucs.load(clf.save(tmp_path / "model.json"))
    assert_array_equal(again.predict_proba(frame), clf.predict_proba(frame))
    ours, theirs = (c.rules_.variables.special[0] for c in (clf, again))
    assert ours.members == theirs.members
    assert ours.terms == theirs.terms
    assert again.rules_.to_text() == clf.rules_.to_text()
    assert again.rules_.to_json() == clf.rules_.to_json()
    first = (tmp_path / "model.json").read_bytes()
    assert again.save(tmp_path / "model.json").read_bytes() == first


def test_numpy_alone_computes_the_same(model, tmp_path):
    clf, frame, _ = model
    rows = codes_of(clf, frame)[:400]
    expected = clf.predict_proba(restored(clf, frame, rows))
    loaded = NumpyModel.load(clf.save(tmp_path / "model.json"))
    described = NumpyModel(json.loads(json.dumps(describe(clf))))
    for other in (loaded, described):
        assert_allclose(other.predict_proba(rows), expected, rtol=0, atol=1e-9)


def test_onnx_computes_the_same(model):
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    from fuzzyucs.deployment.onnx import to_onnx

    clf, frame, _ = model
    rows = codes_of(clf, frame)[:400]
    session = onnxruntime.InferenceSession(
        to_onnx(clf).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (found,) = session.run(["probabilities"], {"X": rows})
    expected = clf.predict_proba(restored(clf, frame, rows))
    assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_the_page_computes_the_same(model, open_page):
    clf, frame, y = model
    page = open_page(clf, frame, y)
    rows = codes_of(clf, frame)[:12]
    found = page.evaluate(EVALUATE, as_json(rows))
    table = restored(clf, frame, rows)
    expected = clf.predict_proba(table)
    assert_allclose([r["probability"] for r in found], expected, rtol=0, atol=1e-9)
    for r, row in zip(found, range(len(rows)), strict=True):
        flips = [str(flip) for flip in clf.explain(table.iloc[[row]]).flips]
        assert [plain(flip["words"]) for flip in r["flips"]] == flips
    # Texts that name a few of many categories have all of them in a tooltip.
    titles = page.evaluate("MODEL.rules.map(rule => rule.full_text ?? null)")
    full = [clf.rules_.condition(rule, full=True) for rule in range(len(clf.rules_))]
    short = [clf.rules_.condition(rule) for rule in range(len(clf.rules_))]
    assert titles == [f if f != s else None for f, s in zip(full, short, strict=True)]


def test_pictures_of_groups(model):
    clf, frame, _ = model
    display = PartitionDisplay.from_estimator(clf, frame, ["town"])
    assert len(display.terms_[0]) == clf.rules_.variables.n_terms[0]
    RuleHeatmapDisplay.from_estimator(clf)
    assert str(clf.explain(frame.iloc[[3]]))


def test_several_models_share_the_room_for_categories():
    """Each tells towns apart in its own way, all of them more than a condition has room for."""
    rng = np.random.default_rng(0)
    town, kind = rng.integers(0, 150, 6000), rng.integers(0, 4, 6000)
    y = rng.integers(0, 2, (150, 4))[town, kind]
    frame = pd.DataFrame({"town": np.array(TOWNS, dtype=object)[town], "kind": kind.astype(str)})
    options = {"penalty": 0.5, "support": None, "random_state": 0}
    one, three = (EvidentialRuleClassifier(n_models=n, **options).fit(frame, y) for n in (1, 3))
    assert 40 < one.rules_.variables.n_terms[0] <= 64 == three.rules_.variables.n_terms[0]
    assert three.score(frame, y) > one.score(frame, y) - 0.02


def test_numbers_without_order_may_be_in_groups():
    variable = LinguisticVariable.of_groups([[10, 30], [20.5]])
    X = np.array([[10.0], [20.5], [30.0], [99.0], [np.nan]])
    partition = LinguisticPartition.of_variables(X, ["x"], {0: variable})
    assert_array_equal(partition.positions(X)[:, 0], [0, 1, 0, np.nan, np.nan])
    assert partition.describe_plain(0, 0b01) == "x is 10 or 30"
    assert partition.parse_condition(0, [30, 10]) == 0b01
    assert partition.write(0, 20.5) == "20.5"
    near = replace(variable, takes_nearest=True)
    assert_array_equal(near.positions(X[:, 0]), [0, 1, 0, 0, np.nan])
