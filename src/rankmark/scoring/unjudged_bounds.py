"""Bounds on values if the unjudged documents that were retrieved were judged."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import Alignment, positions, query_of_rows
from rankmark.data.alignment.tie_probabilities import in_pieces, last_ranks, tie_columns
from rankmark.measures import (
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
from rankmark.measures.cg import CG
from rankmark.measures.dcg import DCG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.measures import Measure
    from rankmark.scoring.ranked import Ranked

ALL = 256
"""Up to this number of labelings, all are tried."""
IN_ORDER = 1 << 14
"""Otherwise, all in which labels only rise or only fall, if they have at most so many labels."""
FEW = 16
"""The factor by which these limits are lower if each value is a mean over orders of ties."""
_EACH = 8  # steps grow by 1 up to here, then by a half or a third


def are_few(documents: int, labels: int, *, times: int = 1) -> bool:
    """Return True if ``tried`` can list these labelings; ``times`` lowers the limits."""
    orders = math.comb(documents + labels - 1, labels - 1)
    return _all(documents, labels, times) or orders * documents * times <= IN_ORDER


@lru_cache(maxsize=256)
def tried(documents: int, labels: int, *, times: int = 1) -> Ints:
    """Return labelings of documents in rank order: (n, documents) int64, numbers of labels.

    All if these are few; otherwise, those in which the numbers only rise or only fall.
    """
    if _all(documents, labels, times):
        listed = list(itertools.product(range(labels), repeat=documents))
    else:
        rising = list(itertools.combinations_with_replacement(range(labels), documents))
        listed = list(dict.fromkeys(rising + [labeling[::-1] for labeling in rising]))
    return np.array(listed, dtype=np.int64).reshape(len(listed), documents)


def alike(documents: int, labels: int) -> Ints:
    """Return the labelings in which all documents have the same label: (labels, documents)."""
    return np.repeat(np.arange(labels), documents).reshape(labels, documents)


def steps(most: int) -> list[int]:
    """Return the numbers of documents after which a first labeling changes its label."""
    powers = [2**power for power in range(3, most.bit_length())]
    more = [step for power in powers for step in (power, power * 3 // 2)]
    return sorted({step for step in (*range(_EACH + 1), *more, most) if step <= most})


def moved(changes: Ints, documents: Ints, step: int) -> Iterator[Ints]:
    """Yield labelings near sorted ones: one change of label moved by ``step`` documents.

    ``changes`` (m, labels - 1) are the numbers of documents after which each labeling, of
    ``documents`` (m,), changes to the next label.
    """
    for column in range(changes.shape[1]):
        for by in (-step, step):
            near = changes.copy()
            near[:, column] = np.clip(near[:, column] + by, 0, documents)
            here = near[:, column : column + 1]
            # Changes that would be overtaken move along.
            near[:, :column] = np.minimum(near[:, :column], here)
            near[:, column + 1 :] = np.maximum(near[:, column + 1 :], here)
            yield near


def _all(documents: int, labels: int, times: int) -> bool:
    return documents * math.log2(labels) <= math.log2(ALL // times)


_ROWS = 1 << 20  # documents labelled at a time
_LABELS = 5  # from this number of labels on, only some are tried
# These reach their bounds with one label for all unjudged documents among the first k, and one for
# all others.
_JUDGED_ALIKE: tuple[Measure, ...] = (
    *(P, R, F, RR, Success, CG, DCG, Judged, Unjudged, RBPResidual, Utility),
    *(NumQ, NumRet, NumRel, NumRelRet, NumNonrelJudgedRet),
)


class Filled(NamedTuple):
    """The documents that a measure needs, judged or not: (n,) each, by query and rank.

    ``gap`` is true for unjudged documents. Queries begin at ``starts`` (Q + 1,); they have ``gaps``
    (Q,) unjudged documents here, and ``beyond`` (Q,) more that the measure does not need.
    """

    rank: Ranks
    label: Floats
    tie_first: Ranks
    tie_last: Ranks
    gap: Bools
    starts: Ints
    gaps: Ints
    beyond: Ints


def bounds(measure: Measure, ranked: Ranked) -> tuple[Floats, Floats]:
    """Return the lowest and highest value if the unjudged documents were judged: (Q,) float64 each.

    Each retrieved document may stay unjudged, or get the label 0 or any label of the judgments.
    "Algorithms" in the documentation states which labelings are tried, and for which the bounds
    are proven.

    Parameters
    ----------
    measure
        The measure.
    ranked
        With all judged documents that were retrieved, and all ideal labels.
    """
    # Ties without an order are whole here.
    a = ranked.cases[0].alignment if ranked.cases else ranked.alignment
    labels = _distinct_labels(measure, np.unique(a.ideal_label))
    pieces = [
        _Judging(measure, ranked.over(piece), labels).extremes() for piece in in_pieces(a, None)
    ]
    return np.concatenate([low for low, _ in pieces]), np.concatenate([high for _, high in pieces])


def _distinct_labels(measure: Measure, judged_labels: Floats) -> Floats:
    """Return the labels that the measure distinguishes, best first; NaN means unjudged."""
    label = np.union1d(judged_labels, [0.0])[::-1]  # the highest of equally good labels
    label = label[label >= measure.needs().lowest]
    judged = getattr(measure, "judged", -np.inf)
    kinds: dict[tuple[float, bool], float] = {}
    for value, merit in zip(label.tolist(), measure.merit(label).tolist(), strict=True):
        kinds.setdefault((merit, value >= judged), value)
    ordered = sorted(kinds, reverse=True)
    values = [kinds[kind] for kind in ordered]
    if len(values) >= _LABELS:
        spread = np.linspace(0, len(values) - 1, _LABELS - 1).round().astype(int)
        ordered, values = [ordered[i] for i in spread], [values[i] for i in spread]
    # Unjudged documents have no merit, but differ from those judged to have none.
    place = sum(merit > 0 for merit, _ in ordered)
    return np.array([*values[:place], np.nan, *values[place:]])


class _Judging:
    """Queries, with the lowest and highest value of each over the labelings tried so far.

    A labeling is the number of a label for each gap, by query and rank.
    """

    def __init__(self, measure: Measure, ranked: Ranked, labels: Floats) -> None:
        self.measure, self.ranked, self.labels = measure, ranked, labels
        self.a = ranked.alignment
        self.times = FEW if ranked.cases else 1
        self.least, _ = ranked.raw(measure)
        self.greatest = self.least.copy()
        far = {0, len(labels) - 1, int(np.flatnonzero(np.isnan(labels))[0])}
        self.further = sorted(far) if len(labels) > 3 else list(range(len(labels)))

    def extremes(self) -> tuple[Floats, Floats]:
        """Return the lowest and highest value of each query: (Q,) float64 each."""
        count = len(self.labels)
        if count == 1:
            return self.least, self.greatest
        self.filled = _filled(self.a, self.measure.needs().deepest, whole=bool(self.ranked.cases))
        gaps = self.filled.gaps
        many = []
        for size in np.unique(gaps).tolist():
            queries = np.flatnonzero(gaps == size)
            if type(self.measure) in map(type, _JUDGED_ALIKE):
                self._try(queries, alike(size, count))
            elif are_few(size, count, times=self.times):
                self._try(queries, tried(size, count, times=self.times))
            else:
                many.append(queries)
        if many:
            queries = np.sort(np.concatenate(many))
            for falls in (True, False):
                self._search(queries, falls=falls)
        return self.least, self.greatest

    def _try(self, queries: Ints, patterns: Ints) -> None:
        """Try the same labelings for queries with the same number of unjudged documents."""
        further = self.further if self.filled.beyond[queries].any() else self.further[:1]
        each = len(patterns) * len(further)
        size = int(np.diff(self.filled.starts)[queries].max())
        at_once = max(_ROWS // (each * max(size, 1)), 1)
        for begin in range(0, len(queries), at_once):
            batch = queries[begin : begin + at_once]
            self._score_labelings(
                np.repeat(batch, each),
                np.tile(np.repeat(patterns, len(further), axis=0).ravel(), len(batch)),
                np.tile(further, len(patterns) * len(batch)),
            )

    def _search(self, queries: Ints, *, falls: bool) -> None:
        """Try labelings that fall, or rise, down the ranking: two labels, then those nearby."""
        size, last = self.filled.gaps[queries], len(self.labels) - 1
        best = {  # changes of label, and the label beyond, for the lowest and the highest value
            greatest: (np.zeros((len(queries), last), dtype=np.int64), np.zeros_like(queries))
            for greatest in (False, True)
        }
        extremes = {greatest: np.full(len(queries), np.nan) for greatest in (False, True)}

        def try_changes(changes: Ints, beyond: Ints) -> None:
            numbers = self._numbers(changes, size, falls=falls)
            values = self._score_labelings(queries, numbers, beyond)
            for greatest in (False, True):
                old = extremes[greatest]
                better = np.isnan(old) | (values > old if greatest else values < old)
                old[better] = values[better]
                best[greatest][0][better] = changes[better]
                best[greatest][1][better] = beyond[better]

        further = self.further if self.filled.beyond[queries].any() else self.further[:1]
        changing = steps(int(size.max()))
        for below, step, label in itertools.product(range(1, last + 1), changing, further):
            for change in (np.minimum(step, size), np.maximum(size - step, 0)):
                changes = np.zeros((len(queries), last), dtype=np.int64)
                changes[:, :below] = change[:, None]
                changes[:, below:] = size[:, None]
                try_changes(changes, np.full(len(queries), label))
        stride = int(size.max()) // 4
        while stride:
            for greatest in (False, True):
                changes, beyond = best[greatest][0].copy(), best[greatest][1].copy()
                for near in moved(changes, size, stride):
                    try_changes(near, beyond)
            stride //= 2

    def _numbers(self, changes: Ints, size: Ints, *, falls: bool) -> Ints:
        """Convert labelings from their changes of label to the number of each gap's label."""
        place = positions(np.append(0, np.cumsum(size)))
        if not falls:
            place = np.repeat(size, size) + 1 - place
        numbers = np.zeros(len(place), dtype=np.int64)
        for column in changes.T:
            numbers += place > np.repeat(column, size)
        return numbers

    def _score_labelings(self, query: Ints, numbers: Ints, further: Ints) -> Floats:
        """Score labelings of queries, which may be repeated, and keep the extremes.

        ``further`` (m,) numbers the label of the unjudged documents beyond those needed.
        """
        sizes = np.diff(self.filled.starts)[query] + np.diff(self.a.ideal_starts)[query]
        gaps = np.append(0, np.cumsum(self.filled.gaps[query]))
        block = np.cumsum(sizes) // _ROWS
        values = np.empty(len(query))
        for begin, end in itertools.pairwise(
            [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(query)]
        ):
            labeled = self._labeled(
                query[begin:end],
                self.labels[numbers[gaps[begin] : gaps[end]]],
                self.labels[further[begin:end]],
            )
            values[begin:end], _ = self.ranked.over(labeled).raw(self.measure)
        with np.errstate(invalid="ignore"):  # a user's own measure may return NaN
            np.minimum.at(self.least, query, values)
            np.maximum.at(self.greatest, query, values)
        return values

    def _labeled(self, query: Ints, gap_label: Floats, beyond: Floats) -> Alignment:
        """Align queries as if their unjudged documents had these labels, NaN for none."""
        a, filled = self.a, self.filled
        owner, rows = _rows_of(filled.starts, query)
        label, gap = filled.label[rows], filled.gap[rows]
        label[gap] = gap_label
        kept, added = label >= self.measure.needs().lowest, gap & ~np.isnan(label)
        ideal_owner, ideal_rows = _rows_of(a.ideal_starts, query)
        more = np.where(np.isnan(beyond), 0, filled.beyond[query])
        if (highest := self.measure.needs().ideal) is not None:
            more = np.minimum(more, highest)
        ideal_query = np.concatenate(
            [ideal_owner, owner[added], np.repeat(np.arange(len(query)), more)]
        )
        ideal = np.concatenate([a.ideal_label[ideal_rows], label[added], np.repeat(beyond, more)])
        order = np.lexsort((-ideal, ideal_query))
        tied = a.tie_first is not None
        kept_rows = rows[kept]
        return Alignment(
            [a.queries[q] for q in query],
            _starts(owner[kept], len(query)),
            filled.rank[kept_rows],
            label[kept],
            a.retrieved[query],
            _starts(ideal_query, len(query)),
            ideal[order],
            filled.tie_first[kept_rows] if tied else None,
            filled.tie_last[kept_rows] if tied else None,
        )


def _filled(a: Alignment, k: int | None, *, whole: bool) -> Filled:
    """List the documents down to rank ``k``; with whole ties, all that may be there."""
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
    kept = (tie_first if whole else rank) <= last_ranks(a, k)[owner]
    count = len(end)
    return Filled(
        rank[kept],
        label[kept],
        tie_first[kept],
        tie_last[kept],
        gap[kept],
        _starts(owner[kept], count),
        np.bincount(owner[kept & gap], minlength=count),
        np.bincount(owner[gap & ~kept], minlength=count),
    )


def _rows_of(starts: Ints, query: Ints) -> tuple[Ints, Ints]:
    """Return the position of each row's query in ``query``, and the rows of these queries."""
    size = np.diff(starts)[query]
    begins = np.append(0, np.cumsum(size))
    owner = query_of_rows(begins)
    return owner, (starts[query] - begins[:-1])[owner] + np.arange(begins[-1])


def _starts(owner: Ints, count: int) -> Ints:
    """Return the first row of each owner: (n,) to (count + 1,) int64."""
    return np.append(0, np.cumsum(np.bincount(owner, minlength=count)))
