"""Bounds: what a value could become if the unjudged documents that were retrieved were judged."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment.alignment import Alignment, positions, query_of_rows
from rankmark.alignment.tie_probabilities import in_pieces, last_ranks, tie_columns
from rankmark.measures import (
    CG,
    DCG,
    RR,
    F,
    Judged,
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    RBPResidual,
    Success,
    Unjudged,
    Utility,
)
from rankmark.scoring import labelings
from rankmark.scoring.ties import Case, scored

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.measures import Measure
    from rankmark.scoring.ties import Rule

_ROWS = 1 << 20  # documents that are labelled at a time
_LABELS = 5  # of more labels, not all are tried
# Bounds of these are reached with all unjudged documents of the first k judged alike, and all
# others alike.
_JUDGED_ALIKE = frozenset(
    map(type, (P, R, F, RR, Success, CG, DCG, Judged, Unjudged, RBPResidual, Utility))
) | frozenset(map(type, (NumQ, NumRet, NumRel, NumRelRet, NumNonrelJudgedRet)))


class Filled(NamedTuple):
    """The documents that a measure looks at, judged or not: (n,) each, by query and rank.

    ``gap`` says which are unjudged. Queries begin at ``starts`` (Q + 1,); they have ``gaps`` (Q,)
    unjudged documents here, and ``beyond`` (Q,) more where the measure does not look.
    """

    rank: Ranks
    label: Floats
    tie_first: Ranks
    tie_last: Ranks
    gap: Bools
    starts: Ints
    gaps: Ints
    beyond: Ints


def bounds(one: Measure, a: Alignment, rule: Rule | None) -> tuple[Floats, Floats]:
    """Give the least and the greatest value that judging the unjudged documents could bring.

    Each that was retrieved may stay unjudged, or get the label 0 or any label that occurs in the
    judgments. docs/conventions.md says which labelings are tried, and what is proven of them.

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
    labels = _told_apart(one, np.unique(a.ideal_label))
    pieces = [_Judging(one, piece, rule, labels).extremes() for piece in in_pieces(a, None)]
    return np.concatenate([low for low, _ in pieces]), np.concatenate([top for _, top in pieces])


def _told_apart(one: Measure, known: Floats) -> Floats:
    """Give a label of each kind that the measure tells apart, best first; NaN is no label."""
    label = np.union1d(known, [0.0])[::-1]  # of several as good, the highest
    label = label[label >= one.needs().lowest]
    judged = getattr(one, "judged", -np.inf)
    kinds: dict[tuple[float, bool], float] = {}
    for value, merit in zip(label.tolist(), one.merit(label).tolist(), strict=True):
        kinds.setdefault((merit, value >= judged), value)
    ordered = sorted(kinds, reverse=True)
    values = [kinds[kind] for kind in ordered]
    if len(values) >= _LABELS:
        spread = np.linspace(0, len(values) - 1, _LABELS - 1).round().astype(int)
        ordered, values = [ordered[at] for at in spread], [values[at] for at in spread]
    # What is unjudged is worth nothing, but it is not judged to be worth nothing.
    place = sum(merit > 0 for merit, _ in ordered)
    return np.array([*values[:place], np.nan, *values[place:]])


class _Judging:
    """Queries, and the least and the greatest value of each as far as labelings were tried.

    A labeling gives each gap the number of a label, by query and rank; ``extremes`` tries them.
    """

    def __init__(self, one: Measure, a: Alignment, rule: Rule | None, labels: Floats) -> None:
        self.one, self.a, self.rule, self.labels = one, a, rule, labels
        self.times = 1 if rule is None else labelings.FEW
        self.least = self._score(a)
        self.greatest = self.least.copy()
        far = {0, len(labels) - 1, int(np.flatnonzero(np.isnan(labels))[0])}
        self.further = sorted(far) if len(labels) > 3 else list(range(len(labels)))

    def extremes(self) -> tuple[Floats, Floats]:
        """Give the least and the greatest value of each query: (Q,) float64 each."""
        count = len(self.labels)
        if count == 1:
            return self.least, self.greatest
        self.filled = _filled(self.a, self.one.needs().deepest, whole=self.rule is not None)
        gaps = self.filled.gaps
        many = []
        for size in np.unique(gaps).tolist():
            queries = np.flatnonzero(gaps == size)
            if type(self.one) in _JUDGED_ALIKE:
                self._try(queries, labelings.alike(size, count))
            elif labelings.are_few(size, count, times=self.times):
                self._try(queries, labelings.tried(size, count, times=self.times))
            else:
                many.append(queries)
        if many:
            queries = np.sort(np.concatenate(many))
            for falls in (True, False):
                self._search(queries, falls=falls)
        return self.least, self.greatest

    def _try(self, queries: Ints, patterns: Ints) -> None:
        """Try the same labelings of queries that have as many unjudged documents."""
        further = self.further if self.filled.beyond[queries].any() else self.further[:1]
        each = len(patterns) * len(further)
        size = int(np.diff(self.filled.starts)[queries].max())
        at_once = max(_ROWS // (each * max(size, 1)), 1)
        for begin in range(0, len(queries), at_once):
            some = queries[begin : begin + at_once]
            self._found(
                np.repeat(some, each),
                np.tile(np.repeat(patterns, len(further), axis=0).ravel(), len(some)),
                np.tile(further, len(patterns) * len(some)),
            )

    def _search(self, queries: Ints, *, falls: bool) -> None:
        """Try labelings that fall, or rise, down the ranking: two labels, then those near."""
        size, last = self.filled.gaps[queries], len(self.labels) - 1
        best = {  # changes of label, and the label further down, of the least and the greatest
            greatest: (np.zeros((len(queries), last), dtype=np.int64), np.zeros_like(queries))
            for greatest in (False, True)
        }
        known = {greatest: np.full(len(queries), np.nan) for greatest in (False, True)}

        def try_changes(changes: Ints, beyond: Ints) -> None:
            values = self._found(queries, self._numbers(changes, size, falls=falls), beyond)
            for greatest in (False, True):
                old = known[greatest]
                better = np.isnan(old) | (values > old if greatest else values < old)
                old[better] = values[better]
                best[greatest][0][better] = changes[better]
                best[greatest][1][better] = beyond[better]

        further = self.further if self.filled.beyond[queries].any() else self.further[:1]
        steps = labelings.steps(int(size.max()))
        pairs = [(0, below) for below in range(1, last + 1)]
        for (above, below), step, beyond in itertools.product(pairs, steps, further):
            for change in (np.minimum(step, size), np.maximum(size - step, 0)):
                changes = np.zeros((len(queries), last), dtype=np.int64)
                changes[:, above:below] = change[:, None]
                changes[:, below:] = size[:, None]
                try_changes(changes, np.full(len(queries), beyond))
        stride = int(size.max()) // 4
        while stride:
            for greatest in (False, True):
                changes, held = best[greatest][0].copy(), best[greatest][1].copy()
                for near in labelings.moved(changes, size, stride):
                    try_changes(near, held)
            stride //= 2

    def _numbers(self, changes: Ints, size: Ints, *, falls: bool) -> Ints:
        """Write labelings that are said by their changes as the number of each gap's label."""
        place = positions(np.append(0, np.cumsum(size)))
        if not falls:
            place = np.repeat(size, size) + 1 - place
        numbers = np.zeros(len(place), dtype=np.int64)
        for column in changes.T:
            numbers += place > np.repeat(column, size)
        return numbers

    def _found(self, query: Ints, numbers: Ints, further: Ints) -> Floats:
        """Score labelings of queries, which may come several times, and keep the extremes.

        ``further`` (m,) numbers the label of all unjudged documents where the measure does not
        look.
        """
        sizes = np.diff(self.filled.starts)[query] + np.diff(self.a.ideal_starts)[query]
        gaps = np.append(0, np.cumsum(self.filled.gaps[query]))
        block = np.cumsum(sizes) // _ROWS
        values = np.empty(len(query))
        for begin, end in itertools.pairwise(
            [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(query)]
        ):
            values[begin:end] = self._score(
                self._labeled(
                    query[begin:end],
                    self.labels[numbers[gaps[begin] : gaps[end]]],
                    self.labels[further[begin:end]],
                )
            )
        with np.errstate(invalid="ignore"):  # a measure of the caller's own may give NaN
            np.minimum.at(self.least, query, values)
            np.maximum.at(self.greatest, query, values)
        return values

    def _score(self, a: Alignment) -> Floats:
        if self.rule is None:
            return self.one.score(a)
        return scored(self.one, [Case(a, np.ones(len(a.retrieved)))], self.rule)[0]

    def _labeled(self, query: Ints, gap_label: Floats, beyond: Floats) -> Alignment:
        """Align queries as if their unjudged documents had these labels, or none where NaN."""
        a, filled = self.a, self.filled
        owner, rows = _rows_of(filled.starts, query)
        label, gap = filled.label[rows], filled.gap[rows]
        label[gap] = gap_label
        kept, added = label >= self.one.needs().lowest, gap & ~np.isnan(label)
        ideal_owner, ideal_rows = _rows_of(a.ideal_starts, query)
        more = np.where(np.isnan(beyond), 0, filled.beyond[query])
        if (highest := self.one.needs().ideal) is not None:
            more = np.minimum(more, highest)
        ideal_query = np.concatenate(
            [ideal_owner, owner[added], np.repeat(np.arange(len(query)), more)]
        )
        ideal = np.concatenate([a.ideal_label[ideal_rows], label[added], np.repeat(beyond, more)])
        order = np.lexsort((-ideal, ideal_query))
        tied = a.tie_first is not None
        held = rows[kept]
        return Alignment(
            [a.queries[q] for q in query],
            _starts(owner[kept], len(query)),
            filled.rank[held],
            label[kept],
            a.retrieved[query],
            _starts(ideal_query, len(query)),
            ideal[order],
            filled.tie_first[held] if tied else None,
            filled.tie_last[held] if tied else None,
        )


def _filled(a: Alignment, k: int | None, *, whole: bool) -> Filled:
    """List the documents to rank ``k``; and where ties are whole, those that may stand there."""
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
    owner = query_of_rows(starts)
    seen = (tie_first if whole else rank) <= last_ranks(a, k)[owner]
    count = len(end)
    return Filled(
        rank[seen],
        label[seen],
        tie_first[seen],
        tie_last[seen],
        gap[seen],
        _starts(owner[seen], count),
        np.bincount(owner[seen & gap], minlength=count),
        np.bincount(owner[gap & ~seen], minlength=count),
    )


def _rows_of(starts: Ints, query: Ints) -> tuple[Ints, Ints]:
    """Give the rows of queries, and the place of each row's query among them."""
    size = np.diff(starts)[query]
    begins = np.append(0, np.cumsum(size))
    owner = query_of_rows(begins)
    return owner, (starts[query] - begins[:-1])[owner] + np.arange(begins[-1])


def _starts(owner: Ints, count: int) -> Ints:
    """Say where the rows of each owner begin: (n,) to (count + 1,) int64."""
    return np.append(0, np.cumsum(np.bincount(owner, minlength=count)))
