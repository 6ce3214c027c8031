"""Gaps that depend on the class are found, and `fit` warns of them."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.estimators.gaps import informative_gaps, warn_of_gaps


def make_table(seed, n_classes):
    """Features with gaps of all sorts: none, some, many, by class or not, nothing but gaps."""
    rng = np.random.default_rng(seed)
    n_rows, n_features = int(rng.integers(40, 300)), 12
    labels = rng.integers(0, n_classes, n_rows).astype(np.uint32)
    share = rng.choice([0.0, 0.05, 0.4], n_features)
    more = rng.choice([0.0, 0.15, 0.3, 0.5], n_features) * (rng.random(n_features) < rng.random())
    in_class = rng.integers(0, n_classes, n_features)
    chance = share + more * (labels[:, np.newaxis] == in_class)
    X = np.where(rng.random((n_rows, n_features)) < chance, np.nan, 1.0)
    X[:, 0], X[:, 1] = 1.0, np.nan
    return X, labels


def by_contingency_tables(X, labels):
    """Return the probability, by chance, of the table of gaps and classes of each feature."""
    probability = {}
    for feature, gaps in enumerate(np.isnan(X).T):
        if 0 < gaps.sum() < len(gaps):
            table = pd.crosstab(gaps, labels)
            test = chi2_contingency(table, correction=False, lambda_="log-likelihood")
            probability[feature] = test.pvalue
    return probability


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_gaps_are_those_of_a_contingency_table(n_classes):
    sizes = set()
    for seed in range(20):
        X, labels = make_table(seed, n_classes)
        chance = by_contingency_tables(X, labels)
        found = informative_gaps(X, labels, n_classes)
        assert set(found) == {f for f, p in chance.items() if p < 0.001 / len(chance)}
        assert len(set(found)) == len(found)
        logs = np.log([chance[feature] for feature in found])
        assert (np.diff(logs) > -1e-9).all()  # the most dependent first
        # A class without rows changes nothing.
        assert informative_gaps(X, labels, n_classes + 1) == found
        sizes.add(len(found))
    assert {0, 1} <= sizes
    assert max(sizes) > 3


def test_tables_without_gaps_and_with_random_gaps_tell_nothing():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200).astype(np.uint32)
    assert informative_gaps(np.ones((200, 3)), labels, 3) == []
    assert informative_gaps(np.full((200, 3), np.nan), labels, 3) == []
    alarms = 0
    for _ in range(200):
        X = np.where(rng.random((200, 10)) < 0.3, np.nan, 1.0)
        alarms += bool(informative_gaps(X, labels, 3))
    assert alarms <= 2  # one table in a thousand is expected


def patients(*, by_class):
    rng = np.random.default_rng(1)
    y = np.repeat(["ill", "well"], 60)
    X = pd.DataFrame({"fever": rng.normal(size=120) + (y == "ill"), "age": rng.normal(size=120)})
    is_missing = rng.random(120) < (0.7 * (y == "well") if by_class else 0.3)
    return X.mask(pd.DataFrame({"fever": is_missing, "age": False})), y


def test_fit_warns_of_gaps_by_class_and_names_the_line_that_called_it():
    X, y = patients(by_class=True)
    clf = EvidentialRuleClassifier(penalty=5.0, random_state=0)
    with pytest.warns(UserWarning, match="depends on the class") as caught:
        clf.fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]
    message = str(caught[0].message)
    assert "features 'fever')" in message
    assert clf.informative_gaps_ == ["fever"]
    # The advice is code that works.
    advice = message.partition("for example ")[2]
    advised = eval(advice, {"X": X})
    assert list(advised) == ["fever", "age", "fever is known"]
    assert (advised["fever is known"] == X["fever"].notna()).all()
    followed = EvidentialRuleClassifier(penalty=5.0, random_state=0).fit(advised, y)  # no warning
    assert followed.informative_gaps_ == []
    with pytest.warns(UserWarning, match="depends on the class") as caught:
        clf.partial_fit(X, y, classes=["ill", "well"])
    assert [warning.filename for warning in caught] == [__file__]


def test_fit_does_not_warn_of_random_gaps_or_none():
    X, y = patients(by_class=False)
    assert X["fever"].isna().any()
    for table in (X, X.fillna(0.0)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            clf = EvidentialRuleClassifier(penalty=5.0, random_state=0).fit(table, y)
        assert clf.informative_gaps_ == []


def test_rows_without_weight_have_no_gaps():
    X, y = patients(by_class=True)
    weight = np.where(X["fever"].isna(), 0.0, 1.0)
    clf = EvidentialRuleClassifier(penalty=5.0, random_state=0).fit(X, y, sample_weight=weight)
    assert clf.informative_gaps_ == []


def test_a_long_list_is_shortened():
    warn_of_gaps([], stacklevel=1)
    with pytest.warns(UserWarning, match=r"\(features 'a', 'b', 'c', 'd', 'e' and 2 more\)"):
        warn_of_gaps(list("abcdefg"), stacklevel=1)


def test_one_gap_can_tell_a_class():
    labels = np.zeros(3000, dtype=np.intp)
    labels[7] = 1  # the only row of its class
    X = np.arange(6000.0).reshape(3000, 2)
    X[7, 0] = np.nan
    assert informative_gaps(X, labels, 2) == [0]
    X[:, 1] = np.arange(3000) == 7  # which tells the gap
    assert informative_gaps(X, labels, 2) == []
