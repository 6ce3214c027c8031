"""The report as a file: what it holds, how large it is, and what it does not let through."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix, log_loss

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier, report
from fuzzyucs.cli.main import main
from fuzzyucs.report import report_page
from fuzzyucs.report.measure import report_data
from fuzzyucs.report.page import SCRIPTS

FRAME, Y = load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def clf():
    return EvidentialRuleClassifier(random_state=0).fit(FRAME[::2], Y[::2])


def data_in(page):
    (text,) = re.findall('<script type="application/json" id="data">(.*?)</script>', page)
    return json.loads(text)


def test_measures_are_those_of_other_libraries(clf):
    X, y = FRAME[1::2], Y[1::2]
    found = report_data(clf, X, y)["performance"]
    p = clf.predict_proba(X)
    assert found["accuracy"] == pytest.approx(clf.score(X, y))
    assert found["interval"][0] < found["accuracy"] < found["interval"][1]
    own = p[np.arange(len(y)), y]
    assert log_loss(y, p) == pytest.approx(-np.log(own).mean())
    assert found["log_loss"] == pytest.approx(-np.log(np.maximum(own, 1e-3)).mean())
    assert found["confusion"] == confusion_matrix(y, clf.predict(X)).tolist()
    assert found["coverage"][-1] == 1
    assert found["risk"][-1] == pytest.approx(1 - clf.score(X, y))
    assert found["ignorance"] == pytest.approx(clf.predict_evidence(X).ignorance.mean())


def test_verdicts_are_counted(clf):
    found = report_data(clf, FRAME, Y)["performance"]
    evidence, right = clf.predict_evidence(FRAME), clf.predict(FRAME) == Y
    table = pd.DataFrame({"verdict": evidence.verdict, "reason": evidence.reason, "right": right})
    expected = table.groupby(["verdict", "reason"])["right"].agg(["size", "sum"])
    assert len(found["verdicts"]) == len(expected) > 2
    for row in found["verdicts"]:
        assert [row["rows"], row["right"]] == expected.loc[row["verdict"], row["reason"]].tolist()


def test_belief_is_measured_beside_probability(clf):
    found = report_data(clf, FRAME, Y)["performance"]
    evidence, right = clf.predict_evidence(FRAME), (clf.predict(FRAME) == Y).to_numpy()
    believed = np.take_along_axis(
        evidence.belief, evidence.probability.argmax(axis=1)[:, np.newaxis], axis=1
    )[:, 0]
    bins = pd.cut(believed, np.linspace(0, 1, 11), include_lowest=True)
    table = pd.DataFrame({"right": right, "belief": believed}).groupby(bins, observed=True)
    means, size = table.mean(), table.size()
    accuracy, belief, share = found["belief_reliability"]
    assert_allclose(accuracy, means["right"])
    assert_allclose(belief, means["belief"])
    assert_allclose(share, size / len(FRAME))
    error = (abs(means["right"] - means["belief"]) * size).sum() / len(FRAME)
    assert found["belief_calibration_error"] == pytest.approx(error)


def test_answers_are_counted_by_class(clf):
    found = report_data(clf, FRAME, Y)["performance"]["answers_by_class"]
    evidence = clf.predict_evidence(FRAME)
    said = np.where(evidence.verdict == "answer", clf.predict(FRAME), 2)
    assert found == confusion_matrix(Y, said, labels=[0, 1, 2])[:2].tolist()
    assert all(row[2] for row in found)


def test_models_without_base_rates_have_no_verdicts():
    model = FuzzyUCSClassifier(epochs=1, random_state=0).fit(FRAME, Y)
    data = report_data(model, FRAME, Y)
    assert data["performance"]["verdicts"] is None
    assert data["performance"]["answers_by_class"] is None
    assert data["performance"]["belief_reliability"] is None
    assert data["card"]["base_rates_are"] is None


@pytest.mark.parametrize(
    ("options", "weight", "expected"),
    [
        ({}, None, "shares of the training data"),
        ({"base_rates": [0.2, 0.8]}, None, "given"),
        (
            {"class_weight": "balanced"},
            None,
            "weighted by class_weight='balanced'; of its rows: class 0",
        ),
        ({}, 1.0 + Y, "weighted by sample weights; of its rows: class 0 37 %, class 1 63 %"),
    ],
)
def test_the_card_tells_where_base_rates_come_from(options, weight, expected):
    model = EvidentialRuleClassifier(random_state=0, penalty=20.0, **options)
    model.fit(FRAME, Y, sample_weight=weight)
    assert expected in report_data(model, FRAME, Y)["card"]["base_rates_are"]


def test_data_are_evaluated_once(clf, monkeypatch):
    """Labels, probabilities and evidence come from a single inference."""
    given = SimpleNamespace(
        labels=clf.predict(FRAME),
        probability=clf.predict_proba(FRAME),
        evidence=clf.predict_evidence(FRAME),
    )
    calls = []

    def answer(_clf, X):
        calls.append(len(X))
        return given

    def refuse(_clf, _X):
        raise AssertionError("one more inference")

    monkeypatch.setattr(type(clf), "answer", answer, raising=False)
    for name in ("predict", "predict_proba", "predict_evidence"):
        monkeypatch.setattr(type(clf), name, refuse)
    found = report_data(clf, FRAME, Y)["performance"]
    assert calls == [len(FRAME)]
    assert found["accuracy"] == np.mean(given.labels == Y)


def test_rules_and_features_are_measured(clf):
    X, y = FRAME[1::2], Y[1::2]
    data = report_data(clf, X, y)
    rules = clf.rules_
    holds = rules.variables.holds(rules.conditions, X.to_numpy())
    assert_allclose(data["rules"]["coverage"], holds.mean(axis=0))
    for rule, share in enumerate(data["rules"]["accuracy"]):
        own = y.to_numpy()[holds[:, rule]] == rules.named_class[rule]
        assert share == (pytest.approx(own.mean()) if len(own) else None)
    assert_allclose(data["rules"]["evidence"], rules.evidence)
    assert_allclose(data["importance"], clf.feature_importances_)
    for feature, name in zip(data["features"], FRAME.columns, strict=True):
        assert_allclose(feature["edges"], np.linspace(X[name].min(), X[name].max(), 25))
        assert feature["counts"] == np.histogram(X[name], feature["edges"])[0].tolist()
        assert feature["usual"] in X[name].to_numpy()
        by_class = [np.histogram(X[name][y == c], feature["edges"])[0].tolist() for c in (0, 1)]
        assert feature["class_counts"] == by_class


def test_a_model_with_a_hundred_rules_fits_into_two_megabytes(tmp_path):
    X, y = make_classification(1000, 60, n_informative=20, n_classes=3, random_state=0)
    clf = EvidentialRuleClassifier(random_state=0, penalty=1.0).fit(X, y)
    assert len(clf.rules_) >= 100
    assert clf.report(X, y, tmp_path / "page.html").stat().st_size < 2_000_000


def test_every_script_is_part_of_the_page(clf):
    folder = Path(report.__file__).parent / "scripts"
    assert sorted(path.stem for path in folder.iterdir()) == sorted(SCRIPTS)
    page = report_page(clf, FRAME, Y)
    for name in SCRIPTS:
        assert (folder / f"{name}.js").read_text(encoding="utf-8") in page


def test_nothing_points_out_of_the_page(clf):
    page = report_page(clf, FRAME, Y)
    outside = set(re.findall(r"https?://[^\s\"']+", page))
    assert outside == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert "default-src 'none'" in page
    assert not re.search(r"<(script|img|link)[^>]*\bsrc=", page)


def test_no_record_is_in_the_page():
    X = np.random.default_rng(0).normal(size=(200, 3))
    clf = EvidentialRuleClassifier(random_state=0).fit(X, X[:, 0] > 0)
    page = report_page(clf, X, X[:, 0] > 0)
    values = set(np.round(X.ravel(), 12).tolist())
    numbers = {round(float(text), 12) for text in re.findall(r"-?\d+\.\d{9,}", page)}
    # Extremes, medians and quantiles are values of some rows, but few of them.
    assert len(values & numbers) < 40


@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "%%data%%", "<!--", "a&b"])
def test_names_cannot_leave_the_data(name):
    X = pd.DataFrame({name: np.arange(40.0), "other": np.arange(40.0) % 7})
    y = np.where(np.arange(40) > 20, name, "no")
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    page = report_page(clf, X, y, title=name, description=name)
    plain = report_page(clf, X, y, title="t")
    assert page.count("<script") == plain.count("<script")
    data = data_in(page)
    assert data["title"] == data["description"] == data["model"]["features"][0]["name"] == name


@pytest.mark.parametrize(
    "model",
    [
        FuzzyUCSClassifier(epochs=2, random_state=0),
        UCSClassifier(epochs=2, random_state=0),
        EvidentialRuleClassifier(random_state=0, penalty=1e6),  # without a rule
    ],
    ids=["fuzzy", "ucs", "no rules"],
)
def test_every_estimator_has_a_report(model):
    model.fit(FRAME, Y)
    data = data_in(report_page(model, FRAME, Y))
    assert len(data["model"]["rules"]) == len(model.deciding_rules)
    assert data["card"]["estimator"] == type(model).__name__


def test_missing_columns_and_constants_are_no_problem():
    X = np.column_stack([np.arange(50.0), np.full(50, np.nan), np.ones(50)])
    clf = EvidentialRuleClassifier(random_state=0).fit(X, X[:, 0] > 20)
    features = data_in(report_page(clf, X, X[:, 0] > 20))["features"]
    assert [f["missing"] for f in features] == [0, 1, 0]
    assert features[1]["usual"] is None
    assert features[2]["usual"] == 1


def test_mistakes_get_clear_errors(clf, tmp_path):
    path = tmp_path / "page.html"
    with pytest.raises(NotFittedError):
        EvidentialRuleClassifier().report(FRAME, Y, path)
    with pytest.raises(ValueError, match="labels that are not in classes"):
        clf.report(FRAME, Y + 5, path)
    with pytest.raises(ValueError, match="feature names"):
        clf.report(FRAME.rename(columns={"mean radius": "radius"}), Y, path)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        clf.report(FRAME, Y[:10], path)
    with pytest.raises(IsADirectoryError, match="path must name a file"):
        clf.report(FRAME, Y, tmp_path)
    with pytest.raises(FileNotFoundError, match="no folder"):
        clf.report(FRAME, Y, tmp_path / "nowhere" / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_report_leaves_the_old_one(clf, tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("old")
    path.chmod(0o640)
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk")))
    with pytest.raises(OSError, match="disk"):
        clf.report(FRAME, Y, path)
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    assert path.read_text() == "old"
    monkeypatch.undo()
    assert clf.report(FRAME, Y, path) == path
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert path.stat().st_mode & 0o777 == 0o640


def test_the_command_writes_a_report(tmp_path, capsys):
    FRAME.assign(outcome=Y).to_csv(tmp_path / "cells.csv", index=False)
    target = tmp_path / "cells.html"
    command = ["report", str(tmp_path / "cells.csv"), "--target", "outcome", "-o", str(target)]
    assert main(command) == 0
    assert str(target) in capsys.readouterr().out
    data = data_in(target.read_text(encoding="utf-8"))
    assert data["title"] == "cells"
    assert data["performance"]["rows"] == 143
    assert data["performance"]["accuracy"] > 0.9


def test_the_command_names_mistakes(tmp_path, capsys):
    path = tmp_path / "cells.csv"
    FRAME.assign(outcome=Y, note="text").to_csv(path, index=False)
    assert main(["report", str(path), "--target", "result"]) == 2
    assert "no column 'result'" in capsys.readouterr().err
    assert main(["report", str(path), "--target", "outcome"]) == 2
    assert "note" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "nothing.csv"), "--target", "outcome"]) == 2
    assert "nothing.csv" in capsys.readouterr().err
