"""Methods of fusion, family by family: a formula over Ballots, its parameters and source."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from rankmark.array_types import Floats
from rankmark.errors import InputError, MeasureError, shown
from rankmark.formulas import formulas_in
from rankmark.verbs.fuse.method import (
    Ballots,
    Between,
    Method,
    OneOf,
    Scaled,
    is_flag,
    total,
)
from rankmark.verbs.fuse.norms import Constant, Norms, is_finite


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


_OPENSEARCH = "OpenSearch, neural-search, normalization-processor"


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


_MOURAO = "Mourão, Martins, Magalhães 2015, Computerized Medical Imaging and Graphics 39"


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


def borda(ballots: Ballots, *, missing: Literal["mean", "zero"] = "mean") -> Floats:
    """Return w (u - r + 1), where u is the number of documents in the union: (m, U) float64.

    Absent documents share the points that are left, (u - n + 1) / 2 each; or get none with
    ``missing="zero"``.
    """
    union = ballots.of_documents(ballots.lists.sizes)
    points = union - ballots.ranks + 1
    for run, size in enumerate(ballots.sizes):
        absent = (union - ballots.of_documents(size) + 1) / 2 if missing == "mean" else 0.0
        points[run] = np.where(ballots.present[run], points[run], absent)
    return ballots.weights[:, None] * points


def rbc(ballots: Ballots, *, p: float = 0.8) -> Floats:
    """Return w (1 - p) p^(r - 1): (m, U) float64."""
    return ballots.weights[:, None] * ballots.by_rank(lambda ranks: (1 - p) * p ** (ranks - 1))


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


def _of_ranks(
    name: str, over: Any, formula: str, source: str, *aliases: str, **more: Any
) -> Method:
    return Method(name, over, formula, "ranks", source, True, aliases, **more)  # noqa: FBT003


def _of_scores(
    name: str, over: Any, formula: str, source: str, *aliases: str, **more: Any
) -> Method:
    return Method(name, over, formula, "scores", source, aliases=aliases, **more)


ALL: tuple[Method, ...] = (
    _of_ranks(
        "RRF",
        rrf,
        "sum over the lists with d of w_i / (k + r_i(d))",
        "Cormack, Clarke, Büttcher 2009, SIGIR",
        checks=(
            ("k", Between(-1), "a number above -1"),
            ("origin", OneOf((0, 1)), "0 or 1, the rank of the first document"),
            ("weighting", OneOf(("factor", "stretch")), '"factor" or "stretch"'),
            ("scaled", is_flag, "True or False"),
        ),
        shown=("k",),
    ),
    _of_scores(
        "wsum",
        wsum,
        "sum of w_i s_i(d)",
        "Vogt, Cottrell 1999, Information Retrieval 1(3); Bruch, Gai, Ingber 2023, TOIS 42(1)",
        "linear",
        "convex",
        weighted=True,
    ),
    _of_scores("CombSUM", comb_sum, "sum of s_i(d)", _FOX_SHAW, "sum"),
    _of_scores("CombMNZ", comb_mnz, "M(d) times the sum of s_i(d)", _FOX_SHAW, "mnz"),
    _of_scores("CombANZ", comb_anz, "the sum of s_i(d) divided by M(d)", _FOX_SHAW, "anz"),
    _of_scores(
        "CombGMNZ",
        comb_gmnz,
        "M(d)^gamma times the sum of s_i(d)",
        "Lee 1997, SIGIR",
        "gmnz",
        checks=(("gamma", is_finite, "a number"),),
        shown=("gamma",),
    ),
    _of_scores("CombMAX", comb_max, "the greatest s_i(d) of the lists with d", _FOX_SHAW, "max"),
    _of_scores("CombMIN", comb_min, "the lowest s_i(d) of the lists with d", _FOX_SHAW, "min"),
    _of_scores("CombMED", comb_med, "the median of s_i(d) over the lists with d", _FOX_SHAW, "med"),
    _of_scores(
        "WMNZ",
        wmnz,
        "the sum of s_i(d) times the sum of w_i over the lists with d",
        _WU_CRESTANI,
        weighted=True,
    ),
    _of_scores(
        "Mixed", mixed, "sqrt(M(d)) times the sum of w_i s_i(d)", _WU_CRESTANI, weighted=True
    ),
    _of_scores(
        "arithmetic_mean",
        arithmetic_mean,
        "sum of w_i s_i(d) / sum of w_i, over lists with s_i(d) >= 0, absent d being 0",
        _OPENSEARCH,
        weighted=True,
    ),
    _of_scores(
        "geometric_mean",
        geometric_mean,
        "exp(sum of w_i ln s_i(d) / sum of w_i), over lists with s_i(d) > 0",
        _OPENSEARCH,
        weighted=True,
    ),
    _of_scores(
        "harmonic_mean",
        harmonic_mean,
        "sum of w_i / sum of w_i / s_i(d), over lists with s_i(d) > 0",
        _OPENSEARCH,
        weighted=True,
    ),
    _of_ranks("ISR", isr, "M(d) times the sum over the lists with d of w_i / r_i(d)^2", _MOURAO),
    _of_ranks(
        "logISR",
        log_isr,
        "log M(d) times the sum over the lists with d of w_i / r_i(d)^2",
        _MOURAO,
        "log_isr",
    ),
    _of_ranks(
        "logN_ISR",
        log_n_isr,
        "log(M(d) + sigma) times the sum over the lists with d of w_i / r_i(d)^2",
        f"{_MOURAO}; sigma as in ranx",
        "logn_isr",
        checks=(("sigma", Between(0, 1, closed=True), "a number from 0 to 1"),),
        shown=("sigma",),
    ),
    _of_ranks(
        "Borda",
        borda,
        "sum of w_i (u - r_i(d) + 1), and of w_i (u - n_i + 1) / 2 for lists without d",
        "Aslam, Montague 2001, SIGIR",
        "bordafuse",
        "w_bordafuse",
        checks=(("missing", OneOf(("mean", "zero")), '"mean" or "zero"'),),
    ),
    _of_ranks(
        "RBC",
        rbc,
        "sum over the lists with d of w_i (1 - p) p^(r_i(d) - 1)",
        "Bailey, Moffat, Scholer, Thomas 2017, SIGIR",
        checks=(("p", Between(0, 1), "a number above 0 and below 1"),),
        shown=("p",),
    ),
    _of_ranks(
        "Condorcet",
        condorcet,
        "u, u - 1, ..., 1 down the order by pairwise wins minus losses (Copeland), then by Borda",
        "Montague, Aslam 2002, CIKM; Copeland 1951",
        "w_condorcet",
    ),
)
"""All methods, those to try first before others."""
_BY_NAME = {name.lower(): found for found in ALL for name in (found.name, *found.aliases)}


def method(name: str | Method) -> Method:
    """Find a method by its name.

    Parameters
    ----------
    name
        Such as ``RRF``, ``RRF(k=10)`` or ``CombMNZ(norm="z")``. Case does not matter. A method is
        returned as it is.

    Examples
    --------
    >>> from rankmark.verbs.fuse.methods import method
    >>> method("rrf"), method("CombMNZ(norm='z')")
    (RRF(k=60), CombMNZ(norm="z"))
    """
    if isinstance(name, Method):
        return name
    if not isinstance(name, str):
        raise MeasureError(f"{shown(name)} is not a method", "need its name, such as RRF(k=60)")
    return _parsed(name)


@lru_cache(maxsize=256)
def _parsed(name: str) -> Method:
    found = formulas_in(name, _BY_NAME, "method of fusion")
    if len(found) > 1:
        raise MeasureError(
            f"{shown(name)} means {len(found)} methods", f"need one, such as {found[0]}"
        )
    return found[0]
