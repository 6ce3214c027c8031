"""What is left as the last line of a cell, or typed at a prompt, is short and says something."""

import importlib
import inspect
import re
from pathlib import Path

import dask.array as da
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import load_breast_cancer

import fuzzyucs
from fuzzyucs import (
    Batches,
    EvidentialRuleClassifier,
    FuzzyUCSClassifier,
    RejectOption,
    SizeReport,
    UCSClassifier,
    fuse,
)
from fuzzyucs.deployment.description import describe
from fuzzyucs.evidence.profiles import fit_profiles
from fuzzyucs.experiment.plan import Job
from fuzzyucs.experiment.store import Store
from fuzzyucs.experiment.systems import SYSTEMS
from fuzzyucs.frames import Columns
from fuzzyucs.numpy_model import NumpyModel
from fuzzyucs.progress import ProgressBar
from fuzzyucs.rules.constraints import Constraints
from fuzzyucs.streams import EvidenceAlarm, StreamClassifier
from fuzzyucs.variables.excerpts import Excerpt
from fuzzyucs.variables.moving import RangeChange
from fuzzyucs.variables.times import TimeScale
from fuzzyucs.weighting import fit_weights
from markup import Elements

REFERENCE = Path(__file__).parent.parent / "docs" / "api"
LONGEST, MOST_LINES = 500, 12
ABSTRACT = {"Decision"}
# Displays of plots are as scikit-learn's: what they show is the picture.
PICTURES = "fuzzyucs.plots"


def public_classes():
    """Return the classes in the reference, by name."""
    found = {}
    for page in sorted(REFERENCE.glob("*.rst")):
        module, lists_names = "fuzzyucs", False
        for line in page.read_text().splitlines():
            if match := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = match[1]
            if line.strip() and not line.startswith(" "):
                lists_names = line.startswith(".. autosummary::")
            if lists_names and re.fullmatch(r"   [\w.]+", line):
                *inner, name = line.strip().split(".")
                value = getattr(importlib.import_module(".".join([module, *inner])), name)
                if inspect.isclass(value) and not value.__module__.startswith(PICTURES):
                    found[name] = value
    return found


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """Return an object of each public class, made from a table with 30 features."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X[::2], load_breast_cancer().target_names[y[::2]]
    clf = EvidentialRuleClassifier().fit(X, y)
    reports = []
    fuzzy = FuzzyUCSClassifier(epochs=2, random_state=0, calibrate=True, missing="belief")
    fuzzy.fit(X, y, callback=reports.append)
    crisp = UCSClassifier(epochs=1, random_state=0).fit(X.to_numpy(), y)
    weighted = FuzzyUCSClassifier(epochs=2, random_state=0, inference="weighted").fit(X, y)
    others = [
        FuzzyUCSClassifier(epochs=1, random_state=0, inference=inference).fit(X, y).decision
        for inference in ("swin", "vote")
    ]
    published = [
        FuzzyUCSClassifier(epochs=1, random_state=0, inference=inference, as_published=True)
        .fit(X, y)
        .decision
        for inference in ("ds", "vote")
    ]
    explanation = clf.explain(X.iloc[[0]])
    question = clf.next_question()
    strange = clf.explain(X.iloc[[0]] * 3)
    partition = clf.rules_.variables
    degrees = clf.membership(X)
    labels = (y == "malignant").astype(np.uint32)
    folder = tmp_path_factory.mktemp("reprs")
    table = pa.Table.from_pandas(X.assign(y=y), preserve_index=False)
    pq.write_table(table, folder / "cells.parquet")
    batches = Batches(folder / "cells.parquet", "y")
    many = pd.DataFrame({f"colour {i}": list("abcdefghij") * 3 for i in range(40)})
    columns = Columns.of(many)
    document = describe(clf)
    rule = "IF worst area >= 900 AND mean concave points >= 0.06 THEN malignant"
    experts = EvidentialRuleClassifier.from_rules(rule, list(X), classes=set(y))
    opinion = experts.assess_rules(X, y)
    numpy_model = NumpyModel(document)
    fused = fuse([clf, clf]).rules_
    made = [
        *(fused, fused.variables, fused.sources[0]),
        Constraints(tuple(X), (0, 1), monotonic=(1,) + (0,) * 29, apart=((0, 1),)),
        *(clf, fuzzy, crisp, RejectOption(clf, target_risk=0.05, cv="prefit").fit(X, y)),
        *(SizeReport("broad", 2.0, 17.5, 0.1, 0.97, 0.25), opinion, opinion[0]),
        *(reports[0], ProgressBar(), clf.decision, fuzzy.decision, crisp.decision),
        *(weighted.decision, *others, *published),
        *(clf.answer(X), *explanation.entries[:2], explanation, explanation.evidence),
        *(explanation.evidence.thresholds, explanation.verdict, explanation.flips[0]),
        *(question, question.best, question.replies[0], question.uncertainty),
        *(clf.rules_, fuzzy.rules_, weighted.weighted_rules_, fuzzy.tempering_),
        *(partition, crisp.rules_.variables, *partition.special.values()),
        *(*partition.borders.values(), columns, columns.categories[0], TimeScale("date")),
        *(clf.support_, strange.reasons[0], clf.support_.forest, clf.support_.known),
        fit_profiles(degrees, labels, 2, penalty=1.0),
        fit_weights(degrees, labels, 2, penalty=1.0),
        *(batches, next(batches.tables(batches.columns())), Excerpt.of(X[:3])),
        *(numpy_model, numpy_model.predict_evidence(X.to_numpy())),
        crisp.predict_evidence(da.from_array(X.to_numpy(), chunks=(300, 30))),
        *(StreamClassifier(seed=0), EvidenceAlarm()),
        RangeChange(3, "mean radius", (0.0, 1.0), (0.0, 2.0)),
        *(Job.of("ucs", "irs", 0, epochs=10), SYSTEMS["ucs"], Store(":memory:")),
    ]
    yield made
    made[-1].close()


def test_there_is_an_object_of_every_public_class(objects):
    covered = {kind.__name__ for thing in objects for kind in type(thing).__mro__}
    assert set(public_classes()) - ABSTRACT - covered == set()
    assert len(public_classes()) > 40


def test_every_public_object_is_shown_in_a_few_lines_that_say_something(objects):
    for thing in objects:
        text = repr(thing)
        assert type(thing).__name__ in text or "RuleSet" in text
        assert " at 0x" not in text, text
        assert len(text) <= LONGEST, text
        assert text.count("\n") < MOST_LINES, text
        assert re.search(r"[\w)]", text.replace(type(thing).__name__, "")) or "()" in text


def test_unfitted_estimators_show_their_parameters():
    assert repr(EvidentialRuleClassifier()) == "EvidentialRuleClassifier()"
    assert repr(UCSClassifier(epochs=3)) == "UCSClassifier(epochs=3)"


def test_html_of_public_objects_is_complete_and_not_long(objects):
    with_html = [thing for thing in objects if hasattr(thing, "_repr_html_")]
    shown = {type(thing).__name__ for thing in with_html}
    assert {"Evidence", "Explanation", "Answer", "ProfiledRuleSet"} <= shown
    for thing in with_html:
        if isinstance(thing, (fuzzyucs.Evidence, fuzzyucs.Explanation, tuple)):
            html = thing._repr_html_()
            Elements.of(html)
            assert len(html) < 100_000
            for hard in ("color:#", "color:black", "color:white", "fill='#000"):
                assert hard not in html.replace("background-color", "")
