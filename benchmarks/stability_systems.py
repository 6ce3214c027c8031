"""The systems whose stability `stability.py` measures, each with the statements that it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from fuzzyucs import EvidentialRuleClassifier
from fuzzyucs.variables.coding import runs
from fuzzyucs.variables.wording import bounds
from overlap import Curves, Statements, evidence_of, profiles_of_shares

__all__ = ["SYSTEMS", "Fitted", "PathRules", "System"]

N_TREES = 1000  # of the forest that paths come from
DEPTH = 2  # of its trees
N_INTERVALS = 10  # between quantiles
LEAST_ROWS = 5  # of a leaf
MOST_ALPHAS = 20  # that are tried when a tree is pruned
DEPENDENT = 1e-6  # share of the variance that must not follow from more frequent paths
DIGITS = 6  # to which borders are compared

Array = NDArray[Any]
Box = dict[int, tuple[float, float]]


@dataclass(frozen=True)
class Fitted:
    """A fitted model, ready to be compared.

    Attributes
    ----------
    probability : callable
        From features to probabilities of classes.
    statements : callable or None
        From features of reference rows to statements.
    curves : callable or None
        From features of reference rows to what each set of features contributes.
    more : dict
        What else belongs in the result.
    """

    probability: Callable[[pd.DataFrame], Array]
    statements: Callable[[pd.DataFrame], Statements] | None = None
    curves: Callable[[pd.DataFrame], Curves] | None = None
    more: dict[str, float] | None = None


@dataclass(frozen=True)
class System:
    """What is compared.

    Attributes
    ----------
    fit : callable
        Called with features, classes, weights of rows, seed and size; returns a `Fitted`.
    treatment : str
        How it was used, for the page.
    package : str
        The package that has it.
    """

    fit: Callable[[pd.DataFrame, Array, Array, int, int], Fitted]
    treatment: str
    package: str


def rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


# The flagship


def _asked(rules: Any, rule: int) -> Iterator[tuple[str, Hashable]]:
    """Yield each condition of a rule in the units of the data."""
    variables = rules.variables
    for feature in rules.asked_features[rule]:
        condition, name = int(rules.conditions[rule, feature]), variables.feature_names[feature]
        if not variables.has_numbers(feature):
            yield name, frozenset(variables.words(feature, condition))
            continue
        found = runs(condition, int(variables.n_terms[feature]))
        limits = [bounds(variables, feature, first, last) for first, last in found]
        yield name, tuple(tuple(v if v is None else rounded(v) for v in pair) for pair in limits)


def _numbers(rules: Any, X: pd.DataFrame) -> Array:
    return np.ascontiguousarray(rules.variables.columns.numbers(X), dtype=float)


def evidential_statements(model: EvidentialRuleClassifier, X: pd.DataFrame) -> Statements:
    rules = model.rules_
    keys = [(frozenset(_asked(rules, r)), rules.label(r)) for r in range(len(rules))]
    holds = rules.variables.holds(rules.conditions, _numbers(rules, X))
    return Statements(keys, holds, rules.profile, rules.evidence)


def evidential_curves(model: EvidentialRuleClassifier, X: pd.DataFrame) -> Curves:
    """Return what rules that ask for the same features say together, by degrees."""
    rules = model.rules_
    positions = rules.variables.positions(_numbers(rules, X))
    shift = rules.freeze().membership(positions) - rules.neutral
    shift *= model.decision.pool(positions).moderation[:, np.newaxis]  # where values are missing
    profile = rules.profile - rules.profile.mean(axis=1, keepdims=True)
    found: dict[Hashable, Array] = {}
    for rule, features in enumerate(rules.asked_features):
        term = frozenset(rules.variables.feature_names[f] for f in features)
        found[term] = found.get(term, 0.0) + shift[:, [rule]] * profile[rule]
    return found


def _evidential(X: pd.DataFrame, y: Array, weight: Array, seed: int, _: int) -> Fitted:
    model = EvidentialRuleClassifier(random_state=seed).fit(X, y, sample_weight=weight)
    return Fitted(
        model.predict_proba,
        lambda reference: evidential_statements(model, reference),
        lambda reference: evidential_curves(model, reference),
        {"penalty": model.penalty_},
    )


# Trees and paths: categories as columns, gaps filled


def _encoder() -> Any:
    """Make a column of each category, missing is one of them; medians replace missing numbers."""
    return make_column_transformer(
        (
            OneHotEncoder(drop="if_binary", handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_include="category"),
        ),
        remainder=SimpleImputer(strategy="median", keep_empty_features=True),
        verbose_feature_names_out=False,
    )


def boxes(tree: Any) -> dict[int, Box]:
    """Return the conditions of all nodes of a tree: low < x <= high for some columns."""
    found: dict[int, Box] = {}
    ahead: list[tuple[int, Box]] = [(0, {})]
    while ahead:
        node, box = ahead.pop()
        found[node] = box
        if tree.children_left[node] < 0:
            continue
        column, border = int(tree.feature[node]), float(tree.threshold[node])
        low, high = box.get(column, (-np.inf, np.inf))
        ahead.append((int(tree.children_left[node]), {**box, column: (low, min(high, border))}))
        ahead.append((int(tree.children_right[node]), {**box, column: (max(low, border), high)}))
    return found


def _key(box: Box, names: Array, favoured: int) -> Hashable:
    limits = ((names[c], rounded(low), rounded(high)) for c, (low, high) in box.items())
    return frozenset(limits), favoured


def leaves(model: DecisionTreeClassifier, names: Array, X: Array, base: Array) -> Statements:
    """Return the leaves of a tree as statements."""
    tree, conditions = model.tree_, boxes(model.tree_)
    nodes = np.flatnonzero(tree.children_left < 0)
    n_inside = tree.weighted_n_node_samples[nodes]
    profile = profiles_of_shares(tree.value[nodes, 0], n_inside, base)
    favoured = profile.argmax(axis=1).tolist()
    keys = [_key(conditions[n], names, c) for n, c in zip(nodes.tolist(), favoured, strict=True)]
    holds = model.apply(X)[:, np.newaxis] == nodes
    evidence = evidence_of(profile, n_inside, tree.weighted_n_node_samples[0])
    return Statements(keys, holds, profile, evidence)


def _fitted_tree(encoder: Any, model: Any, y: Array, weight: Array) -> Fitted:
    names = encoder.get_feature_names_out()
    base = np.bincount(y, weight) / weight.sum()
    return Fitted(
        lambda reference: model.predict_proba(encoder.transform(reference)),
        lambda reference: leaves(model, names, encoder.transform(reference), base),
    )


def minus_brier_score(model: Any, X: Array, y: Array) -> float:
    truth = y[:, np.newaxis] == model.classes_
    return -float(((model.predict_proba(X) - truth) ** 2).sum(axis=1).mean())


def _pruned_tree(X: pd.DataFrame, y: Array, weight: Array, seed: int, _: int) -> Fitted:
    encoder = _encoder()
    table = encoder.fit_transform(X)
    tree = DecisionTreeClassifier(min_samples_leaf=LEAST_ROWS, random_state=seed)
    alphas = tree.cost_complexity_pruning_path(table, y, weight).ccp_alphas
    steps = np.unique(np.linspace(0, len(alphas) - 1, MOST_ALPHAS).astype(int))
    search = GridSearchCV(
        tree,
        {"ccp_alpha": np.unique(np.maximum(alphas[steps], 0.0))},
        scoring=minus_brier_score,
        cv=StratifiedKFold(5, shuffle=True, random_state=seed),
    ).fit(table, y, sample_weight=weight)
    return _fitted_tree(encoder, search.best_estimator_, y, weight)


def _tree_of_size(X: pd.DataFrame, y: Array, weight: Array, seed: int, size: int) -> Fitted:
    encoder = _encoder()
    tree = DecisionTreeClassifier(
        max_leaf_nodes=max(2, size), min_samples_leaf=LEAST_ROWS, random_state=seed
    )
    tree.fit(encoder.fit_transform(X), y, sample_weight=weight)
    return _fitted_tree(encoder, tree, y, weight)


class PathRules(ClassifierMixin, BaseEstimator):
    """The most frequent paths of a forest of small trees, as in SIRUS.

    C. Bénard, G. Biau, S. Da Veiga and E. Scornet, "SIRUS: stable and interpretable rule set for
    classification", Electronic Journal of Statistics 15 (2021). Trees split at quantiles and have
    depth 2; all paths from the root to another node are counted; those that depend linearly
    on more frequent ones are left out; the probability is the mean of what rules say, each of
    which tells the shares of classes where it holds and where it does not. Unlike the authors'
    program, it takes a number of rules instead of a least frequency and several classes.

    Parameters
    ----------
    n_rules : int
        Greatest number of rules.
    random_state : int
        Of the forest.
    n_trees : int
        Number of trees.
    """

    def __init__(self, n_rules: int, random_state: int = 0, n_trees: int = N_TREES) -> None:
        self.n_rules = n_rules
        self.random_state = random_state
        self.n_trees = n_trees

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> PathRules:
        """Find frequent paths in rows of numbers."""
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        borders = [_quantiles(column, weight) for column in X.T]
        codes = np.column_stack([np.searchsorted(b, x) for b, x in zip(borders, X.T, strict=True)])
        forest = RandomForestClassifier(
            self.n_trees,
            max_depth=DEPTH,
            min_samples_leaf=LEAST_ROWS,
            max_features=1 / 3,
            random_state=self.random_state,
        ).fit(codes, y, sample_weight=weight)
        self.classes_ = forest.classes_
        self.frequency_ = Counter(
            tuple(sorted((c, *map(np.floor, limits)) for c, limits in box.items()))
            for tree in forest.estimators_
            for node, box in boxes(tree.tree_).items()
            if node
        )
        self.boxes_ = self._independent(codes, borders)
        holds = self.holds(X)
        truth = (y[:, np.newaxis] == self.classes_) * weight[:, np.newaxis]
        self.base_ = truth.sum(axis=0) / weight.sum()
        self.n_inside_, self.n_rows_ = weight @ holds, weight.sum()
        self.inside_ = holds.T @ truth / np.maximum(self.n_inside_, 1e-9)[:, np.newaxis]
        outside = np.maximum(self.n_rows_ - self.n_inside_, 1e-9)[:, np.newaxis]
        self.outside_ = (~holds).T @ truth / outside
        return self

    def _independent(self, codes: Array, borders: list[Array]) -> list[Box]:
        """Return the most frequent paths, without those that follow from more frequent ones."""
        basis = np.full((len(codes), 1), len(codes) ** -0.5)
        found: list[Box] = []
        for path in sorted(self.frequency_, key=lambda path: (-self.frequency_[path], path)):
            if len(found) == self.n_rules:
                break
            is_in = np.ones(len(codes), dtype=bool)
            for column, low, high in path:
                is_in &= (codes[:, column] > low) & (codes[:, column] <= high)
            rest = is_in.astype(float)
            for _ in range(2):  # once more, against rounding
                rest -= basis @ (basis.T @ rest)
            if (length := rest @ rest) > DEPENDENT * len(codes):
                basis = np.column_stack([basis, rest / np.sqrt(length)])
                found.append({c: _limits(borders[c], low, high) for c, low, high in path})
        return found

    def holds(self, X: Array) -> Array:
        """Tell which rules hold for which rows."""
        result = np.ones((len(X), len(self.boxes_)), dtype=bool)
        for rule, box in enumerate(self.boxes_):
            for column, (low, high) in box.items():
                result[:, rule] &= (X[:, column] > low) & (X[:, column] <= high)
        return result

    def predict_proba(self, X: Array) -> Array:
        """Return the mean of what rules say."""
        if not self.boxes_:
            return np.tile(self.base_, (len(X), 1))
        holds = self.holds(X)
        return (holds @ self.inside_ + ~holds @ self.outside_) / len(self.boxes_)

    def predict(self, X: Array) -> Array:
        """Return the most probable classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _quantiles(x: Array, weight: Array) -> Array:
    """Return values between which splits are possible: all but the last of few, else quantiles."""
    values = np.unique(x)
    if len(values) <= N_INTERVALS:
        return values[:-1]
    repeated = np.repeat(x, weight.astype(int))
    levels = np.arange(1, N_INTERVALS) / N_INTERVALS
    borders = np.unique(np.quantile(repeated, levels, method="inverted_cdf"))
    return borders[borders < values[-1]]


def _limits(borders: Array, low: float, high: float) -> tuple[float, float]:
    """Return limits in the units of the data of limits between codes."""
    return (
        -np.inf if np.isinf(low) else float(borders[int(low)]),
        np.inf if np.isinf(high) else float(borders[int(high)]),
    )


def path_statements(model: PathRules, names: Array, X: Array) -> Statements:
    profile = profiles_of_shares(model.inside_, model.n_inside_, model.base_)
    favoured = profile.argmax(axis=1).tolist()
    keys = [_key(box, names, c) for box, c in zip(model.boxes_, favoured, strict=True)]
    evidence = evidence_of(profile, model.n_inside_, model.n_rows_)
    return Statements(keys, model.holds(X), profile, evidence)


def _paths(X: pd.DataFrame, y: Array, weight: Array, seed: int, size: int) -> Fitted:
    encoder = _encoder()
    model = PathRules(max(1, size), seed).fit(encoder.fit_transform(X), y, weight)
    names = encoder.get_feature_names_out()
    return Fitted(
        lambda reference: model.predict_proba(encoder.transform(reference)),
        lambda reference: path_statements(model, names, encoder.transform(reference)),
    )


def _ebm(X: pd.DataFrame, y: Array, weight: Array, seed: int, _: int) -> Fitted:
    from interpret.glassbox import ExplainableBoostingClassifier

    model = ExplainableBoostingClassifier(random_state=seed, n_jobs=1)
    model.fit(X, y, sample_weight=weight)

    def curves(reference: pd.DataFrame) -> Curves:
        values = model.eval_terms(reference)
        values = values[:, :, np.newaxis] if values.ndim == 2 else values
        if values.shape[2] > 1:
            values = values - values.mean(axis=2, keepdims=True)
        terms = [frozenset(name.split(" & ")) for name in model.term_names_]
        return {term: values[:, t] for t, term in enumerate(terms)}

    return Fitted(model.predict_proba, curves=curves)


ENCODED = "a column for each category, missing numbers replaced by the median"
SYSTEMS: dict[str, System] = {
    "Evidential": System(
        _evidential, "defaults; statements are its rules, evidence as `rules_.evidence`", "fuzzyucs"
    ),
    "Tree, pruned": System(
        _pruned_tree,
        f"scikit-learn's tree, leaves of at least {LEAST_ROWS} rows, pruned (`ccp_alpha`) by the "
        f"Brier score in five folds; {ENCODED}; statements are leaves",
        "scikit-learn",
    ),
    "Tree, same size": System(
        _tree_of_size,
        "the same tree with as many leaves as the flagship has rules in the same pair "
        "(`max_leaf_nodes`), not pruned",
        "scikit-learn",
    ),
    "Paths (SIRUS)": System(
        _paths,
        f"the most frequent paths of {N_TREES:,} trees of depth {DEPTH} grown on deciles, as many "
        f"as the flagship has rules; {ENCODED}. A compact program of our own after Bénard et al. "
        "(2021), not theirs",
        "scikit-learn",
    ),
    "EBM": System(_ebm, "interpret's, defaults; curves instead of statements", "interpret-core"),
}
