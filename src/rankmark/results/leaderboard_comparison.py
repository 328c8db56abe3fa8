"""What comparing leaderboards gives: coefficients, systems, and which change places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import MeasureError
from rankmark.formatting.result import Result, as_html, columns_of, json_number
from rankmark.formatting.text_tables import text
from rankmark.similarity import p_value
from rankmark.similarity.coefficient_names import coefficient
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.similarity import Coefficient

SCHEMA = 1
"""Version of what ``to_dict`` writes; it rises when a field changes its meaning or goes."""


class System(NamedTuple):
    """A system's scores, and its ranks from 1; systems that tie share the first of their ranks."""

    name: str
    score_a: float
    rank_a: int
    score_b: float
    rank_b: int


class Swap(NamedTuple):
    """Two systems that the leaderboards have in opposite order: one rises above the other in b.

    ``difference_a`` and ``difference_b`` are the score of ``rises`` less that of ``falls``: below 0
    in a, the baseline, and above 0 in b.
    """

    rises: str
    falls: str
    difference_a: float
    difference_b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardComparison(Result):
    """How alike two leaderboards are.

    Parameters
    ----------
    ordered_by
        The measure that orders a, and that of b; None where scores were given.
    systems
        All systems, in the order of a.
    swaps
        Pairs in opposite order, those first that are furthest apart in a.
    ties
        How many pairs tie in one leaderboard and not in the other.
    values
        {coefficient: value}; NaN below two systems, and where all of one tie.
    """

    ordered_by: tuple[str | None, str | None]
    systems: tuple[System, ...]
    swaps: tuple[Swap, ...]
    ties: int
    values: dict[Coefficient, float]

    def __getitem__(self, name: str | Coefficient) -> float:
        wanted = coefficient(name)
        if wanted not in self.values:
            have = ", ".join(map(str, self.values))
            raise MeasureError(f"{wanted} was not compared; this comparison has {have}")
        return self.values[wanted]

    def p_value(self, name: str | Coefficient = "tau", *, seed: int | None = 0) -> float:
        """Say how likely so high a correlation, or so low a one, is by chance.

        See ``similarity.p_value``, which takes correlations alone.
        """
        wanted = coefficient(name)
        a = {one.name: one.score_a for one in self.systems}
        b = {one.name: one.score_b for one in self.systems}
        return p_value(wanted.function, a, b, seed=seed, **dict(wanted.given))

    def to_dict(self) -> dict[str, Any]:
        """Write everything as JSON knows it; NaN becomes None."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "ordered_by": list(self.ordered_by),
            "scores": {str(one): json_number(value) for one, value in self.values.items()},
            "systems": [one._asdict() for one in self.systems],
            "swaps": [one._asdict() for one in self.swaps],
            "ties": self.ties,
        }

    def _table(self) -> dict[str, Any]:
        return columns_of([one._asdict() for one in self.systems], *System._fields)

    def _shown(self) -> list[tuple[str, str]]:
        return [(str(one), f"{value:.4f}") for one, value in self.values.items()]

    @property
    def notes(self) -> list[str]:
        """Say what was compared, and which systems change places: the first ten pairs."""
        by = [one or "the scores given" for one in self.ordered_by]
        pairs = len(self.systems) * (len(self.systems) - 1) // 2
        lines = [
            f"{len(self.systems)} systems, a by {by[0]}, b by {by[1]}: {len(self.swaps)} of "
            f"{pairs} pairs change places, {self.ties} tie in one of the two"
        ]
        lines += [
            f"{one.rises} rises above {one.falls}: behind by {-one.difference_a:.4f} in a, ahead "
            f"by {one.difference_b:.4f} in b"
            for one in self.swaps[:10]
        ]
        if len(self.swaps) > 10:
            lines.append(f"and {len(self.swaps) - 10} more pairs")
        return lines

    def __str__(self) -> str:
        """Write the coefficients, the systems with their ranks, and which change places."""
        rows = [
            (s.name, f"{s.score_a:.4f}", str(s.rank_a), f"{s.score_b:.4f}", str(s.rank_b))
            for s in self.systems
        ]
        table = text(("system", "a", "rank", "b", "rank"), rows, 1)
        values = text([], self._shown(), 1)
        return "\n".join([values, table, *self.notes])

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={value}" for name, value in self._shown())
        return f"LeaderboardComparison({len(self.systems)} systems: {scores})"

    def _repr_html_(self) -> str:
        return as_html(self._shown(), self.notes)
