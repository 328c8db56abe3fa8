"""A fusion: runs, a method, weights and conventions, the fused scores, and the audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.conventions import Conventions, ListTies
from rankmark.data.alignment import positions
from rankmark.data.alignment.united_lists import UnitedLists
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.evidence.near_ids import Near, near_ids
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.united_runs import (
    SAMPLED_QUERIES,
    Answered,
    ListCounts,
    UnitedDocuments,
    UnitedPart,
    UnitedRuns,
    unite_runs,
)
from rankmark.data.preparing.units import DOCUMENTS, shown_units, unit_settings, units_to_documents
from rankmark.errors import InputError, counted, one_line, warn
from rankmark.scoring.mismatch_warnings import alike, warn_of_units
from rankmark.verbs.fuse.method import Ballots, Method, ScoredPart
from rankmark.verbs.fuse.norms import constant_lists


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
            f"fused {counted(self.queries, 'query', 'queries')}, {self.in_all:,} of them in all "
            f"runs; of {counted(self.documents, 'document')}, {self.overlap:.1%} in more than "
            f"one list, {self.tied_fused:.1%} tied after fusion"
        ]
        for name, answered in self.answered.items():
            retrieved, cut = self.retrieved[name], self.cut[name]
            line = f"{name}: {counted(answered, 'query', 'queries')}, "
            if name in self.units:
                line += units_to_documents(self.units[name], retrieved + cut)
                line += f", {retrieved:,} of them" if cut else ""
            else:
                line += counted(retrieved, "document")
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


class AuditCounts:
    """Counts what an audit says, part by part."""

    def __init__(self, runs: int) -> None:
        self.documents = self.several = 0
        self.of_lists = ListCounts(*np.zeros((len(ListCounts._fields), runs), dtype=np.int64))
        self.constant = np.zeros(runs, dtype=np.int64)
        self.singles = np.zeros(runs, dtype=np.int64)
        self.near: dict[int, Near] = {}

    def add(self, part: UnitedPart) -> None:
        """Count the lists of a part."""
        lists = part.lists
        if not self.documents:
            for other in range(1, len(lists.lists)):
                near = near_ids(part.unshared(0, other))
                if near is not None:
                    self.near[other] = near
        self.of_lists = ListCounts(*map(np.add, self.of_lists, part.counts))
        self.documents += len(lists.query)
        self.several += int(np.count_nonzero(lists.count > 1))
        for run, of_run in enumerate(lists.lists):
            flat = constant_lists(of_run)
            self.constant[run] += np.count_nonzero(flat)
            self.singles[run] += np.count_nonzero(flat & (of_run.sizes == 1))

    def warn(self, names: list[str], united: UnitedRuns) -> None:
        """Warn of what all parts have; ``names`` are those of the runs."""
        warn_of_units(self.of_lists.of_units, "the runs")
        for other, near in self.near.items():
            few = min(SAMPLED_QUERIES, len(united.queries))
            queries = "the first query" if few == 1 else f"the first {few} queries"
            documents = counted(near.found, "document")
            warn(
                f"{documents} of {queries} in {names[0]!r} and {names[other]!r} {near}, and count "
                "as different documents",
                alike(near, "unit"),
            )

    def audit(
        self, names: list[str], united: UnitedRuns, tied: int, *, uses_scores: bool
    ) -> FusionAudit:
        """Return the audit of all parts, of whose documents some were ``tied`` after fusion."""
        counts = self.of_lists
        answers = united.answers

        def by_run(column: Any) -> dict[str, Any]:
            return dict(zip(names, column.tolist(), strict=True))

        return FusionAudit(
            queries=len(united.queries),
            in_all=int(np.count_nonzero(answers.all(axis=0))),
            answered=by_run(answers.sum(axis=1)),
            documents=self.documents,
            overlap=self.several / max(self.documents, 1),
            retrieved=by_run(counts.kept),
            cut=by_run(counts.given - counts.kept),
            tied=by_run(counts.tied / np.maximum(counts.kept, 1)),
            constant=by_run(self.constant) if uses_scores else {},
            constant_singles=by_run(self.singles) if uses_scores else {},
            tied_fused=tied / max(self.documents, 1),
            units={name: number for name, number in by_run(counts.units).items() if number},
        )


@dataclass(frozen=True, eq=False)
class Fusion:
    """How runs are fused.

    Parameters
    ----------
    runs
        Prepared runs by name.
    method
        The method, with its norm.
    weights
        (m,) float64.
    queries, ties, depth, top, lower_better
        See ``fuse``; ``lower_better`` has a truth value for each run.
    preset
        The name of the preset, if there is one.
    units
        How units, such as chunks, become documents before lists are fused.
    """

    runs: Mapping[str, Run]
    method: Method
    weights: Floats
    queries: Answered = "any"
    ties: ListTies = "docid"
    depth: int | None = None
    top: int | None = None
    lower_better: tuple[bool, ...] = ()
    preset: str | None = None
    units: Conventions = DOCUMENTS

    def united(self, reading: Reading = AS_USUAL) -> UnitedRuns:
        """Read the runs, and rank the documents of each."""
        united = unite_runs(
            list(self.runs.values()),
            queries=self.queries,
            ties=self.ties,
            depth=self.depth,
            lower_better=self.lower_better or None,
            units=self.units,
            reading=reading,
        )
        if self.method.uses == "scores":
            self._refuse_without_scores(united)
        return united

    def scored(self, united: UnitedRuns, threads: int = 1) -> Iterator[ScoredPart]:
        """Fuse the queries, in parts."""
        for part in united.parts(threads=threads):
            yield self.score(part)

    def ranked(
        self, documents: UnitedDocuments, scores: Floats, threads: int = 1
    ) -> tuple[Ints, int]:
        """Rank documents by fused scores.

        Parameters
        ----------
        documents, scores
            The documents of some queries, U in total, and their scores, (U,) float64.
        threads
            The number of threads; it does not affect the result.

        Returns
        -------
        The numbers of the documents, query by query, and in order; at most ``top`` of a query.
        How many of all have the score of another.
        """
        order, starts = documents.order(scores, self.ties, threads), documents.starts
        fused = scores[order]
        as_before = np.zeros(len(fused) + 1, dtype=np.bool_)
        np.equal(fused[1:], fused[:-1], out=as_before[1:-1])
        as_before[starts] = False
        first = as_before[1:] & ~as_before[:-1]  # the second document of a tie, and so each tie
        tied = int(np.count_nonzero(as_before) + np.count_nonzero(first))
        return order if self.top is None else order[positions(starts) <= self.top], tied

    def audit(self, united: UnitedRuns, counts: AuditCounts, tied: int) -> FusionAudit:
        """Return the audit of all parts, which were counted; see ``AuditCounts.audit``."""
        uses_scores = self.method.uses == "scores"
        return counts.audit(list(self.runs), united, tied, uses_scores=uses_scores)

    def score(self, part: UnitedPart) -> ScoredPart:
        """Fuse some of the queries."""
        if self.method.uses == "scores":
            refuse_infinite(part.lists, self.runs, part.queries, self.method)
        ballots = Ballots(part.lists, self.weights)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.method.scores(ballots)
        wrong = np.flatnonzero(~np.isfinite(scores))
        if len(wrong):
            query = part.queries[int(part.lists.query[wrong[0]])]
            raise InputError(
                f"a fused score of query {query!r} is {scores[wrong[0]]}",
                "normalise the scores, or choose another method",
            )
        return ScoredPart(part, ballots, scores)

    def _refuse_without_scores(self, united: UnitedRuns) -> None:
        if self.ties == "rank":
            raise InputError(
                f'{self.method} needs scores, and ties="rank" orders documents without them',
                "choose another rule, or a method that uses ranks, such as RRF",
            )
        for name, has_scores in zip(self.runs, united.has_scores, strict=True):
            if not has_scores and self._norm_of(name) not in {"rank", "borda"}:
                raise InputError(
                    f"{self.method} needs scores, and {name} has only an order",
                    'choose norm="rank", or a method that uses ranks, such as RRF',
                )

    def _norm_of(self, run: str) -> str:
        norm = self.method.parameters["norm"]
        return str(norm if isinstance(norm, str) else dict(zip(self.runs, norm, strict=False))[run])

    def conventions(self) -> str:
        """Return the method and the conventions on a line."""
        settings = self.settings()
        words = [f"{self.preset}: {self.method}" if self.preset else str(self.method)]
        if self.method.uses == "scores":
            norm, constant = self.method.parameters["norm"], self.method.parameters["constant"]
            words.append(f"norm {norm if isinstance(norm, str) else ', '.join(norm)}")
            words.append(f"constant {constant}")
        if len(set(self.weights.tolist())) > 1 or self.weights[0] != 1:
            words.append(f"weights {', '.join(f'{weight:g}' for weight in self.weights)}")
        words += [f"{name} {settings[name]}" for name in ("queries", "ties")]
        words += [f"{name} {settings[name]}" for name in ("depth", "top") if settings[name]]
        if settings["lower_better"]:
            words.append(f"lower is better in {', '.join(settings['lower_better'])}")
        words += [f"{name} {value}" for name, value in shown_units(settings).items()]
        return one_line("; ".join(words))

    def settings(self) -> dict[str, Any]:
        """Return the conventions for JSON."""
        return {
            "preset": self.preset,
            "method": str(self.method),
            "weights": dict(zip(self.runs, self.weights.tolist(), strict=True)),
            "queries": self.queries,
            "ties": self.ties,
            "depth": self.depth,
            "top": self.top,
            "lower_better": [
                name
                for name, is_lower in zip(self.runs, self.lower_better, strict=False)
                if is_lower
            ],
        } | unit_settings(self.units)


def refuse_infinite(
    lists: UnitedLists, runs: Iterable[str], queries: Sequence[str], method: Method
) -> None:
    """Refuse scores that a method of scores cannot use."""
    for name, of_run in zip(runs, lists.lists, strict=True):
        wrong = np.flatnonzero(~np.isfinite(of_run.score))
        if len(wrong):
            row = int(wrong[0])
            query = queries[int(np.searchsorted(of_run.starts, row, side="right")) - 1]
            raise InputError(
                f"query {query!r} has a score that is {of_run.score[row]}, which {method} "
                "cannot use",
                "remove or replace it, or choose a method that uses ranks, such as RRF",
                where=name,
            )
