"""Judgments and runs as rows in the order of files, as text, tables, JSON or Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, takewhile
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from rankmark.errors import DuplicateError, InputError, MissingDependencyError, listed

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
    return position[rows.doc_codes]


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


RowFormat = Literal["trec", "msmarco", "beir", "csv", "tsv", "json", "jsonl", "parquet"]
ROW_FORMATS: tuple[RowFormat, ...] = get_args(RowFormat)

TAG = "rankmark"
"""The default tag of a run."""
_UNTAGGED = {"tag": TAG, "subtopic": "0"}


def write_rows(listing: Listing, form: RowFormat, file: IO[bytes]) -> None:
    """Write rows to an open file."""
    _refuse_empty_queries(listing, form)
    _WRITERS[form](listing, file)


def _refuse_empty_queries(listing: Listing, form: RowFormat) -> None:
    """Refuse to lose judged queries; empty rankings count as missing by default, so they may go."""
    empty = listing.empty_queries
    if empty and not listing.has_ranks and form != "json":
        raise InputError(
            f"judged queries without documents: {listed(empty)}",
            f"every row of {form} contains a "
            "document, so these would be lost: choose --to json, or remove them",
        )


def _write_trec(listing: Listing, file: IO[bytes]) -> None:
    for batch in _batches_of_lines(listing):
        if not listing.has_ranks:
            lines = [f"{q} {extra} {doc} {label}\n" for q, doc, label, extra in batch]
        else:
            lines = [f"{q} Q0 {doc} {rank} {score} {tag}\n" for q, doc, score, rank, tag in batch]
        file.write(_encoded("".join(lines)))


def _write_msmarco(listing: Listing, file: IO[bytes]) -> None:
    """Write judgments as TREC text separated by tabs, and the ranks of a run."""
    for batch in _batches_of_lines(listing):
        if not listing.has_ranks:
            lines = [f"{q}\t{extra}\t{doc}\t{label}\n" for q, doc, label, extra in batch]
        else:
            lines = [f"{q}\t{doc}\t{rank}\n" for q, doc, _, rank, _ in batch]
        file.write(_encoded("".join(lines)))


def _batches_of_lines(listing: Listing) -> Iterator[list[tuple[Any, ...]]]:
    """Yield rows for lines separated by blanks, each with a tag or a subtopic."""
    refuse = _refusal(r"\A\Z|[ \t\n\r\0]", "columns are separated by blanks", "csv")
    name = "subtopic" if not listing.has_ranks else "tag"
    default = _UNTAGGED[name]
    for rows in listing.batches():
        batch = rows
        if listing.extra is None:
            batch = [(*row, default) for row in rows]
        elif listing.extra.name == "tag":
            batch = [(*row[:-1], row[-1] or default) for row in rows]
        refuse(batch)
        wrong = {row[-1] for row in batch if re.search(r"\A\Z|[ \t\n\r\0]", row[-1])}
        if wrong:
            raise InputError(
                f"a {name} that cannot be written: {listed(sorted(wrong))}; columns are separated "
                "by blanks",
                "choose another format, such as --to csv"
                + (", or another tag with --tag" if name == "tag" else ""),
            )
        comments = [row[0] for row in batch if row[0].startswith(("#", "\ufeff"))]
        if comments:
            raise InputError(
                f"query ids that cannot begin a line: {listed([*dict.fromkeys(comments)])}",
                "choose another format, such as --to csv",
            )
        yield batch


def _write_beir(listing: Listing, file: IO[bytes]) -> None:
    if listing.has_ranks:
        raise InputError(
            "BEIR has no table of runs: its results are JSON", "choose --to json, or --to tsv"
        )
    if listing.extra is not None:
        raise InputError(
            "BEIR has no column for subtopics, which these judgments have",
            "choose --to trec or --to tsv",
        )
    _write_table(listing, file, "\t", ("query-id", "corpus-id", "score"))


def _write_csv(listing: Listing, file: IO[bytes]) -> None:
    _write_table(listing, file, ",", listing.names)


def _write_tsv(listing: Listing, file: IO[bytes]) -> None:
    _write_table(listing, file, "\t", listing.names)


def _write_table(listing: Listing, file: IO[bytes], separator: str, names: tuple[str, ...]) -> None:
    import csv  # noqa: PLC0415
    import io  # noqa: PLC0415

    refuse = _refusal(r"\A\Z|[\n\r\0]|\A[ \t]|[ \t]\Z", "a table cannot contain such ids", "jsonl")
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(names)
    for batch in listing.batches():
        refuse(batch)
        writer.writerows(batch)
        file.write(_encoded(text.getvalue()))
        text.seek(0)
        text.truncate()
    file.write(_encoded(text.getvalue()))  # the header, if there are no rows


def _write_jsonl(listing: Listing, file: IO[bytes]) -> None:
    import json  # noqa: PLC0415

    for batch in _batches_of_json(listing):
        rows = (dict(zip(listing.names, row, strict=True)) for row in batch)
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        file.write("".join(lines).encode())


def _write_json(listing: Listing, file: IO[bytes]) -> None:
    """Write ``{query id: {document id: number}}``, one query per line."""
    import json  # noqa: PLC0415

    if listing.extra is not None and listing.extra.name == "subtopic":
        raise InputError(
            "JSON by query has no place for subtopics, which these judgments have",
            "choose --to jsonl",
        )
    rows = (row for batch in _batches_of_json(listing) for row in batch)
    queries = iter(listing.query_ids)
    begin = "{\n"

    def put(query: str, numbers: dict[str, float]) -> None:
        nonlocal begin
        inner = json.dumps(numbers, ensure_ascii=False)
        file.write(f"{begin}{json.dumps(query, ensure_ascii=False)}: {inner}".encode())
        begin = ",\n"

    for query, of_query in groupby(rows, key=lambda row: row[0]):
        numbers: dict[str, float] = {}
        for _, doc_id, number, *_ in of_query:
            if doc_id in numbers:
                raise DuplicateError(
                    f"document {doc_id!r} appears twice for query {query!r}, but can appear only "
                    "once in JSON by query",
                    "keep one of the two, or choose --to jsonl",
                )
            numbers[doc_id] = number
        for empty in takewhile(query.__ne__, queries):  # which also consumes the query itself
            put(empty, {})
        put(query, numbers)
    for empty in queries:
        put(empty, {})
    file.write(b"\n}\n")


def _batches_of_json(listing: Listing) -> Iterator[list[tuple[Any, ...]]]:
    refuse = _refusal(r"\A\Z|[\ud800-\udfff]", "JSON contains only Unicode text", "trec")
    if np.isinf(listing.number).any():
        raise InputError("JSON has no infinite numbers", "choose another format, such as --to csv")
    for batch in listing.batches():
        refuse(batch)
        yield batch


def _write_parquet(listing: Listing, file: IO[bytes]) -> None:
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("pyarrow", "arrow", "writing Parquet") from None
    refuse = _refusal(r"\A\Z|[\ud800-\udfff]", "Parquet contains only Unicode text", "trec")
    types = {"label": pa.float64(), "score": pa.float64(), "rank": pa.int64()}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in listing.names])
    with parquet.ParquetWriter(file, schema) as writer:
        for batch in listing.batches():
            refuse(batch)
            columns = [
                pa.array(
                    [float(number) for number in column] if name in {"label", "score"} else column
                )
                for name, column in zip(listing.names, zip(*batch, strict=True), strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


_WRITERS: dict[RowFormat, Callable[[Listing, IO[bytes]], None]] = {
    "trec": _write_trec,
    "msmarco": _write_msmarco,
    "beir": _write_beir,
    "csv": _write_csv,
    "tsv": _write_tsv,
    "json": _write_json,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}


def _refusal(pattern: str, why: str, instead: str) -> Callable[[list[tuple[Any, ...]]], None]:
    """Return a function that refuses ids that a format cannot contain."""
    search = re.compile(pattern).search

    def refuse(batch: list[tuple[Any, ...]]) -> None:
        wrong = [text for row in batch for text in row[:2] if search(text)]
        if wrong:
            raise InputError(
                f"some ids cannot be written: {listed(list(dict.fromkeys(wrong)))}, because {why}",
                f"choose another format, such as --to {instead}",
            )

    return refuse


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
