"""Functions of labels as learning-to-rank tools have them: 1 where nothing is relevant, any log."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from rankmark.testing import which_convention


def gains_over_logs(labels: list[float], first: int) -> float:
    return sum(
        (2**label - 1) * math.log(2) / math.log(rank + 2)
        for rank, label in enumerate(labels, first)
    )


def ndcg(labels: list[float], k: int) -> float:
    """As LightGBM does it: ranks from 0, and 1 without relevant documents."""
    best = gains_over_logs(sorted(labels, reverse=True)[:k], 0)
    return gains_over_logs(labels[:k], 0) / best if best > 0 else 1.0


def ndcg_too_far(labels: list[float], k: int) -> float:
    best = gains_over_logs(sorted(labels, reverse=True)[:k], 1)
    return gains_over_logs(labels[:k], 1) / best if best > 0 else 1.0


def average_precision(labels: list[float], k: int) -> float:
    found, total = 0, 0.0
    for rank, label in enumerate(labels[:k], 1):
        if label > 0:
            found += 1
            total += found / rank
    relevant = min(k, sum(label > 0 for label in labels))
    return total / relevant if relevant else 1.0


def recall(labels: list[float], k: int) -> float:
    relevant = sum(label > 0 for label in labels)
    return sum(label > 0 for label in labels[:k]) / relevant if relevant else 1.0


def precision(labels: list[float], k: int) -> float:
    return sum(label > 0 for label in labels[:k]) / k if any(labels) else 1.0


@pytest.mark.parametrize(
    ("function", "measure"),
    [
        (ndcg, 'nDCG(gain="exp2", ideal="retrieved")@k'),
        (average_precision, 'AP(norm="min")@k'),
        (recall, "R@k"),
        (precision, "P@k"),
    ],
)
def test_1_where_nothing_is_relevant_is_a_convention_and_no_bug(
    function: Callable[..., Any], measure: str
) -> None:
    found = which_convention(function)
    assert f"computes {measure} " in found.sentence
    assert not found.bugs
    assert 'no_relevant="one"' in str(found)


def test_a_rank_counted_from_1_in_a_discount_for_ranks_from_0_is_a_bug() -> None:
    found = which_convention(ndcg_too_far)
    assert "discount log2(rank + 2)" in found.sentence
    assert "the discount of rank i is log2(i + 1)" in str(found.bugs[0])


def test_the_version_of_a_tool_is_implemented_with_its_1() -> None:
    assert which_convention(ndcg, expect="ndcg@5", profile="lightgbm", leave_out=["negative"])
    assert which_convention(ndcg, expect="NDCG:top=5;type=Exp", profile="catboost",
                            leave_out=["negative"])  # fmt: skip
    assert not which_convention(ndcg, expect='nDCG(gain="exp2")@5', leave_out=["negative"])
