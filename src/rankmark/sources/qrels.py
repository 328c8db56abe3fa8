"""Judgments, read once and used for any number of runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, cached_property
from typing import IO, TYPE_CHECKING, Any

from rankmark import _core
from rankmark.conventions import NO_DEPTH
from rankmark.sources.forms import Options, recognised

if TYPE_CHECKING:
    from rankmark.alignment import Floats, Ints, Needs
    from rankmark.sources.files import Progress

QrelsSource = str | os.PathLike[str] | IO[Any] | Mapping[Any, Mapping[Any, float]]


class Qrels:
    """Judged documents by query.

    Parameters
    ----------
    source
        A TREC file ``qid iter docid label`` as a path, ``-`` for standard input, or an open file,
        plain or gzip; or a mapping ``{query id: {document id: label}}``, which is copied.
    threads
        How many threads read a file; None for one a core.

    Raises
    ------
    ParseError
        If a line of the file cannot be read, or it holds no judgments.
    DuplicateError
        If a document is judged twice for one query.
    SchemaError
        If a mapping holds something else than ids and finite numbers.
    """

    def __init__(
        self,
        source: QrelsSource,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.source = recognised(source, "qrels", Options())
        judged = self.source.read_qrels(threads=threads or cores(), progress=progress)
        self.judgments = judged.judgments
        self.query_ids = judged.query_ids
        self.rows = judged.rows
        self.extra_columns = judged.extra_columns
        if judged.doc_ids is not None:
            self.doc_ids = judged.doc_ids
        self._ideals: dict[Any, tuple[Ints, Floats, dict[Any, Any]]] = {}

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Qrels({len(self.query_ids):,} queries, {self.rows:,} judgments)"

    @property
    def name(self) -> str:
        """The file's name; a mapping has none."""
        return self.source.name

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """Ids of the judged documents, query by query."""
        return self.judgments.document_ids()

    def ideal(self, needs: Needs) -> tuple[Ints, Floats, dict[Any, Any]]:
        """Give the labels that are needed, high to low, by query.

        (Q + 1,) starts, (J,) labels, and what alignments have computed from them.
        """
        known = self._ideals.get((needs.lowest, needs.ideal))
        if known is None:
            starts, labels = _core.sorted_rows(
                self.judgments.labels(),
                self.judgments.starts(),
                needs.lowest,
                NO_DEPTH if needs.ideal is None else needs.ideal,
                cores(),
            )
            known = self._ideals[needs.lowest, needs.ideal] = starts, labels, {}
        return known


def as_qrels(source: Any, **options: Any) -> Qrels:
    """Prepare judgments, unless they are prepared."""
    return source if isinstance(source, Qrels) else Qrels(source, **options)


@cache
def cores() -> int:
    """Count the processors that this process may use, 16 at most: reading gains no more."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), 16)
    return min(os.cpu_count() or 1, 16)
