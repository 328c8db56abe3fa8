"""How often each test of two systems rejects though the mean difference is 0."""

import numpy as np

from rankmark.statistics import (
    PairedTest,
    bootstrap_tests,
    randomisation_tests,
    sign_test,
    t_test,
    wilcoxon_test,
)
from simulated.populations import Draw

TESTS = ("randomisation", "t", "bootstrap", "Wilcoxon", "sign")
LEVEL = 0.05


def rejections(
    draw: Draw, n: int, collections: int, resamples: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return the share of collections in which each test rejects at 0.05."""
    found = dict.fromkeys(TESTS, 0)
    # As many collections at once as a few hundred MB hold.
    step = max(1, min(collections, 2_000_000 // n))
    for first in range(0, collections, step):
        differences = draw(rng, (n, min(step, collections - first)))
        zeros = np.zeros(n)
        columns = list(differences.T)
        seed = int(rng.integers(2**32))
        results: dict[str, tuple[PairedTest, ...]] = {
            "randomisation": randomisation_tests(differences, resamples=resamples, seed=seed),
            "t": tuple(t_test(zeros, one) for one in columns),
            "bootstrap": bootstrap_tests(differences, resamples=resamples, seed=seed),
            "Wilcoxon": tuple(wilcoxon_test(zeros, one) for one in columns),
            "sign": tuple(sign_test(zeros, one) for one in columns),
        }
        for test, tests in results.items():
            found[test] += sum(one.p <= LEVEL for one in tests)  # an undefined one does not
    return {test: count / collections for test, count in found.items()}
