"""A fused run as a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark._core import joined
from rankmark.sources.tables.columns import Chosen
from rankmark.sources.tables.table import TableSource

if TYPE_CHECKING:
    from rankmark._core import Table


def fused_source(tables: Sequence[Table], form: Mapping[str, Any]) -> TableSource:
    """Return a source of tables with the columns query_id, doc_id and score."""
    table = tables[0] if len(tables) == 1 else joined(list(tables))
    source = TableSource(table, Chosen(0, 1, 2, None), "run", name="<fused>", form=form)
    source.vouched = True
    return source
