"""TREC text through the core, and its faults in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmark import _core
from rankmark.errors import DuplicateError, InputError, ParseError
from rankmark.sources.source import AlignedRun, Columns, Judged

if TYPE_CHECKING:
    from rankmark.sources.files import Progress, TextFile
    from rankmark.sources.forms import Kind
    from rankmark.sources.qrels import Qrels
    from rankmark.sources.source import Rows

BLOCK_BYTES = 1 << 19
"""How much of a file a thread takes at a time; fits the second-level cache."""


class TrecText:
    """A file of lines ``qid iter docid label``, or ``qid iter docid rank score tag``."""

    positions = False

    def __init__(
        self, file: TextFile, *, kind: Kind = "run", block_bytes: int = BLOCK_BYTES
    ) -> None:
        self.file = file
        self._kind = kind
        self.name = file.name
        self._block_bytes = block_bytes

    def read_qrels(self, *, threads: int, progress: Progress | None) -> Judged:
        """Read judgments."""
        file = self.file
        with file.descriptor() as descriptor, _worded(file, descriptor, "qrels"):
            judgments, rows, extra = _core.qrels_from_file(
                descriptor, threads, self._block_bytes, progress
            )
        if rows == 0:
            wanted = "qid iter docid label"
            raise ParseError(file.name, None, f"holds no judgments; need lines `{wanted}`")
        return Judged(judgments, judgments.query_ids(), rows, extra)

    def align_run(
        self,
        qrels: Qrels,
        ranking: _core.RankingOptions,
        *,
        by_rank: bool,
        threads: int,
        progress: Progress | None,
    ) -> AlignedRun:
        """Align a run with judgments; ``by_rank`` trusts the rank column."""
        file = self.file
        with file.descriptor() as descriptor, _worded(file, descriptor, "run"):
            columns, *counted = _core.align_file(
                descriptor,
                qrels.judgments,
                ranking,
                by_rank,
                threads,
                self._block_bytes,
                progress,
            )
        aligned = AlignedRun(Columns(*columns), *counted)
        if aligned.rows == 0:
            wanted = "qid iter docid rank score tag"
            raise ParseError(file.name, None, f"holds no documents; need lines `{wanted}`")
        return aligned

    def rows(self, *, lenient: bool, threads: int, progress: Progress | None) -> Rows:
        """List all rows, and the lines that are none."""
        from rankmark.sources.trec_rows import trec_rows  # noqa: PLC0415  (few ask for it)

        return trec_rows(self.file, self._kind)

    def taken(self) -> dict[str, Any]:
        """Say what the file was taken for."""
        return {"form": "trec"}

    def sha256(self) -> str | None:
        """Hash the file's bytes."""
        return self.file.sha256()


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
