"""ISR, logISR and logN_ISR: sums of inverse square ranks, by the number of lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.verbs.fuse.method import Method, Scaled, is_finite

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.verbs.fuse.ballots import Ballots

_SOURCE = "Mourão, Martins, Magalhães 2015, Computerized Medical Imaging and Graphics 39"


def isr(ballots: Ballots) -> Scaled:
    """Return w / r^2, and the factor M."""
    return _inverse_squares(ballots, ballots.count)


def log_isr(ballots: Ballots) -> Scaled:
    """Return w / r^2, and the natural logarithm of M, which is 0 in a single list."""
    return _inverse_squares(ballots, np.log(ballots.count))


def log_n_isr(ballots: Ballots, *, sigma: float = 0.01) -> Scaled:
    """Return w / r^2, and the natural logarithm of M + sigma."""
    return _inverse_squares(ballots, np.log(ballots.count + sigma))


def _inverse_squares(ballots: Ballots, factor: Floats) -> Scaled:
    terms = ballots.weights[:, None] * ballots.by_rank(lambda ranks: 1 / ranks**2)
    return Scaled(terms, lambda sums: sums * factor)


def _is_share(sigma: Any) -> bool:
    return is_finite(sigma) and 0 <= sigma <= 1


ISR = Method(
    "ISR",
    isr,
    "M(d) times the sum over the lists with d of w_i / r_i(d)^2",
    uses="ranks",
    source=_SOURCE,
    weighted=True,
)
LOG_ISR = Method(
    "logISR",
    log_isr,
    "log M(d) times the sum over the lists with d of w_i / r_i(d)^2",
    uses="ranks",
    source=_SOURCE,
    weighted=True,
    aliases=("log_isr",),
)
LOG_N_ISR = Method(
    "logN_ISR",
    log_n_isr,
    "log(M(d) + sigma) times the sum over the lists with d of w_i / r_i(d)^2",
    uses="ranks",
    source=f"{_SOURCE}; sigma as in ranx",
    weighted=True,
    aliases=("logn_isr",),
    checks=(("sigma", _is_share, "a number from 0 to 1"),),
    shown=("sigma",),
)
