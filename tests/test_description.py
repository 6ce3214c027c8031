"""The description of a model: what a saved file and a model in memory have in common."""

import json
from dataclasses import replace
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.deployment import numpy_model
from fuzzyucs.deployment.description import describe, model_data, to_numpy
from fuzzyucs.deployment.model_file.kinds import KINDS
from fuzzyucs.deployment.model_file.save_load import FORMAT, VERSION
from fuzzyucs.deployment.numpy_model import evaluation_data
from fuzzyucs.evidence import known_values
from fuzzyucs.evidence import support as support_module
from fuzzyucs.evidence.verdict import REASONS, VERDICTS, Thresholds
from fuzzyucs.report.model import model_data as documented_name
from fuzzyucs.variables.coding import as_run
from kinds import MODELS, frame_with_categories, models_of_all_kinds, small_table


def fitted_models():
    X, y = small_table()
    yield from (clf for clf, _ in models_of_all_kinds(X, y))
    yield from (clone(clf).fit(*table) for clf, table in MODELS.values())
    yield EvidentialRuleClassifier(random_state=0).fit(frame_with_categories(X), y)
    yield FuzzyUCSClassifier(epochs=1, random_state=0, inference_experience=1e9).fit(X, y)


@pytest.fixture(scope="module")
def fitted():
    return list(fitted_models())


def saved(clf, folder):
    return json.loads(clf.save(folder / "model.json").read_text(encoding="utf-8"))


def without_words(data):
    """Return a description without what only people need."""
    data = json.loads(json.dumps(data))
    for name in ("older_form", "constraints", "broken", "price"):
        del data[name]
    for rule in data["rules"]:
        del rule["text"]
        rule.pop("full_text", None)
    for features in (data["features"], (data["support"] or {}).get("features", ())):
        for feature in features:
            feature.pop("terms", None)
    return data


def test_a_saved_file_and_a_model_in_memory_have_the_same_description(fitted, tmp_path):
    for clf in fitted:
        assert evaluation_data(saved(clf, tmp_path)) == without_words(describe(clf))


def test_rules_are_those_that_decide(fitted):
    for clf in fitted:
        rules, described = clf.deciding_rules, describe(clf)["rules"]
        assert len(described) == len(rules)
        is_profiled, is_weighted = hasattr(rules, "profile"), hasattr(rules, "strength")
        strength = rules.strength if is_weighted else rules.numerosity
        left = rules.doubt / (rules.experience + rules.doubt) if is_weighted else 0 * strength
        for index, rule in enumerate(described):
            assert rule["text"] == rules.condition(index)
            assert rule["weights"] == rules.weights[index].tolist()
            if is_profiled:
                assert rule["profile"] == rules.profile[index].tolist()
                assert rule["neutral"] == rules.neutral[index]
                assert rule["applies"] == rules.applies[index].tolist()
                ratio = rules.variables.dependence(rules.conditions, rules.neutral)[index]
                assert rule["dependence"] == pytest.approx(ratio, rel=1e-12)
            else:
                assert rule["strength"] == strength[index]
                assert rule["ignorance"] == left[index]
            assert rule["fitness"] == rules.fitness[index]
            assert rule["class"] == rules.consequent[index]
            assert rule["experience"] == rules.experience[index]
            asked = [condition[0] for condition in rule["if"]]
            assert asked == np.flatnonzero(rules.asks[index]).tolist()
            for feature, *condition in rule["if"]:
                expected = np.ravel(rules.conditions[index][feature])
                assert condition == sorted(expected.tolist())


def test_numbers_of_the_model_are_those_of_the_estimator(fitted):
    for clf in fitted:
        data, rules = describe(clf), clf.deciding_rules
        assert data["classes"] == [str(label) for label in clf.classes_]
        prior = rules.prior.tolist() if hasattr(rules, "prior") else None
        assert data["prior"] == prior
        for name in ("base_rates", "class_rows"):
            assert data[name] == (getattr(rules, name).tolist() if hasattr(rules, name) else None)
        assert data["answer_threshold"] == getattr(rules, "answer_threshold", None)
        assert data["form"] == getattr(clf, "form_", None)
        assert data["older_form"] is None
        tempering = getattr(clf, "tempering_", None)
        assert data["temperature"] == (tempering and tempering.temperature)
        assert data["discount"] == (tempering and tempering.discount)
        assert [f["name"] for f in data["features"]] == list(rules.variables.feature_names)
        assert (data["support"] is None) == (clf.support is None)
        if clf.support is not None:
            assert data["support"]["scale"] == clf.support_.scale.tolist()


def test_the_seed_is_a_string_because_javascript_has_only_53_bits():
    X, y = small_table()
    seed = np.random.default_rng(0)
    clf = FuzzyUCSClassifier(epochs=1, random_state=seed).fit(X, y)
    expected = np.random.default_rng(0).integers(2**64, dtype=np.uint64)
    assert describe(clf)["seed"] == str(expected)


def test_terms_have_names(fitted):
    for clf in fitted:
        variables = clf.deciding_rules.variables
        for index, feature in enumerate(describe(clf)["features"]):
            assert ("terms" in feature) == (feature["kind"] != "number")
            if "terms" in feature:
                names = list(variables.terms(index))
                is_numbered = len(names) > 9 and variables.has_numbers(index)
                n_terms = int(variables.n_terms[index])
                runs = [as_run(term, term, n_terms) for term in range(len(names))]
                texts = [variables.describe_numbers(index, run) for run in runs]
                assert feature["terms"] == (texts if is_numbered else names)


def test_categories_have_labels():
    X, y = small_table()
    clf = EvidentialRuleClassifier(random_state=0).fit(frame_with_categories(X), y)
    labels = [feature.get("labels") for feature in describe(clf)["features"]]
    assert labels == [None, None, None, ["x", "y", "z"], ["only"]]


def test_constants_are_those_of_the_library():
    for name in ("EXPONENT", "OUTSIDE", "NARROWEST"):
        assert getattr(numpy_model, name) == getattr(support_module, name), name
    for name in ("FURTHEST", "CHANGED"):
        assert getattr(numpy_model, name) == getattr(known_values, name), name
    assert numpy_model.FORMAT == FORMAT
    assert numpy_model.VERSIONS[FORMAT] == VERSION
    assert Thresholds().ignorance == numpy_model.MOST_IGNORANCE
    assert Thresholds().contradiction == numpy_model.LEAST_CONTRADICTION
    assert numpy_model.VERDICTS == VERDICTS
    native = (Path(__file__).parents[1] / "cpp" / "profile_masses.h").read_text()
    assert f"kGreatestLog = {numpy_model.GREATEST_LOG:g};" in native
    assert sorted(numpy_model.REASONS) == sorted(REASONS)


def test_defaults_are_those_of_the_estimators():
    assert numpy_model.PARAMETERS.keys() == KINDS.keys()
    for name, kind in KINDS.items():
        defaults = signature(kind.estimator).parameters
        for parameter, value in numpy_model.PARAMETERS[name].items():
            if parameter in defaults:
                assert value == defaults[parameter].default, (name, parameter)
    evolved = signature(FuzzyUCSClassifier).parameters
    assert numpy_model.PARAMETERS["FuzzyUCSClassifier"].keys() <= evolved.keys()


def test_parameters_that_a_document_lacks_have_their_defaults(tmp_path):
    X, y = small_table()
    for name, options in [
        ("FuzzyUCSClassifier", {"epochs": 2}),
        ("UCSClassifier", {"epochs": 2}),
        ("EvidentialRuleClassifier", {}),
    ]:
        clf = KINDS[name].estimator(random_state=0, **options).fit(X, y)
        document = saved(clf, tmp_path)
        expected = evaluation_data(document)
        assert evaluation_data(document | {"parameters": {}}) == expected


def test_a_description_has_a_version():
    X, y = small_table()
    data = describe(EvidentialRuleClassifier(random_state=0).fit(X, y))
    assert (data["format"], data["version"]) == ("fuzzyucs description", 2)
    assert documented_name is model_data is describe


def test_labels_that_no_file_can_hold(tmp_path):
    X, y = small_table()
    frame = pd.DataFrame(X)
    frame.columns = list("abcd")
    frame["d"] = pd.cut(frame["d"], [-1, 3, 6, 9])
    clf = EvidentialRuleClassifier(random_state=0).fit(frame, y)
    with pytest.raises(ValueError, match="categories that are strings"):
        clf.save(tmp_path / "model.json")
    assert describe(clf)["features"][3]["labels"] == ["(-1, 3]", "(3, 6]", "(6, 9]"]
    rows = clf.columns_.numbers(frame).to_numpy()
    assert_array_equal(to_numpy(clf).predict(rows), clf.predict(frame))


def test_classes_that_no_file_can_hold(tmp_path):
    X, y = small_table()
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="datetime64[D]")
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    clf.classes_, clf.rules_ = days, replace(clf.rules_, classes=days)
    with pytest.raises(ValueError, match="datetime64"):
        clf.save(tmp_path / "model.json")
    assert describe(clf)["classes"] == ["2020-01-01", "2020-01-02", "2020-01-03"]
    assert_array_equal(to_numpy(clf).predict(X), clf.predict(X))


def test_subclasses_of_estimators_are_described():
    X, y = small_table()
    kind = type("MyClassifier", (EvidentialRuleClassifier,), {})
    clf, plain = (c(random_state=0).fit(X, y) for c in (kind, EvidentialRuleClassifier))
    assert describe(clf) == describe(plain)


def test_what_is_no_fitted_classifier_is_refused():
    X, y = small_table()
    with pytest.raises(TypeError, match="must be a classifier of fuzzyucs, got LogisticReg"):
        describe(LogisticRegression().fit(X, y))
    with pytest.raises(NotFittedError):
        describe(EvidentialRuleClassifier())


@pytest.mark.parametrize(
    "changed", [{"inference": "weighted"}, {"calibrate": True}, {"support": "auto"}]
)
def test_models_that_cannot_answer_have_no_description(changed):
    X, y = small_table()
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit(X, y).set_params(**changed)
    with pytest.raises(ValueError, match=f"{next(iter(changed))}=.* needs"):
        describe(clf)
