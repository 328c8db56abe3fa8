"""Compatibility: how similar a ranking is to the closest ideal ranking."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs, query_of_rows, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import horizon, probability
from rankmark.measures.base.requirements import ABOVE_ZERO
from rankmark.results.explanations.contributions import Contributions


class Compatibility(Measure):
    """The rank-biased overlap of a ranking with the closest ideal ranking.

    Formula: RBO(ranking, ideal) / RBO(ideal, ideal), RBO being the sum over depths d = 1 to k of
    p^(d-1) X_d / d, and X_d the number of documents among the first d of both. An ideal ranking has
    the documents with labels above 0, the highest first; the closest one has those with equal
    labels in the order of the ranking, those that were not retrieved last.
    Nothing relevant: 0.
    Ties: by the evaluation's rule. The authors' script orders them by id ascending
    (``ties="docid-asc"``).
    Unjudged documents: in no ideal ranking.
    Elsewhere: the authors' compatibility.py is as here, but leaves out queries without relevant
    documents (``no_relevant="skip"``). ir_measures ``Compat`` sums only to the end of the longer of
    the two lists. ``similarity.compatibility`` is this for one ranking of ids.
    Source: Clarke, Vtyurina and Smucker, ACM TOIS 39(3), 2021; Clarke, Smucker and Vtyurina, CIKM
    2020.
    """

    k: int | None = horizon()
    p: float = probability("the probability to continue to the next rank", 0.95)

    name = "Compat"
    full_name = "compatibility"
    aliases: Aliases = {"compatibility": {}}
    formula = "RBO with the nearest ideal ranking / RBO of that with itself"
    latex = (
        r"\frac{\mathrm{RBO} \text{ with the nearest ideal ranking}}{\mathrm{RBO} \text{ of "
        r"that with itself}}"
    )
    depends_on: DependsOn = "grades"

    def needs(self) -> Needs:
        """Use the labels in ideal rankings: those above 0."""
        return Needs(lowest=ABOVE_ZERO, deepest=self.k)

    def score(self, a: Alignment) -> Floats:
        weights = self._weights()
        return ratio(a.sum(self._overlap(a, weights, _ideal_places(a))), self._divisor(a, weights))

    def contributions(self, a: Alignment) -> Contributions:
        weights, place = self._weights(), _ideal_places(a)
        overlap = self._overlap(a, weights, place)
        relevant = a.relevant(ABOVE_ZERO)
        return Contributions(
            overlap,
            divisor=self._divisor(a, weights),
            columns={
                "ideal_rank": np.where(relevant, place, np.nan),
                "both_have_it_at": np.where(relevant, np.maximum(a.rank, place), np.nan),
                "overlap": overlap,
            },
            written="{overlap}",
            frame="{sum} / {ideal}",
        )

    def _overlap(self, a: Alignment, weights: Floats, place: Floats) -> Floats:
        """Return the contribution of each document to the overlap: (H,) float64."""
        deeper = np.maximum(a.rank, place)
        return weights[np.minimum(deeper - 1, len(weights) - 1)] * a.relevant(ABOVE_ZERO)

    def _divisor(self, a: Alignment, weights: Floats) -> Floats:
        """Return the overlap of the ideal ranking with itself: (Q,) float64."""
        size = np.minimum(a.num_relevant(ABOVE_ZERO), len(weights) - 1).astype(np.int64)
        return np.append(0.0, np.cumsum(weights))[size]

    def _weights(self) -> Floats:
        """Return the contribution of a document that both rank by m = 1, 2, ...: (k + 1,)."""
        depth = np.arange(1.0, (self.k or 1000) + 1)
        weights = self.p ** (depth - 1) / depth
        # It counts at that depth and all greater ones.
        return np.append(np.cumsum(weights[::-1])[::-1], 0.0)


def _ideal_places(a: Alignment) -> Floats:
    """Return the 1-based rank of each document in the closest ideal ranking: (H,).

    It comes after all judged documents of the query with higher labels, and after those with its
    own label that were retrieved before it.
    """
    labels, code = np.unique(np.concatenate([-a.label, -a.ideal_label]), return_inverse=True)
    query, ideal_query = query_of_rows(a.starts), a.ideal_query()
    key = query * (len(labels) + 1) + code[: len(query)]
    ideal_key = ideal_query * (len(labels) + 1) + code[len(query) :]
    higher = np.searchsorted(ideal_key, key) - a.ideal_starts[query]
    by_key = np.argsort(key, kind="stable")
    place = np.empty(len(key), dtype=np.int64)
    place[by_key] = np.arange(len(key))
    before = place - np.searchsorted(key[by_key], key)
    return higher + before + 1


Compat: Final = Compatibility()
