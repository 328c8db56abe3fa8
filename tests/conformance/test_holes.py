"""Hole counts documents that are judged for no query, by the slow definition and as BEIR does."""

import itertools
import pickle
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from conformance.reference.hole import hole
from conformance.reference.ranking import labels_of
from generators.effort import examples
from generators.random_collections import Collection, collections
from generators.trec_files import Dress, write_qrels, write_run

QRELS = {"q": {"a": 1, "b": 0}, "r": {"c": 2}, "s": {"d": -1}, "none": {}}
RUN = {
    "q": {"x": 5.0, "c": 4.0, "a": 3.0, "d": 2.0, "y": 1.0},
    "r": {"y": 2.0, "b": 1.0},
    "none": {"a": 2.0, "z": 2.0},
}


def hole_of_beir(qrels: Any, run: Any, k: int) -> float:
    """Count as BEIR 2.2.0's hole does, which averages over the judged queries."""
    annotated = {doc_id for judged in qrels.values() for doc_id in judged}
    total = 0.0
    for scores in run.values():
        top = sorted(scores.items(), key=lambda item: item[1], reverse=True)[:k]
        total += sum(doc_id not in annotated for doc_id, _ in top) / k
    return total / len(qrels)


@pytest.mark.parametrize("k", [1, 2, 3, 10])
def test_hole_is_that_of_beir(k: int) -> None:
    ev = rm.evaluate(QRELS, RUN, rm.measure(f"Hole@{k}"), ties="input")
    agrees("BEIR", "Hole", ev[f"Hole@{k}"], hole_of_beir(QRELS, RUN, k))


def test_hole_leaves_other_measures_and_the_audit_alone() -> None:
    names = ["AP", "Judged@3", "Unjudged@3"]
    alone, together = rm.evaluate(QRELS, RUN, names), rm.evaluate(QRELS, RUN, [*names, "Hole@3"])
    assert {name: together[name] for name in names} == dict(alone)
    assert together.audit == alone.audit
    assert together.per_query("Hole@3") == pytest.approx(
        {"q": 1 / 3, "r": 1 / 3, "s": 0, "none": 1 / 3}
    )
    assert together.per_query("Unjudged@3")["q"] == pytest.approx(2 / 3)


@examples(40)
@given(
    collection=collections(),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
    depth=st.sampled_from([None, 1, 3]),
    judged_only=st.booleans(),
    cutoffs=st.sampled_from([(None, 2), (2,), (1, 3)]),
)
def test_hole_is_what_its_definition_says(
    collection: Collection,
    ties: Any,
    depth: int | None,
    judged_only: bool,
    cutoffs: tuple[int | None, ...],
) -> None:
    anywhere = {doc_id: 0.0 for judged in collection.qrels.values() for doc_id in judged}
    names = {"Hole" if k is None else f"Hole@{k}": k for k in cutoffs}
    ev = rm.evaluate(*collection, [*names], ties=ties, depth=depth, judged_only=judged_only)
    for name, k in names.items():
        for query, value in ev.per_query(name).items():
            run = collection.run.get(query, {})
            ranking = labels_of(anywhere, run, ties=ties, depth=depth, judged_only=judged_only)
            agrees("reference", "Hole", value, hole(*ranking, k=k))


def test_ties_are_averaged_over_their_orders() -> None:
    run = {"q": {"x": 1.0, "c": 1.0, "a": 1.0, "y": 0.0}}
    orders = itertools.permutations(["x", "c", "a"])
    wanted = statistics.fmean(("x" in order[:2]) / 2 for order in orders)
    for depth in (None, 2):
        found = {
            ties: rm.evaluate(QRELS, run, "Hole@2", ties=ties, depth=depth).per_query("Hole@2")["q"]
            for ties in ("mean", "best", "worst")
        }
        assert found == pytest.approx({"mean": wanted, "best": 0.0, "worst": 0.5})
    assert rm.evaluate(QRELS, run, "Hole@2").tie_interval["Hole@2"] == pytest.approx((0, 0.5 / 4))


def test_files_frames_and_subtopics_have_the_same_holes(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    qrels = {query: judged for query, judged in QRELS.items() if judged}
    wanted = rm.evaluate(qrels, RUN, "Hole@3").scores.tobytes()
    files = write_qrels(tmp_path / "q", qrels, Dress()), write_run(tmp_path / "r", RUN, Dress())
    rows = [(q, d, s) for q, scores in RUN.items() for d, s in scores.items()]
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    for both in (files, (qrels, frame), (rm.Qrels(qrels), rm.Run(RUN))):
        assert rm.evaluate(*both, "Hole@3").scores.tobytes() == wanted
    two = {q: {"1": judged, "2": judged} for q, judged in qrels.items()}
    by_subtopic = rm.Qrels(two, subtopics=True)
    ev = rm.evaluate(by_subtopic, RUN, ["Hole@3", "alpha_nDCG"])
    assert ev.scores[:, 0].tobytes() == wanted


def test_arrays_have_no_holes_where_all_is_labelled() -> None:
    labels, scores = np.array([[1.0, 0.0, 2.0]]), np.array([[0.3, 0.9, 0.7]])
    assert rm.evaluate(labels, scores, "Hole@3")["Hole@3"] == 0


def test_hole_is_explained_compared_kept_and_bounded() -> None:
    told = rm.explain(QRELS, RUN, "q", "Hole@3")
    assert told.value == pytest.approx(1 / 3)
    assert [row["contribution"] for row in told.rows[:3]] == pytest.approx([1 / 3, 0, 0])
    ev = rm.evaluate(QRELS, RUN, "Hole@3")
    assert ev.explain("q", "Hole@3").value == told.value
    assert ev.bounds["Hole@3"] == pytest.approx((0, ev["Hole@3"]))
    again = pickle.loads(pickle.dumps(ev))
    assert again.per_query("Hole@3") == ev.per_query("Hole@3")
    other = {**RUN, "q": {"x": 2.0, "y": 1.0}}
    cmp = rm.compare(QRELS, {"a": RUN, "b": other}, ["Hole@3"])
    assert cmp.evaluations["b"].per_query("Hole@3")["q"] == pytest.approx(2 / 3)
    assert rm.evaluate(QRELS, RUN, "Hole@3", queries="both")["Hole@3"] == pytest.approx(1 / 3)


def test_the_profile_of_beir_counts_holes() -> None:
    qrels = QRELS | {"s": {"d": 1}}
    ev = rm.evaluate(qrels, RUN, ["NDCG@2", "Hole@2"], profile="beir")
    assert ev["Hole@2"] == pytest.approx(hole_of_beir(qrels, RUN, 2))
    answered = rm.evaluate(qrels, RUN, ["Hole@2"], profile="mteb")
    assert answered["Hole@2"] == pytest.approx(hole_of_beir(qrels, RUN, 2) * len(qrels) / len(RUN))


def test_batches_do_not_know_the_judgments_of_all_queries() -> None:
    with pytest.raises(rm.MeasureError, match="all queries"):
        rm.Accumulator("Hole@3").update(QRELS, RUN)


def test_the_first_documents_that_decide_are_found_in_every_form() -> None:
    run = {f"q{n}": {f"d{d}": float((d * 7 + n) % 5) for d in range(30)} for n in range(4)}
    run["q4"] = {"d1": 1e-60, "d2": 0.0, "d40": -1.0, "q4": 2.0}
    qrels = {f"q{n}": {f"d{n * 3}": 1, f"d{n + 20}": 0} for n in range(5)}
    rows = [
        (query, document, score) for query, held in run.items() for document, score in held.items()
    ]
    for options in (
        {}, {"ties": "mean"}, {"ties": "input"}, {"drop_self": True}, {"precision": "float32"},
        {"seen": {"q1": ["d4"], "q4": ["d1"]}}, {"duplicates": "best"},
    ):  # fmt: skip
        from_dicts = rm.evaluate(qrels, run, ["Hole@3", "Hole(judged_only=True)@2"], **options)
        from_rows = rm.evaluate(qrels, rows, ["Hole@3", "Hole(judged_only=True)@2"], **options)
        assert from_dicts.scores.tolist() == from_rows.scores.tolist()
    listed = {query: sorted(held, key=lambda one: -held[one]) for query, held in run.items()}
    ranked = rm.evaluate(qrels, listed, "Hole@3", ties="input")
    assert ranked.scores.tolist() == rm.evaluate(qrels, run, "Hole@3", ties="input").scores.tolist()
