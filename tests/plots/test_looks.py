"""Every picture can be read: light and dark, ten classes, long names."""

import warnings

import matplotlib.pyplot as plt
import pytest

from drawing import cut_off, faint, overlapping, shown_texts
from plot_looks import MODELS, STYLES, draw

SOME = ["cancer", "loans", "wine-fuzzy-ucs"]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", SOME)
def test_all_texts_can_be_read(name, style):
    with plt.style.context(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        for picture, display in draw(MODELS[name](), resolution=12):
            figure = display.figure_
            texts = shown_texts(figure)
            assert faint(texts, figure) == [], picture
            assert cut_off(texts, figure) == [], picture
            assert overlapping(texts) == [], picture
            plt.close(figure)
