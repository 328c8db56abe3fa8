"""Processes accumulate parts, which are merged; what they import is small."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import reduce
from pathlib import Path

import pytest

import rankmark as rm

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}, "q10": {"b": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.5}, "q2": {"c": 0.7, "a": 0.6}, "q10": {"a": 1.0, "b": 0.5}}
MEASURES = ["nDCG@5", "RR", "NumRet"]


def batch(query: str) -> rm.Accumulator:
    acc = rm.Accumulator(MEASURES)
    acc.update({query: QRELS[query]}, {query: RUN[query]})
    return acc


@pytest.mark.slow
def test_nothing_hangs_in_a_fork_after_the_threads_of_the_core() -> None:
    rm.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "bm25.run", threads=2)
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        parts = [*pool.map(batch, QRELS, timeout=120)]
        args = [EXAMPLE / "qrels.txt"] * 2, [EXAMPLE / "bm25.run"] * 2, ["RR"] * 2
        one, other = pool.map(rm.evaluate, *args, timeout=120)
    assert reduce(rm.Accumulator.merge, parts).result() == rm.evaluate(QRELS, RUN, MEASURES)
    assert one == other == rm.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "bm25.run", "RR")


def test_joblib_evaluates_and_accumulates_in_processes() -> None:
    from joblib import Parallel, delayed

    whole = rm.evaluate(QRELS, RUN, MEASURES)
    work = Parallel(2, timeout=120)
    parts = work(delayed(batch)(query) for query in QRELS)
    assert reduce(rm.Accumulator.merge, parts).result() == whole
    qrels = rm.Qrels(QRELS)
    found = work(delayed(rm.evaluate)(qrels, RUN, measure) for measure in MEASURES)
    assert [ev[m] for ev, m in zip(found, MEASURES, strict=True)] == [*whole.values()]
