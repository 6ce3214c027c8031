"""Model files: the model is the same after reading."""

import copy
import dataclasses
import os
import re

import numpy as np
import pandas as pd
import pytest

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.evidence.known_values import Known
from fuzzyucs.evidence.support import Support
from fuzzyucs.evidence.tempering import Tempering
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.frames import Categories, Columns
from fuzzyucs.variables.intervals import IntervalVariables
from fuzzyucs.variables.linguistic import LinguisticPartition, LinguisticVariable
from fuzzyucs.variables.times import TimeScale
from kinds import fitted_model, records
from model_files import ESTIMATORS, SMALL, assert_same_answers, fitted_models, table


@pytest.fixture(scope="module")
def fitted():
    return fitted_models()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_model_is_the_same_after_reading(fitted, name, path):
    clf = fitted[name]
    assert clf.save(path) == path
    again = fuzzyucs.load(path)
    assert type(again) is type(clf)
    assert str(again.get_params()) == str(clf.get_params())
    _, other, _ = table()
    assert_same_answers(clf, again, other)
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("name", ["fuzzy with everything", "weighted", "ucs with support"])
def test_learning_goes_on_as_it_would_have_done(fitted, name, path):
    X, other, y = table()
    clf = copy.deepcopy(fitted[name])
    clf.save(path)
    again = fuzzyucs.load(path)
    for _ in range(3):
        clf.partial_fit(X, y)
        again.partial_fit(X, y)
    assert clf.learner_state_ == again.learner_state_
    for array in clf.rules_.array_names():
        np.testing.assert_array_equal(getattr(clf.rules_, array), getattr(again.rules_, array))
    assert_same_answers(clf, again, other)


def test_what_pickling_forgets_a_file_forgets_too(fitted, path):
    X, _, y = table()
    fitted["evidential"].save(path)
    with pytest.raises(ValueError, match="its training data stayed behind"):
        fuzzyucs.load(path).partial_fit(X, y)


@pytest.mark.parametrize("name", ["fuzzy with everything", "ucs with support", "evidential"])
def test_reports_are_the_same(fitted, name, path, tmp_path):
    X, _, y = table()
    fitted[name].save(path)
    pages = []
    for i, clf in enumerate((fitted[name], fuzzyucs.load(path))):
        pages.append(clf.report(X, y, tmp_path / f"{i}.html").read_text(encoding="utf-8"))
    # The page tells when it was written.
    dates = [re.sub(r"\d{4}-\d\d-\d\d[T ]?[\d:.+Z]*", "", page) for page in pages]
    assert dates[0] == dates[1]


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 1, 2], dtype=np.int64),
        np.array([0, 1, 255], dtype=np.uint8),
        np.array([-3, 0, 7], dtype=np.int32),
        np.array([-1.0, 0.0, 1.0]),
        np.array([0.0, 1.0, 2.0], dtype=np.float32),
        np.array(["a", "bb", "ü ☃ \n\"'"]),
        np.array(["a", "bb", "ccc"], dtype=object),
        np.array([False, True, True]),
    ],
    ids=lambda labels: labels.dtype.name,
)
def test_labels_keep_their_type(labels, path):
    X, _, y = table()
    y = labels[np.unique(y, return_inverse=True)[1]]
    clf = FuzzyUCSClassifier(**SMALL).fit(X, y)
    clf.save(path)
    again = fuzzyucs.load(path)
    assert again.classes_.dtype == clf.classes_.dtype
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
    assert again.predict(X).dtype == clf.predict(X).dtype


def test_labels_that_json_has_no_type_for_are_refused(path):
    X, _, y = table()
    clf = FuzzyUCSClassifier(**SMALL).fit(X, y)
    clf.classes_ = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="datetime64[D]")
    with pytest.raises(ValueError, match=r"labels that are numbers.*datetime64"):
        clf.save(path)
    clf.classes_ = np.array(["a", "b", 3], dtype=object)
    clf.rules_ = dataclasses.replace(clf.rules_, classes=clf.classes_)
    with pytest.raises(ValueError, match=r"classes.labels\[2\] must be a string"):
        clf.save(path)
    assert not path.exists()


def test_unnamed_features_stay_unnamed(path):
    X, other, y = table()
    clf = FuzzyUCSClassifier(**SMALL).fit(X.to_numpy(), y)
    clf.save(path)
    again = fuzzyucs.load(path)
    assert not hasattr(again, "feature_names_in_")
    assert again.n_features_in_ == 5
    np.testing.assert_array_equal(again.predict(other.to_numpy()), clf.predict(other.to_numpy()))


def test_categories_are_read_again(path):
    X, _, y = table()
    X["colour"] = np.where(X.iloc[:, 3] > 1, "blüe", "red")
    X["is old"] = np.arange(len(X)) % 2 == 0
    X["size"] = pd.Categorical(np.where(X.iloc[:, 2] > 3, 10, 2), [2, 5, 10], ordered=True)
    for clf in (EvidentialRuleClassifier(random_state=0), FuzzyUCSClassifier(**SMALL)):
        clf.fit(X, y).save(path)
        again = fuzzyucs.load(path)
        assert again.columns_ == clf.columns_
        assert again.columns_.categories[7].labels == (2, 5, 10)
        assert_same_answers(clf, again, X)
        first = path.read_bytes()
        assert again.save(path).read_bytes() == first


def test_features_and_tables_without_any_values(path):
    X, _, y = table()
    X["never known"] = np.nan
    X["constant"] = 3.0
    for clf in (
        FuzzyUCSClassifier(missing="belief", support="auto", nominal_features="auto", **SMALL),
        UCSClassifier(support="auto", **SMALL),
        EvidentialRuleClassifier(random_state=0),
    ):
        clf.fit(X, y).save(path)
        assert_same_answers(clf, fuzzyucs.load(path), X)


def test_a_model_without_rules(fitted, path):
    clf = fitted["evidential"]
    clf.with_rules(clf.rules_[:0]).save(path)
    again = fuzzyucs.load(path)
    assert len(again.rules_) == 0
    assert again.rules_.conditions.shape == (0, 5)
    np.testing.assert_array_equal(again.predict_evidence(table()[0]).ignorance, 1.0)


def test_edited_rules(fitted, path):
    X, other, y = table()
    for name in ("fuzzy with everything", "weighted", "ucs", "evidential"):
        clf = fitted[name]
        rules = clf.deciding_rules.merge().assess(X, y)
        edited = clf.with_rules(rules.without_beliefs())
        edited.save(path)
        again = fuzzyucs.load(path)
        assert_same_answers(edited, again, other)


def test_gaps_that_depend_on_the_class_are_kept(path):
    X, _, y = table()
    X.loc[(y == "setosa"), "petals"] = np.nan
    clf = EvidentialRuleClassifier(random_state=0)
    with pytest.warns(UserWarning, match="petals"):
        clf.fit(X, y)
    assert clf.informative_gaps_ == ["petals"]
    assert fuzzyucs.load(clf.save(path)).informative_gaps_ == ["petals"]


def test_a_model_with_many_features_and_rules(path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40))
    clf = UCSClassifier(epochs=2, random_state=0).fit(X, X[:, 0] > 0)
    assert len(clf.rules_) > 500
    clf.save(path)
    assert_same_answers(clf, fuzzyucs.load(path), X[:5])


def test_generators_are_not_saved_and_it_is_said_so(path):
    X, _, y = table()
    clf = FuzzyUCSClassifier(**SMALL | {"random_state": np.random.default_rng(0)}).fit(X, y)
    with pytest.warns(UserWarning, match="random_state is a random generator"):
        clf.save(path)
    again = fuzzyucs.load(path)
    assert again.random_state is None
    first = path.read_bytes()
    assert again.save(path).read_bytes() == first
    clf.partial_fit(X, y)
    again.partial_fit(X, y)
    assert clf.learner_state_ == again.learner_state_


def test_parameters_of_numpy_and_pandas(path):
    X, _, y = table()
    clf = FuzzyUCSClassifier(
        **SMALL | {"epochs": np.int64(2)},
        crossover_rate=np.float32(0.5),
        n_terms=np.array([3, 3, 3, 4, 5]),
        nominal_features=pd.Series([False, False, False, False, True]),
        compact=np.bool_(False),
    ).fit(X, y)
    again = fuzzyucs.load(clf.save(path))
    assert again.n_terms == [3, 3, 3, 4, 5]
    assert again.nominal_features == [False] * 4 + [True]
    assert again.epochs == 2
    assert type(again.epochs) is int
    assert again.crossover_rate == 0.5
    again.fit(X, y)
    np.testing.assert_array_equal(again.rules_.conditions, clf.rules_.conditions)


def test_mappings_keep_the_type_of_their_keys(fitted, path):
    clf = fitted["fuzzy with everything"]
    again = fuzzyucs.load(clf.save(path))
    assert again.partition == {"petals": "uniform", 0: [4.5, 6, 7.5], 1: {"small": 2, "large": 4}}


def test_plateaus_and_many_terms_are_kept(path):
    clf, (frame, _) = fitted_model("plateaus")
    assert (clf.rules_.conditions > 2**32).any()
    again = fuzzyucs.load(clf.save(path))
    rows = pd.DataFrame(records(frame, 40), columns=frame.columns)
    assert_same_answers(clf, again, rows)
    for feature in range(frame.shape[1]):
        variables = clf.rules_.variables
        np.testing.assert_array_equal(variables.ends(feature), again.rules_.variables.ends(feature))
    assert any(known.has_plateaus for known in again.rules_.variables.special.values())


def test_every_attribute_is_known():
    """A new field has to be saved, too; then put it on this list."""
    known = {
        LinguisticPartition: "feature_names minimum maximum columns n_terms special forest "
        "is_believed borders",
        LinguisticVariable: "peaks terms is_nominal takes_nearest ends members counts",
        IntervalVariables: "feature_names minimum maximum columns decimals",
        TermForest: "n_terms parent marginal joint",
        Support: "partition forest known typical scores levels tail typical_alone",
        Known: "minimum maximum values decimals",
        Tempering: "temperature discount",
        Columns: "categories times",
        Categories: "labels is_ordered",
        TimeScale: "kind unit zone",
    }
    for part, names in known.items():
        assert {field.name for field in dataclasses.fields(part)} == set(names.split()), part


def test_what_a_file_cannot_hold_is_refused(fitted, path):
    clf = copy.copy(fitted["fuzzy"])
    clf.mood_ = "good"
    with pytest.raises(ValueError, match="no key for mood_"):
        clf.save(path)
    with pytest.raises(TypeError, match="got MyClassifier"):
        type("MyClassifier", (UCSClassifier,), {})().save(path)
    with pytest.raises(ValueError, match="not fitted"):
        UCSClassifier().save(path)
    assert not path.exists()


def test_models_that_cannot_answer_are_not_saved(fitted, path):
    clf = copy.copy(fitted["fuzzy"])
    for name, value, message in [
        ("support", "auto", "parameters.support"),
        ("inference", "weighted", "parameters.inference"),
        ("calibrate", True, "parameters.calibrate"),
        ("epochs", "many", "'epochs' parameter"),
        ("n_terms", object(), "n_terms is of type object"),
    ]:
        wrong = copy.copy(clf).set_params(**{name: value})
        with pytest.raises(ValueError, match=message):
            wrong.save(path)
    assert not path.exists()


def test_a_failed_save_leaves_the_old_file(fitted, path, monkeypatch):
    fitted["fuzzy"].save(path)
    before = path.read_bytes()

    def broken(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="no space"):
        fitted["ucs"].save(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_folder_that_does_not_exist_is_named_and_no_temporary_file(fitted, tmp_path):
    path = tmp_path / "nowhere" / "model.json"
    with pytest.raises(FileNotFoundError) as caught:
        fitted["ucs"].save(path)
    assert caught.value.filename == str(path)
