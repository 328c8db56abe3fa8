"""A system's rankings, as a file or as a mapping."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Any

from rankmark.errors import InputError
from rankmark.sources.forms import Options, recognised

RunSource = str | os.PathLike[str] | IO[Any] | Mapping[Any, Mapping[Any, float]]


class Run:
    """What a system returned: documents with scores, by query.

    A file is read anew at each evaluation, in constant memory; a stream that can be read only
    once is kept in a temporary file.

    Parameters
    ----------
    source
        A file as a path, ``-`` for standard input, or an open file, plain or packed: TREC text
        ``qid iter docid rank score tag``, MS MARCO ``qid docid rank``, CSV or TSV with a header,
        JSON, JSONL, Parquet; or a mapping ``{query id: {document id: score}}``.
    format
        Of a file; None for what its content is. One of trec, msmarco, beir, tsv, csv, json, jsonl
        and parquet.
    columns
        ``{role: name}`` for columns whose names are not known ones; roles are query_id, doc_id,
        score and rank. Documents are ordered by score, else by rank, else as they are given.

    Raises
    ------
    SchemaError
        If it is none of these.
    """

    def __init__(
        self,
        source: RunSource,
        *,
        format: str | None = None,  # noqa: A002
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self.source = recognised(source, "run", Options(format, columns))

    def __repr__(self) -> str:
        return f"Run({self.name})"

    @property
    def name(self) -> str:
        """The file's name; a mapping has none."""
        return self.source.name


def as_run(source: Any, **options: Any) -> Run:
    """Prepare a run, unless it is prepared."""
    if not isinstance(source, Run):
        return Run(source, **options)
    if options.get("format") is not None:
        raise InputError("the run is prepared already; give its format to Run")
    return source
