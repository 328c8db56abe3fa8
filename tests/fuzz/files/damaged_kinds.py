"""The small files that are damaged: of columns, of text, packed, and what commands read."""

import bz2
import csv
import gzip
import io
import json
import lzma
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from damages import DAMAGES, DAMAGES_OF_TEXT, Damage

QUERIES, DOCUMENTS, ROWS_AT_ONCE = 5, 9, 20
COLUMNS = {
    **{name: (name, None) for name in ("arrow file", "arrow stream")},
    **{f"feather {codec}": ("feather", codec) for codec in ("uncompressed", "lz4", "zstd")},
    **{
        f"parquet {codec}": ("parquet", codec)
        for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4")
    },
    "parquet checksums": ("parquet", "checksums"),
}
TEXT = ("trec", "csv", "tsv", "json", "jsonl")
PACKED = ("gzip", "bz2", "xz", "zstd")
COMMANDS = ("names of measures", "gate file", "record")
KINDS = (*COLUMNS, *TEXT, *PACKED, *COMMANDS)
GROUPS = {
    "text": ("trec",),
    "tables": ("csv", "tsv"),
    "json": ("json", "jsonl"),
    "arrow": tuple(kind for kind in COLUMNS if not kind.startswith("parquet")),
    "parquet": tuple(kind for kind in COLUMNS if kind.startswith("parquet")),
    "packed": PACKED,
    **{name: (name,) for name in COMMANDS},
}
"""Kinds of files that are fuzzed together."""
TYPES = (
    *("int32", "int64", "string", "large_string", "string_view", "binary", "dictionary"),
    *("large_dictionary", "decimal128", "decimal256", "nulls", "float64", "uint16"),
)


class Example(NamedTuple):
    """A file and its name's ending."""

    data: bytes
    suffix: str


def damages_of(kind: str) -> Sequence[Damage]:
    """Return the damages that a file of a kind gets."""
    return DAMAGES_OF_TEXT if kind in TEXT or kind in COMMANDS else DAMAGES


@cache
def example(kind: str, ids: str, holds: str) -> Example:
    """Write a run or judgments, with ids of a type; a file of columns holds both."""
    if kind in COLUMNS:
        return columns(kind, ids)
    if kind in COMMANDS:
        return command(kind, TYPES.index(ids))
    rows = [
        (f"{q}", f"{d * 7}", (q + d) % 3 if holds == "qrels" else (q * 31 + d * 17) % 23 / 4)
        for q in range(QUERIES)
        for d in range(DOCUMENTS)
    ]
    if kind in PACKED:
        return packed(kind, text("trec", rows, holds).data)
    return text(kind, rows, holds, quotes=ids.startswith("large"))


def text(
    kind: str, rows: Sequence[tuple[str, str, float]], holds: str, *, quotes: bool = False
) -> Example:
    """Write rows as text."""
    if kind == "trec":
        shape = "{} 0 {} {}\n" if holds == "qrels" else "{} Q0 {} 0 {} tag\n"
        written = "".join(shape.format(*row) for row in rows)
        return Example(written.encode(), ".txt")
    number = "label" if holds == "qrels" else "score"
    if kind in ("csv", "tsv"):
        out = io.StringIO()
        separator = "," if kind == "csv" else "\t"
        writer = csv.writer(
            out,
            delimiter=separator,
            quoting=csv.QUOTE_ALL if quotes else csv.QUOTE_MINIMAL,
            lineterminator="\n",
        )
        writer.writerows([("query_id", "doc_id", number), *rows])
        return Example(out.getvalue().encode(), f".{kind}")
    if kind == "jsonl":
        fields = [{"query_id": q, "doc_id": d, number: one} for q, d, one in rows]
        return Example("".join(f"{json.dumps(row)}\n" for row in fields).encode(), ".jsonl")
    nested: dict[str, dict[str, float]] = {}
    for query, document, one in rows:
        nested.setdefault(query, {})[document] = one
    return Example(json.dumps(nested, indent=1 if quotes else None).encode(), ".json")


def packed(kind: str, data: bytes) -> Example:
    """Pack text."""
    if kind == "gzip":
        return Example(gzip.compress(data, mtime=0), ".txt.gz")
    if kind == "bz2":
        return Example(bz2.compress(data), ".txt.bz2")
    if kind == "xz":
        return Example(lzma.compress(data), ".txt.xz")
    import zstandard

    return Example(zstandard.ZstdCompressor(write_checksum=True).compress(data), ".txt.zst")


def columns(kind: str, ids: str) -> Example:
    """Write a run and judgments with ids of a type, as columns of one file."""
    import pyarrow as pa
    from pyarrow import feather, ipc, parquet

    form, codec = COLUMNS[kind]
    pairs = [(q, d * 7) for q in range(QUERIES) for d in range(DOCUMENTS)]
    held = {
        "other": pa.array([None if d % 2 else f"note {d}" for _, d in pairs]),
        "query_id": column([q for q, _ in pairs], ids),
        "doc_id": column([d for _, d in pairs], ids),
        "score": pa.array([(q * 31 + d * 17) % 23 / 4 for q, d in pairs]),
        "label": pa.array([(q + d) % 3 for q, d in pairs], pa.int8()),
    }
    table = pa.table(held)
    out = io.BytesIO()
    if form == "parquet":
        options: dict[str, Any] = {"compression": "snappy" if codec == "checksums" else codec}
        options["write_page_checksum"] = codec == "checksums"
        if ids == "string_view":
            table = table.cast(
                pa.schema(
                    [
                        field.with_type(pa.string()) if field.type == pa.string_view() else field
                        for field in table.schema
                    ]
                )
            )
        parquet.write_table(table, out, row_group_size=ROWS_AT_ONCE, **options)
        return Example(out.getvalue(), ".parquet")
    if form == "feather":
        feather.write_feather(table, out, chunksize=ROWS_AT_ONCE, compression=codec)
        return Example(out.getvalue(), ".feather")
    new = ipc.new_file if form == "arrow file" else ipc.new_stream
    with new(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=ROWS_AT_ONCE)
    return Example(out.getvalue(), ".arrow" if form == "arrow file" else ".arrows")


def column(values: Sequence[int], ids: str) -> Any:
    """Give ids of a type; those with nulls miss one."""
    import pyarrow as pa

    texts = [f"{value}" for value in values]
    if ids == "dictionary":
        return pa.array(texts).dictionary_encode()
    if ids == "large_dictionary":
        return pa.array(texts, pa.large_string()).dictionary_encode()
    if ids == "nulls":
        return pa.array([None if place == 30 else text for place, text in enumerate(texts)])
    if ids.startswith("decimal"):
        return pa.array([Decimal(value) for value in values], getattr(pa, ids)(12, 0))
    if ids in ("string", "large_string", "string_view", "binary"):
        return pa.array(texts).cast(getattr(pa, ids)())
    return pa.array(values, getattr(pa, ids)())


NAMES = (
    *("nDCG@10", "AP(rel=2)@100", 'nDCG(gain="exp2")@10', "P_5", "ndcg_cut_10", "mrr@10", "map-l2"),
    *("RBP(p=0.8)", "ERR@20", "set_F", "iprec_at_recall_0.10", "recall_5,10", "AP( rel = 2 )@100"),
    *("Success@1", "infAP", "R@1000", "Compat(p=0.95)", "BPM@10", "official"),
)
GATES = (
    'confidence = 0.9\n\n[[conditions]]\nmeasure = "nDCG@3"\nmax_drop = "5%"\n',
    'max_drop = 0.1\nanytime = true\n[[conditions]]\nmeasure = "AP"\nslice = "one"\n[slices]\n'
    'one = ["0", "1", "2"]\n[conventions]\nties = "mean"\n',
    '[[conditions]]\nmeasure = "RR"\nrequire_better = true\n[[conditions]]\nmeasure = "P@2"\n'
    'max_drop = 1\nmax_query_drop = 0.5\n[conventions]\nrel = 2\ndepth = 5\nno_relevant = "skip"\n',
)
ASKED = (
    ["evaluate", "qrels.txt", "base.txt", "new.txt", "-m", "nDCG@3", "-m", "AP", "--ties", "mean"],
    ["gate", "qrels.txt", "base.txt", "new.txt", "-m", "nDCG@3", "--max-drop", "5%"],
    ["compare", "qrels.txt", "base.txt", "new.txt", "-m", "AP", "--resamples", "200"],
)
"""What is asked of the files that `write_collection` writes, and recorded."""


def write_collection(folder: Path) -> None:
    """Write the judgments and the two runs that gates and records are about."""
    for name, holds, turned in (("qrels", "qrels", 1), ("base", "run", 1), ("new", "run", -1)):
        rows = [
            (
                f"{q}",
                f"{d * 7}",
                ((q + d) % 3 if holds == "qrels" else (q * 31 + d * 17) % 23 / 4) * turned,
            )
            for q in range(QUERIES)
            for d in range(DOCUMENTS)
        ]
        (folder / f"{name}.txt").write_bytes(text("trec", rows, holds).data)


def command(kind: str, number: int) -> Example:
    """Write what commands read besides runs and judgments: some of each kind, by a number."""
    if kind == "names of measures":
        return Example(f"{NAMES[number % len(NAMES)]}\n{NAMES[-number]}".encode(), ".names")
    if kind == "gate file":
        return Example(GATES[number % len(GATES)].encode(), ".toml")
    from click.testing import CliRunner

    from rankmark.commands.app import app

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_collection(folder)
        asked = [
            str(folder / word) if word.endswith(".txt") else word
            for word in ASKED[number % len(ASKED)]
        ]
        record = folder / "record.json"
        CliRunner().invoke(app, [*asked, "--record", str(record)])
        return Example(record.read_bytes().replace(f"{name}/".encode(), b""), ".json")
