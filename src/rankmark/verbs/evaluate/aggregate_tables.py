"""Aggregates of evaluations for tables and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from rankmark.verbs.evaluate.evaluation import Evaluation


class Aggregates(NamedTuple):
    """The aggregates to show instead of the means, or, in JSON, in addition to them.

    Parameters
    ----------
    names
        Names of aggregates, in the order of the rows; see Evaluation.aggregate.
    """

    names: Sequence[str] = ()

    def of(self, ev: Evaluation) -> dict[str, tuple[float, ...]]:
        """Return one number per measure, by the name of the aggregate in tables."""
        return {
            how if ev.weights is None else f"weighted {how}": tuple(
                ev.aggregate(measure, how) for measure in ev.measures
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
        return {"aggregates": written}
