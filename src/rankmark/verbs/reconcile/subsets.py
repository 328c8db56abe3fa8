"""The last resort: averages over some of the queries, or with another divisor.

So many of these exist that one often gives a number by chance. They are tried only if no convention
of the table gives it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import listed
from rankmark.verbs.reconcile.alternatives import Choice, Convention
from rankmark.verbs.reconcile.candidates import Change
from rankmark.verbs.reconcile.targets import Means, printing_of

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.verbs.reconcile.candidates import Candidates, Changes

_LEFT_OUT = Convention("left_out", "average", ())
_FIRST = Convention("first_queries", "average", ())
_DIVISOR = Convention("divisor", "average", ())
SUBSETS = (_LEFT_OUT, _FIRST, _DIVISOR)
"""The conventions of this module."""


class Subset(NamedTuple):
    """What was tried for one candidate, and what gave the numbers.

    Parameters
    ----------
    tried
        (n, n_measures) float64, all values that were tried.
    found
        The changes that gave the numbers, with the values of the measures.
    """

    tried: Floats
    found: tuple[tuple[Change, tuple[float, ...]], ...]


def subsets_of(candidates: Candidates, target: Means, changes: Changes) -> Subset | None:
    """Try subsets of the queries, and other divisors, for a candidate; None if it has no mean."""
    scores = candidates.scores(changes)
    average = candidates.start.average(changes)
    if scores is None or not average.keys().isdisjoint({"aggregate", "divisor", "pooled"}):
        return None
    if any(of_measure.measure.aggregate != "mean" for of_measure in scores):
        return None
    rows = [of_measure.rows(average) for of_measure in scores]
    if len(rows[0]) < 2 or any(not np.array_equal(rows[0], other) for other in rows):
        return None
    values = np.stack([of_measure.averaged(average) for of_measure in scores], axis=1)
    tried, found = [], []
    for convention, means in _means(values):
        agrees = _agreeing(target, means, changes)
        tried.append(means)
        if agrees.any():
            at = np.flatnonzero(agrees)
            shown = int(at[0])
            if convention is _DIVISOR:
                shown = int(at[np.argmin(np.abs(_divisors(len(values))[at] - len(values)))])
            choice = _choice(convention, at, shown, rows[0], candidates.rankings.qrels.query_ids)
            found.append((Change(convention, choice), tuple(means[shown].tolist())))
    return Subset(np.concatenate(tried), tuple(found))


def _means(values: Floats) -> Iterator[tuple[Convention, Floats]]:
    """Yield the means without each query, of the first queries, and by other divisors."""
    number, total = len(values), values.sum(axis=0)
    yield _DIVISOR, total / _divisors(number)[:, None]
    yield _LEFT_OUT, (total - values) / (number - 1)
    yield _FIRST, np.cumsum(values, axis=0)[:-1] / np.arange(1, number)[:, None]


def _divisors(number: int) -> Ints:
    """Return the divisors near the number of queries."""
    off = max(10, number // 20)
    return np.arange(max(1, number - off), number + off + 1)


def _agreeing(target: Means, means: Floats, changes: Changes) -> Bools:
    how, percent = printing_of(changes)
    agrees = np.ones(len(means), dtype=bool)
    for at, number in enumerate(target.numbers):
        agrees &= (number.in_percent() if percent else number).agrees(means[:, at], how)
    return agrees


def _choice(
    convention: Convention, at: Ints, shown: int, rows: Ints, queries: tuple[str, ...]
) -> Choice:
    """Describe which of the means agree, by their places."""
    if convention is _LEFT_OUT:
        ids = [queries[row] for row in rows[at].tolist()]
        which = f"query {ids[0]!r}" if len(ids) == 1 else f"one of {listed(ids[:3], len(ids))}"
        return Choice(tuple(ids), f"without {which}")
    if convention is _FIRST:
        return Choice(shown + 1, f"only the first {shown + 1:,} of {len(rows):,} queries")
    number = int(_divisors(len(rows))[shown])
    words = f"the sum divided by {number:,} queries rather than {len(rows):,}"
    return Choice(number - len(rows), words)
