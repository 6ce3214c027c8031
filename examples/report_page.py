"""
The report of a model
=====================

A page in one file, with a form to try the model.

Write the report, and a picture of its what-if form::

    python examples/report_page.py [report.html] [picture.png]

The picture needs the package playwright and a Chromium (its path in CHROMIUM, or on the PATH).
"""

# sphinx_gallery_thumbnail_path = "images/what-if.png"

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from fuzzyucs import EvidentialRuleClassifier

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
EXAMPLE = 4  # of the records to choose from


def take_picture(page_path: Path, picture: Path) -> None:
    """Open the page in a browser, choose a record, and save a picture of the answer."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        page.goto(page_path.resolve().as_uri())
        page.get_by_label("Example records").select_option(index=EXAMPLE)
        page.evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
        page.wait_for_selector("#flips:not(.stale)")
        page.screenshot(path=str(picture))
        browser.close()


def main() -> None:
    """Train a model and write its report."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "report.html")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    clf = EvidentialRuleClassifier(random_state=0).fit(X_train, y_train)
    clf.report(
        X_test,
        y_test,
        target,
        title="Breast cancer",
        description="Tells malignant from benign cell samples. An example, not for clinical use.",
        examples=6,
    )
    print(f"Open {target} in a browser.")
    if len(sys.argv) > 2:
        take_picture(target, Path(sys.argv[2]))


if __name__ == "__main__":
    main()
