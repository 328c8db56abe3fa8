"""Match a run with judgments by id, into an Alignment."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

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

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Needs
    from rankmark.data.contract.source import AlignedRun
    from rankmark.data.preparing.run import Run


class RunFacts(NamedTuple):
    """Facts about a run for the audit, over all judged documents, whatever the measures.

    Parameters
    ----------
    counts
        (14, Q) int64, counts of each query; see the properties.
    has_seen
        Whether documents seen before were left out.
    run_only, run_only_examples
        Number of unjudged queries of the run, and the first three.
    rows, extra_columns, interleaved
        Documents read; lines with more columns than the format has; queries whose rows are not
        consecutive.
    has_units
        Whether the run was to retrieve units, such as chunks, in place of documents.
    """

    counts: Ints
    has_seen: bool
    run_only: int
    run_only_examples: list[str]
    rows: int
    extra_columns: int
    interleaved: int
    has_units: bool

    @property
    def answered(self) -> Bools:
        """Whether the run contains each query: (Q,) bool."""
        answered: Bools = self.counts[ANSWERED] > 0
        return answered

    @property
    def judged(self) -> Ints:
        """Judged documents retrieved: (Q,) int64."""
        return self._row(JUDGED)

    @property
    def tied(self) -> Ints:
        """Those of them that share their score with another document: (Q,) int64."""
        return self._row(TIED)

    @property
    def judged_top(self) -> Ints:
        """Judged documents among the first 10: (Q,) int64."""
        return self._row(JUDGED_TOP)

    @property
    def self_matches(self) -> Ints:
        """Retrieved documents whose id is the query's, dropped or not: (Q,) int64."""
        return self._row(SELF_MATCHES)

    @property
    def duplicates(self) -> Ints:
        """Rows left out because their document appears in another row: (Q,) int64."""
        return self._row(DUPLICATES)

    @property
    def seen(self) -> Ints | None:
        """Documents left out because they were seen before, (Q,) int64; None without ``seen``."""
        return self._row(SEEN) if self.has_seen else None

    @property
    def units(self) -> Ints:
        """Units retrieved, such as chunks, in place of documents: (Q,) int64; 0 without units."""
        return self._row(UNITS)

    @property
    def whole_units(self) -> Ints:
        """Those of them whose id is that of a document: (Q,) int64."""
        return self._row(WHOLE_UNITS)

    @property
    def negative_units(self) -> Ints:
        """Those with a score below 0, if scores are added up: (Q,) int64."""
        return self._row(NEGATIVE_UNITS)

    @property
    def unit_documents(self) -> Ints:
        """Documents of these units: (Q,) int64."""
        return self._row(UNIT_DOCUMENTS)

    @property
    def not_positive(self) -> Ints:
        """Retrieved documents with a label above 0 and a score of 0 or below: (Q,) int64.

        All are counted if the alignment has all judged documents. Rankings without scores have
        none.
        """
        return self._row(NOT_POSITIVE)

    def _row(self, number: int) -> Ints:
        row: Ints = self.counts[number]
        return row

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

    Raises
    ------
    ParseError, DuplicateError, SchemaError
        If the run cannot be read.
    SchemaError
        Also if one side is a single query without an id, and the other has ids, or if scores seem
        to be distances, or labels and scores swapped; see ``refuse_rising`` and
        ``refuse_swapped``.
    InputError
        If ``drop_self`` is set, and queries have no ids.
    MismatchError
        If the run has queries, and none of them is judged, unless ``may_differ``.
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
    aligned = run.source.align_run(
        qrels,
        ranking,
        reading,
        by_rank=conventions.ties == "rank",
    )
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
        alignment = _with_labels(alignment, qrels, needs, condensed=conventions.judged_only)
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


def _with_labels(a: Alignment, qrels: Qrels, needs: Needs, *, condensed: bool) -> Alignment:
    """Replace document numbers by the documents' highest labels; the numbers go into views."""
    from rankmark.data.alignment.views import View  # noqa: PLC0415  (rarely needed)

    document = a.label.astype(np.int64)
    views: dict[str, View[Any]] = {}
    if qrels.subtopics is not None:
        highest = qrels.subtopics.highest
        if needs.subtopics:
            views["subtopics"] = View(qrels.subtopics, document, qrels.ideal_documents)
    else:
        assert qrels.groups is not None  # noqa: S101
        highest = qrels.groups.highest
        groups = replace(qrels.groups, condensed=condensed)
        views["preferences"] = View(groups, document, qrels.ideal_documents)
    return replace(a, label=highest[document], views=views)


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
