"""Gains from 0 to 1, as RBP and the other user models use them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, Needs
from rankmark.errors import MeasureError
from rankmark.measures.base.measure import DependsOn, Measure
from rankmark.measures.base.parameters import greatest, number, threshold
from rankmark.measures.base.requirements import ABOVE_ZERO


class BoundedGain(Measure):
    """A measure over gains from 0 to 1.

    Without ``max_rel``, the gain is 1 for labels of at least ``rel``, else 0. With it, the gain is
    (label - min_rel) / (max_rel - min_rel), 0 for labels below ``min_rel``; labels above
    ``max_rel`` are refused.
    """

    rel: float = threshold()
    min_rel: float = number("the label with a gain of 0, if max_rel is set", 0.0)
    max_rel: float | str | None = greatest(None)

    depends_on: DependsOn = "grades"
    reaches_bound = False
    promoting_helps = False

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if self.weighted and self.max_rel is not None:
            raise MeasureError(
                "weights take the place of grades", "leave max_rel out", where=self.name
            )
        if isinstance(self.max_rel, float) and self.max_rel <= self.min_rel:
            raise MeasureError(
                f"max_rel is {self.max_rel:g} and min_rel {self.min_rel:g}",
                "need a max_rel above min_rel",
                where=self.name,
            )

    def needs(self) -> Needs:
        """Use the labels with a gain, and the highest label of each query."""
        return super().needs()._replace(lowest=self._lowest(), ideal=1)

    def _lowest(self) -> float:
        """Return the lowest label with a gain; of weighted measures, labels are gains already."""
        if self.weighted:
            return ABOVE_ZERO
        return self.rel if self.max_rel is None else float(np.nextafter(self.min_rel, np.inf))

    def has_relevant(self, a: Alignment) -> Bools:
        """Return which queries have a judged document with a gain: (Q,) bool."""
        return a.num_relevant(self._lowest()) > 0

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:  # noqa: ARG002
        """Return which labels have a gain: (n,) bool."""
        return label >= self._lowest()

    def merit(self, label: Floats) -> Floats:
        """Return merits in the order of gains."""
        if self.weighted:
            return np.maximum(label, 0.0)
        if self.max_rel is None:
            return (label >= self.rel).astype(np.float64)
        return np.maximum(label - self.min_rel, 0.0)

    def gains_to_weigh(self, label: Floats) -> Floats:
        """Return 1 for relevant labels, else 0."""
        return (label >= self.rel).astype(np.float64)

    def gains(self, a: Alignment) -> Floats:
        """Return the gain of each document: (H,) float64, from 0 to 1, unless it is weighted."""
        if self.weighted:
            return np.maximum(a.label, 0.0)
        if self.max_rel is None:
            return a.relevant(self.rel).astype(np.float64)
        above = np.maximum(a.label - self.min_rel, 0.0)
        if self.max_rel == "query":
            span = a.spread(highest(a)) - self.min_rel
            return np.divide(above, span, out=np.zeros(len(above)), where=span > 0)
        refuse_higher(self, a, float(self.max_rel))
        return above / (float(self.max_rel) - self.min_rel)


def highest(a: Alignment) -> Floats:
    """Return the highest judged label of each query, 0 if nothing is judged: (Q,) float64."""
    judged = np.diff(a.ideal_starts) > 0
    label = np.zeros(len(judged))
    label[judged] = a.ideal_label[a.ideal_starts[:-1][judged]]
    return label


def refuse_higher(measure: Measure, a: Alignment, max_rel: float) -> None:
    """Raise a MeasureError if some document is judged higher than ``max_rel``."""
    found = a.of_ideal("highest label", lambda: float(a.ideal_label.max(initial=-np.inf)))
    if found > max_rel:
        raise MeasureError(
            f"label {found:g} is above max_rel={max_rel:g}",
            f"give the highest label of your scale, as in {measure.name}(max_rel={found:g})",
            where=str(measure),
        )
