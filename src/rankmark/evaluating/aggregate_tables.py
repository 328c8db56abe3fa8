"""Aggregates of evaluations for tables and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rankmark.evaluating.evaluation import Evaluation


class Aggregates(NamedTuple):
    """The aggregates to show instead of the means, or, in JSON, in addition to them.

    Parameters
    ----------
    names
        Names of aggregates, in the order of the rows; see Evaluation.aggregate.
    weights
        Weights of the queries, if they are weighted.
    """

    names: Sequence[str] = ()
    weights: Mapping[str, float] | None = None

    def of(self, ev: Evaluation) -> dict[str, tuple[float, ...]]:
        """Return one number per measure, by the name of the aggregate in tables."""
        return {
            how if self.weights is None else f"weighted {how}": tuple(
                ev.aggregate(measure, how, weights=self.weights) for measure in ev.measures
            )
            for how in self.names
        }

    def for_json(self, ev: Evaluation) -> dict[str, Any]:
        """Return the fields of a run, with None for NaN; none without aggregates."""
        if not self.names:
            return {}
        written: dict[str, Any] = {
            how: {
                str(measure): None if math.isnan(value) else value
                for measure, value in zip(ev.measures, values, strict=True)
            }
            for how, values in self.of(ev).items()
        }
        if self.weights is None:
            return {"aggregates": written}
        weights = {q: self.weights[q] for q in ev.queries if q in self.weights}
        return {"aggregates": written, "weights": weights}
