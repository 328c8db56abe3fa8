"""Numbers that are not what they were given as: distances as scores, and runs as judgments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import SchemaError, warn
from rankmark.sources.contract.reading_options import ONE_THREAD

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.sources.contract.source import Order, Rows, Source

_REFUSED: dict[Order, float] = {"best first": 1 / 20, "rows": 1e-6}
"""The chance from which a run is refused, by what the order of its documents says."""
_WARNED = 1 / 100
_FEW_RISES = 4  # of rows in one list
_WARNED_OF_LABELS = 1 / 1000
_FEW_STEPS = 20  # from row to row; fewer may be chance
_IF_LABELS = (
    "give judgments first, then runs; if these are labels, say so: rm.Qrels(..., "
    "contents='labels'), or name the format of a file"
)
_REMEDY = (
    "if lower is better, as with distances, negate them; if higher is better all the same, say "
    "so: rm.Run(..., contents='scores'), or --contents scores"
)


def chance_of_rising(rises: Ints) -> float:
    """Return how likely lists in random order never fall, at most.

    A list of n + 1 different numbers has (n + 1)! orders, of which one rises n times.

    Parameters
    ----------
    rises
        (Q,) int64, how often the scores of each query rise from one document to the next; -1 if
        they ever fall.

    Returns
    -------
    float
        The chance; 1 if the scores of a query fall, or none rise.
    """
    if not len(rises) or rises[0] < 0 or rises.min() < 0:  # the first answers nearly always
        return 1.0
    times, lists = np.unique(rises, return_counts=True)
    pairs = zip(times.tolist(), lists.tolist(), strict=True)
    return math.exp(-sum(math.lgamma(n + 2) * many for n, many in pairs))


def rises_of(rows: Rows) -> Ints:
    """Count how often the scores of each query rise: (Q,) int64, -1 if they ever fall."""
    codes, number = np.asarray(rows.query_codes), rows.number
    rises = np.zeros(len(rows.query_ids), dtype=np.int64)
    if number is None or len(codes) < 2:
        return rises
    if (codes[1:] < codes[:-1]).any():
        by_query = np.argsort(codes, kind="stable")
        codes, number = codes[by_query], number[by_query]
    of_one = codes[1:] == codes[:-1]
    rising = of_one & (number[1:] > number[:-1])
    falling = of_one & (number[1:] < number[:-1])
    rises += np.bincount(codes[1:][rising], minlength=len(rises))
    rises[codes[1:][falling]] = -1
    return rises


def refuse_rising(source: Source, rises: Ints, order: Order | None) -> None:
    """Refuse scores that rise in every list, as distances do, or warn if this may be chance.

    The rule: all lists rise, and none ever falls. Hits and pairs come best first, and are refused
    if lists in random order would do so in 1 of 20 cases or fewer. The rows of files, frames and
    dicts may stand in any order, and are refused from 1 in a million on, as 10 documents of one
    query or 5 of each of three; from 1 in 100 on there is a warning. Lists of fewer than 5 are no
    evidence there: what one loop writes has the same order in all queries.

    Raises
    ------
    SchemaError
        If they are distances, as it seems.

    Warns
    -----
    RankmarkWarning
        If they may be.
    """
    if order is None or source.vouched is True:
        return
    chance = chance_of_rising(rises)
    if chance > _WARNED and chance > _REFUSED[order]:
        return
    if order == "rows" and rises.max() < _FEW_RISES:
        return
    lists = int(np.count_nonzero(rises > 0))
    every = "the only list" if lists == 1 else f"all {lists:,} lists"
    found = (
        f"the scores rise from document to document in {every} and never fall, so these seem to "
        "be distances, and the highest would count as the best"
    )
    where = f"run {source.name}" if source.name.startswith("<") else source.name
    if source.vouched == "in part" or chance > _REFUSED[order]:
        warn(found, _REMEDY, where=where)
    elif not _ranks_agree(source):
        raise SchemaError(found, _REMEDY, where=where)


def _ranks_agree(source: Source) -> bool:
    """Return True if a column of ranks, which count from 0 or 1, says that higher is better."""
    rows = source.rows(ONE_THREAD, lenient=True)
    if rows.rank is None or rows.number is None or not len(rows.rank):
        return False
    queries = np.asarray(rows.query_codes)
    of_one = queries == queries[len(queries) // 2]
    ranks = np.asarray(rows.rank)[of_one][
        np.argsort(-np.asarray(rows.number)[of_one], kind="stable")
    ]
    counted = np.arange(len(ranks))
    return len(ranks) > 1 and any(np.array_equal(ranks, counted + first) for first in (0, 1))


def refuse_scores(labels: Floats, starts: Ints, name: str) -> None:
    """Refuse scores or ranks of a run that were given as labels, or warn if they may be.

    The rules, in the order given. Scores: no label ever rises within a query, they fall at least
    20 times, and there are more than 20 different ones, or fractions without ties. Ranks: labels
    count up by one, from 0 or 1, in every query, 20 times or more. Judgments by people have few
    grades, in no order. If there are fewer rows, falling fractions without ties are a warning if
    lists in random order would fall in 1 of 1,000 cases or fewer.

    Parameters
    ----------
    labels, starts
        (J,) float64 in the order given, and (Q + 1,) int64, where the rows of each query begin.
    name
        The source in messages.

    Raises
    ------
    SchemaError
        If they are scores or ranks, as it seems.

    Warns
    -----
    RankmarkWarning
        If they may be scores.
    """
    with np.errstate(over="ignore"):
        steps = np.diff(labels)
    inner = np.ones(len(labels), dtype=np.bool_)
    inner[starts[:-1][starts[:-1] < len(labels)]] = False
    steps = steps[inner[1:]]
    falls = int(np.count_nonzero(steps < 0))
    if falls + np.count_nonzero(steps == 0) == len(steps) and falls > 1:
        has_fractions = bool((labels != np.rint(labels)).any()) and falls == len(steps)
        what = "fall from row to row in every query, as scores do"
        if falls >= _FEW_STEPS and (has_fractions or len(np.unique(labels)) > _FEW_STEPS):
            raise SchemaError(f"the labels {what}: this seems to be a run", _IF_LABELS, where=name)
        if (
            has_fractions
            and chance_of_rising(np.maximum(np.diff(starts) - 1, 0)) <= _WARNED_OF_LABELS
        ):
            warn(f"the labels {what}: this may be a run", _IF_LABELS, where=name)
    elif len(steps) >= _FEW_STEPS and bool((steps == 1).all()) and _begin_alike(labels, starts):
        raise SchemaError(
            "the labels count up by one in every query, as ranks do: this seems to be a run",
            _IF_LABELS,
            where=name,
        )


def _begin_alike(labels: Floats, starts: Ints) -> bool:
    begins = starts[:-1][starts[:-1] < starts[1:]]
    return bool(np.isin(labels[begins], (0, 1)).all())
