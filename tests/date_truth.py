"""What texts about dates and durations say, in the eyes of pandas."""

import re

import pandas as pd

DAY = 86_400
TEXT = r"(?:minus )?\d[^<>=]*?"
SAYS = {
    rf"(?:<=|at most) ({TEXT})": lambda x, n: x <= n,
    rf"(?:>=|at least) ({TEXT})": lambda x, n: x >= n,
    rf"between ({TEXT}) and ({TEXT})": lambda x, low, high: (x > low) & (x < high),
    rf"({TEXT}) to ({TEXT})": lambda x, low, high: (x >= low) & (x <= high),
    rf"(?:= )?({TEXT})": lambda x, n: x == n,
}


def in_pandas(text, column):
    """Read a date or duration with pandas."""
    if column.dtype.kind == "m":
        sign = -1 if text.startswith("minus ") else 1
        return sign * pd.Timedelta(text.removeprefix("minus "))
    found, zone = pd.Timestamp(text), column.dt.tz
    if zone is not None:
        # Without an offset, the first of two times that a clock shows.
        found = found.tz_convert(zone) if found.tz else found.tz_localize(zone, ambiguous=True)
    return found


def truth(said, column):
    """Tell for which values of a column a text is true."""
    result = pd.Series(data=False, index=column.index)
    for part in said.split(" or "):
        pattern, is_true = next((p, f) for p, f in SAYS.items() if re.fullmatch(p, part))
        ends = re.fullmatch(pattern, part).groups()
        result |= is_true(column, *(in_pandas(end, column) for end in ends))
    return result.to_numpy()


def since(start, seconds, zone=None):
    found = pd.Series(pd.Timestamp(start) + pd.to_timedelta(seconds, "s"))
    return found if zone is None else found.dt.tz_localize("UTC").dt.tz_convert(zone)
