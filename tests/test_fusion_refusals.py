"""Models that do not fit together, and arguments that make no sense, are refused."""

import numpy as np
import pandas as pd
import pytest

import fuzzyucs
from fusing import learned, shards
from fuzzyucs import EvidentialRuleClassifier, fuse
from fuzzyucs.variables.table_form import DateForm, TableForm


@pytest.fixture(scope="module")
def models():
    return {name: learned(*part) for name, part in shards().items()}


def with_form(path, **form):
    changed = fuzzyucs.load(path)
    changed.table_form_ = TableForm(**form)
    return changed


def test_models_that_do_not_fit_together_are_refused(models, tmp_path):
    frame, y = shards()["north"]
    other = learned(frame, np.where(y == "mild", "middling", y))
    with pytest.raises(ValueError, match=r"same classes.*'mild'.*'middling'.*partial_fit"):
        fuse({"a": models["north"], "b": other})
    numbers = learned(frame.assign(colour=1.5), y)
    with pytest.raises(ValueError, match="'colour': it holds categories in 'a' and numbers in 'b'"):
        fuse({"a": models["north"], "b": numbers})
    grades = frame.assign(grade=frame["grade"].cat.set_categories(["high", "middle", "low"]))
    with pytest.raises(ValueError, match="same ordered categories of 'grade'"):
        fuse({"a": models["north"], "b": learned(grades, y)})
    days = frame.assign(x=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(len(y)), "D"))
    with pytest.raises(ValueError, match="'x': it holds numbers in 'a' and dates without"):
        fuse({"a": models["north"], "b": learned(days, y)})
    codes = EvidentialRuleClassifier(nominal_features=["few"]).fit(frame[["few", "dose"]], y)
    more = frame.assign(few=np.arange(len(y), dtype=float))
    as_numbers = EvidentialRuleClassifier().fit(more[["few", "dose"]], y)
    with pytest.raises(ValueError, match="'few': it holds numbers without order in 'a'"):
        fuse({"a": codes, "b": as_numbers})
    assert fuse({"a": codes, "b": EvidentialRuleClassifier().fit(frame[["few"]], y)}).predict(
        frame[["few", "dose"]]
    ).shape == (len(y),)
    path = models["north"].save(tmp_path / "north.json")
    kilo, pound = (with_form(path, units={"dose": unit}) for unit in ("kg", "lb"))
    with pytest.raises(ValueError, match="same units: 'dose' is in 'kg' in 'a' and 'lb' in 'b'"):
        fuse({"a": kilo, "b": pound})
    assert fuse({"a": kilo, "b": models["south"]}).table_form_.units == {"dose": "kg"}
    dated = [with_form(path, dates={"on": DateForm("ISO8601", f"20{k}0-01-01")}) for k in (1, 2)]
    with pytest.raises(ValueError, match="'on' has dates as ISO8601"):
        fuse(dated)


def test_bad_arguments_are_refused(models):
    own = list(models.values())
    for reliability, expected in [
        ([1, 1], "a number for each of the 3 models"),
        ([1, 1, -1], "from 0 on"),
        ([1, np.nan, 1], "from 0 on"),
        ([0, 0, 0], "above 0 for at least one"),
        ("much", "must hold numbers"),
        ({"east": 1}, "there is no model 'east'"),
    ]:
        with pytest.raises(ValueError, match=expected):
            fuse(own, reliability)
    with pytest.raises(ValueError, match="at least one model"):
        fuse([])
    with pytest.raises(TypeError, match="a sequence of models"):
        fuse(own[0])
    with pytest.raises(TypeError, match="'model 1' must be an EvidentialRuleClassifier"):
        fuse([fuzzyucs.UCSClassifier()])
    with pytest.raises(ValueError, match="X and y must be given together"):
        fuse(own, X=[[1.0]])
    with pytest.raises(ValueError, match="reliability must be None"):
        fuse(own, [1, 1, 1], X=[[1.0]], y=[1])
    with pytest.raises(ValueError, match="base_rates"):
        fuse(own, base_rates=[0.5, 0.5])
