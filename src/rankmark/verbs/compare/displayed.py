"""Comparisons and their layouts, as far as tables and the lines below them are concerned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rankmark.verbs.compare.row_tables import Rows
    from rankmark.verbs.compare.run_difference import ComparedMeasure, RunDifference
    from rankmark.verbs.compare.standings import Standing
    from rankmark.verbs.compare.statistics_choices import Choices
    from rankmark.verbs.evaluate.evaluation import Evaluation


class Displayed(Protocol):
    """A comparison, as far as tables are concerned."""

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    baseline: str | None
    compared: tuple[ComparedMeasure, ...]
    chosen: Choices
    evaluations: dict[str, Evaluation]
    with_bounds: bool

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        ...

    @property
    def leaderboard(self) -> Rows[Standing]:
        """The mean of each run on each measure."""
        ...

    @property
    def differences(self) -> Rows[RunDifference]:
        """The difference of each pair on each measure."""
        ...

    @property
    def legend(self) -> list[str]:
        """Lines that say how intervals and p-values were found."""
        ...

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs that are compared, (baseline, run) each."""
        ...

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, measures, inputs, and statistics."""
        ...

    @property
    def effective_queries(self) -> float | None:
        """How many queries of equal weight would be worth as much; None without weights."""
        ...

    @property
    def slices(self) -> Any:
        """The same comparison within slices of the queries, if there are any."""
        ...

    def column(self, name: object) -> int:
        """Return the number of a measure."""
        ...


class Laid(Protocol):
    """The layout of a comparison."""

    compared: Displayed
    runs: list[str]
    measures: Sequence[ComparedMeasure]
    reference: str | None

    @property
    def confidence(self) -> str:
        """The head of columns of single intervals."""
        ...

    @property
    def marks_by_letter(self) -> bool:
        """Whether marks are letters of runs, as all pairs of three or more are compared."""
        ...

    @property
    def in_percent(self) -> str | None:
        """Which measures are written in percent; None if none is."""
        ...

    @property
    def conventions(self) -> str | None:
        """The conventions of the evaluations; None for scores of another program."""
        ...
