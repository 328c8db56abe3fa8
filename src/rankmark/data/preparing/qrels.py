"""Judgments, read once and used for any number of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark._core import DuplicateFault, Judgments, TableFault, sorted_rows
from rankmark.arguments import Columns, Flag, FromOne, Text, checked
from rankmark.conventions import limit
from rankmark.data.alignment import query_of_rows
from rankmark.data.alignment.cache import Cache
from rankmark.data.contract.reading_options import AS_USUAL, ONE_THREAD, Progress, Reading
from rankmark.data.contract.resources import cores
from rankmark.data.contract.source import side
from rankmark.data.contract.source_options import QrelsContents, SourceOptions, Split, copied
from rankmark.data.evidence.listed_ids import SAMPLED, refuse_lists
from rankmark.data.evidence.mistaken_labels import LOOKED_AT, look_like_scores, refuse_labels
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.open_text import PREFS
from rankmark.data.preparing.parents import ParentsSource, source_of
from rankmark.data.recognise.forms import Readable, recognised
from rankmark.errors import (
    DuplicateError,
    InputError,
    ParseError,
    RankmarkError,
    SchemaError,
    counted,
    quiet,
)

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.alignment import Needs
    from rankmark.data.alignment.views import JudgmentGroups, Subtopics
    from rankmark.data.contract.source import Source
    from rankmark.data.preparing.document_weights import WeightsOfDocuments

QrelsSource = Readable
Failed = Literal["error", "unjudged"] | float | Iterable[float]
"""What becomes of documents whose label failed."""
_NOT_SENT = (
    "judgments",
    "doc_ids",
    "_ideals",
    "labels",
    "starts",
    "ideal_documents",
    "of_documents",
)


class _Ideals(Cache):
    """The ideal labels of the last few evaluations, by what their measures need."""

    __slots__ = ()
    most = 8


class Qrels:
    """Judged documents by query.

    Parameters
    ----------
    source
        A file as a path, ``-`` for standard input, or an open file, plain or packed: TREC text
        ``qid iter docid label``, BEIR, CSV or TSV with a header, JSON, JSONL, Parquet; a mapping
        ``{query id: {document id: label}}``, or of lists or sets of relevant ids; a frame; rows;
        an array or a sparse matrix; see "Inputs" in the documentation. Everything is copied or
        read completely, so later changes to the source have no effect.
    format
        Of a file; None to recognise it by its content. One of trec, msmarco, beir, tsv, csv, json,
        jsonl, parquet, arrow, letor and elliot; the name of a tool whose output it has the shape
        of, also of an object in memory, such as quepid; or prefs or qrels_jg, with the judgments
        of several assessors, which are never recognised by content: see "Formats" in the
        documentation.
    columns
        ``{role: name}`` for columns with unusual names; roles are query_id, doc_id, label,
        subtopic, weight, that of the document in weighted measures, and parent, the document of a
        unit.
    groups
        Of labels in one dimension: (n_queries,) sizes, or (n,) query ids.
    mask
        Of an array of two dimensions: its shape, bool, True where there is a document.
    lengths
        The same if rows are filled from the left: (n_queries,) whole numbers.
    contents
        What an array contains, if its type does not decide: ``"labels"``, or ``"ids"`` of relevant
        documents. Of any form, ``"labels"`` says that the numbers are labels, although they look
        like the scores or the ranks of a run.
    split
        What separates the ids of several documents in one cell: a text such as ``";"``, or
        ``"list"`` for lists in brackets, as ``"['d1', 'd2']"``.
    failed
        What becomes of documents whose label a model failed to give (None, NaN, an empty cell):
        ``"error"`` refuses them; ``"unjudged"`` counts and leaves them out. A label, or several,
        such as -1, stand for a failure, too, and all are left out.
    document_weights
        The weight of each judged document in weighted measures, such as ``nDCG(weighted=True)``:
        ``{document id: weight}``, ``{query id: {document id: weight}}``, a table or a file of
        either, or an array with a weight for each column of an array.
    document_slices
        The slice of each judged document, for measures of one, such as ``R(among="tail")``: in the
        same forms, with text in place of weights.
    subtopics
        Whether documents are judged by subtopic, as measures of diversity need: the second column
        of TREC text, a column subtopic (or ``columns={"subtopic": name}``), or
        ``{query id: {subtopic: {document id: label}}}``. Other measures use each document's
        highest label.
    parents
        The documents of which units, such as chunks, were judged, as for Run: a document's label
        is the highest of its units.
    threads
        Number of threads that read a file; None for one per core.
    progress
        Called with the number of bytes read since the last call.

    Raises
    ------
    ParseError
        If a line of the file cannot be read, or it contains no judgments.
    DuplicateError
        If a document is judged twice for one query, or twice for one subtopic of it.
    SchemaError
        If there is anything other than ids and finite numbers, or the form is ambiguous.
    InputError
        If an option does not apply to the source, two formats fit a file, or it cannot be read.

    Notes
    -----
    It can be pickled, and used by several threads at once.

    Examples
    --------
    >>> import numpy as np
    >>> import rankmark as rm
    >>> qrels = rm.Qrels(np.array([[1, 0, 2]]))
    >>> rm.evaluate(qrels, np.array([[0.3, 0.9, 0.7]]), "RR")["RR"]
    0.5
    """

    @checked
    def __init__(
        self,
        source: QrelsSource,
        *,
        format: Text | None = None,  # noqa: A002
        columns: Columns = None,
        groups: Any = None,
        mask: Any = None,
        lengths: Any = None,
        contents: QrelsContents | None = None,
        split: Split | None = None,
        failed: Failed | None = None,
        document_weights: WeightsOfDocuments = None,
        document_slices: WeightsOfDocuments = None,
        subtopics: Flag = False,
        parents: ParentsSource | None = None,
        threads: FromOne | None = None,
        progress: Progress | None = None,
    ) -> None:
        named, shapes = copied(columns), (groups, mask, lengths)
        options = SourceOptions(
            format,
            named,
            *shapes,
            contents,
            split,
            None,
            subtopics,
            parents,
            failed,
            document_weights,
            document_slices,
        )
        found = source_of(source, "qrels", options)
        self._read_given(source, found, options, Reading.of(threads=threads, progress=progress))
        self.keep()

    @classmethod
    def of(cls, source: Source, reading: Reading = AS_USUAL) -> Qrels:
        """Read judgments from a source whose form is known."""
        qrels = cls.__new__(cls)
        qrels._read(source, reading)
        return qrels

    @classmethod
    def of_given(
        cls,
        original: Any,
        source: Source,
        options: SourceOptions,
        reading: Reading,
    ) -> Qrels:
        """Read judgments from the source that an object was recognised as."""
        qrels = cls.__new__(cls)
        qrels._read_given(original, source, options, reading)
        return qrels

    def _read_given(
        self,
        original: Any,
        source: Source,
        options: SourceOptions,
        reading: Reading,
    ) -> None:
        try:
            self._read(source, reading)
            self.refuse_run()
        except InputError as error:
            _suggest_subtopics(error, original, options)
            _suggest_preferences(error, source)
            if isinstance(error, (SchemaError, ParseError)) and options.failed is None:
                from rankmark.data.preparing.failed_labels import suggest_failed  # noqa: PLC0415

                suggest_failed(error, original, source, options)
            raise

    def refuse_run(self) -> None:
        """Refuse scores, ranks or time stamps as labels, unless the caller said what they are."""
        if self.source.vouched or self.subtopics is not None or self.groups is not None:
            return
        if self.positional is not None:
            self.like_scores = look_like_scores(self.positional.first(LOOKED_AT), self.starts)
        elif not self.source.positions or self.source.nameless:
            name = side(self.name, "qrels")
            refuse_lists(self._first_documents(), name)
            refuse_labels(self.labels, self.starts, name)
            self.like_scores = look_like_scores(self.labels, self.starts)

    def _first_documents(self) -> Sequence[str]:
        if "doc_ids" in vars(self):
            return self.doc_ids[:SAMPLED]
        return self.judgments.documents_of_rows(np.arange(min(len(self.labels), SAMPLED)))

    def _read(self, source: Source, reading: Reading) -> None:
        self.source = source
        judged = source.read_qrels(reading)
        self.query_ids: tuple[str, ...] = judged.query_ids
        self.rows: int = judged.rows
        self.extra_columns: int = judged.extra_columns
        self.shape: tuple[int, ...] | None = judged.shape
        self.positional = judged.positional
        self.subtopics: Subtopics | None = judged.subtopics
        self.groups: JudgmentGroups | None = judged.groups
        if judged.judgments is not None:
            self.judgments = judged.judgments
        if judged.doc_ids is not None:
            self.doc_ids = judged.doc_ids
        self._ideals = _Ideals()

    of_documents: tuple[str, Qrels] | None = None
    """The last separator of judged units, and the judgments of their documents."""
    like_scores: bool = False
    """Whether the labels may be scores of a run, as far as they tell by themselves."""
    lifted: bool = False
    """Whether these are judgments of the documents of judged units."""

    def with_judgments_of_documents(self, judgments: Judgments) -> Qrels:
        """Return judgments of the documents of these units, from the same source."""
        other = self._without_judgments()
        other.judgments = judgments
        other.rows, other.lifted = len(judgments.labels()), True
        return other

    def with_labels(self, labels: Floats) -> Qrels:
        """Return the same documents with other labels, (rows,) float64, from the same source."""
        other = self._without_judgments()
        other.subtopics = other.groups = None
        if self.positional is None:
            other.judgments = self._judgments_of(self.starts, labels)
        else:
            other.positional = replace(self.positional, labels=labels)
        return other

    def _without_judgments(self) -> Qrels:
        other = Qrels.__new__(Qrels)
        vars(other).update({n: one for n, one in vars(self).items() if n not in _NOT_SENT})
        other._ideals = _Ideals()
        return other

    def keep(self) -> None:
        """Copy what the caller may change."""
        self.source.keep()
        if self.positional is not None:
            self.positional = self.positional.copied()
            vars(self).pop("labels", None)

    def again(self) -> Qrels:
        """Return the judgments, as Remembered does after reading them again."""
        return self

    def __copy__(self) -> Qrels:
        return self

    def __deepcopy__(self, memo: object) -> Qrels:
        return self  # nothing can change them

    def __getstate__(self) -> dict[str, Any]:
        """Return the columns; what is computed from them is computed again later."""
        state = {name: value for name, value in vars(self).items() if name not in _NOT_SENT}
        if self.positional is None:
            state["doc_ids"] = self.doc_ids
            state["columns"] = self.judgments.starts(), self.judgments.labels()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        columns = state.pop("columns", None)
        vars(self).update(state, _ideals=_Ideals())
        if columns is not None:
            self.judgments = self._judgments_of(*columns)

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        queries = counted(len(self.query_ids), "query", "queries")
        return f"Qrels({queries}, {counted(self.rows, 'judgment')})"

    @property
    def name(self) -> str:
        """The file's name, or the form: ``<mapping>``, ``<frame>``, ..."""
        return self.source.name

    @cached_property
    def judgments(self) -> Judgments:
        """The core's judgments; for arrays, created only if a run has ids to look up."""
        assert self.positional is not None  # noqa: S101
        try:
            return self.positional.judgments()
        except (DuplicateFault, TableFault):  # the caller's array, which was checked before
            raise InputError(
                "the judgments were changed while they were read",
                "evaluate them when nothing writes to them",
                where=self.name,
            ) from None

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """Ids of the judged documents, query by query."""
        return self.judgments.document_ids()

    @property
    def failed(self) -> int:
        """How many documents are left out, as their label failed."""
        return getattr(self.source, "failed", 0)

    def same_judgments_as(self, other: Qrels) -> bool:
        """Return True if both give the same labels to the same documents."""
        if self.rows != other.rows or set(self.query_ids) != set(other.query_ids):
            return False
        if self.positional is not None and other.positional is not None:
            same_places = self.positional.places.same_as(other.positional.places)
        else:
            same_places = self.query_ids == other.query_ids and self.doc_ids == other.doc_ids
        if same_places:
            same_rows = np.array_equal(self.starts, other.starts)
            return same_rows and np.array_equal(self.labels, other.labels)
        return self.by_query() == other.by_query()

    def by_query(self) -> dict[str, dict[str, float]]:
        """Copy the judgments to a mapping; with several judgments, the highest label counts."""
        return self._by_query(self.starts, self.labels)

    def _by_query(self, starts: Ints, labels: Floats) -> dict[str, dict[str, float]]:
        """Return the labels as a mapping, in which their order does not matter."""
        ids, values, ends = self.doc_ids, labels.tolist(), starts.tolist()
        return {
            query: dict(zip(ids[begin:end], values[begin:end], strict=True))
            for query, begin, end in zip(self.query_ids, ends, ends[1:], strict=False)
        }

    def _judgments_of(self, starts: Ints, labels: Floats) -> Judgments:
        from rankmark.data.judgments.nested_judgments import judgments_by_query  # noqa: PLC0415

        return judgments_by_query(self._by_query(starts, labels))

    def ideal(self, needs: Needs) -> tuple[Ints, Floats, Cache]:
        """Return the labels that are needed, high to low, by query.

        (Q + 1,) starts, (J,) labels, and a cache of what alignments compute from them.
        """
        key = needs.lowest, needs.ideal
        ideal: tuple[Ints, Floats, Cache] | None = self._ideals.get(key)
        if ideal is None:
            most = limit(needs.ideal)
            if self.positional is None:
                found = sorted_rows(self.labels, self.starts, needs.lowest, most, cores())
            else:
                found = self.positional.highest(needs.lowest, most)
            starts, labels = found
            ideal = self._ideals.keep(key, (starts, labels, Cache()))
        return ideal

    @cached_property
    def ideal_documents(self) -> Ints:
        """The document numbers by label, high to low, and by number, high to low, among equals.

        (J,), for judgments by subtopic or in groups.
        """
        rows = -np.arange(len(self.labels))
        return np.lexsort((rows, -self.labels, query_of_rows(self.starts)))

    @cached_property
    def labels(self) -> Floats:
        """The label of each judged document, query by query: (rows,) float64.

        With several judgments of a document, the highest label counts.
        """
        if self.positional is not None:
            return self.positional.doubles
        by_number = self.subtopics or self.groups  # documents are numbered query by query
        return self.judgments.labels() if by_number is None else by_number.highest

    @cached_property
    def starts(self) -> Ints:
        """The rows of each query, (Q + 1,) int64: from one of these to the next."""
        if self.positional is not None:
            return self.positional.starts
        return self.judgments.starts()


def _suggest_subtopics(error: InputError, original: Any, options: SourceOptions) -> None:
    """Add remedies to an error if the judgments can be read by subtopic, which is tried."""
    if options.by_subtopic or not isinstance(error, (DuplicateError, SchemaError)):
        return
    try:
        with quiet():
            by_subtopic = recognised(original, "qrels", options._replace(subtopics=True))
            by_subtopic.read_qrels(ONE_THREAD)
    except RankmarkError:
        return
    error.add_remedy(
        "if these are judgments by subtopic, as it seems, ask for a measure of diversity such as "
        "alpha_nDCG@10 or ERR_IA@10 (other measures then use each document's highest label), or "
        "in Python write rm.Qrels(..., subtopics=True)"
    )
    if by_subtopic.description()["form"] == "trec":
        error.add_remedy("if the second column names assessors, choose --qrels-format qrels_jg")


def _suggest_preferences(error: InputError, source: Source) -> None:
    """Add a remedy to an error if the file begins like preferences."""
    if not (isinstance(error, ParseError) and isinstance(source, FileSource)):
        return
    if source.like_preferences():
        error.add_remedy(
            f"if these are preferences, {' '.join(PREFS.names)}, choose --qrels-format prefs, or "
            "in Python format='prefs'"
        )
