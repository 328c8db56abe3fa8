"""TREC text line by line: what cannot be read is noted, and passed over."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from rankmark.sources.source import Rows

if TYPE_CHECKING:
    from rankmark.sources.files import TextFile
    from rankmark.sources.forms import Kind

_WANTED = {"qrels": (4, "qid iter docid label"), "run": (6, "qid iter docid rank score tag")}
_BLANKS = re.compile(rb"[ \t]+")
_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)
_LONGEST_SHOWN = 60
_KEPT = 100


def trec_rows(file: TextFile, kind: Kind) -> Rows:
    """List the rows of judgments or of a run, and the lines that are none."""
    columns, wanted = _WANTED[kind]
    numbered = 3 if kind == "qrels" else 4
    queries: dict[bytes, int] = {}
    documents: dict[bytes, int] = {}
    query_codes: list[int] = []
    doc_codes: list[int] = []
    numbers: list[float] = []
    ranks: list[float] = []
    lines: list[int] = []
    faults: list[tuple[int, str]] = []
    extra: list[int] = []
    with file.descriptor() as descriptor, open(descriptor, "rb", closefd=False) as text:
        text.seek(0)
        for line, raw in enumerate(text, 1):
            content = raw.removesuffix(b"\n").removesuffix(b"\r")
            if line == 1:
                content = content.removeprefix(b"\xef\xbb\xbf")
            if b"\0" in content:
                faults.append((line, "found a NUL byte; this is no UTF-8 text: convert it"))
                continue
            fields = _BLANKS.split(content.strip(b" \t"))
            if content.startswith(b"#") or fields == [b""]:
                continue
            if len(fields) < columns or (b"\r" in content and len(fields) != columns):
                faults.append((line, f"found {len(fields)} columns, need {columns} ({wanted})"))
                continue
            number = _number(fields[numbered])
            if number is None:
                shown = repr(_text(fields[numbered])[:_LONGEST_SHOWN])
                name = wanted.split()[numbered]
                faults.append((line, f"{name} {shown} is not a number; is this line a header?"))
                continue
            if len(fields) > columns:
                extra.append(line)
            query_codes.append(queries.setdefault(fields[0], len(queries)))
            doc_codes.append(documents.setdefault(fields[2], len(documents)))
            numbers.append(number)
            if kind == "run":
                rank = _number(fields[3])
                ranks.append(math.nan if rank is None else rank)
            lines.append(line)
    doc_ids = list(map(_text, documents))
    return Rows(
        query_codes=np.array(query_codes, dtype=np.uint32),
        query_ids=tuple(map(_text, queries)),
        doc_codes=np.array(doc_codes, dtype=np.uint32),
        doc_ids=doc_ids.__getitem__,
        number=np.array(numbers, dtype=np.float64),
        rank=np.array(ranks, dtype=np.float64) if kind == "run" else None,
        line=np.array(lines, dtype=np.int64),
        faults=faults[:_KEPT],
        faulty=len(faults),
        extra_lines=extra[:_KEPT],
        extra_columns=len(extra),
    )


def _number(field: bytes) -> float | None:
    return float(field) if _NUMBER.fullmatch(field) else None


def _text(field: bytes) -> str:
    return field.decode("utf-8", "surrogateescape")
