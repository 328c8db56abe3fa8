"""The likely reason why the ids of judgments and a run do not match."""

from __future__ import annotations

from itertools import filterfalse, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.data.contract.reading_options import AS_USUAL, ONE_THREAD
from rankmark.data.evidence.listed_ids import MOST_FOUND, refuse_joined, refuse_lists
from rankmark.data.evidence.near_ids import Near, likely_reason, near_ids
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.errors import DuplicateError, RankmarkError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Ints
    from rankmark.data.contract.source import Rows, Source
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run

_MOST = 100_000  # documents of each side that are compared
_SAMPLED, _MOST_SAMPLED = 8, 40  # queries of a first look
_ROWS_A_QUERY = 10_000  # of a run, for each query of a first look, where that is more
_ENOUGH = 24  # judged documents in a first look
_FEW_ROWS = 2_000  # which are all looked at
_MOST_OF_QUERY = 60  # documents of a query in a first look
_FEW = 30  # of these, that are compared
_MOST_JUDGED = 300_000


def query_mismatch(qrels: Qrels, run: Run) -> str:
    """Return the likely reason why query ids do not match, or what to check, as a remedy."""
    rows = _rows_of(run)
    if rows is None:
        return _remedy(None)
    documents = map(rows.doc_ids, np.unique(rows.doc_codes[:_MOST]).tolist())
    return _remedy(
        likely_reason(
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
    return theirs[:3], _remedy(likely_reason(ours, theirs, what="document"))


def near_documents(
    qrels: Qrels, run: Run, judged: Ints, retrieved: Ints, rows: int
) -> NearJudged | None:
    """Find judged documents that are retrieved with their ids written in another way.

    Only in a sample at first, so that usual evaluations take no longer.

    Parameters
    ----------
    judged, retrieved
        (Q,) int64, the judged documents of each query that are retrieved, and all that are.
    rows
        The documents of the run.
    """
    if refuse_listed(qrels, run, judged, retrieved, rows, also_few=True) is None:
        return None
    every = _rows_of(run)
    return None if every is None else near_documents_of(qrels, every)


def near_documents_of(qrels: Qrels, rows: Rows) -> NearJudged | None:
    """Find judged documents that the rows of a run have with their ids written in another way."""
    unmatched = [*_unmatched(qrels, rows)]
    near = near_ids((pair for _, pair in unmatched), of_all=True)
    if near is None:
        return None
    if near.of_parts:  # several of which may be of one document
        return NearJudged(near, None)
    names: dict[str, dict[str, str]] = {}
    for at, ours, theirs in near.matches:
        names.setdefault(unmatched[at][0], {})[ours] = theirs
    labels = qrels.by_query()
    for query, own in names.items():
        labels[query] = {own.get(one, one): label for one, label in labels[query].items()}
    return NearJudged(near, labels)


def near_queries_of(qrels: Qrels, missing: list[str], run_only: list[str]) -> NearJudged | None:
    """Find judged queries that a run has with their ids written in another way."""
    near = near_ids([(missing, run_only)], of_all=True)
    if near is None:
        return None
    names = {ours: theirs for _, ours, theirs in near.matches}
    return NearJudged(near, {names.get(one, one): own for one, own in qrels.by_query().items()})


class NearJudged(NamedTuple):
    """Judged ids that a run has written in another way, and judgments written as the run does.

    Parameters
    ----------
    near
        The ids.
    labels
        Labels by query and document; None if that is unclear.
    """

    near: Near
    labels: dict[str, dict[str, float]] | None


def refuse_listed(
    qrels: Qrels,
    run: Run,
    judged: Ints,
    retrieved: Ints,
    rows: int,
    *,
    also_few: bool = False,
) -> Near | None:
    """Refuse a run whose ids are lists written as text; see ``near_documents``.

    Returns what is written in two ways among a sample of ids; None if more than nine tenths of the
    judged documents are retrieved, unless ``also_few``.
    """
    source = run.source
    if qrels.source.positions or source.positions or source.by_column:
        return None
    starts = qrels.starts
    missing = (starts[1:] - starts[:-1] - judged) * (retrieved > judged)
    many = int(missing.sum())
    are_few = many < (1 - MOST_FOUND) * qrels.rows
    if not many or (are_few and not also_few) or qrels.rows > _MOST_JUDGED:
        return None
    least = _SAMPLED // 2 if are_few and rows > _FEW_ROWS else _SAMPLED
    number = max(least, min(rows // _ROWS_A_QUERY, _MOST_SAMPLED))
    sample = [*_first_look(qrels, source, missing, rows, number)]
    return near_ids(sample) if are_few else _refuse_lists_among(sample, qrels, run)


def refuse_listed_in_query(qrels: Qrels, run: Run, judged: Sequence[str]) -> None:
    """Refuse lists written as text among the documents of one query, which the run holds alone."""
    source = run.source
    if not (qrels.source.positions or source.positions or source.by_column):
        held = source.rows(ONE_THREAD, lenient=True)
        documents = [held.doc_ids(code) for code in dict.fromkeys(held.doc_codes.tolist())]
        known, retrieved = {*judged}, {*documents}
        missing = [one for one in judged if one not in retrieved]
        _refuse_lists_among([(missing, [one for one in documents if one not in known])], qrels, run)


def _refuse_lists_among(
    sample: list[tuple[list[str], list[str]]], qrels: Qrels, run: Run
) -> Near | None:
    doubted = run.source.vouched is not True
    if doubted:
        refuse_lists((one for _, unjudged in sample for one in unjudged), run.name)
    near = near_ids(sample)
    if doubted:  # one id in a cell is no list if ids are the same but for how they are written
        refuse_joined(sample, (qrels.name, run.name), least=1 if near is None else 2)
    return near


def near_queries(qrels: Qrels, run: Run, answered: Bools, run_only: list[str]) -> NearJudged | None:
    """Find judged queries that the run answers with their ids written in another way.

    Parameters
    ----------
    answered
        (Q,) bool.
    run_only
        The first unjudged queries of the run.
    """
    missing = [qrels.query_ids[at] for at in np.flatnonzero(~answered[:_MOST]).tolist()]
    if qrels.source.positions or run.source.positions or near_ids([(run_only, missing)]) is None:
        return None
    rows = _rows_of(run)
    if rows is None:
        return None
    judged = {*qrels.query_ids}
    return near_queries_of(qrels, missing, [one for one in rows.query_ids if one not in judged])


def _first_look(
    qrels: Qrels, source: Source, missing: Ints, rows: int, number: int
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield judged documents of so many queries that are not retrieved, and the unjudged ones."""
    begin = None if isinstance(source, NestedMapping) else source.beginning()
    source = begin or source
    if isinstance(source, NestedMapping):
        at = np.flatnonzero(missing)
        some = at[:: max(len(at) // number, 1)][:number].tolist()
        starts, looked_at = qrels.starts, 0
        for query in some:
            if looked_at >= _ENOUGH:
                return
            looked_at += min(int(missing[query]), _FEW)
            judged = qrels.judgments.documents_of_rows(np.arange(*starts[query : query + 2]))
            held = source.documents_of(qrels.query_ids[query])
            first = filterfalse({*judged}.__contains__, islice(held, _MOST_OF_QUERY))
            yield (
                [*islice(filterfalse(held.__contains__, judged[:_MOST_OF_QUERY]), _FEW)],
                [one for one in islice(first, _FEW) if isinstance(one, str)],
            )
    elif begin is not None or rows <= _FEW_ROWS or rows <= 2 * len(missing) <= _MOST_JUDGED:
        try:
            sample = source.rows(ONE_THREAD, lenient=True)
        except RankmarkError:
            return
        pairs = (pair for _, pair in _unmatched(qrels, sample, _FEW, missing))
        yield from islice(pairs, number)


def _unmatched(
    qrels: Qrels, rows: Rows, most: int = _MOST, missing: Ints | None = None
) -> Iterator[tuple[str, tuple[list[str], list[str]]]]:
    """Yield queries with the documents that only one side has.

    Parameters
    ----------
    most
        How many documents of either side are looked at, of each query.
    missing
        (Q,) int64, how many judged documents of each query are not retrieved, where queries without
        such are left out.
    """
    held = {*rows.query_ids}  # often far fewer than are judged
    at_query = {query: at for at, query in enumerate(qrels.query_ids) if query in held}
    codes = np.asarray(rows.query_codes)
    if not len(codes):  # the first rows of a file are whole lines, and it may have none
        return
    order = np.argsort(codes, kind="stable")
    documents = np.asarray(rows.doc_codes)[order]
    begins = np.flatnonzero(np.diff(codes[order].astype(np.int64), prepend=-1))
    ends = np.append(begins[1:], len(codes))
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        query_id = rows.query_ids[codes[order[begin]]]
        query = at_query.get(query_id, -1)
        if query < 0 or (missing is not None and not missing[query]):
            continue
        judged = qrels.judgments.documents_of_rows(
            np.arange(*qrels.starts[query : query + 2])[:most]
        )
        numbers = np.asarray(rows.doc_numbers([*judged])).tolist()
        own = dict.fromkeys(documents[begin:end].tolist())
        known = {*numbers}
        unjudged = islice((one for one in own if one not in known), most)
        lacking = [one for one, number in zip(judged, numbers, strict=True) if number not in own]
        yield query_id, (lacking, [*map(rows.doc_ids, unjudged)])


def _rows_of(run: Run) -> Rows | None:
    """List the rows; None if JSON contains a document twice, of which evaluate used one row."""
    try:
        return run.source.rows(AS_USUAL, lenient=True)
    except DuplicateError:
        return None


def _in_order(codes: NDArray[Any]) -> list[int]:
    """Return distinct codes in order of first appearance."""
    _, first = np.unique(codes, return_index=True)
    return codes[np.sort(first)].tolist()


def _remedy(reason: str | None) -> str:
    return f"the reason may be that {reason}" if reason else "are the ids of one kind?"
