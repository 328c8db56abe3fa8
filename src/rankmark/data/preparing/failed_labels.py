"""Judgments in any form, in which a document may stand without a label, or with one of a failure.

A model whose answer could not be read has no label for a document, and tables of its answers have
an empty cell there. Without the option that says so, judgments need a label in each row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

from rankmark.conventions import query_text
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import Judged, Source, Wrapped
from rankmark.data.contract.source_options import SourceOptions, may_fail
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.json_text import json_entries
from rankmark.data.files.lines_of_text import fields_at_blanks, whole_text
from rankmark.data.given_tables.given_columns import is_empty, number_in, table_in_memory
from rankmark.data.given_tables.table_files import scores_in
from rankmark.data.judgments.nested_judgments import judgments_by_query
from rankmark.data.recognise.forms import recognised
from rankmark.data.tables.columns import choose
from rankmark.errors import DuplicateError, InputError, ParseError, SchemaError, quiet, shown

_NO_LABEL = frozenset(["nan", "null", "none", "na", "n/a", "<na>", "-", "--", "error", "failed"])
"""What programs and models write where they have no label, in lower case."""
IF_FAILED = 'choose failed="unjudged", or --failed unjudged'


class _Row(NamedTuple):
    """A judgment as it stands, and its place in the input, for messages."""

    query: Any
    document: Any
    label: Any
    place: str


class WithoutFailed(Wrapped):
    """Judgments without the documents whose label failed.

    Parameters
    ----------
    source
        The judgments.
    given
        The caller's object that they were recognised in.
    options
        How they are read.
    failed
        As for Qrels, but not "error".

    Attributes
    ----------
    failed
        How many documents were left out; 0 before they are read.
    lost
        Their ids, by query.
    """

    def __init__(self, source: Source, given: Any, options: SourceOptions, failed: Any) -> None:
        super().__init__(source)
        self.labels = failure_labels(failed)
        self.failed = 0
        self.lost: dict[str, list[str]] = {}
        self._given, self._options = given, options

    @classmethod
    def of(
        cls, given: Any, options: SourceOptions, source_of: Callable[..., Source]
    ) -> WithoutFailed:
        """Recognise judgments in which labels may be missing, as ``source_of`` does."""
        failed, own = options.failed, options._replace(failed=None)
        try:
            return cls(source_of(given, "qrels", own), given, own, failed)
        except InputError:
            # Rows in memory are read where they are recognised.
            rows = rows_of_labels(given, None, own)
            if not any(is_no_label(row.label) for row in rows):
                raise
        labels, empty = filled(rows, "qrels <records>")
        own = SourceOptions(contents="labels")
        source = recognised(labels, "qrels", own)
        return cls(source, labels, own, (*failure_labels(failed), empty))

    @property
    def fingerprint(self) -> Any:
        """A number by which changed values are detected; None of most forms."""
        return getattr(self.source, "fingerprint", None)

    def description(self) -> dict[str, Any]:
        """Return how the judgments were read."""
        try:
            return self.source.description()
        except InputError:
            return {"form": "json"}  # which is described only if all labels are numbers

    def as_read(self) -> Self | None:
        """Return the same file, for later reading; None if it is not a file."""
        again = super().as_read()
        if again is not None:
            again._given, again.lost = None, {}
        return again

    def read_qrels(self, reading: Reading) -> Judged:
        """Read the judgments, and leave out documents without a label."""
        labels, empty, extra = None, None, 0
        try:
            judged = self.source.read_qrels(reading)
        except InputError:
            # The usual readers are much faster, and refuse rows without labels.
            rows = rows_of_labels(self._given, self.source, self._options)
            if not any(is_no_label(row.label) for row in rows):
                raise
            labels, empty = filled(rows, self.name)
        else:
            self.failed = 0
            if not self.labels:
                return judged
            if judged.judgments is None or (judged.subtopics or judged.groups) is not None:
                raise InputError(
                    "failed is for labels of documents by id", "leave it out", where=self.name
                )
            labels, extra = judged.by_query(), judged.extra_columns
        lost = {*self.labels, empty}
        kept, self.failed, self.lost = {}, 0, {}
        for query, own in labels.items():
            known = {document: label for document, label in own.items() if label not in lost}
            if len(known) < len(own):
                self.lost[query] = [document for document in own if document not in known]
                self.failed += len(own) - len(known)
            if known:
                kept[query] = known
        if not kept:
            raise InputError(
                "no document has a label", "check the column of labels", where=self.name
            )
        judgments = judgments_by_query(kept)
        return Judged(judgments, tuple(kept), len(judgments.labels()), extra)


def suggest_failed(
    error: InputError, given: Any, source: Source | None, options: SourceOptions
) -> None:
    """Add a remedy to an error if judgments have documents without a label."""
    if "label" in str(error) or ", document " in str(error):
        with quiet():  # as the error says what is wrong
            rows = rows_of_labels(given, source, options)
        if count := sum(is_no_label(row.label) for row in rows):
            labels = "a label" if count == 1 else f"{count:,} labels"
            error.add_remedy(f"if a model failed to give {labels}, {IF_FAILED}")


def failure_labels(failed: Any) -> tuple[float, ...]:
    """Return the labels that stand for a failure."""
    if isinstance(failed, str) and failed == "unjudged":
        return ()
    is_list = isinstance(failed, Iterable) and getattr(failed, "ndim", 1) == 1
    given = [*failed] if is_list and not isinstance(failed, (str, bytes, Mapping)) else [failed]
    found = []
    for one in given:
        number = number_in(one) if not isinstance(one, str) else None
        if number is None or not math.isfinite(number):
            raise InputError(
                f"failed is {shown(failed)}", 'need "error", "unjudged", or labels such as -1'
            )
        found.append(number)
    if not found:
        raise InputError("failed is an empty list", "leave it out, or give a label such as -1")
    return tuple(found)


class Failures:
    """Which LLM labels failed, by the option ``failed``.

    Parameters
    ----------
    failed
        As for Qrels.

    Attributes
    ----------
    left_out
        Whether they are left out, and not refused.
    chosen
        The option, to be shown.
    """

    def __init__(self, failed: Any = None) -> None:
        self.left_out = may_fail(failed)
        self._labels = failure_labels(failed) if self.left_out else ()
        self.chosen = ",".join(f"{label:g}" for label in self._labels) or "unjudged"

    def has(self, label: Any) -> bool:
        """Return whether a label failed, an empty cell as well."""
        return is_no_label(label) or (bool(self._labels) and number_in(label) in self._labels)


def filled(rows: Iterable[_Row], where: str) -> tuple[dict[str, dict[str, float]], float]:
    """Return the labels by query and document, and what stands for those that are missing."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        query, document = query_text(row.query, where), query_text(row.document, where)
        inner = found.setdefault(query, {})
        if document in inner:
            raise DuplicateError(
                f"{row.place}: document {document!r} is judged twice for query {query!r}",
                "keep one",
                where=where,
            )
        inner[document] = math.nan if is_no_label(row.label) else _label(row, where)
    known = [label for inner in found.values() for label in inner.values() if label == label]  # noqa: PLR0124
    if not known:
        raise InputError("no document has a label", "check the column of labels", where=where)
    empty = math.floor(min(*known, 0.0)) - 1.0
    return {
        query: {document: empty if math.isnan(label) else label for document, label in own.items()}
        for query, own in found.items()
    }, empty


def _label(row: _Row, where: str) -> float:
    label = number_in(row.label)
    if label is None or not math.isfinite(label):
        raise SchemaError(
            f"{row.place}: label is {shown(row.label)}",
            "need a number, or nothing if there is no label",
            where=where,
        )
    return label


def is_no_label(label: Any) -> bool:
    """Return whether a cell holds nothing, or a word for it."""
    return is_empty(label) or (isinstance(label, str) and label.strip().lower() in _NO_LABEL)


def rows_of_labels(given: Any, source: Source | None, options: SourceOptions) -> list[_Row]:
    """Return the rows of judgments that can be without labels; none of other forms."""
    with suppress(InputError):  # the usual reader has said what is wrong
        if isinstance(source, FileSource):
            return [*_rows_of_file(source, options)]
        if isinstance(given, Mapping):
            if all(isinstance(inner, Mapping) for inner in given.values()):
                return [*_rows_of_mapping(given)]
            if not all(hasattr(one, "__len__") for one in given.values()):
                return []
        elif isinstance(given, Sequence) and all(isinstance(row, tuple) for row in given):
            rows = [(*row, f"row {at}") for at, row in enumerate(given, 1) if len(row) == 3]
            return [*map(_Row._make, rows)]
        if (columns := table_in_memory(given)) is not None:
            return [*_rows_of_table(columns, "<table>", options)]
    return []


def _rows_of_mapping(given: Mapping[Any, Any]) -> Iterator[_Row]:
    for query, inner in given.items():
        for document, label in inner.items():
            yield _Row(query, document, label, f"query {query!r}, document {document!r}")


def _rows_of_file(source: FileSource, options: SourceOptions) -> Iterator[_Row]:
    try:
        text = whole_text(source.file)
    except ParseError:  # Parquet and Arrow
        yield from _rows_of_table(scores_in(source.file), source.name, options)
        return
    if text.lstrip()[:1] == "{":
        content: Any = {}
        with suppress(ParseError):  # lines of JSON
            data = text.encode("utf-8", "surrogateescape")
            ((*_, content),) = json_entries(data, source.name, by_line=False)
        if content and all(isinstance(inner, Mapping) for inner in content.values()):
            yield from _rows_of_mapping(content)
            return
    lines = [fields_at_blanks(line.removesuffix("\r")) for line in text.split("\n")]
    if all(len(fields) in {0, 4} for fields in lines):
        for at, fields in enumerate(lines, 1):
            if fields:
                yield _Row(fields[0], fields[2], fields[3], f"line {at}")
        return
    yield from _rows_of_table(scores_in(source.file), source.name, options)


def _rows_of_table(
    columns: Mapping[str, Sequence[Any]], where: str, options: SourceOptions
) -> Iterator[_Row]:
    names = list(columns)
    chosen = choose(names, "qrels", options.columns, where)
    if chosen.number is None:
        return
    of_rows = [columns[names[at]] for at in (chosen.query_id, chosen.doc_id, chosen.number)]
    for at, (query, document, label) in enumerate(zip(*of_rows, strict=True), 1):
        yield _Row(query, document, label, f"row {at}")
