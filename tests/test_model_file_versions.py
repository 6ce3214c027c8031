"""Model files: what was written with a version of the format is read for ever."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fuzzyucs
from fuzzyucs.deployment.description import describe
from fuzzyucs.deployment.model_file.save_load import VERSION
from fuzzyucs.deployment.numpy_model import NumpyModel

STORED = Path(__file__).parent / "models"


def stored():
    for path in sorted(STORED.glob("version-*/*.json")):
        yield pytest.param(path, id=f"{path.parent.name} {path.stem}")


@pytest.mark.parametrize("stored", list(stored()))
def test_files_of_all_versions_are_read_for_ever(stored, tmp_path):
    clf = fuzzyucs.load(stored)
    answers = json.loads((stored.parent / "answers" / stored.name).read_text(encoding="utf-8"))
    names = getattr(clf, "feature_names_in_", None)
    X = pd.DataFrame(answers["rows"], columns=names)
    X = X if names is not None else X.to_numpy(dtype=float)
    assert clf.predict(X).tolist() == answers["predict"]
    evidence = clf.predict_evidence(X)
    exact = {"rtol": 1e-12, "atol": 1e-15}
    np.testing.assert_allclose(clf.predict_proba(X), answers["predict_proba"], **exact)
    np.testing.assert_allclose(evidence.mass, answers["mass"], **exact)
    np.testing.assert_allclose(evidence.ignorance, answers["ignorance"], **exact)
    for name in ("weak_evidence", "novelty", "log_agreement", "probability", "contradiction"):
        if answers.get(name) is not None:
            np.testing.assert_allclose(getattr(evidence, name), answers[name], **exact)
    for name in ("verdict", "reason"):
        assert name not in answers or getattr(evidence, name).tolist() == answers[name]
    assert stored.stat().st_size < 150_000
    if stored.parent.name == f"version-{VERSION}":
        again = clf.save(tmp_path / "model.json")
        before, after = (json.loads(path.read_bytes()) for path in (stored, again))
        # Parameters that came later have their defaults.
        before["parameters"] = type(clf)().get_params() | before["parameters"]
        assert {**before, "library": ""} == {**after, "library": ""}


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_files_of_every_estimator_are_stored(version):
    paths = STORED.glob(f"version-{version}/*.json")
    found = {json.loads(path.read_bytes())["estimator"] for path in paths}
    assert found == {"FuzzyUCSClassifier", "UCSClassifier", "EvidentialRuleClassifier"}


OLDER = sorted(STORED.glob("version-1/evidential*.json"))


@pytest.mark.parametrize("path", OLDER, ids=lambda path: path.stem)
def test_the_older_form_is_told_and_kept(path, tmp_path):
    clf = fuzzyucs.load(path)
    assert clf.form_ == 1
    described = describe(clf)
    assert (described["form"], described["scheme"]) == (1, "weighted")
    assert described["older_form"].startswith("Older form, as version 0.1.0 saved it")
    assert NumpyModel.load(path).form == 1
    with pytest.raises(ValueError, match=r"version 0\.1\.0 saved has no base rates; fit it anew"):
        clf.with_base_rates(np.full(len(clf.classes_), 1 / len(clf.classes_)))
    assert not hasattr(clf, "base_rates_")
    with pytest.raises(AttributeError, match=r"^base_rates_: a model that version 0\.1\.0 saved"):
        _ = clf.base_rates_
    before = json.loads(path.read_bytes())
    again = json.loads(clf.save(tmp_path / "model.json").read_bytes())
    assert again["version"] == VERSION
    assert again["rule_set"] == {"form": 1, **before["rule_set"]}
    assert again["parameters"] == type(clf)().get_params() | before["parameters"]
    for key in ("support", "penalty", "columns", "classes"):
        assert again.get(key) == before.get(key)
    assert fuzzyucs.load(tmp_path / "model.json").form_ == 1


def test_missing_values_that_match_are_read_but_not_learned():
    paths = [
        path for path in OLDER if json.loads(path.read_bytes())["parameters"]["missing"] == "match"
    ]
    assert len(paths) == 2
    for path in paths:
        clf = fuzzyucs.load(path)
        assert clf.missing == "match"
        X = pd.DataFrame(np.eye(4), columns=clf.feature_names_in_)
        with pytest.raises(ValueError, match=r"'missing' parameter .*'belief'.* Got 'match'"):
            clf.fit(X, [0, 1, 0, 1])
        assert clf.form_ == 1
        assert clf.set_params(missing="belief").fit(X, [0, 1, 0, 1]).form_ == 2
