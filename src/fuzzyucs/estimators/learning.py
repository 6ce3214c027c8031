"""Learning: what the flagship's `fit` does once data are checked, wherever their rows are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzyucs._util.checks import feature_number
from fuzzyucs._util.sklearn_compat import feature_names
from fuzzyucs._util.threads import granted_threads
from fuzzyucs._util.wording import counted
from fuzzyucs.estimators.base_rates import check_base_rates
from fuzzyucs.estimators.checkpoint import Checkpoint, fingerprint
from fuzzyucs.estimators.constraining import (
    constraints_of,
    most_conditions,
    refuse_nominal,
    with_order,
)
from fuzzyucs.estimators.finishing import GrownPath
from fuzzyucs.estimators.gaps import informative_gaps, warn_of_gaps
from fuzzyucs.estimators.growth import Growth
from fuzzyucs.estimators.large_growth import LargeGrowth
from fuzzyucs.estimators.progress import ProgressBar
from fuzzyucs.estimators.resolution import MOST_ROWS, N_BROAD, best_path
from fuzzyucs.estimators.row_sample import N_SAMPLED, RowSample
from fuzzyucs.estimators.searching import SearchSettings, warn_of_partners
from fuzzyucs.estimators.size_report import Watch
from fuzzyucs.estimators.sizes import size_path
from fuzzyucs.estimators.training import TrainingData
from fuzzyucs.estimators.validation import warn_of_light_rows
from fuzzyucs.estimators.weighing import CONDITION_COST
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.variables.codes import FineTerms
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.partitioning import Partition

if TYPE_CHECKING:
    from fuzzyucs.estimators.evidential import EvidentialRuleClassifier

__all__ = ["learn"]

# Parameters without influence on the rules, or, since sets have any order, but by the constraints.
MATTERS_NOT = ("n_jobs", "verbose", "random_state", "interaction_cst", "apart_features")
N_STAGES = 3  # of a fit: sizes in narrow terms, in broad ones, and final rules
MOST_THREADS = 1024  # that the native growth takes


def learn(
    clf: EvidentialRuleClassifier,
    everything: Any,
    checkpoint: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
) -> GrownPath:
    """Find rules and their evidence.

    Of a large table, a sample tells which terms there are, what they tell about each other, which
    penalty is best, and what is novel. Rules grow in all rows, and all rows weigh them.

    Parameters
    ----------
    clf : EvidentialRuleClassifier
        Knows its parameters, classes and columns. It gets everything else that `fit` finds.
    everything : TrainingData or another object with its methods
        All rows, none of which has weight 0.
    checkpoint : path, optional
        File from which the fit of a large table goes on if it was interrupted.
    watch : Watch, optional
        Whom to tell about the search, and who may end it.

    Returns
    -------
    GrownPath
        Rules of all sizes.
    """
    base_rates = check_base_rates(clf.base_rates, clf.classes_)
    constraints = constraints_of(clf)
    sample = everything.sample() if everything.n_rows > N_SAMPLED else None
    data: TrainingData = everything if sample is None else sample.rows
    penalty = None if isinstance(clf.penalty, str) else float(clf.penalty)

    def saved(growth: Growth) -> Checkpoint | None:
        if checkpoint is None or sample is None:
            return None
        return Checkpoint(checkpoint, _belongs_to(clf, everything, sample, growth))

    bar = ProgressBar(detailed=clf.verbose > 1, n_stages=N_STAGES) if clf.verbose else None
    with bar or nullcontext():
        growths = _growths(clf, everything, data, sample, constraints)
        growth, stages, best = best_path(growths, penalty, clf.n_jobs, bar, saved, watch)
        clf.path_ = size_path(stages)
        last = stages.index(best) + 1
        grown = GrownPath(growth, stages[:last], clf.n_models, clf.missing, everything, data.table)
        clf.penalty_ = best.penalty
        if bar:
            bar.begin("Growing final rules")
        rules = grown.finish(clf.max_rules)
        clf.rules_ = rules if base_rates is None else rules.with_base_rates(base_rates)
        clf.form_ = 2
        if constraints is None:
            clf._find_support(data.table)
        else:
            seen = data.table.without(constraints.unused)
            clf._find_support(seen, np.array(constraints.monotonic) != 0)
        if bar:
            bar.show(1, 1, counted(len(rules), "rule", "rules"))
    gaps = informative_gaps(data.table, data.labels, len(clf.classes_))
    clf.informative_gaps_ = [feature_names(clf)[feature] for feature in gaps]
    warn_of_gaps(clf.informative_gaps_, stacklevel=6)  # of the line that calls `fit`
    warn_of_partners(len(growth.usable), growth.settings.max_conditions, stacklevel=6)
    light = float(everything.class_weight.sum()), everything.n_rows
    warn_of_light_rows(len(rules), *light, stacklevel=6)
    if checkpoint is not None and sample is not None:
        Path(checkpoint).unlink(missing_ok=True)  # of no use any more
    return grown


def _belongs_to(
    clf: EvidentialRuleClassifier, everything: Any, sample: RowSample, growth: Growth
) -> str:
    """Return a fingerprint of the data and of all that decides what grows in them."""
    params = clf.get_params(deep=False)
    known = sorted((name, repr(params[name])) for name in params if name not in MATTERS_NOT)
    known.append(("constraints", repr(growth.constraints)))
    features = growth.fine.features
    return fingerprint(
        [
            known,
            clf.classes_.tolist(),
            everything.n_rows,
            sample.rows.hashes,
            *(feature.variable.peaks for feature in features),
            *(feature.shares for feature in features),
        ]
    )


def _growths(
    clf: EvidentialRuleClassifier,
    everything: Any,
    data: TrainingData,
    sample: RowSample | None,
    constraints: Constraints | None,
) -> Iterator[Growth]:
    """Prepare growth in the terms that the parameters want; few rows may have broad ones, too."""
    names = feature_names(clf)
    way: Any = "quantile" if clf.partition == "auto" else clf.partition
    partition: Partition = way
    if constraints is not None and constraints.is_monotonic:
        partition = with_order(partition, names, constraints, clf.columns_)
    usual = LinguisticPartition.of(
        data.table,
        names,
        partition=partition,
        otherwise="quantile" if isinstance(clf.partition, Mapping) else way,
        n_terms=clf.n_terms,
        nominal_features=clf.nominal_features,
        columns=clf.columns_,
        groups_rest=True,
        with_borders=False,  # those of merged terms are found later
    )
    kept: Iterable[int] = range(len(names))  # features whose terms a user wants
    if isinstance(clf.n_terms, str) and isinstance(clf.partition, Mapping):
        kept = [feature_number(key, names, "partition") for key in clf.partition]
    elif isinstance(clf.n_terms, str) and clf.partition == "auto":
        kept = ()
    if constraints is not None:
        refuse_nominal(constraints, usual.is_nominal.tolist())
    n_threads = min(granted_threads(clf.n_jobs), MOST_THREADS)
    settings = SearchSettings(CONDITION_COST, most_conditions(clf), n_threads)
    fine = FineTerms(usual, data.table, kept)
    if sample is not None:
        yield LargeGrowth(everything, sample, fine, settings, constraints)
        return
    yield Growth(data, fine, settings, constraints)
    if len(data.labels) < MOST_ROWS and not all(map(fine.is_fixed, range(len(names)))):
        yield Growth(data, FineTerms(usual, data.table, kept, N_BROAD), settings, constraints)
