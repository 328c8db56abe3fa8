"""The tables of explanations, without long stretches of small contributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rankmark.results.explanations.page import Bar, Grid, number

Row = dict[str, Any]
"""A row of an Explanation; see its ``rows``."""
_OF_ALL = frozenset(
    ["rank", "doc_id", "label", "tied", "subtopics", "contribution", "total", "note"]
)
_EMPTY = dict.fromkeys(_OF_ALL)
_IDEAL = 10  # rows shown because of the ideal ranking
_ALWAYS = 3  # rows at the top that are always shown
_MOST = 30  # rows with contributions that are shown
_LAST = 5  # of these, those at the end


def table(rows: Sequence[Row], ideal: Sequence[Row], *, all_rows: bool, wide: bool) -> Grid:
    """Build the table of one explanation, with the label of the ideal ranking at each rank.

    A wide table also has its document and running total.
    """
    known = all(row["contribution"] is not None for row in rows)
    if wide:
        depth = max((row["rank"] or 0 for row in rows), default=0)
        rows = sorted(
            [*rows, *(_EMPTY | {"rank": row["rank"]} for row in ideal if row["rank"] > depth)],
            key=lambda row: row["rank"] or math.inf,
        )
    headings = list(dict.fromkeys(key for row in rows for key in row if key not in _OF_ALL))
    named = any(row["doc_id"] is not None or row["rank"] is None for row in rows)
    head = ["rank", *(["document"] if named else []), "label"]
    head += [name.replace("_", " ") for name in headings]
    head += ["adds", "total"] if known else []
    sizes = [abs(row["contribution"] or 0.0) for row in rows]
    most = max([*sizes, *(abs(row["contribution"] or 0.0) for row in ideal)], default=0.0)
    cells: list[list[str]] = []
    for row in rows:
        line = [number(row["rank"]) + ("=" if row["tied"] else "")]
        line += [row["doc_id"] or row["note"] or ""] if named else []
        line += ["?" if row["note"] == "unjudged" else number(row["label"])]
        line += [number(row.get(name)) for name in headings]
        cells.append([*line, *([_bar(row["contribution"], most), number(row["total"])] * known)])
    if ideal:
        ideal_cells = {row["rank"]: _ideal(row, named=named, wide=wide) for row in ideal}
        head += [["ideal"], ["ideal document"] * named + ["ideal label", "ideal total"]][wide]
        empty = [""] * len(next(iter(ideal_cells.values())))
        pairs = zip(rows, cells, strict=True)
        cells = [line + ideal_cells.get(row["rank"], empty) for row, line in pairs]
    first = min(len(ideal), _IDEAL)
    shortest = shortened(cells, rows, all_rows=all_rows, first=first)
    return Grid(head, shortest, 0, [1] if named else [])


def _bar(value: float | None, most: float) -> str:
    """Return a number with its share of the greatest; without one for empty and NaN."""
    share = (value or 0.0) / most if most else 0.0
    return Bar(number(value), share) if math.isfinite(share) else number(value)


def _ideal(row: Row, *, named: bool, wide: bool) -> list[str]:
    if not wide:
        return [number(row["label"])]
    return [*([row["doc_id"] or ""] * named), number(row["label"]), number(row["total"])]


def marks(rows: Sequence[Row], ideal: Sequence[Row]) -> list[str]:
    """Explain the marks in the table, if there are any."""
    lines = []
    if any(row["note"] == "unjudged" for row in rows):
        lines.append("?: unjudged")
    if any(row["tied"] for row in rows):
        lines.append("=: tied with its neighbours")
    if ideal:
        lines.append("ideal: the ideal ranking at this rank")
    return ["; ".join(lines) + "."] if lines else []


def shortened(
    cells: Sequence[Sequence[str]],
    rows: Sequence[Row],
    *,
    all_rows: bool,
    first: int = 0,
) -> list[Sequence[str] | str]:
    """Leave out stretches of rows without contributions, and some with them if there are many.

    The ``first`` rows are always shown.
    """
    first = max(first, _ALWAYS)
    if all_rows:
        return list(cells)
    adds = [bool(row.get("difference", row.get("contribution"))) for row in rows]
    kept = [i for i, row in enumerate(rows) if adds[i] or i < first or row.get("rank") is None]
    if len(kept) > _MOST:
        kept = [*kept[: _MOST - _LAST], *kept[-_LAST:]]
    shown: list[Sequence[str] | str] = []
    previous = -1
    for i in [*kept, len(cells)]:
        hidden = rows[previous + 1 : i]
        if len(hidden) == 1:
            shown.append(cells[previous + 1])
        elif hidden:
            shown.append(_left_out(hidden))
        shown += cells[i : i + 1]
        previous = i
    return shown


def _left_out(rows: Sequence[Row]) -> str:
    added = [row.get("difference", row.get("contribution")) for row in rows]
    total = sum(contribution for contribution in added if contribution is not None)
    ranks = [row["rank"] for row in rows if row.get("rank") is not None]
    which = f"ranks {ranks[0]} to {ranks[-1]}" if ranks and "difference" not in rows[0] else ""
    what = f"{which}: {len(rows)} rows" if which else f"{len(rows)} more rows"
    if None in added:
        return f"   ... {what}"
    return f"   ... {what} that add {'nothing' if not any(added) else number(total)}"
