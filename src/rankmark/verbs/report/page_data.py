"""What the page of a report contains, as plain data; the template only lays it out."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rankmark.verbs.compare.comparison_notes import CAUSES, marks_in_words, reversals_in_words
from rankmark.verbs.report.page_audit import audit_table
from rankmark.verbs.report.page_differences import differences, interval, known, reversing, written
from rankmark.verbs.report.page_encoding import visible
from rankmark.verbs.report.page_figures import dots
from rankmark.verbs.report.page_slices import slice_tables
from rankmark.verbs.report.page_stored import Chosen, blocks, left_out, stored_data
from rankmark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.measures import Measure
    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.compare.comparison_layout import Layout

_CLIPPED = 20  # letters of a run's name in pictures; the template clips them


def page_data(comparison: Comparison, chosen: Chosen) -> dict[str, Any]:
    """Return everything that the page contains, with values that JSON can represent.

    ``blocks`` are compressed data for the page's script: ``meta``, ``queries``, ``scores``, and
    ``lists-0``, ``lists-1``, ... with ranked lists.
    """
    evaluations = dict(comparison.evaluations)
    runs, measures = [*comparison.runs], [*comparison.measures]
    facts = _facts(measures, evaluations)
    stored = stored_data(comparison, chosen)
    first = next(iter(evaluations.values()), None)
    layout = comparison.layout()
    leaderboard = _leaderboard(layout, comparison, facts)
    return {
        "title": chosen.title or _title(evaluations, runs),
        "version": __version__,
        "counts": {
            "runs": len(runs),
            "queries": len(comparison.queries),
            "listed": len(stored.queries),
            "measures": len(measures),
        },
        "baseline": comparison.baseline,
        "measures": facts,
        "leaderboard": leaderboard,
        "marks": _marks_in_words(layout),
        "is_corrected": comparison.chosen.correction != "none",
        "interval_head": layout.adjusted_confidence,
        "causes": [CAUSES[cause] for cause in reversing(comparison)],
        "figures": _figures(leaderboard, facts),
        "differences": differences(comparison, facts),
        "legend": [*map(_sentence, [*comparison.legend, *reversals_in_words(layout)])],
        "slices": slice_tables(comparison, facts, layout),
        "audit": audit_table(evaluations) if evaluations else None,
        "conventions": None if first is None else [*first.conventions.to_dict().items()],
        "inputs": _inputs(evaluations),
        "notes": [] if first is None else _shared_provenance(evaluations),
        "left_out": left_out(comparison, stored, chosen.documents),
        "blocks": blocks(comparison, layout, facts, stored, chosen.documents),
    }


def _facts(measures: Sequence[str], evaluations: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what the page says of each measure: its name, formula, and which values are better."""
    by_name: dict[str, Measure] = {}
    for evaluation in evaluations.values():
        by_name |= dict(zip(evaluation.names, evaluation.measures, strict=True))
    return [
        {
            "name": name,
            "formula": getattr(by_name.get(name), "formula", None),
            "more_is_better": getattr(by_name.get(name), "more_is_better", True),
            "is_count": getattr(by_name.get(name), "aggregate", "mean") == "sum",
        }
        for name in measures
    ]


def _sentence(line: str) -> str:
    """Return text with a capital first letter, unless the first word is a name, such as nDCG@10."""
    first = line.split(" ", 1)[0].rstrip(":;,")
    return line[:1].upper() + line[1:] if first.isalpha() and first.islower() else line


def _title(evaluations: Mapping[str, Any], runs: Sequence[str]) -> str:
    several = f"{len(runs)} runs" if len(runs) > 1 else runs[0]
    first = next(iter(evaluations.values()), None)
    if first is None:
        return f"Comparison of {several}"
    name = PurePath(_inputs(evaluations)[0]["name"]).name
    return f"{several} on {name}" if not name.startswith("<") else f"Evaluation of {several}"


def _marks_in_words(layout: Layout) -> str | None:
    """Return what the marks of the leaderboard mean, as a sentence."""
    words = marks_in_words(layout)
    return None if words is None else f"{_sentence(words)}."


def _leaderboard(
    layout: Layout, comparison: Comparison, facts: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the runs, best first by the first measure, with a cell for each measure."""
    by_run: dict[str, dict[str, Any]] = {}
    for row in comparison.leaderboard:
        by_run.setdefault(row.run, {})[row.measure] = row
    names = [fact["name"] for fact in facts]
    order = layout.runs
    marks = {measure.name: layout.marks(measure) for measure in layout.measures}
    by_letter = layout.marks_by_letter
    means = {
        name: sorted(
            {
                round(by_run[run][name].mean, 10)
                for run in order
                if known(by_run[run][name], "mean") is not None
            },
            reverse=fact["more_is_better"],
        )
        for name, fact in zip(names, facts, strict=True)
    }

    def place(row: Any, measure: str) -> int | None:
        mean = known(row, "mean")
        return None if mean is None else means[measure].index(round(mean, 10))

    return [
        {
            "run": run,
            "letter": layout.letters[run] if layout.marks_by_letter else "",
            "is_baseline": run == comparison.baseline,
            "cells": [
                {
                    "mean": known(row, "mean"),
                    "low": known(row, "low"),
                    "high": known(row, "high"),
                    "text": written(known(row, "mean"), fact),
                    "interval": interval(row, fact),
                    "best": len(order) > 1 and place(row, fact["name"]) == 0,
                    "second": len(order) > 2 and place(row, fact["name"]) == 1,
                    "beaten": marks[fact["name"]].get(run, "") if by_letter else "",
                    "star": "" if by_letter else marks[fact["name"]].get(run, ""),
                }
                for fact in facts
                for row in [by_run[run][fact["name"]]]
            ],
        }
        for run in order
    ]


def _figures(
    leaderboard: Sequence[dict[str, Any]], facts: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return a picture of means with intervals for each measure that has intervals."""
    figures = []
    for at, fact in enumerate(facts):
        rows = [
            {
                "name": row["run"],
                "is_baseline": row["is_baseline"],
                "text": row["cells"][at]["text"],
                "value": row["cells"][at]["mean"],
                "low": row["cells"][at]["low"],
                "high": row["cells"][at]["high"],
            }
            for row in leaderboard
        ]
        if any(row["value"] is not None for row in rows):
            longest = max(len(visible(row["name"])) for row in rows)
            labels = 12 + 7 * min(longest, _CLIPPED)
            figures.append({"measure": fact["name"], **dots(rows, labels=labels)})
    return figures


def _inputs(evaluations: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return name, form and hash of the judgments and of each run."""
    found: list[dict[str, Any]] = []
    for run, evaluation in evaluations.items():
        described = evaluation.to_dict(per_query=False)
        sides = [("judgments", described["qrels"])] if not found else []
        for role, facts in [*sides, (run, described["run"])]:
            found.append(
                {
                    "role": role,
                    "name": facts["name"],
                    "form": facts.get("form", ""),
                    "sha256": facts.get("sha256"),
                }
            )
    return found


def _shared_provenance(evaluations: Mapping[str, Any]) -> list[str]:
    """Return how inputs and names were read, each line once."""
    return [*dict.fromkeys(line for each in evaluations.values() for line in each.provenance)]
