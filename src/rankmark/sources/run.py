"""A system's rankings, as a file or as a mapping."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Any

from rankmark.sources.forms import Options, recognised

RunSource = str | os.PathLike[str] | IO[Any] | Mapping[Any, Mapping[Any, float]]


class Run:
    """What a system returned: documents with scores, by query.

    A file is read anew at each evaluation, in constant memory; a stream that can be read only
    once is kept in a temporary file.

    Parameters
    ----------
    source
        A TREC file ``qid iter docid rank score tag`` as a path, ``-`` for standard input, or an
        open file, plain or gzip; or a mapping ``{query id: {document id: score}}``.

    Raises
    ------
    SchemaError
        If it is none of these.
    """

    def __init__(self, source: RunSource) -> None:
        self.source = recognised(source, "run", Options())

    def __repr__(self) -> str:
        return f"Run({self.name})"

    @property
    def name(self) -> str:
        """The file's name; a mapping has none."""
        return self.source.name


def as_run(source: Any) -> Run:
    """Prepare a run, unless it is prepared."""
    return source if isinstance(source, Run) else Run(source)
