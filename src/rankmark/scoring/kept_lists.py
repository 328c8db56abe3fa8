"""The lists of batches, kept as numbers of items, and what measures find in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from rankmark.array_types import Bools, Ints
from rankmark.conventions import Conventions
from rankmark.data.alignment import gathered
from rankmark.data.preparing.item_data import ItemData
from rankmark.data.preparing.list_facts import ListFacts, Lists
from rankmark.errors import InputError
from rankmark.measures import Measure
from rankmark.measures.base.requirements import needs_of
from rankmark.measures.of_lists.list_measure import OfItems
from rankmark.scoring.list_scores import AllLists, told_of_lists
from rankmark.scoring.ranked import averaged


class KeptLists(NamedTuple):
    """The items of n lists, m in total, best first.

    Parameters
    ----------
    sizes
        (n,) int64, how many items each list has.
    items
        (m,) int32, the number of each item; -1 - its place in ``outside`` if it has none.
    outside
        Ids of items that only the run names.
    """

    sizes: Ints
    items: Ints
    outside: tuple[str, ...]

    @classmethod
    def of(cls, lists: Lists, facts: ListFacts) -> KeptLists:
        """Keep the items of lists."""
        known = len(facts.data.numbers)
        items = np.where(lists.items < known, lists.items, known - 1 - lists.items)
        return cls(np.diff(lists.starts), items.astype(np.int32), tuple(facts.outside))

    @classmethod
    def joined(cls, parts: Sequence[KeptLists]) -> KeptLists:
        """Append the lists of several parts."""
        outside: dict[str, int] = {}
        found = []
        for part in parts:
            places = [outside.setdefault(one, len(outside)) for one in part.outside]
            found.append(part._renumbered(-1 - np.array(places, dtype=np.int64)))
        sizes = np.concatenate([part.sizes for part in parts])
        return cls(sizes, np.concatenate(found).astype(np.int32), tuple(outside))

    def at(self, rows: Ints) -> KeptLists:
        """Keep some lists, in this order."""
        starts = np.append(0, np.cumsum(self.sizes))
        return self._replace(sizes=self.sizes[rows], items=gathered(starts, self.items, rows)[1])

    def whole(self, data: ItemData, queries: Sequence[str]) -> tuple[Lists, ListFacts]:
        """Return the lists of these queries, and what is known of their items."""
        known = len(data.numbers)
        order = sorted(range(len(self.outside)), key=self.outside.__getitem__)
        numbers = np.empty(len(order), dtype=np.int64)
        numbers[order] = np.arange(known, known + len(order))
        items = self._renumbered(numbers)
        starts = np.append(0, np.cumsum(self.sizes))
        rank = np.arange(1, len(items) + 1) - np.repeat(starts[:-1], self.sizes)
        lists = Lists(starts, items, rank, np.arange(len(queries)), items)
        return lists, _FactsOfBatches(data, queries, [self.outside[place] for place in order])

    def _renumbered(self, outside: Ints) -> Ints:
        """Return the items, those outside by other numbers: (m,) int64."""
        items = self.items.astype(np.int64)
        items[items < 0] = outside[-1 - items[items < 0]]
        return items


def no_lists(data: ItemData) -> tuple[Lists, ListFacts]:
    """Return the lists of no query."""
    none = np.zeros(0, dtype=np.int64)
    return KeptLists(none, none, ()).whole(data, [])


class _FactsOfBatches(ListFacts):
    """What is known of the items of batches, whose judgments are not kept."""

    def __init__(self, data: ItemData, queries: Sequence[str], outside: Sequence[str]) -> None:
        none = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
        super().__init__(data, tuple(queries), outside, none, self._refuse, None)

    has_labels = True

    @property
    def labels(self) -> NoReturn:
        """Raise InputError."""
        self._refuse()

    def relevant_items(self, *_: Any) -> NoReturn:
        """Raise InputError."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise InputError(
            "it needs the judgments of all queries at once, and batches keep none",
            "evaluate in one process with rankmark.evaluate, or leave it out",
        )


def of_batches(
    measures: Sequence[Measure],
    conventions: Conventions,
    data: ItemData,
    kept: Sequence[KeptLists],
    queries: Sequence[str],
    answered: Bools,
) -> AllLists:
    """Return the values of measures of the run, and the notes on the lists of all batches.

    Parameters
    ----------
    kept
        The lists of these queries in the order of ``ListScores.ranked``.
    answered
        (Q,) bool, which queries the run has.
    """
    asked = [one for one in measures if isinstance(one, OfItems)]
    rankings = dict.fromkeys((conventions.of(one), one.budget) for one in asked)
    found = [one.whole(data, queries) for one in kept]
    by_ranking = dict(zip(rankings, found, strict=True))
    rows = {of: averaged(of, queries, answered) for of, _ in rankings}

    def listed(measure: OfItems) -> tuple[Lists, ListFacts]:
        lists, facts = by_ranking[conventions.of(measure), measure.budget]
        return lists.first(getattr(measure, "k", None)), facts

    together = AllLists.of(asked, listed, lambda one: rows[conventions.of(one)])
    (first, _), (lists, facts) = next(iter(by_ranking.items()))
    told = told_of_lists(facts, lists, rows[first], needs_of(asked).deepest)
    return together._replace(notes=(*told, *together.notes))
