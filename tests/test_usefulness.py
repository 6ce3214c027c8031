"""Evaluation: whether a model is of use, beside others and class by class."""

import json
import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import classification_report, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from statsmodels.stats.proportion import proportion_confint
from threadpoolctl import threadpool_limits

from command_line import call
from fuzzyucs import load
from fuzzyucs.cli.cross_validation import common_measures
from fuzzyucs.cli.measuring import Measuring
from fuzzyucs.cli.usefulness import areas, interval

N_ROWS = 1500


def rare_table(seed=0, is_noise=False):
    """Return a table in which 2 % of the rows are ill."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 3)), columns=["age", "dose", "noise"])
    score = X["noise" if is_noise else "age"] + 0 * X["dose"] + rng.normal(scale=0.4, size=N_ROWS)
    X["sex"] = rng.choice(["f", "m"], N_ROWS)
    X["ill"] = np.where(score >= np.quantile(score, 0.98), "yes", "no")
    if is_noise:
        X["ill"] = rng.permutation(X["ill"])
    return X


@pytest.fixture
def say(capsys):
    return partial(call, capsys)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("rare") / "rare.csv"
    rare_table().to_csv(path, index=False)
    return path


@pytest.mark.parametrize(("part", "whole"), [(0, 5), (3, 20), (20, 20), (7, 1000)])
def test_intervals_are_those_of_statsmodels(part, whole):
    expected = proportion_confint(part, whole, method="wilson")
    assert interval(part, whole) == pytest.approx(expected, abs=1e-9)
    assert all(map(math.isnan, interval(0, 0)))


def test_areas_are_those_of_each_class_against_the_others():
    rng = np.random.default_rng(0)
    truth, p = rng.integers(0, 3, 200), rng.dirichlet([1, 1, 1, 1], 200)
    for i, area in enumerate(areas(truth, p)[:3]):
        higher = p[truth == i, i][:, np.newaxis] > p[truth != i, i]  # no two are equal
        assert area == pytest.approx(higher.mean())
    assert math.isnan(areas(truth, p)[3])
    binary = rng.dirichlet([1, 1], 200)
    is_one = truth > 0
    assert areas(is_one.astype(int), binary)[1] == pytest.approx(
        roc_auc_score(is_one, binary[:, 1])
    )


def test_one_look_tells_whether_a_model_is_of_use(say, table):
    status, out, _ = say("evaluate", table, "--target", "ill", "--folds", "3", "-q")
    assert status == 0
    first = out.partition("\n\n")[0].replace("\n", " ")
    assert first.startswith("Of use: log loss 0.")
    assert "Always answering 'no' would be right in 98.0 % of the rows, the model is in 9" in first
    assert "'yes' is rare, 2 % of the rows: " in first
    header = next(line for line in out.splitlines() if line.startswith("class"))
    assert header.split() == ["class", "rows", "recall", "95", "%", "precision", "95", "%", "AUC"]


def test_a_model_of_noise_is_not_of_use(say, tmp_path):
    rare_table(is_noise=True).to_csv(tmp_path / "noise.csv", index=False)
    status, out, _ = say(
        "evaluate", tmp_path / "noise.csv", "--target", "ill", "-q", "--folds", "3"
    )
    assert status == 0
    assert out.startswith(("Of no use: log loss", "Not shown to be of use: log loss"))


def test_figures_of_classes_are_those_of_scikit_learn(say, table):
    model = table.parent / "model.json"
    assert say("fit", table, "--target", "ill", "-o", model, "-q")[0] == 0
    rare_table(1).to_csv(table.parent / "test.csv", index=False)
    status, out, _ = say(
        "evaluate", model, table.parent / "test.csv", "--target", "ill", "--json", "-q"
    )
    assert status == 0
    found = json.loads(out)
    clf, frame = load(model), rare_table(1)
    truth, X = frame.pop("ill"), frame
    said, p = clf.predict(X), clf.predict_proba(X)
    expected = classification_report(truth, said, output_dict=True, zero_division=0)
    for own in found["classes"]:
        report = expected[own["class"]]
        assert own["rows"] == report["support"]
        assert own["recall"] == pytest.approx(report["recall"])
        assert (own["precision"] or 0) == pytest.approx(report["precision"])
        is_own = (truth == own["class"]).to_numpy()
        n_found = int((is_own & (said == own["class"])).sum())
        for name, whole in (("recall", is_own), ("precision", said == own["class"])):
            if not whole.any():  # no answer with this class
                assert own[name] is own[f"{name}_interval"] is None
                continue
            ends = proportion_confint(n_found, int(whole.sum()), method="wilson")
            assert own[f"{name}_interval"] == pytest.approx(list(ends), abs=1e-9)
        i = list(clf.classes_).index(own["class"])
        assert own["auc"] == pytest.approx(roc_auc_score(is_own, p[:, i]))
    assert found["measures"]["auc"] == pytest.approx(roc_auc_score(truth, p[:, 1]))
    assert found["measures"]["log_loss"] == pytest.approx(log_loss(truth, p))
    assert found["of_use"] is True


def test_usefulness_of_pieces_is_that_of_all_rows(table, monkeypatch):
    frame = rare_table(2)
    truth = frame.pop("ill").to_numpy()
    model = table.parent / "pieces.json"
    from fuzzyucs import EvidentialRuleClassifier

    clf = EvidentialRuleClassifier().fit(frame, truth)
    clf.save(model)
    measuring = Measuring(clf)
    for part in np.array_split(np.arange(N_ROWS), 7):
        measuring.add(clf.answer(frame.iloc[part]), truth[part])
    useful = measuring.usefulness()
    p = clf.predict_proba(frame)
    is_ill = truth == "yes"
    share = np.where(is_ill, is_ill.mean(), 1 - is_ill.mean())
    own = np.where(is_ill, p[:, 1], p[:, 0])
    gain = np.log(own) - np.log(share)
    assert useful.loss == pytest.approx(-np.log(own).mean())
    assert useful.loss_of_shares == pytest.approx(-np.log(share).mean())
    assert useful.error == pytest.approx(gain.std(ddof=1) / np.sqrt(N_ROWS), rel=1e-6)
    monkeypatch.setattr("fuzzyucs.cli.measuring.MOST_PROBABILITIES", 100)
    large = Measuring(clf)
    large.add(clf.answer(frame), truth)
    assert "auc" not in large.measures()
    assert large.usefulness().loss == pytest.approx(useful.loss)


def test_another_classifier_stands_beside_ours(say, table):
    arguments = ["evaluate", table, "--target", "ill", "--folds", "3", "--seed", "5", "-q"]
    with threadpool_limits(1):  # threads that wait for a busy processor take minutes
        status, out, _ = say(*arguments, "--beside", "rf", "--beside", "hgb")
    assert status == 0
    assert "this model" in out
    assert "random forest" in out
    assert "boosted trees" in out
    _, out, _ = say(*arguments, "--beside", "rf", "--json")
    found = json.loads(out)["beside"]["random forest"]["accuracy"]["folds"]
    frame = rare_table()
    y = frame.pop("ill").to_numpy()
    X = frame.assign(sex=(frame["sex"] == "m").astype(float))[["sex", "age", "dose", "noise"]]
    folds = StratifiedKFold(3, shuffle=True, random_state=5).split(X, y)
    expected = [
        RandomForestClassifier(random_state=5).fit(X.iloc[a], y[a]).score(X.iloc[b], y[b])
        for a, b in folds
    ]
    assert found == pytest.approx(expected)
    status, _, err = say(*arguments, "--beside", "svm")
    assert status == 2
    assert "--beside" in err


def test_costs_are_measured():
    p = np.array([[0.9, 0.1], [0.6, 0.4]])
    costs = [[0.0, 10.0], [1.0, 0.0]]  # to miss the second class costs ten
    classes = np.array(["ill", "well"])
    found = common_measures(np.array(["ill", "well"]), p, classes, costs)
    # 0.9 * 0 + 0.1 * 10 = 1 > 0.9: both decisions are "well".
    assert found["cost"] == pytest.approx(0.5)


def test_training_options_are_refused_with_a_model(say, table):
    model = table.parent / "other.json"
    assert say("fit", table, "--target", "ill", "-o", model, "-q", "--max-rules", "3")[0] == 0
    for options in (["--beside", "rf"], ["--costs", "yes=3"]):
        status, _, err = say("evaluate", model, table, "--target", "ill", *options)
        assert status == 2
        assert options[0] in err


def test_advice_on_rare_classes_is_for_rare_classes(say, table, tmp_path):
    _, out, _ = say("evaluate", table, "--target", "ill", "--folds", "2", "-q", "--max-rules", "1")
    assert "'yes' is rare" in out
    assert "Rare classes are found more often" in out
    even = rare_table(is_noise=True).assign(ill=["yes", "no"] * (N_ROWS // 2))
    even.to_csv(tmp_path / "even.csv", index=False)
    _, out, _ = say("evaluate", tmp_path / "even.csv", "--target", "ill", "--folds", "2", "-q")
    assert "is rare" not in out
    assert "Rare classes" not in out
