"""Models with base rates give one coherent answer in the library, in NumPy alone and in ONNX."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import fuzzyucs
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.deployment import numpy_model
from fuzzyucs.deployment.description import describe, to_numpy
from fuzzyucs.deployment.numpy_model import NumpyModel
from fuzzyucs.deployment.onnx import to_onnx
from fuzzyucs.evidence.verdict import Thresholds, judge

onnxruntime = pytest.importorskip("onnxruntime")


def data(n_classes, *, seed=0, gaps=0.15, n=150):
    """Return a table with gaps, a nominal feature and categories, and labels."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    kind = rng.choice(["red", "green", "blue"], n)
    frame = pd.DataFrame(
        {
            "x": x,
            "near x": x + rng.normal(0, 0.4, n),
            "count": rng.poisson(2, n).astype(float),
            "kind": pd.Categorical(kind),
            "level": pd.Categorical.from_codes(
                rng.integers(0, 3, n), ["low", "middle", "high"], ordered=True
            ),
            "constant": 2.0,
        }
    )
    score = x + (kind == "red") + 0.3 * frame["count"] + rng.normal(0, 0.5, n)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    for column in ("x", "near x", "count", "kind"):
        frame.loc[rng.random(n) < gaps, column] = np.nan
    return frame, np.array(list("abcdefgh"))[y]


def asked(frame, seed=1, n=60):
    """Return rows as numbers: empty, strange, with gaps and with unknown categories."""
    rng = np.random.default_rng(seed)
    codes = frame.copy()
    for column in ("kind", "level"):
        codes[column] = codes[column].cat.codes.replace(-1, np.nan).astype(float)
    rows = codes.to_numpy(dtype=float)[rng.integers(0, len(codes), n)]
    rows = np.where(rng.random(rows.shape) < rng.choice([0, 0.3, 0.8], (n, 1)), np.nan, rows)
    rows[0] = np.nan
    rows[1, :3] = [1e6, -1e6, 500]
    rows[2, 5] = 77.0
    rows[3, 3:] = np.nan
    return rows


def as_frame(clf, rows):
    """Return rows of numbers as a frame with categories."""
    columns = {
        name: [clf.columns_.label(feature, value) for value in rows[:, feature]]
        for feature, name in enumerate(clf.feature_names_in_)
    }
    return pd.DataFrame(columns)


def in_onnx(clf, rows):
    session = onnxruntime.InferenceSession(to_onnx(clf).SerializeToString())
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(None, {"X": rows}), strict=True))
    rates = json.loads(session.get_modelmeta().custom_metadata_map["base_rates"])
    return found, np.array(rates)


def assert_coherent(probability, belief, rates, ignorance):
    """The law of the model: probability = belief + base rate * ignorance."""
    assert min(belief.min(), ignorance.min(), probability.min()) >= 0
    assert_allclose(belief.sum(axis=1) + ignorance, 1, rtol=0, atol=1e-12)
    shares = belief + rates * ignorance[:, np.newaxis]
    assert_allclose(probability, shares, rtol=0, atol=1e-12)


def assert_one_answer(clf, rows, *, onnx=True):
    """Compare the library with a brute-force oracle, with NumPy alone and with ONNX."""
    frame = as_frame(clf, rows)
    evidence, probability = clf.predict_evidence(frame), clf.predict_proba(frame)
    assert_coherent(probability, evidence.belief, clf.base_rates_, evidence.ignorance)
    assert_coherent(evidence.probability, evidence.belief, clf.base_rates_, evidence.ignorance)
    assert_allclose(probability, by_hand(clf, frame, rows), rtol=0, atol=1e-9)
    model = to_numpy(clf)
    found = model.predict_evidence(rows)
    assert_coherent(found.probability, found.belief, found.base_rates, found.ignorance)
    assert_array_equal(model.predict_proba(rows), found.probability)
    assert_array_equal(found.base_rates, clf.base_rates_)
    names = ["belief", "ignorance", "weak_evidence", "probability", "contradiction"]
    for name in [*names, *(["novelty"] if clf.support else [])]:
        assert_allclose(
            getattr(found, name), getattr(evidence, name), rtol=0, atol=1e-9, err_msg=name
        )
    is_clear = clear(evidence)
    assert_array_equal(found.verdict[is_clear], evidence.verdict[is_clear])
    assert_array_equal(found.reason[is_clear], evidence.reason[is_clear])
    decided = np.sort(probability, axis=1)
    is_decided = decided[:, -1] - decided[:, -2] > 1e-9
    labels = clf.predict(frame)
    assert_array_equal(model.predict(rows)[is_decided], labels[is_decided])
    if not onnx:
        return
    graph, rates = in_onnx(clf, rows)
    assert_array_equal(rates, clf.base_rates_)
    assert_coherent(graph["probabilities"], graph["mass"], rates, graph["ignorance"])
    assert_allclose(graph["probabilities"], probability, rtol=0, atol=1e-9)
    for name in ["mass", "ignorance", "contradiction", *(["novelty"] if clf.support else [])]:
        assert_allclose(graph[name], getattr(evidence, name), rtol=0, atol=1e-9, err_msg=name)
    assert_array_equal(graph["verdict"][is_clear], evidence.verdict[is_clear])
    assert_array_equal(graph["reason"][is_clear], evidence.reason[is_clear])
    assert_array_equal(graph["label"][is_decided], labels[is_decided].astype(str))


def clear(evidence):
    """Tell which rows are so far from every threshold that rounding cannot change the verdict."""
    values = [
        evidence.confidence - evidence.thresholds.answer,
        evidence.ignorance - evidence.thresholds.ignorance,
        evidence.contradiction - evidence.thresholds.contradiction,
    ]
    if evidence.novelty is not None:
        values.append(2 * evidence.novelty**2 - evidence.ignorance)
    return (np.abs(values) > 1e-9).all(axis=0)


def by_hand(clf, frame, rows):
    """The probabilities by their definition, from degrees and novelty."""
    rules = clf.rules_
    degrees = clf.membership(frame)
    scores = (degrees - rules.neutral) @ rules.profile
    # Missing values moderate what is said between the two most probable classes.
    with np.errstate(divide="ignore"):
        best, following = np.argsort(-(np.log(rules.base_rates) + scores), kind="stable")[:, :2].T
    lead = (rules.profile[:, best] - rules.profile[:, following]).T
    fitting = rules.without_beliefs().freeze().membership(rules.variables.positions(rows))
    variance = (degrees * (fitting - degrees) * lead**2).sum(axis=1, keepdims=True)
    scores = scores / np.sqrt(1 + np.pi / 8 * np.maximum(variance, 0))
    possible = scores[:, rules.base_rates > 0].max(axis=1, keepdims=True)
    odds = rules.base_rates * np.exp(np.minimum(scores - possible, 700))
    probability = odds / odds.sum(axis=1, keepdims=True)
    if clf.support is None:
        return probability
    taken = clf.support_.novelty(rows)[:, np.newaxis] ** 2
    # Of what novelty takes back, every class gets its base rate.
    return (1 - taken) * probability + taken * rules.base_rates


MODELS = {
    "two classes": (2, {}),
    "several classes": (4, {}),
    "many classes": (8, {}),
    "mean": (3, {"missing": "mean"}),
    "no support": (3, {"support": None}),
    "three models": (3, {"n_models": 3}),
    "balanced": (2, {"class_weight": {"a": 20.0, "b": 1.0}}),
    "other base rates": (2, {"base_rates": {"a": 0.01, "b": 0.99}}),
    "a class of base rate 0": (3, {"base_rates": [0.0, 0.6, 0.4]}),
    "a sure class": (3, {"base_rates": [0.0, 1.0, 0.0], "support": None}),
}


@pytest.fixture(scope="module")
def fitted():
    models = {}
    for seed, (name, (n_classes, options)) in enumerate(MODELS.items()):
        frame, y = data(n_classes, seed=seed)
        clf = EvidentialRuleClassifier(random_state=0, penalty=1.0, **options).fit(frame, y)
        assert len(clf.rules_) > 1
        models[name] = clf, asked(frame)
    return models


@pytest.mark.parametrize("name", MODELS)
def test_one_answer_everywhere(fitted, name, tmp_path):
    clf, rows = fitted[name]
    assert_one_answer(clf, rows)
    loaded = fuzzyucs.load(clf.save(tmp_path / "model.json"))
    frame = as_frame(clf, rows)
    assert_array_equal(loaded.predict_proba(frame), clf.predict_proba(frame))
    ours, theirs = (NumpyModel.load(tmp_path / "model.json"), to_numpy(clf))
    assert_array_equal(ours.predict_proba(rows), theirs.predict_proba(rows))


@pytest.mark.parametrize("name", ["two classes", "several classes", "no support"])
def test_other_base_rates_after_fitting(fitted, name):
    clf, rows = fitted[name]
    n = len(clf.classes_)
    for rates in (np.arange(1, n + 1) / np.arange(1, n + 1).sum(), np.eye(n)[0]):
        assert_one_answer(clf.with_base_rates(rates), rows)


@pytest.mark.parametrize("name", MODELS)
def test_a_record_without_values_has_the_base_rates(fitted, name):
    clf, rows = fitted[name]
    nothing, rates = rows[:1], clf.base_rates_[np.newaxis]
    found, (graph, _) = to_numpy(clf).predict_evidence(nothing), in_onnx(clf, nothing)
    for probability in (found.probability, graph["probabilities"]):
        assert_allclose(probability, rates, rtol=0, atol=1e-12)
    for ignorance in (found.ignorance, graph["ignorance"]):
        assert_allclose(ignorance, 1, rtol=0, atol=1e-12)
    assert found.contradiction.tolist() == graph["contradiction"].tolist() == [0]
    assert (found.verdict[0], found.reason[0]) == ("unknown", "missing")
    assert (graph["verdict"][0], graph["reason"][0]) == ("unknown", "missing")


def test_a_strange_record_is_unknown_and_has_nearly_the_base_rates(fitted):
    clf, rows = fitted["several classes"]
    found, (graph, _) = to_numpy(clf).predict_evidence(rows[[1]]), in_onnx(clf, rows[[1]])
    assert_allclose(found.probability[0], clf.base_rates_, atol=0.01)
    assert_allclose(graph["probabilities"][0], clf.base_rates_, atol=0.01)
    for verdict, reason in ((found.verdict, found.reason), (graph["verdict"], graph["reason"])):
        assert (verdict[0], reason[0]) == ("unknown", "novelty")


def test_all_verdicts_and_reasons_occur(fitted):
    """So that comparing them compares something."""
    found = [to_numpy(clf).predict_evidence(rows) for clf, rows in fitted.values()]
    reasons = {reason for evidence in found for reason in evidence.reason.tolist()}
    assert reasons >= {"", "contradiction", "undecided", "missing", "novelty"}
    assert {v for e in found for v in e.verdict.tolist()} == {"answer", "torn", "unknown"}


def test_rules_that_say_too_little(fitted):
    """Weak rules leave the ignorance great, though no value is missing."""
    clf, _ = fitted["no support"]
    weak = clf.with_rules(replace(clf.rules_, profile=0.01 * clf.rules_.profile))
    full = asked(data(3, gaps=0.0)[0], n=5)[[4]]
    full = np.where(np.isnan(full), 1.0, full)
    found, (graph, _) = to_numpy(weak).predict_evidence(full), in_onnx(weak, full)
    assert (found.reason[0], graph["reason"][0]) == ("evidence", "evidence")
    assert_one_answer(weak, full)


def test_somewhat_novel_records_of_which_rules_say_too_little(fitted):
    """Novelty is the reason only if what it takes back is half of the ignorance."""
    clf, _ = fitted["several classes"]
    weak = clf.with_rules(replace(clf.rules_, profile=0.01 * clf.rules_.profile))
    rows = asked(data(4, gaps=0.0)[0], n=600)
    rows = np.column_stack([np.random.default_rng(0).permutation(column) for column in rows.T])
    novelty = clf.support_.novelty(rows)
    rows = rows[(novelty > 0.5) & (novelty < 0.7)]
    assert len(rows) > 5
    found = to_numpy(weak).predict_evidence(rows)
    assert (found.ignorance > 0.9).all()
    assert set(found.reason.tolist()) <= {"missing", "evidence"}
    assert_one_answer(weak, rows)


def test_verdicts_are_those_of_the_library():
    rng = np.random.default_rng(0)
    confidence, ignorance, contradiction, discount = rng.integers(0, 9, (4, 5000)) / 8
    n_missing = rng.integers(0, 3, 5000)
    found = numpy_model.judge(confidence, ignorance, contradiction, discount, n_missing, 0.75)
    thresholds = Thresholds(answer=0.75)
    expected = judge(confidence, ignorance, contradiction, discount, n_missing, thresholds)
    for ours, theirs in zip(found, expected, strict=True):
        assert_array_equal(ours, theirs)
    assert set(expected[1].tolist()) == set(numpy_model.REASONS)


entry = st.one_of(st.just(0.0), st.floats(-30, 30, allow_subnormal=False))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(sorted(MODELS)),
    count=st.integers(0, 6),
    profile=st.lists(st.lists(entry, min_size=8, max_size=8), min_size=6, max_size=6),
    shares=st.lists(st.integers(0, 5), min_size=8, max_size=8),
    threshold=st.floats(0, 1),
    onnx=st.integers(0, 4),
)
def test_any_profiles_base_rates_and_thresholds(
    fitted, name, count, profile, shares, threshold, onnx
):
    """Rules that no fit would find: opposite, huge, tied and empty profiles, rates of 0."""
    clf, rows = fitted[name]
    n, count = len(clf.classes_), min(count, len(clf.rules_))
    rates = np.array(shares[:n], dtype=float)
    rates = rates / rates.sum() if rates.any() else np.full(n, 1 / n)
    rules = replace(
        clf.rules_[:count],
        profile=np.array(profile)[:count, :n],
        base_rates=rates,
        answer_threshold=threshold,
    )
    changed = clf.with_rules(rules)
    assert_one_answer(changed, rows, onnx=onnx == 0)
    described = NumpyModel(json.loads(json.dumps(describe(changed))))
    assert_array_equal(described.predict_proba(rows), to_numpy(changed).predict_proba(rows))
