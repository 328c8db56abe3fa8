"""p-MRR: whether a run follows a changed instruction."""

from __future__ import annotations

from math import fsum

from rankmark.arguments import checked
from rankmark.conventions import Conventions, OrderedTies
from rankmark.data.alignment import Needs
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.data.preparing.run import Run, RunSource
from rankmark.errors import InputError, MismatchError, listed, shown, warn


@checked
def p_mrr(
    changed: Qrels | QrelsSource,
    original: Run | RunSource,
    new: Run | RunSource,
    *,
    ties: OrderedTies = "docid",
    suffixes: tuple[str, str] = ("", ""),
) -> float:
    """Return p-MRR: how far documents moved down after the instruction of a query was changed.

    For a document of rank o for the original instruction and n for the new one, the value is
    n / o - 1 if it moved up (n <= o), and 1 - o / n if it moved down: from -1 to 1, 0 if it did not
    move, 0.5 if its reciprocal rank was halved. Documents are averaged within each query, and then
    queries.

    Parameters
    ----------
    changed
        The documents that the new instruction makes non-relevant, by query: ``{query id: [document
        ids]}``, or judgments in any form, whose labels do not matter. Prepare it, as the runs, with
        Qrels and Run if they need options.
    original, new
        The run for the original instructions, and the one for the new ones. A document that a run
        lacks has the rank after its last one. Queries that one of them lacks are left out.
    ties
        The order of documents with equal scores, as for ``evaluate``. MTEB orders them by id,
        descending, and before version 2.19.5 as in the input.
    suffixes
        What follows the query ids of ``changed`` in the original run and in the new one, which may
        then be one object: ``("-og", "-changed")`` in MTEB and in the files of FollowIR.

    Returns
    -------
    float
        The mean over queries, from -1 to 1; above 0, documents moved down.

    Raises
    ------
    InputError
        If an input cannot be read, or an option has an invalid value.
    MismatchError
        If no query is in both runs.

    References
    ----------
    .. [1] Weller et al., FollowIR: Evaluating and Teaching Information Retrieval Models to Follow
       Instructions, NAACL 2025, section 4.3.

    Examples
    --------
    >>> import rankmark as rm
    >>> original = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> new = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    >>> rm.p_mrr({"q1": ["a"]}, original, new)
    0.5
    """
    pair = tuple(suffixes) if isinstance(suffixes, (tuple, list)) else ()
    if len(pair) != 2 or not all(isinstance(one, str) for one in pair):
        raise InputError(f"suffixes is {shown(suffixes)}", 'need two, such as ("-og", "-changed")')
    judged = changed if isinstance(changed, Qrels) else Qrels(changed)
    documents = {query: [*labels] for query, labels in judged.by_query().items()}
    before, after = (
        _ranks(documents, run, suffix, ties)
        for run, suffix in zip((original, new), pair, strict=True)
    )
    left_out = [query for query in documents if not (query in before and query in after)]
    if len(left_out) == len(documents):
        raise MismatchError(
            f"none of the queries that changed is in both runs: {listed(left_out)}",
            "give runs of these queries, or suffixes if their ids have some",
        )
    if left_out:
        warn(
            f"queries that changed are missing from a run, and left out: {listed(left_out)}",
            "give runs of all queries",
            where="p-MRR",
        )
    means = [
        fsum(map(_moved, before[query], after[query])) / len(doc_ids)
        for query, doc_ids in documents.items()
        if query in before and query in after
    ]
    return fsum(means) / len(means)


def _moved(original: int, new: int) -> float:
    """Return how far a document moved: from -1, up to the first rank, to 1, down."""
    before, after = 1 / original, 1 / new
    return before / after - 1 if before <= after else 1 - after / before


def _ranks(
    documents: dict[str, list[str]], run: Run | RunSource, suffix: str, ties: OrderedTies
) -> dict[str, list[int]]:
    """Return the ranks of the documents of each query that the run answers."""
    numbered = {
        query + suffix: {doc_id: float(place) for place, doc_id in enumerate(doc_ids)}
        for query, doc_ids in documents.items()
    }
    conventions = Conventions(ties=ties)
    prepared = run if isinstance(run, Run) else Run(run)
    judged = Qrels(numbered, contents="labels")
    a, facts = match(judged, prepared, conventions, needs=Needs(), may_differ=True)
    found: dict[str, list[int]] = {}
    for row, (query, doc_ids) in enumerate(documents.items()):
        if not facts.answered[row]:
            continue
        found[query] = [int(a.retrieved[row]) + 1] * len(doc_ids)
        for at in range(int(a.starts[row]), int(a.starts[row + 1])):
            found[query][int(a.label[at])] = int(a.rank[at])
    return found
