"""How two judges order the same systems: coefficients, ranks, swaps, and what decisions change."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import NotEvaluatedError, counted
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import number, with_ends
from rankmark.results.result import interval_for_json, plain
from rankmark.results.shown_parts import Look, Notes, Part
from rankmark.results.written_forms import written
from rankmark.similarity.coefficient_names import coefficient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.judges.agreement.system_evidence import LeaderboardEvidence
    from rankmark.similarity import Coefficient

_SHOWN = 10
_FEW_SYSTEMS = 8
_FEW_QUERIES = 20
_CAPTIONS = (
    "how well leaderboards agree",
    "leaderboards",
    "pairs of systems that differ significantly",
    "differences between the scores of each system",
)


class JudgedShare(NamedTuple):
    """The share of the first k documents of a system that a judged, and that b did."""

    system: str
    share_a: float
    share_b: float


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
            "scores": plain({str(name): value for name, value in self.values.items()}),
            "systems": [system._asdict() for system in self.systems],
            "swaps": [swap._asdict() for swap in self.swaps],
            "ties": self.ties,
            "pairs": self.pairs,
            "judged": [each._asdict() for each in self.judged_shares],
        }
        if self.evidence is not None:
            written |= {"summary": self.summary, "evidence": _for_json(self.evidence)}
        return written

    @property
    def notes(self) -> list[str]:
        """Lines on what was compared, and the first ten swaps."""
        (a, b), count = self.called, len(self.systems)
        lines = [
            f"{counted(count, 'system')}, {a} by {self.measure}, {b} by {self.measure}: "
            f"{len(self.swaps):,} of {count * (count - 1) // 2:,} pairs change places, "
            f"{self.ties:,} tie in one of the two"
        ]
        lines += [
            f"{swap.rises} rises above {swap.falls}: behind by {-swap.difference_a:.4f} in {a}, "
            f"ahead by {swap.difference_b:.4f} in {b}"
            for swap in self.swaps[:_SHOWN]
        ]
        if len(self.swaps) > _SHOWN:
            lines.append(f"and {len(self.swaps) - _SHOWN} more pairs")
        if self.evidence is not None:
            lines += self._of_evidence(self.evidence)
        whose = "its own judged documents" if self.pairs == "own" else "the documents of both"
        return [*lines, f"each set of judgments counts {whose}"]

    def _of_evidence(self, found: LeaderboardEvidence) -> list[str]:
        """Return lines on reversed pairs, the top, drops, and how intervals were found."""
        a, b = self.called
        lines = [
            f"{better} is significantly better than {worse} by {a}, and worse by {b}"
            for better, worse in found.reversed_pairs[:_SHOWN]
        ]
        if len(found.reversed_pairs) > _SHOWN:
            lines.append(f"and {len(found.reversed_pairs) - _SHOWN:,} more pairs")
        lines += [
            f"of the {top.k} best by {a}, {top.common} are among the {top.k} best by {b}"
            for top in found.top
        ]
        one = next(iter(found.intervals.values()))
        lines += [
            f"greatest fall from {b} to {a}: {_fall(*found.drop)}; of the five best by {b}: "
            f"{_fall(*found.drop_of_top)}; mean change {found.rank_change:.2f} ranks",
            f"{found.queries:,} queries; significance: {found.test} test, {found.correction}, "
            f"level {found.alpha:g}; intervals: {100 * one.confidence:.6g}%, for sets of as many "
            f"queries, {one.resamples:,} draws of queries, the same for both, seed {one.seed}",
        ]
        if found.queries < _FEW_QUERIES:
            lines.append(f"with fewer than {_FEW_QUERIES} queries, these intervals are unreliable")
        if found.systems:
            lines.append(
                "differences by system: intervals and p hold for all systems together (max-t); "
                f"beyond the mean: how much more {b} adds to a system than to all systems on "
                "average"
            )
        systems = len(found.systems)
        if 0 < systems < _FEW_SYSTEMS:
            lines.append(f"with {systems} systems, tau says little, as one swap changes it a lot")
        return lines

    @property
    def summary(self) -> str:
        """What decisions depend on which judge is taken, in a sentence; "" for one system."""
        if self.evidence is None:
            return ""
        found, (a, b) = self.evidence, self.called
        pairs, reversed_ = found.separated, found.separated.other_significant
        if pairs.separated:
            turned, confirmed = pairs.other + reversed_, pairs.same_significant
            sentence = (
                f"of {counted(pairs.separated, 'pair')} of systems that "
                f"{'differs' if pairs.separated == 1 else 'differ'} significantly by {a}, "
                f"{confirmed:,} {_are(confirmed)} confirmed by {b}, and {turned:,} "
                f"{_are(turned)} reversed ({reversed_:,} significantly)"
            )
        else:
            sentence = f"none of {pairs.pairs:,} pairs of systems differs significantly by {a}"
        name, value = next(iter(self.values.items()))
        if not math.isnan(value):
            sentence += f"; {name} is {with_ends(found.intervals[str(name)], 2)}"
            if found.queries < _FEW_QUERIES:
                sentence += f" over only {counted(found.queries, 'query', 'queries')}"
        best = "the same" if found.winner_kept else "a different one"
        return f"{self.measure}: {sentence}; the best of {len(self.systems)} systems is {best}"

    def to_text(self, *, width: int | None = None) -> str:
        """Return the coefficients, the systems with their ranks, the evidence and the notes."""
        return written(self.parts(), Look(width=width))

    def parts(self) -> list[Part]:
        """Return what is shown."""
        return [*self._grids(), Notes(self.notes)]

    def _grids(self) -> list[MarkedTable]:
        """Return the tables: the coefficients, the systems with their ranks, and the evidence."""
        found, (a, b) = self.evidence, self.called
        shares = {each.system: each for each in self.judged_shares}
        ranks = (
            ["system", a, "rank", b, "rank", f"judged by {a}", f"by {b}"],
            [
                [
                    *(one.name, f"{one.score_a:.4f}", str(one.rank_a), f"{one.score_b:.4f}"),
                    *(str(one.rank_b), *(f"{share:.4f}" for share in shares[one.name][1:])),
                ]
                for one in self.systems
            ],
        )
        if found is None:
            values = [[str(name), number(value)] for name, value in self.values.items()]
            tables: list[tuple[Sequence[str], list[list[str]]]] = [([], values), ranks]
        else:
            intervals = [
                *found.intervals.items(),
                *((f"tau of the {top.k} best by {a}", top.tau) for top in found.top),
                ("mean difference of scores", found.errors.mean),
                ("root mean square difference", found.errors.rmse),
                (f"slope of {b} on {a}", found.errors.slope),
            ]
            rows = [
                [name, *map(number, (one.estimate, one.low, one.high))] for name, one in intervals
            ]
            tables = [(["", "value", "low", "high"], rows), ranks, self._separated(found)]
            if found.systems:
                head = ["system", f"{b} - {a}", "low", "high"]
                head += ["beyond the mean", "low", "high", "adjusted p"]
                ordered = sorted(found.systems, key=lambda one: -one.favour)
                body = [
                    [one.name, *(number(value, "+") for value in one[1:-1]), number(one[-1])]
                    for one in ordered
                ]
                tables.append((head, body))
        return [
            MarkedTable(*each, caption=caption)
            for each, caption in zip(tables, _CAPTIONS, strict=False)
        ]

    def _separated(self, found: LeaderboardEvidence) -> tuple[list[str], list[list[str]]]:
        """Return the table of pairs that a separates."""
        pairs, (a, b) = found.separated, self.called
        counts = {
            f"same order by {b}, significant": pairs.same_significant,
            f"same order by {b}, not significant": pairs.same,
            f"reversed by {b}, not significant": pairs.other,
            f"reversed by {b}, significant": pairs.other_significant,
        }
        if pairs.tied:
            counts[f"tied by {b}"] = pairs.tied
        rows = [[name, f"{count:,}"] for name, count in counts.items()]
        rows.append(["all", f"{pairs.separated:,} of {pairs.pairs:,}"])
        return [f"pairs that differ significantly by {a}", "number"], rows

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


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _fall(system: str, places: int) -> str:
    return "none" if places <= 0 else f"{system}, by {counted(places, 'rank')}"


def _for_json(found: LeaderboardEvidence) -> dict[str, Any]:
    """Return everything for JSON, with None for NaN."""
    errors = found.errors._asdict()
    return {
        "queries": found.queries,
        "intervals": {name: interval_for_json(one) for name, one in found.intervals.items()},
        "separated": found.separated._asdict(),
        "reversed_pairs": plain(found.reversed_pairs),
        "top": [top._asdict() | {"tau": interval_for_json(top.tau)} for top in found.top],
        "winner_kept": found.winner_kept,
        "drop": found.drop._asdict(),
        "drop_of_top": found.drop_of_top._asdict(),
        "rank_change": found.rank_change,
        "errors": {name: interval_for_json(one) for name, one in errors.items()},
        "systems": plain(found.systems),
        "level": found.alpha,
        "test": found.test,
        "correction": found.correction,
    }
