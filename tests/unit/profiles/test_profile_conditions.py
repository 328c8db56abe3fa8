"""A tool differs where its profile says so, and a warning says so in every form of input."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import rankmark as rm

LABELS, LOGITS = np.array([[1, 0, 1], [0, 1, 0]]), np.array([[2.5, -1.0, -3.0], [0.5, 0.25, 0.1]])
QRELS = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1, "c": 0}}
RUN = {
    query: dict(zip("abc", row, strict=True))
    for query, row in zip(QRELS, LOGITS.tolist(), strict=True)
}
LOW = "1 query may differ from torchmetrics: a document with a score of 0 or below"


def as_dicts() -> tuple[Any, Any]:
    return QRELS, RUN


def as_arrays() -> tuple[Any, Any]:
    return LABELS, LOGITS


def as_sparse_labels() -> tuple[Any, Any]:
    return scipy.sparse.csr_array(LABELS), LOGITS


def as_frames() -> tuple[Any, Any]:
    pd = pytest.importorskip("pandas")

    def frame(held: Any, column: str) -> Any:
        rows = [(query, doc, number) for query, row in held.items() for doc, number in row.items()]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", column])

    return frame(QRELS, "label"), frame(RUN, "score")


def as_rows() -> tuple[Any, Any]:
    qrels, run = (
        [(query, doc, number) for query, row in held.items() for doc, number in row.items()]
        for held in (QRELS, RUN)
    )
    return qrels, run


FORMS = (as_dicts, as_arrays, as_sparse_labels, as_frames, as_rows)


@pytest.mark.parametrize("form", FORMS)
def test_relevant_documents_with_a_score_of_0_or_below_are_warned_of(
    form: Callable[[], tuple[Any, Any]],
) -> None:
    qrels, run = form()
    for name in ("RetrievalMAP", "RetrievalMRR", "RetrievalPrecision", "RetrievalRecall"):
        with pytest.warns(rm.RankmarkWarning, match=LOW):
            rm.evaluate(qrels, run, name, profile="torchmetrics")
    rm.evaluate(qrels, run, "RetrievalHitRate", profile="torchmetrics")
    acc = rm.Accumulator("RetrievalMAP", profile="torchmetrics")
    acc.update(qrels, run)
    with pytest.warns(rm.RankmarkWarning, match=LOW):
        acc.result()


def test_files_with_scores_of_0_or_below_are_warned_of(tmp_path: Path) -> None:
    lines = [f"{q} Q0 {d} 1 {s} r" for q, row in RUN.items() for d, s in row.items()]
    (tmp_path / "a.run").write_text("\n".join(lines))
    with pytest.warns(rm.RankmarkWarning, match=LOW):
        rm.evaluate(QRELS, tmp_path / "a.run", "RetrievalMAP", profile="torchmetrics")


def test_scores_are_above_0_as_they_are_compared_and_orders_have_none(tmp_path: Path) -> None:
    tiny = {"q1": {"a": 1e-60, "b": -1.0}, "q2": {"b": 1.0}}
    with pytest.warns(rm.RankmarkWarning, match=LOW):
        rm.evaluate(QRELS, tiny, "RetrievalMAP", profile="torchmetrics")
    rm.evaluate(QRELS, tiny, "RetrievalMAP", profile="torchmetrics", queries=["q2"])
    double = "torchmetrics(precision=double)"
    rm.evaluate(QRELS, tiny, "RetrievalMAP", profile=double)
    ranked = {query: [*row] for query, row in RUN.items()}
    rm.evaluate(QRELS, ranked, "RetrievalMAP", profile="torchmetrics")
    rm.evaluate(LABELS, np.argsort(-LOGITS), "RetrievalMAP", profile="torchmetrics", contents="ids")
    (tmp_path / "a.run").write_text("q1 Q0 a 1 -2.5 r\nq2 Q0 b 1 -1 r\n")
    rm.evaluate(QRELS, tmp_path / "a.run", "RetrievalMAP", profile="torchmetrics", ties="rank")


def test_an_area_over_relevant_documents_only_is_warned_of() -> None:
    run = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"a": 3.0, "b": 2.0}}
    for k in (1, 2):
        with pytest.warns(rm.RankmarkWarning, match="1 query may differ .* first k"):
            rm.evaluate(QRELS, run, f"RetrievalAUROC@{k}", profile="torchmetrics")
    rm.evaluate(QRELS, run, "RetrievalAUROC@3", profile="torchmetrics")
    labels, scores = np.array([[1, 1], [1, 0]]), np.array([[0.5, 0.2], [0.1, 0.3]])
    with pytest.warns(rm.RankmarkWarning, match="all documents of a query are relevant"):
        rm.evaluate(labels, scores, "roc_auc_score", profile="sklearn")


def test_a_tool_compared_with_files_has_the_same_differences() -> None:
    found = rm.reconcile(QRELS, RUN, against="torchmetrics", measure="RetrievalMAP")
    assert "score of 0 or below" in str(found)


@pytest.mark.parametrize(("number", "rank", "low"), [(2, None, [2]), (None, 2, [0])])
def test_a_query_that_spark_reads_in_parts_is_counted_too(
    number: int | None, rank: int | None, low: list[int]
) -> None:
    pa = pytest.importorskip("pyarrow")
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Needs
    from rankmark.data.preparing.matching import match
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.data.tables.columns import Chosen
    from rankmark.spark.frame_columns import FrameColumns
    from rankmark.spark.large_query import LargeQuery

    names = ("query_id", "doc_id", "number")
    part = pa.table(dict(zip(names, (["q"] * 4, [*"abcd"], [3.0, -1.0, 0.0, -5.0]), strict=True)))
    chosen = Chosen(query_id=0, doc_id=1, number=number, rank=rank)
    columns = FrameColumns("run", names, ("string", "string", "double"), chosen)
    run = Run.of(LargeQuery("q", lambda: iter([part]), columns, []))
    qrels = Qrels({"q": {"a": 1, "b": 1, "c": 2, "d": 0, "e": 1}})
    assert match(qrels, run, Conventions(), needs=Needs())[1].not_positive.tolist() == low
