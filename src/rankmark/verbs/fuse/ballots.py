"""Ballots: what a method of fusion sees of the lists of several runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import InputError
from rankmark.verbs.fuse.norms import Constant, Norms, normalised

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
        of_row = of_rank[lists.first - 1]
        tied = np.flatnonzero(lists.first != lists.last)
        if len(tied):
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

        Raises
        ------
        InputError
            If there are not as many norms as runs.
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
