"""Constraints and experts' rules of models that are fused: neither carries over."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import fuzzyucs
from fusing import shards, table
from fuzzyucs import EvidentialRuleClassifier, fuse

WISH = {
    "monotonic_cst": {"dose": 1},
    "unused_features": ["few"],
    "class_order": ["ill", "mild", "well"],
}
NUMBERS = ["x", "near x", "dose", "few"]


def part(name):
    frame, y = shards()[name]
    return frame[NUMBERS], y


@pytest.fixture(scope="module")
def kept():
    return {name: EvidentialRuleClassifier(**WISH).fit(*part(name)) for name in ("north", "south")}


@pytest.fixture(scope="module")
def fused(kept):
    with pytest.warns(
        UserWarning, match=r"do not carry over: .* none, though 'north' and 'south' do$"
    ):
        return fuse(kept)


@pytest.fixture(scope="module")
def rows():
    return table(80, seed=9)[0][NUMBERS]


def test_a_fused_model_claims_no_constraints(kept, fused, tmp_path):
    assert kept["north"].constraints_ is not None
    assert fused.constraints_ is None
    assert fused.rules_.moderates
    defaults = EvidentialRuleClassifier().get_params()
    assert {name: fused.get_params()[name] for name in WISH} == {
        name: defaults[name] for name in WISH
    }
    path = fused.save(tmp_path / "fused.json")
    document = json.loads(path.read_text())
    assert "constraints" not in document["rule_set"]
    constraints = kept["north"].rules_.constraints.as_dict()
    path.write_text(
        json.dumps(document | {"rule_set": document["rule_set"] | {"constraints": constraints}})
    )
    with pytest.raises(ValueError, match="constraints"):
        fuzzyucs.load(path)


def test_what_makes_no_record_novel_at_any_site_does_not_in_their_fusion(fused, rows):
    novelty = fused.predict_evidence(rows).novelty
    for column in ("dose", "few"):
        for value in (-50.0, 1e6, np.nan):
            changed = fused.predict_evidence(rows.assign(**{column: value})).novelty
            assert_array_equal(changed, novelty, err_msg=column)
    assert (fused.predict_evidence(rows.assign(x=1e6)).novelty > 0.9).all()
    strange = rows.iloc[0].to_numpy(float).copy()
    strange[2] = 50.0  # outside of what any site had, and told all the same
    ends = [extreme(part(n)[0]["dose"]) for n in ("north", "south") for extreme in (np.min, np.max)]
    told = f"dose 50 is outside {min(ends):g} to {max(ends):g}"
    assert fused.support_.outside(strange)["dose"] == told


def test_a_site_that_counts_a_feature_knows_the_range_of_one_that_does_not(kept):
    frame, y = part("south")
    few = frame["dose"] <= 3
    others = EvidentialRuleClassifier().fit(frame[few], y[few])
    with pytest.warns(UserWarning, match="though 'north' does"):
        both = fuse({"north": kept["north"], "south": others})
    known, place = both.support_.known, NUMBERS.index("dose")
    assert known.minimum[place] == min(part("north")[0]["dose"].min(), frame["dose"][few].min())
    assert known.maximum[place] == part("north")[0]["dose"].max() > frame["dose"][few].max()
    # How frequent its values are is known from the other site alone: about a third is 1.
    assert 0.2 < both.support_.forest.marginals()[place][0] < 0.45


def test_the_digits_of_values_are_those_of_all_sites():
    frame, y = part("north")
    models = {
        digits: EvidentialRuleClassifier().fit(frame.assign(x=(10 * frame["x"]).round(digits)), y)
        for digits in (0, 1)
    }
    fine = EvidentialRuleClassifier().fit(frame, y)
    for digits, model in models.items():
        assert model.support_.known.decimals.tolist() == [digits, -1, 1, -1]
    for order in ([0, 1], [1, 0]):
        both = fuse([models[digits] for digits in order])
        assert both.support_.known.decimals.tolist() == [1, -1, 1, -1]
    for order in ([models[0], fine], [fine, models[0]]):
        assert fuse(order).support_.known.decimals.tolist() == [-1, -1, 1, -1]


def test_models_with_experts_rules_are_refused(kept):
    frame, y = part("north")
    stated = EvidentialRuleClassifier().fit(frame, y, rules="IF dose >= 4 THEN well")
    with pytest.raises(ValueError, match="'model 1' has experts' rules, which cannot be fused"):
        fuse([stated, kept["south"]])
