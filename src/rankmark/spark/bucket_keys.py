"""Numbers that Spark's hash partitioning sends to a partition each."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_SEED = 42


@lru_cache(maxsize=8)
def bucket_keys(partitions: int) -> tuple[int, ...]:
    """Return a whole number for each partition that Spark sends there: (partitions,).

    Spark takes Murmur3 of a column, modulo the number of partitions. With these numbers, buckets
    are as many as partitions, and no partition gets two. If an engine partitions otherwise, results
    are the same, and partitions less even.
    """
    found = np.full(partitions, -1, dtype=np.int64)
    first, step = 0, max(1024, 4 * partitions)
    while (found < 0).any():
        numbers = np.arange(first, first + step, dtype=np.int64)
        places = _murmur3(numbers.astype(np.uint32)).astype(np.int64) % partitions
        unset = found[places] < 0
        found[places[unset]] = numbers[unset]
        first += step
    return tuple(found.tolist())


def _murmur3(numbers: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Hash 32-bit integers as Spark does: Murmur3 x86 32 of 4 bytes, as signed numbers."""
    with np.errstate(over="ignore"):
        k = numbers * np.uint32(0xCC9E2D51)
        k = (k << np.uint32(15)) | (k >> np.uint32(17))
        k *= np.uint32(0x1B873593)
        h = np.uint32(_SEED) ^ k
        h = (h << np.uint32(13)) | (h >> np.uint32(19))
        h = h * np.uint32(5) + np.uint32(0xE6546B64)
        h ^= np.uint32(4)
        h ^= h >> np.uint32(16)
        h *= np.uint32(0x85EBCA6B)
        h ^= h >> np.uint32(13)
        h *= np.uint32(0xC2B2AE35)
        h ^= h >> np.uint32(16)
    return h.view(np.int32)
