"""Random signs, samples and permutations, drawn in blocks that do not depend on one another.

Block b of a seed comes from a counter-based generator whose counter begins at b, so blocks can be
drawn in any order and by any number of threads. What is added up are whole numbers small enough
for doubles to hold every sum exactly, so the order of additions, which BLAS chooses by the number
of its threads, cannot change a bit either.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankmark.arguments import whole
from rankmark.array_types import Bools, Floats, Ints
from rankmark.work_progress import steps

BLOCK = 1024  # permutations that one stream of random numbers serves, and samples at most
_BLOCK_BITS, _MOST_BLOCK_BITS = 12, 14  # of the numbers of arrangements that are tried at once
_FACTOR_BITS = 4  # of the matrices that a transform is made of
_COLUMNS = 16  # that are transformed at once, so that they stay in the cache
_SAMPLE_CELLS = 2**20  # draws of queries that are in memory at once

_SIGNS, _SAMPLES, _PERMUTATIONS, _CHOICES, _WEIGHTS = range(5)

T = TypeVar("T")


class FixedPoint(NamedTuple):
    """Numbers as whole multiples of a unit: ``values * unit`` is what they were.

    Attributes
    ----------
    values
        (n, ...) float64, whole numbers; the sum of any of them is exact.
    unit
        float64, broadcast against a row of values: powers of two.
    """

    values: Floats
    unit: Floats

    @property
    def slack(self) -> float:
        """Bound how far, in units, rounding can part two sums of n that are equal in truth.

        A number is off by half a unit at most, a difference of two by one, a sum of n differences
        by n, and two such sums are compared.
        """
        return 2.0 * len(self.values)


def fixed_point(values: Floats, rounding: Floats | float) -> FixedPoint:
    """Write numbers as multiples of a unit, one for each column of the last axis.

    The unit is as small as exact sums of n numbers allow, and no smaller than the numbers are
    exact themselves, as ``rounding`` says (of scores of size 1, about 1e-12).
    """
    n = max(len(values), 1)
    bits = 51 - math.ceil(math.log2(n))
    axes = tuple(range(values.ndim - 1))
    most = np.maximum(np.abs(values).max(axis=axes, initial=0.0), np.finfo(float).tiny * 2.0**60)
    finest = np.maximum(np.log2(most) - bits, np.log2(np.maximum(rounding, 1e-300)) - 9)
    unit: Floats = 2.0 ** np.ceil(finest)
    return FixedPoint(np.rint(values / unit), unit)


class Signs(NamedTuple):
    """Signs of n queries in as many arrangements as there are, or as were asked for.

    The arrangements are numbered by k bits. Each query has a word of k bits too, and its sign in an
    arrangement is negative where the two have an odd number of bits in common. With the words drawn
    at random, the signs of any two arrangements are independent of each other, so that shares of
    arrangements are estimated as well as if all were. Together the arrangements form a group [1]_,
    of which as many as asked for are drawn; and sums in all of them come from a fast
    Walsh-Hadamard transform, in place of a product of every sign and every value.

    Attributes
    ----------
    n
        How many queries have a sign.
    arrangements
        How many arrangements there are: all 2^n, or a number of random ones, each of them another
        and none that changes no sign.
    seed
        Of the random ones; None where all are tried.

    References
    ----------
    .. [1] Chung and Fraser 1958, Randomization tests for a multivariate two-sample problem, Journal
       of the American Statistical Association 53(283), pages 729-735.
    """

    n: int
    arrangements: int
    seed: int | None

    @classmethod
    def of(cls, n: int, resamples: int, seed: int) -> Signs:
        """Return all arrangements if they are no more than the resamples, else random ones."""
        return cls(n, 2**n, None) if 2.0**n <= resamples else cls(n, resamples, seed)

    @property
    def blocks(self) -> range:
        """Number the blocks."""
        return range(1 << (self._bits - self._low_bits))

    def sums(self, block: int, values: Floats, *, zeros: int = 0) -> Floats:
        """Add up values with the signs of a block: (n, columns) to (columns, arrangements).

        As many rows of zeros as asked for come first.
        """
        words, low = self._words(), self._low_bits
        signs = np.where(_odd((words >> np.uint64(low)) & np.uint64(block)), -1.0, 1.0)
        places = (words & np.uint64((1 << low) - 1)).astype(np.int64)
        chosen = np.arange(1 << low) if self.seed is None else self._chosen(block)
        found = np.empty((zeros + values.shape[1], len(chosen)))
        found[:zeros] = 0
        for at in range(0, values.shape[1], _COLUMNS):
            signed = np.multiply(values[:, at : at + _COLUMNS].T, signs, order="C")
            table = np.empty((len(signed), 1 << low))
            for column, sums in zip(signed, table, strict=True):
                sums[:] = np.bincount(places, weights=column, minlength=1 << low)
            part = found[zeros + at : zeros + at + len(signed)]
            # Without a mode, NumPy would take into a copy of the output first.
            np.take(_walsh_hadamard(table), chosen, axis=1, out=part, mode="clip")
        return found

    @property
    def _bits(self) -> int:
        return self.n if self.seed is None else self.arrangements.bit_length()

    @property
    def _low_bits(self) -> int:
        # Larger blocks take more memory; smaller ones visit all queries for few arrangements each.
        return min(self._bits, max(_BLOCK_BITS, min(self.n.bit_length(), _MOST_BLOCK_BITS)))

    def _words(self) -> NDArray[np.uint64]:
        if self.seed is None:
            return np.uint64(1) << np.arange(self.n, dtype=np.uint64)
        words = _stream(self.seed, 0, _SIGNS).random_raw(self.n)
        return words & np.uint64((1 << self._bits) - 1)

    def _chosen(self, block: int) -> Ints:
        """Choose arrangements of a block, the first of all never, all others equally likely."""
        size = 1 << self._low_bits
        sizes = np.full(len(self.blocks), size)
        sizes[0] -= 1
        generator = np.random.Generator(_stream(self.seed or 0, 0, _CHOICES))
        counts = generator.multivariate_hypergeometric(sizes, self.arrangements)
        generator = np.random.Generator(_stream(self.seed or 0, block + 1, _CHOICES))
        chosen = generator.choice(sizes[block], counts[block], replace=False, shuffle=False)
        return np.sort(chosen) + (block == 0)

    def p(self, at_least: Floats) -> Floats:
        """Turn numbers of arrangements at least as extreme into p-values.

        Random arrangements are counted together with the one observed, which makes p exact as it
        is [1]_; among all arrangements it is one already.

        References
        ----------
        .. [1] Phipson and Smyth 2010, Permutation p-values should never be zero.
        """
        found: Floats = at_least / self.arrangements
        return found if self.seed is None else (at_least + 1) / (self.arrangements + 1)

    def fewer_than(self, level: float) -> int:
        """Return the least number of arrangements as extreme for which p is above a level."""
        if self.seed is None:
            return int(level * self.arrangements) + 1
        return fewer_than(level, self.arrangements)


def fewer_than(level: float, resamples: int) -> int:
    """Return the least number of resamples as extreme for which (number + 1) / (all + 1) is above.

    A p-value from random draws counts the sample as one of them.
    """
    found = int(level * (resamples + 1))
    return found + (
        (found + 1) / (resamples + 1) <= level
    )  # the product may have been rounded down


def sample_blocks(n: int, resamples: int) -> list[int]:
    """Return how many samples of n queries each block holds; it depends on these numbers only."""
    size = max(1, min(BLOCK, _SAMPLE_CELLS // max(n, 1)))
    whole, rest = divmod(resamples, size)
    return [size] * whole + [rest] * (rest > 0)


def sample_counts(n: int, samples: int, block: int, seed: int, drawn: int | None = None) -> Floats:
    """Draw n queries out of n, or another number, with replacement, and count each.

    The counts are (samples, n) float64.
    """
    generator = np.random.Generator(_stream(seed, block, _SAMPLES))
    numbers = generator.integers(0, n, size=(samples, drawn or n))
    numbers += np.arange(samples)[:, None] * n
    counts = np.bincount(numbers.ravel(), minlength=samples * n)
    return counts.reshape(samples, n).astype(np.float64)


def exponential_weights(n: int, samples: int, block: int, seed: int) -> Floats:
    """Draw exponential weights of n queries, as multiples of 2^-16: (samples, n) float64.

    They are whole numbers, so that their products with counts are added up exactly.
    """
    generator = np.random.Generator(_stream(seed, block, _WEIGHTS))
    return np.rint(generator.standard_exponential((samples, n)) * 2.0**16)


def permutation_blocks(resamples: int) -> list[int]:
    """Return how many permutations each block holds."""
    whole, rest = divmod(resamples, BLOCK)
    return [BLOCK] * whole + [rest] * (rest > 0)


def permutations(systems: int, samples: int, block: int, seed: int) -> Iterator[Ints]:
    """Permute the systems' labels without end, once a query: (samples, systems) each."""
    generator = np.random.Generator(_stream(seed, block, _PERMUTATIONS))
    labels = np.tile(np.arange(systems), (samples, 1))
    while True:
        yield generator.permuted(labels, axis=1)


def over_blocks(
    work: Callable[[int], T],
    blocks: range,
    add: Callable[[T, T], T],
    threads: int = 1,
    *,
    what: str = "resampling",
) -> T:
    """Do the work of each block, and add the results up in the order of the blocks.

    ``what`` is the work as progress shows it.
    """
    if whole("threads", threads) == 1 or len(blocks) == 1:
        return _added(steps(what, map(work, blocks), len(blocks)), add)
    pool = ThreadPoolExecutor(threads)
    try:
        begun = _few_ahead(pool, work, blocks, 2 * threads)
        total = _added(steps(what, begun, len(blocks)), add)
    except BaseException:  # Ctrl-C, say: without waiting for blocks that nobody needs
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()  # a process may be forked between calls, and then has no other thread
    return total


def _few_ahead(
    pool: ThreadPoolExecutor, work: Callable[[int], T], blocks: range, ahead: int
) -> Iterator[T]:
    # Results that wait for their turn take memory, so only a few blocks are begun beforehand.
    begun = [pool.submit(work, block) for block in blocks[:ahead]]
    for block in blocks[ahead:]:
        yield begun.pop(0).result()
        begun.append(pool.submit(work, block))
    for future in begun:
        yield future.result()


def _added(results: Iterator[T], add: Callable[[T, T], T]) -> T:
    total = next(results)
    for result in results:
        total = add(total, result)
    return total


def _walsh_hadamard(values: Floats) -> Floats:
    """Add up each row with the signs of all arrangements: (columns, 2^k) to the same shape."""
    columns, size = values.shape
    done = 1
    while done < size:
        width = min(size // done, 1 << _FACTOR_BITS)
        signs = _hadamard(width)
        # A product of small matrices each, as BLAS would keep all processors busy with large ones,
        # which takes longer than one does.
        if done == 1:  # it is symmetric
            values = np.matmul(values.reshape(columns, -1, width), signs)
        else:
            values = np.matmul(signs, values.reshape(-1, width, done))
        done *= width
    return values.reshape(columns, size)


@cache
def _hadamard(size: int) -> Floats:
    numbers = np.arange(size, dtype=np.uint64)
    return np.where(_odd(numbers[:, None] & numbers), -1.0, 1.0)


def _odd(words: NDArray[np.uint64]) -> Bools:
    """Return which words have an odd number of bits that are 1."""
    for width in (32, 16, 8, 4, 2, 1):
        words = words ^ (words >> np.uint64(width))
    return (words & np.uint64(1)).astype(np.bool_)


def _stream(seed: int, block: int, purpose: int) -> np.random.Philox:
    key = np.array([seed, purpose], dtype=np.uint64)
    return np.random.Philox(key=key, counter=np.array([0, 0, 0, block], dtype=np.uint64))
