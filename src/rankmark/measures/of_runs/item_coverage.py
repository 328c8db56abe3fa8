"""ItemCoverage: the share of the catalogue that is in some list."""

from __future__ import annotations

import numpy as np

from rankmark.measures.of_runs.run_measure import LeftOut, RunLists, RunMeasure


def coverage_over(lists: RunLists, *, k: int | None = None) -> LeftOut:
    """Return the share of the items of the catalogue that are in some list up to rank k.

    Items that are not in the catalogue count nowhere, so that the share is at most 1.

    Elsewhere: RecBole ``itemcoverage@k``, recpack ``CoverageK``, RePlay ``Coverage``; RecTools'
    ``CatalogCoverage`` and Elliot's ``ItemCoverage`` are the number of items unless they are told
    otherwise. RecTools and recommenders also count items outside the catalogue, and exceed 1.
    Source: Ge, Delgado-Battenfeld and Jannach, Beyond accuracy, RecSys 2010.
    """
    of_list, items = lists.first(k)
    known = items < lists.catalogue
    of_list, items = of_list[known], items[known]
    times = np.bincount(items, minlength=lists.catalogue)
    covered = int(np.count_nonzero(times))
    only_here = np.bincount(of_list[times[items] == 1], minlength=len(lists.starts) - 1)
    return LeftOut(covered / lists.catalogue, (covered - only_here) / lists.catalogue)


ITEM_COVERAGE = RunMeasure(
    "ItemCoverage",
    coverage_over,
    "items of the catalogue in some list / items of the catalogue",
    bounds=(0.0, 1.0),
    aliases=("CatalogCoverage", "item_coverage"),
)
