"""Bounds: what a value could become if the unjudged documents that were retrieved were judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment import Alignment, positions, query_of_rows
from rankmark.chances import in_pieces, last_ranks, tie_columns
from rankmark.ties import Case, scored

if TYPE_CHECKING:
    from rankmark.alignment import Bools, Floats, Ints, Ranks
    from rankmark.measures import Measure
    from rankmark.ties import Rule

_EACH = 8  # so many unjudged documents are tried one by one, then each power of two


class Filled(NamedTuple):
    """Every document retrieved, judged or not: (n,) each, by query and rank.

    ``gap`` says which are unjudged; ``number`` counts these in their query, from 1, down to each
    row; ``earliest`` is the first rank that a document may take.
    """

    query: Ints
    rank: Ranks
    label: Floats
    tie_first: Ranks
    tie_last: Ranks
    gap: Bools
    number: Ints
    earliest: Ranks


def bounds(one: Measure, a: Alignment, rule: Rule | None) -> tuple[Floats, Floats]:
    """Give the least and the greatest value that judging the unjudged documents could bring.

    Each is taken to be not relevant, or relevant with the label of all judgments that the measure
    values most (the highest): none of them, all, and the first and the last 1 to 8, 16, 32, ... of
    those that the measure looks at.

    Parameters
    ----------
    one
        The measure.
    a
        All judged documents that were retrieved, and all ideal labels.
    rule
        What to make of ties, which are then whole; None where ``a`` is in order.

    Returns
    -------
    tuple of (Q,) float64
        Of all these and the value as it is.
    """
    labels = np.unique(a.ideal_label)
    merits = one.merit(labels)
    if not len(labels) or not merits.max() > 0:
        high = np.nan
    else:
        high = float(labels[merits == merits.max()][-1])
    pieces = [_of_piece(one, piece, rule, high) for piece in in_pieces(a, None)]
    return np.concatenate([low for low, _ in pieces]), np.concatenate([top for _, top in pieces])


def _of_piece(one: Measure, a: Alignment, rule: Rule | None, high: float) -> tuple[Floats, Floats]:
    least = _score(one, a, rule)
    greatest = least.copy()
    if np.isnan(high):
        return least, greatest
    filled = _filled(a, whole=rule is not None)
    for chosen in _choices(filled, last_ranks(a, one.deepest_rank())):
        values = _score(one, _judged(one, a, filled, chosen, high), rule)
        np.minimum(least, values, out=least)
        np.maximum(greatest, values, out=greatest)
    return least, greatest


def _score(one: Measure, a: Alignment, rule: Rule | None) -> Floats:
    if rule is None:
        return one.score(a)
    return scored(one, [Case(a, np.ones(len(a.retrieved)))], rule)[0]


def _filled(a: Alignment, *, whole: bool) -> Filled:
    """List the documents that are there; and where ties are whole, those that may come to be."""
    first, last = tie_columns(a)
    query = query_of_rows(a.starts)
    if not whole:
        last = np.minimum(last, a.retrieved[query]).astype(np.int32)
    end = a.retrieved.astype(np.int64)
    np.maximum.at(end, query, last.astype(np.int64))  # a depth may cut ties
    starts = np.append(0, np.cumsum(end))
    rank = positions(starts).astype(np.int32)
    label = np.full(len(rank), np.nan)
    label[starts[query] + a.rank - 1] = a.label
    tie_first, tie_last = rank.copy(), rank.copy()
    tied = first < last
    size = (last - first + 1)[tied]
    begin = (starts[query] + first - 1)[tied]
    spans = np.repeat(begin, size) + positions(np.append(0, np.cumsum(size))) - 1
    tie_first[spans] = np.repeat(first[tied], size)
    tie_last[spans] = np.repeat(last[tied], size)
    gap = np.isnan(label)
    before = np.append(0, np.cumsum(gap))
    rows = query_of_rows(starts)
    number = before[1:] - before[starts[rows]]
    earliest = tie_first if whole else rank
    return Filled(rows, rank, label, tie_first, tie_last, gap, number, earliest)


def _choices(filled: Filled, limit: Ints) -> list[Bools]:
    """Say which unjudged documents are relevant: (n,) bool, for each choice that is tried.

    Those that a cutoff leaves out still make more relevant documents to be found: where they are
    all relevant, and those within the last, a value is at its worst; the other way round, at its
    best.
    """
    seen = filled.gap & (filled.earliest <= limit[filled.query])
    inside = np.bincount(filled.query[seen], minlength=len(limit))
    most = int(inside.max(initial=0))
    steps = [*range(_EACH + 1), *(2**power for power in range(4, most.bit_length())), most]
    steps = sorted({step for step in steps if step <= most})
    number, query = filled.number, filled.query
    first = [number <= np.minimum(step, inside)[query] for step in steps]
    last = [number > np.maximum(inside - step, 0)[query] for step in steps]
    return [filled.gap & chosen for chosen in (*first, *last)]


def _judged(one: Measure, a: Alignment, filled: Filled, chosen: Bools, high: float) -> Alignment:
    """Align as if the chosen documents had the label ``high``, and no other were relevant."""
    lowest = one.lowest_label()
    # A label of 0 is not relevant, unless the measure says otherwise.
    other = min(0.0, float(np.nextafter(lowest, -np.inf))) if np.isfinite(lowest) else 0.0
    label = np.where(chosen, high, np.where(filled.gap, other, filled.label))
    kept = label >= lowest
    rows = np.bincount(filled.query[kept], minlength=len(a.retrieved))
    added = filled.gap & (chosen | (other >= lowest))
    query = np.append(a.ideal_query(), filled.query[added])
    ideal = np.append(a.ideal_label, label[added])
    order = np.lexsort((-ideal, query))
    tied = a.tie_first is not None
    return Alignment(
        a.queries,
        np.append(0, np.cumsum(rows)),
        filled.rank[kept],
        label[kept],
        a.retrieved,
        np.append(0, np.cumsum(np.bincount(query, minlength=len(a.retrieved)))),
        ideal[order],
        filled.tie_first[kept] if tied else None,
        filled.tie_last[kept] if tied else None,
    )
