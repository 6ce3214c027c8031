"""StreamClassifier and EvidenceAlarm: evolving rules for river."""

import copy
import itertools
import math
import pickle
import random
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from river import base, checks, compose, evaluate, metrics, preprocessing
from river.datasets import synth

import reference
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.rules.rule_set import EvolvedRuleSet
from fuzzyucs.streams import EvidenceAlarm, StreamClassifier
from fuzzyucs.streams.features import StreamFeature


def make_stream(n=400, seed=0):
    """Records with a number, a whole number, a truth value, text and gaps."""
    rng = random.Random(seed)
    for _ in range(n):
        x = {
            "size": rng.random() * 10,
            "count": rng.randrange(5),
            "flag": rng.random() < 0.5,
            "colour": rng.choice(["red", "green", "blue"]),
        }
        y = "big" if x["size"] > 5 or (x["flag"] and x["colour"] == "red") else "small"
        for key in list(x):
            if rng.random() < 0.05:
                x[key] = None
        yield x, y


def learned(stream, **parameters):
    model = StreamClassifier(seed=1, **parameters)
    for x, y in stream:
        model.learn_one(x, y)
    return model


# river's own checks


@pytest.mark.parametrize(
    "check", list(checks.yield_checks(StreamClassifier(seed=1))), ids=lambda check: check.__name__
)
def test_river_finds_nothing_wrong(check):
    check(StreamClassifier(seed=1, population_size=200))


def test_it_is_a_classifier_of_river():
    model = StreamClassifier(seed=1)
    assert isinstance(model, base.Classifier)
    pipeline = compose.Select("size", "flag") | preprocessing.StandardScaler() | model
    for x, y in make_stream(50):
        pipeline.learn_one({k: 0 if v is None else v for k, v in x.items()}, y)
    assert set(pipeline.predict_proba_one({"size": 1.0, "flag": True})) == {"big", "small"}


# What is learned


class TwinProfiles:
    """Profiles in plain Python, beside Fuzzy-UCS in plain Python."""

    def __init__(self, n_terms, n_classes, steps, seed, **settings):
        self.rules = reference.Learner(n_terms, n_classes, reference.Settings(**settings), seed)
        self.n_terms, self.n_classes = n_terms, n_classes
        self.profiles = [(group, step) for group in ("rules", "pairs") for step in steps]
        self.forget()

    def forget(self):
        self.merits = [0.0 for _ in self.profiles]
        self.amounts = [{} for _ in self.profiles]  # by what speaks: "all", a term, a pair, a rule

    def speakers(self, x):
        """Return what matches, and to which degree, in both groups."""
        terms = {}
        for feature, (position, n) in enumerate(zip(x, self.n_terms, strict=True)):
            if not math.isnan(position):
                for term in range(n):
                    degree = max(0.0, 1 - abs(position - term))
                    if degree > 0:
                        terms[feature, term] = degree
        pairs = {
            (one, other): terms[one] * terms[other]
            for one, other in itertools.combinations(terms, 2)
            if one[0] != other[0]
        }
        matching = [rule for rule in self.rules.rules if self.rules.matches(rule, x)]
        rules = {rule: self.rules.degree(rule, x) for rule in matching}
        return {"rules": {"all": 1.0} | terms | rules, "pairs": {"all": 1.0} | terms | pairs}

    def say(self, x):
        found, said = self.speakers(x), []
        for (group, _), amounts in zip(self.profiles, self.amounts, strict=True):
            sums = [
                sum(
                    degree * amounts.get(who, [0.0] * self.n_classes)[c]
                    for who, degree in found[group].items()
                )
                for c in range(self.n_classes)
            ]
            total = sum(map(math.exp, sums))
            said.append([math.exp(s) / total for s in sums])
        return found, said

    def probabilities(self, x):
        _, said = self.say(x)
        shares = [math.exp(merit) for merit in self.merits]
        return [
            sum(share * p[c] for share, p in zip(shares, said, strict=True)) / sum(shares)
            for c in range(self.n_classes)
        ]

    def learn(self, x, y):
        found, said = self.say(x)
        for j, (group, step) in enumerate(self.profiles):
            length = sum(degree**2 for degree in found[group].values())
            self.merits[j] = 0.99 * self.merits[j] + math.log(said[j][y])
            for who, degree in found[group].items():
                row = self.amounts[j].setdefault(who, [0.0] * self.n_classes)
                for c in range(self.n_classes):
                    row[c] += step / length * degree * ((c == y) - said[j][c])
        self.rules.step(x, y)
        alive = set(self.rules.rules)
        for amounts in self.amounts:
            for who in [who for who in amounts if isinstance(who, reference.Rule)]:
                if who not in alive:
                    del amounts[who]


def test_profiles_are_those_of_a_plain_python_twin():
    rng = np.random.default_rng(0)
    settings = {"population_size": 60, "ga_interval": 5.0, "forgetting": 0.01}
    ranges = {"a": (0, 4), "b": (0, 4), "c": (0, 4)}
    model = StreamClassifier(n_terms=5, steps=(0.3, 1.0), ranges=ranges, seed=7, **settings)
    # The first examples make the classes known; there is nothing to go on with after one of each.
    twin = TwinProfiles([5, 5, 5], 2, (0.3, 1.0), 7, dont_care_rate=0.33, **settings)
    for i in range(300):
        x = (rng.random(3) * 4).tolist()
        if i >= 2 and rng.random() < 0.1:
            x[1] = math.nan
        y = i % 2 if i < 2 else int(x[0] + x[2] > 4)
        record = dict(zip("abc", x, strict=True))
        if i >= 2:
            found = model.predict_proba_one(record)
            assert_allclose([found[0], found[1]], twin.probabilities(x), rtol=1e-9)
        model.learn_one(record, y)
        if i == 0:  # the model has known of one class so far, about which nothing is to be learned
            twin.rules.step(x, y)
        else:
            twin.learn(x, y)
    assert len(model.rules) == len(twin.rules.rules)


def test_evidence_is_that_of_the_frozen_rules():
    model = learned(make_stream(600))
    rules = model.rules.experienced(10.0)
    assert 0 < len(rules) < len(model.rules)
    doubtful = 0
    for x, _ in make_stream(60, seed=5):
        positions = model._native.positions(x)[np.newaxis]
        mass, log_agreement = rules.freeze().dempster_shafer(positions, 0)[1:3]
        evidence = model.predict_evidence_one(x)
        assert_allclose(evidence.mass, mass[:, :-1], atol=1e-12)
        assert_allclose(evidence.ignorance, mass[:, -1], atol=1e-12)
        assert_allclose(evidence.log_agreement, log_agreement, rtol=1e-9)
        assert_allclose(evidence.posterior[0], list(model.predict_proba_one(x).values()))
        doubtful += 1e-9 < mass[0, 0] < 1 - 1e-9
    assert doubtful > 0
    assert StreamClassifier(seed=1).predict_proba_one({"a": 1}) == {}
    with pytest.raises(ValueError, match="needs an example"):
        StreamClassifier(seed=1).predict_evidence_one({"a": 1})


def test_votes_of_a_live_learner_are_those_of_the_frozen_rules():
    X = np.random.default_rng(0).random((500, 3))
    clf = FuzzyUCSClassifier(ranges=[(0, 1)] * 3, random_state=0)
    clf.partial_fit(X, (X[:, 0] > 0.5).astype(int), classes=[0, 1])
    learner = clf._live.learner
    positions = clf.rules_.variables.positions(X[:50])
    frozen = clf.rules_.experienced(10.0).freeze()
    for row in positions:
        assert_allclose(learner.votes(row, 10.0), frozen.votes(row[np.newaxis])[0], rtol=1e-12)
        logs = frozen.log_commonalities(row[np.newaxis])[0]
        assert_allclose(learner.log_commonalities(row, 10.0), logs, rtol=1e-9, atol=1e-9)


def test_records_are_read_as_variables_locate_them():
    model = learned(make_stream(200))
    for x, _ in make_stream(50, seed=3):
        values = [
            math.nan if x[f.key] is None else f.terms[x[f.key]] if f.terms else float(x[f.key])
            for f in model._features
        ]
        expected = model.rules.variables.positions(np.array([values]))[0]
        assert_array_equal(model._native.positions(x), expected)


def test_it_learns_records_of_all_kinds():
    metric = metrics.Accuracy()
    evaluate.progressive_val_score(list(make_stream(3000)), StreamClassifier(seed=1), metric)
    assert metric.get() > 0.9


def test_it_follows_a_drift():
    model = StreamClassifier(seed=1)
    streams = [synth.SEA(variant=v, seed=1).take(2000) for v in (0, 2)]
    for stream in streams:
        right = 0
        for i, (x, y) in enumerate(stream):
            right += i >= 1500 and model.predict_one(x) == y
            model.learn_one(x, y)
        assert right / 500 > 0.93


# What is new in a stream


def test_order_of_keys_does_not_matter():
    one, other = StreamClassifier(seed=1), StreamClassifier(seed=1)
    for x, y in make_stream(200):
        backwards = dict(reversed(x.items()))
        assert one.predict_proba_one(x) == other.predict_proba_one(backwards)
        one.learn_one(x, y)
        other.learn_one(backwards, y)


def test_what_is_predicted_is_not_learned():
    model = learned(make_stream(100))
    before = pickle.dumps(model)
    model.predict_proba_one({"size": 1e9, "colour": "violet", "weight": 3.0, "flag": [1]})
    assert pickle.dumps(model) == before


def test_new_features_categories_and_classes_keep_what_is_known():
    model = learned(make_stream(500), steps=(0.5,))
    probes = [x for x, _ in make_stream(30, seed=9)]
    rules = model.rules
    grown = copy.deepcopy(model)
    grown._set(*_grown(model, {"size": 3.0, "weight": 1.0, "colour": "violet"}, "huge"))
    for merits in ([0.0, -1000.0], [-1000.0, 0.0]):  # each of the groups alone decides
        model._native.merits = grown._native.merits = merits
        for x in probes:
            known, found = model.predict_proba_one(x), grown.predict_proba_one(x)
            odds, others = found["big"] / found["small"], known["big"] / known["small"]
            assert odds == pytest.approx(others)
            assert found["huge"] > 0
    model = grown
    assert_array_equal(model.rules.experience, rules.experience)
    assert model.rules.variables.feature_names == (*rules.variables.feature_names, "weight")
    assert "THEN" in model.rules[:3].to_text()


def _grown(model, x, y):
    """What the model would become, so that growth can be seen apart from learning."""
    grown = copy.deepcopy(model)
    grown._grow(x, y)
    state = grown.__getstate__()
    return state["_features"], state["_labels"], state["_learned"]


@pytest.mark.parametrize(("n_features", "n_groups"), [(1, 1), (2, 2), (13, 2), (14, 1)])
def test_pairs_of_terms_come_with_a_second_feature_and_go_with_too_many(n_features, n_groups):
    rng = random.Random(0)
    first = [({0: rng.random()}, i % 2) for i in range(20)]
    more = [({f: rng.random() for f in range(n_features)}, i % 2) for i in range(20)]
    model = learned(first + more)
    assert model._native.n_groups == n_groups  # 13 features have 4,992 pairs of terms
    known = pickle.loads(pickle.dumps(model))
    assert known.predict_proba_one({0: 0.5}) == model.predict_proba_one({0: 0.5})
    assert sum(model.predict_proba_one({0: 0.5}).values()) == pytest.approx(1)


def test_a_wider_range_keeps_what_terms_say():
    model = learned([({"a": 0.0}, 0)], n_terms=5, steps=(0.5,))
    model.learn_one({"a": 4.0}, 0)  # of a single class there is nothing to learn
    rules = model.rules
    rules = replace(rules, conditions=np.full_like(rules.conditions, 0b11000))
    amounts = np.array([[9.0], [0], [1], [2], [3], [4], *([[7.0]] * len(rules))])
    live = model._live(model._native)
    state = rules, live.state, [amounts[np.newaxis]], [0.0]
    model._set([StreamFeature("a", 5, 0.0, 4.0)], [0], state)
    model.learn_one({"a": 7.84}, 0)  # 2 % of 8 below
    assert model.range_changes[-1].new == pytest.approx((0, 8))
    found = model._native.export_profiles(0)[:, 0]
    assert_allclose(found[: 6 + len(rules)], [9, 0, 2, 4, 4, 4] + [7] * len(rules))
    assert model.rules.conditions[: len(rules), 0].tolist() == [0b11100] * len(rules)


@pytest.mark.parametrize("feature", ["a", "b"])
def test_a_wider_range_keeps_what_pairs_say(feature):
    rng = np.random.default_rng(0)
    ranges = [StreamFeature(key, 5, 0.0, 4.0) for key in "ab"]
    model = learned(({"a": i % 5, "b": i % 4}, i % 2) for i in range(20))
    model.n_terms, model.steps = 5, (1e-6,)  # what is learned below is too little to count
    live = model._live(model._native)
    rules = replace(live.rules[:0], conditions=np.empty((0, 2), np.uint64))
    amounts = [rng.normal(size=(1, n, 2)) for n in (11, 36)]
    model._set(ranges, [0, 1], (rules, live.state, amounts, [-1000.0, 0.0]))
    probes = [{"a": a, "b": b} for a in (0, 2, 4) for b in (0, 2, 4)]
    before = [model.predict_proba_one(x)[0] for x in probes]
    model.learn_one({feature: 7.84}, 0)
    assert model.range_changes[-1].new == pytest.approx((0, 8))
    assert_allclose([model.predict_proba_one(x)[0] for x in probes], before, rtol=1e-4)


def test_ranges_that_widen_are_reported():
    model = learned([({"a": 1.0}, 0), ({"a": 2.0}, 1), ({"a": 1.5}, 0), ({"a": 9.0}, 1)])
    first, second = model.range_changes
    assert (first.time, first.feature, first.old) == (1, "a", (1.0, 1.0))
    assert second.old == first.new
    assert second.new[1] > 9
    declared = learned([({"a": 1.0}, 0), ({"a": 99.0}, 1)], ranges={"a": (0, 10)})
    assert declared.range_changes == ()
    assert declared.rules.variables.maximum.tolist() == [10]


def test_more_categories_than_terms_count_as_missing():
    model = learned(({"a": f"c{i}"}, i % 2) for i in range(200))
    assert len(model._features[0].categories) == 64
    assert sum(model.predict_proba_one({"a": "c150"}).values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ({"size": "large"}, "big", "x must have numbers for 'size', as before, got 'large'"),
        ({"size": "3.5"}, "big", "x must have numbers for 'size', as before, got '3.5'"),
        ({"size": [1]}, "big", r"x must have numbers for 'size', as before, got \[1\]"),
        ({"size": math.inf}, "big", "x must have finite numbers for 'size', got inf"),
        ({"size": 10**5000}, "big", "x must have finite numbers for 'size', got one that is too"),
        ({"colour": 3}, "big", "x must have text for 'colour', as before, got 3"),
        ({"colour": ["red"]}, "big", r"x must have text for 'colour', as before, got \['red'\]"),
        ({"size": 99.0, "new": [1]}, "big", r"x must have a number or text for 'new', got \[1\]"),
        ({"new": 1.0, "colour": 3, "size": 99.0}, "other", "x must have text for 'colour'"),
        ({"size": 99.0}, None, "y must be a class, got None"),
        ({"size": 99.0}, math.nan, "y must be a class, got nan"),
        ({"size": 99.0}, np.float32("nan"), "y must be a class, got"),
        ({"size": 99.0}, ["big"], r"y must be hashable, got \['big'\]"),
        ({"size": 99.0}, (["big"],), "y must be hashable, got"),
        ([1.0, 2.0], "big", r"x must be a dict, got \[1.0, 2.0\]"),
    ],
)
def test_values_that_cannot_be_are_named_and_change_nothing(x, y, message):
    model = learned(make_stream(100))
    untouched = learned(make_stream(100))
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.learn_one(x, y)
    assert pickle.dumps(model) == before
    for x, y in make_stream(50, seed=4):  # it goes on as if nothing had come
        assert model.predict_proba_one(x) == untouched.predict_proba_one(x)
        model.learn_one(x, y)
        untouched.learn_one(x, y)


def test_the_first_example_must_have_a_value():
    for x in ({"a": None}, {"a": math.nan}, {"a": np.float32("nan")}, {}):
        with pytest.raises(ValueError, match="at least one value in the first example"):
            StreamClassifier().learn_one(x, 1)


def test_records_may_be_any_mapping_of_values_of_any_kind():
    model = learned(make_stream(100))
    other = learned(make_stream(100))
    model.learn_one({"size": 0.5, "count": 3, "flag": True, "colour": "red"}, "big")
    other.learn_one(
        MappingProxyType(
            {
                "size": Fraction(1, 2),
                "count": np.int8(3),
                "flag": np.True_,
                "colour": np.str_("red"),
            }
        ),
        "big",
    )
    probes = [x for x, _ in make_stream(20, seed=6)]
    assert [model.predict_proba_one(x) for x in probes] == [
        other.predict_proba_one(MappingProxyType(x)) for x in probes
    ]


def test_classes_of_several_types_stay_apart():
    labels = [1, "1", ("a", 1), None.__class__, 2.5, True]
    model = StreamClassifier(seed=1)
    for i in range(60):
        model.learn_one({"a": i % 6}, labels[i % 6])
    # As keys of a dict, True and 1 are the same.
    assert list(model.predict_proba_one({"a": 3})) == labels[:5]
    assert model.predict_one({"a": 1}) == "1"


def test_numbers_at_the_ends_of_floats_are_in_range():
    model = learned(make_stream(100))
    for size in (-1.7e308, 1.7e308, 5e-324):
        model.learn_one({"size": size}, "big")
        assert sum(model.predict_proba_one({"size": size}).values()) == pytest.approx(1)
    assert model.rules.variables.maximum[model.rules.variables.feature_names.index("size")] > 1e308


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_terms": 1}, "n_terms must be a number from 2 to 64, got 1"),
        ({"steps": ()}, "steps must have at least one number"),
        ({"steps": (0.1, -1)}, "steps must be a number from 1e-06 to 10, got -1"),
        ({"ranges": {"a": (1, 1)}}, "ranges must have a least and a greatest number for 'a'"),
        ({"forgetting": 1}, "forgetting must be a number from 0 to 0.999"),
        ({"population_size": "many"}, "population_size must be a number"),
    ],
)
def test_parameters_that_cannot_be_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        StreamClassifier(**parameters)


# Copies


@pytest.mark.parametrize("keep", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_go_on_bit_for_bit(keep):
    stream = list(make_stream(500))
    whole, parts = StreamClassifier(seed=1), StreamClassifier(seed=1)
    for i, (x, y) in enumerate(stream):
        if i % 100 == 50:
            parts = keep(parts)
        assert whole.predict_proba_one(x) == parts.predict_proba_one(x)
        whole.learn_one(x, y)
        parts.learn_one(x, y)
    for name in EvolvedRuleSet.array_names():
        assert_array_equal(getattr(whole.rules, name), getattr(parts.rules, name))
    assert_array_equal(whole.profiles, parts.profiles)
    assert whole.profiles.shape == (4, len(whole.rules), 2)


# Alarms


@pytest.fixture(scope="module")
def watched():
    X = np.random.default_rng(0).normal(size=(500, 3))
    return EvidentialRuleClassifier().fit(X, X[:, 0] > 0)


@pytest.mark.parametrize("signal", ["novelty", "ignorance"])
def test_an_alarm_is_raised_when_records_are_unlike_those_before(watched, signal):
    rng = np.random.default_rng(1)
    usual, unusual = rng.normal(size=(3000, 3)), rng.normal(4.0, size=(400, 3))
    alarm = EvidenceAlarm(signal)
    assert not alarm.update(watched.predict_evidence(usual)).drift_detected
    assert alarm.n_alarms == 0
    before = alarm.mean
    assert alarm.update(watched.predict_evidence(unusual)).drift_detected
    assert alarm.n_alarms >= 1
    assert alarm.mean > before
    n_alarms = alarm.n_alarms
    alarm.update(watched.predict_evidence(usual))  # back to the usual is no alarm
    assert alarm.n_alarms == n_alarms


def test_alarms_take_records_one_by_one(watched):
    X = np.vstack([np.random.default_rng(1).normal(m, size=(500, 3)) for m in (0.0, 4.0)])
    evidence = watched.predict_evidence(X)
    whole, single = EvidenceAlarm("novelty"), EvidenceAlarm("novelty")
    whole.update(evidence)
    for i in range(len(X)):
        single.update(evidence[i : i + 1])
    assert single.n_alarms == whole.n_alarms > 0


def test_alarms_say_what_they_need():
    with pytest.raises(ValueError, match="signal must be one of"):
        EvidenceAlarm("mood")
    with pytest.raises(ValueError, match="delta must lie between 0 and 1, got 2"):
        EvidenceAlarm(delta=2)
    clf = FuzzyUCSClassifier(epochs=1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="evidence has no novelty"):
        EvidenceAlarm("novelty").update(clf.predict_evidence([[0.5]]))
