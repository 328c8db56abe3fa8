"""Numbers and words of queries that are a column of a table among others, such as of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankmark.array_types import Ints
from rankmark.conventions import by_text
from rankmark.data.given_tables.given_columns import is_empty, number_in
from rankmark.errors import InputError, SchemaError, counted, listed, shown
from rankmark.results.result import Result
from rankmark.verbs.evaluate.given_scores import columns_by_query
from rankmark.verbs.evaluate.query_attributes import values_by_query

DrawnQueries = Any
"""How often each query was drawn: {query id: number}, a table, a file, or a plan."""

_MOST_DRAWS = 10**12
DRAWS = "draws"
"""Column of what ``choose_queries`` writes if it draws by traffic."""


def numbers_of(given: Any, name: str, column: str) -> dict[str, float]:
    """Return {query id: number} from a mapping, a table or a file."""
    return {
        query: _number(value, query, name)
        for query, value in by_text(values_by_query(given, name, column), name).items()
        if not is_empty(value)
    }


def table_columns(given: Any, name: str) -> dict[str, dict[str, Any]]:
    """Return {column: {query id: value}} of a table, a file or a result."""
    return columns_by_query(given._table() if isinstance(given, Result) else given, name)


def _number(value: Any, query: str, name: str) -> float:
    number = number_in(value)
    if number is None:
        raise SchemaError(f"{name} has {shown(value)} for query {query!r}", "need a number")
    return number


def draws_of(draws: Any, queries: Sequence[str]) -> Ints:
    """Return how often each query was drawn: (n_queries,) int64.

    Parameters
    ----------
    draws
        ``{query id: number}``, a table or a file with a column ``draws``, or what
        ``choose_queries`` returned.
    queries
        Ids of the queries that are averaged; each one that was drawn has to be among them.

    Raises
    ------
    InputError
        If a number is no whole number from 0, no query was drawn, or one that was is not averaged.
    """
    numbers = numbers_of(draws, DRAWS, DRAWS)
    for query, number in numbers.items():
        if not (0 <= number <= _MOST_DRAWS and number == int(number)):
            raise InputError(
                f"draws has {number:g} for query {query!r}",
                f"need a whole number from 0 to {_MOST_DRAWS:,}",
            )
    averaged = set(queries)
    missing = [query for query, number in numbers.items() if number and query not in averaged]
    if missing:
        raise InputError(
            f"draws names {counted(len(missing), 'query', 'queries')} that "
            f"{'are' if missing[1:] else 'is'} not averaged: {listed(missing[:3], len(missing))}",
            "judge every query that was drawn; a sample without some is no random sample",
        )
    found = np.array([numbers.get(query, 0) for query in queries], dtype=np.int64)
    if not found.any():
        raise InputError("draws has none for any query", "give how often each was drawn")
    return found
