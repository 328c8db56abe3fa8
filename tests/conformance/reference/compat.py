"""Compatibility: the highest RBO with any ideal ranking, depth by depth."""

import itertools
from typing import Literal

from conformance.reference.gains import Ranking


def compat(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Literal[1, 3, 1000] = 1000,
    p: float = 0.95,
) -> float:
    """Try every ideal ranking, and return the best value."""
    labels = {f"r{rank}": label for rank, label in enumerate(ranking)}
    judged = labels | {f"m{number}": label for number, label in enumerate(missed)}
    relevant = {doc: label for doc, label in judged.items() if label is not None and label > 0}
    if not relevant:
        return 0.0
    groups = [
        [doc for doc, its_label in relevant.items() if its_label == label]
        for label in sorted(set(relevant.values()), reverse=True)
    ]
    # The order of documents that were not retrieved does not matter; long groups keep theirs.
    orders = itertools.product(*(_some_orders(group) for group in groups))
    ideals = [[doc for group in order for doc in group] for order in orders]
    best = max(_overlap(list(labels), ideal, p, k) for ideal in ideals)
    return best / _overlap(ideals[0], ideals[0], p, k)


def _some_orders(group: list[str]) -> list[tuple[str, ...]]:
    return list(itertools.permutations(group)) if len(group) < 5 else [tuple(group)]


def _overlap(one: list[str], other: list[str], p: float, depth: int) -> float:
    shares = [
        len(set(one[:d]) & set(other[:d])) / d for d in range(1, min(depth, 200 + len(one)) + 1)
    ]
    rest = len(set(one) & set(other))
    tail = sum(p ** (d - 1) * rest / d for d in range(len(shares) + 1, depth + 1))
    return sum(p ** (d - 1) * share for d, share in enumerate(shares, start=1)) + tail
