"""Variants agree with the measures here, can be told apart, and are recognised."""

from __future__ import annotations

import math
from collections import defaultdict
from random import Random

import pytest

from rankmark.identifying.argument_words import Shape
from rankmark.identifying.cases import golden, others, short
from rankmark.identifying.measured import values
from rankmark.identifying.variants import same, variants
from rankmark.testing import which_convention


def shape_of(*words):
    return Shape(words, (None,) * len(words))


GRADED = shape_of("retrieved", "judged", "k")


def of(shape, changes):
    return list(variants(changes, has_k=shape.has_k, has_scores=shape.has_scores))


@pytest.mark.slow
def test_a_variant_gives_the_number_of_its_measure():
    seen = [GRADED.seen(case) for case in short()]
    tried = 0
    for variant in [*of(GRADED, 0), *of(GRADED, 1), *Random(4).sample(of(GRADED, 2), 200)]:
        measure = variant.measure()
        if measure is None or variant.chosen["cut"] == "all":
            continue
        tried += 1
        for case, expected in zip(seen, values(GRADED, short(), measure, {}), strict=True):
            assert same(variant.value(case), expected), (measure, case)
    assert tried >= 40


def test_the_formula_worked_out_gives_the_value():
    names = {"log2": math.log2, "log10": math.log10, "ln": math.log, "max": max}
    tried = 0
    for variant in [*of(GRADED, 0), *of(GRADED, 1)]:
        if variant.family == "Success":
            continue
        for case in short()[:8]:
            worked = variant.worked(GRADED.seen(case))
            formula = worked.formula.replace("^", "**")
            if "..." in formula or not math.isfinite(worked.value):
                continue
            try:
                value = eval(formula, names)
            except ZeroDivisionError:
                continue
            assert value == pytest.approx(worked.value, rel=1e-3, abs=1e-9), worked
            tried += 1
    assert tried > 500


def groups(found, cases, shape):
    """Split groups of variants by their values, down to those that nothing separates."""
    for case in cases:
        seen, split = shape.seen(case), []
        for group in found:
            by_value = defaultdict(list)
            for variant in group:
                by_value[f"{variant.value(seen):.7g}"].append(variant)
            split += [several for several in by_value.values() if len(several) > 1]
        found = split
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", ["retrieved judged k", "retrieved relevant k", "labels k", "labels scores k"]
)
def test_golden_cases_separate_all_variants_that_any_case_separates(words):
    shape = shape_of(*words.split())
    found = [*of(shape, 0), *of(shape, 1)]
    alike = groups([found], golden(), shape)
    assert groups(alike, others(200, seed=99), shape) == alike
    if shape == GRADED:
        assert sum(map(len, alike)) < len(found) / 5


@pytest.mark.parametrize("seed", range(12))
def test_a_function_made_of_any_ways_is_named_as_made(seed):
    draw = Random(seed)
    made = draw.choice(of(GRADED, draw.choice([0, 1, 1, 2, 2, 3])))

    def function(retrieved, judged, k):
        labels = tuple(float(judged.get(doc, 0)) for doc in retrieved)
        seen = GRADED.seen(golden()[0])
        seen = seen._replace(ranked=labels, judged=tuple(map(float, judged.values())), k=k)
        return made.value(seen)

    found = which_convention(function, arguments="retrieved, judged, k")
    assert found.identified
    # What is named may be another description that gives the same in all cases.
    said = {found.sentence.partition(" computes ")[2].rstrip("."), *found.alike}
    named = [
        variant
        for changes in range(len(made.changed) + 1)
        for variant in of(GRADED, changes)
        if variant.words() in said
    ]
    assert named
    for case in others(60, seed=seed):
        seen = GRADED.seen(case)
        assert all(same(one.value(seen), made.value(seen)) for one in named)
