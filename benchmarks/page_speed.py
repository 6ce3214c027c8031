"""How fast the what-if form of a report follows a slider, in the Chromium of this machine.

    python benchmarks/page_speed.py [--changes 200]

A model of digits with 64 features and at least 350 rules. One change is what happens between two
frames: the value is set, the record evaluated, answer, bars and ledger are written, and the layout
is made. The search for flips runs afterwards, a few milliseconds at a time; its longest piece is
what a slider may have to wait for.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_digits

from fuzzyucs import EvidentialRuleClassifier

N_MODELS = 3  # enough for at least 350 rules
FRAME = 1000 / 60  # milliseconds

CHANGES = """n => {
    const times = [], state = {seed: 1};
    const random = () => (state.seed = (state.seed * 16807) % 2147483647) / 2147483647;
    for (let k = 0; k < n; ++k) {
        const f = Math.floor(64 * random()), value = Math.round(16 * random());
        const start = performance.now();
        WHAT_IF.setValue(f, value);
        document.body.getBoundingClientRect();
        times.push(performance.now() - start);
    }
    return times;
}"""

# Pieces of one search for flips, from the change to the last mark.
SEARCH = """async f => {
    const pieces = [], later = setTimeout;
    window.setTimeout = (go, delay) => later(() => {
        const start = performance.now();
        go();
        pieces.push(performance.now() - start);
    }, delay);
    WHAT_IF.setValue(f, 8);
    while (Number(document.getElementById("flips").dataset.done) !== WHAT_IF.search) {
        await new Promise(done => later(done, 10));
    }
    window.setTimeout = later;
    return pieces;
}"""


def quantile(values: list[float], share: float) -> float:
    """Return a quantile of some times."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=200)
    n_changes = parser.parse_args().changes
    X, y = load_digits(return_X_y=True, as_frame=True)
    clf = EvidentialRuleClassifier(random_state=0, n_models=N_MODELS).fit(X, y)
    path = clf.report(X, y, Path(tempfile.mkdtemp()) / "digits.html")
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri())
        page.evaluate(CHANGES, 20)  # so that the browser has compiled the scripts
        times = page.evaluate(CHANGES, n_changes)
        searches = [page.evaluate(SEARCH, f) for f in range(3, 61, 6)]
        browser.close()
    print(f"{len(clf.rules_)} rules, {X.shape[1]} features, {len(clf.classes_)} classes")
    print(f"one change, {n_changes} times: median {quantile(times, 0.5):.1f} ms, ", end="")
    print(f"95 % at most {quantile(times, 0.95):.1f} ms (a frame is {FRAME:.1f} ms)")
    total = [sum(pieces) for pieces in searches]
    longest = [max(pieces) for pieces in searches]
    print(
        f"search for flips, {len(searches)} times: median {quantile(total, 0.5):.0f} ms, ", end=""
    )
    print(f"longest piece median {quantile(longest, 0.5):.1f} ms, at most {max(longest):.1f} ms")


if __name__ == "__main__":
    main()
