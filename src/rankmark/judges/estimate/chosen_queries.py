"""The queries that people are to judge, and with what probability each was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankmark.errors import one_line
from rankmark.results import html_parts as html
from rankmark.results.result import Result
from rankmark.results.table_schema import texts
from rankmark.results.text_tables import text
from rankmark.results.text_width import fitted, line_width
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.verbs.evaluate.evaluation import Evaluation

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChosenQueries(Result):
    """A sample of the queries that a model judged.

    Parameters
    ----------
    queries
        All queries, in the order of the judgments.
    rows
        The numbers of those chosen, rising.
    probability
        (n_queries,) with which each query is chosen; they sum up to the number chosen.
    groups
        (n_queries,) strata; None without.
    scores
        (n_queries,) mean score of the runs by the model.
    evaluations, runs, measure
        Of the runs by the model, by one measure.
    choices
        How queries were chosen: method, number, seed and more.
    """

    queries: tuple[str, ...] = field(repr=False)
    rows: tuple[int, ...] = field(repr=False)
    probability: tuple[float, ...] = field(repr=False)
    groups: tuple[str, ...] | None = field(repr=False)
    scores: tuple[float, ...] = field(repr=False)
    evaluations: tuple[Evaluation, ...] = field(repr=False)
    runs: tuple[str, ...]
    measure: str
    choices: Mapping[str, Any]

    @property
    def chosen(self) -> tuple[str, ...]:
        """Ids of the queries to judge, in the order of the judgments."""
        return tuple(self.queries[row] for row in self.rows)

    @property
    def probabilities(self) -> dict[str, float]:
        """{query id: probability} of all queries, for ``estimate``."""
        return dict(zip(self.queries, self.probability, strict=True))

    @property
    def strata(self) -> dict[str, str] | None:
        """{query id: stratum} of all queries, for ``estimate``; None without strata."""
        return None if self.groups is None else dict(zip(self.queries, self.groups, strict=True))

    @property
    def settings(self) -> dict[str, Any]:
        """All choices."""
        return {**self.evaluations[0].settings, **self.choices}

    @property
    def decision(self) -> str:
        """What to do, in a sentence."""
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
        columns = {
            "query_id": texts("query_id", self.queries),
            "to_judge": [row in chosen for row in range(len(self.queries))],
            "probability": [*self.probability],
            "score": [*self.scores],
        }
        if self.groups is not None:
            columns["stratum"] = texts("stratum", self.groups)
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        described = [one.to_dict(per_query=False) for one in self.evaluations]
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "model": described[0]["qrels"],
            "runs": {name: one["run"] for name, one in zip(self.runs, described, strict=True)},
            "measure": self.measure,
            "settings": self.settings,
            "decision": self.decision,
            "chosen": [*self.chosen],
            "queries": [
                dict(zip(self._table(), row, strict=True))
                for row in zip(*self._table().values(), strict=True)
            ],
            "notes": self.notes,
        }

    @property
    def notes(self) -> list[str]:
        """Lines on how queries were drawn, and what an estimate needs."""
        choices = self.choices
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

    def _by_stratum(self) -> tuple[list[str], list[list[str]]]:
        rows, chosen = [], set(self.rows)
        for name in dict.fromkeys(sorted(self.groups or ())):
            members = [row for row, one in enumerate(self.groups or ()) if one == name]
            picked = sum(row in chosen for row in members)
            mean = sum(self.scores[row] for row in members) / len(members)
            rows.append([name, f"{len(members):,}", f"{picked:,}", f"{mean:.4f}"])
        return ["stratum", "queries", "to judge", self.measure], rows

    def _of_chosen(self) -> tuple[list[str], list[list[str]]]:
        head = ["query", "probability", self.measure]
        return head, [
            [self.queries[row], f"{self.probability[row]:.4f}", f"{self.scores[row]:.4f}"]
            for row in self.rows
        ]

    def to_text(self, *, width: int | None = None) -> str:
        """Return what to do, the queries and notes; lines have ``width`` columns, None for any."""
        tables = [self._by_stratum()] if self.groups is not None else []
        parts = [text(*one, 1, width=width).rstrip() for one in (*tables, self._of_chosen())]
        notes = "\n".join(map(one_line, self.notes))
        return fitted("\n\n".join([self.decision, *parts, notes]) + "\n", width)

    def __str__(self) -> str:
        return self.to_text(width=line_width())

    def __repr__(self) -> str:
        return one_line(f"ChosenQueries({self.decision})")

    def _repr_html_(self) -> str:
        tables = [self._by_stratum()] if self.groups is not None else []
        return html.page(
            html.title(self.decision),
            *(html.table(*one, 1) for one in (*tables, self._of_chosen())),
            html.notes(self.notes),
        )
