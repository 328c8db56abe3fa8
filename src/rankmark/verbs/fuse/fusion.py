"""A fusion: runs, a method, weights and conventions, and the fused scores of each document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.preparing.united_runs import unite_runs
from rankmark.data.preparing.units import DOCUMENTS, shown_units, unit_settings
from rankmark.errors import InputError, one_line
from rankmark.verbs.fuse.ballots import Ballots, ScoredPart

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.run import Run
    from rankmark.data.preparing.united_runs import Answered, ListTies, UnitedPart, UnitedRuns
    from rankmark.verbs.fuse.fusion_audit import AuditCounts, FusionAudit
    from rankmark.verbs.fuse.method import Method


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
        self, united: UnitedRuns, counts: AuditCounts, threads: int = 1
    ) -> Iterator[tuple[ScoredPart, Ints]]:
        """Fuse the queries, in parts, and yield the documents of each in order, at most ``top``.

        Parameters
        ----------
        united
            The lists.
        counts
            Counts what the audit says of each part.
        threads
            The number of threads; it does not affect the result.
        """
        for scored in self.scored(united, threads):
            order = scored.part.order(scored.scores, self.ties, threads)
            counts.add(scored, order)
            if self.top is not None:
                lists = scored.part.lists
                order = order[np.arange(len(order)) - lists.starts[lists.query] < self.top]
            yield scored, order

    def audit(self, united: UnitedRuns, counts: AuditCounts) -> FusionAudit:
        """Return the audit of all parts, which were counted."""
        return counts.audit(list(self.runs), united, uses_scores=self.method.uses == "scores")

    def score(self, part: UnitedPart) -> ScoredPart:
        """Fuse some of the queries.

        Raises
        ------
        InputError
            If a score that the method uses, or a fused score, is infinite.
        """
        if self.method.uses == "scores":
            self._refuse_infinite(part)
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

    def _refuse_infinite(self, part: UnitedPart) -> None:
        for name, lists in zip(self.runs, part.lists.lists, strict=True):
            wrong = np.flatnonzero(~np.isfinite(lists.score))
            if len(wrong):
                row = int(wrong[0])
                query = part.queries[int(np.searchsorted(lists.starts, row, side="right")) - 1]
                raise InputError(
                    f"query {query!r} has a score that is {lists.score[row]}, which {self.method} "
                    "cannot use",
                    "remove or replace it, or choose a method that uses ranks, such as RRF",
                    where=name,
                )

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
