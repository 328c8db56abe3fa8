"""The measures of trec_eval 9: what it calls them, and what they are here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import MeasureError
from rankmark.measures import (
    AP,
    RR,
    Bpref,
    F,
    G,
    IPrec,
    Measure,
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rndcg,
    Rprec,
    Success,
    Utility,
    binG,
    infAP,
    nDCG,
    nDCGrel,
)
from rankmark.scoring.aggregates import LEAST_IN_GMEAN

if TYPE_CHECKING:
    from rankmark.array_types import Floats

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(tenth / 10 for tenth in range(11))
_FIFTHS = tuple(fifth / 5 for fifth in range(1, 11))
_ROUNDED = IPrec(rounding="tenth")


class Column(NamedTuple):
    """A number that trec_eval prints for a query.

    Parameters
    ----------
    name
        Under which it is printed, such as ``ndcg_cut_10``.
    measure
        What it is here; None for text, such as the name of the run, whose number is 0.
    printed
        ``"as it is"``; ``"log"``, the logarithm, as of measures averaged geometrically; or
        ``"relevant"``, 0 for queries without a document of the relevance level.
    """

    name: str
    measure: Measure | None
    printed: str = "as it is"


class _Family(NamedTuple):
    """What trec_eval computes under one name, for each of its parameters.

    Parameters
    ----------
    measure
        None for text.
    parameter
        What the numbers after the name set; None if they set nothing.
    defaults
        The numbers if none are given.
    """

    measure: Measure | None
    parameter: str | None = None
    defaults: tuple[float, ...] = ()
    printed: str = "as it is"
    has_level: bool = True


def _cut(
    measure: Measure, defaults: tuple[float, ...] = _CUTOFFS, *, has_level: bool = True
) -> _Family:
    return _Family(measure, "k", defaults, has_level=has_level)


# In trec_eval's order, which is that of its output.
_FAMILIES: dict[str, _Family] = {
    "runid": _Family(None),
    "num_q": _Family(NumQ, has_level=False),
    "num_ret": _Family(NumRet, has_level=False),
    "num_rel": _Family(NumRel),
    "num_rel_ret": _Family(NumRelRet),
    "map": _Family(AP),
    "gm_map": _Family(AP, printed="log"),
    "Rprec": _Family(Rprec),
    "bpref": _Family(Bpref),
    "recip_rank": _Family(RR),
    "iprec_at_recall": _Family(_ROUNDED, "recall", _TENTHS),
    "P": _cut(P),
    "relstring": _Family(None),
    "recall": _cut(R),
    "infAP": _Family(infAP),
    "gm_bpref": _Family(Bpref, printed="log"),
    "Rprec_mult": _Family(Rprec, "multiple", _FIFTHS),
    "utility": _Family(Utility, "coefficients"),
    "11pt_avg": _Family(_ROUNDED, "recalls"),
    "binG": _Family(binG),
    "G": _Family(G, "gains", has_level=False),
    "ndcg": _Family(nDCG, "gains", has_level=False),
    "ndcg_rel": _Family(nDCGrel, "gains", has_level=False),
    "Rndcg": _Family(Rndcg, "gains", printed="relevant", has_level=False),
    "ndcg_cut": _cut(nDCG, has_level=False),
    "map_cut": _cut(AP),
    "relative_P": _cut(R(norm="min")),
    "success": _cut(Success, (1, 5, 10)),
    "set_P": _Family(P),
    "set_relative_P": _Family(R(norm="min")),
    "set_recall": _Family(R),
    "set_map": _Family(AP(precision="set")),
    "set_F": _Family(F, "square"),
    "num_nonrel_judged_ret": _Family(NumNonrelJudgedRet),
}

NAMES = frozenset(_FAMILIES)
"""All names, without parameters."""


def takes_parameters(name: str) -> bool:
    """Return whether numbers after a name mean anything."""
    return _FAMILIES[name].parameter is not None


def columns_of(
    requested: Mapping[str, Iterable[float]], level: int
) -> tuple[tuple[Column, ...], tuple[Measure, ...]]:
    """Return what trec_eval computes, in its order, and the measures that this needs.

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
    columns = [
        column
        for name, family in _FAMILIES.items()
        if name in requested
        for column in _columns(name, family, sorted({*requested[name]}), level)
    ]
    needed = [column.measure for column in columns if column.measure is not None]
    if any(column.measure is None or column.printed == "relevant" for column in columns):
        needed.append(NumRel(rel=level))
    return tuple(columns), tuple(dict.fromkeys(needed))


def _columns(name: str, family: _Family, numbers: list[float], level: int) -> list[Column]:
    measure = family.measure
    if measure is None:
        return [Column(name, None)]
    if family.has_level and level != 1:
        measure = measure(rel=level)
    if family.parameter == "k":
        cutoffs = sorted({int(number) for number in numbers or family.defaults})
        if cutoffs[0] < 1:
            raise MeasureError(f"{name} has cutoff {cutoffs[0]}", "need a cutoff from 1")
        return [Column(f"{name}_{k}", measure(k=k)) for k in cutoffs]
    if family.defaults:
        assert family.parameter is not None  # noqa: S101
        return [
            Column(f"{name}_{number:.2f}", measure(**{family.parameter: number}))
            for number in numbers or family.defaults
        ]
    if numbers and family.parameter is not None:
        measure = _with_numbers(name, measure, family.parameter, numbers)
    return [Column(name, measure, family.printed)]


def _with_numbers(name: str, measure: Measure, parameter: str, numbers: list[float]) -> Measure:
    if parameter == "recalls":
        return measure(recall=tuple(numbers))
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
