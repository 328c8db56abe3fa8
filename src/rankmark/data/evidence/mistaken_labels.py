"""Labels that are something else: scores or ranks of a run, or time stamps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._core import steps
from rankmark.array_types import distinct
from rankmark.data.contract.reading_options import ONE_THREAD
from rankmark.data.evidence.distances import REFUSED, log_chance_of_rising
from rankmark.errors import RankmarkError, SchemaError, warn
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.contract.source import Rows, Source

_WARNED = math.log(1e-3)
_FEW_STEPS = 20  # from row to row; fewer may be chance
_MANY_VALUES = 20
LOOKED_AT = 1 << 14
_FEW = 3  # labels that are enough for a warning
_HIGHEST_GRADE = 10
_HIGHEST_PERCENT = 100
_JUDGES = np.arange(2, 6)  # whose labels were averaged
_ROUNDED = 0.0051  # averages to two decimals
_MOSTLY = 0.5  # of the labels, that are different
_VERY_MANY = 200  # different labels, whatever their share
_REPEATED = 0.05  # of the labels of a query, at most, if they may be scores
_MOST_GRADES = 6
_SECONDS = 631_152_000, 4_102_444_800  # of 1990 and 2100 since 1970
_UNITS = 1, 1e3, 1e6, 1e9  # of a second, as pandas and JavaScript count
_IF_LABELS = (
    "give judgments first, then runs; if these are labels, say so: rm.Qrels(..., "
    "contents='labels'), or name the format of a file"
)


def refuse_labels(labels: Floats, starts: Ints, name: str) -> None:
    """Refuse scores, ranks or time stamps that were given as labels, or warn if they may be.

    Scores: labels fall from row to row in nearly all lists, 20 times or more, they have more than
    20 different values, or are fractions that do not repeat in a list, and lists in random order
    would fall like them in 1 of 10^6 cases or fewer. Ranks: labels count up by one, from 0 or 1,
    in every query, 20 times or more. Human judgments have few grades, in no order. If there
    are fewer rows, falling fractions are a warning if lists in random order would fall in 1 of
    1,000 cases or fewer. Time stamps: three labels or more, all of them seconds of 1990 to 2100, or
    milli-, micro- or nanoseconds.

    Parameters
    ----------
    labels, starts
        (J,) float64 in the order given, and (Q + 1,) int64, where the rows of each query begin.
    name
        The source in messages.

    Raises
    ------
    SchemaError
        If they are something else than labels, as it seems.

    Warns
    -----
    RankmarkWarning
        If they may be scores.
    """
    if len(labels) < _FEW:
        return
    _refuse_time_stamps(labels, name)
    rises, falls = steps(labels, starts)
    if (2 * rises > falls > 0) or (not falls and rises < _FEW_STEPS):
        return  # as most judgments, which have no order
    with np.errstate(over="ignore", invalid="ignore"):
        change = np.diff(labels)
    inner = np.ones(len(labels), dtype=np.bool_)
    inner[starts[:-1][starts[:-1] < len(labels)]] = False
    inside = inner[1:]
    rising = inside & (change > 0)
    lists = max(len(starts) - 1, 1)
    if not falls:
        change = change[inside]
        counts_up = len(change) >= _FEW_STEPS and bool((change == 1).all())
        if counts_up and _begin_alike(labels, starts):
            raise SchemaError(
                "the labels count up by one in every query, as ranks do: this seems to be a run",
                _IF_LABELS,
                where=name,
            )
        return
    query = np.repeat(np.arange(lists), np.diff(starts))
    falling = np.bincount(query[1:][inside & (change < 0)], minlength=lists)
    falling[query[1:][rising]] = -1
    chance = log_chance_of_rising(falling)
    ties = int(np.count_nonzero(inside & (change == 0)))
    has_fractions = bool((labels != np.rint(labels)).any()) and not ties
    what = "fall from row to row in every query, as scores do"
    if (falling < 0).any():
        what = "fall from row to row in nearly every query, as scores do"
    is_sure = falls >= _FEW_STEPS and chance <= REFUSED
    if is_sure and (has_fractions or len(distinct(labels)) > _MANY_VALUES):
        raise SchemaError(f"the labels {what}: this seems to be a run", _IF_LABELS, where=name)
    if has_fractions and chance <= _WARNED:
        warn(f"the labels {what}: this may be a run", _IF_LABELS, where=name)


def _begin_alike(labels: Floats, starts: Ints) -> bool:
    begins = starts[:-1][starts[:-1] < starts[1:]]
    return bool(np.isin(labels[begins], (0, 1)).all())


def are_time_stamps(numbers: Any) -> bool:
    """Return whether all of three numbers or more are seconds of 1990 to 2100, or parts of them."""
    if len(numbers) < _FEW or not (first := float(numbers[0])) >= _SECONDS[0]:
        return False  # as doubles, since no short type holds what they are compared with
    unit = next((one for one in _UNITS if first < _SECONDS[1] * one), 1)
    least, most = float(numbers.min()), float(numbers.max())
    return least >= _SECONDS[0] * unit and most < _SECONDS[1] * unit


def _refuse_time_stamps(labels: Floats, name: str) -> None:
    if not are_time_stamps(labels):
        return
    raise SchemaError(
        f"the labels seem to be time stamps, such as {labels[0]:.0f}",
        "name the column of labels: columns={'label': NAME}, or --column label=NAME; if these are "
        "labels, say so: rm.Qrels(..., contents='labels')",
        where=name,
    )


class _Values(NamedTuple):
    """What numbers look like: whether they are fractions, and the different ones."""

    number: int
    fractions: int
    different: Floats

    @classmethod
    def of(cls, numbers: Floats) -> _Values:
        numbers = numbers[np.isfinite(numbers)]
        return cls(
            len(numbers), int(np.count_nonzero(numbers != np.rint(numbers))), distinct(numbers)
        )

    @property
    def are_grades(self) -> bool:
        """Whether they are a few small whole numbers, or averages of two to five of these."""
        if not len(self.different) or np.abs(self.different).max() > _HIGHEST_GRADE:
            return False
        if not self.fractions:
            return len(self.different) <= _MOST_GRADES
        summed = np.outer(_JUDGES, self.different)
        averaged = np.abs(summed - np.rint(summed)) <= _ROUNDED * _JUDGES[:, None]
        return self.repeat and bool(averaged.all(axis=1).any())

    @property
    def are_percents(self) -> bool:
        """Whether they may be labels in percent, or on another scale of many grades."""
        least, most = self.different[[0, -1]] if len(self.different) else (-1.0, -1.0)
        return not self.fractions and least >= 0 and most <= _HIGHEST_PERCENT

    @property
    def repeat(self) -> bool:
        """Whether some number comes twice."""
        return len(self.different) < self.number


def look_like_scores(labels: Floats | Ints, starts: Ints) -> bool:
    """Return whether labels may be scores, which hardly repeat: a fast first look.

    Fractions hardly repeat at all, and whole numbers beyond usual grades not in a query.
    """
    if len(labels) < _FEW:
        return False
    first = labels[:LOOKED_AT]
    head = first[:64]
    if np.count_nonzero(head != np.rint(head)) * 2 > len(head):
        different = len(distinct(first))
        return different > _VERY_MANY or different > _MOSTLY * len(first)
    if head.max() <= _HIGHEST_GRADE:
        return False
    query = np.searchsorted(starts, np.arange(len(first)), side="right")
    order = np.lexsort((first, query))
    same_query = query[order][1:] == query[order][:-1]
    repeated = same_query & (first[order][1:] == first[order][:-1])
    return bool(same_query.any() and repeated.sum() <= _REPEATED * same_query.sum())


def refuse_swapped(labels: Floats, source: Source, name: str) -> None:
    """Refuse labels that look like scores beside scores that look like labels.

    Scores of a system hardly ever repeat, and human labels are a few small whole numbers. If
    labels are the one and scores the other, the arguments are swapped. This is refused if there
    are 20 of both or more, and labels are fractions; otherwise it is a warning. Scores of whole
    numbers up to 100 may also be labels in percent, if labels are fractions and scores tie: ranks
    that were made scores do not.

    Parameters
    ----------
    labels
        (n,) float64, for which ``look_like_scores`` holds.
    source
        The run.
    name
        Of the judgments, in messages.

    Raises
    ------
    SchemaError
        If they are swapped, as it seems.

    Warns
    -----
    RankmarkWarning
        If they may be.
    """
    if source.vouched is True:
        return
    try:
        begin = source.beginning()  # a large run is listed only if this looks like labels
        for part in (source,) if begin is None else (begin, source):
            rows = part.rows(ONE_THREAD, lenient=True)
            if rows.number is None:
                return
            scores = _Values.of(np.asarray(rows.number))
            if not scores.number and part is begin:
                continue  # the first queries have no documents
            if not (scores.are_grades or scores.are_percents):
                return
    except RankmarkError:  # of what cannot be listed
        return
    of_labels = _Values.of(labels[:LOOKED_AT])
    shown, many = _listed(scores.different), min(of_labels.number, scores.number) >= _FEW_STEPS
    if not scores.are_grades:
        shown = f"whole numbers from {scores.different[0]:g} to {scores.different[-1]:g}"
        many = many and 2 * of_labels.fractions > of_labels.number and _tie_in_a_query(rows)
    found = (
        f"{len(of_labels.different):,} of {of_labels.number:,} labels are different, as of a "
        f"system, and the scores are {shown}, as labels are"
    )
    typed = not of_labels.fractions and not _tie_in_a_query(rows)  # as examples are
    if scores.number < _FEW or (not many and (typed or not scores.are_grades)):
        return
    is_sure = scores.are_grades and source.vouched is False
    if many and of_labels.fractions and is_sure:
        raise SchemaError(f"{found}: judgments and run seem to be swapped", _IF_LABELS, where=name)
    warn(f"{found}: judgments and run may be swapped", _IF_LABELS, where=name)


def _tie_in_a_query(rows: Rows) -> bool:
    pairs = np.column_stack([rows.query_codes, np.asarray(rows.number)])
    return len(np.unique(pairs, axis=0)) < len(pairs)


def _listed(values: Floats) -> str:
    shown = [f"{value:g}" for value in values.tolist()]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if shown[1:] else shown[0]
