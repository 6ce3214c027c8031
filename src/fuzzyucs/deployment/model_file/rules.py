"""Rules in a model file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fuzzyucs.deployment.model_file.constraints import read_constraints
from fuzzyucs.deployment.model_file.part import ROUNDING, Attributes, Json, Part
from fuzzyucs.deployment.model_file.strict_json import Node
from fuzzyucs.deployment.model_file.variables import ArrayReader, VariablesFormat
from fuzzyucs.estimators.online import MAX_POPULATION
from fuzzyucs.rules import EvolvedRuleSet, RuleSet, WeightedRuleSet
from fuzzyucs.rules.fused import FusedRuleSet, Source
from fuzzyucs.rules.profiled import ProfiledRuleSet
from fuzzyucs.variables.variables import Variables

__all__ = [
    "MAX_STEPS",
    "EvolvedFormat",
    "FusedFormat",
    "ProfiledFormat",
    "RulesFormat",
    "WeightedFormat",
    "rule_set",
    "weighted_rule_set",
]

MAX_STEPS = 2**39  # numerosity times a time stamp has to fit into 64 bits
MAX_SOURCES = 2**16
MAX_WEIGHT = 1e6
MAX_COUNT = 2**53  # greater whole numbers are not exact as doubles
MAX_EXPERIENCE = 1e300  # rows may have any sample weights
GREATEST_PRIOR = 1e6
GREATEST_PROFILE = 1e6
LEAST = 1e-12  # reliability, and what is left to be wrong
MAX_WORTH = 1e9
EXACT = 1e-12  # how far base rates may be from a sum of 1: beliefs follow from them


@dataclass(frozen=True)
class RulesFormat:
    """How rules are written and read.

    Parameters
    ----------
    variables : VariablesFormat
        How their variables are written and read.
    """

    variables: VariablesFormat

    kind: ClassVar[type[RuleSet]]
    common: ClassVar[tuple[str, ...]] = ()  # keys of what the rules have in common
    sometimes: ClassVar[tuple[str, ...]] = ()  # keys that not all of them have
    optional: ClassVar[tuple[str, ...]] = ()  # numbers that a rule may lack
    inherits: ClassVar[bool] = True  # whether rules without experience have weights of others

    def write(self, rules: RuleSet, clf: Any, variables: Json) -> Json:
        """Write rules; without variables if these are given as None."""
        if rules.classes.tolist() != clf.classes_.tolist():
            raise ValueError("the rules must have the classes of the classifier")
        found: dict[str, Json] = {} if variables is None else {"variables": variables}
        arrays = {name: getattr(rules, name).tolist() for name in rules.array_names()}
        rows = zip(*arrays.values(), strict=True)
        listed = [self._present(dict(zip(arrays, row, strict=True))) for row in rows]
        return found | self._written_common(rules) | {"rules": listed}

    def _present(self, rule: dict[str, Json]) -> dict[str, Json]:
        """Leave out numbers that a rule lacks."""
        return {
            name: value
            for name, value in rule.items()
            if name not in self.optional or not math.isnan(value)
        }

    def _written_common(self, rules: Any) -> dict[str, Json]:  # noqa: ARG002  # for subclasses
        """Write what the rules have in common."""
        return {}

    def read(self, node: Node, clf: Any, variables: Variables | None) -> RuleSet:
        """Read rules; those that have no variables of their own have the given ones."""
        needs = ["rules"] if variables is not None else ["variables", "rules"]
        fields = node.fields([*self.common, *needs], ["variables", *self.sometimes])
        n_classes = len(clf.classes_)
        common = self._read_common(fields, n_classes)
        if "variables" in fields:
            variables = self.variables.read(fields["variables"], clf)
        assert variables is not None
        common |= self._read_others(fields, variables, n_classes)
        readers = _readers(n_classes, len(common.get("sources", ())))
        arrays = self._read_arrays(fields["rules"], variables, readers)
        _check_statistics(fields["rules"], arrays, common.get("doubt", 0.0), self.inherits)
        self._check_arrays(fields["rules"], arrays, common)
        return self.kind(variables, clf.classes_, **(arrays | common))

    def _key(self, item: Node, name: str) -> str:  # noqa: ARG002  # for subclasses
        """Return under which key a rule has one of the arrays."""
        return name

    # The arguments are for subclasses.
    def _read_common(self, fields: dict[str, Node], n_classes: int) -> dict[str, Any]:  # noqa: ARG002
        """Read what the rules have in common."""
        return {}

    def _read_others(
        self,
        fields: dict[str, Node],  # noqa: ARG002
        variables: Variables,  # noqa: ARG002
        n_classes: int,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Read what not all rules of this kind have in common."""
        return {}

    def _check_arrays(
        self, node: Node, arrays: dict[str, NDArray[Any]], common: dict[str, Any]
    ) -> None:
        """Refuse what only this kind of rules cannot be."""

    def _read_arrays(
        self, node: Node, variables: Variables, readers: dict[str, ArrayReader]
    ) -> dict[str, NDArray[Any]]:
        readers["conditions"] = self.variables.condition_reader(variables.n_features)
        names = self.kind.array_names()
        values: dict[str, list[Any]] = {name: [] for name in names}
        for item in node.items():
            keys = {name: self._key(item, name) for name in names}
            needed = [key for name, key in keys.items() if name not in self.optional]
            fields = item.fields(needed, self.optional)
            for name, key in keys.items():
                values[name].append(readers[name][0](fields[key]) if key in fields else math.nan)
        arrays = {}
        for name in names:
            _, dtype, shape = readers[name]
            arrays[name] = np.array(values[name], dtype=dtype).reshape(len(values[name]), *shape)
        self.variables.check_conditions(node, arrays["conditions"], variables)
        if int(arrays["numerosity"].sum(dtype=np.uint64)) > MAX_POPULATION + 1:
            raise ValueError(f"{node.path} must stand for at most {MAX_POPULATION + 1} micro-rules")
        return arrays


class EvolvedFormat(RulesFormat):
    """How evolved rules are written and read."""

    kind = EvolvedRuleSet


class WeightedFormat(RulesFormat):
    """How weighted rules are written and read."""

    kind = WeightedRuleSet
    common = ("prior", "doubt")

    def _written_common(self, rules: WeightedRuleSet) -> dict[str, Json]:
        return {"prior": rules.prior.tolist(), "doubt": float(rules.doubt)}

    def _read_common(self, fields: dict[str, Node], n_classes: int) -> dict[str, Any]:
        return {
            "prior": fields["prior"].numbers(n_classes, -GREATEST_PRIOR, GREATEST_PRIOR),
            "doubt": fields["doubt"].number(ROUNDING, MAX_EXPERIENCE),
        }


class ProfiledFormat(RulesFormat):
    """How rules with class profiles are written and read."""

    kind: ClassVar[type[RuleSet]] = ProfiledRuleSet
    common: ClassVar[tuple[str, ...]] = ("base_rates", "class_rows", "answer_threshold")
    sometimes: ClassVar[tuple[str, ...]] = ("constraints",)
    optional: ClassVar[tuple[str, ...]] = ("reliability", "worth")
    inherits = False

    def _key(self, item: Node, name: str) -> str:
        # What was written first of this form was neutral at the mean degree, and said so.
        is_older = isinstance(item.value, dict) and "mean" in item.value
        return "mean" if is_older and name == "neutral" else name

    def _written_common(self, rules: ProfiledRuleSet) -> dict[str, Json]:
        return rules.model_as_dict()

    def _read_common(self, fields: dict[str, Node], n_classes: int) -> dict[str, Any]:
        rates = fields["base_rates"].numbers(n_classes, 0.0, 1.0)
        if abs(rates.sum() - 1) > EXACT:
            fields["base_rates"].refuse("shares that sum to 1")
        rows = fields["class_rows"].integers(n_classes, 0, MAX_COUNT, np.int64)
        if not sum(rows.tolist()) <= MAX_COUNT:
            fields["class_rows"].refuse(f"numbers of rows, at most {MAX_COUNT} in all")
        threshold = fields["answer_threshold"].number(0.0, 1.0)
        return {"base_rates": rates, "class_rows": rows, "answer_threshold": threshold}

    def _read_others(
        self, fields: dict[str, Node], variables: Variables, n_classes: int
    ) -> dict[str, Any]:
        if "constraints" not in fields:
            return {}
        return {"constraints": read_constraints(fields["constraints"], variables, n_classes)}

    def _check_arrays(
        self, node: Node, arrays: dict[str, NDArray[Any]], common: dict[str, Any]
    ) -> None:
        is_stated = ~np.isnan(arrays["reliability"])
        if not common["class_rows"].any() and not (is_stated.all() and len(is_stated)):
            raise ValueError(
                f"{node.path.removesuffix('rules')}class_rows must be numbers of rows, 1 at least "
                "unless experts stated all rules"
            )
        self._check_applies(node, arrays, common)
        is_half = is_stated != ~np.isnan(arrays["worth"])
        _refuse_rule(node, is_half, "reliability", "together with worth")

    def _check_applies(
        self, node: Node, arrays: dict[str, NDArray[Any]], common: dict[str, Any]
    ) -> None:
        """Refuse rules that apply to more rows than there are."""
        exceeds = arrays["applies"] > common["class_rows"]
        _refuse_rule(node, exceeds, "applies", "at most class_rows")


class FusedFormat(ProfiledFormat):
    """How rules of several models are written and read."""

    kind = FusedRuleSet
    common = (*ProfiledFormat.common, "sources", "is_recounted")
    sometimes = ()  # what models keep to, their fusion does not

    def _read_common(self, fields: dict[str, Node], n_classes: int) -> dict[str, Any]:
        found = super()._read_common(fields, n_classes)
        sources: list[Source] = []
        for item in fields["sources"].items(range(1, MAX_SOURCES + 1)):
            known = item.fields(["name", "class_rows", "reliability", "weight"])
            name = known["name"].text()
            if not name or name in [source.name for source in sources]:
                known["name"].refuse("another name than those before it, and not empty")
            rows = known["class_rows"].integers(n_classes, 0, MAX_COUNT, np.int64)
            numbers = (known[key].number(0.0, MAX_WEIGHT) for key in ("reliability", "weight"))
            sources.append(Source(name, rows, *numbers))
        return found | {"sources": tuple(sources), "is_recounted": fields["is_recounted"].flag()}

    def _check_arrays(
        self, node: Node, arrays: dict[str, NDArray[Any]], common: dict[str, Any]
    ) -> None:
        is_lost = np.asarray(~arrays["origin"].any(axis=1))
        _refuse_rule(node, is_lost, "origin", "true for at least one source")
        is_stated = ~(np.isnan(arrays["reliability"]) & np.isnan(arrays["worth"]))
        _refuse_rule(
            node, is_stated, "reliability", "absent, as worth: experts' rules are not fused"
        )
        super()._check_arrays(node, arrays, common)

    def _check_applies(
        self, node: Node, arrays: dict[str, NDArray[Any]], common: dict[str, Any]
    ) -> None:
        if common["is_recounted"]:
            super()._check_applies(node, arrays, common)
            return
        rows = np.array([source.class_rows for source in common["sources"]])
        exceeds = arrays["applies"] > arrays["origin"].astype(np.int64) @ rows
        _refuse_rule(node, exceeds, "applies", "at most class_rows of its sources")


def rule_set(rules: RulesFormat) -> Part:
    """Return the part that holds `rules_`."""

    def write(clf: Any) -> Json:
        return rules.write(clf.rules_, clf, rules.variables.write(clf.rules_.variables, clf))

    def read(node: Node, clf: Any) -> Attributes:
        return {"rules_": rules.read(node, clf, None)}

    return Part(("rules_",), write, read)


def weighted_rule_set(rules: WeightedFormat) -> Part:
    """Return the part that holds `weighted_rules_`, whose variables often are those of `rules_`."""

    def write(clf: Any) -> Json:
        variables = rules.variables.write(clf.weighted_rules_.variables, clf)
        is_same = variables == rules.variables.write(clf.rules_.variables, clf)
        return rules.write(clf.weighted_rules_, clf, None if is_same else variables)

    def read(node: Node, clf: Any) -> Attributes:
        return {"weighted_rules_": rules.read(node, clf, clf.rules_.variables)}

    return Part(("weighted_rules_",), write, read)


def _readers(n_classes: int, n_sources: int) -> dict[str, ArrayReader]:
    """Return how each array of rules is read, except for their conditions."""
    most = MAX_POPULATION + 1
    return {
        "weights": (lambda node: node.numbers(n_classes, 0.0, 1.0), np.float64, (n_classes,)),
        "class_experience": (
            lambda node: node.numbers(n_classes, 0.0, MAX_EXPERIENCE),
            np.float64,
            (n_classes,),
        ),
        "experience": (lambda node: node.number(0.0, MAX_EXPERIENCE), np.float64, ()),
        "fitness": (lambda node: node.number(-1.0, 1.0), np.float64, ()),
        "numerosity": (lambda node: node.integer(1, most), np.uint32, ()),
        "consequent": (lambda node: node.integer(0, n_classes - 1), np.uint32, ()),
        "set_size": (lambda node: node.number(math.nextafter(0.5, 1.0), most), np.float64, ()),
        "set_count": (lambda node: node.integer(0, MAX_COUNT), np.uint64, ()),
        "time_stamp": (lambda node: node.integer(0, MAX_STEPS), np.int64, ()),
        "strength": (lambda node: node.number(0.0, most), np.float64, ()),
        "evidence": (lambda node: node.number(0.0), np.float64, ()),
        "profile": (
            lambda node: node.numbers(n_classes, -GREATEST_PROFILE, GREATEST_PROFILE),
            np.float64,
            (n_classes,),
        ),
        "neutral": (lambda node: node.number(0.0, 1.0), np.float64, ()),
        "origin": (
            lambda node: [item.flag() for item in node.items(n_sources)],
            np.bool_,
            (n_sources,),
        ),
        "reliability": (lambda node: node.number(LEAST, 1 - LEAST), np.float64, ()),
        "worth": (lambda node: node.number(LEAST, MAX_WORTH), np.float64, ()),
        "applies": (
            lambda node: node.integers(n_classes, 0, MAX_COUNT, np.int64),
            np.int64,
            (n_classes,),
        ),
    }


def _check_statistics(
    node: Node, arrays: dict[str, NDArray[Any]], doubt: float, inherits: bool
) -> None:
    """Check that experience is that with all classes, and weights are shares of it."""
    known, experience = arrays["class_experience"], arrays["experience"]
    difference = known.sum(axis=1) - experience
    is_wrong = abs(difference) > ROUNDING * experience
    _refuse_rule(node, is_wrong, "experience", "that with all classes")
    exceeds = known > experience[:, np.newaxis]
    _refuse_rule(node, exceeds, "class_experience", "at most the experience")
    whole = (experience + doubt)[:, np.newaxis]
    is_new = whole == 0
    weights = arrays["weights"]
    # A rule without experience has inherited its weights, or has none.
    of_new = weights.sum(axis=1, keepdims=True) - inherits
    off = np.where(is_new, of_new, weights - known / (whole + is_new))
    _refuse_rule(node, abs(off) > ROUNDING, "weights", "shares of the experience")


def _refuse_rule(node: Node, is_wrong: NDArray[np.bool_], name: str, expected: str) -> None:
    """Refuse the first rule with anything wrong."""
    if is_wrong.any():
        rule = int(np.argwhere(is_wrong)[0, 0])
        raise ValueError(f"{node.path}[{rule}].{name} must be {expected}")
