"""How many documents are screened, as technology-assisted review counts them."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs
from rankmark.errors import MeasureError
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import size


class Screening(Measure):
    """A measure over N documents, which are screened in the order of the ranking.

    N is ``collection``; by default it is the number of documents retrieved or judged, whichever is
    greater, as a review judges all its documents, and a ranking may end before the last of them.
    """

    collection: int | None = size("the number of documents to screen")

    def needs(self) -> Needs:
        """Use all judged documents, to count them."""
        return super().needs()._replace(lowest=-np.inf, ideal=None)

    def screened(self, a: Alignment) -> Floats:
        """Return N of each query: (Q,) float64."""
        return screened(self, a, self.collection)


def screened(measure: Measure, a: Alignment, collection: int | None) -> Floats:
    """Return the number of documents to screen of each query: (Q,) float64."""
    known = np.maximum(a.retrieved, np.diff(a.ideal_starts)).astype(np.float64)
    if collection is None:
        return known
    most = known.max(initial=0.0)
    if most > collection:
        raise MeasureError(
            f"in some query {most:.0f} documents are retrieved or judged",
            "the collection must have at least as many",
            where=str(measure),
        )
    return np.full(len(known), float(collection))
