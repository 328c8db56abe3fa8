"""Tables and pictures of the page: differences, slices, and the audit of runs side by side."""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rankmark.errors import ChangedError
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import adjusted_range, written_p
from rankmark.verbs.compare.comparison_layout import CAUSES, capitalised, reversal
from rankmark.verbs.evaluate.reliability import reliability_parts
from rankmark.verbs.explain.failure_causes import causes_of
from rankmark.verbs.explain.failures import FailureCauses, RunFailures, where_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.compare.comparison_layout import Layout
    from rankmark.verbs.evaluate.audit import Audit
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.evaluate.ranked_lists import Judgments

ROW = 22
"""Height of a row, in pixels."""

_OF_DOCUMENTS = {"documents", "order", "grades", "subtopics"}
"""What measures depend on that have relevant documents."""
_OF_INTERVAL = 140  # pixels of the picture of an interval


def dots(
    rows: Sequence[dict[str, Any]], *, zero: bool = False, labels: int = 130, width: int = 420
) -> dict[str, Any]:
    """Place dots with intervals, one below the other, above an axis.

    Parameters
    ----------
    rows
        ``name``, ``value``, ``low`` and ``high`` of each, None where unknown; other fields stay.
    zero
        Whether the axis includes 0.
    labels, width
        Pixels for the names, and in all.
    """
    known = [row[key] for row in rows for key in ("value", "low", "high") if row[key] is not None]
    ticks = _ticks([*known, *([0.0] if zero else [])])
    low, high = ticks[0], ticks[-1]
    left, right = labels + 12, width - 16

    def x(value: float) -> float:
        return round(left + (right - left) * (value - low) / (high - low), 1)

    placed = [
        {
            **row,
            "y": ROW * at + ROW // 2 + 6,
            **{
                f"x_{key}": None if row[key] is None else x(row[key])
                for key in ("value", "low", "high")
            },
        }
        for at, row in enumerate(rows)
    ]
    bottom = ROW * len(rows) + 12
    return {
        "width": width,
        "height": bottom + 24,
        "bottom": bottom,
        "left": left,
        "right": right,
        "labels": labels,
        "rows": placed,
        "ticks": [{"x": x(tick), "text": _tick_text(tick, ticks)} for tick in ticks],
        "zero": x(0.0) if zero else None,
    }


def _ticks(values: Iterable[float]) -> list[float]:
    """Return about five round numbers that include the values."""
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    rough = (high - low) / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [number * step for number in range(first, last + 1)]


def _tick_text(value: float, ticks: Sequence[float]) -> str:
    step = ticks[1] - ticks[0]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(step * 10**digits - round(step * 10**digits)) > 1e-6:
        digits += 1
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def written(value: float | None, fact: Mapping[str, Any], *, sign: bool = False) -> str:
    """Return a value as in all tables: counts as whole numbers, the rest with four decimals."""
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:{'+' if sign else ''}.{0 if fact['is_count'] else 4}f}"
    return text.replace("-", "−")


def known(row: Any, name: str) -> float | None:
    """Return a number of a row; None where it is unknown or not finite."""
    value = float(getattr(row, name))
    return value if math.isfinite(value) else None


def interval(row: Any, fact: Mapping[str, Any]) -> str | None:
    """Return the interval of a row as text; None if it has none."""
    low, high = known(row, "low"), known(row, "high")
    if low is None or high is None:
        return None
    return f"{written(low, fact)} to {written(high, fact)}"


def adjusted_interval(row: Any, fact: Mapping[str, Any]) -> str | None:
    """Return the adjusted interval of a difference as text; None if it has none."""
    low, high = known(row, "adjusted_low"), known(row, "adjusted_high")
    if low is None or high is None:
        return None
    return adjusted_range(low, high, lambda end: written(end, fact, sign=True))


def differences(
    comparison: Comparison, facts: Sequence[dict[str, Any]], runs: Sequence[str]
) -> list[dict[str, Any]]:
    """Return a table of differences for each measure, pairs in the order of ``runs``."""
    by_name = {fact["name"]: fact for fact in facts}
    order = {name: at for at, name in enumerate(by_name)}
    places = {run: at for at, run in enumerate(runs)}
    rows = sorted(
        comparison.differences,
        key=lambda row: (order[row.measure], places[row.run], places[row.baseline]),
    )
    causes = reversing(comparison)
    tables = []
    for measure, group in groupby(rows, key=lambda row: row.measure):
        fact = by_name[measure]
        found = [_difference(row, fact, causes, comparison.chosen.level) for row in group]
        drawn = dots([row["dot"] for row in found], zero=True, labels=0, width=_OF_INTERVAL)
        for row, placed in zip(found, drawn["rows"], strict=True):
            row["dot"] = placed | {"zero": drawn["zero"]}
        tables.append(
            {
                "measure": measure,
                "more_is_better": fact["more_is_better"],
                "rows": found,
                "ticks": [drawn["ticks"][at] for at in (0, -1)],
                "zero": drawn["zero"],
                "has_smallest_p": any(row["smallest_p"] for row in found),
                "is_open": measure == facts[0]["name"],
                "significant": sum(row["is_significant"] for row in found),
            }
        )
    return tables


def of_all_lists(comparison: Comparison, runs: Sequence[str]) -> list[list[str]]:
    """Return rows of the measures of all lists together: of each run, then of each difference.

    Texts, of "" where unknown; the last is "gain" or "loss" for a significant difference.
    """
    first = next(iter(comparison.evaluations.values()), None)
    rows = []
    for measure in first.of_run if first is not None else ():
        for run in runs:
            found = comparison.evaluations[run].of_run.get(measure)
            if found is not None:
                value = f"{found.value:.4f}"
                rows.append([measure, run, value, found.interval, "", "", "", "", ""])
        for row in comparison.of_run:
            if row.measure == measure:
                gain = "gain" if row.is_gain else "loss"
                known = ["", ""]
                if not row.undefined:
                    known = [f"[{row.low:+.4f}, {row.high:+.4f}]", written_p(row.adjusted_p)]
                difference = row.baseline, f"{row.difference:+.4f}", *known
                rows.append([measure, row.run, "", "", *difference, gain * row.significant])
    return rows


def trials_table(evaluations: Mapping[str, Evaluation]) -> dict[str, Any] | None:
    """Return how the trials of systems vary: the head and the rows of a table, and notes."""
    for part in (parts := reliability_parts(evaluations)):
        if isinstance(part, MarkedTable):
            rows = [[cell.text for cell in row] for row in part.rows]
            head, notes = (map(capitalised, lines) for lines in (part.head, map(str, parts[2:])))
            return {"head": [*head], "rows": rows, "notes": [*notes]}
    return None


def reversing(comparison: Comparison) -> list[str]:
    """Return what could reverse a difference, "ties" or "unjudged"."""
    return [
        cause
        for cause in CAUSES
        if any(cause in row.reversible_by for row in comparison.differences)
    ]


def _difference(
    row: Any, fact: Mapping[str, Any], causes: Sequence[str], level: float
) -> dict[str, Any]:
    difference = known(row, "difference")
    relative = known(row, "relative")
    return {
        "baseline": row.baseline,
        "run": row.run,
        "difference": written(difference, fact, sign=True),
        "better": None if row.better is None else row.better == row.run,
        "interval": adjusted_interval(row, fact),
        "relative": None if relative is None else f"{100 * relative:+.1f}%".replace("-", "−"),
        "p": _probability(known(row, "p")),
        "adjusted_p": _probability(known(row, "adjusted_p")),
        "smallest_p": _smallest_p(row, level),
        "is_significant": bool(row.significant),
        "effect": _signed(known(row, "d_z")),
        "wins": row.wins,
        "ties": row.ties,
        "losses": row.losses,
        "reversals": [reversal(row.reversible_by, cause) for cause in causes],
        "dot": {
            "name": "",
            "value": difference,
            "low": known(row, "adjusted_low"),
            "high": known(row, "adjusted_high"),
        },
    }


def _smallest_p(row: Any, level: float) -> str | None:
    """Return the smallest p that is possible, if a smaller one could change what is found."""
    smallest, p = known(row, "smallest_p"), known(row, "p")
    if smallest is None or p is None:
        return None
    is_reached = p <= smallest * (1 + 1e-9) and not row.significant
    return _probability(smallest) if is_reached or smallest * max(row.family, 1) > level else None


def _signed(value: float | None) -> str | None:
    return None if value is None else f"{value:+.2f}".replace("-", "−")


def _probability(value: float | None) -> str | None:
    if value is None:
        return None
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


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


def causes_by_run(
    comparison: Comparison, evaluations: Mapping[str, Evaluation], judgments: Judgments
) -> dict[str, Any] | None:
    """Return why relevant documents are not among the first k: the parts for each run.

    The cutoff is that of the first measure with one. Systems of trials, and runs that have changed
    since they were evaluated, are left out. None without relevant documents.
    """
    measures = next(iter(evaluations.values())).measures if evaluations else ()
    of_labels = [one for one in measures if one.depends_on in _OF_DOCUMENTS]
    if not of_labels:
        return None
    measure = next((one for one in of_labels if getattr(one, "k", None)), of_labels[0])
    found = list[RunFailures]()
    for name, evaluation in evaluations.items():
        if evaluation.trials:
            continue
        kept = evaluation._kept
        conventions = kept.conventions.of(measure)
        with suppress(ChangedError):
            qrels, run = judgments.read(kept)
            found += causes_of(
                qrels, [{name: run}], measure, conventions, kept.corpus, [kept.reading]
            )[0]
    relevant = {query for run in found for query in run.relevant_by_query}
    if not relevant:
        return None
    causes = FailureCauses(
        measure=str(measure),
        where=where_of(measure),
        pipelines=tuple(found),
        slices={
            name: of_slice
            for name, part in comparison.slices.items()
            if (of_slice := [query for query in part.queries if query in relevant])
        },
        confidence=comparison.chosen.confidence,
    )
    left_out = "".join(
        f"; {name} is left out: each of its trials has its own"
        for name, one in evaluations.items()
        if one.trials
    )
    return {
        "measure": causes.measure,
        "legend": causes.legend + left_out,
        "runs": [(run.run, causes.parts_of(run)) for run in found],
    }


_FACTS: dict[str, Callable[[Audit], str]] = {
    "Queries averaged": lambda audit: f"{audit.averaged:,}",
    "Judged": lambda audit: f"{audit.judged:,}",
    "Answered": lambda audit: f"{audit.answered:,}",
    "Missing": lambda audit: f"{audit.missing:,}",
    "Run-only": lambda audit: f"{audit.run_only:,}",
    "Without relevant documents": lambda audit: f"{audit.without_relevant:,}",
    "Judged documents tied": lambda audit: f"{audit.tied_share:.1%}",
    "Judged@10": lambda audit: f"{audit.judged_at_10:.1%}",
    "Documents": lambda audit: f"{audit.rows:,}",
}
_MEANING = {
    "Missing": "Judged queries that the run does not answer.",
    "Run-only": "Queries of the run without judgments; they are ignored.",
    "Judged documents tied": "Share of the retrieved judged documents whose score is tied.",
    "Judged@10": "Share of the first 10 documents of a query that are judged, mean over queries.",
}
_NAMED = 5


def audit_table(evaluations: Mapping[str, Evaluation]) -> dict[str, Any]:
    """Return facts that all runs share, and a table of the others.

    Returns
    -------
    dict
        ``alike``: pairs of a fact and its value; ``columns``: the other facts, each with what it
        means or None; ``rows``: ``name``, ``cells`` and ``notes`` of each run.
    """
    audits = {name: evaluation.audit for name, evaluation in evaluations.items()}
    values = {fact: [write(audit) for audit in audits.values()] for fact, write in _FACTS.items()}
    alike = {fact: texts[0] for fact, texts in values.items() if len(set(texts)) == 1}
    differ = [fact for fact in values if fact not in alike]
    notes = {name: _notes(evaluation) for name, evaluation in evaluations.items()}
    shared = [
        note
        for note in next(iter(notes.values()), [])
        if len(notes) > 1 and all(note in of_run for of_run in notes.values())
    ]
    return {
        "alike": [*alike.items()],
        "shared": shared,
        "columns": [{"fact": fact, "meaning": _MEANING.get(fact)} for fact in differ],
        "rows": [
            {
                "name": name,
                "cells": [values[fact][at] for fact in differ],
                "notes": [note for note in notes[name] if note not in shared],
            }
            for at, name in enumerate(audits)
        ],
        "has_notes": any(note not in shared for of_run in notes.values() for note in of_run),
    }


def _notes(evaluation: Evaluation) -> list[str]:
    audit = evaluation.audit
    notes = [*audit.extras(), *evaluation.intervals()]
    if audit.missing:
        more = audit.missing - _NAMED
        named = ", ".join(audit.missing_queries[:_NAMED]) + (
            f" and {more:,} more" if more > 0 else ""
        )
        notes.append(f"missing: {named}")
    if audit.run_only:
        more = audit.run_only - len(audit.run_only_examples)
        named = ", ".join(audit.run_only_examples) + (f" and {more:,} more" if more > 0 else "")
        notes.append(f"run-only: {named}")
    return notes
