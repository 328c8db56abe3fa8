"""Warn if hardly any query or no document of a run is judged, or a run is empty."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError, listed, warn

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.sources import Qrels, Run, RunFacts

_called: ContextVar[str | None] = ContextVar("_called", default=None)


@contextmanager
def called(name: str | None) -> Iterator[None]:
    """Name one of several runs in errors and warnings, unless it is a file, which has a name."""
    token = _called.set(name)
    try:
        yield
    except InputError as error:
        is_of_run = error.where is None and error.found.startswith(("run ", "the run "))
        is_form = error.where is not None and error.where.startswith("<")
        if name is not None and (is_of_run or is_form):
            error.where = f"run {name!r}"
        raise
    finally:
        _called.reset(token)


def warn_of_mismatch(qrels: Qrels, run: Run, alignment: Alignment, facts: RunFacts) -> None:
    """Warn if few queries match, or none of the retrieved documents is judged."""
    name = _called.get()
    where = run.name if name is None or not run.name.startswith("<") else f"run {name!r}"
    if not facts.rows and not facts.run_only:
        warn(*_empty_run(facts), where=where)
    # The first condition of each is fast, and usually False.
    if facts.run_only and _few_match(facts):
        warn(*_unmatched_queries(qrels, run, facts), where=where)
    no_judged = not len(alignment.rank) and not facts.judged.any()
    if no_judged and facts.rows and qrels.rows and facts.answered.any():
        warn(*_unmatched_documents(qrels, run, facts), where=where)


def _empty_run(facts: RunFacts) -> tuple[str, str]:
    judged = len(facts.answered)
    counted = "the judged query counts" if judged == 1 else f"all {judged:,} judged queries count"
    return (
        f"it holds no documents, so {counted} as if nothing had been retrieved",
        "was it never filled, or read through before?",
    )


def _few_match(facts: RunFacts) -> bool:
    """Return whether less than a tenth of the queries of either side are in both."""
    answered = int(np.count_nonzero(facts.answered))
    return 10 * answered < min(len(facts.answered), answered + facts.run_only)


def _unmatched_queries(qrels: Qrels, run: Run, facts: RunFacts) -> tuple[str, str]:
    from rankmark.sources.prepared.id_mismatch import query_mismatch  # noqa: PLC0415

    answered = int(np.count_nonzero(facts.answered))
    return (
        f"only {answered:,} of its {answered + facts.run_only:,} queries are among the "
        f"{len(facts.answered):,} judged: it has "
        f"{listed(facts.run_only_examples, facts.run_only)} besides, {qrels.name} has "
        f"{listed(qrels.query_ids[:3], len(qrels.query_ids))}",
        query_mismatch(qrels, run),
    )


def _unmatched_documents(qrels: Qrels, run: Run, facts: RunFacts) -> tuple[str, str]:
    from rankmark.sources.prepared.id_mismatch import document_mismatch  # noqa: PLC0415

    run_documents, reason = document_mismatch(qrels, run)
    has = f" it has {listed(run_documents, facts.rows)}," if run_documents else ""
    return (
        f"no document that it holds is judged for its query:{has} {qrels.name} judges "
        f"{listed(qrels.doc_ids[:3], qrels.rows)}",
        reason,
    )
