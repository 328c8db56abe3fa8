"""The lists of a run by query, as ids."""

from __future__ import annotations

from rankmark.data.preparing.run import Run, RunSource
from rankmark.data.preparing.united_runs import unite_runs


def lists_of(run: Run | RunSource, depth: int) -> dict[str, tuple[str, ...]]:
    """Return the first documents of each query, best first; ties by id, as in ``evaluate``."""
    united = unite_runs([run if isinstance(run, Run) else Run(run)], ties="docid", depth=depth)
    found: dict[str, tuple[str, ...]] = {}
    for part in united.parts():
        docs, starts = part.documents.ids(), part.lists.starts.tolist()
        for number, query in enumerate(part.queries):
            found[query] = docs[starts[number] : starts[number + 1]]
    return found
