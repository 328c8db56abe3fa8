"""A plain loop fuses dicts that are already there, by RRF; it takes their order for the ranking."""

import fused_lists
import turns

runs = fused_lists.dicts()


def fuse() -> dict[str, dict[str, float]]:
    """Add up 1 / (60 + rank), and sort."""
    fused: dict[str, dict[str, float]] = {}
    for run in runs:
        for query, scores in run.items():
            of_query = fused.setdefault(query, {})
            for rank, doc in enumerate(scores, 1):
                of_query[doc] = of_query.get(doc, 0.0) + 1 / (60 + rank)
    return {
        query: dict(sorted(scores.items(), key=lambda pair: pair[1], reverse=True))
        for query, scores in fused.items()
    }


turns.answer(fuse, fused_lists.means(fuse()))
