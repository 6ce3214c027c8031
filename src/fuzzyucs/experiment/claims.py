"""The claims of the article, and a check of each against our runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import product

import pandas as pd

from fuzzyucs.experiment.layout import count_marks
from fuzzyucs.experiment.measured import Measured
from fuzzyucs.experiment.problems import Problems
from fuzzyucs.experiment.statistics import FEWEST_PAIRS, SIGNIFICANT, Comparison, signed_rank
from fuzzyucs.experiment.tables import TABLES

__all__ = ["CLAIMS", "Claim", "Results", "Verdict", "check_claims"]

DATA = {"train": "training", "test": "test"}


class Results:
    """What claims are checked against: tables by name and split, and seconds.

    Parameters
    ----------
    measured : iterable of Measured
        Tables of one set of runs.
    seconds : DataFrame, optional
        CPU seconds of a run, as `runtime` returns them.
    """

    def __init__(self, measured: Iterable[Measured], seconds: pd.DataFrame | None = None) -> None:
        self._tables = {(table.name, table.split): table for table in measured}
        self.seconds = seconds

    def table(self, name: str, split: str) -> Measured | None:
        """Return a table, None if there are no runs of it."""
        return self._tables.get((name, split))


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
        Takes the `Results`, and returns a `Verdict`.
    """

    text: str
    check: Callable[[Results], Verdict]


def _both(results: Results, name: str, split: str) -> tuple[Comparison, Comparison] | None:
    measured = results.table(name, split)
    if measured is None:
        return None
    ours, theirs = measured.comparison, measured.published_comparison
    return None if ours is None or theirs is None else (ours, theirs)


def _has_rank(name: str, split: str, system: str, rank: str) -> Callable[[Results], Verdict]:
    """Check that a system has the first or the last rank."""

    def check(results: Results) -> Verdict:
        found = _both(results, name, split)
        if found is None or any(system not in side.ranks for side in found):
            return Verdict(None)
        ours, theirs = found
        extreme = min(ours.ranks) if rank == "first" else max(ours.ranks)
        held = bool(ours.ranks[system] == extreme)
        return Verdict(held, f"{ours.ranks[system]:.2f}", f"{theirs.ranks[system]:.2f}")

    return check


def _differs(
    name: str, split: str, system: str, *, corrected: bool, expected: bool = True
) -> Callable[[Results], Verdict]:
    """Check that the reference is significantly better, or, if not expected, no different."""

    def check(results: Results) -> Verdict:
        found = _both(results, name, split)
        if found is None or any(system not in side.p for side in found):
            return Verdict(None)
        ours = found[0]
        if ours.n_datasets < FEWEST_PAIRS:
            return Verdict(None)
        values = [(side.p_holm if corrected else side.p)[system] for side in found]
        better = ours.ranks[ours.reference] < ours.ranks[system]
        held = values[0] < SIGNIFICANT and better if expected else values[0] >= SIGNIFICANT
        return Verdict(bool(held), *(f"p = {value:.3g}" for value in values))

    return check


def _pair(name: str, split: str, better: str, worse: str) -> Callable[[Results], Verdict]:
    """Check that one column is significantly better than another over the data sets."""

    def check(results: Results) -> Verdict:
        measured = results.table(name, split)
        if measured is None or measured.published is None:
            return Verdict(None)
        texts, helds = [], []
        for side in (measured.mean, measured.published):
            means = side.reindex(columns=[better, worse]).dropna()
            if len(means) < FEWEST_PAIRS:
                return Verdict(None)
            p = signed_rank(means[better], means[worse])
            gain = (means[better] - means[worse]).mean()
            helds.append(p < SIGNIFICANT and gain > 0)
            texts.append(f"{gain:+.2f} points, p = {p:.3g}")
        return Verdict(bool(helds[0]), *texts)

    return check


def _test_exceeds_training(name: str, *, expected: bool) -> Callable[[Results], Verdict]:
    """Check whether a mean is significantly greater on test data than on training data."""

    def check(results: Results) -> Verdict:
        measured = results.table(name, "both")
        if measured is None or measured.published is None:
            return Verdict(None)
        means = measured.mean.dropna()
        if len(means) < (FEWEST_PAIRS if expected else 1):
            return Verdict(None)
        p = [signed_rank(side["Test"], side["Training"]) for side in (means, measured.published)]
        greater = (means["Test"] > means["Training"]).mean() > 0.5
        held = bool(greater and (p[0] < SIGNIFICANT or not expected))
        return Verdict(held, *(f"p = {value:.3g}" for value in p))

    return check


def _marks(results: Results, name: str, split: str) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Return our marks and the published ones, None if there are too few runs for any."""
    measured = results.table(name, split)
    if measured is None or measured.published_marks is None:
        return None
    if measured.n_runs.to_numpy().min() < FEWEST_PAIRS:
        return None
    return measured.marks, measured.published_marks


def _more_often_better(name: str, split: str, system: str) -> Callable[[Results], Verdict]:
    """Check that a system is better than the reference on more data sets than it is worse."""

    def check(results: Results) -> Verdict:
        found = _marks(results, name, split)
        if found is None or system not in found[0]:
            return Verdict(None)
        counts = [count_marks(side[system]) for side in found]
        held = counts[0][0] > counts[0][1]
        return Verdict(held, *(f"better on {n[0]}, worse on {n[1]}" for n in counts))

    return check


def _no_mark(mark: str, parts: Sequence[tuple[str, str]]) -> Callable[[Results], Verdict]:
    """Check that no data set of these tables and splits has a mark."""

    def check(results: Results) -> Verdict:
        texts: list[list[str]] = [[], []]
        for name, split in parts:
            found = _marks(results, name, split)
            if found is None:
                return Verdict(None)
            for side, places in zip(found, texts, strict=True):
                places += [
                    f"{system} on {dataset} at {TABLES[name].epochs} epochs"
                    for system in side
                    for dataset in side.index[side[system] == mark]
                ]
        return Verdict(not texts[0], *("; ".join(places) or "none" for places in texts))

    return check


def _marked(name: str, mark: str, expected: Sequence[str]) -> Callable[[Results], Verdict]:
    """Check that test data have a mark against training data on these data sets, at least."""

    def check(results: Results) -> Verdict:
        found = _marks(results, name, "both")
        if found is None or not set(expected) <= set(found[0].index):
            return Verdict(None)
        sets = [list(side.index[side["Test"] == mark]) for side in found]
        texts = [f"{len(names)}: {', '.join(names)}" if names else "none" for names in sets]
        return Verdict(set(expected) <= set(sets[0]), *texts)

    return check


def _lowest_only_on(expected: Sequence[str]) -> Callable[[Results], Verdict]:
    """Check that Dempster-Shafer inference has the lowest F1 on no others than these, at 10."""

    def check(results: Results) -> Verdict:
        texts: list[list[str]] = [[], []]
        for epochs, split in product((10, 50), DATA):
            measured = results.table(f"f1_{epochs}", split)
            if measured is None or measured.published is None or "DS" not in measured.mean:
                return Verdict(None)
            for side, places in zip((measured.mean, measured.published), texts, strict=True):
                known = side.dropna()
                lowest = known["DS"].eq(known.min(axis=1)) & known["DS"].lt(known.max(axis=1))
                places += [f"{name} at {epochs}" for name in known.index[lowest]]
        found = [list(dict.fromkeys(places)) for places in texts]
        held = set(found[0]) <= {f"{name} at 10" for name in expected}
        return Verdict(held, *(", ".join(places) or "none" for places in found))

    return check


def _takes_longer(epochs: int, low: float, high: float) -> Callable[[Results], Verdict]:
    """Check how many times longer Dempster-Shafer inference takes than the other two schemes."""

    def check(results: Results) -> Verdict:
        seconds = _seconds(results, epochs, ("VOTE", "SWIN", "DS"))
        if seconds is None:
            return Verdict(None)
        ratios = [seconds.loc["DS"] / seconds.loc[name] for name in ("VOTE", "SWIN")]
        held = all(low <= ratio["ours"] <= high for ratio in ratios)
        texts = (" and ".join(f"{r[side]:.2f}" for r in ratios) for side in ("ours", "published"))
        return Verdict(held, *texts)

    return check


def _is_fastest(epochs: int, system: str) -> Callable[[Results], Verdict]:
    """Check that a system takes the least time."""

    def check(results: Results) -> Verdict:
        seconds = _seconds(results, epochs, ("UCS", "VOTE", "SWIN", "DS"))
        if seconds is None:
            return Verdict(None)
        others = seconds.drop(index=system).min() / seconds.loc[system]
        texts = (f"others {others[side]:.2f} times as long or longer" for side in others.index)
        return Verdict(bool(others["ours"] > 1), *texts)

    return check


def _seconds(results: Results, epochs: int, systems: Sequence[str]) -> pd.DataFrame | None:
    """Return our and the published seconds of systems, None if some have not been run."""
    if results.seconds is None:
        return None
    rows = results.seconds[results.seconds["epochs"] == epochs].set_index("system")
    if not set(systems) <= set(rows.index):
        return None
    return rows.loc[list(systems), ["ours", "published"]]


CLAIMS = [
    *(
        Claim(
            f"DS ranks first in {DATA[split]} {metric} at {epochs} epochs",
            _has_rank(f"{name}_{epochs}", split, "DS", "first"),
        )
        for metric, name in (("macro F1", "f1"), ("accuracy", "acc"))
        for epochs in (10, 50)
        for split in ("train", "test")
    ),
    *(
        Claim(
            f"UCS ranks last in {DATA[split]} macro F1 at 10 epochs",
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
    Claim(
        "UCS is significantly better than DS in training macro F1 on more data sets (16) than it "
        "is worse (10) at 50 epochs",
        _more_often_better("f1_50", "train", "UCS"),
    ),
    Claim(
        "DS has the lowest macro F1 on no data set but smk and tit at 10 epochs",
        _lowest_only_on(("smk", "tit")),
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
    Claim(
        '"I don\'t know" is significantly greater on test data on can, hrt, hpt, hcl, lnd, pha and '
        "wpb at 50 epochs",
        _marked("idk_50", "-", ("can", "hrt", "hpt", "hcl", "lnd", "pha", "wpb")),
    ),
    Claim(
        '"I don\'t know" is significantly smaller on test data on no data set at 10 and 50 epochs',
        _no_mark("+", [("idk_10", "both"), ("idk_50", "both")]),
    ),
    *(
        Claim(
            f"DS takes about 1.5 to 2 times as long as VOTE and SWIN at {epochs} epochs "
            "(accepted: 1.25 to 2.5)",
            _takes_longer(epochs, 1.25, 2.5),
        )
        for epochs in (10, 50)
    ),
    *(
        Claim(f"UCS takes the least time at {epochs} epochs", _is_fastest(epochs, "UCS"))
        for epochs in (10, 50)
    ),
    *(
        Claim(
            f"{system} ranks {rank} in {DATA[split]} accuracy on artificial problems "
            f"at {epochs} epochs",
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
    Claim(
        "No system is significantly better than DS in test accuracy on a larger data set",
        _no_mark("+", [("large_10", "test"), ("large_50", "test")]),
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
    measured: Iterable[Measured],
    problems: Problems | None = None,
    seconds: pd.DataFrame | None = None,
) -> list[tuple[Claim, Verdict]]:
    """Check every claim of the article.

    Parameters
    ----------
    measured : iterable of Measured
        The tables that have results, of one set of runs.
    problems : Problems, optional
        Takes the claims whose check fails with an error, which are left out then.
    seconds : DataFrame, optional
        CPU seconds of a run, as `runtime` returns them.

    Returns
    -------
    list of (Claim, Verdict)
    """
    results = Results(measured, seconds)
    verdicts = []
    for claim in CLAIMS:
        with nullcontext() if problems is None else problems.confined(f"claim: {claim.text}"):
            verdicts.append((claim, claim.check(results)))
    return verdicts
