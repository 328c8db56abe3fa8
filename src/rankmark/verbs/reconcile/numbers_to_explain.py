"""Numbers to be explained, as they were given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import MismatchError, listed
from rankmark.verbs.reconcile.targets import Means, PerQuery

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.verbs.reconcile.printed_numbers import PrintedNumber

_LONGEST = 40  # letters of a number


class GivenNumbers(NamedTuple):
    """Numbers to be explained.

    Parameters
    ----------
    measures
        The measures that were named.
    means
        A number for each measure; empty if there are per-query numbers, or none.
    of_queries
        For each measure, {query id: number}; None if there are means, or none.
    """

    measures: tuple[Measure, ...]
    means: tuple[PrintedNumber, ...] = ()
    of_queries: tuple[dict[str, PrintedNumber], ...] | None = None

    @property
    def every(self) -> tuple[PrintedNumber, ...]:
        """All numbers."""
        if self.of_queries is None:
            return self.means
        return tuple(number for column in self.of_queries for number in column.values())

    @property
    def percent(self) -> bool:
        """Whether numbers of measures that are at most 1 must be percentages."""
        # Counts of queries are added up, however small that of each is.
        fractions = all(
            measure.bounds[1] <= 1 and measure.aggregate != "sum" for measure in self.measures
        )
        return fractions and any(number.value > 1 for number in self.every)

    def described(self) -> dict[str, str]:
        """Return the numbers by measure as given; of per-query numbers how many."""
        names = map(str, self.measures)
        if self.of_queries is None:
            return {
                name: _short(number.text) for name, number in zip(names, self.means, strict=False)
            }
        columns = self.of_queries
        return {name: str(len(column)) for name, column in zip(names, columns, strict=True)}

    def near(self) -> str:
        """Return what unrelated numbers like these are called."""
        if self.of_queries is not None:
            queries = len({query for column in self.of_queries for query in column} - {"all"})
            return (
                "numbers of a query"
                if queries == 1
                else f"lists of per-query numbers of {queries:,} queries"
            )
        texts = [_short(number.text) for number in self.means]
        if len(texts) == 1:
            return f"numbers near {texts[0]}"
        several = "pairs" if len(texts) == 2 else f"sets of {len(texts)}"
        return f"{several} of numbers near {', '.join(texts[:-1])} and {texts[-1]}"

    def target(self, queries: Sequence[str]) -> tuple[Means | PerQuery, list[str]]:
        """Return what is searched, and the queries with numbers that are not judged.

        Parameters
        ----------
        queries
            The ids of the judged queries.

        Raises
        ------
        MismatchError
            If none of the queries with numbers is judged.
        """
        if self.of_queries is None:
            return Means(self.means, percent=self.percent), []
        asked = dict.fromkeys(query for column in self.of_queries for query in column)
        row_of = {query: row for row, query in enumerate(queries)}
        # Tools write the mean in a row of its own.
        unjudged = [query for query in asked if query not in row_of and query != "all"]
        judged = [query for query in asked if query in row_of]
        if not judged:
            several = f"none of the {len(unjudged):,} queries with numbers is judged"
            one = "the only query with a number is not judged"
            raise MismatchError(
                f"{one if len(unjudged) == 1 else several}: {listed(unjudged)}",
                "check the ids of the queries, or name measures",
                where="per_query",
            )
        table = np.full((len(judged), len(self.measures)), math.nan)
        for at, column in enumerate(self.of_queries):
            for row, query in enumerate(judged):
                if query in column:
                    table[row, at] = column[query].value
        if self.percent:
            table /= 100
        decimals = [
            max((number.decimals for number in column.values()), default=0) + 2 * self.percent
            for column in self.of_queries
        ]
        rows = np.array([row_of[query] for query in judged], dtype=np.int64)
        return PerQuery(rows, table, decimals), unjudged


def _short(text: str) -> str:
    """Return a number as it was given, but not thousands of digits."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
