"""Distances between items, by their categories, vectors, users, or a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.arguments import is_finite_number
from rankmark.data.alignment import gathered, query_of_rows
from rankmark.errors import InputError, shown
from rankmark.measures.base.parameters import choice

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.data.preparing.list_facts import ListFacts, Lists

MOST = 1 << 22
"""Numbers of vectors that are in memory at a time."""
OF_FEATURES = ("cosine", "jaccard", "hamming", "euclidean")


def distance_of_items(*others: str) -> Any:
    """Declare ``distance``: by vectors or categories, by users, or as a function given."""
    return choice(
        "the distance between two items: of their vectors or sets of categories, of the sets of "
        "users who had them (cooccurrence), or by the function that is given as items",
        *others,
        *OF_FEATURES,
        *[one for one in ("cooccurrence", "given") if one not in others],
    )


class ItemDistances:
    """The distances between the items of a run.

    Attributes
    ----------
    known
        (n_items,) bool, which items have what distances need.
    vectors
        (n_items, d) float64; None for sets and functions.
    """

    known: Bools
    vectors: Floats | None = None
    _had: tuple[Ints, Ints] | None = None

    def __init__(self, facts: ListFacts, distance: str) -> None:
        self.kind = "cosine" if distance == "cooccurrence" else distance
        self._ids = facts.item_ids
        self._given: Callable[[str, str], float] | None = None
        if distance == "given":
            self._given = facts.data.distance
            if self._given is None:
                raise InputError("it needs a distance", "give items, a function of two ids")
            self.known = np.ones(facts.n_items, dtype=np.bool_)
        elif distance != "cooccurrence" and facts.has_vectors:
            self.vectors = facts.vectors
            self.known = np.asarray(np.isfinite(self.vectors).all(axis=1), dtype=np.bool_)
        else:
            if distance == "cooccurrence":
                self._had, self._sizes = facts.histories, facts.users_of
            elif facts.data.distance is not None:
                raise InputError("items is a function", 'choose distance="given"')
            else:
                self._starts, self._members = facts.categories
                self._sizes = np.diff(self._starts).astype(np.float64)
            self.known = self._sizes > 0
            if distance == "cooccurrence":  # an item that nobody had is at distance 1 from all
                self.known[:] = True

    def notes(self, lists: Lists) -> list[str]:
        """Say how many items of the lists have no distance, if there are some."""
        none = int(np.count_nonzero(~self.known[lists.items]))
        return [f"items without vector or categories {none:,} of {len(lists.items):,}"] * (none > 0)

    def units(self, items: Ints) -> Floats:
        """Return vectors of length 1, or 0 where all numbers are 0: (m, d) float64."""
        assert self.vectors is not None  # noqa: S101
        found = self.vectors[items]
        length = np.sqrt(np.einsum("ij,ij->i", found, found))
        return found / np.where(length > 0, length, 1.0)[:, None]

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return the distance of each pair of known items: (p,) float64."""
        if not len(a):
            return np.zeros(0)
        many = len(self.known)
        pairs, place = np.unique(np.minimum(a, b) * many + np.maximum(a, b), return_inverse=True)
        first, second = pairs // many, pairs % many
        width = 1
        if self.vectors is not None:
            width = max(self.vectors.shape[1], 1)
        elif self._given is None and self._had is None:
            width = int(self._sizes.max(initial=1))
        batch = max(MOST // width, 1)
        found = np.concatenate(
            [
                self._of_pairs(first[at : at + batch], second[at : at + batch])
                for at in range(0, len(first), batch)
            ]
        )
        return found[place.reshape(-1)]

    def _of_pairs(self, a: Ints, b: Ints) -> Floats:
        if self._given is not None:
            return np.array(
                [self._call(*pair) for pair in zip(a.tolist(), b.tolist(), strict=True)]
            )
        if self.vectors is None:
            return self._of_sets(a, b)
        if self.kind == "cosine":
            return 1 - np.einsum("ij,ij->i", self.units(a), self.units(b))
        x, y = self.vectors[a], self.vectors[b]
        if self.kind == "euclidean":
            return np.sqrt(((x - y) ** 2).sum(axis=1))
        if self.kind == "hamming":
            return (x != y).sum(axis=1).astype(np.float64)
        return _jaccard(((x != 0) & (y != 0)).sum(axis=1), ((x != 0) | (y != 0)).sum(axis=1))

    def _of_sets(self, a: Ints, b: Ints) -> Floats:
        one, other = self._sizes[a], self._sizes[b]
        both = self._in_both(a, b) if self._had is None else self._had_together(a, b, *self._had)
        if self.kind == "cosine":
            return 1 - both / np.sqrt(np.maximum(one * other, 1.0))
        if self.kind == "jaccard":
            return _jaccard(both, one + other - both)
        differ = one + other - 2 * both
        if self.kind == "euclidean":
            np.sqrt(differ, out=differ)
        return differ

    def _in_both(self, a: Ints, b: Ints) -> Floats:
        """Count the members that the two sets of each pair share: (p,) float64."""
        many = int(self._members.max(initial=0)) + 1
        keys = np.sort(np.concatenate([self._keys(a, many), self._keys(b, many)]))
        twice = keys[1:][keys[1:] == keys[:-1]] // many
        return np.bincount(twice, minlength=len(a)).astype(np.float64)

    def _had_together(self, a: Ints, b: Ints, starts: Ints, items: Ints) -> Floats:
        """Count the users who had both items of each pair, from the pairs of each user's items."""
        many = len(self.known)
        wanted = a * many + b  # rising
        found = np.where(a == b, self._sizes[a], 0.0)
        # Most items of histories are in no list, and the pairs of a user's items are many.
        listed = np.zeros(many, dtype=np.bool_)
        listed[a] = listed[b] = True
        kept = listed[items]
        starts, items = np.append(0, np.cumsum(kept))[starts], items[kept]
        after = starts[query_of_rows(starts) + 1] - np.arange(len(items)) - 1
        ends = np.cumsum(after)
        at = 0
        while at < len(items):
            end = max(int(np.searchsorted(ends, ends[at] + MOST)), at + 1)
            first = np.repeat(np.arange(at, end), after[at:end])
            second = (
                np.arange(len(first))
                + 1
                + np.repeat(
                    np.arange(at, end) - (ends[at:end] - after[at:end] - (ends[at] - after[at])),
                    after[at:end],
                )
            )
            keys = items[first] * many + items[second]
            place = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
            found += np.bincount(place[wanted[place] == keys], minlength=len(wanted))
            at = end
        return found

    def _keys(self, items: Ints, many: int) -> Ints:
        row, member = gathered(self._starts, self._members, items)
        return row * many + member

    def _call(self, a: int, b: int) -> float:
        assert self._given is not None  # noqa: S101
        found = self._given(self._ids[a], self._ids[b])
        if not is_finite_number(found) or found < 0:
            raise InputError(
                f"the distance of {self._ids[a]!r} and {self._ids[b]!r} is {shown(found)}",
                "need a finite number from 0",
            )
        return float(found)


def _jaccard(both: Floats | Ints, either: Floats | Ints) -> Floats:
    return np.where(either > 0, 1 - both / np.maximum(either, 1), 0.0)
