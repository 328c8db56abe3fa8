"""How often a family of tests rejects any pair of systems that are alike."""

from functools import cache
from itertools import combinations

import numpy as np

from rankmark.statistics import adjust, anova, max_t, randomise_pairs, randomised_tukey
from rankmark.statistics.multiple_comparisons import Correction
from simulated.populations import Draw, systems

CORRECTIONS = (
    "none",
    "Bonferroni",
    "Holm",
    "Hochberg",
    "BH",
    "BY",
    "max-T, single step",
    "max-T, step down",
    "randomised Tukey",
    "Tukey",
)
BY_P: dict[str, Correction] = {
    "Bonferroni": "bonferroni",
    "Holm": "holm",
    "Hochberg": "hochberg",
    "BH": "bh",
    "BY": "by",
}
SYSTEMS = 5
LEVEL = 0.05


def any_rejected(
    draw: Draw,
    n: int,
    collections: int,
    resamples: int,
    rng: np.random.Generator,
    better: float = 0.0,
) -> dict[str, float]:
    """Return the share of collections in which a pair that is alike is told apart at 0.05.

    ``better`` is added to the last system, so that the others alone are alike.
    """
    found = dict.fromkeys(CORRECTIONS, 0.0)
    alike = [
        at
        for at, (_, second) in enumerate(combinations(range(SYSTEMS), 2))
        if not better or second != SYSTEMS - 1
    ]
    step = min(collections, 100)  # at once: these share their signs, so they are few
    for first in range(0, collections, step):
        size = min(step, collections - first)
        scores = np.stack([systems(rng, n, SYSTEMS, draw) for _ in range(size)], axis=2)
        scores[:, -1] += better
        seed = int(rng.integers(2**32))
        tests = randomise_pairs(scores, resamples=resamples, seed=seed)
        p = np.array([[one.p for one in row] for row in tests])
        corrected = {"none": p} | {
            name: np.column_stack([adjust(column, correction).adjusted for column in p.T])
            for name, correction in BY_P.items()
        }
        for steps in ("single step", "step down"):
            corrected[f"max-T, {steps}"] = max_t(
                scores, steps=steps, resamples=resamples, seed=seed
            ).adjusted
        corrected["randomised Tukey"] = randomised_tukey(
            scores, resamples=resamples, seed=seed
        ).adjusted
        for name, adjusted in corrected.items():
            found[name] += float(np.sum((adjusted[alike] <= LEVEL).any(axis=0)))
        found["Tukey"] += sum(_tukey_rejects(one, alike) for one in np.moveaxis(scores, 2, 0))
    return {name: count / collections for name, count in found.items()}


def _tukey_rejects(scores: np.ndarray, pairs: list[int]) -> bool:
    """Say whether Tukey's p is at most 0.05 for any of these pairs: one critical value for all."""
    found = anova(scores)
    if found.undefined:
        return False
    means = scores.mean(axis=0)
    differences = [means[b] - means[a] for a, b in combinations(range(SYSTEMS), 2)]
    error = (found.residual / found.df_residual / len(scores)) ** 0.5
    return bool(
        max(abs(differences[at]) for at in pairs) >= critical_range(found.df_residual) * error
    )


@cache
def critical_range(degrees: int) -> float:
    """Return the studentized range that 5% of families without differences exceed."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - LEVEL, SYSTEMS, degrees))
