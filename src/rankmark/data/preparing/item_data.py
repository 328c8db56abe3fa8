"""What is known of items besides judgments: history, catalogue, popularity, features, groups."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._core import distinct_pairs
from rankmark.array_types import Floats, Ints
from rankmark.conventions import by_text, query_text
from rankmark.data.alignment import gathered
from rankmark.data.contract.reading_options import OF_ITEMS, Reading
from rankmark.data.files.first_bytes import extension_of
from rankmark.data.files.lines_of_text import ids_given
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.given_tables.role_tables import Role, TableKind, role_table
from rankmark.data.given_tables.table_files import of_json
from rankmark.data.preparing.seen import Seen
from rankmark.data.tables.columns import is_known
from rankmark.errors import InputError, SchemaError, shown

_ITEM = Role("doc_id")
_TABLES = {".csv", ".tsv", ".parquet", ".arrow", ".feather", ".json", ".jsonl"}
_CATALOGUE = TableKind("catalogue", (_ITEM,), "a column of item ids")
_POPULARITY = TableKind(
    "popularity",
    (_ITEM, Role("popularity", ("popularity", "count", "users", "interactions", "number"))),
    "{item: number}, or columns item_id and popularity",
)
_ITEMS = TableKind(
    "items",
    (
        _ITEM,
        Role(
            "category",
            frozenset({"category", "categories", "genre", "genres", "topic"}),
            optional=True,
        ),
    ),
    "{item: categories or vector}, or columns item_id and category, or item_id and numbers",
)
_GROUPS = TableKind(
    "groups",
    (
        _ITEM,
        Role("group", frozenset({"group", "groups"})),
        Role("share", ("share", "weight", "membership"), optional=True),
    ),
    "{item: group}, {item: {group: share}}, or columns item_id, group and, if need be, share",
)


def _cells(given: Mapping[Any, Any]) -> tuple[list[Any], list[Any]]:
    """Return the keys of a mapping, and the values of each key, of which it may have several."""
    keys, values = [], []
    for key, value in given.items():
        several = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
        for one in value if several else [value]:
            keys.append(key)
            values.append(one)
    return keys, values


AS_GIVEN = "as given"
"""Where a catalogue is from that the caller gave."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedHistory:
    """How often each item is in a history of which the rest is not known.

    Parameters
    ----------
    doc_ids
        (n,) ids of the items, each once.
    users_of, interactions_of
        (n,) float64, how many users, and how many interactions, have each of them.
    users
        How many users there are.
    form
        How it was read.
    """

    doc_ids: Sequence[str]
    users_of: Floats
    interactions_of: Floats
    users: int
    form: Mapping[str, Any]

    @property
    def doc_codes(self) -> Ints:
        """The place of each item among ``doc_ids``: (n,) int64."""
        return np.arange(len(self.doc_ids))

    def description(self, documents: int) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return {**self.form, "documents": documents}


class ItemData:
    """What is known of items, prepared once for any number of runs: ids have become numbers.

    Items of the catalogue have the first numbers.

    Parameters
    ----------
    history
        What users had before, in any form of judgments, or counted; None if unknown.
    catalogue
        Ids, a file of ids, ``"history"`` or ``"union"``; None is ``"history"`` if there is one.
    popularity
        ``"users"`` or ``"interactions"`` of the history, or a number for each item.
    items
        The categories or the vector of each item, or a function of two ids: their distance.
    groups
        The group of each item, or shares in several.

    Attributes
    ----------
    numbers
        {item id: number} of all items that one of these names.
    catalogue
        How many items the catalogue has; None if there is none, or it needs the run.
    told
        Where the catalogue is from, for the notes.
    """

    def __init__(
        self,
        history: Any = None,
        catalogue: Any = None,
        popularity: Any = None,
        items: Any = None,
        groups: Any = None,
        *,
        reading: Reading,
    ) -> None:
        self.numbers: dict[str, int] = {}
        self.history = None if history is None else _history(history, reading)
        self._popularity = popularity
        self.catalogue: int | None = None
        self.is_union = isinstance(catalogue, str) and catalogue == "union"
        self.told = ""
        of_history = catalogue is None or (isinstance(catalogue, str) and catalogue == "history")
        if self.history is None and (self.is_union or (of_history and catalogue is not None)):
            raise InputError(
                f"catalogue is {shown(catalogue)}, and there is no history", "give history, or ids"
            )
        if not of_history and not self.is_union:
            self._number_all(_catalogue_ids(catalogue))
            self.catalogue, self.told = len(self.numbers), AS_GIVEN
        if self.history is not None:
            codes, ids = self.history.doc_codes, self.history.doc_ids
            named = np.zeros(len(ids), dtype=np.bool_)  # others have entries of 0 alone
            named[codes] = True
            of_code = np.zeros(len(ids), dtype=np.uint32)
            of_code[named] = self._number_all(compress(ids, named.tolist()))
            self._history_items = of_code[codes]
            if of_history:
                self.catalogue, self.told = len(self.numbers), "from history"
            if self.is_union:
                self.told = "from history and run"
        if self.catalogue == 0:
            raise InputError("the catalogue is empty", "give the ids of all items")
        self._given_popularity = self._read_popularity(popularity)
        self.distance: Callable[[str, str], float] | None = items if callable(items) else None
        self._categories: tuple[Ints, Ints] | None = None
        self.category_names: tuple[str, ...] = ()
        self._vectors: tuple[Ints, Floats] | None = None
        if items is not None and self.distance is None:
            self._read_items(items)
        self._groups: tuple[Ints, Ints, Floats] | None = None
        self.group_names: tuple[str, ...] = ()
        if groups is not None:
            self._read_groups(groups)

    @classmethod
    def of(cls, reading: Reading) -> ItemData:
        """Return what the options of an evaluation say, which may be prepared already."""
        if isinstance(reading.history, ItemData):
            return reading.history
        return cls(*(getattr(reading, name) for name in OF_ITEMS), reading=reading)

    def description(self) -> dict[str, Any]:
        """Describe what is known, in JSON types."""
        found: dict[str, Any] = {}
        if self.history is not None:
            found["history"] = self.history.description(int(self.users_of.sum()))
        if self.told:
            found["catalogue"] = {"from": self.told, "items": self.catalogue}
        if self._popularity is not None:
            is_word = isinstance(self._popularity, str) and self._given_popularity is None
            found["popularity"] = self._popularity if is_word else "as given"
        if self.distance is not None:
            found["items"] = "a distance"
        elif self._categories is not None:
            found["items"] = {"categories": len(self.category_names)}
        elif self._vectors is not None:
            found["items"] = {"dimensions": self._vectors[1].shape[1]}
        if self.group_names:
            found["groups"] = [*self.group_names]
        return found

    def numbered(self, ids: Iterable[Any], what: str) -> Ints:
        """Return the numbers of ids of any type, adding those that have none: (n,) int64."""
        return self._number_all([query_text(one, what) for one in ids])

    def _number_all(self, ids: Iterable[str]) -> Ints:
        numbers = self.numbers
        return np.array([numbers.setdefault(one, len(numbers)) for one in ids], dtype=np.int64)

    @property
    def users(self) -> int:
        """How many users the history has."""
        if isinstance(self.history, CountedHistory):
            return self.history.users
        return len(self._user_items[0]) - 1

    @cached_property
    def _user_items(self) -> tuple[Ints, NDArray[np.uint32]]:
        """The distinct items of each user of the history: (users + 1,) starts, and numbers."""
        assert self.history is not None  # noqa: S101
        if isinstance(self.history, CountedHistory):
            raise InputError(
                "it needs what each user had before, and of the history only the users of each "
                "item are counted",
                "give history in another form, such as history.toArrow()",
            )
        sizes = len(self.history.query_ids), len(self.numbers)
        starts, items = distinct_pairs(self.history.query_codes, self._history_items, *sizes)
        # A user whose entries are all 0 has no history.
        return starts[np.append(True, starts[1:] > starts[:-1])], items

    @cached_property
    def user_numbers(self) -> dict[str, int]:
        """The number of each user who has a history."""
        assert isinstance(self.history, Seen)  # noqa: S101
        has = np.zeros(len(self.history.query_ids), dtype=np.bool_)
        has[self.history.query_codes] = True
        named = compress(self.history.query_ids, has.tolist())
        return {user: row for row, user in enumerate(named)}

    def items_of_users(self, users: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the distinct items of some users: (n + 1,) starts, and the numbers of items."""
        starts, items = self._user_items
        at = np.array([self.user_numbers.get(user, self.users) for user in users], dtype=np.int64)
        starts = np.append(starts, starts[-1])  # those without a history share the empty last one
        of_user, found = gathered(starts, items, at)
        sizes = np.bincount(of_user, minlength=len(users))
        return np.append(0, np.cumsum(sizes)), found.astype(np.int64)

    @cached_property
    def users_of(self) -> Floats:
        """How many users of the history have each item: (n,) float64."""
        if isinstance(self.history, CountedHistory):
            return self._of_items(self.history.users_of)
        found = np.bincount(self._user_items[1], minlength=len(self.numbers))
        return found.astype(np.float64)

    @cached_property
    def interactions_of(self) -> Floats:
        """How many interactions the history has with each item: (n,) float64."""
        if isinstance(self.history, CountedHistory):
            return self._of_items(self.history.interactions_of)
        return self._of_items()

    def _of_items(self, counts: Floats | None = None) -> Floats:
        """Add up counts of the rows of the history by item, 1 each if None: (n,) float64."""
        found = np.bincount(self._history_items, counts, minlength=len(self.numbers))
        return found.astype(np.float64, copy=False)

    @property
    def has_popularity(self) -> bool:
        """Whether the popularity of items is known."""
        return self.history is not None or self._given_popularity is not None

    @property
    def counts_interactions(self) -> bool:
        """Whether the popularity is the number of interactions."""
        return isinstance(self._popularity, str) and self._popularity == "interactions"

    @cached_property
    def popularity(self) -> Floats:
        """The popularity of each item, 0 if nothing is known of it: (n,) float64."""
        if self._given_popularity is not None:
            rows, values = self._given_popularity
            found = np.zeros(len(self.numbers))
            found[rows] = values
            return found
        return self.interactions_of if self.counts_interactions else self.users_of

    def _read_popularity(self, given: Any) -> tuple[Ints, Floats] | None:
        if given is None or (isinstance(given, str) and given in {"users", "interactions"}):
            if given is not None and self.history is None:
                raise InputError(f"popularity is {given!r}, of no history", "give history")
            return None
        given = of_json(given)
        if isinstance(given, Mapping) or _is_series(given):
            ids, numbers = [*given.keys()], [one for _, one in given.items()]
        else:
            table = role_table(given, _POPULARITY, {})
            ids, numbers = table.ids("doc_id", "the item"), table.numbers("popularity").tolist()
        values = [*map(_plain_number, numbers)]
        for number, value in zip(numbers, values, strict=True):
            if not 0 <= value < math.inf:
                raise InputError(f"popularity has {shown(number)}", "need finite numbers from 0")
        rows = self.numbered(ids, "popularity")
        if len(np.unique(rows)) < len(rows):
            raise InputError("popularity names an item twice", "keep one")
        return rows, np.array(values, dtype=np.float64)

    def _read_items(self, given: Any) -> None:
        given = of_json(given)
        if _is_series(given):
            given = given.to_dict()
        if getattr(given, "ndim", 0) == 2 and not is_frame(given):
            dense = given.toarray() if hasattr(given, "toarray") else given
            self._set_vectors(range(len(dense)), np.asarray(dense, dtype=np.float64))
            return
        if isinstance(given, Mapping) and given and _is_vector(next(iter(given.values()))):
            self._set_vectors(given, [*given.values()])
            return
        if isinstance(given, Mapping) and not _has_columns(given):
            self._set_categories(*_cells(by_text(given, "items")))
            return
        table = role_table(given, _ITEMS, {})
        ids = table.ids("doc_id", "the item")
        if "category" in table:
            if all(map(_is_vector, table["category"])):
                self._set_vectors(ids, [*table["category"]])
            else:
                self._set_categories(ids, table.ids("category"))
            return
        others = table.others
        if len(others) == 1 and all(map(_is_vector, next(iter(others.values())))):
            self._set_vectors(ids, [*next(iter(others.values()))])
        elif others:
            self._set_vectors(ids, np.column_stack([others.numbers(name) for name in others]))
        else:
            raise SchemaError("items has ids alone", f"need {_ITEMS.needed}")

    def _set_categories(self, ids: Iterable[Any], categories: Sequence[Any]) -> None:
        names = [query_text(one, "items") for one in categories]
        joined = next((one for one in names if "|" in one or ";" in one), None)
        if joined is not None:
            raise SchemaError(
                f"items has the category {joined!r}, which seems to be several",
                "give a list of categories for each item, such as by .split('|')",
            )
        codes: dict[str, int] = {}
        of_pairs = np.array([codes.setdefault(one, len(codes)) for one in names], dtype=np.int64)
        if not codes:
            raise InputError("items has no category", "give the categories of each item")
        self.category_names = tuple(codes)
        pairs = np.unique(self.numbered(ids, "items") * len(codes) + of_pairs)
        self._categories = pairs // len(codes), pairs % len(codes)

    def _set_vectors(self, ids: Iterable[Any], vectors: Any) -> None:
        rows = self.numbered(ids, "items")
        try:
            found = np.array([*vectors], dtype=np.float64)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.ndim != 2 or not np.isfinite(found).all():
            raise SchemaError(
                "items has vectors that are not finite numbers, as many for each item",
                "leave items without a vector out",
            )
        if len(np.unique(rows)) < len(rows):
            raise InputError("items names an item twice", "keep one vector of each")
        self._vectors = rows, found

    def _read_groups(self, given: Any) -> None:
        given = of_json(given)
        if isinstance(given, Mapping) and not _has_columns(given):
            rows = [*_shares(by_text(given, "groups"))]
            ids = [one for one, _, _ in rows]
            names = [query_text(one, "groups") for _, one, _ in rows]
            shares = [share for _, _, share in rows]
        else:
            table = role_table(given, _GROUPS, {})
            ids, names = table.ids("doc_id", "the item"), table.ids("group")
            if "share" in table:
                shares = table.numbers("share").tolist()
            else:
                times: dict[str, int] = {}
                for one in ids:
                    times[one] = times.get(one, 0) + 1
                shares = [1.0 / times[one] for one in ids]
        wrong = next((one for one in shares if not 0 <= one < math.inf), None)
        if wrong is not None:
            raise InputError(f"groups has the share {shown(wrong)}", "need finite numbers from 0")
        codes: dict[str, int] = {}
        of_rows = np.array([codes.setdefault(one, len(codes)) for one in names], dtype=np.int64)
        if not codes:
            raise InputError("groups is empty", "give the group of each item")
        self.group_names = tuple(codes)
        self._groups = self.numbered(ids, "groups"), of_rows, np.array(shares, dtype=np.float64)

    def categories(self, n_items: int) -> tuple[Ints, Ints] | None:
        """Return the categories of each item: (n_items + 1,) starts, and codes; None if unknown."""
        if self._categories is None:
            return None
        item, code = self._categories
        counts = np.bincount(item, minlength=n_items)
        return np.append(0, np.cumsum(counts)), code

    def vectors(self, n_items: int) -> Floats | None:
        """Return the vector of each item, NaN where it has none: (n_items, d) float64."""
        if self._vectors is None:
            return None
        rows, given = self._vectors
        found = np.full((n_items, given.shape[1]), np.nan)
        found[rows] = given
        return found

    def groups(self, n_items: int) -> Floats | None:
        """Return the share of each item in each group, 0 if unknown: (n_items, g) float64."""
        if self._groups is None:
            return None
        rows, codes, shares = self._groups
        found = np.zeros((n_items, len(self.group_names)))
        np.add.at(found, (rows, codes), shares)
        return found


def _history(given: Any, reading: Reading) -> Seen | CountedHistory:
    known = isinstance(given, (Seen, CountedHistory))
    history = given if known else Seen(given, reading, "history")
    if not len(history.doc_codes):
        raise InputError("history is empty", "give what users had before")
    return history


def _catalogue_ids(given: Any) -> Sequence[str]:
    if isinstance(given, ItemData):
        raise InputError("catalogue is a history", "give ids")
    given = of_json(given)
    is_path = isinstance(given, (str, os.PathLike))
    if is_frame(given) or (is_path and extension_of(os.fsdecode(given)) in _TABLES):
        return role_table(given, _CATALOGUE, {}).ids("doc_id", "the item")
    if is_path:
        from pathlib import Path  # noqa: PLC0415

        given = Path(given)
    if isinstance(given, (set, frozenset)):
        given = sorted(query_text(one, "catalogue") for one in given)
    ids = ids_given(
        "catalogue", given, 'need a list of ids, the path of a file of ids, "history" or "union"'
    )
    if is_path and is_known(ids[0], "doc_id"):
        raise InputError(
            f"the first line, {ids[0]!r}, would be an item, and is the name of a column",
            "remove it, or end the name of the file in .csv",
            where=os.fsdecode(given),
        )
    return ids


def _has_columns(given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is one of columns: it has that of the items, and another."""
    have = [str(name) for name in given]
    return (
        bool(_ITEM.columns(have))
        and len(have) > 1
        and all(isinstance(value, (list, tuple, np.ndarray)) for value in given.values())
    )


def _is_series(given: Any) -> bool:
    return hasattr(type(given), "iloc") and not is_frame(given)


def _is_vector(value: Any) -> bool:
    """Return whether this is a list of numbers."""
    if isinstance(value, (str, bytes, Mapping, set, frozenset)) or not hasattr(value, "__len__"):
        return False
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind is not None:
        return kind in "fiub" and getattr(value, "ndim", 1) == 1
    return len(value) > 0 and all(
        isinstance(one, (int, float, np.number)) and not isinstance(one, bool) for one in value
    )


def _plain_number(value: Any) -> float:
    try:
        return math.nan if isinstance(value, (bool, np.bool_, str)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _shares(given: Mapping[Any, Any]) -> Iterator[tuple[Any, Any, float]]:
    """Yield the items, groups and shares of {item: group}, of groups or of {group: share}."""
    for item, value in given.items():
        if isinstance(value, Mapping):
            for group, share in value.items():
                yield item, group, _plain_number(share)
        elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
            groups = [*value]
            for group in groups:
                yield item, group, 1.0 / len(groups)
        else:
            yield item, value, 1.0
