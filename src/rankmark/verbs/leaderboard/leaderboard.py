"""Rank models by their scores on tasks, with the uncertainty of the ranks: ``leaderboard``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from rankmark.arguments import Columns, Draws, FromOne, Names, Seed, Share, checked, names_in
from rankmark.array_types import Bools, Floats, Ints, column_means
from rankmark.data.contract.resources import as_threads
from rankmark.errors import InputError, listed
from rankmark.statistics.resampled_ranks import Over, borda_points, ranks_of, resampled_ranks
from rankmark.statistics.scipy_functions import special
from rankmark.verbs.leaderboard.board import Leaderboard, Standing
from rankmark.verbs.leaderboard.model_scores import ModelScores, read_scores
from rankmark.verbs.leaderboard.pair_tests import by_bootstrap, by_signs
from rankmark.verbs.leaderboard.plausible_tasks import only_tasks

By = Literal["mean", "borda"]
Missing = Literal["unranked", "common", "error"]


@checked
def leaderboard(
    table: Any,
    *,
    by: By = "mean",
    tasks: Names = None,
    missing: Missing = "unranked",
    over: Over = "tasks",
    lower_is_better: Names = (),
    columns: Columns = None,
    languages: Names = None,
    splits: Names = None,
    confidence: Share = 0.95,
    resamples: Draws = 10_000,
    seed: Seed = 0,
    threads: FromOne | None = None,
) -> Leaderboard:
    """Rank models by their scores on tasks, and show how uncertain their ranks are.

    Parameters
    ----------
    Data:
    table
        A frame, a dict of columns, a list of rows, or the path of a CSV, TSV, JSON, JSONL, Parquet
        or Arrow file: wide, with a row for each model and a column for each task (or a row for each
        task and a column for each model); or long, with the columns model, task and score, and
        query_id if the scores are by query. Or ``{model: {task: score}}``, where a score may be
        ``{query id: score}`` or an evaluation of one measure. Or the path of a folder of results
        as MTEB writes them.
    tasks
        The tasks that count; None for all.

        If they are not named, names and scores that look like no task are refused.
    columns
        Names of the columns that contain model, task, query_id and score, if they are not
        recognised.
    languages
        In a folder of MTEB's results, only subsets in these languages, such as ``"eng"``.
    splits
        In a folder of MTEB's results, only these splits, such as ``"test"``.

    Conventions:
    by
        By the ``"mean"`` of the scores over tasks, or by ``"borda"`` points: in each task,
        a model gets a point for each model that it beats and half a point for each that it
        equals.

        The mean rank over tasks has the same order as the Borda points.
    missing
        What happens to models without a score of some task: ``"unranked"`` lists them without a
        rank, as MTEB does; ``"common"`` counts only the tasks that all models have; ``"error"``
        refuses them.
    lower_is_better
        Tasks for which a lower score is better.

    Statistics:
    over
        What else could have been drawn: other ``"tasks"``; or, of scores by query, other
        ``"queries"`` of these tasks, or ``"both"``.
    confidence
        Confidence of the intervals. All pairs together are tested at a level of 1 minus it.
    resamples
        Number of draws.
    seed
        Seed of the draws.

        None draws a seed, which the result contains.
    threads
        Number of threads; None for one per core. It does not affect the result.

    Returns
    -------
    Leaderboard
        ``standings``: for each model its rank, mean, rank interval, share of draws in which it is
        first, and tier. ``separated``: the pairs whose means differ significantly; ``sign_p``: of
        which a model is better on more tasks.

    Raises
    ------
    SchemaError
        If the form is unknown, a column is missing, a score is not a number, or something looks
        like no task or no model.
    DuplicateError
        If a model has two scores of a task.
    InputError
        If there are fewer than two models or tasks, tasks are missing and are not to be, or an
        option is invalid.

    Notes
    -----
    Pairs are tested by drawing tasks with replacement, with p-values and intervals that are
    corrected by the largest t of all pairs (``rankmark.statistics.bootstrap_max_t``), whether or
    not differences are symmetric. The rank interval of a model leaves room for all models that are
    not separated from it [1]_, so that all intervals together hold with the confidence. No test can
    know of tasks on which a model fails and of which none is in the table.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks, Review of Economic
       Studies 91(1), pages 476-518.

    Examples
    --------
    >>> import rankmark as rm
    >>> scores = {
    ...     "large": {"t1": 0.71, "t2": 0.52, "t3": 0.83, "t4": 0.42, "t5": 0.66, "t6": 0.61},
    ...     "base": {"t1": 0.69, "t2": 0.53, "t3": 0.80, "t4": 0.42, "t5": 0.65, "t6": 0.60},
    ...     "tiny": {"t1": 0.50, "t2": 0.31, "t3": 0.66, "t4": 0.20, "t5": 0.41, "t6": 0.45},
    ... }
    >>> board = rm.leaderboard(scores)
    >>> [(one.model, one.rank, one.rank_low, one.rank_high) for one in board.standings]
    [('large', 1, 1, 2), ('base', 2, 1, 2), ('tiny', 3, 3, 3)]
    """
    given = read_scores(
        table,
        tasks=names_in(tasks),
        columns=columns,
        languages=names_in(languages),
        splits=names_in(splits),
    )
    if over != "tasks" and not given.has_queries:
        raise InputError(
            f"over is {over!r}, and there are no scores by query",
            "give them in a column query_id; or draw tasks: over='tasks', or --over tasks",
        )
    asked = names_in(lower_is_better) or []
    given = only_tasks(given, named=tasks is not None, lower=asked, by_mean=by == "mean")
    lower = _lower(asked, given.tasks, by)
    ranked, counted = _ranked(given, missing, over)
    settings = {
        "by": by,
        "missing": missing,
        "over": over,
        "lower_is_better": sorted(lower),
        "languages": languages,
        "splits": splits,
        "confidence": confidence,
        "resamples": resamples,
        "seed": seed,
    }
    signed = [
        task[:, ranked] * (-1.0 if name in lower else 1.0)
        for name, task, counts in zip(given.tasks, given.by_query, counted, strict=True)
        if counts
    ]
    return _board(given, ranked, counted, signed, settings, as_threads(threads))


def _board(
    given: ModelScores,
    ranked: Bools,
    counted: Bools,
    signed: list[Floats],
    settings: dict[str, Any],
    threads: int,
) -> Leaderboard:
    """Rank models by scores of which the higher is the better, by query where there are queries."""
    over, confidence = settings["over"], settings["confidence"]
    draws, seed = settings["resamples"], settings["seed"]
    is_borda = settings["by"] == "borda"
    means = np.stack([task.mean(axis=0) for task in signed])
    points = borda_points(means)
    units = [row[None] for row in means] if over == "tasks" else signed
    level = 1.0 - confidence
    found = resampled_ranks(units, over, points=is_borda, resamples=draws, seed=seed, level=level)
    totals, p, reach = found.totals, found.adjusted, found.halves
    ahead, sign_p = by_signs(means)
    if over == "queries":  # tasks stay as they are, so that there is nothing to test by them
        sign_p = np.full_like(sign_p, np.nan)
    else:
        p, reach = by_bootstrap(
            points if is_borda else means, resamples=draws, seed=seed, level=level, threads=threads
        )
    with np.errstate(invalid="ignore"):
        better = (p <= level) & (totals[:, None] > totals)
    low, high = rank_intervals(better)
    tail = (1.0 - confidence) / 2.0
    scores = given.scores[np.ix_(counted, ranked)]
    mean, sums = column_means(scores), points.sum(axis=0)
    half = _half_widths(signed, over, confidence)
    ends = mean - half, mean + half
    if ((scores >= 0) & (scores <= 1)).all():  # no mean of such scores lies elsewhere
        ends = np.maximum(ends[0], 0.0), np.minimum(ends[1], 1.0)
    columns: dict[str, Floats | Ints] = {
        "rank": ranks_of(totals[None])[0],
        "mean": mean,
        "low": ends[0],
        "high": ends[1],
        "borda": sums,
        "mean_rank": scores.shape[1] - sums / len(scores),
        "rank_low": low,
        "rank_high": high,
        "first": found.first,
        "draw_low": found.quantile(tail),
        "draw_high": found.quantile(1.0 - tail),
        "tier": tiers(totals, better),
    }
    order = np.argsort(-totals, kind="stable")
    of_models = zip(*(values[order].tolist() for values in columns.values()), strict=True)
    names = [given.models[at] for at in np.flatnonzero(ranked)[order].tolist()]
    absent, kept = np.isnan(given.scores), np.flatnonzero(counted).tolist()
    standings = [
        Standing(name, tasks=len(kept), **dict(zip(columns, values, strict=True)))
        for name, values in zip(names, of_models, strict=True)
    ]
    for at in np.flatnonzero(~ranked).tolist():
        lacking = tuple(given.tasks[task] for task in kept if absent[task, at])
        has = len(kept) - len(lacking)
        standings.append(Standing(given.models[at], tasks=has, missing=lacking))
    square = np.ix_(order, order)
    return Leaderboard(
        standings=tuple(standings),
        tasks=tuple(given.tasks[task] for task in kept),
        dropped={given.tasks[at]: int(absent[at].sum()) for at in np.flatnonzero(~counted)},
        scores=scores[:, order],
        totals=totals[order],
        p=p[square],
        half=reach[square],
        ahead=ahead[square],
        sign_p=sign_p[square],
        wins=found.wins[square],
        separated=better[square],
        queries=sum(map(len, signed)) if given.has_queries else None,
        settings=settings,
        read=given.read,
        reading=given.notes,
    )


def _lower(lower: Sequence[str], tasks: Sequence[str], by: By) -> set[str]:
    unknown = [task for task in lower if task not in tasks]
    if unknown:
        raise InputError(
            f"lower_is_better names {unknown[0]!r}, which is no task",
            f"choose from {listed(tasks)}",
        )
    if by == "mean" and 0 < len(set(lower)) < len(tasks):
        raise InputError(
            f"lower_is_better names {len(set(lower)):,} of {len(tasks):,} tasks, and a mean of "
            "scores in both directions has no meaning",
            'choose by="borda", or negate the scores of these tasks',
        )
    return set(lower)


def _ranked(given: ModelScores, missing: Missing, over: Over) -> tuple[Bools, Bools]:
    """Return which models are ranked, and which tasks count; refuse too few of either."""
    absent, models, tasks = np.isnan(given.scores), len(given.models), len(given.tasks)
    lacks = absent.sum(axis=0)
    ranked: Bools = np.ones(models, bool)
    counted: Bools = np.ones(tasks, bool)
    if missing == "common":
        counted = np.asarray(~absent.any(axis=1))
    elif missing == "unranked":
        ranked = np.asarray(lacks == 0)
    elif lacks.any():
        lacking = [f"{given.models[at]} ({lacks[at]:,})" for at in np.flatnonzero(lacks)]
        raise InputError(
            f"{len(lacking):,} of {models:,} models "
            f"{'lacks' if len(lacking) == 1 else 'lack'} scores of some tasks: {listed(lacking)}",
            'choose missing="unranked" or "common", or name the tasks that count',
        )
    if not counted.any():
        worst = int(lacks.argmax())
        raise InputError(
            f"no task has a score of every model; {given.models[worst]!r} has the fewest, "
            f"{tasks - lacks[worst]:,} of {tasks:,}",
            "leave out models, or name the tasks that count",
        )
    if not ranked.any():
        best = int(lacks.argmin())
        raise InputError(
            f"none of the {models:,} models has scores of all {tasks:,} "
            f"tasks; {given.models[best]!r} has the most, {tasks - lacks[best]:,}",
            'name the tasks that count, or choose missing="common"',
        )
    if ranked.sum() < 2:
        raise InputError(
            f"{ranked.sum():,} of {models:,} models can be ranked",
            "need at least two; name the tasks that count, or add models",
        )
    if counted.sum() < 2 and over != "queries":
        raise InputError(
            "there is one task" if tasks == 1 else "only one task has scores of all models",
            "need at least two; to compare runs on one task, use compare or compare_scores",
        )
    return ranked, counted


def rank_intervals(better: Bools) -> tuple[Ints, Ints]:
    """Return the best and the worst rank of each model that the separated pairs leave.

    If no pair is separated wrongly, all true ranks are within.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks with applications to
       mobility across neighbourhoods and academic achievement across countries, Review of Economic
       Studies 91(1), pages 476-518.
    """
    best: Ints = 1 + np.count_nonzero(better, axis=0)
    worst: Ints = len(better) - np.count_nonzero(better, axis=1)
    return best, worst


def tiers(totals: Floats, better: Bools) -> Ints:
    """Return the tier of each model, from 1: one below the lowest tier of the models above it.

    No two models of a tier are separated, and no fewer tiers have this property [1]_: a tier is one
    more than the longest chain of separated models above.

    References
    ----------
    .. [1] Mirsky 1971, A dual of Dilworth's decomposition theorem, American Mathematical Monthly
       78(8), pages 876-877.
    """
    found: Ints = np.ones(len(totals), dtype=np.int64)
    for model in np.argsort(-totals, kind="stable").tolist():
        found[model] = 1 + found[better[:, model]].max(initial=0)
    return found


def _half_widths(tasks: Sequence[Floats], over: Over, confidence: float) -> Floats:
    """Return half the width of each model's interval: t over tasks, normal over queries alone.

    NaN if it cannot be known, as there is one task or query.
    """
    means = np.stack([task.mean(axis=0) for task in tasks])
    count, models = means.shape
    variance, degrees = np.zeros(models), math.inf
    if over != "queries":
        variance, degrees = means.var(axis=0, ddof=1) / count, count - 1
    if over != "tasks":
        with np.errstate(invalid="ignore", divide="ignore"):
            of_queries = [
                task.var(axis=0, ddof=1) / len(task) if len(task) > 1 else np.full(models, np.nan)
                for task in tasks
            ]
        variance = variance + np.sum(of_queries, axis=0) / count**2
    point = (1.0 + confidence) / 2.0
    factor = special.ndtri(point) if math.isinf(degrees) else special.stdtrit(degrees, point)
    return factor * np.sqrt(variance)
