"""The interface of comparisons that plots use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rankmark.verbs.plot.plottable import Plottable


class ComparedRuns(Protocol):
    """Runs and measures, the mean of each run on each measure, and the differences of pairs.

    Rows have the fields that ``rm.Comparison`` documents.

    Attributes
    ----------
    compared
        The measures: ``name`` and ``more_is_better``.
    chosen
        Choices: ``test``, ``correction``, ``family``, ``confidence`` and ``level``.
    """

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    baseline: str | None
    compared: Any
    chosen: Any

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        ...

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The pairs compared, (baseline, run) each."""
        ...

    @property
    def leaderboard(self) -> Iterable[Any]:
        """``run``, ``measure``, ``rank``, ``mean``, ``low`` and ``high``."""
        ...

    @property
    def differences(self) -> Iterable[Any]:
        """Rows of ``rankmark.verbs.compare.run_difference.RunDifference``."""
        ...

    @property
    def evaluations(self) -> Mapping[str, Plottable]:
        """The evaluation of each run; empty if the scores came from another program."""
        ...

    def column(self, name: object) -> int:
        """Return the number of a measure."""
        ...
