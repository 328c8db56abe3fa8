"""How sure an explanation of a number is, and which other number would tell explanations apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.results.result import json_number

if TYPE_CHECKING:
    from collections.abc import Sequence


class Coincidence(NamedTuple):
    """How likely it is that conventions give numbers by chance.

    Parameters
    ----------
    changes
        The most changes of a candidate among those counted.
    candidates
        How many candidates were tried.
    distinct
        How many different numbers they give, as printed.
    probability
        The share of unrelated numbers near the given ones that some candidate gives; of numbers of
        queries at least that share.
    near
        The numbers in words, such as "numbers near 0.4312".
    decimals
        The decimals of each measure's numbers.
    of_queries
        Whether per-query numbers are explained.
    subsets
        Whether subsets of the queries are among the candidates.
    """

    changes: int
    candidates: int
    distinct: int
    probability: float
    near: str
    decimals: tuple[int, ...]
    of_queries: bool = False
    subsets: bool = False

    def __str__(self) -> str:
        """Say how many of some unrelated numbers would be explained."""
        many, met = _of_many(self.probability)
        if self.of_queries and met:
            how_many = f"at least {met}"
        elif self.of_queries:
            how_many = "hardly one"
        else:
            how_many = f"about {met}" if met else "fewer than 1"
        most = "no change" if self.changes == 0 else _counted(self.changes, "change")
        most += " and subsets of the queries" if self.subsets else ""
        low, high = min(self.decimals), max(self.decimals)
        decimals = _counted(high, "decimal") if low == high else f"{low} to {high} decimals"
        return (
            f"Of {many} unrelated {self.near}, {how_many} would get such an answer "
            f"({most}, {decimals})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return self._asdict() | {"decimals": list(self.decimals)}


class Separation(NamedTuple):
    """A number that would tell answers with as many changes apart.

    Parameters
    ----------
    changes
        How many changes the answers have.
    measure
        The measure, by its name without any change.
    query
        The query whose value it is; None for the mean.
    expected
        The number under each of the answers, in their order; None where the query is not averaged.
    """

    changes: int
    measure: str
    query: str | None
    expected: tuple[float | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return self._asdict() | {"expected": [*map(_number, self.expected)]}

    def words(self, first: int, decimals: int) -> str:
        """Say what to look for; ``first`` is the number at which the answers begin."""
        under: dict[str, list[str]] = {}
        for number, value in enumerate(self.expected, first):
            shown = "not averaged" if value is None else f"{value:.{decimals}f}"
            under.setdefault(shown, []).append(str(number))
        told = [f"{shown} under {_and(numbers)}" for shown, numbers in under.items()]
        of = self.measure if self.query is None else f"{self.measure} of query {self.query!r}"
        which = "tell them apart" if len(under) == len(self.expected) else "tell some of them apart"
        return f"{of} would {which}: {', '.join(told)}."


def _of_many(probability: float) -> tuple[str, str]:
    """Return a round number, and how many of as many these are; empty if fewer than 1."""
    many = 100
    while many < 1_000_000 and probability * many < 1:
        many *= 10
    shown = "a million" if many == 1_000_000 else f"{many:,}"
    met = round(probability * many)
    return shown, f"{met:,}" if met else ""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _number(value: float | None) -> float | None:
    return None if value is None else json_number(value)
