"""RejectOption against its definition; and conformal sets around our classifier."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier
from fuzzyucs.estimators.rejection import RejectOption


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """On a busy machine, threads of BLAS that wait for each other take ten times as long."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def data():
    """A problem that is not too easy."""
    return make_classification(
        300, 5, n_informative=3, n_redundant=0, n_classes=3, flip_y=0.1, random_state=0
    )


def out_of_fold(clf, X, y, cv):
    """Labels and confidence of rows that were new to the classifier, by scikit-learn."""
    prob = cross_val_predict(clf, X, y, cv=cv, method="predict_proba")
    return np.unique(y)[prob.argmax(axis=1)], prob.max(axis=1)


COLLISION = {
    "check_classifiers_classes": "one of its tables has the class -1, which is the reject label"
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [RejectOption(LogisticRegression(), target_coverage=1.0)],
    expected_failed_checks=lambda _: COLLISION,
)
def test_estimator_follows_the_conventions(estimator, check):
    check(estimator)


# The threshold


@pytest.mark.parametrize("target", [0.0, 0.01, 0.05, 0.1, 0.2, 0.9])
@pytest.mark.parametrize("clf", [GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0)])
def test_risk_is_kept_with_the_greatest_coverage(data, clf, target):
    X, y = data
    named, sure = out_of_fold(clf, X, y, StratifiedKFold(5))
    fine = {}  # every threshold there is
    for threshold in np.unique(sure):
        accepted = sure >= threshold
        if np.mean(named[accepted] != y[accepted]) <= target:
            fine[accepted.mean()] = threshold
    option = RejectOption(clf, target_risk=target)
    if fine:
        option.fit(X, y)
        assert option.coverage_ == pytest.approx(max(fine))
        assert option.threshold_ == pytest.approx(fine[max(fine)], abs=1e-12)
        accepted = sure >= option.threshold_
        assert option.risk_ == pytest.approx(np.mean(named[accepted] != y[accepted]))
    else:
        with pytest.warns(UserWarning, match="everything will be rejected") as warned:
            option.fit(X, y)
        assert warned[0].filename == __file__
        assert option.threshold_ == np.inf


@pytest.mark.parametrize("target", [0.01, 0.3, 0.5, 0.77, 0.999])
def test_coverage_is_reached_and_hardly_exceeded(data, target):
    X, y = data
    _, sure = out_of_fold(GaussianNB(), X, y, StratifiedKFold(5))
    option = RejectOption(GaussianNB(), target_coverage=target).fit(X, y)
    assert option.coverage_ == pytest.approx(np.mean(sure >= option.threshold_))
    assert target <= option.coverage_ < target + 1 / len(y)


def test_rows_that_tie_are_accepted_together(data):
    X, y = data
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    option = RejectOption(
        stump, target_coverage=0.1, cv=[(np.arange(200), np.arange(200, 300))]
    ).fit(X, y)
    sure = clone(stump).fit(X[:200], y[:200]).predict_proba(X[200:]).max(axis=1)
    assert option.threshold_ == sure.max()
    assert option.coverage_ == np.mean(sure == sure.max()) > 0.1


def test_full_coverage_accepts_everything(data):
    X, y = data
    option = RejectOption(GaussianNB(), target_coverage=1).fit(X, y)
    assert option.threshold_ == -np.inf
    assert option.coverage_ == 1
    assert option.accepts(100 * X).all()
    assert_array_equal(option.predict(X), GaussianNB().fit(X, y).predict(X))
    assert option.score(X, y) == GaussianNB().fit(X, y).score(X, y)


def test_nothing_is_accepted_if_no_threshold_will_do():
    X, y = np.zeros((20, 1)), np.tile([0, 1], 10)
    with pytest.warns(UserWarning, match=r"risk of at most 0.1 .* \(the least is 0.5\)"):
        option = RejectOption(DummyClassifier(), target_risk=0.1).fit(X, y)
    assert option.threshold_ == np.inf
    assert option.coverage_ == 0
    assert np.isnan(option.risk_)
    assert not option.accepts(X).any()
    assert_array_equal(option.predict(X), np.full(20, -1))
    assert np.isnan(option.score(X, y))


def test_risk_on_new_data_is_near_the_target():
    """A tolerance, since the validation data are few and the threshold suits them best."""
    risks = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 4000)
        X = rng.normal(2 * y - 1, 1)[:, np.newaxis]  # no classifier errs less than 16 % of the time
        option = RejectOption(GaussianNB(), target_risk=0.05).fit(X[:2000], y[:2000])
        assert 0.4 < option.coverage_ < 0.8
        risks.append(1 - option.score(X[2000:], y[2000:]))
    assert np.mean(risks) == pytest.approx(0.05, abs=0.01)


# Validation data


@pytest.mark.parametrize(
    "cv",
    [
        StratifiedKFold(3, shuffle=True, random_state=0),
        [(np.arange(200), np.arange(200, 300))],
        3,
        None,
    ],
    ids=["splitter", "splits", "number", "none"],
)
def test_any_way_to_split_will_do(data, cv):
    option = RejectOption(GaussianNB(), target_coverage=0.5, cv=cv).fit(*data)
    assert 0.4 < option.accepts(data[0]).mean() < 0.6


def test_splits_may_overlap(data):
    cv = ShuffleSplit(10, test_size=0.5, random_state=0)
    option = RejectOption(GaussianNB(), target_coverage=0.5, cv=cv).fit(*data)
    assert option.coverage_ == pytest.approx(0.5, abs=0.001)


@pytest.mark.parametrize("freeze", [False, True])
def test_a_fitted_estimator_is_left_alone(data, freeze):
    X, y = data
    clf = GaussianNB().fit(X[:150], y[:150])
    before = pickle.dumps(clf)
    if freeze:
        option = RejectOption(FrozenEstimator(clf), target_coverage=0.4)
    else:
        option = RejectOption(clf, target_coverage=0.4, cv="prefit")
    option.fit(X[150:], y[150:])
    sure = clf.predict_proba(X[150:]).max(axis=1)
    assert option.threshold_ == np.sort(sure)[-60]
    assert pickle.dumps(clf) == before
    if not freeze:
        assert option.estimator_ is clf


def test_an_estimator_that_is_not_fitted_is_not_prefit(data):
    with pytest.raises(NotFittedError):
        RejectOption(GaussianNB(), target_coverage=0.4, cv="prefit").fit(*data)


def test_parameters_are_left_alone(data):
    clf = GaussianNB()
    RejectOption(clf, target_coverage=0.5).fit(*data)
    assert not hasattr(clf, "classes_")


def test_an_error_leaves_the_estimator_as_it_was(data):
    X, y = data
    option = RejectOption(GaussianNB(), target_coverage=0.5).fit(X, y)
    before = dict(vars(option))
    with pytest.raises(ValueError, match="contains NaN"):
        option.fit(np.where(X > 2, np.nan, X), y.astype(str))
    assert vars(option) == before


# Predictions


@pytest.mark.parametrize(
    ("classes", "label", "dtype"),
    [
        ([0, 1, 2], -1, np.int64),
        (np.array([0, 1, 2], np.int8), -1, np.int8),
        ([0.0, 1.0, 2.0], -1, np.float64),
        (["a", "bb", "cc"], "rejected", "<U8"),
        (["a class of a long name", "b", "c"], "rejected", "<U22"),
    ],
)
def test_rejected_rows_get_the_label(data, classes, label, dtype):
    X, y = data
    classes = np.array(classes)
    option = RejectOption(GaussianNB(), target_coverage=0.5).fit(X, classes[y])
    accepted = option.accepts(X)
    assert_array_equal(accepted, option.confidence(X) >= option.threshold_)
    assert 0 < accepted.sum() < len(X)
    named = option.predict(X)
    assert named.dtype == dtype
    assert option.reject_label_ == label
    assert_array_equal(named[~accepted], np.full((~accepted).sum(), label))
    assert_array_equal(named[accepted], option.estimator_.predict(X)[accepted])
    assert_array_equal(option.classes_, classes)
    expected = np.mean(named[accepted] == classes[y][accepted])
    assert option.score(X, classes[y]) == pytest.approx(expected)


@pytest.mark.parametrize("kind", [str, object, "string", "category"])
def test_pandas_labels_are_strings(data, kind):
    X, y = data
    target = pd.Series(np.array(["a", "b", "c"])[y]).astype(kind)
    option = RejectOption(GaussianNB(), target_coverage=0.5).fit(X, target)
    assert set(option.predict(X)) == {"a", "b", "c", "rejected"}
    assert 0.5 < option.score(X, target) <= 1


@pytest.mark.parametrize(
    ("classes", "label"),
    [([0, 1, 2], 99), ([0.0, 1, 2], np.nan), (["a", "b", "c"], "ask a doctor")],
)
def test_the_label_can_be_chosen(data, classes, label):
    X, y = data
    option = RejectOption(GaussianNB(), target_coverage=0.5, reject_label=label)
    option.fit(X, np.array(classes)[y])
    rejected = option.predict(X)[~option.accepts(X)]
    assert_array_equal(rejected, np.full(len(rejected), label))


@pytest.mark.parametrize(
    ("classes", "label", "message"),
    [
        ([-1, 0, 1], "auto", "reject_label -1 is a class"),
        (["a", "b", "rejected"], "auto", "reject_label 'rejected' is a class"),
        ([0, 1, 2], 1.0, "reject_label 1.0 does not fit among integers"),
        ([0.0, 1.0, 2.0], 1, "reject_label 1 is a class"),
        ([0, 1, 2], "rejected", "does not fit among integers of type int64"),
        ([0, 1, 2], np.nan, "does not fit among integers"),
        ([0, 1, 2], True, "does not fit among integers"),
        ([0, 1, 2], None, "does not fit among integers"),
        ([0.0, 1.0, 2.0], "no", "does not fit among numbers"),
        (["a", "b", "c"], -1, "does not fit among strings"),
        (np.array(["a", "b", "c"], object), -1, "does not fit among strings"),
        (np.array([0, 1, 2], np.uint8), "auto", "-1 does not fit among integers of type uint8"),
        (np.array([0, 1, 2], np.int8), 300, "300 does not fit among integers of type int8"),
        ([False, True, True], "auto", "no reject_label fits among classes of type bool"),
        ([False, True, True], -1, "does not fit among labels of type bool"),
    ],
)
def test_a_label_that_does_not_fit_is_refused(data, classes, label, message):
    X, y = data
    option = RejectOption(GaussianNB(), target_coverage=0.5, reject_label=label)
    with pytest.raises(ValueError, match=message):
        option.fit(X, np.array(classes)[y])
    assert not hasattr(option, "reject_label_")


def test_score_takes_weights(data):
    X, y = data
    option = RejectOption(GaussianNB(), target_coverage=0.5).fit(X, y)
    weight = np.random.default_rng(0).random(len(y))
    accepted, named = option.accepts(X), option.predict(X)
    expected = np.average(named[accepted] == y[accepted], weights=weight[accepted])
    assert option.score(X, y, sample_weight=weight) == pytest.approx(expected)


# Around any classifier


@pytest.mark.parametrize(
    "clf",
    [
        RandomForestClassifier(10, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        EvidentialRuleClassifier(random_state=0, penalty=3.0),
        make_pipeline(StandardScaler(), FuzzyUCSClassifier(epochs=3, random_state=0)),
    ],
    ids=["forest", "pipeline", "rules", "pipeline of rules"],
)
def test_any_classifier_with_confidence_will_do(clf):
    X, y = load_iris(return_X_y=True, as_frame=True)
    option = RejectOption(clf, target_coverage=0.8, cv=3).fit(X, y)
    assert option.coverage_ >= 0.8
    assert option.score(X, y) > 0.9
    assert option.n_features_in_ == 4
    assert_array_equal(option.feature_names_in_, X.columns)
    assert_array_equal(option.predict_proba(X), option.estimator_.predict_proba(X))
    copy = pickle.loads(pickle.dumps(option))
    assert_array_equal(copy.predict(X), option.predict(X))
    again = clone(option).fit(X, y)
    assert again.threshold_ == option.threshold_


def test_evidence_is_passed_through():
    X, y = load_iris(return_X_y=True)
    rules = EvidentialRuleClassifier(random_state=0, penalty=3.0)
    for clf in (rules, make_pipeline(StandardScaler(), rules)):
        option = RejectOption(clf, target_coverage=0.8, cv=2)
        assert hasattr(option, "predict_evidence")
        evidence = option.fit(X, y).predict_evidence(X)
        assert_array_equal(evidence.confidence, option.confidence(X))
    plain = RejectOption(GaussianNB(), target_coverage=0.8).fit(X, y)
    assert not hasattr(plain, "predict_evidence")
    assert_array_equal(plain.confidence(X), plain.predict_proba(X).max(axis=1))


def test_methods_that_the_classifier_lacks_are_not_there():
    assert not hasattr(RejectOption(Perceptron(), target_coverage=0.5), "predict_proba")
    assert hasattr(RejectOption(GaussianNB(), target_coverage=0.5), "predict_proba")


def test_a_classifier_without_confidence_is_refused(data):
    with pytest.raises(TypeError, match="RidgeClassifier has neither"):
        RejectOption(RidgeClassifier(), target_coverage=0.5).fit(*data)


def test_missing_values_are_left_to_the_classifier(data):
    X, y = data
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    forest = RejectOption(RandomForestClassifier(10, random_state=0), target_coverage=0.7)
    assert get_tags(forest).input_tags.allow_nan
    assert get_tags(RejectOption(EvidentialRuleClassifier())).input_tags.allow_nan
    assert not get_tags(RejectOption(GaussianNB())).input_tags.allow_nan
    assert 0.5 < forest.fit(X, y).accepts(X).mean() <= 1
    with pytest.raises(ValueError, match="contains NaN"):
        RejectOption(GaussianNB(), target_coverage=0.7).fit(X, y)


def test_sparse_data_and_polars_frames_pass(data):
    polars = pytest.importorskip("polars")
    X, y = data
    clf = LogisticRegression()
    expected = RejectOption(clf, target_coverage=0.7).fit(X, y)
    assert get_tags(expected).input_tags.sparse
    for table in (csr_array(X), polars.DataFrame(X, schema=list("abcde"))):
        option = RejectOption(clf, target_coverage=0.7).fit(table, y)
        assert option.threshold_ == pytest.approx(expected.threshold_, rel=1e-4)
        assert_array_equal(option.predict(table), expected.predict(X))


def test_names_of_an_earlier_fit_are_forgotten(data):
    X, y = data
    option = RejectOption(GaussianNB(), target_coverage=0.7)
    option.fit(pd.DataFrame(X, columns=list("abcde")), y)
    assert list(option.feature_names_in_) == list("abcde")
    assert not hasattr(option.fit(X, y), "feature_names_in_")


def test_parameters_of_the_classifier_can_be_searched(data):
    option = RejectOption(DecisionTreeClassifier(random_state=0), target_coverage=0.7, cv=3)
    grid = {"estimator__max_depth": [1, 4], "target_coverage": [0.5, 0.9]}
    search = GridSearchCV(option, grid, cv=3).fit(*data)
    assert (
        search.best_estimator_.estimator_.max_depth == search.best_params_["estimator__max_depth"]
    )
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


# Parameters


@pytest.mark.parametrize("targets", [{}, {"target_risk": 0.1, "target_coverage": 0.5}])
def test_exactly_one_target_is_needed(data, targets):
    with pytest.raises(ValueError, match="exactly one of target_risk and target_coverage"):
        RejectOption(GaussianNB(), **targets).fit(*data)


@pytest.mark.parametrize(
    "parameters",
    [
        {"target_risk": -0.1},
        {"target_risk": 1.0},
        {"target_risk": "low"},
        {"target_coverage": 0.0},
        {"target_coverage": 1.1},
        {"target_coverage": 0.5, "cv": 1},
        {"target_coverage": 0.5, "cv": "postfit"},
        {"target_coverage": 0.5, "estimator": None},
        {"target_coverage": 0.5, "estimator": GaussianNB},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(data, parameters):
    option = RejectOption(**{"estimator": GaussianNB()} | parameters)
    with pytest.raises((ValueError, TypeError)):
        option.fit(*data)


def test_nothing_is_predicted_before_fit(data):
    option = RejectOption(EvidentialRuleClassifier(), target_coverage=0.5)
    for method in ("predict", "accepts", "confidence", "predict_proba", "predict_evidence"):
        with pytest.raises(NotFittedError):
            getattr(option, method)(data[0])


# Conformal prediction with another library


@pytest.fixture(scope="module", params=[0.0, 0.1], ids=["complete", "with missing values"])
def digits(request):
    """Digits from 0 to 4 in 8 pixels."""
    X, y = load_digits(n_class=5, return_X_y=True)
    X = X[:, np.argsort(X.var(axis=0))[-8:]]
    hidden = np.random.default_rng(0).random(X.shape) < request.param
    return np.where(hidden, np.nan, X), y


def test_conformal_sets_of_mapie_have_the_nominal_coverage(digits):
    """Of 3 x 351 test rows; 300 rows for calibration make for most of the tolerance."""
    mapie = pytest.importorskip("mapie.classification")
    levels = np.array([0.8, 0.9])
    split = partial(train_test_split, train_size=300)
    covered = []
    for seed in range(3):
        X_train, X, y_train, y = split(*digits, stratify=digits[1], random_state=seed)
        X_calibrate, X_test, y_calibrate, y_test = split(X, y, random_state=seed)
        clf = EvidentialRuleClassifier(random_state=seed, penalty=3.0).fit(X_train, y_train)
        conformal = mapie.SplitConformalClassifier(clf, confidence_level=levels, prefit=True)
        named, sets = conformal.conformalize(X_calibrate, y_calibrate).predict_set(X_test)
        assert_array_equal(named, clf.predict(X_test))
        assert sets.sum(axis=1).mean() < 2  # not trivial: sets of all classes always cover
        covered.append(sets[np.arange(len(y_test)), y_test])
    n_test = sum(len(part) for part in covered)
    spread = np.sqrt(levels * (1 - levels) * (1 / (3 * 300) + 1 / n_test))
    share = np.concatenate(covered).mean(axis=0)
    assert np.all(share >= levels - 3 * spread), share
    assert_allclose(share, levels, atol=0.06)
