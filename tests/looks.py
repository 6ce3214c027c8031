"""Pictures of reports, to look at: six models on a screen, on a phone, in the dark and on paper.

``make looks`` writes them into ``build/looks``; ``python tests/looks.py FOLDER [NAME ...]`` writes
those of some models.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from browser import TIMEOUT, browser
from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier

SHEET = 703  # width of A4 paper without margins, in pixels of 1/96 inch


class Look(NamedTuple):
    """A way to look at a page: options of the window, and the medium."""

    options: dict[str, Any]
    medium: str = "screen"


LOOKS = {
    "1280": Look({"viewport": {"width": 1280, "height": 900}}),
    "390": Look({"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}),
    "dark": Look({"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"}),
    # From the dark, which must not be seen on paper.
    "print": Look({"viewport": {"width": SHEET, "height": 1040}, "color_scheme": "dark"}, "print"),
}

Table = tuple[pd.DataFrame, NDArray[Any]]


def iris() -> Table:
    """Return iris with the names of its classes."""
    data = load_iris(as_frame=True)
    return data.data, np.array(data.target_names)[data.target]


def cancer() -> Table:
    """Return breast cancer with the names of its classes."""
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return frame, np.where(y == 1, "benign", "malignant")


def digits() -> Table:
    """Return images of digits: 64 pixels with values from 0 to 16."""
    frame, y = load_digits(return_X_y=True, as_frame=True)
    return frame, y.to_numpy().astype(str)


def wine() -> Table:
    """Return wine with the names of its classes."""
    data = load_wine(as_frame=True)
    return data.data, np.array(data.target_names)[data.target]


def passengers(n: int = 700) -> Table:
    """Return a table with categories, an order, a date, a duration and gaps."""
    rng = np.random.default_rng(0)
    decks = ["first", "second", "third", "crew"]
    deck = rng.choice(decks, n, p=[0.2, 0.2, 0.35, 0.25])
    age = rng.gamma(6, 5, n).round(1)
    sex = rng.choice(["female", "male"], n, p=[0.35, 0.65])
    ports = ["Southampton", "Cherbourg", "Queenstown (County Cork)", "Belfast"]
    frame = pd.DataFrame(
        {
            "deck": pd.Categorical(deck, categories=decks, ordered=True),
            "sex": sex,
            "age": np.where(rng.random(n) < 0.2, np.nan, age),
            "fare": np.exp(rng.normal(4 - np.searchsorted(decks, deck) * 0.5, 0.5)).round(2),
            "port of embarkation": np.where(rng.random(n) < 0.05, None, rng.choice(ports, n)),
            "booked": pd.Timestamp("1911-11-01")
            + pd.to_timedelta(rng.integers(0, 150, n), unit="D"),
            "waited": pd.to_timedelta(rng.integers(5, 300, n), unit="min"),
        }
    )
    chance = 0.15 + 0.55 * (sex == "female") + 0.25 * (age < 14) + 0.15 * (deck == "first")
    return frame, np.where(rng.random(n) < chance, "survived", "died")


OCCUPATIONS = (
    *("agricultural technician", "air traffic controller", "civil engineering draughtsperson"),
    *("dental hygienist", "early childhood educator", "environmental health inspector"),
    *("hydraulic press operator", "information security analyst", "logistics coordinator"),
    *("marine biologist", "occupational therapist", "secondary school teacher of mathematics"),
)


def occupations(n: int = 1500) -> Table:
    """Return a table with twelve classes and long names of categories."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, len(OCCUPATIONS), n)
    tools = [f"instrument for {name}s, with accessories" for name in OCCUPATIONS]
    places = ["outdoors in all weathers", "laboratory or clinic", "office", "workshop or factory"]
    usual = rng.random(n) < 0.6
    frame = pd.DataFrame(
        {
            "most frequently used instrument": np.where(
                usual, np.array(tools)[y], rng.choice(tools, n)
            ),
            "usual place of work": np.array(places)[
                np.where(rng.random(n) < 0.8, y % 4, rng.integers(0, 4, n))
            ],
            "yearly income before taxes": (22_000 + 4_000 * y + rng.normal(0, 5_000, n)).round(-2),
            "years of training": (y // 3 * 2 + rng.poisson(2, n)).astype(float),
            "code of the district": rng.choice([f"D{k:02d}" for k in range(40)], n),
        }
    )
    return frame, np.array(OCCUPATIONS)[y]


MODELS: dict[str, tuple[Any, Callable[[], Table]]] = {
    "iris": (EvidentialRuleClassifier(random_state=0), iris),
    "cancer": (EvidentialRuleClassifier(random_state=0), cancer),
    "passengers": (EvidentialRuleClassifier(random_state=0), passengers),
    "digits": (EvidentialRuleClassifier(random_state=0), digits),
    "occupations": (EvidentialRuleClassifier(random_state=0), occupations),
    "wine by vote": (FuzzyUCSClassifier(epochs=20, random_state=0, inference="vote"), wine),
}


# What reports are asked for besides; it shows in the pictures.
REPORTS: dict[str, dict[str, Any]] = {
    "digits": {"image_shape": (8, 8), "examples": 10},
    "passengers": {"units": {"age": "years", "fare": "pounds"}, "examples": 6},
}


def fitted(name: str) -> tuple[Any, pd.DataFrame, NDArray[Any]]:
    """Return a fitted model, and the data that it was not fitted to."""
    model, table = MODELS[name]
    frame, y = table()
    is_test = np.random.default_rng(7).random(len(y)) < 0.25
    clf = model.fit(frame[~is_test], y[~is_test])
    return clf, frame[is_test].reset_index(drop=True), y[is_test]


def wait_for_flips(page: Any) -> None:
    """Wait until the page has found the smallest changes of the present record."""
    page.wait_for_selector(
        f"#flips[data-done='{page.evaluate('WHAT_IF.search')}']", state="attached"
    )


def take(chromium: Any, path: Path, name: str, folder: Path) -> None:
    """Take pictures of a page: what is seen at first, and the whole of it."""
    for look, (options, medium) in LOOKS.items():
        page = chromium.new_page(**options)
        page.set_default_timeout(TIMEOUT)
        page.goto(path.resolve().as_uri())
        wait_for_flips(page)
        page.emulate_media(media=medium)
        if medium == "print":
            page.pdf(path=folder / f"{name}-print.pdf", format="A4", prefer_css_page_size=True)
        else:
            page.screenshot(path=folder / f"{name}-{look}.png")
        page.screenshot(path=folder / f"{name}-{look}-whole.png", full_page=True)
        page.close()


def main() -> None:
    """Write reports and pictures of them."""
    folder, names = Path(sys.argv[1]), sys.argv[2:] or list(MODELS)
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as chromium:
        for name in names:
            clf, frame, y = fitted(name)
            short = name.replace(" ", "-")
            options = {"title": name.capitalize(), **REPORTS.get(name, {})}
            path = clf.report(frame, y, folder / f"{short}.html", **options)
            take(chromium, path, short, folder)
            print(f"{path}: {len(clf.deciding_rules)} rules", flush=True)


if __name__ == "__main__":
    main()
