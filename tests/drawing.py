"""Helpers for tests of displays: odd names, and what matplotlib draws."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Tick
from matplotlib.colors import to_rgb
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


def shown_texts(figure):
    """All texts that can be seen, with their boxes in pixels."""
    figure.canvas.draw()
    hidden = {id(text) for ax in figure.findobj(Axes) for text in hidden_texts(ax)}
    texts = [t for t in figure.findobj(Text) if t.get_text().strip() and t.get_visible()]
    # Of an annotation, the words without their arrow.
    boxes = [(text, Text.get_window_extent(text)) for text in texts if id(text) not in hidden]
    return [(text, box) for text, box in boxes if box.width and box.height]


def hidden_texts(ax):
    """Labels of axes that are not drawn, and of ticks beyond the ends of an axis."""
    for axis in (ax.xaxis, ax.yaxis):
        labels = [label for tick in axis.findobj(Tick) for label in (tick.label1, tick.label2)]
        if not ax.axison:
            yield from (*labels, axis.label, axis.offsetText)
            continue
        low, high = sorted(axis.get_view_interval())
        margin = 1e-6 * (high - low)
        shown = {
            id(label)
            for kind, places in (
                (axis.get_ticklabels, axis.get_majorticklocs()),
                (axis.get_minorticklabels, axis.get_minorticklocs()),
            )
            for label, place in zip(kind(), places, strict=False)
            if low - margin <= place <= high + margin
        }
        yield from (label for label in labels if id(label) not in shown)


def overlapping(texts):
    """Pairs of texts that cover each other by more than a pixel."""
    pairs = []
    for i, (one, a) in enumerate(texts):
        for other, b in texts[i + 1 :]:
            width = min(a.x1, b.x1) - max(a.x0, b.x0)
            height = min(a.y1, b.y1) - max(a.y0, b.y0)
            if width > 1 and height > 1:
                pairs.append((one.get_text(), other.get_text()))
    return pairs


def cut_off(texts, figure):
    """Texts that are partly outside of the figure."""
    whole = figure.bbox
    return [
        text.get_text()
        for text, box in texts
        if box.x0 < whole.x0 - 1
        or box.x1 > whole.x1 + 1
        or box.y0 < whole.y0 - 1
        or box.y1 > whole.y1 + 1
    ]


def luminance(colour):
    """Relative luminance as WCAG 2 defines it."""
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    """Contrast as WCAG 2 defines it."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def ground_of(text, box, figure):
    """The colour behind a text: its own box, a legend, an image or axes below it, the figure."""
    if text.get_bbox_patch() is not None:
        return to_rgb(text.get_bbox_patch().get_facecolor())
    for ax in reversed(figure.axes):
        legend = ax.get_legend()
        if legend is not None and text in legend.get_texts():
            is_inside = legend.get_window_extent().overlaps(ax.bbox)
            if legend.get_frame_on():
                return to_rgb(legend.get_frame().get_facecolor())
            return to_rgb(ax.get_facecolor() if is_inside else figure.get_facecolor())
    middle = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    if text.axes is not None and text.axes.axison and text.axes.bbox.contains(*middle):
        for image in text.axes.images:
            x, y = text.axes.transData.inverted().transform(middle)
            left, right, bottom, top = image.get_extent()
            pixels = image.get_array()
            row = int((y - bottom) / (top - bottom) * len(pixels))
            column = int((x - left) / (right - left) * pixels.shape[1])
            return tuple(pixels[row, column])
        return to_rgb(text.axes.get_facecolor())
    return to_rgb(figure.get_facecolor())


def faint(texts, figure, least=4.5):
    """Texts that do not stand out from what is behind them."""
    found = [
        (text.get_text(), contrast(text.get_color(), ground_of(text, box, figure)))
        for text, box in texts
    ]
    return [(text, round(ratio, 2)) for text, ratio in found if ratio < least]
