"""What rankmark makes of qrels and runs, in a form that tests can compare."""

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from rankmark import InputError, MissingDependencyError, ParseError, Qrels, Run, _core
from rankmark.conventions import Conventions
from rankmark.data.alignment import Needs
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source_options import SourceOptions
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.input_file import InputFile
from rankmark.data.preparing.matching import match

CUTS = ((1, 1), (2, 3), (3, 1), (7, 2), (64, 1), (1 << 19, 2))
"""Sizes of blocks, and numbers of threads."""


def judgments(source: Any) -> dict[str, dict[str, float]]:
    """Read qrels as ``{query id: {document id: label}}``."""
    qrels = Qrels(source)
    starts, labels = qrels.judgments.starts(), qrels.judgments.labels()
    return {
        query: dict(zip(qrels.doc_ids[begin:end], labels[begin:end].tolist(), strict=True))
        for query, begin, end in zip(qrels.query_ids, starts, starts[1:], strict=False)
    }


def rankings(
    source: Any, documents: Iterable[str], queries: Iterable[str] = ("q",), **conventions: Any
) -> dict[str, list[str]]:
    """Read a run as ``{query id: [document id, ...]}``, best first, of the documents named."""
    documents = list(documents)
    labels = {query: {doc: i for i, doc in enumerate(documents, 1)} for query in queries}
    qrels = Qrels(labels, contents="labels")
    alignment, _ = match(qrels, Run(source), Conventions(**conventions), needs=Needs(lowest=0.0))
    return {
        query: [documents[int(label) - 1] for label in alignment.label[begin:end]]
        for query, begin, end in zip(
            alignment.queries, alignment.starts, alignment.starts[1:], strict=False
        )
    }


def refused(path: Path, mistake: tuple[bytes, int, str], read: Callable[[Path], Any]) -> None:
    """Check that a file with a mistake is refused: where it stands, and what was found."""
    data, line, found = mistake
    path.write_bytes(data)
    with pytest.raises(ParseError) as caught:
        read(path)
    assert (caught.value.where, caught.value.line) == (str(path), line)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert found in str(caught.value)
    assert "\n" not in str(caught.value)


def file_of(data: bytes, kind: Any, *, block: int = 1 << 19) -> FileSource:
    """Give a file as a source that is cut into blocks of a size."""
    return FileSource(InputFile(io.BytesIO(data)), kind, SourceOptions(), block_bytes=block)


def read_qrels(data: bytes, *, block: int, threads: int) -> Any:
    """Give what reading qrels comes to, as plain values: what was read, or what was wrong."""
    try:
        file = file_of(data, "qrels", block=block)
        judged = file.read_qrels(Reading(threads=threads))
    except (InputError, MissingDependencyError) as error:
        return type(error), getattr(error, "line", None), str(error)
    read = judged.judgments
    columns = read.starts().tolist(), read.labels().tolist()
    return read.query_ids(), read.document_ids(), columns, judged.rows, judged.extra_columns


def read_run(data: bytes, qrels: Qrels, *, block: int, threads: int, ties: str = "docid") -> Any:
    """Give what aligning a run comes to, as plain values: its columns, or what was wrong."""
    try:
        columns, *rest = file_of(data, "run", block=block).align_run(
            qrels,
            _core.RankingOptions(ties, 2**62, False, False, "error", False, float("-inf"), 2**62),
            Reading(threads=threads),
            by_rank=False,
        )
    except (InputError, MissingDependencyError) as error:
        return type(error), getattr(error, "line", None), str(error)
    return [None if one is None else one.tobytes() for one in columns], *rest
