"""Groups of a flat array, as learning to rank has them: sizes, or a query id for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import SchemaError
from rankmark.sources.places import Places

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    ids, codes = _numbered(groups)
    counts = np.bincount(codes, minlength=len(ids))
    starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    together = bool((codes[1:] >= codes[:-1]).all())
    order = None if together else np.argsort(codes, kind="stable")
    return Places(starts, ids, None, order=order)


def _numbered(groups: NDArray[Any]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Give the distinct ids as text, in order of appearance, and each row's number among them."""
    if groups.dtype == object:
        numbers: dict[str, int] = {}
        codes = [
            numbers.setdefault(_text(row, one), len(numbers)) for row, one in enumerate(groups)
        ]
        return tuple(numbers), np.array(codes, dtype=np.int64)
    if groups.dtype.kind not in "iufUT":
        raise SchemaError(f"groups is an array of {groups.dtype}; ids are text or whole numbers")
    distinct, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[by_appearance] = np.arange(len(distinct))
    ids = [_text(int(first[at]), distinct[at].item()) for at in by_appearance]
    return tuple(ids), rank[inverse.reshape(-1)]


def _text(row: int, one: Any) -> str:
    if isinstance(one, str):
        return str(one)
    if isinstance(one, float) and one.is_integer() and abs(one) <= 2**53:
        return str(int(one))
    if not isinstance(one, (bool, float)) and hasattr(one, "__index__"):
        return str(int(one))
    raise SchemaError(f"groups: row {row} (from 0) is {one!r}; ids are text or whole numbers")
