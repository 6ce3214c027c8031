"""Models with experts' rules: files, deployments, pages and the command; models without data."""

import copy
import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import fuzzyucs
from command_line import call
from expert_rules import (
    OTHERS,
    RULES,
    X,
    Y,
    as_numbers,
    from_rules,
)
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.deployment.description import to_numpy
from kinds import records


@pytest.fixture(scope="module")
def fitted():
    """Return a model with experts' rules and learned ones."""
    return EvidentialRuleClassifier().fit(X, Y, rules=RULES)


@pytest.fixture(scope="module")
def alone():
    """Return a model of experts' rules without data."""
    return from_rules()


@pytest.mark.parametrize("name", ["fitted", "alone"])
def test_models_are_saved_and_deployed(name, request, tmp_path):
    clf = request.getfixturevalue(name)
    rows = pd.DataFrame(
        records(OTHERS.assign(town=OTHERS.town.map({"Ux": 0, "Vee": 1, "Wye": 2}))),
        columns=X.columns,
    )
    rows["town"] = rows.town.round().map({0: "Ux", 1: "Vee", 2: "Wye"})
    expected = clf.predict_proba(rows)
    same = fuzzyucs.load(clf.save(tmp_path / "model.json"))
    np.testing.assert_array_equal(same.predict_proba(rows), expected)
    assert same.rules_.to_text() == clf.rules_.to_text()
    assert "expert's rule, reliability 0.9" in same.rules_.to_text()
    assert str(same.explain(rows.iloc[[3]])) == str(clf.explain(rows.iloc[[3]]))
    assert str(same.assess_rules(X, Y)) == str(clf.assess_rules(X, Y))
    if name == "fitted":
        assert str(same.expert_report_) == str(clf.expert_report_)
    for other in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):
        np.testing.assert_array_equal(other.predict_proba(rows), expected)
    codes = as_numbers(rows, clf.rules_)
    np.testing.assert_allclose(to_numpy(clf).predict_proba(codes), expected, atol=1e-12)
    np.testing.assert_allclose(onnx_probabilities(clf, codes), expected, atol=1e-12)


def onnx_probabilities(clf, codes):
    """Return the probabilities of the exported model."""
    runtime = pytest.importorskip("onnxruntime")
    from fuzzyucs.onnx import to_onnx

    session = runtime.InferenceSession(to_onnx(clf).SerializeToString())
    names = [output.name for output in session.get_outputs()]
    inputs = {session.get_inputs()[0].name: codes}
    return session.run(names, inputs)[names.index("probabilities")]


def test_files_with_wrong_statements_are_refused(fitted, tmp_path):
    path = fitted.save(tmp_path / "model.json")
    document = json.loads(path.read_text())
    rules = document["rule_set"]["rules"]
    place = next(i for i, rule in enumerate(rules) if "reliability" in rule)

    def refused(change, message):
        wrong = copy.deepcopy(document)
        change(wrong)
        path.write_text(json.dumps(wrong))
        with pytest.raises(ValueError, match=message):
            fuzzyucs.load(path)

    def of_rule(change):
        return lambda wrong: change(wrong["rule_set"]["rules"][place])

    refused(of_rule(lambda r: r.update(reliability=1.0)), r"reliability must be a number")
    refused(of_rule(lambda r: r.update(worth=0)), r"worth must be a number")
    refused(of_rule(lambda r: r.pop("worth")), r"reliability must be together with worth")
    refused(lambda w: w.pop("penalty"), "must have the key 'penalty'")

    def without_both(wrong):
        del wrong["penalty"], wrong["path"]

    refused(without_both, "must have the key 'penalty'")
    refused(lambda w: w["expert_report"][0].update(n_right=10**6), "at most n_applies")
    no_rows = {"class_rows": [0, 0, 0]}
    refused(
        lambda w: w["rule_set"].update(no_rows),
        "class_rows must be numbers of rows, 1 at least",
    )


def test_models_without_data_ask_for_what_they_need():
    make = EvidentialRuleClassifier.from_rules
    with pytest.raises(ValueError, match="classes must be given, since the rules name only one"):
        make("IF age > 5 THEN ill")
    with pytest.raises(ValueError, match="line 1: 'high' means nothing yet: features must tell"):
        make("IF age is high THEN ill\nIF age < 5 THEN well")
    with pytest.raises(ValueError, match="line 1: there is no feature 'age'; the nearest is 'ages"):
        make("IF age > 5 THEN ill\nIF age < 5 THEN well", ["ages"])
    for wrong in ({"age": (5, 2)}, {"age": 5}, {"age": "red"}, {"age": {"a": 2, "b": 1}}):
        with pytest.raises(ValueError, match="features must tell"):
            make("IF age > 5 THEN ill\nIF age < 5 THEN well", wrong)
    with pytest.raises(ValueError, match="got 'train'"):
        from_rules(base_rates="train")
    clf = make("IF age > 5 AND not so old is 7 THEN ill\nIF age <= 5 THEN well, reliability 0.9")
    assert clf.feature_names_in_.tolist() == ["age", "not so old"]
    assert clf.classes_.tolist() == ["ill", "well"]
    with pytest.raises(ValueError, match="saved or copied"):
        clf.partial_fit(pd.DataFrame({"age": [1.0], "not so old": [2.0]}), ["ill"])


def test_tables_elsewhere_are_refused(tmp_path):
    path = tmp_path / "table.parquet"
    pytest.importorskip("pyarrow")
    X.assign(y=Y).to_parquet(path)
    with pytest.raises(ValueError, match="rules are for tables in memory"):
        EvidentialRuleClassifier().fit(path, "y", rules=RULES)


def test_pages_and_pictures_of_models_without_data(alone, tmp_path):
    page = alone.report(X, Y, tmp_path / "page.html", labels={"glucose": "sugar"})
    found = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', page.read_text(), re.S)[1])
    assert [len(item["sentences"]) for item in found["experts"]] == [4, 4, 4, 2, 4]
    assert "expert" in found["model"]["rules"][0]
    assert sum(found["model"]["class_rows"]) == 0
    pytest.importorskip("matplotlib")
    alone.explain(X.head(1)).plot()
    assert alone.feature_importances_.sum() == pytest.approx(1)


def test_the_command(tmp_path, capsys):
    data, rules, model = (tmp_path / name for name in ("t.csv", "rules.txt", "m.json"))
    X.assign(kind=Y).to_csv(data, index=False)
    rules.write_text(RULES)
    fit = ("fit", data, "--target", "kind", "--rules", rules, "-o", model, "-q")
    status, out, _ = call(capsys, *fit)
    assert status == 0
    assert "Experts' rules, and what these data think of them:" in out
    assert "Applies to none of 300 records" in out
    _, found, _ = call(capsys, *fit, "--json")
    assert [finding["n_rows"] for finding in json.loads(found)["experts"]] == [300] * 5
    assert fuzzyucs.load(model).rules_.is_expert.sum() == 5
    status, _, error = call(capsys, *fit, "--estimator", "ucs")
    assert status
    assert "--rules is for --estimator evidential" in error
    rules.write_text("IF glucos >= 140 THEN ill\n")
    status, _, error = call(capsys, *fit)
    assert status
    assert "line 1: there is no class 'ill'" in error
    rules.write_text("IF glucose >= 140 THEN ill\nIF glucose < 100 THEN well\n")
    alone = ("fit", "--rules", rules, "-o", model)
    status, out, _ = call(capsys, *alone, "--base-rates", "ill=0.2,well=0.8")
    assert status == 0
    assert "2 experts' rules, without data" in out
    assert "ill 20 %, well 80 %" in out.replace("\n", " ")
    assert fuzzyucs.load(model).base_rates_.tolist() == [0.2, 0.8]
    status, out, _ = call(capsys, *alone, "--json")
    assert json.loads(out)["rules"] == 2
    status, _, error = call(capsys, *alone, "--max-rules", "2")
    assert status
    assert "--max-rules is for training, but there is no table" in error
    status, _, error = call(capsys, "fit", "-o", model)
    assert status == 2
    assert "a table to learn from, or --rules" in error
    status, _, error = call(capsys, "fit", data, "-o", model)
    assert status == 2
    assert "--target" in error
