"""The commands: each parses, calls the library and prints.

What takes long to import is imported by the commands that need it, so that help comes at once.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fuzzyucs.cli.tables.columns import TableReader
    from fuzzyucs.estimators.base import RuleClassifier
    from fuzzyucs.rules.rule_set import RuleSet

__all__ = ["app", "run"]

# Depending on the version of typer this class is its own or click's.
UsageError: Any = typer.BadParameter.__bases__[0]

app = typer.Typer(
    help="Classification by rules that knows what it does not know.",
    epilog="Start with: fuzzyucs demo",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def run(arguments: Sequence[str]) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str
        Its name and what follows.

    Returns
    -------
    int
        Exit status. Wrong arguments, and requests for help, exit.
    """
    command = typer.main.get_command(app)
    try:
        with command.make_context("fuzzyucs", list(arguments) or ["--help"]) as context:
            status: int | None = command.invoke(context)
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except UsageError as error:
        name = error.ctx.command_path if error.ctx is not None else "fuzzyucs"
        print(f"{name}: {error.format_message()}\nTry '{name} --help'.", file=sys.stderr)
        sys.exit(2)
    return status or 0


class Estimator(StrEnum):
    """Classifiers to choose from."""

    evidential = "evidential"
    fuzzyucs = "fuzzyucs"
    ucs = "ucs"


class Format(StrEnum):
    """Ways to write rules."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    html = "html"
    csv = "csv"
    json = "json"


# Checks of single options


def _at_least(least: int) -> Any:
    def check(number: int | None) -> int | None:
        if number is not None and number < least:
            raise typer.BadParameter(f"must be at least {least}, got {number}")
        return number

    return check


def _share(number: float) -> float:
    if not 0 < number < 1:
        raise typer.BadParameter(f"must lie between 0 and 1, got {number:g}")
    return number


def _decimal(text: str | None) -> str | None:
    if text not in (None, ".", ","):
        raise typer.BadParameter(f"must be . or , got {text!r}")
    return text


def _separator(text: str | None) -> str | None:
    text = {"tab": "\t", "\\t": "\t"}.get(text or "", text)
    if text is not None and len(text) != 1:
        raise typer.BadParameter(f"must be one character, or the word tab, got {text!r}")
    return text


# Options that several commands share

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV or Parquet file with names of columns; - reads standard input.",
        show_default=False,
    ),
]
Model = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="File written by fuzzyucs fit.", show_default=False),
]
Target = Annotated[
    str, typer.Option("--target", metavar="NAME", help="Column that holds the class.")
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        "--nominal",
        metavar="NAME",
        help="Column of codes without order, such as postcodes. May be repeated; text always is.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="NAME", help="Column to leave out. May be repeated."),
]
Markers = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-marker",
        metavar="TEXT",
        help="What means a missing value, besides empty cells, NA, N/A, NaN, null, ?, - and a "
        "point. May be repeated; name it to predict, too.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--sep",
        metavar="CHARACTER",
        callback=_separator,
        help="What separates columns (default: found by looking).",
    ),
]
DecimalMark = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="CHARACTER",
        callback=_decimal,
        help="What stands before fractions, . or , (default: found by looking).",
    ),
]
Kind = Annotated[
    Estimator,
    typer.Option(
        "--estimator",
        metavar="NAME",
        help="evidential (few weighted rules), fuzzyucs or ucs (the article's systems).",
    ),
]
MaxRules = Annotated[
    int | None,
    typer.Option(
        "--max-rules",
        metavar="NUMBER",
        callback=_at_least(1),
        help="Greatest number of rules (evidential).",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="NUMBER", help="Of everything random.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON for machines.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Do not tell what was found in the file.")
]


@app.command(epilog="Example: fuzzyucs demo -o iris.csv")
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
    """See it at work on irises of three species."""
    if output is not None:
        _check_output(output)
    from sklearn.model_selection import train_test_split

    from fuzzyucs import EvidentialRuleClassifier
    from fuzzyucs._util.optional import import_pandas
    from fuzzyucs.datasets import load_embedded

    pandas = import_pandas()
    iris = load_embedded("iris", as_frame=True)
    species = iris.target_names[iris.target]
    X, X_test, y, y_test = train_test_split(iris.data, species, stratify=species, random_state=0)
    clf = EvidentialRuleClassifier(random_state=0).fit(X, y)
    print(f"Rules learned from {len(X)} irises, the whole model:\n")
    print(clf.rules_.to_text())
    right = clf.score(X_test, y_test)
    print(f"\nOf {len(X_test)} irises that it has not seen, {right:.0%} are named rightly.")
    evidence = clf.predict_evidence(X_test)
    least_sure = int(evidence.confidence.argmin())
    print("It is least sure of this one:\n")
    print(clf.explain(X_test.iloc[[least_sure]]))
    giant = pandas.DataFrame([iris.data.max() * 3], columns=iris.data.columns)
    unknown = clf.predict_evidence(giant).ignorance[0]
    print("\nOf a flower three times as large as any iris it says: I don't know")
    print(f"(ignorance {unknown:.2f}, where 1 is total).")
    if output is not None:
        _write(output, iris.data.assign(species=species).to_csv(index=False, lineterminator="\n"))
        print(f"\nNext: fuzzyucs fit {output} --target species -o model.json")
    else:
        print("\nNext: fuzzyucs demo -o iris.csv, then fuzzyucs fit iris.csv --target species")


@app.command(epilog="Example: fuzzyucs fit patients.csv --target outcome -o model.json")
def fit(
    data: Data,
    target: Target,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The model to write.")
    ] = Path("model.json"),
    estimator: Kind = Estimator.evidential,
    max_rules: MaxRules = None,
    seed: Seed = 0,
    nominal: Nominal = None,
    drop: Drop = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Learn rules from a table and keep them in a file."""
    _check_output(output)
    clf = _classifier(estimator, max_rules, seed, quiet)
    reader = _reader(data, sep, decimal, missing_marker)
    X, y = reader.training_data(target, nominal=nominal or (), drop=drop or ())
    _tell(reader, quiet)
    clf.fit(X, y)
    clf.save(output)
    rules, right = clf._deciding_rules(), float(clf.score(X, y))
    if as_json:
        _print_json(
            {
                "model": str(output),
                "estimator": type(clf).__name__,
                "rows": len(X),
                "features": list(X.columns),
                "classes": clf.classes_.tolist(),
                "rules": len(rules),
                "training_accuracy": right,
            }
        )
    else:
        print(f"{output}: {len(rules)} rules, {right:.1%} right on the data learned from")
    if missing_marker and not quiet:
        print(
            "fuzzyucs: predict and explain need the same --missing-marker, which a model file does "
            "not remember",
            file=sys.stderr,
        )
    if not len(rules):
        print(
            "fuzzyucs: no rule was found: the model gives every row the same answer; more rows or "
            "other columns may help",
            file=sys.stderr,
        )


@app.command(epilog="Example: fuzzyucs predict model.json patients.csv > predictions.csv")
def predict(
    model: Model,
    data: Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File to write (default: standard output)."
        ),
    ] = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Classify the rows of a table: class, probabilities, ignorance and novelty of each."""
    if output is not None:
        _check_output(output)
    clf = _load(model)
    reader = _reader(data, sep, decimal, missing_marker)
    X = _features(clf, reader)
    _tell(reader, quiet)
    from fuzzyucs._util.optional import import_pandas

    evidence = clf.predict_evidence(X)
    columns = {"prediction": clf.predict(X)}
    for label, probability in zip(clf.classes_, clf.predict_proba(X).T, strict=True):
        columns[f"probability of {label}"] = probability
    columns["ignorance"] = evidence.ignorance
    columns["novelty"] = evidence.novelty
    frame = import_pandas().DataFrame(columns)
    if as_json:
        text = frame.to_json(orient="records", indent=1, double_precision=15) + "\n"
    else:
        text = frame.to_csv(index=False, float_format="%.6g", lineterminator="\n")
    _write(output, text)


@app.command(epilog="Example: fuzzyucs evaluate patients.csv --target outcome --folds 10")
def evaluate(
    data: Data,
    target: Target,
    folds: Annotated[
        int, typer.Option("--folds", metavar="NUMBER", callback=_at_least(2), help="Parts.")
    ] = 5,
    estimator: Kind = Estimator.evidential,
    max_rules: MaxRules = None,
    seed: Seed = 0,
    nominal: Nominal = None,
    drop: Drop = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Measure on each part of a table what was learned from the other parts."""
    clf = _classifier(estimator, max_rules, seed, quiet)
    reader = _reader(data, sep, decimal, missing_marker)
    X, y = reader.training_data(target, nominal=nominal or (), drop=drop or ())
    _tell(reader, quiet)
    measures = _cross_validate(clf, X, y, folds, seed)
    if as_json:
        document = {
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
        _print_json(document)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("measure", box=None, pad_edge=False)
    for heading in ("mean", "± spread", "least", "greatest"):
        table.add_column(heading, justify="right")
    for name, values in measures.items():
        numbers = values.mean(), values.std(ddof=1), values.min(), values.max()
        table.add_row(name.replace("_", " "), *(f"{number:.3f}" for number in numbers))
    Console(highlight=False).print(table)


def _cross_validate(clf: RuleClassifier, X: Any, y: Any, folds: int, seed: int) -> dict[str, Any]:
    """Return measures of each fold."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.metrics import log_loss
    from sklearn.model_selection import StratifiedKFold

    from fuzzyucs.metrics import area_under_risk_coverage, calibration_error

    labels, counts = np.unique(y, return_counts=True)
    if counts.min() < folds:
        rarest = labels[counts.argmin()]
        raise ValueError(
            f"--folds: class {str(rarest)!r} has only {counts.min()} rows, too few for {folds} "
            "folds; take fewer, at least 2, or leave out rare classes"
        )
    found: dict[str, list[float]] = {}
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y)
    for train, test in splits:
        model = clone(clf).fit(X.iloc[train], y[train])
        X_test, truth = X.iloc[test], y[test]
        probability, answers = model.predict_proba(X_test), model.predict(X_test)
        evidence = model.predict_evidence(X_test)
        measures = {
            "accuracy": float((answers == truth).mean()),
            "accuracy_of_the_most_frequent_class": float((truth == labels[counts.argmax()]).mean()),
            "log_loss": log_loss(truth, probability, labels=model.classes_),
            "calibration_error": calibration_error(truth, probability, classes=model.classes_),
            "area_under_risk_coverage": area_under_risk_coverage(
                truth, answers, evidence.confidence
            ),
            "ignorance": float(evidence.ignorance.mean()),
            "rules": float(len(model._deciding_rules())),
        }
        for name, value in measures.items():
            found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


@app.command(epilog="Example: fuzzyucs rules model.json --class ill --top 5 --format markdown")
def rules(
    model: Model,
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="NUMBER", callback=_at_least(1), help="So many at most."),
    ] = None,
    label: Annotated[
        str | None, typer.Option("--class", metavar="LABEL", help="Only rules for this class.")
    ] = None,
    feature: Annotated[
        list[str] | None,
        typer.Option(
            "--feature",
            metavar="NAME",
            help="Only rules that ask something of this feature. May be repeated.",
        ),
    ] = None,
    style: Annotated[
        Format,
        typer.Option("--format", metavar="NAME", help="text, markdown, latex, html, csv or json."),
    ] = Format.text,
) -> None:
    """Write the rules of a model, the weightiest first."""
    clf = _load(model)
    chosen = _choose_rules(clf, label, feature)[:top]
    if not len(chosen):
        print(f"fuzzyucs: no rule of {model} is like that", file=sys.stderr)
    writers: dict[Format, Callable[[], str | None]] = {
        Format.text: chosen.to_text,
        Format.markdown: chosen.to_markdown,
        Format.latex: chosen.to_latex,
        Format.html: chosen.to_html,
        Format.csv: chosen.to_csv,
        Format.json: chosen.to_json,
    }
    print((writers[style]() or "").rstrip("\n"))


def _choose_rules(clf: RuleClassifier, label: str | None, features: list[str] | None) -> RuleSet:
    from fuzzyucs.cli.tables.columns import closest
    from fuzzyucs.rules import WeightedRuleSet

    found = clf._deciding_rules()
    if not isinstance(found, WeightedRuleSet):  # which are in order
        found = found.sort("numerosity")
    labels = {str(known): known for known in clf.classes_.tolist()}
    if label is not None and label not in labels:
        raise ValueError(
            f"--class: the model knows {', '.join(map(repr, labels))}, got {label!r}"
            f"{closest(label, labels)}"
        )
    names = found.variables.feature_names
    for name in features or ():
        if name not in names:
            raise ValueError(
                f"--feature: the model has no feature {name!r}{closest(name, names)}\n  "
                f"it has {', '.join(map(repr, names))}"
            )
    return found.filter(feature=features, label=None if label is None else labels[label])


@app.command(epilog="Example: fuzzyucs explain model.json patients.csv --row 3")
def explain(
    model: Model,
    data: Data,
    row: Annotated[
        int,
        typer.Option(
            "--row", metavar="NUMBER", callback=_at_least(1), help="Which, counting from 1."
        ),
    ] = 1,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    as_json: AsJson = False,
    as_html: Annotated[bool, typer.Option("--html", help="Write a piece of HTML.")] = False,
    quiet: Quiet = False,
) -> None:
    """Tell why a row is classified as it is: what each rule said for and against it."""
    if as_json and as_html:
        raise typer.BadParameter("--json and --html exclude each other")
    clf = _load(model)
    reader = _reader(data, sep, decimal, missing_marker)
    if row > reader.table.n_rows:
        raise ValueError(f"--row: {reader.table.name} has {reader.table.n_rows} rows, got {row}")
    X = _features(clf, reader)
    _tell(reader, quiet)
    explanation = clf.explain(X[row - 1 : row])
    if as_json:
        _print_json(explanation.to_dict())
    else:
        print(explanation.to_html() if as_html else explanation)


@app.command(
    short_help="Write a page about a model, to look at in a browser.",
    epilog="Examples: fuzzyucs report patients.csv --target outcome -o patients.html, or with a "
    "model: fuzzyucs report model.json patients.csv --target outcome",
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
            callback=_share,
            help="Share of the rows to measure on, if there is no model yet.",
        ),
    ] = 0.25,
    seed: Annotated[
        int, typer.Option("--seed", metavar="NUMBER", help="Of the split and the search.")
    ] = 0,
    title: Annotated[
        str | None, typer.Option("--title", help="Title of the page (default: name of the file).")
    ] = None,
    description: Annotated[
        str | None, typer.Option("--description", help="What the model is for.")
    ] = None,
    nominal: Nominal = None,
    drop: Drop = None,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    quiet: Quiet = False,
) -> None:
    """Write one HTML file: model card, accuracy, uncertainty, rules, and a form to try the model.

    Without a model, rules are learned from a part of the table and measured on the rest.
    """
    if len(files) > 2:
        raise typer.BadParameter("expected a table, or a model and a table")
    _check_output(output)
    *models, data = files
    if models:
        clf = _load(Path(models[0]))
        reader = _reader(data, sep, decimal, missing_marker)
        y_test = reader.labels_for(target, clf.classes_)
        X_test = _features(clf, reader)
        _tell(reader, quiet)
    elif data.endswith(".json"):
        raise ValueError(f"a report on {data} needs a table to measure it on, too")
    else:
        from sklearn.model_selection import train_test_split

        clf = _classifier(Estimator.evidential, None, seed, quiet)
        reader = _reader(data, sep, decimal, missing_marker)
        X, y = reader.training_data(target, nominal=nominal or (), drop=drop or ())
        _tell(reader, quiet)
        parts = train_test_split(X, y, test_size=test_size, random_state=seed)
        X_train, X_test, y_train, y_test = parts
        clf.fit(X_train, y_train)
    name = title or Path(reader.table.name).stem
    written = clf.report(X_test, y_test, output, title=name, description=description)
    print(
        f"{written}: {len(clf._deciding_rules())} rules, "
        f"{clf.score(X_test, y_test):.1%} right on {'these data' if models else 'held-out'}"
    )


@app.command(
    epilog="Example: fuzzyucs reproduce --datasets irs,wne --runs 10 --epochs 10 --output results"
)
def reproduce(
    only: Annotated[
        str | None, typer.Option("--only", metavar="TABLES", help="E.g. table3, or f1_10,acc_10.")
    ] = None,
    datasets: Annotated[
        str | None, typer.Option("--datasets", help="E.g. irs,wne (default: all of a table).")
    ] = None,
    systems: Annotated[
        str | None, typer.Option("--systems", help="E.g. fuzzyucs,ucs (default: all).")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option("--epochs", callback=_at_least(1), help="Only tables of so many epochs."),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", callback=_at_least(1), help="Splits.")] = 30,
    output: Annotated[Path, typer.Option("--output", help="Folder to write to.")] = Path("results"),
    data_dir: Annotated[
        str | None, typer.Option("--data-dir", help="Folder of the data (default: FUZZYUCS_DATA).")
    ] = None,
    embedded: Annotated[
        bool, typer.Option("--embedded", help="Only data that come with Python.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; -1 takes all cores.")] = -1,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", help="Address of a Dask scheduler, tcp://...")
    ] = None,
    no_figures: Annotated[bool, typer.Option("--no-figures", help="Tables only.")] = False,
    list_only: Annotated[
        bool, typer.Option("--list", help="List tables and systems, then stop.")
    ] = False,
) -> int:
    """Repeat the article's evaluation and report it beside the published numbers.

    A run that is stopped, however rudely, goes on where it was when it is started again.
    """
    try:
        from fuzzyucs.experiment import reproduce as evaluation
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{error.name} is missing; install what experiments need: "
            "pip install 'fuzzyucs[experiment]'"
        ) from None
    if list_only:
        print(evaluation.overview())
        return 0
    return evaluation.reproduce(
        folder=output,
        tables=_names(only),
        datasets=_names(datasets),
        systems=_names(systems),
        epochs=epochs,
        runs=runs,
        data_dir=data_dir or os.environ.get("FUZZYUCS_DATA"),
        embedded=embedded,
        n_jobs=jobs,
        scheduler=scheduler,
        figures=not no_figures,
    )


# What commands have in common


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name for name in text.split(",") if name]


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


def _load(path: Path) -> RuleClassifier:
    if not path.is_file():
        raise FileNotFoundError(f"there is no model {path}; 'fuzzyucs fit' writes one")
    from fuzzyucs import load

    try:
        return load(path)
    except ValueError as error:
        raise ValueError(f"{error}; expected a file that 'fuzzyucs fit' wrote") from error


def _reader(
    data: str, separator: str | None, decimal: str | None, markers: list[str] | None
) -> TableReader:
    from fuzzyucs.cli.tables.columns import TableReader
    from fuzzyucs.cli.tables.file import read_table

    table = read_table(data, separator=separator)
    # The option's callback lets nothing else through than a point or a comma.
    return TableReader(table, markers=markers or (), decimal=decimal)  # type: ignore[arg-type]


def _features(clf: RuleClassifier, reader: TableReader) -> Any:
    """Return the columns that a model asks for."""
    has_names = hasattr(clf, "feature_names_in_")
    names = clf.feature_names_in_.tolist() if has_names else list(reader.table.columns)
    if len(names) != clf.n_features_in_:
        raise ValueError(
            f"the model knows its {clf.n_features_in_} features by their order only, but "
            f"{reader.table.name} has {len(names)} columns"
        )
    categories = clf.columns_.categories
    wanted = {
        name: categories[i].labels if i in categories else None for i, name in enumerate(names)
    }
    frame = reader.features_for(wanted)
    return frame if has_names else frame.to_numpy()


def _tell(reader: TableReader, quiet: bool) -> None:
    if not quiet:
        print(reader.summary(), file=sys.stderr)


def _check_output(path: Path) -> None:
    """Refuse what cannot be written before any work is done."""
    if path.exists() and not path.is_file():
        raise ValueError(f"--output must name a file, but {path} is something else")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"--output: there is no folder {path.parent} to write to")


def _write(path: Path | None, text: str) -> None:
    if path is None:
        sys.stdout.write(text)
        return
    from fuzzyucs._util.files import write_text

    write_text(path, text)


def _print_json(document: Any) -> None:
    print(json.dumps(document, indent=1, allow_nan=False, default=str))
