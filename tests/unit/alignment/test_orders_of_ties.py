"""The orders of tied documents are listed while they are few, and drawn at random beyond that."""

from collections.abc import Callable
from itertools import pairwise, permutations

import numpy as np
import pytest

from rankmark.data.alignment import Alignment, tie_probabilities
from rankmark.data.alignment.tie_permutations import in_order, orders_of
from rankmark.data.alignment.tie_probabilities import in_pieces, places


def tied(labels: list[float], retrieved: list[int]) -> Alignment:
    """Give queries that all tie as many documents as they retrieved, of which some are judged."""
    number = len(labels)
    rows = np.repeat(np.array(retrieved, dtype=np.int32), number)
    return Alignment(
        [f"q{query}" for query in range(len(retrieved))],
        np.arange(len(retrieved) + 1) * number,
        np.tile(np.arange(1, number + 1, dtype=np.int32), len(retrieved)),
        np.tile(labels, len(retrieved)),
        np.array(retrieved),
        np.arange(len(retrieved) + 1) * number,
        np.tile(sorted(labels, reverse=True), len(retrieved)),
        np.ones_like(rows),
        rows,
    )


def arranged(orders: Alignment) -> list[tuple[tuple[int, float], ...]]:
    """List the ranks and labels of each order."""
    pairs = list(zip(orders.rank.tolist(), orders.label.tolist(), strict=True))
    starts = orders.starts.tolist()
    return [tuple(pairs[i:j]) for i, j in pairwise(starts)]


@pytest.mark.parametrize("query", [0, 1])
def test_all_orders_are_listed_up_to_the_most_that_are_wanted(query: int) -> None:
    a = tied([2.0, 1.0, 1.0], [4, 4])
    # 4 places for the document with label 2, and 3 pairs of places left for the other two.
    orders, complete = orders_of(a, query, -np.inf, None, 12)
    assert complete
    every = {
        tuple((rank, label) for rank, label in enumerate(order, 1) if label)
        for order in permutations([2.0, 1.0, 1.0, 0.0])
    }
    assert len(arranged(orders)) == 12
    assert set(arranged(orders)) == every


def test_one_order_more_than_wanted_has_as_many_drawn() -> None:
    orders, complete = orders_of(tied([2.0, 1.0, 1.0], [4]), 0, -np.inf, None, 11)
    assert not complete
    assert len(arranged(orders)) == 11
    assert all(sorted(label for _, label in order) == [1, 1, 2] for order in arranged(orders))


def test_every_order_has_the_judged_documents_of_its_query() -> None:
    a = tied([2.0, 1.0, 1.0], [5, 3, 4])
    orders, _ = orders_of(a, 2, -np.inf, None, 100)
    assert np.diff(orders.ideal_starts).tolist() == [3] * 12
    assert orders.ideal_starts.tolist() == [3 * order for order in range(13)]
    assert orders.ideal_label.tolist() == [2.0, 1.0, 1.0] * 12
    assert set(orders.retrieved.tolist()) == {4}


@pytest.mark.parametrize(
    ("best", "retrieved", "kept"),
    [
        (True, 5, [(1, 2.0), (2, 1.0), (5, 0.0)]),  # unjudged documents at ranks 3 and 4
        (False, 5, [(1, 0.0), (4, 1.0), (5, 2.0)]),  # and at ranks 2 and 3
        (True, 2, [(1, 2.0), (2, 1.0)]),
        (False, 2, [(1, 0.0)]),
    ],
)
def test_unjudged_documents_stand_between_those_with_merit_and_those_without(
    best: bool, retrieved: int, kept: list[tuple[int, float]]
) -> None:
    a = tied([1.0, 0.0, 2.0], [5]).with_columns(retrieved=np.array([retrieved]))
    ordered = in_order(a, a.label, best=best)
    assert sorted(arranged(ordered)[0]) == kept


def test_queries_are_split_into_pieces_of_so_many_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tie_probabilities, "_PIECE", 10)
    a = tied([1.0], [4, 6, 1, 30, 2, 9, 1])
    pieces = [piece.queries for piece in in_pieces(a, None)]
    assert pieces == [["q0", "q1"], ["q2"], ["q3"], ["q4"], ["q5", "q6"]]
    assert [piece.queries for piece in in_pieces(a, 1)] == [a.queries]


@pytest.mark.parametrize("retrieved", [[], [3, 4]])
def test_few_ranks_are_one_piece_that_is_not_copied(retrieved: list[int]) -> None:
    a = tied([1.0, 0.0], retrieved)
    assert list(in_pieces(a, None)) == [a]


@pytest.mark.parametrize(
    "total",
    [
        lambda a: a.sum(a.label / a.rank),
        lambda a: a.sum_where(a.label >= 2, a.label / a.rank),
        lambda a: a.sum_to(2, a.label / a.rank),
        lambda a: a.count(a.rank <= 3),
        lambda a: a.found(2.0, 2),
        lambda a: a.upto(a.label / a.rank, np.arange(len(a.retrieved)), np.array([3])),
    ],
    ids=["sum", "sum_where", "sum_to", "count", "found", "upto"],
)
def test_expected_totals_are_means_over_all_orders(
    total: Callable[[Alignment], np.ndarray],
) -> None:
    a = tied([2.0, 1.0, 1.0], [4, 5])
    orders = [orders_of(a, query, -np.inf, None, 100)[0] for query in (0, 1)]
    assert total(places(a, None)) == pytest.approx([total(each).mean() for each in orders])
