"""A system's rankings, in whatever form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from rankmark.sources.contract.source_options import SourceOptions, contents_of, copied
from rankmark.sources.recognise.forms import Readable, recognised

if TYPE_CHECKING:
    from rankmark.sources.contract.source import Source

RunSource = Readable


class Run:
    """What a system returned: documents with scores, by query.

    What is in memory is copied, as ``Qrels`` does it: whatever becomes of a dict, a matrix or a
    frame later, the run stays as it was. Arrow's text is shared, as nobody writes to it. A file is
    read anew at each evaluation, in constant memory, and may be another by then; a stream that can
    be read only once is kept in a temporary file.

    It can be pickled: what is in memory travels, a file as its path.

    Parameters
    ----------
    source
        A file as a path, ``-`` for standard input, or an open file, plain or packed: TREC text
        ``qid iter docid rank score tag``, MS MARCO ``qid docid rank``, CSV or TSV with a header,
        JSON, JSONL, Parquet; a mapping ``{query id: {document id: score}}``, or of lists of ids,
        best first; a frame; rows; an array or a sparse matrix; see docs/inputs.md.
    format
        Of a file; None for what its content is. One of trec, msmarco, beir, tsv, csv, json, jsonl
        and parquet.
    columns
        ``{role: name}`` for columns whose names are not known ones; roles are query_id, doc_id,
        score and rank. Documents are ordered by score, else by rank, else as they are given.
    groups
        Of scores in one dimension: (n_queries,) sizes, or (n,) query ids; without them, those of
        the judgments.
    mask
        Of an array of two dimensions: its shape, bool, True where there is a document.
    lengths
        The same where rows are filled from the left: (n_queries,) whole numbers.
    contents
        What an array holds where its type does not say: ``"scores"``, or ``"ids"`` best first.
        Also called ``holds``.

    Raises
    ------
    SchemaError
        If it is none of these, or could be one or another.
    InputError
        If an option does not belong to the source.

    Examples
    --------
    >>> import rankmark as rm
    >>> run = rm.Run([("q", "b", 0.9), ("q", "a", 0.5)])
    >>> rm.evaluate({"q": {"a"}}, run, "RR")["RR"]
    0.5
    """

    def __init__(
        self,
        source: RunSource,
        *,
        format: str | None = None,  # noqa: A002
        columns: Mapping[str, Any] | None = None,
        groups: Any = None,
        mask: Any = None,
        lengths: Any = None,
        contents: Literal["scores", "ids"] | None = None,
        holds: Literal["scores", "ids"] | None = None,
    ) -> None:
        options = SourceOptions(
            format, copied(columns), groups, mask, lengths, contents_of(contents, holds)
        )
        self.source = recognised(source, "run", options)
        self.source.keep()

    @classmethod
    def of(cls, source: Source) -> Run:
        """Take a source whose form is known."""
        run = cls.__new__(cls)
        run.source = source
        return run

    def __repr__(self) -> str:
        return f"Run({self.name})"

    def __copy__(self) -> Run:
        return self

    def __deepcopy__(self, memo: object) -> Run:
        return self  # nothing can change it

    def again(self) -> Run:
        """Give it to whoever must read it once more."""
        return self

    @property
    def name(self) -> str:
        """The file's name, or what else it is: ``<mapping>``, ``<frame>``, ..."""
        return self.source.name
