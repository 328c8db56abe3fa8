"""The result of ``trend``: a measure over records, and when it changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankmark.errors import counted
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import UNKNOWN, number
from rankmark.results.result import Row, plain
from rankmark.results.shown_parts import Heading, Look, Part
from rankmark.results.shown_result import Column, DrawnResult, table_of
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = 10  # queries that moved
_OF_ID = 7  # letters of a commit
CHANGES = "+changes"
"""What follows the id of a commit if tracked files had been changed since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendRow(Row):
    """What a record has of the measure, compared with an earlier one.

    Parameters
    ----------
    record
        Its name.
    date, commit
        When it was written, or the date of its commit if records are in the order of commits; and
        the commit of the folder in which it was written, with "+changes" if its files had been
        changed since; None without one.
    mean, n
        The value over all queries, and their number.
    compared_with
        A record: the last that had changed significantly, else the first; None for the first, and
        where judgments, conventions or averaged queries differ from those before.
    difference, low, high
        The mean difference from it over the queries that both have, and its interval at
        the level of this test, so that it leaves 0 out if the difference is significant. NaN where
        there is none.
    p, adjusted_p
        The p-value, and times i (i + 1) for the i-th record whose scores have changed.
    significant
        Whether the adjusted p is at most 1 less the confidence.
    improved, worsened
        How many queries are better, and worse, than in the record before.
    moved
        {query id: difference} from the record before, the largest first.
    since
        The same from the record that it is compared with, if the difference is significant.
    note
        What differs from the record before: judgments, conventions or averaged queries.
    """

    record: str
    date: str
    commit: str | None
    mean: float
    n: int
    improved: int
    worsened: int
    compared_with: str | None = None
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    adjusted_p: float = math.nan
    significant: bool = False
    moved: Mapping[str, float] = field(default_factory=dict)
    since: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Trend(DrawnResult):
    """A measure over the records of a system.

    Parameters
    ----------
    measure, more_is_better
        Its name, and whether higher values are better.
    rows
        (n_records,) in their order.
    confidence
        That no change is found if there is none, however many records follow.
    order_notes
        What the order of the records is.
    """

    _captions: ClassVar[Mapping[str, str]] = {
        "trend": "The measure by record. The band is the interval of the difference from the one "
        "that a record is compared with, a dashed line; where it leaves the line out, it changed."
    }
    measure: str
    more_is_better: bool
    rows: tuple[TrendRow, ...]
    confidence: float
    order_notes: tuple[str, ...]

    @property
    def changes(self) -> list[TrendRow]:
        """The records that differ significantly from those that they are compared with."""
        return [row for row in self.rows if row.significant]

    @property
    def change(self) -> TrendRow | None:
        """The first significant change; None if there is none."""
        return next(iter(self.changes), None)

    @property
    def headline(self) -> str:
        """When the measure changed first, in a sentence."""
        of = f"{self.measure} over {counted(len(self.rows), 'record')}"
        if (first := self.change) is None:
            apart = 1 + sum(bool(row.note) for row in self.rows)
            each = f" within each of {apart:,} series" if apart > 1 else ""
            return f"{of}: no significant change{each}"
        later = len(self.changes) - 1
        also = f"; {counted(later, 'later change')}" if later else ""
        return f"{of}: {self._said(first)}{also}"

    def _said(self, row: TrendRow) -> str:
        better = (row.difference > 0) == self.more_is_better
        return (
            f"first change with {_named(row)}, {number(row.difference, '+')} {_interval(row)} from "
            f"{row.compared_with}, {'better' if better else 'worse'}"
        )

    @property
    def notes(self) -> list[str]:
        """How records are ordered and compared."""
        return [
            *self.order_notes,
            "since last change: the difference from the last record that had changed "
            "significantly, else the first, with an interval that allows for all looks; *: "
            "significant",
            "better, worse: queries, than in the previous record",
            f"looks: the i-th record with other scores is tested at {1 - self.confidence:.2g} / "
            "(i (i + 1)), by Student's t over queries",
        ]

    def _contents(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "more_is_better": self.more_is_better,
            "confidence": self.confidence,
            "change": None if self.change is None else self.change.record,
            "changes": [row.record for row in self.changes],
            "rows": self.rows,
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        left_out = {"moved", "since"}
        rows = [plain(row) for row in self.rows]
        return columns_of([{k: v for k, v in row.items() if k not in left_out} for row in rows])

    def _grids(self) -> list[MarkedTable]:
        columns = [
            Column("record", lambda row: row.record),
            Column("date", lambda row: row.date[:10]),
            Column(self.measure, lambda row: number(row.mean)),
            Column("since last change", _difference),
            Column("interval", _interval, attached=True),
            Column("adjusted p", lambda row: number(row.adjusted_p)),
            Column("better", lambda row: f"{row.improved:,}"),
            Column("worse", lambda row: f"{row.worsened:,}"),
        ]
        if len({row.n for row in self.rows}) > 1:
            at = [column.head for column in columns].index(self.measure)
            columns.insert(at, Column("queries", lambda row: f"{row.n:,}"))
        if any(_adds_commit(row) for row in self.rows):
            columns.insert(1, Column("commit", lambda row: _short(row.commit)))
        if any(row.note for row in self.rows):
            columns.append(Column("note", lambda row: row.note))
        caption = f"{self.headline}. An asterisk marks a significant difference."
        return [table_of(columns, self.rows, caption=caption, label="tab:trend")]

    def _parts(self, look: Look) -> Sequence[Part]:
        parts = super()._parts(look)
        if look.is_pasted:
            return parts
        title, *tables, notes = parts
        for row in self.changes:
            shown = [[query, number(step, "+")] for query, step in row.since.items()]
            more = len(shown) - _SHOWN
            shown = shown[:_SHOWN]
            tables += [
                Heading(f"Queries that moved most with {_named(row)}, since {row.compared_with}:"),
                MarkedTable(
                    ["query", "difference"],
                    [*shown, f"... {more:,} more"] if more > 0 else shown,
                ),
            ]
        return [title, *tables, notes]

    def _draw(self, kind: str, ax: Axes, *, title: bool) -> None:  # noqa: ARG002
        from rankmark.results.drawing.figures import inches, name_columns  # noqa: PLC0415
        from rankmark.results.drawing.lines import (  # noqa: PLC0415
            BandedLine,
            Level,
            draw_banded_lines,
        )

        means = {row.record: row.mean for row in self.rows}
        baselines = dict.fromkeys(row.compared_with for row in self.rows if row.compared_with)
        against = np.array([means.get(row.compared_with or "", math.nan) for row in self.rows])
        low, high = np.array([(row.low, row.high) for row in self.rows]).T
        places = np.arange(1.0, len(self.rows) + 1)
        y = np.array([row.mean for row in self.rows])
        first = next((at for at, row in enumerate(self.rows) if row.significant), None)
        draw_banded_lines(
            ax,
            [BandedLine(self.measure, 1, places, y, against + low, against + high)],
            [Level(name, means[name], at) for at, name in enumerate(baselines, 1)],
            chosen=None if first is None else (float(places[first]), float(y[first])),
            chosen_is="first change",
            title=self.headline.partition(",")[0] if title else "",
            x_label=f"record, {self.order_notes[0]}",
            y_label=self.measure,
        )
        names = [_short(row.commit) or row.record for row in self.rows]
        name_columns(ax, names, 72.0 * inches(ax)[0] / len(names))


def _short(commit: str | None) -> str:
    return "" if commit is None else commit[:_OF_ID] + CHANGES * commit.endswith(CHANGES)


def _adds_commit(row: TrendRow) -> bool:
    """Say whether a record is not called after its commit."""
    commit = row.commit or ""
    is_named_so = len(row.record) >= _OF_ID and commit.startswith(row.record)
    return bool(commit) and (not is_named_so or commit.endswith(CHANGES))


def _named(row: TrendRow) -> str:
    return f"{row.record} ({_short(row.commit)})" if _adds_commit(row) else row.record


def _difference(row: TrendRow) -> str:
    return number(row.difference, "+") + "*" * row.significant


def _interval(row: TrendRow) -> str:
    if math.isnan(row.low):
        return UNKNOWN
    return f"[{number(row.low, '+')}, {number(row.high, '+')}]"
