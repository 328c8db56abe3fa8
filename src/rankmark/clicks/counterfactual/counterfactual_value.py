"""The result of ``counterfactual``: a value, its interval, and how far to believe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmark.errors import counted
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import number, percent
from rankmark.results.result import interval_for_json
from rankmark.results.shown_result import TabledResult

if TYPE_CHECKING:
    from rankmark.statistics import Interval


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CounterfactualValue(TabledResult):
    """What another ranking would have earned for each issue of a query.

    Parameters
    ----------
    value
        The mean reward of an issue under the new ranking, with its interval; NaN if it is refused.
    logged
        The mean reward of the same issues as logged.
    difference
        The value minus that, with its interval; NaN if it is refused.
    error
        The standard error of the value.
    refused
        Why there is no value, or "".
    effective_n
        How many equal weights would be worth as much: of issues, or of clicks by item and position.
    effective_rewards
        How many users, or issues, with equal weighted rewards would be worth as much.
    largest_weight, mean_weight
        Of the weights.
    clipped
        How many weights were too large.
    unsupported
        The share of the new ranking of which the log knows nothing; NaN if it does not tell.
    issues, left_out
        Issues that count, and those of queries that the new ranking does not answer.
    beyond
        Clicks at ranks whose examination is unknown, which do not count.
    settings
        All choices.
    """

    value: Interval
    logged: float
    difference: Interval
    error: float
    refused: str
    effective_n: float
    effective_rewards: float
    largest_weight: float
    mean_weight: float
    clipped: int
    unsupported: float
    issues: int
    left_out: int
    beyond: int
    settings: Mapping[str, Any]

    @property
    def headline(self) -> str:
        """The value, or why there is none."""
        if self.refused:
            return f"No value: {self.refused}."
        reward = self.settings["reward"]
        return (
            f"The new ranking would have earned {number(self.value.estimate)} {reward}s an issue, "
            f"and earned were {number(self.logged)}: a difference of "
            f"{number(self.difference.estimate, '+')} {self._ends(self.difference, '+')}."
        )

    def _ends(self, one: Interval, sign: str) -> str:
        if one.undefined:
            return "" if self.refused else f"({one.undefined})"
        return f"[{number(one.low, sign)}, {number(one.high, sign)}]"

    @property
    def notes(self) -> list[str]:
        """The lines below the table."""
        of = "clicks" if self.settings["method"] == "item-position" else "issues"
        lines = [
            f"effective sample size: {self.effective_n:,.1f} {of} by weights, "
            f"{self.effective_rewards:,.1f} {self.settings['unit']}s by weighted rewards",
            f"weights: mean {number(self.mean_weight)}, largest {self.largest_weight:,.4g}"
            + (f", {self.clipped:,} clipped" if self.clipped else ""),
        ]
        if self.unsupported > 0:
            lines.append(
                f"{percent(self.unsupported)} of looks at the new ranking are for documents that "
                "were never shown for the query, and count as 0: the value is a lower bound"
                if of == "clicks"
                else f"{percent(self.unsupported)} of the new ranking was never shown at its rank"
            )
        if self.left_out:
            lines.append(
                f"left out: {counted(self.left_out, 'issue')} of queries that the new ranking does "
                "not answer"
            )
        if self.beyond:
            lines.append(
                f"left out: {counted(self.beyond, 'click')} at ranks whose examination is unknown"
            )
        chosen = " ".join(
            f"{name}={value}" for name, value in self.settings.items() if value is not None
        )
        return [*lines, f"conventions: {chosen}"]

    def _grids(self) -> list[MarkedTable]:
        rows = [
            ["new ranking", number(self.value.estimate), self._ends(self.value, "")],
            ["as logged", number(self.logged), ""],
            ["difference", number(self.difference.estimate, "+"), self._ends(self.difference, "+")],
        ]
        interval = f"{100 * self.settings['confidence']:.6g}% interval"
        head = ["", self.settings["reward"], interval]
        return [MarkedTable(head, rows, caption=self.headline, label="tab:counterfactual")]

    def _table(self) -> dict[str, Any]:
        return {
            "method": [self.settings["method"]],
            "value": [self.value.estimate],
            "low": [self.value.low],
            "high": [self.value.high],
            "error": [self.error],
            "logged": [self.logged],
            "difference": [self.difference.estimate],
            "difference_low": [self.difference.low],
            "difference_high": [self.difference.high],
            "effective_n": [self.effective_n],
            "effective_rewards": [self.effective_rewards],
            "largest_weight": [self.largest_weight],
            "mean_weight": [self.mean_weight],
            "unsupported": [self.unsupported],
            "n": [self.issues],
            "left_out": [self.left_out],
        }

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        difference_low, difference_high
            The ends of the interval of the difference.
        """
        return {
            "value": interval_for_json(self.value),
            "logged": self.logged,
            "difference": interval_for_json(self.difference),
            "error": self.error,
            "refused": self.refused,
            "effective_n": self.effective_n,
            "effective_rewards": self.effective_rewards,
            "largest_weight": self.largest_weight,
            "mean_weight": self.mean_weight,
            "clipped": self.clipped,
            "unsupported": self.unsupported,
            "issues": self.issues,
            "left_out": self.left_out,
            "beyond": self.beyond,
            "settings": self.settings,
            "notes": self.notes,
        }
