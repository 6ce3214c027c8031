"""Learning: what the flagship's `fit` does once data are checked, wherever their rows are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from fuzzyucs.estimators.experts import ExpertGrowth, ExpertRules, claims_of
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
from fuzzyucs.rules.grammar import Statement
from fuzzyucs.variables.codes import FineTerms
from fuzzyucs.variables.demands import Premises, asked_in_numbers
from fuzzyucs.variables.linguistic import LinguisticPartition
from fuzzyucs.variables.partitioning import Partition, Way

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
    stated: Sequence[Statement] = (),
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
    stated : sequence of Statement
        Experts' rules. In a large table, others grow as if there were none of them.

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
        usual, kept, experts = _usual_terms(clf, data, stated, constraints)
        growths = _growths(clf, everything, data, sample, usual, kept, experts, constraints)
        growth, stages, best = best_path(growths, penalty, clf.n_jobs, bar, saved, watch)
        clf.path_ = size_path(stages)
        last = stages.index(best) + 1
        models = clf.n_models, clf.missing, everything, data.table, experts
        grown = GrownPath(growth, stages[:last], *models)
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


def _usual_terms(
    clf: EvidentialRuleClassifier,
    data: TrainingData,
    stated: Sequence[Statement],
    constraints: Constraints | None,
) -> tuple[LinguisticPartition, Iterable[int], ExpertRules | None]:
    """Return the terms that have words, the features that keep them, and the experts' rules."""
    names = feature_names(clf)
    way: Partition = "quantile" if clf.partition == "auto" else clf.partition
    told = [feature_number(key, names, "partition") for key in _told(way)]
    numbers = asked_in_numbers([statement.conditions for statement in stated])
    if clf.nominal_features == "auto" and numbers:
        # What is more or less than a number has an order, however few values it has.
        ordered = {feature: "quantile" if _told(way) else way for feature in numbers - {*told}}
        way = ordered | dict(_told(way))
    if constraints is not None and constraints.is_monotonic:
        way = with_order(way, names, constraints, clf.columns_)
    usual = LinguisticPartition.of(
        data.table,
        names,
        partition=way,
        otherwise=_otherwise(clf),
        n_terms=clf.n_terms,
        nominal_features=clf.nominal_features,
        columns=clf.columns_,
        groups_rest=True,
        with_borders=False,  # those of merged terms are found later
    )
    kept: Iterable[int] = range(len(names))  # features whose terms a user wants
    if isinstance(clf.n_terms, str) and isinstance(clf.partition, Mapping):
        kept = told
    elif isinstance(clf.n_terms, str) and clf.partition == "auto":
        kept = ()
    if constraints is not None:
        refuse_nominal(constraints, usual.is_nominal.tolist())
    if not stated:
        return usual, kept, None
    premises = Premises.of(stated, usual, data.table, frozenset(told))
    return usual, {*kept, *premises.kept}, ExpertRules(claims_of(stated), premises)


def _told(way: Partition) -> Mapping[Any, Any]:
    """Return the features that a partition mentions."""
    return way if isinstance(way, Mapping) else {}


def _otherwise(clf: EvidentialRuleClassifier) -> Way:
    """Return how to divide features that a mapping does not mention."""
    way = clf.partition
    return "quantile" if isinstance(way, Mapping) or way == "auto" else way


def _growths(
    clf: EvidentialRuleClassifier,
    everything: Any,
    data: TrainingData,
    sample: RowSample | None,
    usual: LinguisticPartition,
    kept: Iterable[int],
    experts: ExpertRules | None,
    constraints: Constraints | None,
) -> Iterator[Growth]:
    """Prepare growth in the terms that the parameters want; few rows may have broad ones, too."""
    n_threads = min(granted_threads(clf.n_jobs), MOST_THREADS)
    settings = SearchSettings(CONDITION_COST, most_conditions(clf), n_threads)
    demands = None if experts is None else experts.premises.demands
    fine = FineTerms(usual, data.table, kept, demands=demands)

    def growth(fine: FineTerms) -> Growth:
        if experts is None:
            return Growth(data, fine, settings, constraints)
        return ExpertGrowth(data, fine, settings, experts, constraints)

    if sample is not None:
        yield LargeGrowth(everything, sample, fine, settings, constraints)
        return
    yield growth(fine)
    if len(data.labels) < MOST_ROWS and not all(map(fine.is_fixed, range(usual.n_features))):
        yield growth(FineTerms(usual, data.table, kept, N_BROAD, demands))
