"""The table agrees with the measures here, and its formulas can be told apart."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from rankmark.testing import which_convention
from rankmark.verbs.verify_function.call_shapes import Shape
from rankmark.verbs.verify_function.cases import designed, drawn
from rankmark.verbs.verify_function.expectation import Expectation
from rankmark.verbs.verify_function.formula_table import FORMULAS, combined
from rankmark.verbs.verify_function.lookup import Variant, same, usual
from rankmark.verbs.verify_function.lookup import variants as looked_up

GRADED = Shape(("retrieved", "judged", "k"), (None,) * 3)


def variants(changes):
    """Give the variants in which some number of parameters are not usual."""
    reading = {name: usual("P", GRADED).chosen[name] for name in ("order", "cut", "scale")}
    every = [Variant(family, ways | reading) for family in FORMULAS for ways in combined(family)]
    return [one for one in every if len(one.changed) == changes]


@pytest.mark.slow
def test_a_variant_gives_the_number_of_its_measure():
    seen = [GRADED.seen(case) for case in designed()]
    tried = 0
    for variant in [*variants(0), *variants(1), *Random(4).sample(variants(2), 200)]:
        measure = variant.measure()
        if measure is None:
            continue
        tried += 1
        for case, expected in zip(
            seen, Expectation(measure).values(GRADED, designed()), strict=True
        ):
            assert same(variant.value(case), expected), (measure, case)
    assert tried >= 40


@pytest.mark.slow
def test_designed_cases_separate_all_formulas_that_any_case_separates():
    every = [*variants(0), *variants(1)]
    told, others = (
        np.array([[one.value(GRADED.seen(case)) for case in cases] for one in every]).round(7)
        for cases in (designed(), drawn(150, seed=99))
    )
    alike = {row.tobytes(): at for at, row in enumerate(told)}
    for at, row in enumerate(told):
        assert np.allclose(others[at], others[alike[row.tobytes()]]), every[at].words()


@pytest.mark.parametrize("seed", range(8))
def test_a_function_made_of_any_ways_is_named_as_made(seed):
    draw = Random(seed)
    made = draw.choice(variants(draw.choice([0, 1, 1, 2, 2, 3])))

    def function(retrieved, judged, k):
        seen = GRADED.seen(designed()[0])
        labels = tuple(float(judged.get(doc, 0)) for doc in retrieved)
        return made.value(
            seen._replace(ranked=labels, judged=tuple(map(float, judged.values())), k=k)
        )

    told = [(GRADED.seen(case), made.value(GRADED.seen(case))) for case in designed()]
    told = [(seen, value) for seen, value in told if any(label > 0 for label in seen.judged)]
    found = looked_up(GRADED, None, told)
    assert found
    # What is named may be another description that gives the same in all cases.
    for case in drawn(60, seed=seed):
        seen = GRADED.seen(case)
        assert all(same(one.value(seen), made.value(seen)) for one in found)
    assert which_convention(function, arguments="retrieved, judged, k").family == found[0].family
