"""Methods that learn from training queries, from MAPFuse to BayesFuse.

Each learns numbers from one run and its judgments, and gives points for ranks by them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from rankmark.fusing.ballots import Ballots, total
from rankmark.fusing.method import Method, OneOf

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.fusing.norms import Constant, Norms

Learnt = tuple[tuple[float, ...], ...]
"""The numbers that were learnt of each run."""

_LILLIS = "Lillis, Zhang, Toolan, Collier, Leonard, Dunnion 2010, SIGIR"
BAYES_ENDS = (0, 5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""Where the bins of BayesFuse end, the first number being 0."""
_LEAST_ODDS = math.log(0.001 / 0.999)
"""BayesFuse's log odds of documents that a list does not contain."""


class TrainingLists(NamedTuple):
    """The lists of one run for n judged queries.

    Parameters
    ----------
    starts, rank
        (n + 1,) int64 and (h,) int64: the ranks, from 1, of the relevant documents of query q are
        rows ``starts[q]`` to ``starts[q + 1]``.
    sizes
        (n,) int64, the lengths of the lists.
    average_precision
        (n,) float64.
    """

    starts: Ints
    rank: Ints
    sizes: Ints
    average_precision: Floats

    def hits(self) -> Ints:
        """Count the queries with a relevant document at each rank: (longest list,) int64."""
        return np.bincount(self.rank - 1, minlength=int(self.sizes.max(initial=0)))


def _learn_nothing(_: TrainingLists) -> tuple[float, ...]:
    return ()


@dataclass(frozen=True, slots=True, repr=False)
class TrainedMethod(Method):
    """A method that has learnt, or that has to learn before it can fuse.

    Parameters
    ----------
    learn
        ``learn(lists, ...)`` with the method's parameters: the numbers learnt of one run.
    learnt
        The numbers learnt of each run; None before.
    trained_on
        The ids of the training queries.
    runs
        The names of the runs.
    """

    has_cutoff: ClassVar[bool] = False

    learn: Callable[..., tuple[float, ...]] = _learn_nothing
    learnt: Learnt | None = None
    trained_on: frozenset[str] = frozenset()

    def with_given(self, given: tuple[tuple[str, Any], ...]) -> TrainedMethod:
        """Return the same method with other parameters, which has learnt nothing."""
        return replace(self, given=given, learnt=None, trained_on=frozenset())

    def choose(self, **parameters: Any) -> TrainedMethod:
        """Choose parameters; the method has learnt nothing then."""
        chosen = Method.choose(self, **parameters)
        return chosen if isinstance(chosen, TrainedMethod) else self

    def after(self, learnt: Learnt, trained_on: frozenset[str]) -> TrainedMethod:
        """Return the same method after training."""
        return replace(self, learnt=learnt, trained_on=trained_on)

    def contributions(self, ballots: Ballots) -> Floats | None:
        """Return what each list adds to the score: (m, U) float64."""
        return self.over(ballots, self.learnt, **dict(self.given))

    def scores(self, ballots: Ballots) -> Floats:
        """Fuse: (U,) float64, higher is better."""
        return total(self.over(ballots, self.learnt, **dict(self.given)))


def _points(ballots: Ballots, of_ranks: list[Floats], beyond: float = 0.0) -> Floats:
    """Give the points of each run's ranks; those beyond the last get the same: (m, U) float64."""

    def of(points: Floats) -> Callable[[Floats], Floats]:
        known = np.append(points, beyond)
        return lambda ranks: known[np.minimum(ranks.astype(np.int64) - 1, len(points))]

    return np.stack([ballots.by_rank_in(run, of(points)) for run, points in enumerate(of_ranks)])


def learn_map(lists: TrainingLists) -> tuple[float, ...]:
    """Learn the mean average precision."""
    return (float(lists.average_precision.mean()),)


def map_fuse(ballots: Ballots, learnt: Learnt) -> Floats:
    """Return MAP_i / r: (m, U) float64."""
    means = [mean for (mean,) in learnt]
    return np.stack(
        [
            ballots.by_rank_in(run, lambda ranks, mean=mean: mean / ranks)  # type: ignore[misc]
            for run, mean in enumerate(means)
        ]
    )


def learn_positions(lists: TrainingLists) -> tuple[float, ...]:
    """Learn the share of the lists with a relevant document at each rank, of those that long."""
    hits = lists.hits()
    long_enough = np.cumsum(np.bincount(lists.sizes, minlength=len(hits) + 1)[::-1])[::-1][1:]
    return tuple((hits / np.maximum(long_enough, 1)).tolist())


def pos_fuse(ballots: Ballots, learnt: Learnt) -> Floats:
    """Return P_i(r): (m, U) float64."""
    return _points(ballots, [np.array(shares) for shares in learnt])


def learn_slides(lists: TrainingLists, *, w: int) -> tuple[float, ...]:
    """Learn the same as PosFuse."""
    del w
    return learn_positions(lists)


def slide_fuse(ballots: Ballots, learnt: Learnt, *, w: int = 1) -> Floats:
    """Return the mean P_i over ranks r - w to r + w of the list: (m, U) float64."""
    given = np.empty(ballots.present.shape)
    for run, (lists, shares) in enumerate(zip(ballots.lists.lists, learnt, strict=True)):
        size = np.repeat(lists.sizes, lists.sizes)
        rank = np.arange(len(size)) - np.repeat(lists.starts[:-1], lists.sizes) + 1
        first, last = np.maximum(rank - w, 1), np.minimum(rank + w, size)
        sums = np.append(0.0, np.cumsum(shares))
        known = len(shares)
        inside = sums[np.minimum(last, known)] - sums[np.minimum(first - 1, known)]
        given[run] = ballots.lists.spread(run, inside / (last - first + 1))
    return given


def learn_segments_of_equal_size(lists: TrainingLists, *, segments: int) -> tuple[float, ...]:
    """Learn the mean share of relevant documents in each of the segments of a list."""
    size = np.maximum(-(-lists.sizes // segments), 1)  # of each segment but the last
    query = np.repeat(np.arange(len(lists.sizes)), np.diff(lists.starts))
    segment = (lists.rank - 1) // size[query]
    numbers = np.arange(segments)
    lengths = np.clip(lists.sizes[:, None] - numbers * size[:, None], 0, size[:, None])
    hits = np.zeros((len(lists.sizes), segments))
    np.add.at(hits, (query, segment), 1)
    shares = np.divide(hits, lengths, out=np.zeros_like(hits), where=lengths > 0)
    return tuple(shares.mean(axis=0).tolist())


def prob_fuse(ballots: Ballots, learnt: Learnt, *, segments: int = 10) -> Floats:
    """Return P_i(k) / k for the number k of the document's segment: (m, U) float64."""
    given = np.empty(ballots.present.shape)
    for run, (lists, shares) in enumerate(zip(ballots.lists.lists, learnt, strict=True)):
        place = np.arange(len(lists.score)) - np.repeat(lists.starts[:-1], lists.sizes)
        size = np.maximum(-(-lists.sizes // segments), 1)
        segment = place // np.repeat(size, lists.sizes)
        given[run] = ballots.lists.spread(run, np.array(shares)[segment] / (segment + 1))
    return given


def _ends(cuts: str) -> list[int]:
    """Return where SegFuse's ten segments end, the first number being 0."""
    sizes = [10 * 2 ** (k - 1) - 5 for k in range(1, 11)]
    return [0, *(sizes if cuts == "ranx" else accumulate(sizes))]


def learn_segments(
    lists: TrainingLists,
    *,
    cuts: Literal["paper", "ranx"],
    norm: Norms,
    constant: Constant,
) -> tuple[float, ...]:
    """Learn the share of relevant documents in each segment, as if every list were long enough."""
    del norm, constant
    ends = _ends(cuts)
    hits, _ = np.histogram(lists.rank, np.array(ends) + 0.5)
    return tuple((hits / np.diff(ends) / len(lists.sizes)).tolist())


def seg_fuse(
    ballots: Ballots,
    learnt: Learnt,
    *,
    cuts: Literal["paper", "ranx"] = "paper",
    norm: Norms = "min-max",
    constant: Constant = 1,
) -> Floats:
    """Return P_i(k) (s + 1) for the segment k of the document: (m, U) float64."""
    sizes = np.diff(_ends(cuts))
    shares = _points(ballots, [np.repeat(np.array(of_run), sizes) for of_run in learnt])
    return shares * (ballots.normalised(norm, constant) + 1) * ballots.present


def learn_odds(lists: TrainingLists) -> tuple[float, ...]:
    """Learn the log odds of relevance in each bin of ranks, as if every list were long enough."""
    hits, _ = np.histogram(lists.rank, np.array(BAYES_ENDS) + 0.5)
    odds = []
    for (first, last), relevant in zip(pairwise(BAYES_ENDS), hits.tolist(), strict=True):
        share = relevant / (last - first) / len(lists.sizes) or 0.001
        odds.append(math.log(share / ((1 - share) or 0.001)))
    return tuple(odds)


def bayes_fuse(ballots: Ballots, learnt: Learnt) -> Floats:
    """Return the log odds of the document's bin, or log(0.001 / 0.999): (m, U) float64."""
    points = [np.repeat(np.array(odds), np.diff(BAYES_ENDS)) for odds in learnt]
    given = _points(ballots, points, _LEAST_ODDS)
    given[~ballots.present] = _LEAST_ODDS
    return given


def _is_whole(value: Any) -> bool:
    return not isinstance(value, bool) and int(value) == value and value >= 1


MAP_FUSE = TrainedMethod(
    "MAPFuse",
    map_fuse,
    "sum over the lists with d of MAP_i / r_i(d)",
    uses="ranks",
    source=_LILLIS,
    learn=learn_map,
)
POS_FUSE = TrainedMethod(
    "PosFuse",
    pos_fuse,
    "sum of P_i(r_i(d)): the share of training queries with a relevant document at that rank",
    uses="ranks",
    source=_LILLIS,
    learn=learn_positions,
)
PROB_FUSE = TrainedMethod(
    "ProbFuse",
    prob_fuse,
    "sum of P_i(k) / k, where k is the segment of d: the share of relevant documents in it",
    uses="ranks",
    source="Lillis, Toolan, Collier, Dunnion 2006, SIGIR",
    checks=(("segments", _is_whole, "a whole number from 1"),),
    shown=("segments",),
    learn=learn_segments_of_equal_size,
)
SEG_FUSE = TrainedMethod(
    "SegFuse",
    seg_fuse,
    "sum of P_i(k) (s_i(d) + 1), where k is the segment of d, of 10 2^(k - 1) - 5 ranks",
    uses="scores",
    source="Shokouhi 2007, ECIR",
    checks=(("cuts", OneOf(("paper", "ranx")), '"paper" or "ranx"'),),
    learn=learn_segments,
)
SLIDE_FUSE = TrainedMethod(
    "SlideFuse",
    slide_fuse,
    "sum of the mean of P_i over ranks r_i(d) - w to r_i(d) + w of the list",
    uses="ranks",
    source="Lillis, Toolan, Collier, Dunnion 2008, ECIR",
    checks=(("w", _is_whole, "a whole number from 1"),),
    shown=("w",),
    learn=learn_slides,
)
BAYES_FUSE = TrainedMethod(
    "BayesFuse",
    bayes_fuse,
    "sum of log(P_i(k) / (1 - P_i(k))) for the bin k of r_i(d), and log(0.001 / 0.999) without d",
    uses="ranks",
    source="Aslam, Montague 2001, SIGIR; bins as in ranx",
    learn=learn_odds,
)

TRAINED: tuple[TrainedMethod, ...] = (
    MAP_FUSE,
    POS_FUSE,
    PROB_FUSE,
    SEG_FUSE,
    SLIDE_FUSE,
    BAYES_FUSE,
)
"""All methods that have to be trained."""
