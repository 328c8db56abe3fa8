"""Objects that another thread changes while they are read: a result, or an error of ours."""

import random
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import rankmark as rm

Q, N, CALLS = 10, 60, 15
QRELS = {f"{q}": {f"{d}": 1 for d in range(0, N, 7)} for q in range(Q)}
LABELS = np.tile([0, 0, 0, 1, 0, 2], (Q, N // 6))


def filled(array: Any) -> Callable[[random.Random], None]:
    """Fill it with other numbers: NaN, ids that repeat, ids beyond all columns."""

    def change(dice: random.Random) -> None:
        if array.dtype.kind == "f":
            array[...] = dice.choice((np.nan, 0.5, np.inf))
            array.ravel()[:] = np.linspace(0, dice.random(), array.size)
        else:
            array[...] = dice.choice((0, -5, 10**9))
            array.ravel()[:] = np.arange(array.size) % N

    return change


def grown(held: dict[str, Any]) -> Callable[[random.Random], None]:
    """Add and remove queries and documents."""

    def change(dice: random.Random) -> None:
        query = dice.choice(sorted(held))
        of_query = held[query]
        if isinstance(of_query, list):
            of_query.append(of_query.pop(0)) if dice.random() < 0.5 else of_query.append("0")
        else:
            of_query[f"x{dice.random()}"] = 0.5
            of_query.pop(next(iter(of_query)))
        held[f"new {query}"] = of_query
        del held[f"new {query}"]

    return change


def dense() -> tuple[Any, Any, list[Any]]:
    scores = np.random.default_rng(1).random((Q, N))
    return LABELS, scores, [filled(scores)]


def pairs() -> tuple[Any, Any, list[Any]]:
    ids = np.tile(np.arange(N), (Q, 1))
    scores = np.tile(np.linspace(1, 0, N), (Q, 1))
    return QRELS, (scores, ids), [filled(scores), filled(ids)]


def sparse() -> tuple[Any, Any, list[Any]]:
    run = scipy.sparse.random_array((Q, N), density=0.3, format="csr", rng=np.random.default_rng(1))
    return LABELS, run, [filled(run.data), filled(run.indices), filled(run.indptr)]


def judged() -> tuple[Any, Any, list[Any]]:
    labels = scipy.sparse.csr_array(LABELS)
    return labels, np.ones((Q, N)), [filled(labels.data), filled(labels.indices)]


def dicts() -> tuple[Any, Any, list[Any]]:
    run = {q: {f"{d}": float(d % 11) for d in range(N)} for q in QRELS}
    return QRELS, run, [grown(run)]


def lists() -> tuple[Any, Any, list[Any]]:
    run = {q: [f"{d}" for d in range(N)] for q in QRELS}
    return QRELS, run, [grown(run)]


VERBS: list[Callable[[Any, Any], object]] = [
    lambda qrels, run: rm.evaluate(qrels, run, ["AP", "nDCG@10"]),
    lambda qrels, run: rm.evaluate(qrels, run, "AP").explain("3"),
    lambda qrels, run: rm.compare(qrels, {"a": run, "b": run}, "AP", resamples=20),
    lambda _, run: rm.compare_rankings(run, run, "overlap@3"),
    lambda qrels, run: rm.check(qrels, run, measures="AP"),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")
@pytest.mark.parametrize("given", [dense, pairs, sparse, judged, dicts, lists])
def test_what_changes_while_it_is_read_ends_in_no_raw_error(
    given: Callable[[], tuple[Any, Any, list[Any]]],
) -> None:
    qrels, run, changes = given()
    over, dice = Event(), random.Random(3)

    def change() -> None:
        while not over.is_set():
            for each in changes:
                each(dice)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)  # so that changes come often
    thread = Thread(target=change)
    thread.start()
    try:
        for number in range(CALLS):
            with suppress(rm.RankmarkError):
                VERBS[number % len(VERBS)](qrels, run)
    finally:
        over.set()
        thread.join()
        sys.setswitchinterval(usual)
