"""Rank models by their scores on tasks, with the uncertainty of the ranks: ``leaderboard``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.arguments import Columns, Draws, Names, Seed, Share, Threads, checked, names_in
from rankmark.data.contract.cores import as_threads
from rankmark.errors import InputError, listed
from rankmark.statistics.exact_sums import column_means
from rankmark.statistics.resampled_ranks import Over, borda_points, ranks_of, resampled_ranks
from rankmark.statistics.scipy_functions import special
from rankmark.verbs.leaderboard.board import Leaderboard
from rankmark.verbs.leaderboard.model_scores import ModelScores, read_scores
from rankmark.verbs.leaderboard.plausible_tasks import only_tasks
from rankmark.verbs.leaderboard.separated_pairs import above, p_of_pairs, rank_intervals, tiers
from rankmark.verbs.leaderboard.standing import Standing

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats

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
    threads: Threads | None = None,
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
        The tasks that count; None for all, and then names and scores that look like no task are
        refused.
    columns
        The names of the columns for ``model``, ``task``, ``query_id`` and ``score``, if they are
        not recognised.
    languages, splits
        In a folder of MTEB's results, only subsets in these languages, such as "eng", and only
        these splits, such as "test".

    Ranking:
    by
        ``"mean"`` of the scores over tasks; or ``"borda"``: in each task, a model gets a point for
        each model that it beats and half a point for each that it equals. The mean rank over tasks
        has the same order as the Borda points.
    missing
        What happens to models without a score of some task: ``"unranked"`` lists them without a
        rank, as MTEB does; ``"common"`` counts only the tasks that all models have; ``"error"``
        refuses them.
    lower_is_better
        Tasks for which a lower score is better.

    Uncertainty:
    over
        What else could have been drawn: other ``"tasks"``; or, of scores by query, other
        ``"queries"`` of these tasks, or ``"both"``.
    confidence
        Of the intervals. All pairs together are tested at a level of 1 - confidence.
    resamples, seed
        The number of draws, and the seed; None draws a seed, which the result contains.
    threads
        Number of threads; None for one per core. It does not affect the result.

    Returns
    -------
    Leaderboard
        ``standings``: for each model its rank, mean, rank interval, share of draws in which it is
        first, and tier. ``separated``: the pairs that differ significantly.

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
    Pairs are tested by random signs of the tasks' differences, with max-T corrected p-values. The
    rank interval of a model leaves room for all models that are not separated from it [1]_, so that
    all intervals together hold with the confidence, if the differences are about symmetric.

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
    ranked, counted = _ranked(given, missing)
    _refuse_too_few(ranked, counted, given, over)
    signs = [-1.0 if task in lower else 1.0 for task in given.tasks]
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
        task[:, ranked] * sign
        for task, sign, counts in zip(given.by_query, signs, counted, strict=True)
        if counts
    ]
    return _board(given, ranked, counted, signed, settings, as_threads(threads))


def _board(
    given: ModelScores,
    ranked: Bools,
    counted: Bools,
    signed: list[Floats],
    settings: Mapping[str, Any],
    threads: int,
) -> Leaderboard:
    """Rank models by scores of which the higher is the better, by query where there are queries."""
    over, confidence, draws = settings["over"], settings["confidence"], settings["resamples"]
    is_borda = settings["by"] == "borda"
    means = np.stack([task.mean(axis=0) for task in signed])
    points = borda_points(means)
    values = points if is_borda else means
    found = resampled_ranks(
        [row[None] for row in means] if over == "tasks" else signed,
        over,
        points=is_borda,
        resamples=draws,
        seed=settings["seed"],
    )
    totals, p = found.totals, found.adjusted
    if over != "queries":
        p = p_of_pairs(values, draws, settings["seed"], threads)
    better = above(totals, p, 1.0 - confidence)
    low, high = rank_intervals(better)
    tail = (1.0 - confidence) / 2.0
    scores = given.scores[np.ix_(counted, ranked)]
    mean, half, sums = column_means(scores), _ends(signed, over, confidence), points.sum(axis=0)
    of_models: dict[str, Any] = {
        "rank": ranks_of(totals[None])[0],
        "mean": mean,
        "low": mean - half,
        "high": mean + half,
        "borda": sums,
        "mean_rank": scores.shape[1] - sums / len(scores),
        "rank_low": low,
        "rank_high": high,
        "first": found.first,
        "draw_low": found.quantile(tail),
        "draw_high": found.quantile(1.0 - tail),
        "tier": tiers(totals, better),
    }
    names = [model for model, has_rank in zip(given.models, ranked, strict=True) if has_rank]
    standings = [
        Standing(
            model=model,
            tasks=len(scores),
            missing=(),
            **{name: column[at].item() for name, column in of_models.items()},
        )
        for at, model in enumerate(names)
    ]
    order = np.argsort(-totals, kind="stable")
    square = np.ix_(order, order)
    tasks = tuple(task for task, counts in zip(given.tasks, counted, strict=True) if counts)
    absent = np.isnan(given.scores)
    return Leaderboard(
        standings=(*(standings[at] for at in order), *_without_rank(given, ranked, counted)),
        tasks=tasks,
        dropped={given.tasks[at]: int(absent[at].sum()) for at in np.flatnonzero(~counted)},
        scores=scores[:, order],
        totals=totals[order],
        p=p[square],
        wins=found.wins[square],
        better=better[square],
        queries=sum(map(len, signed)) if given.has_queries else None,
        settings=settings,
        read=given.read,
        reading=tuple(given.notes),
    )


def _without_rank(given: ModelScores, ranked: Bools, counted: Bools) -> list[Standing]:
    """Return the models that lack tasks."""
    found = []
    for at in np.flatnonzero(~ranked):
        absent = np.isnan(given.scores[:, at])
        missing = tuple(given.tasks[task] for task in np.flatnonzero(counted & absent))
        tasks = int(counted.sum()) - len(missing)
        found.append(Standing.without_rank(given.models[at], missing, tasks))
    return found


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


def _ranked(given: ModelScores, missing: Missing) -> tuple[Bools, Bools]:
    """Return which models are ranked, and which tasks count."""
    absent = np.isnan(given.scores)
    every_model, every_task = np.ones(len(given.models), bool), np.ones(len(given.tasks), bool)
    if not absent.any():
        return every_model, every_task
    lacks = absent.sum(axis=0)
    if missing == "common":
        if absent.any(axis=1).all():
            worst = int(lacks.argmax())
            raise InputError(
                f"no task has a score of every model; {given.models[worst]!r} has the fewest, "
                f"{len(given.tasks) - lacks[worst]:,} of {len(given.tasks):,}",
                "leave out models, or name the tasks that count",
            )
        return every_model, np.asarray(~absent.any(axis=1))
    lacking = [f"{given.models[at]} ({lacks[at]:,})" for at in np.flatnonzero(lacks)]
    if missing == "error":
        raise InputError(
            f"{len(lacking):,} of {len(given.models):,} models "
            f"{'lacks' if len(lacking) == 1 else 'lack'} scores of some tasks: {listed(lacking)}",
            'choose missing="unranked" or "common", or name the tasks that count',
        )
    if (lacks > 0).all():
        best = int(lacks.argmin())
        raise InputError(
            f"none of the {len(given.models):,} models has scores of all {len(given.tasks):,} "
            f"tasks; {given.models[best]!r} has the most, {len(given.tasks) - lacks[best]:,}",
            'name the tasks that count, or choose missing="common"',
        )
    return lacks == 0, every_task


def _refuse_too_few(ranked: Bools, counted: Bools, given: ModelScores, over: Over) -> None:
    if ranked.sum() < 2:
        raise InputError(
            f"{ranked.sum():,} of {len(given.models):,} models can be ranked",
            "need at least two; name the tasks that count, or add models",
        )
    if counted.sum() < 2 and over != "queries":
        raise InputError(
            "there is one task"
            if len(given.tasks) == 1
            else "only one task has scores of all models",
            "need at least two; to compare runs on one task, use compare or compare_scores",
        )


def _ends(tasks: Sequence[Floats], over: Over, confidence: float) -> Floats:
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
    half: Floats = factor * np.sqrt(variance)
    return half
