"""A method of fusion, and what it sees of the lists of several runs: their ballots."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from rankmark.errors import InputError, shown
from rankmark.formulas import Formula
from rankmark.verbs.fuse.norms import Constant, Norms, check_norm, is_finite, normalised

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.data.alignment.united_lists import UnitedLists
    from rankmark.data.preparing.united_runs import UnitedPart


class Ballots:
    """The lists of m runs for some queries, U documents in their union, and the runs' weights.

    Parameters
    ----------
    lists
        The lists and their union.
    weights
        (m,) float64, the weight of each run.
    """

    def __init__(self, lists: UnitedLists, weights: Floats) -> None:
        self.lists = lists
        self.weights = weights

    @property
    def runs(self) -> int:
        """The number of runs, m."""
        return len(self.weights)

    @property
    def present(self) -> Bools:
        """Which documents each list contains: (m, U) bool."""
        return self.lists.present

    @cached_property
    def count(self) -> Floats:
        """The number of lists that contain each document, M(d): (U,) float64, from 1."""
        return self.lists.count.astype(np.float64)

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each document in each list, and 0 if it is absent: (m, U) float64."""
        return self.lists.ranks

    def voting(self, norm: Norms) -> Bools:
        """Which lists count for a document: those with it, and all under the norm borda: (m, U)."""
        names = [norm] * self.runs if isinstance(norm, str) else norm
        voting: Bools = self.present | np.array([name == "borda" for name in names])[:, None]
        return voting

    def votes(self, norm: Norms) -> Floats:
        """Count the lists that count for each document: (U,) float64, from 1."""
        if "borda" not in norm:
            return self.count
        votes: Floats = self.voting(norm).sum(axis=0).astype(np.float64)
        return votes

    @property
    def sizes(self) -> Ints:
        """The length of each list, n_i: (m, Q) int64."""
        return np.stack([lists.sizes for lists in self.lists.lists])

    def of_documents(self, by_query: Floats | Ints) -> Floats:
        """Repeat the value of each query for its documents: (Q,) to (U,) float64."""
        return np.asarray(by_query, dtype=np.float64)[self.lists.query]

    def by_rank(self, points: Callable[[Floats], Floats]) -> Floats:
        """Give points for ranks, the same in all lists: (m, U) float64; see ``by_rank_in``."""
        return np.stack([self.by_rank_in(run, points) for run in range(self.runs)])

    def by_rank_in(self, run: int, points: Callable[[Floats], Floats]) -> Floats:
        """Give points for the ranks in a run's lists, and 0 to absent documents.

        Documents that share a rank, as under ``ties="mean"``, get the mean of its points.

        Parameters
        ----------
        run
            The number of the run.
        points
            A function of ranks from 1, (n,) float64, elementwise.

        Returns
        -------
        (U,) float64.
        """
        lists = self.lists.lists[run]
        of_rank = points(np.arange(1, int(lists.last.max(initial=0)) + 1, dtype=np.float64))
        tied = np.flatnonzero(lists.first != lists.last)
        if not len(tied):  # then, ranks are rows, from 1
            return self.lists.by_row(run, of_rank)
        of_row = of_rank[lists.first - 1]
        sums = np.concatenate(([0.0], np.cumsum(of_rank)))
        first, last = lists.first[tied] - 1, lists.last[tied]
        of_row[tied] = (sums[last] - sums[first]) / (last - first)
        return self.lists.spread(run, of_row)

    def normalised(self, norm: Norms, constant: Constant = 1, absent: float = 0.0) -> Floats:
        """Normalise the scores of each list; see ``norms``.

        Parameters
        ----------
        norm, constant
            The norm, of all runs or a list of one for each, and what it makes of a list whose
            scores are all equal.
        absent
            The value of documents that a list does not contain, unless the norm gives them one.

        Returns
        -------
        (m, U) float64.
        """
        names = [norm] * self.runs if isinstance(norm, str) else list(norm)
        if len(names) != self.runs:
            raise InputError(
                f"norm has {len(names)} names, and there are {self.runs} runs",
                "give one norm, or one for each run",
            )
        return np.stack(
            [normalised(self.lists, run, name, constant, absent) for run, name in enumerate(names)]
        )


def total(contributions: Floats) -> Floats:
    """Add what each list gives, from the first list to the last: (m, U) to (U,) float64."""
    sums: Floats = contributions[0].copy()
    for of_run in contributions[1:]:
        sums += of_run
    return sums


class ScoredPart(NamedTuple):
    """Some of the queries, fused.

    Parameters
    ----------
    part
        Their lists, and the ids of the documents.
    ballots
        What the method saw.
    scores
        (U,) float64, the fused score of each document.
    """

    part: UnitedPart
    ballots: Ballots
    scores: Floats


Uses = Literal["ranks", "scores"]


@dataclass(frozen=True, slots=True)
class OneOf:
    """A check of a parameter that is one of several words or numbers."""

    allowed: tuple[Any, ...]

    def __call__(self, value: Any) -> bool:
        """Return whether the value is allowed."""
        return value in self.allowed


@dataclass(frozen=True, slots=True)
class Between:
    """A check of a parameter that is a number between two others."""

    low: float
    high: float = math.inf
    closed: bool = False

    def __call__(self, value: Any) -> bool:
        """Return whether the value is a number in the range, with its ends if it is closed."""
        if not is_finite(value):
            return False
        inside = self.low <= value <= self.high if self.closed else self.low < value < self.high
        return bool(inside)


class Scaled(NamedTuple):
    """Scores that are a sum over lists, which is then multiplied or divided.

    The sum comes first, as in the formulas: if each term were multiplied, equal sums could differ
    in their last bits, and the documents would come in another order.

    Parameters
    ----------
    terms
        (m, U) float64, what is added up.
    scale
        What is done to the sum, elementwise; it takes (..., U) float64.
    """

    terms: Floats
    scale: Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, repr=False)
class Method(Formula):
    """A method with its parameters: compared, hashed and printed by value.

    ``RRF(k=10)`` sets a parameter.

    Parameters
    ----------
    name
        Its name in ``fuse`` and on the command line.
    over
        ``over(ballots, ...)``; its keywords are the parameters. It returns what each list gives
        each document, (m, U) float64, to be added up; the same with what scales the sum; or the
        fused scores, (U,) float64, of a method that is no sum.
    formula
        The score of document d, in plain text.
    uses
        Whether it uses the ranks of documents or their scores; methods that use scores have the
        parameters ``norm`` and ``constant``.
    weighted
        Whether it takes weights; otherwise all runs count alike.
    source
        Where it was published.
    aliases
        Other names.
    checks
        For each parameter besides norm and constant, whether a value is allowed, and what is.
    shown
        Parameters that ``str()`` includes even if they have their defaults.
    given
        The parameters that differ from their defaults.
    """

    has_cutoff: ClassVar[bool] = False

    name: str
    over: Callable[..., Floats | Scaled]
    formula: str
    uses: Uses
    source: str
    weighted: bool = False
    aliases: tuple[str, ...] = ()
    checks: tuple[tuple[str, Callable[[Any], bool], str], ...] = ()
    shown: tuple[str, ...] = ()
    given: tuple[tuple[str, Any], ...] = ()

    def choose(self, **parameters: Any) -> Method:
        """Choose parameters; see Formula."""
        listed = {name: tuple(v) for name, v in parameters.items() if isinstance(v, list)}
        return Formula.choose(self, **parameters | listed)

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse values that parameters cannot have."""
        for name, is_allowed, allowed in self.checks:
            if not _holds(is_allowed, parameters[name]):
                raise InputError(f"{name} is {shown(parameters[name])}", f"need {allowed}")
        if self.uses == "scores":
            check_norm(parameters["norm"], parameters["constant"])

    def contributions(self, ballots: Ballots) -> Floats | None:
        """Return what each list adds to the score: (m, U) float64; None if it is no sum."""
        found = self.over(ballots, **dict(self.given))
        if isinstance(found, Scaled):
            return found.scale(found.terms)
        return found if found.ndim == 2 else None

    def scores(self, ballots: Ballots) -> Floats:
        """Fuse: (U,) float64, higher is better."""
        found = self.over(ballots, **dict(self.given))
        if isinstance(found, Scaled):
            return found.scale(total(found.terms))
        return total(found) if found.ndim == 2 else found


def _holds(is_allowed: Callable[[Any], bool], value: Any) -> bool:
    try:
        return bool(is_allowed(value))
    except (TypeError, ValueError, OverflowError):
        return False


def is_flag(value: Any) -> bool:
    """Whether a value is True or False."""
    return isinstance(value, bool)
