"""A log of what was shown and clicked, where it is: in a frame of any engine, or in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

import narwhals as nw

from rankmark.arguments import Kind
from rankmark.clicks.logs.cleaning import LogAudit, Step, audited
from rankmark.clicks.logs.log_columns import ROLES
from rankmark.clicks.logs.log_files import Given
from rankmark.errors import InputError, SchemaError, counted, shown
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_result import TabledResult
from rankmark.results.table_schema import texts


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
    form
        In which form it was given, such as ``"ubi"``.
    columns
        {role: the name of the column that was read for it}.
    """

    def __init__(
        self,
        frame: nw.LazyFrame[Any],
        issues: nw.LazyFrame[Any],
        *,
        given: Given,
        columns: Mapping[str, str],
        bot_clicks: int,
        steps: Sequence[Step],
        orphans: int,
    ) -> None:
        self.frame = frame
        self.issues = issues
        self.name, self.form = given.name, given.form
        self.columns = dict(columns)
        self._given, self._steps = given, steps
        self._counted = {"bot_clicks": bot_clicks, "orphans": orphans}

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

    @cached_property
    def audit(self) -> LogAudit:
        """What the log holds, and what may be wrong with it; it is counted when it is asked for."""
        return audited(
            self.frame,
            self.issues,
            steps=self._steps,
            left_out=self._given.left_out,
            ordinals=self._given.ordinals,
            **self._counted,
        )

    @property
    def headline(self) -> str:
        """How large the log is."""
        found = self.audit
        told = counted(found.issues, "issue")
        if found.queries is not None:
            told += f" of {counted(found.queries, 'query', 'queries')}"
        if found.users is not None:
            told += f" by {counted(found.users, 'user')}"
        return f"{told}: {counted(found.impressions, 'document')} shown, {found.clicked:,} clicked"

    @property
    def notes(self) -> list[str]:
        """What was dropped, and how the columns were read."""
        lost = [f"left out because of {why}: {n:,}" for why, n in self.audit.dropped.items()]
        columns = ", ".join(
            role if role == name else f"{role}={name}" for role, name in self.columns.items()
        )
        return [*lost, f"{self.name} read as {self.form}: {columns}"]

    def _grids(self) -> list[MarkedTable]:
        rows = [(what, f"{n:,}") for what, n in self.audit.lines() if n is not None]
        return [MarkedTable(["", "count"], rows, label="tab:log")]

    def _contents(self) -> Mapping[str, Any]:
        """Return what JSON has.

        Returns
        -------
        count
            How many there are of what the audit counts.
        """
        return {
            "name": self.name,
            "form": self.form,
            "columns": self.columns,
            "audit": self.audit.to_dict(),
        }

    def _table(self) -> dict[str, Any]:
        counts = {k: v for k, v in self.audit.to_dict().items() if k != "dropped" and v is not None}
        return {"name": texts("name", [*counts]), "count": [*counts.values()]}


def _as_log(name: str, given: Any) -> ClickLog:
    if not isinstance(given, ClickLog):
        raise SchemaError(f"{name} is {shown(given)}", "give what read_log returned")
    return given


Log = Annotated[ClickLog, Kind(_as_log)]
