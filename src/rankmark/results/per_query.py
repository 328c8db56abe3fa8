"""Results with a row for each query, which map names to means."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from rankmark.errors import MeasureError, one_line
from rankmark.results.escaped_bytes import encodable
from rankmark.results.result import Result, json_number
from rankmark.results.table_schema import long_form
from rankmark.results.text_width import fitted, line_width
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.results.plain_table import Table


class ByQuery(Result, Mapping[str, float]):
    """A result with a row for each query: ``query_id``, then a column for each name.

    It maps each name to one number, as ``means`` does. Two results are equal if their names,
    queries, numbers (to the bit) and settings are; a result equals any other mapping with the same
    names and numbers.
    """

    @property
    @abstractmethod
    def queries(self) -> tuple[str, ...]:
        """(n_queries,) ids, as text."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """(n_columns,) the names of the columns."""

    scores: Floats

    @property
    @abstractmethod
    def _figures(self) -> tuple[float, ...]:
        """(n_columns,) the number of each name."""

    @abstractmethod
    def column(self, name: Any) -> int:
        """Return the number of the column of ``scores`` with a name."""

    def per_query(self, name: Any) -> dict[str, float]:
        """Return the value of each query by its id; NaN where it is undefined."""
        return dict(zip(self.queries, self.scores[:, self.column(name)].tolist(), strict=True))

    @property
    def means(self) -> dict[str, float]:
        """The number of each name: the mean over the queries, or another aggregate."""
        return dict(zip(self.names, self._figures, strict=True))

    def __getitem__(self, name: Any) -> float:
        return self._figures[self.column(name)]

    def _shown(self) -> list[tuple[str, str]]:
        """Return the names with their numbers, as they are shown."""
        return [(name, f"{mean:.4f}") for name, mean in zip(self.names, self._figures, strict=True)]

    def __str__(self) -> str:
        """Return the means, the audit, and the conventions."""
        width = max(map(len, self.names))
        lines = [f"{name:<{width}}  {mean}" for name, mean in self._shown()]
        return "\n".join([*lines, *(fitted(note, line_width()) for note in self._notes())])

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={mean}" for name, mean in self._shown())
        return one_line(f"{type(self).__name__}({len(self.scores):,} queries: {scores})")

    @abstractmethod
    def _notes(self) -> list[str]:
        """Return the lines below the numbers."""

    def _repr_html_(self) -> str:
        from rankmark.results import html_parts as html  # noqa: PLC0415

        return html.page(html.values(self._shown()), html.notes(self._notes()))

    @abstractmethod
    def _chosen(self) -> object:
        """Return the settings by which results with the same numbers still differ."""

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def _ipython_key_completions_(self) -> list[str]:
        """Return what completes ``result["`` in notebooks."""
        return self.names

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        try:
            self[name]
        except (MeasureError, TypeError):
            return False
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ByQuery):
            return self._identity() == other._identity()
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash((*self.names, self.scores.tobytes()))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # immutable

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.scores.flags.writeable = False

    def _identity(self) -> tuple[object, ...]:
        return self.names, self.queries, self.scores.tobytes(), self._chosen()

    def _begun(
        self,
        schema: int,
        inputs: Mapping[str, Any],
        settings: Mapping[str, Any],
        audit: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Return what the JSON of every such result begins with.

        Parameters
        ----------
        schema
            The version of the form.
        inputs
            What was read, by name, with the SHA-256 of files.
        settings, audit
            As the result has them.
        """
        return {
            "schema": schema,
            "rankmark": __version__,
            **inputs,
            "settings": dict(settings),
            "audit": dict(audit),
            "scores": dict(zip(self.names, map(json_number, self._figures), strict=True)),
        }

    @abstractmethod
    def _about(self) -> dict[str, str]:
        """Return the names of the runs, by the columns that hold them."""

    @property
    def long(self) -> Table:
        """The scores with a row for each query and name, in the columns measure and value.

        The columns before these are the names of the runs, and ``query_id``.
        """
        from rankmark.results.plain_table import Table  # noqa: PLC0415

        of_runs = {
            name: [encodable(run)] * len(self.queries) for name, run in self._about().items()
        }
        return Table(long_form(of_runs | self._table(), [*of_runs, "query_id"]))

    def _table(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"query_id": [*map(encodable, self.queries)]}
        for column, name in enumerate(self.names):
            columns[name] = self.scores[:, column].copy()
        return columns

    def _by_query(self) -> dict[str, dict[str, float | None]]:
        """Convert the scores for JSON."""
        rows = zip(self.queries, self.scores.tolist(), strict=True)
        return {
            query: dict(zip(self.names, map(json_number, row), strict=True)) for query, row in rows
        }
