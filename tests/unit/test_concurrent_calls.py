"""Many threads that use the same objects at once get what one thread gets."""

import random
import sys
import sysconfig
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import rankmark as rm

THREADS, ROUNDS = 8, 3
MEASURES = ["nDCG@10", "AP", "RR", "Bpref", "P@5", "RBP(p=0.8)"]
EXAMPLE = Path(rm.__file__).parent / "example"
dice = random.Random(7)
DOCUMENTS = [f"d{number}" for number in range(60)] + ["é", "文", "\U0001f600"]
QRELS: dict[str, dict[str, float]] = {
    f"q{query}": {doc: dice.randrange(3) for doc in dice.sample(DOCUMENTS, 20)}
    for query in range(12)
}
RUN: dict[str, dict[str, float]] = {
    query: {doc: float(dice.randrange(9)) for doc in dice.sample(DOCUMENTS, 40)} for query in QRELS
}
OTHER = {query: dict(sorted(scored.items())) for query, scored in RUN.items()}
LABELS = np.random.default_rng(1).integers(0, 3, (12, 50)).astype(float)
SCORES = np.random.default_rng(2).random((12, 50))


@pytest.fixture(autouse=True)
def threads_that_take_turns_often() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def bits(ev: rm.Evaluation) -> tuple[Any, ...]:
    return ev.queries, ev.scores.tobytes(), ev.names, str(ev)


def of_dicts() -> Callable[[], Any]:
    return lambda: bits(rm.evaluate(QRELS, RUN, MEASURES, ties="mean"))


def of_prepared() -> Callable[[], Any]:
    qrels, run = rm.Qrels(QRELS), rm.Run(RUN)  # what they find out later, all threads ask for
    return lambda: (bits(rm.evaluate(qrels, run, MEASURES)), qrels.doc_ids, qrels.by_query())


def of_prepared_arrays() -> Callable[[], Any]:
    qrels, run = rm.Qrels(LABELS), rm.Run(SCORES)
    return lambda: bits(rm.evaluate(qrels, run, MEASURES))


def of_judgments_in_an_array_and_a_run_in_dicts() -> Callable[[], Any]:
    qrels = rm.Qrels(LABELS)
    run = {f"{query}": {f"{doc}": float(doc % 7) for doc in range(50)} for query in range(12)}
    return lambda: bits(rm.evaluate(qrels, run, MEASURES))


def of_files() -> Callable[[], Any]:
    qrels, run = rm.Qrels(EXAMPLE / "qrels.txt"), rm.Run(EXAMPLE / "bm25.run")
    return lambda: bits(rm.evaluate(qrels, run, MEASURES, threads=3))


def of_lists() -> Callable[[], Any]:
    run = {query: list(scored) for query, scored in RUN.items()}
    pairs = {query: list(scored.items()) for query, scored in RUN.items()}
    qrels = rm.Qrels(QRELS)
    return lambda: [bits(rm.evaluate(qrels, one, MEASURES)) for one in (run, pairs)]


def of_single_queries() -> Callable[[], Any]:
    return lambda: [rm.evaluate(QRELS[q], RUN[q], "nDCG@10")["nDCG@10"] for q in QRELS]


def of_comparisons() -> Callable[[], Any]:
    pytest.importorskip("scipy")
    qrels, runs = rm.Qrels(QRELS), {"a": rm.Run(RUN), "b": rm.Run(OTHER)}
    return lambda: (
        rm.compare(qrels, runs, ["AP", "RR"], resamples=20).to_json(),
        rm.gate(qrels, RUN, OTHER, "AP", max_drop=0.1).to_json(),
    )


def of_results() -> Callable[[], Any]:
    ev = rm.evaluate(QRELS, RUN, MEASURES)
    return lambda: (
        str(ev),
        ev.to_json(),
        str(ev.explain("q3", "AP")),
        ev.bounds,
        ev.tie_interval,
        str(ev.audit),
        ev == rm.evaluate(QRELS, RUN, MEASURES),
    )


def of_checks() -> Callable[[], Any]:
    return lambda: rm.check(QRELS, RUN).to_dict()


def of_rankings() -> Callable[[], Any]:
    a, b = rm.Run(RUN), rm.Run(OTHER)
    return lambda: [rm.compare_rankings(a, b, "RBO(p=0.9)").scores.tobytes()]


def of_names() -> Callable[[], Any]:
    return lambda: [str(rm.measure(f"nDCG@{k}")) for k in range(1, 40)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "prepare",
    [
        of_dicts,
        of_prepared,
        of_prepared_arrays,
        of_judgments_in_an_array_and_a_run_in_dicts,
        of_files,
        of_lists,
        of_single_queries,
        of_comparisons,
        of_results,
        of_checks,
        of_rankings,
        of_names,
    ],
)
def test_threads_that_share_objects_get_what_one_gets(
    prepare: Callable[[], Callable[[], Any]],
) -> None:
    alone = prepare()()
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(ROUNDS):
            shared, together = prepare(), Barrier(THREADS)

            def work(_: int, shared: Any = shared, together: Barrier = together) -> Any:
                together.wait()
                return shared()

            assert list(pool.map(work, range(THREADS))) == [alone] * THREADS


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python is not free-threaded"
)
def test_free_threaded_python_stays_free_threaded() -> None:
    rm.evaluate(QRELS, RUN, MEASURES)
    assert not sys._is_gil_enabled()  # type: ignore[attr-defined,unused-ignore]
