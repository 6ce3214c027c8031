"""The callback of the flagship's fit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from fuzzyucs import EvidentialRuleClassifier, SizeReport


@pytest.fixture(scope="module")
def data():
    return load_breast_cancer(return_X_y=True)


def test_each_penalty_is_reported(data):
    reports = []
    clf = EvidentialRuleClassifier().fit(*data, callback=reports.append)
    same = EvidentialRuleClassifier().fit(*data)
    assert clf.rules_.to_text() == same.rules_.to_text()
    assert all(isinstance(report, SizeReport) for report in reports)
    assert {report.terms for report in reports} == {"narrow", "broad"}
    for terms in ("narrow", "broad"):
        own = [report for report in reports if report.terms == terms]
        assert (np.diff([report.penalty for report in own]) < 0).all()
    seconds = [report.seconds for report in reports]
    assert seconds == sorted(seconds)
    # The path that was taken is one of the two that were reported.
    found = pd.DataFrame([vars(report) for report in reports])
    taken = [
        own
        for _, own in found.groupby("terms")
        if len(own) == len(clf.path_["penalty"]) and (own["n_rules"] == clf.path_["n_rules"]).all()
    ]
    assert taken
    np.testing.assert_array_equal(taken[0]["log_loss"], clf.path_["log_loss"])
    np.testing.assert_array_equal(taken[0]["accuracy"], clf.path_["accuracy"])


@pytest.mark.parametrize("n_reports", [1, 4])
def test_a_callback_ends_the_search(data, n_reports):
    reports = []

    def stop(report):
        reports.append(report)
        return len(reports) == n_reports

    clf = EvidentialRuleClassifier().fit(*data, callback=stop)
    assert len(reports) == n_reports == len(clf.path_["penalty"])
    assert clf.score(*data) > 0.8


def test_an_error_of_the_callback_leaves_the_model_as_it_was(data):
    clf = EvidentialRuleClassifier().fit(*data)
    before = clf.rules_.to_text()

    def fail(_):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        clf.fit(*data, callback=fail)
    assert clf.rules_.to_text() == before


def test_what_is_no_callback_is_refused(data, tmp_path):
    with pytest.raises(TypeError, match="callback must be callable, got int"):
        EvidentialRuleClassifier().fit(*data, callback=60)
    pd.DataFrame({"x": [0.0, 1.0], "y": [0, 1]}).to_parquet(tmp_path / "data.parquet")
    with pytest.raises(ValueError, match="callback is for tables in memory"):
        EvidentialRuleClassifier().fit(tmp_path / "data.parquet", "y", callback=print)
