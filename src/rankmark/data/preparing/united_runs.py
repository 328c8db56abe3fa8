"""Bring the lists of several runs of any form together, query by query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

from rankmark._core import (
    ListOptions,
    Rankings,
    Table,
    United,
    joined,
    nested,
    rankings_from_rows,
)
from rankmark.array_types import Bools, Floats, Ints
from rankmark.conventions import Conventions, ListTies, limit, order_of_equals
from rankmark.data.alignment.united_lists import RunLists, UnitedLists
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.source import Order, Source
from rankmark.data.evidence.listed_ids import (
    may_be_joined,
    refuse_joined,
    refuse_joined_in_both,
    refuse_lists,
)
from rankmark.data.evidence.near_ids import near_ids
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.open_text import QueryExtents
from rankmark.data.ids.numeric import id_bytes
from rankmark.data.preparing.paired_inputs import (
    RankedRun,
    ranked,
    refuse_wrong_order,
    refused_duplicates,
)
from rankmark.data.preparing.parents import own_rows
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.units import DOCUMENTS, UnitCounts, lists_in_units
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import TableSource
from rankmark.errors import InputError, MismatchError, listed

_LOOKED_AT = 100  # documents
SAMPLED_QUERIES = 10
"""Queries whose ids are compared."""
_MOST = 100  # ids of each list that are compared
_SPLIT = "prepare them with rm.Run(..., split={0!r})"
_BYTES = 30  # of a line, about
_NONE = np.empty(0, dtype=np.uint32)

Answered = Literal["any", "all"]


class ListCounts(NamedTuple):
    """Documents of each run in the lists of some queries: (m,) int64 each.

    Parameters
    ----------
    given
        In the run.
    kept
        Not cut by ``depth``.
    tied
        Of those kept, that share their score with another.
    units, whole_units, negative_units
        Units in place of documents, those of them whose ids are documents', and those with
        negative scores that were added up; 0 without units.
    """

    given: Ints
    kept: Ints
    tied: Ints
    units: Ints
    whole_units: Ints
    negative_units: Ints

    @property
    def of_units(self) -> list[UnitCounts]:
        """The units of each run."""
        counts = self.units, self.given, self.whole_units, self.negative_units
        return [UnitCounts(*row) for row in np.transpose(counts).tolist()]


FusedRows = Table
"""Rows of query_id, doc_id and score."""


class UnitedDocuments:
    """The documents of some queries, each once, as the core has them.

    Parameters
    ----------
    core
        The core's union.
    """

    def __init__(self, core: United) -> None:
        self._core = core

    @property
    def starts(self) -> Ints:
        """Where the documents of each query begin: (Q + 1,) int64."""
        return self._core.starts()

    def order(self, scores: Floats, ties: ListTies, threads: int = 1) -> Ints:
        """Order the documents by query and score, equal scores by a rule: (U,) their numbers."""
        rule = order_of_equals(ties)
        return self._core.order(np.ascontiguousarray(scores, dtype=np.float64), rule, threads)

    def ids(self, documents: Ints | None = None) -> tuple[str, ...]:
        """Return the ids of documents, by their numbers; None for all."""
        numbers = np.arange(self.starts[-1]) if documents is None else documents
        return self._core.ids(np.ascontiguousarray(numbers, dtype=np.int64))

    def table(self, documents: Ints, scores: Floats, threads: int = 1) -> FusedRows:
        """Return rows of query_id, doc_id and score, for documents in order of their queries."""
        return self._core.table(*_contiguous(documents, scores), threads)

    def lines(self, documents: Ints, scores: Floats, tag: str, threads: int = 1) -> bytes | None:
        """Return the same rows as TREC text; None if it cannot contain an id or the tag."""
        lines = self._core.lines(*_contiguous(documents, scores), id_bytes(tag), threads)
        return lines if isinstance(lines, bytes) else None


class UnitedPart(NamedTuple):
    """The lists of some of the queries.

    Parameters
    ----------
    queries
        Their ids.
    lists
        The lists, and the union of their documents.
    documents
        The documents of this union.
    counts
        What the lists of each run were made of.
    """

    queries: tuple[str, ...]
    lists: UnitedLists
    documents: UnitedDocuments
    counts: ListCounts

    def unshared(self, one: int, other: int) -> Iterator[tuple[list[str], list[str]]]:
        """Yield the documents of the first queries that only one of two runs has."""
        at, query = self.lists.at, self.lists.query
        few = int(np.searchsorted(query, SAMPLED_QUERIES))
        in_one, in_other = at[one, :few] >= 0, at[other, :few] >= 0
        for number in range(min(SAMPLED_QUERIES, len(self.queries))):
            own = query[:few] == number
            sides = (own & in_one & ~in_other, own & in_other & ~in_one)
            ours, theirs = (np.flatnonzero(side)[:_MOST] for side in sides)
            if len(ours) and len(theirs):
                yield [*self.documents.ids(ours)], [*self.documents.ids(theirs)]


def _contiguous(documents: Ints, scores: Floats) -> tuple[Ints, Floats]:
    return (
        np.ascontiguousarray(documents, dtype=np.int64),
        np.ascontiguousarray(scores, dtype=np.float64),
    )


class _Part(NamedTuple):
    """Some queries of a run: rankings, the numbers of the queries in them, and their counts."""

    rankings: Rankings
    numbers: Ints
    counts: Callable[[str], Ints]


class _HeldRun:
    """A run whose rankings are in memory."""

    def __init__(self, source: Source, reader: _Reader) -> None:
        read = reader.read(source)
        self.has_scores = read.has_scores
        self._rankings = read.rankings
        self._counts = cache(read.rankings.counts)  # of all queries, and asked for with each part
        self.query_ids = read.rankings.query_ids()
        self._numbers = {query: number for number, query in enumerate(self.query_ids)}
        self.rows: Ints = read.rankings.counts("kept")

    def part(self, queries: Sequence[str]) -> _Part:
        """Return rankings, and the numbers of some queries in them, -1 if they are not there."""
        return _Part(self._rankings, numbered(queries, self._numbers), self._counts)

    def finish(self) -> None:
        """Do nothing more: the run was checked when it was read."""


class _NoRun:
    """A run that answers no query."""

    query_ids: tuple[str, ...] = ()
    has_scores = False
    rows: Ints = np.empty(0, dtype=np.int64)

    def part(self, queries: Sequence[str]) -> _Part:
        """Return nothing for all queries."""
        empty = rankings_from_rows(_NONE, [], _NONE, [], np.empty(0), ListOptions("", 1))
        return _Part(empty, np.full(len(queries), -1), empty.counts)

    def finish(self) -> None:
        """Do nothing more."""


class _RunOnDisk:
    """A large file of text, of which a few queries are read at a time."""

    def __init__(self, source: FileSource, found: QueryExtents, reader: _Reader) -> None:
        self._source = source
        self._reader = reader
        self.query_ids = found.query_ids
        self._extents = np.column_stack([found.begin, found.end])
        order = np.argsort(found.query, kind="stable")
        self._extents_of = np.split(order, np.cumsum(np.bincount(found.query))[:-1])
        self._numbers = {query: number for number, query in enumerate(self.query_ids)}
        sizes = (self._extents[:, 1] - self._extents[:, 0]).astype(np.float64)
        bytes_of = np.bincount(found.query, weights=sizes, minlength=len(self.query_ids))
        self.rows: Ints = np.ceil(bytes_of / _BYTES).astype(np.int64)
        self._rises = np.zeros(len(self.query_ids), dtype=np.int64)
        rankings, self._order = reader.read_part(source, self._extents[self._extents_of[0]])
        first = RankedRun(rankings, self._order is not None)
        if reader.options.ranks_units:
            first = first.of_units(reader.units, source)
        self.has_scores = first.has_scores

    def part(self, queries: Sequence[str]) -> _Part:
        """Read some queries, and return their rankings and numbers, -1 if they are not there."""
        numbers = [self._numbers[query] for query in queries if query in self._numbers]
        if not numbers:
            return _NoRun().part(queries)
        extents = np.sort(np.concatenate([self._extents_of[number] for number in numbers]))
        rankings, _ = self._reader.read_part(self._source, _joined(self._extents[extents]))
        found = rankings.query_ids()
        self._rises[[self._numbers[query] for query in found]] = rankings.counts("rises")
        places = numbered(queries, {query: number for number, query in enumerate(found)})
        return _Part(rankings, places, rankings.counts)

    def finish(self) -> None:
        """Refuse scores that rise in all lists, once all are read."""
        refuse_wrong_order(self._source, self._reader.options, self._rises, self._order)


class _Reader(NamedTuple):
    """How the documents of a run are ranked."""

    options: ListOptions
    reading: Reading
    by_rank: bool
    units: Conventions

    def read(self, source: Source) -> RankedRun:
        return ranked(source, self.options, self.reading, by_rank=self.by_rank, units=self.units)

    def read_part(self, source: FileSource, extents: Ints) -> tuple[Rankings, Order | None]:
        with refused_duplicates():
            found = source.rankings(
                self.options, self.reading.in_silence(), by_rank=self.by_rank, extents=extents
            )
        if found is None:
            raise InputError("it changed while it was read", "fuse it when nothing writes to it")
        return found


_AnyRun = _HeldRun | _RunOnDisk | _NoRun


class UnitedRuns:
    """The lists of m runs for Q queries.

    Parameters
    ----------
    names
        The names of the runs, for messages.
    queries
        The ids of the queries: in the order of the first run, then of the second, and so on.
    answers
        (m, Q) bool, which queries each run answers.
    runs
        The runs, in memory or on disk.
    """

    doubted: bool = False
    """Whether ids may be lists written as text, as nobody said what the runs contain."""

    def __init__(
        self,
        names: Sequence[str],
        queries: tuple[str, ...],
        answers: Bools,
        runs: Sequence[_AnyRun],
    ) -> None:
        self.names = tuple(names)
        self.queries = queries
        self.answers = answers
        self._runs = runs

    @property
    def in_memory(self) -> bool:
        """Whether the lists are in memory, and not on disk."""
        return not any(isinstance(run, _RunOnDisk) for run in self._runs)

    @property
    def has_scores(self) -> tuple[bool, ...]:
        """Whether each run has scores rather than ranks or an order."""
        return tuple(run.has_scores for run in self._runs)

    def for_queries(self, queries: Sequence[str]) -> UnitedRuns:
        """Return the lists of other queries, in their order, whether or not a run answers them."""
        known = {query: place for place, query in enumerate(self.queries)}
        at = numbered(queries, known)
        answers = np.append(self.answers, np.zeros((len(self.names), 1), np.bool_), axis=1)[:, at]
        united = UnitedRuns(self.names, tuple(queries), answers, self._runs)
        united.doubted = self.doubted
        return united

    def parts(self, rows: int = 1 << 18, threads: int = 1) -> Iterator[UnitedPart]:
        """Split the queries into parts of about so many rows in all lists together."""
        places = {query: place for place, query in enumerate(self.queries)}
        sizes = np.zeros(len(self.queries), dtype=np.int64)
        for run in self._runs:
            at = numbered(run.query_ids, places)
            sizes[at[at >= 0]] += run.rows[at >= 0]
        ends = np.cumsum(sizes)
        begin = 0
        while begin < len(self.queries):
            before = ends[begin - 1] if begin else 0
            end = max(int(np.searchsorted(ends, before + rows, side="right")), begin + 1)
            yield self.part(range(begin, end), threads)
            begin = end
        for run in self._runs:
            run.finish()

    def part(self, queries: Sequence[int], threads: int = 1) -> UnitedPart:
        """Bring the lists of some queries together, by their numbers."""
        ids = tuple(self.queries[number] for number in queries)
        read = [run.part(ids) for run in self._runs]
        numbers = np.concatenate([one.numbers for one in read])
        core = United([one.rankings for one in read], numbers, threads)
        first_ids: tuple[str, ...] = ()
        if self.doubted and queries and queries[0] == 0:  # the first part tells
            few = np.arange(min(_LOOKED_AT, core.at().shape[1]), dtype=np.int64)
            first_ids = core.ids(few)
            refuse_lists(first_ids, "the runs")
        lists = tuple(RunLists(*core.run(run)) for run in range(len(read)))
        counts = ListCounts(*(_counted(read, name) for name in ListCounts._fields))
        united = UnitedLists(core.starts(), core.at(), lists)
        part = UnitedPart(ids, united, UnitedDocuments(core), counts)
        if may_be_joined(first_ids):
            self._refuse_joined(part)
        return part

    def _refuse_joined(self, part: UnitedPart) -> None:
        """Refuse ids of some of the runs that are several ids of documents in one cell."""
        called = [
            f"run {number}" if name.startswith("<") else name
            for number, name in enumerate(self.names, 1)
        ]
        for other in range(1, len(called)):
            sample = [*part.unshared(0, other)]
            names = called[0], called[other]
            # One id in a cell is no list if ids are the same but for how they are written.
            near = near_ids(sample) is not None
            refuse_joined(sample, names, _SPLIT, least=2 if near else 1, may_both=False)
            if not near:
                refuse_joined_in_both(sample, names, _SPLIT)


def _counted(read: Sequence[_Part], name: str) -> Ints:
    """Count documents of each run in the lists of the queries: (m,) int64."""
    sums = [one.counts(name)[one.numbers[one.numbers >= 0]].sum() for one in read]
    return np.array(sums, dtype=np.int64)


def numbered(ids: Sequence[str], numbers: Mapping[str, int]) -> Ints:
    """Return the numbers of ids, -1 for those that have none: (n,) int64."""
    return np.fromiter((numbers.get(one, -1) for one in ids), np.int64, len(ids))


def _joined(extents: Ints) -> Ints:
    """Join extents of which one begins where another ends."""
    breaks = np.flatnonzero(extents[1:, 0] != extents[:-1, 1]) + 1
    firsts, lasts = np.append(0, breaks), np.append(breaks - 1, len(extents) - 1)
    return np.ascontiguousarray(np.column_stack([extents[firsts, 0], extents[lasts, 1]]))


def unite_runs(
    runs: Sequence[Run | None],
    *,
    queries: Answered = "any",
    ties: ListTies = "docid",
    depth: int | None = None,
    lower_better: Sequence[bool] | None = None,
    units: Conventions = DOCUMENTS,
    reading: Reading = AS_USUAL,
) -> UnitedRuns:
    """Read runs, and rank the documents of each.

    Text files that are together larger than the memory of ``reading`` are not kept: where each
    query stands is found first, and the lists of a part are read when it is asked for.

    Parameters
    ----------
    runs
        Prepared runs; None for one that answers no query.
    queries
        Those that any run answers, or those that all answer.
    ties
        The order of equal scores in a list; under "mean" they have no order.
    depth
        The last rank of each list that is kept. Under "mean", a tie across it is kept whole.
    lower_better
        For each run, whether lower scores are better; they are negated.
    units
        How units, if runs have some, become documents.
    reading
        How they are read; its progress is told the number of the file.
    """
    rule = {"mean": "", "rank": "docid"}.get(ties, ties)
    negated = lower_better or [False] * len(runs)
    given = [run for run in runs if run is not None]
    rows = [own_rows(run.source) for run in given]
    files = [source for source in rows if isinstance(source, FileSource)]
    keeps = not files or sum(file.size() for file in files) <= reading.bytes_held
    read: list[_AnyRun] = []
    for number, (run, is_negated) in enumerate(zip(runs, negated, strict=True)):
        if run is None:
            read.append(_NoRun())
            continue
        options = ListOptions(rule, limit(depth), negated=is_negated)
        reader = _Reader(options, reading.of_file(number), ties == "rank", units)
        on_disk = None if keeps else _on_disk(run.source, reader)
        read.append(on_disk or _HeldRun(run.source, reader))
    names = ["" if run is None else run.name for run in runs]
    places = [dict.fromkeys(of_run.query_ids) for of_run in read]
    union = dict.fromkeys(query for of_run in places for query in of_run)
    common = [query for query in union if all(query in of_run for of_run in places)]
    if len(given) > 1 and sum(map(len, places)) == len(union):
        _refuse_strangers(names, places, "two of the runs have")
    if queries == "all" and not common:
        _refuse_strangers(names, places, "all runs have")
    chosen = tuple(common if queries == "all" else union)
    answers = np.array([[query in of_run for query in chosen] for of_run in places], dtype=np.bool_)
    united = UnitedRuns(names, chosen, answers, read)
    united.doubted = not all(run.source.vouched is True for run in given)
    return united


def _on_disk(source: Source, reader: _Reader) -> _RunOnDisk | None:
    """Find where the queries of a text file stand; None if it is something else."""
    options, rows = lists_in_units(reader.options, reader.units, source)
    if not isinstance(rows, FileSource):
        return None
    found = rows.queries(reader.reading)
    if found is None or not found.query_ids:
        return None
    return _RunOnDisk(rows.pinned(), found, reader._replace(options=options))


def _refuse_strangers(
    names: Sequence[str], places: Sequence[Mapping[str, object]], whose: str
) -> None:
    shown = "; ".join(
        f"{name} has {listed(list(of_run)[:3], len(of_run))}"
        for name, of_run in zip(names, places, strict=True)
    )
    raise MismatchError(f"no query that {whose}: {shown}", "are the ids of one kind?")


FUSED = "<fused>"
"""The name of runs that were fused."""


def fused_source(tables: Sequence[FusedRows], form: Mapping[str, Any]) -> TableSource:
    """Return a source of rows."""
    table = tables[0] if len(tables) == 1 else joined(list(tables))
    source = TableSource(table, Chosen(0, 1, 2, None), "run", name=FUSED, form=form)
    source.vouched = True
    return source


def fused_entries(source: TableSource) -> dict[str, dict[str, float]]:
    """Return the rows of such a source as {query id: {document id: score}}, in their order."""
    return nested(source.table, 0, 1, 2)
