"""Documents whose id is their query's: counted, told of, and dropped where that is asked."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from generators.random_collections import Collection, collections

QRELS = {"d1": {"d2": 1, "d3": 2}, "d2": {"d3": 1}, "d3": {"d1": 1, "d3": 1}}
RUN = {
    "d1": {"d1": 0.9, "d2": 0.8, "d3": 0.7, "d4": 0.6},
    "d2": {"d3": 0.9, "d1": 0.5},
    "d3": {"d2": 0.9, "d3": 0.8, "d1": 0.8},
    "d4": {"d4": 1.0},
}
WITHOUT = {q: {d: s for d, s in docs.items() if d != q} for q, docs in RUN.items()}


def forms(run: dict[str, dict[str, float]], folder: Path) -> list[Any]:
    """Give a run in every form that takes a way of its own through the core."""
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    path = folder / "run.txt"
    path.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    torn = folder / "torn.txt"
    torn.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in [*rows[2:], *rows[:2]]))
    whole = {q: {d: np.float64(s) for d, s in docs.items()} for q, docs in run.items()}
    return [
        run,
        whole,
        path,
        torn,
        rows,
        pl.DataFrame(rows, ["qid", "docid", "score"], orient="row"),
    ]


@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input"])
def test_dropping_them_is_as_if_they_had_not_been_retrieved(ties: Any, tmp_path: Path) -> None:
    measures = ["nDCG@10", "AP", "RR", "P@2", "NumRet", "Judged@10"]
    for one in forms(RUN, tmp_path):
        dropped = rm.evaluate(QRELS, one, measures, drop_self=True, ties=ties)
        wanted = rm.evaluate(QRELS, WITHOUT, measures, ties=ties)
        assert dropped.scores.tobytes() == wanted.scores.tobytes()
        assert dropped.audit.self_matches == 2
        assert dropped.audit.self_matches_ndcg is None


@pytest.mark.slow
def test_the_audit_says_how_far_they_move_ndcg(tmp_path: Path) -> None:
    kept, dropped = (rm.evaluate(QRELS, run, "nDCG@10")["nDCG@10"] for run in (RUN, WITHOUT))
    for one in forms(RUN, tmp_path):
        ev = rm.evaluate(QRELS, one, "RR")
        assert ev.audit.self_matches == 2
        assert ev.audit.self_matches_ndcg == (kept, dropped)
        assert f"2 queries retrieved a document with their own id: nDCG@10 {kept:.4f}" in str(ev)


@pytest.mark.slow
def test_one_in_a_hundred_queries_is_not_worth_a_word() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(100)}
    run = {query: {"a": 1.0} for query in qrels} | {"q0": {"a": 1.0, "q0": 0.5}}
    few, more = (
        rm.evaluate(qrels, one, "RR").audit for one in (run, run | {"q1": {"q1": 0.5, "a": 1.0}})
    )
    assert (few.self_matches, few.self_matches_ndcg) == (1, None)
    assert (more.self_matches, more.self_matches_ndcg) == (2, (1.0, 1.0))


def test_only_the_queries_averaged_are_looked_at() -> None:
    ev = rm.evaluate(QRELS, RUN, "RR", queries=["d2"])
    assert (ev.audit.self_matches, ev.audit.self_matches_ndcg) == (0, None)


def test_numbers_of_rows_and_columns_are_no_ids_that_could_be_the_same() -> None:
    labels, scores = np.eye(3), np.eye(3)
    for run in (scores, [[0, 1], [1], [2]]):
        audit = rm.evaluate(labels, run, "RR").audit
        assert (audit.self_matches, audit.self_matches_ndcg) == (0, None)


@pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")
@given(collection=collections(least=1), ties=st.sampled_from(["docid", "docid-asc", "input"]))
def test_dropping_is_leaving_out_whatever_the_collection(collection: Collection, ties: Any) -> None:
    run = {q: {**docs, q: 0.125} for q, docs in collection.run.items()}
    qrels = {q: {**docs, q: 2.0} for q, docs in collection.qrels.items()}
    measures = ["nDCG@3", "AP", "RR", "NumRet"]
    with_self = rm.evaluate(qrels, run, measures, drop_self=True, ties=ties)
    others = {q: {d: s for d, s in docs.items() if d != q} for q, docs in run.items()}
    without = rm.evaluate(qrels, others, measures, ties=ties)
    assert with_self.scores.tobytes() == without.scores.tobytes()


def test_drop_self_is_true_or_false() -> None:
    with pytest.raises(rm.InputError, match="drop_self is 'yes'; need True or False"):
        rm.evaluate(QRELS, RUN, drop_self="yes")  # type: ignore[arg-type]
