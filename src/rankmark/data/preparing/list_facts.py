"""The lists of a run as numbers of items, and what is known of these items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._core import Judgments, paired_judgments, qrels_from_rows
from rankmark.array_types import Bools, Floats, Ints, are_among, distinct
from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment, query_of_rows, segment_sum
from rankmark.data.alignment.views import View
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.resources import as_threads
from rankmark.data.contract.source import Rows
from rankmark.data.preparing.item_data import ItemData
from rankmark.data.preparing.list_rows import Listed, ListRows
from rankmark.data.preparing.no_judgments import kept_rows, without_labels
from rankmark.data.preparing.parents import renamed
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.ranked_queries import with_groups_of
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.units import naming_documents
from rankmark.errors import InputError

LISTS = "lists"
"""The name of the view of an alignment that has the items of its rows."""


@dataclass(slots=True, eq=False)
class Lists:
    """The first k items of n lists, m items in total. Read-only.

    Parameters
    ----------
    starts
        (n + 1,) int64; items ``starts[i]`` to ``starts[i + 1]`` are the i-th list, best first.
    items
        (m,) int64, the numbers of the items; each stands once in a list.
    rank
        (m,) int64, from 1, rising within a list.
    user
        (n,) int64, the number of each list's query among ``ListFacts.queries``.
    row
        (m,) int64, the number of each row in ``ListFacts.labels``.
    """

    starts: Ints
    items: Ints
    rank: Ints
    user: Ints
    row: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def of_list(self) -> Ints:
        """The number of each item's list, from 0: (m,) int64."""
        return query_of_rows(self.starts)

    @property
    def sizes(self) -> Floats:
        """The number of items of each list, at most k: (n,) float64."""
        return np.diff(self.starts).astype(np.float64)

    def sum(self, values: Floats) -> Floats:
        """Sum the values of the items of each list, first to last: (m,) to (n,) float64."""
        return segment_sum(values, self.starts)

    def mean(self, values: Floats) -> Floats:
        """Average the values of the items of each list: (m,) to (n,) float64; NaN if empty."""
        sizes = self.sizes
        found = np.full(len(sizes), np.nan)
        np.divide(self.sum(values), sizes, out=found, where=sizes > 0)
        return found

    def first(self, k: int | None) -> Lists:
        """Return the first k items of each list."""
        if k is None or not len(self.rank) or int(self.rank.max()) <= k:
            return self
        return self.only(self.rank <= k)

    def chosen(self, lists: Ints) -> Lists:
        """Return some of the lists, by their numbers, which rise."""
        among = np.zeros(len(self), dtype=np.bool_)
        among[lists] = True
        kept = among[self.of_list]
        ends = np.cumsum(np.diff(self.starts)[lists])
        return Lists(
            np.append(0, ends),
            self.items[kept],
            self.rank[kept],
            self.user[lists],
            self.row[kept],
        )

    def only(self, kept: Bools) -> Lists:
        """Return some of the items of each list, by (m,) bool, at their ranks."""
        before = np.append(0, np.cumsum(kept))
        return Lists(
            before[self.starts], self.items[kept], self.rank[kept], self.user, self.row[kept]
        )


class ListFacts:
    """What is known of the users and of the n_items items of a run. Read-only.

    What was not given raises InputError where it is asked for. Items have numbers from 0, those of
    the catalogue the first ones; items that only the run names have the last.

    Attributes
    ----------
    queries
        (q,) ids of the judged queries, or users.
    n_items
        How many items have numbers.
    labels
        (rows,) float64, the label of each item for its user, NaN if unjudged; see ``Lists.row``.
    """

    def __init__(
        self,
        data: ItemData,
        queries: tuple[str, ...],
        outside: Sequence[str],
        items: tuple[Ints, NDArray[np.uint32]],
        all_judged: Callable[[], Judgments],
        judged: Qrels | None,
    ) -> None:
        self.data = data
        self.queries = queries
        self.outside = outside
        self.n_items = len(data.numbers) + len(outside)
        self._items = items
        self._all_judged: Callable[[], Judgments] | None = all_judged
        self._judged = judged

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the core's judgments."""
        known = {"labels": self.labels, "has_labels": self.has_labels}
        return vars(self) | known | {"listed": None, "_all_judged": None, "_judged": None}

    @cached_property
    def listed(self) -> Judgments:
        """The core's judgments of all documents of the lists, labelled with their rows."""
        assert self._all_judged is not None  # noqa: S101
        return self._all_judged()

    def items_of(self, row: Ints) -> Ints:
        """Return the items of some rows."""
        numbers, document = self._items
        return numbers[document[row]]

    @cached_property
    def has_labels(self) -> bool:
        """Whether there are judgments."""
        return self._judged is not None and len(_labels(self._judged)) > 0

    @cached_property
    def labels(self) -> Floats:
        """The label of each row: (rows,) float64, NaN if unjudged."""
        found = np.full(len(self._items[1]), np.nan)
        if self._judged is not None:
            if not self._judged.rows:
                raise InputError("it needs judgments", "give qrels")
            at = paired_judgments(self.listed, self._judged.judgments, as_threads(None))
            row = self.listed.labels().astype(np.int64)
            of_judged = _labels(self._judged)
            found[row[at >= 0]] = of_judged[at[at >= 0]]
        return found

    def relevant_items(self, lists: Lists, rel: float) -> tuple[Ints, Ints]:
        """Return the list and the number of each relevant item of its user, in the list or not.

        Items that only the judgments name are -1.
        """
        if self._judged is None or not self.has_labels:
            raise InputError("it needs judgments", "give them")
        kept = np.flatnonzero(_labels(self._judged) >= rel)
        numbers = self.data.numbers | {one: at for at, one in enumerate(self.item_ids)}
        ids = self._judged.doc_ids
        items = np.array([numbers.get(ids[row], -1) for row in kept.tolist()], dtype=np.int64)
        place = np.full(len(self.queries), -1)
        place[lists.user] = np.arange(len(lists))
        of_list = place[query_of_rows(self._judged.judgments.starts())[kept]]
        return of_list[of_list >= 0], items[of_list >= 0]

    @cached_property
    def item_ids(self) -> tuple[str, ...]:
        """The ids of the items, by number."""
        return (*self.data.numbers, *self.outside)

    @property
    def has_catalogue(self) -> bool:
        """Whether there is a catalogue."""
        return self.data.is_union or self.data.catalogue is not None

    @property
    def catalogue(self) -> int:
        """The number of items in the catalogue, which have the numbers below it."""
        if self.data.is_union:
            return self.n_items
        if self.data.catalogue is None:
            raise InputError(
                "it needs a catalogue",
                "give catalogue, the ids of all items that could be in a list, or history, whose "
                "items are the catalogue",
            )
        return self.data.catalogue

    @cached_property
    def popularity(self) -> Floats:
        """The popularity of each item, 0 if it is cold: (n_items,) float64."""
        if not self.data.has_popularity:
            raise InputError(
                "it needs the popularity of items", "give history, or popularity, a number for each"
            )
        return self._padded(self.data.popularity)

    @cached_property
    def users_of(self) -> Floats:
        """How many users of the history have each item: (n_items,) float64."""
        self._need_history()
        return self._padded(self.data.users_of)

    @cached_property
    def interactions_of(self) -> Floats:
        """How many interactions the history has with each item: (n_items,) float64."""
        self._need_history()
        return self._padded(self.data.interactions_of)

    @cached_property
    def by_popularity(self) -> Ints:
        """The items, most popular first, equally popular ones in the order of ids: (n_items,)."""
        return np.lexsort((np.array(self.item_ids), -self.popularity))

    def shares_of(self, what: str) -> tuple[Floats, float]:
        """Return how many "users" or "interactions" each item has: (n_items,), and of how many."""
        if what == "users":
            return self.users_of, float(self.users)
        return self.interactions_of, float(self.interactions_of.sum())

    @property
    def users(self) -> int:
        """How many users the history has."""
        self._need_history()
        return self.data.users

    @cached_property
    def history(self) -> tuple[Ints, Ints]:
        """The distinct items that each query's user had before: (q + 1,) starts, and items."""
        self._need_history()
        return self.data.items_of_users(self.queries)

    @cached_property
    def categories(self) -> tuple[Ints, Ints]:
        """The categories of each item: (n_items + 1,) starts, and their codes from 0."""
        found = self.data.categories(self.n_items)
        if found is None:
            raise InputError(
                "it needs the categories of items", "give items, as {item: categories}"
            )
        return found

    @property
    def category_names(self) -> tuple[str, ...]:
        """The names of the categories, by code."""
        return self.data.category_names

    @cached_property
    def vectors(self) -> Floats:
        """The vector of each item, NaN where it has none: (n_items, d) float64."""
        found = self.data.vectors(self.n_items)
        if found is None:
            raise InputError("it needs the vectors of items", "give items, as {item: vector}")
        return found

    @property
    def histories(self) -> tuple[Ints, Ints]:
        """The distinct items of each user of the history, rising: (users + 1,) starts; items."""
        self._need_history()
        starts, items = self.data._user_items
        return starts, items.astype(np.int64)

    @property
    def has_vectors(self) -> bool:
        """Whether items have vectors."""
        return self.data._vectors is not None

    @cached_property
    def groups(self) -> Floats:
        """The share of each item in each group, 0 in all if unknown: (n_items, g) float64."""
        found = self.data.groups(self.n_items)
        if found is None:
            raise InputError("it needs the groups of items", "give groups, as {item: group}")
        return found

    @cached_property
    def members(self) -> Floats:
        """The same with a last row of zeros, of the item -1: (n_items + 1, g) float64."""
        return np.vstack([self.groups, np.zeros(len(self.group_names))])

    @property
    def group_names(self) -> tuple[str, ...]:
        """The names of the groups."""
        return self.data.group_names

    def _need_history(self) -> None:
        if self.data.history is None:
            raise InputError("it needs the history", "give history, what users had before")

    def _padded(self, values: Floats) -> Floats:
        return np.append(values, np.zeros(self.n_items - len(values)))

    def lists_in(self, a: Alignment) -> Lists:
        """Return the lists of an alignment that has the view of these facts."""
        row = a.views[LISTS].document
        if a.queries is self.queries or tuple(a.queries) == self.queries:
            user = np.arange(len(self.queries))
        else:
            numbers = {query: number for number, query in enumerate(self.queries)}
            user = np.array([numbers[query] for query in a.queries], dtype=np.int64)
        rank = a.rank.astype(np.int64)
        found = Lists(a.starts, self.items_of(row), rank, user, row)
        kept = rank <= np.asarray(a.retrieved)[found.of_list]
        return found if kept.all() else found.only(kept)


def _labels(judged: Qrels) -> Floats:
    """Return the labels in the order of the core's judgments: (rows,) float64."""
    return judged.labels if judged.positional is None else judged.judgments.labels()


@dataclass(frozen=True, slots=True, eq=False)
class ListedRun:
    """A run that is ranked with all documents of its lists.

    Parameters
    ----------
    qrels, run
        What to match: every document is labelled with the number of its row.
    facts
        What is known of the documents.
    """

    qrels: Qrels
    run: Run
    facts: ListFacts

    def of(self, a: Alignment) -> Alignment:
        """Return an alignment of the two with the view that measures of lists use."""
        ideal = np.zeros(len(a.ideal_label), dtype=np.int64)
        view = View(self.facts, a.label.astype(np.int64), ideal)
        return a.with_columns(label=np.zeros(len(a.label)), views={LISTS: view})


def listed_run(
    qrels: Qrels,
    run: Run,
    conventions: Conventions,
    data: ItemData,
    most: int | None,
    reading: Reading,
) -> ListedRun:
    """List the documents of a run for the queries of judgments.

    Parameters
    ----------
    conventions
        Those of the ranking; with ``judged_only``, only judged documents are listed.
    most
        How many of the first documents of each query are needed, at least; None for all.
    """
    source = with_groups_of(qrels, run).source
    document_of = naming_documents(run.source, conventions)
    by_score = conventions.precision == "double" and conventions.duplicates == "error"
    of_rows = by_score and not conventions.judged_only and document_of is None
    of_rows = of_rows and not data.is_union  # which has all items of the run
    if most is not None and of_rows and qrels.rows:
        source = source.first_documents(most + conventions.drop_self)
    lists = kept_rows(qrels, source)
    rows = source.rows(reading.in_silence(), lenient=False) if lists is None else lists.rows
    if document_of is not None:
        rows = renamed(rows, document_of)
    given = rows
    rows, query = _judged_rows(rows, qrels, judged_only=conventions.judged_only)
    document = np.asarray(rows.doc_codes)
    present = np.zeros(int(document.max()) + 1 if len(document) else 0, dtype=np.bool_)
    present[document] = True
    doc_ids = [rows.doc_ids(code) for code in range(len(present))]
    outside: dict[str, int] = {}
    known = data.numbers
    numbers = np.full(len(present), -1)
    for code in np.flatnonzero(present).tolist():
        one = doc_ids[code]
        at = known.get(one)
        numbers[code] = outside.setdefault(one, len(known) + len(outside)) if at is None else at

    def all_judged() -> Judgments:
        labels = np.arange(len(query), dtype=np.float64)
        return qrels_from_rows(query, [*qrels.query_ids], document, doc_ids, labels)

    facts = ListFacts(data, qrels.query_ids, [*outside], (numbers, document), all_judged, qrels)

    def listed() -> Qrels:
        found = qrels.with_judgments_of_documents(facts.listed)
        found.positional = found.subtopics = found.groups = None
        return found

    if document_of is not None or hasattr(source, "seen"):
        return ListedRun(listed(), run, facts)
    if lists is None or rows is not given:
        lists = ListRows(rows, query, document, len(qrels.query_ids))
    return ListedRun(without_labels(qrels), Run.of(Listed(run.source, lists, listed)), facts)


def _judged_rows(rows: Rows, qrels: Qrels, *, judged_only: bool) -> tuple[Rows, NDArray[np.uint32]]:
    """Return the rows of judged queries, or of judged documents, and the number of their query."""
    query, document = np.asarray(rows.query_codes), np.asarray(rows.doc_codes)
    if rows.query_ids == qrels.query_ids and not judged_only:
        return rows, query
    kept = np.ones(len(query), dtype=np.bool_)
    if rows.query_ids != qrels.query_ids:
        place = {query: number for number, query in enumerate(qrels.query_ids)}
        unjudged = len(place)
        numbers = [place.get(query, unjudged) for query in rows.query_ids]
        query = np.array(numbers, dtype=np.uint32)[query]
        kept = query < unjudged
    if judged_only:
        names = [*dict.fromkeys(qrels.doc_ids)]
        codes = np.asarray(rows.doc_numbers(names), dtype=np.int64)
        of_name = dict(zip(names, codes.tolist(), strict=True))
        judged = np.array([of_name[one] for one in qrels.doc_ids], dtype=np.int64)
        pairs = query_of_rows(qrels.judgments.starts()) << 32 | judged
        own = query.astype(np.int64) << 32 | document
        kept &= are_among(own, distinct(pairs[judged >= 0]))
    if not kept.all():
        query, document = query[kept], document[kept]
        number, rank = (None if one is None else one[kept] for one in (rows.number, rows.rank))
        rows = rows._replace(doc_codes=document, number=number, rank=rank)
    return rows, query
