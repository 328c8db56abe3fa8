"""Where a tool gives other numbers on some judgments and a run, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rankmark.results import html_parts as html
from rankmark.results.escaped_bytes import readable
from rankmark.results.result import Result, json_number
from rankmark.results.table_schema import columns_of

_MOST_QUERIES = 10


class Step(NamedTuple):
    """One convention of the tool, taken over after those of the earlier steps.

    Parameters
    ----------
    name
        The keyword of ``evaluate``, or the parameter of the measure.
    ours, theirs
        Its values before and after.
    words
        What the tool does.
    before, after
        The mean before and after.
    queries
        How many queries have another value, or are averaged no more.
    """

    name: str
    ours: Any
    theirs: Any
    words: str
    before: float
    after: float
    queries: int

    @property
    def difference(self) -> float:
        """What the step adds to the mean."""
        return self.after - self.before


class QueryDifference(NamedTuple):
    """A query for which the tool has another value.

    Parameters
    ----------
    query_id
        The query.
    ours, theirs
        The values; None if the query is not averaged.
    reasons
        {name of a step: what it adds to the value}, without steps that add nothing; None if the
        step leaves the query out.
    """

    query_id: str
    ours: float | None
    theirs: float | None
    reasons: dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDifference(Result):
    """The difference of one number, by convention and by query.

    Parameters
    ----------
    profile, tool, version
        Whose conventions these are.
    measure
        The measure that was asked for.
    our_measure, their_measure
        What it means here, and there.
    ours, theirs
        The means.
    averaged, averaged_there
        How many queries are averaged.
    steps
        The tool's conventions that differ, one taken over after the other; their differences add up
        to the whole.
    queries
        The queries that differ, the greatest difference first.
    beyond
        What no convention reproduces, in words, if it may matter for these data.
    """

    profile: str
    tool: str
    version: str
    measure: str
    our_measure: str
    their_measure: str
    ours: float
    theirs: float
    averaged: int
    averaged_there: int
    steps: tuple[Step, ...]
    queries: tuple[QueryDifference, ...]
    beyond: tuple[str, ...]

    @property
    def difference(self) -> float:
        """The tool's mean minus ours."""
        return self.theirs - self.ours

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "profile": self.profile,
            "tool": self.tool,
            "version": self.version,
            "measure": self.measure,
            "our_measure": self.our_measure,
            "their_measure": self.their_measure,
            "ours": json_number(self.ours),
            "theirs": json_number(self.theirs),
            "difference": json_number(self.difference),
            "averaged": self.averaged,
            "averaged_there": self.averaged_there,
            "steps": [
                step._asdict()
                | {
                    "before": json_number(step.before),
                    "after": json_number(step.after),
                    "difference": json_number(step.difference),
                }
                for step in self.steps
            ],
            "queries": [query._asdict() for query in self.queries],
            "beyond": list(self.beyond),
        }

    def _table(self) -> dict[str, Any]:
        rows = [
            {
                "measure": self.measure,
                "query_id": query.query_id,
                "ours": query.ours,
                "theirs": query.theirs,
                "reasons": _reasons(query),
            }
            for query in self.queries
        ]
        return columns_of(rows, "measure", "query_id", "ours", "theirs", "reasons")

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each query that differs."""
        columns = self._table()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def __str__(self) -> str:
        """Return the means, the steps between them, and the queries that differ."""
        lines = [self._title()]
        if not self.steps:
            lines.append("  its conventions are the same")
        elif not any(step.queries for step in self.steps):
            lines.append("  no query differs")
        for step in self.steps:
            if not step.queries:
                continue
            many = "1 query" if step.queries == 1 else f"{step.queries:,} queries"
            lines.append(f"  {_signed(step.difference, 6)}  {step.words}: {many}")
        idle = [step.words for step in self.steps if not step.queries]
        if idle:
            lines.append(f"  no effect here: {'; '.join(idle)}")
        if self.averaged != self.averaged_there:
            lines.append(f"  averaged: {self.averaged:,} here, {self.averaged_there:,} there")
        for query in self.queries[:_MOST_QUERIES]:
            ours, theirs = _values(query)
            lines.append(f"  {query.query_id}: {ours} here, {theirs} there: {_reasons(query)}")
        if len(self.queries) > _MOST_QUERIES:
            lines.append(f"  and {len(self.queries) - _MOST_QUERIES:,} more queries")
        lines += [f"  not reproduced: {beyond}" for beyond in self.beyond]
        return readable("\n".join(lines))

    def _title(self) -> str:
        return (
            f"{self.measure}: {self.ours:.6f} here, {self.theirs:.6f} in {self.tool} "
            f"{self.version} ({_signed(self.difference, 6)})"
        )

    def __repr__(self) -> str:
        return f"ToolDifference({self.measure}: {_signed(self.difference, 6)} in {self.tool})"

    def _repr_html_(self) -> str:
        return html.page(*self.html())

    def html(self) -> list[str]:
        """Return the parts of HTML that a notebook shows."""
        steps = [
            (step.words, f"{step.queries:,}", _signed(step.difference, 6)) for step in self.steps
        ]
        queries = [
            (query.query_id, _reasons(query), *_values(query))
            for query in self.queries[:_MOST_QUERIES]
        ]
        more = len(self.queries) - _MOST_QUERIES
        lines = [f"and {more:,} more queries"] if more > 0 else []
        if self.averaged != self.averaged_there:
            lines.append(f"averaged: {self.averaged:,} here, {self.averaged_there:,} there")
        return [
            html.title(self._title()),
            html.table(("convention there", "queries that differ", "difference"), steps)
            if steps
            else html.paragraph("its conventions are the same"),
            html.table(("query", "reasons", "here", "there"), queries, 2) if queries else "",
            html.notes([*lines, *(f"not reproduced: {beyond}" for beyond in self.beyond)]),
        ]


def _values(query: QueryDifference) -> list[str]:
    """Return both values, with as many decimals as show that they differ."""
    for decimals in (4, 6, 9, 12):
        texts = [
            "not averaged" if value is None else f"{value:.{decimals}f}"
            for value in (query.ours, query.theirs)
        ]
        if texts[0] != texts[1]:
            break
    return texts


def _signed(difference: float, decimals: int) -> str:
    """Write a difference, also one that as many decimals would show as 0."""
    if 0 < abs(difference) < 0.5 * 10.0**-decimals:
        return f"{difference:+.0e}"
    return f"{difference:+.{decimals}f}"


def _reasons(query: QueryDifference) -> str:
    return ", ".join(
        f"left out by {name}" if added is None else f"{name} {_signed(added, 4)}"
        for name, added in query.reasons.items()
    )
