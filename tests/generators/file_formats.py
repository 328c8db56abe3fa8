"""Write judgments and runs in every format that files have, packed or not."""

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable, Mapping

import pytest

from generators.trec_files import in_turn

Rows = Mapping[str, Mapping[str, float]]

SEPARATORS = {"beir": "\t", "tsv": "\t", "csv": ",", "csv;": ";"}
HEADERS = {
    "beir": ("query-id", "corpus-id", "score"),
    "tsv": ("user_id", "item_id", "rating"),
    "csv": ("docno", "topic", "sim"),
    "csv;": ("qid", "docid", "relevance"),
}


def table(
    rows: Rows,
    form: str,
    kind: str,
    *,
    quoting: int = csv.QUOTE_MINIMAL,
    newline: str = "\n",
    interleaved: bool = False,
) -> bytes:
    """Write lines of columns under a header, as Python's csv module writes them."""
    names = list(HEADERS[form])
    if form == "csv;" and kind == "run":
        names[2] = "prediction"
    if form == "csv" and kind == "qrels":
        names[2] = "relevance"
    place = [1, 0] if form == "csv" else [0, 1]
    lines = [
        [
            (*(((query_id, doc_id)[at]) for at in place), repr(number))
            for doc_id, number in numbers.items()
        ]
        for query_id, numbers in rows.items()
    ]
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=SEPARATORS[form],
        quoting=quoting,
        lineterminator=newline,  # type: ignore[arg-type]
    )
    writer.writerow(names)
    writer.writerows(in_turn(lines) if interleaved else [row for some in lines for row in some])  # type: ignore[arg-type]
    return text.getvalue().encode()


def trec(rows: Rows, kind: str, separator: str = " ") -> bytes:
    """Write TREC text."""
    fields = (
        ([query_id, "0", doc_id, repr(number)] for query_id, doc_id, number in flat(rows))
        if kind == "qrels"
        else (
            [query_id, "Q0", doc_id, "1", repr(number), "tag"]
            for query_id, doc_id, number in flat(rows)
        )
    )
    return "".join(separator.join(line) + "\n" for line in fields).encode()


def flat(rows: Rows) -> list[tuple[str, str, float]]:
    """List the rows, query by query."""
    return [
        (query_id, doc_id, number)
        for query_id, numbers in rows.items()
        for doc_id, number in numbers.items()
    ]


def objects(rows: Rows, kind: str) -> list[dict[str, object]]:
    """Give an object a row, with a field for each thing."""
    number_name = "label" if kind == "qrels" else "score"
    return [
        {"query_id": query_id, "doc_id": doc_id, number_name: number}
        for query_id, doc_id, number in flat(rows)
    ]


def lines_of(documents: list[object]) -> bytes:
    """Write one document a line."""
    return "".join(json.dumps(document) + "\n" for document in documents).encode()


def nested_lines(rows: Rows, name: str) -> bytes:
    """Write one object a query, which holds the query's id and its documents."""
    return lines_of([{"query_id": q, name: dict(numbers)} for q, numbers in rows.items()])


DOCUMENTS: dict[str, Callable[[Rows, str], bytes]] = {
    "json": lambda rows, _: json.dumps(rows).encode(),
    "json, indented": lambda rows, _: json.dumps(rows, indent=2, ensure_ascii=False).encode(),
    "json of rows": lambda rows, kind: json.dumps(objects(rows, kind)).encode(),
    "jsonl of rows": lambda rows, kind: lines_of([*objects(rows, kind)]),
    "jsonl of queries": lambda rows, _: lines_of([{q: dict(n)} for q, n in rows.items()]),
    "jsonl of results": lambda rows, _: nested_lines(rows, "results"),
    "jsonl of docs": lambda rows, _: nested_lines(rows, "docs"),
}


def parquet(rows: Rows, kind: str) -> bytes:
    """Write Parquet through pyarrow."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    columns = {name: [row[name] for row in objects(rows, kind)] for name in objects(rows, kind)[0]}
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def zstd(data: bytes) -> bytes:
    """Pack with Zstandard, or skip where nothing here can."""
    zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed")
    packed: bytes = zstandard.ZstdCompressor(write_checksum=True).compress(data)
    return packed


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}
