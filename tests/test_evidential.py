"""The flagship: rules searched where evidence is missing."""

import hashlib
import io
import json
import pickle
import re
import signal
import threading
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_moons
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier, ProfiledRuleSet
from fuzzyucs.decisions import Profiled
from fuzzyucs.estimators.penalty_path import PATH, PATIENCE
from soaking import first

X, Y = load_wine(return_X_y=True)


def arrays_of(rules):
    common = {name: getattr(rules, name) for name in ("base_rates", "class_rows")}
    return {name: getattr(rules, name) for name in rules.array_names()} | common


def assert_same_rules(a, b):
    for name, array in arrays_of(a).items():
        assert_array_equal(array, arrays_of(b)[name])


@pytest.fixture(scope="module")
def wine():
    return EvidentialRuleClassifier(random_state=0).fit(X, Y)


def test_a_few_readable_rules_are_accurate_and_calibrated():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    clf = EvidentialRuleClassifier(random_state=0).fit(X_train, y_train)
    assert clf.score(X_test, y_test) > 0.94
    assert log_loss(y_test, clf.predict_proba(X_test)) < 0.2
    assert len(clf.rules_) < 60
    assert clf.rules_.asks.sum(axis=1).mean() < 3.5
    text = clf.rules_.to_text().splitlines()
    assert len(text) == len(clf.rules_) + 1
    assert all(" is " in line and " THEN " in line for line in text[:-1])
    assert text[-1].startswith("Without evidence: class 0 ")


def test_predictions_fit_together(wine):
    p = wine.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1)
    assert_array_equal(wine.predict(X), wine.classes_[p.argmax(axis=1)])
    evidence = wine.predict_evidence(X)
    assert_allclose(evidence.mass.sum(axis=1) + evidence.ignorance, 1)
    assert_array_equal(evidence.probability, p)
    assert_array_equal(evidence.decide(), wine.predict(X))
    # Rules and base rates give the probabilities, before novelty takes anything back.
    plain = clone(wine).set_params(support=None).fit(X, Y)
    assert plain.predict_evidence(X).novelty is None
    rules = wine.rules_
    odds = rules.base_rates * np.exp((wine.membership(X) - rules.neutral) @ rules.profile)
    assert_allclose(plain.predict_proba(X), odds / odds.sum(axis=1, keepdims=True), rtol=1e-9)
    assert wine.form_ == 2
    assert type(wine.decision) is Profiled
    degrees = wine.membership(X)
    assert degrees.shape == (len(X), len(wine.rules_))
    assert_allclose((degrees.T @ np.eye(3)[Y]), wine.rules_.class_experience)


def test_rules_are_sorted_by_the_evidence_they_carry(wine):
    rules = wine.rules_
    assert isinstance(rules, ProfiledRuleSet)
    assert (np.diff(rules.evidence) <= 0).all()
    assert rules.profile.any(axis=1).all()
    # What each rule carries: how far it moves the classes that it favours most and least apart.
    amounts = (wine.membership(X) - rules.neutral)[:, :, np.newaxis] * rules.profile
    assert_allclose(rules.evidence, np.ptp(amounts, axis=2).sum(axis=0))
    assert_allclose(rules.log_odds, np.ptp(rules.profile, axis=1))
    best = rules.profile[np.arange(len(rules)), rules.consequent]
    assert_array_equal(best, rules.profile.max(axis=1))


def test_rules_as_a_frame_and_as_json(wine):
    frame = wine.rules_.to_frame()
    assert_array_equal(frame["evidence"], wine.rules_.evidence)
    assert_array_equal(frame["neutral"], wine.rules_.neutral)
    assert_array_equal(frame["profile of 2"], wine.rules_.profile[:, 2])
    document = json.loads(wine.rules_.to_json())
    assert document["base_rates"] == wine.base_rates_.tolist()
    assert document["class_rows"] == np.bincount(Y).tolist()
    assert document["answer_threshold"] == wine.rules_.answer_threshold
    for name in ("profile", "neutral", "evidence", "applies"):
        values = getattr(wine.rules_, name).tolist()
        assert [rule[name] for rule in document["rules"]] == values
    assert len(document["features"][0]["peaks"]) == len(document["features"][0]["terms"])


def test_no_two_rules_say_the_same(wine):
    assert len({wine.rules_.condition(k) for k in range(len(wine.rules_))}) == len(wine.rules_)


def test_importances_are_shares_of_the_evidence(wine):
    importance = wine.feature_importances_
    assert importance.sum() == pytest.approx(1)
    assert (importance >= 0).all()
    expected = np.zeros(13)
    for k, rule in enumerate(wine.rules_.conditions):
        asked = [f for f in range(13) if not wine.rules_.variables.is_dont_care(f, rule[f])]
        expected[asked] += wine.rules_.evidence[k] / len(asked)
    assert_allclose(importance, expected / expected.sum())


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_the_number_of_threads_changes_nothing(wine, n_jobs):
    assert_same_rules(
        EvidentialRuleClassifier(random_state=0, n_jobs=n_jobs).fit(X, Y).rules_, wine.rules_
    )


def test_the_same_seed_gives_the_same_rules_and_the_global_one_does_not_matter(wine):
    before = np.random.get_state()[1].copy()
    again = EvidentialRuleClassifier(random_state=0).fit(X, Y)
    assert_array_equal(np.random.get_state()[1], before)
    assert_same_rules(again.rules_, wine.rules_)


@pytest.mark.parametrize("n_models", first(1, [1, 2]))
def test_nothing_is_left_to_chance(n_models):
    clf = EvidentialRuleClassifier(random_state=0, n_models=n_models).fit(X, Y)
    for seed in (1, None, np.random.default_rng(2)):
        other = EvidentialRuleClassifier(random_state=seed, n_models=n_models).fit(X, Y)
        assert_same_rules(other.rules_, clf.rules_)
    # The same penalty has the same rules, whoever chose it.
    given = clone(clf).set_params(penalty=clf.penalty_).fit(X, Y)
    assert_same_rules(given.rules_, clf.rules_)


def test_rules_for_a_seed_never_change_between_machines(wine):
    digest = hashlib.sha256()
    for name in ("conditions", "class_experience", "profile"):
        values = np.ascontiguousarray(getattr(wine.rules_, name))
        if name == "conditions":
            values = values.astype(np.uint32)  # few terms need no more
        digest.update(values.tobytes())
    assert digest.hexdigest()[:16] == "9c96f7f02bb0acad"


def test_limits_are_kept(wine):
    clf = EvidentialRuleClassifier(max_rules=4, max_conditions=1, random_state=0).fit(X, Y)
    assert len(clf.rules_) <= 4 < len(wine.rules_)
    assert clf.rules_.asks.sum(axis=1).max() == 1
    assert clf.score(X, Y) > 0.8


def numbered_rooms(n_rows=300):
    """Some rooms, by number, are noisy; a second feature tells nothing."""
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.integers(0, 20, n_rows), rng.normal(size=n_rows)]).astype(float)
    return x, np.isin(x[:, 0], [1, 2, 6, 9, 10, 11, 15, 18]).astype(int)


def one_of_thirty(n_rows=150):
    """One feature tells most; whatever the others seem to add is chance."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n_rows, 30))
    return x, np.where(rng.random(n_rows) < 0.5, rng.integers(0, 2, n_rows), x[:, 0] > 0)


def test_penalties_fall_until_they_get_worse(capsys):
    """In terms that a user wants, so that there is one path."""
    clf = EvidentialRuleClassifier(n_terms=5, verbose=2).fit(*one_of_thirty())
    lines = [line for line in capsys.readouterr().err.splitlines() if "held-out loss" in line]
    losses = [float(line.rpartition(" ")[2]) for line in lines]
    assert len(losses) < len(PATH)
    assert np.argmin(losses) == len(losses) - 1 - PATIENCE[0][1]
    assert f"penalty {clf.penalty_:.3g}," in lines[np.argmin(losses)]


def test_ordered_features_have_many_terms_of_which_rules_need_few():
    x = np.random.default_rng(0).random((2000, 2))
    clf = EvidentialRuleClassifier(random_state=0).fit(x, x[:, 0] > 0.123)
    peaks = clf.rules_.variables.peaks(0)
    assert len(peaks) < 20
    assert abs(peaks - 0.123).min() < 0.03
    assert clf.score(x, x[:, 0] > 0.123) > 0.98


@pytest.mark.parametrize(
    ("options", "peaks"),
    [
        ({"n_terms": 5}, "quantiles"),
        ({"partition": "quantile"}, "quantiles"),
        ({"partition": {0: "quantile"}}, "quantiles"),
        ({"partition": "values"}, range(20)),
        ({"partition": "uniform", "n_terms": 3}, [0, 9.5, 19]),
        ({"partition": {"x0": [2, 7, 11]}}, [2, 7, 11]),
        ({"partition": {"x0": {"low": 2, "high": 11}}, "n_terms": 4}, [2, 11]),
    ],
)
def test_terms_that_are_given_are_kept(options, peaks):
    x, y = numbered_rooms()
    clf = EvidentialRuleClassifier(random_state=0, penalty=0.5, **options).fit(x, y)
    variables = clf.rules_.variables
    assert clf.rules_.asks[:, 0].any()
    peaks = np.quantile(x[:, 0], np.linspace(0, 1, 5)) if peaks == "quantiles" else peaks
    assert_allclose(variables.peaks(0), list(peaks))
    named = options["partition"]["x0"] if "x0" in options.get("partition", "") else ()
    if isinstance(named, dict):
        assert list(variables.terms(0)) == list(named)


def test_terms_of_other_features_are_not_given():
    x = np.random.default_rng(0).random((2000, 2))
    given = {"partition": {1: [0.2, 0.8]}}
    clf = EvidentialRuleClassifier(random_state=0, **given).fit(x, x[:, 0] > 0.123)
    assert_array_equal(clf.rules_.variables.peaks(1), [0.2, 0.8])
    assert abs(clf.rules_.variables.peaks(0) - 0.123).min() < 0.03


def test_a_penalty_may_be_given():
    few, many = (
        EvidentialRuleClassifier(penalty=penalty, random_state=0).fit(X, Y) for penalty in (20, 0.3)
    )
    assert few.penalty_ == 20
    assert len(few.rules_) < len(many.rules_)


def test_several_models_have_the_rules_of_all():
    bag = EvidentialRuleClassifier(n_models=3, penalty=1.0, random_state=0).fit(X, Y)
    single = EvidentialRuleClassifier(n_models=1, penalty=1.0, random_state=0).fit(X, Y)
    assert len(bag.rules_) > len(single.rules_)
    assert len(np.unique(bag.rules_.conditions, axis=0)) == len(bag.rules_)
    assert bag.score(X, Y) > 0.95


def test_rare_classes_can_be_given_weight():
    rng = np.random.default_rng(0)
    x = rng.random((1000, 3))
    y = (rng.random(1000) < 0.25 * (x[:, 0] > 0.7)).astype(int)
    plain = EvidentialRuleClassifier(random_state=0).fit(x, y)
    fair = EvidentialRuleClassifier(random_state=0, class_weight="balanced").fit(x, y)
    by_hand = EvidentialRuleClassifier(
        random_state=0, class_weight=dict(enumerate(len(y) / 2 / np.bincount(y)))
    ).fit(x, y)
    assert plain.predict(x).sum() == 0
    assert fair.predict(x)[y == 1].mean() > 0.8
    assert_array_equal(fair.predict(x), by_hand.predict(x))


@pytest.mark.parametrize(
    "weight",
    [
        {0: -1.0},
        {0: np.nan},
        {0: np.inf},
        {0: 0.0, 1: 0.0, 2: 0.0},
        {0: 1.1e9},
        {0: 1e39, 1: 1e39, 2: 1e39},  # beyond single precision
        {0: 1e308},  # sums are infinite
        {0: 10**400},  # no float at all
    ],
)
def test_impossible_class_weights_are_named(weight):
    with pytest.raises(ValueError, match=r"class_weight must hold numbers from 0 to 1e\+09, .*got"):
        EvidentialRuleClassifier(class_weight=weight).fit(np.tile(X, (12, 1)), np.tile(Y, 12))


def test_weights_that_vanish_together_are_named():
    weight, rows = {0: 1e-300, 1: 1e-300, 2: 1e-300}, np.full(len(Y), 1e-300)
    with pytest.raises(ValueError, match="sample_weight times class_weight must be at least"):
        EvidentialRuleClassifier(class_weight=weight).fit(X, Y, sample_weight=rows)


def test_weights_that_leave_no_rule_are_told():
    with pytest.warns(UserWarning, match=r"no rule was found, and a row counts 1e-06 on average"):
        clf = EvidentialRuleClassifier().fit(X, Y, sample_weight=np.full(len(Y), 1e-6))
    assert len(clf.rules_) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        EvidentialRuleClassifier().fit(X, Y, sample_weight=np.full(len(Y), 0.05))


def test_the_greatest_class_weights_find_rules():
    clf = EvidentialRuleClassifier(class_weight={0: 1e9, 1: 1e9, 2: 1e9}, random_state=0)
    clf.fit(np.tile(X, (12, 1)), np.tile(Y, 12))
    assert len(clf.rules_) > 0
    assert clf.score(X, Y) > 0.95


@pytest.mark.parametrize("missing", ["mean", "belief"])
def test_missing_values_match_as_on_average_or_as_they_are_believed(missing):
    x, y = make_moons(400, noise=0.2, random_state=0)
    x[::5, 0] = np.nan
    clf = EvidentialRuleClassifier(random_state=0, missing=missing, max_conditions=1).fit(x, y)
    assert clf.score(x, y) > 0.85
    nothing = np.full((1, 2), np.nan)
    assert_array_equal(clf.membership(nothing)[0], clf.rules_.neutral)
    # What the second value tells about the first counts only if it is believed.
    asks = clf.rules_.asks[:, 0] & ~clf.rules_.asks[:, 1]
    assert asks.any()
    half = np.column_stack([np.full(50, np.nan), np.linspace(-1, 1.5, 50)])
    degrees = clf.membership(half)[:, asks]
    assert (np.ptp(degrees, axis=0) > 0).any() == (missing == "belief")


def test_batches_add_up():
    whole = EvidentialRuleClassifier(random_state=0, penalty=1.0).fit(X, Y)
    parts = EvidentialRuleClassifier(random_state=0, penalty=1.0)
    parts.partial_fit(X[:70], Y[:70], classes=[0, 1, 2])  # none of the third class yet
    assert parts.predict_proba(X).shape == (len(X), 3)
    parts.partial_fit(X[70:], Y[70:])
    assert_same_rules(parts.rules_, whole.rules_)
    with pytest.raises(ValueError, match=r"not in classes: \[7\]"):
        parts.partial_fit(X[:1], [7])
    more = EvidentialRuleClassifier(random_state=0, penalty=1.0).fit(X[::2], Y[::2])
    more.partial_fit(X[1::2], Y[1::2])
    assert more.score(X, Y) > 0.95
    with pytest.raises(ValueError, match="its training data stayed behind"):
        pickle.loads(pickle.dumps(whole)).partial_fit(X, Y)


# Data that leave little to learn


def test_one_feature():
    x = np.linspace(0, 1, 100)[:, None]
    clf = EvidentialRuleClassifier(random_state=0).fit(x, x[:, 0] > 0.5)
    assert clf.score(x, x[:, 0] > 0.5) > 0.95


def test_five_rows():
    x = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    clf = EvidentialRuleClassifier(random_state=0).fit(x, [0, 0, 0, 1, 1])
    assert_allclose(clf.predict_proba(x).sum(axis=1), 1)
    two = EvidentialRuleClassifier(random_state=0).fit(x[:2], ["a", "b"])
    assert set(two.predict(x)) <= {"a", "b"}


@pytest.mark.parametrize("n_models", [1, 3])
def test_the_first_batch_may_have_one_row(n_models):
    clf = EvidentialRuleClassifier(random_state=0, n_models=n_models)
    clf.partial_fit([[1.0]], ["a"], classes=["a", "b"])
    assert_array_equal(clf.predict_proba([[1.0], [2.0]]), [[1, 0], [1, 0]])


def test_nothing_to_tell_rows_apart_by():
    x = np.column_stack([np.full(60, 3.0), np.full(60, np.nan)])
    y = np.arange(60) % 3 == 0
    clf = EvidentialRuleClassifier(random_state=0).fit(x, y)
    assert len(clf.rules_) == 0
    assert_array_equal(clf.predict_proba(x), np.tile([2 / 3, 1 / 3], (60, 1)))
    assert_array_equal(clf.predict_evidence(x).ignorance, 1)
    assert_array_equal(clf.feature_importances_, [0, 0])
    assert clf.rules_.to_text() == "Without evidence: False 67 %, True 33 %"
    assert clf.membership(x).shape == (60, 0)


def test_an_all_missing_column_is_left_alone():
    x = np.column_stack([X, np.full(len(X), np.nan)])
    clf = EvidentialRuleClassifier(random_state=0).fit(x, Y)
    assert clf.score(x, Y) > 0.95
    assert clf.feature_importances_[-1] == 0


def test_perfectly_separable_data_leave_some_ignorance():
    x = np.repeat([0.0, 1.0], 200)[:, None]
    y = np.repeat([0, 1], 200)
    clf = EvidentialRuleClassifier(random_state=0).fit(x, y)
    assert clf.score(x, y) == 1
    p = clf.predict_proba(x)
    assert 0.99 < p.max() < 1


def test_many_classes():
    rng = np.random.default_rng(0)
    y = np.arange(360) % 36
    x = np.column_stack([y // 6, y % 6]) + rng.uniform(-0.2, 0.2, (360, 2))
    clf = EvidentialRuleClassifier(random_state=0, penalty=2.0).fit(x, y)
    assert clf.score(x, y) > 0.5
    assert clf.predict_proba(x).shape == (360, 36)
    longer = np.repeat(x, 9, axis=0)
    with pytest.raises(ValueError, match="handles at most 1,000 classes, got 1,080; is the target"):
        clf.fit(longer, np.arange(3240) // 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_rules", 0),
        ("max_conditions", 0),
        ("max_conditions", "some"),
        ("partition", "value"),
        ("n_terms", 1),
        ("partition", "even"),
        ("nominal_features", "some"),
        ("penalty", 0.0),
        ("penalty", "some"),
        ("n_models", 0),
        ("class_weight", "fair"),
        ("n_jobs", 1.5),
    ],
)
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        EvidentialRuleClassifier(**{name: value}).fit(X, Y)


def test_a_failed_fit_leaves_the_model_as_it_was(wine):
    clf = pickle.loads(pickle.dumps(wine))
    with pytest.raises(ValueError, match="nominal_features"):
        clf.set_params(nominal_features=["nothing"]).fit(X, Y)
    assert_array_equal(clf.predict(X), wine.predict(X))


@pytest.fixture
def ctrl_c():
    """Let Ctrl-C in, even where tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Lines(io.StringIO):
    """Output that tells when something has been written."""

    def __init__(self):
        super().__init__()
        self.begun = threading.Event()

    def write(self, text):
        self.begun.set()
        return super().write(text)


@pytest.mark.usefixtures("ctrl_c")
def test_the_search_can_be_interrupted(monkeypatch):
    rng = np.random.default_rng(0)
    x, y = rng.random((5000, 20)), rng.integers(0, 4, 5000)
    lines = Lines()
    monkeypatch.setattr("sys.stderr", lines)
    n_before = []

    def interrupt():
        lines.begun.wait()
        signal.raise_signal(signal.SIGINT)
        n_before.append(lines.getvalue().count("\n"))

    thread = threading.Thread(target=interrupt)
    thread.start()
    clf = EvidentialRuleClassifier(random_state=0, penalty=1.0, n_models=1000, verbose=2)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(x, y)
    thread.join()
    # The step that was under way at most, of thousands that take an hour.
    assert lines.getvalue().count("\n") <= n_before[0] + 1
    assert not hasattr(clf, "classes_")


@pytest.mark.parametrize("verbose", [1, 2])
def test_progress_is_shown(verbose, capsys):
    EvidentialRuleClassifier(n_terms=5, verbose=verbose).fit(*load_iris(return_X_y=True))
    first, last = capsys.readouterr().err.rsplit("Trying sizes: ", 1)
    lines = first.replace("Trying sizes: ", "").splitlines()
    assert len(lines) > 5
    assert all(
        re.match(r"\d+ %, penalty [\d.]+, \d+ rules(, about [\d.]+ s left)?", line)
        for line in lines
    )
    assert all(("held-out loss" in line) == (verbose == 2) for line in lines)
    end = r"100 %, penalty [\d.]+, \d+ rules, [\d.]+ s" if verbose == 1 else r"done after [\d.]+ s"
    final = r"100 %, \d+ rules, [\d.]+ s\n" if verbose == 1 else r"100 %, \d+ rules\n.*: done .*\n"
    assert re.fullmatch(rf"{end}\nGrowing final rules: {final}", last)
    if verbose == 2:
        told = [float(re.search(r"penalty ([\d.]+)", line)[1]) for line in lines]
        assert_allclose(told, [penalty for penalty, _ in PATH[: len(lines)]], rtol=5e-3)
