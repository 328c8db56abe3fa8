"""The rows of one query in a text file, read again to explain its score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.contract.reading_options import ONE_THREAD, Reading
from rankmark.data.ids.numeric import LARGEST_WHOLE
from rankmark.data.tables.table import of_one_query
from rankmark.errors import ParseError

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.files.open_text import OpenText
    from rankmark.data.tables.table import TableSource


def query_in_text(
    text: OpenText,
    query: str,
    form: Mapping[str, Any],
    reading: Reading,
) -> TableSource | None:
    """Read the rows of one query; ``form`` describes how the file was interpreted."""
    rows = text.rows(reading, lenient=True, queries=[query])
    chosen = text.layout.chosen
    if rows.faulty and rows.number is not None and chosen.rank is not None:
        # Invalid scores become NaN, which is refused if scores are used: not by ties="rank".
        by_rank = text.layout._replace(chosen=chosen._replace(number=None))
        without_scores = text._replace(layout=by_rank)
        every = without_scores.rows(reading.in_silence(), lenient=True, queries=[query])
        number = np.full(len(every.doc_codes), np.nan)
        number[np.isin(np.asarray(every.line), np.asarray(rows.line))] = rows.number
        rows = every._replace(number=number)
    if rows.faulty:
        at, found, remedy = rows.faults[0]
        raise ParseError(found, remedy, where=text.file.name, line=at)
    line = rows.line
    assert line is not None  # noqa: S101
    source = of_one_query(
        query,
        map(rows.doc_ids, np.asarray(rows.doc_codes).tolist()),
        rows.number,
        rows.rank,
        text.kind,
        name=text.file.name,
        form=form,
        place=lambda row: f"line {line[row]}",
    )
    if source is not None and rows.number is not None:
        source.refusal = _lost_digits(text, rows.number, query)
    return source


def _lost_digits(text: OpenText, numbers: Floats, query: str) -> ParseError | None:
    """Return the error for a whole number of a query that was rounded, or None."""
    if not (np.abs(numbers) >= LARGEST_WHOLE).any():
        return None
    try:
        text.rows(ONE_THREAD, lenient=False, queries=[query])
    except ParseError as error:
        return error
    return None
