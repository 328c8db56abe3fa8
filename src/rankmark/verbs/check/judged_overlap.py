"""Findings about judgments and a run together.

Missing queries and unjudged documents, ids written in two ways, and units beside their documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.array_types import are_among, distinct
from rankmark.data.evidence.near_ids import likely_reason
from rankmark.data.ids.identity import CLEAR, are_own
from rankmark.data.preparing.id_mismatch import near_documents_of, near_queries_of
from rankmark.errors import counted, listed
from rankmark.verbs.check.finding import Finding, Place, per_cent, verb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Ints, Ranks
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.verbs.check.row_table import Table

_TOP = 10
_WELL_JUDGED = 0.9  # share of the top 10
_DEEPLY_JUDGED = 10  # judgments of the median query; fewer cannot fill a top 10
_MANY_SELF_MATCHES = 0.01  # share of queries
_REMEDY = {
    True: "write ids the same way in both files, or use the judgments of this collection",
    False: "make sure that rows and columns mean the same on both sides",
}
_MOST_COMPARED = 100_000  # documents of either side whose ids are compared


class Overlap:
    """The overlap of judgments with the n rows of a run.

    Attributes
    ----------
    judged_query
        (Q,) int32, the number that each query of the run has in the judgments; -1 if not judged.
    judged
        (n,) bool, whether each row's document is judged for its query.
    self_matches
        (n,) bool, whether the id of each row's document is that of its query.
    """

    def __init__(self, qrels: Table, run: Table) -> None:
        self.qrels: Table = qrels
        self.run: Table = run
        number = {query: code for code, query in enumerate(qrels.rows.query_ids)}
        self.judged_query: Ranks = np.array(
            [number.get(query, -1) for query in run.rows.query_ids], dtype=np.int32
        )
        judged_doc = _as_judged(qrels, run)[run.rows.doc_codes]
        self.judged: Bools = _among(qrels.pairs(), self.judged_query[run.codes], judged_doc)
        self.self_matches: Bools = self_matches(run)

    @property
    def answered(self) -> int:
        """Number of judged queries that the run answers."""
        return int(np.count_nonzero(self.judged_query[self.run.depths > 0] >= 0))

    @property
    def run_only(self) -> Ints:
        """Numbers of the run's queries that are not judged."""
        return np.flatnonzero((self.judged_query < 0) & (self.run.depths > 0))

    @property
    def missing(self) -> Ints:
        """Numbers, in the judgments, of the judged queries that are missing from the run."""
        answered = np.zeros(len(self.qrels.rows.query_ids), dtype=np.bool_)
        answered[self.judged_query[(self.judged_query >= 0) & (self.run.depths > 0)]] = True
        return np.flatnonzero(~answered & (self.qrels.depths > 0))

    def judged_at(self, k: int) -> tuple[Ints, Ints]:
        """Count the documents in the first k ranks of each judged query, judged ones and all."""
        run, ranks = self.run, self.run.by_order
        of_judged_query = (self.judged_query >= 0)[run.codes]
        top = ranks.last <= k
        # Of ties across rank k, the highest ids come first, as in evaluate.
        for rows in _groups(run, np.flatnonzero(of_judged_query & (ranks.first <= k) & ~top)):
            inside = k - int(ranks.first[rows[0]]) + 1
            top[sorted(rows, key=lambda row: _bytes(run, row), reverse=True)[:inside]] = True
        top &= of_judged_query
        number = len(self.judged_query)
        judged = np.bincount(run.codes[top & self.judged], minlength=number)
        every = np.bincount(run.codes[top], minlength=number)
        return judged.astype(np.int64), every.astype(np.int64)


def self_matches(table: Table) -> Bools:
    """Return which documents have the id of their query: (n,) bool."""
    own = table.rows.doc_numbers(list(table.rows.query_ids)).astype(np.uint32)  # no code equals -1
    return own[table.codes] == table.rows.doc_codes


def _as_judged(qrels: Table, run: Table) -> Ranks:
    """Return the number that each document of the run has in the judgments; -1 if not judged.

    Only judged ids are looked up, as there may be many more others.
    """
    judged = int(qrels.rows.doc_codes.max()) + 1
    found = run.rows.doc_numbers([qrels.rows.doc_ids(code) for code in range(judged)])
    known = np.flatnonzero(found >= 0)
    numbers = np.full(int(run.rows.doc_codes.max()) + 1, -1, dtype=np.int32)
    numbers[found[known]] = known
    return numbers


def _among(pairs: NDArray[np.uint64], queries: Ranks, documents: Ranks) -> Bools:
    """Return which queries with their documents (-1 for unknown ones) are among some pairs."""
    among = (queries >= 0) & (documents >= 0)
    rows = np.flatnonzero(among)
    sought = queries[rows].astype(np.uint64) << np.uint64(32) | documents[rows].astype(np.uint64)
    among[rows] = are_among(sought, distinct(pairs))
    return among


def _groups(run: Table, rows: Ints) -> Iterator[list[int]]:
    """Split rows by query."""
    rows = rows[np.argsort(run.codes[rows], kind="stable")]
    ends = np.flatnonzero(np.diff(run.codes[rows].astype(np.int64))) + 1
    for group in np.split(rows, ends):
        if len(group):
            yield group.tolist()


def _bytes(run: Table, row: int) -> bytes:
    return run.rows.doc_ids(int(run.rows.doc_codes[row])).encode("utf-8", "surrogateescape")


def overlap_facts(overlap: Overlap) -> dict[str, Any]:
    """Count queries and documents that are in both, or in only one."""
    judged, top = overlap.judged_at(_TOP)
    queries = int(np.count_nonzero(overlap.qrels.depths))
    shares = judged[top > 0] / top[top > 0]
    return {
        "judged_queries": queries,
        "answered": overlap.answered,
        "missing": len(overlap.missing),
        "run_only": len(overlap.run_only),
        "judged_rows": int(np.count_nonzero(overlap.judged)),
        "judged_at_10": {
            "mean": float(shares.sum() / queries) if queries else 0.0,
            "judged": int(judged.sum()),
            "documents": int(top.sum()),
        },
    }


def overlap_findings(overlap: Overlap, facts: dict[str, Any], *, by_id: bool) -> Iterator[Finding]:
    """Find missing queries, and ids that do not match.

    Parameters
    ----------
    facts
        From ``overlap_facts``.
    by_id
        Whether there are ids, not only positions in arrays.
    """
    run = overlap.run
    yield from _queries_apart(overlap, facts, by_id=by_id)
    if facts["answered"] and not facts["judged_rows"]:
        yield _documents_apart(overlap, by_id=by_id)
    if facts["missing"] and facts["answered"]:
        missing = [overlap.qrels.rows.query_ids[code] for code in overlap.missing[:3]]
        yield Finding(
            code="missing",
            severity="warning",
            count=facts["missing"],
            what=f"{counted(facts['missing'], 'judged query', 'judged queries')} of "
            f"{facts['judged_queries']:,} "
            f"{verb(facts['missing'], 'is', 'are')} not in the run",
            effect=f"{verb(facts['missing'], 'it counts', 'each counts')} 0 in the mean, as with "
            "trec_eval -c; tools that average over the queries of the run give a higher number",
            remedy="add rankings for them to the run, or choose --queries both",
            places=tuple(Place(query_id=query) for query in missing),
        )
    if facts["run_only"] and facts["answered"]:
        yield Finding(
            code="run-only",
            severity="note",
            count=facts["run_only"],
            what=f"{counted(facts['run_only'], 'query', 'queries')} of the run "
            f"{verb(facts['run_only'], 'is', 'are')} not judged",
            effect="none: queries without judgments are ignored",
            remedy="nothing, if the run was made for more queries than were judged",
            places=run.begins_of(overlap.run_only),
        )
    top = facts["judged_at_10"]
    deeply = np.median(overlap.qrels.depths[overlap.qrels.depths > 0]) >= _DEEPLY_JUDGED
    unjudged = top["documents"] - top["judged"]
    if facts["judged_rows"] and top["judged"] < _WELL_JUDGED * top["documents"] and deeply:
        yield Finding(
            code="unjudged-top",
            severity="note",
            count=unjudged,
            what=f"{unjudged:,} of the {top['documents']:,} documents in the first 10 ranks of all "
            f"queries {verb(unjudged, 'is', 'are')} not judged",
            effect="unjudged documents count as not relevant, though some may be relevant",
            remedy="report Judged@10 with the result; compare with --judged-only and --bounds",
        )
    if by_id:
        yield from self_match_findings(run, overlap.self_matches)


def self_match_findings(run: Table, self_matches: Bools) -> Iterator[Finding]:
    """Find documents that have the id of their query."""
    found = int(np.count_nonzero(self_matches))
    if not found:
        return
    documents = int(run.rows.doc_codes.max()) + 1
    if not are_own(run.rows.query_ids, found, run.depths, documents):
        return
    queries = len(distinct(run.codes[self_matches]))
    answered = int(np.count_nonzero(run.depths))
    yield Finding(
        code="self",
        severity="warning" if queries > _MANY_SELF_MATCHES * answered else "note",
        count=found,
        what=f"{counted(found, 'document')} {verb(found, 'has', 'have')} the id of the query, "
        f"in {counted(queries, 'query', 'queries')} of {answered:,} "
        f"({per_cent(queries / answered)})",
        effect="if queries are documents of the collection, the query finds itself, mostly at "
        "rank 1",
        remedy="if queries find themselves, leave them out with --drop-self, or drop_self=True",
        places=run.places(self_matches),
    )


def _queries_apart(overlap: Overlap, facts: dict[str, Any], *, by_id: bool) -> Iterator[Finding]:
    qrels, run = overlap.qrels.rows, overlap.run.rows
    answered = facts["answered"]
    of_qrels, of_run = facts["judged_queries"], answered + facts["run_only"]
    if not of_run or answered >= CLEAR * min(of_qrels, of_run):
        return
    unjudged = [run.query_ids[code] for code in overlap.run_only[:3]]
    reason = by_id and likely_reason(
        qrels.query_ids,
        run.query_ids,
        qrels_others=_documents(overlap.qrels, np.arange(len(overlap.qrels))),
        run_others=_documents(overlap.run, np.arange(len(overlap.run))),
    )
    yield Finding(
        code="queries-apart",
        severity="warning" if answered else "error",
        count=facts["run_only"],
        what=f"{'only ' + format(answered, ',') if answered else 'none'} of the run's "
        f"{counted(of_run, 'query', 'queries')} {'is' if answered <= 1 else 'are'} judged: it has "
        f"{listed(unjudged, facts['run_only'])}, the judgments have "
        f"{listed(qrels.query_ids[:3], of_qrels)}" + _because(reason),
        effect="nearly all queries count 0" if answered else "evaluate refuses it",
        remedy=_REMEDY[by_id],
        places=overlap.run.begins_of(overlap.run_only),
    )


def _documents_apart(overlap: Overlap, *, by_id: bool) -> Finding:
    run, qrels = overlap.run, overlap.qrels
    shared = np.flatnonzero((overlap.judged_query >= 0)[run.codes])
    answered = np.zeros(len(qrels.rows.query_ids), dtype=np.bool_)
    answered[overlap.judged_query[overlap.judged_query >= 0]] = True
    of_run = _documents(run, shared)
    of_qrels = _documents(qrels, np.flatnonzero(answered[qrels.codes]))
    reason = by_id and likely_reason(of_qrels, of_run, what="document")
    return Finding(
        code="documents-apart",
        severity="warning",
        count=len(shared),
        what="no document of the run is judged for its query: it has "
        f"{listed(of_run[:3], len(shared))}, the judgments have {listed(of_qrels[:3], len(qrels))}"
        + _because(reason),
        effect="every measure of relevance is 0",
        remedy=_REMEDY[by_id],
        places=run.places(shared),
    )


def _documents(table: Table, rows: Ints) -> list[str]:
    """Return the distinct document ids of the first of some rows."""
    codes = dict.fromkeys(table.rows.doc_codes[rows[:_MOST_COMPARED]].tolist())
    return [table.rows.doc_ids(code) for code in codes]


def _because(reason: str | Literal[False] | None) -> str:
    return f"; the reason may be that {reason}" if reason else ""


_WRITE_ALIKE = "write ids the same way in both files"


def near_findings(
    qrels: Qrels, overlap: Overlap
) -> Iterator[tuple[Finding, Mapping[str, Mapping[str, float]] | None]]:
    """Find judged documents and queries that are in the run with their ids written otherwise.

    With judgments whose ids are written as in the run; None if that is unclear.
    """
    judged, run = overlap.qrels.rows, overlap.run.rows
    missing = [judged.query_ids[code] for code in overlap.missing.tolist()]
    only = [run.query_ids[code] for code in overlap.run_only.tolist()]
    found = near_queries_of(qrels, missing, only)
    if found is not None:
        near = found.near
        finding = Finding(
            code="near-queries",
            severity="warning",
            count=near.found,
            what=f"{near.found:,} of {counted(near.among, 'judged query', 'judged queries')} that "
            f"the run lacks {near}",
            effect=f"{verb(near.found, 'it counts', 'each counts')} 0 in the mean",
            remedy=_WRITE_ALIKE,
            places=(Place(query_id=near.ours),),
        )
        yield finding, found.labels
    found = near_documents_of(qrels, run) if np.any(overlap.judged) else None
    if found is not None and not found.near.of_parts:
        near = found.near
        finding = Finding(
            code="near-documents",
            severity="warning",
            count=near.found,
            what=f"{near.found:,} of {counted(near.among, 'more judged document')} {near}",
            effect=f"{verb(near.found, 'it counts', 'they count')} as not retrieved",
            remedy=_WRITE_ALIKE,
            places=(Place(doc_id=near.ours),),
        )
        yield finding, found.labels


SEPARATORS = ("#", "::", ":", "__", "_", "-", "/", "@", "|", ".")
_MOST_ROWS = 100_000  # of either side
_LEAST_GAIN = 0.1  # of the documents that are found anyway; fewer may be chance


class _Mapped(NamedTuple):
    """What is found if the ids of one side are cut: documents of queries, and an example."""

    found: int
    separator: str
    unit: str


def unit_findings(overlap: Overlap) -> Iterator[Finding]:
    """Find ids of units, such as ``D1#3``, whose documents are on the other side as ``D1``."""
    number_in_run = np.full(len(overlap.qrels.rows.query_ids), -1, dtype=np.int32)
    answered = np.flatnonzero(overlap.judged_query >= 0)
    number_in_run[overlap.judged_query[answered]] = answered
    of_run = _best(overlap.run, overlap.qrels, overlap.judged_query)
    of_qrels = _best(overlap.qrels, overlap.run, number_in_run)
    for mapped, option, holder, other in (
        (of_run, "unit", "the run has", "are judged"),
        (of_qrels, "qrels_unit", "the judgments have", "are retrieved"),
    ):
        if mapped is None:
            continue
        flag = "--" + option.replace("_", "-")
        document = mapped.unit.rpartition(mapped.separator)[0]
        yield Finding(
            code="unmapped-units",
            severity="warning",
            count=mapped.found,
            what=f"{holder} units of documents that {other}, such as {mapped.unit!r} beside "
            f"{document!r}: {counted(mapped.found, 'more document')} "
            f"{verb(mapped.found, 'matches', 'match')} if ids are cut at {mapped.separator!r}",
            effect="a unit counts as another document than its own, so it is not relevant",
            remedy=f"map units to their documents with {flag} '{mapped.separator}', or "
            f'{option}="{mapped.separator}"',
        )


def _best(parts: Table, whole: Table, queries: Ranks) -> _Mapped | None:
    """Return the separator by which most is found; None if none finds clearly more than uncut ids.

    Parameters
    ----------
    parts
        The rows whose ids may be those of units.
    whole
        The rows of the other side.
    queries
        (Q,) int32, the number that each query of ``parts`` has on the other side; -1 for none.
    """
    rows = np.flatnonzero((queries >= 0)[parts.codes[:_MOST_ROWS]])
    codes, place = np.unique(parts.rows.doc_codes[rows], return_inverse=True)
    ids = [parts.rows.doc_ids(code) for code in codes.tolist()]
    asked = queries[parts.codes[rows]].astype(np.int64)
    there = distinct(whole.pairs())

    def pairs_of(names: list[str]) -> tuple[Ints, int]:
        numbers = whole.rows.doc_numbers(names).astype(np.int64)[place]
        pairs = (asked << 32 | numbers).astype(np.uint64)
        found = np.flatnonzero((numbers >= 0) & are_among(pairs, there))
        return place[found], len(distinct(pairs[found]))

    uncut = pairs_of(ids)[1]
    likely: _Mapped | None = None
    for separator in SEPARATORS:
        cut = [name.rpartition(separator)[0] or name for name in ids]
        if cut == ids:
            continue
        positions, number = pairs_of(cut)
        gained = number - uncut
        if gained > _LEAST_GAIN * uncut and (likely is None or gained > likely.found):
            unit = min(ids[i] for i in positions.tolist() if cut[i] != ids[i])
            likely = _Mapped(gained, separator, unit)
    return likely
