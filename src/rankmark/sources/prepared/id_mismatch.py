"""Judgments and a run that do not meet: why, looked at only once they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import DuplicateError
from rankmark.sources.ids.identity import why_apart
from rankmark.sources.prepared.listing import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.sources.contract.source import Rows
    from rankmark.sources.prepared.qrels import Qrels
    from rankmark.sources.prepared.run import Run

_MOST = 100_000  # documents of a side that are looked at


def queries_apart(qrels: Qrels, run: Run) -> str:
    """Say why queries do not meet, as the end of a message."""
    rows = _rows_of(run)
    if rows is None:
        return _told(None)
    documents = map(rows.doc_ids, np.unique(rows.doc_codes[:_MOST]).tolist())
    return _told(
        why_apart(
            qrels.query_ids,
            rows.query_ids,
            qrels_others=qrels.doc_ids[:_MOST],
            run_others=list(documents),
        )
    )


def documents_apart(qrels: Qrels, run: Run) -> tuple[list[str], str]:
    """Say why documents of the same queries do not meet: three of the run, and a message's end."""
    rows = _rows_of(run)
    if rows is None:
        return [], _told(None)
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
    return theirs[:3], _told(why_apart(ours, theirs, what="document"))


def _rows_of(run: Run) -> Rows | None:
    """List the rows; None where JSON holds a document twice, of which evaluate took one row."""
    try:
        return rows_of(run.source)
    except DuplicateError:
        return None


def _in_order(codes: NDArray[Any]) -> list[int]:
    """Give distinct codes in the order in which they come first."""
    _, first = np.unique(codes, return_index=True)
    in_order: list[int] = codes[np.sort(first)].tolist()
    return in_order


def _told(reason: str | None) -> str:
    return f"; the reason may be that {reason}" if reason else "; are the ids of one kind?"
