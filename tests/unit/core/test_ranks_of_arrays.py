"""Ranking by position takes shortcuts: the outcome equals that of the same numbers in dicts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark._core import sorted_rows

MANY = 300_000  # values, which several threads share
QUERIES = 4
RNG = np.random.default_rng(3)
SCORES: dict[str, Callable[[tuple[int, int]], Any]] = {
    "hardly any tie": RNG.random,
    "few values": lambda shape: RNG.integers(0, 3, shape) + 0.5,
    "two zeros": lambda shape: RNG.choice([0.0, -0.0, 1.5], shape),
    "infinite": lambda shape: RNG.choice([np.inf, -np.inf, 0.5], shape),
    "some ties": lambda shape: RNG.integers(0, shape[1] + 1, shape) + 0.5,
    "rising": lambda shape: np.sort(RNG.random(shape), axis=1),
}


def nested(values: Any) -> dict[str, dict[str, float]]:
    return {
        str(row): {str(column): value for column, value in enumerate(held)}
        for row, held in enumerate(values.tolist())
    }


@pytest.mark.slow
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("documents", [2, 10, 11, 64, 257, 700])
def test_arrays_are_ranked_as_dicts_are(scores: str, documents: int) -> None:
    shape = QUERIES, documents
    labels, run = RNG.integers(0, 4, shape), SCORES[scores](shape)
    for measures in ("nDCG@10", "nDCG@70", "AP"):
        ours = rm.evaluate(labels, run, measures)
        theirs = rm.evaluate(nested(labels), rm.Run(nested(run), contents="scores"), measures)
        assert ours.scores.tobytes() == theirs.scores.tobytes()
        assert ours.audit.tied_share == theirs.audit.tied_share


LABELS: dict[str, Callable[[int], Any]] = {
    "a few whole numbers": lambda size: RNG.integers(0, 5, size),
    "whole numbers as doubles": lambda size: RNG.integers(-3, 90, size).astype(float),
    "halves": lambda size: RNG.integers(0, 3, size) * 0.5,
    "great ones": lambda size: RNG.integers(0, 2, size) * 2.0**53,
    "fractions": RNG.random,
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(("most", "lowest"), [(1, 1.0), (10, -np.inf), (10, 1.0), (10**6, 0.5)])
def test_labels_are_sorted_as_numpy_sorts_them(labels: str, most: int, lowest: float) -> None:
    starts = np.array([0, 0, 1, 60, 400, 5_000])
    given = LABELS[labels](5_000)
    ends, found = sorted_rows(given, starts, lowest, most, 2)
    for query in range(len(starts) - 1):
        own = np.sort(given[starts[query] : starts[query + 1]])[::-1][:most]
        assert found[ends[query] : ends[query + 1]].tolist() == own[own >= lowest].tolist()


def test_the_tied_documents_of_an_array_are_counted() -> None:
    scores = np.array([[1.5, 2.5, 1.5, 0.0, 1.5, -0.0, 3.5, 4.5]])
    assert rm.evaluate(np.ones((1, 8)), scores, "nDCG@2").audit.tied_share == 5 / 8


def test_the_first_of_many_scores_that_is_none_is_named() -> None:
    labels, scores = np.ones((MANY // 100, 100)), RNG.random((MANY // 100, 100))
    scores[2_500, 7] = scores[2_900, 3] = np.nan
    with pytest.raises(rm.SchemaError, match=r"row 2500.*column 7"):
        rm.evaluate(labels, scores, "nDCG@10")


def test_the_first_of_many_whole_numbers_that_no_double_holds_is_named() -> None:
    labels = RNG.integers(0, 4, (MANY // 100, 100))
    labels[2_500, 7] = 2**53 + 1
    with pytest.raises(rm.SchemaError, match=f"row 2500.*column 7.*{2**53 + 1}"):
        rm.evaluate(labels, RNG.random(labels.shape), "nDCG@10")
    labels[2_500, 7] = -(2**53)
    assert rm.evaluate(labels, RNG.random(labels.shape), "P@1").scores.shape == (len(labels), 1)


def test_a_change_of_any_of_many_scores_is_noticed() -> None:
    labels, scores = np.ones((MANY // 100, 100)), RNG.random((MANY // 100, 100))
    ev = rm.evaluate(labels, scores, "nDCG@10")
    scores[2_500, 7] += 1
    with pytest.raises(rm.ChangedError):
        ev.explain("2500", "nDCG@10")
