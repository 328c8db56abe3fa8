"""AP correlation: over all orders of what ties, or with ties as they are."""

import math
import statistics
from typing import Literal

from conformance.reference.similarity.groups import (
    Groups,
    completed,
    first_ranks,
    orders,
    place,
    union,
)


def tau_ap(
    a: Groups, b: Groups, *, variant: Literal["a", "b"] = "a", symmetric: bool = False
) -> float:
    """2 / (n - 1) * sum of C_i / (i - 1), minus 1 (Yilmaz et al. 2008; Urbano and Marrero 2017)."""
    items = union(a, b)
    if len(items) < 2:
        return math.nan
    truth, judged = completed(a, items), completed(b, items)
    if variant == "b":
        return (_as_tied(truth, judged) + _as_tied(judged, truth)) / 2
    if symmetric:
        return (_expected(truth, judged) + _expected(judged, truth)) / 2
    return _expected(truth, judged)


def _expected(truth: Groups, judged: Groups) -> float:
    """Give the mean over all orders of both."""
    return statistics.fmean(
        _untied(one, other) for one in orders(truth) for other in orders(judged)
    )


def _untied(truth: list[str], judged: list[str]) -> float:
    total = 0.0
    for i in range(1, len(judged)):
        right = sum(truth.index(above) < truth.index(judged[i]) for above in judged[:i])
        total += right / i
    return 2 / (len(judged) - 1) * total - 1


def _as_tied(truth: Groups, judged: Groups) -> float:
    above_in_truth, first = place(truth), first_ranks(judged)
    shares = []
    for item in first:
        above = [other for other in first if first[other] < first[item]]
        if above:
            right = sum(above_in_truth[other] < above_in_truth[item] for other in above)
            shares.append(right / len(above))
    return 2 * statistics.fmean(shares) - 1 if shares else math.nan
