"""Groups of a flat array, as learning to rank has them: sizes, or a query id for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import SchemaError, shown
from rankmark.sources.contract.places import Places
from rankmark.sources.ids.numeric import LARGEST_WHOLE, id_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Ints


def grouped(groups: NDArray[Any], rows: int) -> Places:
    """Say which of so many rows belong together.

    Parameters
    ----------
    groups
        (n_queries,) sizes that sum to ``rows``, or (rows,) query ids; rows of one query need not
        stand together, and queries come in the order of their first rows.

    Raises
    ------
    SchemaError
        If they are neither, or both.
    """
    if groups.ndim != 1 or np.ma.is_masked(groups):
        raise SchemaError(f"groups has {groups.ndim} dimensions; need one, and nothing masked")
    if not rows:
        return Places(np.zeros(1, dtype=np.int64), (), (0,))
    whole = groups.dtype.kind in "iu"
    total = int(groups.sum()) if whole else -1
    sizes = whole and total == rows and bool((groups >= 0).all())
    ids = len(groups) == rows
    if sizes and ids:
        raise SchemaError(
            f"groups holds {rows:,} whole numbers that sum to {rows:,}, so they may be sizes or a "
            "query id for each row; give query ids as text, as in "
            "np.repeat(np.arange(n_queries), sizes).astype(str)"
        )
    if sizes:
        starts = np.concatenate(([0], np.cumsum(groups, dtype=np.int64)))
        return Places(starts, tuple(map(str, range(len(groups)))), (len(groups),))
    if not ids:
        summed = f" that sum to {total:,}" if whole else ""
        raise SchemaError(
            f"groups holds {len(groups):,} entries{summed}; need sizes that sum to {rows:,}, or "
            f"{rows:,} query ids"
        )
    return _of_ids(groups)


def _of_ids(groups: NDArray[Any]) -> Places:
    firsts = np.concatenate(([0], np.flatnonzero(groups[1:] != groups[:-1]) + 1))
    ids, codes = _numbered(groups[firsts], firsts)
    if len(ids) == len(firsts):  # each query's rows stand together
        return Places(np.append(firsts, len(groups)), ids, None)
    codes = np.repeat(codes, np.diff(np.append(firsts, len(groups))))
    starts = np.concatenate(([0], np.cumsum(np.bincount(codes), dtype=np.int64)))
    return Places(starts, ids, None, order=np.argsort(codes, kind="stable"))


def _numbered(some: NDArray[Any], rows: Ints) -> tuple[tuple[str, ...], Ints]:
    """Give distinct ids as text, in order of appearance, and the number of each among them."""
    if some.dtype != object and some.dtype.kind not in "iufUT":
        raise SchemaError(f"groups is an array of {some.dtype}; ids are text or whole numbers")
    # Beyond, a float may be what another whole number was rounded to.
    largest = 2 ** (np.finfo(some.dtype).nmant + 1) if some.dtype.kind == "f" else LARGEST_WHOLE
    numbers: dict[str, int] = {}
    ids = (_text(*given, largest) for given in zip(rows.tolist(), some.tolist(), strict=True))
    codes = [numbers.setdefault(text, len(numbers)) for text in ids]
    return tuple(numbers), np.array(codes, dtype=np.int64)


def _text(row: int, given: Any, largest: int) -> str:
    text = id_text(given, largest)
    if text is None:
        raise SchemaError(
            f"groups: row {row} (from 0) is {shown(given)}; ids are text or whole numbers"
        )
    return text
