"""Numbers of a run that another program printed, as given: means, or per-query numbers."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankmark.errors import (
    DuplicateError,
    InputError,
    MeasureError,
    MismatchError,
    ParseError,
    SchemaError,
    counted,
    listed,
    shown,
)
from rankmark.measures import Measure, nDCG
from rankmark.measures.names import AnyMeasure, every, measures
from rankmark.verbs.evaluate.given_runs import RUN_COLUMNS
from rankmark.verbs.evaluate.given_scores import columns_of_one_run, query_column_of
from rankmark.verbs.reconcile.alternatives import may_exceed_1
from rankmark.verbs.reconcile.targets import Means, PerQuery, PrintedNumber, printed_number

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
            not may_exceed_1(measure) and measure.aggregate != "sum" for measure in self.measures
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
            several = f"lists of per-query numbers of {queries:,} queries"
            return "numbers of a query" if queries == 1 else several
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
        """
        if self.of_queries is None:
            return Means(self.means, percent=self.percent), []
        asked = dict.fromkeys(query for column in self.of_queries for query in column)
        row_of = {query: row for row, query in enumerate(queries)}
        # Tools write the mean in a row of its own.
        unjudged = [query for query in asked if query not in row_of and query != "all"]
        judged = [query for query in asked if query in row_of]
        if not judged:
            none = f"none of the {len(unjudged):,} queries with numbers is judged"
            if len(unjudged) == 1:
                none = "the only query with a number is not judged"
            raise MismatchError(
                f"{none}: {listed(unjudged)}",
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


_WHERE = "per_query"
_NEEDED = (
    "{query id: number}, {query id: {measure: number}}, {measure: {query id: number}}, a frame "
    "with the columns query_id and one for each measure, or a file"
)
_NONE = {"", "nan", "-nan"}
_MOST_MEASURES = 8  # more take long, and must be named


def given_numbers(
    measure: Iterable[AnyMeasure] | AnyMeasure | None,
    value: Any,
    per_query: Any,
    digits: int | None,
) -> GivenNumbers:
    """Read numbers in any form, and the measures that they are of."""
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
        names = [str(measures(name)[0]) for name in value]
        twice = next((name for name, times in Counter(names).items() if times > 1), None)
        if twice is not None:
            both = [str(given) for given, name in zip(value, names, strict=True) if name == twice]
            raise DuplicateError(
                f"value has two numbers for {twice}: as {both[0]!r} and {both[1]!r}", "give one"
            )
        named = dict(zip(names, value.values(), strict=True))
        chosen = tuple(every(value if measure is None else measure))
        missing = [str(one) for one in chosen if str(one) not in named]
        if missing:
            raise InputError(f"value has no number for {missing[0]}", "give one for each measure")
        value = [named[str(one)] for one in chosen]
    else:
        chosen = tuple(every(nDCG @ 10 if measure is None else measure))
    if value is None:
        return GivenNumbers(chosen)
    is_list = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0
    numbers = list(value) if is_list else [value]
    if len(numbers) != len(chosen):
        raise InputError(
            f"found {counted(len(numbers), 'number')} for "
            f"{counted(len(chosen), 'measure')}: {', '.join(map(str, chosen))}",
            "give one number for each measure, in the same order",
        )
    return GivenNumbers(chosen, tuple(printed_number(number, digits) for number in numbers))


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
    given = _by_query(given)
    if isinstance(given, (Mapping, list, tuple)) and not given:
        raise InputError("there are no per-query numbers", "give one at least", where=_WHERE)
    try:
        columns = columns_of_one_run(given, _WHERE)
    except ParseError:
        raise
    except SchemaError:
        raise SchemaError(f"found {shown(given)}", f"need {_NEEDED}", where=_WHERE) from None
    query_column = query_column_of(columns)
    queries = columns.ids(query_column)
    columns.refuse_twice(queries)
    by_measure: dict[Measure, str] = {}
    others = [name for name in columns if name not in {query_column, *RUN_COLUMNS}]
    for name in others:
        try:
            (found,) = measures(name)
        except (MeasureError, ValueError):
            continue
        by_measure.setdefault(found, name)
    chosen = tuple(every(nDCG @ 10 if measure is None else measure))
    if measure is None and by_measure:
        chosen = tuple(by_measure)
        if len(chosen) > _MOST_MEASURES:
            raise InputError(
                f"there are numbers of {len(chosen)} measures",
                f"name some of them, such as {chosen[0]}",
                where=_WHERE,
            )
    if len(chosen) == 1 and len(others) == 1:
        by_measure.setdefault(chosen[0], others[0])
    missing = [str(one) for one in chosen if one not in by_measure]
    if missing:
        raise SchemaError(
            f"there is no column for {missing[0]}; the columns are {', '.join(others[:8])}",
            "name measures of which there are numbers",
            where=_WHERE,
        )
    numbers = tuple(_numbers(queries, columns[by_measure[one]], digits) for one in chosen)
    if not any(numbers):
        raise InputError("there are no per-query numbers", "give one at least", where=_WHERE)
    return GivenNumbers(chosen, of_queries=numbers)


def _numbers(
    queries: Sequence[str], column: Sequence[Any], digits: int | None
) -> dict[str, PrintedNumber]:
    """Return the number of each query, without those that are missing or NaN."""
    numbers = {}
    for query, number in zip(queries, column, strict=True):
        if number is None or str(number).strip().lower() in _NONE:
            continue
        try:
            numbers[query] = printed_number(number, digits)
        except InputError as error:
            found = error.found.replace("value is", f"query {query!r}: the number is", 1)
            raise InputError(found, error.remedy, where=_WHERE) from None
    return numbers


def _by_query(given: Any) -> Any:
    """Turn {measure: {query id: number}} into {query id: {measure: number}}, as others have it."""
    if hasattr(given, "index") and hasattr(given, "to_dict") and not hasattr(given, "columns"):
        given = given.to_dict()  # a series of pandas
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
