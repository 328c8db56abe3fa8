"""Score one of several batches, and keep what its part of an evaluation needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import query_texts
from rankmark.data.contract.source import RETRIEVED, SELF_MATCHES
from rankmark.data.preparing.id_mismatch import query_mismatch, refuse_listed
from rankmark.errors import DuplicateError, InputError, MeasureError
from rankmark.profiles.conditions import conditions_met
from rankmark.scoring.intervals import of_ties
from rankmark.scoring.kept_data import KeptData
from rankmark.scoring.query_scores import clear_no_relevant, in_groups
from rankmark.scoring.scored_run import Budgets, MatchedRun, score_apart, score_own, scored
from rankmark.verbs.evaluate.audit import has_relevant
from rankmark.verbs.evaluate.batch_totals import BatchedSource, BatchTotals, Grades
from rankmark.verbs.evaluate.query_rows import QueryRows

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile
    from rankmark.scoring.kept_lists import KeptLists
    from rankmark.scoring.request import Asked


def scored_batch(
    pair: MatchedRun,
    ids: list[str],
    asked: Asked,
    profile: Profile | None,
    reading: Reading,
) -> tuple[QueryRows, BatchTotals]:
    """Score a batch, whose queries have these ids; with what ``reading`` knows of items."""
    measures, conventions = of_queries(asked.measures), asked.conventions
    usual = [one for one in measures if one.depends_on != "lists"]
    for measure in asked.measures:
        if measure.depends_on in {"lists", "run"} and reading.history is None:
            raise MeasureError(
                f"{measure} looks at all lists, or at what is known of their items, and batches "
                "have neither",
                "ask for it in evaluate, compare or gate",
            )
        if measure.depends_on == "anywhere":
            raise MeasureError(
                f"{measure} needs the judgments of all queries, and batches have those of a few",
                "evaluate all queries at once, or leave it out",
            )
    a, facts, source = pair.ranked.alignment, pair.ranked.facts, pair.qrels.source
    if not facts.has_units and pair.qrels.groups is None and pair.qrels.subtopics is None:
        refuse_listed(pair.qrels, pair.unseen, facts.judged, a.retrieved, facts.rows)
    scores, errors = scored(usual, pair.ranked)
    kept = KeptData(pair.qrels, pair.unseen, conventions, asked.needs, a, facts)
    met = np.zeros((len(scores), 0), dtype=np.bool_)
    if conventions.of_measures:
        kept = kept._replace(own=score_own(pair, kept, usual, scores, errors))
    budgets = Budgets(pair, kept.reading)
    if asked.anywhere:  # weighted measures, and budgets
        apart = score_apart(pair, kept, usual, scores, errors, budgets)
        kept = kept._replace(own={**kept.own, **apart})
    lists: tuple[KeptLists, ...] = ()
    if asked.items:
        from rankmark.scoring.kept_lists import KeptLists  # noqa: PLC0415
        from rankmark.scoring.list_scores import score_lists  # noqa: PLC0415

        of_lists = score_lists(pair, kept, asked.measures, reading, budgets)
        scores = of_lists.beside(scores, measures)
        errors |= of_lists.errors
        kept = kept._replace(own={**kept.own, **of_lists.own})
        lists = tuple(KeptLists.of(*every) for every in of_lists.whole())
    if profile is not None:
        columns = [queries for _, queries in conditions_met(profile, measures, a, facts)]
        met = np.column_stack([met, *columns]).astype(np.bool_)
    none = np.zeros(len(scores))
    have_ids = not (source.positions or pair.run.source.positions)
    counts = facts.counts.T.copy()
    counts[:, RETRIEVED] = a.retrieved
    if not have_ids:
        counts[:, SELF_MATCHES] = 0
    of_measures = [errors.get(measure, none) for measure in measures]
    in_parts, no_ties = in_groups(a), None
    if in_parts:
        no_ties = "tie intervals are unavailable for judgments in groups"
    elif any(own.on_ties for own in kept.own.values()):
        no_ties = "tie intervals are unavailable where ties decide what fits into a budget"
    rows = QueryRows(
        ids,
        np.zeros(len(ids), dtype=np.int64),
        scores,
        None if in_parts else _tie_ends(kept, scores, measures),
        np.column_stack(of_measures) if errors else None,
        counts,
        has_relevant(measures, a),
        met,
        lists,
    )
    unmatched = bool(facts.run_only) and not facts.answered.any()
    totals = BatchTotals(
        facts.run_only,
        tuple(facts.run_only_examples),
        facts.rows,
        facts.interleaved,
        facts.extra_columns,
        pair.qrels.extra_columns,
        Grades.of(a),
        BatchedSource.of(source),
        BatchedSource.of(pair.run.source),
        None if pair.seen is None else BatchedSource.of(pair.seen),
        query_mismatch(pair.qrels, pair.unseen) if unmatched else None,
        no_ties,
    )
    return rows, totals


def of_queries(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return the measures of which each query has a score."""
    return tuple(one for one in measures if one.depends_on != "run")


def _tie_ends(kept: KeptData, scores: Floats, measures: Sequence[Measure]) -> Floats | None:
    """Return the ends of each score over orders of ties, (2, Q, M); None if nothing is tied."""
    a, conventions = kept.alignment, kept.conventions
    whole = [a, *(own.alignment for own in kept.own.values())]
    cut = conventions.depth is not None  # the alignment lacks documents beyond it
    is_tied = cut or any(one.tie_first is not None for one in whole)
    if not measures or not is_tied or not kept.facts.answered.any():
        return None
    ends = of_ties(kept, measures, thorough=False)
    for end in ends:
        clear_no_relevant(measures, a, conventions, end)
    return np.stack([np.where(np.isnan(end), scores, end) for end in ends])


def given_ids(query_ids: Iterable[Any], qrels: Qrels) -> list[str]:
    """Check the ids of the rows of a batch."""
    if qrels.shape is None:
        raise InputError(
            "query_ids is for rows of arrays and lists, and these judgments have query ids",
            "leave it out",
        )
    if isinstance(query_ids, AbstractSet):
        raise InputError("query_ids is a set, which has no order", "give a list")
    ids = [*query_texts(query_ids, "query_ids")]
    if len(ids) != len(qrels.query_ids):
        ids_held = "1 id" if len(ids) == 1 else f"{len(ids):,} ids"
        queries = "1 query" if len(qrels.query_ids) == 1 else f"{len(qrels.query_ids):,} queries"
        raise InputError(
            f"query_ids holds {ids_held}, and the batch has {queries}",
            "give one for each",
        )
    seen: set[str] = set()
    for query in ids:
        if query in seen:
            raise DuplicateError(f"query_ids holds {query!r} twice", "give each query its own id")
        seen.add(query)
    return ids
