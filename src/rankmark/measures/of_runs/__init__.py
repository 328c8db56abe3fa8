"""Measures of a run: one number from all of its lists, which no query has by itself.

How much of a catalogue the lists reach is known of all lists together only, so such a number is
never a mean over queries. ``evaluate_lists`` takes these measures, or their names.
"""

from rankmark.measures.of_runs.item_coverage import ITEM_COVERAGE
from rankmark.measures.of_runs.run_measure import RunMeasure

ALL: tuple[RunMeasure, ...] = (ITEM_COVERAGE,)
"""All measures of a run."""

__all__ = ["ALL", "ITEM_COVERAGE", "RunMeasure"]
