"""The main verb: a run scored against judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.conventions import (
    Conventions,
    Duplicates,
    NoRelevant,
    Precision,
    Queries,
    Ties,
    query_text,
)
from rankmark.errors import InputError, MeasureError, shown, warn
from rankmark.measures import DEFAULT, Measure
from rankmark.measures.base.requirements import ABOVE_ZERO, needs_of
from rankmark.measures.names import every, flat
from rankmark.results.evaluation import Evaluation
from rankmark.results.provenance import unsaid_rel
from rankmark.scoring.kept_data import Kept, keeping
from rankmark.scoring.no_relevant import set_nothing_relevant
from rankmark.scoring.over_groups import has_relevant, score
from rankmark.scoring.preconditions import refuse_ties, refuse_unjudged
from rankmark.sources import PairOptions, Qrels, Run, as_both, match
from rankmark.sources.prepared.remembered import RememberedSeen, remembered, remembered_run
from rankmark.verbs.unmet import warn_of_strangers

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment, Needs
    from rankmark.array_types import Bools, Floats
    from rankmark.measures.names import AnyMeasure
    from rankmark.scoring.ties import Case
    from rankmark.sources.contract.source import Progress
    from rankmark.sources.prepared.qrels import QrelsSource
    from rankmark.sources.prepared.run import RunSource
    from rankmark.sources.prepared.seen import Seen


_conventions = lru_cache(maxsize=256, typed=True)(
    Conventions
)  # checked once, used for many small calls
_WITHOUT_ORDER = ("mean", "best", "worst")


class _Asked(NamedTuple):
    """Measures, what they look at, and which of them each name was asked for."""

    measures: tuple[Measure, ...]
    needs: Needs
    names: Mapping[str, Measure]


def evaluate(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    *,
    queries: Queries | Sequence[str] | os.PathLike[str] | IO[Any] = "judged",
    ties: Ties = "docid",
    no_relevant: NoRelevant = "zero",
    depth: int | None = None,
    judged_only: bool = False,
    duplicates: Duplicates = "error",
    drop_self: bool = False,
    precision: Precision = "double",
    seen: Any = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    qrels_columns: Mapping[str, Any] | None = None,
    run_columns: Mapping[str, Any] | None = None,
    groups: Any = None,
    mask: Any = None,
    lengths: Any = None,
    contents: Literal["scores", "ids"] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    holds: Literal["scores", "ids"] | None = None,
) -> Evaluation:
    """Score a run against qrels.

    Documents are ranked by score, highest first; ranks in a file are not trusted unless
    ``ties="rank"``. Every convention is shown in the result's ``settings``, and who was averaged in
    its ``audit``.

    Parameters
    ----------
    qrels
        Judged documents: a path, an open file, ``{query id: {document id: label}}``, lists, a
        frame, rows, an array, a sparse matrix, or Qrels.
    run
        Retrieved documents: the same with scores, or ids best first; or Run.
    measures
        Names or objects; order is kept, the same measure twice counts once. ``nDCG @ [1, 3, 5]``
        and ``"nDCG@1,3,5"`` are several. None for nDCG@10, AP, RR@10, R@100, P@10 and Judged@10.
    queries
        Who is averaged: all judged queries, one without a ranking counting 0 (``"judged"``, as
        ``trec_eval -c``); those in both (``"both"``); or the ids in a list, or in a file, one a
        line, given as ``pathlib.Path`` or open.
    ties
        Order of equal scores: id descending in byte order (``"docid"``, as trec_eval), ascending
        (``"docid-asc"``), as given (``"input"``); ``"error"`` refuses them; ``"rank"`` trusts the
        rank column. Or no order: ``"mean"`` gives the expected value over all orders, ``"best"``
        and ``"worst"`` each measure's value in the order that is best or worst for it.
    no_relevant
        What a judged query without relevant documents counts: ``"zero"``, ``"one"`` (measures
        bounded by 1; where less is better, their least value), ``"nan"``, or nothing (``"skip"``).
    depth
        Ranks beyond it are not there, after sorting; None for whole rankings.
    judged_only
        Rank the judged documents alone (condensed lists).
    duplicates
        A document twice in one ranking: refused (``"error"``), or its first row counts
        (``"first"``), or the one with the best score (``"best"``).
    drop_self
        Rank as if documents whose id is their query's id had not been retrieved.
    precision
        Scores as given (``"double"``), or rounded first (``"float32"``), as trec_eval 9 holds them.
    seen
        What each query, or user, had before, in any form of judgments, a file among them: ranked
        as if it had not been retrieved. A number of 0, as in a matrix, is not seen.
    qrels_format, run_format
        The format of a file, where its content does not tell; see Qrels and Run.
    columns
        ``{role: name}`` for columns of either side whose names are not known ones.
    qrels_columns, run_columns
        The same for one side, where the two differ; they go before ``columns``.
    groups
        Of labels and scores in one dimension: (n_queries,) sizes, or (n,) query ids.
    mask
        Of arrays of two dimensions: their shape, bool, True where there is a document.
    lengths
        The same where rows are filled from the left: (n_queries,) whole numbers.
    contents
        What an array as run holds where its type does not say: ``"scores"``, or ``"ids"`` best
        first. Also called ``holds``.
    threads
        How many threads read a file; None for one a core. The result is the same to the bit.
    progress
        Called with the number of bytes done while a file is read.

    Returns
    -------
    Evaluation
        ``scores``: (n_queries, n_measures) float64, unitless, rows in judgment order.

    Raises
    ------
    ParseError
        If a line of a file cannot be read.
    DuplicateError
        If a document appears twice for one query.
    MismatchError
        If no query of the run is judged.
    MeasureError
        If a measure or one of its parameters does not exist.
    InputError
        If a file cannot be read, a convention is none of those listed, an id in ``queries`` is not
        judged, under ``ties="error"`` a judged document ties, or neither side has a use for an
        option.
    SchemaError
        If a source holds something else than ids and numbers, or could be one thing or another,
        or the two cannot belong together.

    Notes
    -----
    Ties: by score descending, then document id descending, as trec_eval does [1]_.

    References
    ----------
    .. [1] trec_eval 10.0, form_res_rels.c, comp_sim_docno.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}}
    >>> run = {"q1": {"a": 0.3, "b": 0.9, "c": 0.7}}
    >>> rm.evaluate(qrels, run, ["nDCG@2", "RR"])["RR"]
    0.5
    """
    chosen = chosen_queries(queries)
    named = (chosen, ties, no_relevant, depth, judged_only, duplicates, drop_self, precision)
    try:
        conventions = _conventions(*named)
    except TypeError:  # a value that cannot be hashed is none of those allowed: say so
        conventions = Conventions(*named)
    asked, needs, names = _asked(measures)
    said = PairOptions(
        qrels_format=qrels_format,
        run_format=run_format,
        columns=columns,
        qrels_columns=qrels_columns,
        run_columns=run_columns,
        groups=groups,
        mask=mask,
        lengths=lengths,
        contents=contents,
        holds=holds,
        subtopics=needs.subtopics,
    )
    given_qrels, given_run, had = qrels, run, None
    cases: list[Case] = []
    try:
        qrels, run = as_both(qrels, run, threads=threads, said=said)
        whole_run = run
        if seen is not None:
            run, had = _unseen(qrels, run, seen, threads)
        if ties in _WITHOUT_ORDER:
            from rankmark.scoring.ties import match_unordered  # noqa: PLC0415  (few ask for it)

            alignment, facts, cases = match_unordered(
                qrels, run, conventions, needs=needs, threads=threads, progress=progress
            )
        else:
            alignment, facts = match(
                qrels, run, conventions, needs=needs, threads=threads, progress=progress
            )
    except InputError:
        from rankmark.verbs.mistaken import refuse_several  # noqa: PLC0415

        refuse_several(given_run)
        raise
    warn_of_strangers(qrels, run, alignment, facts)
    rows = _averaged(conventions, qrels, facts.answered)
    if ties == "error":
        refuse_ties(run.name, qrels.query_ids, facts.tied, rows)
    scores = np.empty((len(alignment.retrieved), len(asked)))
    errors: dict[Measure, Floats] = {}
    for column, asked_for in enumerate(asked):
        if cases:
            scores[:, column] = _over_orders(asked_for, cases, conventions, errors)
        else:
            scores[:, column] = score(asked_for, alignment)
        if no_relevant != "zero":
            set_nothing_relevant(asked_for, alignment, conventions, scores[:, column])
    _warn_of_rel(asked, alignment)
    whole = alignment
    alignment, is_reduced = keeping(whole, asked)
    alignment.forget(ideals=qrels is not given_qrels)
    kept = Kept(
        qrels=remembered(qrels, given_qrels, said),
        run=remembered_run(whole_run, given_run, said, facts),
        conventions=conventions,
        needs=needs,
        alignment=alignment,
        facts=facts,
        only_for=asked if is_reduced else None,
        seen=None if had is None else RememberedSeen(had, seen),
    )
    evaluation = Evaluation(
        kept=kept, measures=asked, asked=names, scores=scores, rows=rows, errors=errors
    )
    if is_reduced:
        evaluation.unsaid_rel = unsaid_rel(asked, whole)
    return evaluation


def as_measures(
    asked: Iterable[AnyMeasure] | AnyMeasure | None,
) -> tuple[tuple[Measure, ...], Needs]:
    """Find each measure asked for, once, in the order asked, and what they look at."""
    return _asked(asked)[:2]


def _asked(asked: Iterable[AnyMeasure] | AnyMeasure | None) -> _Asked:
    if asked is None:
        asked = DEFAULT
    given = tuple(asked) if isinstance(asked, (list, tuple)) else tuple(flat(asked))
    # P and P(rel=1) are equal, and only one of them says what is relevant.
    chosen = [getattr(one, "chosen", None) for one in given if one.__class__ is not str]
    try:
        return _found(given, *chosen)
    except TypeError:  # a list stands among them
        found = every(given)
        return _found(tuple(found), *(one.chosen for one in found))


@lru_cache(maxsize=256)
def _found(asked: tuple[AnyMeasure, ...], *_chosen: object) -> _Asked:
    """Find measures, what they look at, and what the caller calls them.

    Any positive label is wanted: by the audit, and by the warning that none reaches rel.
    """
    found = tuple(every(asked))
    if not found:
        raise MeasureError("no measure is asked for; name one, such as nDCG@10")
    needs = needs_of(found)
    one_by_one = {name: every(name) for name in asked if isinstance(name, str)}
    names = {name: means[0] for name, means in one_by_one.items() if len(means) == 1}
    return _Asked(found, needs._replace(lowest=min(needs.lowest, ABOVE_ZERO)), names)


def chosen_queries(queries: Any) -> Any:
    """Freeze a list of query ids, or read them from a file; a word stays a word."""
    if isinstance(queries, str):
        return queries
    if isinstance(queries, os.PathLike) or hasattr(queries, "read"):
        from rankmark.sources.files.query_list import query_ids_in  # noqa: PLC0415  (few name a file)

        return query_ids_in(queries)
    if isinstance(queries, (bytes, Mapping)) or not isinstance(queries, Iterable):
        raise InputError(
            f"queries is {shown(queries)}; need judged, both, a list of ids, or the path of a file "
            "of ids as pathlib.Path"
        )
    return tuple(query_text(query, "queries") for query in queries)


def _averaged(conventions: Conventions, qrels: Qrels, answered: Bools) -> Any:
    """Choose the rows of the queries to average; None for all."""
    if conventions.queries == "judged":
        return None
    if conventions.queries == "both":
        return np.flatnonzero(answered)
    refuse_unjudged(conventions, qrels)
    number = {query: row for row, query in enumerate(qrels.query_ids)}
    rows = {number[query] for query in conventions.queries}
    return np.array(sorted(rows), dtype=np.int64)


def _over_orders(
    asked_for: Measure,
    cases: Sequence[Case],
    conventions: Conventions,
    errors: dict[Measure, Floats],
) -> Floats:
    """Score over all orders of ties; note the standard errors where orders had to be drawn."""
    from rankmark.scoring.ties import RULES, scored  # noqa: PLC0415

    rule = RULES[_WITHOUT_ORDER.index(conventions.ties)]
    values, error = scored(asked_for, cases, rule)
    if error is not None:
        errors[asked_for] = error
    return values


def _unseen(qrels: Qrels, run: Run, seen: Any, threads: int | None) -> tuple[Run, Seen]:
    """Leave out of a run what was seen, and warn where that is relevant."""
    from rankmark.sources.prepared.seen import Seen, without_seen  # noqa: PLC0415  (few give it)

    had = seen if isinstance(seen, Seen) else Seen(seen, threads=threads)
    run = without_seen(qrels, run, had)
    number = had.relevant_in(qrels) if qrels.subtopics is None and qrels.groups is None else 0
    if number:
        documents = "1 relevant document was" if number == 1 else f"{number:,} relevant were"
        warn(
            f"seen: {documents} seen before, and so cannot be retrieved; leave what is to be found "
            "out of seen"
        )
    return run, had


def _warn_of_rel(asked: tuple[Measure, ...], alignment: Alignment) -> None:
    """Warn where labels are positive, and yet none reaches the threshold that nobody chose."""
    highest = alignment.of_ideal("highest", lambda: float(alignment.ideal_label.max(initial=0.0)))
    if not 0 < highest < 1:
        return
    for asked_for in asked:
        if getattr(asked_for, "rel", None) != 1:
            continue
        if not has_relevant(asked_for, alignment).any():
            warn(
                f"{asked_for}: no label reaches rel=1, the highest is {highest:g}, so nothing is "
                f"relevant; choose rel, as in {asked_for.name}(rel={highest:g})"
            )
            return
