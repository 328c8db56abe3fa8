"""Measures of a run give what their slow references give, with every list and without each."""

import inspect
import itertools
import random
from typing import Any, get_args

import pytest

import rankmark as rm
from conformance.reference import of_runs
from rankmark.measures import EVERY
from rankmark.measures.of_runs.run_measure import RunMeasure

OF_KNOWN = {"PopularityLift", "GroupRates", "ExpectedExposure"}
"""Those that need more than a catalogue: they are in test_measures_of_lists.py."""
NAMES = {
    {"ItemCoverage": "item_coverage", "UserCoverage": "user_coverage"}.get(
        one.name, one.name.lower()
    ): one
    for one in EVERY
    if isinstance(one, RunMeasure) and one.name not in OF_KNOWN
}
K = 4


def made(seed: int) -> tuple[dict[str, list[str]], list[str]]:
    """Make up lists: short ones, none, and items outside the catalogue."""
    draw = random.Random(seed)
    catalogue = [f"i{number}" for number in range(draw.choice((2, 7, 12)))]
    pool = [*catalogue, "new", "other"]
    sizes = [draw.choice((0, 1, 2, 4, 6)) for _ in range(9)]
    return {
        f"u{user}": draw.sample(pool, min(size, len(pool))) for user, size in enumerate(sizes)
    }, catalogue


def combinations(stem: str) -> list[dict[str, Any]]:
    """Combine all values of all parameters."""
    found = [dict[str, Any]()]
    for name, one in inspect.signature(getattr(of_runs, stem)).parameters.items():
        if one.kind is one.KEYWORD_ONLY:
            words = get_args(one.annotation)
            values = (None, 2) if name == "least" else words or (False, True)
            found = [{**few, name: value} for few, value in itertools.product(found, values)]
    return found


@pytest.mark.parametrize("stem", sorted(NAMES))
@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_the_slow_reference(stem: str, seed: int) -> None:
    lists, catalogue = made(seed)
    slow = getattr(of_runs, stem)
    chosen = combinations(stem)
    measures = [NAMES[stem].with_parameters(k=K, **one) for one in chosen]
    judged = {user: ["i0"] for user in lists}
    ev = rm.evaluate(judged, lists, measures, catalogue=catalogue)
    first = [items[:K] for items in lists.values()]
    for measure, parameters in zip(measures, chosen, strict=True):
        found = ev.left_out[measure]  # type: ignore[index]
        wanted = slow(first, catalogue, **parameters)
        assert found.value == pytest.approx(wanted, abs=1e-12, nan_ok=True), str(measure)
        assert found.value == ev[measure] or wanted != wanted  # noqa: PLR0124
        others = [slow(first[:at] + first[at + 1 :], catalogue, **parameters) for at in range(9)]
        assert found.without == pytest.approx(others, abs=1e-12, nan_ok=True), str(measure)
        low, high = measure.bounds
        assert low - 1e-12 <= wanted <= high or wanted != wanted  # noqa: PLR0124
