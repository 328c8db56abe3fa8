"""The result of a gate, as far as its formats and notes are concerned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.statistics.margin_decision import Verdict
    from rankmark.verbs.gate.condition_result import ConditionResult
    from rankmark.verbs.gate.gated_system import System


class DecidedGate(Protocol):
    """The result of a gate for the best candidate; ``GateResult`` explains what it has."""

    @property
    def conditions(self) -> Sequence[ConditionResult]:
        """What was asked, and what was found."""
        ...

    @property
    def baseline(self) -> System:
        """The baseline."""
        ...

    @property
    def new(self) -> System:
        """The best candidate."""
        ...

    @property
    def baseline_name(self) -> str:
        """The name of the baseline."""
        ...

    @property
    def new_name(self) -> str:
        """The name of the best candidate."""
        ...

    @property
    def conventions(self) -> Conventions | None:
        """How runs were evaluated; None if scores were given."""
        ...

    @property
    def ignored_slices(self) -> Mapping[str, int]:
        """Numbers of queries of small slices that were not looked at."""
        ...

    @property
    def options(self) -> Mapping[str, Any]:
        """All options of a gate."""
        ...

    @property
    def same(self) -> str:
        """In which way both runs are the same, or ""."""
        ...

    @property
    def sample(self) -> str:
        """Of an estimate, how many queries people judged, and how these were drawn."""
        ...

    @property
    def reference(self) -> System | None:
        """The fixed run against which the conditions have to hold too."""
        ...

    @property
    def others(self) -> Sequence[DecidedGate]:
        """The results of the other candidates."""
        ...

    @property
    def candidates(self) -> Mapping[str, DecidedGate]:
        """The results of all candidates, the best first."""
        ...

    @property
    def passing(self) -> Sequence[str]:
        """The names of the candidates that may go live."""
        ...

    @property
    def verdict(self) -> Verdict:
        """The verdict of all conditions."""
        ...

    @property
    def holds(self) -> bool:
        """Whether all conditions hold."""
        ...

    @property
    def notes(self) -> list[str]:
        """Lines below the table."""
        ...
