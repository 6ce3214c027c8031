"""The claims of the article, and a check of each against our runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass

from fuzzyucs.experiment.measured import Measured
from fuzzyucs.experiment.problems import Problems
from fuzzyucs.experiment.statistics import SIGNIFICANT, Comparison, signed_rank

__all__ = ["CLAIMS", "Claim", "Verdict", "check_claims"]

Tables = dict[tuple[str, str], Measured]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim held, with the numbers.

    Attributes
    ----------
    held : bool or None
        None if results that the check needs are missing.
    ours, published : str
        The numbers that decide it.
    """

    held: bool | None
    ours: str = "not run"
    published: str = ""


@dataclass(frozen=True)
class Claim:
    """A statement of the article that can be checked.

    Attributes
    ----------
    text : str
        The statement.
    check : callable
        Takes the tables by name and split, and returns a `Verdict`.
    """

    text: str
    check: Callable[[Tables], Verdict]


def _both(tables: Tables, name: str, split: str) -> tuple[Comparison, Comparison] | None:
    measured = tables.get((name, split))
    if measured is None:
        return None
    ours, theirs = measured.comparison, measured.published_comparison
    return None if ours is None or theirs is None else (ours, theirs)


def _has_rank(name: str, split: str, system: str, rank: str) -> Callable[[Tables], Verdict]:
    """Check that a system has the first or the last rank."""

    def check(tables: Tables) -> Verdict:
        found = _both(tables, name, split)
        if found is None or any(system not in side.ranks for side in found):
            return Verdict(None)
        ours, theirs = found
        extreme = min(ours.ranks) if rank == "first" else max(ours.ranks)
        held = bool(ours.ranks[system] == extreme)
        return Verdict(held, f"{ours.ranks[system]:.2f}", f"{theirs.ranks[system]:.2f}")

    return check


def _differs(
    name: str, split: str, system: str, *, corrected: bool, expected: bool = True
) -> Callable[[Tables], Verdict]:
    """Check that the reference is significantly better, or, if not expected, no different."""

    def check(tables: Tables) -> Verdict:
        found = _both(tables, name, split)
        if found is None or any(system not in side.p for side in found):
            return Verdict(None)
        values = [(side.p_holm if corrected else side.p)[system] for side in found]
        ours = found[0]
        better = ours.ranks[ours.reference] < ours.ranks[system]
        held = values[0] < SIGNIFICANT and better if expected else values[0] >= SIGNIFICANT
        return Verdict(bool(held), *(f"p = {value:.3g}" for value in values))

    return check


def _pair(name: str, split: str, better: str, worse: str) -> Callable[[Tables], Verdict]:
    """Check that one column is significantly better than another over the data sets."""

    def check(tables: Tables) -> Verdict:
        measured = tables.get((name, split))
        if measured is None or measured.published is None:
            return Verdict(None)
        texts, helds = [], []
        for side in (measured.mean, measured.published):
            means = side.reindex(columns=[better, worse]).dropna()
            if len(means) < 2:
                return Verdict(None)
            p = signed_rank(means[better], means[worse])
            gain = (means[better] - means[worse]).mean()
            helds.append(p < SIGNIFICANT and gain > 0)
            texts.append(f"{gain:+.2f} points, p = {p:.3g}")
        return Verdict(bool(helds[0]), *texts)

    return check


def _test_exceeds_training(name: str, *, expected: bool) -> Callable[[Tables], Verdict]:
    """Check whether a mean is significantly greater on test data than on training data."""

    def check(tables: Tables) -> Verdict:
        train, test = tables.get((name, "train")), tables.get((name, "test"))
        if train is None or test is None or train.published is None or test.published is None:
            return Verdict(None)
        p = [
            signed_rank(after["DS"], before["DS"])
            for before, after in ((train.mean, test.mean), (train.published, test.published))
        ]
        greater = (test.mean["DS"] > train.mean["DS"]).mean() > 0.5
        held = bool(greater and (p[0] < SIGNIFICANT or not expected))
        return Verdict(held, *(f"p = {value:.3g}" for value in p))

    return check


CLAIMS = [
    *(
        Claim(
            f"DS ranks first in {split} {metric} at {epochs} epochs",
            _has_rank(f"{name}_{epochs}", split, "DS", "first"),
        )
        for metric, name in (("macro F1", "f1"), ("accuracy", "acc"))
        for epochs in (10, 50)
        for split in ("train", "test")
    ),
    *(
        Claim(
            f"UCS ranks last in {split} macro F1 at 10 epochs",
            _has_rank("f1_10", split, "UCS", "last"),
        )
        for split in ("train", "test")
    ),
    *(
        Claim(
            f"DS is significantly better than {system} in test macro F1 at 10 epochs (Holm)",
            _differs("f1_10", "test", system, corrected=True),
        )
        for system in ("UCS", "VOTE", "SWIN")
    ),
    Claim(
        "DS is significantly better than VOTE in test macro F1 at 50 epochs (without correction)",
        _differs("f1_50", "test", "VOTE", corrected=False),
    ),
    Claim(
        "DS is significantly better than SWIN in test macro F1 at 50 epochs (Holm)",
        _differs("f1_50", "test", "SWIN", corrected=True),
    ),
    Claim(
        "UCS does not differ significantly from DS in training macro F1 at 50 epochs",
        _differs("f1_50", "train", "UCS", corrected=True, expected=False),
    ),
    *(
        Claim(
            f"DS is significantly better than {system} in test accuracy at {epochs} epochs (Holm)",
            _differs(f"acc_{epochs}", "test", system, corrected=True),
        )
        for epochs in (10, 50)
        for system in ("UCS", "VOTE", "SWIN")
    ),
    *(
        Claim(
            f"Fuzzy-UCS has fewer rules than UCS at {epochs} epochs",
            _has_rank(f"ruleset_size_{epochs}", "model", "FuzzyUCS", "first"),
        )
        for epochs in (10, 50)
    ),
    *(
        Claim(
            f"Fitness in (-1, 1] gives {scheme} a better test accuracy than (0, 1]",
            _pair("fitness_range", "test", f"{scheme} (-1,1]", f"{scheme} (0,1]"),
        )
        for scheme in ("SWIN", "DS")
    ),
    *(
        Claim(
            f"Experience by membership gives {scheme} a better test accuracy than counting",
            _pair("experience_update", "test", f"{scheme} membership", f"{scheme} one"),
        )
        for scheme in ("VOTE", "SWIN", "DS")
    ),
    Claim(
        '"I don\'t know" is significantly greater on test than on training data at 5 epochs',
        _test_exceeds_training("idk_5", expected=True),
    ),
    Claim(
        '"I don\'t know" is greater on test than on training data on most data sets at 10 epochs',
        _test_exceeds_training("idk_10", expected=False),
    ),
    *(
        Claim(
            f"{system} ranks {rank} in {split} accuracy on artificial problems at {epochs} epochs",
            _has_rank(f"artificial_{epochs}", split, system, rank),
        )
        for system, rank, epochs, splits in (
            ("SWIN", "first", 10, ("train", "test")),
            ("UCS", "last", 10, ("test",)),
            ("UCS", "first", 50, ("train", "test")),
        )
        for split in splits
    ),
    *(
        Claim(
            f"DS ranks first in test accuracy on larger data sets at {epochs} epochs",
            _has_rank(f"large_{epochs}", "test", "DS", "first"),
        )
        for epochs in (10, 50)
    ),
    *(
        Claim(
            f"ExSTraCS ranks first in test accuracy at {epochs} epochs",
            _has_rank(f"exstracs_{epochs}", "test", "ExSTraCS", "first"),
        )
        for epochs in (10, 50)
    ),
    *(
        Claim(
            f"ExSTraCS has the most rules at {epochs} epochs",
            _has_rank(f"ruleset_size_{epochs}", "model", "ExSTraCS", "last"),
        )
        for epochs in (10, 50)
    ),
    Claim(
        "XGBoost has a better test accuracy than DS",
        _pair("sota_50", "test", "XGBoost", "DS"),
    ),
    Claim(
        "A random forest has a better test accuracy than DS",
        _pair("sota_50", "test", "RandomForest", "DS"),
    ),
]


def check_claims(
    measured: Iterable[Measured], problems: Problems | None = None
) -> list[tuple[Claim, Verdict]]:
    """Check every claim of the article.

    Parameters
    ----------
    measured : iterable of Measured
        The tables that have results.
    problems : Problems, optional
        Takes the claims whose check fails with an error, which are left out then.

    Returns
    -------
    list of (Claim, Verdict)
    """
    tables = {(table.name, table.split): table for table in measured}
    verdicts = []
    for claim in CLAIMS:
        with nullcontext() if problems is None else problems.confined(f"claim: {claim.text}"):
            verdicts.append((claim, claim.check(tables)))
    return verdicts
