"""How large the largest query, or cluster of queries, of a population is taken to be."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmark.array_types import Floats
from rankmark.conventions import query_text
from rankmark.errors import InputError, counted
from rankmark.scoring.aggregates import weights_of
from rankmark.statistics.score_arrays import cluster_numbers
from rankmark.verbs.evaluate.query_attributes import (
    clusters_of,
    given_weights,
    values_by_query,
    weights_by_query,
)


@dataclass(frozen=True, slots=True)
class Units:
    """What was drawn from the population: queries with weights, or clusters of queries.

    Parameters
    ----------
    weights, clusters
        (n_queries,) of each query that is averaged; None for none.
    sizes
        (n_units,) float64, the weight of each query, or of clusters the sum of these.
    unseen
        The size of the largest unit that ``weights`` or ``clusters`` name and that has queries that
        are not averaged; 0 if there is none.
    others
        How many queries they name that are not averaged.
    """

    weights: Floats | None
    clusters: list[Hashable] | None
    sizes: Floats
    unseen: float = 0.0
    others: int = 0

    @classmethod
    def of(cls, queries: Sequence[str], weights: Any, clusters: Any) -> Units:
        """Take the weights and the clusters, in any form, of all queries that they name."""
        n = len(queries)
        if weights is None and clusters is None:
            return cls(None, None, np.ones(n))
        # They are read once, as they may come from standard input.
        by_weight = None if weights is None else weights_by_query(weights)
        by_cluster = None if clusters is None else values_by_query(clusters, "clusters")
        own = None if by_weight is None else given_weights(by_weight, queries)
        groups = None if by_cluster is None else clusters_of(by_cluster, queries)
        named = [*by_cluster] if by_cluster is not None else [*(by_weight or {})]
        averaged = {*queries}
        others = [one for one in named if query_text(one, "queries") not in averaged]
        extra = np.ones(len(others))
        if by_weight is not None:
            known = {query_text(one, "weights"): one for one in by_weight}
            texts = [query_text(one, "clusters") for one in others]
            extra = weights_of(
                texts,
                dict.fromkeys(texts, 0.0)
                | {text: by_weight[known[text]] for text in texts if text in known},
            )
        each = np.ones(n) if own is None else own
        if groups is None or by_cluster is None:
            return cls(own, None, each, float(extra.max(initial=0.0)), len(others))
        units = cluster_numbers([*groups, *(by_cluster[one] for one in others)], n + len(others))
        assert units is not None  # noqa: S101
        sizes = np.bincount(units, np.concatenate((each, extra)))
        unseen = float(sizes[units[n:]].max(initial=0.0))
        return cls(
            own, groups, np.bincount(units[:n], each).astype(np.float64), unseen, len(others)
        )

    def largest(
        self, weight: float | None, cluster: float | None, *, has_slices: bool = False
    ) -> tuple[float | None, str]:
        """Return the size of the largest unit of the population, and what to know of it.

        Parameters
        ----------
        weight, cluster
            The options ``largest_weight`` and ``largest_cluster``.
        has_slices
            Whether slices are decided, too.

        Returns
        -------
        float or None, str
            None if it is the largest of the sample, or of a slice of it; no words if queries are
            all alike.
        """
        _refuse_unused(weight, cluster, self)
        if (self.weights is None and self.clusters is None) or not len(self.sizes):
            return None, ""
        are_clusters, most = self.clusters is not None, float(self.sizes.max())
        name, stated = ("largest_cluster", cluster) if are_clusters else ("largest_weight", weight)
        # A cluster may have been drawn in part, so that a smaller number may be stated.
        least = most if are_clusters else max(most, self.unseen)
        if stated is not None and stated < least:
            raise InputError(
                f"{name} is {stated:g}, and {'a cluster has' if are_clusters else 'a query weighs'}"
                f" {least:g}",
                "give that of the largest in the population that the sample was drawn from",
            )
        if stated is not None:
            return stated, self._missing(stated, f"{name} says")
        if self.unseen > most:
            of, others = "clusters" if are_clusters else "weights", self.others
            are = "is" if others == 1 else "are"
            named = f"{of} names {counted(others, 'query', 'queries')} that {are} not averaged"
            return self.unseen, self._missing(self.unseen, named)
        what, larger = ("cluster", "larger") if are_clusters else ("query", "heavier")
        own = f" (in a slice: than its own {what} of most)" if has_slices else ""
        told = (
            f"no {what} {larger} than {most:g} is known, and the verdicts hold only if there is "
            f"none{own}: {name} states what there can be; {self._worth(most)}"
        )
        return self.unseen or None, told

    def _missing(self, size: float, why: str) -> str:
        what, has = ("cluster", "has size") if self.clusters is not None else ("query", "weighs")
        return (
            f"a {what} that {has} {size:g} may be missing here, as {why}; the largest here {has} "
            f"{float(self.sizes.max()):g}; {self._worth(size)}"
        )

    def _worth(self, size: float) -> str:
        """Say what unequal sizes cost."""
        n, worth = len(self.sizes), float(self.sizes.sum()) / size
        if self.clusters is not None:
            return f"for rare losses, {counted(n, 'cluster')} are worth {worth:.1f} of equal size"
        return (
            f"for rare losses, {counted(n, 'query', 'queries')} are worth {worth:.1f} that are "
            "drawn by weight and counted once"
        )


def _refuse_unused(weight: float | None, cluster: float | None, units: Units) -> None:
    if weight is not None and units.clusters is not None:
        raise InputError(
            "largest_weight is given, and clusters are what is drawn",
            "give largest_cluster, the most that the queries of a cluster weigh together",
        )
    if weight is not None and units.weights is None:
        raise InputError("largest_weight is given, and no weights", "give weights")
    if cluster is not None and units.clusters is None:
        raise InputError("largest_cluster is given, and no clusters", "give clusters")
