"""What the sentences of rules with profiles say is true of the training table, number by number."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine

from condition_truth import truth
from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.rules.profiled import percent
from tables import table_by_chance

# Some of the tables have gaps that depend on the class.
pytestmark = pytest.mark.filterwarnings("ignore:whether values are missing depends on the class")

SENTENCE = re.compile(
    r"IF (?P<condition>.+) THEN (?P<label>.+?) "
    r"\(applies to (?P<applies>[\d,]+) of (?P<total>[\d,]+); (?P<shares>.+)\)"
)
SHARE = re.compile(
    r"(?P<share>(under |over )?[\d.]+) % (?P<label>\w+), (?P<overall>[\d.]+) % overall"
)


def whole_number(text):
    return int(text.replace(",", ""))


def assert_percent(text, count, total):
    """Check that a text is the percentage, rounded; and 0 or 100 only if it is that exactly."""
    if text == "under 0.01":
        assert 0 < count < 0.0001 * total
        return
    if text == "over 99.99":
        assert 0.9999 * total < count < total
        return
    digits = len(text.partition(".")[2])
    off = abs(float(text) - 100 * count / total)
    assert off <= 0.5 * 10.0**-digits + 1e-9, (text, count, total)
    assert (float(text) == 0) == (count == 0)
    assert (float(text) == 100) == (count == total)


def assert_true_sentence(sentence, rule, rules, frame, y):
    """Read a sentence anew, and count the rows of the table that it is about."""
    said = SENTENCE.fullmatch(sentence)
    assert said, sentence
    holds = np.ones(len(frame), dtype=bool)
    for condition in said["condition"].split(" AND "):
        name, _, rest = condition.partition(" is ")
        column = frame[name].astype(object) if name == "kind" else frame[name]
        holds &= truth(f"x is {rest}", column).to_numpy(dtype=bool)
    assert whole_number(said["applies"]) == holds.sum() > 0, sentence
    assert whole_number(said["total"]) == len(frame)
    named = []
    for part in said["shares"].split("; "):
        share = SHARE.fullmatch(part)
        assert share, part
        own = y == share["label"]
        assert_percent(share["share"], (holds & own).sum(), holds.sum())
        assert_percent(share["overall"], own.sum(), len(y))
        named.append(share["label"])
    profile = rules.profile[rule]
    labels = rules.classes.tolist()
    if said["label"].startswith("not "):
        assert len(labels) > 2
        assert profile.max() <= 0
        assert named == [labels[profile.argmin()]] == [said["label"].removeprefix("not ")]
        return
    assert named[0] == said["label"]
    assert profile[labels.index(said["label"])] == profile.max()
    if len(labels) == 2:
        assert len(named) == 1
    else:
        # The most frequent of the others, none of them absent.
        counts = {label: (holds & (y == label)).sum() for label in labels if label != named[0]}
        most = sorted(counts.values(), reverse=True)[: len(named) - 1]
        assert [counts[label] for label in named[1:]] == most
        assert len(named) == 1 + min(2, sum(n > 0 for n in counts.values()))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_every_sentence_is_true_of_the_training_table(seed):
    frame, y, weight, rng = table_by_chance(seed)
    if weight is not None:
        weight[rng.random(len(y)) < 0.1] = 0
    clf = EvidentialRuleClassifier(
        random_state=0,
        penalty=float(rng.choice([0.5, 2.0])),
        class_weight=rng.choice([None, "balanced"]),
        missing=rng.choice(["belief", "mean"]),
        n_models=int(rng.choice([1, 1, 2])),
    ).fit(frame, y, sample_weight=weight)
    counted = np.ones(len(y), dtype=bool) if weight is None else weight > 0
    rules = clf.rules_
    assume(len(rules) > 0)  # in few rows, none may be worth the penalty
    for rule in range(len(rules)):
        assert_true_sentence(rules.sentence(rule), rule, rules, frame[counted], y[counted])
    text = rules.to_text().splitlines()
    assert text[:-1] == [rules.sentence(rule) for rule in range(len(rules))]
    assert "applies to 0" not in rules.to_text()


def test_sentences_about_other_data_are_true_of_them():
    frame, y, _, _ = table_by_chance(5, 300)
    clf = EvidentialRuleClassifier(random_state=0, penalty=2.0).fit(frame[:200], y[:200])
    rules = clf.rules_.assess(frame[200:], y[200:])
    assert set(rules.class_rows.tolist()) != set(clf.rules_.class_rows.tolist())
    n_checked = 0
    for rule in range(len(rules)):
        if rules.applies[rule].sum():
            assert_true_sentence(rules.sentence(rule), rule, rules, frame[200:], y[200:])
            n_checked += 1
        else:
            assert "(applies to 0 of 100)" in rules.sentence(rule)
    assert n_checked > 3


def test_rules_that_speak_against_a_class():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X.columns = list("abcdefghijklm")
    labels = np.array(["barolo", "grignolino", "barbera"])[y]
    rules = EvidentialRuleClassifier(random_state=0, penalty=0.5).fit(X, labels).rules_
    against = np.flatnonzero(rules.is_against)
    assert 0 < len(against) < len(rules)
    for rule in range(len(rules)):
        assert_true_sentence(rules.sentence(rule), rule, rules, X, labels)
    # With two classes, to speak against one is to speak for the other.
    two = EvidentialRuleClassifier(random_state=0, penalty=0.5).fit(X, labels == "barolo").rules_
    assert not two.is_against.any()
    assert "not " not in two.to_text()


def test_a_rule_concludes_the_class_that_it_favours_most():
    X, y = load_breast_cancer(return_X_y=True)
    rules = EvidentialRuleClassifier(random_state=0).fit(X, y).rules_
    assert set(rules.consequent.tolist()) == {0, 1}
    assert (rules.consequent == (rules.profile[:, 1] > 0)).all()
    turned = replace(rules, profile=-rules.profile)
    assert turned.rule_columns()["log-odds"].tolist() == rules.log_odds.tolist()


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_percentages_are_rounded_and_never_to_none_or_all(fraction):
    count, total = fraction
    text = percent(count / total)
    assert text.endswith(" %")
    assert_percent(text.removesuffix(" %"), count, total)
    assert len(text) <= len("under 0.01 %")


@settings(max_examples=300, deadline=None)
@given(st.floats(0, 1), st.integers(0, 2))
def test_decimals_never_make_none_or_all_of_a_share(share, decimals):
    text = percent(share, decimals)
    assert not (share > 0 and text in ("0 %", "0.0 %", "0.00 %"))
    assert not (share < 1 and text in ("100 %", "100.0 %", "100.00 %"))
    number = float(text.removesuffix(" %").removeprefix("under ").removeprefix("over "))
    assert number == pytest.approx(100 * share, abs=max(0.011, 0.51 * 10.0**-decimals))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.125, "13 %"), (0.625, "63 %"), (0.0625, "6.3 %"), (-1e-17, "0 %"), (0.5, "50 %")],
)
def test_halves_are_rounded_up(share, text):
    assert percent(share) == text


@pytest.mark.parametrize("kind", ["to_text", "to_markdown", "to_html", "to_latex", "to_json"])
def test_tables_tell_the_same_numbers(kind):
    frame, y, _, _ = table_by_chance(7, 120)
    rules = EvidentialRuleClassifier(random_state=0, penalty=2.0).fit(frame, y).rules_
    table = rules.to_frame()
    assert table["applies to"].tolist() == rules.applies.sum(axis=1).tolist()
    assert np.allclose(table["log-odds"], np.ptp(rules.profile, axis=1))
    for i, label in enumerate(rules.classes):
        assert table[f"profile of {label}"].tolist() == rules.profile[:, i].tolist()
    written = getattr(rules, kind)()
    for rule in range(min(5, len(rules))):
        if kind != "to_json":
            assert str(rules.applies[rule].sum()) in written
        else:
            assert str(rules.applies[rule].tolist()[0]) in written
