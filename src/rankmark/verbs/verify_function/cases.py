"""Rankings on which functions are called: designed cases, tiny ones, and those for probes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from random import Random
from typing import NamedTuple

LEFT_OUT = ("ties", "negative", "unjudged", "no_relevant", "empty")
"""Kinds of cases in which a function may be allowed to differ from a measure."""
_LONG = 130  # documents: more than any usual cutoff
_FIRST_AT = (0, 0, 1, 3, 5, 10, 20, 50, 100)  # documents above the first relevant one of a long one
_TINY = 4  # documents of the longest tiny ranking
_BY_HAND: tuple[tuple[tuple[float, ...], tuple[float, ...], int], ...] = (
    ((1,), (), 1),
    ((0, 1, 0), (), 3),
    ((1, 0, 1), (1,), 3),
    ((0, 1, 2, 3), (), 4),
    ((1, 0, 2), (3, 1), 3),
    ((1, 0, 2, 3, 0), (), 2),
    ((2, 0, 1), (), 5),
    ((1, 2), (1, 3, 1), 4),
    ((1, 1, 0, 1, 1), (1, 1), 2),
    ((0, 0, 1, 2), (1,), 2),
    ((0, 0, 0), (2, 1), 3),
    ((1, 1, 1), (), 3),
    ((3, 2, 1, 0), (), 4),
    ((0, 0, 2, 0, 0), (), 5),
    ((0, 0, 3, 1), (), 2),
    ((0, 1, 1, 2), (), 2),
    ((0, 2), (3, 2, 2), 5),
    ((0, 1, 0, 2, 0, 0, 3, 0, 0, 1, 0, 2, 1, 0, 1, 0, 1), (2, 1), 14),
)
"""Labels in rank order, labels not retrieved, cutoff: each tells certain formulas apart."""


class Case(NamedTuple):
    """One query: what was retrieved, and what is judged.

    Parameters
    ----------
    ranking
        The ids retrieved, in rank order; a document may appear twice.
    labels
        The label of each judged document, in an order that is neither that of the ranking nor
        sorted, as in a file of judgments.
    k
        The cutoff that functions with one are given.
    scores
        Of the documents retrieved; None for falling ones without ties.
    in_run
        Whether the query is in the run.
    """

    ranking: tuple[str, ...]
    labels: tuple[tuple[str, float], ...]
    k: int
    scores: tuple[float, ...] | None = None
    in_run: bool = True

    @property
    def falling(self) -> tuple[float, ...]:
        """The scores, highest first; with the fewest digits with which they do not tie."""
        if self.scores is not None:
            return self.scores
        count = len(self.ranking)
        digits = len(str(count))
        highest = 10**digits - 1
        return tuple(round((highest - rank) / 10**digits, digits) for rank in range(count))

    @property
    def mixed(self) -> list[tuple[str, float]]:
        """The documents retrieved with their scores, not in rank order."""
        pairs = list(zip(self.ranking, self.falling, strict=True))
        return pairs[1::2] + pairs[::2]


def case(
    ranked: Sequence[float | None],
    missed: Sequence[float],
    k: int,
    scores: tuple[float, ...] | None = None,
) -> Case:
    """Return a case made of labels in rank order, None if unjudged, and those not retrieved."""
    ids = tuple(f"d{number}" for number in _shuffled(len(ranked), k, 1))
    labels = [(one, label) for one, label in zip(ids, ranked, strict=True) if label is not None]
    labels += [(f"m{number}", label) for number, label in enumerate(missed, 1)]
    mixed = [labels[at] for at in _shuffled(len(labels), 7 * k + 1, 0)]
    return Case(ids, tuple(mixed), k, scores)


def _shuffled(count: int, seed: int, first: int) -> list[int]:
    numbers = list(range(first, first + count))
    Random(seed).shuffle(numbers)  # noqa: S311
    return numbers


@cache
def designed() -> tuple[Case, ...]:
    """Return the cases that decide about the formula: relevant documents, no ties, all judged."""
    return (*drawn(24, seed=31), *(case(*each) for each in _BY_HAND))


@cache
def long() -> tuple[Case, ...]:
    """Return long rankings, which tell cutoffs of functions apart that are given none."""
    draw = Random(5)  # noqa: S311
    found = []
    for first in _FIRST_AT:
        labels = [float(draw.choice((0, 0, 0, 1, 2, 3))) for _ in range(_LONG)]
        found.append(case([*[0.0] * first, 2.0, *labels[first + 1 :]], (1.0, 2.0), 10))
    return tuple(found)


def drawn(count: int, seed: int) -> list[Case]:
    """Return random cases, in which most ways to compute a measure differ."""
    draw = Random(seed)  # noqa: S311
    found = []
    for _ in range(count):
        n = draw.randint(2, 12)
        ranked = [float(draw.choice((0, 0, 0, 1, 1, 2, 3))) for _ in range(n)]
        missed = [float(draw.choice((1, 1, 2, 3))) for _ in range(draw.choice((0, 0, 1, 2, 5)))]
        if not any(ranked):
            ranked[draw.randrange(n)] = 1.0
        found.append(case(ranked, missed, draw.choice((1, 2, 3, 5, 8, 10))))
    return found


@cache
def tiny() -> tuple[Case, ...]:
    """Return all rankings of few documents with small labels, the smallest first."""

    def size(one: Case) -> tuple[float, ...]:
        labels = [label for _, label in one.labels]
        return len(labels) + (one.k > len(one.ranking)), max(labels), sum(labels), one.k

    found = [
        case(ranked, missed, k)
        for n in range(1, _TINY + 1)
        for ranked in product((0.0, 1.0, 2.0, 3.0), repeat=n)
        for missed in ((), (1.0,), (2.0,), (1.0, 1.0))
        for k in range(1, n + 2)
        if n + len(missed) <= _TINY and (any(ranked) or missed)
    ]
    return tuple(sorted(found, key=size))


EMPTY = case((), (1, 2), 3)
"""A query for which nothing was retrieved."""
WITHOUT_RELEVANT = case((0, 0, 0), (), 3)
"""A query without relevant documents."""
NEGATIVE = (
    case((2, -1, 1, 0), (), 4),
    case((-2, 3, 0, 1, -1), (1,), 3),
    case((1, 0, 2), (-1, 1), 3),
)
"""Cases with labels below 0."""
UNJUDGED = (case((None, 2, 0, 1), (), 3), case((1, None, None, 3, 0, 1), (2,), 4))
"""Cases with documents without a judgment."""
TWO = (
    (case((1, 0, 2, 3, 0), (1,), 3), case((0, 1), (), 3)),
    (case((1, 0, 2, 3, 0), (1,), 3), case((0, 1, 0, 0, 0), (), 3)),  # rows of an array
)
"""Two queries of different sizes, and two with as many documents."""


@cache
def tied() -> tuple[Case, ...]:
    """Return cases with ties, most of them across the cutoff, in which most orders differ."""
    draw = Random(17)  # noqa: S311
    drawn = [([float(draw.choice((0, 0, 1, 2))) for _ in range(6)], k) for k in (2, 3) * 4]
    return (
        case((0, 1, 2, 0), (1,), 2, (0.9, 0.5, 0.5, 0.1)),
        case((1, 0, 3, 0, 2), (), 3, (0.7, 0.7, 0.7, 0.2, 0.1)),
        case((2, 0, 1, 0), (1,), 4, (0.5, 0.5, 0.5, 0.5)),
        case((1, 0, 0, 2, 0, 1), (2,), 3, (0.9, 0.9, 0.9, 0.3, 0.3, 0.3)),
        case((0, 2, 0, 1, 3), (), 4, (0.9, 0.8, 0.2, 0.2, 0.2)),
        *(case(labels, (1,), k, (0.9, 0.6, 0.6, 0.6, 0.3, 0.3)) for labels, k in drawn),
    )


@cache
def duplicated() -> tuple[Case, ...]:
    """Return cases in which a document is retrieved twice."""
    found = []
    for at, again, ranked, missed, k in (
        (0, 1, (2, 2, 0, 1), (1,), 3),
        (1, 3, (0, 1, 2, 1, 0), (), 4),
        (0, 1, (0, 0, 1, 3), (), 3),
        (0, 2, (1, 0, 1, 0), (), 4),
    ):
        one = case(ranked, missed, k)
        twice = list(one.ranking)
        gone, twice[again] = twice[again], twice[at]
        labels = tuple(pair for pair in one.labels if pair[0] != gone)
        found.append(one._replace(ranking=tuple(twice), labels=labels))
    return tuple(found)
