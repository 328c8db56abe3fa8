"""Which queries are averaged, and checks shared by evaluating and explaining."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import ORDERS
from rankmark.errors import InputError, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Ints
    from rankmark.conventions import Conventions


def averaged(conventions: Conventions, query_ids: Sequence[str], answered: Bools) -> Ints | None:
    """Return the numbers of the queries to average, (n,) int64, rising; None for all.

    Parameters
    ----------
    query_ids, answered
        (Q,) ids of judged queries, and whether the run has them.
    """
    if conventions.queries == "judged":
        return None
    if conventions.queries == "both":
        return np.flatnonzero(answered)
    chosen = frozenset(conventions.queries)
    numbers = [number for number, query in enumerate(query_ids) if query in chosen]
    return np.array(numbers, dtype=np.int64)


def refuse_unjudged(conventions: Conventions, query_ids: Sequence[str]) -> None:
    """Refuse listed queries that are not judged."""
    if isinstance(conventions.queries, str):
        return
    judged = frozenset(query_ids)
    unjudged = [query for query in conventions.queries if query not in judged]
    if unjudged:
        many = f"{len(unjudged):,} requested queries have"
        start = "1 requested query has" if len(unjudged) == 1 else many
        which = "it" if len(unjudged) == 1 else "them"
        raise InputError(f"{start} no judgments: {listed(unjudged)}", f"remove {which}")


def refuse_ties(name: str, queries: Sequence[str], tied: Ints, rows: Any = None) -> None:
    """Refuse tied judged documents, whether or not a measure needs them.

    Parameters
    ----------
    queries
        (Q,) ids of the judged queries.
    tied
        (Q,) int64, the number of tied judged documents of each.
    rows
        The numbers of the queries averaged; None for all.
    """
    if not tied.any():
        return
    numbers = range(len(queries)) if rows is None else rows.tolist()
    found = [row for row in numbers if tied[row]]
    if not found:
        return
    count = sum(int(tied[row]) for row in found)
    what = "1 judged document is tied" if count == 1 else f"{count:,} judged documents are tied"
    noun = "query" if len(found) == 1 else "queries"
    raise InputError(
        f"{what} ({noun} {listed([queries[row] for row in found[:3]], len(found))})",
        f"choose a rule for ties: {', '.join(ORDERS)} or mean",
        where=name,
    )
