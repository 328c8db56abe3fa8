"""A system's rankings, in any form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.arguments import Columns, Text, checked
from rankmark.data.contract.source_options import RunContents, SourceOptions, Split, copied
from rankmark.data.preparing.parents import ParentsSource, source_of
from rankmark.data.recognise.forms import Readable
from rankmark.errors import InputError

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source
    from rankmark.data.preparing.document_weights import WeightsOfDocuments
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.recognise.target_ranks import TargetRanks

RunSource = Readable


class Run:
    """What a system returned: documents with scores, by query.

    Objects in memory are copied, as by ``Qrels``, so later changes to a dict, a matrix or a frame
    have no effect. Arrow's text is shared, as it is immutable. A file is read anew at each
    evaluation, in constant memory, and may have changed by then; a stream that can be read only
    once is kept in a temporary file.

    It can be pickled: objects in memory with their data, files as their paths.

    Parameters
    ----------
    source
        A file as a path, ``-`` for standard input, or an open file, plain or packed: TREC text
        ``qid iter docid rank score tag``, MS MARCO ``qid docid rank``, CSV or TSV with a header,
        JSON, JSONL, Parquet, Arrow; a folder or a pattern of these two; a URL; a mapping
        ``{query id: {document id: score}}``, or of lists of ids, best first; a frame, lazy frame,
        dataset or stream; rows; an array or a sparse matrix; see "Inputs" in the documentation.
    format
        Of a file; None to recognise it by its content. One of trec, msmarco, beir, tsv, csv, json,
        jsonl, parquet, arrow, letor and elliot; or the name of a tool whose output it has the shape
        of, also of an object in memory, such as elasticsearch.
    columns
        ``{role: name}`` for columns with unusual names; roles are query_id, doc_id, score, rank,
        parent, the document of a unit, and what a document costs: tokens, characters, words,
        bytes, seconds, cost. Documents are ordered by score, else by rank, else as
        given.
    groups
        Of scores in one dimension: (n_queries,) sizes, or (n,) query ids; without them, those of
        the judgments.
    mask
        Of an array of two dimensions: its shape, bool, True where there is a document.
    lengths
        The same if rows are filled from the left: (n_queries,) whole numbers.
    contents
        What an array contains, if its type does not decide: ``"scores"``, or ``"ids"`` best first.
        Of any form, ``"scores"`` says that the highest is the best, although scores rise in every
        list, as distances do; and ``"ranks"`` that only the ranks of the documents listed are known
        (1 for the best, 1.5 for the middle of two that tie), and nothing of the others: in a rank
        column, in place of scores, or as one or several numbers for each query. Measures that
        depend on others are then refused; ``targets`` are the documents, as judgments.
    candidates
        With ``contents="ranks"``, how many documents were ranked for each query, also those that
        are not listed: a number for all, ``{query id: number}``, or an array in the order of the
        queries.
    split
        What separates the ids of several documents, best first, in one cell: a text such as
        ``";"``, or ``"list"`` for lists in brackets, as ``"['d1', 'd2']"``.
    parents
        The documents of which units, such as chunks, were retrieved: ``{unit: document}``, a
        function from one to the other, a file with both on each line, or a list or an array of
        the documents of units 0, 1, 2, ... in order. If they are a column of
        the run, name it in ``columns``, as ``{"doc_id": "chunk_id", "parent": "doc_id"}``. Each
        document is then ranked once; ``combine`` and ``unit_depth`` of ``evaluate`` say how. If
        the document's id is a part of the unit's, ``unit`` of ``evaluate`` needs no mapping.

    document_costs
        What each document costs, such as its tokens, for budgets, as in ``R@tokens(1000)``:
        ``{document id: cost}``, ``{query id: {document id: cost}}``, a table or a file of either.
        If the costs are a column, name it in ``columns``, as ``{"tokens": "n_tokens"}``.

    Raises
    ------
    SchemaError
        If it has none of these forms, or the form is ambiguous.
    InputError
        If an option does not apply to the source. If a unit has no document in ``parents``, when
        the run is evaluated.

    Examples
    --------
    >>> import rankmark as rm
    >>> run = rm.Run([("q", "b", 0.9), ("q", "a", 0.5)])
    >>> rm.evaluate({"q": {"a"}}, run, "RR")["RR"]
    0.5
    """

    @checked
    def __init__(
        self,
        source: RunSource,
        *,
        format: Text | None = None,  # noqa: A002
        columns: Columns = None,
        groups: Any = None,
        mask: Any = None,
        lengths: Any = None,
        contents: RunContents | None = None,
        split: Split | None = None,
        parents: ParentsSource | None = None,
        candidates: Any = None,
        document_costs: WeightsOfDocuments = None,
    ) -> None:
        shapes = groups, mask, lengths
        options = SourceOptions(
            format,
            copied(columns),
            *shapes,
            contents,
            split,
            parents=parents,
            document_costs=document_costs,
        )
        self.source: Source = source_of(source, "run", options)
        self.source.keep()
        if candidates is not None:
            self.source = _ranked_among(self.source, candidates)

    @classmethod
    def of(cls, source: Source) -> Run:
        """Return a run from a source whose form is known."""
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
        """Return the run, as Remembered does after reading it again."""
        return self

    @property
    def targets(self) -> Qrels:
        """The documents of a run of ranks, as judgments: each is relevant, with label 1.

        Raises
        ------
        InputError
            If the run has more than the ranks of its documents.
        """
        from rankmark.data.preparing.qrels import Qrels  # noqa: PLC0415

        return Qrels.of(_target_ranks(self.source, "targets").as_judgments())

    @property
    def name(self) -> str:
        """The file's name, or the form: ``<mapping>``, ``<frame>``, ..."""
        return self.source.name


def _target_ranks(source: Source, asked: str) -> TargetRanks:
    from rankmark.data.recognise.target_ranks import TargetRanks  # noqa: PLC0415  (rarely used)

    if not isinstance(source, TargetRanks):
        raise InputError(
            f"{asked} are of ranks alone, and this run has all documents",
            'leave it out, or say contents="ranks"',
            where=source.name,
        )
    return source


def _ranked_among(source: Source, candidates: Any) -> Source:
    return _target_ranks(source, "candidates").among(candidates)
