"""Explanations of a measure of lists: what each item of a list adds to its value."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment.tie_probabilities import queries_of
from rankmark.errors import InputError, MeasureError
from rankmark.measures.of_lists.cost import OfCosts
from rankmark.measures.of_lists.list_measure import ListMeasure
from rankmark.measures.thresholds import takes_rel
from rankmark.results.explanations.explanation import explanation_of
from rankmark.results.explanations.ranked_documents import Document

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.results.explanations.explanation import Explanation
    from rankmark.scoring.kept_data import KeptData


def explained_list(kept: KeptData, query: str, measure: Measure) -> Explanation:
    """Explain the value of one list, of which ``kept`` has the items and what is known of them.

    Raises
    ------
    MeasureError
        If the value is no sum over items.
    InputError
        If the query is not judged or has no list, or tied items have no order.
    """
    assert isinstance(measure, ListMeasure)  # noqa: S101
    is_cost = isinstance(measure, OfCosts)
    why = f"{measure} adds up what documents cost, as it was given" if is_cost else ""
    if measure.no_terms:
        why = f"{measure} is no sum over items: {measure.no_terms}, and no item has a part of it"
    if why:
        raise MeasureError(why, "take its values from evaluate, as in ev.per_query")
    whole = kept.alignment
    if query not in whole.queries:
        raise InputError(f"query {query!r} is not judged", "choose one that is")
    if kept.conventions.unordered is not None and whole.tie_first is not None:
        raise InputError(
            f'ties="{kept.conventions.ties}" leaves tied items without an order',
            'choose one, such as ties="docid"',
        )
    row = whole.queries.index(query)
    a = queries_of(whole, row, row + 1)
    lists, facts = measure.listed(a)
    if not len(lists.items):
        raise InputError(f"query {query!r} has no list", "choose one that has")
    labels = facts.labels[lists.row] if facts.has_labels else np.full(len(lists.row), np.nan)
    columns = lists.items.tolist(), labels.tolist(), lists.rank.tolist()
    documents = [
        Document(facts.item_ids[item], label, label, rank)
        for item, number, rank in zip(*columns, strict=True)
        for label in [None if math.isnan(number) else number]
    ]
    found = explanation_of(
        measure,
        query,
        a,
        documents,
        notes=measure.notes(lists, facts),
        settings=kept.conventions.to_dict(),
    )
    return found if takes_rel(measure) else replace(found, counts={})
