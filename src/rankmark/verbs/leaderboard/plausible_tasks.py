"""What of a table are tasks and models: by names, and by the range of the scores.

Published leaderboards have columns that are no tasks, such as the number of parameters or the mean
of the tasks, and rows that are no models. Whatever the form of the table, they end up here as
tasks and models, and what cannot be one is refused before it decides a ranking.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Floats
from rankmark.errors import SchemaError, listed, warn
from rankmark.verbs.leaderboard.model_scores import ModelScores

_SUMMARIES = {"mean", "average", "avg", "overall", "median", "borda"}
_OVERALL = {"overall", "score", "scores", "performance", "result", "rank", "rating"} | _SUMMARIES
"""What follows overall in the name of a summary."""
_SPREADS = {"std", "stdev", "stddev", "stderr", "ci"}
_OF_TASK = re.compile(r"[\W_]*(std|stdev|stddev|stderr|std err|se|sem|var|variance|ci)\b.*")
"""What follows the name of a task in that of a column of its spread."""
_SUMMARIES_ALONE = {"total", "min", "max", "rank", "sem"}
_COUNTERS = {"", "index", "level 0", "row"}
_PROPERTIES = {
    *("id", "seed", "random seed", "year", "release date", "license", "epoch", "checkpoint"),
    *("params", "parameters", "n params", "num params", "n parameters", "num parameters"),
    *("number of parameters", "active parameters", "total parameters", "model size", "flops"),
    *("max tokens", "max token", "max seq len", "max seq length", "max sequence length"),
    *("context length", "context window", "context size", "vocab size", "batch size", "layers"),
    *("embedding dimensions", "embedding dimension", "embedding dim", "embedding dims"),
    *("embed dim", "embedding size", "dimensions", "dimension", "dims", "dim", "hidden size"),
    *("memory usage", "gpu memory", "latency", "runtime", "throughput", "price", "cost"),
    *("downloads", "likes", "learning rate", "lr", "num tasks", "n tasks", "number of tasks"),
}
_UNITS = re.compile(
    r"[(\[]\s*(kb|mb|gb|tb|mib|gib|b|m|bn|million|billion|millions|billions|ms|s|sec|seconds|hours|"
    r"usd|\$|€|million parameters|billion parameters|tokens)\s*[)\]]\s*$"
)

_FAR = 10.0
"""How many times the median of scores up to 1 a task's median is, if it is on another scale."""
_GAP = 5.0
"""How many times those up to 1 the others in a task are, if some are percents."""
_PERCENT = 100.0
_BEYOND_PERCENT = 150.0
_LEAST = 1.5
"""What is no share that was rounded up."""
_NEAR = 3.0  # a score times 100 is near the others of its task within this factor
_ROUNDED = 0.6
"""How far a mean is from a rounded one at most, in units of its last decimal."""
_MOST_DECIMALS = 6
_EVIDENCE = math.log(1e7)
"""Of a task whose scores are the means of the others: one in as many is that by chance."""
_FEWEST = 3  # models of whose numbers 1, 2, 3, ... it can be said that they count rows


class _Odd(NamedTuple):
    """What is on another scale than the other scores, and whether it is sure to be."""

    found: str
    is_sure: bool = True


def only_tasks(
    given: ModelScores, *, named: bool, lower: Collection[str], by_mean: bool
) -> ModelScores:
    """Return the scores without columns that count rows, and refuse what is no task or model.

    Parameters
    ----------
    given
        The scores in the order given.
    named
        Whether the caller named the tasks, which are then tasks whatever their names are.
    lower
        Tasks for which a lower score is better, which are named, too.
    by_mean
        Whether scores of tasks are averaged, for which they need one scale.

    Raises
    ------
    SchemaError
        If a name, or the range of the scores, says that a task or a model is none.
    """
    where = given.read["name"]
    if not named:
        given = _without_counters(given)
        found = [task for task in given.tasks if task not in lower and is_no_task(task)]
        evident = {*_spreads(given.tasks), *_ranks(given, lower), *_truth_values(given)}
        found = [task for task in given.tasks if task in evident or task in found]
        found = found or _means(given)
        if found:
            raise SchemaError(
                f"{listed(found)} {'looks' if len(found) == 1 else 'look'} like a summary or a "
                "property of the models, and not like a task",
                "remove it, or name the tasks with tasks=, or --tasks",
                where=where,
            )
    if wrong := [model for model in given.models if is_no_model(model)]:
        raise SchemaError(
            f"{listed(wrong)} {'looks' if len(wrong) == 1 else 'look'} like a summary, and not "
            "like a model",
            "remove the row or the column",
            where=where,
        )
    is_named = named or set(given.tasks) <= set(lower)
    # Of scores in both directions a mean is refused anyway.
    by_mean &= is_named or not set(given.tasks) & set(lower)
    for odd in _odd_scales(given, lower, by_mean=by_mean):
        if is_named or not odd.is_sure:
            warn(odd.found, "bring all scores to one scale", where=where)
            continue
        raise SchemaError(
            odd.found,
            "correct it; or, if it is meant so, name the tasks that count with tasks=, or --tasks",
            where=where,
        )
    return given


def is_no_task(name: str) -> bool:
    """Return whether a name is that of a summary or of a property of models."""
    words = _without_brackets(name).split()
    ends = {*words[:1], *words[-1:]}
    if words[:1] == ["overall"] and words[-1] not in _OVERALL:
        ends -= {"overall"}  # as in "overall emotion", which is a task
    return (
        is_no_model(name)
        or bool(ends & (_SUMMARIES | _SPREADS))
        or "number of parameters" in _plain(name)
        or _UNITS.search(name.strip().lower()) is not None
    )


def is_no_model(name: str) -> bool:
    """Return whether a name is that of a summary over models, or of a column of no scores."""
    plain = _without_brackets(name)
    known = plain in _SUMMARIES | _SPREADS | _SUMMARIES_ALONE | _PROPERTIES
    return known or (bool(plain) and _is_counter_name(name))


def _without_brackets(name: str) -> str:
    return _plain(re.sub(r"\(.*?\)|\[.*?\]", " ", name))


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", name.lower()))


def _is_counter_name(name: str) -> bool:
    plain = _plain(name)
    return plain in _COUNTERS or re.fullmatch(r"unnamed( \d+)*", plain) is not None


def _without_counters(given: ModelScores) -> ModelScores:
    """Leave out columns that count the rows, as data frames write them, and say so."""
    counters = [
        task
        for task, row in zip(given.tasks, given.scores, strict=True)
        if _is_counter_name(task) and _counts_in_order(row)
    ]
    if not counters:
        return given
    kept = [at for at, task in enumerate(given.tasks) if task not in counters]
    if not kept:
        raise SchemaError(
            "there is no column of scores", "add a column for each task", where=given.read["name"]
        )
    note = f"left out, as {'it counts' if len(counters) == 1 else 'they count'} the rows: "
    return given._replace(
        tasks=[given.tasks[at] for at in kept],
        scores=given.scores[kept],
        by_query=[given.by_query[at] for at in kept],
        notes=[*given.notes, f"{note}{listed(counters)}"],
    )


def _counts_in_order(row: Floats) -> bool:
    return not np.isnan(row).any() and bool(
        np.array_equal(row - row[0], np.arange(len(row))) and row[0] in (0.0, 1.0)
    )


def _ranks(given: ModelScores, lower: Collection[str]) -> list[str]:
    """Return the tasks whose scores are 1, 2, 3, ... in any order, unless those of all are."""
    count = len(given.models)
    if count < _FEWEST:
        return []
    found = [
        task
        for task, row in zip(given.tasks, given.scores, strict=True)
        if task not in lower and np.array_equal(np.sort(row), np.arange(1.0, count + 1.0))
    ]
    return found if len(found) < len(given.tasks) else []


def _spreads(tasks: Sequence[str]) -> Iterator[str]:
    """Yield columns that are named after another one, and are its standard error or the like."""
    for task in tasks:
        for other in tasks:
            rest = task[len(other) :].lower().replace("_", " ")
            if task != other and task.startswith(other) and _OF_TASK.fullmatch(rest):
                yield task


def _truth_values(given: ModelScores) -> Iterator[str]:
    """Yield the tasks whose scores are all 0 or 1, where nearly none of the others' is."""
    whole = np.isin(given.scores, (0.0, 1.0))
    known = np.isfinite(given.scores)
    flags = (whole == known).all(axis=1) & (known.sum(axis=1) > _FEWEST)
    flags &= np.nanmin(given.scores, axis=1) < np.nanmax(given.scores, axis=1)
    if flags.any() and not whole[~flags].any():
        yield from (task for task, is_flag in zip(given.tasks, flags, strict=True) if is_flag)


def _means(given: ModelScores) -> list[str]:
    """Return the task whose scores are the means of those of all others, if there is one."""
    scores = given.scores[:, ~np.isnan(given.scores).any(axis=0)]
    if min(scores.shape) < _FEWEST:
        return []
    away = np.abs((scores.sum(axis=0) - scores) / (len(scores) - 1) - scores)
    usual = float(np.median(away))
    found = []
    for task, row, distance in zip(given.tasks, scores, away, strict=True):
        near = _ROUNDED * 10.0 ** -_decimals(row)
        is_mean = usual > near and bool((distance <= near).all())
        if is_mean and len(row) * math.log(usual / near) >= _EVIDENCE:
            found.append(task)
    return found if len(found) == 1 else []


def _decimals(row: Floats) -> int:
    """Return the number of decimals that scores were rounded to, if there are few."""
    exact = (at for at in range(_MOST_DECIMALS) if np.array_equal(np.round(row, at), row))
    return next(exact, _MOST_DECIMALS)


def _odd_scales(given: ModelScores, lower: Collection[str], *, by_mean: bool) -> Iterator[_Odd]:
    """Yield scores that are on another scale than the others."""
    sizes = np.abs(given.scores)
    if not sizes.size:
        return
    if by_mean:
        yield from _odd_tasks(given, sizes)
    is_error = np.array([task in lower for task in given.tasks], dtype=np.bool_)
    sizes = sizes[~is_error]
    tasks = [task for task in given.tasks if task not in lower]
    percents = (sizes > 1.0).sum(axis=1) > (sizes <= 1.0).sum(axis=1)
    if percents.any():
        yield from _shares(tasks, given.models, sizes)
    else:
        yield from _percents(tasks, given.models, sizes)


def _odd_tasks(given: ModelScores, sizes: Floats) -> Iterator[_Odd]:
    """Yield the tasks whose scores are much larger than those of the others."""
    middle, top = np.nanmedian(sizes, axis=1), np.nanmax(sizes, axis=1)
    of_shares = top <= 1.0
    far = (middle > _BEYOND_PERCENT) & bool((top <= _PERCENT).any())
    if 2 * of_shares.sum() >= len(sizes):
        far |= middle >= max(_FAR * float(np.median(middle[of_shares])), _LEAST)
    if not far.any() or far.all():
        return
    at = int(np.flatnonzero(far)[0])
    others = "" if far.sum() == 1 else f" and {far.sum() - 1:,} more"
    yield _Odd(
        f"task {given.tasks[at]!r}{others} has scores from {_ends(given.scores[at])}, and the "
        f"other tasks from {_ends(given.scores[~far])}, so that it would decide the mean"
    )


def _ends(scores: Floats) -> str:
    return f"{np.nanmin(scores):g} to {np.nanmax(scores):g}"


def _percents(tasks: Sequence[str], models: Sequence[str], sizes: Floats) -> Iterator[_Odd]:
    """Yield scores in percent where most are shares."""
    for task, row in zip(tasks, sizes, strict=True):
        large = row > 1.0
        if not large.any() or not (row <= 1.0).any():
            continue
        usual, at = float(row[row <= 1.0].max()), int(np.nanargmax(row))
        if row[large].min() >= max(_GAP * usual, _LEAST):
            yield _Odd(
                f"the score of {models[at]!r} on {task!r} is {row[at]:g} where others are at most "
                f"{usual:g}: is it in percent?"
            )


def _shares(tasks: Sequence[str], models: Sequence[str], sizes: Floats) -> Iterator[_Odd]:
    """Yield scores that are shares where most are in percent."""
    with np.errstate(invalid="ignore"):
        percents = np.where(sizes > 1.0, sizes, math.nan)
        small = (sizes <= 1.0) & (sizes > 0.0)
    for at, model in enumerate(models):
        rows = [
            row
            for row in np.flatnonzero(small[:, at]).tolist()
            if not np.isnan(percents[row]).all()
            and 1 / _NEAR <= _PERCENT * sizes[row, at] / np.nanmedian(percents[row]) <= _NEAR
        ]
        if not rows:
            continue
        is_model = len(rows) == np.count_nonzero(~np.isnan(sizes[:, at]))
        is_only = small.sum() == 1 and np.nanmin(percents) >= _GAP
        if is_model or is_only:
            yield _Odd(
                f"the score of {model!r} on {tasks[rows[0]]!r} is {sizes[rows[0], at]:g} where "
                f"others are at least {np.nanmin(percents[rows[0]]):g}: is it a share, and are "
                "theirs in percent?",
                is_sure=is_model and len(rows) > 1,
            )
