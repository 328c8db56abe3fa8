"""A score by query that rankmark did not compute, as what a condition of a gate is about."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankmark.errors import MeasureError, shown
from rankmark.measures import Measure
from rankmark.verbs.evaluate.known_scores import known_score


@dataclass(frozen=True, slots=True)
class ScoredMeasure:
    """What a gate has to know of a score: the facts that measures declare.

    Parameters
    ----------
    name
        The name of its column.
    bounds
        The lowest and the highest score possible; infinite if they are unknown.
    more_is_better
        Whether a higher score is better.
    aggregate
        As measures have it.
    """

    name: str
    bounds: tuple[float, float]
    more_is_better: bool = True
    aggregate: str = "mean"

    def __str__(self) -> str:
        return self.name


_COMMA = re.compile(r"\s*,\s*(?![^()]*\))")
"""One that is not among the parameters of a measure."""
GatedMeasure = Measure | ScoredMeasure
"""What a condition is about."""


def scored_measures(given: Any, options: Mapping[str, Any]) -> list[ScoredMeasure]:
    """Return the measures that a name, several with commas between them, or a measure stands for.

    Raises
    ------
    MeasureError
        If it is none of these.
    """
    names = [name for name in _COMMA.split(given) if name] if isinstance(given, str) else [given]
    return [scored_measure(name, options) for name in names]


def scored_measure(given: Any, options: Mapping[str, Any]) -> ScoredMeasure:
    """Return the measure that a name stands for in a table of scores.

    Parameters
    ----------
    given
        The name of a column, or a measure.
    options
        Of the gate: ``score_range`` and ``lower_is_better``.

    Raises
    ------
    MeasureError
        If it is neither.
    """
    if isinstance(given, ScoredMeasure):
        return given
    if not isinstance(given, (str, Measure)):
        raise MeasureError(f"{shown(given)} is not a score", "need the name of a column of scores")
    name = str(given)
    known = known_score(name)
    bounds = (-math.inf, math.inf) if known is None else known.bounds
    return ScoredMeasure(
        name,
        tuple(options.get("score_range") or bounds),
        more_is_better=name not in (options.get("lower_is_better") or ())
        and (known is None or known.more_is_better),
        aggregate="mean" if known is None else known.aggregate,
    )
