"""Weighted sums of scores: wsum, WMNZ and Mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.verbs.fuse.ballots import total
from rankmark.verbs.fuse.method import Method, Scaled

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.verbs.fuse.ballots import Ballots
    from rankmark.verbs.fuse.norms import Constant, Norms

_WU_CRESTANI = "Wu, Crestani 2002, CIKM"


def wsum(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Floats:
    """Return w s: (m, U) float64."""
    return ballots.weights[:, None] * ballots.normalised(norm, constant)


def wmnz(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Scaled:
    """Return s, and as the factor the sum of w over the lists with d."""
    weight = total(ballots.weights[:, None] * ballots.voting(norm))
    return Scaled(ballots.normalised(norm, constant), lambda sums: sums * weight)


def mixed(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Scaled:
    """Return w s, and the factor sqrt(M)."""
    root = np.sqrt(ballots.votes(norm))
    return Scaled(wsum(ballots, norm=norm, constant=constant), lambda sums: sums * root)


WSUM = Method(
    "wsum",
    wsum,
    "sum of w_i s_i(d)",
    uses="scores",
    source="Vogt, Cottrell 1999, Information Retrieval 1(3); Bruch, Gai, Ingber 2023, TOIS 42(1)",
    weighted=True,
    aliases=("linear", "convex"),
)
WMNZ = Method(
    "WMNZ",
    wmnz,
    "the sum of s_i(d) times the sum of w_i over the lists with d",
    uses="scores",
    source=_WU_CRESTANI,
    weighted=True,
)
MIXED = Method(
    "Mixed",
    mixed,
    "sqrt(M(d)) times the sum of w_i s_i(d)",
    uses="scores",
    source=_WU_CRESTANI,
    weighted=True,
)
