"""Fox and Shaw's Comb methods: sums, means and extremes of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.verbs.fuse.method import Method, Scaled, is_finite

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.verbs.fuse.ballots import Ballots
    from rankmark.verbs.fuse.norms import Constant, Norms

_FOX_SHAW = "Fox, Shaw 1993, TREC-2"


def comb_sum(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Floats:
    """Return s: (m, U) float64."""
    return ballots.normalised(norm, constant)


def comb_mnz(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Scaled:
    """Return s, and the factor M."""
    votes = ballots.votes(norm)
    return Scaled(ballots.normalised(norm, constant), lambda sums: sums * votes)


def comb_anz(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Scaled:
    """Return s, and the divisor M."""
    votes = ballots.votes(norm)
    return Scaled(ballots.normalised(norm, constant), lambda sums: sums / votes)


def comb_gmnz(
    ballots: Ballots, *, gamma: float = 1.0, norm: Norms = "min-max", constant: Constant = 1
) -> Scaled:
    """Return s, and the factor M^gamma."""
    factor = ballots.votes(norm) ** gamma
    return Scaled(ballots.normalised(norm, constant), lambda sums: sums * factor)


def comb_max(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Floats:
    """Return the greatest s of the lists with d: (U,) float64."""
    scores = np.where(ballots.voting(norm), ballots.normalised(norm, constant), -np.inf)
    highest: Floats = scores.max(axis=0)
    return highest


def comb_min(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Floats:
    """Return the lowest s of the lists with d: (U,) float64."""
    scores = np.where(ballots.voting(norm), ballots.normalised(norm, constant), np.inf)
    lowest: Floats = scores.min(axis=0)
    return lowest


def comb_med(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Floats:
    """Return the median s of the lists with d, the mean of the middle two: (U,) float64."""
    voting = ballots.voting(norm)
    scores = np.where(voting, ballots.normalised(norm, constant), np.inf)
    scores.sort(axis=0)  # those of absent documents come last
    count = voting.sum(axis=0)
    low = np.take_along_axis(scores, (count[None] - 1) // 2, axis=0)[0]
    high = np.take_along_axis(scores, count[None] // 2, axis=0)[0]
    median: Floats = (low + high) / 2
    return median


COMB_SUM = Method(
    "CombSUM",
    comb_sum,
    "sum of s_i(d)",
    uses="scores",
    source=_FOX_SHAW,
    aliases=("sum",),
)
COMB_MNZ = Method(
    "CombMNZ",
    comb_mnz,
    "M(d) times the sum of s_i(d)",
    uses="scores",
    source=_FOX_SHAW,
    aliases=("mnz",),
)
COMB_ANZ = Method(
    "CombANZ",
    comb_anz,
    "the sum of s_i(d) divided by M(d)",
    uses="scores",
    source=_FOX_SHAW,
    aliases=("anz",),
)
COMB_GMNZ = Method(
    "CombGMNZ",
    comb_gmnz,
    "M(d)^gamma times the sum of s_i(d)",
    uses="scores",
    source="Lee 1997, SIGIR",
    aliases=("gmnz",),
    checks=(("gamma", is_finite, "a number"),),
    shown=("gamma",),
)
COMB_MAX = Method(
    "CombMAX",
    comb_max,
    "the greatest s_i(d) of the lists with d",
    uses="scores",
    source=_FOX_SHAW,
    aliases=("max",),
)
COMB_MIN = Method(
    "CombMIN",
    comb_min,
    "the lowest s_i(d) of the lists with d",
    uses="scores",
    source=_FOX_SHAW,
    aliases=("min",),
)
COMB_MED = Method(
    "CombMED",
    comb_med,
    "the median of s_i(d) over the lists with d",
    uses="scores",
    source=_FOX_SHAW,
    aliases=("med",),
)
