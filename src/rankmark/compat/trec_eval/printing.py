"""Lines as trec_eval prints them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rankmark.compat.trec_eval.evaluating import Evaluated, summary

if TYPE_CHECKING:
    from rankmark.compat.trec_eval.arguments import Options
    from rankmark.compat.trec_eval.reading import ZScores
    from rankmark.compat.trec_eval_measures import Column

_MISSING = -1000000.0  # a z-score without a mean
_PRINTED_AT_ONCE = 500  # queries


def with_zscores(found: Evaluated, zscores: ZScores) -> Evaluated:
    """Replace values by their distance from the mean, in standard deviations."""
    values = np.empty_like(found.values)
    for row, query in enumerate(found.queries):
        for number, column in enumerate(found.columns):
            values[row, number] = _zscore(
                float(found.values[row, number]), zscores.get((query, column.name))
            )
    return found._replace(values=values)


def _zscore(value: float, among: tuple[float, float] | None) -> float:
    if among is None:
        return _MISSING
    mean, deviation = among
    if deviation:
        return (value - mean) / deviation
    return 0.0 if value == mean else _MISSING


def lines(found: Evaluated, options: Options) -> Iterator[str]:
    """Yield what is printed, in several parts."""
    if options.per_query:
        yield from _by_query(found, options)
    if options.summary and found.missing is None:
        yield "".join(_of_all(found, options))


def _by_query(found: Evaluated, options: Options) -> Iterator[str]:
    shown = [number for number, column in enumerate(found.columns) if _has_queries(column)]
    template = "".join(_line(found.columns[number], options) for number in shown)
    # The query id stands before every value.
    columns = [
        found.texts[number] if number in found.texts else found.values[:, number].tolist()
        for number in shown
    ]
    undefined = np.isnan(found.values).any()
    rows = zip(found.queries, *columns, strict=True)
    parts = []
    for query, *values in rows:
        if undefined:
            parts.append(_with_undefined(found, options, shown, query, values))
        else:
            between = [field for value in values for field in (query, value)]
            parts.append(template % tuple(between))
        if len(parts) == _PRINTED_AT_ONCE:
            yield "".join(parts)
            parts = []
    yield "".join(parts)


def _with_undefined(
    found: Evaluated, options: Options, shown: list[int], query: str, values: list[object]
) -> str:
    return "".join(
        _one(found.columns[number], query, value, options)
        for number, value in zip(shown, values, strict=True)
    )


def _of_all(found: Evaluated, options: Options) -> Iterator[str]:
    for column, value in zip(found.columns, summary(found), strict=True):
        if column.family == "runid":
            yield f"{'runid':<22}\tall\t{found.tag}\n"
        elif column.family != "relstring":
            yield _one(column, "all", value, options)


def _has_queries(column: Column) -> bool:
    """Return whether the values of queries are printed."""
    return column.family not in {"runid", "num_q"} and column.printed != "log"


def _one(column: Column, query: str, value: object, options: Options) -> str:
    if isinstance(value, float) and math.isnan(value):
        return _line(column, options).replace("%6.4f", "%s") % (query, "  -nan")
    return _line(column, options) % (query, value)


def _line(column: Column, options: Options) -> str:
    """Return the template of a line, for a query id and a value."""
    name = column.name.replace("%", "%%")
    if column.family == "relstring":
        return f"{name:<22}\t%s\t'%s'\n"
    if options.zscores is not None:
        return f"Z{name:<22}\t%s\t%6.4f\n"
    assert column.measure is not None  # noqa: S101
    is_count = column.measure.aggregate == "sum"
    return f"{name:<22}\t%s\t%d\n" if is_count else f"{name:<22}\t%s\t%6.4f\n"
