"""Judgments in any form, in which a document may stand without a label, as judges give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.data.contract.source_options import SourceOptions
from rankmark.data.preparing.failed_labels import filled, is_no_label, rows_of_labels
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.recognise.forms import recognised
from rankmark.errors import InputError
from rankmark.scoring.kept_data import Described

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.contract.source import Source


class GivenJudgments(NamedTuple):
    """Judgments as they were read.

    Parameters
    ----------
    qrels
        The judgments. A document without a label has ``empty`` as its label.
    source
        Where they come from, and how they were read.
    empty
        A label that no document has; None if every document has a label.
    """

    qrels: Qrels
    source: Described
    empty: float | None = None


def given_judgments(
    given: Any,
    qrels_format: str | None,
    columns: Mapping[str, Any] | None,
    reading: Reading,
    *,
    may_fail: bool,
) -> GivenJudgments:
    """Read judgments; with ``may_fail``, also those in which documents have no label."""
    if isinstance(given, Qrels):
        for name, value in (("qrels_format", qrels_format), ("columns", columns)):
            if value is not None:
                raise InputError("the qrels are already prepared", f"give their {name} to Qrels")
        return GivenJudgments(given, Described(given.source, given.source.as_read()))
    options = SourceOptions(qrels_format, columns)
    source = None
    try:
        source = recognised(given, "qrels", options)
        qrels = Qrels.of_given(given, source, options, reading)
        return GivenJudgments(qrels, Described(source, source.as_read()))
    except InputError:
        if not may_fail:
            raise
        # The usual readers are much faster, and refuse rows without labels.
        rows = rows_of_labels(given, source, options)
        if not any(is_no_label(row.label) for row in rows):
            raise
    labels, empty = filled(rows, "qrels <records>" if source is None else source.name)
    qrels = Qrels(labels, contents="labels")
    if source is None:
        return GivenJudgments(qrels, Described(qrels.source, None), empty)
    return GivenJudgments(qrels, _described(source), empty)


class _Whole(NamedTuple):
    """A file of JSON, which describes itself only if all of its labels are numbers."""

    name: str
    positions: bool = False
    by_column: bool = False

    def description(self) -> dict[str, Any]:
        return {"form": "json"}


def _described(source: Source) -> Described:
    try:
        return Described(source, source.as_read())
    except InputError:
        whole: Any = _Whole(source.name)
        return Described(whole, source.as_read())
