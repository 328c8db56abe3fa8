"""The audit of several runs side by side; facts that all runs share are listed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankmark.verbs.evaluate.audit import Audit
    from rankmark.verbs.evaluate.evaluation import Evaluation

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
