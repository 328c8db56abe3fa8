"""What was fused, and what may have gone wrong: queries, overlap, ties, constant lists, depth."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.evidence.near_ids import near_ids
from rankmark.data.preparing.united_runs import ListCounts
from rankmark.data.preparing.units import units_to_documents
from rankmark.errors import one_line, warn
from rankmark.scoring.mismatch_warnings import alike, warn_of_units
from rankmark.verbs.fuse.norms import constant_lists

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.array_types import Ints
    from rankmark.data.evidence.near_ids import Near
    from rankmark.data.preparing.united_runs import UnitedPart, UnitedRuns
    from rankmark.verbs.fuse.ballots import ScoredPart


@dataclass(frozen=True, slots=True)
class FusionAudit:
    """What was fused, query by query and list by list.

    Parameters
    ----------
    queries
        Fused queries.
    in_all
        Queries that all runs answer.
    answered
        {run: fused queries that it answers}.
    documents
        Documents in the unions of all queries.
    overlap
        Share of these that are in more than one list, 0 to 1.
    retrieved
        {run: documents in its lists, after ``depth``}.
    cut
        {run: documents that ``depth`` cut}.
    tied
        {run: share of its documents that have the score of another in their list, 0 to 1}.
    constant
        {run: lists whose scores are all equal}, for methods that normalise scores; lists of one
        document are such, too.
    constant_singles
        {run: those of one document}.
    tied_fused
        Share of the fused documents that have the fused score of another, 0 to 1.
    units
        {run: units, such as chunks, in place of which its documents are fused}, for runs of these.
    """

    queries: int
    in_all: int
    answered: dict[str, int]
    documents: int
    overlap: float
    retrieved: dict[str, int]
    cut: dict[str, int]
    tied: dict[str, float]
    constant: dict[str, int]
    constant_singles: dict[str, int]
    tied_fused: float
    units: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the audit on a few lines."""
        lines = [
            f"fused {_queries(self.queries)}, {self.in_all:,} of them in all runs; of "
            f"{_documents(self.documents)}, {self.overlap:.1%} in more than one list, "
            f"{self.tied_fused:.1%} tied after fusion"
        ]
        for name, answered in self.answered.items():
            retrieved, cut = self.retrieved[name], self.cut[name]
            line = f"{name}: {_queries(answered)}, "
            if name in self.units:
                line += units_to_documents(self.units[name], retrieved + cut)
                line += f", {retrieved:,} of them" if cut else ""
            else:
                line += _documents(retrieved)
            if cut:
                line += f" after {cut:,} were cut by depth"
            line += f", {self.tied[name]:.1%} tied"
            if self.constant.get(name):
                line += (
                    f"; lists with equal scores only: {self.constant[name]:,}, "
                    f"{self.constant_singles[name]:,} of them with a single document"
                )
            lines.append(line)
        return "\n".join(map(one_line, lines))

    def to_dict(self) -> dict[str, Any]:
        """Return the audit for JSON."""
        return asdict(self)


def _queries(count: int) -> str:
    return f"{count:,} {'query' if count == 1 else 'queries'}"


def _documents(count: int) -> str:
    return f"{count:,} document{'' if count == 1 else 's'}"


_SAMPLED = 10  # queries whose ids are compared
_MOST = 100  # ids of each list


def _unshared(part: UnitedPart, one: int, other: int) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the documents of a few queries that only one of two lists has."""
    at, query = part.lists.at, part.lists.query
    few = int(np.searchsorted(query, _SAMPLED))
    in_one, in_other = at[one, :few] >= 0, at[other, :few] >= 0
    for number in range(min(_SAMPLED, len(part.queries))):
        own = query[:few] == number
        sides = (own & in_one & ~in_other, own & in_other & ~in_one)
        ours, theirs = (np.flatnonzero(side)[:_MOST] for side in sides)
        if len(ours) and len(theirs):
            yield [*part.doc_ids(ours)], [*part.doc_ids(theirs)]


class AuditCounts:
    """Counts what an audit says, part by part."""

    def __init__(self, runs: int) -> None:
        self.documents = self.several = self.tied = 0
        self.of_lists = ListCounts(*np.zeros((len(ListCounts._fields), runs), dtype=np.int64))
        self.constant = np.zeros(runs, dtype=np.int64)
        self.singles = np.zeros(runs, dtype=np.int64)
        self.near: dict[int, Near] = {}

    def add(self, scored: ScoredPart, order: Ints) -> None:
        """Count a part; ``order`` has its documents by query and fused score."""
        lists = scored.part.lists
        if not self.documents:
            for other in range(1, len(lists.lists)):
                near = near_ids(_unshared(scored.part, 0, other))
                if near is not None:
                    self.near[other] = near
        self.of_lists = ListCounts(*map(np.add, self.of_lists, scored.part.counts))
        self.documents += len(lists.query)
        self.several += int(np.count_nonzero(lists.count > 1))
        for run, of_run in enumerate(lists.lists):
            flat = constant_lists(of_run)
            self.constant[run] += np.count_nonzero(flat)
            self.singles[run] += np.count_nonzero(flat & (of_run.sizes == 1))
        fused, query = scored.scores[order], lists.query
        same = (fused[1:] == fused[:-1]) & (query[1:] == query[:-1])
        tied = np.zeros(len(fused), dtype=np.bool_)
        tied[1:] |= same
        tied[:-1] |= same
        self.tied += int(np.count_nonzero(tied))

    def audit(self, names: list[str], united: UnitedRuns, *, uses_scores: bool) -> FusionAudit:
        """Return the audit of all parts; ``names`` are those of the runs."""
        counts = self.of_lists
        kept, cut = counts.kept.tolist(), (counts.given - counts.kept).tolist()
        tied = (counts.tied / np.maximum(counts.kept, 1)).tolist()
        answers = united.answers
        warn_of_units(counts.of_units, "the runs")
        for other, near in self.near.items():
            few = min(_SAMPLED, len(united.queries))
            queries = "the first query" if few == 1 else f"the first {few} queries"
            documents = "1 document" if near.found == 1 else f"{near.found:,} documents"
            warn(
                f"{documents} of {queries} in {names[0]!r} and {names[other]!r} {near}, and count "
                "as different documents",
                alike(near, "unit"),
            )
        units = zip(names, counts.units.tolist(), strict=True)
        return FusionAudit(
            queries=len(united.queries),
            in_all=int(np.count_nonzero(answers.all(axis=0))),
            answered=dict(zip(names, answers.sum(axis=1).tolist(), strict=True)),
            documents=self.documents,
            overlap=self.several / max(self.documents, 1),
            retrieved=dict(zip(names, kept, strict=True)),
            cut=dict(zip(names, cut, strict=True)),
            tied=dict(zip(names, tied, strict=True)),
            constant=dict(zip(names, self.constant.tolist(), strict=True)) if uses_scores else {},
            constant_singles=dict(zip(names, self.singles.tolist(), strict=True))
            if uses_scores
            else {},
            tied_fused=self.tied / max(self.documents, 1),
            units={name: number for name, number in units if number},
        )
