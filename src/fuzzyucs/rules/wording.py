"""Rules in words: sentences, tables, data frames and JSON. Methods of `RuleSet`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs._util.wrapping import Line, wrapped
from fuzzyucs.rules.tables import Style, TextTable, one_line

if TYPE_CHECKING:
    import pandas as pd

    from fuzzyucs.rules.rule_set import RuleSet

__all__ = [
    "condition",
    "condition_texts",
    "observe",
    "sentence",
    "statement",
    "text_lines",
    "to_frame",
    "to_json",
    "to_table",
    "to_text",
]


def condition(rules: RuleSet, rule: int, style: Style | None = None, *, full: bool = False) -> str:
    """Put the condition of a rule into words.

    Parameters
    ----------
    rule : int
        Index of the rule.
    style : {"terms", "plain"}, optional
        In which words, as in `to_text`.
    full : bool
        Whether plain words name all categories, however many.

    Returns
    -------
    str
        What is asked of each feature that matters, joined by AND.
    """
    if style is not None and style not in get_args(Style):
        raise ValueError(f"style must be one of {list(get_args(Style))}, got {style!r}")
    return " AND ".join(condition_texts(rules, rule, style, full=full)) or "anything"


def condition_texts(
    rules: RuleSet, rule: int, style: Style | None = None, *, full: bool = False
) -> list[str]:
    """Put each condition of a rule into words.

    Parameters
    ----------
    rule, style, full
        As in `condition`.

    Returns
    -------
    list of str
        What is asked of each feature that matters, in the order of the features.
    """
    variables = rules.variables
    is_plain = (style or rules.style) == "plain"
    conditions = rules.conditions[rule]
    return [
        variables.describe_plain(f, conditions[f], full=full)
        if is_plain
        else variables.describe(f, conditions[f])
        for f in rules.asked_features[rule]
    ]


def observe(
    rules: RuleSet, rule: int, record: NDArray[np.float64], positions: NDArray[np.float64]
) -> str:
    """Put the condition of a rule into words, with the values of a record.

    Parameters
    ----------
    rule : int
        Index of the rule.
    record : ndarray of shape (n_features,)
        Values of the record.
    positions : ndarray of shape (n_features,)
        Where they lie on their variables.

    Returns
    -------
    str
    """
    conditions, observe_one = rules.conditions[rule], rules.variables.observe
    values = record[rules.variables.feature_of_view]
    parts = [
        observe_one(f, conditions[f], values[f], positions[f]) for f in rules.asked_features[rule]
    ]
    return " AND ".join(parts) if parts else "anything"


def statement(rules: RuleSet, rule: int) -> str:
    """Put a rule into words, without its statistics."""
    return one_line(f"IF {rules.condition(rule)} THEN {rules.label(rule)}")


def sentence(rules: RuleSet, rule: int, style: Style | None = None, *, full: bool = False) -> str:
    """Put a rule into words.

    Parameters
    ----------
    rule : int
        Index of the rule.
    style : {"terms", "plain"}, optional
        In which words, as in `to_text`.
    full : bool
        Whether to name all categories, however many.

    Returns
    -------
    str
    """
    condition = rules.condition(rule, style, full=full)
    return one_line(f"IF {condition} THEN {rules.full_conclusion(rule)}")


def to_text(
    rules: RuleSet, style: Style | None = None, *, width: int | None = None, full: bool = False
) -> str:
    """Return the rules as sentences, one per line unless they are wrapped.

    A rule names the class that it predicts, with the weight of that class, the rule's experience
    (the sum of the degrees to which training data matched it, over all epochs) and its numerosity.
    A rule with a class profile names the class that it speaks for, or against, and says to how many
    rows of the training data its text applies, and what share of them classes have. A weighted rule
    names the share of its class in its experience, which counts the training data once, and how
    many times its evidence counts. Of both, a last line tells how probable classes are without
    evidence.

    Parameters
    ----------
    style : {"terms", "plain"}, optional
        How sets of terms are put into words: listed, ``size is {small, medium}``, or plain and
        with numbers, ``size is at most medium (<= 4.9)``, between which the condition holds to
        at least one half. The default is "terms" for evolved rules, "plain" for others.
    width : int, optional
        Greatest number of characters of a line. Longer sentences go on in indented lines; no word
        is cut.
    full : bool
        Whether plain words name all categories, however many: experts' rules may be written so.

    Returns
    -------
    str
    """
    return wrapped(text_lines(rules, style, full=full), width)


def text_lines(rules: RuleSet, style: Style | None = None, *, full: bool = False) -> list[Line]:
    """Return the lines of `to_text`: a sentence for each rule, and the note.

    Parameters
    ----------
    style : {"terms", "plain"}, optional
        In which words, as in `to_text`.
    full : bool
        Whether to name all categories, as in `to_text`.

    Returns
    -------
    list of Line
    """
    sentences = (rules.sentence(rule, style, full=full) for rule in range(len(rules)))
    note = [Line(one_line(rules.note))] if rules.note else []
    return [*(Line(sentence, len("IF "), "THEN") for sentence in sentences), *note]


def to_table(rules: RuleSet, style: Style | None = None) -> TextTable:
    """Return the rules as a table of text.

    Parameters
    ----------
    style : {"terms", "plain"}, optional
        How conditions are put into words, as in `to_text`.

    Returns
    -------
    TextTable
    """
    rows = [
        [rules.condition(rule, style), rules.label(rule), *rules.shown_values(rule)]
        for rule in range(len(rules))
    ]
    header = ["if", "then", *rules.shown]
    return TextTable(header, rows, rules.note, classes=rules.named_class.tolist())


def to_frame(rules: RuleSet) -> pd.DataFrame:
    """Return the rules as a pandas DataFrame, one row per rule.

    Returns
    -------
    pandas.DataFrame
        Columns ``condition``, ``consequent``, ``weight``, ``fitness``, ``experience``,
        ``numerosity``, and ``weight of <class>`` for each class. Of weighted rules also
        ``evidence`` and ``strength``; of rules with class profiles ``evidence``, ``log-odds``,
        ``applies to``, ``mean``, and ``profile of <class>`` for each class.
    """
    columns: dict[str, Any] = {
        "condition": [rules.condition(rule) for rule in range(len(rules))],
        "consequent": rules.classes[rules.consequent],
        **rules.rule_columns(),
    }
    for i, label in enumerate(rules.classes):
        columns[f"weight of {label}"] = rules.weights[:, i]
    return import_pandas().DataFrame(columns)


def to_json(rules: RuleSet) -> str:
    """Return the rules as JSON, self-describing and with every digit.

    Returns
    -------
    str
        An object with ``classes``, ``features`` (name, range, terms if linguistic) and
        ``rules``. A rule lists only the features it asks something of. Ranges unknown for lack
        of data are null, as are bounds at the edge of the data; labels that JSON has no type
        for, such as dates, become strings.
    """
    variables, labels = rules.variables, rules.classes.tolist()
    document = {
        "format": "fuzzyucs rules",
        "version": 1,
        **rules.model_as_dict(),
        "classes": labels,
        "features": [variables.feature_as_dict(i) for i in range(variables.n_features)],
        "rules": [
            {
                "if": [
                    variables.condition_as_dict(feature, rules.conditions[rule][feature])
                    for feature in rules.asked_features[rule]
                ],
                "then": labels[rules.consequent[rule]],
                **rules.rule_as_dict(rule),
            }
            for rule in range(len(rules))
        ],
    }
    return json.dumps(document, indent=1, allow_nan=False, default=str)
