"""How many human labels an estimate with a model's labels needs, and what these are worth."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from rankmark.arguments import above_zero, share, whole
from rankmark.errors import InputError, shown
from rankmark.statistics.confidence_intervals import quantile_of_t
from rankmark.statistics.scipy_functions import special

_MOST = 1_000_000_000


class LabelsNeeded(NamedTuple):
    """Queries that people have to judge.

    Attributes
    ----------
    with_model, alone
        With the labels of the model, and without; None if all queries would not suffice.
    """

    with_model: int | None
    alone: int | None


def variance_ratio(n: int, correlation: float, queries: int | None = None) -> float:
    """Return the variance with the model's labels over that without, at the best lambda [1]_.

    Parameters
    ----------
    n
        Queries judged by people.
    correlation
        Of a query's score by people with that by the model; below 0 the model is of no use.
    queries
        All queries with labels of the model; None for as many as one likes.

    References
    ----------
    .. [1] Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient prediction-powered inference,
       arXiv 2311.01453, proposition 2.
    """
    others = 1.0 if queries is None else max(queries - n, 0) / queries
    return 1 - max(correlation, 0.0) ** 2 * others


def effective_labels(n: int, correlation: float, queries: int | None = None) -> float:
    """Return how many queries judged by people alone would be worth as much [1]_.

    References
    ----------
    .. [1] Broska, Howes and van Loon 2024, The mixed subjects design: treating large language
       models as potentially informative observations, Sociological Methods & Research.

    Examples
    --------
    >>> round(effective_labels(30, 0.9, 330), 1)
    113.8
    """
    _checked(correlation, queries)
    ratio = variance_ratio(whole("n", n), correlation, queries)
    return n / ratio if ratio > 0 else math.inf


def labels_for_half_width(
    half_width: float,
    spread: float,
    correlation: float,
    *,
    queries: int | None = None,
    confidence: float = 0.95,
) -> LabelsNeeded:
    """Return how many queries people have to judge for an interval so narrow.

    Parameters
    ----------
    half_width
        How far the interval may reach on each side, in units of the scores.
    spread
        Standard deviation of people's scores over queries.
    correlation, queries
        As ``variance_ratio`` has them.
    confidence
        Of the interval.

    Examples
    --------
    >>> labels_for_half_width(0.05, 0.3, 0.9, queries=2_000)
    LabelsNeeded(with_model=31, alone=141)
    """
    half_width, spread = above_zero("half_width", half_width), above_zero("spread", spread)
    confidence = share("confidence", confidence)
    _checked(correlation, queries)

    def reaches(n: int, rho: float) -> bool:
        ratio = variance_ratio(n, rho, queries)
        return quantile_of_t(n - 1, confidence) * spread * math.sqrt(ratio / n) <= half_width

    return LabelsNeeded(
        _fewest(lambda n: reaches(n, correlation), queries),
        _fewest(lambda n: reaches(n, 0.0), None),
    )


def labels_for_difference(
    difference: float,
    spread: float,
    correlation: float,
    *,
    queries: int | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> LabelsNeeded:
    """Return how many queries people have to judge to find a true difference as often as asked.

    Parameters
    ----------
    difference
        The true mean difference, not 0.
    spread
        Standard deviation of the differences by human labels.
    correlation, queries
        As ``variance_ratio`` has them, of differences.
    power, level
        How often it must be found, and the level of the two-sided test.

    Examples
    --------
    >>> labels_for_difference(0.05, 0.2, 0.8, queries=2_000)
    LabelsNeeded(with_model=50, alone=128)
    """
    effect = above_zero("difference", abs(difference)) / above_zero("spread", spread)
    power, level = share("power", power), share("level", level)
    _checked(correlation, queries)

    def finds(n: int, rho: float) -> bool:
        ratio = variance_ratio(n, rho, queries)
        if ratio <= 0:
            return True
        shift = effect * math.sqrt(n / ratio)
        critical = quantile_of_t(n - 1, 1 - level)
        if shift > 30:  # nctdtr loses its digits there
            return bool(special.ndtr(shift - critical) >= power)
        return bool(1 - special.nctdtr(n - 1, shift, critical) >= power)

    return LabelsNeeded(
        _fewest(lambda n: finds(n, correlation), queries), _fewest(lambda n: finds(n, 0.0), None)
    )


def _fewest(enough: Callable[[int], bool], most: int | None) -> int | None:
    """Return the smallest number, at least 2, from which on it is enough; None beyond ``most``."""
    limit = _MOST if most is None else most
    low, high = 1, 2
    while high <= limit and not enough(high):
        low, high = high, 2 * high
    if high > limit:
        if not (low < limit and enough(limit)):
            return None
        high = limit
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _checked(correlation: float, queries: int | None) -> None:
    is_number = isinstance(correlation, int | float) and not isinstance(correlation, bool)
    if not is_number or not -1 <= correlation <= 1:
        raise InputError(f"correlation is {shown(correlation)}", "need a number from -1 to 1")
    if queries is not None:
        whole("queries", queries)
