"""What was found for each condition of a gate, in numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rankmark.errors import counted
from rankmark.results.result import plain
from rankmark.statistics.reweighting import queries_if_unchanged, smallest_margin

if TYPE_CHECKING:
    from rankmark.statistics.margin_decision import MarginDecision, Verdict
    from rankmark.verbs.gate.gate_condition import Condition
    from rankmark.verbs.gate.gated_system import Doubt

_UNKNOWN = {
    "no query": "no query has a score from both runs, so nothing can be said",
    "baseline is 0": "the baseline's mean is 0, so no share of it can be lost; "
    "give max_drop in units of the measure",
    "mean changed": "no mean difference is compatible with all looks: it changed as queries came "
    "in, or they are not in the order in which they came in",
    "no interval": "there is no interval of this difference, such as where human labels give all "
    "queries the same difference, or where there is no value without one of the users",
}
_UNCHANGED = (
    '; no score differs, and unchanged="pass" (--unchanged pass) lets such a run pass without this '
    "evidence"
)


class LostQuery(NamedTuple):
    """A query that a new run lost, and the command that explains why.

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
        The numbers: means, bounds, p, and what these queries could have shown. If there are several
        candidates, its confidence is that after the correction.
    lost
        The queries that lost most.
    largest
        The query that lost most, even if none is to be listed; None if none lost.
    small
        Whether it is of a slice of too few queries.
    counts
        Whether the verdict of the gate depends on it: small slices that cannot be told may be
        shown only.
    could_be
        {"ties" or "unjudged": verdicts at the worst and at the best} over orders of ties, or over
        judgments of the unjudged documents; without those that cannot change any score, or that are
        unknown.
    reference
        The name of the fixed reference if it is decided against that; "" for the baseline.
    """

    condition: Condition
    decision: MarginDecision
    lost: tuple[LostQuery, ...]
    largest: LostQuery | None = None
    small: bool = False
    counts: bool = True
    could_be: Mapping[Doubt, tuple[Verdict, Verdict]] = field(default_factory=dict)
    reference: str = ""

    _policy: ClassVar[str] = _UNCHANGED
    """What is said where nothing changed, and that is no evidence."""

    @property
    def name(self) -> str:
        """The measure, the slice if there is one, and the reference if it is decided against it."""
        return self.condition.name + self._against

    @property
    def text(self) -> str:
        """What is asked, in words."""
        return self.condition.text + self._against

    @property
    def _against(self) -> str:
        return f" against {self.reference}" if self.reference else ""

    @property
    def verdict(self) -> Verdict:
        """``"holds"``, ``"does not hold"`` or ``"cannot tell"``."""
        return self.decision.verdict

    @property
    def adjusted_p(self) -> float:
        """The p-value, corrected for candidates; below 1 - confidence if it holds."""
        tries = (1 - self.condition.confidence) / (1 - self.decision.confidence)
        return min(1.0, self.decision.p * tries) if self.decision.p == self.decision.p else math.nan

    @property
    def is_worse(self) -> bool:
        """Whether the mean was shown to be worse, by however little."""
        low, high = self._ends
        return high < 0 if self._rises else low > 0

    @property
    def reason(self) -> str:
        """Why it holds or does not hold, or why that cannot be decided, in words."""
        d, has_changed = self.decision, self.decision.wins + self.decision.losses
        if d.cause in _UNKNOWN:
            is_same = d.cause == "no interval" and not has_changed and d.difference == 0
            return _UNKNOWN[d.cause] + self._policy * is_same
        if d.cause == "unchanged":
            return f"no score differs in {self._queries}; passed by policy (unchanged), not shown"
        change = f"the difference is {self._written(d.difference)}"
        if self.condition.relative:
            change = f"the difference is {self._written(d.relative)} of the baseline's "
            change += f"{d.baseline:.4f}"
        if d.cause == "larger drop":
            return f"{change}, and a query lost more than was assumed, so no bound is known"
        return f"{change}, {self._bound()}{self._consequence()}"

    @property
    def assumption(self) -> str | None:
        """What was assumed about the largest loss of a query, in words, or None."""
        most, d = self.condition.max_query_drop, self.decision
        if most is None:
            return None
        seen = "no query lost anything"
        if self.largest is not None:
            size = abs(self.largest.difference)
            seen = f"largest loss seen: {size:.4g}, {self.largest.query_id}"
        loses = "loses" if self._rises else "rises by"
        assumed = f"assumed: no query {loses} more than {most:g} ({seen})"
        if d.beyond_drop is None:
            return assumed
        instead = f"; decided without it, as if a query could lose {d.largest_loss:g}"
        return f"not true as {assumed}{instead if math.isfinite(d.largest_loss) else ''}"

    @property
    def too_few(self) -> str | None:
        """That so few queries cannot show the margin unless the run is better, or None.

        That depends on their number, the margin and the largest loss alone, and not on any score.
        """
        d = self.decision
        if self.condition.require_better or not d.n or d.cause == "baseline is 0":
            return None
        if d.margin > d.smallest_margin or not math.isfinite(d.largest_loss):
            return None
        share = d.smallest_margin / d.largest_loss
        losing = "lost everything" if not d.assumed else f"lost {d.largest_loss:g}"
        needed = queries_if_unchanged(d.margin, d.confidence, d.largest_loss)
        least = smallest_margin(d.clusters or d.n, d.confidence, d.largest_loss)
        are_alike = d.smallest_margin <= least * (1 + 1e-6)
        of = "all queries" if are_alike else "the weight of all queries"
        said = (
            f"{self._queries} cannot show that the {self._worse} is within {self._size} "
            f"unless the new run is better on them: if {100 * share:.2g}% of {of} {losing}, "
            f"a sample of so few would contain none of these {plain_percent(1 - d.confidence)} of "
            "the time"
        )
        if needed is None:
            return said
        unit, equal = ("queries", "weight") if d.clusters is None else ("clusters", "size")
        worth = "" if are_alike else f" of equal {equal}"
        enough = f"if nothing changes, {needed:,} {unit}{worth} are needed"
        smallest = math.ceil(1e4 * d.smallest_margin) / 1e4
        drop = math.floor(100 * d.largest_loss * d.margin / d.smallest_margin) / 100
        assume = f", or max_query_drop {drop:g}" if drop > d.margin else ""
        return f"{said}; {enough}, or max_drop {smallest:g}{assume}"

    @property
    def needed(self) -> str:
        """What the bound must lie beyond, such as ``> -0.01``."""
        return f"{'>' if self._rises else '<'} {self._allowed}"

    @property
    def _rises(self) -> bool:
        """Whether a rise is good."""
        return self.condition.measure.more_is_better

    @property
    def _worse(self) -> str:
        return "drop" if self._rises else "rise"

    @property
    def _ends(self) -> tuple[float, float]:
        """The bounds, as the margin was given: in units of the measure, or as shares."""
        d = self.decision
        if self.condition.relative:
            return d.relative_low, d.relative_high
        return d.low, d.high

    def _written(self, value: float) -> str:
        return f"{100 * value:+.2f}%" if self.condition.relative else f"{value:+.4f}"

    @property
    def _queries(self) -> str:
        d = self.decision
        of = counted(d.n, "query", "queries")
        if d.clusters is not None:
            of += f" in {counted(d.clusters, 'cluster')}"
        if d.effective < 0.995 * (d.n if d.clusters is None else d.clusters):
            of += f" (worth {d.effective:.1f})"
        return of

    @property
    def _show(self) -> str:
        return "shows" if self.decision.n == 1 else "show"

    @property
    def _do(self) -> str:
        return "does" if self.decision.n == 1 else "do"

    @property
    def _allowed(self) -> str:
        asked = self.condition
        if asked.require_better or not asked.margin:
            return "0"
        most = asked.max_drop if asked.relative else f"{asked.margin:g}"
        return f"{'-' if self._rises else '+'}{most}"

    @property
    def _size(self) -> str:
        return self._allowed.lstrip("+-")

    def _bound(self) -> str:
        d, (low, high) = self.decision, self._ends
        sure = f"with {plain_percent(d.confidence)} confidence"
        at_least = (d.verdict == "holds") == self._rises
        if d.verdict == "cannot tell":
            if not math.isnan(low + high):
                ends = f"between {self._written(low)} and {self._written(high)}"
                return f"{sure} on each side {ends}"
            at_least = math.isnan(high)
        side, end = ("least", low) if at_least else ("most", high)
        return f"{sure} at {side} {self._written(end)}"

    def _consequence(self) -> str:
        d, is_gain = self.decision, self.condition.require_better
        if d.verdict == "holds":
            needed = f" (needed: {'above' if self._rises else 'below'} {self._allowed})"
            if not self.is_worse:
                return needed
            low, high = self._ends
            side, end = ("most", high) if self._rises else ("least", low)
            return (
                f"{needed}; but a {self._worse} was shown: with the same confidence at {side} "
                f"{self._written(end)}"
            )
        if d.verdict == "does not hold":
            if is_gain:
                return f": a {self._worse} was shown, and an improvement is required"
            return f": a {self._worse} beyond {self._allowed} was shown"
        if is_gain:
            can = f": {self._queries} {self._show} neither an improvement nor a {self._worse}"
        elif self.is_worse:
            can = (
                f": a {self._worse} was shown, but {self._queries} {self._do} not show whether it "
                f"is within {self._size} or larger"
            )
        else:
            can = (
                f": {self._queries} {self._show} neither that the {self._worse} is within "
                f"{self._size} nor that it is larger"
            )
        is_same = not d.difference and not d.wins + d.losses
        return can + self._power() + self._policy * (not is_gain and is_same)

    def _power(self) -> str:
        d = self.decision
        if d.required is None or d.required <= d.n:
            return ""
        often = f"{plain_percent(d.power)} of the time"
        if self.condition.require_better:
            return (
                f"; about {d.required:,} queries would show a difference as large as observed "
                f"{often}"
            )
        return (
            f"; about {d.required:,} queries ({d.required_for_spread:,} for the spread of "
            f"differences, {d.required_for_rare:,} for rare losses) would show that the "
            f"{self._worse} is within {self._size} {often}, if the runs are equally good"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can represent; NaN becomes None."""
        return {
            **self.to_row(),
            "max_drop": self.condition.max_drop,
            "could_be": plain(self.could_be),
            "lost": [query._asdict() for query in self.lost],
        }

    def to_row(self) -> dict[str, Any]:
        """Return what a table has: numbers, words, and True or False."""
        d, asked = self.decision, self.condition.to_dict()
        numbers = (
            *("difference", "low", "high", "margin", "relative", "relative_low", "relative_high"),
            *("p", "smallest_margin", "effective", "largest_loss", "detectable"),
        )
        row = {
            **asked,
            "max_drop": None if asked["max_drop"] is None else str(asked["max_drop"]),
            "name": self.name,
            "reference": self.reference or None,
            "verdict": self.verdict,
            "cause": d.cause,
            "counts": self.counts,
            "small": self.small,
            "reason": self.reason,
            "assumption": self.assumption,
            "too_few": self.too_few,
            "more_is_better": self._rises,
            "decided_confidence": d.confidence,
            **{name: getattr(d, name) for name in ("n", "left_out", "wins", "ties", "losses")},
            "clusters": d.clusters,
            **{name: getattr(d, name) for name in numbers},
            "baseline_mean": d.baseline,
            "run_mean": d.other,
            "adjusted_p": self.adjusted_p,
            "required_queries": d.required,
            "required_for_spread": d.required_for_spread,
            "required_for_rare": d.required_for_rare,
            "power": d.power,
            "method": d.method,
        }
        return plain(row)


def plain_percent(share: float) -> str:
    """Write a confidence as people do: 95%, 98.33%."""
    text = f"{100 * share:.2f}".rstrip("0").removesuffix(".")
    return f"{100 * share:.10g}%" if text == "100" else f"{text}%"
