"""The result of every paired test: the p-value, and what is needed to interpret it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankmark.array_types import Floats
from rankmark.statistics.score_arrays import NO_QUERY, Alternative, queries


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The result of a test of two systems on the same queries.

    Parameters
    ----------
    test
        Its name, such as "randomisation".
    null
        What p takes to be true, in words.
    alternative
        "two-sided"; "greater" or "less" if only a better or only a worse other system counts.
    n
        Queries that the test looks at.
    left_out
        Queries with a NaN score from one of the two.
    nonzero
        Differences that are not zero; of clusters where there are some.
    clusters
        Number of clusters that the queries belong to, or None.
    difference
        Mean difference, weighted if queries are, the other minus the baseline; NaN without queries.
    statistic, statistic_name
        What was compared, and what it is called.
    p
        The p-value, above 0 and at most 1; NaN where ``undefined`` says why. Only a t test may
        give a p too small for a double, as 0.
    smallest_p
        The smallest p that these queries and resamples can give; 0 where it has no limit.
    method
        How p was found, such as "all 16 signs" or "t distribution, 49 degrees of freedom".
    resamples, seed
        Of what was drawn, or None.
    effective_n
        How many queries of equal weight would be worth as much, or None without weights.
    undefined
        Why there is no p, or "".
    warning
        What to know when reading p, or "".
    """

    test: str
    null: str
    alternative: Alternative
    n: int
    left_out: int
    nonzero: int
    difference: float
    statistic: float
    statistic_name: str
    p: float
    smallest_p: float
    method: str
    clusters: int | None = None
    resamples: int | None = None
    seed: int | None = None
    effective_n: float | None = None
    undefined: str = ""
    warning: str = ""


def undefined_for_counts(n: int, nonzero: int) -> str:
    """Return why a test has no p-value on so few queries, or ""."""
    if n == 0:
        return NO_QUERY
    return f"all differences are 0 ({queries(n)})" if nonzero == 0 else ""


def smallest_of_signs(nonzero: int, alternative: Alternative) -> float:
    """Return the smallest p that signs of so many differences allow."""
    if nonzero == 0:
        return 1.0
    return float(math.ldexp(2.0 if alternative == "two-sided" else 1.0, -nonzero))


def floor_warning(smallest: float) -> str:
    """Warn where no p-value can be below the usual level."""
    if smallest <= 0.05:
        return ""
    return f"no p-value below {smallest:.3g} is possible with so few differences that are not 0"


def p_of_tails(
    lower_tail: Callable[[float], float], statistic: float, alternative: Alternative
) -> float:
    """Return the p-value of a statistic whose distribution is symmetric about 0."""
    if alternative == "two-sided":
        return min(1.0, 2 * float(lower_tail(-abs(statistic))))
    return float(lower_tail(-statistic if alternative == "greater" else statistic))


def without_p(
    differences: Floats, test: str, null: str, alternative: Alternative, left_out: int = 0
) -> PairedTest:
    """Return the fields of a result without a p-value."""
    n, nonzero = len(differences), int(np.count_nonzero(differences))
    return PairedTest(
        test=test,
        null=null,
        alternative=alternative,
        n=n,
        left_out=left_out,
        nonzero=nonzero,
        difference=float(differences.mean()) if n else math.nan,
        statistic=math.nan,
        statistic_name="t",
        p=math.nan,
        smallest_p=0.0,
        method="",
        undefined=undefined_for_counts(n, nonzero),
    )
