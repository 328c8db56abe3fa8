"""Norms: how the scores of different runs are made comparable, list by list.

Each is computed from one list of one query alone, after ``depth`` has cut it, except for ``borda``,
which also needs the number of documents in the union. n is the length of the list; sd is the
population standard deviation unless it says otherwise. Those of single engines are for presets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from rankmark.data.alignment import query_of_rows, segment_sum
from rankmark.errors import InputError, shown
from rankmark.formulas import Notation, NotationError

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats
    from rankmark.data.alignment.united_lists import RunLists, UnitedLists

Norm = Literal[
    "none", "min-max", "max", "sum", "z", "rank", "borda", "l2", "3-sigma", "3-sigma-sample",
    "arctan", "arctan-ip", "cosine",
    "min-max-elasticsearch", "min-max-opensearch", "z-opensearch",
]  # fmt: skip
NORMS: tuple[Norm, ...] = get_args(Norm)
Norms = str | tuple[str, ...]
"""The name of a norm, such as "z" or "min-max(low=0)", or a list of one for each run."""
Constant = Literal["raw", "positive"] | float
"""What a list becomes if all its scores are equal, where a norm would divide 0 by 0: a number; its
scores, "raw"; or 1 if they are above 0 and otherwise 0, "positive"."""


class GivenNorm(NamedTuple):
    """A norm with what it is told of the scores.

    Parameters
    ----------
    name
        The norm.
    low, high
        Of min-max: the lowest and the highest score that is possible, instead of those in a list.
    floor
        Of min-max, max, sum and z: the least divisor, such as 1e-9 in ranx, in place of a rule for
        lists of equal scores.
    """

    name: Norm
    low: float | None = None
    high: float | None = None
    floor: float | None = None


_PARAMETERS = {
    "min-max": ("low", "high", "floor"),
    **dict.fromkeys(("max", "sum", "z"), ("floor",)),
}


@lru_cache(maxsize=256)
def norm_named(text: str) -> GivenNorm:
    """Read the name of a norm, such as ``z`` or ``min-max(low=-1)``."""
    reader = Notation(text)
    try:
        name = reader.match(r"[a-z0-9-]+") or ""
        bounds = {bound: value for bound, value, _ in reader.parameters()}
        reader.end()
    except NotationError as error:
        raise InputError(f"norm is {shown(text)}: {error.found}", error.remedy) from None
    if name not in NORMS:
        raise InputError(f"norm is {shown(text)}", f"need one of {', '.join(NORMS)}")
    numbers = all(isinstance(value, (int, float)) for value in bounds.values())
    taken = _PARAMETERS.get(name, ())
    if not bounds.keys() <= {*taken} or not numbers:
        needed = f"{name} takes the numbers {', '.join(taken)}" if taken else "leave them out"
        raise InputError(f"norm is {shown(text)}, with wrong parameters", needed)
    found = GivenNorm(name, **bounds)
    if found.low is not None and found.high is not None and not found.low < found.high:
        raise InputError(f"norm is {shown(text)}", "low must be below high")
    return found


def check_norm(norm: Any, constant: Any) -> None:
    """Refuse what is no norm, or no value for lists of equal scores."""
    names = norm if isinstance(norm, tuple) and norm else [norm]
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"norm is {shown(norm)}", f"need one of {', '.join(NORMS)}")
        norm_named(name)
    if isinstance(constant, str) and constant in {"raw", "positive"}:
        return
    if not is_finite(constant):
        raise InputError(f"constant is {shown(constant)}", 'need a number, "raw" or "positive"')


def is_finite(value: Any) -> bool:
    """Whether a value is a finite number."""
    if isinstance(value, (bool, str)):
        return False
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def normalised(
    lists: UnitedLists, run: int, norm: str, constant: Constant = 1, absent: float = 0.0
) -> Floats:
    """Normalise the scores of one run: (U,) float64; see ``Ballots.normalised``."""
    of_run, given = lists.lists[run], norm_named(norm)
    is_plain = given == GivenNorm(given.name)  # bounds and floors are in the units of the scores
    if given.name in _OF_ANY_SCALE and is_plain and constant != "raw":
        of_run = _at_usual_scale(of_run)
    if given.name == "none":
        return lists.spread(run, of_run.score, absent)
    if given.name == "borda":
        size = of_run.sizes
        union = np.maximum(lists.sizes, 1)
        points = 1 - (_mean_rank(of_run) - 1) / union[query_of_rows(of_run.starts)]
        return lists.spread(run, points, 0.5 - (size - 1) / (2 * union))
    if given.floor is not None:
        return lists.spread(run, _divided_at_least(of_run, given, given.floor), absent)
    if given.name == "min-max":
        return lists.spread(run, _min_max(of_run, constant, given.low, given.high), absent)
    return lists.spread(run, _BY_LIST[given.name](of_run, constant), absent)


def _at_usual_scale(lists: RunLists) -> RunLists:
    """Return the lists with extreme scores multiplied by a power of two.

    Squares of scores below 1e-160 are 0, and those above 1e154 infinite. A power of two changes no
    digit of a score, so norms that do not depend on the scale keep their bits.
    """
    greatest = np.maximum(*map(np.abs, _extremes(lists)))
    _, exponents = np.frexp(greatest)
    exponents[np.abs(exponents) < _EXTREME_EXPONENT] = 0
    if not exponents.any():
        return lists
    return lists._replace(score=np.ldexp(lists.score, -exponents[query_of_rows(lists.starts)]))


def _mean_rank(lists: RunLists) -> Floats:
    means: Floats = (lists.first + lists.last) / 2
    return means


def _min_max(
    lists: RunLists, constant: Constant, least: float | None, greatest: float | None
) -> Floats:
    """Return (s - min) / (max - min), of the list or as they are known."""
    low, high = _extremes(lists)
    low = low if least is None else np.full(len(low), float(least))
    high = high if greatest is None else np.full(len(high), float(greatest))
    return _scaled(lists, low, high - low, constant, low == high)


def _divided_at_least(lists: RunLists, norm: GivenNorm, floor: float) -> Floats:
    """Return a norm whose divisors are at least ``floor``, without a rule for equal scores."""
    low, high = _extremes(lists)
    low = low if norm.low is None else np.full(len(low), float(norm.low))
    high = high if norm.high is None else np.full(len(high), float(norm.high))
    mean, variance = _moments(lists)
    shift, scale = {
        "min-max": (low, high - low),
        "max": (np.zeros(len(low)), high),
        "sum": (low, segment_sum(lists.score, lists.starts) - low * lists.sizes),
        "z": (mean, np.sqrt(variance)),
    }[norm.name]
    query = query_of_rows(lists.starts)
    scaled: Floats = (lists.score - shift[query]) / np.maximum(scale, floor)[query]
    return scaled


def _sum(lists: RunLists, constant: Constant) -> Floats:
    """Return (s - min) / sum of (s - min): Montague and Aslam's norm."""
    low, _ = _extremes(lists)
    shifted = lists.score - low[query_of_rows(lists.starts)]
    return _scaled(lists, low, segment_sum(shifted, lists.starts), constant)


def _z(lists: RunLists, _: Constant) -> Floats:
    """Return (s - mean) / sd; 0 in a list of equal scores."""
    mean, variance = _moments(lists)
    return _scaled(lists, mean, np.sqrt(variance), 0.0)


def _min_max_elasticsearch(lists: RunLists, constant: Constant) -> Floats:
    """Return min-max with a max of at least 0; a list of equal scores, to 1e-6, keeps the lowest.

    Elasticsearch starts its search for the greatest score at the lowest float above 0.
    """
    del constant
    low, high = _extremes(lists)
    high = np.maximum(high, np.finfo(np.float32).smallest_subnormal)
    flat = np.abs(high - low) < 1e-6
    scaled = _scaled(lists, low, high - low, 0.0, flat)
    query = query_of_rows(lists.starts)
    return np.where(flat[query], low[query], scaled)


def _min_max_opensearch(lists: RunLists, constant: Constant) -> Floats:
    """Return min-max; 1 in a list of equal scores, and 0.001 in place of 0."""
    del constant
    scaled = _min_max(lists, 1, None, None)
    return np.where(scaled == 0, 0.001, scaled)


def _z_opensearch(lists: RunLists, constant: Constant) -> Floats:
    """Return (s - mean) / sd where it is above 0, and otherwise 0.001.

    A score that equals the mean becomes the greatest score of the list, and the scores of a list
    without deviations become the lowest.
    """
    del constant
    mean, variance = _moments(lists)
    low, high = _extremes(lists)
    query = query_of_rows(lists.starts)
    scaled = _scaled(lists, mean, np.sqrt(variance), 0.0)
    found = np.where(scaled > 0, scaled, 0.001)
    found = np.where(lists.score == mean[query], high[query], found)
    return np.where(variance[query] == 0, low[query], found)


_OF_ANY_SCALE = frozenset({"min-max", "sum", "z", "l2", "3-sigma", "3-sigma-sample"})
_EXTREME_EXPONENT = 200  # squares of scores of 2^200, and of their differences, are far from limits

_BY_LIST: dict[str, Callable[[RunLists, Constant], Floats]] = {
    # s / max; a list without a score above 0 is left as it is
    "max": lambda lists, _: _divided(lists, _or_1(_extremes(lists)[1])),
    "sum": _sum,
    "z": _z,
    # 1 - (r - 1) / n
    "rank": lambda lists, _: 1 - (_mean_rank(lists) - 1) / lists.sizes[query_of_rows(lists.starts)],
    # s / sqrt(sum of s^2); a list of zeros is left as it is
    "l2": lambda lists, _: _divided(
        lists, _or_1(np.sqrt(segment_sum(lists.score**2, lists.starts)))
    ),
    # (s - mean + 3 sd) / (6 sd), with the population's sd, and the sample's, divided by n - 1
    "3-sigma": lambda lists, constant: _by_deviations(lists, constant, 0),
    "3-sigma-sample": lambda lists, constant: _by_deviations(lists, constant, 1),
    # Milvus's norms of BM25, whatever the other scores are, of inner products, and of cosines
    "arctan": lambda lists, _: 2 * np.arctan(lists.score) / np.pi,
    "arctan-ip": lambda lists, _: 0.5 + np.arctan(lists.score) / np.pi,
    "cosine": lambda lists, _: (1 + lists.score) / 2,
    "min-max-elasticsearch": _min_max_elasticsearch,
    "min-max-opensearch": _min_max_opensearch,
    "z-opensearch": _z_opensearch,
}


def constant_lists(lists: RunLists) -> Bools:
    """Return which lists have documents, and the same score for all: (Q,) bool."""
    low, high = _extremes(lists)
    flat: Bools = (lists.sizes > 0) & (low == high)
    return flat


def _or_1(divisors: Floats) -> Floats:
    return np.where(divisors > 0, divisors, 1.0)


def _by_deviations(lists: RunLists, constant: Constant, freedom: int) -> Floats:
    mean, variance = _moments(lists, freedom)
    sd = np.sqrt(variance)
    return _scaled(lists, mean - 3 * sd, 6 * sd, constant)


def _extremes(lists: RunLists) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score of each list, 0 of an empty one: (Q,) float64."""
    filled = lists.sizes > 0
    low, high = np.zeros(len(filled)), np.zeros(len(filled))
    low[filled] = lists.score[lists.starts[1:][filled] - 1]  # lists are best first
    high[filled] = lists.score[lists.starts[:-1][filled]]
    return low, high


def _moments(lists: RunLists, freedom: int = 0) -> tuple[Floats, Floats]:
    """Return the mean and the variance of each list; the latter is 0 of equal scores."""
    sizes = lists.sizes
    mean = segment_sum(lists.score, lists.starts) / np.maximum(sizes, 1)
    squares = (lists.score - mean[query_of_rows(lists.starts)]) ** 2
    variance = segment_sum(squares, lists.starts) / np.maximum(sizes - freedom, 1)
    return mean, np.where(constant_lists(lists), 0.0, variance)


def _scaled(
    lists: RunLists, shift: Floats, scale: Floats, constant: Constant, flat: Bools | None = None
) -> Floats:
    """Return (s - shift) / scale, and the constant in flat lists: those of equal scores."""
    query = query_of_rows(lists.starts)
    if flat is None:
        flat = constant_lists(lists)
    scaled: Floats = (lists.score - shift[query]) / np.where(flat | (scale == 0), 1.0, scale)[query]
    rows = np.flatnonzero(flat[query])
    if len(rows):
        raw = lists.score[rows]
        words = {"raw": raw, "positive": (raw > 0).astype(np.float64)}
        scaled[rows] = words[constant] if isinstance(constant, str) else float(constant)
    return scaled


def _divided(lists: RunLists, divisor: Floats) -> Floats:
    divided: Floats = lists.score / divisor[query_of_rows(lists.starts)]
    return divided
