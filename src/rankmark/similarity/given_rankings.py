"""What a ranking may be given as: ids in order, {id: score}, arrays of scores or of ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rankmark.alignment.ranking_pairs import Pairing
from rankmark.errors import DuplicateError, SchemaError, listed
from rankmark.similarity.coefficient_parameters import choice

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints


Contents = Literal["ids", "scores", "ranks"]
_WHOLE_BELOW = 2.0**53  # from there on, two ids may be one float


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Items, best first, with the ranks that each may have; ``ranking`` makes one.

    Parameters
    ----------
    ids
        (n,) items, best first; those of a tie stand together.
    first, last
        (n,) int64, 1-based: first and last rank of the item's tie, equal where nothing ties.
    by_place
        Whether it was an array or a list of numbers, whose items are its places "0", "1", ...
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
"""All that ``ranking`` takes."""


def ranking(
    source: Rankable, *, contents: Contents | None = None, holds: Contents | None = None
) -> Ranking:
    """Prepare a ranking, for many uses, or to say what an array holds.

    Every coefficient takes what this takes; only what could be two things needs it.

    Parameters
    ----------
    source
        A list or tuple of ids, best first, in which a set of ids is a tie; ``{id: score}``, equal
        scores being ties; an array of scores, in which an item is a place. Ids are text or whole
        numbers: 1, "1" and ``np.int64(1)`` are one.
    contents
        What numbers are: ``"scores"``, the highest best, as in a mapping or an array of floats;
        ``"ranks"``, the lowest best; ``"ids"``. An array of whole numbers may be any of the three,
        and is refused without it.
    holds
        Another word for ``contents``.

    Raises
    ------
    DuplicateError
        If an item appears twice.
    SchemaError
        If it has no order, or could be two things, or a number is missing or NaN.

    Examples
    --------
    >>> from rankmark.similarity import ranking
    >>> ranking({"a": 0.9, "b": 0.5, "c": 0.5}).ids
    ('a', 'b', 'c')
    >>> ranking([3, 1, 2], contents="ranks").ids
    ('1', '2', '0')
    """
    return read(source, "the ranking", holds if contents is None else contents)


def read(source: Rankable, where: str, contents: Contents | None = None) -> Ranking:
    """Take a ranking of any form; ``where`` names it in messages."""
    if contents is not None:
        choice("contents", contents, "ids", "scores", "ranks")
    if isinstance(source, Ranking):
        return source
    if isinstance(source, Mapping):
        if contents == "ids":
            raise SchemaError(f"{where}: a mapping holds scores or ranks; give a list for ids")
        ids = [_id(item, where, of_mapping=True) for item in source]
        _refuse_twins(ids, where)
        return _by_number(ids, _numbers(ids, list(source.values()), where), contents)
    items, contents = _items(source, where, contents)
    if contents == "ids":
        return _by_order(items, where)
    places = [str(place) for place in range(len(items))]
    return _by_number(places, _numbers(places, items, where), contents, by_place=True)


def read_both(a: Rankable, b: Rankable) -> tuple[Ranking, Ranking]:
    """Take two rankings.

    Raises
    ------
    SchemaError
        If both are arrays, whose items are their places, of different lengths.
    """
    one, other = read(a, "a"), read(b, "b")
    if one.by_place and other.by_place and len(one) != len(other):
        raise SchemaError(
            f"a has {len(one)} numbers and b {len(other)}; an item is a place, so both need as many"
        )
    return one, other


def pairing_of(one: Ranking, other: Ranking) -> Pairing:
    """Bring two rankings together, as a Pairing of one pair."""
    place = {item: at for at, item in enumerate(other.ids)}
    at = np.fromiter((place.get(item, -1) for item in one.ids), dtype=np.int64, count=len(one))
    starts_a, starts_b = np.array([0, len(one)]), np.array([0, len(other)])
    return Pairing(starts_a, starts_b, one.first, one.last, other.first, other.last, at)


def pair(a: Rankable, b: Rankable) -> Pairing:
    """Take two rankings, and bring them together."""
    return pairing_of(*read_both(a, b))


def _items(source: Any, where: str, contents: Contents | None) -> tuple[list[Any], Contents]:
    """List what is there, and say what it is."""
    if isinstance(source, (list, tuple)):
        return list(source), contents or "ids"
    if hasattr(source, "__array__"):
        return _of_array(source, where, contents)
    if isinstance(source, AbstractSet):
        raise SchemaError(f"{where}: a set has no order; need a list, or {{id: score}}")
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise SchemaError(
            f"{where} is {_shown(source)}; need ids in order, {{id: score}} or an array of scores"
        )
    return list(source), contents or "ids"


def _of_array(source: Any, where: str, contents: Contents | None) -> tuple[list[Any], Contents]:
    if hasattr(source, "index"):  # of pandas: its index may or may not be the ids
        raise SchemaError(
            f"{where} is {type(source).__name__}; need .to_dict(), if its index holds the ids, or "
            ".to_numpy()"
        )
    array = np.asarray(source)
    if array.ndim != 1:
        raise SchemaError(f"{where}: the array has {array.ndim} dimensions; one ranking has one")
    kind = array.dtype.kind
    if contents is None and kind in "iu":
        raise SchemaError(
            f"{where}: an array of whole numbers may hold ids, scores or ranks; say which: "
            'ranking(array, contents="ranks")'
        )
    return array.tolist(), contents or ("scores" if kind == "f" else "ids")


def _by_order(items: list[Any], where: str) -> Ranking:
    """Take ids, best first; a set among them is a tie."""
    groups = [_tie(one, where) if isinstance(one, AbstractSet) else [one] for one in items]
    ids = [_id(item, where) for group in groups for item in group]
    _refuse_twins(ids, where)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    return _ranked(ids, np.cumsum(sizes) - sizes + 1, sizes)


def _tie(items: AbstractSet[Any], where: str) -> list[Any]:
    if not items:
        raise SchemaError(f"{where}: an empty set is no tie; remove it")
    return sorted(items, key=str)  # a set's own order differs from run to run


def _by_number(
    ids: Sequence[str], numbers: Floats, contents: Contents | None, *, by_place: bool = False
) -> Ranking:
    """Sort items by score, or by rank."""
    down = numbers if contents == "ranks" else -numbers
    order = np.argsort(down, kind="stable")
    down = down[order]
    starts = np.flatnonzero(np.append(True, down[1:] != down[:-1])[: len(down)])
    sizes = np.diff(np.append(starts, len(down)))
    return _ranked([ids[at] for at in order.tolist()], starts + 1, sizes, by_place=by_place)


def _ranked(ids: list[str], starts: Ints, sizes: Ints, *, by_place: bool = False) -> Ranking:
    first, last = np.repeat(starts, sizes), np.repeat(starts + sizes - 1, sizes)
    return Ranking(tuple(ids), first, last, by_place)


def _numbers(ids: Sequence[str], values: list[Any], where: str) -> Floats:
    if not {type(value) for value in values} <= {float}:
        values = [_number(value) for value in values]
    numbers = np.array(values, dtype=np.float64)
    lacking = np.flatnonzero(np.isnan(numbers)).tolist()
    if lacking:
        items = listed([ids[at] for at in lacking])
        raise SchemaError(f"{where}: no number stands for {items}; need one for each item")
    return numbers


def _number(value: Any) -> float:
    if isinstance(value, Sized):  # text, too, though it may look like a number
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
                f"{where}: found {item!r} in a list; lists hold ids. For scores or ranks of all "
                'items say ranking(list, contents="scores")'
            )
        if item.is_integer() and abs(float(item)) < _WHOLE_BELOW:
            return str(int(item))
    elif hasattr(item, "__index__") and not isinstance(item, (bool, np.bool_)):
        return str(int(item))
    raise SchemaError(f"{where}: found {_shown(item)}; ids are text or whole numbers")


def _refuse_twins(ids: list[str], where: str) -> None:
    if len(set(ids)) == len(ids):
        return
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for item in ids:
        if item in seen:
            twice[item] = None
        seen.add(item)
    raise DuplicateError(
        f"{where} holds items more than once: {listed(list(twice))}; keep one of each (1 and '1' "
        "are one item)"
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
