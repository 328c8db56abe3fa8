"""What a gate compares: a system, as the evaluation of one run or of trials."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.errors import RankmarkError
from rankmark.measures import Measure
from rankmark.scoring.query_scores import in_groups
from rankmark.verbs.evaluate.reliability import reliabilities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.measures.of_runs.run_measure import LeftOut
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.evaluate.reliability import Reliability
    from rankmark.verbs.gate.gate_condition import GatedMeasure

Doubt = Literal["ties", "unjudged"]
"""What scores may rest on besides rankings and judgments: the order of ties, unjudged documents."""


@dataclass(frozen=True, eq=False)
class System:
    """A system: one run, or trials, whose scores are averaged.

    Parameters
    ----------
    name
        The name of the run, or the one under which it was given.
    evaluation
        Of its run, or of its trials; None if scores were given.
    """

    name: str
    evaluation: Evaluation | None

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations of its runs."""
        one = self.evaluation
        return () if one is None else one.trials or (one,)

    @property
    def number_of_runs(self) -> int:
        """How many runs it has."""
        return len(self.evaluations)

    @property
    def conventions(self) -> Conventions | None:
        """How its runs were evaluated; None if scores were given."""
        return None if self.evaluation is None else self.evaluation.conventions

    @property
    def settings(self) -> Mapping[str, Any]:
        """All choices: conventions, and how the inputs were read."""
        return {} if self.evaluation is None else self.evaluations[0].settings

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries averaged."""
        return () if self.evaluation is None else self.evaluation.queries

    def scores(self, measure: GatedMeasure) -> Floats:
        """Return the score of each query, over trials its mean: (n_queries,) float64."""
        if self.evaluation is None:
            return np.empty(0)
        return self.evaluation.scores[:, _column(self.evaluation, measure)]

    def numbers(self, measure: GatedMeasure) -> Floats:
        """Return the same; of a measure of the run, its value without each user."""
        if isinstance(measure, Measure) and measure.depends_on == "run":
            return self.left_out(measure).without
        return self.scores(measure)

    def left_out(self, measure: Measure) -> LeftOut:
        """Return the value of a measure of the run, and without each user; of trials the mean."""
        assert self.evaluation is not None  # noqa: S101
        return self.evaluation.left_out[measure]  # type: ignore[index]

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
        one = self.evaluation
        if one is None:
            return None
        if doubt not in self._ends:
            self._ends[doubt] = _score_ends(one, doubt)
        if (ends := self._ends[doubt]) is None:
            return None
        low, high = (end[:, _column(one, measure)] for end in ends)
        return None if doubt == "ties" and np.isnan(low).all() else (low, high)

    @cached_property
    def _ends(self) -> dict[Doubt, tuple[Floats, Floats] | None]:
        """What ``ends`` has found for all measures."""
        return {}

    def hashes(self) -> tuple[str | None, ...]:
        """Return the hash of the content of each run; None for what is no file."""
        return tuple(one._sources.run.sha256() for one in self.evaluations)

    def reliabilities(self) -> list[Reliability]:
        """Return how much its trials vary on each measure; nothing if there is one run."""
        return [] if self.evaluation is None else reliabilities({self.name: self.evaluation})

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation for JSON."""
        return {} if self.evaluation is None else self.evaluation.to_dict(per_query=False)

    def __eq__(self, other: object) -> bool:
        mine = self.name, self.evaluations
        return isinstance(other, System) and mine == (other.name, other.evaluations)

    def __hash__(self) -> int:
        return hash((self.name, self.evaluations))


def _column(evaluation: Evaluation, measure: GatedMeasure) -> int:
    return evaluation.column(measure if isinstance(measure, Measure) else str(measure))


def _score_ends(evaluation: Evaluation, doubt: Doubt) -> tuple[Floats, Floats] | None:
    """Return the lowest and the highest scores, (n_queries, n_measures) float64 each.

    None if they are unknown, as for judgments in groups, or for data that has changed or is gone.
    """
    measures = evaluation.measures
    try:
        if in_groups(evaluation._kept.alignment):
            return None
        if doubt == "ties":
            thorough = not all(one.tie_handling.best_is_sorted(one) for one in measures)
            return evaluation.over_ties(thorough=thorough)
        if any(one.depends_on == "subtopics" or one.is_rejudged for one in measures):
            return None  # nobody knows the subtopics and weights of unjudged documents
        return evaluation.over_judgments()
    except RankmarkError:  # data has changed or is gone, or a measure has no such interval
        return None
