"""Judgments in groups, such as those of several assessors."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmark._core import RankingOptions
from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment.views import JudgmentGroups
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import (
    AlignedRun,
    Judged,
    PreparedQrels,
    RowsByGroup,
    Source,
    Wrapped,
)
from rankmark.data.ids.numeric import in_byte_order
from rankmark.data.judgments.subtopic_judgments import numbered_judgments
from rankmark.errors import DuplicateError, InputError, ParseError

GROUP_COLUMNS: dict[str, tuple[int, ...]] = {"prefs": (1, 2), "qrels_jg": (1,)}
"""The columns that name groups, and their parts if any, in each format with groups.

The formats are trec_eval's, with the columns qid jg jsg docno rel, and qid jg docno rel.
"""


class ByGroup(Wrapped):
    """Judgments of a file, read with their groups.

    The core has each judged document of a query once, with its number as the label.
    """

    def __init__(self, file: Source, form: str) -> None:
        super().__init__(file)
        self.vouched = False
        self._form = form

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        file: Any = self.source
        read: RowsByGroup = file.rows_with(GROUP_COLUMNS[self._form], reading)
        return _Judgments(self.name, read).judged()

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Raise InputError, as these are judgments."""
        raise InputError(
            "these are judgments in groups, and a run has no groups",
            "give rankings",
            where=self.name,
        )

    def for_query(self, query: str, reading: Reading) -> Source | None:
        """Read the rows of one query again, without groups."""
        return self.source.for_query(query, reading)


class _Judgments:
    """The judgments of one file, to be sorted into groups."""

    def __init__(self, name: str, read: RowsByGroup) -> None:
        self.name = name
        self.read = read
        self.rows = read.rows
        assert self.rows.number is not None  # noqa: S101
        assert self.rows.line is not None  # noqa: S101
        self.label: Floats = np.asarray(self.rows.number, dtype=np.float64)
        self.line: Ints = np.asarray(self.rows.line)
        self.query = np.asarray(self.rows.query_codes, dtype=np.int64)
        self.codes = np.asarray(self.rows.doc_codes, dtype=np.int64)
        group, *part = (codes for codes, _ in read.groups)
        many = int(group.max()) + 1
        _, self.group = np.unique(self.query * many + group, return_inverse=True)
        self.part = part[0] if part else np.zeros_like(self.group)

    def judged(self) -> Judged:
        """Assign document numbers by query, and sort judgments into groups."""
        self._refuse_infinite()
        self._refuse_twice()
        ids = [self.rows.doc_ids(code) for code in range(int(self.codes.max()) + 1)]
        in_order = in_byte_order(ids)
        place = np.empty_like(in_order)
        place[in_order] = np.arange(len(ids))
        keys, document = np.unique(self.query * len(ids) + place[self.codes], return_inverse=True)
        judgments, doc_ids = numbered_judgments(
            self.rows.query_ids, keys // len(ids), ids, in_order[keys % len(ids)]
        )
        return Judged(
            judgments,
            self.rows.query_ids,
            len(self.label),
            extra_columns=self.rows.extra_columns,
            doc_ids=doc_ids,
            groups=self._groups(document, len(keys)),
        )

    def _groups(self, document: Ints, many: int) -> JudgmentGroups:
        """Sort judgments by group; a document in several parts of a group appears once."""
        partial = self._partial(document)
        order = np.lexsort((document, -self.label, self.group))
        _, first = np.unique(self.group[order] * many + document[order], return_index=True)
        order = order[np.sort(first)]
        counts = np.bincount(self.group)
        counts = np.bincount(self.group[order], minlength=len(counts))
        owner = np.empty(len(counts), dtype=np.int64)
        owner[self.group] = self.query
        of_query = np.bincount(owner, minlength=len(self.rows.query_ids))
        highest = np.full(many, -np.inf)
        np.maximum.at(highest, document, self.label)
        return JudgmentGroups(
            starts=np.append(0, np.cumsum(of_query)),
            rows=np.append(0, np.cumsum(counts)),
            document=document[order],
            label=self.label[order],
            highest=highest,
            partial=partial,
            only_preferences=len(self.read.groups) > 1,
        )

    def _partial(self, document: Ints) -> dict[int, tuple[Ints, Ints]]:
        """Return all preferences of each group that has several parts."""
        order = np.lexsort((self.part, self.group))
        begins = np.flatnonzero(np.diff(self.group[order], prepend=-1))
        found = {}
        for rows in np.split(order, begins[1:]):
            if (self.part[rows] != self.part[rows[0]]).any():
                found[int(self.group[rows[0]])] = self._closed(rows, document)
        return found

    def _closed(self, rows: Ints, document: Ints) -> tuple[Ints, Ints]:
        """Return the transitive preferences that follow from the parts of one group."""
        self._refuse_mixed(rows)
        documents, place = np.unique(document[rows], return_inverse=True)
        preferred = np.zeros((len(documents), len(documents)), dtype=np.bool_)
        for part in np.unique(self.part[rows]):
            at = np.flatnonzero(self.part[rows] == part)
            label = self.label[rows[at]]
            preferred[np.ix_(place[at], place[at])] |= label[:, None] > label[None, :]
        more = _with_next(preferred)
        while (more != preferred).any():
            preferred, more = more, _with_next(more)
        both = preferred & preferred.T
        np.fill_diagonal(both, val=False)
        if both.any():
            pair = np.argwhere(both)[0]
            first, second = (rows[place == at][0] for at in pair)
            last = rows[np.isin(place, pair)]
            raise self._fault(
                last[self.line[last].argmax()],
                f"in {self._named(first)}, document {self._document(first)!r} is preferred to "
                f"{self._document(second)!r} and the other way round, perhaps through other "
                "documents",
                "put contradicting judgments into groups of their own",
            )
        better, worse = np.nonzero(preferred)
        return documents[better], documents[worse]

    def _refuse_mixed(self, rows: Ints) -> None:
        """Refuse a document that is relevant in one part of a group but not in another."""
        order = rows[np.lexsort((self.line[rows], self.codes[rows]))]
        same = self.codes[order[1:]] == self.codes[order[:-1]]
        positive = self.label[order] > 0
        wrong = np.flatnonzero(same & (positive[1:] != positive[:-1]))
        if len(wrong):
            row, before = order[wrong[0] + 1], order[wrong[0]]
            raise self._fault(
                row,
                f"document {self._document(row)!r} of {self._named(row)} has label "
                f"{self.label[row]:g} here and {self.label[before]:g} on line {self.line[before]}",
                "give it a label above 0 in all parts of a group, or in none",
            )

    def _refuse_infinite(self) -> None:
        wrong = np.flatnonzero(~np.isfinite(self.label))
        if len(wrong):
            row = wrong[0]
            raise self._fault(row, f"the label is {self.label[row]}", "give a finite label")

    def _refuse_twice(self) -> None:
        order = np.lexsort((self.line, self.codes, self.part, self.group))
        firsts, seconds = order[:-1], order[1:]
        same = np.flatnonzero(
            (self.group[firsts] == self.group[seconds])
            & (self.part[firsts] == self.part[seconds])
            & (self.codes[firsts] == self.codes[seconds])
        )
        if not len(same):
            return
        at = same[np.argmin(self.line[seconds[same]])]
        first, second = firsts[at], seconds[at]
        raise DuplicateError(
            f"document {self._document(second)!r} appears twice in "
            f"{self._named(second, part=True)}, first on line {self.line[first]}",
            "keep one of the two lines",
            where=self.name,
            line=int(self.line[second]),
        )

    def _fault(self, row: int, found: str, remedy: str) -> ParseError:
        return ParseError(found, remedy, where=self.name, line=int(self.line[row]))

    def _document(self, row: int) -> str:
        return self.rows.doc_ids(int(self.codes[row]))

    def _named(self, row: int, *, part: bool = False) -> str:
        """Name the group of a row, and its part."""
        (groups, group_id), *parts = self.read.groups
        name = f"group {group_id(int(groups[row]))!r} of query "
        name += repr(self.rows.query_ids[self.query[row]])
        if part and parts:
            codes, part_id = parts[0]
            name = f"part {part_id(int(codes[row]))!r} of {name}"
        return name


def _with_next(preferred: Bools) -> Bools:
    """Add the preferences that follow through one other document."""
    steps = preferred.astype(np.float32)
    return preferred | (steps @ steps > 0)
