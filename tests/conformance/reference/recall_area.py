"""The area below the curve of recall, trapezoid by trapezoid."""

from conformance.reference.gains import Ranking
from conformance.reference.screening import relevant, screened


def recall_area(
    ranking: Ranking, missed: Ranking, *, rel: float = 1.0, collection: int | None = None
) -> float:
    """Divide the area of the ranking by that of one with all relevant documents first."""
    found = relevant(ranking, rel)
    num_relevant = sum(found) + sum(relevant(missed, rel))
    size = screened(ranking, missed, collection)

    def area(hits: list[bool]) -> float:
        total, so_far = 0.0, 0
        for hit in [*hits, *[False] * (size - len(hits))]:
            total += so_far + hit / 2
            so_far += hit
        return total

    ideal = area([True] * num_relevant)
    return area(found) / ideal if ideal else 0.0
