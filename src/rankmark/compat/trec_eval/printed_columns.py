"""The numbers that trec_eval prints, from measures: for its command and for pytrec_eval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.errors import MeasureError
from rankmark.measures import F, Measure, NumRel, P, R, Rndcg
from rankmark.measures.thresholds import takes_rel
from rankmark.measures.trec_eval_names import FAMILIES
from rankmark.scoring.aggregates import LEAST_IN_GMEAN
from rankmark.scoring.query_scores import score


class Column(NamedTuple):
    """A number that trec_eval prints for a query.

    Parameters
    ----------
    name
        Under which it is printed, such as ``ndcg_cut_10``.
    measure
        What it is here; None for text, such as the name of the run, whose number is 0.
    printed
        As of a ``Family``.
    family
        The name without parameters.
    gains
        The gains by label that were given, if any.
    length
        Of text, how many documents it is about.
    """

    name: str
    measure: Measure | None
    printed: str = "as it is"
    family: str = ""
    gains: tuple[tuple[int, float], ...] = ()
    length: int = 10


def columns_of(
    requested: Mapping[str, Iterable[float]], level: int
) -> tuple[tuple[Column, ...], tuple[Measure, ...]]:
    """Return what trec_eval 9 computes, in its order, and the measures that this needs.

    Parameters
    ----------
    requested
        The parameters by name; none for the defaults.
    level
        The lowest relevant label.

    Raises
    ------
    MeasureError
        If a parameter cannot be used.
    """
    columns = tuple(
        column
        for name in FAMILIES
        if name in requested
        for column in columns_with(name, sorted({*requested[name]}), level, 9)
    )
    return columns, needed_by(columns, level)


def needed_by(columns: Iterable[Column], level: int) -> tuple[Measure, ...]:
    """Return the measures that columns need, without duplicates."""
    columns = tuple(columns)
    needed = [column.measure for column in columns if column.measure is not None]
    if any(column.measure is None or column.printed == "relevant" for column in columns):
        needed.append(NumRel(rel=level))
    return tuple(dict.fromkeys(needed))


def columns_with(name: str, numbers: Sequence[float], level: int, version: int) -> list[Column]:
    """Return what trec_eval computes under a name for these parameters, or by default.

    Raises
    ------
    MeasureError
        If a parameter cannot be used.
    """
    family = FAMILIES[name]
    measure = family.of_version(version)
    if measure is None:
        return [Column(name, None, family=name)]
    if level != 1 and takes_rel(measure):
        measure = measure(rel=level)
    if family.parameter == "k":
        cutoffs = sorted({int(number) for number in numbers or family.defaults})
        if cutoffs[0] < 1:
            raise MeasureError(f"{name} has cutoff {cutoffs[0]}", "need a cutoff from 1")
        return [Column(f"{name}_{k}", measure(k=k), family=name) for k in cutoffs]
    if family.defaults:
        assert family.parameter is not None  # noqa: S101
        return [
            Column(f"{name}_{number:.2f}", measure(**{family.parameter: number}), family=name)
            for number in numbers or family.defaults
        ]
    if numbers and family.parameter is not None:
        measure = _with_numbers(name, measure, family.parameter, numbers)
    return [Column(name, measure, family.printed, name)]


def scored(measure: Measure, a: Alignment) -> Floats:
    """Score each query as trec_eval does: (Q,) float64.

    Its Rndcg leaves a loop too late to see the last rank of rankings with one document more than
    there are gains (m_Rndcg.c). Its set_F multiplies precision and recall (m_set_F.c), whose last
    bit decides how a value between two decimals is printed.
    """
    if isinstance(measure, type(Rndcg)):
        gained = a.ideal_sum((a.ideal_label > 0).astype(np.float64)).astype(np.int64)
        a = a.with_columns(retrieved=np.where(a.retrieved == gained + 1, gained, a.retrieved))
    if isinstance(measure, type(F)):
        square = round(measure.beta**2, 12)
        precision, recall = score(P(rel=measure.rel), a), score(R(rel=measure.rel), a)
        return ratio((square + 1.0) * precision * recall, square * precision + recall)
    return score(measure, a)


def _with_numbers(name: str, measure: Measure, parameter: str, numbers: Sequence[float]) -> Measure:
    if parameter == "recalls":
        return measure(recall=tuple(numbers))
    if parameter == "square" and len(numbers) == 1 and numbers[0] == 0:
        return P(rel=getattr(measure, "rel", None))
    if parameter == "square" and len(numbers) == 1 and numbers[0] > 0:
        return measure(beta=numbers[0] ** 0.5)
    remedy = {
        "gains": f"leave it out; for a cutoff write {name}_cut_{numbers[0]:g}"
        if name == "ndcg"
        else "leave it out",
        "square": "give one number, the square of beta",
        "coefficients": "leave them out, or evaluate rankmark.Utility with hit= and the others",
    }[parameter]
    given = ",".join(f"{number:g}" for number in numbers)
    raise MeasureError(f"{name} cannot be computed with the parameters {given}", remedy)


def printed(
    column: Column, measures: Sequence[Measure], scores: Sequence[Floats], level: int
) -> Floats:
    """Return the numbers that trec_eval prints, from the scores of measures: (Q,) float64."""
    if column.measure is None:
        return np.zeros(len(scores[0]))
    values = scores[measures.index(column.measure)]
    if column.printed == "log":
        return np.log(np.maximum(values, LEAST_IN_GMEAN))
    if column.printed == "relevant":
        return np.where(scores[measures.index(NumRel(rel=level))] > 0, values, 0.0)
    return values
