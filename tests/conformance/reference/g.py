"""G: the gain of each document, by how much gain was missed until then."""

import math

from conformance.reference.gains import Gain, Ranking, gain_of


def g(ranking: Ranking, missed: Ranking, *, gain: Gain = "linear") -> float:
    """Walk down the ranking beside an ideal one, whose documents cost 1 at least."""
    judged = [label for label in [*ranking, *missed] if label is not None]
    ideal = sorted((gain_of(label, gain) for label in judged), reverse=True)
    had = could_have_had = total = 0.0
    for place, label in enumerate(ranking):
        earned = gain_of(label, gain)
        best = ideal[place] if place < len(ideal) else 0.0
        had += earned
        could_have_had += max(best, 1.0)
        total += earned / math.log2(2 + could_have_had - had)
    return total / sum(ideal) if sum(ideal) else 0.0
