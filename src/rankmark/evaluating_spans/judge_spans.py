"""Judge retrieved chunks by gold spans, so that measures of ranks apply to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.argument_types import typed
from rankmark.errors import InputError
from rankmark.evaluating_spans.given_spans import given_spans, named_columns
from rankmark.evaluating_spans.matched_spans import rows_of
from rankmark.formula_parameters import choice, share
from rankmark.spans.span_intervals import Intervals, pairs
from rankmark.spans.segment_recall import distinct, iou_of

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.evaluating_spans.given_spans import GivenSpans
    from rankmark.spans.span_intervals import Pairs

Of = Literal["gold", "chunk", "iou"]
Judged = dict[str, dict[str, dict[str, int]]]
Lists = dict[str, list[str]]


@typed
def judge_spans(
    gold: GivenSpans,
    *retrieved: GivenSpans,
    theta: float = 0.5,
    of: Of = "gold",
    chunks: GivenSpans | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[Any, ...]:
    """Judge chunks by gold spans, each a subtopic: for ``evaluate``, ``compare`` and the others.

    A chunk is relevant to a gold span if it covers enough of it. A chunk retrieved a second time
    takes its rank under another id, and is not relevant again. A gold span that no chunk covers
    enough is judged under its own id, so that it still counts as relevant and not found.

    Parameters
    ----------
    Data:
    gold, columns
        As for ``evaluate_spans``.
    retrieved
        One run or several, as for ``evaluate_spans``. They are judged together, so that measures
        with an ideal ranking have the same one for all.
    chunks
        All chunks of the collection, which are then judged too; without them, only what was
        retrieved is, and the ideal ranking knows no other chunk.

    Judging:
    theta
        How much is enough, above 0 and at most 1.
    of
        Of what: the share of the ``"gold"`` span that the chunk covers; the share of the
        ``"chunk"`` that this gold span covers; or their intersection over union, ``"iou"``.

    Returns
    -------
    tuple
        Judgments by subtopic, ``{query: {gold span: {chunk: 0 or 1}}}``, then a run for each
        ``retrieved``: ``{query: [chunk, ...]}``. Ids are ``document#start-end``.

    Raises
    ------
    SchemaError
        If a form is unknown, a column is missing, or a bound is not a number.
    InputError
        If a span ends before it starts, a gold span is empty, or an option has an invalid value.

    Examples
    --------
    >>> import rankmark as rm
    >>> gold = {"q1": [("d1", 50, 80), ("d1", 210, 230)]}
    >>> qrels, run = rm.judge_spans(gold, {"q1": [("d1", 100, 200), ("d1", 0, 100)]})
    >>> run
    {'q1': ['d1#100-200', 'd1#0-100']}
    >>> rm.evaluate(qrels, run, "StRecall@2")["StRecall@2"]
    0.5
    """
    choice("of", of, *get_args(Of))
    least = share("theta", theta)
    if least == 0:
        raise InputError("theta is 0", "need a number above 0, or every chunk would be relevant")
    if not retrieved:
        raise InputError("nothing was retrieved", "give what a run retrieved, or several runs")
    names = named_columns(columns)
    judged = given_spans(gold, "gold", names)
    given = [given_spans(one, "retrieved", names) for one in retrieved]
    queries = [
        *dict.fromkeys([*judged.queries, *(query for run in given for query in run.queries)])
    ]
    number = {query: at for at, query in enumerate(queries)}
    documents: dict[str, int] = {}
    spans = distinct(rows_of(judged, number, documents))
    runs = [rows_of(run, number, documents) for run in given]
    others = [] if chunks is None else [_of_each_gold(spans, chunks, names, documents)]
    pool = distinct(_joined([*runs, *others]))
    ids = _Ids(tuple(documents))
    met = pairs(spans, pool)
    enough = _shares(spans, pool, met)[of] >= least
    gold_ids, pool_ids = ids.of(spans), ids.of(pool)
    qrels: Judged = {query: {} for query in judged.queries}
    for query, name in zip(spans.query.tolist(), gold_ids, strict=True):
        qrels[queries[query]][name] = {}
    for one, other in zip(met.one[enough].tolist(), met.other[enough].tolist(), strict=True):
        qrels[queries[spans.query[one]]][gold_ids[one]][pool_ids[other]] = 1
    relevant = {*met.other[enough].tolist()}
    for at, (query, name) in enumerate(zip(pool.query.tolist(), pool_ids, strict=True)):
        if at not in relevant and queries[query] in qrels:
            next(iter(qrels[queries[query]].values()))[name] = 0
    for subtopics in qrels.values():
        for name, labels in subtopics.items():
            if 1 not in labels.values():
                labels[name] = 1
    return qrels, *(
        _as_lists(rows, run.queries, queries, ids) for rows, run in zip(runs, given, strict=True)
    )


class _Ids:
    """Ids of spans: ``document#start-end``."""

    def __init__(self, documents: tuple[str, ...]) -> None:
        self._documents = documents

    def of(self, rows: Intervals) -> list[str]:
        return [
            f"{self._documents[document]}#{start:.15g}-{end:.15g}"
            for document, start, end in zip(
                rows.document.tolist(), rows.start.tolist(), rows.end.tolist(), strict=True
            )
        ]


def _joined(several: list[Intervals]) -> Intervals:
    found = Intervals(*map(np.concatenate, zip(*several, strict=True)))
    return found.where(np.argsort(found.query, kind="stable"))


def _of_each_gold(
    spans: Intervals, chunks: GivenSpans, names: Mapping[str, str], documents: dict[str, int]
) -> Intervals:
    """Return the chunks that overlap gold spans, with the queries of these."""
    known = rows_of(given_spans(chunks, "chunks", names), None, documents)
    met = pairs(spans, known, by_query=False)
    kept = met.overlap > 0
    return known.where(met.other[kept])._replace(query=spans.query[met.one[kept]])


def _shares(spans: Intervals, pool: Intervals, met: Pairs) -> dict[str, Floats]:
    overlap = np.maximum(met.overlap, 0.0)
    gold = (spans.end - spans.start)[met.one]
    chunk = (pool.end - pool.start)[met.other]
    of_chunk = np.divide(overlap, chunk, out=np.zeros(len(chunk)), where=chunk > 0)
    return {"gold": overlap / gold, "chunk": of_chunk, "iou": iou_of(spans, pool, met)}


def _as_lists(rows: Intervals, answered: tuple[str, ...], queries: list[str], ids: _Ids) -> Lists:
    """Return the ids of each query's chunks, best first, with another id for each repetition."""
    lists: Lists = {query: [] for query in answered}
    for query, names in _by_query(rows, ids):
        seen: Counter[str] = Counter()
        for name in names:
            seen[name] += 1
            lists[queries[query]].append(name if seen[name] == 1 else f"{name}({seen[name]})")
    return lists


def _by_query(rows: Intervals, ids: _Ids) -> Iterator[tuple[int, list[str]]]:
    names = ids.of(rows)
    starts = np.flatnonzero(np.diff(rows.query, prepend=-1)).tolist()
    for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
        yield int(rows.query[start]), names[start:end]
