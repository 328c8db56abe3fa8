"""The result of comparing two runs: coefficients by query, their means, and an audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankmark.data.preparing.run import Run
from rankmark.data.preparing.units import shown_units, units_to_documents
from rankmark.errors import counted
from rankmark.results.per_query import Audit, MeansByQuery, undefined_for
from rankmark.results.run_names import short_names
from rankmark.scoring.kept_data import Described
from rankmark.similarity import Coefficient
from rankmark.similarity.coefficient_names import coefficient
from rankmark.verbs.evaluate.provenance import described, read_as


@dataclass(frozen=True, slots=True)
class ComparisonAudit(Audit):
    """Which queries were compared, and how reliable the numbers are.

    Parameters
    ----------
    compared
        Queries that were compared.
    both
        Queries in both runs.
    only_a, only_b, only_a_examples, only_b_examples
        Queries in only one run, and the first three; they are compared with an empty ranking under
        ``queries="either"``, and ignored under ``"both"``.
    tied_a, tied_b
        Share of the documents down to ``depth`` that are tied, 0 to 1.
    common
        Share of the documents down to ``depth`` that are in both rankings, 0 to 1.
    depth
        The deepest rank compared; None for whole rankings.
    undefined
        Number of queries for which each coefficient is undefined; its mean is over the others.
    units_a, units_b, unit_documents_a, unit_documents_b
        The units, such as chunks, that were retrieved in place of documents, and the number of
        their documents; None without units.
    """

    compared: int
    both: int
    only_a: int
    only_b: int
    only_a_examples: tuple[str, ...]
    only_b_examples: tuple[str, ...]
    tied_a: float
    tied_b: float
    common: float
    depth: int | None
    undefined: dict[str, int]
    units_a: int | None = None
    units_b: int | None = None
    unit_documents_a: int | None = None
    unit_documents_b: int | None = None

    told = (
        ("queries: {both:,} in both", ""),
        (", {only_a:,} only in a", "only_a"),
        (", {only_b:,} only in b", "only_b"),
        ("; of the documents ", ""),
    )

    def _ends(self) -> str:
        down_to = "in all" if self.depth is None else f"down to rank {self.depth:,}"
        line = (
            f"{down_to}, {self.common:.1%} in both, {self.tied_a:.1%} of a and {self.tied_b:.1%} "
            "of b tied"
        )
        of_units = (
            ("a", self.units_a, self.unit_documents_a),
            ("b", self.units_b, self.unit_documents_b),
        )
        for name, units, documents in of_units:
            if units is not None:
                line += f"; {name}: {units_to_documents(units, documents or 0)}"
        return line + undefined_for(self.undefined)


class RankingComparison(MeansByQuery):
    """How similar two runs are, query by query.

    ``coefficients`` are the coefficients in the requested order.
    """

    _label, _words = "tab:similarity", ("compared", "comparison")
    _nothing_drawn = ("all coefficients are undefined", "choose others to plot")
    _between = (-1.0, 1.0)

    def __init__(
        self, *, runs: tuple[Run, Run], coefficients: tuple[Coefficient, ...], **found: Any
    ) -> None:
        super().__init__(names=[*map(str, coefficients)], read={}, **found)
        self.coefficients = coefficients
        self._runs = tuple(Described(run.source, run.source.as_read()) for run in runs)

    @property
    def run_names(self) -> tuple[str, str]:
        """The names of the runs' files, or their forms, such as ``<mapping>``."""
        return self._runs[0].name, self._runs[1].name

    @property
    def heading(self) -> str:
        """What was compared."""
        return f"Similarity of {self.run_names[0]} and {self.run_names[1]}"

    def _about(self) -> dict[str, str]:
        return dict(zip(("run_a", "run_b"), short_names(self.run_names), strict=True))

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: queries, ties, parameters of coefficients, and how the runs were read."""
        return self._conventions | {
            "coefficients": {
                str(each): {
                    name: value.__name__ if callable(value) else value
                    for name, value in each.parameters.items()
                }
                for each in self.coefficients
            },
            "a": self._runs[0].description(),
            "b": self._runs[1].description(),
        }

    @property
    def _shown_conventions(self) -> dict[str, Any]:
        """The conventions that notes and titles name."""
        always = {name: self._conventions[name] for name in ("queries", "ties")}
        return always | shown_units(self._conventions)

    @property
    def notes(self) -> list[str]:
        """The lines below a table: runs, audit, how the runs were read, and conventions."""
        a, b = self._runs
        read = [read_as(run, "in the order given") for run in (a, b)]
        chosen = " ".join(f"{name}={value}" for name, value in self._shown_conventions.items())
        runs = f"a: {a.name}, b: {b.name}"
        return [runs, str(self.audit), *(line for line in read if line), f"conventions: {chosen}"]

    @property
    def kept_notes(self) -> list[str]:
        """The notes on the runs and on the conventions."""
        return [self.notes[0], self.notes[-1]]

    def _inputs(self) -> dict[str, Any]:
        return {"a": described(self._runs[0]), "b": described(self._runs[1])}

    def _drawn_title(self) -> str:
        from rankmark.verbs.plot.plot_request import names_of_runs  # noqa: PLC0415

        a, b = names_of_runs(self.run_names)
        chosen = ", ".join(f"{name}={value}" for name, value in self._shown_conventions.items())
        return f"{a} and {b}, {counted(len(self.queries), 'query', 'queries')}, {chosen}"

    def _meant(self, name: str | Coefficient) -> Sequence[str]:
        return [str(coefficient(name))]
