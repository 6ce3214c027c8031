"""Fusion: several models become one, each rule as it was, with counts that are true."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fusing import SITES, asked_rows, columns_of, learned, shards, table
from fuzzyucs import EvidentialRuleClassifier, fuse
from fuzzyucs.fusion import estimate_reliability
from fuzzyucs.fusion.alignment import recoded
from fuzzyucs.fusion.merging import SHRINKAGE
from fuzzyucs.variables.linguistic import LinguisticVariable


@pytest.fixture(scope="module")
def models():
    return {name: learned(*part) for name, part in shards().items()}


@pytest.fixture(scope="module")
def fused(models):
    return fuse(models)


@pytest.fixture(scope="module")
def asked():
    return asked_rows()


def test_a_single_model_stays_what_it_is(models, asked):
    for model in models.values():
        frame = columns_of(model, asked)
        alone = fuse({"it": model})
        assert_array_equal(alone.predict_proba(frame), model.predict_proba(frame))
        assert_array_equal(alone.membership(frame), model.membership(frame))
        ours, theirs = alone.predict_evidence(frame), model.predict_evidence(frame)
        for name in ("belief", "ignorance", "novelty", "contradiction", "verdict"):
            assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)


def test_rules_match_as_in_their_own_models(models, fused, asked):
    degrees, rules = fused.membership(asked), fused.rules_
    n_shared = 0
    for number, (name, model) in enumerate(models.items()):
        own = model.membership(columns_of(model, asked))
        texts = [model.rules_.condition(k, full=True) for k in range(len(model.rules_))]
        for rule in np.flatnonzero(rules.origin[:, number]).tolist():
            shared = rules.origin[rule].sum() > 1
            n_shared += shared
            k = texts.index(rules.condition(rule, full=True))
            # Of a shared rule, other sites may believe something else about missing values.
            rows = asked.notna().all(axis=1).to_numpy() if shared else slice(None)
            assert_allclose(degrees[rows, rule], own[rows, k], rtol=0, atol=1e-12, err_msg=name)
        assert rules.origin[:, number].sum() == len(model.rules_)
    assert n_shared > 0


def test_the_order_of_models_does_not_matter(models, asked):
    turned = fuse(dict(reversed(models.items())))
    assert turned.columns_.categories[turned.feature_names_in_.tolist().index("colour")].labels == (
        *("blue", "green", "red"),
    )
    frame = asked[list(turned.feature_names_in_)]
    ours, theirs = (model.set_params(support=None) for model in (turned, fuse(models)))
    assert_allclose(ours.predict_proba(frame), theirs.predict_proba(asked), rtol=0, atol=1e-9)
    texts = [[m.rules_.condition(k) for k in range(len(m.rules_))] for m in (ours, theirs)]
    assert sorted(texts[0]) == sorted(texts[1])


def test_categories_keep_their_terms_under_other_numbers():
    groups = LinguisticVariable.of_groups([[2.0], [0.0, 1.0]], ["c", "a", "b"], {0: 5, 1: 3, 2: 9})
    moved = recoded(groups, np.array([3.0, 0.0, 1.0]))
    assert_array_equal(moved.positions(np.array([0.0, 1.0, 3.0])), [1, 0, 1])
    assert_array_equal(moved.counts, [3, 9, 5])
    assert moved.terms == groups.terms
    plain = LinguisticVariable(np.arange(3.0), ("x", "y", "z"), is_nominal=True)
    moved = recoded(plain, np.array([4.0, 0.0, 2.0]))
    assert_array_equal(moved.positions(np.array([4.0, 0.0, 2.0, 1.0])), [0, 1, 2, np.nan])


def test_counts_are_those_of_the_rows_at_the_sources(fused):
    rules = fused.rules_
    labels = fused.classes_
    for rule in range(len(rules)):
        names = rules.source_names(rule)
        applies, known, rows = np.zeros((3, len(labels)))
        for name in names:
            frame, y = shards()[name]
            frame = frame.reindex(columns=list(fused.feature_names_in_))
            text = rules[[rule]].assess(frame, y)
            applies += text.applies[0]
            known += text.class_experience[0]
            rows += [np.sum(y == label) for label in labels]
        assert_array_equal(rules.applies[rule], applies)
        assert_array_equal(rules.rows_behind(rule), rows)
        if len(names) == 1:
            assert_allclose(rules.class_experience[rule], known, rtol=1e-9)
        told = f"[{', '.join(names)}] applies to {int(applies.sum()):,} of {int(rows.sum()):,};"
        assert told in rules.sentence(rule)


def test_shared_rules_of_complete_tables_count_the_union():
    frame, y = table(400, seed=3)
    frame = frame[["dose", "grade", "few"]]
    parts = [(frame[k::2], y[k::2]) for k in range(2)]
    models = [learned(*part) for part in parts]
    rules = fuse(models).rules_
    shared = np.flatnonzero(rules.origin.all(axis=1))
    assert len(shared) >= 1
    again = rules.assess(frame, y)
    assert_array_equal(rules.applies[shared], again.applies[shared])
    assert_allclose(rules.class_experience[shared], again.class_experience[shared], rtol=1e-9)
    assert_allclose(rules.weights[shared], again.weights[shared], rtol=1e-9)
    weights = [source.weight for source in rules.sources]
    for rule in shared.tolist():
        expected = np.zeros(3)
        for weight, model in zip(weights, models, strict=True):
            texts = [model.rules_.condition(k) for k in range(len(model.rules_))]
            expected += weight * model.rules_.profile[texts.index(rules.condition(rule))]
        assert_allclose(rules.profile[rule], expected, rtol=1e-12)


def pooled_by_hand(models, frame, weights, rates):
    """The pool of the sources, from the models themselves."""
    scores = np.log(rates)
    for model, weight in zip(models, weights, strict=True):
        own = model.membership(columns_of(model, frame)) - model.rules_.neutral
        scores = scores + weight * own @ model.rules_.profile
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("reliability", [None, (0.5, 1.0, 0.25), (1.0, 0.0, 1.0)])
def test_evidence_is_pooled_with_weights(models, asked, reliability):
    # Without columns that lead to shared rules, and complete: as in the formula.
    own = {name: model for name, model in models.items() if name != "west"}
    own |= {"west": models["west"]}
    model = fuse(own, reliability).set_params(support=None)
    r = np.ones(3) if reliability is None else np.array(reliability)
    n = np.array([m.rules_.class_rows.sum() for m in own.values()])
    total = n[r > 0].sum()
    weights = r * (n + SHRINKAGE) / (total + SHRINKAGE)
    assert_allclose([s.weight for s in model.rules_.sources], weights)
    rates = sum((r > 0)[k] * m.rules_.class_rows for k, m in enumerate(own.values())) / total
    assert_allclose(model.base_rates_, rates, rtol=1e-12)
    complete = asked[asked.notna().all(axis=1)]
    complete = complete[complete["colour"] != "green"]
    found = model.predict_proba(complete)
    expected = pooled_by_hand(own.values(), complete, weights, rates)
    # The neutral degree of a shared rule is a mean of two.
    tolerance = 0.02 if model.rules_.origin.sum(axis=1).max() > 1 else 1e-12
    assert_allclose(found, expected, rtol=0, atol=tolerance)


def test_a_source_of_no_reliability_has_no_influence(models, asked):
    without = fuse({name: models[name] for name in ("north", "south")})
    ignored = fuse(models, {"west": 0})
    frame = asked.reindex(columns=list(ignored.feature_names_in_))
    assert_array_equal(
        ignored.predict_proba(frame),
        without.predict_proba(asked[list(without.feature_names_in_)]),
    )
    assert not ignored.rules_.origin[:, 2].any()
    assert [source.reliability for source in ignored.rules_.sources] == [1, 1, 0]


def test_the_same_model_twice_says_hardly_more_than_once(models, asked):
    twice, once = fuse([models["north"]] * 2), models["north"]
    frame = columns_of(once, asked)
    assert twice.rules_.origin.all()
    n = once.rules_.class_rows.sum()
    factor = 2 * (n + SHRINKAGE) / (2 * n + SHRINKAGE)
    assert_allclose(
        np.sort(twice.rules_.profile, axis=0),
        np.sort(factor * once.rules_.profile, axis=0),
        rtol=1e-9,
    )
    assert abs(twice.predict_proba(frame) - once.predict_proba(frame)).max() < 0.03


def test_nothing_known_gives_base_rates(fused):
    nothing = pd.DataFrame([[np.nan] * 6], columns=fused.feature_names_in_)
    evidence = fused.predict_evidence(nothing)
    assert_allclose(evidence.ignorance, 1, rtol=0, atol=1e-9)
    assert_allclose(evidence.probability[0], fused.base_rates_, rtol=0, atol=1e-9)
    assert evidence.verdict[0] == "unknown"


def test_novel_is_what_is_unlike_the_data_of_all(fused):
    for name, (frame, _) in shards().items():
        told = frame.reindex(columns=list(fused.feature_names_in_))
        assert fused.predict_evidence(told).novelty.mean() < 0.08, name
    strange = shards()["north"][0][:5].copy()
    strange["x"] = 400.0
    assert (fused.predict_evidence(strange).novelty > 0.99).all()
    # What is outside at one site is inside at another.
    moved = {
        name: learned(frame.assign(x=frame["x"] + 20 * (name == "south")), y)
        for name, (frame, y) in shards().items()
        if name != "west"
    }
    both = fuse(moved)
    usual, far = shards()["north"][0], shards()["north"][0].assign(x=shards()["north"][0]["x"] + 20)
    assert moved["north"].predict_evidence(far).novelty.mean() > 0.9
    assert both.predict_evidence(usual).novelty.mean() < 0.1
    assert both.predict_evidence(far).novelty.mean() < 0.1


def test_explanations_add_up_and_name_sources(fused, asked):
    for row in (0, 1, 5):
        explanation = fused.explain(asked.iloc[[row]])
        best, other = np.argsort(-explanation.probability, kind="stable")[:2]
        lead = sum(entry.amounts[best] - entry.amounts[other] for entry in explanation.entries)
        if fused.predict_evidence(asked.iloc[[row]]).novelty[0] < 0.05:
            ratio = explanation.probability[best] / explanation.probability[other]
            assert lead == pytest.approx(np.log(ratio), abs=0.1)
        told = [e.conclusion for e in explanation.entries if e.rule is not None]
        assert all(
            any(f"[{name}" in text or f", {name}]" in text for name in SITES) for text in told
        )
    frame = asked.iloc[[5]]
    for flip in fused.explain(frame).flips:
        changed = frame.copy()
        changed[flip.feature] = changed[flip.feature].astype(object)
        changed.loc[changed.index[0], flip.feature] = flip.other
        changed = changed.astype({n: frame[n].dtype for n in frame if n != flip.feature})
        if flip.feature in ("x", "near x", "dose", "few"):
            changed[flip.feature] = changed[flip.feature].astype(float)
        answer = fused.answer(changed)
        is_answer = answer.evidence.verdict[0] == "answer"
        assert is_answer == flip.is_answer
        assert not is_answer or answer.labels[0] == flip.label


def test_rules_can_be_edited_and_counted_again(fused):
    rules = fused.rules_
    assert set(rules.to_frame()["source"].str.split(", ").sum()) == set(SITES)
    assert rules.to_table().header[2] == "source"
    assert "Sources: north (200 records, evidence counted" in rules.note
    frame, y = shards()["north"]
    again = rules.assess(frame, y)
    assert "on data given later, applies to" in again.sentence(0)
    assert_array_equal(again.rows_behind(0), again.class_rows)
    model = fused.with_rules(again)
    assert_array_equal(model.predict_proba(frame), fused.predict_proba(frame))
    of_dose = rules.filter(feature="dose")
    assert 0 < len(of_dose) < len(rules)
    assert all("dose" in of_dose.condition(k) for k in range(len(of_dose)))
    changed = of_dose.edit(0, {"dose": ["low"]})
    assert "dose is low" in changed.condition(0)
    lacking = next(k for k in range(len(of_dose)) if "few" not in of_dose.condition(k))
    with pytest.raises(ValueError, match="asks nothing of 'few'"):
        of_dose.edit(lacking, {"few": ["0"]})
    assert fused.feature_importances_.shape == (6,)
    assert fused.feature_importances_.sum() == pytest.approx(1)


def test_fused_models_can_be_fused(models, fused, asked):
    pair = fuse({"east": models["north"], "rest": fuse({n: models[n] for n in ("south", "west")})})
    names = [source.name for source in pair.rules_.sources]
    assert names == ["east", "rest: south", "rest: west"]
    assert pair.predict(asked).shape == (len(asked),)
    # Nearly the same as all at once: small sources count a little more often in two steps.
    assert abs(pair.predict_proba(asked) - fused.predict_proba(asked)).max() < 0.1


def test_held_out_data_tell_whom_to_rely_on(models):
    frame, y = table(300, seed=11)
    wrong = {"ill": "well", "well": "mild", "mild": "ill"}
    north, labels = shards()["north"]
    confused = learned(north, np.array([wrong[label] for label in labels.tolist()]))
    members = {"south": models["south"], "confused": confused}
    found = estimate_reliability(members, frame, y)
    assert found[1] == 0
    assert found[0] > 0.8
    model = fuse(members, X=frame, y=y)
    assert_allclose([s.reliability for s in model.rules_.sources], found)
    assert model.score(frame, y) > fuse(members).score(frame, y)


def test_held_out_weights_are_the_best(models):
    from scipy.special import log_softmax

    from fuzzyucs.fusion.held_out import PENALTY

    frame, y = table(200, seed=12)
    frame = frame[frame.notna().all(axis=1) & (frame["colour"] != "green")]
    y = y[frame.index]
    found = estimate_reliability(models, frame, y)
    labels = np.searchsorted(["ill", "mild", "well"], y)
    base = fuse(models)
    weights = np.array([source.weight for source in base.rules_.sources])

    def loss(r):
        scores = np.log(base.base_rates_)
        for model, weight, factor in zip(models.values(), weights, r, strict=True):
            own = model.membership(columns_of(model, frame)) - model.rules_.neutral
            scores = scores + factor * weight * own @ model.rules_.profile
        logs = log_softmax(scores, axis=1)
        return -logs[np.arange(len(y)), labels].sum() + PENALTY * ((r - 1) ** 2).sum()

    least = loss(found)
    for k in range(3):
        for step in (-0.05, 0.05):
            assert loss(found + step * (np.arange(3) == k)) > least


def test_base_rates_can_be_given(models, asked):
    given = fuse(models, base_rates={"ill": 0.1, "mild": 0.2, "well": 0.7})
    assert_array_equal(given.base_rates_, [0.1, 0.2, 0.7])
    same = fuse(models).with_base_rates([0.1, 0.2, 0.7])
    assert_array_equal(given.predict_proba(asked), same.predict_proba(asked))


def test_arrays_without_names():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    models = [EvidentialRuleClassifier().fit(X[k::2], y[k::2]) for k in range(2)]
    both = fuse(models)
    assert [s.name for s in both.rules_.sources] == ["model 1", "model 2"]
    assert not hasattr(both, "feature_names_in_")
    assert both.score(X, y) > 0.9
    with pytest.raises(ValueError, match="must have equally many"):
        fuse([models[0], EvidentialRuleClassifier().fit(X[:, :2], y)])
    frame = pd.DataFrame(X)
    frame.columns = ["a", "b", "c"]
    with pytest.raises(ValueError, match="without names of columns"):
        fuse([models[0], EvidentialRuleClassifier().fit(frame, y)])


def test_models_without_rules_or_support():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    noise = rng.choice(["no", "yes"], 60)
    empty = EvidentialRuleClassifier(penalty=1e3, support=None).fit(frame, noise)
    assert len(empty.rules_) == 0
    nothing = fuse({"a": empty, "b": empty})
    assert_allclose(nothing.predict_proba(frame), np.tile(nothing.base_rates_, (60, 1)))
    assert nothing.support is None
    assert not hasattr(nothing, "support_")
    some = EvidentialRuleClassifier().fit(frame, np.where(frame["a"] > 0, "no", "yes"))
    both = fuse({"empty": empty, "some": some})
    assert both.score(frame, np.where(frame["a"] > 0, "no", "yes")) > 0.9
    assert "1 record" not in both.rules_.note
