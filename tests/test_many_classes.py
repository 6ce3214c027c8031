"""Many classes: a model of 150 of them, and what it says."""

import numpy as np
import pytest

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.verdict_words import put_into_words

N_CLASSES = 150


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    places = rng.uniform(0, 10, (N_CLASSES, 6))
    y = rng.integers(N_CLASSES, size=3000)
    return places[y] + rng.normal(0, 0.3, (3000, 6)), np.array([f"c{k}" for k in y])


@pytest.fixture(scope="module")
def clf(data):
    X, y = data
    return EvidentialRuleClassifier(penalty=4.0, random_state=0).fit(X[:2000], y[:2000])


def test_a_model_tells_many_classes_apart(clf, data):
    X, y = data
    assert clf.score(X[2000:], y[2000:]) > 0.6
    p = clf.predict_proba(X[2000:])
    assert p.shape == (1000, N_CLASSES)
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_rules_name_a_few_of_many_classes(clf, data):
    X, y = data
    rules = clf.rules_
    *lines, note = rules.to_text().splitlines()
    assert max(map(len, lines)) < 400
    for rule, line in enumerate(lines):
        holds = rules.variables.holds(rules.conditions[[rule]], X[:2000])[:, 0]
        n_classes = len(set(y[:2000][holds]))
        n_named = line.count(" overall")
        if rules.is_against[rule]:
            assert "others" not in line
        elif n_classes > n_named:
            n_more = n_classes - n_named
            assert line.endswith(f"; and {n_more} other{'s' * (n_more > 1)})")
    assert any("others)" in line for line in lines)
    assert note.endswith("together")
    counts = np.sort(np.unique(y[:2000], return_counts=True)[1])[::-1]
    rest = 100 * counts[5:].sum() / 2000
    assert f" and {N_CLASSES - 5} others {rest:.0f} % together" in note


def test_a_guess_does_not_list_many_equally_frequent_classes():
    rates = np.r_[np.full(40, 0.02), np.full(20, 0.01)]
    nothing = Evidence(np.arange(60), np.zeros((1, 60)), np.ones(1), np.zeros(1), base_rates=rates)
    assert put_into_words(nothing).guess == "Without evidence: each of 40 classes 2 %"
