"""Commands that learn from a table: demo, fit, evaluate, report."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzyucs._util.wording import percent
from fuzzyucs._util.wrapping import Line
from fuzzyucs.cli.inputs import features_for, load_model, open_table, print_summary
from fuzzyucs.cli.options import (
    AsJson,
    BaseRates,
    ClassWeight,
    Data,
    DecimalMark,
    Drop,
    Estimator,
    Kind,
    Markers,
    MaxRules,
    Memory,
    Nominal,
    Quiet,
    Seed,
    Separator,
    Sizes,
    Target,
    at_least,
    random_seed,
    share,
)
from fuzzyucs.cli.outputs import check_output, writing
from fuzzyucs.cli.terminal import (
    print_explanation,
    print_json,
    print_lines,
    print_message,
    print_table,
    print_text,
    print_verdict,
)

if TYPE_CHECKING:
    from fuzzyucs.estimators.base import RuleClassifier

__all__ = ["demo", "evaluate", "fit", "report"]


def demo(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the table there, to try the other commands with.",
        ),
    ] = None,
) -> None:
    """Demonstrate everything on irises of three species."""
    if output is not None:
        check_output(output)
    from sklearn.model_selection import train_test_split

    from fuzzyucs import EvidentialRuleClassifier
    from fuzzyucs._util.files import write_text
    from fuzzyucs._util.optional import import_pandas
    from fuzzyucs.datasets import load_embedded

    iris = load_embedded("iris", as_frame=True)
    species = iris.target_names[iris.target]
    X, X_test, y, y_test = train_test_split(iris.data, species, stratify=species, random_state=0)
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    found = clf.answer(X_test)
    accuracy, least_sure = (found.labels == y_test).mean(), found.evidence.confidence.argmin()
    giant = import_pandas().DataFrame([iris.data.max() * 3], columns=iris.data.columns)
    print_text(f"Rules learned from {len(X)} irises, the whole model:\n")
    print_lines(clf.deciding_rules.text_lines(), clf.classes_)
    print_text(f"\nAccuracy on {len(X_test)} other irises: {percent(accuracy, 1)}.")
    print_text("The least certain of these predictions:\n")
    print_explanation(clf.explain(X_test.iloc[[least_sure]]))
    print_text("\nThe verdict on a flower three times as large as any iris:\n")
    print_verdict(clf.explain(giant))
    if output is None:
        print_text("\nNext: fuzzyucs demo -o iris.csv, then fuzzyucs fit iris.csv --target species")
        return
    with writing(output):
        table = iris.data.assign(species=species)
        write_text(output, table.to_csv(index=False, lineterminator="\n"))
        name = shlex.quote(str(output))
        print_text(f"\nNext: fuzzyucs fit {name} --target species -o model.json", is_command=True)


def fit(
    data: Data,
    target: Target,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The model to write.")
    ] = Path("model.json"),
    estimator: Kind = Estimator.evidential,
    max_rules: MaxRules = None,
    sizes: Sizes = False,
    base_rates: BaseRates = None,
    class_weight: ClassWeight = None,
    seed: Seed = 0,
    nominal: Nominal = None,
    drop: Drop = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Learn rules from a table and save them in a file."""
    check_output(output, [data])
    clf = _classifier(estimator, max_rules, seed, quiet)
    _check_kind(estimator, base_rates=base_rates, class_weight=class_weight, sizes=sizes or None)
    from fuzzyucs.cli.training_files import classes_in, is_for_batches, open_batches

    X: Any
    y: Any
    if is_for_batches(data, memory):
        options = {"nominal": nominal, "missing_marker": missing_marker}
        X = open_batches(data, target, drop or (), memory, sep=sep, decimal=decimal, **options)
        y, n_rows, names = target, X.n_rows, X.names
        clf.set_params(**_numbers_of_classes(base_rates, class_weight, classes_in(X)))
    else:
        reader = open_table(data, sep, decimal, missing_marker)
        X, y = reader.training_data(target, nominal=nominal or (), drop=drop or ())
        n_rows, names = len(X), list(X.columns)
        clf.set_params(**_numbers_of_classes(base_rates, class_weight, y))
        print_summary(reader, quiet)
    clf.fit(X, y)
    accuracy = float(clf.score(X, y))
    with writing(output):
        clf.save(output)
        if as_json:
            print_json(
                {
                    "model": str(output),
                    "estimator": type(clf).__name__,
                    "rows": n_rows,
                    "features": names,
                    "classes": clf.classes_.tolist(),
                    "rules": len(clf.deciding_rules),
                    "training_accuracy": accuracy,
                    **({"sizes": _sizes(clf)} if sizes else {}),
                    **clf.deciding_rules.model_as_dict(),
                }
            )
        else:
            print_text(f"{output}: {_n_rules(clf)}, training accuracy {percent(accuracy, 1)}")
            if estimator is Estimator.evidential:
                print_lines([Line(clf.deciding_rules.note)], clf.classes_)
            if sizes:
                _print_sizes(clf)
        if missing_marker and not quiet:
            print_message(
                "fuzzyucs: predict and explain need the same --missing-marker; the model file does "
                "not hold it"
            )
        if not len(clf.deciding_rules):
            print_message(
                "fuzzyucs: no rule was found: the model gives every row the same answer; more rows "
                "or other columns may help"
            )


def evaluate(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] DATA",
            help="Table to learn from and to measure on, in turn, or a model and a table to "
            "measure it on, which is read piece by piece.",
            show_default=False,
        ),
    ],
    target: Target,
    folds: Annotated[
        int | None,
        typer.Option("--folds", metavar="NUMBER", callback=at_least(2), help="Parts (default: 5)."),
    ] = None,
    estimator: Kind = Estimator.evidential,
    max_rules: MaxRules = None,
    base_rates: BaseRates = None,
    class_weight: ClassWeight = None,
    seed: Seed = 0,
    nominal: Nominal = None,
    drop: Drop = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Cross-validate: measure on each part of a table a model learned from the other parts.

    With a model, measure that on all rows.
    """
    if len(files) > 2:
        raise typer.BadParameter("expected a table, or a model and a table")
    *models, data = files
    if models:
        from fuzzyucs.cli.measuring import evaluate_model

        _refuse_training(
            folds=folds, max_rules=max_rules, class_weight=class_weight, nominal=nominal, drop=drop
        )
        evaluate_model(
            Path(models[0]),
            data,
            target,
            base_rates=base_rates,
            table_options=(sep, decimal, missing_marker),
            as_json=as_json,
            quiet=quiet,
        )
        return
    folds = folds or 5
    clf = _classifier(estimator, max_rules, seed, quiet)
    _check_kind(estimator, base_rates=base_rates, class_weight=class_weight)
    reader = open_table(data, sep, decimal, missing_marker)
    X, y = reader.training_data(target, nominal=nominal or (), drop=drop or ())
    clf.set_params(**_numbers_of_classes(base_rates, class_weight, y))
    print_summary(reader, quiet)
    from fuzzyucs.cli.cross_validation import cross_validate
    from fuzzyucs.cli.measuring import print_measures

    measures, verdicts = cross_validate(clf, X, y, folds, seed)
    if not as_json:
        print_measures(
            ["mean", "± spread", "least", "greatest"],
            {
                name: [values.mean(), values.std(ddof=1), values.min(), values.max()]
                for name, values in measures.items()
            },
            verdicts,
        )
        return
    print_json(
        {
            "estimator": type(clf).__name__,
            "rows": len(X),
            "folds": folds,
            "measures": {
                name: {
                    "mean": float(values.mean()),
                    "spread": float(values.std(ddof=1)),
                    "folds": values.tolist(),
                }
                for name, values in measures.items()
            },
        }
        | ({"verdicts": verdicts} if verdicts else {})
    )


def report(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] DATA",
            help="CSV or Parquet file to learn from and to measure on, or a model and a file to "
            "measure it on.",
            show_default=False,
        ),
    ],
    target: Target,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page to write.")
    ] = Path("report.html"),
    test_size: Annotated[
        float,
        typer.Option(
            "--test-size",
            metavar="SHARE",
            callback=share,
            help="Share of the rows to measure on, if there is no model yet.",
        ),
    ] = 0.25,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="NUMBER",
            callback=random_seed,
            help="Seed of the split and the search.",
        ),
    ] = 0,
    title: Annotated[
        str | None, typer.Option("--title", help="Title of the page (default: name of the file).")
    ] = None,
    description: Annotated[
        str | None, typer.Option("--description", help="Purpose of the model.")
    ] = None,
    nominal: Nominal = None,
    drop: Drop = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    quiet: Quiet = False,
) -> None:
    """Write a page about a model, to read in a browser.

    It is one HTML file: model card, accuracy, uncertainty, rules, and a form to try the model.
    Without a model, rules are learned from a part of the table and measured on the rest.
    """
    if len(files) > 2:
        raise typer.BadParameter("expected a table, or a model and a table")
    check_output(output, files)
    *models, data = files
    if not models and data.endswith(".json"):
        raise ValueError(f"a report on {data} needs a table to measure it on, too")
    clf = load_model(Path(models[0])) if models else None
    reader = open_table(data, sep, decimal, missing_marker)
    if clf is not None:
        y_test = reader.labels_for(target, clf.classes_)
        X_test = features_for(clf, reader)
        print_summary(reader, quiet)
    else:
        from sklearn.model_selection import train_test_split

        clf = _classifier(Estimator.evidential, None, seed, quiet)
        X, y = reader.training_data(target, nominal=nominal or (), drop=drop or ())
        print_summary(reader, quiet)
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=test_size, random_state=seed
        )
        clf.fit(X_train, y_train)
    from fuzzyucs.report import write_report

    answer = clf.answer(X_test)
    accuracy = (answer.labels == y_test).mean()
    with writing(output):
        name = title or Path(reader.table.name).stem
        write_report(
            clf, X_test, y_test, output, title=name, description=description, answer=answer
        )
        rows = f"{len(y_test)} {'rows' if models else 'held-out rows'}"
        print_text(f"{output}: {_n_rules(clf)}, accuracy {percent(accuracy, 1)} on {rows}")


def _classifier(
    estimator: Estimator, max_rules: int | None, seed: int, quiet: bool
) -> RuleClassifier:
    from fuzzyucs import EvidentialRuleClassifier, FuzzyUCSClassifier, UCSClassifier

    verbose = int(sys.stderr.isatty() and not quiet)
    if estimator is Estimator.evidential:
        return EvidentialRuleClassifier(max_rules=max_rules, random_state=seed, verbose=verbose)
    if max_rules is not None:
        raise ValueError(
            f"--max-rules is for --estimator evidential; the rules of {estimator} evolve"
        )
    kind = FuzzyUCSClassifier if estimator is Estimator.fuzzyucs else UCSClassifier
    return kind(support="auto", random_state=seed, verbose=verbose)


def _check_kind(estimator: Estimator, **options: Any) -> None:
    """Refuse options that other estimators do not have."""
    for name, given in options.items():
        if given is not None and estimator is not Estimator.evidential:
            raise ValueError(f"--{name.replace('_', '-')} is for --estimator evidential")


def _refuse_training(**options: Any) -> None:
    """Refuse options of training where there is a model."""
    for name, given in options.items():
        if given is not None:
            raise ValueError(f"--{name.replace('_', '-')} is for training, but there is a model")


def _numbers_of_classes(
    base_rates: list[str] | None, class_weight: list[str] | None, y: Any
) -> dict[str, Any]:
    """Return the parameters of the estimator that have a number for each class."""
    import numpy as np

    from fuzzyucs.cli.class_numbers import numbers_by_class, read_base_rates

    found: dict[str, Any] = {}
    classes = np.unique(y).tolist()
    if base_rates is not None:
        rates = read_base_rates(base_rates, classes)
        # In the order of the classes, as model files have them.
        found["base_rates"] = rates if rates == "equal" else [rates[label] for label in classes]
    if class_weight == ["balanced"]:
        found["class_weight"] = "balanced"
    elif class_weight is not None:
        found["class_weight"] = numbers_by_class("--class-weight", class_weight, classes)
    return found


def _sizes(clf: Any) -> list[dict[str, Any]]:
    """Return what models of each size said about held-out rows, and which was chosen."""
    columns = (values.tolist() for values in clf.path_.values())
    found = [dict(zip(clf.path_, values, strict=True)) for values in zip(*columns, strict=True)]
    return [size | {"is_chosen": size["penalty"] == clf.penalty_} for size in found]


def _print_sizes(clf: Any) -> None:
    limit = "" if clf.max_rules is None else f", of which --max-rules leaves {_n_rules(clf)}"
    print_text(
        "\nSizes that were tried, and what they were worth on held-out rows (-> the one chosen"
        f"{limit}):\n"
    )
    print_table(
        ["", "rules", "accuracy", "log-loss"],
        [
            [
                "->" if size["is_chosen"] else "",
                f"{size['n_rules']:.1f}",
                f"{size['accuracy']:.3f}",
                f"{size['log_loss']:.3f}",
            ]
            for size in _sizes(clf)
        ],
    )


def _n_rules(clf: RuleClassifier) -> str:
    number = len(clf.deciding_rules)
    return f"{number} rule{'s' * (number != 1)}"
