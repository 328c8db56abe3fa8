"""Make one ranking for each query of what several searches retrieved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from rankmark.answers.search_calls.given_calls import ROLES, GivenCalls, given_calls
from rankmark.arguments import Columns, checked
from rankmark.data.given_tables.role_tables import named_roles
from rankmark.data.preparing.run import Run
from rankmark.errors import listed, warn

How = Literal["interleave", "concatenate", "union", "first", "last"]


@checked
def merge_calls(calls: GivenCalls, how: How = "interleave", *, columns: Columns = None) -> Run:
    """Merge what several searches for each query retrieved into one run.

    An agent searches several times for one question. The run is evaluated, compared and explained
    as any other.

    Parameters
    ----------
    calls
        The documents that each call retrieved, in the order of the calls: ``{query: [documents of
        the first call, of the second, ...]}``, each a list of ids, best first, or {id: score}. Or
        rows, or a frame, with the columns query_id, call, doc_id and score or rank; or a file of
        these: CSV, TSV, JSON, JSON Lines, Parquet. A row may hold the documents of a call as a
        list, and their scores as another. Calls that are numbers are in their order, and
        others in that of the rows. A call that retrieved nothing has a row with an empty document.
        A call that retrieves no documents, as a query to a database, has one with a column
        ``applicable`` that is false.
    how
        ``"interleave"``: a document has its best rank over the calls, and of documents with the
        same rank, those of earlier calls are first. ``"concatenate"``: all of the first call, then
        all of the second; a document counts where it is first. ``"union"``: all documents, tied,
        for measures of sets. ``"first"`` and ``"last"``: only this call.
    columns
        The names of columns that are not recognised, ``{"call": "step"}``; the roles are query_id,
        call, doc_id, score, rank and applicable.

    Returns
    -------
    Run
        Queries without calls that retrieve documents are not in it.

    Raises
    ------
    SchemaError
        If the form is unknown, a column is missing, or a cell is not what it should be.
    InputError
        If there are no rows, or ``how`` is no such word.

    Examples
    --------
    >>> import rankmark as rm
    >>> calls = {"q1": [["a", "b", "c"], ["d", "a"]]}
    >>> rm.evaluate({"q1": {"d"}}, rm.merge_calls(calls), "RR")["RR"]
    0.5
    >>> rm.evaluate({"q1": {"d"}}, rm.merge_calls(calls, "concatenate"), "RR")["RR"]
    0.25
    """
    given = given_calls(calls, named_roles(columns, ROLES))
    if given.not_applicable:
        count = len(given.not_applicable)
        warn(
            f"{given.name}: retrieval does not apply to {count:,} of {len(given.made):,} queries: "
            f"{listed(given.not_applicable[:3], count)}; they are not in the run",
            'leave them out of averages, as queries="both" does, or use evaluate_calls',
        )
    left_out = {*given.not_applicable}
    return as_run({q: lists for q, lists in given.lists.items() if q not in left_out}, how)


def as_run(lists: Mapping[str, Sequence[Sequence[str]]], how: How) -> Run:
    """Merge the calls of each query: {query: the documents of each call, best first}."""
    merged = {query: merged_list(of_query, how) for query, of_query in lists.items()}
    if how == "union":
        return Run({query: dict.fromkeys(found, 0.0) for query, found in merged.items()})
    return Run(merged)


def merged_list(calls: Sequence[Sequence[str]], how: How) -> list[str]:
    """Merge the calls of one query into one list, best first."""
    if how in {"first", "last"}:
        return [*calls[0 if how == "first" else -1]] if calls else []
    if how == "interleave":
        ranked = sorted(
            (rank, number, document)
            for number, documents in enumerate(calls)
            for rank, document in enumerate(documents)
        )
        return [*dict.fromkeys(document for _, _, document in ranked)]
    return [*dict.fromkeys(document for documents in calls for document in documents)]
