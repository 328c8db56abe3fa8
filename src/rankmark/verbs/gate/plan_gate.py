"""Plan a gate over a log: which queries to judge, and in which order, before anything is judged."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Unpack, cast

import numpy as np

from rankmark.arguments import Flag, FromOne, Seed, checked, filled
from rankmark.array_types import Floats, Ints
from rankmark.conventions import ORDERS, Conventions, OrderedTies
from rankmark.data.contract.reading_options import OF_JUDGMENTS, Reading
from rankmark.data.preparing.pair_options import PairOptions
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.united_runs import UnitedRuns
from rankmark.errors import InputError
from rankmark.measures import Measure
from rankmark.statistics.log_bets import looks_of_logs
from rankmark.verbs.evaluate.evaluate_options import RankedRunsOptions, shows
from rankmark.verbs.evaluate.given_runs import given_system
from rankmark.verbs.evaluate.provenance import Given
from rankmark.verbs.evaluate.query_attributes import (
    Attributes,
    Clusters,
    Weights,
    attributes_of,
    clusters_of,
    given_weights,
    slices_of,
)
from rankmark.verbs.gate.gate_condition import Condition, Drop, OfBound
from rankmark.verbs.gate.gate_conditions import Asked, Request, asked_of
from rankmark.verbs.gate.gate_decisions import each_condition, level_of, rows_of_slice
from rankmark.verbs.gate.gate_options import Slices
from rankmark.verbs.gate.gate_plan import CandidatePlan, GatePlan, PlannedCondition
from rankmark.verbs.gate.gated_systems import given_candidates, system_names
from rankmark.verbs.gate.logged_queries import (
    LoggedQueries,
    Sampling,
    chances_of,
    documents_to_judge,
    keys_of,
    read_log,
)

Claim = Literal["log", "population"]
_USUAL_NUMBER = 50
"""Queries to judge if the margin does not say how many are needed: an improvement is required."""
OF_LABELS = (*OF_JUDGMENTS, "qrels_unit")
"""The conventions of judgments, which a plan has none of."""
OF_LOGS = ("ties", "depth", "unit", "combine", "unit_depth")
"""The conventions that a plan depends on."""


@checked
@shows(RankedRunsOptions)
def plan_gate(
    base: Any,
    new: Any,
    *conditions: Any,
    max_drop: Drop | None = None,
    require_better: Flag | None = None,
    confidence: OfBound | None = None,
    n: FromOne | None = None,
    claim: Claim = "log",
    weights: Weights | None = None,
    clusters: Clusters | None = None,
    slices: Slices | None = None,
    by: Attributes | None = None,
    seed: Seed = None,
    config: str | os.PathLike[str] | None = None,
    **conventions: Unpack[RankedRunsOptions],
) -> GatePlan:
    """Plan a gate over a log of queries: which of them to judge, in which order.

    Nothing has to be judged yet. How much the score of a query can fall at most follows from its
    two rankings alone; queries that can lose much are judged first. ``gate`` then decides whether
    the mean over the log fell, at any look along that order.

    Parameters
    ----------
    Data:
    base, new
        The baseline and the run that may replace it, or several candidates, as for ``gate``: what
        both return for each query of a log. Repeated runs are averaged.

    Decision:
    *conditions
        As for ``gate``; measures with a largest loss that is known without judgments: nDCG, P, R,
        Success, F, Rprec, RR, RBP, AP, ERR.
    max_drop
        How much worse the mean over the log may be: in units of the measure, or a share of the
        baseline's mean, such as ``"1%"``.
    require_better
        Require a better mean instead.
    confidence
        Confidence of the one-sided bound that decides; None for 0.95.
    n
        How many queries are to be judged; None for about twice as many as are needed if none of
        them loses anything.

        It can be exceeded later, and the gate can be decided before.
    claim
        What the verdict is about: the mean over the queries of this ``"log"``; or over the
        ``"population"`` that the log is a random sample of.

        That takes more judgments: queries are then drawn independently, and the mean of what they
        can lose is known only with an error, for which a tenth of the level is kept.
    clusters
        The user of each query, or the conversation, if the claim is about the population, in which
        users are independent: lines `qid cluster`. One query of a user is judged at most.
    weights
        What each query of the log counts in the mean, such as its traffic; lines `qid weight`.
    slices
        ``{name: query ids}``, for conditions that name a slice.
    by
        Slices of the queries of the log, for which each measure has to hold as well: a table with a
        header and a row for each query, or lines `qid value`.

        Or any other form that ``gate`` takes, but a column of judgments.
    seed
        Seed of the order of the queries; by default one is drawn, which the plan contains.

        It has to be fresh for each change: who knows the queries that will be judged can tune for
        them.
    config
        A TOML file with conditions, options and slices, as for ``gate``.

    Conventions:
    ties, depth, unit, combine, unit_depth
        As for ``evaluate``; ties need an order.

    Reading:
    progress
        As for ``compare``.
    **conventions
        The other keywords of ``evaluate`` that say how runs are read.

    Returns
    -------
    GatePlan
        ``verdict``, which is "holds" if no judgments could fail the gate; ``to_judge``, the queries
        and documents in their order; how many are needed at least; for ``gate``, or as JSON.

    Raises
    ------
    MeasureError
        If the largest loss of a measure depends on the judgments.
    InputError
        If an option is impossible, or a convention has no meaning without judgments.
    ParseError, DuplicateError, MismatchError, SchemaError
        As ``evaluate``.

    Notes
    -----
    The largest loss of nDCG@k is the largest over m of the sum of the m largest losses of discount
    among the documents of the old top k, over the sum of the first m discounts: it is attained
    where m documents are relevant, equally. See "Gate a change with fifty judgments" in the
    documentation for the other measures, and for the proof that the decision errs in at most 5% of
    cases, for all scores, however often one looks.

    Examples
    --------
    >>> import rankmark as rm
    >>> old = {f"q{n}": ["a", "b", "c"] for n in range(1000)}
    >>> new = old | {f"q{n}": ["b", "a", "c"] for n in range(30)}
    >>> rm.plan_gate(old, new, "nDCG@10", max_drop=0.02, seed=0).verdict
    'holds'
    >>> plan = rm.plan_gate(old, new, "nDCG@10", max_drop=0.005, seed=0)
    >>> plan.verdict, plan.least, plan.planned
    ('cannot tell', 5, 10)
    """
    asked = asked_of(Request.of(plan_gate, locals()))
    return Planned.of(base, new, asked).plan(n, filled(seed))


class Planned(NamedTuple):
    """A log that was read for what is asked, with its queries in no order yet."""

    asked: Asked
    given: tuple[Given, ...]
    names: tuple[str, ...]
    united: UnitedRuns
    candidates: tuple[LoggedQueries, ...]
    conditions: tuple[Condition, ...]
    users: Sequence[Hashable] | None
    missing: tuple[int, ...]
    """How many queries of the log each system does not answer."""

    @classmethod
    def of(cls, base: Any, new: Any, asked: Asked) -> Planned:
        """Read the runs."""
        _refuse_judgments(asked)
        chosen, reading = _conventions(asked)
        systems = [given_system(base, asked.runs), *given_candidates(new, asked.runs)]
        options = PairOptions.of(reading, subtopics=False)
        runs = [[options.run_of(run) for run in one.runs] for one in systems]
        if asked.options["claim"] == "log" and asked.options["clusters"] is not None:
            raise InputError(
                "clusters is given, and the claim is about the queries of the log",
                'leave it out, or choose claim="population"',
            )
        if asked.options["claim"] == "population" and asked.options["weights"] is not None:
            raise InputError(
                "weights is given, and the claim is about the population",
                "take a log in which queries stand as often as users ask them",
            )
        found = read_log(
            runs,
            [one for one in asked.gated if isinstance(one, Measure)],
            ties=cast("OrderedTies", chosen.ties),
            depth=chosen.depth,
            units=chosen,
            reading=reading,
        )
        queries = found.united.queries
        slices = _slices(asked, queries)
        conditions = each_condition(asked.conditions, [*slices])
        for one in conditions:
            if one.slice is not None and one.slice not in slices:
                raise InputError(f"there is no slice {one.slice!r}", "give it by slices, or by")
        counts = np.ones(len(queries))
        if asked.options["weights"] is not None:
            counts = given_weights(asked.options["weights"], queries)
        users = None
        if asked.options["clusters"] is not None:
            if slices:
                raise InputError("there are slices and clusters", "leave one of the two out")
            users = clusters_of(asked.options["clusters"], queries)
        logged = tuple(
            LoggedQueries(queries, counts, np.empty(0), ends, slices) for ends in found.ends
        )
        names = _names(systems, runs)
        numbers = np.split(found.united.answers, np.cumsum([len(one) for one in runs])[:-1])
        missing = tuple(int((~answers.any(axis=0)).sum()) for answers in numbers)
        own = tuple(systems), names, found.united, logged, tuple(conditions), users, missing
        return cls(asked, *own)

    def plan(self, n: int | None, seed: int, *, documents: bool = True) -> GatePlan:
        """Put the queries of each candidate in order, and find the documents of the first ones."""
        queries = self.united.queries
        keys = keys_of(queries, seed)
        counts = self.candidates[0].counts
        sampling = self._sampling(seed)
        logged = [replace(one, keys=keys, sampling=sampling) for one in self.candidates]
        candidates = tuple(
            self._candidate(name, one, n, missing, documents=documents)
            for name, one, missing in zip(self.names[1:], logged, self.missing[1:], strict=True)
        )
        return GatePlan(
            baseline=self.names[0],
            candidates=candidates,
            conditions=self.conditions,
            queries=len(queries),
            size=float(counts.sum()),
            slices={name: len(rows) for name, rows in logged[0].slices.items()},
            is_weighted=self.asked.options["weights"] is not None,
            claim=self.asked.options["claim"],
            is_clustered=self.users is not None,
            conventions={k: v for k, v in self.asked.conventions.items() if k in OF_LOGS},
            seed=seed,
            asked_n=n,
        )

    def _sampling(self, seed: int) -> Sampling | None:
        """Return how queries are drawn if the log is a sample; None if the claim is about it."""
        if self.asked.options["claim"] == "log":
            return None
        most = [
            one.measure.bounds[1] - one.measure.bounds[0] + one.margin * one.relative
            for one in self.conditions
        ]
        queries = self.united.queries
        if self.users is None:
            return Sampling(chances_of(queries, seed, b"draw"), max(most))
        numbers = {user: number for number, user in enumerate(dict.fromkeys(self.users))}
        chances = chances_of([*map(str, numbers)], seed, b"draw")
        of_queries = np.array([numbers[user] for user in self.users], dtype=np.int64)
        return Sampling(chances[of_queries], max(most), of_queries)

    def _candidate(
        self, name: str, logged: LoggedQueries, n: int | None, missing: int, *, documents: bool
    ) -> CandidatePlan:
        tries = len(self.candidates)
        weights = logged.weights(self.conditions)
        order = logged.order(weights)
        unsure = [one for one in self.conditions if not _is_certain(logged, one, weights, tries)]
        planned = 0
        if unsure:
            wanted = (_place(logged, one, weights, order, tries) for one in unsure)
            planned = min(max(wanted) if n is None else n, len(order))
        found: dict[str, list[str]] = {}
        if documents:
            found = {logged.queries[row]: [] for row in order[:planned].tolist()}
            for query, document in documents_to_judge(self.united, [*found]):
                found[query].append(document)
        rows = tuple(
            _planned(logged, one, weights, order, planned, tries, is_certain=one not in unsure)
            for one in self.conditions
        )
        return CandidatePlan(
            name=name,
            logged=logged,
            weights=weights,
            order=order,
            rows=rows,
            planned=planned,
            missing=missing,
            documents=found,
            digest=logged.digest(order, weights, self.conditions),
        )


def _is_certain(logged: LoggedQueries, condition: Condition, weights: Floats, tries: int) -> bool:
    """Return whether no judgments could make a condition fail."""
    if condition.relative:
        losses = logged.ends[condition.measure].losses[logged.rows_of(condition)]
        return not losses.any() and condition.margin > 0 and logged.sampling is None
    log = logged.log_of(condition, weights, 1)
    return log.least_queries(condition.margin, level_of(condition, tries)) == 0


def _place(
    logged: LoggedQueries, condition: Condition, weights: Floats, order: Ints, tries: int
) -> int:
    """Return after how many queries a condition has about twice as many as it needs at least."""
    wanted = _USUAL_NUMBER
    if _knows_least(condition):
        log = logged.log_of(condition, weights, 1)
        wanted = 2 * log.least_queries(condition.margin, level_of(condition, tries))
    places = logged.places(condition, order)
    return int(places[wanted - 1]) + 1 if len(places) >= wanted else len(order)


def _knows_least(condition: Condition) -> bool:
    return not condition.relative and condition.margin > 0


def _planned(
    logged: LoggedQueries,
    condition: Condition,
    weights: Floats,
    order: Ints,
    planned: int,
    tries: int,
    *,
    is_certain: bool,
) -> PlannedCondition:
    losses = logged.ends[condition.measure].losses[logged.rows_of(condition)]
    counts = logged.counts[logged.rows_of(condition)]
    least = 0 if is_certain else None
    if not is_certain and _knows_least(condition):
        places = logged.places(condition, order)
        log = logged.log_of(condition, weights, logged.horizon(condition, order, planned))
        first = places[: 4 * log.planned + _USUAL_NUMBER]
        confidence = 1 - level_of(condition, tries)
        drawn = weights[order[first]][:, None]
        looks = looks_of_logs(np.zeros(drawn.shape), drawn, log, -condition.margin, confidence)
        least = int(first[looks[0] - 1]) + 1 if looks[0] else None
    return PlannedCondition(
        condition=condition,
        queries=len(losses),
        mean_loss=float(np.average(losses, weights=counts)),
        largest_loss=float(losses.max(initial=0.0)),
        can_change=int(np.count_nonzero(losses)),
        least=least,
    )


def _slices(asked: Asked, queries: Sequence[str]) -> dict[str, Sequence[int]]:
    number = {query: row for row, query in enumerate(queries)}
    slices: dict[str, Sequence[int]] = {
        name: rows_of_slice(name, ids, number) for name, ids in asked.slices.items()
    }
    if asked.options["by"] is not None:
        slices = {**slices_of(attributes_of(asked.options["by"], queries)), **slices}
    return slices


def _conventions(asked: Asked) -> tuple[Conventions, Reading]:
    """Return the conventions of a plan, and how its runs are read; refuse what has no meaning."""
    given = {name: value for name, value in asked.conventions.items() if value is not None}
    for name, value in given.items():
        if name not in OF_LOGS and name not in Reading._fields:
            usual = {"no_relevant": ("zero", "one"), "duplicates": ("error",)}.get(name, ())
            if value not in usual and value is not False:
                raise InputError(
                    f"{name} has no meaning for a plan, in which nothing is judged", "leave it out"
                )
    if given.get("ties", ORDERS[0]) not in ORDERS:
        raise InputError(
            f"ties is {given['ties']}, and what a query can lose depends on the order",
            f"choose one of {', '.join(ORDERS)}",
        )
    chosen = Conventions(**{name: given[name] for name in OF_LOGS if name in given})
    reading = Reading.of(
        **{name: given[name] for name in Reading._fields if name in given},
        **({} if asked.progress is None else {"progress": asked.progress}),
    )
    return chosen, reading


def _refuse_judgments(asked: Asked) -> None:
    for name in OF_LABELS:
        if asked.conventions.get(name) is not None:
            raise InputError(f"{name} is for judgments, and a plan has none", "leave it out")


def _names(systems: Sequence[Given], runs: Sequence[Sequence[Run]]) -> tuple[str, ...]:
    return tuple(system_names(systems, [one[0].name for one in runs]))
