"""How two judges order the same systems: coefficients, ranks, swaps, and what decisions change."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from rankmark.arguments import one_of
from rankmark.errors import InputError, NotEvaluatedError, listed, one_line
from rankmark.judges.agreement.evidence_tables import (
    TextTable,
    coefficients_of,
    evidence_for_json,
    evidence_notes,
    evidence_tables,
    summary_of,
)
from rankmark.judges.agreement.judged_systems import JudgedShare, Pairs, judged_systems
from rankmark.judges.agreement.system_evidence import evidence_of
from rankmark.results import html_parts as html
from rankmark.results.number_style import number
from rankmark.results.result import json_number
from rankmark.results.text_tables import text
from rankmark.results.text_width import fitted
from rankmark.scoring.request import as_measures
from rankmark.similarity import ranking
from rankmark.similarity.coefficient_names import as_coefficients, coefficient
from rankmark.similarity.given_rankings import pairing_of
from rankmark.verbs.compare.compare import comparison_of
from rankmark.verbs.compare.compared_rows import ComparedMeasure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from rankmark.conventions import Conventions
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.judges.agreement.query_intervals import Sampling
    from rankmark.judges.agreement.system_evidence import LeaderboardEvidence
    from rankmark.measures import Measure
    from rankmark.similarity import Coefficient
    from rankmark.verbs.evaluate.evaluation import Evaluation

_COEFFICIENTS = ("tau", "tauAP", "RBO(p=0.9)", "rho")
_RESAMPLES = 1_000  # draws of queries
_SWAPS_SHOWN = 10


class System(NamedTuple):
    """A system's scores, and its ranks from 1; tied systems share the best of their ranks."""

    name: str
    score_a: float
    rank_a: int
    score_b: float
    rank_b: int


class Swap(NamedTuple):
    """Two systems that the judges order differently.

    ``difference_a`` and ``difference_b`` say by how much ``rises`` is better than ``falls``:
    negative by the first judge, and positive by the second.
    """

    rises: str
    falls: str
    difference_a: float
    difference_b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemsByJudges:
    """How the labels of two judges, a and b, order the same systems.

    Parameters
    ----------
    called
        The names of a and b.
    measure, more_is_better
        The measure that orders the systems, and whether higher scores are better.
    systems
        All systems, in the order of a.
    swaps
        Pairs in opposite order, largest difference by a first.
    ties
        Number of pairs that are tied by only one judge.
    values
        {coefficient: value}; NaN for fewer than two systems, or if all systems of one are tied.
    evidence
        Intervals, separated pairs, the top, drops and bias. None for a single system.
    judged_shares
        The share of the first documents of each system that a and b judged.
    pairs
        Whether a and b judged their "own" documents, or only the "common" ones count.
    """

    called: tuple[str, str]
    measure: str
    more_is_better: bool
    systems: tuple[System, ...]
    swaps: tuple[Swap, ...]
    ties: int
    values: dict[Coefficient, float]
    evidence: LeaderboardEvidence | None
    judged_shares: tuple[JudgedShare, ...]
    pairs: str

    def __getitem__(self, name: str | Coefficient) -> float:
        found = coefficient(name)
        if found not in self.values:
            have = ", ".join(map(str, self.values))
            raise NotEvaluatedError(f"{found} was not compared", f"this comparison has {have}")
        return self.values[found]

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN."""
        written: dict[str, Any] = {
            "measure": self.measure,
            "more_is_better": self.more_is_better,
            "scores": {str(name): json_number(value) for name, value in self.values.items()},
            "systems": [system._asdict() for system in self.systems],
            "swaps": [swap._asdict() for swap in self.swaps],
            "ties": self.ties,
            "pairs": self.pairs,
            "judged": [each._asdict() for each in self.judged_shares],
        }
        if self.evidence is not None:
            written |= {"summary": self.summary, "evidence": evidence_for_json(self.evidence)}
        return written

    @property
    def notes(self) -> list[str]:
        """Lines on what was compared, and the first ten swaps."""
        a, b = self.called
        count = len(self.systems)
        pairs = count * (count - 1) // 2
        lines = [
            f"{count:,} {'system' if count == 1 else 'systems'}, {a} by {self.measure}, {b} by "
            f"{self.measure}: {len(self.swaps):,} of {pairs:,} pairs change places, {self.ties:,} "
            "tie in one of the two"
        ]
        lines += [
            f"{swap.rises} rises above {swap.falls}: behind by {-swap.difference_a:.4f} in {a}, "
            f"ahead by {swap.difference_b:.4f} in {b}"
            for swap in self.swaps[:_SWAPS_SHOWN]
        ]
        if len(self.swaps) > _SWAPS_SHOWN:
            lines.append(f"and {len(self.swaps) - _SWAPS_SHOWN} more pairs")
        if self.evidence is not None:
            lines += evidence_notes(self.evidence, self.called)
        whose = "its own judged documents" if self.pairs == "own" else "the documents of both"
        return [*lines, f"each set of judgments counts {whose}"]

    @property
    def summary(self) -> str:
        """What decisions depend on which judge is taken, in a sentence; "" for one system."""
        if self.evidence is None:
            return ""
        return summary_of(self.evidence, self.called, self.measure, self.values, len(self.systems))

    def to_text(self, *, width: int | None = None) -> str:
        """Return the coefficients, the systems with their ranks, the evidence and the notes."""
        tables = [text(*each, 1, width=width) for each in self.text_tables()]
        return fitted("\n".join([*tables, *map(one_line, self.notes)]), width)

    def text_tables(self) -> list[TextTable]:
        """Return the tables: the coefficients, the systems with their ranks, and the evidence."""
        if self.evidence is None:
            values = [[str(name), number(value)] for name, value in self.values.items()]
            return [([], values), self._ranks()]
        return [
            coefficients_of(self.evidence, self.called),
            self._ranks(),
            *evidence_tables(self.evidence, self.called),
        ]

    def tables_html(self) -> str:
        """Return the tables and the notes in HTML."""
        return "".join(
            [*(html.table(*each) for each in self.text_tables()), html.notes(self.notes)]
        )

    def _ranks(self) -> TextTable:
        a, b = self.called
        head = ["system", a, "rank", b, "rank", f"judged by {a}", f"by {b}"]
        shares = {each.system: each for each in self.judged_shares}
        rows = [
            [
                one.name,
                f"{one.score_a:.4f}",
                str(one.rank_a),
                f"{one.score_b:.4f}",
                str(one.rank_b),
                f"{shares[one.name].share_a:.4f}",
                f"{shares[one.name].share_b:.4f}",
            ]
            for one in self.systems
        ]
        return head, rows

    def plot(self, *, title: bool = True, ax: Axes | None = None) -> Axes:
        """Plot the score of each system by b against that by a, with the line of equality."""
        from rankmark.results.drawing.figures import axes  # noqa: PLC0415
        from rankmark.results.drawing.points import draw_equality  # noqa: PLC0415

        count, (a, b) = len(self.systems), self.called
        name, value = next(iter(self.values.items()))
        systems = "system" if count == 1 else "systems"
        heading = f"{self.measure} of {count:,} {systems}, {name} {value:.2f}"
        with axes(ax) as canvas:
            draw_equality(
                canvas,
                np.array([one.score_a for one in self.systems]),
                np.array([one.score_b for one in self.systems]),
                [one.name for one in self.systems],
                title=heading if title else "",
                labels=(f"{self.measure} by {a}", f"{self.measure} by {b}"),
                what=("system", "systems"),
                judge=b,
            )
        return canvas


def systems_by_judges(
    judges: tuple[Qrels, Qrels],
    called: tuple[str, str],
    runs: Mapping[str, Run],
    measure: str | Measure,
    pairs: Pairs,
    units: Conventions,
    sampling: Sampling,
    threads: int,
) -> SystemsByJudges:
    """Evaluate runs by the labels of two judges, and compare how they order the runs.

    Raises
    ------
    MismatchError
        If both have no query in common.
    InputError
        If the measure is several, or a run has no finite mean.
    """
    one_of("pairs", pairs, *get_args(Pairs))
    (asked, *others), _ = as_measures(measure)
    if others:
        raise InputError(f"{measure} is several measures", "give one")
    evaluations, shares = judged_systems(judges, runs, asked, pairs, units, threads)
    compared = ComparedMeasure(str(asked), asked.more_is_better, asked.aggregate)
    sign = 1.0 if asked.more_is_better else -1.0
    scores, ranks, rankings = [], [], []
    for name, judged in zip(called, evaluations, strict=True):
        means = {run: one[asked] for run, one in zip(runs, judged, strict=True)}
        if unranked := [run for run, mean in means.items() if not np.isfinite(mean)]:
            raise InputError(
                f"systems without a finite score cannot be ranked: {listed(unranked)}",
                "leave them out",
                where=name,
            )
        ordered = ranking({run: sign * mean for run, mean in means.items()})
        scores.append(means)
        rankings.append(ordered)
        ranks.append(dict(zip(ordered.ids, ordered.first.tolist(), strict=True)))
    both = pairing_of(*rankings)
    values = {each: float(each.of(both)[0]) for each in as_coefficients(_COEFFICIENTS)}
    systems = tuple(
        System(name, scores[0][name], ranks[0][name], scores[1][name], ranks[1][name])
        for name in sorted(runs, key=ranks[0].__getitem__)
    )
    swaps = [
        Swap(
            below.name,
            above.name,
            sign * (below.score_a - above.score_a),
            sign * (below.score_b - above.score_b),
        )
        for above, below in combinations(systems, 2)
        if above.rank_a < below.rank_a and above.rank_b > below.rank_b
    ]
    ties = sum(
        (above.score_a == below.score_a) != (above.score_b == below.score_b)
        for above, below in combinations(systems, 2)
    )
    evidence = None
    if len(systems) > 1:
        boards = [dict(zip(runs, judged, strict=True)) for judged in evaluations]
        names = [system.name for system in systems]
        evidence = _evidence(boards, names, compared, (ranks[0], ranks[1]), values, sampling)
    return SystemsByJudges(
        called=called,
        measure=compared.name,
        more_is_better=compared.more_is_better,
        systems=systems,
        swaps=tuple(sorted(swaps, key=lambda swap: swap.difference_a)),
        ties=ties,
        values=values,
        evidence=evidence,
        judged_shares=shares,
        pairs=pairs,
    )


def _evidence(
    boards: Sequence[Mapping[str, Evaluation]],
    names: Sequence[str],
    measure: ComparedMeasure,
    ranks: tuple[Mapping[str, int], Mapping[str, int]],
    values: Mapping[Coefficient, float],
    sampling: Sampling,
) -> LeaderboardEvidence:
    """Return what scores by query show; ``boards`` has the evaluations of runs, by each judge."""
    queries = boards[0][names[0]].queries
    place = {query: row for row, query in enumerate(queries)}
    statistics: dict[str, Any] = {
        "test": "randomisation",
        "correction": "holm",
        "confidence": sampling.confidence,
        "seed": sampling.seed,
    }
    scores, means, differences = [], [], []
    for board in boards:
        table = np.empty((len(queries), len(names)))
        for column, name in enumerate(names):
            one = board[name]
            # Sets of judgments may have the same queries in another order.
            rows = [place[query] for query in one.queries]
            table[rows, column] = one.scores[:, one.column(measure.name)]
        scores.append(table)
        means.append([board[name][measure.name] for name in names])
        differences.append(
            comparison_of(
                runs=names,
                measures=[measure],
                queries=queries,
                scores=table[:, :, None],
                means=np.array(means[-1])[:, None],
                baseline=None,
                clusters=None,
                weights=None,
                by=None,
                family="measure",
                interval="auto",
                resamples=None,
                threads=1,
                **statistics,
            ).differences
        )
    return evidence_of(
        names,
        (scores[0], scores[1]),
        (means[0], means[1]),
        ranks,
        values,
        (differences[0], differences[1]),
        more_is_better=measure.more_is_better,
        resamples=_RESAMPLES,
        **statistics,
    )
