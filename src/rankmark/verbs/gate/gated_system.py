"""What a gate compares: a system, as the evaluation of one run or of repeated runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.errors import RankmarkError
from rankmark.measures import Measure
from rankmark.measures.of_runs.run_measure import LeftOut
from rankmark.scoring.intervals import of_judging, of_ties
from rankmark.scoring.query_scores import in_groups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.gate.gate_condition import GatedMeasure

Doubt = Literal["ties", "unjudged"]
"""What scores may rest on besides rankings and judgments: the order of ties, unjudged documents."""


class Spread(NamedTuple):
    """How the means of repeated runs differ.

    Parameters
    ----------
    runs
        How many runs there are.
    lowest, highest, deviation
        The lowest and the highest of their means, and the standard deviation of their means.
    """

    runs: int
    lowest: float
    highest: float
    deviation: float

    @classmethod
    def of(cls, means: Sequence[float]) -> Spread | None:
        """Return the spread of these means; None for that of a single run."""
        if len(means) < 2:
            return None
        each = np.array(means)
        return cls(len(each), float(each.min()), float(each.max()), float(each.std(ddof=1)))


@dataclass(frozen=True, eq=False)
class System:
    """A system: one run, or repeated runs that differ by a seed, whose scores are averaged.

    Parameters
    ----------
    name
        The name of the run, or the one under which it was given.
    evaluations
        Of its runs, on the same queries.
    """

    name: str
    evaluations: tuple[Evaluation, ...]

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of its first run."""
        return self.evaluations[0]

    @property
    def number_of_runs(self) -> int:
        """How many runs it has."""
        return len(self.evaluations)

    @property
    def conventions(self) -> Conventions | None:
        """How its runs were evaluated; None if scores were given."""
        return self.evaluation.conventions

    @property
    def settings(self) -> Mapping[str, Any]:
        """All choices: conventions, and how the inputs were read."""
        return self.evaluation.settings

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries averaged."""
        return self.evaluation.queries if self.evaluations else ()

    def scores(self, measure: GatedMeasure) -> Floats:
        """Return the score of each query, over repeated runs its mean: (n_queries,) float64."""
        if not self.evaluations:
            return np.empty(0)
        return _mean([one.scores[:, _column(one, measure)] for one in self.evaluations])

    def numbers(self, measure: GatedMeasure) -> Floats:
        """Return the same; of a measure of the run, its value without each user."""
        if isinstance(measure, Measure) and measure.depends_on == "run":
            return self.left_out(measure).without
        return self.scores(measure)

    def left_out(self, measure: Measure) -> LeftOut:
        """Return the value of a measure of the run, and without each user; of several the mean."""
        found = [one.left_out[measure] for one in self.evaluations]  # type: ignore[index]
        values, without, strata = zip(*found, strict=True)
        return LeftOut(float(np.mean(values)), np.mean(without, axis=0), strata[0])

    def ends(self, measure: GatedMeasure, doubt: Doubt) -> tuple[Floats, Floats] | None:
        """Return the lowest and the highest score that each query could have.

        Parameters
        ----------
        measure
            One that was evaluated.
        doubt
            Over orders of ties, or over judgments of the unjudged documents.

        Returns
        -------
        tuple of arrays
            (n_queries,) float64 each; None if they are unknown.
        """
        if doubt not in self._ends:
            self._ends[doubt] = [_score_ends(one, doubt) for one in self.evaluations]
        ends = [
            [end[:, _column(one, measure)] for end in both]
            for one, both in zip(self.evaluations, self._ends[doubt], strict=True)
            if both is not None
        ]
        if len(ends) < len(self.evaluations):
            return None
        return _mean([low for low, _ in ends]), _mean([high for _, high in ends])

    @cached_property
    def _ends(self) -> dict[Doubt, list[tuple[Floats, Floats] | None]]:
        """What ``ends`` has found for all measures."""
        return {}

    def hashes(self) -> tuple[str | None, ...]:
        """Return the hash of the content of each run; None for what is no file."""
        return tuple(one._sources.run.sha256() for one in self.evaluations)

    def spread(self, measure: GatedMeasure) -> Spread | None:
        """Return how the means of repeated runs differ; None if there is one run."""
        return Spread.of([one[str(measure)] for one in self.evaluations])

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation, or those of repeated runs, for JSON."""
        if len(self.evaluations) == 1:
            return self.evaluation.to_dict(per_query=False)
        return {
            "name": self.name,
            "runs": [one.to_dict(per_query=False) for one in self.evaluations],
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, System) and (self.name, self.evaluations) == (
            other.name,
            other.evaluations,
        )

    def __hash__(self) -> int:
        return hash((self.name, self.evaluations))


def _column(evaluation: Evaluation, measure: GatedMeasure) -> int:
    return evaluation.column(measure if isinstance(measure, Measure) else str(measure))


def _mean(columns: list[Floats]) -> Floats:
    return columns[0] if len(columns) == 1 else np.mean(columns, axis=0)


def _score_ends(evaluation: Evaluation, doubt: Doubt) -> tuple[Floats, Floats] | None:
    """Return the lowest and the highest scores, (n_queries, n_measures) float64 each.

    None if they are unknown, as for judgments in groups, or for data that has changed or is gone.
    """
    kept, measures = evaluation._kept, evaluation.measures
    if in_groups(kept.alignment):
        return None
    try:
        if doubt == "ties":
            if kept.alignment.tie_first is None and evaluation.conventions.depth is None:
                return evaluation.scores, evaluation.scores
            thorough = not all(one.tie_handling.best_is_sorted(one) for one in measures)
            low, high = of_ties(kept, measures, thorough=thorough)
        else:
            if any(one.depends_on == "subtopics" or one.is_rejudged for one in measures):
                return None  # nobody knows the subtopics and weights of unjudged documents
            if evaluation.conventions.judged_only:
                return evaluation.scores, evaluation.scores
            low, high = of_judging(kept, measures)
    except RankmarkError:  # data has changed or is gone, or a measure has no such interval
        return None
    return evaluation._as_chosen(low), evaluation._as_chosen(high)
