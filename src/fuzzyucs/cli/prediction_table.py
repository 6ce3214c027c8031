"""Predictions as a terminal shows them: the first rows, in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzzyucs._util.wording import counted
from fuzzyucs._util.wrapping import n_cells, text_width
from fuzzyucs.cli.terminal import print_table, print_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PredictionTable"]

N_SHOWN = 20  # rows
TEXTS = ("prediction", "decision", "verdict")
NUMBERS = ("ignorance", "novelty")
OF_A_CLASS = "probability of "


class PredictionTable:
    """Shows the first predictions, with the probability of the predicted class."""

    def __init__(self) -> None:
        self._frame: Any = None
        self._n_rows = 0

    def add(self, frame: pd.DataFrame) -> None:
        """Take the next rows, at least one."""
        if self._frame is None:
            self._frame = frame[:N_SHOWN]
        self._n_rows += len(frame)

    def close(self) -> None:
        """Print the table."""
        if self._frame is None:
            return
        from fuzzyucs.cli.colouring import class_style

        frame = self._frame
        texts = [name for name in TEXTS if name in frame]
        numbers = [name for name in NUMBERS if name in frame and frame[name].notna().all()]
        labels = [n.removeprefix(OF_A_CLASS) for n in frame if n.startswith(OF_A_CLASS)]
        kept = list(frame.columns[: frame.columns.get_loc("prediction")])
        columns = {"row": [str(number) for number in range(1, len(frame) + 1)]}
        columns |= {name: [str(value) for value in frame[name]] for name in kept}
        columns |= {name: [str(value) for value in frame[name]] for name in texts}
        if "reason" in frame:
            said = zip(columns["verdict"], frame["reason"], strict=True)
            columns["verdict"] = [f"{name} ({why})" if why else name for name, why in said]
        named = [frame[OF_A_CLASS + label].iloc[i] for i, label in enumerate(columns["prediction"])]
        columns["probability"] = [f"{share:.3f}" for share in named]
        columns |= {name: [f"{share:.3f}" for share in frame[name]] for name in numbers}
        while numbers and _width(columns) > text_width():
            del columns[numbers.pop()]
        n_before = 1 + len(kept)
        looks = [class_style(labels.index(label)) for label in columns["prediction"]]
        print_table(
            list(columns),
            list(zip(*columns.values(), strict=True)),
            [[*[""] * n_before, look, *[""] * (len(columns) - n_before - 1)] for look in looks],
            texts=range(1, n_before + len(texts)),
        )
        if self._n_rows > len(frame):
            more = counted(self._n_rows - len(frame), "more row", "more rows")
            print_text(f"and {more}; --output FILE writes all, with all columns")


def _width(columns: dict[str, list[str]]) -> int:
    """Return how many cells of a terminal columns take, with two between any of them."""
    widths = [max(map(n_cells, [name, *cells])) for name, cells in columns.items()]
    return sum(widths) + 2 * (len(widths) - 1)
