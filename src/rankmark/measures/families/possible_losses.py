"""The most that a score can fall if one ranking replaces another, whatever the judgments.

Functions take ``moved``, (Q, k) float64: the new rank of the document at each rank of the old
ranking, infinite where the new one lacks it and NaN where the old one is shorter. A document that
the old first k lack cannot add to a loss, so nothing else matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats

    Moved = Floats

EXACT_DEPTH = 12
"""The cutoff to which AP and ERR try all sets of documents; deeper, they are bounded."""
_CELLS = 1 << 22  # of a matrix of sets by queries


def cut(moved: Moved, k: int | None) -> tuple[Floats, Bools]:
    """Return the new ranks, infinite beyond rank k, and where the old ranking has a document."""
    k = moved.shape[1] if k is None else k
    if moved.shape[1] < k:
        empty = np.full((len(moved), k - moved.shape[1]), np.nan)
        moved = np.concatenate([moved, empty], axis=1)
    moved = moved[:, :k]
    there = ~np.isnan(moved)
    ranks: Floats = np.where(there & (moved <= k), moved, np.inf)
    return ranks, there


def dropped(moved: Moved, k: int | None) -> Floats:
    """Return how many of the first k documents the new first k lack: (Q,) float64."""
    ranks, there = cut(moved, k)
    return (there & np.isinf(ranks)).sum(axis=1, dtype=np.float64)


def discount_losses(moved: Moved, weights: Floats) -> Floats:
    """Return what each document's rank loses of its weight, at least 0: (Q, k) float64.

    ``weights``, (k,), are those of the ranks; beyond them, the weight is 0.
    """
    ranks, there = cut(moved, len(weights))
    at = np.where(np.isfinite(ranks), ranks - 1, len(weights)).astype(np.int64)
    return np.where(there, np.maximum(weights - np.append(weights, 0.0)[at], 0.0), 0.0)


def of_ideal_share(moved: Moved, weights: Floats) -> Floats:
    """Return the largest loss of a weighted sum of gains over that of the ideal ranking: (Q,).

    Gains are sums of nested sets of documents that gain 1 each, of which both sums are sums, too,
    so that the share is a mean of those of the sets; for sets of m documents, the largest loss is
    the sum of the m largest losses over that of the first m weights. It is attained.
    """
    most = -np.sort(-discount_losses(moved, weights), axis=1)
    return (np.cumsum(most, axis=1) / np.cumsum(weights)).max(axis=1, initial=0.0)


def of_first(moved: Moved, k: int | None) -> Floats:
    """Return the largest loss of 1 / (rank of the first relevant document): (Q,), attained.

    One relevant document is the worst case.
    """
    ranks, there = cut(moved, k)
    best = 1.0 / np.arange(1, ranks.shape[1] + 1)
    return np.where(there, best - 1.0 / ranks, 0.0).max(axis=1, initial=0.0)


def lost_to_rank(moved: Moved, k: int | None) -> Floats:
    """Return how many of the first t documents the new first t lack, t = 1 to k: (Q, k) float64."""
    ranks, there = cut(moved, k)
    queries, k = ranks.shape
    depth = np.arange(1, k + 1)
    # A document is among both first t from the greater of its two ranks on.
    both = np.where(there & np.isfinite(ranks), np.maximum(depth, ranks), k + 1).astype(np.int64)
    counts = np.zeros((queries, k + 2))
    np.add.at(counts, (np.arange(queries)[:, None], both), 1.0)
    return np.cumsum(there, axis=1) - np.cumsum(counts[:, 1 : k + 1], axis=1)


def of_average_precision(moved: Moved, k: int | None) -> Floats:
    """Return the largest loss of AP divided by all relevant documents, or min(these, k): (Q,).

    To ``EXACT_DEPTH`` it is attained: relevant documents that the old ranking lacks only help the
    new one, so that all sets of the others are tried. Deeper it is a bound: with m relevant
    documents, of which n_t are among the first t, m AP is the sum over t of v_t n_t (n_t + 1) / 2,
    v_t = 1 / (t (t + 1)) and v_k = 1 / k; n_t falls by at most e_t = min(lost to rank t, m, t).
    """
    ranks, there = cut(moved, k)
    k = ranks.shape[1]
    if k == 0:
        return np.zeros(len(ranks))
    if k <= EXACT_DEPTH:
        i, j = np.triu_indices(k)
        later = np.maximum(ranks[:, i], ranks[:, j])
        pairs = np.where(there[:, i] & there[:, j], 1.0 / (j + 1) - 1.0 / later, -1.0)
        chosen = _sets(k)
        shares = chosen[:, i] * chosen[:, j] / chosen.sum(axis=1)[:, None]
        return _best_of_sets(shares, pairs)
    t = np.arange(1.0, k + 1)
    v = 1.0 / (t * (t + 1))
    v[-1] = 1.0 / k
    lost = lost_to_rank(moved, k)
    cells = (np.arange(len(lost))[:, None] * (k + 2) + lost.astype(np.int64)).ravel()

    def where_more(terms: Floats) -> Floats:
        """Add up the terms of ranks to which more than m are lost, m = 1 to k: (Q, k)."""
        sums = np.bincount(cells, terms.ravel(), len(lost) * (k + 2)).astype(np.float64)
        by_lost = sums.reshape(len(lost), k + 2)
        return np.cumsum(by_lost[:, ::-1], axis=1)[:, ::-1][:, 2:]

    def beyond(terms: Floats) -> Floats:
        """Add up the terms of ranks beyond m."""
        return terms.sum(axis=1)[:, None] - np.cumsum(terms, axis=1)

    # To rank m, t may be relevant; beyond it, m, of which all are lost where more than m are.
    square, single = v * lost * (1 - lost) / 2, v * lost
    most = np.cumsum(square + single * t, axis=1)
    most += beyond(square) - where_more(square)
    most += t * (beyond(single) - where_more(single))
    most += t * (t + 1) / 2 * where_more(np.broadcast_to(v, lost.shape))
    return (most / t).max(axis=1).clip(0.0, 1.0)


def of_expected_rank(moved: Moved, k: int | None, satisfied: float) -> Floats:
    """Return the largest loss of ERR: (Q,).

    ``satisfied`` is the probability that the most relevant document satisfies. ERR is linear in
    that of each document, so that to ``EXACT_DEPTH`` all sets of such documents are tried, and one
    of them attains the loss. Deeper it is a bound, which no loss of RR exceeds.
    """
    ranks, there = cut(moved, k)
    k = ranks.shape[1]
    if k == 0:
        return np.zeros(len(ranks))
    if k > EXACT_DEPTH:
        each = np.where(there, 1.0 / np.arange(1, k + 1) - 1.0 / ranks, 0.0)
        found = np.zeros(len(ranks))
        for at in range(k - 1, -1, -1):
            found += satisfied * np.maximum(each[:, at] - found, 0.0)
        return found
    chosen = _sets(k)
    before = (np.cumsum(chosen, axis=1) - chosen).astype(np.int64)
    stops = satisfied * (1.0 - satisfied) ** np.arange(k)
    scores = (chosen * stops[before] / np.arange(1, k + 1)).sum(axis=1)
    by_set = np.append(0.0, scores)  # of every set of ranks, as bits
    bits = np.where(np.isfinite(ranks), 2.0 ** (np.where(np.isfinite(ranks), ranks, 1.0) - 1), 0.0)
    found = np.zeros(len(ranks))
    for rows in _parts(len(ranks), len(chosen)):
        new = by_set[(chosen @ bits[rows].T).astype(np.int64)]
        possible = chosen @ (~there[rows]).T.astype(np.float64) == 0
        found[rows] = np.where(possible, scores[:, None] - new, 0.0).max(axis=0).clip(0.0)
    return found


def _sets(k: int) -> Floats:
    """Return all sets of k ranks but the empty one, by their bits: (2^k - 1, k) of 0 and 1."""
    return ((np.arange(1, 2**k)[:, None] >> np.arange(k)) & 1).astype(np.float64)


def _best_of_sets(shares: Floats, terms: Floats) -> Floats:
    """Return the largest sum of shares of terms, at least 0: (Q,) float64."""
    found = np.zeros(len(terms))
    for rows in _parts(len(terms), len(shares)):
        found[rows] = (shares @ terms[rows].T).max(axis=0).clip(0.0)
    return found


def _parts(queries: int, sets: int) -> list[slice]:
    step = max(_CELLS // sets, 1)
    return [slice(first, first + step) for first in range(0, queries, step)]
