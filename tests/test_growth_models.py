"""Models whose rules were grown by histograms: one coherent answer, everywhere, in true words."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import fuzzyucs
from condition_truth import truth
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.deployment.description import describe
from fuzzyucs.deployment.numpy_model import NumpyModel
from fuzzyucs.estimators.growth import tolerance
from pages import EVALUATE, as_json
from tables import table_by_chance
from test_profile_evaluators import as_frame, assert_coherent, assert_one_answer
from test_rule_sentences import assert_true_sentence

pytestmark = pytest.mark.filterwarnings("ignore:whether values are missing depends on the class")

SIZES = ["S", "M", "L", "XL"]


def table(n_classes, seed=0, n=900):
    """Return numbers with gaps, zeros, an order, and 300 categories; labels; weights."""
    rng = np.random.default_rng(seed)
    town = rng.choice(300, n, p=rng.dirichlet(np.full(300, 0.3)))
    x, amount = rng.normal(size=n), np.exp(rng.normal(3, 1, n)) * (rng.random(n) < 0.4)
    size = rng.integers(0, 4, n)
    frame = pd.DataFrame(
        {
            "x": x,
            "near x": x + rng.normal(0, 0.4, n),
            "amount": amount.round(1),
            "count": rng.poisson(3, n).astype(float),
            "town": np.array([f"t{i:03}" for i in range(300)], dtype=object)[town],
            "size": pd.Categorical.from_codes(size, SIZES, ordered=True),
            "same": 2.0,
        }
    )
    score = x + (amount > 10) + 0.8 * (town % 3 == 0) + 0.5 * size + rng.normal(0, 0.3, n)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    for column in ("x", "near x", "town"):
        frame.loc[rng.random(n) < 0.12, column] = np.nan
    return frame, np.array(list("abcdefgh"))[y], rng.uniform(0.3, 3, n)


def asked(clf, frame, seed=1, n=60):
    """Return rows as numbers: empty, strange, with gaps and with unknown categories."""
    rng = np.random.default_rng(seed)
    rows = np.asarray(clf.columns_.values(frame), dtype=float)
    rows = rows[rng.integers(0, len(rows), n)]
    rows = np.where(rng.random(rows.shape) < rng.choice([0, 0.3, 0.8], (n, 1)), np.nan, rows)
    rows[0] = np.nan
    rows[1, :4] = [1e6, -1e6, 500, 77]
    rows[2, 6] = 77.0
    rows[3, 4:] = np.nan
    return rows


MODELS = {
    "two classes": (2, {}),
    "four classes": (4, {}),
    "mean, no support": (3, {"missing": "mean", "support": None}),
    "balanced": (2, {"class_weight": {"a": 9.0, "b": 1.0}}),
    "other base rates": (3, {"base_rates": {"a": 0.01, "b": 0.09, "c": 0.9}}),
    "a class of base rate 0": (3, {"base_rates": [0.0, 0.6, 0.4]}),
    "terms of a user": (3, {"n_terms": 6, "max_conditions": 2}),
    "few rules": (2, {"max_rules": 4}),
    "three models": (3, {"n_models": 3}),
}


@pytest.fixture(scope="module")
def fitted():
    models = {}
    for seed, (name, (n_classes, options)) in enumerate(MODELS.items()):
        frame, y, weight = table(n_classes, seed=seed)
        clf = EvidentialRuleClassifier(random_state=0, penalty=1.0, **options)
        clf.fit(frame, y, sample_weight=weight if seed % 2 else None)
        models[name] = clf, frame, y, asked(clf, frame)
    return models


@pytest.mark.parametrize("name", MODELS)
def test_one_answer_everywhere(fitted, name, tmp_path):
    clf, frame, _, rows = fitted[name]
    assert len(clf.rules_) > 3 - (name == "few rules") * 2
    pytest.importorskip("onnxruntime")
    assert_one_answer(clf, rows)
    loaded = fuzzyucs.load(clf.save(tmp_path / "model.json"))
    table = as_frame(clf, rows)
    for some in (table, frame):
        assert_array_equal(loaded.predict_proba(some), clf.predict_proba(some))
    assert loaded.rules_.to_text() == clf.rules_.to_text()
    first = (tmp_path / "model.json").read_bytes()
    assert loaded.save(tmp_path / "model.json").read_bytes() == first
    described = NumpyModel(json.loads(json.dumps(describe(clf))))
    for model in (NumpyModel.load(tmp_path / "model.json"), described):
        assert_allclose(model.predict_proba(rows), clf.predict_proba(table), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_are_beliefs_and_shares_of_ignorance(fitted, name):
    clf, frame, _, rows = fitted[name]
    for some in (frame, as_frame(clf, rows)):
        evidence = clf.predict_evidence(some)
        assert_coherent(
            clf.predict_proba(some), evidence.belief, clf.base_rates_, evidence.ignorance
        )


@pytest.mark.parametrize("name", MODELS)
def test_a_record_without_values_has_the_base_rates(fitted, name):
    clf, _, y, rows = fitted[name]
    nothing = as_frame(clf, rows[:1])
    assert_allclose(clf.predict_proba(nothing), clf.base_rates_[np.newaxis], rtol=0, atol=1e-12)
    evidence = clf.predict_evidence(nothing)
    assert_allclose(evidence.ignorance, 1, rtol=0, atol=1e-12)
    assert (evidence.verdict[0], evidence.reason[0]) == ("unknown", "missing")
    if name == "two classes":  # and no weights
        assert_allclose(clf.base_rates_, np.unique(y, return_counts=True)[1] / len(y))


@pytest.mark.parametrize("name", MODELS)
def test_texts_are_true_of_the_table(fitted, name):
    clf, frame, y, _ = fitted[name]
    rules = clf.rules_
    X = np.asarray(clf.columns_.values(frame), dtype=float)
    holds = rules.variables.holds(rules.conditions, X)
    assert max(len(rules.variables.terms(f)) for f in range(frame.shape[1])) <= 64
    for rule in range(len(rules)):
        said = np.ones(len(frame), dtype=bool)
        for condition in rules.condition(rule, full=True).split(" AND "):
            name, _, rest = condition.partition(" is ")
            column = frame[name].astype(object) if name == "town" else frame[name]
            said &= truth(f"x is {rest}", column).to_numpy(dtype=bool)
        assert_array_equal(said, holds[:, rule], err_msg=rules.condition(rule, full=True))
        own = [(said & (y == label)).sum() for label in clf.classes_]
        assert rules.applies[rule].tolist() == own
        assert f"applies to {said.sum():,} of {len(y):,}" in rules.sentence(rule)
    assert "level" not in rules.to_text()


def test_towns_are_in_groups(fitted):
    clf, frame, _, _ = fitted["two classes"]
    town = clf.rules_.variables.special[4]
    assert clf.rules_.asks[:, 4].any()
    assert sum(map(len, town.members)) == frame["town"].nunique() > 64
    new = frame.iloc[:5].assign(town="elsewhere")
    assert_array_equal(clf.predict_proba(new), clf.predict_proba(frame.iloc[:5].assign(town=None)))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 700]))
def test_every_sentence_is_true_of_the_training_table(seed, n_rows):
    frame, y, weight, rng = table_by_chance(seed, n_rows)
    if weight is not None:
        weight[rng.random(len(y)) < 0.1] = 0
    clf = EvidentialRuleClassifier(
        random_state=0,
        penalty=float(rng.choice([0.5, 2.0])),
        class_weight=rng.choice([None, "balanced"]),
        missing=rng.choice(["belief", "mean"]),
    )
    clf.fit(frame, y, sample_weight=weight)
    counted = np.ones(len(y), dtype=bool) if weight is None else weight > 0
    for rule in range(len(clf.rules_)):
        sentence = clf.rules_.sentence(rule)
        assert_true_sentence(sentence, rule, clf.rules_, frame[counted], y[counted])


def test_the_page_computes_the_same(fitted, open_page):
    for name in ("two classes", "four classes"):
        clf, frame, y, rows = fitted[name]
        page = open_page(clf, frame, y)
        found = page.evaluate(EVALUATE, as_json(rows))
        table = as_frame(clf, rows)
        evidence = clf.predict_evidence(table)
        for key, expected in {
            "probability": clf.predict_proba(table),
            "mass": evidence.belief,
            "ignorance": evidence.ignorance,
            "novelty": evidence.novelty,
        }.items():
            assert_allclose([r[key] for r in found], expected, rtol=0, atol=1e-9, err_msg=key)
        assert [r["verdict"] for r in found] == evidence.verdict.tolist()


def test_rules_do_not_depend_on_the_order_of_rows():
    """With a given penalty, held-out rows do not matter."""
    frame, y, weight = table(3, n=600)
    order = np.random.default_rng(3).permutation(600)
    one, other = (
        EvidentialRuleClassifier(random_state=0, penalty=1.0, missing="mean", support=None).fit(
            frame.iloc[rows], y[rows], sample_weight=weight[rows]
        )
        for rows in (np.arange(600), order)
    )
    assert len(one.rules_) > 5
    assert set(one.rules_.to_text().splitlines()) == set(other.rules_.to_text().splitlines())
    assert_allclose(one.predict_proba(frame), other.predict_proba(frame), rtol=0, atol=1e-6)


def test_the_same_data_give_the_same_model():
    frame, y, _ = table(3, n=400)
    first, second = (EvidentialRuleClassifier(random_state=0).fit(frame, y) for _ in range(2))
    assert_array_equal(first.rules_.conditions, second.rules_.conditions)
    assert_array_equal(first.rules_.profile, second.rules_.profile)
    assert first.penalty_ == second.penalty_


def test_tables_in_which_nothing_can_be_learned():
    rng = np.random.default_rng(0)
    same = pd.DataFrame({"a": np.full(60, 1.0), "b": np.full(60, np.nan)})
    y = np.arange(60) % 2
    clf = EvidentialRuleClassifier(random_state=0).fit(same, y)
    assert len(clf.rules_) == 0
    assert_allclose(clf.predict_proba(same), 0.5)
    ids = pd.DataFrame({"id": [f"p{i}" for i in range(60)], "x": rng.normal(size=60)})
    clf = EvidentialRuleClassifier(random_state=0).fit(ids, y)
    assert not clf.rules_.asks[:, 0].any()
    few = EvidentialRuleClassifier(random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    assert_allclose(few.predict_proba([[1.0]]), 0.5)


@pytest.mark.parametrize("n_rare", [60, 20, 10])
def test_rare_classes_are_found(n_rare):
    """Great penalties, with which no rule is worth it, are no reason to give up."""
    X = np.random.default_rng(0).normal(size=(1600, 3))
    y = np.zeros(1600, dtype=int)
    y[np.argsort(-X[:, 0])[:n_rare]] = 1
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    assert clf.rules_.asks[0].tolist() == [True, False, False]
    assert clf.predict(X)[y == 1].mean() > 0.4


@pytest.mark.parametrize("most", [1, 2, np.int64(1), np.int32(2)])
def test_rules_have_at_most_so_many_conditions(most):
    X = np.random.default_rng(0).normal(size=(600, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0) | (X[:, 2] > 1)
    clf = EvidentialRuleClassifier(random_state=0, max_conditions=most, penalty=1.0).fit(X, y)
    assert clf.rules_.asks.sum(axis=1).max() == most


def test_the_last_growth_in_many_rows_is_the_most_precise():
    assert tolerance(10_000, 2, is_last=True) < tolerance(10_000, 2) / 2
    assert tolerance(1000, 2, is_last=True) == tolerance(1000, 2)
