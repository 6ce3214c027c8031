"""Settings that must be made before anything is imported, and what is left to do at the end."""

import gc
import os

import pytest

# Lets scikit-learn run its check of array API input instead of skipping it.
os.environ.setdefault("SCIPY_ARRAY_API", "1")


def pytest_configure() -> None:
    """Let Hypothesis take its time: tests must not depend on how busy the machine is."""
    from hypothesis import settings

    settings.register_profile("any machine", deadline=None)
    settings.load_profile("any machine")


def pytest_unconfigure() -> None:
    """Remove the hook that Hypothesis adds to the garbage collector.

    It keeps fitted models of parametrised tests alive until the interpreter has ended, which
    nanobind then reports as leaks.
    """
    gc.callbacks.clear()


@pytest.fixture(scope="module")
def chromium():
    """A browser."""
    from browser import browser

    with browser() as found:
        yield found


@pytest.fixture
def open_page(chromium, tmp_path):
    """Open reports, which must neither complain nor ask for anything but themselves."""
    pages = []

    def open_page(clf, X, y, report=None, **options):
        path = clf.report(X, y, tmp_path / "report.html", **(report or {}))
        page = chromium.new_page(**options)
        problems, requests = [], []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        pages.append((page, problems, requests))
        return page

    yield open_page
    for page, problems, requests in pages:
        page.close()
        assert problems == []
        assert len(requests) == 1, "nothing but the file itself is asked for"
