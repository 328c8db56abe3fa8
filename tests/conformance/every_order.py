"""Every order of tied documents, one by one."""

import itertools
from collections.abc import Iterator, Mapping

from conformance.reference.gains import Label
from conformance.reference.ranking import Scored


def every_order(
    judged: Mapping[str, float],
    run: Mapping[str, float],
    *,
    depth: int | None = None,
    judged_only: bool = False,
) -> Iterator[tuple[Scored, list[Label]]]:
    """Give what ``labels_of`` gives, for each order of the documents with equal scores."""
    groups = [
        [doc_id for doc_id in run if run[doc_id] == score]
        for score in sorted(set(run.values()), reverse=True)
    ]
    for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
        kept = [doc_id for order in orders for doc_id in order][:depth]
        if judged_only:
            kept = [doc_id for doc_id in kept if doc_id in judged]
        missed: list[Label] = [judged[doc_id] for doc_id in judged if doc_id not in kept]
        labels = [judged.get(doc_id) for doc_id in kept]
        yield Scored(labels, [run[doc_id] for doc_id in kept]), missed
