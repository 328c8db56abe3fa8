"""The queries of several batches, each once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from rankmark.data.contract.source import ANSWERED
from rankmark.errors import DuplicateError, InputError
from rankmark.verbs.evaluate.batch_totals import BatchTotals
from rankmark.verbs.evaluate.query_rows import QueryRows, joined, replaced


class Batches:
    """The rows of all queries, and the totals of all batches.

    Attributes
    ----------
    totals
        None before the first batch.
    names
        The names of the batches; None where it is a number.
    have_numbers
        Whether queries are numbered, as they have no ids; None if there are no queries.
    """

    def __init__(self) -> None:
        self.totals: BatchTotals | None = None
        self.names: list[str | None] = []
        self.have_numbers: bool | None = None
        self._parts: list[QueryRows] = []
        self._place: dict[str, int] = {}  # the row of each query

    def __len__(self) -> int:
        return len(self._place)

    def name(self, number: int) -> str:
        """Name a batch, by its number from 0."""
        return self.names[number] or numbered(number)

    def rows(self) -> QueryRows:
        """Return the rows of all batches."""
        if len(self._parts) > 1:
            self._parts = [joined(self._parts)]
        return self._parts[0]

    def add(
        self,
        rows: QueryRows,
        totals: BatchTotals,
        names: Sequence[str | None],
        *,
        have_numbers: bool | None,
        last: bool,
    ) -> None:
        """Add batches, or leave everything as it is if that fails.

        Parameters
        ----------
        rows
            Their queries, with the numbers of batches from 0.
        names
            One for each batch.
        last
            Whether a query that comes twice keeps its last scores; otherwise, it is refused.
        """
        before = len(self.names)
        rows = rows._replace(batch=rows.batch + before)
        if have_numbers is not None and self.have_numbers not in {None, have_numbers}:
            these, others = ("no ids", "ids") if have_numbers else ("ids", "no ids")
            raise InputError(
                f"the queries of {names[0] or numbered(before)} have {these}, and those of "
                f"earlier batches have {others}",
                "give query_ids with rows of arrays",
            )
        if have_numbers:
            ids = map(str, range(len(self), len(self) + len(rows.queries)))
            rows = rows._replace(queries=[*ids])
        known = {row: self._place[q] for row, q in enumerate(rows.queries) if q in self._place}
        if known:
            better = self._better(rows, known, names, last=last)
            self._parts = [replaced(self.rows(), [known[row] for row in better], rows, better)]
            rows = rows.at([row for row in range(len(rows.queries)) if row not in known])
        for query in rows.queries:
            self._place[query] = len(self._place)
        self._parts.append(rows)
        # So there are few parts, and each row is copied few times.
        while len(self._parts) > 1 and len(self._parts[-1].queries) >= len(self._parts[-2].queries):
            self._parts[-2:] = [joined(self._parts[-2:])]
        self.names += names
        self.totals = totals if self.totals is None else self.totals.plus(totals)
        if have_numbers is not None:
            self.have_numbers = have_numbers

    def _better(
        self, rows: QueryRows, known: dict[int, int], names: Sequence[str | None], *, last: bool
    ) -> list[int]:
        """Return the rows that replace the earlier ones of their queries, or refuse them.

        ``known`` has the places of the earlier ones.
        """
        mine, better = self.rows(), []
        answers = (rows.counts[[*known], ANSWERED] > 0).tolist()
        answered = (mine.counts[[*known.values()], ANSWERED] > 0).tolist()
        for (row, place), now, before in zip(known.items(), answers, answered, strict=True):
            if last or now != before:  # or one of the batches only judged it
                if now or not before:
                    better.append(row)
            elif now or rows.scores[row].tobytes() != mine.scores[place].tobytes():
                self._refuse(rows, row, place, names)
        return better

    def _refuse(
        self, rows: QueryRows, row: int, place: int, names: Sequence[str | None]
    ) -> NoReturn:
        batch = int(rows.batch[row])
        second = names[batch - len(self.names)] or numbered(batch)
        raise DuplicateError(
            f"query {rows.queries[row]!r} comes twice: in "
            f"{self.name(int(self.rows().batch[place]))}, and in {second}",
            'give it once, or choose on_repeat="last"',
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without what follows from the rest."""
        if self._parts:
            self.rows()
        return {name: value for name, value in vars(self).items() if name != "_place"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        queries = self._parts[0].queries if self._parts else []
        self._place = {query: place for place, query in enumerate(queries)}


def numbered(number: int) -> str:
    """Name a batch by its number from 0."""
    return f"batch {number + 1:,}"
