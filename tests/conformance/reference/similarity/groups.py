"""A ranking as the references take it: a list of ties, best first, each a list of ids."""

import itertools
from collections.abc import Iterator, Sequence

Groups = Sequence[Sequence[str]]


def items_of(ranking: Groups) -> list[str]:
    """List the items, best first."""
    return [item for tie in ranking for item in tie]


def top(ranking: Groups, k: int | None) -> Groups:
    """Cut behind rank k, a tie that goes beyond it kept whole."""
    first = first_ranks(ranking)
    return [tie for tie in ranking if k is None or first[tie[0]] <= k]


def union(a: Groups, b: Groups) -> list[str]:
    """List the items of either ranking."""
    return list(dict.fromkeys([*items_of(a), *items_of(b)]))


def first_ranks(ranking: Groups) -> dict[str, int]:
    """Give the first rank of each item's tie."""
    return {item: last - len(tie) + 1 for tie, last in _ends(ranking) for item in tie}


def last_ranks(ranking: Groups) -> dict[str, int]:
    """Give the last rank of each item's tie."""
    return {item: last for tie, last in _ends(ranking) for item in tie}


def completed(ranking: Groups, items: Sequence[str]) -> list[list[str]]:
    """Tie the items that a ranking lacks behind its last."""
    held = set(items_of(ranking))
    lacking = [item for item in items if item not in held]
    return [list(tie) for tie in ranking] + ([lacking] if lacking else [])


def place(ranking: Groups) -> dict[str, int]:
    """Give the number of each item's tie."""
    return {item: at for at, tie in enumerate(ranking) for item in tie}


def mean_rank(ranking: Groups) -> dict[str, float]:
    """Give the mean of the ranks of each item's tie."""
    first, last = first_ranks(ranking), last_ranks(ranking)
    return {item: (first[item] + last[item]) / 2 for item in first}


def orders(ranking: Groups) -> Iterator[list[str]]:
    """Give every order of what ties."""
    for chosen in itertools.product(*(itertools.permutations(tie) for tie in ranking)):
        yield [item for tie in chosen for item in tie]


def _ends(ranking: Groups) -> list[tuple[Sequence[str], int]]:
    ends = []
    rank = 0
    for tie in ranking:
        rank += len(tie)
        ends.append((tie, rank))
    return ends
