"""Prediction in NumPy alone: this file and a model that was saved are all it takes.

It computes what the library computes, without the native engine and without scikit-learn, so that
it can be copied beside a model to where neither is installed::

    from numpy_model import NumpyModel

    model = NumpyModel.load("model.json")  # written by clf.save("model.json")
    model.predict(rows)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Beliefs", "NumpyModel", "evaluation_data"]

FORMAT = "fuzzyucs model"  # what clf.save writes
DESCRIPTION = "fuzzyucs description"  # what evaluation_data makes of it
VERSIONS = {FORMAT: 2, DESCRIPTION: 2}  # the newest that this file knows

# The estimators, and those of their parameters that matter here. A document that does not name a
# parameter means its default.
PARAMETERS = {
    "FuzzyUCSClassifier": {
        "inference": "ds",
        "inference_experience": 10,
        "calibrate": False,
        "support": None,
        "as_published": False,
    },
    "UCSClassifier": {
        "inference": "vote",
        "inference_experience": -1,
        "calibrate": False,
        "support": None,
    },
    "EvidentialRuleClassifier": {
        "inference": "profile",  # the older form: "weighted"
        "inference_experience": -1,
        "calibrate": False,
        "support": "auto",
    },
}

# Between which values verdicts change, beside the least probability of an answer, which each model
# has its own of; they belong to the format.
MOST_IGNORANCE = 0.5  # of an answer, and of "torn"
LEAST_CONTRADICTION = 0.5  # of "torn"
VERDICTS = ("answer", "torn", "unknown")
REASONS = ("", "contradiction", "novelty", "missing", "evidence", "undecided")

NO_EVIDENCE = 2.0  # in log-odds: makes half of the greatest contradiction if it cancels out
GREATEST_LOG = 700.0  # whose exponential is finite; more is possible of base rate 0 alone
ROUNDING = 1e-12  # a rule that matches so little more than expected says nothing

# Constants of novelty; they belong to the format.
ORDINARY = 0.03  # mean novelty of records like those of the training data
EXPONENT = 1 / (1 / ORDINARY - 1)
OUTSIDE = 40.0  # surprise of a value that lies a whole range outside the range
FURTHEST = 1e6  # ranges outside; more makes no difference
CHANGED = 0.5  # least distance, in ranges, of a feature that used to be constant
NARROWEST = 1e-12  # area of a term, in ranges

# Constants of conditions and forests; they belong to the format, too.
MOST_BITS = 64  # terms of which any set is a condition; of more, runs are
MOST_GROUPS = 64  # of neighbouring terms, whose pairs are counted

MOST_NUMBERS = 4_000_000  # held in an array at a time
TINY = float(np.finfo(float).tiny)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Beliefs(NamedTuple):
    """Evidence about records, with the meanings and shapes of `fuzzyucs.Evidence`.

    What follows from base rates is None for models without them: ``probability`` (which is
    ``belief + base_rates * ignorance``), ``base_rates``, ``contradiction``, ``verdict`` ("answer",
    "torn" or "unknown") and ``reason`` (why it is no answer). ``novelty`` is None for models
    without a support.
    """

    mass: Array
    ignorance: Array
    weak_evidence: Array
    novelty: Array | None
    probability: Array | None = None
    base_rates: Array | None = None
    contradiction: Array | None = None
    verdict: NDArray[np.str_] | None = None
    reason: NDArray[np.str_] | None = None

    def __repr__(self) -> str:
        n_inputs, n_classes = self.mass.shape
        mean = f", mean ignorance {self.ignorance.mean():.3g}" if n_inputs else ""
        return f"<Beliefs: {n_inputs:,} inputs, {n_classes} classes{mean}>"

    @property
    def belief(self) -> Array:
        """Belief in each class: another name of its mass."""
        return self.mass


class NumpyModel:
    """A fitted classifier that predicts with NumPy alone.

    Answers are those of the estimator up to rounding of sums; classes that tie are chosen by the
    same pseudorandom draw. Categories are numbers here: their indices in the ``labels`` of their
    feature. So are dates (seconds since the beginning of 1970, of UTC if the training data had a
    time zone) and durations (seconds).

    Parameters
    ----------
    document : dict
        What ``clf.save`` writes, or what `evaluation_data` or `fuzzyucs.report.model.model_data`
        return, as Python's json module reads it. It is trusted; `fuzzyucs.load` checks files that
        come from elsewhere. Keys that this class does not need are ignored.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels. Those of a saved model have the type that they had in the estimator; those of
        a description are texts.
    feature_names : list of str
        Names of the columns.
    features : list of dict
        Features; ``labels`` of those that hold categories, and ``time`` of those that hold dates or
        durations: a dict of ``kind`` ("date" or "duration"), ``unit`` and ``zone``.
    base_rates : ndarray of shape (n_classes,) or None
        How probable classes are without evidence, if the model has base rates.
    form : int or None
        Form of an `EvidentialRuleClassifier`: 2, 1 of a model that version 0.1.0 saved, or 3 of a
        fused model.

    Raises
    ------
    ValueError
        If it is something else, or has a newer version of the format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import EvidentialRuleClassifier
    >>> from fuzzyucs.deployment.numpy_model import NumpyModel
    >>> iris = load_iris()
    >>> X, y = iris.data, iris.target_names[iris.target]
    >>> clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = NumpyModel.load(clf.save(Path(folder) / "model.json"))
    >>> model.predict(X[:2])
    array(['setosa', 'setosa'], dtype='<U10')
    >>> bool(abs(model.predict_proba(X) - clf.predict_proba(X)).max() < 1e-9)
    True
    >>> strange = model.predict_evidence([[5.1, 35.0, 1.4, 0.2]])
    >>> strange.novelty.round(2), strange.verdict, strange.reason
    (array([1.]), array(['unknown'], dtype='<U7'), array(['novelty'], dtype='<U13'))
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        is_saved = _format(document) == FORMAT
        data = evaluation_data(document) if is_saved else document
        self.classes = _labels(document) if is_saved else np.array(data["classes"])
        self.scheme: str = data["scheme"]
        if self.scheme == "swin" and not data["rules"]:
            self.scheme = "vote"  # without rules both leave all classes tied
        self.seed = int(data["seed"])
        self.features: list[dict[str, Any]] = data["features"]
        self.feature_names = [feature["name"] for feature in self.features]
        # What conditions of rules are about: the features, or of a fused model views of them.
        views = data.get("views")
        self.variables: list[dict[str, Any]] = self.features if views is None else views
        self.feature_of_view: list[int] = [
            view.get("feature", number) for number, view in enumerate(self.variables)
        ]
        self.form: int | None = data.get("form")
        self.is_weighted = self.scheme == "weighted"
        self.is_profiled = self.scheme == "profile"
        self.base_rates: Array | None = None
        if self.is_profiled:
            self.base_rates = np.array(data["base_rates"], dtype=float)
            self.answer_threshold = float(data["answer_threshold"])
        self.moderates = bool(data.get("moderates", True))
        self.prior = np.array(data["prior"] if self.is_weighted else [], dtype=float)
        is_tempered = data["temperature"] is not None
        self.temperature = float(data["temperature"]) if is_tempered else 1.0
        self.discount = float(data["discount"]) if is_tempered else 0.0
        self.forest = None if data["forest"] is None else Forest(data["forest"])
        self.support = None if data["support"] is None else Support(data["support"])
        self.n_rules = len(data["rules"])
        self.rules = Rules(data["rules"], self.variables, len(self.classes))

    def __repr__(self) -> str:
        n_features, n_classes = len(self.features), len(self.classes)
        return f"<NumpyModel: {self.n_rules} rules, {n_features} features, {n_classes} classes>"

    @classmethod
    def load(cls, path: str | PathLike[str]) -> NumpyModel:
        """Read a model from a file that ``clf.save`` wrote.

        Parameters
        ----------
        path : path
            The file, ``model.json`` for example.

        Returns
        -------
        NumpyModel

        Raises
        ------
        ValueError
            If the file holds something else, or a newer version of the format.
        """
        content = Path(path).read_bytes()
        try:
            return cls(json.loads(content.decode("utf-8")))
        except (LookupError, RecursionError, TypeError, ValueError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else error
            raise ValueError(
                f"{fspath(path)} is no model file that can be read: {reason}"
            ) from error

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Classify.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; a category is its index among the ``labels`` of its feature. NaN is a
            missing value.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        if self.is_profiled:
            indices = self.predict_proba(X).argmax(axis=1)
        else:
            (indices,) = self._each(X, lambda rows: (self._decide(_Matched(self, rows)),))
        labels: NDArray[Any] = self.classes[indices]
        return labels

    def predict_proba(self, X: ArrayLike) -> Array:
        """Estimate the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; a category is its index among the ``labels`` of its feature. NaN is a
            missing value.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities that sum to 1, classes in the order of `classes`.
        """
        if self.is_profiled:
            probability = self.predict_evidence(X).probability
            assert probability is not None
            return probability
        (found,) = self._each(X, lambda rows: (self._probabilities(_Matched(self, rows)),))
        return found

    def predict_evidence(self, X: ArrayLike) -> Beliefs:
        """Tell what the rules say about each class, and what they leave undecided.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; a category is its index among the ``labels`` of its feature. NaN is a
            missing value.

        Returns
        -------
        Beliefs
            ``mass``, ``ignorance``, ``weak_evidence``, ``novelty`` if the model has a support, and
            if it has base rates ``probability``, ``base_rates``, ``contradiction``, ``verdict``
            and ``reason``.
        """
        if self.is_profiled:
            return self._judged(X)
        mass, weak = self._each(X, lambda rows: self._masses(_Matched(self, rows)))
        return self._discounted(X, mass, weak)

    def _discounted(self, X: ArrayLike, mass: Array, weak: Array) -> Beliefs:
        """Take back as much of the evidence as records are novel."""
        support = self.support
        if support is None:
            return Beliefs(mass, weak, weak, None)
        (novelty,) = self._each(X, lambda rows: (support.novelty(rows),))
        # Where probabilities follow from what is left, slightly unusual records keep nearly all.
        taken = novelty**2 if self.is_profiled else novelty
        kept = 1 - taken
        return Beliefs(mass * kept[:, np.newaxis], taken + kept * weak, weak, novelty)

    def _judged(self, X: ArrayLike) -> Beliefs:
        """Return evidence that base rates turn into probabilities, and what it amounts to."""
        assert self.base_rates is not None
        mass, weak, contradiction, n_missing = self._each(
            X, lambda rows: self._pooled(_Matched(self, rows))
        )
        found = self._discounted(X, mass, weak)
        probability = found.mass + self.base_rates * found.ignorance[:, np.newaxis]
        verdict, reason = judge(
            probability.max(axis=1),
            found.ignorance,
            contradiction,
            np.zeros(len(mass)) if found.novelty is None else found.novelty**2,
            n_missing,
            self.answer_threshold,
        )
        return Beliefs(*found[:4], probability, self.base_rates, contradiction, verdict, reason)

    def _pooled(self, matched: _Matched) -> tuple[Array, Array, Array, Indices]:
        """Return masses, ignorance, contradiction and numbers of missing values, before novelty."""
        assert self.base_rates is not None
        with np.errstate(divide="ignore"):
            log_rates = np.log(self.base_rates)[:, np.newaxis]
        contradiction, moderation = matched.compared(log_rates + matched.scores)
        if not self.moderates:
            moderation = np.ones_like(moderation)
        scores, rates = matched.scores * moderation, self.base_rates[:, np.newaxis]
        best = (log_rates + scores).argmax(axis=0)
        top = scores[best, np.arange(len(best))]
        # Base rates as they are, and not from logarithms: without evidence, probabilities are they.
        odds = rates * np.exp(np.minimum(scores - top, GREATEST_LOG))
        total = odds.sum(axis=0) / rates.sum(axis=0)
        ignorance = np.minimum(np.exp(matched.least * moderation - top) / total, 1.0)
        mass = np.maximum(odds / total - rates * ignorance, 0.0).T
        return mass, ignorance, contradiction, matched.n_missing

    def _each(
        self, X: ArrayLike, work: Callable[[Array], tuple[NDArray[Any], ...]]
    ) -> list[NDArray[Any]]:
        """Work on as many rows at a time as memory can be expected to hold."""
        try:
            rows = np.asarray(X, dtype=float)
        except ValueError as error:
            raise ValueError(
                f"X must hold numbers, and the indices of categories instead of them: {error}"
            ) from error
        if rows.ndim != 2 or rows.shape[1] != len(self.features):
            raise ValueError(
                f"X must have the shape (n_samples, {len(self.features)}), got {rows.shape}"
            )
        if np.isinf(rows).any():
            raise ValueError("X contains infinity")
        step = max(1, MOST_NUMBERS // max(1, self.rules.weights.size))
        parts = [work(rows[i : i + step]) for i in range(0, max(1, len(rows)), step)]
        return [np.concatenate(part) for part in zip(*parts, strict=True)]

    def _decide(self, matched: _Matched) -> Indices:
        """Return the indices of the predicted classes."""
        if self.is_weighted:
            best: Indices = self._probabilities(matched).argmax(axis=1)
            return best
        if self.scheme == "swin":
            winner = self._winners(matched)
            drawn = self._draw_best(np.zeros((len(matched.rows), len(self.classes))), matched)
            return np.where(winner >= 0, self.rules.consequent[winner], drawn)
        scores = self._votes(matched) if self.scheme == "vote" else matched.logs(None)[:-1].T
        return self._draw_best(scores, matched)

    def _draw_best(self, scores: Array, matched: _Matched) -> Indices:
        """Return the class with the greatest score, drawn from those that tie."""
        is_best = scores == scores.max(axis=1, keepdims=True)
        best: Indices = is_best.argmax(axis=1)
        for row in np.flatnonzero(is_best.sum(axis=1) > 1).tolist():
            tied = np.flatnonzero(is_best[row])
            best[row] = tied[draw(self.seed, matched.positions[row], len(tied))]
        return best

    def _probabilities(self, matched: _Matched) -> Array:
        n_classes = len(self.classes)
        if self.is_weighted:
            return softmax(matched.logs(softmax(self.prior))[:-1].T + self.prior)
        if self.scheme == "vote":
            return vote_shares(self._votes(matched))
        if self.scheme == "ds":
            mass, ignorance = self._masses(matched)
            return mass + ignorance[:, np.newaxis] / n_classes
        winner = self._winners(matched)
        columns = np.arange(len(winner))
        degree = np.where(winner >= 0, matched.believed[winner, columns], 0.0)[:, np.newaxis]
        return self.rules.weights[winner] * degree + (1 - degree) / n_classes

    def _masses(self, matched: _Matched) -> tuple[Array, Array]:
        """Return the masses of the classes, and the ignorance that remains."""
        logs = matched.logs(None) / self.temperature
        greatest = logs[:-1].max(axis=0)
        is_possible = greatest > -np.inf
        commonality = np.exp(logs - np.where(is_possible, greatest, 0.0))
        theta = np.where(is_possible, commonality[-1], 1.0)
        mass = np.maximum(commonality[:-1] - theta, 0.0)
        whole = mass.sum(axis=0) + theta
        kept = 1 - self.discount
        return (mass / whole).T * kept, self.discount + kept * theta / whole

    def _votes(self, matched: _Matched) -> Array:
        rules = self.rules
        votes = matched.believed * (rules.fitness * rules.strength)[:, np.newaxis]
        classes = range(len(self.classes))
        # Rules are added one after the other, as the library does, so that equal votes tie.
        return np.stack([votes[rules.consequent == c].sum(axis=0) for c in classes], axis=1)

    def _winners(self, matched: _Matched) -> Indices:
        """Return the rule that decides alone, -1 where none matches."""
        rules = self.rules
        scores = matched.believed * rules.fitness[:, np.newaxis]
        scores = np.where(matched.degree > 0, scores, -np.inf)
        is_best = scores == scores.max(axis=0)
        winner = is_best.argmax(axis=0)
        for row in np.flatnonzero(is_best.sum(axis=0) > 1).tolist():
            tied = np.flatnonzero(is_best[:, row])
            _, first = np.unique(rules.consequent[tied], return_index=True)
            if len(first) > 1:
                drawn = draw(self.seed, matched.positions[row], len(first))
                winner[row] = tied[np.sort(first)[drawn]]
        return np.where((matched.degree > 0).any(axis=0), winner, -1)


def evaluation_data(document: Mapping[str, Any]) -> dict[str, Any]:
    """Derive from a saved model what its evaluation needs.

    Parameters
    ----------
    document : dict
        What ``clf.save`` writes, as Python's json module reads it.

    Returns
    -------
    dict
        ``format`` and ``version`` of this description; ``scheme`` ("ds", "vote", "swin",
        "weighted" or "profile"), ``form`` (of an `EvidentialRuleClassifier`: 2, 1 of the older
        form, or 3 of a fused model; else None), ``seed`` (a string), ``classes`` (as text),
        ``features``, ``views`` (of a fused model: what conditions are about, each with the index of
        its ``feature``; else None), ``sources`` (of a fused model), ``rules`` (those
        that decide, with their conditions in ``if``; with their ``profile``, ``neutral``,
        ``dependence`` and ``applies``, or else with their ``strength`` and ``ignorance``),
        ``base_rates``, ``class_rows``, ``answer_threshold``, ``prior``, ``temperature``,
        ``discount``, ``forest`` and ``support``, each None if the model has none, and
        ``moderates``: whether missing values make evidence count less than once.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyucs import UCSClassifier
    >>> from fuzzyucs.deployment.numpy_model import evaluation_data
    >>> clf = UCSClassifier(epochs=1, random_state=0).fit(*load_iris(return_X_y=True))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     document = json.loads(clf.save(Path(folder) / "model.json").read_text())
    >>> data = evaluation_data(document)
    >>> data["scheme"], data["classes"], len(data["rules"]) == len(document["rule_set"]["rules"])
    ('vote', ['0', '1', '2'], True)
    """
    if _format(document) != FORMAT:
        raise ValueError(f'expected an object with "format": "{FORMAT}", as clf.save writes it')
    parameters = _parameters(document)
    form = document["rule_set"].get("form", 1) if _has_forms(document) else None
    if form == 1:
        parameters["inference"] = "weighted"
    is_fitted = parameters["inference"] in ("weighted", "profile")  # its evidence is, to the data
    rule_set = _deciding_rule_set(document, is_fitted)
    variables = rule_set["variables"]
    features = _features(document, variables)
    views = _views(features, variables)
    asked = features if views is None else views
    tempering = _tempering(document) if parameters["calibrate"] and not is_fitted else {}
    least = -1 if is_fitted else parameters["inference_experience"]
    doubt = rule_set.get("doubt", 0.0)
    rules = [_rule(rule, asked, doubt) for rule in rule_set["rules"] if rule["experience"] > least]
    return {
        "format": DESCRIPTION,
        "version": VERSIONS[DESCRIPTION],
        "scheme": parameters["inference"],
        "form": form,
        "seed": "0" if form else document["learner"]["seed"],
        "classes": [str(label) for label in _labels(document)],
        "features": features,
        "views": views,
        "rules": _dependent(rules, asked, variables),
        "sources": rule_set.get("sources"),
        "is_recounted": rule_set.get("is_recounted", False),
        "base_rates": rule_set.get("base_rates"),
        "class_rows": rule_set.get("class_rows"),
        "answer_threshold": rule_set.get("answer_threshold"),
        "moderates": not any(rule_set.get("constraints", {}).get("monotonic", ())),
        "prior": rule_set.get("prior"),
        "temperature": tempering.get("temperature"),
        "discount": tempering.get("discount"),
        "forest": variables["beliefs"]["forest"] if "beliefs" in variables else None,
        "support": None if parameters["support"] is None else _support(document),
    }


def _format(document: Any) -> str:
    """Return the format of a document, which has to be known."""
    found = document.get("format") if isinstance(document, Mapping) else None
    if not isinstance(found, str) or found not in VERSIONS:
        raise ValueError(f'expected an object with "format": "{FORMAT}", as clf.save writes it')
    version, newest = document.get("version"), VERSIONS[found]
    if type(version) is not int or version < 1:
        raise ValueError(f"version must be a whole number from 1 on, got {version!r}")
    if version > newest:
        raise ValueError(
            f"version {version} of the format is newer than this numpy_model.py, which knows "
            f"versions up to {newest}; copy that of a newer fuzzyucs"
        )
    return found


def _parameters(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that matter, with defaults for those that the document lacks."""
    estimator = document["estimator"]
    if estimator not in PARAMETERS:
        raise ValueError(f"estimator must be one of {list(PARAMETERS)}, got {estimator!r}")
    defaults = PARAMETERS[estimator]
    found = {name: document["parameters"].get(name, default) for name, default in defaults.items()}
    if found.get("as_published") and found["inference"] != "weighted":
        raise ValueError(
            "as_published=True decides as the article's program does, which the classifier alone "
            "can do; set_params(as_published=False) decides exactly"
        )
    return found


def _has_forms(document: Mapping[str, Any]) -> bool:
    """Tell whether models of this estimator have a form."""
    return bool(PARAMETERS[document["estimator"]]["inference"] == "profile")


def _deciding_rule_set(document: Mapping[str, Any], is_fitted: bool) -> dict[str, Any]:
    """Return the rules that decide, with variables."""
    rule_set = document["rule_set"]
    if not is_fitted or _has_forms(document):
        return {**rule_set}
    if "weighted_rule_set" not in document:
        raise ValueError("inference='weighted' needs a weighted_rule_set, which is absent")
    return {"variables": rule_set["variables"], **document["weighted_rule_set"]}


def _tempering(document: Mapping[str, Any]) -> dict[str, float]:
    if "tempering" not in document:
        raise ValueError("calibrate=True needs a tempering, which is absent")
    return {**document["tempering"]}


def _labels(document: Mapping[str, Any]) -> NDArray[Any]:
    """Return the class labels in the type that they had in the estimator."""
    classes = document["classes"]
    return np.array(classes["labels"], dtype=classes["dtype"])


def _features(document: Mapping[str, Any], variables: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Describe how values of each feature become positions."""
    names = document.get("feature_names", [f"x{i}" for i in range(document["n_features"])])
    found: list[dict[str, Any]] = [
        {"name": name} | _feature(known)
        for name, known in zip(names, variables["features"], strict=True)
    ]
    for column in document["columns"]:
        if "time" in column:
            found[column["feature"]]["time"] = column["time"]
        else:
            found[column["feature"]]["labels"] = [str(label) for label in column["labels"]]
    if "beliefs" in variables and "views" not in variables:
        for feature, believed in zip(found, variables["beliefs"]["is_believed"], strict=True):
            feature["believed"] = believed
    return found


def _views(
    features: Sequence[Mapping[str, Any]], variables: Mapping[str, Any]
) -> list[dict[str, Any]] | None:
    """Describe the views of features that rules of a fused model ask for; None of other models."""
    if "views" not in variables:
        return None
    found = []
    for number, known in enumerate(variables["views"]):
        of = features[known["feature"]]
        same = {name: of[name] for name in ("name", "labels", "time") if name in of}
        view = same | _feature(known) | {"feature": known["feature"]}
        if "beliefs" in variables:
            view["believed"] = variables["beliefs"]["is_believed"][number]
        found.append(view)
    return found


def _feature(known: Mapping[str, Any]) -> dict[str, Any]:
    found = {"minimum": known["minimum"], "maximum": known["maximum"]}
    if "decimals" in known:
        return found | {"kind": "number", "decimals": known["decimals"]}
    found["n_terms"] = known["n_terms"]
    if "special" not in known:
        return found | {"kind": "even"}
    special = known["special"]
    found["peaks"] = special["peaks"]
    if "groups" in special:
        found["groups"] = special["groups"]
    if special["is_nominal"]:
        return found | {"kind": "nominal", "nearest": special["takes_nearest"]}
    if "ends" in special:
        found["ends"] = special["ends"]
    return found | {"kind": "peaks"}


def _rule(
    rule: Mapping[str, Any], features: Sequence[Mapping[str, Any]], doubt: float
) -> dict[str, Any]:
    """Describe a rule by what its kind has."""
    found = {
        "if": list(_conditions(rule["conditions"], features)),
        "weights": rule["weights"],
        "fitness": rule["fitness"],
        "class": rule["consequent"],
        "experience": rule["experience"],
    }
    if "profile" in rule:
        # Files of 0.2.0 before it was released call the neutral degree mean.
        neutral = rule["mean"] if "mean" in rule else rule["neutral"]
        return found | {
            "profile": rule["profile"],
            "neutral": neutral,
            "applies": rule["applies"],
            **({"expert": rule["reliability"]} if "reliability" in rule else {}),
            **({"origin": rule["origin"]} if "origin" in rule else {}),
        }
    # Only weighted rules have a strength, and leave something undecided.
    return found | {
        "strength": float(rule["strength"] if "strength" in rule else rule["numerosity"]),
        "ignorance": doubt / (rule["experience"] + doubt) if doubt else 0.0,
    }


def _dependent(
    rules: list[dict[str, Any]],
    features: Sequence[Mapping[str, Any]],
    variables: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Add how many times more often than by chance the conditions of rules hold together.

    Only rules with a neutral degree have that. It counts where values are missing.
    """
    forest = Forest(variables["beliefs"]["forest"]) if "beliefs" in variables else None
    for rule in rules:
        if "neutral" not in rule:
            continue
        by_chance = 1.0
        for feature, terms in rule["if"]:
            if forest is not None and features[feature]["believed"]:
                shares = forest.marginal[feature]
                accepted = _accepted(terms, len(shares))
                by_chance *= min(float(shares[accepted].sum()), 1.0)
        rule["dependence"] = rule["neutral"] / max(by_chance, TINY)
    return rules


def _conditions(
    conditions: Sequence[Any], features: Sequence[Mapping[str, Any]]
) -> Iterator[list[float]]:
    """Return conditions that do not accept everything: a feature with a set of terms or bounds."""
    for index, (condition, feature) in enumerate(zip(conditions, features, strict=True)):
        if feature["kind"] != "number":
            if condition != _every_term(feature["n_terms"]):
                yield [index, condition]
            continue
        lower, upper = sorted(condition)
        # All values of a constant feature lie in the middle.
        least, greatest = (0.5, 0.5) if _is_constant(feature) else (0.0, 1.0)
        if lower > least or upper < greatest:
            yield [index, lower, upper]


def _every_term(n_terms: int) -> int:
    """Return the condition that accepts every term."""
    return (n_terms - 1) << 8 if n_terms > MOST_BITS else (1 << n_terms) - 1


def _accepted(condition: int, n_terms: int) -> NDArray[np.bool_]:
    """Tell which terms a condition accepts.

    Of up to 64 terms it is a set, in which bit t stands for term t; of more it is a run from the
    term in the lowest byte to that in the next.
    """
    if n_terms > MOST_BITS:
        numbers = np.arange(n_terms)
        run: NDArray[np.bool_] = (numbers >= condition & 255) & (numbers <= condition >> 8)
        return run
    return np.array([condition >> term & 1 == 1 for term in range(n_terms)], dtype=bool)


def _is_constant(feature: Mapping[str, Any]) -> bool:
    low, high = feature["minimum"], feature["maximum"]
    return low is None or not high / 2 - low / 2 > 0


def _support(document: Mapping[str, Any]) -> dict[str, Any]:
    """Describe what training data look like."""
    if "support" not in document:
        raise ValueError("support='auto' needs a support, which is absent")
    support = document["support"]
    features = _features(document, support["variables"])
    copied = ("forest", "minimum", "maximum", "typical", "scores", "levels", "tail")
    alone = support.get("typical_alone")
    values = enumerate(support["values"])
    return {
        "features": features,
        "scale": _scale(features, support["forest"]["n_terms"]).tolist(),
        "values": {str(feature): known for feature, known in values if known is not None},
        "exponent": EXPONENT,
        "outside": OUTSIDE,
        "furthest": FURTHEST,
        "changed": CHANGED,
        "typical_alone": support["typical"] if alone is None else alone,
        "decimals": support.get("decimals"),
    } | {name: support[name] for name in copied}


def _scale(features: Sequence[Mapping[str, Any]], n_terms: Sequence[int]) -> Array:
    """Return factors that make up for narrow terms, which are seldom met by chance."""
    factors = [np.empty(0)]
    for feature, n in zip(features, n_terms, strict=True):
        if n == 0:
            continue
        if feature["kind"] == "nominal":
            factors.append(np.ones(n))
            continue
        peaks = _peaks(feature)
        width = max(peaks[-1] / 2 - peaks[0] / 2, TINY)
        position = (peaks / 2 - peaks[0] / 2) / width
        ends = np.concatenate([position[:1], position, position[-1:]])
        factors.append(1 / np.sqrt(np.maximum((ends[2:] - ends[:-2]) / 2, NARROWEST)))
    return np.concatenate(factors)


def _peaks(feature: Mapping[str, Any]) -> Array:
    """Return the values at which the terms of a feature are fully true."""
    if "peaks" in feature:
        return np.array(feature["peaks"], dtype=float)
    steps = np.linspace(0.0, 1.0, feature["n_terms"])
    peaks: Array = feature["minimum"] * (1.0 - steps) + feature["maximum"] * steps
    return peaks


class Rules:
    """Rules as arrays, in the order in which the library evaluates them.

    Different conditions are listed once; `asked[k, r]` is the index of rule r's condition number k
    in that list. The length of the list stands for a condition that accepts everything.
    """

    def __init__(
        self, rules: Sequence[dict[str, Any]], features: Sequence[dict[str, Any]], n_classes: int
    ) -> None:
        # A rule without any effect, so that arrays are never empty.
        neutral = {"if": [], "weights": [0.0] * n_classes, "ignorance": 1.0, "strength": 1.0}
        rules = rules or [neutral | {"fitness": 0.0, "class": 0}]
        # A rule has either a strength or a profile.
        plain = {"profile": [0.0] * n_classes, "neutral": 1.0, "dependence": 1.0}
        rules = [plain | {"strength": 0.5, "ignorance": 0.0} | rule for rule in rules]
        # The most numerous rules come first.
        rules = sorted(rules, key=lambda rule: -rule["strength"] * (rule["strength"] % 1 == 0))
        self.strength, ignorance, self.fitness, self.neutral, self.dependence = (
            np.array([rule[name] for rule in rules], dtype=float)
            for name in ("strength", "ignorance", "fitness", "neutral", "dependence")
        )
        self.profile = np.array([rule["profile"] for rule in rules], dtype=float)
        self.consequent = np.array([rule["class"] for rule in rules], dtype=int)
        self.weights = np.array([rule["weights"] for rule in rules], dtype=float)
        # Commonalities of the classes, then of "I don't know", where a rule matches fully.
        self.factors = np.vstack([self.weights.T + ignorance, ignorance])
        self.conditions = sorted({tuple(part) for rule in rules for part in rule["if"]})
        index = {condition: i for i, condition in enumerate(self.conditions)}
        longest = max(1, *(len(rule["if"]) for rule in rules))
        self.asked = np.full((longest, len(rules)), len(index))
        self.asks = np.zeros((len(features), len(rules)), dtype=bool)
        for r, rule in enumerate(rules):
            for k, condition in enumerate(rule["if"]):
                self.asked[k, r] = index[tuple(condition)]
                self.asks[int(condition[0]), r] = True
        self.feature = np.array([condition[0] for condition in self.conditions], dtype=int)
        self.are_intervals = any(feature["kind"] == "number" for feature in features)
        if self.are_intervals:
            self.bounds = np.array([c[1:] for c in self.conditions], dtype=float).reshape(-1, 2)
        else:
            n_terms = max(feature["n_terms"] for feature in features)
            self.accepted = np.zeros((len(self.conditions), n_terms), dtype=bool)
            for k, (feature, condition) in enumerate(self.conditions):
                own = features[feature]["n_terms"]
                self.accepted[k, :own] = _accepted(condition, own)

    def holding(self, positions: Array, terms: Callable[[int], Array]) -> Array:
        """Return the degree to which each condition holds; the last accepts everything.

        `terms` returns the memberships in the terms of a feature, or their probabilities.
        """
        found = np.ones((len(self.conditions) + 1, len(positions)))
        for feature in np.unique(self.feature).tolist():
            own = np.flatnonzero(self.feature == feature)
            position = positions[:, feature]
            if self.are_intervals:
                lower, upper = self.bounds[own].T[:, :, np.newaxis]
                inside = (lower <= position) & (position <= upper)
                found[own] = inside | np.isnan(position)
            else:
                memberships = terms(feature)
                found[own] = np.minimum(self.accepted[own, : len(memberships)] @ memberships, 1.0)
        return found

    def product(self, holding: Array, asked: Indices) -> Array:
        """Multiply the degrees of the conditions that each rule has."""
        product = np.ones((asked.shape[1], holding.shape[1]))
        for indices in asked:
            product *= holding[indices]
        return product


class _Matched:
    """Degrees to which rules match rows. Arrays have a row for each rule, a column per row."""

    def __init__(self, model: NumpyModel, rows: Array) -> None:
        self.model, self.rows, self.rules = model, rows, model.rules
        self.positions = locate(model.variables, rows[:, model.feature_of_view])
        missing = np.isnan(self.positions).T
        is_believed = [bool(feature.get("believed")) for feature in model.variables]
        self.missing = missing & np.array(is_believed)[:, np.newaxis]
        holding = self.rules.holding(self.positions, self._terms)
        degree = self.rules.product(holding, self.rules.asked)
        matches = self.rules.product(np.sign(holding), self.rules.asked) > 0
        # As in the library, a product too small for a double stays positive.
        self.degree = np.where(matches, np.maximum(degree, TINY), 0.0)

    def _terms(self, feature: int) -> Array:
        """Return the memberships in the terms of a feature; 1 where the value is missing."""
        position = self.positions[:, feature]
        memberships = terms(position, self.model.variables[feature]["n_terms"])
        return np.where(np.isnan(position), 1.0, memberships)

    def _believed_terms(self, feature: int) -> Array:
        """Return the probabilities of the terms of a missing value; 1 where a value is known."""
        believed = np.ones((self.model.variables[feature]["n_terms"], len(self.rows)))
        if feature in self._beliefs:
            believed[:, self.missing[feature]] = self._beliefs[feature][0]
        return believed

    @cached_property
    def _beliefs(self) -> dict[int, tuple[Array, Array]]:
        """Probabilities of the terms of missing values, and how vague they are, by feature."""
        if self.model.forest is None:
            return {}
        return {
            feature: self.model.forest.believe(self.positions[self.missing[feature]], feature)
            for feature in np.flatnonzero(self.missing.any(axis=1)).tolist()
        }

    @cached_property
    def _fitting(self) -> Array:
        """Probabilities that missing values fit each condition."""
        return self.rules.holding(self.positions, self._believed_terms)

    @cached_property
    def believed(self) -> Array:
        """Degrees, discounted by the probability that missing values fit."""
        if not self._beliefs:
            return self.degree
        fits = self.rules.product(self._fitting, self.rules.asked)
        if self.model.is_profiled:
            fits = np.minimum(fits * self.rules.dependence[:, np.newaxis], 1.0)
            fits = np.where(self._is_open, fits, 1.0)
        believed: Array = self.degree * fits
        return believed

    @property
    def _is_open(self) -> NDArray[np.bool_]:
        """Whether rules ask for missing values about which something is believed."""
        is_open: NDArray[np.bool_] = self.rules.asks.T.astype(int) @ self.missing > 0
        return is_open

    @cached_property
    def shift(self) -> Array:
        """How much more, or less, rules match than is expected if nothing is known."""
        shift: Array = self.believed - self.rules.neutral[:, np.newaxis]
        shift[np.abs(shift) < ROUNDING] = 0.0
        return shift

    @cached_property
    def scores(self) -> Array:
        """What rules with class profiles add to the log-odds of each class: classes, rows."""
        # Rules are added one after the other, as the library does, so that equal scores tie.
        return np.stack(
            [(self.shift * entries[:, np.newaxis]).sum(axis=0) for entries in self.rules.profile.T]
        )

    @cached_property
    def least(self) -> Array:
        """What rules with class profiles add to the class that each favours least."""
        low = self.rules.profile.min(axis=1)[:, np.newaxis]
        high = self.rules.profile.max(axis=1)[:, np.newaxis]
        least: Array = (self.shift * np.where(self.shift > 0, low, high)).sum(axis=0)
        return least

    def compared(self, whole: Array) -> tuple[Array, Array]:
        """Compare the two most probable classes: contradiction and moderation of each row.

        The contradiction is the share of the evidence between them that cancels out; differences
        that are small altogether hardly count. What missing values leave open moderates all
        evidence: it counts less than once.
        """
        best, following = np.argsort(-whole, axis=0, kind="stable")[:2]
        lead = self.rules.profile[:, best] - self.rules.profile[:, following]
        parts = self.shift * lead
        sums, sizes = np.abs(parts.sum(axis=0)), np.abs(parts).sum(axis=0)
        contradiction = np.maximum((sizes - sums) / (sizes + NO_EVIDENCE), 0.0)
        variance = (self.believed * (self.degree - self.believed) * lead**2).sum(axis=0)
        moderation = 1 / np.sqrt(1 + np.pi / 8 * np.maximum(variance, 0.0))
        return contradiction, moderation

    @property
    def n_missing(self) -> Indices:
        """Number of missing values that rules ask for."""
        count: Indices = np.isnan(self.positions[:, self.rules.asks.any(axis=1)]).sum(axis=1)
        return count

    @cached_property
    def _rule_logs(self) -> Array:
        """What each rule adds to the logarithms of commonalities: classes, rules, rows."""
        factors = self.rules.factors[:, :, np.newaxis]
        with np.errstate(divide="ignore"):
            logs: Array = np.log((1 - self.degree) + self.degree * factors)
        logs *= self.rules.strength[:, np.newaxis]
        return logs

    def logs(self, prior: Array | None) -> Array:
        """Return logarithms of the commonalities of the classes and of "I don't know".

        Rules whose first missing value is the same are combined for each term that it may have, and
        the results are averaged. With a prior, a value that could be any has no effect.
        """
        logs: Array = np.where(self._is_open, 0.0, self._rule_logs).sum(axis=1)
        for feature, (belief, vagueness) in self._beliefs.items():
            by_term = normalised(self._logs_by_term(feature), prior)
            mean = (belief * by_term).sum(axis=1)
            discount = vagueness if prior is None else 0.0
            with np.errstate(divide="ignore"):
                logs[:, self.missing[feature]] += np.log(discount + (1 - discount) * mean)
        return logs

    def _logs_by_term(self, feature: int) -> Array:
        """Add up the rules whose first missing value is this one, for each term it may have."""
        rules = self.rules
        rows, asking = np.flatnonzero(self.missing[feature]), np.flatnonzero(rules.asks[feature])
        earlier = rules.asks[:feature, asking].T.astype(int) @ self.missing[:feature, rows]
        asked = rules.asked[:, asking]
        is_own = np.append(rules.feature == feature, False)[asked]
        others = np.where(is_own, len(rules.conditions), asked)
        belief = rules.product(self._fitting[:, rows], others)
        logs = self._rule_logs[:, asking][:, :, rows]
        with np.errstate(divide="ignore"):
            discounted = np.log((1 - belief) + belief * np.exp(logs))
        logs = np.where(belief == 1, logs, discounted)
        logs = np.where(earlier > 0, 0.0, logs)
        accepted = rules.accepted[asked[is_own.argmax(axis=0), np.arange(len(asking))]]
        n_terms = self.model.variables[feature]["n_terms"]
        return np.stack([logs[:, accepted[:, t]].sum(axis=1) for t in range(n_terms)], axis=1)


class Forest:
    """Features as a forest: each depends on at most one other."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.n_terms: list[int] = data["n_terms"]
        self.parent: list[int] = data["parent"]
        ends = np.cumsum(self.n_terms)
        self.marginal = np.split(np.array(data["marginal"]), ends[:-1])
        self.joint: dict[int, Array] = {}
        first = 0
        for feature, parent in enumerate(self.parent):
            if parent >= 0:
                shape = [min(self.n_terms[f], MOST_GROUPS) for f in (parent, feature)]
                last = first + shape[0] * shape[1]
                table = np.array(data["joint"][first:last]).reshape(shape)
                self.joint[feature] = self._spread(table, parent, feature)
                first = last

    def _spread(self, table: Array, parent: int, feature: int) -> Array:
        """Share pairs of groups of neighbouring terms out among the terms, as all data have it."""
        if table.shape == (self.n_terms[parent], self.n_terms[feature]):
            return table
        groups, shares = [], []
        for marginal in (self.marginal[parent], self.marginal[feature]):
            n = len(marginal)
            group = np.arange(n) * min(n, MOST_GROUPS) // n
            groups.append(group)
            shares.append(marginal / np.bincount(group, marginal)[group])
        spread: Array = table[np.ix_(*groups)] * np.outer(*shares)
        return spread

    def known(self, positions: Array) -> NDArray[np.bool_]:
        """Tell which values are known and belong to features that the forest contains."""
        return ~np.isnan(positions) & (np.array(self.n_terms) > 0)

    def neighbours(self, feature: int) -> list[tuple[int, Array]]:
        """Return parent and children of a feature, with tables: a row for each of their terms."""
        children = [child for child, parent in enumerate(self.parent) if parent == feature]
        found = [(child, self.joint[child].T) for child in children]
        if self.parent[feature] >= 0:
            found.insert(0, (self.parent[feature], self.joint[feature]))
        return found

    def believe(self, positions: Array, feature: int) -> tuple[Array, Array]:
        """Return probabilities of a feature's terms, given its neighbours, and their vagueness."""
        own = self.marginal[feature][:, np.newaxis]
        belief = np.repeat(own, len(positions), axis=1)
        for other, table in self.neighbours(feature):
            known = self.known(positions)[:, other]
            memberships = terms(positions[:, other], self.n_terms[other])
            likelihood = table.T @ (memberships / self.marginal[other][:, np.newaxis]) / own
            belief = np.where(known, belief * likelihood, belief)
            belief /= belief.sum(axis=0)
        return belief, np.minimum(entropy(belief) / entropy(own), 1.0)

    def surprise(self, positions: Array, scale: Array) -> Array:
        """Return how surprising each value is, given the parent's."""
        scales = np.split(scale, np.cumsum(self.n_terms)[:-1])
        scaled = [
            terms(positions[:, f], n) * scales[f][:, np.newaxis] if n else np.ones((0, 1))
            for f, n in enumerate(self.n_terms)
        ]
        known = self.known(positions)
        surprise = np.zeros(positions.shape)
        for f, parent in enumerate(self.parent):
            if not self.n_terms[f]:
                continue
            surprise[:, f] = -np.log(self.marginal[f] @ scaled[f])
            if parent >= 0:
                both = (self.joint[f].T @ scaled[parent] * scaled[f]).sum(axis=0)
                given = np.log(self.marginal[parent] @ scaled[parent]) - np.log(both)
                surprise[:, f] = np.where(known[:, parent], given, surprise[:, f])
        return np.where(known, surprise, 0.0)


class Support:
    """What training data look like, and how unlike them records are."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.features: list[dict[str, Any]] = data["features"]
        self.forest = Forest(data["forest"])
        self.scale, self.typical, self.typical_alone, self.scores, self.levels = (
            np.array(data[name])
            for name in ("scale", "typical", "typical_alone", "scores", "levels")
        )
        self.minimum, self.maximum = (
            np.array(data[name], dtype=float) for name in ("minimum", "maximum")
        )
        self.values = {int(feature): np.array(known) for feature, known in data["values"].items()}
        self.tail, self.exponent, self.outside, self.furthest, self.changed = (
            float(data[name]) for name in ("tail", "exponent", "outside", "furthest", "changed")
        )

    def novelty(self, rows: Array) -> Array:
        """Return how unlike the training data records are, from 0 to 1."""
        positions = locate(self.features, rows)
        known = self.forest.known(positions)
        counted = np.count_nonzero(self.forest.n_terms)
        stretch = np.sqrt(counted / np.maximum(known.sum(axis=1), 1))
        parent = np.array(self.forest.parent)
        is_alone = np.isnan(positions[:, parent]) & (parent >= 0)
        typical = np.where(is_alone, self.typical_alone, self.typical)
        surprise = np.where(known, self.forest.surprise(positions, self.scale) - typical, 0.0)
        parts = surprise * stretch[:, np.newaxis] + self.outside * self.excess(rows)
        score = parts.sum(axis=1)
        beyond = np.maximum(score - self.scores[-1], 0.0) / self.tail
        rest = (1 - self.levels[-1] ** self.exponent) * np.exp(-beyond)
        inside = np.interp(score, self.scores, self.levels)
        novelty: Array = np.where(beyond > 0, (1 - rest) ** (1 / self.exponent), inside)
        return novelty

    def excess(self, rows: Array) -> Array:
        """Return how far values lie outside of what the training data had."""
        beyond = np.maximum(self.minimum / 2 - rows / 2, rows / 2 - self.maximum / 2)
        width = self.maximum / 2 - self.minimum / 2
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            excess = np.where(width > 0, beyond / width, 0.0)
            changed = np.maximum(self.changed, 2 * beyond / (np.abs(self.minimum) + 1))
            excess = np.where((width == 0) & (beyond > 0), changed, excess)
            for feature, known in self.values.items():
                distance = np.abs(rows[:, [feature]] / 2 - known / 2).min(axis=1)
                excess[:, feature] = distance / max(np.diff(known / 2).min(), TINY)
        clipped: Array = np.clip(np.nan_to_num(excess, nan=0.0), 0.0, self.furthest)
        return clipped


def locate(features: Sequence[Mapping[str, Any]], rows: Array) -> Array:
    """Return the positions of values on their variables: 0 is the first term, 1 the second."""
    columns = [_locate(feature, x) for feature, x in zip(features, rows.T, strict=True)]
    return np.where(np.isnan(rows), np.nan, np.stack(columns, axis=1))


def _locate(feature: Mapping[str, Any], x: Array) -> Array:
    kind = feature["kind"]
    if kind in ("even", "number"):
        last = feature["n_terms"] - 1 if kind == "even" else 1
        if feature["minimum"] is None or not feature["maximum"] / 2 > feature["minimum"] / 2:
            return np.full(len(x), 0.5 * last)
        return np.clip(_share(x, feature["minimum"], feature["maximum"]), 0.0, 1.0) * last
    peaks = np.array(feature["peaks"])
    last = len(peaks) - 1
    if kind == "peaks" and last == 0:
        return np.zeros(len(x))
    if kind == "peaks":
        term = np.clip(np.searchsorted(peaks, x, side="right") - 1, 0, last - 1)
        ends = np.array(feature.get("ends", peaks))
        share: Array = np.clip(_share(x, ends[term], peaks[term + 1]), 0.0, 1.0)
        share += term
        return share
    groups = np.array(feature.get("groups", range(len(peaks))), dtype=float)
    index = np.minimum(np.searchsorted(peaks, x), last).astype(np.int64)
    if not feature["nearest"]:
        return np.where(peaks[index] == x, groups[index], np.nan)
    below = np.maximum(index - 1, 0)
    is_below = x / 2 - peaks[below] / 2 < peaks[index] / 2 - x / 2
    nearest: Array = groups[np.where(is_below, below, index)]
    return nearest


def _share(x: Array, low: Any, high: Any) -> Array:
    # Halves, because the difference of two doubles may exceed the largest one.
    with np.errstate(over="ignore"):
        share: Array = (x / 2 - low / 2) / (high / 2 - low / 2)
    return share


def terms(position: Array, n_terms: int) -> Array:
    """Return the memberships of positions in the terms of a feature; a row for each term."""
    known = np.nan_to_num(position)
    term = np.minimum(known.astype(int), n_terms - 2)
    memberships = np.zeros((n_terms, len(position)))
    columns = np.arange(len(position))
    memberships[term, columns] = 1 - (known - term)
    memberships[term + 1, columns] = known - term
    return memberships


def normalised(logs: Array, prior: Array | None) -> Array:
    """Normalise commonalities, given as logarithms: by Dempster's rule, or by a prior's mean.

    After total conflict nothing is known.
    """
    greatest = logs.max(axis=0)
    is_possible = greatest > -np.inf
    commonality = np.exp(logs - np.where(is_possible, greatest, 0.0))
    theta = commonality[-1]
    if prior is None:
        total = np.maximum(commonality[:-1] - theta, 0.0).sum(axis=0) + theta
    else:
        total = np.tensordot(prior, commonality[:-1], 1)
    return np.where(is_possible, commonality / np.maximum(total, TINY), 1.0)


def entropy(probability: Array) -> Array:
    """Return the entropy of each column."""
    found: Array = -(probability * np.log(probability)).sum(axis=0)
    return found


def judge(
    confidence: Array,
    ignorance: Array,
    contradiction: Array,
    discount: Array,
    n_missing: Indices,
    least_confidence: float,
) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """Decide what evidence amounts to, and why it is no answer, as the library does."""
    is_open = ignorance > MOST_IGNORANCE
    is_answer = ~is_open & (confidence >= least_confidence)
    is_torn = ~is_open & ~is_answer & (contradiction >= LEAST_CONTRADICTION)
    verdict = np.select([is_answer, is_torn], VERDICTS[:2], VERDICTS[2])
    is_novel = is_open & (2 * discount >= ignorance)
    cases = [is_answer, is_torn, is_novel, is_open & (n_missing > 0), is_open]
    return verdict, np.select(cases, REASONS[:5], REASONS[5])


def softmax(scores: Array) -> Array:
    """Return probabilities whose logarithms are scores, up to a constant."""
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Array = odds / odds.sum(axis=-1, keepdims=True)
    return shares


def vote_shares(votes: Array) -> Array:
    """Return the shares of positive votes; without any, equal shares of the best classes."""
    shares = np.maximum(votes, 0.0)
    best = votes == votes.max(axis=1, keepdims=True)
    shares = np.where(shares.sum(axis=1, keepdims=True) == 0, best, shares)
    shares = shares / shares.max(axis=1, keepdims=True)
    result: Array = shares / shares.sum(axis=1, keepdims=True)
    return result


def draw(seed: int, positions: Array, n: int) -> int:
    """Draw one of n by a record's own values, as the library does."""
    golden, word = 0x9E3779B97F4A7C15, 2**64 - 1

    def mix(state: int) -> int:
        state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & word
        state = (state ^ (state >> 27)) * 0x94D049BB133111EB & word
        return state ^ (state >> 31)

    # Missing values count as -1, and -0.0 as 0.0.
    bits = (np.where(np.isnan(positions), -1.0, positions) + 0.0).view(np.uint64)
    state = seed
    for value in bits.tolist():
        state = mix(state + golden & word) ^ value
    first, fourth = mix(state + golden & word), mix(state + 4 * golden & word)
    added = first + fourth & word
    rotated = (added << 23 | added >> 41) & word
    return ((rotated + first & word) >> 32) * n >> 32
