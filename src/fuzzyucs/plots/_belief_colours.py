"""Beliefs, contradiction and ignorance as one colour."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyucs._util.class_colours import class_colour

__all__ = ["ON_UNKNOWN", "UNKNOWN", "belief_colours", "division"]

Array = NDArray[np.float64]

UNKNOWN = (0.25, 0.25, 0.25)  # where the model says "I don't know"
ON_UNKNOWN = "white"  # lines and words there


def belief_colours(mass: Array, ignorance: Array, torn: Array) -> Array:
    """Return one colour for each body of evidence.

    The hue is that of the classes, in the shares of their beliefs. It turns white as far as the
    model is torn between classes, and then dark grey as far as it says "I don't know".

    Parameters
    ----------
    mass : ndarray of shape (n_classes, ...)
        Belief in each class.
    ignorance, torn : ndarray of shape (...)
        Of each body of evidence, from 0 to 1.

    Returns
    -------
    ndarray of shape (..., 3)
        Red, green and blue, from 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.plots._belief_colours import belief_colours
    >>> mass = np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 0.0]])
    >>> sure_torn_unknown = belief_colours(mass, np.array([0.0, 0, 1]), np.array([0.0, 1, 0]))
    >>> sure_torn_unknown.round(3)
    array([[0.   , 0.447, 0.698],
           [1.   , 1.   , 1.   ],
           [0.25 , 0.25 , 0.25 ]])
    """
    from matplotlib.colors import to_rgb

    colours = _linear_light(np.array([to_rgb(class_colour(i)) for i in range(len(mass))]))
    total = mass.sum(axis=0)
    shares = np.where(total > 0, mass / np.where(total > 0, total, 1.0), 1 / len(mass))
    # Light adds up; numbers of a screen do not, and mixtures of them look dirty.
    hue = _screen(np.moveaxis(shares, 0, -1) @ colours)
    white = np.clip(torn, 0.0, 1.0)[..., np.newaxis]
    dark = np.clip(ignorance, 0.0, 1.0)[..., np.newaxis]
    mixed: Array = (1 - dark) * (hue + white * (1 - hue)) + dark * np.array(UNKNOWN)
    return np.clip(mixed, 0.0, 1.0)


def division(mass: Array) -> Array:
    """Tell how alike the two greatest masses are: 0 if one of them is none, 1 if they are equal.

    Parameters
    ----------
    mass : ndarray of shape (n_classes, ...)
        Beliefs or probabilities.

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyucs.plots._belief_colours import division
    >>> division(np.array([[0.9, 0.6, 0.4], [0.0, 0.2, 0.4]]))
    array([0. , 0.5, 1. ])
    """
    if len(mass) < 2:
        return np.zeros(mass.shape[1:])
    second, first = np.sort(mass, axis=0)[-2:]
    both = first + second
    alike: Array = np.where(both > 0, 2 * second / np.where(both > 0, both, 1.0), 0.0)
    return alike


def _linear_light(colours: Any) -> Array:
    """Turn the numbers of a screen (sRGB) into amounts of light."""
    light: Array = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return light


def _screen(light: Array) -> Array:
    """Turn amounts of light into the numbers of a screen (sRGB)."""
    bright = 1.055 * np.maximum(light, 0.0) ** (1 / 2.4) - 0.055
    return np.asarray(np.where(light <= 0.0031308, 12.92 * light, bright))
