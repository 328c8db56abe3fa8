"""Write judgments and runs as TREC text, in any dress that such files wear; and read naively."""

import gzip
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

Rows = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Dress:
    """How a file looks, none of which changes what it says."""

    separator: str = " "
    newline: str = "\n"
    last_newline: bool = True
    byte_order_mark: bool = False
    comment: bool = False
    interleaved: bool = False
    extra_columns: bool = False
    compressed: bool = False


dresses = st.builds(
    Dress,
    separator=st.sampled_from([" ", "\t", "   ", " \t "]),
    newline=st.sampled_from(["\n", "\r\n"]),
    last_newline=st.booleans(),
    byte_order_mark=st.booleans(),
    comment=st.booleans(),
    interleaved=st.booleans(),
    extra_columns=st.booleans(),
    compressed=st.booleans(),
)


def in_turn(lines_of_queries: list[list[str]]) -> list[str]:
    """Take a line of each query, again and again, until all are taken."""
    turns = itertools.zip_longest(*lines_of_queries)
    return [line for turn in turns for line in turn if line is not None]


def write(path: Path, lines_of_queries: list[list[str]], dress: Dress) -> Path:
    """Write lines, whose fields are separated by line feeds so far, in the given dress."""
    lines = (
        in_turn(lines_of_queries)
        if dress.interleaved
        else [line for lines in lines_of_queries for line in lines]
    )
    if dress.extra_columns:
        lines = [f"{line}\nmore junk" for line in lines]
    lines = [line.replace("\n", dress.separator) for line in lines]
    if dress.comment:
        lines = ["# a comment", *lines[:1], "", "#another 1 2 3", *lines[1:]]
    text = dress.newline.join(lines) + dress.newline * dress.last_newline
    content = b"\xef\xbb\xbf" * dress.byte_order_mark + text.encode()
    path.write_bytes(gzip.compress(content, mtime=0) if dress.compressed else content)
    return path


def write_qrels(path: Path, qrels: Rows, dress: Dress | None = None) -> Path:
    """Write ``qid 0 docid label`` lines."""
    lines = [
        [f"{query_id}\n0\n{doc_id}\n{label!r}" for doc_id, label in labels.items()]
        for query_id, labels in qrels.items()
    ]
    return write(path, lines, dress or Dress())


def write_run(path: Path, run: Rows, dress: Dress | None = None) -> Path:
    """Write ``qid Q0 docid rank score tag`` lines; the rank column is the row's place and lies."""
    lines = [
        [
            f"{query_id}\nQ0\n{doc_id}\n{place}\n{score!r}\ntag"
            for place, (doc_id, score) in enumerate(scores.items(), start=1)
        ]
        for query_id, scores in run.items()
    ]
    return write(path, lines, dress or Dress())


def naive_fields(path: Path) -> Iterator[list[bytes]]:
    """Split every line that is neither empty nor a comment, as a five-line script would."""
    for line in path.read_bytes().split(b"\n"):
        fields = line.split()
        if fields and not line.startswith(b"#"):
            yield fields
