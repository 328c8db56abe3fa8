"""Weights of rewards, and the value of a ranking that they estimate: arrays alone."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.clicks.analysis_units import Unit
from rankmark.statistics import Interval
from rankmark.statistics.confidence_intervals import quantile_of_t
from rankmark.statistics.query_weights import effective_number

_TINY = 1e-300


class Wanted(NamedTuple):
    """What is asked for.

    Attributes
    ----------
    k
        How many documents of a list count; None for all.
    clip
        The largest weight.
    reward, unit
        The column of what is earned, and what is independent, such as users.
    """

    k: int | None
    clip: float
    reward: str
    unit: Unit


class Shown(NamedTuple):
    """Documents that were shown with known probabilities, those of an issue in order of rank.

    Attributes
    ----------
    issue, rank
        (n,) int64; issues are numbered from 0, in order.
    reward
        (n,) float64.
    ratio
        (n,) float64: how likely the new ranking has the document at this rank, divided by how
        likely the log had it there.
    predicted, expected
        (n,) float64 of a model: the reward of the document, and the mean reward of the new ranking
        at this rank; 0 without a model.
    issues
        How many there are, those without documents too.
    """

    issue: Ints
    rank: Ints
    reward: Floats
    ratio: Floats
    predicted: Floats
    expected: Floats
    issues: int


class Earned(NamedTuple):
    """What issues contribute to the value of the new ranking.

    Attributes
    ----------
    values
        (issues,) float64, whose mean is the value.
    rewards
        (issues,) float64, weighted rewards alone.
    weights
        (m,) float64, of issues, or of documents.
    clipped
        How many weights were too large.
    effective_n
        How many issues of equal weight would be worth as much: at the rank for which these are
        fewest, of those that half of the issues have.
    """

    values: Floats
    rewards: Floats
    weights: Floats
    clipped: int
    effective_n: float


def sums(numbers: Ints, values: Any, n: int) -> Floats:
    """Add up values by the numbers of what they belong to, from 0 to n - 1."""
    return np.bincount(numbers, weights=values, minlength=n).astype(np.float64, copy=False)


def earned(shown: Shown, method: str, clip: float) -> Earned:
    """Weigh rewards by one of the methods that need probabilities."""
    issue, reward = shown.issue, shown.reward
    through, before = _products(issue, shown.ratio)

    def by_issue(values: Floats) -> Floats:
        return sums(issue, values, shown.issues)

    if method in {"IPS", "SNIPS"}:  # an empty list is as likely with any ranking
        raw = np.ones(shown.issues)
        raw[issue] = through  # of the last document, which all products lead to
    else:
        raw = shown.ratio if method.startswith("independent") else through
    weights, clipped = np.minimum(raw, clip), int((raw > clip).sum())
    if method in {"IPS", "SNIPS"}:
        sums_of_issues = by_issue(reward)
        rewards = values = weights * sums_of_issues
        if method == "SNIPS":
            total = float(weights.sum())
            mean = float(rewards.sum()) / total if total else math.nan
            values = mean + weights * (sums_of_issues - mean) / (total / len(weights) or 1.0)
        return Earned(values, rewards, weights, clipped, effective_number(weights))
    _, at = np.unique(shown.rank, return_inverse=True)
    issues, totals = np.bincount(at), sums(at, weights, 0)
    by_rank = totals**2 / np.maximum(sums(at, weights**2, 0), _TINY)
    effective = by_rank[2 * issues >= shown.issues].min(initial=shown.issues)
    rewards = values = by_issue(weights * reward)
    if method == "doubly-robust":
        corrected = weights * (reward - shown.predicted) + np.minimum(before, clip) * shown.expected
        values = by_issue(corrected)
    elif method.endswith("SNIPS"):
        means = np.full(len(totals), np.nan)
        np.divide(sums(at, weights * reward, 0), totals, out=means, where=totals > 0)
        scaled = weights * issues[at] / np.where(totals > 0, totals, 1.0)[at]
        values = by_issue(means[at] + scaled * (reward - means[at]))
    return Earned(values, rewards, weights, clipped, float(effective))


def _products(issue: Ints, ratio: Floats) -> tuple[Floats, Floats]:
    """Return products of the ratios of each list, down to each document and down to that before."""
    first = np.r_[True, issue[1:] != issue[:-1]][: len(issue)]
    place = np.arange(len(issue)) - np.maximum.accumulate(np.where(first, np.arange(len(issue)), 0))
    through, before = ratio.copy(), np.ones(len(ratio))
    for depth in range(1, int(place.max(initial=0)) + 1):
        rows = np.flatnonzero(place == depth)
        before[rows] = through[rows - 1]
        through[rows] = before[rows] * ratio[rows]
    return through, before


class Units(NamedTuple):
    """What is independent, such as users, over which means are taken.

    Attributes
    ----------
    sizes
        (units,) float64, the issues of each.
    unit
        What they are.
    """

    sizes: Floats
    unit: Unit

    def error(self, sums: Floats) -> float:
        """Return the standard error of the mean over issues of what each unit sums up to."""
        issues, units = float(self.sizes.sum()), len(self.sizes)
        if units < 2:
            return math.nan
        spread = float(((sums - float(sums.sum()) / issues * self.sizes) ** 2).sum())
        return math.sqrt(units / (units - 1) * spread) / issues

    def interval(
        self, sums: Floats, *, degrees: float, confidence: float, refused: str
    ) -> Interval:
        """Return that mean with its interval by t."""
        issues, units = float(self.sizes.sum()), len(self.sizes)
        mean, half = float(sums.sum()) / issues, math.nan
        if units < 2 and not refused:
            refused = f"1 {self.unit}"
        if not refused:
            most = max(1.0, min(degrees, units - 1.0))
            half = quantile_of_t(most, confidence) * self.error(sums)
        return Interval(
            mean,
            mean - half,
            mean + half,
            confidence,
            "mean",
            "t",
            int(issues),
            clusters=None if self.unit == "issue" else units,
            undefined=refused,
        )


class Rewards(NamedTuple):
    """Sums by what is independent, and what tells how far to believe them.

    Attributes
    ----------
    values, rewards, logged
        (units,) float64: what adds up to the value of the new ranking, weighted rewards alone, and
        rewards as logged.
    units
        What is independent.
    weights
        (m,) float64, of issues, documents or clicks.
    clipped
        How many of them were too large.
    effective_n
        How many equal weights would be worth as much.
    unsupported
        The share of the new ranking of which the log knows nothing; NaN if it does not tell.
    left_out
        Issues of queries that the new ranking does not answer.
    beyond
        Rewarded documents at ranks whose examination is unknown.
    """

    values: Floats
    rewards: Floats
    logged: Floats
    units: Units
    weights: Floats
    clipped: int
    effective_n: float
    unsupported: float
    left_out: int
    beyond: int
