"""Coefficients of agreement in plain Python, pair by pair, as the papers write them."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import comb, nan, sqrt

Labels = list[float]
Pairs = list[tuple[float, float]]


def weight(kind: str, scale: Labels, a: float, b: float) -> float:
    """How much of an agreement two labels are."""
    if kind == "identity":
        return float(a == b)
    if kind == "ordinal":
        steps = abs(scale.index(a) - scale.index(b))
        return 1 - comb(steps + 1, 2) / comb(len(scale), 2)
    share = abs(a - b) / (scale[-1] - scale[0])
    return 1 - (share if kind == "linear" else share**2)


def coefficient(name: str, kind: str, pairs: Pairs, scale: Labels) -> float:
    """Cohen's kappa, Scott's pi, Gwet's AC and Brennan-Prediger, with weights."""
    n, k = len(pairs), len(scale)
    observed = sum(weight(kind, scale, a, b) for a, b in pairs) / n
    of_a, of_b = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    mean = {label: (of_a[label] + of_b[label]) / (2 * n) for label in scale}
    cells = [(one, other) for one in scale for other in scale]
    if name == "kappa":
        chance = sum(weight(kind, scale, a, b) * of_a[a] / n * of_b[b] / n for a, b in cells)
    elif name == "pi":
        chance = sum(weight(kind, scale, a, b) * mean[a] * mean[b] for a, b in cells)
    elif name == "bp":
        chance = sum(weight(kind, scale, a, b) for a, b in cells) / k**2
    else:
        total = sum(weight(kind, scale, a, b) for a, b in cells)
        chance = total / (k * (k - 1)) * sum(share * (1 - share) for share in mean.values())
    return nan if chance == 1 else (observed - chance) / (1 - chance)


def alpha(units: list[Labels], level: str) -> float:
    """Krippendorff's alpha: disagreement within units over that among all labels."""
    units = [unit for unit in units if len(unit) > 1]
    every = [label for unit in units for label in unit]
    counts, values = Counter(every), sorted(set(every))

    def distance(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        if level == "ratio":
            return ((a - b) / (a + b)) ** 2 if a + b else 0.0
        low, high = sorted((a, b))
        between = sum(counts[value] for value in values if low <= value <= high)
        return (between - (counts[low] + counts[high]) / 2) ** 2 if low != high else 0.0

    n = len(every)
    within = sum(
        sum(distance(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units
    )
    among = sum(distance(a, b) * counts[a] * counts[b] for a in values for b in values) / (n - 1)
    return nan if among == 0 else 1 - within / among


def jackknife(values: list[float]) -> float:
    """The standard error, from the values without each query."""
    n, mean = len(values), sum(values) / len(values)
    return sqrt((n - 1) / n * sum((value - mean) ** 2 for value in values))
