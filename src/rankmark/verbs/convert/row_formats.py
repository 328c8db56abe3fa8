"""Write rows as TREC text, MS MARCO, BEIR, CSV, TSV, JSON, JSONL or Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby, takewhile
from typing import IO, TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.errors import DuplicateError, InputError, MissingDependencyError, listed

if TYPE_CHECKING:
    from rankmark.verbs.convert.file_rows import Listing

RowFormat = Literal["trec", "msmarco", "beir", "csv", "tsv", "json", "jsonl", "parquet"]
ROW_FORMATS: tuple[RowFormat, ...] = get_args(RowFormat)

TAG = "rankmark"
"""The default tag of a run."""
_UNTAGGED = {"tag": TAG, "subtopic": "0"}


def write_rows(listing: Listing, form: RowFormat, file: IO[bytes]) -> None:
    """Write rows to an open file.

    Raises
    ------
    InputError
        If the format cannot contain the rows, so that they would not be read back unchanged.
    MissingDependencyError
        If Parquet is requested and pyarrow is missing.
    """
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
                f"query ids that cannot begin a line: {listed(comments)}",
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
