"""The result of ``ann_recall``: values by query, their means, and an audit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.errors import InputError, NotEvaluatedError, shown
from rankmark.results.drawing.spreads import DrawnByQuery, Spread
from rankmark.results.per_query import ByQuery
from rankmark.results.result import json_number
from rankmark.statistics.exact_sums import defined_means

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.results.drawing.result_page import PageParts
    from rankmark.statistics import Interval

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""


@dataclass(frozen=True, slots=True)
class NeighbourAudit:
    """Which queries were averaged, and what the arrays hold.

    Parameters
    ----------
    queries
        All queries.
    k
        The number of neighbours.
    without
        Queries without true neighbours, which are left out.
    fewer_true
        Queries with fewer than k true neighbours, whose recall is divided by their number.
    fewer_found, empty
        Queries for which fewer than k neighbours were found, and none.
    repeated, true_repeated
        Places that repeat an id of their query, among those found and the true ones; none counts.
    tied
        Queries with further true neighbours as near as the k-th.
    relative_distance
        All distances found, divided by as many true ones, as ann-benchmarks' "rel"; None without
        distances.
    """

    queries: int
    k: int
    without: int
    fewer_true: int
    fewer_found: int
    empty: int
    repeated: int
    true_repeated: int
    tied: int
    relative_distance: float | None

    def __str__(self) -> str:
        """Return the audit on one line."""
        k = f"{self.k:,}"
        told = [
            (self.without, "{} without true neighbours left out"),
            (self.fewer_true, f"{{}} with fewer than {k} true neighbours, divided by their number"),
            (self.fewer_found, f"{{}} with fewer than {k} neighbours found"),
            (self.empty, "{} with none found"),
            (self.tied, f"{{}} with ties at rank {k}"),
            (self.repeated, "repeated ids among those found, counted once: {}"),
            (self.true_repeated, "repeated ids among the true ones, counted once: {}"),
        ]
        line = f"averaged {self.queries - self.without:,} of {self.queries:,} queries"
        facts = [words.format(f"{count:,}") for count, words in told if count]
        if self.relative_distance is not None:
            facts.append(f"distances are {self.relative_distance:.6g} times the true ones")
        return line + (f": {'; '.join(facts)}" if facts else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the audit for JSON."""
        return asdict(self)


class NeighbourRecall(DrawnByQuery, ByQuery):
    """How well a search found the true nearest neighbours, query by query.

    Attributes
    ----------
    scores
        (n_queries, n_columns) float64: recall, and what distances allow beside it. NaN for queries
        without true neighbours; for ``distance_error`` also if nothing was found.
    names
        ``recall@k``, then, as far as there are distances, ``tie_recall@k``, ``distance_recall@k``
        and ``distance_error@k``.
    queries, means
        (n_queries,) numbers of rows from 0, as text; {name: mean over the queries that have a
        value, NaN if there are none}.
    audit, settings
        Which queries were averaged, and what the arrays hold; all choices.
    """

    def __init__(
        self, *, scores: Floats, names: list[str], settings: dict[str, Any], audit: NeighbourAudit
    ) -> None:
        self.scores = scores
        self.scores.flags.writeable = False
        self.audit = audit
        self._names = tuple(names)
        self._settings = settings

    @property
    def queries(self) -> tuple[str, ...]:
        """The numbers of the rows, from 0."""
        return tuple(map(str, range(len(self.scores))))

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self._names)

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: k, padding, and how much farther neighbours may be."""
        return dict(self._settings)

    @property
    def _figures(self) -> tuple[float, ...]:
        return defined_means(self.scores)

    def _chosen(self) -> object:
        return self._settings

    def _about(self) -> dict[str, str]:
        return {}

    def column(self, name: Any) -> int:
        """Return the column of a name in ``scores``, with or without ``@k``.

        Raises
        ------
        NotEvaluatedError
            If there is no such column.
        """
        k = f"@{self._settings['k']}"
        full = name if not isinstance(name, str) or name.endswith(k) else name + k
        if full not in self._names:
            raise NotEvaluatedError(
                f"{shown(name)} was not computed", f"this result has {', '.join(self._names)}"
            )
        return self._names.index(full)

    def interval(
        self,
        name: str = "recall",
        *,
        method: Literal["t", "BCa"] = "t",
        confidence: float = 0.95,
        seed: int | None = 0,
    ) -> Interval:
        """Return a confidence interval of a mean over queries.

        Parameters
        ----------
        name
            A column.
        method
            ``"t"`` is Student's; ``"BCa"`` the corrected bootstrap, which suits few queries with
            skewed values, and takes minutes for millions.
        confidence
            Above 0 and below 1.
        seed
            Of the bootstrap; None draws one.

        Raises
        ------
        NotEvaluatedError
            If there is no such column.
        InputError
            If an option is invalid.
        MissingDependencyError
            If SciPy is not installed.
        """
        from rankmark.statistics import mean_interval  # noqa: PLC0415

        values = self.scores[:, self.column(name)]
        return mean_interval(values, method=method, confidence=confidence, seed=seed)

    @property
    def notes(self) -> list[str]:
        """The lines below a table: the audit, and the conventions."""
        chosen = " ".join(f"{name}={value}" for name, value in self._settings.items())
        return [str(self.audit), f"conventions: {chosen}"]

    def to_dict(self, *, per_query: bool = True, intervals: bool = False) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN.

        ``schema`` is the version of this form. Intervals are those of ``interval``, at 95%.
        """
        written = self._begun(SCHEMA, {}, self.settings, self.audit.to_dict())
        if intervals:
            found = {name: self.interval(name) for name in self._names}
            written["intervals"] = {
                name: {
                    "low": json_number(one.low),
                    "high": json_number(one.high),
                    "confidence": one.confidence,
                    "method": one.method,
                    "n": one.n,
                }
                for name, one in found.items()
            }
        if per_query:
            written["per_query"] = self._by_query()
        return written

    def _drawn(self) -> Spread:
        drawn = [at for at, name in enumerate(self._names) if "recall" in name]
        if np.isnan(self.scores[:, drawn]).all():
            raise InputError("no query has true neighbours", "there is nothing to plot")
        averaged = self.audit.queries - self.audit.without
        return Spread(
            self.scores[:, drawn],
            [self._names[at] for at in drawn],
            f"{averaged:,} of {self.audit.queries:,} queries",
            "recall of each query",
        )

    def _page_parts(self) -> PageParts:
        from rankmark.results.drawing.result_page import PageParts  # noqa: PLC0415  (few write pages)

        return PageParts(
            "Recall of nearest neighbours", "", self._picture_of_values(), self._repr_html_()
        )

    def _notes(self) -> list[str]:
        return self.notes
