"""TREC text through the core, and its faults in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmark import _core
from rankmark.errors import DuplicateError, InputError, ParseError

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.sources.files import Progress, TextFile

AlignedRun = tuple[tuple[Any, ...], int, list[str], int, int, int]
"""The core's answer: columns, run-only queries, three of them, rows, extra columns, interleaved."""

BLOCK_BYTES = 1 << 19
"""How much of a file a thread takes at a time; fits the second-level cache."""


def read_qrels(
    file: TextFile,
    *,
    threads: int,
    block_bytes: int = BLOCK_BYTES,
    progress: Progress | None = None,
) -> tuple[_core.Judgments, int, int]:
    """Read qrels: the judgments, how many rows, and how many of them have extra columns."""
    with file.descriptor() as descriptor, _worded(file, descriptor, "qrels"):
        judgments, rows, extra = _core.qrels_from_file(descriptor, threads, block_bytes, progress)
    if rows == 0:
        raise ParseError(file.name, None, "holds no judgments; need lines `qid iter docid label`")
    return judgments, rows, extra


def align_run(
    file: TextFile,
    judgments: _core.Judgments,
    conventions: Conventions,
    *,
    lowest: float,
    threads: int,
    block_bytes: int = BLOCK_BYTES,
    progress: Progress | None = None,
) -> AlignedRun:
    """Read a run and align it with the judgments; ``ties="rank"`` orders by the rank column."""
    with file.descriptor() as descriptor, _worded(file, descriptor, "run"):
        aligned = _core.align_file(
            descriptor,
            judgments,
            *conventions.for_core(),
            lowest,
            conventions.ties == "rank",
            threads,
            block_bytes,
            progress,
        )
    if aligned[3] == 0:
        wanted = "qid iter docid rank score tag"
        raise ParseError(file.name, None, f"holds no documents; need lines `{wanted}`")
    return aligned


@contextmanager
def _worded(file: TextFile, descriptor: int, kind: str) -> Iterator[None]:
    try:
        yield
    except _core.ParseFault as fault:
        offset, message = fault.args
        line = _core.line_in_file(descriptor, offset)
        raise ParseError(file.name, line, message) from None
    except _core.DuplicateFault as fault:
        query, document = fault.args
        raise _duplicate(file, descriptor, kind, query, document) from None
    except OSError as error:
        raise InputError(f"{file.name}: cannot be read: {error}") from None


def _duplicate(
    file: TextFile, descriptor: int, kind: str, query: str, document: str
) -> DuplicateError:
    first, second = _core.lines_in_file(
        descriptor,
        query.encode("utf-8", "surrogateescape"),
        document.encode("utf-8", "surrogateescape"),
    )
    remedy = "keep one of the two lines"
    if kind == "qrels" and document in {"0", "1"}:
        remedy = "or is this a file of another kind? prels have five columns, and are not qrels"
    return DuplicateError(
        f"{file.name}:{second}: document {document!r} stands twice for query {query!r}, "
        f"first on line {first}; {remedy}",
        path=file.name,
        line=second,
    )
