"""Intra-list distance: how different the items of a list are from each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.errors import InputError
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff, flag, threshold
from rankmark.measures.families.item_distances import MOST, ItemDistances, distance_of_items
from rankmark.measures.families.item_terms import Terms
from rankmark.measures.families.rank_weights import rank_weights, relevance, weights_of
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists

_ONE_ITEM = {"nan": np.nan, "zero": 0.0, "one": 1.0}


class IntraListDistance(ListMeasure):
    """The mean distance of two items of a list.

    Formula: the sum over pairs of items among the first k of w_i w_j distance / the sum of
    w_i w_j, where w are the weights of ranks, all 1 by default. With ``relevant=True`` only pairs
    of relevant items add to the sum (EILD). Distances are of vectors if items have them, and else
    of sets of categories; hamming counts the categories or numbers that differ, and a vector of
    zeros is at cosine distance 1 from all. An item without vector or categories is left out, or an
    error. A list of one item has the value ``one_item`` says, and one without items none.
    Nothing relevant: with ``relevant=True`` 0; else no special case.
    Ties: matter only across rank k, or if ranks have weights.
    Unjudged documents: count as all others; with ``relevant=True`` as not relevant.
    Elsewhere: RecTools ``IntraListDiversity`` and recpack's ILD are 0 for one item,
    ``one_item="zero"``; recommenders' ``diversity`` is distance="cooccurrence" by default;
    LensKit's ``ILS`` is 1 minus that of cosine, with ``one_item="zero"``; evidently divides the sum
    over pairs by the number of items, which is the mean only for three items. Vargas and Castells
    weight the second item of a pair by its rank below the first one; here both count by their own.
    Source: Ziegler et al., Improving recommendation lists through topic diversification, WWW 2005.
    """

    k: int | None = cutoff()
    distance: str = distance_of_items()
    one_item: str = choice("the value of a list of one item", *_ONE_ITEM)
    missing: str = choice("what an item without vector or categories is", "skip", "error")
    weights: str | float = rank_weights()
    relevant: bool = flag("whether pairs with an item that is not relevant count as 0")
    rel: float = threshold()

    name = "ILD"
    full_name = "intra-list distance"
    aliases: Aliases = {
        "IntraListDiversity": {},
        "intra_list_diversity": {},
        "EILD": {"relevant": True, "weights": "log2"},
    }
    formula = "mean distance of two items among the first k"
    latex = r"\frac{2}{n (n - 1)} \sum_{i < j} d_{ij}"
    bounds = (0.0, np.inf)

    def over(self, lists: Lists, facts: ListFacts) -> Floats:
        distances = ItemDistances(facts, self.distance)
        known = distances.known[lists.items]
        if not known.all():
            if self.missing == "error":
                item = facts.item_ids[lists.items[~known][0]]
                raise InputError(f"item {item!r} has no vector or categories", "give them in items")
            lists = lists.only(known)
        weight, counted = self._weights(lists, facts)
        of_units = distances.vectors is not None and distances.kind == "cosine"
        sums = (_of_units if of_units else _of_pairs)(distances, lists, counted)
        pairs = (lists.sum(weight) ** 2 - lists.sum(weight**2)) / 2
        several = np.where(lists.sizes > 1, sums / pairs, np.nan)
        return np.where(lists.sizes == 1, _ONE_ITEM[self.one_item], several)

    def _weights(self, lists: Lists, facts: ListFacts) -> tuple[Floats, Floats]:
        """Return the weight of each item in the divisor, and in the sum over pairs."""
        weight = weights_of(self.weights, lists.rank)
        if not self.relevant:
            return weight, weight
        return weight, weight * relevance(lists, facts, self.rel)

    def terms(self, lists: Lists, facts: ListFacts) -> Terms:
        distances = ItemDistances(facts, self.distance)
        lists = lists.only(distances.known[lists.items])
        weight, counted = self._weights(lists, facts)
        of_list, sums = lists.of_list, np.zeros(len(lists.items))
        for apart in range(1, int(lists.sizes.max(initial=0))):
            first = np.flatnonzero(of_list[:-apart] == of_list[apart:])
            second = first + apart
            between = distances.between(lists.items[first], lists.items[second])
            weighted = counted[first] * counted[second] * between
            sums[first] += weighted
            sums[second] += weighted
        pairs = (lists.sum(weight) ** 2 - lists.sum(weight**2)) / 2
        # Of each pair, half is of one item.
        return Terms(lists, sums / 2, pairs, {"distances": sums}, "{distances}/2")

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        distances = ItemDistances(facts, self.distance)
        told = distances.notes(lists)
        single = int(np.count_nonzero(lists.only(distances.known[lists.items]).sizes == 1))
        if single:
            counted = {"nan": "without a value"}.get(self.one_item, f"counted as {self.one_item}")
            told.append(f"lists of one item {single:,}: {counted}")
        return told


def _of_pairs(distances: ItemDistances, lists: Lists, weight: Floats) -> Floats:
    """Sum the weighted distances of the pairs of each list: (n,) float64."""
    of_list, found = lists.of_list, np.zeros(len(lists))
    for apart in range(1, int(lists.sizes.max(initial=0))):
        first = np.flatnonzero(of_list[:-apart] == of_list[apart:])
        between = distances.between(lists.items[first], lists.items[first + apart])
        weighted = weight[first] * weight[first + apart] * between
        found += np.bincount(of_list[first], weights=weighted, minlength=len(lists))
    return found


def _of_units(distances: ItemDistances, lists: Lists, weight: Floats) -> Floats:
    """Do so for cosine distances, by the sum of the vectors of each list."""
    assert distances.vectors is not None  # noqa: S101
    starts, found = lists.starts, np.zeros(len(lists))
    rows = max(MOST // max(distances.vectors.shape[1], 1), 1)
    at = 0
    while at < len(lists):
        end = max(int(np.searchsorted(starts, starts[at] + rows, side="right")) - 1, at + 1)
        begin = int(starts[at])
        units = distances.units(lists.items[begin : starts[end]])
        w = weight[begin : starts[end]]
        filled = np.flatnonzero(np.diff(starts[at : end + 1])) + at
        if len(filled):
            places = starts[filled] - begin
            whole = np.add.reduceat(units * w[:, None], places)
            own = np.add.reduceat(w**2 * np.einsum("ij,ij->i", units, units), places)
            all_pairs = np.add.reduceat(w, places) ** 2 - np.add.reduceat(w**2, places)
            found[filled] = (all_pairs - np.einsum("ij,ij->i", whole, whole) + own) / 2
        at = end
    return np.maximum(found, 0.0)


ILD: Final = IntraListDistance()
