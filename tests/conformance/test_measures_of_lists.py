"""Measures of lists give what their slow references give, list by list."""

import inspect
import itertools
import math
import random
from typing import Any, get_args

import pytest

import rankmark as rm
from conformance.reference import of_lists
from conformance.reference.of_lists import Known
from rankmark.measures import EVERY

LISTED = {one.name.lower(): one for one in EVERY if one.depends_on == "lists"}
NAMES = {
    stem: LISTED[stem.replace("_", "")]
    for stem in vars(of_lists)
    if stem.replace("_", "") in LISTED
}
"""The measures, by the names of their references."""
CHOICES: dict[str, tuple[Any, ...]] = {
    "k": (None, 3),
    "weights": ("equal", "log2", "rank", 0.85, 2.0),
    "cut": (0.8, 0.35, 2.0),
    "smoothing": (0.0, 1e-6),
    "alpha": (0.01, 0.5),
    "group": (None, "A"),
    "target": ("catalogue", "equal", "list", {"A": 0.7, "B": 0.3}),
    "step": (2, 3),
    "recall": (0.25, 0.8, 1.0),
    "rnd.group": ("A", "B"),
    "expected_exposure.target": ("all", "relevant"),
}
OF_CATEGORIES = {"ild", "category_coverage", "category_entropy", "serendipity", "miscalibration"}
OF_GROUPS = {"group_exposure", "awrf", "skew", "ndkl", "rnd"}
OF_COSTS = {"cost", "cost_until"}


def made() -> tuple[dict[str, list[str]], Known]:
    """Make up lists: short ones, none, cold items, items and users of which nothing is known."""
    draw = random.Random(50)
    catalogue = [f"i{number:02}" for number in range(14)]
    popular = [item for at, item in enumerate(catalogue[:11]) for _ in range(11 - at)]
    users = [f"u{number}" for number in range(12)]
    history = {user: sorted({draw.choice(popular) for _ in range(5)}) for user in users[:10]}
    history |= {"elsewhere": ["i00", "i12"]}
    lists = {user: draw.sample([*catalogue, "new"], draw.choice((1, 2, 6, 6))) for user in users}
    lists["u3"], lists["u4"] = ["i13"], []
    relevant = {user: draw.sample(catalogue, 4) for user in users}
    categories = {item: draw.sample("WXYZ", draw.choice((1, 1, 2, 3))) for item in catalogue[:13]}
    vectors = {item: [float(draw.randint(0, 2)) for _ in range(4)] for item in catalogue[1:]}
    vectors["i05"] = [0.0] * 4
    groups = {item: {draw.choice("AB"): 1.0} for item in catalogue[:13]}
    groups["i02"] = {"A": 0.25, "B": 0.75}
    tokens = {item: float(draw.randint(0, 90)) for item in [*catalogue, "new"]}
    return lists, Known(history, catalogue, relevant, categories, vectors, groups, tokens)


LISTS, KNOWN = made()


def combinations(stem: str) -> list[dict[str, Any]]:
    """Vary one or two parameters at a time."""
    signature = inspect.signature(getattr(of_lists, stem))
    tried: dict[str, tuple[Any, ...]] = {}
    for name, one in signature.parameters.items():
        if one.kind is one.KEYWORD_ONLY and (name != "of" or stem in {"miuf", "epc"}):
            known = (
                CHOICES.get(f"{stem}.{name}")
                or CHOICES.get(name)
                or get_args(one.annotation)
                or (False, True)
            )
            tried[name] = tuple(value for value in known if value != one.default)
    found = [{}]
    for some in (1, 2):
        for names in itertools.combinations(tried, some):
            for values in itertools.product(*(tried[name] for name in names)):
                found += [dict(zip(names, values, strict=True))]
    return found


def agree(stem: str, chosen: list[dict[str, Any]], items: Any, **own: Any) -> None:
    """Compare the values of each list."""
    needed = {"group": "A", "step": 2} if stem == "rnd" else {}
    measures = [NAMES[stem].with_parameters(**needed | one) for one in chosen]
    ev = rm.evaluate(
        KNOWN.relevant,
        LISTS,
        measures,
        history=KNOWN.history,
        catalogue=KNOWN.catalogue,
        items=items,
        groups=KNOWN.groups if stem in OF_GROUPS else None,
        document_costs=KNOWN.tokens if stem in OF_COSTS else None,
    )
    for measure, parameters in zip(measures, chosen, strict=True):
        slow = {
            user: getattr(of_lists, stem)(user, items, KNOWN, **parameters, **own)
            for user, items in LISTS.items()
        }
        wanted = {user: value for user, value in slow.items() if not math.isnan(value)}
        found = dict(ev.per_query(str(measure)))
        assert found == pytest.approx(wanted, rel=1e-10, abs=1e-12), str(measure)
        low, high = measure.bounds
        assert all(low <= value <= high + 1e-12 for value in found.values()), str(measure)


@pytest.mark.parametrize("stem", sorted(NAMES))
def test_values_are_those_of_the_slow_reference(stem: str) -> None:
    items = KNOWN.categories if stem in OF_CATEGORIES else None
    agree(stem, combinations(stem), items)


@pytest.mark.parametrize("distance", ["cosine", "jaccard", "hamming", "euclidean"])
def test_distances_of_vectors_are_those_of_the_slow_reference(distance: str) -> None:
    chosen = [{"distance": distance, **one} for one in ({}, {"k": 3}, {"weights": "log2"})]
    agree("ild", chosen, KNOWN.vectors, of="vectors")


def test_every_measure_of_lists_has_a_slow_reference() -> None:
    assert {stem.replace("_", "") for stem in NAMES} == {*LISTED}


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize("stem", ["popularity_lift", "group_rates", "expected_exposure"])
def test_measures_of_a_run_are_those_of_the_slow_reference(stem: str, k: int | None) -> None:
    slow, chosen = getattr(of_lists, stem), combinations(stem)
    kind = next(one for one in EVERY if one.name.lower() == stem.replace("_", ""))
    measures = [kind.with_parameters(k=k, **one) for one in chosen]
    given: dict[str, Any] = {"history": KNOWN.history, "catalogue": KNOWN.catalogue}
    if stem != "popularity_lift":
        given["groups"] = KNOWN.groups
    if stem == "expected_exposure":
        del given["history"]
    ev = rm.evaluate(KNOWN.relevant, LISTS, measures, **given)
    run = {user: items[:k] for user, items in LISTS.items()}
    for measure, parameters in zip(measures, chosen, strict=True):
        found = ev.left_out[measure]  # type: ignore[index]
        assert found.value == pytest.approx(slow(run, KNOWN, **parameters), abs=1e-12), measure
        others = [
            slow({user: items for user, items in run.items() if user != out}, KNOWN, **parameters)
            for out in run
        ]
        assert found.without == pytest.approx(others, abs=1e-12), str(measure)
