"""Features without order: values that were not seen in training, and more of them than terms."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.deployment.description import describe
from fuzzyucs.deployment.numpy_model import NumpyModel
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.verdict_words import put_into_words
from fuzzyucs.variables.coding import every_term


def shops(n=4000, n_shops=150, seed=0):
    """Return a table in which the number of a shop, which has no order, tells most."""
    rng = np.random.default_rng(seed)
    shop = rng.choice(n_shops, n, p=rng.dirichlet(np.full(n_shops, 1.0)))
    good = np.random.default_rng(1).random(n_shops) < 0.5
    y = np.where(rng.random(n) < np.where(good[shop], 0.9, 0.1), "good", "bad")
    return pd.DataFrame({"shop": 1000.0 + 7 * shop, "size": rng.normal(size=n)}), y


@pytest.fixture(scope="module")
def by_number():
    X, y = shops()
    return EvidentialRuleClassifier(nominal_features=["shop"], random_state=0).fit(X, y), X, y


@pytest.fixture(scope="module")
def by_text():
    X, y = shops()
    X["shop"] = "shop " + X["shop"].astype(int).astype(str)
    return EvidentialRuleClassifier(random_state=0).fit(X, y), X, y


def test_numbers_without_order_may_have_any_number_of_values(by_number):
    clf, X, _ = by_number
    assert X["shop"].nunique() > 100
    assert clf.score(*shops(seed=5)) > 0.8
    rules = clf.rules_
    asking = [rule for rule in range(len(rules)) if rules.asked_features[rule] == [0]]
    holds = rules.variables.holds(rules.conditions, X.to_numpy())
    texts = rules.variables.columns
    assert asking
    assert not texts.categories
    for rule in asking:
        named = {float(word) for word in rules.variables.words(0, rules.conditions[rule, 0])}
        assert_array_equal(holds[:, rule], X["shop"].isin(named))
        assert len(rules.condition(rule)) < 90
    # A value that was not seen is as good as none, however near to others.
    new = X.iloc[:50].assign(shop=1003.0)
    assert_array_equal(clf.predict_proba(new), clf.predict_proba(X.iloc[:50].assign(shop=np.nan)))


def test_categories_as_numbers_and_as_text_are_the_same_model(by_number, by_text):
    (one, X, _), (other, texts, _) = by_number, by_text
    assert_allclose(one.predict_proba(X), other.predict_proba(texts), rtol=0, atol=1e-12)


def test_numbers_without_order_in_files_and_without_the_library(by_number, tmp_path):
    clf, X, _ = by_number
    rows = X.to_numpy(copy=True)
    rows[::9, 0], rows[4::9, 0] = np.nan, 1003.0
    frame = pd.DataFrame(rows, columns=X.columns)
    expected = clf.predict_proba(frame)
    loaded = fuzzyucs.load(clf.save(tmp_path / "model.json"))
    assert_array_equal(loaded.predict_proba(frame), expected)
    alone = NumpyModel(json.loads(json.dumps(describe(clf))))
    assert_allclose(alone.predict_proba(rows), expected, rtol=0, atol=1e-12)


def test_a_value_that_was_not_seen_is_not_called_missing(by_number, by_text):
    for (clf, X, _), value in ((by_number, 1003.0), (by_text, "shop 9")):
        new = clf.explain(X.iloc[[0]].assign(shop=[value]))
        assert new.not_seen == ["shop"]
        assert new.missing == []
        assert new.record["shop"] == value
        text = str(new)
        assert f"Not seen in training: shop {value}" in text
        assert "shop (not seen in training) is" in new.to_text(every=True)
        assert "(missing)" not in text.partition("If missing")[0]
        if isinstance(value, str):
            expected = "evidence: the value of shop was not seen in training"
            assert new.verdict.sentence.endswith(expected)
        else:  # novelty knows the values of numbers
            assert new.verdict.sentence == "Unlike anything seen: shop 1003 was never seen"
        none = clf.explain(X.iloc[[0]].assign(shop=[None if isinstance(value, str) else np.nan]))
        assert none.not_seen == []
        assert none.missing == ["shop"]
        assert none.verdict.sentence.endswith("evidence: shop is missing")
        assert_allclose(new.probability, none.probability, atol=1e-12)
        both = clf.explain({"shop": value, "size": None})
        assert both.not_seen == ["shop"]
        assert both.missing == ["size"]
        if isinstance(value, str):
            assert both.verdict.sentence.startswith("No evidence: the value of shop was not seen")


@pytest.mark.parametrize(
    ("missing", "unseen", "expected"),
    [
        (["a"], ["a"], "the value of a was not seen in training"),
        (["a", "b"], ["a", "b"], "the values of a and b were not seen in training"),
        (["a", "b"], ["b"], "a is missing, and the value of b was not seen in training"),
        (["a", "b"], ["c"], "a and b are missing"),
        (
            ["a", "b", "c", "d"],
            ["b"],
            "4 values that rules ask for are missing or were not seen in training, "
            "above all a, b and c",
        ),
    ],
)
def test_verdicts_tell_missing_values_from_new_ones(missing, unseen, expected):
    nothing = Evidence(
        np.arange(2),
        np.zeros((1, 2)),
        np.ones(1),
        np.zeros(1),
        base_rates=np.array([0.4, 0.6]),
        n_missing=np.array([len(missing)]),
    )
    verdict = put_into_words(nothing, missing=missing, unseen=unseen)
    assert verdict.sentence == f"No evidence: {expected}"


def test_thousands_of_categories(tmp_path):
    rng = np.random.default_rng(0)
    n, n_codes = 6000, 3000
    code = rng.choice(n_codes, n, p=rng.dirichlet(np.full(n_codes, 0.3)))
    y = np.where(rng.random(n) < np.where(code % 2, 0.9, 0.1), "ill", "well")
    X = pd.DataFrame({"code": [f"D{c:04}" for c in code], "age": rng.normal(50, 9, n)})
    clf = EvidentialRuleClassifier(penalty=4.0, random_state=0).fit(X, y)
    counts = X["code"].value_counts()
    assert clf.score(X, y) > 0.6
    variable = clf.rules_.variables.special[0]
    labels = clf.columns_.categories[0].labels
    place = dict(zip(variable.peaks.tolist(), variable.groups.tolist(), strict=True))
    # Which term a rare category belongs to does not depend on how its few rows are labelled.
    rare = [place[i] for i, label in enumerate(labels) if counts[label] < 10]
    assert len(rare) > 500
    assert len(set(rare)) == 1
    assert max(len(line) for line in clf.rules_.to_text().splitlines()) < 300
    assert clf.save(tmp_path / "model.json").stat().st_size < 40 * len(labels) + 100_000


def test_long_numbers_are_written_in_full():
    rng = np.random.default_rng(0)
    customer = 12345678900.0 + rng.integers(0, 80, 900)
    amount = 1e12 + rng.integers(0, 2000, 900) * 1e6
    X = pd.DataFrame({"customer": customer, "amount": amount})
    y = (customer % 2 == 0) & (amount > 1.0009e12)
    clf = EvidentialRuleClassifier(nominal_features=["customer"], penalty=2.0).fit(X, y)
    explanation = clf.explain(X.iloc[[0]])
    assert "e+" not in explanation.to_text(every=True) + clf.rules_.to_text()
    assert f"customer {customer[0]:.0f} is" in explanation.to_text(every=True)
    assert f"amount {amount[0]:.0f} is" in explanation.to_text(every=True)
    # Texts are true of the rows.
    variables, conditions = clf.rules_.variables, clf.rules_.conditions
    anything = every_term(int(variables.n_terms[0]))
    n_checked = 0
    for condition in np.unique(conditions[:, 1]).tolist():
        text = variables.describe_plain(1, condition)
        if found := re.fullmatch(r"amount is [^(]*\((>=|<=) (\d+)\)", text):
            border = float(found[2])
            expected = amount >= border if found[1] == ">=" else amount <= border
            asked = np.array([[anything, condition]], dtype=np.uint64)
            assert_array_equal(variables.holds(asked, X.to_numpy())[:, 0], expected)
            n_checked += 1
    assert n_checked
