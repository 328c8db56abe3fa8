"""How sure a run is of each query: from the scores of its documents, or as the caller says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.errors import InputError, SchemaError, listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.preparing.run import Run

ByScores = Literal["max", "std", "diff1"]
RULES: tuple[ByScores, ...] = get_args(ByScores)


def by_scores(run: Run, queries: Sequence[str], rule: ByScores, reading: Reading) -> Floats:
    """Return the confidence of each query by its documents' scores: (n,) float64.

    Minus infinity for queries without documents.

    Raises
    ------
    SchemaError
        If the run has no scores.
    """
    rows = run.source.rows(reading, lenient=False)
    if rows.number is None:
        raise SchemaError(
            "this run has no scores, from which confidence is taken",
            "give {query id: number} as signal=",
            where=run.source.name,
        )
    codes = np.asarray(rows.query_codes, dtype=np.int64)
    found = np.full(len(rows.query_ids), -math.inf)
    of_query = {"max": _highest, "std": _spread, "diff1": _lead}[rule]
    if len(codes):
        of_query(codes, np.asarray(rows.number, dtype=np.float64), found)
    place = dict(zip(rows.query_ids, found.tolist(), strict=True))
    return np.array([place.get(query, -math.inf) for query in queries])


def _highest(codes: Ints, scores: Floats, found: Floats) -> None:
    np.maximum.at(found, codes, scores)


def _spread(codes: Ints, scores: Floats, found: Floats) -> None:
    """Find the standard deviation of all scores of a query, as of a population."""
    counts = np.bincount(codes, minlength=len(found))
    present = counts > 0
    means = np.bincount(codes, weights=scores, minlength=len(found)) / np.maximum(counts, 1)
    squares = np.bincount(codes, weights=(scores - means[codes]) ** 2, minlength=len(found))
    found[present] = np.sqrt(squares[present] / counts[present])


def _lead(codes: Ints, scores: Floats, found: Floats) -> None:
    """Find how far the highest score is above the second; 0 if there is only one."""
    order = np.lexsort((-scores, codes))
    codes, scores = codes[order], scores[order]
    first = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
    second = np.minimum(first + 1, len(codes) - 1)
    found[codes[first]] = np.where(
        codes[second] == codes[first], scores[first] - scores[second], 0.0
    )


def as_given(given: Mapping[Any, Any], queries: Sequence[str], returned: Bools) -> Floats:
    """Return the confidence of each query that the caller gives: (n,) float64.

    Minus infinity for queries for which nothing was returned, as ``returned``, (n,) bool, says.

    Raises
    ------
    InputError
        If a query that has documents is missing.
    SchemaError
        If a number is not a finite number.
    """
    by_id = {str(query): number for query, number in given.items()}
    found = np.full(len(queries), -math.inf)
    answered = np.flatnonzero(returned).tolist()
    missing = [queries[place] for place in answered if queries[place] not in by_id]
    if missing:
        raise InputError(
            f"signal lacks {len(missing):,} of {len(answered):,} queries: {listed(missing)}",
            "give a number for each query that has documents",
        )
    for place in answered:
        found[place] = _number(by_id[queries[place]], queries[place])
    return found


def _number(given: Any, query: str) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or isinstance(given, (str, bytes)):
        raise SchemaError(
            f"the signal of query {shown(query)} is {shown(given)}", "need a finite number"
        )
    return number
