"""The data of plots by rank: curves, DCG, precision against recall, judged documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.data.alignment import Needs
from rankmark.errors import InputError, MeasureError
from rankmark.measures import DCG, IPrec, P, R, nDCG
from rankmark.measures.base.requirements import needs_of
from rankmark.measures.families.discounted_gain import DiscountedGain
from rankmark.scoring.aggregates import for_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Floats, Ints
    from rankmark.measures import Measure
    from rankmark.scoring.cutoffs import Rankings
    from rankmark.verbs.plot.plot_request import Plottable

LAST_RANK = 100
"""The last rank of a plot without a cutoff, unless rankings end before."""
_DEEPEST_SAW = 1000  # ranks of one query at which precision is drawn
_DEEPEST = 1_000_000  # ranks; more need much memory and are not visible
_BUDGETS = 40
"""How many budgets a curve has: each is a ranking of its own."""
_MOST_CUTOFFS = 400  # more are closer than printed dots
RECALLS = np.arange(101) / 100
"""Recalls at which interpolated precision is drawn; every tenth is one of the classic eleven."""
EVERY = 10


class Ends(NamedTuple):
    """The ends of the rankings of a run.

    Parameters
    ----------
    longest
        The last rank of the longest ranking, at least 1.
    half
        The last rank that at least half of the nonempty rankings have.
    """

    longest: int
    half: int


class Curves(NamedTuple):
    """A number for each run, measure and cutoff.

    Parameters
    ----------
    k
        (n_cutoffs,) int64, rising; of budgets, float64.
    values
        (n_runs, n_measures, n_cutoffs) float64, also beyond a run's last rank.
    averaged
        The number of queries of each run.
    ends
        The ends of each run's rankings.
    """

    k: Ints | Floats
    values: Floats
    averaged: list[int]
    ends: list[Ends]


class Ideals(NamedTuple):
    """The DCG of runs and ideal rankings at each cutoff: (n_runs, n_cutoffs) float64 each."""

    k: Ints
    dcg: Floats
    ideal: Floats
    averaged: list[int]
    ends: list[Ends]


class Recalls(NamedTuple):
    """Precision against recall.

    Parameters
    ----------
    interpolated
        (n_runs, n_recalls) float64.
    raw
        For one query, each run's recall and precision at each rank, (n,) float64 each, from the
        first relevant document to the last. Empty for several queries, as means over queries at a
        rank can be higher than the means of interpolated precision.
    averaged
        The number of queries of each run.
    """

    recalls: Floats
    interpolated: Floats
    raw: list[tuple[Floats, Floats]]
    averaged: list[int]


class Judged(NamedTuple):
    """Fractions of the first k documents, means over queries: (n_runs, k) float64.

    Parameters
    ----------
    k
        (k,) int64, from 1.
    judged
        The fraction that is judged.
    tied
        The fraction that is tied, with at least one judged document in the tie.
    counted
        The number of queries of each run.
    ends
        The ends of each run's rankings.
    """

    k: Ints
    judged: Floats
    tied: Floats
    counted: list[int]
    ends: list[Ends]


def curves(
    evaluations: Sequence[Plottable],
    measures: Sequence[Measure],
    k: int | None,
    query: str | None,
    *,
    log: bool = False,
) -> Curves:
    """Score runs at each cutoff from 1.

    ``k`` is the last cutoff; by default, the greatest cutoff of the measures, or 100 or the end of
    the rankings. More than 400 cutoffs are spaced evenly, on a logarithmic scale if ``log``.
    """
    own = [vars(measure).get("k") for measure in measures]
    k = k or max((cutoff for cutoff in own if cutoff is not None), default=None)
    cutoffs = _cutoffs(k or LAST_RANK, log=log)
    at = [
        [measure.with_parameters(k=cutoff) for measure in measures] for cutoff in cutoffs.tolist()
    ]
    found = _rankings(evaluations, [measure for row in at for measure in row], query)
    if k is None:
        cutoffs = cutoffs[: _last_rank(found)]
    scores = [[rankings.over(row) for row in at[: len(cutoffs)]] for rankings in found]
    skip = evaluations[0].conventions.leave_out(measures)
    values = [
        [row[0].tolist() if query is not None else for_all(measures, row, skip=skip) for row in run]
        for run in scores
    ]
    averaged = [_count(run[0]) for run in scores]
    return Curves(cutoffs, _finite(values).transpose(0, 2, 1), averaged, _ends(found))


def curves_of_budgets(
    evaluations: Sequence[Plottable],
    measures: Sequence[Measure],
    k: int | None,
    query: str | None,
    *,
    log: bool = False,
) -> Curves:
    """Score runs within budgets up to those of the measures, which are of one cost."""
    budgets = [measure.budget for measure in measures]
    alike = {one and (one.cost, one.rule) for one in budgets}
    if len(alike) > 1 or k is not None or any(measure.costs[1:] for measure in measures):
        raise InputError(
            "a curve over budgets has the greatest budget of its measures as its end",
            "leave k out, and name measures with budgets of one cost, such as R@tokens(8000)",
        )
    last = max(one.most for one in budgets if one is not None)
    spaced = np.geomspace if log else np.linspace
    amounts = spaced(last / _BUDGETS, last, _BUDGETS)
    skip = evaluations[0].conventions.leave_out(measures)
    values = np.empty((len(evaluations), len(measures), len(amounts)))
    averaged = []
    for row, evaluation in enumerate(evaluations):
        rankings = evaluation.rankings(Needs(lowest=np.inf, deepest=1, ideal=1), query)
        scores = [rankings.over_budgets(one, amounts.tolist()) for one in measures]
        averaged.append(_count(scores[0]))
        for column in range(len(amounts)):
            at = np.column_stack([of_measure[:, column] for of_measure in scores])
            values[row, :, column] = (
                at[0] if query is not None else for_all(measures, at, skip=skip)
            )
    end = int(np.ceil(last))
    return Curves(amounts, _finite(values), averaged, [Ends(end, end)] * len(evaluations))


def ideals(
    evaluations: Sequence[Plottable],
    measure: Measure,
    k: int | None,
    query: str | None,
    *,
    log: bool = False,
) -> Ideals:
    """Return actual and ideal DCG at each cutoff; ``measure`` is nDCG or DCG with parameters."""
    if not isinstance(measure, DiscountedGain):
        raise MeasureError(f"{measure} is not drawn against an ideal", "ask for nDCG or DCG")
    given: dict[str, Any] = dict(vars(measure))
    k = k or given["k"]
    cutoffs = _cutoffs(k or LAST_RANK, log=log)
    # Losses are DCG's own: an ideal ranking has none.
    negative = given.pop("negative", "zero")
    perfect = [nDCG.with_parameters(**given | {"k": cutoff}) for cutoff in cutoffs.tolist()]
    given.pop("ideal", None)
    given["negative"] = negative
    gained = [DCG.with_parameters(**given | {"k": cutoff}) for cutoff in cutoffs.tolist()]
    found = _rankings(evaluations, [*perfect, *gained], query)
    if k is None:
        cutoffs = cutoffs[: _last_rank(found)]
    dcg = [np.array([run.scores(measure) for measure in gained[: len(cutoffs)]]) for run in found]
    best = [
        np.array([run.ideal_dcg(measure) for measure in perfect[: len(cutoffs)]]) for run in found
    ]
    if evaluations[0].conventions.no_relevant == "skip":
        kept = [~np.isnan(run[0]) for run in dcg]
        dcg = [run[:, rows] for run, rows in zip(dcg, kept, strict=True)]
        best = [run[:, rows] for run, rows in zip(best, kept, strict=True)]
    averaged = [run.shape[1] for run in dcg]
    means = _finite(map(_mean, dcg)), _finite(map(_mean, best))
    return Ideals(cutoffs, *means, averaged, _ends(found))


def recalls(
    evaluations: Sequence[Plottable], measure: Measure, k: int | None, query: str | None
) -> Recalls:
    """Return interpolated precision at 101 recalls, and of one query, both at each rank.

    If ties have no order, the recalls are eleven. ``measure`` is IPrec with parameters; ``k`` is
    the last rank drawn, 1000 by default.
    """
    if not isinstance(measure, type(IPrec)):
        raise MeasureError(
            f"{measure} is not drawn against recall", "ask for IPrec, or IPrec(rel=2)"
        )
    has_order = evaluations[0].conventions.unordered is None
    recalls = RECALLS if has_order else RECALLS[::EVERY]
    steps = [measure.with_parameters(recall=recall) for recall in recalls.tolist()]
    rel = vars(measure)["rel"]
    found = _rankings(evaluations, [*steps, R(rel=rel)], query)
    scores = [run.over(steps) for run in found]
    conventions = evaluations[0].conventions
    skip = conventions.leave_out(steps)
    means = _finite(for_all(steps, run, skip=skip) for run in scores)
    raw = []
    for run in found if query is not None else ():
        deepest = min(int(run.retrieved.max(initial=0)), k or _DEEPEST_SAW)
        ranks = np.arange(1, deepest + 1)
        both = np.empty((len(ranks), 2))
        for row, rank in enumerate(ranks.tolist()):
            at = R(rel=rel, k=rank), P(rel=rel, k=rank)
            both[row] = for_all(at, run.over(at), skip=conventions.leave_out(at))
        recall, precision = both.T
        # From the first relevant document to the last.
        rising = np.flatnonzero(np.diff(recall, prepend=0.0))
        drawn = slice(*(rising[[0, -1]] + [0, 1])) if len(rising) else slice(0)
        raw.append((recall[drawn], precision[drawn]))
    return Recalls(recalls, means, raw, [_count(run) for run in scores])


def judged(evaluations: Sequence[Plottable], k: int | None, query: str | None) -> Judged:
    """Return the fractions of the first 1, 2, ... ``k`` documents that are judged and tied.

    ``k`` is 100 by default. If ties have no order, tied documents are ordered by id.
    """
    _refuse_deeper(k)
    shares, ends, counted = [], [], []
    for evaluation in evaluations:  # one after another: all documents of a run take memory
        rankings = evaluation.rankings(Needs(), query)
        shares.append(rankings.shares(k or LAST_RANK))
        ends += _ends([rankings])
        counted.append(len(rankings.retrieved))
    k = k or min(max(end.longest for end in ends), LAST_RANK)
    return Judged(
        np.arange(1, k + 1),
        np.array([share.judged[:k] for share in shares]),
        np.array([share.tied[:k] for share in shares]),
        counted,
        ends,
    )


def _ends(found: Sequence[Rankings]) -> list[Ends]:
    """Return the ends of the rankings of each run."""
    ends = []
    for run in found:
        lengths = np.sort(run.retrieved[run.retrieved > 0])
        half = int(lengths[len(lengths) // 2]) if len(lengths) else 1
        ends.append(Ends(int(lengths[-1]) if len(lengths) else 1, half))
    return ends


def _rankings(
    evaluations: Sequence[Plottable], measures: Sequence[Measure], query: str | None
) -> list[Rankings]:
    needs = needs_of(measures)
    return [evaluation.rankings(needs, query) for evaluation in evaluations]


def _refuse_deeper(k: int | None) -> None:
    if k is not None and k > _DEEPEST:
        raise InputError(f"k is {k}", f"need at most {_DEEPEST:,}")


def _cutoffs(k: int, *, log: bool = False) -> Ints:
    _refuse_deeper(k)
    spaced = np.geomspace if log and k > _MOST_CUTOFFS else np.linspace
    return np.unique(spaced(1, k, min(k, _MOST_CUTOFFS)).round().astype(np.int64))


def _last_rank(found: Sequence[Rankings]) -> int:
    """Return the last rank of the longest ranking, at most ``LAST_RANK``."""
    longest = max(int(rankings.retrieved.max(initial=0)) for rankings in found)
    return max(min(longest, LAST_RANK), 1)


def _count(scores: Floats) -> int:
    """Count the queries that have values: (n, n_measures) float64."""
    return int((~np.isnan(scores)).all(axis=1).sum())


def _mean(values: Floats) -> Floats:
    """Average over queries: (n_cutoffs, n) to (n_cutoffs,) float64."""
    if not values.shape[1]:
        return np.full(len(values), np.nan)
    return values.mean(axis=1)


def _finite(values: Any) -> Floats:
    """Return numbers as an array, and refuse those that cannot be drawn."""
    numbers = np.array([*values])
    if np.isinf(numbers).any():
        raise InputError("a value is infinite and cannot be drawn", "draw another measure")
    if np.isnan(numbers).any():
        raise InputError(
            'there is no value to draw: nothing is relevant, and no_relevant="nan" makes the mean '
            'NaN, "skip" leaves all queries out',
            'choose no_relevant="zero", or other queries',
        )
    return numbers
