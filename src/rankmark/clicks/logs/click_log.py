"""A log of what was shown and clicked, where it is: in a frame of any engine, or in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import narwhals as nw

from rankmark.arguments import Kind
from rankmark.clicks.logs.counting import one, scalar
from rankmark.clicks.logs.log_columns import ROLES
from rankmark.errors import InputError, counted, shown
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_result import TabledResult

_ORDER = ("rank",)


class ClickLog(TabledResult):
    """A log of what was shown and clicked: one row for each document shown.

    Attributes
    ----------
    frame
        The rows, as a lazy frame of Narwhals: ``query_id``, ``doc``, ``click``, and what else the
        log has of ``query``, ``rank``, ``user``, ``session``, ``time``, ``dwell``, ``variant``,
        ``team`` and ``propensity``; other columns keep their names.
    issues
        A row for each issue of a query, those without documents too.
    name
        What the log is called in messages.
    columns
        {role: the name of the column that was read for it}.
    """

    __slots__ = ("columns", "frame", "issues", "name")

    def __init__(
        self,
        frame: nw.LazyFrame[Any],
        issues: nw.LazyFrame[Any],
        *,
        name: str,
        columns: Mapping[str, str],
    ) -> None:
        self.frame = frame
        self.issues = issues
        self.name = name
        self.columns = dict(columns)

    def has(self, name: str) -> bool:
        """Return whether the log has a column."""
        return name in self.frame.collect_schema().names()

    def need(self, *names: str, for_: str) -> None:
        """Refuse to go on without some columns.

        Raises
        ------
        InputError
            If the log lacks any; the message says what needs them, and what to do.
        """
        absent = [name for name in names if not self.has(name)]
        if not absent:
            return
        has = ", ".join(self.frame.collect_schema().names())
        told = {role.name for role in ROLES} & {*absent}
        remedy = f"name the column, as in columns={{{absent[0]!r}: ...}}" if told else "add it"
        if "rank" in absent:
            remedy += ", or choose what does not depend on the order of documents"
        raise InputError(
            f"{for_} needs {' and '.join(absent)}, and the log has {has}", remedy, where=self.name
        )

    @property
    def audit(self) -> Mapping[str, int]:
        """How many rows, issues, clicks and the like there are."""
        frame = self.frame.with_columns(clicked=one(nw.col("click") > 0))
        return {
            "impressions": scalar(frame.select(nw.len())),
            "issues": scalar(self.issues.select(nw.len())),
            "clicks": scalar(frame.select(nw.col("clicked").sum())),
        }

    @property
    def headline(self) -> str:
        """How large the log is."""
        found = self.audit
        return (
            f"{counted(found['impressions'], 'impression')} of {counted(found['issues'], 'issue')}"
        )

    @property
    def notes(self) -> list[str]:
        """How the columns were read."""
        return []

    def _grids(self) -> list[MarkedTable]:
        return [MarkedTable(["", "count"], [[name, f"{n:,}"] for name, n in self.audit.items()])]

    def _contents(self) -> Mapping[str, Any]:
        return {"name": self.name, "columns": self.columns, "audit": self.audit}

    def _table(self) -> dict[str, Any]:
        found: Sequence[tuple[str, int]] = [*self.audit.items()]
        return {"name": [name for name, _ in found], "count": [n for _, n in found]}


def _as_log(name: str, given: Any) -> ClickLog:
    if not isinstance(given, ClickLog):
        raise InputError(f"{name} is {shown(given)}", "need what read_log returns")
    return given


Log = Annotated[ClickLog, Kind(_as_log)]
