"""The slices of a comparison as the page shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.verbs.report.page_differences import interval, known, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.compare.comparison_layout import Layout


def slice_tables(
    comparison: Comparison, facts: Sequence[dict[str, Any]], layout: Layout
) -> dict[str, Any] | None:
    """Return a table for each measure, with the mean of each run in each slice.

    Parameters
    ----------
    facts
        The measures.
    layout
        Of the comparison, with the runs in the order of the columns, and their letters.

    Returns
    -------
    dict or None
        ``tables``, and ``warnings`` where slices and the whole disagree; None without slices.
    """
    if not comparison.slices:
        return None
    runs = layout.runs
    beaten = {
        name: {measure.name: part.marks(measure) for measure in part.measures}
        for name, (_, part) in zip(comparison.slices, layout.slices(), strict=True)
        if layout.marks_by_letter
    }
    return {
        "runs": [*runs],
        "letters": layout.letters,
        "has_letters": any(marks for measures in beaten.values() for marks in measures.values()),
        "reference": layout.reference,
        "has_marks": layout.reference is not None,
        "warnings": comparison.slices.warnings,
        "tables": [
            {
                "measure": fact["name"],
                "is_open": at == 0,
                "rows": [
                    {
                        "name": name,
                        "queries": len(part.queries),
                        "cells": _cells(
                            part, fact, runs, beaten.get(name, {}).get(fact["name"], {})
                        ),
                    }
                    for name, part in comparison.slices.items()
                ],
            }
            for at, fact in enumerate(facts)
        ],
    }


def _cells(
    part: Comparison, fact: Mapping[str, Any], runs: Sequence[str], beaten: Mapping[str, str]
) -> list[dict[str, Any]]:
    rows = {row.run: row for row in part.leaderboard.where(measure=fact["name"])}
    marks = {}
    if part.baseline is not None or len(runs) == 2:
        for row in part.differences.where(measure=fact["name"]):
            if row.significant and row.better is not None:
                marks[row.run] = row.better == row.run
    means = [value for row in rows.values() if (value := known(row, "mean")) is not None]
    best = (max if fact["more_is_better"] else min)(means, default=None)
    return [
        {
            "text": written(known(rows[run], "mean"), fact),
            "interval": interval(rows[run], fact),
            "best": len(runs) > 1 and best is not None and known(rows[run], "mean") == best,
            "better": marks.get(run),
            "beaten": beaten.get(run, ""),
        }
        for run in runs
    ]


def slice_queries(comparison: Comparison, queries: Sequence[str]) -> dict[str, list[int]]:
    """Return the numbers of the queries of each slice, among those that are listed."""
    numbers = {query: number for number, query in enumerate(queries)}
    return {
        name: [numbers[query] for query in part.queries if query in numbers]
        for name, part in comparison.slices.items()
    }
