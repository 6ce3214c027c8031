"""Rare classes: decisions by equal base rates and by costs, also on the command line."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from command_line import call, fruit_table, rows_in
from fuzzyucs import EvidentialRuleClassifier, load
from fuzzyucs.deployment.description import describe, to_numpy
from fuzzyucs.report.measure import report_data


def rare_table(n_rare=25):
    """Return breast cancer with few malignant tumours (class 0)."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = np.r_[rng.choice(np.flatnonzero(y == 0), n_rare, replace=False), np.flatnonzero(y == 1)]
    return X[rows], y[rows]


def make(**options):
    return EvidentialRuleClassifier(**{"random_state": 0, "penalty": 2.0} | options)


@pytest.fixture(scope="module")
def rare():
    X, y = rare_table()
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    return make().fit(X, y), X, y, X_test, y_test


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    keep = (y != 2) | (np.arange(len(y)) % 5 == 0)
    X, y = X[keep], np.array(["barolo", "grignolino", "barbera"])[y[keep]]
    return make().fit(X, y), X, y


def by_bayes(p, old, new):
    """Return probabilities for other shares of the classes, by Bayes' rule, row by row."""
    found = []
    for row in p:
        odds = [share / was * now for share, was, now in zip(row, old, new, strict=True)]
        found.append([value / sum(odds) for value in odds])
    return np.array(found)


def test_equal_base_rates_are_numbers_after_fit(wine):
    clf, X, y = wine
    for other in (clf.with_base_rates("equal"), make(base_rates="equal").fit(X, y)):
        assert_array_equal(other.base_rates_, np.full(3, 1 / 3))
        assert other.get_params()["base_rates"] == "equal"
        assert "Without evidence: barbera 33 %, barolo 33 %, grignolino 33 %" in str(
            other.rules_.to_text()
        )
        assert_array_equal(other.predict_proba(np.full((1, X.shape[1]), np.nan)), [[1 / 3] * 3])
    assert clf.base_rates == "train"
    assert_allclose(clf.base_rates_, np.unique(y, return_counts=True)[1] / len(y))


def test_equal_base_rates_are_those_of_the_numbers(wine):
    clf, X, y = wine
    equal, numbers = clf.with_base_rates("equal"), clf.with_base_rates([1 / 3] * 3)
    fitted = make(base_rates="equal", class_weight={"barolo": 3.0}).fit(X, y)
    assert_array_equal(fitted.base_rates_, [1 / 3] * 3)  # whatever weights say
    one, other = equal.predict_evidence(X), numbers.predict_evidence(X)
    for name in ("mass", "ignorance", "probability", "verdict"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert_array_equal(clone(equal).fit(X, y).predict_proba(X), equal.predict_proba(X))


def test_probabilities_follow_bayes_rule():
    """Rules of the model say likelihoods: only the shares of the classes change."""
    X, y = rare_table()
    clf = make(support=None).fit(X, y)
    share = np.mean(y == 0)
    expected = by_bayes(clf.predict_proba(X), [share, 1 - share], [0.5, 0.5])
    assert_allclose(clf.with_base_rates("equal").predict_proba(X), expected, rtol=1e-9)


def test_balanced_accuracy_goes_up(rare):
    clf, _, _, X, y = rare
    before, after = clf.predict(X), clf.with_base_rates("equal").predict(X)
    assert (y == 0).sum() < 15
    assert balanced_accuracy_score(y, after) > balanced_accuracy_score(y, before) + 0.02
    assert ((after == 0) >= (before == 0)).all()  # alarms are added, none is lost
    assert (after == 0).sum() > (before == 0).sum()


def test_equal_base_rates_weigh_errors_by_the_rarity_of_the_class():
    """To decide by equal base rates is to let an error cost 1 / share of the true class."""
    X, y = rare_table()
    clf = make(support=None).fit(X, y)
    share = np.mean(y == 0)
    decided = clf.predict_evidence(X).decide([[0, 1 / (1 - share)], [1 / share, 0]])
    assert_array_equal(decided, clf.with_base_rates("equal").predict(X))


def test_many_classes_have_rates_that_sum_to_one():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(49), 5)  # 49 * (1 / 49) is not 1 in floating point
    clf = make(penalty=50.0, max_rules=3).fit(rng.normal(size=(len(y), 2)) + y[:, np.newaxis], y)
    equal = clf.with_base_rates("equal")
    assert_allclose(equal.predict_proba(np.full((1, 2), np.nan)), [[1 / 49] * 49], rtol=1e-12)


def test_files_and_exports_have_the_numbers(wine, tmp_path):
    clf, X, _ = wine
    equal = clf.with_base_rates("equal")
    equal.save(tmp_path / "model.json")
    stored = json.loads((tmp_path / "model.json").read_text())
    assert stored["parameters"]["base_rates"] == "equal"
    assert stored["rule_set"]["base_rates"] == [1 / 3] * 3
    loaded = load(tmp_path / "model.json")
    assert loaded.base_rates == "equal"
    assert_array_equal(loaded.base_rates_, equal.base_rates_)
    expected = equal.predict_proba(X)
    assert_array_equal(loaded.predict_proba(X), expected)
    assert describe(equal)["base_rates"] == [1 / 3] * 3
    assert_allclose(to_numpy(equal).predict_proba(X), expected, rtol=0, atol=1e-9)


def test_onnx_has_the_numbers(wine):
    runtime = pytest.importorskip("onnxruntime")
    from fuzzyucs.deployment.onnx.export import to_onnx

    clf, X, _ = wine
    equal = clf.with_base_rates("equal")
    session = runtime.InferenceSession(to_onnx(equal).SerializeToString())
    (found,) = session.run(["probabilities"], {"X": X})
    assert_allclose(found, equal.predict_proba(X), rtol=0, atol=1e-9)


def test_the_page_tells_where_they_come_from(rare):
    _, X, y, *_ = rare
    frame = pd.DataFrame(X, columns=load_breast_cancer().feature_names)
    named = make().fit(frame, y).with_base_rates("equal")
    assert report_data(named, frame, y)["card"]["base_rates_are"] == "the same for all classes"


# The command line


@pytest.fixture
def say(capsys):
    return partial(call, capsys)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table of many pears and few plums, and a model of it."""
    folder = tmp_path_factory.mktemp("fruit")
    head, *lines = fruit_table(240).splitlines()
    rows = [line for i, line in enumerate(lines) if line.endswith("pear") or i % 12 == 1]
    (folder / "fruit.csv").write_text("\n".join([head, *rows]) + "\n")
    frame = pd.read_csv(folder / "fruit.csv")
    clf = make(penalty=8.0).fit(frame[["weight", "colour"]], frame["fruit"])
    clf.save(folder / "model.json")
    return folder


def features(folder):
    return pd.read_csv(folder / "fruit.csv")[["weight", "colour"]]


@pytest.mark.parametrize(
    ("option", "rates"), [("equal", [0.5, 0.5]), ("plum=0.8,pear=0.2", [0.2, 0.8])]
)
def test_predict_by_other_base_rates(folder, say, option, rates):
    model, data = folder / "model.json", folder / "fruit.csv"
    status, out, _ = say("predict", model, data, "--base-rates", option, "--json", "-q")
    assert status == 0
    records = json.loads(out)
    evidence = load(model).with_base_rates(rates).predict_evidence(features(folder))
    for k, label in enumerate(["pear", "plum"]):
        found = [record[f"probability of {label}"] for record in records]
        assert_allclose(found, evidence.probability[:, k], atol=1e-12)
        assert {record[f"base rate of {label}"] for record in records} == {rates[k]}
    plain = json.loads(say("predict", model, data, "--json", "-q")[1])
    name = "probability of plum"
    assert all(a[name] <= b[name] for a, b in zip(plain, records, strict=True))
    assert any(a[name] < b[name] - 0.1 for a, b in zip(plain, records, strict=True))
    status, out, _ = say(
        "explain", model, data, "--row", "3", "--base-rates", option, "--json", "-q"
    )
    assert status == 0
    assert list(json.loads(out)["base_rates"].values()) == rates
    assert "decision" not in records[0]


def test_predict_by_costs(folder, say):
    model, data = folder / "model.json", folder / "fruit.csv"
    status, out, _ = say("predict", model, data, "--costs", "plum=30", "-q")
    assert status == 0
    rows = rows_in(out)
    assert list(rows[0])[:3] == ["prediction", "decision", "verdict"]
    p = load(model).predict_proba(features(folder))[:, 1]
    clear = np.abs(p - 1 / 31) > 1e-5
    assert_array_equal(
        np.array([row["decision"] for row in rows])[clear],
        np.where(p > 1 / 31, "plum", "pear")[clear],
    )
    assert [row["prediction"] for row in rows] == np.where(p > 0.5, "plum", "pear").tolist()
    assert any(row["prediction"] != row["decision"] for row in rows)
    plain = rows_in(say("predict", model, data, "-q")[1])
    assert [{k: v for k, v in row.items() if k != "decision"} for row in rows] == plain


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--base-rates", "plum=1"], "--base-rates: 'pear' has no share"),
        (["--base-rates", "even"], "--base-rates: expected LABEL=NUMBER, got 'even'"),
        (["--base-rates", "train"], "--base-rates: expected LABEL=NUMBER, got 'train'"),
        (["--base-rates", "pear=1,plum=1"], "at least 0 and sum to 1, got pear=1,plum=1"),
        (["--costs", "plump=3"], "got 'plump'; did you mean 'plum'?"),
        (["--costs", "plum=-3"], "--costs: 'plum' must have a finite cost of at least 0, got -3"),
        (["--costs", "plum=inf"], "a finite cost of at least 0, got inf"),
        (["--costs", "plum=nan"], "a finite cost of at least 0, got nan"),
    ],
)
def test_options_that_make_no_sense(folder, say, options, message):
    status, out, err = say("predict", folder / "model.json", folder / "fruit.csv", "-q", *options)
    assert (status, out) == (2, "")
    assert message in err


def test_models_without_base_rates_have_costs_alone(folder, say, tmp_path):
    data, model = folder / "fruit.csv", tmp_path / "model.json"
    assert (
        say("fit", data, "--target", "fruit", "--estimator", "fuzzyucs", "-o", model, "-q")[0] == 0
    )
    status, _, err = say("predict", model, data, "--base-rates", "equal", "-q")
    assert status == 2
    assert "--base-rates: the model has no base rates" in err
    status, out, _ = say("predict", model, data, "--costs", "plum=1000", "-q")
    assert status == 0
    expected = load(model).predict_evidence(features(folder)).decide([[0, 1000], [1, 0]])
    assert [row["decision"] for row in rows_in(out)] == expected.tolist()


def test_evaluate_measures_what_counts_for_rare_classes(folder, say):
    evaluate = ["evaluate", folder / "fruit.csv", "--target", "fruit", "--folds", "2", "-q"]
    status, out, _ = say(*evaluate)
    assert status == 0
    assert "macro F1" in out
    assert "balanced accuracy" in out
    X, y = features(folder), pd.read_csv(folder / "fruit.csv")["fruit"].to_numpy()
    for options, parameters in ([], {}), (["--base-rates", "equal"], {"base_rates": "equal"}):
        found = json.loads(say(*evaluate, "--json", *options)[1])["measures"]
        balanced, f1 = [], []
        for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(X, y):
            clf = EvidentialRuleClassifier(random_state=0, **parameters).fit(
                X.iloc[train], y[train]
            )
            answers = clf.predict(X.iloc[test])
            balanced.append(
                np.mean([(answers[y[test] == c] == c).mean() for c in ("pear", "plum")])
            )
            f1.append(f1_score(y[test], answers, average="macro"))
        assert_allclose(found["balanced_accuracy"]["folds"], balanced)
        assert_allclose(found["macro_f1"]["folds"], f1)


def test_a_model_can_be_learned_with_equal_base_rates(folder, say, tmp_path):
    model = tmp_path / "model.json"
    fit = ["fit", folder / "fruit.csv", "--target", "fruit", "-o", model, "-q"]
    status, out, _ = say(*fit, "--base-rates", "equal")
    assert status == 0
    assert "Without evidence: pear 50 %, plum 50 %" in out
    assert load(model).base_rates == "equal"
