"""Rankings on which functions are called: golden cases, tiny ones, and any number of others."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LEFT_OUT = ("ties", "negative", "unjudged", "no_relevant", "empty")
"""Kinds of cases in which a function may be allowed to differ from a measure."""
_CUTOFFS = (1, 3, 5, 10, 20, 50, 100)
_LONG = 130  # documents: more than any usual cutoff
_TINY = 4  # documents of the longest tiny ranking


class Case(NamedTuple):
    """One query: what was retrieved, and what is judged.

    Parameters
    ----------
    about
        What is special about it.
    ranking
        The ids retrieved, in rank order; a document may appear twice.
    labels
        The label of each judged document, in an order that is neither that of the ranking nor
        sorted, as in a file of judgments.
    k
        The cutoff that functions with one are given.
    scores
        Of the documents retrieved; None for falling ones without ties.
    """

    about: str
    ranking: tuple[str, ...]
    labels: tuple[tuple[str, float], ...]
    k: int
    scores: tuple[float, ...] | None = None

    @property
    def falling(self) -> tuple[float, ...]:
        """The scores: (n,) float64, highest first."""
        if self.scores is not None:
            return self.scores
        count = len(self.ranking)
        digits = len(str(count))  # the fewest with which scores between 0 and 1 do not tie
        highest = 10**digits - 1
        return tuple(round((highest - rank) / 10**digits, digits) for rank in range(count))


def case(
    about: str,
    ranked: tuple[float | None, ...],
    missed: tuple[float, ...],
    k: int,
    scores: tuple[float, ...] | None = None,
) -> Case:
    """Return a case made of labels in rank order, None if unjudged, and those not retrieved."""
    ids = tuple(f"d{number}" for number in _shuffled(len(ranked), k))
    judged = [(doc_id, label) for doc_id, label in zip(ids, ranked, strict=True)]
    labels = [(doc_id, label) for doc_id, label in judged if label is not None]
    labels += [(f"m{number}", label) for number, label in enumerate(missed, 1)]
    # Not in rank order: a tool may take judgments in the order in which they are given.
    mixed = [labels[at] for at in _shuffled(len(labels), 7 * k + 1, 0)]
    return Case(about, ids, tuple(mixed), k, scores)


def _shuffled(count: int, seed: int, first: int = 1) -> list[int]:
    numbers = list(range(first, first + count))
    Random(seed).shuffle(numbers)  # noqa: S311
    return numbers


@cache
def golden() -> tuple[Case, ...]:
    """Return the cases that decide about the formula: relevant documents, no ties, all judged."""
    return (*short(), *_long())


@cache
def short() -> tuple[Case, ...]:
    """Return those without long rankings, which only tell fixed cutoffs apart."""
    return (*drawn(), *by_hand())


@cache
def drawn() -> tuple[Case, ...]:
    """Return the random ones, in which most ways to compute a measure differ."""
    return tuple(others(24, seed=31))


@cache
def by_hand() -> tuple[Case, ...]:
    """Return those made to tell certain ways apart."""
    return (
        case("one relevant document, first", (1,), (), 1),
        case("one relevant document, second", (0, 1, 0), (), 3),
        case("a relevant document not retrieved", (1, 0, 1), (1,), 3),
        case("graded labels, worst first", (0, 1, 2, 3), (), 4),
        case("graded labels, the best not retrieved", (1, 0, 2), (3, 1), 3),
        case("the best label beyond the cutoff", (1, 0, 2, 3, 0), (), 2),
        case("fewer documents than k", (2, 0, 1), (), 5),
        case("fewer documents than k, more relevant than retrieved", (1, 2), (1, 3, 1), 4),
        case("more relevant documents than k", (1, 1, 0, 1, 1), (1, 1), 2),
        case("nothing relevant up to k", (0, 0, 1, 2), (1,), 2),
        case("nothing relevant retrieved", (0, 0, 0), (2, 1), 3),
        case("all relevant, all retrieved", (1, 1, 1), (), 3),
        case("a perfect ranking of graded labels", (3, 2, 1, 0), (), 4),
        case("a single hit at rank 3", (0, 0, 2, 0, 0), (), 5),
        case("the best label just beyond the cutoff", (0, 0, 3, 1), (), 2),
        case("more relevant documents than k, not the first", (0, 1, 1, 2), (), 2),
        case("one of many good ones retrieved, second", (0, 2), (3, 2, 2), 5),
    )


def _long() -> Iterator[Case]:
    """Yield long rankings, for functions with a cutoff of their own."""
    for seed in (5, 6, 7):
        draw = Random(seed)  # noqa: S311
        labels = [float(draw.choice((0, 0, 0, 1, 2, 3))) for _ in range(_LONG)]
        missed = tuple(float(draw.choice((1, 2, 3))) for _ in range(30 * (seed - 5)))
        if seed == 7:  # nothing among the first, for measures of the first hit
            labels[:60] = [0.0] * 60
        yield case(f"{_LONG} documents", tuple(labels), missed, 10)
    for at in _CUTOFFS:
        ranked = [0.0] * _LONG
        ranked[at] = 3.0  # just beyond the cutoff
        yield case(f"the only hit at rank {at + 1}", tuple(ranked), (), at)
        yield case(f"the only hit at rank {_LONG - at}", tuple(ranked[::-1]), (), at)
        ranked[at - 1] = 2.0
        yield case(f"hits at ranks {at} and {at + 1}", tuple(ranked), (1,), at)


def others(count: int, seed: int) -> Iterator[Case]:
    """Yield random cases, to separate what the golden ones do not, or to show that nothing does."""
    draw = Random(seed)  # noqa: S311
    for _ in range(count):
        n = draw.randint(2, 12)
        ranked = [float(draw.choice((0, 0, 0, 1, 1, 2, 3))) for _ in range(n)]
        missed = [float(draw.choice((1, 1, 2, 3))) for _ in range(draw.choice((0, 0, 1, 2, 5)))]
        if not any(ranked):
            ranked[draw.randrange(n)] = 1.0
        yield case("random labels", tuple(ranked), tuple(missed), draw.choice((1, 2, 3, 5, 8, 10)))


@cache
def tiny() -> tuple[Case, ...]:
    """Return all rankings of few documents with small labels, the smallest first."""
    found = [
        case("", ranked, missed, k)
        for n in range(1, _TINY + 1)
        for ranked in product((0.0, 1.0, 2.0, 3.0), repeat=n)
        for missed in ((), (1.0,), (2.0,), (1.0, 1.0))
        for k in range(1, n + 2)
        if n + len(missed) <= _TINY and (any(ranked) or missed)
    ]
    return tuple(sorted(found, key=_size))


def _size(one: Case) -> tuple[float, ...]:
    labels = [label for _, label in one.labels]
    k_beyond = one.k > len(one.ranking)
    return len(labels) + k_beyond, max(labels), sum(labels), one.k


def empty(k: int = 3) -> Case:
    """Return a query for which nothing was retrieved."""
    return case("nothing retrieved", (), (1, 2), k)


def without_relevant(k: int = 3) -> Case:
    """Return a query without relevant documents."""
    return case("nothing relevant", (0, 0, 0), (), k)
