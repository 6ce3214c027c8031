"""Changes of values that the training data have as whole numbers, or with few digits."""

import json

import numpy as np
import pandas as pd
import pytest

from fuzzyucs import EvidentialRuleClassifier, load
from fuzzyucs.explain.flips import find_flips
from fuzzyucs.explain.grid import Grid
from fuzzyucs.explain.missing_flips import flips_if_known
from fuzzyucs.variables.intervals import IntervalVariables
from outcomes import outcome_of, outcomes
from pages import EVALUATE, as_json, plain

DIGITS = {"age": 0, "income": 0, "dose": 1, "rate": None}


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(3)
    n = 500
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 91, n).astype(float),
            "income": rng.integers(0, 90_000, n).astype(float),
            "dose": np.round(rng.uniform(0, 6, n), 1),
            "rate": rng.normal(size=n),
        }
    )
    risk = frame["age"] / 40 + frame["dose"] / 3 - frame["income"] / 60_000 + frame["rate"] / 2
    y = np.where(risk + rng.normal(scale=0.4, size=n) > 2, "ill", "well")
    return EvidentialRuleClassifier(random_state=0).fit(frame, y), frame, y


def as_frame(row):
    return pd.DataFrame([row], columns=list(DIGITS))


def grid_of(frame, name):
    """Return all values between the extremes that have the digits of the column."""
    factor = 10.0 ** DIGITS[name]
    low, high = frame[name].min(), frame[name].max()
    return np.arange(round(low * factor), round(high * factor) + 1) / factor


def test_digits_of_columns_are_counted(model):
    clf, _, _ = model
    assert clf.support_.known.decimals.tolist() == [0, 0, 1, -1]


def test_changes_are_the_nearest_values_on_the_grid(model):
    """Compared with brute force: all values of ages and doses, and those around incomes."""
    clf, frame, _ = model
    n_found = {name: 0 for name in DIGITS if name != "rate"}
    for row in frame.to_numpy()[:40]:
        own = outcomes(clf, as_frame(row))[0]
        changes = [f for f in clf.explain(as_frame(row)).flips if f.kind == "change"]
        nearest = {flip.feature: flip for flip in reversed(changes)}
        for name in n_found:
            f = frame.columns.get_loc(name)
            flip, values = nearest.get(name), grid_of(frame, name)
            if name == "income":
                values = np.array([]) if flip is None else flip.other + np.arange(-3.0, 4.0)
            rows = pd.DataFrame(np.tile(row, (len(values), 1)), columns=frame.columns)
            rows.iloc[:, f] = values
            others = values[outcomes(clf, rows) != own] if len(values) else values
            if flip is None:
                assert not len(others)
                continue
            n_found[name] += 1
            assert flip.other in values
            assert flip.other in others
            assert len(f"{flip.other:.12g}".partition(".")[2]) <= DIGITS[name]
            assert flip.text.endswith(f"-> {flip.other:.12g}")
            changed = rows.iloc[[int(np.flatnonzero(values == flip.other)[0])]]
            assert outcomes(clf, changed)[0] == outcome_of(flip)
            assert abs(flip.other - row[f]) == np.abs(others - row[f]).min()
    assert min(n_found.values()) > 5


def test_missing_values_become_known_on_the_grid(model):
    clf, frame, _ = model
    n_found = 0
    for row in frame.to_numpy()[:40].copy():
        row[0] = np.nan
        own = outcomes(clf, as_frame(row))[0]
        flips = [
            f for f in clf.explain(as_frame(row)).flips if (f.feature, f.kind) == ("age", "known")
        ]
        values = grid_of(frame, "age")
        rows = pd.DataFrame(np.tile(row, (len(values), 1)), columns=frame.columns)
        rows["age"] = values
        said = outcomes(clf, rows)
        assert bool(flips) == (said != own).any()
        for flip in flips:
            words = flip.text.partition("-> ")[2].replace("at least", "").replace("at most", "")
            ends = [float(end) for end in words.split(" to ")]
            low = ends[0] if "at most" not in flip.text else values[0]
            high = ends[-1] if "at least" not in flip.text else values[-1]
            assert set(ends) <= set(values)
            inside = (values >= low) & (values <= high)
            assert set(said[inside]) == {outcome_of(flip)}
            for beyond in values[(values == low - 1) | (values == high + 1)]:
                assert said[values == beyond][0] != outcome_of(flip)
            n_found += 1
    assert n_found > 5


def test_records_between_the_values_and_floats_without_digits():
    variables = IntervalVariables.of(np.array([[0.1], [900.3]]), ["a"])
    grid = Grid(np.array([1]))
    for value, other in ((2.55, 7.2), (2.5, 7.2), (-5.0, 7.2)):
        (flip,) = find_flips(
            variables, np.array([value]), np.array([0]), lambda X: X[:, 0] > 7.13, grid=grid
        )
        assert flip.other == other
        assert flip.label
    (flip,) = flips_if_known(
        variables, np.array([np.nan]), lambda X: X[:, 0] > 7.13, False, grid=grid
    )
    assert flip.text == "a (missing) -> at least 7.2"
    single = np.float32([[0.1], [0.2], [0.7], [0.3]] * 20)
    clf = EvidentialRuleClassifier(random_state=0).fit(single, np.arange(80) % 2)
    assert clf.support_.known.decimals.tolist() == [-1]


def test_a_model_file_holds_the_digits_and_need_not(model, tmp_path):
    clf, frame, _ = model
    clf.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    row = frame.iloc[0]
    assert list(map(str, again.explain(row).flips)) == list(map(str, clf.explain(row).flips))
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["support"].pop("decimals") == [0, 0, 1, -1]
    (tmp_path / "older.json").write_text(json.dumps(document))
    older = load(tmp_path / "older.json")
    assert older.support_.known.decimals is None
    rows = [older.explain(frame.iloc[k]) for k in range(10)]
    texts = [str(flip) for explanation in rows for flip in explanation.flips]
    assert any("." in text.split("-> ")[1].split(" ")[0] for text in texts if "age" in text)
    older.save(tmp_path / "again.json")
    assert "decimals" not in json.loads((tmp_path / "again.json").read_text())["support"]


@pytest.mark.parametrize("digits", [[0, 0, 1], [0, 0, 1, 16], [0, 0.5, 1, 0], "0"])
def test_wrong_digits_in_a_file_are_refused(digits, model, tmp_path):
    clf, _, _ = model
    clf.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    document["support"]["decimals"] = digits
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"support\.decimals"):
        load(tmp_path / "model.json")


def test_the_page_finds_the_same_changes_and_its_sliders_keep_to_the_grid(model, open_page):
    clf, frame, y = model
    page = open_page(clf, frame, y)
    rows = frame.to_numpy()[:20].copy()
    rows[::4, 0], rows[1::4, 2] = np.nan, np.nan
    rows[2, 0] = 40.5
    found = page.evaluate(EVALUATE, as_json(rows))
    for r, row in zip(found, rows, strict=True):
        flips = clf.explain(as_frame(row)).flips
        assert [plain(f["words"]) for f in r["flips"]] == list(map(str, flips))
    page.evaluate("row => WHAT_IF.setRecord(row)", frame.iloc[5].tolist())
    for f, (name, digits) in enumerate(DIGITS.items()):
        if digits is None:
            continue
        slider = page.locator(f"#input-{f}")
        before = page.evaluate(f"WHAT_IF.record[{f}]")
        slider.press("ArrowLeft")
        value = page.evaluate(f"WHAT_IF.record[{f}]")
        assert value < before
        assert value in grid_of(frame, name)
