"""Aggregates of evaluations as tables and JSON hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rankmark.results.evaluation import Evaluation


class Aggregates(NamedTuple):
    """What to show in place of the means, or in JSON beside them.

    Parameters
    ----------
    names
        Of aggregates, in the order in which they are shown; see Evaluation.aggregate.
    weights
        What each query counts, where they do not count the same.
    """

    names: Sequence[str] = ()
    weights: Mapping[str, float] | None = None

    def of(self, ev: Evaluation) -> dict[str, tuple[float, ...]]:
        """Give one number a measure, by what tables call the aggregate."""
        return {
            how if self.weights is None else f"weighted {how}": tuple(
                ev.aggregate(one, how, weights=self.weights) for one in ev.measures
            )
            for how in self.names
        }

    def for_json(self, ev: Evaluation) -> dict[str, Any]:
        """Give the fields of a run, nothing where no aggregate was asked for; NaN becomes None."""
        if not self.names:
            return {}
        written: dict[str, Any] = {
            how: {
                str(one): None if math.isnan(value) else value
                for one, value in zip(ev.measures, values, strict=True)
            }
            for how, values in self.of(ev).items()
        }
        if self.weights is None:
            return {"aggregates": written}
        weights = {q: self.weights[q] for q in ev.queries if q in self.weights}
        return {"aggregates": written, "weights": weights}
