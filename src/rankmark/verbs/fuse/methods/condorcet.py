"""Condorcet: pairwise majorities between documents."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rankmark.verbs.fuse.ballots import total
from rankmark.verbs.fuse.method import Method
from rankmark.verbs.fuse.methods.borda import borda

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.verbs.fuse.ballots import Ballots

_CELLS = 1 << 22  # of a matrix of pairs that is held at a time


def condorcet(ballots: Ballots) -> Floats:
    """Return u, u - 1, ..., 1 down the order of the documents: (U,) float64.

    The order is by Copeland's score: how many documents d beats minus how many beat it. d beats e
    if the lists that rank d above e weigh more than those that rank e above d. A list that contains
    only one of them ranks it above, one with neither does not vote. Equal Copeland scores are
    ordered by Borda's; documents that are equal in both have the same score.
    """
    ranks = np.where(ballots.present, ballots.ranks, np.inf)
    points = total(borda(ballots))
    places = np.empty(len(points))
    starts = ballots.lists.starts.tolist()
    for begin, end in pairwise(starts):
        wins = _copeland(ranks[:, begin:end], ballots.weights)
        places[begin:end] = _places(wins, points[begin:end])
    return places


def _copeland(ranks: Floats, weights: Floats) -> Floats:
    """Return wins minus losses: (m, u) ranks to (u,) float64."""
    size = ranks.shape[1]
    scores = np.empty(size)
    step = max(_CELLS // max(size, 1), 1)
    for begin in range(0, size, step):
        margin = np.zeros((min(step, size - begin), size))
        for of_run, weight in zip(ranks, weights, strict=True):
            mine = of_run[begin : begin + step, None]
            margin += weight * (mine < of_run)
            margin -= weight * (mine > of_run)
        scores[begin : begin + step] = np.sign(margin).sum(axis=1)
    return scores


def _places(wins: Floats, points: Floats) -> Floats:
    """Return the place of each document, counted from the last; equal ones share a place."""
    order = np.lexsort((points, wins))
    step = np.ones(len(order), dtype=np.bool_)
    step[1:] = (np.diff(wins[order]) != 0) | (np.diff(points[order]) != 0)
    places = np.empty(len(order))
    # A tie gets the place of its last document, counted from the end.
    places[order] = (np.flatnonzero(step) + 1)[np.cumsum(step) - 1]
    return places


CONDORCET = Method(
    "Condorcet",
    condorcet,
    "u, u - 1, ..., 1 down the order by pairwise wins minus losses (Copeland), then by Borda",
    uses="ranks",
    source="Montague, Aslam 2002, CIKM; Copeland 1951",
    weighted=True,
    aliases=("w_condorcet",),
)
