"""RRF: reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.errors import InputError
from rankmark.verbs.fuse.method import Method, OneOf, is_finite

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.verbs.fuse.ballots import Ballots


def rrf(
    ballots: Ballots,
    *,
    k: float = 60.0,
    origin: int = 1,
    weighting: Literal["factor", "stretch"] = "factor",
    scaled: bool = False,
) -> Floats:
    """Return w / (k + r), where ranks r count from ``origin``: (m, U) float64.

    ``weighting="stretch"`` divides ranks that count from 1 by the weight instead, as Qdrant does:
    1 / (k + r / w - 1 + origin). ``scaled`` divides by the score of a document that is first in
    all lists, so that scores are from 0 to 1.
    """
    if k + origin <= 0:
        raise InputError(f"k is {k} and ranks count from {origin}", "need a k above 0")
    shift = k + (origin - 1)

    def points(weight: float) -> Callable[[Floats], Floats]:
        if weighting == "factor" or weight == 0:
            return lambda ranks: weight / (shift + ranks)
        return lambda ranks: 1 / (shift + ranks / weight)

    weights = ballots.weights.tolist()
    given = np.stack([ballots.by_rank_in(run, points(w)) for run, w in enumerate(weights)])
    if not scaled:
        return given
    highest = sum(float(points(weight)(np.ones(1))[0]) for weight in weights)
    return given / highest


def _is_above_minus_1(k: Any) -> bool:
    return is_finite(k) and k > -1


def _is_flag(scaled: Any) -> bool:
    return isinstance(scaled, bool)


RRF = Method(
    "RRF",
    rrf,
    "sum over the lists with d of w_i / (k + r_i(d))",
    uses="ranks",
    source="Cormack, Clarke, Büttcher 2009, SIGIR",
    weighted=True,
    checks=(
        ("k", _is_above_minus_1, "a number above -1"),
        ("origin", OneOf((0, 1)), "0 or 1, the rank of the first document"),
        ("weighting", OneOf(("factor", "stretch")), '"factor" or "stretch"'),
        ("scaled", _is_flag, "True or False"),
    ),
    shown=("k",),
)
