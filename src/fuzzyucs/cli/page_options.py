"""Options of the page about a model: units, labels, examples, and the shape of images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fuzzyucs._util.wording import closest

__all__ = ["PageOptions", "read_shape", "texts_by_name"]


@dataclass(frozen=True)
class PageOptions:
    """What the command line says about the page.

    Parameters
    ----------
    units, labels : sequence of str
        Texts of the form ``name=text``, or several of these with commas between them.
    examples : int, optional
        Number of example records.
    image_shape : str, optional
        Numbers of rows and columns, ``8x8`` for example.
    """

    units: Sequence[str]
    labels: Sequence[str]
    examples: int | None
    image_shape: str | None

    def read(self, features: Sequence[str], classes: Sequence[Any], n_rows: int) -> dict[str, Any]:
        """Check the options before anything is learned.

        Parameters
        ----------
        features : sequence of str
            Names of the features.
        classes : sequence
            The labels of all classes.
        n_rows : int
            Number of rows that examples can be chosen from.

        Returns
        -------
        dict
            Arguments of `fuzzyucs.report.write_report`.
        """
        from fuzzyucs.report.examples import check_number
        from fuzzyucs.report.images import check_image_shape

        names = {name: name for name in features}
        shape = None if self.image_shape is None else read_shape(self.image_shape)
        try:
            if shape is not None:
                check_image_shape(shape, len(features))
            if self.examples is not None:
                check_number(self.examples, n_rows)
        except ValueError as error:
            words = str(error).replace("image_shape", "--image-shape")
            raise ValueError(words.replace("examples must", "--examples must")) from None
        return {
            "units": texts_by_name("--units", self.units, names),
            "labels": texts_by_name(
                "--labels", self.labels, names | {str(label): label for label in classes}
            ),
            "examples": self.examples,
            "image_shape": shape,
        }


def texts_by_name(option: str, given: Sequence[str], names: Mapping[str, Any]) -> dict[Any, str]:
    """Read texts for features or classes.

    Parameters
    ----------
    option : str
        Name of the option, for messages.
    given : sequence of str
        Each of the form ``name=text``, or several of these with commas between them.
    names : mapping
        What may be named, by how it is written.

    Returns
    -------
    dict
        The texts, by what they are for.

    Examples
    --------
    >>> from fuzzyucs.cli.page_options import texts_by_name
    >>> texts_by_name("--labels", ["0=well,age=age at entry"], {"0": 0, "age": "age"})
    {0: 'well', 'age': 'age at entry'}
    """
    found: dict[Any, str] = {}
    for option_text in given:
        # A name that contains a comma has an option of its own.
        is_whole = any("," in name and option_text.startswith(f"{name}=") for name in names)
        for part in [option_text] if is_whole else option_text.split(","):
            # Of names that contain the sign, the longest counts.
            known = [name for name in names if part.lstrip().startswith(f"{name}=")]
            name = max(known, key=len, default=part.partition("=")[0].strip())
            text = part.lstrip()[len(name) + 1 :].strip()
            if "=" not in part or not text:
                raise ValueError(f"{option}: expected NAME=TEXT, got {part!r}")
            if name not in names:
                raise ValueError(f"{option}: there is no {name!r}{closest(name, names)}")
            if names[name] in found:
                raise ValueError(f"{option}: {name!r} is named twice")
            found[names[name]] = text
    return found


def read_shape(text: str) -> tuple[int, ...]:
    """Read the shape of an image.

    Parameters
    ----------
    text : str
        Numbers with an x between them.

    Returns
    -------
    tuple of int

    Examples
    --------
    >>> from fuzzyucs.cli.page_options import read_shape
    >>> read_shape("8x8")
    (8, 8)
    """
    sizes = text.lower().split("x")
    if len(sizes) < 2 or not all(size.strip().isdecimal() for size in sizes):
        raise ValueError(f"--image-shape: expected ROWSxCOLUMNS, such as 8x8, got {text!r}")
    return tuple(map(int, sizes))
