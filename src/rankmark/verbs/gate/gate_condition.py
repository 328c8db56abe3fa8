"""The conditions of a gate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError, shown
from rankmark.formulas import flag
from rankmark.measures.names import measures
from rankmark.statistics.reweighting import smallest_margin
from rankmark.verbs.evaluate.known_scores import CITATION_SCORES, NUGGET_SCORES
from rankmark.verbs.gate.scored_measure import ScoredMeasure

if TYPE_CHECKING:
    from rankmark.verbs.gate.scored_measure import GatedMeasure


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

    def __init__(
        self,
        measure: str | GatedMeasure,
        max_drop: float | str | None = None,
        *,
        require_better: bool = False,
        max_query_drop: float | None = None,
        confidence: float = 0.95,
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
        most = None if max_query_drop is None else _query_drop(max_query_drop)
        if max_drop is None and not require_better:
            raise InputError(
                f"no max_drop is given for {one}",
                "give the largest drop of the mean that your users would accept, such as 0.02 or "
                f'"2%"{_what_queries_show(high - low)}',
            )
        if most is None and not math.isfinite(high - low):
            raise InputError(
                f"{one} has no {_lacking(one, 'highest or no lowest value')}, so rare large losses "
                "have no limit",
                f"give {_range_or(one)}max_query_drop, the most that one query can lose"
                + (f"; or correct the name{_meant(one)}" if isinstance(one, ScoredMeasure) else ""),
            )
        drop = None if max_drop is None else _drop(max_drop)
        if isinstance(drop, str) and not math.isfinite(low):
            raise InputError(
                f"max_drop of {one} is {drop}, and {one} has no {_lacking(one, 'lowest value')}, "
                "so that no bound of a share is known",
                f"give {_range_or(one)}max_drop in units of the measure",
            )
        if isinstance(drop, float) and drop >= high - low and one.aggregate == "mean":
            raise InputError(
                f"max_drop is {drop:g}, and {one} lies between {low:g} and {high:g}, so that every "
                "drop would be allowed",
                f"need less, such as 0.01, or a percentage: {drop:g}%",
            )
        object.__setattr__(self, "measure", one)
        object.__setattr__(self, "max_drop", drop)
        if most is not None and isinstance(drop, float) and drop >= most:
            raise InputError(
                f"max_drop is {drop:g}, and max_query_drop {most:g}, so that every drop would be "
                "allowed",
                "need a smaller max_drop",
            )
        flag("require_better", require_better)
        object.__setattr__(self, "require_better", bool(require_better))
        object.__setattr__(self, "max_query_drop", most)
        object.__setattr__(self, "confidence", _confidence(confidence))
        object.__setattr__(self, "slice", slice)

    def of(self, measure: GatedMeasure, slice: str | None = None) -> Condition:  # noqa: A002
        """Return the same condition for another measure, or another slice."""
        return Condition(
            measure,
            self.max_drop,
            require_better=self.require_better,
            max_query_drop=self.max_query_drop,
            confidence=self.confidence,
            slice=slice or self.slice,
        )

    @property
    def relative(self) -> bool:
        """Whether ``max_drop`` is a share of the baseline's mean."""
        return isinstance(self.max_drop, str)

    @property
    def margin(self) -> float:
        """``max_drop`` as a number: 0.01 for ``"1%"``."""
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
        return (
            f"{self.name} may {verb} by at most {most}"
            if self.margin
            else (f"{self.name} must not {verb}")
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as values that JSON can represent."""
        return {
            "measure": str(self.measure),
            "max_drop": self.max_drop,
            "require_better": self.require_better,
            "max_query_drop": self.max_query_drop,
            "confidence": self.confidence,
            "slice": self.slice,
        }


def _lacking(measure: GatedMeasure, end: str) -> str:
    return "known range" if isinstance(measure, ScoredMeasure) else end


def _range_or(measure: GatedMeasure) -> str:
    """Return the other remedy if a range is missing: scores may be given one."""
    return "score_range, such as 0 to 1, or " * isinstance(measure, ScoredMeasure)


def _meant(measure: ScoredMeasure) -> str:
    near = get_close_matches(str(measure), (*NUGGET_SCORES, *CITATION_SCORES), 1)
    return f": did you mean {near[0]}?" if near else ""


def _what_queries_show(width: float) -> str:
    """Return the smallest margins that usual numbers of queries can show, if there is a range."""
    if not math.isfinite(width):
        return ""
    shown = [f"{smallest_margin(n, largest_loss=width):.2g}" for n in (50, 100, 200)]
    return f"; 50, 100 and 200 queries can show {', '.join(shown[:2])} and {shown[2]} at best"


def _query_drop(value: object) -> float:
    """Return the most that one query can lose: a number above 0."""
    drop = _finite(value)
    if not 0 < drop < math.inf:
        raise InputError(f"max_query_drop is {shown(value)}", "need a number above 0")
    return drop


def _finite(value: object) -> float:
    """Return a number as a float; NaN for what is none, or is beyond all floats."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.5 < value < 1:
        raise InputError(f"confidence is {shown(value)}", "need a number above 0.5 and below 1")
    return float(value)


def _drop(value: object) -> float | str:
    """Return a number of at least 0, or a share as text, such as "1%"."""
    remedy = "need a number of at least 0, or a percentage such as 1%"
    if isinstance(value, str):
        number = value.strip().removesuffix("%")
        is_share = value.strip().endswith("%")
        try:
            found = float(number)
        except ValueError:
            raise InputError(f"max_drop is {shown(value)}", remedy) from None
        if not (0 <= found < (100 if is_share else math.inf)):
            raise InputError(f"max_drop is {shown(value)}", remedy)
        return f"{found:g}%" if is_share else found
    drop = _finite(value)
    if not 0 <= drop < math.inf:
        raise InputError(f"max_drop is {shown(value)}", remedy)
    return drop
