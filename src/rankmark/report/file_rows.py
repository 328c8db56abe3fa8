"""Judgments and runs as rows, in the order in which files hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Floats, Ints
    from rankmark.sources.contract.source import Rows
    from rankmark.sources.contract.source_options import Kind

_BATCH = 1 << 16  # rows that are held as Python objects at a time


class Beside(NamedTuple):
    """What stands beside ids and numbers: the tag of a run, or the subtopics of judgments.

    Parameters
    ----------
    name
        Of the column: "tag" or "subtopic".
    codes
        (n,) whole numbers of texts.
    text
        Gives the text with a number; nothing where a row has none.
    """

    name: str
    codes: Ints
    text: Callable[[int], str]


class Listing(NamedTuple):
    """Rows in the order in which they are written.

    Parameters
    ----------
    query_ids
        (Q,) ids.
    query_codes, doc_codes
        (n,) uint32, numbers of ids.
    doc_ids
        Gives the id with a number.
    number
        (n,) float64, labels or scores.
    rank
        (n,) int64, 1-based, rising within a query; None for judgments.
    beside
        One text more a row; None where there is none.
    """

    query_ids: Sequence[str]
    query_codes: NDArray[np.uint32]
    doc_codes: NDArray[np.uint32]
    doc_ids: Callable[[int], str]
    number: Floats
    rank: Ints | None
    beside: Beside | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        number = ("label",) if self.rank is None else ("score", "rank")
        return (
            "query_id",
            "doc_id",
            *number,
            *(() if self.beside is None else (self.beside.name,)),
        )

    @property
    def empty_queries(self) -> list[str]:
        """The queries that have no row."""
        held = np.bincount(self.query_codes, minlength=len(self.query_ids))
        return [self.query_ids[code] for code in np.flatnonzero(held == 0).tolist()]

    def batches(self) -> Iterator[list[tuple[Any, ...]]]:
        """Give the rows as Python objects, some at a time; whole numbers as int."""
        for begin in range(0, len(self.query_codes), _BATCH):
            part = slice(begin, begin + _BATCH)
            columns: list[Any] = [
                [self.query_ids[code] for code in self.query_codes[part].tolist()],
                [self.doc_ids(code) for code in self.doc_codes[part].tolist()],
                [_plain(number) for number in self.number[part].tolist()],
            ]
            if self.rank is not None:
                columns.append(self.rank[part].tolist())
            if self.beside is not None:
                text = self.beside.text
                columns.append([text(code) for code in self.beside.codes[part].tolist()])
            yield list(zip(*columns, strict=True))


def arranged(
    rows: Rows, kind: Kind, beside: Beside | None = None, *, ties: str = "input"
) -> Listing:
    """Put rows in the order of a file: query by query, the documents of a run best first.

    A run without scores is ordered by its ranks, or else stands in order already, and is given
    scores that fall to 1.

    Parameters
    ----------
    ties
        How documents that tie are ordered: "input" as they stood, or "docid" by id, descending.
    """
    codes = np.asarray(rows.query_codes)
    if kind == "qrels":
        order = np.argsort(codes, kind="stable")
        number = np.ones(len(codes)) if rows.number is None else rows.number
        return _listing(rows, order, number[order], None, beside)
    key = -rows.number if rows.number is not None else rows.rank
    order = np.argsort(codes, kind="stable")
    if key is not None and rows.number is not None and ties == "docid":
        order = np.lexsort((_last_ids_first(rows), key, codes))
    elif key is not None:
        order = np.lexsort((key, codes))
    sizes = np.bincount(codes, minlength=len(rows.query_ids))
    begins = np.cumsum(sizes) - sizes
    sorted_codes = codes[order]
    rank = np.arange(1, len(codes) + 1) - begins[sorted_codes]
    if rows.number is None:
        scores = (sizes[sorted_codes] - rank + 1).astype(np.float64)
    else:
        scores = rows.number[order]
    return _listing(rows, order, scores, rank, beside)


def _last_ids_first(rows: Rows) -> Ints:
    """Give each row a number that rises as its document's id falls, in byte order."""
    ids = [
        rows.doc_ids(code).encode("utf-8", "surrogateescape")
        for code in range(int(np.max(rows.doc_codes)) + 1)
    ]
    place = np.empty(len(ids), dtype=np.int64)
    place[sorted(range(len(ids)), key=ids.__getitem__, reverse=True)] = np.arange(len(ids))
    falling: Ints = place[rows.doc_codes]
    return falling


def _listing(
    rows: Rows, order: Ints, number: Floats, rank: Ints | None, beside: Beside | None
) -> Listing:
    codes, documents = np.asarray(rows.query_codes)[order], np.asarray(rows.doc_codes)[order]
    if beside is not None:
        beside = beside._replace(codes=beside.codes[order])
    return Listing(rows.query_ids, codes, documents, rows.doc_ids, number, rank, beside)


def _plain(number: float) -> float | int:
    """Write 3.0 as 3, as judgments have it; but not -0.0, which is another number."""
    if number == 0:
        return 0 if str(number) == "0.0" else number
    return int(number) if number.is_integer() and abs(number) < 1e15 else number
