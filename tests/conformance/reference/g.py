"""G: the gain of each document, discounted by the gain missed so far."""

import math

from conformance.reference.gains import Gain, Ranking, gain_of


def g(ranking: Ranking, missed: Ranking, *, gain: Gain = "linear") -> float:
    """Go down the ranking and an ideal one, whose gains count as at least 1."""
    judged = [label for label in [*ranking, *missed] if label is not None]
    ideal = sorted((gain_of(label, gain) for label in judged), reverse=True)
    gained = ideal_gained = total = 0.0
    for place, label in enumerate(ranking):
        earned = gain_of(label, gain)
        best = ideal[place] if place < len(ideal) else 0.0
        gained += earned
        ideal_gained += max(best, 1.0)
        total += earned / math.log2(2 + ideal_gained - gained)
    return total / sum(ideal) if sum(ideal) else 0.0
