"""Match a run with judgments by id, into an Alignment."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._core import RankingOptions
from rankmark.conventions import limit
from rankmark.data.alignment import Alignment
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.source import (
    ANSWERED,
    DUPLICATES,
    JUDGED,
    JUDGED_TOP,
    NEGATIVE_UNITS,
    NOT_POSITIVE,
    RETRIEVED,
    RISES,
    SEEN,
    SELF_MATCHES,
    TIED,
    UNIT_DOCUMENTS,
    UNITS,
    WHOLE_UNITS,
)
from rankmark.data.contract.source import side as named
from rankmark.data.evidence.distances import refuse_rising
from rankmark.data.evidence.mistaken_labels import refuse_swapped
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.units import in_units
from rankmark.errors import InputError, MismatchError, SchemaError, listed
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Needs
    from rankmark.data.alignment.views import JudgmentGroups
    from rankmark.data.contract.source import AlignedRun
    from rankmark.data.preparing.run import Run


class _Row:
    """One of the counts of each query: (Q,) int64."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __get__(self, facts: Any, kind: Any = None) -> Ints:
        return facts.counts[self._number]


class _Facts(NamedTuple):
    counts: Ints
    has_seen: bool
    run_only: int
    run_only_examples: list[str]
    rows: int
    extra_columns: int
    interleaved: int
    has_units: bool


class RunFacts(_Facts):
    """Facts about a run for the audit, over all judged documents, whatever the measures.

    Parameters
    ----------
    counts
        (14, Q) int64, counts of each query, of which each is also an attribute, (Q,) int64.
    has_seen
        Whether documents seen before were left out.
    run_only, run_only_examples
        Number of unjudged queries of the run, and the first three.
    rows, extra_columns, interleaved
        Documents read; lines with more columns than the format has; queries whose rows are not
        consecutive.
    has_units
        Whether the run was to retrieve units, such as chunks, in place of documents.

    Attributes
    ----------
    judged, tied, judged_top
        Judged documents retrieved; those of them that share their score with another document; and
        those among the first 10.
    self_matches
        Retrieved documents whose id is the query's, dropped or not.
    duplicates
        Rows left out because their document appears in another row.
    units, whole_units, negative_units, unit_documents
        Units retrieved in place of documents, 0 without units; those whose id is that of a
        document; those with a score below 0, if scores are added up; and their documents.
    not_positive
        Retrieved documents with a label above 0 and a score of 0 or below. All are counted if the
        alignment has all judged documents. Rankings without scores have none.
    """

    __slots__ = ()

    @property
    def answered(self) -> Bools:
        """Whether the run contains each query: (Q,) bool."""
        return self.counts[ANSWERED] > 0

    @property
    def seen(self) -> Ints | None:
        """Documents left out because they were seen before, (Q,) int64; None without ``seen``."""
        return self.counts[SEEN] if self.has_seen else None

    judged: _Row = _Row(JUDGED)
    tied: _Row = _Row(TIED)
    judged_top: _Row = _Row(JUDGED_TOP)
    self_matches: _Row = _Row(SELF_MATCHES)
    duplicates: _Row = _Row(DUPLICATES)
    units: _Row = _Row(UNITS)
    whole_units: _Row = _Row(WHOLE_UNITS)
    negative_units: _Row = _Row(NEGATIVE_UNITS)
    unit_documents: _Row = _Row(UNIT_DOCUMENTS)
    not_positive: _Row = _Row(NOT_POSITIVE)

    def cut(self, *, judged: Ints, tied: Ints, judged_top: Ints) -> RunFacts:
        """Return the facts about a run that was cut: (Q,) int64 each, as before."""
        counts = self.counts.copy()
        counts[JUDGED], counts[TIED], counts[JUDGED_TOP] = judged, tied, judged_top
        return self._replace(counts=counts)


def match(
    qrels: Qrels,
    run: Run,
    conventions: Conventions,
    *,
    needs: Needs,
    reading: Reading = AS_USUAL,
    may_differ: bool = False,
    doubted: bool = True,
) -> tuple[Alignment, RunFacts]:
    """Align a run with judgments.

    Parameters
    ----------
    qrels, run
        Prepared sources.
    conventions
        All but ``queries`` and ``no_relevant`` are applied here.
    needs
        What the measures depend on; the rest is left out of the alignment.
    reading
        How the run is read.
    may_differ
        Whether the run may have queries of which none is judged.
    doubted
        Whether scores that rise in every list are refused, as distances do; the interfaces of
        other tools take them as these tools do.
    """
    _refuse_one_unnamed(qrels, run)
    if conventions.drop_self:
        refuse_numbers_as_ids(qrels, run)
    refuse_no_subtopics(qrels, needs)
    numbered = qrels.subtopics is not None or qrels.groups is not None
    if numbered:  # the core has document numbers in place of labels
        needs = needs._replace(lowest=-math.inf, ideal=None)
    bounds = needs.lowest, limit(needs.deepest), reading.bytes_held
    of_documents = RankingOptions(*conventions.for_core, *bounds)
    ranking = in_units(of_documents, conventions, run.source)
    by_rank = conventions.ties == "rank"
    aligned = None
    if not qrels.rows:
        from rankmark.data.preparing.no_judgments import aligned_alone  # noqa: PLC0415  (rare)

        aligned = aligned_alone(qrels, run.source, ranking, reading, by_rank=by_rank)
    if aligned is None:
        aligned = run.source.align_run(qrels, ranking, reading, by_rank=by_rank)
    columns = aligned.columns
    if doubted:
        refuse_rising(run.source, columns.counts[RISES], aligned.order, qrels)
        refuse_swapped_sides(qrels, run)
    ideal_starts, ideal_label, known = qrels.ideal(needs)
    if aligned.run_only and not may_differ and not columns.counts[ANSWERED].any():
        raise _mismatch(qrels, run, aligned)
    if aligned.run_only and qrels.source.positions != run.source.positions:
        _refuse_shifted(qrels, run, aligned)
    alignment = Alignment(
        qrels.query_ids,
        columns.starts,
        columns.rank,
        columns.label,
        columns.counts[RETRIEVED],
        ideal_starts,
        ideal_label,
        columns.tie_first,
        columns.tie_last,
        _ideal=known,
    )
    if numbered:
        groups = qrels.groups and replace(qrels.groups, condensed=conventions.judged_only)
        alignment = with_labels(
            alignment, qrels, qrels.ideal_documents, groups, subtopics=needs.subtopics
        )
    # By position, as keywords cost time in small calls.
    facts = RunFacts(
        columns.counts,
        hasattr(run.source, "seen"),
        aligned.run_only,
        aligned.run_only_examples,
        aligned.rows,
        aligned.extra_columns,
        aligned.interleaved,
        ranking is not of_documents,
    )
    return alignment, facts


def refuse_swapped_sides(qrels: Qrels, run: Run) -> None:
    """Refuse judgments and a run that are swapped; see ``refuse_swapped``."""
    if qrels.like_scores:
        source = run.source.with_groups_of(qrels)
        refuse_swapped(qrels.labels, source, named(qrels.name, "qrels"))


def with_labels(
    a: Alignment, qrels: Qrels, ideal: Ints, groups: JudgmentGroups | None, *, subtopics: bool
) -> Alignment:
    """Replace document numbers by the documents' highest labels; the numbers go into views.

    Parameters
    ----------
    ideal
        (J,) int64, the numbers of the documents of the ideal rows.
    groups
        Those of these queries; None for judgments by subtopic.
    subtopics
        Whether measures need the subtopics.
    """
    from rankmark.data.alignment.views import View  # noqa: PLC0415  (rarely needed)

    document = a.label.astype(np.int64)
    views: dict[str, View[Any]] = {}
    judged: Any = qrels.subtopics if groups is None else groups
    if groups is not None:
        views["preferences"] = View(groups, document, ideal)
    elif subtopics:
        views["subtopics"] = View(judged, document, ideal)
    return a.with_columns(label=judged.highest[document], views=views)


def refuse_no_subtopics(qrels: Qrels, needs: Needs) -> None:
    """Raise InputError if measures need subtopics, and the judgments have none."""
    if needs.subtopics and qrels.subtopics is None:
        raise InputError(
            "measures of diversity need subtopics, and these qrels were prepared without",
            "prepare them with rm.Qrels(..., subtopics=True)",
            where=qrels.name,
        )


def _refuse_shifted(qrels: Qrels, run: Run, aligned: AlignedRun) -> None:
    """Refuse rows counted from 0 if the ids of the other side are not row numbers."""
    judged, answered = qrels.query_ids, aligned.columns.counts[ANSWERED] > 0
    if run.source.positions:
        rows = int(np.count_nonzero(answered)) + aligned.run_only
        first_fails = "0" in aligned.run_only_examples
        unmatched = [judged[place] for place in np.flatnonzero(~answered).tolist()]
    else:
        rows, first_fails = len(judged), not answered[0]
        unmatched = aligned.run_only_examples
    beyond = [query for query in unmatched if query.isdecimal() and int(query) >= rows]
    if first_fails and beyond:
        counted, other = "qrels", "run has"
        if run.source.positions:
            counted, other = "run", "qrels have"
        raise SchemaError(
            f"queries of the {counted} are rows, numbered from 0, and the {other} ids, "
            f"such as {beyond[0]!r}, and no '0'",
            "give both sides the same ids, as with dict(zip(ids, rows))",
        )


def _mismatch(qrels: Qrels, run: Run, aligned: AlignedRun) -> MismatchError:
    from rankmark.data.preparing.id_mismatch import query_mismatch  # noqa: PLC0415  (rarely needed)

    return MismatchError(
        f"none of its {aligned.run_only:,} queries is judged: it has "
        f"{listed(aligned.run_only_examples, aligned.run_only)}, {qrels.name} has "
        f"{listed(qrels.query_ids[:3], len(qrels.query_ids))}",
        query_mismatch(qrels, run),
        where=run.name,
    )


def _refuse_one_unnamed(qrels: Qrels, run: Run) -> None:
    """Refuse to match a query without an id with queries that have ids."""
    if qrels.source.nameless == run.source.nameless:
        return
    if qrels.source.nameless and not run.source.positions:
        nameless, other, number = "qrels hold", "the run's", "label"
    elif run.source.nameless and qrels.shape is None:
        nameless, other, number = "the run holds", "the qrels'", "score"
    else:
        return
    raise SchemaError(
        f"{nameless} one query without an id, and {other} queries have ids",
        "need "
        f"{{query id: {{document id: {number}}}}} or {{query id: [document ids]}}, with one id in "
        "the list where one document was left out",
    )


def refuse_numbers_as_ids(*sides: Qrels | Run) -> None:
    """Refuse ``drop_self`` for arrays, where ids are only row and column numbers."""
    for side in sides:
        if side.source.positions:
            raise InputError(
                "drop_self compares ids of queries and documents, and rows of arrays and lists "
                "have none",
                "leave documents out with mask=, or give ids",
                where=side.name,
            )
