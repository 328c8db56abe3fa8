"""Values under ties: expected over all orders of the tied documents, in the best and the worst."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from rankmark.alignment.alignment import LAST_RANK, Needs, positions, query_of_rows
from rankmark.alignment.tie_permutations import in_order, orders_of
from rankmark.alignment.tie_probabilities import (
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
from rankmark.errors import InputError
from rankmark.measures.base.requirements import needs_of
from rankmark.sources import match

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Bools, Floats
    from rankmark.conventions import Conventions
    from rankmark.measures import Measure
    from rankmark.sources import Qrels, Run, RunFacts
    from rankmark.sources.contract.source import Progress

Rule = Literal["mean", "best", "worst"]
RULES: tuple[Rule, ...] = get_args(Rule)
MOST_ORDERS = 1000
"""Orders of one query's ties that are tried where a measure has no formula: all, up to here."""


class Case(NamedTuple):
    """Rankings without an order among ties, and the chance of each query (Q,) to be as here.

    Ties may go on beyond ``alignment.retrieved``. There is more than one case only where a depth
    cuts ties and the unjudged documents go then, so that the number left depends on the order.
    """

    alignment: Alignment
    chance: Floats

    def of_query(self, row: int) -> Case:
        """Keep one query, by its number from 0."""
        return Case(queries_of(self.alignment, row, row + 1), self.chance[row : row + 1])


def match_unordered(
    qrels: Qrels,
    run: Run,
    conventions: Conventions,
    *,
    needs: Needs,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[Alignment, RunFacts, list[Case]]:
    """Align a run with judgments, keeping ties whole.

    Returns
    -------
    tuple of Alignment, RunFacts and list of Case
        The first two as ``match`` gives them, tied documents by id; then what is to be scored.
    """
    if qrels.groups is not None:
        raise InputError(
            f"{qrels.name}: judgments in groups are not known over all orders of ties, which "
            f'ties="{conventions.ties}" asks for; choose docid, docid-asc, input or rank'
        )
    depth, judged_only = conventions.depth, conventions.judged_only
    if depth is None:
        a, facts = match(qrels, run, conventions, needs=needs, threads=threads, progress=progress)
        return a, facts, [Case(a, np.ones(len(a.retrieved)))]
    depth = min(depth, LAST_RANK)
    # The core would cut the ties as well.
    whole, facts = match(
        qrels,
        run,
        replace(conventions, depth=None, judged_only=False),
        needs=needs._replace(lowest=-math.inf, deepest=depth),
        threads=threads,
        progress=progress,
    )
    there = whole.rank <= depth
    first, last = tie_columns(whole)
    judged = whole.count(there).astype(np.int64)
    tied, top = there & (first != last), whole.count(there & (whole.rank <= 10)).astype(np.int64)
    if judged_only:
        shared = spans_of(whole, np.flatnonzero(there))
        tied[there] = np.repeat(shared.judged, shared.judged.astype(np.int64)) > 1
        top = np.minimum(judged, 10)
    facts = facts._replace(judged=judged, tied=whole.count(tied).astype(np.int64), judged_top=top)
    if judged_only:
        cases = _condensed(whole, depth)
        return whole.with_columns(retrieved=judged), facts, cases
    cut = whole.with_columns(retrieved=np.minimum(whole.retrieved, depth))
    return cut, facts, [Case(cut, np.ones(len(cut.retrieved)))]


def aligned_and_scored(qrels: Qrels, run: Run, one: Measure, conventions: Conventions) -> Floats:
    """Score each query with one measure, under any rule for ties: (Q,) float64."""
    needs = needs_of([one])
    for rule in RULES:
        if rule == conventions.ties:
            return scored(one, match_unordered(qrels, run, conventions, needs=needs)[2], rule)[0]
    return one.score(match(qrels, run, conventions, needs=needs)[0])


def scored(one: Measure, cases: Sequence[Case], rule: Rule) -> tuple[Floats, Floats | None]:
    """Score each query under a rule for ties: (Q,) float64; and its standard error if estimated."""
    if rule == "mean":
        return _expected(one, [seen(one, case) for case in cases])
    return extreme(one, cases, best=rule == "best", thorough=True), None


def seen(one: Measure, case: Case) -> Case:
    """Leave out what tells documents apart that are alike for the measure."""
    return case._replace(alignment=case.alignment.seeing(one.depends_on))


def _expected(one: Measure, cases: Sequence[Case]) -> tuple[Floats, Floats | None]:
    total = np.zeros(len(cases[0].chance))
    variance = np.zeros(len(total))
    for a, chance in cases:
        pieces = [
            one.tie_handling.expected(one, piece) for piece in in_pieces(a, one.needs().deepest)
        ]
        if any(piece is None for piece in pieces):
            values, errors = _tried(one, a)
            variance += (chance * errors) ** 2
        else:
            values = np.concatenate([piece for piece in pieces if piece is not None])
        # A sole case counts as it is: 1.0 times a value is the value.
        total += chance * values
    return total, np.sqrt(variance) if variance.any() else None


def extreme(one: Measure, cases: Sequence[Case], *, best: bool, thorough: bool) -> Floats:
    """Give each query's value in the best or the worst order: (Q,) float64.

    Where that is not one of the sorted orders for sure, orders are tried if it is to be thorough.
    """
    greatest = best == one.more_is_better
    choose = np.maximum if greatest else np.minimum
    found = np.full(len(cases[0].chance), -math.inf if greatest else math.inf)
    for a, chance in (seen(one, case) for case in cases):
        values = np.full(len(found), -math.inf if greatest else math.inf)
        for ordered, possible in _sorted_orders(one, a, best=best):
            values = np.where(possible, choose(values, one.score(ordered)), values)
        if thorough and not one.tie_handling.best_is_sorted(one):
            for query in np.flatnonzero(_is_open(one, a)).tolist():
                tried, _ = _orders(one, a, query)
                values[query] = choose(values[query], choose.reduce(one.score(tried)))
        found = np.where(chance > 0, choose(found, values), found)
    return found


def extreme_order(one: Measure, cases: Sequence[Case], *, best: bool) -> Alignment:
    """Give the best or the worst order of one query, which cases hold alone."""
    orders: list[Alignment] = []
    for a, chance in (seen(one, case) for case in cases):
        if chance[0] > 0:
            sorted_orders = _sorted_orders(one, a, best=best)
            orders += [ordered for ordered, possible in sorted_orders if possible[0]]
            if not one.tie_handling.best_is_sorted(one) and _is_open(one, a)[0]:
                tried, _ = _orders(one, a, 0)
                orders += [queries_of(tried, at, at + 1) for at in range(len(tried.retrieved))]
    values = [float(one.score(ordered)[0]) for ordered in orders]
    extreme_value = max(values) if best == one.more_is_better else min(values)
    return orders[values.index(extreme_value)]


def every_order(one: Measure, cases: Sequence[Case]) -> list[tuple[Alignment, float]]:
    """Give the orders that the expected value of one query, which cases hold alone, is over.

    With a formula for each document they need not be told apart, and stand as Chances; else each
    is a query of its own. The numbers are how likely each case is.
    """
    orders: list[tuple[Alignment, float]] = []
    for a, chance in (seen(one, case) for case in cases):
        if one.tie_handling.adds_up and not is_cut(a):
            orders.append((places(a, one.needs().deepest), float(chance[0])))
        else:
            orders.append((_orders(one, a, 0)[0], float(chance[0])))
    return orders


def _sorted_orders(one: Measure, a: Alignment, *, best: bool) -> Iterator[tuple[Alignment, Bools]]:
    """Yield the orders by merit that may be extreme, and in which queries they are possible."""
    everywhere = np.ones(len(a.retrieved), dtype=bool)
    yield _sorted(one, a, best=best), everywhere
    if not (one.tie_handling.best_is_sorted(one) and one.promoting_helps):
        yield _sorted(one, a, best=not best), everywhere
    if not one.tie_handling.best_is_sorted(one):
        # Finding fewer may be better.
        for case, likely in found_cases(a, one.needs().lowest, one.needs().deepest):
            yield in_order(case, one.merit(case.label), best=best), likely > 0


def _sorted(one: Measure, a: Alignment, *, best: bool) -> Alignment:
    """Sort only once for measures that agree about which label is better than which."""
    levels, level = a.once("levels", lambda: np.unique(a.label, return_inverse=True))
    merit = one.merit(levels)
    what = "in order", best, tuple(np.unique(merit, return_inverse=True)[1]), tuple(merit > 0)
    return a.once(what, lambda: in_order(a, merit[level], best=best))


def _tried(one: Measure, a: Alignment) -> tuple[Floats, Floats]:
    """Average over orders, all or some of them, and give the standard errors."""
    values = one.score(in_order(a, one.merit(a.label), best=True))
    errors = np.zeros(len(values))
    for query in np.flatnonzero(_is_open(one, a)).tolist():
        tried, all_there = _orders(one, a, query)
        scores = one.score(tried)
        values[query] = scores.mean()
        if not all_there:
            errors[query] = scores.std(ddof=1) / math.sqrt(len(scores))
    return values, errors


def _orders(one: Measure, a: Alignment, query: int) -> tuple[Alignment, bool]:
    return orders_of(a, query, one.needs().lowest, one.needs().deepest, MOST_ORDERS)


def _is_open(one: Measure, a: Alignment) -> Bools:
    """Say in which queries the order of ties may matter to a measure: (Q,) bool."""
    first, last = tie_columns(a)
    limit = last_ranks(a, one.needs().deepest)[query_of_rows(a.starts)]
    # Of ties that are taken together, it matters only what is cut away.
    tied = last > limit if one.tie_handling.together else first != last
    there: Bools = a.count(tied & (first <= limit) & (a.label >= one.needs().lowest)) > 0
    return there


def _condensed(whole: Alignment, depth: int) -> list[Case]:
    """Cut at a depth in any order, then leave the judged documents alone: one case a number left.

    All judged documents whose ties begin within the depth are rows.
    """
    rows = np.diff(whole.starts)
    spans = spans_of(whole, np.arange(len(whole.rank)))
    judged = spans.judged.astype(np.int64)
    rank = positions(whole.starts).astype(np.int32)
    low = rank[spans.begin]
    condensed = whole.with_columns(
        rank=rank,
        tie_first=np.repeat(low, judged),
        tie_last=np.repeat(low + judged - 1, judged).astype(np.int32),
    )
    cut = spans.only(spans.first + spans.size - 1 > depth)
    cases = []
    for left, chance in cut_cases(cut, depth - cut.first + 1, len(rows)):
        retrieved = rows.copy()
        retrieved[cut.query] += left - cut.judged.astype(np.int64)
        cases.append(Case(condensed.with_columns(retrieved=retrieved), chance))
    return cases
