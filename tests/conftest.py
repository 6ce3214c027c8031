"""Settings that must be made before anything is imported, and what is left to do at the end."""

import gc
import os
import time

import pytest

# Lets scikit-learn run its check of array API input instead of skipping it.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# Each core has a process of tests already: threads of BLAS would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


SOAK_MINUTES = 12  # what `make soak` takes unless told otherwise
began = time.monotonic()


def soak_minutes() -> float:
    return float(os.environ.get("FUZZYUCS_SOAK_MINUTES", SOAK_MINUTES))


def pytest_runtest_setup(item) -> None:
    """Skip long runs that have not begun when the time for all of them is over."""
    spent = (time.monotonic() - began) / 60
    if item.get_closest_marker("soak") and spent > soak_minutes():
        pytest.skip(f"{soak_minutes():g} minutes are over; FUZZYUCS_SOAK_MINUTES allows more")


@pytest.fixture
def repeats():
    """Say how often a long run repeats something, given how often it does so in CI."""
    return lambda usual: max(1, round(usual * soak_minutes() / SOAK_MINUTES))


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


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write reports; the same report of the same model and rows is written once."""
    known = {}

    def written(clf, X, y, options):
        parts = clf, getattr(clf, "rules_", None), X, y  # kept, so that nothing else gets their ids
        key = (*map(id, parts), repr(clf.get_params()), repr(options))
        if key not in known:
            path = tmp_path_factory.mktemp("written") / "report.html"
            known[key] = clf.report(X, y, path, **options), parts
        return known[key][0]

    return written


@pytest.fixture
def open_page(chromium, written):
    """Open reports, which must neither complain nor ask for anything but themselves."""
    pages = []

    def open_page(clf, X, y, report=None, **options):
        path = written(clf, X, y, report or {})
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
