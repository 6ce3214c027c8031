"""A rule as small pictures: what each condition accepts, and where the record's value lies."""

from __future__ import annotations

from collections.abc import Iterable

from fuzzyucs._util.markup import safe
from fuzzyucs.variables.sketching import Sketch

__all__ = ["condition_svg", "rule_picture"]

WIDTH, HEIGHT, MARGIN, TOP = 120, 24, 8, 6  # in pixels
OUTSIDE = 0.04  # where values outside of the range are marked, in ranges beyond its end
WIDEST_BOX = 14.0
LONGEST = 16  # characters of an end of the range


def rule_picture(sketches: Iterable[Sketch], colour: str) -> str:
    """Draw the conditions of a rule side by side.

    Parameters
    ----------
    sketches : iterable of Sketch
        Its conditions.
    colour : str
        That of the class it speaks for.

    Returns
    -------
    str
        HTML, or nothing if there is nothing to draw.
    """
    figures = "".join(
        "<div style='text-align:center;line-height:1.2'>"
        f"{condition_svg(sketch, colour)}"
        f"<div style='font-size:80%;opacity:.8'>{safe(sketch.feature)}</div></div>"
        for sketch in sketches
    )
    style = "display:flex;flex-wrap:wrap;gap:.2em 1em;margin:.2em 0"
    return f"<div style='{style}'>{figures}</div>" if figures else ""


def condition_svg(sketch: Sketch, colour: str) -> str:
    """Draw what a condition accepts, and the record's value.

    Parameters
    ----------
    sketch : Sketch
        The condition.
    colour : str
        That of the class the rule speaks for.

    Returns
    -------
    str
        An SVG element; all that is no shade has the colour of the text around it.

    Examples
    --------
    >>> from fuzzyucs.explain.rule_picture import condition_svg
    >>> from fuzzyucs.variables.sketching import Sketch
    >>> outline = [(0.0, 1.0), (0.5, 1.0), (1.0, 0.0)]
    >>> svg = condition_svg(Sketch("size", "6", 0.75, ("0", "8"), outline, []), "#0072B2")
    >>> "points='8.0,6.0 60.0,6.0 112.0,24.0 112.0,24.0 8.0,24.0'" in svg
    True
    """
    draw = _range if sketch.outline else _boxes
    where = f"{sketch.feature}: {sketch.value}"
    return (
        f"<svg role='img' aria-label='{safe(where)}' width='{WIDTH}' height='{HEIGHT + 12}' "
        f"viewBox='0 0 {WIDTH} {HEIGHT + 12}' style='display:block;margin:0 auto'>"
        f"<title>{safe(where)}</title>{draw(sketch, colour)}</svg>"
    )


def _range(sketch: Sketch, colour: str) -> str:
    points = [(_across(place), _up(degree)) for place, degree in sketch.outline]
    corners = [*points, (points[-1][0], _up(0.0)), (points[0][0], _up(0.0))]
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    parts = [
        f"<polygon points='{listed}' fill='{colour}' fill-opacity='.25'/>",
        f"<polyline points='{' '.join(f'{x:.1f},{y:.1f}' for x, y in points)}' fill='none' "
        f"stroke='{colour}' stroke-width='1.5'/>",
        f"<line x1='{MARGIN}' x2='{WIDTH - MARGIN}' y1='{HEIGHT}' y2='{HEIGHT}' "
        "stroke='currentColor' stroke-opacity='.5'/>",
    ]
    if sketch.place is not None:
        parts.append(_value(_across(min(max(sketch.place, -OUTSIDE), 1 + OUTSIDE))))
    for end, x, anchor in zip(sketch.ends, (MARGIN, WIDTH - MARGIN), ("start", "end"), strict=True):
        short = end if len(end) <= LONGEST else f"{end[: LONGEST - 1]}…"
        parts.append(
            f"<text x='{x}' y='{HEIGHT + 10}' text-anchor='{anchor}' font-size='9' "
            f"fill='currentColor' fill-opacity='.8'>{safe(short)}</text>"
        )
    return "".join(parts)


def _boxes(sketch: Sketch, colour: str) -> str:
    """Draw a box for each category."""
    number = max(1, len(sketch.categories))
    step = min(WIDEST_BOX, (WIDTH - 2 * MARGIN) / number)
    left = (WIDTH - step * number) / 2
    parts = [
        f"<rect x='{left + i * step:.1f}' y='{TOP}' width='{0.9 * step:.1f}' "
        f"height='{HEIGHT - TOP}' fill='{colour}' fill-opacity='{'.25' if accepted else '0'}' "
        f"stroke='{colour if accepted else 'currentColor'}' "
        f"stroke-opacity='{'1' if accepted else '.4'}'><title>{safe(name)}</title></rect>"
        for i, (name, accepted) in enumerate(sketch.categories)
    ]
    if sketch.place is not None:
        parts.append(_value(left + (sketch.place + 0.45) * step))
    short = sketch.value if len(sketch.value) <= LONGEST else f"{sketch.value[: LONGEST - 1]}…"
    parts.append(
        f"<text x='{WIDTH / 2:g}' y='{HEIGHT + 10}' text-anchor='middle' font-size='9' "
        f"fill='currentColor' fill-opacity='.8'>{safe(short)}</text>"
    )
    return "".join(parts)


def _value(x: float) -> str:
    """Mark the record's value: a line with a small triangle on top."""
    return (
        f"<line x1='{x:.1f}' x2='{x:.1f}' y1='2' y2='{HEIGHT}' stroke='currentColor' "
        "stroke-width='1.5'/>"
        f"<path d='M{x - 3.5:.1f} 0h7l-3.5 5z' fill='currentColor'/>"
    )


def _across(place: float) -> float:
    return MARGIN + place * (WIDTH - 2 * MARGIN)


def _up(degree: float) -> float:
    return HEIGHT - degree * (HEIGHT - TOP)
