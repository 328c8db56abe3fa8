"""Judgments and runs as rows, in the order in which files contain them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Floats, Ints
    from rankmark.data.contract.source import Rows
    from rankmark.data.contract.source_options import Kind

_BATCH = 1 << 16  # rows that are Python objects at the same time


class ExtraColumn(NamedTuple):
    """A column beside ids and numbers: the tags of a run, or the subtopics of judgments.

    Parameters
    ----------
    name
        "tag" or "subtopic".
    codes
        (n,) int64, the number of each row's text.
    text
        Returns the text with a number; empty for a row without one.
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
        Returns the id with a number.
    number
        (n,) float64, labels or scores.
    begins
        (Q,) int64, the first row of each query; None for judgments, which have no ranks.
    extra
        An additional column of text, if any.
    """

    query_ids: Sequence[str]
    query_codes: NDArray[np.uint32]
    doc_codes: NDArray[np.uint32]
    doc_ids: Callable[[int], str]
    number: Floats
    begins: Ints | None
    extra: ExtraColumn | None = None

    @property
    def has_ranks(self) -> bool:
        """Whether the rows are those of a run, which have ranks from 1."""
        return self.begins is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        numbers = ("label",) if self.begins is None else ("score", "rank")
        extra = () if self.extra is None else (self.extra.name,)
        return ("query_id", "doc_id", *numbers, *extra)

    @property
    def empty_queries(self) -> list[str]:
        """The queries without rows."""
        rows = np.bincount(self.query_codes, minlength=len(self.query_ids))
        return [self.query_ids[code] for code in np.flatnonzero(rows == 0).tolist()]

    def batches(self) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows in batches, as Python objects; whole numbers as int."""
        for begin in range(0, len(self.query_codes), _BATCH):
            part = slice(begin, begin + _BATCH)
            codes = self.query_codes[part]
            columns: list[Any] = [
                [self.query_ids[code] for code in codes.tolist()],
                [self.doc_ids(code) for code in self.doc_codes[part].tolist()],
                [_plain(number) for number in self.number[part].tolist()],
            ]
            if self.begins is not None:
                ranks = np.arange(begin + 1, begin + len(codes) + 1) - self.begins[codes]
                columns.append(ranks.tolist())
            if self.extra is not None:
                text = self.extra.text
                columns.append([text(code) for code in self.extra.codes[part].tolist()])
            yield list(zip(*columns, strict=True))


def arranged(
    rows: Rows, kind: Kind, extra: ExtraColumn | None = None, *, ties: str = "input"
) -> Listing:
    """Arrange rows query by query, and the documents of a run best first.

    A run without scores is ordered by its ranks, or is in order already, and gets scores that
    decrease to 1.

    Parameters
    ----------
    ties
        The order of tied documents: "input", or "docid" for ids descending.
    """
    codes = np.asarray(rows.query_codes)
    if kind == "qrels":
        number = np.ones(len(codes)) if rows.number is None else rows.number
        return _listing(rows, _order(codes, None), number, None, extra)
    scored = rows.number is not None
    if rows.number is not None and ties == "docid":
        order: Ints | None = np.lexsort((_ids_descending(rows), -rows.number, codes))
    else:
        order = _order(codes, rows.number if scored else rows.rank, falling=scored)
    sizes = np.bincount(codes, minlength=len(rows.query_ids))
    begins = np.cumsum(sizes) - sizes
    if rows.number is not None:
        return _listing(rows, order, rows.number, begins, extra)
    listing = _listing(rows, order, np.zeros(0), begins, extra)
    ends = (begins + sizes)[listing.query_codes]
    scores = (ends - np.arange(len(codes))).astype(np.float64)
    return listing._replace(number=scores)


def _order(codes: NDArray[np.uint32], key: Floats | None, *, falling: bool = False) -> Ints | None:
    """Return the rows by query, then by a key; None if they are in this order already."""
    for begin in range(0, len(codes), _BATCH):
        part = slice(begin, begin + _BATCH + 1)  # with the first row of the next
        before, after = codes[part][:-1], codes[part][1:]
        wrong = before > after
        if key is not None:
            first, then = key[part][:-1], key[part][1:]
            in_order = first >= then if falling else first <= then
            wrong |= (before == after) & ~in_order
        if wrong.any():
            break
    else:
        return None
    if key is None:
        return np.argsort(codes, kind="stable")
    return np.lexsort((-key if falling else key, codes))


def _ids_descending(rows: Rows) -> Ints:
    """Return a number per row that orders document ids descending, in byte order."""
    ids = [
        rows.doc_ids(code).encode("utf-8", "surrogateescape")
        for code in range(int(np.max(rows.doc_codes)) + 1)
    ]
    position = np.empty(len(ids), dtype=np.int64)
    position[sorted(range(len(ids)), key=ids.__getitem__, reverse=True)] = np.arange(len(ids))
    descending: Ints = position[rows.doc_codes]
    return descending


def _listing(
    rows: Rows, order: Ints | None, number: Floats, begins: Ints | None, extra: ExtraColumn | None
) -> Listing:
    """Put rows in an order, with copies only if that is not their own."""
    codes, documents = np.asarray(rows.query_codes), np.asarray(rows.doc_codes)
    if order is not None:
        codes, documents = codes[order], documents[order]
        number = number[order] if len(number) else number
        extra = None if extra is None else extra._replace(codes=extra.codes[order])
    return Listing(rows.query_ids, codes, documents, rows.doc_ids, number, begins, extra)


def _plain(number: float) -> float | int:
    """Convert 3.0 to 3, as judgments are written, but not -0.0, which is a different number."""
    if number == 0:
        return 0 if str(number) == "0.0" else number
    return int(number) if number.is_integer() and abs(number) < 1e15 else number
