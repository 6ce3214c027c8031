"""Commands that learn from a table: demo, fit, evaluate."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzyucs._util.wording import percent
from fuzzyucs._util.wrapping import Line
from fuzzyucs.cli.beside import TITLES, Beside, other
from fuzzyucs.cli.class_numbers import costs_of_errors
from fuzzyucs.cli.constraint_options import (
    Apart,
    ClassOrder,
    Interact,
    Monotonic,
    Price,
    PriceWeight,
    constraints_in,
)
from fuzzyucs.cli.expert_rules import fit_rules_alone, print_experts
from fuzzyucs.cli.inputs import (
    open_table,
    print_summary,
    target_for,
    training_data,
)
from fuzzyucs.cli.options import (
    AsJson,
    BaseRates,
    ClassWeight,
    Costs,
    Dates,
    DecimalMark,
    Drop,
    DropUnusable,
    Estimator,
    ExpertRules,
    Force,
    Kind,
    KnownTarget,
    Markers,
    MaxRules,
    Memory,
    Nominal,
    OptionalData,
    OptionalTarget,
    Order,
    Ordered,
    Quiet,
    Seed,
    Separator,
    Sizes,
    SkipUnlabelled,
    Types,
    at_least,
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

__all__ = ["demo", "evaluate", "fit"]


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
    force: Force = False,
) -> None:
    """Demonstrate everything on irises of three species."""
    if output is not None:
        check_output(output, force=force)
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
    data: OptionalData = None,
    target: OptionalTarget = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The model to write.")
    ] = Path("model.json"),
    force: Force = False,
    estimator: Kind = Estimator.evidential,
    max_rules: MaxRules = None,
    sizes: Sizes = False,
    rules: ExpertRules = None,
    base_rates: BaseRates = None,
    class_weight: ClassWeight = None,
    monotonic: Monotonic = None,
    class_order: ClassOrder = None,
    apart: Apart = None,
    interact: Interact = None,
    price: Price = None,
    price_weight: PriceWeight = None,
    seed: Seed = 0,
    nominal: Nominal = None,
    ordered: Ordered = None,
    types: Types = None,
    dates: Dates = False,
    date_order: Order = None,
    drop: Drop = None,
    drop_unusable: DropUnusable = False,
    skip_unlabelled: SkipUnlabelled = False,
    missing_marker: Markers = None,
    sep: Separator = None,
    decimal: DecimalMark = None,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Learn rules from a table and save them in a file."""
    check_output(output, [name for name in (data, rules) if name is not None], force=force)
    given = {"base_rates": base_rates, "class_weight": class_weight, "sizes": sizes or None}
    _check_kind(estimator, **given, rules=rules)
    if data is None:
        of_tables = {"max_rules": max_rules, "nominal": nominal, "drop": drop, "memory": memory}
        about = given | of_tables | {"target": target, "ordered": ordered, "type": types}
        fit_rules_alone(rules, output, about, as_json=as_json)
        return
    if target is None:
        raise typer.BadParameter("--target must name the column that holds the class")
    clf = _classifier(estimator, max_rules, seed, quiet)
    wishes: dict[str, Any] = {"monotonic": monotonic, "class_order": class_order, "apart": apart}
    wishes |= {"interact": interact, "price": price, "price_weight": price_weight}
    _check_kind(estimator, **wishes)
    from fuzzyucs.cli.training_files import classes_in, is_for_batches, open_batches
    from fuzzyucs.variables.table_form import TableForm

    X: Any
    y: Any
    if is_for_batches(data, memory):
        options: dict[str, Any] = {
            "nominal": nominal,
            "missing_marker": missing_marker,
            "ordered": ordered,
        }
        options |= {"type": types, "dates": dates, "drop_unusable": drop_unusable}
        options |= {"skip_unlabelled": skip_unlabelled}
        X = open_batches(data, target, drop or (), memory, sep=sep, decimal=decimal, **options)
        y, n_rows, names, form = target, X.n_rows, X.names, TableForm(target=target)
        classes = classes_in(X)
        clf.set_params(**_numbers_of_classes(base_rates, class_weight, classes))
    else:
        reader = open_table(data, sep, decimal, missing_marker)
        choices = (nominal, drop, ordered, types, dates, date_order, drop_unusable)
        X, y = training_data(reader, target, choices, skip_unlabelled=skip_unlabelled)
        n_rows, names, form = len(X), list(X.columns), reader.form
        classes = y
        clf.set_params(**_numbers_of_classes(base_rates, class_weight, y))
        print_summary(reader, quiet)
    clf.set_params(**_constraints(names, classes, wishes))
    clf.fit(X, y, **({} if rules is None else {"rules": rules}))
    if form:
        clf.table_form_ = form
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
                    **({} if rules is None else {"experts": clf.expert_report_.as_dicts()}),
                    **clf.deciding_rules.model_as_dict(),
                }
            )
        else:
            print_text(f"{output}: {_n_rules(clf)}, training accuracy {percent(accuracy, 1)}")
            if estimator is Estimator.evidential:
                print_lines([Line(clf.deciding_rules.note)], clf.classes_)
                _print_constraints(clf)
            if sizes:
                _print_sizes(clf)
            if rules is not None:
                print_experts(clf.expert_report_, clf.classes_)
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
    target: KnownTarget = None,
    folds: Annotated[
        int | None,
        typer.Option("--folds", metavar="NUMBER", callback=at_least(2), help="Parts (default: 5)."),
    ] = None,
    beside: Annotated[
        list[Beside] | None,
        typer.Option(
            "--beside",
            metavar="NAME",
            help="Measure another classifier on the same folds: rf (random forest) or hgb (boosted "
            "trees). May be repeated.",
        ),
    ] = None,
    costs: Costs = None,
    estimator: Kind = Estimator.evidential,
    max_rules: MaxRules = None,
    base_rates: BaseRates = None,
    class_weight: ClassWeight = None,
    monotonic: Monotonic = None,
    class_order: ClassOrder = None,
    apart: Apart = None,
    interact: Interact = None,
    price: Price = None,
    price_weight: PriceWeight = None,
    seed: Seed = 0,
    nominal: Nominal = None,
    ordered: Ordered = None,
    types: Types = None,
    dates: Dates = False,
    date_order: Order = None,
    drop: Drop = None,
    drop_unusable: DropUnusable = False,
    skip_unlabelled: SkipUnlabelled = False,
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
    wishes: dict[str, Any] = {"monotonic": monotonic, "class_order": class_order, "apart": apart}
    wishes |= {"interact": interact, "price": price, "price_weight": price_weight}
    if models:
        from fuzzyucs.cli.measuring import evaluate_model

        _refuse_training(
            folds=folds,
            max_rules=max_rules,
            class_weight=class_weight,
            nominal=nominal,
            drop=drop,
            beside=beside,
            costs=costs,
            **wishes,
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
    folds, target = folds or 5, target_for(target)
    clf = _classifier(estimator, max_rules, seed, quiet)
    _check_kind(estimator, base_rates=base_rates, class_weight=class_weight, **wishes)
    reader = open_table(data, sep, decimal, missing_marker)
    choices = (nominal, drop, ordered, types, dates, date_order, drop_unusable)
    X, y = training_data(reader, target, choices, skip_unlabelled=skip_unlabelled)
    clf.set_params(**_numbers_of_classes(base_rates, class_weight, y))
    clf.set_params(**_constraints(list(X.columns), y, wishes))
    print_summary(reader, quiet)
    from fuzzyucs.cli.cross_validation import cross_validate
    from fuzzyucs.cli.evaluation import print_evaluation

    found = cross_validate(
        clf,
        X,
        y,
        folds,
        seed,
        others={TITLES[name]: other(name, X, seed) for name in beside or ()},
        costs=None if costs is None else costs_of_errors(costs, sorted(set(y.tolist()))),
    )
    if as_json:
        print_json(found.as_dict() | {"estimator": type(clf).__name__, "rows": len(X)})
        return
    everyone = {"this model": found.measures, "shares alone": found.shares, **found.others}
    columns = {
        title: {
            name: [values.mean(), *([] if title == "shares alone" else [values.std(ddof=1)])]
            for name, values in measures.items()
        }
        for title, measures in everyone.items()
    }
    print_evaluation(found.usefulness, columns, found.verdicts)


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


def _constraints(names: list[str], y: Any, wishes: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of the estimator that its model has to keep to."""
    import numpy as np

    return constraints_in([str(name) for name in names], np.unique(y).tolist(), **wishes)


def _print_constraints(clf: Any) -> None:
    constraints = clf.constraints_
    if constraints is None:
        return
    for sentence in constraints.sentences(clf.classes_.tolist()):
        print_text(f"Holds for all records: {sentence}.")
    if text := constraints.price_text(clf.deciding_rules.asks):
        print_text(f"{text[0].upper()}{text[1:]}.")


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
