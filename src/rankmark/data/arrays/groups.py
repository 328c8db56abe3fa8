"""Groups of a flat array, as in learning to rank: sizes, or a query id per row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.contract.places import Places
from rankmark.data.ids.numeric import LARGEST_WHOLE, id_text
from rankmark.errors import SchemaError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Ints


def grouped(groups: NDArray[Any], rows: int) -> Places:
    """Group rows by query.

    Parameters
    ----------
    groups
        (n_queries,) sizes that sum to ``rows``, or (rows,) query ids; the rows of a query need not
        be consecutive, and queries are in the order of their first rows.

    Raises
    ------
    SchemaError
        If they are neither, or could be both.
    """
    if groups.ndim == 2 and groups.shape[1] == 1:
        groups = groups[:, 0]  # a column
    if groups.ndim != 1 or np.ma.is_masked(groups):
        raise SchemaError(f"groups has {groups.ndim} dimensions", "need one, and nothing masked")
    if not rows:
        return Places(np.zeros(1, dtype=np.int64), (), (0,))
    whole = groups.dtype.kind in "iu"
    total = int(groups.sum()) if whole else -1
    sizes = whole and total == rows and bool((groups >= 0).all())
    ids = len(groups) == rows
    if sizes and ids and rows > 1:  # of one row, both are the same query
        raise SchemaError(
            f"groups holds {rows:,} whole numbers that sum to {rows:,}, so they may be sizes "
            "or a query id for each row",
            "give query ids as text, as in np.repeat(np.arange(n_queries), sizes).astype(str)",
        )
    if sizes:
        starts = np.concatenate(([0], np.cumsum(groups, dtype=np.int64)))
        return Places(starts, tuple(map(str, range(len(groups)))), (len(groups),))
    if not ids:
        summed = f" that sum to {total:,}" if whole else ""
        raise SchemaError(
            f"groups holds {len(groups):,} entries{summed}",
            f"need sizes that sum to {rows:,}, or {rows:,} query ids",
        )
    return _of_ids(groups)


def _of_ids(groups: NDArray[Any]) -> Places:
    firsts = np.concatenate(([0], np.flatnonzero(groups[1:] != groups[:-1]) + 1))
    ids, codes = _numbered(groups[firsts], firsts)
    if len(ids) == len(firsts):  # each query's rows are consecutive
        return Places(np.append(firsts, len(groups)), ids, None)
    codes = np.repeat(codes, np.diff(np.append(firsts, len(groups))))
    starts = np.concatenate(([0], np.cumsum(np.bincount(codes), dtype=np.int64)))
    return Places(starts, ids, None, order=np.argsort(codes, kind="stable"))


def _numbered(ids: NDArray[Any], rows: Ints) -> tuple[tuple[str, ...], Ints]:
    """Return distinct ids as text, in order of appearance, and the code of each of ``ids``."""
    if ids.dtype != object and ids.dtype.kind not in "iufUT":
        raise SchemaError(f"groups is an array of {ids.dtype}", "ids are text or whole numbers")
    # Beyond it, another whole number may have been rounded to a float.
    largest = 2 ** (np.finfo(ids.dtype).nmant + 1) if ids.dtype.kind == "f" else LARGEST_WHOLE
    numbers: dict[str, int] = {}
    codes = []
    for row, value in zip(rows.tolist(), ids.tolist(), strict=True):
        text = id_text(value, largest)
        if text is None:
            raise SchemaError(
                f"groups: row {row} (from 0) is {shown(value)}", "ids are text or whole numbers"
            )
        codes.append(numbers.setdefault(text, len(numbers)))
    return tuple(numbers), np.array(codes, dtype=np.int64)
