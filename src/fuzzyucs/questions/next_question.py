"""NextQuestion: which missing value of a record to ask for, and what each reply would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.optional import import_pandas
from fuzzyucs._util.short_repr import short_repr, some
from fuzzyucs._util.wording import closest, counted, listed, percent
from fuzzyucs._util.wrapping import text_width, wrapped
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.evidence.verdict_words import Verdict
from fuzzyucs.questions.uncertainty import Uncertainty

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Candidate", "NextQuestion", "Reply"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Reply:
    """A possible reply to a question, and what the model would say then.

    Attributes
    ----------
    text : str
        The values that it stands for, in words.
    value : float, category, datetime or timedelta
        The value that the model was asked about: the term holds fully there, and no other does.
    probability : float
        How probable the reply is, given the known values.
    verdict, reason : str
        As in `Evidence`.
    label : object
        The most probable class.
    class_probability : ndarray of shape (n_classes,)
        Probabilities of the classes.
    ignorance : float
        The mass of "I don't know".
    uncertainty : float
        What would be left of the uncertainty that the question is meant to reduce.
    """

    text: str
    value: Any
    probability: float
    verdict: str
    reason: str
    label: Any
    class_probability: Array
    ignorance: float
    uncertainty: float

    def __repr__(self) -> str:
        said = "answer" if self.verdict == "answer" else "no answer, rather"
        likely = f"{some([self.label])} {percent(self.confidence)}"
        return short_repr(self, some([self.text]), percent(self.probability), f"{said} {likely}")

    @property
    def confidence(self) -> float:
        """Probability of the most probable class."""
        return float(self.class_probability.max())


@dataclass(frozen=True, repr=False)
class Candidate:
    """A missing value that may be asked for.

    Attributes
    ----------
    feature : str
        Name of the feature.
    reduction : float
        By how much the question is expected to reduce the uncertainty: what is left now, less the
        mean over the replies. It may be negative, except for "information".
    price : float
        What the question costs.
    """

    feature: str
    reduction: float
    price: float = 1.0

    def __repr__(self) -> str:
        price = "" if self.price == 1 else f"price {self.price:g}"
        return short_repr(self, some([self.feature]), f"reduction {self.reduction:.3g}", price)

    @property
    def per_price(self) -> float:
        """Expected reduction per price."""
        return self.reduction / self.price


@dataclass(frozen=True, eq=False, repr=False)
class NextQuestion:
    """Which missing value of a record to ask for, and what each reply would do.

    Attributes
    ----------
    evidence : Evidence
        What the model says of the record now.
    verdict : Verdict
        The same in words.
    uncertainty : Uncertainty
        What questions are meant to reduce.
    left : float
        The uncertainty now.
    candidates : list of Candidate
        The missing values that could change what the rules say, the most useful first.
    n_idle : int
        Number of missing values that could not.
    n_priceless : int
        Number of missing values of infinite price, which cannot be asked for.
    has_prices : bool
        Whether prices were given.
    replier : callable
        Returns the replies to the question about a candidate.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> iris = load_iris(as_frame=True)
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> clf.next_question({"sepal length (cm)": 5.8})
    <NextQuestion: petal width (cm), expected to tell 1... bits, 2 other candidates>
    >>> question = clf.next_question({"sepal length (cm)": 5.8})
    >>> [candidate.feature for candidate in question.candidates[:2]]
    ['petal width (cm)', 'petal length (cm)']
    >>> print(question)
    I don't know. ...
    Ask for petal width (cm): it is expected to tell 1... bits about the class.
    ...
    """

    evidence: Evidence
    verdict: Verdict
    uncertainty: Uncertainty
    left: float
    candidates: list[Candidate]
    n_idle: int = 0
    n_priceless: int = 0
    has_prices: bool = False
    replier: Callable[[str], list[Reply]] = field(default=lambda _: [])

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels."""
        return self.evidence.classes

    @property
    def probability(self) -> Array:
        """Probabilities of the classes now."""
        return np.asarray(self.evidence.probability[0])

    @property
    def best(self) -> Candidate | None:
        """The most useful question; None if there is nothing to ask."""
        return self.candidates[0] if self.candidates else None

    @property
    def feature(self) -> str | None:
        """The feature to ask for; None if there is nothing to ask."""
        return self.candidates[0].feature if self.candidates else None

    @property
    def is_answered(self) -> bool:
        """Whether the verdict is an answer already."""
        return self.verdict.kind == "answer"

    @cached_property
    def replies(self) -> list[Reply]:
        """The possible replies to the most useful question, in the order of the terms."""
        return self.replies_to(self.feature) if self.feature is not None else []

    def replies_to(self, feature: str) -> list[Reply]:
        """Return the possible replies to a question, and what each would do.

        Parameters
        ----------
        feature : str
            One of the candidates.

        Returns
        -------
        list of Reply
            In the order of the terms of the feature.
        """
        names = [candidate.feature for candidate in self.candidates]
        if feature not in names:
            raise ValueError(
                f"feature must be one of the candidates, {some(names) or 'of which there are none'}"
                f", got {feature!r}{closest(str(feature), names)}"
            )
        return self.replier(feature)

    @property
    def why_nothing(self) -> str:
        """Why there is nothing to ask; empty if there is a question."""
        if self.candidates:
            return ""
        why = []
        if self.n_idle:
            idle = counted(self.n_idle, "missing value", "missing values")
            why.append(f"no rule depends on {idle}")
        if self.n_priceless:
            one, several = "value cannot be asked for", "values cannot be asked for"
            why.append(counted(self.n_priceless, f"missing {one}", f"missing {several}"))
        return f"Nothing to ask: {listed(why) if why else 'no value is missing'}"

    def __repr__(self) -> str:
        if self.best is None:
            return short_repr(self, self.why_nothing[:1].lower() + self.why_nothing[1:])
        said = f"expected to reduce the {self.uncertainty.name} by {self.best.reduction:.3g}"
        if self.uncertainty.is_information:
            said = f"expected to tell {self.best.reduction:.2g} bits"
        others = len(self.candidates) - 1
        return short_repr(
            self,
            some([self.best.feature]),
            f"{said} at a price of {self.best.price:g}" if self.has_prices else said,
            f"{counted(others, 'other candidate', 'other candidates')}" if others else "",
        )

    def __str__(self) -> str:
        return self.to_text(width=text_width())

    def to_text(self, *, width: int | None = None) -> str:
        """Return the question as text.

        Parameters
        ----------
        width : int, optional
            Greatest number of characters of a line; longer ones go on in indented lines.

        Returns
        -------
        str
        """
        from fuzzyucs.questions.question_text import question_lines

        return wrapped(question_lines(self), width)

    def to_frame(self, feature: str | None = None) -> pd.DataFrame:
        """Return the candidates, or the replies to a question, as a pandas DataFrame.

        Parameters
        ----------
        feature : str, optional
            One of the candidates, whose replies are wanted.

        Returns
        -------
        pandas.DataFrame
            A row for each candidate: ``feature``, ``reduction``, ``price``, ``per price``. Or a row
            for each reply: ``reply``, ``value``, ``probability`` (of the reply), ``verdict``,
            ``reason``, a column for the probability of each class, ``ignorance`` and
            ``uncertainty``.
        """
        pd = import_pandas()
        if feature is None:
            rows: list[Any] = [
                (c.feature, c.reduction, c.price, c.per_price) for c in self.candidates
            ]
            return pd.DataFrame(rows, columns=["feature", "reduction", "price", "per price"])
        names = [f"probability of {label}" for label in self.classes]
        columns = ["reply", "value", "probability", "verdict", "reason", *names]
        rows = [
            (
                *(r.text, r.value, r.probability, r.verdict, r.reason),
                *(*r.class_probability.tolist(), r.ignorance, r.uncertainty),
            )
            for r in self.replies_to(feature)
        ]
        return pd.DataFrame(rows, columns=[*columns, "ignorance", "uncertainty"])

    def to_dict(self) -> dict[str, Any]:
        """Return the question as JSON has it.

        Returns
        -------
        dict
        """
        from fuzzyucs.questions.question_text import question_document

        return question_document(self)

    def to_html(self) -> str:
        """Return the question as a piece of HTML that fits into any page.

        Returns
        -------
        str
            Everything is escaped; colours follow the page's.
        """
        from fuzzyucs.questions.question_html import question_html

        return question_html(self)

    def _repr_html_(self) -> str:
        return self.to_html()
