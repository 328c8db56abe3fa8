"""What was found for each condition of a gate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankmark.results.result import json_number
from rankmark.verbs.gate.gate_reasons import assumption_of, is_worse, reason_of, too_few_queries

if TYPE_CHECKING:
    from rankmark.statistics.margin_decision import MarginDecision, Verdict
    from rankmark.verbs.gate.gate_condition import Condition
    from rankmark.verbs.gate.gated_system import Spread
    from rankmark.verbs.gate.lost_query import LostQuery
    from rankmark.verbs.gate.score_ends import Doubt


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
    spreads
        How the means of repeated runs differ, of the baseline and of the new system; None for
        single runs.
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
    spreads: tuple[Spread | None, Spread | None] = (None, None)
    reference: str = ""

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
        return is_worse(self.condition, self.decision)

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
        return {
            **self.to_row(),
            "max_drop": self.condition.max_drop,
            "could_be": {doubt: [*ends] for doubt, ends in self.could_be.items()},
            "repeated_runs": [
                None if spread is None else spread._asdict() for spread in self.spreads
            ],
            "lost": [query._asdict() for query in self.lost],
        }

    def to_row(self) -> dict[str, Any]:
        """Return what a table has: numbers, words, and True or False."""
        d, asked = self.decision, self.condition.to_dict()
        numbers = {
            name: json_number(getattr(d, name))
            for name in (
                *("baseline", "other", "difference", "low", "high", "margin"),
                *("relative", "relative_low", "relative_high", "p", "smallest_margin"),
                *("effective", "largest_loss", "detectable"),
            )
        }
        numbers["baseline_mean"] = numbers.pop("baseline")
        numbers["run_mean"] = numbers.pop("other")
        return {
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
            "more_is_better": self.condition.measure.more_is_better,
            "decided_confidence": d.confidence,
            "n": d.n,
            "left_out": d.left_out,
            "wins": d.wins,
            "ties": d.ties,
            "losses": d.losses,
            "clusters": d.clusters,
            **numbers,
            "adjusted_p": json_number(self.adjusted_p),
            "required_queries": d.required,
            "required_for_spread": d.required_for_spread,
            "required_for_rare": d.required_for_rare,
            "power": d.power,
            "method": d.method,
        }
