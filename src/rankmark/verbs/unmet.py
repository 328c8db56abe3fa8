"""Warnings where judgments and a run hardly meet, or a run holds nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import listed, warn

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.sources import Qrels, Run, RunFacts


def warn_of_strangers(qrels: Qrels, run: Run, alignment: Alignment, facts: RunFacts) -> None:
    """Warn where few queries meet, or queries meet and yet no document retrieved is judged."""
    if not facts.rows and not facts.run_only:
        warn(_of_nothing(run, facts))
    # The first question of each is quick, and answers nearly always.
    if facts.run_only and _few_meet(facts):
        warn(_of_queries(qrels, run, facts))
    strange = not len(alignment.rank) and not facts.judged.any()
    if strange and facts.rows and qrels.rows and facts.answered.any():
        warn(_of_documents(qrels, run, facts))


def _of_nothing(run: Run, facts: RunFacts) -> str:
    judged = len(facts.answered)
    counted = "the judged query counts" if judged == 1 else f"all {judged:,} judged queries count"
    return (
        f"{run.name}: it holds no documents, so {counted} as if nothing had been retrieved; was it "
        "never filled, or read through before?"
    )


def _few_meet(facts: RunFacts) -> bool:
    """Say whether less than a tenth of the judged queries and of the run's are in both."""
    answered = int(np.count_nonzero(facts.answered))
    return 10 * answered < min(len(facts.answered), answered + facts.run_only)


def _of_queries(qrels: Qrels, run: Run, facts: RunFacts) -> str:
    from rankmark.sources.prepared.id_mismatch import queries_apart  # noqa: PLC0415  (only where they part)

    answered = int(np.count_nonzero(facts.answered))
    return (
        f"{run.name}: only {answered:,} of its {answered + facts.run_only:,} queries are among the "
        f"{len(facts.answered):,} judged: it has "
        f"{listed(facts.run_only_examples, facts.run_only)} besides, {qrels.name} has "
        f"{listed(qrels.query_ids[:3], len(qrels.query_ids))}"
        f"{queries_apart(qrels, run)}"
    )


def _of_documents(qrels: Qrels, run: Run, facts: RunFacts) -> str:
    from rankmark.sources.prepared.id_mismatch import documents_apart  # noqa: PLC0415  (only where they part)

    theirs, reason = documents_apart(qrels, run)
    has = f" it has {listed(theirs, facts.rows)}," if theirs else ""
    return (
        f"{run.name}: no document that it holds is judged for its query:{has} {qrels.name} judges "
        f"{listed(qrels.doc_ids[:3], qrels.rows)}{reason}"
    )
