"""The forms of one ranking: ids in order, {id: score}, arrays of scores or of ranks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.errors import DuplicateError, SchemaError, listed
from rankmark.formulas import choice

Contents = Literal["ids", "scores", "ranks"]
_WHOLE_BELOW = 2.0**53  # from here on, different ids may be the same float


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Items, best first, with the ranks of their ties; ``ranking`` builds it.

    Parameters
    ----------
    ids
        (n,) items, best first; tied items are adjacent.
    first, last
        (n,) int64, 1-based: first and last rank of the item's tie, equal without a tie.
    by_place
        Whether the items are the positions "0", "1", ... of an array or a list of numbers.
    """

    ids: tuple[str, ...]
    first: Ints
    last: Ints
    by_place: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        tied = int(np.count_nonzero(self.first < self.last))
        return f"<Ranking of {len(self)} items, {tied} of them tied>"


Rankable: TypeAlias = Ranking | Mapping[Any, float] | Iterable[Any]
"""Everything that ``ranking`` accepts."""


def ranking(source: Rankable, *, contents: Contents | None = None) -> Ranking:
    """Prepare a ranking for repeated use, or resolve an ambiguous one.

    Every coefficient accepts the same forms; only ambiguous ones need ``ranking``.

    Parameters
    ----------
    source
        A list or tuple of ids, best first, in which a set of ids is a tie; ``{id: score}``, where
        equal scores are ties; an array of scores, in which items are identified by position. Ids
        are strings or whole numbers: 1, "1" and ``np.int64(1)`` are the same.
    contents
        What the numbers are: ``"scores"``, the highest best, as in a mapping or an array of floats;
        ``"ranks"``, the lowest best; or ``"ids"``. Required for arrays of whole numbers.

    Raises
    ------
    DuplicateError
        If an item appears twice.
    SchemaError
        If the source has no order or is ambiguous, or a number is missing or NaN.

    Examples
    --------
    >>> from rankmark.similarity import ranking
    >>> ranking({"a": 0.9, "b": 0.5, "c": 0.5}).ids
    ('a', 'b', 'c')
    >>> ranking([3, 1, 2], contents="ranks").ids
    ('1', '2', '0')
    """
    return read(source, "the ranking", contents)


def read(source: Rankable, where: str, contents: Contents | None = None) -> Ranking:
    """Read a ranking of any form; ``where`` names it in messages."""
    if contents is not None:
        choice("contents", contents, "ids", "scores", "ranks")
    if isinstance(source, Ranking):
        return source
    if isinstance(source, Mapping):
        if contents == "ids":
            raise SchemaError(
                "a mapping has scores or ranks, not ids", "pass a list for ids", where=where
            )
        ids = [_id(item, where, of_mapping=True) for item in source]
        _refuse_duplicates(ids, where)
        return _by_number(ids, _numbers(ids, list(source.values()), where), contents)
    items, contents = _items(source, where, contents)
    if contents == "ids":
        return _by_order(items, where)
    places = [str(place) for place in range(len(items))]
    return _by_number(places, _numbers(places, items, where), contents, by_place=True)


def read_both(a: Rankable, b: Rankable) -> tuple[Ranking, Ranking]:
    """Read two rankings.

    Raises
    ------
    SchemaError
        If both are arrays, of different lengths.
    """
    ranking_a, ranking_b = read(a, "a"), read(b, "b")
    if ranking_a.by_place and ranking_b.by_place and len(ranking_a) != len(ranking_b):
        raise SchemaError(
            f"a has {len(ranking_a)} numbers and b {len(ranking_b)}",
            "items are identified by position, so both need as many",
        )
    return ranking_a, ranking_b


def pairing_of(a: Ranking, b: Ranking) -> Pairing:
    """Pair two rankings, as a Pairing of one pair."""
    row = {item: row for row, item in enumerate(b.ids)}
    at = np.fromiter((row.get(item, -1) for item in a.ids), dtype=np.int64, count=len(a))
    starts_a, starts_b = np.array([0, len(a)]), np.array([0, len(b)])
    return Pairing(starts_a, starts_b, a.first, a.last, b.first, b.last, at)


def pair(a: Rankable, b: Rankable) -> Pairing:
    """Read two rankings and pair them."""
    return pairing_of(*read_both(a, b))


def _items(source: Any, where: str, contents: Contents | None) -> tuple[list[Any], Contents]:
    """Return the items of a source, and what they are."""
    if isinstance(source, (list, tuple)):
        return list(source), contents or "ids"
    if hasattr(source, "__array__"):
        return _of_array(source, where, contents)
    if isinstance(source, AbstractSet):
        raise SchemaError("a set has no order", "need a list, or {id: score}", where=where)
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise SchemaError(
            f"{where} is {_shown(source)}", "need ids in order, {id: score} or an array of scores"
        )
    return list(source), contents or "ids"


def _of_array(source: Any, where: str, contents: Contents | None) -> tuple[list[Any], Contents]:
    if hasattr(source, "index"):  # of pandas: its index may or may not contain the ids
        raise SchemaError(
            f"{where} is {type(source).__name__}",
            "need .to_dict(), if its index contains the ids, or .to_numpy()",
        )
    array = np.asarray(source)
    if array.ndim != 1:
        raise SchemaError(f"the array has {array.ndim} dimensions", "need one", where=where)
    kind = array.dtype.kind
    if contents is None and kind in "iu":
        raise SchemaError(
            "an array of whole numbers may hold ids, scores or ranks",
            'say which: ranking(array, contents="ranks")',
            where=where,
        )
    return array.tolist(), contents or ("scores" if kind == "f" else "ids")


def _by_order(items: list[Any], where: str) -> Ranking:
    """Read ids, best first; a set among them is a tie."""
    groups = [_tie(item, where) if isinstance(item, AbstractSet) else [item] for item in items]
    ids = [_id(item, where) for group in groups for item in group]
    _refuse_duplicates(ids, where)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    return _ranked(ids, np.cumsum(sizes) - sizes + 1, sizes)


def _tie(items: AbstractSet[Any], where: str) -> list[Any]:
    if not items:
        raise SchemaError("found an empty set, which is not a tie", "remove it", where=where)
    return sorted(items, key=str)  # the order of a set differs from process to process


def _by_number(
    ids: Sequence[str], numbers: Floats, contents: Contents | None, *, by_place: bool = False
) -> Ranking:
    """Sort items by score, or by rank."""
    keys = numbers if contents == "ranks" else -numbers
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    sizes = np.diff(np.append(starts, len(keys)))
    return _ranked([ids[row] for row in order.tolist()], starts + 1, sizes, by_place=by_place)


def _ranked(ids: list[str], starts: Ints, sizes: Ints, *, by_place: bool = False) -> Ranking:
    first, last = np.repeat(starts, sizes), np.repeat(starts + sizes - 1, sizes)
    return Ranking(tuple(ids), first, last, by_place)


def _numbers(ids: Sequence[str], values: list[Any], where: str) -> Floats:
    if not {type(value) for value in values} <= {float}:
        values = [_number(value) for value in values]
    numbers = np.array(values, dtype=np.float64)
    without = np.flatnonzero(np.isnan(numbers)).tolist()
    if without:
        items = listed([ids[row] for row in without])
        raise SchemaError(f"no number for {items}", "need one for each item", where=where)
    return numbers


def _number(value: Any) -> float:
    if isinstance(value, Sized):  # also text that looks like a number
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _id(item: Any, where: str, *, of_mapping: bool = False) -> str:
    if isinstance(item, str):
        return str(item)
    if isinstance(item, (float, np.floating)):
        if not of_mapping:
            raise SchemaError(
                f"found {item!r} in a list of ids",
                'for scores or ranks, write ranking(list, contents="scores")',
                where=where,
            )
        if item.is_integer() and abs(float(item)) < _WHOLE_BELOW:
            return str(int(item))
    elif hasattr(item, "__index__") and not isinstance(item, (bool, np.bool_)):
        return str(int(item))
    raise SchemaError(f"found {_shown(item)}", "need text or a whole number", where=where)


def _refuse_duplicates(ids: list[str], where: str) -> None:
    counts = Counter(ids)
    if len(counts) == len(ids):
        return
    repeated = listed([item for item, count in counts.items() if count > 1])
    raise DuplicateError(
        f"some items appear more than once: {repeated}",
        "keep one of each (1 and '1' are the same item)",
        where=where,
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
