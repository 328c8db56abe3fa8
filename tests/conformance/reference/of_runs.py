"""Measures of a run in plain Python, from all lists at once, as their formulas read."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal

NOTHING = math.nan
Run = Sequence[Sequence[str]]
"""The first k items of each user's list; empty for a user without one."""


def times(run: Run, catalogue: Sequence[str]) -> list[int]:
    """Count in how many lists each item of the catalogue is."""
    counts = Counter(item for items in run for item in items)
    return [counts[item] for item in catalogue]


def item_coverage(
    run: Run, catalogue: Sequence[str], *, norm: Literal["catalogue", "count"] = "catalogue"
) -> float:
    """Count the items of the catalogue in some list."""
    covered = len({item for items in run for item in items} & {*catalogue})
    return covered / len(catalogue) if norm == "catalogue" else covered


def user_coverage(
    run: Run,
    catalogue: Sequence[str],  # noqa: ARG001
    *,
    least: Literal[2] | None = None,
    norm: Literal["users", "count"] = "users",
) -> float:
    """Count the users with so many items."""
    covered = sum(len(items) >= (least or 1) for items in run)
    return covered / len(run) if norm == "users" else covered


def gini(
    run: Run,
    catalogue: Sequence[str],
    *,
    norm: Literal["n", "n-1"] = "n",
    items: Literal["catalogue", "recommended"] = "catalogue",
    equality: bool = False,
) -> float:
    """Average the difference of two items, over twice the mean."""
    counts = [one for one in times(run, catalogue) if one or items == "catalogue"]
    if not sum(counts):
        return NOTHING
    n = len(counts)
    apart = sum(abs(a - b) for a, b in itertools.combinations(counts, 2))
    by = n if norm == "n" else n - 1
    found = apart / (by * sum(counts)) if by else 0.0
    return 1 - found if equality else found


def entropy(
    run: Run,
    catalogue: Sequence[str],
    *,
    base: Literal["2", "e"] = "2",
    norm: Literal["none", "evenness", "recommended"] = "none",
) -> float:
    """Sum -p log p over the items of the catalogue."""
    counts = times(run, catalogue)
    if not sum(counts):
        return NOTHING
    shares = [one / sum(counts) for one in counts if one]
    unit = 2.0 if base == "2" else math.e
    found = -sum(p * math.log(p, unit) for p in shares)
    if norm == "evenness":
        return found / math.log(len(counts), unit)
    return found / len(shares) if norm == "recommended" else found


def hhi(run: Run, catalogue: Sequence[str], *, effective: bool = False) -> float:
    """Sum the squared shares of the items of the catalogue."""
    counts = times(run, catalogue)
    if not sum(counts):
        return NOTHING
    found = sum((one / sum(counts)) ** 2 for one in counts)
    return 1 / found if effective else found


def personalization(
    run: Run,
    catalogue: Sequence[str],  # noqa: ARG001
    *,
    norm: Literal["k", "shorter"] = "k",
) -> float:
    """Average over all pairs of users the share of items that only one of them gets."""
    lists = [items for items in run if items]
    k = 4  # that of the test
    apart = [
        1 - len({*a} & {*b}) / (k if norm == "k" else min(len(a), len(b)))
        for a, b in itertools.combinations(lists, 2)
    ]
    return sum(apart) / len(apart) if apart else NOTHING
