"""How often intervals that are looked at after each query miss the mean at any look."""

import numpy as np
from scipy.special import stdtrit

from rankmark.statistics import confidence_sequence
from simulated.populations import Draw

WAYS = (
    "t, looked at once",
    "t, at every look",
    "confidence sequence, at every look",
    "its width divided by that of t",
)
FIRST = 10  # queries before the first look at t: fewer would be wrong more often still


def missing(draw: Draw, n: int, collections: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the share of sequences of n queries, of mean 0, that any interval of 95% misses.

    The last figure is the mean width of confidence sequences after n queries over that of t.
    """
    found = dict.fromkeys(WAYS, 0.0)
    for _ in range(collections):
        differences = draw(rng, (n,)).clip(-1, 1)
        half = _halves(differences)
        outside = np.abs(np.cumsum(differences) / np.arange(1, n + 1))[FIRST - 1 :] > half
        sequence = confidence_sequence(differences)
        found["t, looked at once"] += outside[-1]
        found["t, at every look"] += outside.any()
        missed = (sequence.lows > 0).any() or (sequence.highs < 0).any()
        found["confidence sequence, at every look"] += missed
        found["its width divided by that of t"] += (sequence.high - sequence.low) / (2 * half[-1])
    return {way: total / collections for way, total in found.items()}


def _halves(differences: np.ndarray) -> np.ndarray:
    """Return half the width of the t interval after each query, from the first look on."""
    n = np.arange(1, len(differences) + 1)
    means = np.cumsum(differences) / n
    squares = np.cumsum(differences**2) - n * means**2
    n, squares = n[FIRST - 1 :], np.maximum(squares[FIRST - 1 :], 0.0)
    halves: np.ndarray = stdtrit(n - 1, 0.975) * np.sqrt(squares / (n - 1) / n)
    return halves
