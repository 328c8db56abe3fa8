"""The result of comparing leaderboards: coefficients, systems, and swaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.comparing.evidence_tables import (
    TextTable,
    coefficients_of,
    evidence_for_json,
    evidence_notes,
    evidence_tables,
    summary_of,
)
from rankmark.errors import InputError, NotEvaluatedError, one_line
from rankmark.formatting import html_parts as html
from rankmark.formatting.number_style import number
from rankmark.formatting.result import Result, json_number
from rankmark.formatting.table_schema import columns_of
from rankmark.formatting.text_tables import text
from rankmark.formatting.text_width import fitted, line_width
from rankmark.similarity import p_value
from rankmark.similarity.coefficient_names import coefficient
from rankmark.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.comparing.judged_systems import JudgedShare
    from rankmark.comparing.leaderboard_evidence import LeaderboardEvidence
    from rankmark.marks.result_page import PageParts
    from rankmark.similarity import Coefficient

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""


class System(NamedTuple):
    """A system's scores, and its ranks from 1; tied systems share the best of their ranks."""

    name: str
    score_a: float
    rank_a: int
    score_b: float
    rank_b: int


class Swap(NamedTuple):
    """Two systems in opposite order in the two leaderboards.

    ``difference_a`` and ``difference_b`` say by how much ``rises`` is better than ``falls``:
    negative in a, the baseline, and positive in b.
    """

    rises: str
    falls: str
    difference_a: float
    difference_b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardComparison(Result):
    """How similar two leaderboards are.

    Parameters
    ----------
    ordered_by
        The measures that order a and b; None for scores.
    more_is_better
        Whether higher scores are better in a, and in b.
    systems
        All systems, in the order of a.
    swaps
        Pairs in opposite order, largest difference in a first.
    ties
        Number of pairs that are tied in only one leaderboard.
    values
        {coefficient: value}; NaN for fewer than two systems, or if all systems of one are tied.
    evidence
        What scores by query show: intervals, separated pairs, the top, drops and bias. None without
        evaluations on the same queries.
    judged_shares
        The share of the first documents of each system that a and b judged; None without runs.
    pairs
        Whether a and b judged their "own" documents, or only the "common" ones count; None without
        runs.
    called
        What a and b are called in text.
    """

    ordered_by: tuple[str | None, str | None]
    more_is_better: tuple[bool, bool]
    systems: tuple[System, ...]
    swaps: tuple[Swap, ...]
    ties: int
    values: dict[Coefficient, float]
    evidence: LeaderboardEvidence | None = None
    judged_shares: tuple[JudgedShare, ...] | None = None
    pairs: str | None = None
    called: tuple[str, str] = ("a", "b")

    def __getitem__(self, name: str | Coefficient) -> float:
        found = coefficient(name)
        if found not in self.values:
            have = ", ".join(map(str, self.values))
            raise NotEvaluatedError(f"{found} was not compared", f"this comparison has {have}")
        return self.values[found]

    def _ipython_key_completions_(self) -> list[str]:
        """Return what completes ``comparison["`` in notebooks."""
        return [*map(str, self.values)]

    def p_value(self, name: str | Coefficient = "tau", *, seed: int | None = 0) -> float:
        """Return the two-sided p-value of a correlation; see ``similarity.p_value``."""
        found = coefficient(name)
        sign_a, sign_b = (1.0 if more else -1.0 for more in self.more_is_better)
        a = {system.name: sign_a * system.score_a for system in self.systems}
        b = {system.name: sign_b * system.score_b for system in self.systems}
        return p_value(found.function, a, b, seed=seed, **dict(found.given))

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "ordered_by": list(self.ordered_by),
            "more_is_better": list(self.more_is_better),
            "scores": {str(name): json_number(value) for name, value in self.values.items()},
            "systems": [system._asdict() for system in self.systems],
            "swaps": [swap._asdict() for swap in self.swaps],
            "ties": self.ties,
        } | self._evidence_for_json()

    def _evidence_for_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {}
        if self.evidence is not None:
            written |= {"summary": self.summary, "evidence": evidence_for_json(self.evidence)}
        if self.judged_shares is not None:
            written |= {
                "pairs": self.pairs,
                "judged": [each._asdict() for each in self.judged_shares],
            }
        return written

    def _table(self) -> dict[str, Any]:
        return columns_of([system._asdict() for system in self.systems], *System._fields)

    def _shown(self) -> list[tuple[str, str]]:
        return [(str(name), number(value)) for name, value in self.values.items()]

    @property
    def notes(self) -> list[str]:
        """Lines on what was compared, and the first ten swaps."""
        by = [measure or "the scores given" for measure in self.ordered_by]
        a, b = self.called
        count = len(self.systems)
        pairs = count * (count - 1) // 2
        lines = [
            f"{count:,} {_systems(count)}, {a} by {by[0]}, {b} by {by[1]}: "
            f"{len(self.swaps):,} of {pairs:,} pairs change places, {self.ties:,} tie in one of "
            "the two"
        ]
        lines += [
            f"{swap.rises} rises above {swap.falls}: behind by {-swap.difference_a:.4f} in {a}, "
            f"ahead by {swap.difference_b:.4f} in {b}"
            for swap in self.swaps[:10]
        ]
        if len(self.swaps) > 10:
            lines.append(f"and {len(self.swaps) - 10} more pairs")
        if self.evidence is not None:
            lines += evidence_notes(self.evidence, self.called)
        if self.pairs is not None:
            whose = "its own judged documents" if self.pairs == "own" else "the documents of both"
            lines.append(f"each set of judgments counts {whose}")
        return lines

    @property
    def summary(self) -> str:
        """What decisions depend on which leaderboard is taken, in a sentence; "" if unknown."""
        if self.evidence is None:
            return ""
        measure = " and ".join(dict.fromkeys(map(str, self.ordered_by)))
        return summary_of(self.evidence, self.called, measure, self.values, len(self.systems))

    def to_text(self, *, width: int | None = None, summary: bool = True) -> str:
        """Return the coefficients, the systems with their ranks, and the swaps.

        Parameters
        ----------
        width
            The columns of a line; None for no limit.
        summary
            Whether to begin with the sentence that says which decisions change.
        """
        parts = [f"{self.summary}\n"] if summary and self.summary else []
        parts += [text(*each, 1, width=width) for each in self.text_tables()]
        return fitted("\n".join([*parts, *self.notes]), width)

    def text_tables(self) -> list[TextTable]:
        """Return the tables: the coefficients, the systems with their ranks, and the evidence."""
        if self.evidence is None:
            return [([], [[*row] for row in self._shown()]), self._ranks()]
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

    def __str__(self) -> str:
        """Return ``to_text``, as wide as the terminal, if there is one."""
        return self.to_text(width=line_width())

    def _ranks(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [s.name, f"{s.score_a:.4f}", str(s.rank_a), f"{s.score_b:.4f}", str(s.rank_b)]
            for s in self.systems
        ]
        a, b = self.called
        head = ["system", a, "rank", b, "rank"]
        if self.judged_shares is not None:
            shares = {each.system: each for each in self.judged_shares}
            head += [f"judged by {a}", f"by {b}"]
            for row in rows:
                one = shares[row[0]]
                row += [f"{one.share_a:.4f}", f"{one.share_b:.4f}"]
        return head, rows

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={value}" for name, value in self._shown())
        return one_line(f"LeaderboardComparison({len(self.systems)} systems: {scores})")

    def _page_parts(self) -> PageParts:
        from rankmark.marks.result_page import PageParts, Picture  # noqa: PLC0415

        a, b = self.called
        pictures = []
        if self._has_one_measure:
            pictures = [Picture(f"Score of each system by {a} and by {b}", self._drawn)]
        found = html.paragraph(self.summary) if self.summary else ""
        return PageParts(f"Leaderboards by {a} and {b}", found, pictures, self.tables_html())

    @property
    def _has_one_measure(self) -> bool:
        return self.ordered_by[0] == self.ordered_by[1]

    def _drawn(self, ax: Axes) -> Axes:
        return self.plot(ax=ax)

    def plot(self, *, title: bool = True, ax: Axes | None = None) -> Axes:
        """Plot the score of each system in b against that in a, with the line of equality.

        Parameters
        ----------
        title
            Whether there is a title.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        InputError
            If the leaderboards are by different measures, or ``ax`` is not Axes.
        """
        if not self._has_one_measure:
            raise InputError(
                f"the scores are {' and '.join(map(str, self.ordered_by))}, which have no common "
                "scale",
                "plot leaderboards by one measure, such as those of two sets of judgments",
            )
        from rankmark.marks.equality import draw_equality  # noqa: PLC0415
        from rankmark.marks.figures import axes  # noqa: PLC0415

        measure, count, (a, b) = self.ordered_by[0] or "score", len(self.systems), self.called
        name, value = next(iter(self.values.items()))
        heading = f"{measure} of {count:,} {_systems(count)}, {name} {value:.2f}"
        with axes(ax) as canvas:
            draw_equality(
                canvas,
                np.array([one.score_a for one in self.systems]),
                np.array([one.score_b for one in self.systems]),
                [one.name for one in self.systems],
                title=heading if title else "",
                labels=(f"{measure} by {a}", f"{measure} by {b}"),
                what=("system", "systems"),
                judge=b,
            )
        return canvas

    def _repr_html_(self) -> str:
        told = [html.paragraph(self.summary)] if self.summary else []
        return html.page(*told, self.tables_html())


def _systems(count: int) -> str:
    return "system" if count == 1 else "systems"
