"""Lines as trec_eval prints them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.compat.trec_eval.evaluating import Evaluated, summary

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.compat.trec_eval.given_options import Options
    from rankmark.compat.trec_eval.printed_columns import Column
    from rankmark.compat.trec_eval.reading import ZScores

    Objects = np.ndarray[tuple[Any, ...], np.dtype[np.object_]]

_MISSING = -1000000.0  # a z-score without a mean
_PRINTED_AT_ONCE = 500  # queries: their text stays in the cache
_DECIMALS = 10_000  # four of them
_CLEARLY = 0.499  # of the last decimal; by less, rounding scaled numbers is rounding the numbers


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
        shown = [number for number, column in enumerate(found.columns) if _has_queries(column)]
        for begin in range(0, len(found.queries), _PRINTED_AT_ONCE):
            yield _by_query(found, shown, slice(begin, begin + _PRINTED_AT_ONCE), options)
    if options.summary and found.missing is None:
        yield "".join(_of_all(found, options))


def _by_query(found: Evaluated, shown: list[int], rows: slice, options: Options) -> str:
    """Write the lines of some queries."""
    queries = found.queries[rows]
    pieces = np.empty((len(queries), len(shown), 3), dtype=object)  # of each line
    pieces[:, :, 0] = [_begin(found.columns[number], options) for number in shown]
    pieces[:, :, 1] = np.array([f"{query}\t" for query in queries], dtype=object)[:, None]
    ends = pieces[:, :, 2]
    counts = [at for at, number in enumerate(shown) if _is_count(found.columns[number], options)]
    others = [at for at in range(len(shown)) if at not in counts]
    values = found.values[rows][:, shown]
    ends[:, counts] = _written(values[:, counts], is_count=True)
    ends[:, others] = _written(values[:, others], is_count=False)
    for at, number in enumerate(shown):
        if number in found.texts:
            ends[:, at] = [f"'{text}'\n" for text in found.texts[number][rows]]
    return "".join(pieces.ravel().tolist())


def _written(values: Floats, *, is_count: bool) -> Objects:
    """Write values as the ends of lines: (n, m) to (n, m). Many are the same."""
    if is_count:
        return _written_once(values, is_count=True)
    # Sorting numbers, to write each once, takes longer than all else here. Those from 0 to 1 have
    # few texts, and it is clear which, unless they lie in the middle between two decimals.
    is_share = ~np.signbit(values) & (values <= 1)
    scaled = np.where(is_share, values, 0.0) * _DECIMALS
    nearest = np.rint(scaled)
    is_clear = is_share & (np.abs(scaled - nearest) < _CLEARLY)
    number = np.where(is_clear, nearest, 0).astype(np.intp)
    occurring = np.flatnonzero(np.bincount(number.ravel(), minlength=_DECIMALS + 1))
    texts = np.empty(_DECIMALS + 1, dtype=object)
    texts[occurring] = [_end(one / _DECIMALS, is_count=False) for one in occurring.tolist()]
    written: Objects = texts[number]
    written[~is_clear] = _written_once(values[~is_clear], is_count=False)
    return written


def _written_once(values: Floats, *, is_count: bool) -> Objects:
    """Write values as the ends of lines, each different one once."""
    distinct, number = np.unique(values, return_inverse=True)
    ends = [_end(value, is_count=is_count) for value in distinct.tolist()]
    return np.array(ends, dtype=object)[number.reshape(values.shape)]


def _of_all(found: Evaluated, options: Options) -> Iterator[str]:
    for column, value in zip(found.columns, summary(found), strict=True):
        if column.family == "runid":
            yield f"{'runid':<22}\tall\t{found.tag}\n"
        elif column.family != "relstring":
            end = _end(value, is_count=_is_count(column, options))
            yield f"{_begin(column, options)}all\t{end}"


def _has_queries(column: Column) -> bool:
    """Return whether the values of queries are printed."""
    return column.family not in {"runid", "num_q"} and column.printed != "log"


def _is_count(column: Column, options: Options) -> bool:
    """Return whether a column is printed without decimals."""
    measure = column.measure
    return options.zscores is None and measure is not None and measure.aggregate == "sum"


def _begin(column: Column, options: Options) -> str:
    """Return the begin of a line, up to the query id."""
    is_zscore = options.zscores is not None and column.family != "relstring"
    return f"{'Z' if is_zscore else ''}{column.name:<22}\t"


def _end(value: float, *, is_count: bool) -> str:
    """Return the end of a line; of NaN as C's printf writes the one of 0 / 0."""
    if is_count:
        return f"{value:.0f}\n"
    return f"{value:6.4f}\n" if not math.isnan(value) else "  -nan\n"
