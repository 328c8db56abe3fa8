"""How much the trials of systems vary, and how often they pass."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.results.number_style import number
from rankmark.results.result import Row
from rankmark.results.run_names import short_names
from rankmark.results.shown_parts import Heading
from rankmark.results.shown_result import Column, table_of
from rankmark.statistics.repeated_trials import pass_rates, variance_components
from rankmark.verbs.evaluate.provenance import has_best

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.results.shown_parts import Part
    from rankmark.verbs.evaluate.evaluation import Evaluation

_HEADING = "Trials, which are averaged within queries:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability(Row):
    """How much the trials of a system vary on one measure, and how often they pass.

    Parameters
    ----------
    run, measure, trials
        The name of the system, the measure, and the number of trials.
    mean, worst, worst_mean
        The mean of the system; the trial with the worst mean, and that mean.
    variance_of_queries, variance_of_trials, icc
        The variance between queries, that within queries, between their trials, and the
        intraclass correlation ICC(1), between / (between + within). NaN if unknown.
    pass_score
        The score from which on a trial of a query passes; None if there is none.
    pass_any, pass_all
        For each number k of trials, from 1: the share of queries of which any of k trials passes
        (pass@k), and of which all do (pass^k), estimated without bias. Empty without a pass score.
    flips
        The share of queries of which some trials pass and some do not; NaN without a pass score.
    """

    run: str
    measure: str
    trials: int
    mean: float
    worst: str
    worst_mean: float
    variance_of_queries: float
    variance_of_trials: float
    icc: float
    pass_score: float | None = None
    pass_any: tuple[float, ...] = ()
    pass_all: tuple[float, ...] = ()
    flips: float = math.nan


def reliabilities(systems: Mapping[str, Evaluation]) -> list[Reliability]:
    """Return a row for each measure of quality, and each system of several trials."""
    found = [(name, one) for name, one in systems.items() if one.trials]
    return [
        _reliability(name, one, measure)
        for measure in (found[0][1].measures if found else ())
        for name, one in found
        if has_best(measure) and measure.aggregate == "mean"
    ]


def trial_names(run_names: Sequence[str]) -> list[str]:
    """Return the short names of the files of trials, or numbers of those that are no files."""
    names = short_names(run_names)
    return [f"trial {at}" if name[0] == "<" else name for at, name in enumerate(names, 1)]


def _reliability(name: str, system: Evaluation, measure: Measure) -> Reliability:
    given = TrialScores(
        [one.run_name for one in system.trials],
        np.stack([one.scores[:, one.column(measure)] for one in system.trials], axis=1),
        [one[measure] for one in system.trials],
        system[measure],
        system.weights,
        system.pass_score,
    )
    return given.reliability(name, str(measure), more_is_better=measure.more_is_better)


class TrialScores(NamedTuple):
    """The scores of trials on one measure.

    Parameters
    ----------
    names
        Of their files.
    scores
        (n_queries, n_trials) float64.
    means, mean
        Of each trial, and of the system.
    weights, pass_score
        Of queries, and from which score on a trial passes; None without.
    """

    names: Sequence[str]
    scores: Floats
    means: Sequence[float]
    mean: float
    weights: Floats | None = None
    pass_score: float | None = None

    def reliability(self, name: str, measure: str, *, more_is_better: bool) -> Reliability:
        """Return how much the trials of the system of this name vary, and how often they pass."""
        sign = 1 if more_is_better else -1
        defined = ~np.isnan(self.scores).any(axis=1)
        scores, means = self.scores[defined], self.means
        found = variance_components(scores)
        worst = min(range(len(means)), key=lambda at: sign * means[at])
        row = Reliability(
            run=name,
            measure=measure,
            trials=len(means),
            mean=self.mean,
            worst=trial_names(self.names)[worst],
            worst_mean=means[worst],
            variance_of_queries=found.queries,
            variance_of_trials=found.trials,
            icc=found.icc,
        )
        threshold = self.pass_score
        if threshold is None and sign > 0 and np.isin(scores, (0, 1)).all():
            threshold = 1.0
        if threshold is None or not len(scores):
            return row
        passed = sign * scores >= sign * threshold
        rates = pass_rates(passed, None if self.weights is None else self.weights[defined])
        return replace(
            row,
            pass_score=threshold,
            pass_any=rates.any_of,
            pass_all=rates.all_of,
            flips=rates.flips,
        )


def reliability_parts(systems: Mapping[str, Evaluation]) -> list[Part]:
    """Return a heading and a table of the trials of systems; nothing if none has several."""
    return parts_of_trials(reliabilities(systems))


def parts_of_trials(rows: Sequence[Reliability]) -> list[Part]:
    """Return a heading and a table of these rows; nothing if there are none."""
    if not rows:
        return []
    columns = [
        Column("measure", lambda row: row.measure),
        Column("run", lambda row: row.run),
        Column("worst trial", lambda row: row.worst),
        Column("its mean", lambda row: number(row.worst_mean)),
        Column("trials", lambda row: f"{row.trials:,}"),
        Column("variance between queries", lambda row: number(row.variance_of_queries)),
        Column("within queries", lambda row: number(row.variance_of_trials)),
        Column("ICC", lambda row: number(row.icc)),
    ]
    note = ""
    if of_passes := [row for row in rows if row.pass_any]:
        k = min(row.trials for row in of_passes)  # fair where some systems have more trials

        def rate(name: str, at: int) -> Callable[[Reliability], str]:
            return lambda row: number([*getattr(row, name), math.nan][at if row.pass_any else -1])

        columns += [
            Column("pass@1", rate("pass_any", 0)),
            Column(f"pass^{k}", rate("pass_all", k - 1)),
            Column(f"pass@{k}", rate("pass_any", k - 1)),
            Column("flips", lambda row: number(row.flips)),
        ]
        note = (
            f"a trial of a query passes with {of_passes[0].pass_score:g} or better; pass@k: any of "
            "k trials passes; pass^k: all of them do; flips: queries of which only some do"
        )
    return [Heading(_HEADING), table_of(columns, rows, keys=3), *([note] if note else [])]
