"""Labelings: what the unjudged documents of one ranking may be judged, all ways or some of them."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.array_types import Ints

ALL = 256
"""Where there are no more labelings than this, every one is tried."""
IN_ORDER = 1 << 14
"""Else all in which labels only rise, or only fall, if their lists are no longer than this."""
FEW = 16
"""So many times fewer where the value of each labeling is one over all orders of ties."""
_EACH = 8  # one document more each time up to here, then a half or a third


def are_few(documents: int, labels: int, *, times: int = 1) -> bool:
    """Say whether ``tried`` gives labelings of so many documents; ``times`` makes fewer of many."""
    orders = math.comb(documents + labels - 1, labels - 1)
    return _all(documents, labels, times) or orders * documents * times <= IN_ORDER


@lru_cache(maxsize=256)
def tried(documents: int, labels: int, *, times: int = 1) -> Ints:
    """Give labelings of documents in rank order: (n, documents) int64, numbers of labels.

    Every one where these are few; else those in which the numbers only rise, or only fall.
    """
    if _all(documents, labels, times):
        listed = list(itertools.product(range(labels), repeat=documents))
    else:
        rising = list(itertools.combinations_with_replacement(range(labels), documents))
        listed = list(dict.fromkeys(rising + [one[::-1] for one in rising]))
    return np.array(listed, dtype=np.int64).reshape(len(listed), documents)


def alike(documents: int, labels: int) -> Ints:
    """Give the labelings in which all documents have one label: (labels, documents) int64."""
    return np.repeat(np.arange(labels), documents).reshape(labels, documents)


def steps(most: int) -> list[int]:
    """Give how many documents are labelled in one way, and the rest in another, to begin with."""
    powers = [2**power for power in range(3, most.bit_length())]
    more = [step for power in powers for step in (power, power * 3 // 2)]
    return sorted({step for step in (*range(_EACH + 1), *more, most) if step <= most})


def moved(changes: Ints, documents: Ints, step: int) -> Iterator[Ints]:
    """Yield labelings near some in order: one change of label, up or down by so many documents.

    ``changes`` (m, labels - 1) says after how many of its ``documents`` (m,) each labeling goes on
    to the next label.
    """
    for column in range(changes.shape[1]):
        for by in (-step, step):
            near = changes.copy()
            near[:, column] = np.clip(near[:, column] + by, 0, documents)
            here = near[:, column : column + 1]
            # A change that is passed is taken along.
            near[:, :column] = np.minimum(near[:, :column], here)
            near[:, column + 1 :] = np.maximum(near[:, column + 1 :], here)
            yield near


def _all(documents: int, labels: int, times: int) -> bool:
    return documents * math.log2(labels) <= math.log2(ALL // times)
