"""The queries of a log, and what each can lose or gain if one system replaces another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.conventions import limit
from rankmark.data.ids.numeric import id_bytes
from rankmark.data.preparing.united_runs import unite_runs
from rankmark.errors import MeasureError, listed
from rankmark.statistics.log_bets import Log

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions, OrderedTies
    from rankmark.data.alignment.united_lists import UnitedLists
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.preparing.run import Run
    from rankmark.data.preparing.united_runs import UnitedRuns
    from rankmark.measures import Measure
    from rankmark.verbs.gate.gate_condition import Condition, GatedMeasure

MEASURES = "nDCG, P, R, Success, F, Rprec, RR, RBP, AP, ERR"
"""Measures of which the largest loss is known without judgments."""


class Ends(NamedTuple):
    """The most that each query of a log can lose, and gain: (N,) float64 each."""

    losses: Floats
    gains: Floats


class Sampling(NamedTuple):
    """How queries are drawn from a log that is itself a sample of the population.

    Parameters
    ----------
    chances
        (N,) float64, uniform numbers that follow from the seed, and the id of the user or query.
    largest
        The largest weight possible: a query with it is drawn for sure.
    users
        (N,) int64, the number of each query's user; None if queries are drawn.
    """

    chances: Floats
    largest: float
    users: Ints | None = None

    def of_users(self, values: Floats) -> Floats:
        """Return the mean over the queries of each user, or the values of queries as they are."""
        if self.users is None:
            return values
        return np.bincount(self.users, values) / np.bincount(self.users)


@dataclass(frozen=True, slots=True, eq=False)
class LoggedQueries:
    """The queries of a log, and what a candidate can change.

    Parameters
    ----------
    queries
        Their N ids.
    counts
        (N,) float64, how much each counts.
    keys
        (N,) float64, exponential numbers that follow from the seed and the id.
    ends
        {measure: what each query can lose and gain}.
    slices
        {name: numbers of its queries}.
    sampling
        How queries are drawn if the claim is about the population; None if it is about the log.
    """

    queries: tuple[str, ...]
    counts: Floats
    keys: Floats
    ends: Mapping[GatedMeasure, Ends]
    slices: Mapping[str, Sequence[int]] = field(default_factory=dict)
    sampling: Sampling | None = None

    def weights(self, conditions: Sequence[Condition]) -> Floats:
        """Return the weights by which queries are drawn, for all conditions: (N,) float64.

        No query can lose more by any of them.
        """
        each = [_most(self.ends[one.measure].losses, one) for one in conditions]
        most: Floats = np.max(each, axis=0)
        return self.counts * most

    def order(self, weights: Floats) -> Ints:
        """Return the numbers of the queries in the order in which they are drawn: (n,) int64.

        Each is drawn from the rest in proportion to its weight: exponential numbers over weights
        have this order. Queries without a weight are never drawn. If the log is a sample, each is
        drawn independently of all others, and those drawn stand in a random order.
        """
        drawn = np.flatnonzero(weights > 0)
        by_weight = drawn[np.argsort(self.keys[drawn] / weights[drawn], kind="stable")]
        if self.sampling is None:
            return by_weight
        chances = weights
        if self.sampling.users is not None:  # one query of each user
            _, first = np.unique(self.sampling.users[by_weight], return_index=True)
            by_weight = by_weight[first]
            chances = self.sampling.of_users(weights)[self.sampling.users]
        taken = self.sampling.chances[by_weight] * self.sampling.largest < chances[by_weight]
        found = by_weight[taken]
        return found[np.argsort(self.keys[found], kind="stable")]

    def log_of(self, condition: Condition, weights: Floats, planned: int) -> Log:
        """Return what is known of the log, or of the slice of a condition, before any judgment."""
        rows = self.rows_of(condition)
        w, v = weights[rows], self.counts[rows]
        gains = v * gain_of(self.ends[condition.measure], condition)[rows]
        if self.sampling is not None:
            w, v, gains = map(self.sampling.of_users, (w, v, gains))
        has = w > 0
        return Log(
            size=float(v.sum()),
            total=float(w.sum()),
            gain=float(gains[has].sum()),
            gain_elsewhere=float(gains[~has].sum()),
            largest_ratio=float((gains[has] / w[has]).max(initial=0.0)),
            planned=planned,
            spread=0.0 if len(w) < 2 else float(w.std(ddof=1)),
            sampled_to=None if self.sampling is None else self.sampling.largest,
        )

    def rows_of(self, condition: Condition) -> slice | Sequence[int]:
        """Return the numbers of the queries that a condition is about."""
        return slice(None) if condition.slice is None else self.slices[condition.slice]

    def places(self, condition: Condition, order: Ints) -> Ints:
        """Return where the queries of a condition stand in the order, from 0: (n,) int64."""
        mine = np.zeros(len(self.queries), dtype=np.bool_)
        mine[self.rows_of(condition)] = True
        return np.flatnonzero(mine[order])

    def horizon(self, condition: Condition, order: Ints, planned: int) -> int:
        """Return how many queries of a condition are planned, 1 at least."""
        return max(int((self.places(condition, order) < planned).sum()), 1)

    def digest(self, order: Ints, weights: Floats, conditions: Sequence[Condition]) -> str:
        """Return a hash of what is asked, of the order and of the weights."""
        made = blake2b(digest_size=16)
        made.update(repr([one.to_dict() for one in conditions]).encode())
        made.update(f"{len(self.queries)} {float(weights.sum()):.9g}".encode())
        for number in order.tolist():
            made.update(b"\n%s %.9g" % (id_bytes(self.queries[number]), weights[number]))
        return made.hexdigest()


def gain_of(ends: Ends, condition: Condition) -> Floats:
    """Return the most that what a condition bounds can gain: (N,) float64."""
    return _most(ends.gains, condition)


def _most(most: Floats, condition: Condition) -> Floats:
    """Return what a relative margin makes of losses or gains, as the baseline's score is to 1."""
    return most + condition.margin if condition.relative else most


def keys_of(queries: Sequence[str], seed: int) -> Floats:
    """Return an exponential number for each query, from its id and the seed: (N,) float64."""
    return -np.log(chances_of(queries, seed, b"order"))


def chances_of(ids: Sequence[str], seed: int, purpose: bytes) -> Floats:
    """Return a number between 0 and 1 for each id, from it and the seed: (N,) float64.

    It depends neither on the other ids nor on their order.
    """
    key, person = seed.to_bytes(8, "little"), purpose
    digests = b"".join(
        blake2b(id_bytes(one), digest_size=8, key=key, person=person).digest() for one in ids
    )
    return (np.frombuffer(digests, dtype="<u8") + 0.5) / 2.0**64


class ReadLog(NamedTuple):
    """A log that was read: its queries, and what each candidate can change."""

    united: UnitedRuns
    ends: tuple[Mapping[GatedMeasure, Ends], ...]


def read_log(
    systems: Sequence[Sequence[Run]],
    measures: Sequence[Measure],
    *,
    ties: OrderedTies,
    depth: int | None,
    units: Conventions,
    reading: Reading,
) -> ReadLog:
    """Read the runs of all systems, the baseline first, and find what each query can change.

    The scores of trials are averaged; their changes are at most the means of those of pairs.
    """
    refuse_unknown(measures)
    deepest = min(max(limit(getattr(one, "k", None)) for one in measures), limit(depth))
    runs = [run for system in systems for run in system]
    united = unite_runs(runs, ties=ties, depth=deepest, units=units, reading=reading)
    number = iter(range(len(runs)))
    numbers = [[next(number) for _ in system] for system in systems]
    n = len(united.queries)
    found: list[dict[GatedMeasure, Ends]] = [
        {one: Ends(np.zeros(n), np.zeros(n)) for one in measures} for _ in range(len(systems) - 1)
    ]
    begin = 0
    for part in united.parts(threads=reading.workers):
        rows = slice(begin, begin + len(part.queries))
        for ends, candidate in zip(found, numbers[1:], strict=True):
            for measure in measures:
                _add(part.lists, numbers[0], candidate, measure, ends[measure], rows)
        begin = rows.stop
    return ReadLog(united, tuple(found))


def refuse_unknown(measures: Sequence[Measure]) -> None:
    """Refuse measures of which the largest loss depends on the judgments."""
    for one in measures:
        why = "what a query can lose by it is not known without judgments"
        remedy = f"choose one of {MEASURES}, with their usual denominators, or leave the plan out"
        if one.judged_only:
            why = "unjudged documents are left out, so that rankings alone do not bound a loss"
            remedy = "leave judged_only out"
        elif one.own_conventions:
            own = listed([name for name, _ in one.own_conventions])
            why = f"it has conventions of its own: {own}"
            remedy = "leave them out, or choose them for the whole plan"
        elif one.possible_loss(np.array([[1.0]])) is not None:
            continue
        raise MeasureError(why, remedy, where=str(one))


def _add(
    lists: UnitedLists,
    base: Sequence[int],
    new: Sequence[int],
    measure: Measure,
    ends: Ends,
    rows: slice,
) -> None:
    """Add what the queries of a part can lose and gain, of which those without a change lose 0."""
    pairs = (
        [*zip(base, new, strict=True)]
        if len(base) == len(new)
        else [(a, b) for a in base for b in new]
    )
    for a, b in pairs:
        for most, (old, other) in zip(ends, ((a, b), (b, a)), strict=True):
            for queries, moved in _moved(lists, old, other, getattr(measure, "k", None)):
                loss = measure.possible_loss(moved)
                assert loss is not None  # noqa: S101  (refuse_unknown)
                most[rows][queries] += loss / len(pairs)


def _moved(lists: UnitedLists, old: int, new: int, k: int | None) -> Iterator[tuple[Ints, Floats]]:
    """Yield queries whose rankings differ, and the new ranks of the documents of the old one."""
    in_old = np.flatnonzero(lists.at[old] >= 0)
    query, rank = lists.query[in_old], lists.at[old][in_old].astype(np.int64)
    to = lists.at[new][in_old].astype(np.float64) + 1
    to[to == 0] = np.inf
    if k is None:
        k = max(int(rank.max(initial=0)) + 1, int(to[np.isfinite(to)].max(initial=1)))
    kept = rank < k
    query, rank, to = query[kept], rank[kept], to[kept]
    to[to > k] = np.inf
    changed = np.zeros(len(lists), dtype=np.bool_)
    changed[query[to != rank + 1]] = True
    queries = np.flatnonzero(changed)
    if len(queries):
        place = np.full(len(lists), -1)
        place[queries] = np.arange(len(queries))
        held = changed[query]
        moved = np.full((len(queries), k), np.nan)
        moved[place[query[held]], rank[held]] = to[held]
        yield queries, moved


def documents_to_judge(united: UnitedRuns, queries: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the query and the id of each document to judge: those of all lists, best first."""
    for part in united.for_queries(queries).parts():
        best = np.min(np.where(part.lists.at >= 0, part.lists.at, np.iinfo(np.int32).max), axis=0)
        order = np.lexsort((best, part.lists.query))
        ids = part.documents.ids(order.astype(np.int64))
        for number, document in zip(part.lists.query[order].tolist(), ids, strict=True):
            yield part.queries[number], document
