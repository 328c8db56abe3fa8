"""Judgments in which documents have weights, as weighted measures see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.errors import InputError, MeasureError, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.measures import Measure


def refuse_unused(reading: Reading, measures: Sequence[Measure]) -> None:
    """Refuse weights that no measure uses."""
    named = {**(reading.columns or {}), **(reading.qrels_columns or {})}
    is_given = reading.document_weights is not None or "weight" in named
    if is_given and not any(one.weighted for one in measures):
        raise InputError(
            "weights of documents are given, and none of these measures is weighted: "
            f"{listed([*map(str, measures)])}",
            "ask for weighted measures, such as nDCG(weighted=True)@10",
        )


def weighted_judgments(qrels: Qrels, measure: Measure) -> Qrels:
    """Return judgments whose labels are the gains of a weighted measure, times the weights.

    Those of any other measure are as they are.

    Raises
    ------
    MeasureError
        If there are no weights.
    """
    if not measure.weighted:
        return qrels
    weights = qrels.source.document_weights
    if weights is None:
        raise MeasureError(
            "it needs weights of documents, and the judgments have none",
            "give document_weights, or name their column, as in qrels_columns={'weight': 'price'}",
            where=str(measure),
        )
    of_judged = weights.of_judged(qrels.query_ids, qrels.starts, qrels.doc_ids)
    return qrels.with_labels(measure.gains_to_weigh(qrels.labels) * of_judged)
