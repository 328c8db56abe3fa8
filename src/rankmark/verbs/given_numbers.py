"""Numbers of a run that another program printed: means, or numbers of queries."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import InputError, MeasureError, MismatchError, SchemaError, listed
from rankmark.measures import Measure, nDCG
from rankmark.measures.names import every, measures
from rankmark.reconciliation.printed_numbers import PrintedNumber, printed_number
from rankmark.reconciliation.targets import Means, PerQuery
from rankmark.verbs.given_scores import columns_of_one_run, query_column_of

if TYPE_CHECKING:
    from rankmark.measures.names import AnyMeasure


class GivenNumbers(NamedTuple):
    """Numbers to be explained.

    Parameters
    ----------
    measures
        The measures that were named.
    means
        A number for each measure; empty if there are numbers of queries, or none.
    of_queries
        For each measure, {query id: number}; None if there are means, or none.
    """

    measures: tuple[Measure, ...]
    means: tuple[PrintedNumber, ...] = ()
    of_queries: tuple[dict[str, PrintedNumber], ...] | None = None


def given_numbers(
    measure: Iterable[AnyMeasure] | AnyMeasure | None,
    value: Any,
    per_query: Any,
    digits: int | None,
) -> GivenNumbers:
    """Read numbers in any form, and the measures that they are of.

    Raises
    ------
    InputError
        If a number is missing or is none, or there are both means and numbers of queries.
    """
    if isinstance(value, (Mapping, os.PathLike)) or hasattr(value, "columns"):
        if per_query is not None:
            raise InputError("both value and per_query are given", "leave one of them out")
        if not _is_by_measure(measure, value):
            value, per_query = None, value
    if per_query is not None:
        if value is not None:
            raise InputError("both value and per_query are given", "leave one of them out")
        return _of_queries(measure, per_query, digits)
    if isinstance(value, Mapping):
        named = {str(measures(name)[0]): number for name, number in value.items()}
        chosen = tuple(every(value if measure is None else measure))
        missing = [str(one) for one in chosen if str(one) not in named]
        if missing:
            raise InputError(f"value has no number for {missing[0]}", "give one for each measure")
        value = [named[str(one)] for one in chosen]
    else:
        chosen = tuple(every(nDCG @ 10 if measure is None else measure))
    if value is None:
        return GivenNumbers(chosen)
    numbers = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
    if len(numbers) != len(chosen):
        raise InputError(
            f"there are {_counted(len(numbers), 'number')} for "
            f"{_counted(len(chosen), 'measure')}: {', '.join(map(str, chosen))}",
            "give one number for each measure, in the same order",
        )
    return GivenNumbers(chosen, tuple(printed_number(number, digits) for number in numbers))


def _counted(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def _is_by_measure(measure: Any, value: Any) -> bool:
    """Return whether a mapping has a number for each measure rather than for each query."""
    if not isinstance(value, Mapping) or any(
        isinstance(one, (Mapping, list, tuple, np.ndarray)) for one in value.values()
    ):
        return False
    named = None if measure is None else set(every(measure))
    for name in value:
        try:
            found = measures(name)
        except MeasureError:
            return False
        if named is not None and not named.issuperset(found):
            return False
    return True


def _of_queries(measure: Any, given: Any, digits: int | None) -> GivenNumbers:
    columns = columns_of_one_run(_by_query(given))
    where = "per_query"
    query_column = query_column_of(columns, where)
    queries = [_query(query) for query in columns[query_column]]
    by_measure: dict[Measure, str] = {}
    others = [name for name in columns if name != query_column]
    for name in others:
        try:
            (found,) = measures(name)
        except (MeasureError, ValueError):
            continue
        by_measure.setdefault(found, name)
    chosen = tuple(every(nDCG @ 10 if measure is None else measure))
    if measure is None and by_measure:
        chosen = tuple(by_measure)
    if len(chosen) == 1 and len(others) == 1:
        by_measure.setdefault(chosen[0], others[0])
    missing = [str(one) for one in chosen if one not in by_measure]
    if missing:
        raise SchemaError(
            f"there is no column for {missing[0]}; the columns are {', '.join(others[:8])}",
            "name measures of which there are numbers",
            where=where,
        )
    numbers = tuple(
        {
            query: printed_number(number, digits)
            for query, number in zip(queries, columns[by_measure[one]], strict=True)
            if number is not None and not (isinstance(number, float) and math.isnan(number))
        }
        for one in chosen
    )
    if not any(numbers):
        raise InputError("there are no numbers of queries", "give one at least", where=where)
    return GivenNumbers(chosen, of_queries=numbers)


def _by_query(given: Any) -> Any:
    """Turn {measure: {query id: number}} into {query id: {measure: number}}, as others have it."""
    if not isinstance(given, Mapping) or not given:
        return given
    nested = all(isinstance(inner, Mapping) for inner in given.values())
    if not nested:
        if all(isinstance(value, (int, float, str, np.number)) for value in given.values()):
            return {query: {"score": value} for query, value in given.items()}
        return given
    try:
        for name in given:
            measures(name)
    except MeasureError:
        return given
    turned: dict[Any, dict[str, Any]] = {}
    for name, numbers in given.items():
        for query, number in numbers.items():
            turned.setdefault(query, {})[str(measures(name)[0])] = number
    return turned


def _query(query: Any) -> str:
    return str(int(query)) if isinstance(query, float) and query.is_integer() else str(query)


def is_percent(chosen: Sequence[Measure], means: Sequence[PrintedNumber]) -> bool:
    """Return whether numbers of measures that are at most 1 must be percentages."""
    return all(measure.bounds[1] <= 1 for measure in chosen) and any(
        number.value > 1 for number in means
    )


def target_of(
    numbers: GivenNumbers, queries: Sequence[str], *, percent: bool
) -> tuple[Means | PerQuery, list[str]]:
    """Return what is searched, and the queries with numbers that are not judged.

    Raises
    ------
    MismatchError
        If none of the queries with numbers is judged.
    """
    if numbers.of_queries is None:
        return Means(numbers.means, percent=percent), []
    asked = dict.fromkeys(query for column in numbers.of_queries for query in column)
    row_of = {query: row for row, query in enumerate(queries)}
    unjudged = [query for query in asked if query not in row_of]
    judged = [query for query in asked if query in row_of]
    if not judged:
        raise MismatchError(
            f"none of the {len(unjudged):,} queries with numbers is judged: {listed(unjudged)}",
            "check the ids of the queries",
            where="per_query",
        )
    table = np.full((len(judged), len(numbers.measures)), math.nan)
    for at, column in enumerate(numbers.of_queries):
        for row, query in enumerate(judged):
            if query in column:
                table[row, at] = column[query].value
    if percent:
        table /= 100
    decimals = [
        max((number.decimals for number in column.values()), default=0) + (2 if percent else 0)
        for column in numbers.of_queries
    ]
    rows = np.array([row_of[query] for query in judged], dtype=np.int64)
    return PerQuery(rows, table, decimals), unjudged


def is_number(text: str) -> bool:
    """Return whether text is a number."""
    try:
        return Decimal(text.strip()).is_finite()
    except InvalidOperation:
        return False
