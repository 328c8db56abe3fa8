"""Values of rankings with ties: over all orders the mean, best and worst, or at middle ranks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import LAST_RANK, Needs, query_of_rows
from rankmark.data.alignment.aligned_run import condensed
from rankmark.data.alignment.midranks import at_midranks
from rankmark.data.alignment.tie_permutations import in_order, orders_of
from rankmark.data.alignment.tie_probabilities import (
    cut_cases,
    found_cases,
    in_pieces,
    is_cut,
    last_ranks,
    places,
    queries_of,
    spans_of,
    tie_columns,
)
from rankmark.errors import InputError, MeasureError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankmark.array_types import Bools, Floats
    from rankmark.conventions import Conventions, Unordered
    from rankmark.data.alignment import Alignment
    from rankmark.data.preparing.matching import RunFacts
    from rankmark.measures import Measure

MOST_ORDERS = 1000
"""The maximum number of orders of one query's ties that are tried if a measure has no formula."""


class Case(NamedTuple):
    """Rankings with unordered ties, and the probability of the case for each query, (Q,).

    Ties may extend beyond ``alignment.retrieved``. There are several cases only if a depth cuts
    ties and unjudged documents are then removed, so that the number kept depends on the order.
    """

    alignment: Alignment
    chance: Floats

    @classmethod
    def certain(cls, alignment: Alignment) -> Case:
        """Return the only case of rankings of which no tie is cut."""
        return cls(alignment, np.ones(len(alignment.retrieved)))

    def of_query(self, row: int) -> Case:
        """Keep one query, by its number from 0."""
        return Case(queries_of(self.alignment, row, row + 1), self.chance[row : row + 1])


def match_unordered(
    align: Callable[..., tuple[Alignment, RunFacts]],
    conventions: Conventions,
    needs: Needs,
) -> tuple[Alignment, RunFacts, list[Case]]:
    """Align a run with judgments, keeping ties whole.

    Parameters
    ----------
    align
        ``match`` of the run and the judgments, given conventions and needs.

    Returns
    -------
    tuple of Alignment, RunFacts and list of Case
        The first two as from ``match``, tied documents ordered by id; then the cases to score.
    """
    if conventions.depth is None:
        a, facts = align(conventions, needs=needs)
        return a, facts, [Case.certain(a)]
    if conventions.unordered == "midrank" and conventions.judged_only:
        raise _cut_before_condensed("judged_only")
    depth = min(conventions.depth, LAST_RANK)
    # The core would also cut ties.
    whole, facts = align(
        replace(conventions, depth=None, judged_only=False),
        needs=needs._replace(lowest=-math.inf, deepest=depth),
    )
    return cut_unordered(whole, facts, depth, judged_only=conventions.judged_only)


def cut_unordered(
    whole: Alignment, facts: RunFacts, depth: int, *, judged_only: bool
) -> tuple[Alignment, RunFacts, list[Case]]:
    """Cut rankings at a depth without ordering the ties across it, as ``match_unordered`` does.

    Parameters
    ----------
    whole
        All judged documents whose ties begin within the depth.
    facts
        About the whole run.
    """
    within = whole.rank <= depth
    first, last = tie_columns(whole)
    judged = whole.count(within).astype(np.int64)
    tied, top = within & (first != last), whole.count(within & (whole.rank <= 10)).astype(np.int64)
    if judged_only:
        spans = spans_of(whole, np.flatnonzero(within))
        tied[within] = np.repeat(spans.judged, spans.judged.astype(np.int64)) > 1
        top = np.minimum(judged, 10)
    facts = facts.cut(judged=judged, tied=whole.count(tied).astype(np.int64), judged_top=top)
    cut = Case.certain(whole.with_columns(retrieved=np.minimum(whole.retrieved, depth)))
    if judged_only:
        return whole.with_columns(retrieved=judged), facts, _condensed(*cut)
    return cut.alignment, facts, [cut]


def scored(
    measure: Measure, cases: Sequence[Case], rule: Unordered
) -> tuple[Floats, Floats | None]:
    """Score each query by a rule for ties, (Q,) float64; if estimated, with standard errors."""
    if rule == "mean":
        return _expected(measure, cases_of(measure, cases))
    if rule == "midrank":
        return measure.score(midranked(measure, cases)[1]), None
    return extreme(measure, cases, best=rule == "best", thorough=True), None


def midranked(measure: Measure, cases: Sequence[Case]) -> tuple[Alignment, Alignment]:
    """Return the rankings as the measure sees them, and the same at the middle of their ranks.

    Raises
    ------
    MeasureError
        If the measure has no value there.
    """
    if not measure.tie_handling.has_midranks:
        raise MeasureError(
            "tied documents share the middle of their ranks, and it needs an order of them",
            'choose another rule for ties, such as ties="mean"',
            where=str(measure),
        )
    if measure.judged_only and any(is_cut(case.alignment) for case in cases):
        raise _cut_before_condensed(str(measure))
    a = cases_of(measure, cases)[0].alignment
    return a, a if measure.tie_handling.together else at_midranks(a)


def _cut_before_condensed(what: str) -> InputError:
    return InputError(
        'under ties="midrank", a depth cannot cut ties of which unjudged documents are then left '
        "out",
        "leave out depth or judged_only, or choose another rule for ties",
        where=what,
    )


def cases_of(measure: Measure, cases: Sequence[Case]) -> list[Case]:
    """Return the cases as the measure sees them: condensed if it is, with only its views."""
    if measure.judged_only:
        cases = [part for case in cases for part in _condensed(*case)]
    return [
        case._replace(alignment=case.alignment.with_views_of(measure.depends_on)) for case in cases
    ]


def _expected(measure: Measure, cases: Sequence[Case]) -> tuple[Floats, Floats | None]:
    total = np.zeros(len(cases[0].chance))
    variance = np.zeros(len(total))
    for a, chance in cases:
        pieces = [
            measure.tie_handling.expected(measure, piece)
            for piece in in_pieces(a, measure.needs().deepest)
        ]
        if any(piece is None for piece in pieces):
            values, errors = _tried(measure, a)
            variance += (chance * errors) ** 2
        else:
            values = np.concatenate([piece for piece in pieces if piece is not None])
        total += chance * values
    return total, np.sqrt(variance) if variance.any() else None


def extreme(measure: Measure, cases: Sequence[Case], *, best: bool, thorough: bool) -> Floats:
    """Return each query's value in the best or the worst order: (Q,) float64.

    If these need not be sorted orders, ``thorough`` also tries others.
    """
    greatest = best == measure.more_is_better
    choose = np.maximum if greatest else np.minimum
    found = np.full(len(cases[0].chance), -math.inf if greatest else math.inf)
    for a, chance in cases_of(measure, cases):
        values = np.full(len(found), -math.inf if greatest else math.inf)
        for ordered, possible in _sorted_orders(measure, a, best=best):
            values = np.where(possible, choose(values, measure.score(ordered)), values)
        if thorough and not measure.tie_handling.best_is_sorted(measure):
            for query in np.flatnonzero(_is_open(measure, a)).tolist():
                tried, _ = _orders(measure, a, query)
                values[query] = choose(values[query], choose.reduce(measure.score(tried)))
        found = np.where(chance > 0, choose(found, values), found)
    return found


def extreme_order(measure: Measure, cases: Sequence[Case], *, best: bool) -> Alignment:
    """Return the best or the worst order of the one query of the cases."""
    orders: list[Alignment] = []
    for a, chance in cases_of(measure, cases):
        if chance[0] > 0:
            sorted_orders = _sorted_orders(measure, a, best=best)
            orders += [ordered for ordered, possible in sorted_orders if possible[0]]
            if not measure.tie_handling.best_is_sorted(measure) and _is_open(measure, a)[0]:
                tried, _ = _orders(measure, a, 0)
                orders += [queries_of(tried, row, row + 1) for row in range(len(tried.retrieved))]
    values = [float(measure.score(ordered)[0]) for ordered in orders]
    extreme_value = max(values) if best == measure.more_is_better else min(values)
    return orders[values.index(extreme_value)]


def every_order(measure: Measure, cases: Sequence[Case]) -> list[tuple[Alignment, float]]:
    """Return the orders over which the value of the one query of the cases is averaged.

    They are one ExpectedAlignment if the measure adds up, otherwise a query for each order; each
    with the probability of its case.
    """
    orders: list[tuple[Alignment, float]] = []
    for a, chance in cases_of(measure, cases):
        if measure.tie_handling.adds_up and not is_cut(a):
            orders.append((places(a, measure.needs().deepest), float(chance[0])))
        else:
            orders.append((_orders(measure, a, 0)[0], float(chance[0])))
    return orders


def _sorted_orders(
    measure: Measure, a: Alignment, *, best: bool
) -> Iterator[tuple[Alignment, Bools]]:
    """Yield the sorted orders that may be extreme, with masks of the queries that allow each."""
    everywhere = np.ones(len(a.retrieved), dtype=bool)
    yield _sorted(measure, a, best=best), everywhere
    if not (measure.tie_handling.best_is_sorted(measure) and measure.promoting_helps):
        yield _sorted(measure, a, best=not best), everywhere
    if not measure.tie_handling.best_is_sorted(measure):
        # Finding fewer documents may be better.
        for case, chance in found_cases(a, measure.needs().lowest, measure.needs().deepest):
            yield in_order(case, measure.merit(case.label), best=best), chance > 0


def _sorted(measure: Measure, a: Alignment, *, best: bool) -> Alignment:
    """Sort once for all measures with the same preferences among labels."""
    levels, level = a.once("levels", lambda: np.unique(a.label, return_inverse=True))
    merit = measure.merit(levels)
    what = "in order", best, tuple(np.unique(merit, return_inverse=True)[1]), tuple(merit > 0)
    return a.once(what, lambda: in_order(a, merit[level], best=best))


def _tried(measure: Measure, a: Alignment) -> tuple[Floats, Floats]:
    """Return the means over all or some orders, and their standard errors."""
    values = measure.score(in_order(a, measure.merit(a.label), best=True))
    errors = np.zeros(len(values))
    for query in np.flatnonzero(_is_open(measure, a)).tolist():
        tried, complete = _orders(measure, a, query)
        scores = measure.score(tried)
        values[query] = scores.mean()
        if not complete:
            errors[query] = scores.std(ddof=1) / math.sqrt(len(scores))
    return values, errors


def _orders(measure: Measure, a: Alignment, query: int) -> tuple[Alignment, bool]:
    return orders_of(a, query, measure.needs().lowest, measure.needs().deepest, MOST_ORDERS)


def _is_open(measure: Measure, a: Alignment) -> Bools:
    """Whether the order of each query's ties may matter to a measure: (Q,) bool."""
    first, last = tie_columns(a)
    limit = last_ranks(a, measure.needs().deepest)[query_of_rows(a.starts)]
    # If tied documents share a rank, only cut ties matter.
    tied = last > limit if measure.tie_handling.together else first != last
    return a.count(tied & (first <= limit) & (a.label >= measure.needs().lowest)) > 0


def _condensed(a: Alignment, chance: Floats) -> list[Case]:
    """Cut where the rankings end, in any order, then keep only judged documents.

    Each number of documents kept is a case. The rows are all judged documents whose ties begin
    before the end.
    """
    rows = np.diff(a.starts)
    spans = spans_of(a, np.arange(len(a.rank)))
    cut = spans.only(spans.first + spans.size - 1 > a.retrieved[spans.query])
    whole = condensed(a)
    cases = []
    for kept, share in cut_cases(cut, a.retrieved[cut.query] - cut.first + 1, len(rows)):
        retrieved = rows.copy()
        retrieved[cut.query] += kept - cut.judged.astype(np.int64)
        cases.append(Case(whole.with_columns(retrieved=retrieved), chance * share))
    return cases
