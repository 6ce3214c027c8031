"""A real browser for the tests of pages."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

TIMEOUT = 600_000  # milliseconds: machines may be busy
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Works as root and without a network; no background services of Chromium.
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@contextmanager
def browser() -> Iterator:
    """Start the Chromium of this machine."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("needs Chromium: apt-get install chromium, or set CHROMIUM to its path")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=list(FLAGS), timeout=TIMEOUT
        )
        yield chromium
        chromium.close()
