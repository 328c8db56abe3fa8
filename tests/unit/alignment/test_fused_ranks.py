"""Ranks of judged documents in fused lists, counted by the core, against sorting all documents."""

import numpy as np
import pytest

from rankmark._core import fused_ranks
from rankmark.data.alignment import Alignment
from rankmark.data.alignment.united_lists import JudgedUnion

SIZES = [0, 1, 6, 300]
"""Documents of each query."""


def union_of(random, judged_share, **limits):
    starts = np.append(0, np.cumsum(SIZES))
    places = np.concatenate([random.permutation(size) for size in SIZES])
    rows = np.flatnonzero(random.random(starts[-1]) < judged_share)
    judged_starts = np.searchsorted(rows, starts)
    label = random.integers(0, 4, len(rows)).astype(float)
    judged = Alignment(
        queries=[f"q{number}" for number in range(len(SIZES))],
        starts=judged_starts,
        rank=np.ones(len(rows), dtype=np.int32),
        label=label,
        retrieved=np.diff(starts),
        ideal_starts=judged_starts,
        ideal_label=label,
    )
    return JudgedUnion(starts, lambda: places, rows, judged, **limits)


def sorted_ranks(union, scores):
    """Yield (query, rank, first, last, label) of the judged documents, by sorting everything."""
    places = union.places()
    label = dict(zip(union.rows.tolist(), union.judged.label.tolist(), strict=True))
    for query in range(len(SIZES)):
        documents = range(*union.starts[query : query + 2])
        ordered = sorted(documents, key=lambda at: (-scores[at], places[at]))
        for rank, document in enumerate(ordered, 1):
            same = [n for n, other in enumerate(ordered, 1) if scores[other] == scores[document]]
            if document in label:
                yield query, rank, same[0], same[-1], label[document]


def counted_ranks(alignment):
    query = np.repeat(np.arange(len(SIZES)), np.diff(alignment.starts))
    first = alignment.rank if alignment.tie_first is None else alignment.tie_first
    last = alignment.rank if alignment.tie_last is None else alignment.tie_last
    return [*zip(query.tolist(), *(c.tolist() for c in (alignment.rank, first, last)),
                 alignment.label.tolist(), strict=True)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("judged_share", [0.05, 1.0])
@pytest.mark.parametrize("divisors", [False, True])
def test_counting_gives_the_ranks_that_sorting_gives(judged_share, divisors):
    random = np.random.default_rng(5)
    union = union_of(random, judged_share)
    values = random.integers(1, 5, (3, sum(SIZES))).astype(float)
    values[random.random(values.shape) < 0.3] = np.inf if divisors else 0.0
    weights = np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5], [1.0, 1.0, 1.0]])
    for threads in (1, 3):
        found = [*union.fused(values, weights, divisors=divisors, threads=threads)]
        for row, alignment in zip(weights, found, strict=True):
            scores = np.zeros(sum(SIZES))
            for weight, of_list in zip(row, values, strict=True):
                scores = scores + (weight / of_list if divisors else weight * of_list)
            assert counted_ranks(alignment) == [*sorted_ranks(union, scores)]


def test_documents_that_tie_below_the_deepest_rank_are_left_out():
    random = np.random.default_rng(6)
    union = union_of(random, 0.5, deepest=10)
    values = random.integers(0, 40, (1, sum(SIZES))).astype(float)
    (alignment,) = union.fused(values, np.ones((1, 1)))
    expected = [row for row in sorted_ranks(union, values[0]) if row[2] <= 10]
    assert counted_ranks(alignment) == expected
    assert len(expected) < len(union.rows)


def test_columns_that_do_not_belong_together_are_refused():
    one, none = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    starts, rank = np.array([0, 1]), np.zeros(1, dtype=np.int32)
    good = [starts, np.ones(1), np.ones(1), False, one, starts, one, 1, rank, rank, rank, 1]
    fused_ranks(*good)
    for at, wrong in [(0, np.array([0, 2])), (1, np.ones(2)), (2, np.ones(0)), (4, none),
                      (5, np.array([0, 0, 1])), (6, one + 1), (7, 0), (8, rank[:0])]:  # fmt: skip
        with pytest.raises((ValueError, IndexError)):
            fused_ranks(*(wrong if place == at else given for place, given in enumerate(good)))
