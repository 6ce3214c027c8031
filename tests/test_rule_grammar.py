"""Rules in words: what is read, that texts of rules can be read again, and errors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzyucs import EvidentialRuleClassifier, LinguisticPartition
from fuzzyucs.rules.grammar import RELIABILITY, WORTH, conditions_of, read_rules, rule_lines
from fuzzyucs.variables.coding import every_term
from fuzzyucs.variables.linguistic import LinguisticVariable, term_names
from fuzzyucs.variables.phrases import Range, read_phrase, terms_of
from kinds import MODELS

NAMES = ["age", "age at onset", "R AND D", "glucose", "petal width (cm)", "colour"]
CLASSES = ["ill", "ill, badly", "well"]
INF = np.inf


def read(text, names=NAMES, classes=CLASSES):
    """Read rules about some features and classes."""
    return read_rules(rule_lines(text), names, classes)


def asked(text):
    """Return what the only rule of a text asks, as names and phrases."""
    (rule,) = read(text)
    return [(NAMES[feature], phrase.text) for feature, phrase in rule.conditions]


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("IF age >= 5 THEN ill", [("age", ">= 5")]),
        ("if age at onset is 5 to 7 then ill", [("age at onset", "5 to 7")]),
        ("IF R AND D is low AND age < 5 THEN ill", [("R AND D", "low"), ("age", "< 5")]),
        (
            "IF age is between 40 and 60 and glucose is high THEN ill",
            [("age", "between 40 and 60"), ("glucose", "high")],
        ),
        (
            "IF AGE between 40 AND 60 AND petal width (cm) is at least large (>= 1.7) THEN ill",
            [("age", "between 40 AND 60"), ("petal width (cm)", "at least large (>= 1.7)")],
        ),
        ("IF colour is red AND blue and white THEN ill", None),
        ("IF colour is salt and pepper THEN ill", [("colour", "salt and pepper")]),
        ("IF anything THEN ill", []),
    ],
)
def test_conditions_are_found_by_the_names_of_features(text, conditions):
    if conditions is None:
        with pytest.raises(ValueError, match="line 1: there is no feature 'blue and white'"):
            asked(text)
    else:
        assert asked(text) == conditions


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        (">= 140", [(140, INF)]),
        ("is at least 140", [(140, INF)]),
        ("at most -1.5e3", [(-INF, -1500)]),
        ("> 140", [(np.nextafter(140, INF), INF)]),
        ("less than 0.1", [(-INF, np.nextafter(0.1, -INF))]),
        ("between 40 and 60", [(40, 60)]),
        ("is 40 to 60", [(40, 60)]),
        ("= 3", [(3, 3)]),
        ("is 3", [(3, 3)]),
        ("at most 5 or 7 to 9 or >= 20", [(-INF, 5), (7, 9), (20, INF)]),
        ("more than 1 to less than 2", [(np.nextafter(1, INF), np.nextafter(2, -INF))]),
        ("large", None),
        ("at least large", None),
    ],
)
def test_numbers_are_told_from_words(text, ranges):
    found = read_phrase(text)
    assert found.ranges == (None if ranges is None else tuple(Range(*ends) for ends in ranges))
    assert (found.words is None) == (ranges is not None)


def test_what_follows_the_class():
    text = """
    # a comment
    IF age >= 5
      AND glucose < 7
      THEN ill, badly, reliability 80 %, worth 50 records

    IF age >= 5 THEN not well, worth: 1 record; reliability = .5
    IF age >= 5 THEN ILL (applies to 5 of 9; 80 % ill, 3 % overall)
    Without evidence: ill 3 %
    """
    found = read("\n".join(line.removeprefix("    ") for line in text.splitlines()))
    assert [rule.line for rule in found] == [3, 7, 8]
    assert [len(rule.conditions) for rule in found] == [2, 1, 1]
    told = [(rule.label, rule.is_against, rule.reliability, rule.worth) for rule in found]
    assert told == [(1, False, 0.8, 50), (2, True, 0.5, 1), (0, False, RELIABILITY, WORTH)]
    (other,) = read("IF age >= 5 THEN not ill", classes=["ill", "well"])
    assert (other.label, other.is_against) == (1, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IF glucos >= 5 THEN ill", r"no feature 'glucos'; the nearest is 'glucose'"),
        ("IF age >= 5 THEN il", r"no class 'il'; the nearest is 'ill'"),
        ("IF age >= 5 THEN ill, reliabilty 0.5", r"'reliabilty 0.5'; the nearest is 'reliability'"),
        ("IF age >= 5 THEN ill, reliability high", r"reliability must be a number .* got 'high'"),
        ("IF age >= 5 THEN ill, reliability 1", r"above 0 and below 1, got 1"),
        ("IF age >= 5 THEN ill, worth 0", r"worth must be a number of records above 0"),
        ("IF age >= 5 THEN ill, worth 1, worth 2", r"worth is there twice"),
        ("IF age >= 5 AND age < 9 THEN ill", r"two conditions on 'age'"),
        ("IF age THEN ill", r"after 'age' there must be 'is'"),
        ("IF age is THEN ill", r"the condition on 'age' asks nothing"),
        ("IF age between 7 and 5 THEN ill", r"condition on 'age' must have the lesser number"),
        ("IF age >= 5 AND THEN ill", r"must be a condition after AND"),
        ("IF age >= five THEN ill", r"condition on 'age' must have one number after '>', got"),
        ("age >= 5 THEN ill", r"must begin with IF"),
        ("IF age >= 5\nIF age < 5 THEN ill", r"line 1: a rule must have THEN"),
        ("\n\n# nothing\n", r"at least one rule"),
    ],
)
def test_errors_name_the_line_and_the_nearest_word(text, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(text)
    assert "line" in str(caught.value) or "at least one rule" in str(caught.value)


def test_rules_are_texts_or_files(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("IF age >= 5 THEN ill\n", encoding="utf-8-sig")
    expected = [(1, "IF age >= 5 THEN ill")]
    assert rule_lines(path) == rule_lines(str(path)) == rule_lines(["IF age >= 5 THEN ill"])
    assert rule_lines(path) == expected
    with pytest.raises(FileNotFoundError, match=r"there is no .none\.txt."):
        rule_lines("none.txt")
    for wrong in (5, {"a": 1}, b"IF age >= 5 THEN ill", [3]):
        with pytest.raises(TypeError, match="rules must be"):
            rule_lines(wrong)
    path.write_bytes(b"IF \xff")
    with pytest.raises(ValueError, match="must be text in UTF-8"):
        rule_lines(path)


@pytest.mark.parametrize(
    "name", ["flagship", "fused", "named nominal", "plateaus", "fine terms", "ds"]
)
def test_texts_of_rules_are_read_as_the_same_conditions(name):
    clf, (X, y) = MODELS[name]
    rules = clf.fit(X, y).deciding_rules
    for style, width in (("plain", None), ("terms", None), ("plain", 50)):
        text = rules.to_text(style, width=width, full=True)
        lines = rule_lines(text)
        found = read_rules(lines, rules.variables.feature_names, rules.classes)
        np.testing.assert_array_equal(conditions_of(found, rules.variables), rules.conditions)
        assert [rule.label for rule in found] == rules.named_class.tolist()
        assert [rule.is_against for rule in found] == rules.is_against.tolist()


@st.composite
def partitions(draw):
    """Draw a feature with terms of any kind, and a set of them."""
    peaks = draw(
        st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=14, unique=True).map(sorted)
    )
    values = np.array(peaks, dtype=float) * draw(st.sampled_from([1.0, 0.1, 1e-7, 1e9]))
    names = draw(
        st.sampled_from([term_names(len(values)), tuple(f"n {v:g}" for v in values.tolist())])
    )
    nominal = draw(st.booleans())
    known = LinguisticVariable(values, names, is_nominal=nominal)
    found = LinguisticPartition.of_variables(values[:, np.newaxis], ["size or so"], {0: known})
    return found, draw(st.integers(1, every_term(len(values)) - 1))


@settings(max_examples=150, deadline=None)
@given(partitions())
def test_texts_of_any_terms_are_read_again(drawn):
    variables, condition = drawn
    for text in (
        variables.describe_plain(0, condition, full=True),
        variables.describe(0, condition),
    ):
        phrase = read_phrase(text.removeprefix("size or so"))
        again = terms_of(variables, 0, phrase)
        assert variables.describe_plain(0, again) == variables.describe_plain(0, condition)
        assert again == condition or _are_alike(variables, again, condition)


def _are_alike(variables, one, other):
    """Tell whether sets of terms hold for the same values, as far as numbers are written."""
    if not variables.has_numbers(0):
        return False
    borders = variables.numbered_borders(0)
    x = np.concatenate([borders.at_most, borders.at_least])[:, np.newaxis]
    holds = variables.holds(np.array([[one], [other]], dtype=np.uint64), x)
    return bool((holds[:, 0] == holds[:, 1]).all())


def test_dates_durations_and_ordered_categories_are_read_again():
    rng = np.random.default_rng(0)
    n = 300
    days = pd.Series(pd.Timestamp("2013-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"))
    sizes = pd.Categorical(rng.choice(["S", "M", "L, XL"], n), ["S", "M", "L, XL"], ordered=True)
    towns = rng.choice([f"town {i} or so" for i in range(9)], n)
    X = pd.DataFrame(
        {"since": days, "stay": pd.to_timedelta(rng.integers(1, 99, n), "h"), "size": sizes}
    ).assign(town=towns)
    y = (days > pd.Timestamp("2014-03-05")).to_numpy().astype(int)
    y = y + (X["stay"] > pd.Timedelta("40h")) + (sizes.codes == 2) + (towns < "town 3")
    rules = EvidentialRuleClassifier(penalty=0.5).fit(X, y).rules_
    assert rules.asks.any(axis=0).all()
    about = rules.variables.feature_names, rules.classes, rules.variables.columns.times
    found = read_rules(rule_lines(rules.to_text(full=True)), *about)
    np.testing.assert_array_equal(conditions_of(found, rules.variables), rules.conditions)


def test_words_for_other_terms_are_refused_with_the_nearest():
    variables = LinguisticPartition.uniform(np.array([[0.0], [8.0]]), 5, ["size"])
    for text, message in (
        ("lrge", "'size' has no 'lrge'; the nearest is 'large'"),
        ("at most smal", "has no 'smal'; the nearest is 'small'"),
        ("large to small", "lesser word of 'size' first"),
        ("large (>= 4)", "'size' is 'large' for 5 to 7 here, got 'large \\(>= 4\\)'"),
        (">= 4", "where its terms end or begin, got 4; near it there is 3 or 5"),
    ):
        with pytest.raises(ValueError, match=message):
            terms_of(variables, 0, read_phrase(text))
    assert terms_of(variables, 0, read_phrase("very high")) == 0b10000
    assert terms_of(variables, 0, read_phrase("not LARGE")) == 0b10111


def test_shortened_lists_are_refused():
    rng = np.random.default_rng(0)
    towns = np.array([f"town {i}" for i in range(20)])
    codes = rng.integers(0, 20, 600)
    X = pd.DataFrame({"town": towns[codes], "x": rng.normal(size=600)})
    rules = EvidentialRuleClassifier(penalty=2.0).fit(X, codes % 2).rules_
    about = rules.variables.feature_names, rules.classes
    with pytest.raises(ValueError, match=r"names only some values of 'town': list all"):
        conditions_of(read_rules(rule_lines(rules.to_text()), *about), rules.variables)
    found = read_rules(rule_lines(rules.to_text(full=True)), *about)
    np.testing.assert_array_equal(conditions_of(found, rules.variables), rules.conditions)


def test_conditions_are_edited_in_the_words_of_texts():
    clf, (X, y) = MODELS["flagship"]
    rules = clf.fit(X, y).rules_
    for rule in range(len(rules)):
        for feature in rules.asked_features[rule]:
            said = rules.variables.phrase(feature, rules.conditions[rule, feature], full=True)
            same = rules.edit(rule, {feature: said})
            np.testing.assert_array_equal(same.conditions, rules.conditions)
