"""This machine learns and predicts the committed bits; and the digests would tell if not."""

import numpy as np
import pytest

import learned_bits

FAST = ("iris", "8,000 rows", "Fuzzy-UCS, ds", "Fuzzy-UCS, gaps", "UCS, wine")


@pytest.fixture(scope="module")
def expected():
    return learned_bits.pinned()


@pytest.mark.parametrize("name", FAST)
def test_this_machine_learns_and_predicts_the_committed_bits(name, expected):
    (case,) = (case for case in learned_bits.cases(n_jobs=1) if case[0] == name)
    _, clf, table, is_weighted = case
    found = {name: learned_bits.digests_of(clf, *table(), is_weighted)}
    assert found[name].keys() == {"table", "rules", "evidence", "predict", "predict_proba"}
    assert not learned_bits.differences(found, expected)


def test_every_case_is_committed(expected):
    assert [name for name, *_ in learned_bits.cases()] == list(expected)
    assert expected.keys() >= learned_bits.SLOW


def test_digests_tell_learners_and_parts_apart(expected):
    """Otherwise comparing them would compare nothing."""
    names = ("iris", "wine", "digits", "missing values", "weighted rows", "40 classes")
    assert len({expected[name]["rules"] for name in names}) == len(names)
    assert expected["8,000 rows"] == expected["8,000 rows, two threads"]
    assert expected["8,000 rows"]["rules"] != expected["8,000 weighted rows"]["rules"]


def test_one_bit_makes_another_digest():
    values = np.linspace(0, 1, 5)
    other = values.copy()
    other[3] = np.nextafter(other[3], 2)
    assert learned_bits.digest_of(values) != learned_bits.digest_of(other)
    assert learned_bits.differences({"iris": {"rules": "0"}}, {"iris": {"rules": "1"}}) == [
        "iris: rules"
    ]
