"""Results whose numbers are plain means of values by query."""

from __future__ import annotations

from rankmark.results.per_query import ByQuery
from rankmark.statistics.exact_sums import defined_means


class MeansByQuery(ByQuery):
    """A result whose numbers are the means of the queries with a value, with intervals."""

    @property
    def _figures(self) -> tuple[float, ...]:
        return defined_means(self.scores)

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Return a confidence interval of each mean: Student's t over the queries.

        NaN for both ends if the queries are too few or all alike. ``compare_scores`` has intervals
        of differences, and other kinds.

        Parameters
        ----------
        confidence
            Above 0 and below 1.
        """
        from rankmark.statistics.confidence_intervals import mean_intervals  # noqa: PLC0415

        found = mean_intervals(self.scores, method="t", confidence=confidence)
        return dict(zip(self.names, ((each.low, each.high) for each in found), strict=True))
