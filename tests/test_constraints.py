"""Constraints of the flagship: what was asked for holds, by exhaustive checks of fitted models."""

import itertools
import json
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.deployment.description import describe, to_numpy
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.variables.coding import accepted_terms

WISH = {"age": 1, "dose": -1}
KINDS = ("two", "order", "several", "turned", "models", "quantile", "mean")


@cache
def people(n_classes: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return people of whom the classes do not quite follow age and dose, and gaps."""
    rng = np.random.default_rng(5)
    n = 240
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "dose": rng.choice([0.0, 1.0, 2.0, 5.0], n),  # so few that they could be nominal
            "bmi": rng.normal(25, 4, n).round(1),
            "site": rng.choice(["a", "b", "c"], n),
        }
    )
    X["bmi"] += X["age"] / 10  # tells about a missing age, and the age about it
    X.loc[rng.random(n) < 0.1, "bmi"] = np.nan
    score = 0.06 * (X["age"] - 50) - 0.5 * X["dose"] + 1.2 * np.sin(X["age"] / 5)
    score += 0.1 * (X["bmi"].fillna(29) - 29) + (X["site"] == "a") + rng.normal(0, 0.7, n)
    return X, np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


def classifier(kind: str) -> tuple[EvidentialRuleClassifier, int]:
    """Return a classifier that is not fitted, and the number of classes for it."""
    clf = EvidentialRuleClassifier(monotonic_cst=WISH)
    params = {
        "two": {},
        "order": {"class_order": [1, 0], "monotonic_cst": {"age": -1, "dose": 1}},
        "several": {},
        "turned": {"class_order": [2, 0, 1]},
        "models": {"n_models": 2, "penalty": 4.0},
        "quantile": {"partition": "quantile", "base_rates": "equal", "penalty": 2.0},
        "mean": {"missing": "mean", "penalty": 2.0},
    }[kind]
    return clf.set_params(**params), 3 if kind in ("several", "turned", "models") else 2


@cache
def fitted(kind: str) -> EvidentialRuleClassifier:
    clf, n_classes = classifier(kind)
    X, y = people(n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clf.fit(X, y)


def borders(clf: EvidentialRuleClassifier, feature: int) -> list[float]:
    """Return where a membership may bend, and values beyond both ends."""
    variables = clf.rules_.variables
    known = np.unique([*variables.peaks(feature), *variables.ends(feature)])
    support = [] if clf.support is None else clf.support_.partition.peaks(feature)
    low, high = variables.minimum[feature], variables.maximum[feature]
    far = [low - 1, low - 3 * (high - low + 1), high + 1, high + 3 * (high - low + 1)]
    return np.unique([*known, *support, *far]).tolist()


def grid(clf: EvidentialRuleClassifier, axis: int, gaps: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Return all records on the borders of terms, the axis last; some values are missing.

    Between two borders, along any axis, each membership is linear: a rule whose conditions have
    monotone memberships is monotone there if it is so on the borders.
    """
    values = []
    for feature in range(clf.n_features_in_):
        if feature in gaps:
            values.append([np.nan])
        elif feature == 3:
            values.append([0.0, 1.0, 2.0, np.nan])
        else:
            own = borders(clf, feature)
            values.append(own)
    others = [values[f] for f in range(clf.n_features_in_) if f != axis]
    rows = np.array(list(itertools.product(*others, values[axis])))
    order = [f for f in range(clf.n_features_in_) if f != axis] + [axis]
    return rows[:, np.argsort(order)], len(values[axis])


def answers(clf: EvidentialRuleClassifier, rows: np.ndarray, length: int) -> list[np.ndarray]:
    """Return what must not fall as the classes rise, along the axis: probabilities and labels.

    Of two classes belief and plausibility, too.
    """
    frame = pd.DataFrame(rows, columns=clf.feature_names_in_)
    labels = np.array(["a", "b", "c"], dtype=object)
    frame["site"] = [None if np.isnan(s) else labels[int(s)] for s in frame["site"]]
    order = list(clf.constraints_.class_order)
    found = clf.answer(frame)
    ranks = np.argsort(order)[np.searchsorted(clf.classes_, found.labels)]
    assert_array_equal(found.labels, clf.predict(frame))
    assert_allclose(found.probability, clf.predict_proba(frame), rtol=0, atol=1e-15)
    from_top = np.cumsum(found.evidence.probability[:, order[::-1]], axis=1)[:, :-1]
    what = [ranks, *from_top.T]
    if len(order) == 2:
        what += [found.evidence.belief[:, order[1]], found.evidence.plausibility[:, order[1]]]
    return [part.reshape(-1, length) for part in what]


@pytest.mark.parametrize("kind", KINDS)
def test_answers_follow_the_direction_everywhere(kind):
    clf = fitted(kind)
    assert clf.constraints_.broken(clf.rules_) == []
    assert (clf.rules_.asks[:, :2].sum(axis=0) > 0).all()  # or nothing is tested
    moved = 0.0
    for axis, gaps in itertools.product((0, 1), ((), (2,), (2, 3), (0,), (1,))):
        if axis in gaps:
            continue
        rows, length = grid(clf, axis, gaps)
        for part in answers(clf, rows, length):
            change = np.diff(part, axis=1) * clf.constraints_.monotonic[axis]
            assert change.min() >= -1e-12
            moved = max(moved, change.max())
    assert moved > 0.1


def test_without_constraints_answers_do_not_follow_the_direction():
    """What the test above would find."""
    X, y = people(2)
    free = clone(classifier("two")[0]).set_params(monotonic_cst=None).fit(X, y)
    free.rules_ = replace(free.rules_, constraints=fitted("two").constraints_)
    assert free.constraints_.broken(free.rules_)
    rows, length = grid(free, 0, ())
    assert min(np.diff(part, axis=1).min() for part in answers(free, rows, length)) < -0.05


@pytest.mark.parametrize("kind", ["two", "several"])
def test_nothing_else_depends_on_features_with_a_direction(kind):
    """Neither novelty nor what is believed of missing values; evidence counts once."""
    clf = fitted(kind)
    X, _ = people(clf.classes_.size)
    other = X.assign(age=1000.0, dose=-50.0)
    evidence = clf.predict_evidence(X), clf.predict_evidence(other)
    assert_array_equal(evidence[0].novelty, evidence[1].novelty)
    forest = clf.rules_.variables.forest
    assert (forest.parent[:2] == -1).all()
    assert not np.isin(forest.parent, [0, 1]).any()
    gaps = other.assign(bmi=np.nan)
    positions = clf.rules_.variables.positions(clf.check_table(gaps))
    assert_array_equal(clf.decision.pool(positions).moderation, 1.0)
    text = str(clf.explain(other.iloc[[0]]))
    assert "age 1000 is outside 20 to 79" in text


@pytest.mark.parametrize("kind", KINDS)
def test_rules_have_conditions_that_are_open_at_one_side(kind):
    """The structure that the proof rests on, from what the conditions accept."""
    clf = fitted(kind)
    rules, order = clf.rules_, list(clf.constraints_.class_order)
    n_followed = 0
    for rule, asked in enumerate(rules.asked_features):
        signs = set()
        for feature in set(asked) & {0, 1}:
            accepts = accepted_terms(
                int(rules.conditions[rule, feature]), int(rules.variables.n_terms[feature])
            ).astype(int)
            assert (np.diff(accepts) >= 0).all() or (np.diff(accepts) <= 0).all()
            signs.add(clf.constraints_.monotonic[feature] * int(accepts[-1] - accepts[0]))
        for sign in signs:
            assert (sign * np.diff(rules.profile[rule][order]) >= 0).all()
            n_followed += 1
        assert len(signs) < 2
    assert n_followed > 1


def test_a_larger_model_follows_its_directions():
    """Rules have the structure of the proof, and records follow along all borders of an axis."""
    cancer = load_breast_cancer(as_frame=True)
    X, y = cancer.data, 1 - cancer.target
    wish = {name: 1 for name in X if name.startswith("worst")} | {"mean smoothness": -1}
    clf = EvidentialRuleClassifier(monotonic_cst=wish, penalty=1.0).fit(X, y)
    assert clf.constraints_.broken(clf.rules_) == []
    asked = np.flatnonzero(
        clf.rules_.asks.any(axis=0) & (np.array(clf.constraints_.monotonic) != 0)
    )
    assert len(asked) > 4
    for feature in asked.tolist():
        steps = borders(clf, feature)
        rows = np.repeat(X.to_numpy()[::10], len(steps), axis=0)
        rows[:, feature] = np.tile(steps, len(X[::10]))
        p = clf.predict_proba(pd.DataFrame(rows, columns=X.columns))[:, 1].reshape(-1, len(steps))
        assert (np.diff(p, axis=1) * clf.constraints_.monotonic[feature]).min() >= -1e-12


@pytest.mark.parametrize("kind", ["two", "several", "models"])
def test_models_elsewhere_answer_the_same(kind, tmp_path):
    clf = fitted(kind)
    X, _ = people(clf.classes_.size)
    X = X.assign(bmi=X["bmi"].where(X["age"] > 40), dose=X["dose"].where(X["age"] < 70))
    loaded = fuzzyucs.load(clf.save(tmp_path / "model.json"))
    assert loaded.constraints_ == clf.constraints_
    assert_array_equal(loaded.predict_proba(X), clf.predict_proba(X))
    assert_allclose(
        to_numpy(clf).predict_proba(clf.check_table(X)), clf.predict_proba(X), atol=1e-12
    )
    assert loaded.constraints_.broken(loaded.rules_) == []


def test_a_smaller_model_and_other_base_rates_keep_to_it():
    clf = fitted("two")
    for other in (clf.with_size(4), clf.with_base_rates([0.2, 0.8])):
        assert other.constraints_.broken(other.rules_) == []
        rows, length = grid(other, 0, (2,))
        assert min(np.diff(part, axis=1).min() for part in answers(other, rows, length)) >= -1e-12


def test_edited_rules_tell_what_does_not_hold_any_more(tmp_path):
    clf = fitted("two")
    rules = clf.rules_
    rule = int(np.flatnonzero(rules.asks[:, 0])[0])
    names = rules.variables.terms(0)
    with pytest.warns(UserWarning, match="a constraint does not hold any more: rule"):
        edited = rules.edit(rule, {"age": [names[1]]})
    model = clf.with_rules(edited)
    found = model.constraints_.broken(model.rules_)
    about = f"rule {rule} ({edited.condition(rule)})"
    assert found == [f"{about}: the condition on age is not open at one side"]
    assert describe(model)["broken"] == found
    assert describe(clf)["broken"] == []
    assert fuzzyucs.load(model.save(tmp_path / "model.json")).constraints_ == clf.constraints_
    turned = replace(rules, profile=-rules.profile)
    assert len(clf.constraints_.broken(turned)) == rules.asks[:, :2].any(axis=1).sum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rules.edit(rule, {"bmi": None}).drop(0).merge()


def test_a_step_of_a_profile_is_found_by_brute_force():
    """Profiles of several classes are the best ones that follow the order."""
    from scipy.optimize import minimize

    from fuzzyucs import _core

    rng = np.random.default_rng(0)
    n, order = 400, [1, 2, 0, 3]
    degrees = rng.random((n, 3))
    y = np.array(order)[
        np.clip((degrees @ [3, 1, -2] + rng.normal(0, 1, n)).round(), 0, 3).astype(int)
    ]
    neutral, penalty, signs = degrees.mean(axis=0), np.array([2.0, 3.0, 1.0]), [1, 1, -1]
    solver = _core.ClassProfiles(y.astype(np.uint32), np.ones(n), 4, None, order)
    for k in range(3):
        solver.add(degrees[:, k], neutral[k], penalty[k], signs[k])
    assert solver.fit(1e-10, 1000)

    def objective(steps):
        scores = np.tile(solver.log_shares(), (n, 1))
        for k in range(3):
            profile = np.zeros(4)
            profile[order] = np.concatenate([[0], np.cumsum(steps[3 * k : 3 * k + 3])])
            scores += np.outer(degrees[:, k] - neutral[k], profile)
        scores -= scores.max(axis=1, keepdims=True)
        own = scores[np.arange(n), y] - np.log(np.exp(scores).sum(axis=1))
        return -own.sum() + np.repeat(penalty, 3) @ np.abs(steps)

    bounds = [(0, 9)] * 6 + [(-9, 0)] * 3
    best = minimize(objective, np.repeat([0.1, 0.1, -0.1], 3), bounds=bounds, tol=1e-12)
    assert solver.objective == pytest.approx(best.fun, abs=1e-3)
    assert (np.diff(solver.profiles()[:2, order], axis=1) >= 0).all()
    assert (np.diff(solver.profiles()[2, order]) <= 0).all()
    assert (np.diff(solver.profiles()[0, order]) > 0.1).sum() > 1  # more than one step


def test_the_report_says_what_holds(open_page):
    clf = fitted("several")
    X, y = people(3)
    page = open_page(clf, X, y, report={"labels": {"age": "years", 2: "severe"}})
    card = page.locator("#facts").inner_text()
    assert "Holds for all records" in card
    assert (
        "the greater years, the more probable the higher of the classes class 0, class 1, severe"
        in card
    )
    rules = clf.rules_
    rule = int(np.flatnonzero(rules.asks[:, 0])[0])
    with pytest.warns(UserWarning, match="a constraint does not hold"):
        edited = rules.edit(rule, {"age": [rules.variables.terms(0)[1]]})
    card = open_page(clf.with_rules(edited), X, y).locator("#facts").inner_text()
    assert "Holds for all records" not in card
    assert "the condition on age is not open at one side" in card


# Features that may meet


def asked_sets(clf):
    return [set(asked) for asked in clf.rules_.asked_features]


@pytest.mark.parametrize(
    ("params", "allowed"),
    [
        (
            {"apart_features": [["age", "site"], ["bmi", "dose"]]},
            lambda s: not (s >= {0, 3} or s >= {1, 2}),
        ),
        ({"apart_features": [(0, "bmi", 3)]}, lambda s: len(s & {0, 2, 3}) < 2),
        ({"interaction_cst": [{"age", "bmi"}]}, lambda s: s <= {0, 2} or s <= {1, 3}),
        ({"interaction_cst": "no_interactions"}, lambda s: len(s) < 2),
        ({"interaction_cst": "pairwise"}, lambda s: len(s) < 3),
        ({"unused_features": ["site", 2]}, lambda s: s <= {0, 1}),
    ],
)
def test_rules_ask_for_what_is_allowed(params, allowed, tmp_path):
    X, y = people(2)
    free = EvidentialRuleClassifier(penalty=1.0).fit(X, y)
    assert not all(map(allowed, asked_sets(free)))
    clf = EvidentialRuleClassifier(penalty=1.0, **params).fit(X, y)
    assert all(map(allowed, asked_sets(clf)))
    assert len(clf.rules_) > 3
    assert clf.constraints_.broken(clf.rules_) == []
    if "pairwise" not in params.values() and "no_interactions" not in params.values():
        assert clf.constraints_.broken(free.rules_)
    loaded = fuzzyucs.load(clf.save(tmp_path / "model.json"))
    assert loaded.constraints_ == clf.constraints_


def test_answers_do_not_depend_on_unused_features():
    X, y = people(2)
    clf = EvidentialRuleClassifier(unused_features=["age", "site"]).fit(X, y)
    other = X.assign(age=1e6, site="unknown", bmi=np.nan)
    plain = X.assign(bmi=np.nan)
    for name in ("predict", "predict_proba"):
        assert_array_equal(getattr(clf, name)(other), getattr(clf, name)(plain))
    assert_array_equal(clf.predict_evidence(other).novelty, clf.predict_evidence(plain).novelty)
    assert "1000000" not in str(clf.explain(other.iloc[[0]]).verdict)


# Prices


@cache
def blood() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 800)
    copy = y + rng.normal(0, 0.7, 800)
    return pd.DataFrame({"scan": copy, "stick": copy, "extra": y + rng.normal(0, 1.5, 800)}), y


@pytest.mark.parametrize("dear", ["scan", "stick"])
def test_of_two_features_that_tell_the_same_the_cheap_one_is_asked_for(dear):
    X, y = blood()
    clf = EvidentialRuleClassifier(feature_costs={dear: 10}).fit(X, y)
    asked = set(X.columns[clf.rules_.asks.any(axis=0)])
    assert dear not in asked
    assert {"scan", "stick"} & asked
    assert clf.price_ == 0


def test_a_price_is_paid_if_it_is_worth_it():
    X, y = blood()
    prices = []
    for weight in (1e-6, 0.003, 10.0):
        clf = EvidentialRuleClassifier(feature_costs=[10, 10, 1], cost_weight=weight).fit(X, y)
        prices.append(clf.price_)
        asked = clf.rules_.asks.any(axis=0)
        assert clf.price_ == np.array([10, 10, 1])[asked].sum()
    assert prices[0] >= prices[1] > prices[2] == 0
    assert prices[1] in (10, 11)  # not for both that tell the same


# What is refused


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"monotonic_cst": {"agee": 1}},
            "monotonic_cst must name features by name or number, got 'agee'",
        ),
        ({"monotonic_cst": {"age": 2}}, "monotonic_cst must be -1, 0 or 1 for 'age', got 2"),
        ({"monotonic_cst": {"age": True}}, "monotonic_cst must be -1, 0 or 1 for 'age', got True"),
        ({"monotonic_cst": {"age": "up"}}, "monotonic_cst must be -1, 0 or 1 for 'age', got 'up'"),
        ({"monotonic_cst": [1, 0]}, "one value for each of the 4 features"),
        ({"monotonic_cst": {"age": 1, 0: -1}}, "monotonic_cst names 'age' twice"),
        ({"monotonic_cst": {"site": 1}}, "monotonic_cst names 'site', which is nominal"),
        (
            {"monotonic_cst": {"dose": 1}, "nominal_features": ["dose"]},
            "monotonic_cst names 'dose', which is nominal",
        ),
        ({"class_order": ["a", "b"]}, "class_order must have each of the class labels"),
        ({"class_order": [0, 0]}, "class_order must have each of the class labels"),
        ({"apart_features": [["age"]]}, "apart_features must have sets of two features and more"),
        ({"apart_features": ["age"]}, "apart_features must be a list of features, got 'age'"),
        ({"apart_features": [["age", "x"]]}, "apart_features must name features"),
        ({"interaction_cst": [[]]}, "interaction_cst must have sets of a feature and more"),
        ({"interaction_cst": "none"}, "interaction_cst"),
        ({"unused_features": ["age", "dose", "bmi", "site"]}, "unused_features must leave"),
        (
            {"unused_features": ["age"], "monotonic_cst": WISH},
            "monotonic_cst and unused_features contradict each other: both name 'age'",
        ),
        ({"feature_costs": {"age": -1}}, "feature_costs must be a number from 0 on for 'age'"),
        ({"feature_costs": {"age": np.inf}}, "feature_costs must be a number from 0 on"),
        ({"cost_weight": 0}, "cost_weight"),
    ],
)
def test_wrong_constraints_are_refused(params, message):
    X, y = people(2)
    clf = EvidentialRuleClassifier(**params)
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        clf.fit(X, y)
    assert not hasattr(clf, "rules_")


def test_words_for_classes_need_an_order():
    X, y = people(3)
    words = np.array(["low", "medium", "high"])[y]
    clf = EvidentialRuleClassifier(monotonic_cst=WISH, penalty=8.0)
    with pytest.raises(ValueError, match="monotonic_cst needs class_order, the 3 class labels"):
        clf.fit(X, words)
    clf.set_params(class_order=["low", "medium", "high"]).fit(X, words)
    other = EvidentialRuleClassifier(monotonic_cst=WISH, penalty=8.0).fit(X, y)
    assert clf.constraints_.class_order == (1, 2, 0)
    assert_allclose(clf.predict_proba(X)[:, [1, 2, 0]], other.predict_proba(X), atol=1e-6)
    assert (
        "the higher of the classes low, medium, high" in clf.constraints_.sentences(clf.classes_)[0]
    )


def test_constraints_of_a_file_are_checked(tmp_path):
    path = fitted("two").save(tmp_path / "model.json")
    document = json.loads(path.read_text())
    for key, value, message in (
        ("monotonic", [1, 2, 0, 0], "monotonic"),
        ("monotonic", [1], "monotonic"),
        ("class_order", [0, 0], "each class once"),
        ("apart", [[0, 9]], "apart"),
        ("unused", [1, 1], "different features"),
        ("costs", [1.0], "costs"),
        ("cost_weight", -1, "cost_weight"),
        ("other", 1, "unknown keys"),
    ):
        wrong = json.loads(json.dumps(document))
        wrong["rule_set"]["constraints"][key] = value
        path.write_text(json.dumps(wrong))
        with pytest.raises(ValueError, match=message):
            fuzzyucs.load(path)


def test_nothing_asked_is_nothing_remembered():
    X, y = people(2)
    clf = EvidentialRuleClassifier(penalty=8.0).fit(X, y)
    assert clf.constraints_ is None
    assert clf.price_ == 0
    assert describe(clf)["constraints"] == []
    zeros = clone(clf).set_params(monotonic_cst=[0, 0, 0, 0]).fit(X, y)
    assert isinstance(zeros.constraints_, Constraints)
    assert_array_equal(zeros.predict_proba(X), clf.predict_proba(X))
