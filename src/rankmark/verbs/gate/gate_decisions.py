"""Decide the conditions of a gate for one system that may replace the baseline."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.errors import InputError, shown
from rankmark.statistics.margin_decision import MarginDecision, decide_margin
from rankmark.verbs.gate.condition_result import ConditionResult
from rankmark.verbs.gate.lost_query import LostQuery
from rankmark.verbs.gate.score_ends import Doubt

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.statistics.margin_decision import Unchanged, Verdict
    from rankmark.verbs.gate.explain_command import ExplainCommand
    from rankmark.verbs.gate.gate_condition import Condition
    from rankmark.verbs.gate.gated_system import System
    from rankmark.verbs.gate.scored_measure import GatedMeasure

SmallSlices = Literal["fail", "warn", "ignore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is decided for each candidate, and how.

    Parameters
    ----------
    conditions
        What is asked, a condition for each slice.
    slices
        {name: numbers of its queries}.
    weights, clusters
        (n_queries,) of each query; None for none.
    tries
        Number of decisions, one for each candidate, that share the error of a condition.
    min_slice, small_slices, worst, anytime, bounds, unchanged
        As for ``gate``.
    """

    conditions: Sequence[Condition]
    slices: Mapping[str, Sequence[int]] = field(default_factory=dict)
    weights: Floats | None = None
    clusters: Sequence[Hashable] | None = None
    tries: int = 1
    min_slice: int | None = None
    small_slices: SmallSlices = "fail"
    worst: int = 5
    anytime: bool = False
    bounds: bool = False
    unchanged: Unchanged = "decide"

    def confidence_of(self, condition: Condition) -> float:
        """Return the confidence at which a condition is decided, corrected by Bonferroni."""
        return 1 - (1 - condition.confidence) / self.tries

    def rows_of(self, condition: Condition) -> Sequence[int] | None:
        """Return the numbers of the queries of a condition; None for all.

        Raises
        ------
        InputError
            If there is no such slice.
        """
        if condition.slice is None:
            return None
        if condition.slice not in self.slices:
            have = ", ".join(self.slices) or "none"
            raise InputError(f"there is no slice {condition.slice!r}", f"there are: {have}")
        return self.slices[condition.slice]

    def terms(self, condition: Condition) -> dict[str, Any]:
        """Return what all ways to decide a condition have in common: keywords of them."""
        return {
            "better": condition.require_better,
            "more_is_better": condition.measure.more_is_better,
            "confidence": self.confidence_of(condition),
            "scores_between": condition.measure.bounds,
            "max_query_drop": condition.max_query_drop,
        }

    def decided(
        self,
        condition: Condition,
        baseline: Floats,
        new: Floats,
        rows: Sequence[int] | None,
        **asked: float,
    ) -> MarginDecision:
        """Decide a condition from the scores of its queries; ``asked`` is a power, and a gain."""
        weights, clusters = self.weights, self.clusters
        if rows is not None:
            weights = None if weights is None else weights[rows]
            if weights is not None and not weights.any():
                raise InputError(
                    f"slice {condition.slice!r}: all of its queries have weight 0",
                    "leave it out, or give one of its queries a weight",
                )
            clusters = None if clusters is None else [clusters[row] for row in rows]
        return decide_margin(
            baseline,
            new,
            condition.margin,
            relative=condition.relative,
            weights=weights,
            clusters=clusters,
            unchanged=self.unchanged,
            anytime=self.anytime,
            **{**self.terms(condition), **asked},
        )


def decided_conditions(
    plan: Plan, baseline: System, new: System, *, alike: bool, explain: ExplainCommand | None
) -> tuple[tuple[ConditionResult, ...], dict[str, int]]:
    """Decide all conditions.

    Parameters
    ----------
    plan
        What is decided.
    baseline, new
        The systems, evaluated on the same queries.
    alike
        Whether both are the same run, so that another order of ties would change both alike.
    explain
        The command that explains a query; None if the inputs are not files.

    Returns
    -------
    tuple
        The results, and {slice: number of queries} of small slices that are ignored.
    """

    def decide(condition: Condition, rows: Sequence[int] | None) -> _Decided:
        a, b = (_of_rows(one.scores(condition.measure), rows) for one in (baseline, new))
        return plan.decided(condition, a, b, rows), a, b

    found, ignored = _results(plan, baseline, new, new.queries, decide, explain)
    if not alike:
        found = tuple(
            replace(one, could_be=_could_be(plan, one.condition, baseline, new)) for one in found
        )
    return found, ignored


_Decided = tuple["MarginDecision", "Floats", "Floats"]
"""The decision of a condition, and the scores of its queries, of the baseline and of the new run.
"""


def _results(
    plan: Plan,
    baseline: System,
    new: System,
    queries: Sequence[str],
    decide: Callable[[Condition, Sequence[int] | None], _Decided],
    explain: ExplainCommand | None,
) -> tuple[tuple[ConditionResult, ...], dict[str, int]]:
    """Return what ``decided_conditions`` does, of conditions that a function decides.

    ``decide`` takes the numbers of the queries of a condition, of those in ``queries``; None for
    all.
    """
    results: list[ConditionResult] = []
    ignored: dict[str, int] = {}
    for condition in plan.conditions:
        measure, rows = condition.measure, plan.rows_of(condition)
        decision, a, b = decide(condition, rows)
        small = rows is not None and _is_small(plan, condition, decision)
        if small and plan.small_slices == "ignore":
            ignored[condition.slice or ""] = decision.n
            continue
        ids = queries if rows is None else [queries[row] for row in rows]
        undecided = decision.verdict == "cannot tell"
        results.append(
            ConditionResult(
                condition,
                decision,
                lost_queries(measure, ids, a, b, plan.worst, explain),
                largest=next(iter(lost_queries(measure, ids, a, b, 1, None)), None),
                small=small,
                counts=not (small and plan.small_slices == "warn" and undecided),
                spreads=(baseline.spread(measure), new.spread(measure))
                if rows is None
                else (None, None),
            )
        )
    return tuple(results), ignored


def _of_rows(scores: Floats, rows: Sequence[int] | None) -> Floats:
    return scores if rows is None else scores[rows]


def rows_of_slice(name: str, queries: Iterable[Any], rows: Mapping[str, int]) -> list[int]:
    """Return the numbers of the queries of a slice.

    Raises
    ------
    InputError
        If one of them is not averaged.
    """
    if isinstance(queries, (str, bytes, Mapping)) or not isinstance(queries, Iterable):
        raise InputError(f"slice {name!r} is {shown(queries)}", "need a list of query ids")
    ids = list(dict.fromkeys(map(str, queries)))
    missing = [query for query in ids if query not in rows]
    if missing:
        many = f"{len(missing):,} of its queries are" if missing[1:] else "one of its queries is"
        raise InputError(
            f"slice {name!r}: {many} not averaged, such as {missing[0]!r}",
            "name judged queries only",
        )
    return sorted(rows[query] for query in ids)


def lost_queries(
    measure: GatedMeasure,
    queries: Sequence[str],
    a: Floats,
    b: Floats,
    worst: int,
    explain: ExplainCommand | None,
) -> tuple[LostQuery, ...]:
    """Return the queries that lost most, largest loss first, then in the order of the judgments."""
    change = (b - a) * (1.0 if measure.more_is_better else -1.0)
    order = np.argsort(np.where(np.isnan(change), np.inf, change), kind="stable")[:worst]
    return tuple(
        LostQuery(
            queries[row],
            float(a[row]),
            float(b[row]),
            float(b[row] - a[row]),
            None if explain is None else explain.line(queries[row], measure),
        )
        for row in order.tolist()
        if change[row] < 0
    )


def _is_small(plan: Plan, condition: Condition, decision: MarginDecision) -> bool:
    """Return whether a slice has too few queries: fewer than asked, or than could ever hold."""
    if plan.min_slice is not None:
        return decision.n < plan.min_slice
    return not condition.require_better and not decision.margin > decision.smallest_margin


def _could_be(
    plan: Plan, condition: Condition, baseline: System, new: System
) -> dict[Doubt, tuple[Verdict, Verdict]]:
    """Return the verdict at the worst and at the best, by ties and by judging the unjudged."""
    rows = plan.rows_of(condition)
    found: dict[Doubt, tuple[Verdict, Verdict]] = {}
    doubts: tuple[Doubt, ...] = ("ties", "unjudged") if plan.bounds else ("ties",)
    for doubt in doubts:
        of_base, of_new = (one.ends(condition.measure, doubt) for one in (baseline, new))
        if of_base is None or of_new is None:
            continue
        (low_a, high_a), (low_b, high_b) = (
            [_of_rows(end, rows) for end in ends] for ends in (of_base, of_new)
        )
        if all(
            np.array_equal(low, high, equal_nan=True)
            for low, high in ((low_a, high_a), (low_b, high_b))
        ):
            continue  # nothing is in doubt
        worst, best = (
            plan.decided(condition, a, b, rows).verdict
            for a, b in ((high_a, low_b), (low_a, high_b))
        )
        found[doubt] = (worst, best) if condition.measure.more_is_better else (best, worst)
    return found
