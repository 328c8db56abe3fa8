"""What a gate decides on instead of judgments and runs: an estimate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankmark.verbs.gate.gate_result import GateResult


class Gateable(ABC):
    """A result that knows the differences of its runs, and how certain they are."""

    __slots__ = ()

    @abstractmethod
    def _gate(
        self,
        base: str | None,
        new: Any,
        conditions: Sequence[Any],
        given: Mapping[str, Any],
        slices: Any,
        config: Any,
        conventions: Mapping[str, Any],
    ) -> GateResult:
        """Decide by these differences."""
