"""The pairs that two judges label most differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.preparing.paired_inputs import documents_of
from rankmark.judges.agreement.pair_agreement import WorstPair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankmark.array_types import Ints
    from rankmark.data.preparing.paired_inputs import PairedJudgments
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.judges.agreement.scale import Scale

_MOST = 1000


def worst_pairs(
    judges: Sequence[Qrels],
    paired: PairedJudgments,
    codes: NDArray[np.int8],
    scale: Scale,
    which: tuple[int, int],
) -> list[WorstPair]:
    """Return the pairs with the greatest differences, at most a thousand."""
    first, second = codes[which[0]], codes[which[1]]
    pairs = _most_apart(first, second, scale)
    labels = scale.labels
    documents = documents_of(judges, paired, pairs)
    found = []
    for pair, document in zip(pairs.tolist(), documents, strict=True):
        one, other = labels[first[pair]].item(), labels[second[pair]].item()
        query = paired.query_ids[paired.query[pair]]
        step = max(other, 0.0) - max(one, 0.0)
        found.append(WorstPair(query, document, one, other, step))
    return found


def _most_apart(first: NDArray[np.int8], second: NDArray[np.int8], scale: Scale) -> Ints:
    """Return the numbers of the pairs with the greatest differences, in order."""
    values = scale.clamped
    step = np.abs(values[:, None] - values)
    # As few different differences as there are labels; each pair has the number of its own.
    sizes, number = np.unique(step, return_inverse=True)
    table = np.zeros((len(values) + 1, len(values) + 1), dtype=np.int16)
    table[:-1, :-1] = number.reshape(step.shape)  # the last row and column, -1, are for no label
    apart = table[first, second]
    counts = np.bincount(apart, minlength=len(sizes))
    found: list[Ints] = []
    held = 0
    for size in range(len(sizes) - 1, 0, -1):
        if not counts[size] or held >= _MOST:
            continue
        rows = np.flatnonzero(apart == size)[: _MOST - held]
        found.append(rows)
        held += len(rows)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)
