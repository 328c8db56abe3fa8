"""The conditions of a gate, and the measures and scores by query that they are about."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Annotated, Any

from rankmark.arguments import AboveZero, Flag, Kind, as_number, checked
from rankmark.errors import InputError, MeasureError, shown
from rankmark.measures import Measure
from rankmark.measures.names import measures
from rankmark.statistics.reweighting import smallest_margin
from rankmark.verbs.evaluate.known_scores import CITATION_SCORES, NUGGET_SCORES, known_score


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


def _drop(name: str, given: Any) -> float | str:
    """Return a number of at least 0, or a share as text, such as "1%"."""
    number, is_share = given, False
    if isinstance(given, str):
        text = given.strip()
        is_share = text.endswith("%")
        with suppress(ValueError):
            number = float(text.removesuffix("%"))
    found = as_number(number)
    if not 0 <= found < (100 if is_share else math.inf):
        raise InputError(
            f"{name} is {shown(given)}", "need a number of at least 0, or a percentage such as 1%"
        )
    return f"{found:g}%" if is_share else found


def _of_bound(name: str, given: Any) -> float:
    found = as_number(given)
    if not 0.5 < found < 1:
        raise InputError(f"{name} is {shown(given)}", "need a number above 0.5 and below 1")
    return found


Drop = Annotated[float | str, Kind(_drop)]
OfBound = Annotated[float, Kind(_of_bound)]
"""The confidence of a bound on one side."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one measure that the new run has to fulfil.

    Parameters
    ----------
    measure
        Its name, or a measure object.
    max_drop
        How much worse the mean may be: a number of at least 0 in units of the measure, or a share
        of the baseline's mean, such as ``"1%"``. There is no default: what is acceptable is a
        question about your users.
    require_better
        Ask for a better mean instead.
    max_query_drop
        The most that one query can lose, if that is known to be less than the range of the
        measure: an assumption, which is printed with the verdict. It is needed for measures
        without a lowest and a highest value.
    confidence
        Of the bound that decides, above 0.5 and below 1.
    slice
        The name of the slice whose queries count; None for all queries, ``"*"`` for a condition for
        each slice.

    Raises
    ------
    InputError
        If a value is invalid.
    MeasureError
        If there is no such measure.

    Examples
    --------
    >>> Condition("nDCG@10", "1%").text
    'nDCG@10 may fall by at most 1%'
    """

    measure: GatedMeasure
    max_drop: float | str | None = None
    require_better: bool = False
    max_query_drop: float | None = None
    confidence: float = 0.95
    slice: str | None = None

    @checked
    def __init__(
        self,
        measure: str | GatedMeasure,
        max_drop: Drop | None = None,
        *,
        require_better: Flag = False,
        max_query_drop: AboveZero | None = None,
        confidence: OfBound = 0.95,
        slice: str | None = None,  # noqa: A002
    ) -> None:
        found = (measure,) if isinstance(measure, ScoredMeasure) else measures(measure)
        if len(found) != 1:
            names = ", ".join(map(str, found))
            raise InputError(f"{measure} is several measures: {names}", "give each a condition")
        one = found[0]
        if one.aggregate == "gmean":
            raise InputError(
                f"{one} is a geometric mean, and a gate tests arithmetic means", "gate AP, or RR"
            )
        low, high = one.bounds
        most, drop = max_query_drop, max_drop
        if max_drop is None and not require_better:
            raise InputError(
                f"no max_drop is given for {one}",
                "give the largest drop of the mean that your users would accept, such as 0.02 or "
                f'"2%"{_what_queries_show(high - low)}',
            )
        lacking, instead, meant = "highest or no lowest value", "", ""
        if isinstance(one, ScoredMeasure):
            lacking, instead = "known range", "score_range, such as 0 to 1, or "
            near = get_close_matches(str(one), (*NUGGET_SCORES, *CITATION_SCORES), 1)
            meant = f"; or correct the name{f': did you mean {near[0]}?' if near else ''}"
        is_of_run = isinstance(one, Measure) and one.depends_on == "run"
        if is_of_run and most is not None:
            raise InputError(
                f"{one} is one number of all lists together, which no query loses",
                "leave max_query_drop out",
            )
        if most is None and not math.isfinite(high - low) and not is_of_run:
            raise InputError(
                f"{one} has no {lacking}, so rare large losses have no limit",
                f"give {instead}max_query_drop, the most that one query can lose{meant}",
            )
        if isinstance(drop, str) and not math.isfinite(low):
            lacking = lacking.removeprefix("highest or no ")
            raise InputError(
                f"max_drop of {one} is {drop}, and {one} has no {lacking}, so that no bound of a "
                "share is known",
                f"give {instead}max_drop in units of the measure",
            )
        if isinstance(drop, float) and drop >= high - low and one.aggregate == "mean":
            raise InputError(
                f"max_drop is {drop:g}, and {one} lies between {low:g} and {high:g}, so that every "
                "drop would be allowed",
                f"need less, such as 0.01, or a percentage: {drop:g}%",
            )
        if most is not None and isinstance(drop, float) and drop >= most:
            raise InputError(
                f"max_drop is {drop:g}, and max_query_drop {most:g}, so that every drop would be "
                "allowed",
                "need a smaller max_drop",
            )
        values = (one, drop, require_better, most, confidence, slice)
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def of(self, measure: GatedMeasure, slice: str | None = None) -> Condition:  # noqa: A002
        """Return the same condition for another measure, or another slice."""
        return replace(self, measure=measure, slice=slice or self.slice)

    @property
    def relative(self) -> bool:
        """Whether ``max_drop`` is a share of the baseline's mean; not where a gain is required."""
        return isinstance(self.max_drop, str) and not self.require_better

    @property
    def margin(self) -> float:
        """``max_drop`` as a number: 0.01 for ``"1%"``; 0 where a gain is required instead."""
        if self.require_better:
            return 0.0
        if isinstance(self.max_drop, str):
            return float(self.max_drop.removesuffix("%")) / 100
        return self.max_drop or 0.0

    @property
    def name(self) -> str:
        """The measure, and the slice if there is one."""
        return str(self.measure) if self.slice is None else f"{self.measure}, {self.slice}"

    @property
    def text(self) -> str:
        """What is asked, in words."""
        if self.require_better:
            return f"{self.name} must be better"
        verb = "fall" if self.measure.more_is_better else "rise"
        most = self.max_drop if self.relative else f"{self.margin:g}"
        if not self.margin:
            return f"{self.name} must not {verb}"
        return f"{self.name} may {verb} by at most {most}"

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as values that JSON can represent."""
        own = {name: getattr(self, name) for name in self.__slots__}
        return own | {"measure": str(self.measure)}


def _what_queries_show(width: float) -> str:
    """Return the smallest margins that usual numbers of queries can show, if there is a range."""
    if not math.isfinite(width):
        return ""
    shown = [f"{smallest_margin(n, largest_loss=width):.2g}" for n in (50, 100, 200)]
    return f"; 50, 100 and 200 queries can show {', '.join(shown[:2])} and {shown[2]} at best"


def scored_measures(given: Any, options: Mapping[str, Any]) -> list[ScoredMeasure]:
    """Return the measures of a name, of several with commas between them, or of a measure."""
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
