"""The result of ``ann_recall``: values by query, their means, and an audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rankmark.results.marked_tables import MarkedTable
from rankmark.results.per_query import MeansByQuery
from rankmark.results.result import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.statistics import Interval


@dataclass(frozen=True, slots=True)
class NeighbourAudit(Row):
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


class NeighbourRecall(MeansByQuery):
    """How well a search found the true nearest neighbours, query by query.

    ``names`` are ``recall@k``, then, as far as there are distances, ``tie_recall@k``,
    ``distance_recall@k`` and ``distance_error@k``. Values are NaN for queries without true
    neighbours; for ``distance_error`` also if nothing was found. Queries are the numbers of the
    rows, from 0.
    """

    _label, _x_label = "tab:neighbours", "recall of each query"
    heading = "Recall of nearest neighbours"
    _nothing_drawn = ("no query has true neighbours", "there is nothing to plot")

    def __init__(self, *, settings: dict[str, Any], **found: Any) -> None:
        super().__init__(queries=(), conventions=settings, read={}, **found)

    @property
    def queries(self) -> tuple[str, ...]:
        """The numbers of the rows, from 0."""
        return tuple(map(str, range(len(self.scores))))

    @property
    def notes(self) -> list[str]:
        """The lines below a table: the audit, and the conventions."""
        chosen = " ".join(f"{name}={value}" for name, value in self._conventions.items())
        return [str(self.audit), f"conventions: {chosen}"]

    @property
    def kept_notes(self) -> list[str]:
        """The first of the notes, which is the audit."""
        return self.notes[:1]

    def _meant(self, name: Any) -> Sequence[str]:
        """Return a name with ``@k``."""
        full = f"{name}@{self._conventions['k']}" if isinstance(name, str) else name
        return super()._meant(full if full in self._names else name)

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
        found = mean_interval(values, method=method, confidence=confidence, seed=seed)
        return found.within((0.0, 1.0)) if "recall" in str(name) else found

    def _contents(self, *, per_query: bool = True, intervals: bool = False) -> dict[str, Any]:
        """Return what JSON has, with the 95% intervals of ``interval`` if these are asked for."""
        written = super()._contents(per_query=per_query)
        by_query = {name: written.pop(name) for name in ("per_query",) if per_query}
        if intervals:
            parts = ("low", "high", "confidence", "method", "n")
            found = {name: self.interval(name) for name in self.names}
            written["intervals"] = {
                name: {part: getattr(one, part) for part in parts} for name, one in found.items()
            }
        return written | by_query

    def _grids(self, *, per_query: bool = False) -> list[MarkedTable]:
        if per_query:
            return super()._grids(per_query=True)
        rows = []
        for name, mean in self.means.items():
            one = self.interval(name)
            ends = "" if one.undefined else f"[{one.low:.4f}, {one.high:.4f}]"
            rows.append([name, f"{mean:.4f}", ends, f"{one.n:,}"])
        head = ["measure", "mean", "95% interval", "queries"]
        return [MarkedTable(head, rows, caption=f"{self.heading}.", label=self._label)]

    def _drawn_columns(self) -> list[int]:
        return [at for at, name in enumerate(self._names) if "recall" in name]

    def _drawn_title(self) -> str:
        return f"{self.audit.queries - self.audit.without:,} of {self.audit.queries:,} queries"
