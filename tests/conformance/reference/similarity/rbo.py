"""RBO by going on with both rankings, item by item, until all that is seen has come."""

import math

from conformance.reference.similarity.agreement import (
    Ties,
    agreement_at,
    contribution,
    overlap_at,
    size_at,
)
from conformance.reference.similarity.groups import Groups, items_of


def rbo(a: Groups, b: Groups, *, p: float = 0.9, ties: Ties = "a") -> dict[str, float]:
    """Give all values, each by its own continuation of the two rankings."""
    short, long = sorted((a, b), key=lambda one: len(items_of(one)))
    s, n = len(items_of(short)), len(items_of(long))
    if not n:
        return {
            "min": 0.0,
            "residual": 1.0,
            "extrapolated": math.nan,
            "truncated": 0.0,
            "normalized": math.nan,
        }
    end = s + n  # by then, all that either holds may stand in both
    common = len(set(items_of(short)) & set(items_of(long)))
    deep = max(end, math.ceil(math.log(1e-14) / math.log(p)))  # and there, weights vanish

    def nothing_more(d: int) -> float:
        if d > n:
            return common / d
        return agreement_at(_filled(short, "s", d), long, d, ties)

    def all_the_rest(d: int) -> float:
        if d > end:
            return 1.0
        return agreement_at(_filled(shorter, "both", d), _filled(longer, "both", d), d, ties)

    shorter = [*short, *([item] for item in items_of(long) if item not in items_of(short))]
    longer = [*long, *([item] for item in items_of(short) if item not in items_of(long))]
    lowest = (1 - p) * sum(p ** (d - 1) * nothing_more(d) for d in range(1, deep + 1))
    highest = (1 - p) * sum(p ** (d - 1) * all_the_rest(d) for d in range(1, deep + 1))
    seen = (1 - p) * sum(p ** (d - 1) * nothing_more(d) for d in range(1, n + 1))
    return {
        "min": lowest,
        "residual": highest - lowest,
        "extrapolated": _extrapolated(short, long, p, ties, deep),
        "truncated": seen,
        "normalized": seen / (1 - p**n),
    }


def _filled(ranking: Groups, name: str, deep: int) -> Groups:
    held = len(items_of(ranking))
    return [*ranking, *([f"{name}-{rank}"] for rank in range(held + 1, deep + 1))]


def _extrapolated(short: Groups, long: Groups, p: float, ties: Ties, deep: int) -> float:
    s, n = len(items_of(short)), len(items_of(long))
    agreed = agreement_at(short, long, s, ties) if s else 0.0
    total = 0.0
    for d in range(1, deep + 1):
        if d <= s:
            at_d = agreement_at(short, long, d, ties)
        elif d <= n:
            come = contribution(long, d, ties)
            alone = [come[x] for x in come if x not in items_of(short) and come[x] > 0]
            more = (d - s) * agreed * sum(alone) / len(alone)
            size = size_at(_filled(short, "s", d), long, d, ties)
            at_d = (overlap_at(short, long, d, ties) + more) / size
        total += p ** (d - 1) * at_d  # beyond n it stays as it was
    return (1 - p) * total
