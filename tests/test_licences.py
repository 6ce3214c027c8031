"""What the library needs at run time is under licences that ask nothing of its users' programs."""

import pytest

from licences import EXTRAS, is_refused, required


@pytest.mark.parametrize("extras", [(), EXTRAS])
def test_no_requirement_is_under_the_gpl(extras):
    found = required("fuzzyucs", extras)
    assert {"fuzzyucs", "numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl"} <= set(found)
    assert ("matplotlib" in found) == bool(extras)
    assert [f"{name}: {text}" for name, text in found.items() if is_refused(text)] == []


@pytest.mark.parametrize(
    ("licence", "refused"),
    [
        ("MIT", False),
        ("BSD-3-Clause AND 0BSD", False),
        ("GPL-3.0-or-later", True),
        ("GNU General Public License v3 (GPLv3)", True),
        ("AGPL-3.0", True),
        ("MIT AND GPL-2.0", True),
        ("GPL-2.0 OR MIT", False),
        ("GPL-3.0-or-later WITH GCC-exception-3.1", False),
        ("LGPL-2.1", False),
        ("unknown", True),
    ],
)
def test_which_licences_are_refused(licence, refused):
    assert is_refused(licence) == refused
