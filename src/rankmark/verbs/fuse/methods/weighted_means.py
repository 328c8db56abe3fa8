"""OpenSearch's weighted means of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.verbs.fuse.ballots import total
from rankmark.verbs.fuse.method import Method, Scaled

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.verbs.fuse.ballots import Ballots
    from rankmark.verbs.fuse.norms import Constant, Norms

_SOURCE = "OpenSearch, neural-search, normalization-processor"


def arithmetic_mean(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Scaled:
    """Return w s, and as the divisor the sum of w, over lists whose s is not below 0.

    Absent documents have s = 0, and so count.
    """
    scores = ballots.normalised(norm, constant)
    weights = np.where(scores >= 0, ballots.weights[:, None], 0.0)
    whole = total(weights)
    return Scaled(weights * scores, lambda sums: _divided(sums, whole))


def geometric_mean(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Floats:
    """Return exp(sum of w ln s / sum of w) over lists whose s is above 0: (U,) float64.

    Lists without the document are left out; without any list, the mean is 0.
    """
    scores = ballots.normalised(norm, constant)
    weights = np.where(scores > 0, ballots.weights[:, None], 0.0)
    logarithms = np.log(scores, out=np.zeros_like(scores), where=scores > 0)
    whole = total(weights)
    return np.where(whole > 0, np.exp(_divided(total(weights * logarithms), whole)), 0.0)


def harmonic_mean(ballots: Ballots, *, norm: Norms = "min-max", constant: Constant = 1) -> Floats:
    """Return sum of w / sum of (w / s) over lists whose s is above 0: (U,) float64.

    Lists without the document are left out; without any list, the mean is 0.
    """
    scores = ballots.normalised(norm, constant)
    weights = np.where(scores > 0, ballots.weights[:, None], 0.0)
    parts = np.divide(weights, scores, out=np.zeros_like(scores), where=scores > 0)
    return _divided(total(weights), total(parts))


def _divided(part: Floats, whole: Floats) -> Floats:
    out = np.zeros_like(part)
    np.divide(part, whole, out=out, where=np.broadcast_to(whole > 0, part.shape))
    return out


ARITHMETIC_MEAN = Method(
    "arithmetic_mean",
    arithmetic_mean,
    "sum of w_i s_i(d) / sum of w_i, over lists with s_i(d) >= 0, absent d being 0",
    uses="scores",
    source=_SOURCE,
    weighted=True,
)
GEOMETRIC_MEAN = Method(
    "geometric_mean",
    geometric_mean,
    "exp(sum of w_i ln s_i(d) / sum of w_i), over lists with s_i(d) > 0",
    uses="scores",
    source=_SOURCE,
    weighted=True,
)
HARMONIC_MEAN = Method(
    "harmonic_mean",
    harmonic_mean,
    "sum of w_i / sum of w_i / s_i(d), over lists with s_i(d) > 0",
    uses="scores",
    source=_SOURCE,
    weighted=True,
)
