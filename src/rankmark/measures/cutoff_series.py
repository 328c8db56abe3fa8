"""Measures at many cutoffs: ``1..20``, ``1,5,10`` and ``10..100..10``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rankmark.errors import InputError, MeasureError, shown
from rankmark.measures.base.measure import Measure
from rankmark.measures.names import AnyMeasure, every

_MOST = 1000
_PART = re.compile(r"(\d+)(?:\.\.(\d+)(?:\.\.(\d+))?)?")


def cutoffs_in(text: str) -> tuple[int, ...]:
    """Return the cutoffs that a text names, in order and once each.

    Parameters
    ----------
    text
        Parts separated by commas: a number; ``1..20``, all numbers from 1 to 20; or
        ``10..100..10``, every tenth of them.

    Raises
    ------
    InputError
        If a part is something else, or there are more than 1,000 cutoffs.

    Examples
    --------
    >>> cutoffs_in("1..3,5,10..30..10")
    (1, 2, 3, 5, 10, 20, 30)
    """
    found: list[int] = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None or len(part) > 40:
            raise InputError(
                f"cutoffs is {shown(text)}",
                "need numbers, or ranges such as 1..20 or 10..100..10, separated by commas",
            )
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        step = 1 if match[3] is None else int(match[3])
        if first < 1 or last < first or step < 1:
            raise InputError(
                f"cutoffs has {shown(part.strip())}", "need ranges that rise, from 1 or more"
            )
        if (last - first) // step >= _MOST:
            raise _too_many()
        found += range(first, last + 1, step)
    distinct = tuple(dict.fromkeys(found))
    if len(distinct) > _MOST:
        raise _too_many()
    return distinct


def at_cutoffs(
    measures: Iterable[AnyMeasure] | AnyMeasure, cutoffs: Sequence[int]
) -> list[Measure]:
    """Return measures without a cutoff at each of these, measure by measure.

    Raises
    ------
    MeasureError
        If a measure has a cutoff already, or cannot have one.

    Examples
    --------
    >>> at_cutoffs(["P", "AP(rel=2)"], [5, 10])
    [P@5, P@10, AP(rel=2)@5, AP(rel=2)@10]
    """
    found = []
    for measure in every(measures):
        if "k" not in measure.parameters:
            raise MeasureError(
                f"{measure} has no cutoff", "leave cutoffs out, or name another measure"
            )
        if vars(measure)["k"] is not None:
            name = str(measure).rpartition("@")[0]
            raise MeasureError(
                f"{measure} has a cutoff already", f"name {name}, or leave cutoffs out"
            )
        found += [measure @ cutoff for cutoff in cutoffs]
    return found


def _too_many() -> InputError:
    return InputError(f"cutoffs has more than {_MOST:,} numbers", "give fewer, as in 1..1000..10")
