"""The result of comparing two runs: coefficients by query, their means, and an audit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.preparing.remembered import Described
from rankmark.data.preparing.units import shown_units, units_to_documents
from rankmark.errors import InputError, MeasureError, NotEvaluatedError
from rankmark.results.drawing.spreads import DrawnByQuery, Spread
from rankmark.results.per_query import ByQuery
from rankmark.results.run_names import short_names
from rankmark.similarity.coefficient_names import coefficient
from rankmark.statistics.exact_sums import defined_means
from rankmark.verbs.evaluate.provenance import described, read_as

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.run import Run
    from rankmark.similarity import Coefficient

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""


@dataclass(frozen=True, slots=True)
class ComparisonAudit:
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

    def __str__(self) -> str:
        """Return the audit on one line."""
        down_to = "in all" if self.depth is None else f"down to rank {self.depth:,}"
        line = (
            f"compared {self.compared:,} queries: in both {self.both:,}, only in a "
            f"{self.only_a:,}, only in b {self.only_b:,}; of the documents {down_to}, "
            f"{self.common:.1%} in both, {self.tied_a:.1%} of a and {self.tied_b:.1%} of b tied"
        )
        of_units = (
            ("a", self.units_a, self.unit_documents_a),
            ("b", self.units_b, self.unit_documents_b),
        )
        for name, units, documents in of_units:
            if units is not None:
                line += f"; {name}: {units_to_documents(units, documents or 0)}"
        undefined = [f"{name} for {count:,}" for name, count in self.undefined.items() if count]
        return line + (f"; undefined: {', '.join(undefined)}" if undefined else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the audit for JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


class RankingComparison(DrawnByQuery, ByQuery):
    """How similar two runs are, query by query.

    Attributes
    ----------
    scores
        (n_queries, n_coefficients) float64, unitless. NaN if a coefficient is undefined.
    coefficients
        The coefficients in the requested order.
    queries, means
        (n_queries,) ids, as text, in the order of the first run; {coefficient: mean over the
        queries for which it is defined, NaN if there are none}.
    audit, settings
        Which queries were compared; all choices.
    """

    def __init__(
        self,
        *,
        runs: tuple[Run, Run],
        coefficients: tuple[Coefficient, ...],
        queries: tuple[str, ...],
        scores: Floats,
        conventions: dict[str, Any],
        audit: ComparisonAudit,
    ) -> None:
        self.coefficients = coefficients
        self.scores = scores
        self.scores.flags.writeable = False
        self.audit = audit
        self._runs = tuple(Described(run.source, run.source.as_read()) for run in runs)
        self._queries = queries
        self._conventions = conventions

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries compared."""
        return self._queries

    @property
    def names(self) -> list[str]:
        """Names of the coefficients."""
        return [str(each) for each in self.coefficients]

    @property
    def run_names(self) -> tuple[str, str]:
        """The names of the runs' files, or their forms, such as ``<mapping>``."""
        return self._runs[0].name, self._runs[1].name

    def _about(self) -> dict[str, str]:
        run_a, run_b = short_names(self.run_names)
        return {"run_a": run_a, "run_b": run_b}

    @property
    def _figures(self) -> tuple[float, ...]:
        return defined_means(self.scores)

    def _chosen(self) -> object:
        return self._conventions

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

    def to_dict(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN.

        ``schema`` is the version of this form. Files have their SHA-256.
        """
        inputs = {"a": described(self._runs[0]), "b": described(self._runs[1])}
        written = self._begun(SCHEMA, inputs, self.settings, self.audit.to_dict())
        if per_query:
            written["per_query"] = self._by_query()
        return written

    def _drawn(self) -> Spread:
        from rankmark.verbs.plot.captions import names_of_runs  # noqa: PLC0415

        if np.isnan(self.scores).all():
            raise InputError("all coefficients are undefined", "choose others to plot")
        a, b = names_of_runs(self.run_names)
        chosen = ", ".join(f"{name}={value}" for name, value in self._shown_conventions.items())
        title = f"{a} and {b}, {len(self.queries):,} queries, {chosen}"
        return Spread(self.scores, self.names, title)

    def _notes(self) -> list[str]:
        return self.notes

    def column(self, name: str | Coefficient) -> int:
        """Return the column of a coefficient in ``scores``.

        Raises
        ------
        NotEvaluatedError
            If it was not compared, or there is no such coefficient.
        """
        try:
            found = coefficient(name)
        except MeasureError as error:
            raise NotEvaluatedError(error.found, error.remedy, where=error.where) from None
        if found not in self.coefficients:
            raise NotEvaluatedError(
                f"{found} was not compared", f"this comparison has {', '.join(self.names)}"
            )
        return self.coefficients.index(found)
