"""Values of a record that are typed, one by one, and prices of questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fuzzyucs._util.wording import closest
from fuzzyucs.cli.inputs import form_of

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["named_texts", "read_prices", "read_value"]


def named_texts(option: str, texts: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Read texts of the form ``name=value``; a name may contain the sign itself.

    Parameters
    ----------
    option : str
        Name of the option, for messages.
    texts : sequence of str
        What the option was given.
    names : sequence of str
        The features.

    Returns
    -------
    dict of str to str
        By feature.

    Examples
    --------
    >>> from fuzzyucs.cli.replies import named_texts
    >>> named_texts("--record", ["age = 63", "a=b=c"], ["age", "a=b"])
    {'age': '63', 'a=b': 'c'}
    """
    found: dict[str, str] = {}
    for text in texts:
        parts = text.split("=")
        ways = [("=".join(parts[:n]).strip(), "=".join(parts[n:])) for n in range(1, len(parts))]
        if not ways:
            raise ValueError(f"{option}: expected NAME=VALUE, got {text!r}")
        known = [(name, value) for name, value in reversed(ways) if name in names]
        if not known:
            name = ways[-1][0]
            raise ValueError(
                f"{option}: the model has no feature {name!r}{closest(name, names)}\n  "
                f"it has {', '.join(map(repr, names))}"
            )
        name, value = known[0]
        if name in found:
            raise ValueError(f"{option}: {name!r} is named twice")
        found[name] = value.strip()
    return found


def read_prices(texts: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    """Read ``--price``: what questions cost, by feature.

    Parameters
    ----------
    texts : sequence of str
        Each of the form ``name=number``, or several of these with commas between them.
    names : sequence of str
        The features.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> from fuzzyucs.cli.replies import read_prices
    >>> read_prices(["age=1,ct scan=10", "a,b=2"], ["age", "ct scan", "a,b"])
    {'age': 1.0, 'ct scan': 10.0, 'a,b': 2.0}
    """
    entries = [
        part
        for text in texts
        # A name that contains a comma has an option of its own.
        for part in ([text] if text.rpartition("=")[0].strip() in names else text.split(","))
    ]
    prices = {}
    for name, text in named_texts("--price", entries, names).items():
        try:
            prices[name] = float(text)
        except ValueError:
            raise ValueError(f"--price: expected a number for {name!r}, got {text!r}") from None
        if not prices[name] > 0:
            raise ValueError(
                f"--price: {name!r} must have a price above 0, or inf if it cannot be found out, "
                f"got {text}"
            )
    return prices


def read_value(clf: RuleClassifier, name: str, text: str) -> Any:
    """Read the value of a feature as tables have it: a number, category, date or duration.

    Parameters
    ----------
    clf : RuleClassifier
        The model.
    name : str
        Name of the feature.
    text : str
        What was typed.

    Returns
    -------
    float, category, datetime or timedelta
        NaN or None if the text is a marker of missing values.
    """
    import numpy as np

    from fuzzyucs.cli.tables.file import TableFile
    from fuzzyucs.cli.tables.reader import TableReader

    feature = clf.rules_.variables.table_variables.feature_names.index(name)
    categories = clf.columns_.categories.get(feature)
    holds = clf.columns_.times.get(feature) if categories is None else categories.labels
    form = replace(form_of(clf), dates={})  # features that dates became are numbers
    reader = TableReader(TableFile("the record", {name: np.array([text.strip()], dtype=object)}))
    value = reader.features_for({name: holds}, form)[name].iloc[0]
    is_missing = value is None or value != value  # NaN, NaT
    if is_missing and categories is not None and text.strip() in categories.terms:
        return categories.labels[categories.terms.index(text.strip())]
    if is_missing and categories is not None and text.strip() and text.strip() not in form.markers:
        known = [str(label) for label in categories.terms]
        raise ValueError(
            f"{name!r} is one of {', '.join(map(repr, known[:20]))}"
            f"{' and others' if len(known) > 20 else ''}, got {text.strip()!r}"
            f"{closest(text.strip(), known)}"
        )
    return None if is_missing else value
