"""What was found for a condition of a gate, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankmark.statistics.reweighting import queries_if_unchanged

if TYPE_CHECKING:
    from rankmark.statistics.margin_decision import MarginDecision
    from rankmark.verbs.gate.gate_condition import Condition
    from rankmark.verbs.gate.lost_query import LostQuery

_UNKNOWN = {
    "no query": "no query has a score from both runs, so nothing can be said",
    "baseline is 0": "the baseline's mean is 0, so no share of it can be lost; "
    "give max_drop in units of the measure",
    "mean changed": "no mean difference is compatible with all looks: it changed as queries came "
    "in, or they are not in the order in which they came in",
    "no interval": "the estimate has no interval of this difference, such as where people's labels "
    "give all queries the same difference",
}


_UNCHANGED = (
    '; no score differs, and unchanged="pass" (--unchanged pass) lets such a run pass without this '
    "evidence"
)


def reason_of(condition: Condition, d: MarginDecision) -> str:
    """Return why a condition holds or does not hold, or why that cannot be decided."""
    of = _of(d)
    if d.cause == "no interval" and not d.wins + d.losses:
        return _UNKNOWN[d.cause] + _UNCHANGED
    if d.cause in _UNKNOWN:
        return _UNKNOWN[d.cause]
    if d.cause == "unchanged":
        return f"no score differs in {of}; passed by policy (unchanged), not shown"
    change = f"the difference is {_signed(d.difference)}"
    if condition.relative:
        change = f"the difference is {_percent(d.relative)} of the baseline's {d.baseline:.4f}"
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
    losing = "lost everything" if not d.assumed else f"lost {d.largest_loss:g}"
    said = (
        f"{_of(d)} cannot show that the {change} is within {_allowed(condition).lstrip('+-')} "
        f"unless the new run is better on them: if {100 * share:.2g}% of all queries {losing}, "
        f"a sample of so few would contain none of these {plain_percent(1 - d.confidence)} of the "
        "time"
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


def is_worse(condition: Condition, d: MarginDecision) -> bool:
    """Return whether the mean was shown to be worse, by however little."""
    if condition.relative:
        return d.relative_high < 0 if condition.measure.more_is_better else d.relative_low > 0
    return d.high < 0 if condition.measure.more_is_better else d.low > 0


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
    sure = f"with {plain_percent(d.confidence)} confidence"
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
        needed = f" (needed: {'above' if condition.measure.more_is_better else 'below'} {allowed})"
        return needed + _worse_all_the_same(condition, d)
    if d.verdict == "does not hold":
        if condition.require_better:
            return f": a {worse} was shown, and an improvement is required"
        return f": a {worse} beyond {allowed} was shown"
    if condition.require_better:
        can = f": {of} show neither an improvement nor a {worse}"
    elif is_worse(condition, d):
        size = allowed.lstrip("+-")
        can = f": a {worse} was shown, but {of} do not show whether it is within {size} or larger"
    else:
        size = allowed.lstrip("+-")
        can = f": {of} show neither that the {worse} is within {size} nor that it is larger"
    same = not condition.require_better and not d.wins + d.losses
    return can + _power(condition, d) + _UNCHANGED * same


def _worse_all_the_same(condition: Condition, d: MarginDecision) -> str:
    """Say that a drop was shown although it is within what is allowed, or nothing."""
    if not is_worse(condition, d):
        return ""
    up = condition.measure.more_is_better
    if condition.relative:
        end = _percent(d.relative_high if up else d.relative_low)
    else:
        end = _signed(d.high if up else d.low)
    change, side = ("drop", "most") if up else ("rise", "least")
    return f"; but a {change} was shown: with the same confidence at {side} {end}"


def _power(condition: Condition, d: MarginDecision) -> str:
    if d.required is None or d.required <= d.n:
        return ""
    if condition.require_better:
        return (
            f"; about {d.required:,} queries would show a difference as large as observed "
            f"{plain_percent(d.power)} of the time"
        )
    worse = "drop" if condition.measure.more_is_better else "rise"
    return (
        f"; about {d.required:,} queries ({d.required_for_spread:,} for the spread of "
        f"differences, {d.required_for_rare:,} for rare losses) would show that the {worse} is "
        f"within {_allowed(condition).lstrip('+-')} {plain_percent(d.power)} of the time, if the "
        "runs are equally good"
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


def plain_percent(share: float) -> str:
    """Write a confidence as people do: 95%, 98.33%."""
    text = f"{100 * share:.2f}".rstrip("0").removesuffix(".")
    return f"{100 * share:.10g}%" if text == "100" else f"{text}%"
