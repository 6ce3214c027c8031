"""How files say that they are ours."""

from __future__ import annotations

__all__ = ["MODEL_FORMAT", "says_model"]

MODEL_FORMAT = "fuzzyucs model"
START = 300  # characters in which a model file says so


def says_model(text: str) -> bool:
    """Tell whether a file says at its beginning that it is a model.

    Examples
    --------
    >>> from fuzzyucs._util.formats import says_model
    >>> says_model('{"format": "fuzzyucs model", "version": 2'), says_model("height,ill")
    (True, False)
    """
    return f'"format": "{MODEL_FORMAT}"' in text[:START]
