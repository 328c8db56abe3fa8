"""A way to fuse as results of tuning show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class FusionPoint(NamedTuple):
    """One way to fuse.

    Parameters
    ----------
    method
        The method with its parameters, such as ``"RRF(k=60)"`` or ``'wsum(norm="z")'``.
    weights
        One for each run; None for a method without weights.
    """

    method: str
    weights: tuple[float, ...] | None

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of ``rm.fuse`` that fuse in this way."""
        named: dict[str, Any] = {"method": self.method}
        if self.weights is not None:
            named["weights"] = list(self.weights)
        return named


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedFusion:
    """A point of the grid.

    Parameters
    ----------
    method, weights
        As of FusionPoint.
    mean, low, high
        The mean over all queries, with its 95% interval by t; NaN if there is none.
    chosen
        How often it was chosen, of ``folds`` times ``repeats``.
    """

    method: str
    weights: tuple[float, ...] | None
    mean: float
    low: float
    high: float
    chosen: int
