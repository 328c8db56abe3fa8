"""Judgments and runs as the rows of a file: TREC text, CSV, TSV, JSONL, Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from rankmark.errors import InputError, MissingDependencyError, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.alignment import Floats, Ints
    from rankmark.sources.options import Kind
    from rankmark.sources.source import Rows

RowFormat = Literal["trec", "csv", "tsv", "jsonl", "parquet"]
ROW_FORMATS: tuple[RowFormat, ...] = get_args(RowFormat)

_BATCH = 1 << 16  # rows that are held as Python objects at a time
_TAG = "rankmark"


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
    """

    query_ids: Sequence[str]
    query_codes: NDArray[np.uint32]
    doc_codes: NDArray[np.uint32]
    doc_ids: Callable[[int], str]
    number: Floats
    rank: Ints | None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        number = "label" if self.rank is None else "score"
        return ("query_id", "doc_id", number, *(() if self.rank is None else ("rank",)))

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
            yield list(zip(*columns, strict=True))


def arranged(rows: Rows, kind: Kind) -> Listing:
    """Put rows in the order of a file: query by query, the documents of a run best first.

    Documents that tie keep the order in which they stood. A run without scores is ordered by its
    ranks, or else stands in order already, and is given scores that fall to 1.
    """
    codes = np.asarray(rows.query_codes)
    if kind == "qrels":
        order = np.argsort(codes, kind="stable")
        number = np.ones(len(codes)) if rows.number is None else rows.number
        return _listing(rows, order, number[order], None)
    key = -rows.number if rows.number is not None else rows.rank
    order = np.argsort(codes, kind="stable") if key is None else np.lexsort((key, codes))
    sizes = np.bincount(codes, minlength=len(rows.query_ids))
    begins = np.cumsum(sizes) - sizes
    sorted_codes = codes[order]
    rank = np.arange(1, len(codes) + 1) - begins[sorted_codes]
    if rows.number is None:
        scores = (sizes[sorted_codes] - rank + 1).astype(np.float64)
    else:
        scores = rows.number[order]
    return _listing(rows, order, scores, rank)


def _listing(rows: Rows, order: Ints, number: Floats, rank: Ints | None) -> Listing:
    codes, documents = np.asarray(rows.query_codes)[order], np.asarray(rows.doc_codes)[order]
    return Listing(rows.query_ids, codes, documents, rows.doc_ids, number, rank)


def write_rows(listing: Listing, form: RowFormat, file: IO[bytes]) -> None:
    """Write rows to an open file.

    Raises
    ------
    InputError
        If an id cannot be written in this format so that it is read as the same id.
    MissingDependencyError
        If pyarrow is not there, for Parquet.
    """
    if form == "parquet":
        _write_parquet(listing, file)
    elif form == "jsonl":
        _write_jsonl(listing, file)
    elif form == "trec":
        _write_trec(listing, file)
    else:
        _write_table(listing, file, "," if form == "csv" else "\t")


def _write_trec(listing: Listing, file: IO[bytes]) -> None:
    refuse = _refusal(r"\A\Z|[ \t\n\r\0]", "TREC text has no place for blanks in ids", "csv")
    for batch in listing.batches():
        refuse(batch)
        comments = [row[0] for row in batch if row[0].startswith(("#", "\ufeff"))]
        if comments:
            raise InputError(
                f"query ids that TREC text cannot begin a line with: {listed(comments)}; choose "
                "another format, such as --to csv"
            )
        if listing.rank is None:
            lines = [f"{query} 0 {doc} {label}\n" for query, doc, label in batch]
        else:
            lines = [f"{q} Q0 {doc} {rank} {score} {_TAG}\n" for q, doc, score, rank in batch]
        file.write("".join(lines).encode("utf-8", "surrogateescape"))


def _write_table(listing: Listing, file: IO[bytes], separator: str) -> None:
    import csv  # noqa: PLC0415
    import io  # noqa: PLC0415

    refuse = _refusal(r"\A\Z|[\n\r\0]|\A[ \t]|[ \t]\Z", "a table cannot hold such ids", "jsonl")
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(listing.names)
    for batch in listing.batches():
        refuse(batch)
        writer.writerows(batch)
        file.write(text.getvalue().encode("utf-8", "surrogateescape"))
        text.seek(0)
        text.truncate()
    file.write(text.getvalue().encode())  # the names, where there are no rows


def _write_jsonl(listing: Listing, file: IO[bytes]) -> None:
    import json  # noqa: PLC0415

    refuse = _refusal(r"\A\Z|[\ud800-\udfff]", "JSON holds Unicode text alone", "trec")
    if np.isinf(listing.number).any():
        raise InputError("JSON has no infinite numbers; choose another format, such as --to csv")
    for batch in listing.batches():
        refuse(batch)
        rows = (dict(zip(listing.names, row, strict=True)) for row in batch)
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        file.write("".join(lines).encode())


def _write_parquet(listing: Listing, file: IO[bytes]) -> None:
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("pyarrow", "arrow", "writing Parquet") from None
    refuse = _refusal(r"\A\Z|[\ud800-\udfff]", "Parquet holds Unicode text alone", "trec")
    fields = [("query_id", pa.string()), ("doc_id", pa.string()), (listing.names[2], pa.float64())]
    if listing.rank is not None:
        fields.append(("rank", pa.int64()))
    schema = pa.schema(fields)
    with parquet.ParquetWriter(file, schema) as writer:
        for batch in listing.batches():
            refuse(batch)
            columns = [
                pa.array([float(one) for one in column] if name in {"label", "score"} else column)
                for name, column in zip(listing.names, zip(*batch, strict=True), strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def _refusal(pattern: str, why: str, instead: str) -> Callable[[list[tuple[Any, ...]]], None]:
    """Give a check of a batch's ids for what a format cannot hold."""
    search = re.compile(pattern).search

    def refuse(batch: list[tuple[Any, ...]]) -> None:
        wrong = [one for row in batch for one in row[:2] if search(one)]
        if wrong:
            raise InputError(
                f"ids that cannot be written: {listed(list(dict.fromkeys(wrong)))}; {why}: choose "
                f"another format, such as --to {instead}"
            )

    return refuse


def _plain(number: float) -> float | int:
    """Write 3.0 as 3, as judgments have it."""
    return int(number) if number.is_integer() and abs(number) < 1e15 else number
