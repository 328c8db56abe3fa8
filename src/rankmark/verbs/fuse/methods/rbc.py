"""RBC: rank-biased centroids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.verbs.fuse.method import Method, is_finite

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.verbs.fuse.ballots import Ballots


def rbc(ballots: Ballots, *, p: float = 0.8) -> Floats:
    """Return w (1 - p) p^(r - 1): (m, U) float64."""
    return ballots.weights[:, None] * ballots.by_rank(lambda ranks: (1 - p) * p ** (ranks - 1))


def _is_between_0_and_1(p: Any) -> bool:
    return is_finite(p) and 0 < p < 1


RBC = Method(
    "RBC",
    rbc,
    "sum over the lists with d of w_i (1 - p) p^(r_i(d) - 1)",
    uses="ranks",
    source="Bailey, Moffat, Scholer, Thomas 2017, SIGIR",
    weighted=True,
    checks=(("p", _is_between_0_and_1, "a number above 0 and below 1"),),
    shown=("p",),
)
