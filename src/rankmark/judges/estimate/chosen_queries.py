"""The queries that people are to judge, and with what probability each was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankmark.errors import counted
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_result import TabledResult
from rankmark.results.table_schema import texts

if TYPE_CHECKING:
    from rankmark.verbs.evaluate.evaluation import Evaluation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ChosenQueries(TabledResult):
    """A sample of the queries that a model judged, or of a log.

    Parameters
    ----------
    queries
        All queries, in the order of the judgments; of a log, those that were drawn.
    rows
        The numbers of those chosen, rising.
    probability
        (n_queries,) with which each query is chosen; they sum up to the number chosen. Of a log,
        with which each draw is this query.
    choices
        How queries were chosen: method, number, seed and more.
    groups
        (n_queries,) strata; None without.
    scores
        (n_queries,) mean score of the runs by the model; none of a log.
    evaluations, runs, measure
        Of the runs by the model, by one measure; none of a log.
    counts
        (n_queries,) how often each was drawn from a log; None without replacement.
    population
        The number of queries of the log; 0 for none.
    """

    queries: tuple[str, ...] = field(repr=False)
    rows: tuple[int, ...] = field(repr=False)
    probability: tuple[float, ...] = field(repr=False)
    choices: Mapping[str, Any]
    groups: tuple[str, ...] | None = field(default=None, repr=False)
    scores: tuple[float, ...] = field(default=(), repr=False)
    evaluations: tuple[Evaluation, ...] = field(default=(), repr=False)
    runs: tuple[str, ...] = ()
    measure: str = ""
    counts: tuple[int, ...] | None = field(default=None, repr=False)
    population: int = 0

    @property
    def chosen(self) -> tuple[str, ...]:
        """Ids of the queries to judge, in the order of the judgments."""
        return tuple(self.queries[row] for row in self.rows)

    @property
    def probabilities(self) -> dict[str, float]:
        """{query id: probability} of all queries, for ``estimate``."""
        return dict(zip(self.queries, self.probability, strict=True))

    @property
    def draws(self) -> dict[str, int] | None:
        """{query id: how often it was drawn}, for ``gate`` and ``compare``; None without draws."""
        return None if self.counts is None else dict(zip(self.queries, self.counts, strict=True))

    @property
    def strata(self) -> dict[str, str] | None:
        """{query id: stratum} of all queries, for ``estimate``; None without strata."""
        return None if self.groups is None else dict(zip(self.queries, self.groups, strict=True))

    @property
    def settings(self) -> dict[str, Any]:
        """All choices."""
        of_runs = self.evaluations[0].settings if self.evaluations else {}
        return {**of_runs, **self.choices}

    @property
    def decision(self) -> str:
        """What to do, in a sentence."""
        if self.counts is not None:
            return (
                f"People are to judge {counted(len(self.rows), 'query', 'queries')}: "
                f"{counted(self.choices['n'], 'draw')} by traffic from the "
                f"{counted(self.population, 'query', 'queries')} of the log."
            )
        how = {
            "random": "at random",
            "stratified": "at random from strata",
            "active": "with unequal probabilities",
        }[self.choices["method"]]
        return (
            f"People are to judge {len(self.rows):,} of {len(self.queries):,} queries, drawn {how}."
        )

    def _table(self) -> dict[str, Any]:
        chosen = set(self.rows)
        columns: dict[str, Any] = {
            "query_id": texts("query_id", self.queries),
            "to_judge": [row in chosen for row in range(len(self.queries))],
        }
        if self.counts is not None:
            return columns | {"draws": [*self.counts], "share": [*self.probability]}
        columns |= {"probability": [*self.probability], "score": [*self.scores]}
        if self.groups is not None:
            columns["stratum"] = texts("stratum", self.groups)
        return columns

    @property
    def headline(self) -> str:
        """The decision."""
        return self.decision

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        model
            The judgments by the model: ``name``, ``sha256`` and ``form``.
        to_judge
            Whether people are to judge the query.
        score
            The mean score of the runs by the model.
        draws, share
            How often the query was drawn from a log, and its share of the traffic.
        population
            The number of queries of the log.
        """
        described = [one.to_dict(per_query=False) for one in self.evaluations]
        columns = self._table()
        by_model = {
            "model": described[0]["qrels"] if described else None,
            "runs": {name: one["run"] for name, one in zip(self.runs, described, strict=True)},
            "measure": self.measure,
        }
        return {
            **(by_model if described else {"population": self.population}),
            "settings": self.settings,
            "decision": self.decision,
            "chosen": self.chosen,
            "queries": [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ],
            "notes": self.notes,
        }

    @property
    def notes(self) -> list[str]:
        """Lines on how queries were drawn, and what an estimate needs."""
        choices = self.choices
        if self.counts is not None:
            return [
                "drawn with replacement, with probabilities proportional to the weights; seed "
                f"{choices['seed']}",
                "each counts as often as it was drawn: give gate and compare these draws, and no "
                "weights",
            ]
        if choices["method"] == "random":
            how, needs = "all queries alike", "estimate takes their judgments as a random sample"
        elif choices["method"] == "stratified":
            how = f"{len(set(self.groups or ())):,} strata, allocation {choices['allocation']}"
            needs = "estimate needs the strata of all queries"
        else:
            how = (
                f"probabilities from {min(self.probability):.4f} to {max(self.probability):.4f}, "
                f"{choices['uniform']:.0%} of them equal"
            )
            needs = "estimate needs these probabilities"
        return [
            f"{how}; by {self.measure} of {', '.join(self.runs)}; seed {choices['seed']}",
            needs,
        ]

    def _grids(self) -> list[MarkedTable]:
        """Return a table of strata, if there are any, and one of the queries to judge."""
        tables = []
        if self.groups is not None:
            rows, chosen = [], set(self.rows)
            for name in sorted(set(self.groups)):
                members = [row for row, one in enumerate(self.groups) if one == name]
                picked = sum(row in chosen for row in members)
                mean = sum(self.scores[row] for row in members) / len(members)
                rows.append([name, f"{len(members):,}", f"{picked:,}", f"{mean:.4f}"])
            tables.append(MarkedTable(["stratum", "queries", "to judge", self.measure], rows))
        if self.counts is not None:
            drawn = zip(self.queries, self.counts, self.probability, strict=True)
            cells = [[query, f"{count:,}", f"{share:.4f}"] for query, count, share in drawn]
            return [MarkedTable(["query", "draws", "share of traffic"], cells)]
        cells = [
            [self.queries[row], f"{self.probability[row]:.4f}", f"{self.scores[row]:.4f}"]
            for row in self.rows
        ]
        return [*tables, MarkedTable(["query", "probability", self.measure], cells)]
