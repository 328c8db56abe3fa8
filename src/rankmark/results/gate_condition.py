"""The conditions of a gate, and in words what was found for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import InputError, shown
from rankmark.formatting.result import json_number
from rankmark.measures.names import measures
from rankmark.statistics.reweighting import queries_if_unchanged, smallest_margin

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.statistics.margin_decision import MarginDecision, Verdict

_UNKNOWN = {
    "no query": "no query has a score from both runs, so nothing can be said",
    "baseline is 0": "the baseline's mean is 0, so no share of it can be lost; "
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

    measure: Measure
    max_drop: float | str | None = None
    require_better: bool = False
    max_query_drop: float | None = None
    confidence: float = 0.95
    slice: str | None = None

    def __init__(
        self,
        measure: str | Measure,
        max_drop: float | str | None = None,
        *,
        require_better: bool = False,
        max_query_drop: float | None = None,
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
                f"{one} has no highest or no lowest value, so rare large losses have no limit",
                "give max_query_drop, the most that one query can lose",
            )
        drop = None if max_drop is None else _drop(max_drop)
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
        object.__setattr__(self, "require_better", flag("require_better", require_better))
        object.__setattr__(self, "max_query_drop", most)
        object.__setattr__(self, "confidence", _confidence(confidence))
        object.__setattr__(self, "slice", slice)

    def of(self, measure: Measure, slice: str | None = None) -> Condition:  # noqa: A002
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
    largest
        The query that lost most, even if none is to be listed; None if none lost.
    """

    condition: Condition
    decision: MarginDecision
    lost: tuple[LostQuery, ...]
    largest: LostQuery | None = None

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

    @property
    def assumption(self) -> str | None:
        """What was assumed about the largest loss of a query, in words, or None."""
        return assumption_of(self.condition, self.decision, self.largest)

    @property
    def too_few(self) -> str | None:
        """That so few queries cannot show the margin, whatever they show otherwise, or None."""
        return too_few_queries(self.condition, self.decision)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can represent; NaN becomes None."""
        d = self.decision
        numbers = {
            name: json_number(getattr(d, name))
            for name in (
                *("baseline", "other", "difference", "low", "high", "margin"),
                *("relative", "relative_low", "relative_high", "p", "smallest_margin"),
                *("effective", "largest_loss", "detectable"),
            )
        }
        numbers["new"] = numbers.pop("other")
        return {
            **self.condition.to_dict(),
            "name": self.name,
            "verdict": self.verdict,
            "cause": d.cause,
            "reason": self.reason,
            "assumption": self.assumption,
            "too_few": self.too_few,
            "more_is_better": self.condition.measure.more_is_better,
            "queries": d.n,
            "left_out": d.left_out,
            "wins": d.wins,
            "ties": d.ties,
            "losses": d.losses,
            "clusters": d.clusters,
            **numbers,
            "required_queries": d.required,
            "required_for_spread": d.required_for_spread,
            "required_for_rare": d.required_for_rare,
            "power": d.power,
            "lost": [query._asdict() for query in self.lost],
        }


def reason_of(condition: Condition, d: MarginDecision) -> str:
    """Return why a condition holds or does not hold, or why that cannot be decided."""
    of = _of(d)
    if d.cause in _UNKNOWN:
        return _UNKNOWN[d.cause]
    if d.cause == "unchanged":
        return f"no score differs in {of}; passed by policy (unchanged), not shown"
    change = f"the difference is {_signed(d.difference)}"
    if condition.relative:
        change += f" ({_percent(d.relative)})"
    if d.cause == "larger drop":
        return f"{change}, and a query lost more than was assumed, so no bound is known"
    return f"{change}, {_bound(condition, d)}" + _consequence(condition, d, of)


def assumption_of(condition: Condition, d: MarginDecision, largest: LostQuery | None) -> str | None:
    """Return what was assumed about the largest loss of a query, or None if nothing was."""
    if condition.max_query_drop is None:
        return None
    seen = "no query lost anything"
    if largest is not None:
        seen = f"largest loss seen: {abs(largest.difference):.4g}, {largest.query_id}"
    assumed = f"no query {_loses(condition)} more than {condition.max_query_drop:g}"
    if d.beyond_drop is None:
        return f"assumed: {assumed} ({seen})"
    instead = (
        f"; decided without it, as if a query could lose {d.largest_loss:g}"
        if math.isfinite(d.largest_loss)
        else ""
    )
    return f"not true as assumed: {assumed} ({seen}){instead}"


def too_few_queries(condition: Condition, d: MarginDecision) -> str | None:
    """Return that so few queries cannot show the margin unless the run is better, or None.

    That depends on their number, the margin and the largest loss alone, and not on any score.
    """
    if condition.require_better or not d.n or d.cause == "baseline is 0":
        return None
    if d.margin > d.smallest_margin or not math.isfinite(d.largest_loss):
        return None
    change = "drop" if condition.measure.more_is_better else "rise"
    share = d.smallest_margin / d.largest_loss
    losing = "a loss of everything" if not d.assumed else f"a loss of {d.largest_loss:g}"
    said = (
        f"{_of(d)} cannot show that the {change} is within {_allowed(condition).lstrip('+-')} "
        f"unless the new run is better on them: {losing} on {100 * share:.2g}% of queries would be "
        f"in none of them {_plain_percent(1 - d.confidence)} of the time"
    )
    needed = queries_if_unchanged(d.margin, d.confidence, d.largest_loss)
    if needed is None:
        return said
    unit = "queries" if d.clusters is None else "clusters"
    worth = "" if d.clusters is not None or d.effective > d.n - 1e-6 else " of equal weight"
    enough = f"if nothing changes, {needed:,} {unit}{worth} are needed"
    smallest = math.ceil(1e4 * d.smallest_margin) / 1e4
    drop = math.floor(100 * d.largest_loss * d.margin / d.smallest_margin) / 100
    assume = f", or max_query_drop {drop:g}" if drop > d.margin else ""
    return f"{said}; {enough}, or max_drop {smallest:g}{assume}"


def _of(d: MarginDecision) -> str:
    of = f"{d.n:,} {'query' if d.n == 1 else 'queries'}"
    if d.clusters is not None:
        of += f" in {d.clusters:,} {'cluster' if d.clusters == 1 else 'clusters'}"
    if d.effective < 0.995 * (d.n if d.clusters is None else d.clusters):
        of += f" (worth {d.effective:.1f})"
    return of


def _loses(condition: Condition) -> str:
    return "loses" if condition.measure.more_is_better else "rises by"


def _bound(condition: Condition, d: MarginDecision) -> str:
    low, high = d.low, d.high
    written = _signed
    if condition.relative:
        low, high, written = d.relative_low, d.relative_high, _percent
    sure = f"with {_plain_percent(d.confidence)} confidence"
    if d.verdict == "cannot tell" and not math.isnan(low + high):
        return f"{sure} on each side between {written(low)} and {written(high)}"
    at_least = (d.verdict == "holds") == condition.measure.more_is_better
    if d.verdict == "cannot tell":
        at_least = math.isnan(high)
    return f"{sure} {'at least' if at_least else 'at most'} {written(low if at_least else high)}"


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
    if d.required is None or d.required <= d.n:
        return ""
    if condition.require_better:
        return (
            f"; about {d.required:,} queries would show a difference as large as observed "
            f"{_plain_percent(d.power)} of the time"
        )
    worse = "drop" if condition.measure.more_is_better else "rise"
    return (
        f"; about {d.required:,} queries ({d.required_for_spread:,} for the spread of differences, "
        f"{d.required_for_rare:,} for rare losses) would show that the {worse} is within "
        f"{_allowed(condition).lstrip('+-')} {_plain_percent(d.power)} of the time, if the runs "
        "are equally good"
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


def _what_queries_show(width: float) -> str:
    """Return the smallest margins that usual numbers of queries can show, if there is a range."""
    if not math.isfinite(width):
        return ""
    shown = [f"{smallest_margin(n, largest_loss=width):.2g}" for n in (50, 100, 200)]
    return f"; 50, 100 and 200 queries can show {', '.join(shown[:2])} and {shown[2]} at best"


def _query_drop(value: object) -> float:
    """Return the most that one query can lose: a number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise InputError(f"max_query_drop is {shown(value)}", "need a number above 0")
    return float(value)


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
