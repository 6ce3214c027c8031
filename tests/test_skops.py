"""skops keeps models, too, and names the types that they consist of."""

import copy

import pytest
import skops.io

from model_files import ESTIMATORS, assert_same_answers, fitted_models, table


@pytest.fixture(scope="module")
def fitted():
    return fitted_models()


SKOPS_TYPES = {
    "fuzzyucs.estimators.fuzzy_ucs.FuzzyUCSClassifier",
    "fuzzyucs.estimators.evidential.EvidentialRuleClassifier",
    "fuzzyucs.variables.borders.Borders",
    "fuzzyucs.variables.forest.TermForest",
    "fuzzyucs.variables.columns.Categories",
    "fuzzyucs.variables.frames.Columns",
    "fuzzyucs.variables.intervals.IntervalVariables",
    "fuzzyucs.variables.linguistic.LinguisticPartition",
    "fuzzyucs.variables.terms.LinguisticVariable",
    "fuzzyucs.rules.rule_set.EvolvedRuleSet",
    "fuzzyucs.rules.profiled.ProfiledRuleSet",
    "fuzzyucs.rules.weighted.WeightedRuleSet",
    "fuzzyucs.evidence.known_values.Known",
    "fuzzyucs.rules.constraints.Constraints",
    "fuzzyucs.evidence.support.Support",
    "fuzzyucs.evidence.tempering.Tempering",
    "fuzzyucs.estimators.live.LearnerState",
    "fuzzyucs.variables.moving.RangeChange",
    "fuzzyucs.estimators.ucs.UCSClassifier",
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_skops_can_keep_models_too(fitted, name):
    clf = fitted[name]
    X, other, y = table()
    clf.predict_evidence(other)  # makes native objects, which must stay behind
    data = skops.io.dumps(clf)
    types = skops.io.get_untrusted_types(data=data)
    assert set(types) <= SKOPS_TYPES
    again = skops.io.loads(data, trusted=types)
    assert_same_answers(clf, again, other)
    if name not in ("evidential", "evidential with little", "fused"):
        ours, theirs = (copy.deepcopy(model).partial_fit(X, y) for model in (clf, again))
        assert ours.learner_state_ == theirs.learner_state_
