"""Rows of all queries mixed give what rows in order do, and the same faults, however they lie."""

from decimal import Decimal
from itertools import pairwise
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from rankmark import DuplicateError, Run, SchemaError, evaluate, explain

pa = pytest.importorskip("pyarrow")

ROWS, QUERIES = 80_000, 700  # more than a step
MEASURES = ["nDCG@10", "AP", "RR", "R@20"]

rng = np.random.default_rng(16)
QUERY = rng.integers(0, QUERIES, ROWS)
DOCUMENT = rng.permutation(ROWS) % 40_000
SCORE = np.round(rng.standard_normal(ROWS), 1)  # many tie
ORDER = np.argsort(QUERY, kind="stable")

WRITTEN = {
    "short": lambda ids: [f"{i:x}" for i in ids],
    "eight": lambda ids: [f"{i:08d}" for i in ids],
    "long": lambda ids: [f"document number {i}" for i in ids],
}
TYPES: dict[str, Any] = {
    "integers": pa.array,
    "unsigned": lambda ids: pa.array(ids.astype(np.uint32)),
    "large": lambda ids: pa.array(ids.astype(np.uint64) + np.uint64(2**63)),
    "short text": lambda ids: pa.array(WRITTEN["short"](ids)),
    "large text": lambda ids: pa.array(WRITTEN["eight"](ids), pa.large_string()),
    "views": lambda ids: pa.array(WRITTEN["long"](ids), pa.string_view()),
    "dictionary": lambda ids: pa.array(WRITTEN["long"](ids)).dictionary_encode(),
    "floats": lambda ids: pa.array(ids.astype(float)),
}


def table(kind: str, rows: Any, chunks: int = 1) -> Any:
    def column(values: Any, of: Any) -> Any:
        whole = of(values[rows])
        cuts = np.linspace(0, len(whole), chunks + 1).astype(int)
        return pa.chunked_array([whole[a:b] for a, b in pairwise(cuts)], whole.type)

    return pa.table(
        {
            "query_id": column(QUERY, TYPES[kind]),
            "doc_id": column(DOCUMENT, TYPES[kind]),
            "score": column(SCORE, pa.array),
        }
    )


def once(rows: Any) -> Any:
    """Leave the first of each document of a query."""
    _, first = np.unique(QUERY[rows] * 40_000 + DOCUMENT[rows], return_index=True)
    return rows[np.sort(first)]


MIXED, GROUPED = once(np.arange(ROWS)), once(ORDER)
JUDGED = MIXED[QUERY[MIXED] < QUERIES - 100][::23]
UNJUDGED = len(set(QUERY[MIXED]) - set(QUERY[JUDGED]))


def judgments(kind: str) -> Any:
    held = table(kind, JUDGED).drop_columns("score")
    return held.append_column("label", pa.array(JUDGED % 3))


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES)
def test_mixed_rows_give_the_bits_of_rows_in_order(kind: str) -> None:
    qrels = judgments(kind)
    wanted = evaluate(qrels, table(kind, GROUPED), MEASURES)
    for chunks, threads in ((1, 1), (7, 3)):
        mixed = evaluate(qrels, table(kind, MIXED, chunks), MEASURES, threads=threads)
        assert (mixed.scores == wanted.scores).all()
        assert mixed.queries == wanted.queries
        assert mixed.audit.run_only == wanted.audit.run_only == UNJUDGED


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["docid", "input", "rank"])
def test_rows_keep_their_order_within_a_query(ties: str) -> None:
    def run(rows: Any) -> Any:
        frame = table("short text", rows)
        place = np.empty(ROWS, dtype=np.int64)
        place[MIXED] = np.arange(len(MIXED))
        return frame.append_column("rank", pa.array(place[rows]))

    qrels = judgments("short text")
    wanted = evaluate(qrels, run(GROUPED), MEASURES, ties=ties)
    assert (evaluate(qrels, run(MIXED), MEASURES, ties=ties).scores == wanted.scores).all()


def test_partly_mixed_tables_are_read_as_well() -> None:
    qrels = judgments("integers")
    wanted = evaluate(qrels, table("integers", GROUPED), MEASURES)
    for mixed in (200, 40_000):
        rows = np.concatenate([rng.permutation(GROUPED[:mixed]), GROUPED[mixed:]])
        assert (evaluate(qrels, table("integers", rows), MEASURES).scores == wanted.scores).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["integers", "views", "dictionary"])
def test_a_repeated_document_is_found(kind: str) -> None:
    rows = np.append(MIXED, MIXED[50_000])
    with pytest.raises(DuplicateError, match=r"first in row 50000 \(from 0\)"):
        evaluate(judgments(kind), table(kind, rows), MEASURES)
    wanted = evaluate(judgments(kind), table(kind, MIXED), MEASURES)
    first = evaluate(judgments(kind), table(kind, rows), MEASURES, duplicates="first")
    assert (first.scores == wanted.scores).all()


def test_nan_is_refused_with_its_row() -> None:
    run = table("integers", MIXED)
    scores = SCORE[MIXED].copy()
    scores[60_000] = np.nan
    with pytest.raises(SchemaError, match=r"row 60000 \(from 0\)"):
        evaluate(judgments("integers"), run.set_column(2, "score", pa.array(scores)), MEASURES)


@pytest.mark.slow
def test_one_query_is_found_among_mixed_rows() -> None:
    qrels, query = judgments("short text"), f"{QUERY[JUDGED[0]]:x}"
    wanted = explain(qrels, Run(table("short text", GROUPED)), query, "AP")
    assert str(explain(qrels, table("short text", MIXED), query, "AP")) == str(wanted)


@pytest.mark.parametrize("make", [lambda i: UUID(int=int(i)), lambda i: Decimal(int(i))])
def test_rare_types_of_ids_are_numbered_too(make: Any) -> None:
    frame = {
        "query_id": [make(i) for i in QUERY[:3000]],
        "doc_id": [str(i) for i in range(3000)],
        "score": SCORE[:3000],
    }
    typed = pa.table(frame)
    text = pa.table(frame | {"query_id": [str(make(i)) for i in QUERY[:3000]]})
    judged = {str(make(QUERY[row])): {str(row): 1} for row in range(0, 3000, 7)}
    assert (evaluate(judged, typed, ["AP"]).scores == evaluate(judged, text, ["AP"]).scores).all()
