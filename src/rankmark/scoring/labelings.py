"""Labelings of the unjudged documents of one ranking: all, or those most likely to be extreme."""

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
"""Up to this number of labelings, all are tried."""
IN_ORDER = 1 << 14
"""Otherwise, all in which labels only rise or only fall, if they have at most so many labels."""
FEW = 16
"""The factor by which these limits are lower if each value is a mean over orders of ties."""
_EACH = 8  # steps grow by 1 up to here, then by a half or a third


def are_few(documents: int, labels: int, *, times: int = 1) -> bool:
    """Return True if ``tried`` can list these labelings; ``times`` lowers the limits."""
    orders = math.comb(documents + labels - 1, labels - 1)
    return _all(documents, labels, times) or orders * documents * times <= IN_ORDER


@lru_cache(maxsize=256)
def tried(documents: int, labels: int, *, times: int = 1) -> Ints:
    """Return labelings of documents in rank order: (n, documents) int64, numbers of labels.

    All if these are few; otherwise, those in which the numbers only rise or only fall.
    """
    if _all(documents, labels, times):
        listed = list(itertools.product(range(labels), repeat=documents))
    else:
        rising = list(itertools.combinations_with_replacement(range(labels), documents))
        listed = list(dict.fromkeys(rising + [labeling[::-1] for labeling in rising]))
    return np.array(listed, dtype=np.int64).reshape(len(listed), documents)


def alike(documents: int, labels: int) -> Ints:
    """Return the labelings in which all documents have the same label: (labels, documents)."""
    return np.repeat(np.arange(labels), documents).reshape(labels, documents)


def steps(most: int) -> list[int]:
    """Return the numbers of documents after which a first labeling changes its label."""
    powers = [2**power for power in range(3, most.bit_length())]
    more = [step for power in powers for step in (power, power * 3 // 2)]
    return sorted({step for step in (*range(_EACH + 1), *more, most) if step <= most})


def moved(changes: Ints, documents: Ints, step: int) -> Iterator[Ints]:
    """Yield labelings near sorted ones: one change of label moved by ``step`` documents.

    ``changes`` (m, labels - 1) are the numbers of documents after which each labeling, of
    ``documents`` (m,), changes to the next label.
    """
    for column in range(changes.shape[1]):
        for by in (-step, step):
            near = changes.copy()
            near[:, column] = np.clip(near[:, column] + by, 0, documents)
            here = near[:, column : column + 1]
            # Changes that would be overtaken move along.
            near[:, :column] = np.minimum(near[:, :column], here)
            near[:, column + 1 :] = np.maximum(near[:, column + 1 :], here)
            yield near


def _all(documents: int, labels: int, times: int) -> bool:
    return documents * math.log2(labels) <= math.log2(ALL // times)
