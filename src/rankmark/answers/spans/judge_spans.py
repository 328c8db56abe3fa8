"""Judge retrieved chunks by gold spans, so that measures of ranks apply to them."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import numpy as np

from rankmark.answers.spans.given_spans import ROLES, GivenSpans, given_spans, rows_of
from rankmark.arguments import Columns, Part, checked
from rankmark.array_types import Floats
from rankmark.data.given_tables.role_tables import named_roles, refuse_unused
from rankmark.data.preparing.qrels import Qrels
from rankmark.errors import InputError, quiet
from rankmark.measures.spans.span_formulas import distinct, iou_of
from rankmark.measures.spans.span_intervals import Intervals, Pairs, pairs

Of = Literal["gold", "chunk", "iou"]
Judged = dict[str, dict[str, dict[str, int]]]
Lists = dict[str, list[str]]


@checked
def judge_spans(
    gold: GivenSpans,
    *retrieved: GivenSpans,
    theta: Part = 0.5,
    of: Of = "gold",
    chunks: GivenSpans | None = None,
    columns: Columns = None,
) -> tuple[Any, ...]:
    """Judge chunks by gold spans, each a subtopic, for ``evaluate``, ``compare`` and the others.

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
        Judgments by subtopic, as Qrels, then a run for each ``retrieved``, ``{query: [chunk,
        ...]}``. The ids of chunks and of subtopics are ``document#start-end``.

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
    if theta == 0:
        raise InputError("theta is 0", "need a number above 0, or every chunk would be relevant")
    if not retrieved:
        raise InputError("nothing was retrieved", "give what a run retrieved, or several runs")
    names = named_roles(columns, ROLES)
    judged = given_spans(gold, "gold", names)
    given = [given_spans(one, "retrieved", names) for one in retrieved]
    known = None if chunks is None else given_spans(chunks, "chunks", names)
    refuse_unused(names, *(one.table for one in (judged, *given, known) if one is not None))
    queries = [
        *dict.fromkeys([*judged.queries, *(query for run in given for query in run.queries)])
    ]
    number = {query: at for at, query in enumerate(queries)}
    documents: dict[str, int] = {}
    spans = distinct(rows_of(judged, number, documents))
    runs = [rows_of(run, number, documents) for run in given]
    others = [] if known is None else [_of_each_gold(spans, rows_of(known, None, documents))]
    pool = distinct(_joined([*runs, *others]))
    named = tuple(documents)
    met = pairs(spans, pool)
    enough = _shares(spans, pool, met)[of] >= theta
    gold_ids, pool_ids = _ids_of(spans, named), _ids_of(pool, named)
    labels: Judged = {query: {} for query in judged.queries}
    for query, name in zip(spans.query.tolist(), gold_ids, strict=True):
        labels[queries[query]][name] = {}
    for one, other in zip(met.one[enough].tolist(), met.other[enough].tolist(), strict=True):
        labels[queries[spans.query[one]]][gold_ids[one]][pool_ids[other]] = 1
    relevant = {*met.other[enough].tolist()}
    for at, (query, name) in enumerate(zip(pool.query.tolist(), pool_ids, strict=True)):
        if at not in relevant and queries[query] in labels:
            next(iter(labels[queries[query]].values()))[name] = 0
    for subtopics in labels.values():
        for name, of_subtopic in subtopics.items():
            if 1 not in of_subtopic.values():
                of_subtopic[name] = 1
    lists = (
        _as_lists(rows, _ids_of(rows, named), run.queries, queries)
        for rows, run in zip(runs, given, strict=True)
    )
    with quiet():  # that a query has one gold span, and so one subtopic, is no mistake
        return Qrels(labels, subtopics=True), *lists


def _ids_of(rows: Intervals, documents: tuple[str, ...]) -> list[str]:
    """Return the ids of spans: ``document#start-end``."""
    _, document, start, end = (column.tolist() for column in rows)
    return [
        f"{documents[number]}#{first:.15g}-{last:.15g}"
        for number, first, last in zip(document, start, end, strict=True)
    ]


def _joined(several: list[Intervals]) -> Intervals:
    found = Intervals(*map(np.concatenate, zip(*several, strict=True)))
    return found.where(np.argsort(found.query, kind="stable"))


def _of_each_gold(spans: Intervals, chunks: Intervals) -> Intervals:
    """Return the chunks that overlap gold spans, with the queries of these."""
    met = pairs(spans, chunks, by_query=False)
    return chunks.where(met.other)._replace(query=spans.query[met.one])


def _shares(spans: Intervals, pool: Intervals, met: Pairs) -> dict[str, Floats]:
    gold = (spans.end - spans.start)[met.one]
    chunk = (pool.end - pool.start)[met.other]
    iou = iou_of(spans, pool, met)
    return {"gold": met.overlap / gold, "chunk": met.overlap / chunk, "iou": iou}


def _as_lists(
    rows: Intervals, names: list[str], answered: tuple[str, ...], queries: list[str]
) -> Lists:
    """Return the ids of each query's chunks, best first, with another id for each repetition."""
    lists: Lists = {query: [] for query in answered}
    seen: Counter[tuple[int, str]] = Counter()
    for query, name in zip(rows.query.tolist(), names, strict=True):
        seen[query, name] += 1
        times = seen[query, name]
        lists[queries[query]].append(name if times == 1 else f"{name}({times})")
    return lists
