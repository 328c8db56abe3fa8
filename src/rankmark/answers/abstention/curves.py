"""How well confidence tells queries apart: areas under curves, and decisions at thresholds."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats, Ints

Tied = Literal["mean", "input"]
RATES = tuple(np.linspace(0.0, 1.0, 11)[:-1].tolist())
"""The shares of queries left out for nAUC, as MTEB has them: 0, 0.1, ..., 0.9."""


class Judged(NamedTuple):
    """Queries: (n,) each.

    Parameters
    ----------
    confidence
        float64, greater is surer; minus infinity for a query for which nothing was returned.
    value
        float64, of the measure, 0 to 1; 0 for an unanswerable query.
    answerable
        bool, whether the query has a relevant document.
    """

    confidence: Floats
    value: Floats
    answerable: Bools

    def at(self, rows: Ints) -> Judged:
        """Return the queries with these numbers: (m,) int64."""
        return Judged(self.confidence[rows], self.value[rows], self.answerable[rows])


class Decisions(NamedTuple):
    """What happens at each of T thresholds, if queries are answered from there on: (T,) each.

    Parameters
    ----------
    threshold
        float64.
    answered
        The share of all queries that are answered.
    recall
        The share of the answerable queries that are answered; NaN if there are none.
    false_positive_rate
        The share of the unanswerable queries that are answered; NaN if there are none.
    precision
        The share of the queries not answered that are unanswerable; NaN if all are answered.
    f1
        F1 of not answering as a sign of unanswerable queries, 2 TP / (2 TP + FP + FN); NaN if
        there are none.
    value
        The mean over all queries of the measure, where a query that is not answered counts 1 if it
        is unanswerable, and 0 otherwise.
    """

    threshold: Floats
    answered: Floats
    recall: Floats
    false_positive_rate: Floats
    precision: Floats
    f1: Floats
    value: Floats


def auroc(judged: Judged) -> float:
    """Return the probability that an answerable query has more confidence than another.

    Pairs with the same confidence count half. NaN without queries of both kinds.
    """
    answerable = int(judged.answerable.sum())
    others = len(judged.answerable) - answerable
    if not answerable or not others:
        return math.nan
    _, kind, counts = np.unique(judged.confidence, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks = float(middle[kind][judged.answerable].sum())
    return (ranks - answerable * (answerable + 1) / 2) / (answerable * others)


def kept_means(confidence: Floats, values: Floats, tied: Tied = "mean") -> Floats:
    """Return the mean value of the 1, 2, ..., n queries with the most confidence: (n,) float64.

    Parameters
    ----------
    tied
        "mean" takes the expected value over all orders of queries with the same confidence, which
        is exact; "input" keeps the last of them first, as MTEB drops those that come first.
    """
    order = np.argsort(confidence, kind="stable")[::-1]
    place = np.arange(1, len(order) + 1)
    if tied == "input":
        return np.cumsum(values[order]) / place
    starts = np.flatnonzero(np.append(True, np.diff(_codes(confidence[order])) != 0)[: len(order)])
    counts = np.diff(starts, append=len(order))
    # Sorted, so that a sum does not depend on the order of the queries.
    sums = np.add.reduceat(values[np.lexsort((values, -_codes(confidence)))], starts)
    own, above = sums / counts, np.append(0.0, np.cumsum(sums)[:-1])
    mean, first, before = (np.repeat(each, counts) for each in (own, starts, above))
    return mean + (before - first * mean) / place


def _codes(confidence: Floats) -> Floats:
    """Return the number of each distinct confidence: infinite ones have no differences."""
    return np.unique(confidence, return_inverse=True)[1].astype(np.float64)


def risk_coverage(judged: Judged, tied: Tied = "mean") -> tuple[Floats, Floats]:
    """Return the shares of queries answered, surest first, and the risk of each: (n,) and (n,).

    The risk is one minus the mean value of the queries answered.
    """
    n = len(judged.value)
    return np.arange(1, n + 1) / n, 1.0 - kept_means(judged.confidence, judged.value, tied)


def aurc(judged: Judged, tied: Tied = "mean") -> float:
    """Return the area under the risk-coverage curve: the mean risk over all coverages."""
    return float(risk_coverage(judged, tied)[1].mean())


def nauc(judged: Judged, tied: Tied = "mean", rates: tuple[float, ...] = RATES) -> float:
    """Return the normalised area under the abstention curve, as MTEB computes it.

    The mean value of the queries left if the least sure are left out, at each rate; from 0 for no
    effect to 1 for leaving out those with the lowest values. NaN if that has no effect either.
    """
    values, n = judged.value, len(judged.value)
    flat = kept_means(np.zeros(n), values)[-1]
    left = [n - min(round(rate * n), n - 1) for rate in rates]
    areas = []
    for key, order in ((judged.confidence, tied), (values, "mean")):
        gained = kept_means(key, values, order)[np.array(left) - 1] - flat
        areas.append(float(np.sum((gained[1:] + gained[:-1]) / 2 * np.diff(rates))))
    return areas[0] / areas[1] if areas[1] > 1e-12 else math.nan


def decisions(judged: Judged, thresholds: Floats) -> Decisions:
    """Return what happens at each threshold."""
    order = np.argsort(judged.confidence, kind="stable")
    confidence, answerable = judged.confidence[order], judged.answerable[order]
    returned = np.isfinite(confidence)
    none = int((~returned).sum())
    silent = np.maximum(np.searchsorted(confidence, thresholds, side="left"), none)
    n, unanswerable = len(order), int((~answerable).sum())
    right = np.append(0, np.cumsum(~answerable))[silent].astype(np.float64)
    lost = silent - right
    kept = np.append(0.0, np.cumsum(judged.value[order][::-1]))[n - silent]
    with np.errstate(invalid="ignore", divide="ignore"):
        wrong, found = unanswerable - right, n - unanswerable - lost
        f1 = 2 * right / (2 * right + lost + wrong)
        return Decisions(
            threshold=thresholds,
            answered=(n - silent) / n,
            recall=found / np.float64(n - unanswerable),
            false_positive_rate=wrong / np.float64(unanswerable),
            precision=right / silent,
            f1=f1 if unanswerable else np.full(len(thresholds), np.nan),
            value=(kept + right) / n,
        )


def candidates(judged: Judged) -> Floats:
    """Return the thresholds that decide differently: each confidence, and infinity for none."""
    found: Floats = np.unique(judged.confidence[np.isfinite(judged.confidence)])
    return np.append(found, math.inf)
