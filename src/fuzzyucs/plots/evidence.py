"""Beliefs and ignorance of a few rows as stacked bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fuzzyucs._util.class_colours import CLASS_COLOURS
from fuzzyucs.evidence.evidence import Evidence
from fuzzyucs.metrics import evidence_method
from fuzzyucs.plots._belief_colours import UNKNOWN
from fuzzyucs.plots._ink import background, shade
from fuzzyucs.plots._style import Array, class_look, new_axes, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure, SubFigure

__all__ = ["EvidenceDisplay"]

MAX_ROWS = 20
LONGEST = 28  # letters of a name in a line
FEW_CLASSES = 5  # with a bar each
VISIBLE = 0.005  # least mass that gets an entry in the legend if there are many classes


class EvidenceDisplay:
    """Belief masses of the classes and ignorance, for a few rows.

    With base rates, one bar for each class of each row: belief, and hatched the share of the
    ignorance that the base rate says. Together they are the probability, so that the longest bar is
    the prediction. Without base rates, one bar for each row: the mass of each class, then the
    ignorance; if novelty was assessed, in two parts: weak evidence about familiar inputs, and
    novelty. Create it by `from_estimator` or `from_evidence`.

    Parameters
    ----------
    evidence : Evidence
        Of at most 20 rows.
    row_names : sequence, optional
        Names of the rows; by default their indices.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the bars.
    figure_ : matplotlib Figure
        Figure of the axes.
    bars_ : list of matplotlib BarContainer
        The parts of the bars, from left to right, labelled as in the legend. Of many classes,
        those without noticeable mass in any row are left out. With base rates, two for each class:
        beliefs, then base rates times ignorance.

    See Also
    --------
    fuzzyucs.Evidence : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from fuzzyucs import Evidence
    >>> from fuzzyucs.plots import EvidenceDisplay
    >>> evidence = Evidence(
    ...     np.array(["ill", "well"]), np.array([[0.7, 0.1]]), np.array([0.2]), np.array([0.0])
    ... )
    >>> display = EvidenceDisplay.from_evidence(evidence, ax=Figure().subplots())
    >>> [bars.get_label() for bars in display.bars_]
    ['ill', 'well', "I don't know"]
    >>> strange = evidence.discount(np.array([0.5]))
    >>> display = EvidenceDisplay.from_evidence(strange, ax=Figure().subplots())
    >>> [bars.get_label() for bars in display.bars_]
    ['ill', 'well', 'weak evidence', 'novelty']
    """

    ax_: Axes
    figure_: Figure | SubFigure
    bars_: list[BarContainer]

    def __init__(self, evidence: Evidence, *, row_names: Sequence[Any] | None = None) -> None:
        self.evidence = evidence
        self.row_names = row_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        ax: Axes | None = None,
        row_names: Sequence[Any] | None = None,
    ) -> Self:
        """Draw the evidence of a classifier.

        Parameters
        ----------
        estimator : fitted classifier
            One with ``predict_evidence``, also as last step of a pipeline.
        X : array-like of shape (n_samples, n_features)
            At most 20 rows.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        row_names : sequence, optional
            Names of the rows; by default the index of a pandas frame, else their indices.

        Returns
        -------
        EvidenceDisplay
        """
        method = evidence_method(estimator)
        if method is None:
            raise TypeError(
                f"evidence needs predict_evidence, which {type(estimator).__name__} lacks"
            )
        if row_names is None and hasattr(X, "iloc"):
            row_names = list(X.index)
        return cls.from_evidence(method(X), ax=ax, row_names=row_names)

    @classmethod
    def from_evidence(
        cls,
        evidence: Evidence,
        *,
        ax: Axes | None = None,
        row_names: Sequence[Any] | None = None,
    ) -> Self:
        """Draw given evidence.

        Parameters
        ----------
        evidence : Evidence
            Of at most 20 rows.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        row_names : sequence, optional
            Names of the rows; by default their indices.

        Returns
        -------
        EvidenceDisplay
        """
        return cls(evidence, row_names=row_names).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        EvidenceDisplay
            The display itself.
        """
        names = self._check_rows()
        if self.evidence.base_rates is not None:
            return self._plot_by_class(names, ax)
        ax = new_axes(figsize=(7.5, 1.4 + 0.32 * len(names))) if ax is None else ax
        rows, left = np.arange(len(names)), np.zeros(len(names))
        self.bars_ = []
        for name, mass, look in self._parts(ax):
            text = wrapped(name, LONGEST, 2)
            bars = ax.barh(rows, mass, left=left, height=0.7, label=text, **look)
            self.bars_.append(bars)
            left = left + mass
        ax.set_yticks(rows, [wrapped(name, LONGEST, 2) for name in names])
        ax.set(xlim=(0, 1), ylim=(len(names) - 0.5, -0.5), xlabel="Belief mass")
        return self._finish(ax, self.bars_, [str(bars.get_label()) for bars in self.bars_])

    def _plot_by_class(self, names: list[Any], ax: Axes | None) -> Self:
        """Draw a bar for each class of each row: belief + base rate * ignorance."""
        from matplotlib.patches import Patch

        evidence = self.evidence
        shown = self._shown_classes()
        height = 0.8 / len(shown)
        inches = 1.4 + len(names) * (0.16 + 0.16 * len(shown))
        ax = new_axes(figsize=(7.5, inches)) if ax is None else ax
        rows = np.arange(len(names))
        self.bars_ = []
        for place, i in enumerate(shown):
            look = class_look(i)
            y = rows - 0.4 + height * (place + 0.5)
            belief = evidence.belief[:, i]
            rest = evidence.probability[:, i] - belief
            name = wrapped(evidence.classes[i], LONGEST, 2)
            solid = ax.barh(y, belief, height=0.92 * height, label=name, **look)
            hatched: dict[str, Any] = {"facecolor": "none", "edgecolor": look["facecolor"]}
            share = ax.barh(y, rest, left=belief, height=0.92 * height, hatch="/////", **hatched)
            share.set_label(f"{name}: base rate x ignorance")
            self.bars_ += [solid, share]
        ax.set_yticks(rows, [self._row_label(row, name) for row, name in enumerate(names)])
        ax.set(xlim=(0, 1), ylim=(len(names) - 0.5, -0.5), xlabel="Probability")
        hint = Patch(facecolor="none", edgecolor=shade(ax, 0.6), hatch="/////")
        labels = [str(bars.get_label()) for bars in self.bars_[::2]]
        return self._finish(ax, [*self.bars_[::2], hint], [*labels, "base rate x ignorance"])

    def _finish(self, ax: Axes, handles: list[Any], labels: list[str]) -> Self:
        """Put a legend beside the bars."""
        side: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
        ax.legend(handles, labels, **side, borderaxespad=0, frameon=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _shown_classes(self) -> list[int]:
        """Return all classes if they are few, else those that are noticeable in some row."""
        highest = self.evidence.probability.max(axis=0)
        if len(highest) <= FEW_CLASSES:
            return list(range(len(highest)))
        chosen = np.argsort(-highest, kind="stable")[:FEW_CLASSES]
        best = self.evidence.probability.argmax(axis=1)  # the longest bar is always there
        return sorted({*chosen.tolist(), *best.tolist()})

    def _row_label(self, row: int, name: Any) -> str:
        verdict = str(self.evidence.verdict[row])
        text = wrapped(name, LONGEST, 2)
        return text if verdict == "answer" else f"{text}\n{verdict}"

    def _check_rows(self) -> list[Any]:
        n_rows = len(self.evidence)
        if not 1 <= n_rows <= MAX_ROWS:
            raise ValueError(f"from 1 to {MAX_ROWS} rows can be shown, got {n_rows}; select some")
        names = list(range(n_rows) if self.row_names is None else self.row_names)
        if len(names) != n_rows:
            raise ValueError(f"row_names must name each of {n_rows} rows, got {len(names)} names")
        return names

    def _parts(self, ax: Axes) -> Iterable[tuple[str, Array, dict[str, Any]]]:
        """Yield names, masses and styles of the parts, from left to right."""
        evidence, shown = self.evidence, {"edgecolor": background(ax), "linewidth": 0.6}
        few = len(evidence.classes) <= len(CLASS_COLOURS)
        for i, name in enumerate(evidence.classes):
            if few or evidence.mass[:, i].max() >= VISIBLE:
                yield str(name), evidence.mass[:, i], shown | class_look(i)
        if evidence.set_mass is not None and evidence.set_mass.size:
            look = shown | {"facecolor": shade(ax, 0.07), "hatch": "|||"}
            look |= {"edgecolor": shade(ax, 0.4)}
            yield "several classes", evidence.set_mass.sum(axis=1), look
        weak = shown | {"facecolor": shade(ax, 0.15), "hatch": "////"}
        weak |= {"edgecolor": shade(ax, 0.45)}
        if evidence.novelty is None:
            yield "I don't know", evidence.ignorance, weak
        else:
            yield "weak evidence", (evidence.ignorance - evidence.novelty).clip(0), weak
            yield "novelty", evidence.novelty, shown | {"facecolor": UNKNOWN}
