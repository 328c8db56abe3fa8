"""The conditions of a gate, and in words what was found for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import InputError, shown
from rankmark.formatting.result import json_number
from rankmark.measures.names import measures

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.statistics.margin_decision import MarginDecision, Verdict

MAX_DROP = 0.01
_UNKNOWN = {
    "no query": "no query has a score from both runs, so nothing can be said",
    "baseline near 0": "the baseline's mean could be 0, so no share of it is known; "
    "give max_drop in units of the measure",
    "mean changed": "no mean difference is compatible with all looks: it changed as queries came "
    "in, or they are not in the order in which they came in",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one measure that the new run has to fulfil.

    Parameters
    ----------
    measure
        Its name, or a measure object.
    max_drop
        How much worse the mean may be: a number of at least 0 in units of the measure, or a share
        of the baseline's mean, such as ``"1%"``. None means 0.01, for measures between 0 and 1.
    require_better
        Ask for a better mean instead.
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

    measure: Measure
    max_drop: float | str | None = None
    require_better: bool = False
    confidence: float = 0.95
    slice: str | None = None

    def __init__(
        self,
        measure: str | Measure,
        max_drop: float | str | None = None,
        *,
        require_better: bool = False,
        confidence: float = 0.95,
        slice: str | None = None,  # noqa: A002
    ) -> None:
        found = measures(measure)
        if len(found) != 1:
            names = ", ".join(map(str, found))
            raise InputError(f"{measure} is several measures: {names}", "give each a condition")
        one = found[0]
        if one.aggregate == "gmean":
            raise InputError(
                f"{one} is a geometric mean, and a gate tests arithmetic means", "gate AP, or RR"
            )
        if max_drop is None and not require_better:
            if not (one.bounds[0] >= -1 and one.bounds[1] <= 1) or one.aggregate == "sum":
                raise InputError(
                    f"{one} is not a number between 0 and 1, so it has no default max_drop",
                    "give max_drop in its units, or relative, such as 1%",
                )
            max_drop = MAX_DROP
        drop = None if max_drop is None else _drop(max_drop)
        low, high = one.bounds
        if isinstance(drop, float) and drop >= high - low and one.aggregate == "mean":
            raise InputError(
                f"max_drop is {drop:g}, and {one} lies between {low:g} and {high:g}, so that every "
                "drop would be allowed",
                f"need less, such as 0.01, or a percentage: {drop:g}%",
            )
        object.__setattr__(self, "measure", one)
        object.__setattr__(self, "max_drop", drop)
        object.__setattr__(self, "require_better", flag("require_better", require_better))
        object.__setattr__(self, "confidence", _confidence(confidence))
        object.__setattr__(self, "slice", slice)

    def of(self, measure: Measure, slice: str | None = None) -> Condition:  # noqa: A002
        """Return the same condition for another measure, or another slice."""
        return Condition(
            measure,
            self.max_drop,
            require_better=self.require_better,
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
            "confidence": self.confidence,
            "slice": self.slice,
        }


class LostQuery(NamedTuple):
    """A query that lost, and the command that explains why.

    Parameters
    ----------
    query_id
        The query.
    baseline, new, difference
        Its scores, and the new one minus the baseline's.
    explain
        A line for a shell, or None if the inputs are not files.
    """

    query_id: str
    baseline: float
    new: float
    difference: float
    explain: str | None


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """Whether a condition holds.

    Parameters
    ----------
    condition
        What was asked.
    decision
        The numbers: means, bounds, p, and what these queries could have shown.
    lost
        The queries that lost most.
    """

    condition: Condition
    decision: MarginDecision
    lost: tuple[LostQuery, ...]

    @property
    def name(self) -> str:
        """The measure, and the slice if there is one."""
        return self.condition.name

    @property
    def verdict(self) -> Verdict:
        """``"holds"``, ``"does not hold"`` or ``"cannot tell"``."""
        return self.decision.verdict

    @property
    def reason(self) -> str:
        """Why, in words."""
        return reason_of(self.condition, self.decision)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can represent; NaN becomes None."""
        d = self.decision
        numbers = {
            name: json_number(getattr(d, name))
            for name in (
                *("baseline", "other", "difference", "low", "high", "margin"),
                *("relative", "relative_low", "relative_high", "p", "smallest_p", "detectable"),
            )
        }
        numbers["new"] = numbers.pop("other")
        return {
            **self.condition.to_dict(),
            "name": self.name,
            "verdict": self.verdict,
            "cause": d.cause,
            "reason": self.reason,
            "more_is_better": self.condition.measure.more_is_better,
            "queries": d.n,
            "left_out": d.left_out,
            "wins": d.wins,
            "ties": d.ties,
            "losses": d.losses,
            "clusters": d.clusters,
            **numbers,
            "required_queries": d.required,
            "power": d.power,
            "lost": [query._asdict() for query in self.lost],
        }


def reason_of(condition: Condition, d: MarginDecision) -> str:
    """Return why a condition holds or does not hold, or why that cannot be decided."""
    of = f"{d.n:,} {'query' if d.n == 1 else 'queries'}"
    if d.clusters is not None:
        of += f" in {d.clusters:,} clusters"
    if d.cause in _UNKNOWN:
        return _UNKNOWN[d.cause]
    if d.cause == "few queries":
        return _too_few(condition, d, of)
    if d.cause == "nothing differs":
        same = f"all {of} have the same score from both runs"
        return f"{same}, so nothing is better" if condition.require_better else same
    allowed = _allowed(condition)
    change = f"the difference is {_signed(d.difference)}"
    if condition.relative:
        change += f" ({_percent(d.relative)})"
    if d.cause == "one value":
        side = "within" if d.verdict == "holds" else "beyond"
        return f"{change} for all {of}, which is {side} what is allowed ({allowed})"
    return f"{change}, {_bound(condition, d)}" + _consequence(condition, d, of)


def _bound(condition: Condition, d: MarginDecision) -> str:
    low, high = _signed(d.low), _signed(d.high)
    if condition.relative:
        low, high = _percent(d.relative_low), _percent(d.relative_high)
    sure = f"with {_plain_percent(d.confidence)} confidence"
    if d.verdict == "cannot tell":
        return f"{sure} on each side between {low} and {high}"
    at_least = (d.verdict == "holds") == condition.measure.more_is_better
    return f"{sure} {'at least' if at_least else 'at most'} {low if at_least else high}"


def _consequence(condition: Condition, d: MarginDecision, of: str) -> str:
    allowed = _allowed(condition)
    worse = "drop" if condition.measure.more_is_better else "rise"
    if d.verdict == "holds":
        return f" (needed: {'above' if condition.measure.more_is_better else 'below'} {allowed})"
    if d.verdict == "does not hold":
        if condition.require_better:
            return f": a {worse} was shown, and an improvement is required"
        return f": a {worse} beyond {allowed} was shown"
    if condition.require_better:
        can = f": {of} show neither an improvement nor a {worse}"
    elif (d.high < 0) if condition.measure.more_is_better else (d.low > 0):
        size = allowed.lstrip("+-")
        can = f": a {worse} was shown, but {of} do not show whether it is within {size} or larger"
    else:
        size = allowed.lstrip("+-")
        can = f": {of} show neither that the {worse} is within {size} nor that it is larger"
    return can + _power(condition, d)


def _power(condition: Condition, d: MarginDecision) -> str:
    if math.isnan(d.detectable):
        return ""
    power = _plain_percent(d.power)
    said = f"; at {power} power they detect differences of {d.detectable:.4f} or more"
    if d.required is None or d.required <= d.n:
        return said
    if condition.require_better:
        return (
            f"{said}, and about {d.required:,} queries would show a difference as large as observed"
        )
    worse = "drop" if condition.measure.more_is_better else "rise"
    return (
        f"{said}, and about {d.required:,} queries would show that the {worse} is within "
        f"{_allowed(condition).lstrip('+-')}, if the runs are equally good"
    )


def _too_few(condition: Condition, d: MarginDecision, of: str) -> str:
    sure = _plain_percent(condition.confidence)
    if d.n >= d.enough_for_p and d.clusters is None:
        differ = d.wins + d.losses
        return (
            f"only {differ:,} of {of} {'differs' if differ == 1 else 'differ'}: no p-value below "
            f"{d.smallest_p:.3g} is possible, and {sure} confidence needs {1 - d.confidence:.3g}"
        )
    return (
        f"{of}: no p-value below {d.smallest_p:.3g} is possible, and {sure} confidence needs "
        f"{1 - d.confidence:.3g}, so at least {d.enough_for_p:,} queries"
    )


def _allowed(condition: Condition) -> str:
    if condition.require_better or not condition.margin:
        return "0"
    sign = "-" if condition.measure.more_is_better else "+"
    return f"{sign}{condition.max_drop}" if condition.relative else f"{sign}{condition.margin:g}"


def allowed_text(condition: Condition) -> str:
    """Return what the bound must lie beyond, such as ``> -0.01``."""
    return f"{'>' if condition.measure.more_is_better else '<'} {_allowed(condition)}"


def _signed(value: float) -> str:
    return f"{value:+.4f}"


def _percent(value: float) -> str:
    return f"{100 * value:+.2f}%"


def _plain_percent(share: float) -> str:
    return f"{100 * share:.10g}%"


def flag(name: str, value: object) -> bool:
    """Return the value, which must be True or False."""
    if not isinstance(value, bool):
        raise InputError(f"{name} is {shown(value)}", "need True or False")
    return value


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
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise InputError(f"max_drop is {shown(value)}", remedy)
    return float(value)
