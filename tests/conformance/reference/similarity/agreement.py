"""How much of an item has come by a depth, and how far two rankings agree there."""

import math
from typing import Literal

from conformance.reference.similarity.groups import Groups, first_ranks, last_ranks

Ties = Literal["a", "b", "w"]


def contribution(ranking: Groups, depth: int, ties: Ties) -> dict[str, float]:
    """Say how much of each item has come by a depth (Corsi and Urbano 2024, sections 3 and 4)."""
    first, last = first_ranks(ranking), last_ranks(ranking)
    come = {}
    for item in first:
        if depth < first[item]:
            come[item] = 0.0
        elif ties == "w" or depth >= last[item]:
            come[item] = 1.0
        else:
            come[item] = (depth - first[item] + 1) / (last[item] - first[item] + 1)
    return come


def overlap_at(a: Groups, b: Groups, depth: int, ties: Ties) -> float:
    """Add up what both have of each item."""
    of_a, of_b = contribution(a, depth, ties), contribution(b, depth, ties)
    return sum(come * of_b.get(item, 0.0) for item, come in of_a.items())


def size_at(a: Groups, b: Groups, depth: int, ties: Ties) -> float:
    """Give what the overlap is divided by; both rankings must reach to the depth."""
    of_a, of_b = contribution(a, depth, ties), contribution(b, depth, ties)
    if ties == "w":
        return (sum(of_a.values()) + sum(of_b.values())) / 2
    if ties == "b":
        squares = [sum(come**2 for come in one.values()) for one in (of_a, of_b)]
        return math.sqrt(squares[0]) * math.sqrt(squares[1])
    return depth


def agreement_at(a: Groups, b: Groups, depth: int, ties: Ties) -> float:
    """Give A_d."""
    return overlap_at(a, b, depth, ties) / size_at(a, b, depth, ties)
