"""What evaluating and explaining refuse alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Ints
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


def refuse_ties(name: str, queries: Sequence[str], tied: Ints, rows: Any = None) -> None:
    """Refuse judged documents that tie, whether or not a measure looks at them.

    Parameters
    ----------
    queries
        (Q,) ids of the judged queries.
    tied
        (Q,) int64, how many judged documents of each share their score with another document.
    rows
        The numbers of the queries that are averaged; None for all.
    """
    if not tied.any():
        return
    numbers = range(len(queries)) if rows is None else rows.tolist()
    found = [row for row in numbers if tied[row]]
    if not found:
        return
    many = sum(int(tied[row]) for row in found)
    what = "1 judged document is tied" if many == 1 else f"{many:,} judged documents are tied"
    of = "query" if len(found) == 1 else "queries"
    raise InputError(
        f"{name}: {what} ({of} {listed([queries[row] for row in found[:3]], len(found))}); "
        "choose a rule for ties: docid, docid-asc, input, rank or mean"
    )
