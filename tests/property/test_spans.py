"""Measures of spans are those of sets of characters; nothing that is repeated exceeds 1."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.reference.spans import characters as slow
from generators.effort import examples
from rankmark import spans
from rankmark.formulas import Budget
from rankmark.measures.spans import ALL

Span = tuple[str, int, int]


def spans_of(least: int, most: int = 6) -> st.SearchStrategy[Any]:
    """Draw spans of two short documents, so that they meet, touch and repeat one another."""
    one = st.tuples(st.sampled_from("de"), st.integers(0, 12), st.integers(least, 8))
    return st.lists(one.map(lambda x: (x[0], x[1], x[1] + x[2])), min_size=least, max_size=most)


GOLD = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), spans_of(1), min_size=1)
RETRIEVED = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), spans_of(0), min_size=1)
CHUNKS = spans_of(1, 10)
COUNTS, GOLDS = st.sampled_from(["union", "sum"]), st.sampled_from(["merge", "sum"])
CUTOFFS = st.sampled_from([None, 1, 2, 5])
BUDGETS = st.sampled_from([None, 1, 3, 10, 100])


@examples(150)
@given(
    gold=GOLD,
    retrieved=RETRIEVED,
    chunks=CHUNKS,
    count=COUNTS,
    rule=GOLDS,
    k=CUTOFFS,
    budget=BUDGETS,
    budget_rule=st.sampled_from(["stop", "skip", "cut"]),
    beta=st.sampled_from([0.5, 1.0, 3.0]),
    flags=st.tuples(st.booleans(), st.booleans()),
    least=st.sampled_from([0.1, 0.5, 1.0]),
)
def test_each_value_is_that_of_sets_of_characters(
    gold: dict[str, list[Span]],
    retrieved: dict[str, list[Span]],
    chunks: list[Span],
    count: str,
    rule: str,
    k: int | None,
    budget: int | None,
    budget_rule: str,
    beta: float,
    flags: tuple[bool, bool],
    least: float,
) -> None:
    retrieved = {query: retrieved.get(query, []) for query in gold}
    touching, missed = flags
    within = None if budget is None else Budget("characters", budget, budget_rule)
    asked = [
        spans.SPAN_RECALL(gold=rule, budget=within, k=k),
        spans.SPAN_PRECISION(count=count, budget=within, k=k),
        spans.SPAN_IOU(count=count, gold=rule, budget=within, k=k),
        spans.SPAN_F(beta=beta, count=count, gold=rule, budget=within, k=k),
        spans.PRECISION_OMEGA(count=count, touching=touching, missed=missed),
        spans.SEGMENT_RECALL(iou=least, k=k),
    ]
    by_document: dict[str, list[tuple[int, int]]] = {}
    for document, *ends in chunks:
        by_document.setdefault(document, []).append((ends[0], ends[1]))
    with rm.quiet():
        found = rm.evaluate_spans(gold, retrieved, asked, chunks=by_document)
    for query, values in zip(found.queries, found.scores.tolist(), strict=True):
        wanted, top = gold[query], slow.cut(retrieved[query], k, budget, budget_rule)
        assert values == pytest.approx(
            [
                slow.recall(wanted, top, rule),
                slow.precision(wanted, top, count),
                slow.iou(wanted, top, count, rule),
                slow.f(wanted, top, beta, count, rule),
                slow.omega(wanted, chunks, count, touching=touching, missed=missed),
                slow.segments(wanted, retrieved[query][:k], least),
            ],
            abs=1e-12,
        )


NUMBERS = st.floats(0, 100, allow_nan=False, width=32)


@st.composite
def repeated_segments(draw: Any) -> list[tuple[str, float, float]]:
    """Draw segments in seconds, many of which share ends, and repeat them."""
    ends = sorted(draw(st.lists(NUMBERS, min_size=2, max_size=6, unique=True)))
    pairs = [(a, b) for a in ends for b in ends if a < b]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=8))
    return [("v", a / 3, b / 3) for a, b in chosen for _ in range(draw(st.integers(1, 3)))]


@examples(150)
@given(gold=repeated_segments(), retrieved=repeated_segments(), k=CUTOFFS, beta=NUMBERS)
def test_no_value_exceeds_1_whatever_is_repeated(
    gold: list[Any], retrieved: list[Any], k: int | None, beta: float
) -> None:
    asked: list[Any] = [one if one.needs_chunks else one(k=k) for one in ALL]
    asked += [one.as_chroma() for one in asked] + [spans.SPAN_F(beta=beta + 0.1)]
    for rule in ("stop", "skip", "cut"):
        budget = Budget("seconds", beta + 0.1, rule)
        asked += [spans.SPAN_RECALL(budget=budget), spans.SPAN_PRECISION(budget=budget)]
    for other in (retrieved, gold, gold + retrieved + gold):
        chunks = {"v": [span[1:] for span in other]}
        found = rm.evaluate_spans({"q": gold}, {"q": other}, asked, chunks=chunks)
        assert (found.scores >= 0).all()
        assert (found.scores <= 1).all()
    exact = rm.evaluate_spans({"q": gold}, {"q": gold}, ["SpanRecall", "SpanF", "SpanIoU"])
    assert exact.scores.tolist() == [[1.0, 1.0, 1.0]]


@examples(60)
@given(gold=GOLD, retrieved=RETRIEVED, data=st.data())
def test_a_query_does_not_see_its_neighbours_and_no_form_matters(
    gold: dict[str, list[Span]], retrieved: dict[str, list[Span]], data: Any
) -> None:
    asked = ["SpanRecall@tokens(7, cut)", "SpanPrecision@2", "SpanIoU", "SegmentRecall"]
    retrieved = {query: retrieved.get(query, []) for query in gold}

    def scores(gold: Any, retrieved: Any) -> dict[str, list[float]]:
        with rm.quiet():
            found = rm.evaluate_spans(gold, retrieved, asked)
        return dict(zip(found.queries, found.scores.tolist(), strict=True))

    together = scores(gold, retrieved)
    for query in gold:
        assert scores({query: gold[query]}, {query: retrieved[query]})[query] == together[query]
    names = data.draw(st.permutations([*gold]))
    assert scores({query: gold[query] for query in names}, retrieved) == together
    rows = [
        {"query_id": query, "doc_id": span[0], "start": span[1], "end": span[2], "rank": rank}
        for query in names
        for rank, span in enumerate(retrieved[query])
    ]
    if rows:
        shuffled = data.draw(st.permutations(rows))
        assert scores(gold, shuffled) == together
        columns = {name: np.array([row[name] for row in shuffled]) for name in rows[0]}
        assert scores(gold, columns) == together


@examples(100)
@given(gold=GOLD, retrieved=RETRIEVED, theta=st.sampled_from([0.2, 0.5, 0.8, 1.0]), k=CUTOFFS)
def test_segments_that_are_found_are_subtopics_that_are(
    gold: dict[str, list[Span]], retrieved: dict[str, list[Span]], theta: float, k: int | None
) -> None:
    retrieved = {query: retrieved.get(query, []) for query in gold}
    k = 20 if k is None else k
    with rm.quiet():
        direct = rm.evaluate_spans(gold, retrieved, spans.SEGMENT_RECALL(iou=theta, k=k))
        qrels, run = rm.judge_spans(gold, retrieved, theta=theta, of="iou")
        ranked = rm.evaluate(qrels, run, [f"StRecall@{k}", f"RR@{k}", f"Judged@{k}"])
    assert ranked.scores[:, 0].tolist() == pytest.approx(direct.scores[:, 0].tolist())
    assert ((ranked.scores[:, 1] > 0) == (direct.scores[:, 0] > 0)).all()
