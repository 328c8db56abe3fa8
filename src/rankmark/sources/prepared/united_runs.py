"""Bring the lists of several runs of any form together, query by query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark._core import ListOptions, Rankings, Table, United
from rankmark.alignment.united_lists import RunLists, UnitedLists
from rankmark.conventions import limit
from rankmark.errors import MismatchError, listed
from rankmark.sources.contract.reading_options import AS_USUAL, Reading
from rankmark.sources.prepared.paired_runs import ranked

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.sources.prepared.run import Run

ListTies = Literal["docid", "docid-asc", "input", "rank", "mean"]
Answered = Literal["any", "all"]


class UnitedPart(NamedTuple):
    """The lists of some of the queries.

    Parameters
    ----------
    queries
        Their ids.
    lists
        The lists, and the union of their documents.
    core
        The same in the core, with the ids of the documents.
    """

    queries: tuple[str, ...]
    lists: UnitedLists
    core: United

    def order(self, scores: Floats, ties: ListTies, threads: int = 1) -> Ints:
        """Order the documents by query and score, equal scores by a rule: (U,) their numbers."""
        rule = ties if ties in {"docid-asc", "input"} else "docid"
        return self.core.order(np.ascontiguousarray(scores, dtype=np.float64), rule, threads)

    def doc_ids(self, documents: Ints | None = None) -> tuple[str, ...]:
        """Return the ids of documents, by their numbers; None for all."""
        numbers = np.arange(self.lists.at.shape[1]) if documents is None else documents
        return self.core.ids(np.ascontiguousarray(numbers, dtype=np.int64))

    def table(self, documents: Ints, scores: Floats) -> Table:
        """Return rows of query_id, doc_id and score, for documents in order of their queries."""
        return self.core.table(
            np.ascontiguousarray(documents, dtype=np.int64),
            np.ascontiguousarray(scores, dtype=np.float64),
        )


class UnitedRuns:
    """The lists of m runs for Q queries.

    Parameters
    ----------
    names
        The names of the runs, for messages.
    queries
        The ids of the queries: in the order of the first run, then of the second, and so on.
    numbers
        (m, Q) int64, the number of each query in the run's rankings, or -1.
    rankings
        The rankings of each run, in the core.
    has_scores
        Whether each run has scores rather than ranks or an order.
    """

    def __init__(
        self,
        names: Sequence[str],
        queries: tuple[str, ...],
        numbers: Ints,
        rankings: tuple[Rankings, ...],
        has_scores: tuple[bool, ...],
    ) -> None:
        self.names = tuple(names)
        self.queries = queries
        self.numbers = numbers
        self.rankings = rankings
        self.has_scores = has_scores

    def parts(self, rows: int = 1 << 18, threads: int = 1) -> Iterator[UnitedPart]:
        """Split the queries into parts of about so many rows in all lists together."""
        sizes = np.zeros(len(self.queries), dtype=np.int64)
        for numbers, rankings in zip(self.numbers, self.rankings, strict=True):
            sizes += np.append(rankings.kept(), 0)[numbers]  # the last, if the number is -1
        ends = np.cumsum(sizes)
        begin = 0
        while begin < len(self.queries):
            before = ends[begin - 1] if begin else 0
            end = max(int(np.searchsorted(ends, before + rows, side="right")), begin + 1)
            yield self.part(range(begin, end), threads)
            begin = end

    def part(self, queries: Sequence[int], threads: int = 1) -> UnitedPart:
        """Bring the lists of some queries together, by their numbers."""
        numbers = np.ascontiguousarray(self.numbers[:, list(queries)])
        core = United(list(self.rankings), numbers.ravel(), threads)
        lists = tuple(RunLists(*core.run(run)) for run in range(len(self.rankings)))
        ids = tuple(self.queries[number] for number in queries)
        return UnitedPart(ids, UnitedLists(core.starts(), core.at(), lists), core)

    def counts(self, name: Literal["tied", "given", "kept"]) -> list[int]:
        """Count documents of each run in the lists of the queries: tied, given, or kept."""
        found = []
        for numbers, rankings in zip(self.numbers, self.rankings, strict=True):
            counts = getattr(rankings, name)()
            found.append(int(counts[numbers[numbers >= 0]].sum()))
        return found


def unite_runs(
    runs: Sequence[Run],
    *,
    queries: Answered = "any",
    ties: ListTies = "docid",
    depth: int | None = None,
    lower_better: Sequence[bool] | None = None,
    reading: Reading = AS_USUAL,
) -> UnitedRuns:
    """Read runs, and rank the documents of each.

    Parameters
    ----------
    runs
        Prepared runs.
    queries
        Those that any run answers, or those that all answer.
    ties
        The order of equal scores in a list; under "mean" they have no order.
    depth
        The last rank of each list that is kept. Under "mean", a tie across it is kept whole.
    lower_better
        For each run, whether lower scores are better; they are negated.
    reading
        How they are read; its progress is told the number of the file.

    Raises
    ------
    ParseError, DuplicateError, SchemaError, InputError
        If a run cannot be read.
    MismatchError
        If no query is in two runs, or in all if all are needed.
    """
    rule = {"mean": "", "rank": "docid"}.get(ties, ties)
    negated = lower_better or [False] * len(runs)
    read = [
        ranked(
            run.source,
            ListOptions(rule, limit(depth), negated=is_negated),
            reading.of_file(number),
            by_rank=ties == "rank",
        )
        for number, (run, is_negated) in enumerate(zip(runs, negated, strict=True))
    ]
    places = [
        {query: place for place, query in enumerate(found.rankings.query_ids())} for found in read
    ]
    union = dict.fromkeys(query for of_run in places for query in of_run)
    common = [query for query in union if all(query in of_run for of_run in places)]
    if len(runs) > 1 and sum(map(len, places)) == len(union):
        _refuse_strangers(runs, places, "two of the runs have")
    if queries == "all" and not common:
        _refuse_strangers(runs, places, "all runs have")
    chosen = tuple(common if queries == "all" else union)
    numbers = np.array(
        [[of_run.get(query, -1) for query in chosen] for of_run in places], dtype=np.int64
    ).reshape(len(runs), len(chosen))
    return UnitedRuns(
        [run.name for run in runs],
        chosen,
        numbers,
        tuple(found.rankings for found in read),
        tuple(found.has_scores for found in read),
    )


def _refuse_strangers(runs: Sequence[Run], places: Sequence[dict[str, int]], whose: str) -> None:
    shown = "; ".join(
        f"{run.name} has {listed(list(of_run)[:3], len(of_run))}"
        for run, of_run in zip(runs, places, strict=True)
    )
    raise MismatchError(f"no query that {whose}: {shown}", "are the ids of one kind?")
