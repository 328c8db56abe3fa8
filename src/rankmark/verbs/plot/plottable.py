"""The interface of evaluations that plots use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Needs
    from rankmark.measures import Measure
    from rankmark.scoring.cutoffs import Rankings


@runtime_checkable
class Plottable(Protocol):
    """A run's scores by query and measure, (n_queries, n_measures), and its rankings."""

    conventions: Conventions
    measures: tuple[Measure, ...]
    scores: Floats

    @property
    def queries(self) -> tuple[str, ...]:
        """(n_queries,) ids, as text."""
        ...

    @property
    def run_name(self) -> str:
        """The run's file name, or a description such as <mapping>."""
        ...

    def column(self, name: str | Measure) -> int:
        """Return the number of a measure's column in ``scores``."""
        ...

    def shares_judgments(self, other: Self) -> bool:
        """Return True if another evaluation has the same judgments."""
        ...

    def rankings(self, needs: Needs, query: str | None = None) -> Rankings:
        """Align the run, for all queries averaged or for one, for scores at many ranks."""
        ...
