"""The tables of explanations, with long stretches that add little left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rankmark.explanations.page import Grid, number

Row = dict[str, Any]
"""What Explanation holds of a document; see its ``rows``."""
_OF_ALL = frozenset(
    ["rank", "doc_id", "label", "tied", "subtopics", "contribution", "total", "note"]
)
_EMPTY = dict.fromkeys(_OF_ALL)
_IDEAL = 10  # rows that are shown because the best ranking has something there
_ALWAYS = 3  # rows at the top that are shown whatever they add
_MOST = 30  # rows that are shown of those that add something
_LAST = 5  # of these at the end


def table(rows: Sequence[Row], ideal: Sequence[Row], *, all_rows: bool, wide: bool) -> Grid:
    """Make the table of one explanation; beside each rank stands what the best ranking has there.

    That is its label, and on a wide page the document and the total so far.
    """
    known = all(row["contribution"] is not None for row in rows)
    if wide:
        depth = max((row["rank"] or 0 for row in rows), default=0)
        rows = sorted(
            [*rows, *(_EMPTY | {"rank": row["rank"]} for row in ideal if row["rank"] > depth)],
            key=lambda row: row["rank"] or math.inf,
        )
    shown = list(dict.fromkeys(key for row in rows for key in row if key not in _OF_ALL))
    named = any(row["doc_id"] is not None or row["rank"] is None for row in rows)
    head = ["rank", *(["document"] if named else []), "label"]
    head += [name.replace("_", " ") for name in shown]
    head += ["adds", "total"] if known else []
    cells = []
    for row in rows:
        line = [number(row["rank"]) + ("=" if row["tied"] else "")]
        line += [row["doc_id"] or row["note"] or ""] if named else []
        line += ["?" if row["note"] == "unjudged" else number(row["label"])]
        line += [number(row.get(name)) for name in shown]
        cells.append([*line, *([number(row["contribution"]), number(row["total"])] * known)])
    if ideal:
        beside = {row["rank"]: _ideal(row, named=named, wide=wide) for row in ideal}
        head += [["ideal"], ["ideal document"] * named + ["ideal label", "ideal total"]][wide]
        nothing = [""] * len(next(iter(beside.values())))
        pairs = zip(rows, cells, strict=True)
        cells = [line + beside.get(row["rank"], nothing) for row, line in pairs]
    first = min(len(ideal), _IDEAL)
    shortest = shortened(cells, rows, all_rows=all_rows, first=first)
    return Grid(head, shortest, 0, [1] if named else [])


def _ideal(row: Row, *, named: bool, wide: bool) -> list[str]:
    if not wide:
        return [number(row["label"])]
    return [*([row["doc_id"] or ""] * named), number(row["label"]), number(row["total"])]


def marks(rows: Sequence[Row], ideal: Sequence[Row]) -> list[str]:
    """Say what the marks in the table mean, where there are some."""
    lines = []
    if any(row["note"] == "unjudged" for row in rows):
        lines.append("?: nobody judged it")
    if any(row["tied"] for row in rows):
        lines.append("=: ties with its neighbours")
    if ideal:
        lines.append("ideal: what the best ranking has at this rank")
    return ["; ".join(lines) + "."] if lines else []


def shortened(
    cells: Sequence[Sequence[str]],
    rows: Sequence[Row],
    *,
    all_rows: bool,
    first: int = 0,
) -> list[Sequence[str] | str]:
    """Leave out stretches of rows that add nothing, and of very many some that do.

    The ``first`` rows are shown whatever they add.
    """
    first = max(first, _ALWAYS)
    if all_rows:
        return list(cells)
    adds = [bool(row.get("difference", row.get("contribution"))) for row in rows]
    kept = [at for at, row in enumerate(rows) if adds[at] or at < first or row.get("rank") is None]
    if len(kept) > _MOST:
        kept = [*kept[: _MOST - _LAST], *kept[-_LAST:]]
    done: list[Sequence[str] | str] = []
    before = -1
    for at in [*kept, len(cells)]:
        left = rows[before + 1 : at]
        if len(left) == 1:
            done.append(cells[before + 1])
        elif left:
            done.append(_left_out(left))
        if at < len(cells):
            done.append(cells[at])
        before = at
    return done


def _left_out(rows: Sequence[Row]) -> str:
    added = [row.get("difference", row.get("contribution")) for row in rows]
    total = sum(contribution for contribution in added if contribution is not None)
    ranks = [row["rank"] for row in rows if row.get("rank") is not None]
    which = f"ranks {ranks[0]} to {ranks[-1]}" if ranks and "difference" not in rows[0] else ""
    what = f"{which}: {len(rows)} rows" if which else f"{len(rows)} more rows"
    if None in added:
        return f"   ... {what}"
    return f"   ... {what} that add {'nothing' if not any(added) else number(total)}"
