"""Model files: the same model after reading, and nothing but models."""

import copy
import dataclasses
import json
import os
import pickle
import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.datasets import load_iris

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier
from fuzzyucs.deployment.model_file.save_load import VERSION
from fuzzyucs.evidence.support import Known, Support
from fuzzyucs.evidence.tempering import Tempering
from fuzzyucs.variables.forest import TermForest
from fuzzyucs.variables.frames import Categories, Columns
from fuzzyucs.variables.intervals import IntervalVariables
from fuzzyucs.variables.linguistic import LinguisticPartition, LinguisticVariable

STORED = Path(__file__).parent / "models"
N_MUTATIONS = int(os.environ.get("FUZZYUCS_FUZZ") or 2000)


def table(n_features=4, step=2):
    """Return a frame with gaps and a nominal feature, new rows to ask about, and labels."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.iloc[::step, :n_features].reset_index(drop=True)
    y = np.array(["setosa", "versicolor", "virgínica"])[y.iloc[::step]]
    X["petals"] = np.arange(len(X)) % 3 + 4.0
    X.iloc[::13, 1] = np.nan
    other = X.iloc[::4].reset_index(drop=True) * 1.07
    other.iloc[::5, 0] = np.nan
    return X, other, y


SMALL = {"epochs": 2, "population_size": 50, "random_state": 3}
ESTIMATORS = {
    "fuzzy": FuzzyUCSClassifier(**SMALL),
    "fuzzy with everything": FuzzyUCSClassifier(
        support="auto",
        missing="belief",
        calibrate=True,
        nominal_features=["petals"],
        partition={"petals": "uniform", 0: [4.5, 6, 7.5], 1: {"small": 2, "large": 4}},
        **SMALL,
    ),
    "vote": FuzzyUCSClassifier(inference="vote", n_terms=[2, 3, 4, 5, 32], **SMALL),
    "winner": FuzzyUCSClassifier(inference="swin", partition="quantile", **SMALL),
    "weighted": FuzzyUCSClassifier(inference="weighted", missing="belief", **SMALL),
    "compact": FuzzyUCSClassifier(inference="weighted", compact=True, **SMALL),
    "ucs": UCSClassifier(**SMALL),
    "ucs with support": UCSClassifier(support="auto", **SMALL),
    "evidential": EvidentialRuleClassifier(random_state=3),
    "evidential with little": EvidentialRuleClassifier(
        random_state=3, support=None, missing="match", class_weight={"setosa": 2.5, "versicolor": 1}
    ),
    "fused": EvidentialRuleClassifier(random_state=3, n_models=2, penalty=4, max_rules=5),
}


@pytest.fixture(scope="module")
def fitted():
    X, _, y = table()
    models = {}
    for name, clf in ESTIMATORS.items():
        if name == "evidential with little":
            clf.class_weight = {**clf.class_weight, "virgínica": 1}
        models[name] = copy.deepcopy(clf).fit(X, y)
    return models


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


def assert_same_answers(clf, other, X):
    for method in ("predict", "predict_proba", "membership", "predict_set"):
        ours, theirs = getattr(clf, method)(X), getattr(other, method)(X)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    for combination in ("dempster", "average"):
        ours, theirs = (c.predict_evidence(X, combination=combination) for c in (clf, other))
        for name in ("mass", "ignorance", "log_agreement", "novelty", "posterior"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for row in range(0, len(X), 5):
        ours, theirs = (str(c.explain(X[row : row + 1])) for c in (clf, other))
        assert ours == theirs
    assert clf.rules_.to_text() == other.rules_.to_text()
    assert clf.rules_.to_json() == other.rules_.to_json()


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
    assert clf._learner_state == again._learner_state
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
        rules = clf._deciding_rules().merge().assess(X, y)
        edited = clf.with_rules(rules.without_beliefs())
        edited.save(path)
        again = fuzzyucs.load(path)
        assert_same_answers(edited, again, other)


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
    assert clf._learner_state == again._learner_state


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


def test_every_attribute_has_a_place():
    """A new field has to be saved, too; then put it on this list."""
    known = {
        LinguisticPartition: "feature_names minimum maximum columns n_terms special forest "
        "is_believed",
        LinguisticVariable: "peaks terms is_nominal takes_nearest",
        IntervalVariables: "feature_names minimum maximum columns decimals",
        TermForest: "n_terms parent marginal joint",
        Support: "partition forest known typical scores levels tail",
        Known: "minimum maximum values",
        Tempering: "temperature discount",
        Columns: "categories",
        Categories: "labels is_ordered",
    }
    for part, names in known.items():
        assert {field.name for field in dataclasses.fields(part)} == set(names.split()), part


def test_what_has_no_place_is_refused(fitted, path):
    clf = copy.copy(fitted["fuzzy"])
    clf.mood_ = "good"
    with pytest.raises(ValueError, match="no place for mood_"):
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


def test_files_that_are_no_models(path):
    with pytest.raises(FileNotFoundError):
        fuzzyucs.load(path)
    cases = {
        b"": "must be JSON",
        b"\xff\xfe": "UTF-8",
        b"[1, 2]": '"format": "fuzzyucs model"',
        b'{"format": "fuzzyucs rules", "version": 1}': '"format": "fuzzyucs model"',
        b'{"format": "fuzzyucs model"}': "version must be a whole number from 1 to 1, got null",
        b'{"format": "fuzzyucs model", "version": true}': "version must be",
        b'{"format": "fuzzyucs model", "version": 1}': "estimator must be one of .*, got null",
        b'{"format": "fuzzyucs model", "version": 1, "estimator": "UCSClassifier"}': "keys .'para",
        b'{"a": NaN}': "finite, got NaN",
        b'{"a": 1, "a": 2}': 'key "a" occurs twice',
        b"[" * 200_000: "nested too deeply",
        b'{"a":' * 200_000: "nested too deeply",
        b"1" * 10_000: "digits",
        pickle.dumps({"a": 1}): "UTF-8",
    }
    for content, message in cases.items():
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message) as caught:
            fuzzyucs.load(path)
        assert str(path) in str(caught.value)


def test_a_newer_version_asks_for_a_newer_library(path):
    path.write_text(json.dumps({"format": "fuzzyucs model", "version": VERSION + 1}))
    with pytest.raises(ValueError, match=r"version 2 .* up to 1; install a newer fuzzyucs"):
        fuzzyucs.load(path)


def test_size_is_limited_before_reading(fitted, path):
    fitted["fuzzy"].save(path)
    size = path.stat().st_size
    fuzzyucs.load(path, max_size=size)
    with pytest.raises(ValueError, match=r"at most .* bytes \(max_size\)"):
        fuzzyucs.load(path, max_size=size - 1)
    with pytest.raises(ValueError, match="at most 1,000 bytes"):
        fuzzyucs.load("/dev/zero", max_size=1000)
    with open(path, "r+b") as file:
        file.truncate(2**40)  # takes no room on the disk
    with pytest.raises(ValueError, match=r"has 1,099,511,627,776"):
        fuzzyucs.load(path)


def at(document, way):
    """Return what holds a value, and its key."""
    *way, last = [int(part) if part.isdecimal() else part for part in way.split("/")]
    for part in way:
        document = document[part]
    return document, last


DELETED = object()
PEAK = {"peaks": [4.0], "terms": ["4"], "is_nominal": True, "takes_nearest": False}
WRONG = [
    ("fuzzy", "estimator", "RandomForestClassifier", "estimator must be one of"),
    ("fuzzy", "estimator", "os.system", "estimator must be one of"),
    ("fuzzy", "surprise", 1, r"it has unknown keys: .*surprise"),
    ("fuzzy", "penalty", 1.0, "unknown keys.*penalty"),
    ("fuzzy", "learner", DELETED, "must have the key 'learner'"),
    ("fuzzy", "columns", DELETED, "must have the key 'columns'"),
    ("fuzzy", "parameters/epochs", 0, "parameters are not valid.*epochs"),
    ("fuzzy", "parameters/mood", 0, "parameters has unknown keys.*mood"),
    ("fuzzy", "parameters/random_state", {"generator": 1}, "parameters.random_state"),
    ("fuzzy", "parameters/population_size", 2**80, "parameters.population_size"),
    ("fuzzy", "classes/labels", ["b", "a", "c"], "different labels in ascending order"),
    ("fuzzy", "classes/labels", ["a", "a", "c"], "different labels in ascending order"),
    ("fuzzy", "classes/labels", ["a"], "classes.labels must be an array of 2 to 10000"),
    ("fuzzy", "classes/labels/1", "\ud800", "half characters"),
    ("fuzzy", "classes/labels/2", "virgínica\0", "fit into str"),
    ("fuzzy", "classes/dtype", "datetime64", "classes.dtype must be one of"),
    ("fuzzy", "n_features", 10**12, "n_features must be a whole number from 1"),
    ("fuzzy", "n_features", 10**6, "feature_names must be an array of 1000000"),
    ("fuzzy", "feature_names/1", 7, r"feature_names\[1\] must be a string, got 7"),
    ("fuzzy", "rule_set/rules/3/weights", [1.0], r"rules\[3\].weights must be an array of 3"),
    ("fuzzy", "rule_set/rules/3/weights/1", None, r"rules\[3\].weights\[1\] must be a number"),
    ("fuzzy", "rule_set/rules/3/weights/1", 1.5, r"from 0 to 1, got 1.5"),
    ("fuzzy", "rule_set/rules/3/weights", [0.9, 0.9, 0.9], r"rules\[3\].weights must be shares"),
    ("fuzzy", "rule_set/rules/3/experience", 1e9, r"rules\[3\].experience must be"),
    ("fuzzy", "rule_set/rules/3/conditions/0", 0, r"rules\[3\].conditions\[0\]"),
    ("fuzzy", "rule_set/rules/3/conditions/0", 32, r"conditions\[0\] must be a set of 5 terms"),
    ("fuzzy", "rule_set/rules/3/consequent", 3, r"rules\[3\].consequent"),
    ("fuzzy", "rule_set/rules/3/numerosity", 0, r"rules\[3\].numerosity"),
    ("fuzzy", "rule_set/rules/3/numerosity", 1.0, r"rules\[3\].numerosity"),
    ("fuzzy", "rule_set/rules/3/numerosity", 2**23, "at most 8388609 micro-rules"),
    ("fuzzy", "rule_set/rules/3/set_size", 0.5, r"rules\[3\].set_size"),
    ("fuzzy", "rule_set/rules/3/set_count", -1, r"rules\[3\].set_count"),
    ("fuzzy", "rule_set/rules/3/time_stamp", 2**62, r"rules\[3\].time_stamp"),
    ("fuzzy", "rule_set/rules/3/fitness", -1.5, r"rules\[3\].fitness"),
    ("fuzzy", "rule_set/rules/3/fitness", True, r"rules\[3\].fitness"),
    ("fuzzy", "rule_set/rules/3/mood", 1, r"rules\[3\] has unknown keys"),
    ("fuzzy", "rule_set/rules/3", None, r"rules\[3\] must be an object, got null"),
    ("fuzzy", "rule_set/variables/features", [], "features must be an array of 5"),
    ("fuzzy", "rule_set/variables/features/0/n_terms", 33, r"features\[0\].n_terms"),
    ("fuzzy", "rule_set/variables/features/0/maximum", -1e9, r"features\[0\].maximum"),
    ("fuzzy", "rule_set/variables/features/0/maximum", None, r"features\[0\].maximum"),
    ("fuzzy", "learner/seed", 5, "learner.seed must be a string with a whole number"),
    ("fuzzy", "learner/seed", str(2**64), "learner.seed"),
    ("fuzzy", "learner/seed", "٣", "learner.seed"),
    ("fuzzy", "learner/random_state", ["0"] * 4, "not all 0"),
    ("fuzzy", "learner/time", -1, "learner.time"),
    ("full", "rule_set/variables/features/0/special/peaks", [1.0, 1.0, 2.0], "ascending"),
    ("full", "rule_set/variables/features/0/special/peaks", [1.0, 2.0], "n_terms must be 2"),
    ("full", "rule_set/variables/features/0/special/terms", ["a"], "terms must be an array of 3"),
    ("full", "rule_set/variables/features/0/special/takes_nearest", True, "takes_nearest"),
    ("full", "rule_set/variables/beliefs/is_believed", [True], "is_believed must be an array of 5"),
    ("full", "rule_set/variables/beliefs/forest/parent/0", 0, r"parent\[0\] must be no descendant"),
    ("full", "rule_set/variables/beliefs/forest/parent/0", 5, r"parent\[0\] must be a whole"),
    ("full", "rule_set/variables/beliefs/forest/marginal/0", 0.9, r"sum to 1 from \[0\] on"),
    ("full", "rule_set/variables/beliefs/forest/marginal/0", 0.0, r"marginal\[0\] must be a num"),
    ("full", "rule_set/variables/beliefs/forest/joint", [], "joint must be an array of"),
    ("full", "rule_set/variables/beliefs/forest/joint/0", 0.9, "joint must have probabilities"),
    ("full", "rule_set/variables/features/4/special", PEAK, "n_terms must be 2"),
    ("full", "support/forest/n_terms/0", 2, r"support.forest.n_terms\[0\] must be"),
    ("full", "support/scores/3", -1e9, "support.scores must be an array of numbers that do not"),
    ("full", "support/levels", [0.5], "support.levels must be an array of 101"),
    ("full", "support/levels/0", 0.9, "support.levels must be"),
    ("full", "support/tail", 0.0, "support.tail"),
    ("full", "support/typical/0", 1e308, r"support.typical\[0\]"),
    ("full", "support/values/4", [5.0, 4.0], r"support.values\[4\]"),
    ("full", "support", DELETED, "parameters.support must be null"),
    ("full", "tempering", DELETED, "parameters.calibrate must be false"),
    ("full", "tempering/temperature", 0.5, "tempering.temperature"),
    ("full", "tempering/discount", 1.5, "tempering.discount"),
    ("full", "columns", [{"feature": 0, "labels": ["a"], "is_ordered": False}], r"features\[0\]"),
    ("weighted", "weighted_rule_set", DELETED, "parameters.inference must not be weighted"),
    ("weighted", "weighted_rule_set/prior/0", 1e300, r"weighted_rule_set.prior\[0\]"),
    ("weighted", "weighted_rule_set/doubt", 0, "weighted_rule_set.doubt"),
    ("weighted", "weighted_rule_set/rules/0/strength", -1, r"rules\[0\].strength"),
    ("ucs", "rule_set/rules/2/conditions/1", [0.5], r"rules\[2\].conditions\[1\] must be an array"),
    ("ucs", "rule_set/rules/2/conditions/1/0", 1.5, r"rules\[2\].conditions\[1\] must be a number"),
    ("ucs", "rule_set/variables/features/0/decimals", 15, r"features\[0\].decimals"),
    ("ucs", "rule_set/variables/features/0/maximum", 1e300, r"features\[0\].decimals"),
    ("evidential", "penalty", 0, "penalty must be a number above 0"),
    ("evidential", "penalty", DELETED, "must have the key 'penalty'"),
    ("evidential", "learner", {}, "unknown keys.*learner"),
]


@pytest.mark.parametrize(("name", "way", "value", "message"), WRONG)
def test_what_is_wrong_is_named(fitted, name, way, value, message, path):
    name = {"full": "fuzzy with everything"}.get(name, name)
    document = json.loads(fitted[name].save(path).read_text(encoding="utf-8"))
    holder, key = at(document, way)
    if value is DELETED:
        del holder[key]
    else:
        holder[key] = value
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=message) as caught:
        fuzzyucs.load(path)
    assert str(caught.value).startswith(f"{path} is no model file")
    assert len(str(caught.value)) < 600


def test_features_that_vary_and_those_that_never_did(path):
    X, _, y = table()
    X["constant"] = 3.0
    clf = FuzzyUCSClassifier(missing="belief", nominal_features=[4, 5], **SMALL).fit(X, y)
    text = clf.save(path).read_text(encoding="utf-8")
    constant = "rule_set/variables/features/5"
    beliefs = "rule_set/variables/beliefs"
    for way, value, message in [
        (f"{constant}/maximum", 4.0, r"features\[5\].special must be with more than one peak"),
        (f"{beliefs}/is_believed/5", True, r"is_believed\[5\] must be false"),
        (f"{beliefs}/forest/parent/5", 0, r"parent\[5\] must be -1"),
        (f"{beliefs}/forest/n_terms/5", 2, r"n_terms\[5\] must be 0"),
    ]:
        document = json.loads(text)
        holder, key = at(document, way)
        holder[key] = value
        path.write_text(json.dumps(document))
        with pytest.raises(ValueError, match=message):
            fuzzyucs.load(path)


def test_cycles_of_parents(fitted, path):
    document = json.loads(fitted["fuzzy with everything"].save(path).read_text(encoding="utf-8"))
    forest = document["rule_set"]["variables"]["beliefs"]["forest"]
    n_terms = forest["n_terms"]
    forest["parent"] = [1, 2, 0, -1, -1]
    sizes = [n_terms[0] * n_terms[1], n_terms[1] * n_terms[2], n_terms[2] * n_terms[0]]
    forest["joint"] = [1 / size for size in sizes for _ in range(size)]
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"forest.parent\[\d\] must be no descendant"):
        fuzzyucs.load(path)
    forest["parent"] = [1, 2, -1, -1, -1]
    forest["joint"] = forest["joint"][: sizes[0] + sizes[1]]
    path.write_text(json.dumps(document))
    fuzzyucs.load(path).predict_evidence(table()[1])


def test_nothing_is_imported_by_name(fitted, path, monkeypatch):
    """Whatever a file says, no code is looked up by it."""
    fitted["fuzzy"].save(path)
    text = path.read_text(encoding="utf-8").replace('"FuzzyUCSClassifier"', '"RejectOption"')
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr("importlib.import_module", None)
    with pytest.raises(ValueError, match="estimator must be one of"):
        fuzzyucs.load(path)


def stored():
    for path in sorted(STORED.glob("version-*/*.json")):
        yield pytest.param(path, id=f"{path.parent.name} {path.stem}")


@pytest.mark.parametrize("stored", list(stored()))
def test_files_of_all_versions_are_read_for_ever(stored, path):
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
    assert stored.stat().st_size < 150_000
    if stored.parent.name == f"version-{VERSION}":
        before, after = (json.loads(p.read_bytes()) for p in (stored, clf.save(path)))
        assert {**before, "library": ""} == {**after, "library": ""}


def test_files_of_every_estimator_are_stored():
    found = {json.loads(path.read_bytes())["estimator"] for path in STORED.glob("version-1/*.json")}
    assert found == {"FuzzyUCSClassifier", "UCSClassifier", "EvidentialRuleClassifier"}


SKOPS_TYPES = {
    "fuzzyucs.estimators.fuzzy_ucs.FuzzyUCSClassifier",
    "fuzzyucs.estimators.evidential.EvidentialRuleClassifier",
    "fuzzyucs.variables.forest.TermForest",
    "fuzzyucs.variables.frames.Categories",
    "fuzzyucs.variables.frames.Columns",
    "fuzzyucs.variables.intervals.IntervalVariables",
    "fuzzyucs.variables.linguistic.LinguisticPartition",
    "fuzzyucs.variables.linguistic.LinguisticVariable",
    "fuzzyucs.rules.rule_set.EvolvedRuleSet",
    "fuzzyucs.rules.rule_set.WeightedRuleSet",
    "fuzzyucs.evidence.support.Known",
    "fuzzyucs.evidence.support.Support",
    "fuzzyucs.evidence.tempering.Tempering",
    "fuzzyucs.estimators.ucs.UCSClassifier",
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_skops_can_keep_models_too(fitted, name):
    clf = fitted[name]
    X, other, y = table()
    clf.predict_evidence(other)  # makes native objects, which must stay behind
    data = skops.io.dumps(clf)
    types = skops.io.get_untrusted_types(data=data)
    assert set(types) <= SKOPS_TYPES
    again = skops.io.loads(data, trusted=types)
    assert_same_answers(clf, again, other)
    if not isinstance(clf, EvidentialRuleClassifier):
        ours, theirs = (copy.deepcopy(model).partial_fit(X, y) for model in (clf, again))
        assert ours._learner_state == theirs._learner_state


# Mutations


def fuzzed_model(name):
    """Return a small model."""
    X, _, y = table(n_features=3, step=6)
    X["colour"] = np.where(X.iloc[:, 2] > 2, "blue", "red")
    small = {"epochs": 1, "population_size": 12, "random_state": 0, "support": "auto"}
    fuzzy = {"n_terms": 3, "nominal_features": ["petals"], **small}
    numbers = X.assign(colour=X["colour"] == "red").to_numpy(dtype=float)
    weighted = {**fuzzy, "inference": "weighted", "inference_experience": 0, "support": None}
    partition = {0: {"low": 4, "high": 7.5}}
    return {
        "fuzzy": FuzzyUCSClassifier(missing="belief", calibrate=True, **fuzzy).fit(X, y),
        "weighted": FuzzyUCSClassifier(**weighted).fit(X, np.unique(y, return_inverse=True)[1]),
        "ucs": UCSClassifier(**small).fit(numbers, y),
        "evidential": EvidentialRuleClassifier(
            random_state=0, n_terms=3, max_rules=4, partition=partition
        ).fit(X, y),
    }[name]


JUNK = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        3,
        31,
        2**31,
        2**32,
        2**63,
        2**64,
        -(2**63),
        10**40,
        10**4000,
    ),
    *(0.0, -0.0, 0.5, 1.0, -1.0, 1e-320, 1e-300, 1e-17, 1e16, 1e300, 1.7e308, -1e300, 0.1 + 0.2),
    *("", "NaN", "inf", "-inf", "0", "1e5", "auto", "weighted", "\ud800", "\0", "ü" * 5000, "x0"),
    *([], [[]], [0], [0.5, 0.5], ["a", "b"], [None], [1, 2, 3], [0.0] * 1000, {}, {"a": 1}),
    *({"mapping": []}, {"mapping": [["a", [1, 2]]]}, {"mapping": [[0, {"mapping": [[1, 1]]}]]}),
]


def places(value, found):
    """List everything in a tree together with what holds it."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        found.append((value, key))
        if isinstance(part, dict | list):
            places(part, found)
    return found


def change_tree(document, rng):
    # Numbers of arrays are most of what there is, so what holds them is picked first.
    holders = {id(holder): holder for holder, _ in places(document, [])}
    holder = rng.choice(list(holders.values()))
    key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    value = holder[key]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match rng.choice(["delete", "double", "junk", "junk", "number", "number", "swap", "deep"]):
        case "delete":
            del holder[key]
        case "double" if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(value))
        case "double":
            holder[f"{key}{rng.choice(['2', '', ' '])}"] = copy.deepcopy(value)
        case "number" if is_number:
            factor = rng.choice([-1, 0, 0.5, 2, 1 + 1e-9, 1 + 1e-5, 1e10, 1e-10, 1e290, 1e-290])
            changed = rng.choice([value * factor, value + 1, value - 1, value + 1e-9, int(value)])
            holder[key] = changed
        case "swap":
            other, place = rng.choice(places(document, []))
            holder[key], other[place] = other[place], copy.deepcopy(value)
        case "deep":
            for _ in range(rng.choice([1, 3, 50])):
                value = [value] if rng.random() < 0.5 else {"mapping": [[0, value]]}
            holder[key] = value
        case _:
            holder[key] = copy.deepcopy(rng.choice(JUNK))


def change_text(text, rng):
    content = bytearray(text.encode())
    place = rng.randrange(len(content))
    match rng.choice(["truncate", "flip", "flip", "digit", "digit", "cut", "repeat", "nest"]):
        case "truncate":
            del content[place:]
        case "flip":
            content[place] ^= 1 << rng.randrange(8)
        case "digit":
            digits = [i for i, byte in enumerate(content) if 48 <= byte <= 57]
            content[rng.choice(digits)] = rng.choice(b"0123456789.-e")
        case "cut":
            del content[place : place + rng.randrange(1, 60)]
        case "repeat":
            part = content[place : place + rng.randrange(1, 200)]
            content[place:place] = part * rng.choice([1, 2, 10])
        case "nest":
            content[place:place] = rng.choice([b"[", b'{"a":', b"-", b"1"]) * 50_000
    return bytes(content)


def mutated(text, rng):
    if rng.random() < 0.3:
        return change_text(text, rng)
    document = json.loads(text)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        change_tree(document, rng)
    return json.dumps(document).encode()


def loaded(path):
    try:
        return fuzzyucs.load(path), ""
    except ValueError as error:
        return None, str(error)


def rows_for(clf, X):
    """Return rows in the manner of a model's training data."""
    if not hasattr(clf, "feature_names_in_"):
        return X.to_numpy()
    columns = [
        [clf.columns_.label(feature, value) for value in X.iloc[:, feature]]
        for feature in range(X.shape[1])
    ]
    return pd.DataFrame(dict(enumerate(columns))).set_axis(clf.feature_names_in_, axis=1)


def assert_valid(clf, X, path):
    """Check that whatever was read is a model that can do all that a model can do."""
    evidence = clf.predict_evidence(X)
    everything = np.column_stack([evidence.mass, evidence.ignorance])
    assert np.isfinite(everything).all()
    assert everything.min() >= 0
    assert everything.max() <= 1
    np.testing.assert_allclose(everything.sum(axis=1), 1.0, rtol=1e-9)
    assert set(clf.predict(X).tolist()) <= set(clf.classes_.tolist())
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1.0, rtol=1e-9)
    clf.rules_.to_text()
    first = clf.save(path).read_bytes()
    again = fuzzyucs.load(path)
    assert again.save(path).read_bytes() == first
    if not isinstance(clf, EvidentialRuleClassifier):
        labels = clf.classes_[np.arange(len(X)) % len(clf.classes_)]
        again.set_params(verbose=0, support=None)
        if isinstance(clf, FuzzyUCSClassifier):
            again.calibrate = False
        again.partial_fit(X, labels)
        assert np.isfinite(again.predict_evidence(X).mass).all()


@pytest.mark.parametrize("name", ["fuzzy", "weighted", "ucs", "evidential"])
def test_mutated_files_are_refused_or_models(name, path):
    rng = random.Random(f"{name} {N_MUTATIONS}")
    text = fuzzed_model(name).save(path).read_text(encoding="utf-8")
    X = table(n_features=3, step=6)[0][:5]
    X.iloc[1, 2:] = np.nan
    X["colour"] = [0.0, 1.0, np.nan, 1.0, 0.0]
    n_read = 0
    for number in range(N_MUTATIONS // 4):
        content = mutated(text, rng)
        path.write_bytes(content)
        clf, refusal = loaded(path)
        if clf is None:
            assert refusal.startswith(f"{path} is no model file")
            continue
        n_read += 1
        try:
            assert_valid(clf, rows_for(clf, X), path)
            if n_read % 4 == 0:
                clf.explain(rows_for(clf, X)[:1])
        except Exception as error:
            kept = path.with_name("broken.json")
            kept.write_bytes(content)
            raise AssertionError(f"mutation {number}, kept in {kept}") from error
    # Most mutations do harm, but not all of them.
    assert 0.02 < n_read / (N_MUTATIONS // 4) < 0.6
