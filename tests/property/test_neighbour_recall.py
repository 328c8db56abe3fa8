"""Recall of neighbours is what a plain program counts, whatever the arrays hold."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance import neighbours as plain
from generators.effort import examples

TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">i8")


class Drawn(NamedTuple):
    true_ids: list[list[int]]
    ids: list[list[int]]
    true_distances: list[list[float]]
    distances: list[list[float]]
    k: int


@st.composite
def searches(draw: st.DrawFn, *, padded: bool = True) -> Drawn:
    """Few ids and few distances, so that ids repeat and distances tie."""
    rows, k = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    columns, found = k + draw(st.integers(0, 4)), draw(st.integers(0, 8))
    one = st.integers(-1 if padded else 0, 9)
    distance = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.5])

    def table(values: st.SearchStrategy[Any], width: int) -> list[list[Any]]:
        row = st.lists(values, min_size=width, max_size=width)
        return draw(st.lists(row, min_size=rows, max_size=rows))

    true_distances = [sorted(row) for row in table(distance, columns)]
    return Drawn(table(one, columns), table(one, found), true_distances, table(distance, found), k)


def same(found: rm.NeighbourRecall, name: str, expected: list[float]) -> None:
    np.testing.assert_array_equal(found.scores[:, found.column(name)], expected)


@examples(60)
@given(drawn=searches(), threads=st.integers(1, 3))
def test_counts_are_those_of_sets(drawn: Drawn, threads: int) -> None:
    true_ids, ids = np.array(drawn.true_ids), np.array(drawn.ids).reshape(len(drawn.ids), -1)
    found = rm.ann_recall(true_ids, ids.astype(np.int64), drawn.k, threads=threads)
    pairs = zip(drawn.true_ids, drawn.ids, strict=True)
    same(found, "recall", [plain.recall(*pair, drawn.k) for pair in pairs])
    k, audit = drawn.k, found.audit
    asked = [row for row in drawn.true_ids if set(row[:k]) != {-1}]
    assert audit.without == len(drawn.true_ids) - len(asked)
    assert audit.fewer_true == sum(-1 in row[:k] for row in asked)
    taken = [[one for one in row[:k] if one != -1] for row in drawn.ids]
    assert audit.repeated == sum(len(row) - len(set(row)) for row in taken)


@examples(60)
@given(drawn=searches(), eps=st.sampled_from([0.0, 0.25, 0.3]), share=st.sampled_from([0.0, 0.5]))
def test_distances_count_as_in_plain_python(drawn: Drawn, eps: float, share: float) -> None:
    true_ids, ids, true_distances, distances, k = drawn
    found = rm.ann_recall(
        np.array(true_ids),
        np.array(ids, dtype=np.int32).reshape(len(ids), -1),
        k,
        true_distances=np.array(true_distances),
        distances=np.array(distances).reshape(len(ids), -1),
        eps=eps,
        relative_eps=share,
    )
    far = [plain.kth(*row, k) for row in zip(true_ids, true_distances, strict=True)]
    limits = [one * (1 + share) + eps for one in far]
    rows = [*zip(true_ids, true_distances, ids, distances, limits, strict=True)]
    same(
        found,
        "tie_recall",
        [plain.tie_recall(t, td, i, k, limit=limit) for t, td, i, _, limit in rows],
    )
    same(
        found,
        "distance_recall",
        [plain.distance_recall(t, i, d, k, limit=limit) for t, _, i, d, limit in rows],
    )
    errors = [plain.distance_error(t, td, i, d, k) for t, td, i, d, _ in rows]
    at = found.column("distance_error")
    np.testing.assert_allclose(found.scores[:, at], errors, rtol=1e-12, atol=1e-12)


@examples(40)
@given(drawn=searches())
def test_no_recall_exceeds_one_whatever_is_repeated(drawn: Drawn) -> None:
    ids = np.array(drawn.ids).reshape(len(drawn.ids), -1).astype(np.int64)
    distances = np.array(drawn.distances).reshape(ids.shape)
    found = rm.ann_recall(
        drawn.true_ids,
        ids,
        drawn.k,
        true_distances=drawn.true_distances,
        distances=distances,
        eps=5.0,
    )
    recalls = found.scores[:, :3]
    assert (np.isnan(recalls) | ((recalls >= 0) & (recalls <= 1))).all()
    # Ties only add to what counts.
    present = ~np.isnan(recalls[:, 0])
    assert (recalls[present, 1] >= recalls[present, 0]).all()


@pytest.mark.parametrize("of_found", TYPES)
@pytest.mark.parametrize("of_truth", TYPES)
def test_the_type_of_whole_numbers_does_not_matter(of_truth: str, of_found: str) -> None:
    true_ids, ids = [[3, 1, 4], [5, 9, 2]], [[1, 1, 7, 3], [2, 5, 9, 9]]
    found = rm.ann_recall(np.array(true_ids, of_truth), np.array(ids, of_found), 3)
    same(found, "recall", [1 / 3, 1.0])
    assert found.audit.repeated == 1


@examples(30)
@given(drawn=searches(), order=st.sampled_from(["F", "strided", "blocks"]))
def test_where_the_numbers_lie_does_not_matter(drawn: Drawn, order: str) -> None:
    true_ids = np.array(drawn.true_ids)
    ids = np.array(drawn.ids).reshape(len(true_ids), -1).astype(np.int64)
    usual = rm.ann_recall(true_ids, ids, drawn.k)
    if order == "F":
        other = rm.ann_recall(np.asfortranarray(true_ids), np.asfortranarray(ids), drawn.k)
    elif order == "strided":
        wide = np.repeat(np.repeat(true_ids, 2, axis=0), 3, axis=1)
        other = rm.ann_recall(wide[::2, ::3], ids, drawn.k)
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("rankmark.answers.ann_recall.neighbour_arrays._BLOCK", 1)
            other = rm.ann_recall(true_ids, ids, drawn.k)
    assert other == usual
    assert other.audit == usual.audit


def test_ids_near_the_limits_of_their_types_are_told_apart() -> None:
    for kind in (np.int32, np.int64):
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        true_ids = np.array([[low, high, 0, -2]], kind)
        found = rm.ann_recall(true_ids, np.array([[high, low, low + 1, -2]], kind), 4)
        same(found, "recall", [0.75])


@examples(10)
@given(data=st.data(), k=st.sampled_from([1, 2, 63, 64, 65, 100]))
def test_long_rows_are_counted_like_short_ones(data: st.DataObject, k: int) -> None:
    seed = data.draw(st.integers(0, 1000))
    draws = np.random.default_rng(seed)
    # Ids that differ by powers of two meet in one place of a careless table.
    step = 1 << data.draw(st.sampled_from([0, 7, 20, 32, 40]))
    true_ids, ids = (draws.integers(0, 2 * k, (600, k)) * step for _ in range(2))
    found = rm.ann_recall(true_ids, ids, k, threads=2)
    pairs = zip(true_ids.tolist(), ids.tolist(), strict=True)
    same(found, "recall", [plain.recall(*pair, k) for pair in pairs])


def test_nothing_found_is_zero_and_no_truth_is_none() -> None:
    found = rm.ann_recall([[1, 2], [-1, -1]], np.empty((2, 0), np.int64), 2)
    assert found.per_query("recall")["0"] == 0.0
    assert math.isnan(found.per_query("recall")["1"])
