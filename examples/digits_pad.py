"""
Draw a digit
============

Write a page with a drawing pad, on which a model of handwritten digits answers to every stroke,
shows which pixels its rules look at, and says "I don't know" to a scribble::

    python examples/digits_pad.py [digits.html] [picture.png]

The picture needs the package playwright and a Chromium (its path in CHROMIUM, or on the PATH).
"""

# sphinx_gallery_thumbnail_path = "images/drawing-pad.png"

from __future__ import annotations

import math
import os
import shutil
import sys
from itertools import pairwise
from pathlib import Path

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
# A three, as rows and columns of points.
LINE = [(1.0, 2.3), (0.6, 3.6), (1.2, 4.9), (2.6, 4.9), (3.5, 3.6)]
THREE = [*LINE, (4.5, 4.9), (6.0, 5.0), (7.2, 3.9), (6.9, 2.5)]


def take_picture(page_path: Path, picture: Path) -> None:
    """Open the page in a browser, draw a digit, and save a picture of the answer."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        page.goto(page_path.resolve().as_uri())
        page.get_by_role("button", name="Clear").click()
        box = page.locator("#pad").bounding_box()
        if box is None:
            sys.exit("the page has no drawing pad")
        points = [
            (box["x"] + column / 8 * box["width"], box["y"] + row / 8 * box["height"])
            for row, column in THREE
        ]
        page.mouse.move(*points[0])
        page.mouse.down()
        for start, end in pairwise(points):
            page.mouse.move(*end, steps=1 + int(math.dist(start, end) / 4))
        page.mouse.up()
        page.wait_for_selector("#flips:not(.stale)")
        page.mouse.move(0, 0)
        page.evaluate("() => window.scrollTo(0, 0)")
        page.screenshot(path=str(picture))
        browser.close()


def main() -> None:
    """Train a model of digits and write its page."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "digits.html")
    X, y = load_digits(return_X_y=True, as_frame=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    clf = EvidentialRuleClassifier(random_state=0).fit(X_train, y_train)
    clf.report(
        X_test,
        y_test,
        target,
        title="Handwritten digits",
        description="Tells digits by images of 8 x 8 pixels. Draw one, or scribble.",
        labels=dict(enumerate(NAMES)),
        examples=10,
        image_shape=(8, 8),
    )
    print(f"Open {target} in a browser and draw.")
    if len(sys.argv) > 2:
        take_picture(target, Path(sys.argv[2]))


if __name__ == "__main__":
    main()
