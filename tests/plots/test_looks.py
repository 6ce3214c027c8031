"""Every picture can be read: light and dark, ten classes, long names."""

import warnings

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex
from matplotlib.legend import Legend

from drawing import cut_off, faint, overlapping, shown_texts
from fuzzyucs.plots import CLASS_COLOURS
from plot_looks import MODELS, STYLES, draw

SOME = ["cancer", "loans", "wine-fuzzy-ucs"]
WITH_CLASSES = ("landscape", "landscape-panels", "rule-long", "heatmap", "waterfall", "evidence")


def class_named(text, classes):
    """Return the index of the class that a text of a legend names, if it does."""
    name = " ".join(text.split()).removeprefix("for ").removesuffix(" ...")
    found = [i for i, label in enumerate(classes) if str(label).startswith(name)]
    return found[0] if name and len(found) == 1 else None


def colours_of_classes(figure, classes):
    """Return the colours that legends of a figure give to classes, by their indices."""
    found = {}
    for legend in figure.findobj(Legend):
        texts = [text.get_text() for text in legend.get_texts()]
        for text, patch in zip(texts, legend.legend_handles, strict=True):
            index = class_named(text, classes)
            if index is not None:
                found[index] = to_hex(patch.get_facecolor()).upper()
    return found


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", SOME)
def test_all_texts_can_be_read(name, style):
    model = MODELS[name]()
    with plt.style.context(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        for picture, display in draw(model, resolution=12):
            figure = display.figure_
            texts = shown_texts(figure)
            assert faint(texts, figure) == [], picture
            assert cut_off(texts, figure) == [], picture
            assert overlapping(texts) == [], picture
            colours = colours_of_classes(figure, list(model.clf.classes_))
            assert len(colours) >= 2 or picture not in WITH_CLASSES, picture
            if picture != "landscape-panels":  # regions are paler there
                assert colours == {i: CLASS_COLOURS[i] for i in colours}, picture
            plt.close(figure)


def test_ten_classes_have_ten_colours():
    model = MODELS["loans"]()
    assert len(model.clf.classes_) == 10
    pictures = dict(draw(model, resolution=6))
    for picture in ("landscape", "rule-long", "heatmap"):
        colours = colours_of_classes(pictures[picture].figure_, list(model.clf.classes_))
        assert colours == dict(enumerate(CLASS_COLOURS)), picture
