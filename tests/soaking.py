"""Which cases of a test `make test` runs; `make soak` runs the others."""

from collections.abc import Iterable
from typing import Any

import pytest


def first(n: int, cases: Iterable[Any]) -> list[Any]:
    """Mark all cases but the first n as long runs."""
    return [
        case if number < n else pytest.param(*_values(case), marks=pytest.mark.soak)
        for number, case in enumerate(cases)
    ]


def only(wanted: Iterable[Any], cases: Iterable[Any]) -> list[Any]:
    """Mark all cases but those that are wanted as long runs."""
    kept = list(wanted)
    cases = list(cases)
    assert all(case in cases for case in kept), "a case that there is not"
    return [
        case if case in kept else pytest.param(*_values(case), marks=pytest.mark.soak)
        for case in cases
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
