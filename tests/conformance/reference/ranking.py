"""Order the documents of a query by brute force: count, for each, who comes before it."""

from collections.abc import Mapping, Sequence
from typing import Literal

from conformance.reference.gains import Label, Ranking

Ties = Literal["docid", "docid-asc", "input"]


class Scored(list[Label]):
    """Labels in rank order that know their scores; a plain list has no ties."""

    def __init__(self, labels: Sequence[Label], scores: Sequence[float]) -> None:
        super().__init__(labels)
        self.scores = list(scores)


def tied(ranking: Ranking, place: int, other: int) -> bool:
    """Return True if the documents at two positions (0-based) have equal scores."""
    if isinstance(ranking, Scored):
        return ranking.scores[place] == ranking.scores[other]
    return place == other


def rank_of(doc_id: str, run: Mapping[str, float], ties: Ties) -> int:
    """Return one plus the number of documents with a better score, or an equal one first."""
    place = {other: position for position, other in enumerate(run)}
    before = 0
    for other in run:
        if other == doc_id:
            continue
        if run[other] > run[doc_id]:
            before += 1
        elif run[other] == run[doc_id]:
            if ties == "docid":
                before += other.encode() > doc_id.encode()
            elif ties == "docid-asc":
                before += other.encode() < doc_id.encode()
            else:
                before += place[other] < place[doc_id]
    return before + 1


def ranked(run: Mapping[str, float], ties: Ties = "docid") -> list[str]:
    """List the documents of one query, best first."""
    by_rank = {rank_of(doc_id, run, ties): doc_id for doc_id in run}
    return [by_rank[rank] for rank in range(1, len(run) + 1)]


def labels_of(
    judged: Mapping[str, float],
    run: Mapping[str, float],
    *,
    ties: Ties = "docid",
    depth: int | None = None,
    judged_only: bool = False,
) -> tuple[Scored, list[Label]]:
    """Return the labels in rank order (None: unjudged), and those of documents not retrieved.

    ``depth`` cuts the ranking first, then ``judged_only`` condenses what is left: the order of
    trec_eval's -M and -J (form_res_rels.c). Documents that are cut off were not retrieved.
    """
    kept = ranked(run, ties)
    if depth is not None:
        kept = kept[:depth]
    if judged_only:
        kept = [doc_id for doc_id in kept if doc_id in judged]
    ranking = Scored([judged.get(doc_id) for doc_id in kept], [run[doc_id] for doc_id in kept])
    missed: list[Label] = [judged[doc_id] for doc_id in judged if doc_id not in kept]
    return ranking, missed
