"""The picture of an explanation: what each document adds, with the ideal ranking beside it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from rankmark.errors import InputError, MeasureError
from rankmark.results.drawing.bars import draw_contributions
from rankmark.results.drawing.figures import SIZE, as_file, axes
from rankmark.results.explanations.contributions import short
from rankmark.results.explanations.page import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats
    from rankmark.results.drawing.figures import Format

_NAMED = 40  # rows with names; of more, those at the end that add nothing are left out
_ROW = 0.17  # inches of a bar
_AROUND = 1.2  # inches of a title, a legend and an axis
_HIGHEST = 9.0  # inches


class Pictured(Protocol):
    """What is drawn of an explanation; see Explanation."""

    @property
    def measure(self) -> object:
        """The measure."""
        ...

    @property
    def query(self) -> str:
        """The query's id, empty for a bare list."""
        ...

    @property
    def value(self) -> float:
        """The value."""
        ...

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The documents, and what each adds."""
        ...

    @property
    def ideal(self) -> list[dict[str, Any]]:
        """Those of the ideal ranking."""
        ...


class _Bars(NamedTuple):
    """The rows of a picture.

    Parameters
    ----------
    names
        The name of each row.
    added, ideal
        (n,) float64, what each row adds, and that of the ideal ranking; NaN where it has none.
    left_out
        The first rank that is left out, as it and all below add nothing; None if none is.
    """

    names: list[str]
    added: Floats
    ideal: Floats
    left_out: int | None


def draw(explained: Pictured, ax: Axes | None, *, title: bool) -> Axes:
    """Draw an explanation on Axes, by default of a new pyplot figure, and return them.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    MeasureError
        If it is unknown what documents add.
    InputError
        If there is nothing to draw, or ``ax`` is not Axes.
    """
    bars = _bars(explained)
    with axes(ax, _size(bars)) as canvas:
        _draw(canvas, explained, bars, title=title)
    return canvas


def as_picture(explained: Pictured, form: Format) -> bytes:
    """Return the bytes of a file, as high as the number of documents needs; errors as ``draw``."""
    bars = _bars(explained)
    return as_file(lambda ax: _draw(ax, explained, bars, title=True), form, _size(bars))


def _size(bars: _Bars) -> tuple[float, float]:
    rows = len(bars.names) * (1 if np.isnan(bars.ideal).all() else 2)
    if len(bars.names) > _NAMED:
        return SIZE
    return SIZE[0], min(max(_AROUND + rows * _ROW, 2.0), _HIGHEST)


def _draw(ax: Axes, explained: Pictured, bars: _Bars, *, title: bool) -> None:
    name = str(explained.measure)
    words = [f"{name} of query {explained.query}" if explained.query else name]
    if bars.left_out is not None:
        words.append(f"documents from rank {bars.left_out:,} on add nothing")
    ideal = math.fsum(row["contribution"] for row in explained.ideal)
    draw_contributions(
        ax,
        bars.added,
        bars.ideal,
        bars.names,
        [number(value) for value in bars.added.tolist()],
        legend=(f"this ranking: {number(explained.value)}", f"ideal ranking: {number(ideal)}"),
        title=": ".join(words) if title else "",
        x_label=f"what the document adds to {name}",
    )


def _bars(explained: Pictured) -> _Bars:
    rows, best = explained.rows, explained.ideal
    if any(row["contribution"] is None for row in [*rows, *best]):
        raise MeasureError(
            f"what each document adds to {explained.measure} is unknown",
            "print the explanation instead, which has the ranking and the value",
        )
    ranked = {row["rank"]: row for row in rows if row["rank"] is not None}
    ideal = {row["rank"]: row["contribution"] for row in best}
    depth = max([*ranked, *ideal], default=0)
    last = depth
    if depth > _NAMED:
        adding = [rank for rank, row in ranked.items() if row["contribution"]]
        last = max([*adding, *(rank for rank, adds in ideal.items() if adds)], default=depth)
    others = [row for row in rows if row["rank"] is None]
    of_rank = [ranked.get(rank) for rank in range(1, last + 1)]
    names = [_named(rank, row) for rank, row in enumerate(of_rank, 1)]
    names += [_unranked(row) for row in others]
    if not names:
        raise InputError("there is no document to draw", "give a ranking, or missed documents")
    added = [0.0 if row is None else row["contribution"] for row in of_rank]
    added += [row["contribution"] for row in others]
    beside = [ideal.get(rank, math.nan) for rank in range(1, last + 1)] + [math.nan] * len(others)
    if not np.isfinite(added).all():
        raise InputError(
            "what a row adds is NaN or infinite, and cannot be drawn",
            'choose no_relevant="zero" if nothing is relevant, or another measure',
        )
    return _Bars(names, np.array(added), np.array(beside), last + 1 if last < depth else None)


def _named(rank: int, row: dict[str, Any] | None) -> str:
    if row is None:
        return f"{rank:,}: no document"
    return f"{rank:,}: {_document(row)}"


def _unranked(row: dict[str, Any]) -> str:
    """Name what was not retrieved, or is not a document."""
    if row["label"] is None and row["doc_id"] is None and not row.get("subtopics"):
        return str(row["note"])
    return f"{row['note']}: {_document(row)}"


def _document(row: dict[str, Any]) -> str:
    words = [] if row["doc_id"] is None else [row["doc_id"]]
    if row["note"] == "unjudged":
        words.append("unjudged")
    elif row.get("subtopics"):
        words.append(_subtopics(sorted(row["subtopics"])))
    elif row["label"] is not None:
        words.append(f"label {short(row['label'])}")
    return ", ".join(words)


def _subtopics(found: Sequence[str]) -> str:
    return f"subtopic {found[0]}" if len(found) == 1 else f"subtopics {' '.join(found)}"
