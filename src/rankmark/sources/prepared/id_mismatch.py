"""The likely reason why the ids of judgments and a run do not match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import DuplicateError
from rankmark.sources.ids.identity import mismatch_reason
from rankmark.sources.prepared.listing import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.sources.contract.source import Rows
    from rankmark.sources.prepared.qrels import Qrels
    from rankmark.sources.prepared.run import Run

_MOST = 100_000  # documents of each side that are compared


def query_mismatch(qrels: Qrels, run: Run) -> str:
    """Return the likely reason why query ids do not match, or what to check, as a remedy."""
    rows = _rows_of(run)
    if rows is None:
        return _remedy(None)
    documents = map(rows.doc_ids, np.unique(rows.doc_codes[:_MOST]).tolist())
    return _remedy(
        mismatch_reason(
            qrels.query_ids,
            rows.query_ids,
            qrels_others=qrels.doc_ids[:_MOST],
            run_others=list(documents),
        )
    )


def document_mismatch(qrels: Qrels, run: Run) -> tuple[list[str], str]:
    """Explain why document ids do not match: three ids of the run, and the remedy."""
    rows = _rows_of(run)
    if rows is None:
        return [], _remedy(None)
    number = {query: row for row, query in enumerate(qrels.query_ids)}
    judged = np.array([number.get(query, -1) for query in rows.query_ids], dtype=np.int64)
    shared = np.flatnonzero(judged[rows.query_codes] >= 0)[:_MOST]
    theirs = [rows.doc_ids(code) for code in _in_order(rows.doc_codes[shared])]
    starts = qrels.judgments.starts()
    ours = [
        qrels.doc_ids[row]
        for query in _in_order(judged[rows.query_codes[shared]])
        for row in range(starts[query], starts[query + 1])
    ]
    return theirs[:3], _remedy(mismatch_reason(ours, theirs, what="document"))


def _rows_of(run: Run) -> Rows | None:
    """List the rows; None if JSON contains a document twice, of which evaluate used one row."""
    try:
        return rows_of(run.source)
    except DuplicateError:
        return None


def _in_order(codes: NDArray[Any]) -> list[int]:
    """Return distinct codes in order of first appearance."""
    _, first = np.unique(codes, return_index=True)
    in_order: list[int] = codes[np.sort(first)].tolist()
    return in_order


def _remedy(reason: str | None) -> str:
    return f"the reason may be that {reason}" if reason else "are the ids of one kind?"
