"""The result of ``compare_interleaved``: a preference, its test, and the checks of the log."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmark.errors import counted
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import number, percent
from rankmark.results.result import Row, interval_for_json
from rankmark.results.shown_result import TabledResult

if TYPE_CHECKING:
    from rankmark.statistics import Interval

_SMALLEST = 0.0001  # p that is written
_UNFAIR = 0.001  # p of a coin, adjusted for the number of ranks


@dataclass(frozen=True, slots=True)
class TeamsAtRank(Row):
    """How often each team has a rank of the lists.

    Parameters
    ----------
    rank
        The rank, from 1.
    a, b
        Documents of the first and of the second team at this rank.
    p, adjusted_p
        Of a fair coin, two-sided, and adjusted for the number of ranks (Holm).
    """

    rank: int
    a: int
    b: int
    p: float
    adjusted_p: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class InterleavingComparison(TabledResult):
    """Which of two rankings users prefer, by their clicks on interleaved lists.

    Parameters
    ----------
    teams
        The names of both; numbers above 0 are for the first.
    wins, losses, ties
        Units, such as users, that prefer the first, the second, and neither.
    p
        Of the sign test of wins and losses, two-sided.
    win_share
        The share of wins among units that are no ties, with the interval that inverts the sign
        test.
    credit_share
        The mean of (a - b) / (a + b) over units with credits a and b, with its interval.
    credits
        How many documents count for each team.
    issues, credited
        Issues of queries, and those with credits.
    identical
        Issues for which both rankings are the same, which say nothing; None if the log does not
        tell.
    teams_at_rank
        How often each team has each rank.
    settings
        All choices.
    """

    teams: tuple[str, str]
    wins: int
    losses: int
    ties: int
    p: float
    win_share: Interval
    credit_share: Interval
    credits: tuple[int, int]
    issues: int
    credited: int
    identical: int | None
    teams_at_rank: tuple[TeamsAtRank, ...]
    settings: Mapping[str, Any]

    @property
    def units(self) -> int:
        """How many users there are, or issues."""
        return self.wins + self.losses + self.ties

    @property
    def preference(self) -> float:
        """(wins + ties / 2) / units - 1/2."""
        return (self.wins - self.losses) / (2 * self.units) if self.units else math.nan

    @property
    def effective(self) -> int:
        """How many issues could tell both rankings apart, as far as the log says."""
        return self.issues - (self.identical or 0)

    @property
    def unfair(self) -> tuple[TeamsAtRank, ...]:
        """The ranks whose teams no fair coin chose: the log is then not to be believed."""
        return tuple(one for one in self.teams_at_rank if one.adjusted_p < _UNFAIR)

    @property
    def headline(self) -> str:
        """Which ranking is preferred, or why that is not known."""
        first, second = self.teams
        if self.unfair:
            one = self.unfair[0]
            return (
                f"No verdict: at rank {one.rank:,}, {one.a:,} documents are of {first} and "
                f"{one.b:,} of {second}, which no fair coin gives."
            )
        if self.settings["aa"]:
            if self.credit_share.undefined:
                return f"The A/A test says nothing: {self.credit_share.undefined}."
            within = self.credit_share.low <= 0 <= self.credit_share.high
            found = "includes 0, as it should" if within else "does not include 0: find out why"
            return f"A/A test: the interval of the mean share of credits {found}."
        p = f"p {self.p:.4f}" if self.p >= _SMALLEST else f"p below {_SMALLEST}"
        told = f"{number(self.preference, '+')} by sign test, {p}"
        if not self.p < 1 - self.settings["confidence"]:
            return f"Neither {first} nor {second} is preferred significantly ({told})."
        best, other = (first, second) if self.wins > self.losses else (second, first)
        return f"{best} is preferred to {other} ({told})."

    @property
    def notes(self) -> list[str]:
        """The lines below the tables."""
        lines = [
            f"{self.settings['unit']}s: {self.wins:,} prefer {self.teams[0]}, {self.losses:,} "
            f"{self.teams[1]}, {self.ties:,} neither",
            f"issues: {self.issues:,}, of which {self.credited:,} have credits",
        ]
        if self.identical is None:
            lines.append(
                "the log does not tell for which issues both rankings are the same; that takes "
                "the columns rank_a and rank_b"
            )
        else:
            lines.append(
                f"both rankings are the same for {self.identical:,} issues "
                f"({percent(self.identical / max(1, self.issues))}), which say nothing; "
                f"{counted(self.effective, 'issue')} could tell them apart"
            )
        if self.settings["method"] == "balanced":
            lines.append(
                "balanced interleaving is biased: if one ranking is the other shifted by a place, "
                "clicks at random favour one of them"
            )
        if not self.teams_at_rank:
            lines.append("without ranks or teams, whether the coin was fair is not checked")
        chosen = " ".join(f"{name}={value}" for name, value in self.settings.items())
        return [*lines, f"conventions: {chosen}"]

    def _grids(self) -> list[MarkedTable]:
        rows = [
            ["preference", number(self.preference, "+"), "", f"{self.units:,}"],
            ["share of wins", *_with_ends(self.win_share, ""), f"{self.win_share.n:,}"],
            [
                "mean share of credits",
                *_with_ends(self.credit_share, "+"),
                f"{self.credit_share.n:,}",
            ],
        ]
        ends = f"{100 * self.settings['confidence']:.6g}% interval"
        head = ["", "value", ends, f"{self.settings['unit']}s"]
        tables = [MarkedTable(head, rows, caption=self.headline, label="tab:interleaving")]
        if self.teams_at_rank:
            places = [
                [f"{one.rank:,}", f"{one.a:,}", f"{one.b:,}", f"{one.adjusted_p:.4f}"]
                for one in self.teams_at_rank
            ]
            tables.append(
                MarkedTable(
                    ["rank", *self.teams, "adjusted p"],
                    places,
                    caption="Documents of each team by rank.",
                    label="tab:teams",
                )
            )
        return tables

    def _table(self) -> dict[str, Any]:
        found = (self.win_share, self.credit_share)
        return {
            "name": ["preference", "share of wins", "mean share of credits"],
            "value": [self.preference, *(one.estimate for one in found)],
            "low": [math.nan, *(one.low for one in found)],
            "high": [math.nan, *(one.high for one in found)],
            "n": [self.units, *(one.n for one in found)],
        }

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        teams
            The names of both; numbers above 0 are for the first.
        effective
            Issues that could tell both rankings apart.
        unfair
            The ranks whose teams no fair coin chose.
        """
        return {
            "teams": self.teams,
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            "p": self.p,
            "preference": self.preference,
            "win_share": interval_for_json(self.win_share),
            "credit_share": interval_for_json(self.credit_share),
            "credits": self.credits,
            "issues": self.issues,
            "credited": self.credited,
            "identical": self.identical,
            "effective": self.effective,
            "unfair": [one.rank for one in self.unfair],
            "teams_at_rank": self.teams_at_rank,
            "settings": self.settings,
            "notes": self.notes,
        }


def _with_ends(one: Interval, sign: str) -> list[str]:
    ends = one.undefined or f"[{number(one.low, sign)}, {number(one.high, sign)}]"
    return [number(one.estimate, sign), ends]
