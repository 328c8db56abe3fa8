"""Judgments as measures see them that weigh documents, or look at a slice of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.errors import InputError, MeasureError, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.data.preparing.spending import Spending
    from rankmark.measures import Measure

_OF_LABELS = {"documents", "order", "grades", "judged"}


def refuse_unused(reading: Reading, measures: Sequence[Measure]) -> None:
    """Refuse weights, slices and costs that no measure uses."""
    named = {**(reading.columns or {}), **(reading.qrels_columns or {})}
    weights = reading.document_weights is not None or "weight" in named
    slices = reading.document_slices is not None
    costs = reading.document_costs is not None
    for is_given, is_used, what, remedy in (
        (weights, any(one.weighted for one in measures), "weights", "nDCG(weighted=True)@10"),
        (slices, any(one.among for one in measures), "slices", 'R(among="tail")@10'),
        (costs, any(one.costs for one in measures), "costs", "R@tokens(1000)"),
    ):
        if is_given and not is_used:
            raise InputError(
                f"{what} of documents are given, and none of these measures uses them: "
                f"{listed([*map(str, measures)])}",
                f"ask for one that does, such as {remedy}",
            )
    own = {**(reading.columns or {}), **(reading.run_columns or {})}
    names = dict.fromkeys(cost for one in measures for cost in one.costs if cost not in own)
    if costs and len(names) > 1:
        raise InputError(
            f"document_costs is one cost, and the measures name {len(names)}: {', '.join(names)}",
            "give the others as columns of the run",
        )


def rejudged(qrels: Qrels, measure: Measure) -> Qrels:
    """Return judgments as a measure sees them: as they are, unless it ``is_rejudged``.

    Labels are of one slice of documents alone, or gains times weights.

    Raises
    ------
    MeasureError
        If there are no weights, or no slices.
    """
    if not measure.is_rejudged:
        return qrels
    labels = qrels.labels
    if measure.among:
        labels = np.where(_inside(qrels, measure), labels, np.minimum(labels, 0.0))
    if measure.weighted:
        given = qrels.source.document_weights
        if given is None:
            raise MeasureError(
                "it needs weights of documents, and the judgments have none",
                "give document_weights, or name their column, as in "
                "qrels_columns={'weight': 'price'}",
                where=str(measure),
            )
        from rankmark.data.preparing.document_weights import as_weights  # noqa: PLC0415

        found = given.of_judged(qrels.query_ids, qrels.starts, qrels.doc_ids)
        labels = measure.gains_to_weigh(labels) * as_weights(found, qrels.doc_ids)
    return qrels.with_labels(labels)


def spending_of(
    qrels: Qrels,
    run: Run,
    measure: Measure,
    conventions: Conventions,
    name: str,
    reading: Reading = AS_USUAL,
) -> Spending:
    """Return what the documents that a measure looks at cost, in rank order."""
    from rankmark.data.preparing.spending import Spending  # noqa: PLC0415  (few have budgets)

    if measure.judged_only:
        conventions = replace(conventions, judged_only=True)
    try:
        return Spending.of(qrels, run, conventions, name, reading)
    except (InputError, MeasureError) as error:
        error.where = str(measure) if error.where is None else error.where
        raise


def as_measured(
    qrels: Qrels, run: Run, measure: Measure, conventions: Conventions, query: str | None = None
) -> tuple[Qrels, Run, list[str]]:
    """Return judgments and a run as a measure sees them, and notes on this, also on a query."""
    notes = notes_on_data(measure)
    if measure.budget is not None:
        spending = spending_of(qrels, run, measure, conventions, measure.budget.cost)
        run = spending.within(measure.budget)
        if query in spending.queries:
            notes.append(spending.told(query, measure.budget))
    return rejudged(qrels, measure), run, notes


def notes_on_data(measure: Measure) -> list[str]:
    """Say what an explanation shows, if it is not what was given."""
    notes = [f"Documents of other slices than {measure.among!r} are judged not relevant."]
    notes = notes[: measure.among != ""]
    return [*notes, *["Labels are gains, times the weights of documents."][: measure.weighted]]


def _inside(qrels: Qrels, measure: Measure) -> Bools:
    """Return which judged documents are in the slice of a measure: (rows,) bool."""
    slices = qrels.source.document_slices
    if slices is None or measure.depends_on not in _OF_LABELS:
        found = "it needs slices of documents, and the judgments have none"
        remedy = "give document_slices"
        if slices is not None:
            found, remedy = "it does not look at labels alone", "leave among out"
        raise MeasureError(found, remedy, where=str(measure))
    names = [*map(str, slices.of_judged(qrels.query_ids, qrels.starts, qrels.doc_ids))]
    if measure.among not in names:
        raise MeasureError(
            f"no judged document is in the slice {measure.among!r}",
            f"choose from {listed(sorted({*names}))}",
            where=str(measure),
        )
    return np.array([name == measure.among for name in names], dtype=np.bool_)
