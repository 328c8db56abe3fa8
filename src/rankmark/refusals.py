"""What evaluating and explaining refuse alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError, listed

if TYPE_CHECKING:
    from rankmark.alignment import Alignment
    from rankmark.conventions import Conventions
    from rankmark.sources import Qrels


def refuse_unjudged(conventions: Conventions, qrels: Qrels) -> None:
    """Refuse listed queries that are not judged."""
    if isinstance(conventions.queries, str):
        return
    judged = frozenset(qrels.query_ids)
    unjudged = [query for query in conventions.queries if query not in judged]
    if unjudged:
        raise InputError(
            f"queries asked for that are not judged: {len(unjudged)}, {listed(unjudged)}"
        )


def refuse_ties(name: str, alignment: Alignment, *, lowest: float = -math.inf) -> None:
    """Raise InputError where a document with a label from ``lowest`` on ties with another."""
    if alignment.tie_first is None or alignment.tie_last is None:
        return
    seen = alignment.label >= lowest
    tied = np.flatnonzero(seen & (alignment.tie_first != alignment.tie_last))
    if not len(tied):
        return
    rows = np.unique(np.searchsorted(alignment.starts, tied, side="right") - 1)
    examples = [alignment.queries[row] for row in rows[:3]]
    raise InputError(
        f"{name}: documents that are judged and tie with another: {len(tied):,}, in the queries "
        f"{listed(examples, len(rows))}; choose a rule for ties: docid, docid-up, input, rank or "
        "mean"
    )
