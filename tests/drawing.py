"""Helpers for tests of displays: odd names, and what matplotlib draws."""

import numpy as np
from matplotlib.text import Text

from fuzzyucs import Evidence

# Names that matplotlib would take for formulas, hide, or break on.
NAMES = ["$x_1$ & $y", r"\$5", "_hidden", "<script>"]
LABELS = ["$a$", "<b>", "_c"]


def legend_of(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def make_evidence(n_rows=3, classes=("a", "b"), seed=0):
    masses = np.random.default_rng(seed).dirichlet(np.ones(len(classes) + 1), n_rows)
    return Evidence(np.array(classes), masses[:, :-1], masses[:, -1], np.zeros(n_rows))


def drawn_texts(figure):
    """What matplotlib would draw after its own preprocessing, and whether as a formula."""
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    return [text._preprocess_math(text.get_text()) for text in texts]


def assert_literal(display, names):
    drawn = drawn_texts(display.figure_)
    powers = [text for text, is_math in drawn if is_math and r"\mathdefault{10^{" not in text]
    assert powers == []
    everything = "\n".join(text for text, _ in drawn)
    for name in names:
        assert name in everything
