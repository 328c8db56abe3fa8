"""MAP-IA: average precision for each subtopic, averaged."""

from conformance.reference.subtopics import Ranking, all_subtopics, relevant_to


def ap_ia(
    ranking: Ranking, missed: Ranking, _order: Ranking | None = None, *, rel: float = 1.0
) -> float:
    """Mean over subtopics of the mean over their relevant documents of precision there."""
    every = all_subtopics(ranking, missed, rel)
    total = 0.0
    for subtopic in every:
        hits = [subtopic in relevant_to(document, rel) for document in ranking]
        unseen = sum(subtopic in relevant_to(document, rel) for document in missed)
        precisions = [sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit]
        total += sum(precisions) / (sum(hits) + unseen)
    return total / len(every) if every else 0.0
