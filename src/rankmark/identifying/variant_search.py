"""The search for the variant that gives all numbers of a function, fewest changes first."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from rankmark.identifying.cases import others
from rankmark.identifying.function_calls import name_of
from rankmark.identifying.variants import Variant, same, variants

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rankmark.identifying.argument_words import Shape
    from rankmark.identifying.cases import Case
    from rankmark.identifying.function_calls import Calls, Outcome
    from rankmark.identifying.variants import Seen

_MOST = 4  # changes up to which variants are tried
_NAMES = {
    r"n_?dcg|normali[sz]ed_disc\w*": "nDCG",
    r"(?<!i)dcg|discounted\w*": "DCG",
    r"r_?prec(ision)?(?![a-z])|precision_at_r": "Rprec",
    r"m?ap(?![a-z])|mapk|apk|av(era)?g\w*_?prec\w*": "AP",
    r"m?rr(?![a-z])|recip\w*": "RR",
    r"recall": "R",
    r"precision|prec(?![a-z])|p(?=_?at)": "P",
    r"f_?1|f_?score|f_?measure": "F",
    r"hit|success|accuracy": "Success",
    r"rbp|rank_?biased_?prec\w*": "RBP",
}
_OF_MISSED = {
    ("ideal", "retrieved"),
    ("ideal", "retrieved-uncut"),
    ("norm", "found"),
}
"""Ways that differ from the usual ones only if documents are known that were not retrieved."""
_FEWEST = 8  # numbers that are explained
_SEPARATING = 200  # random cases in which variants are told apart
_CONFIRMING = 12  # of them in which the function is called in any case


class Found(NamedTuple):
    """What explains the numbers of a function.

    Parameters
    ----------
    variant
        The best one.
    alike
        Others with as few changes that give the same numbers in all cases.
    """

    variant: Variant
    alike: tuple[Variant, ...]


def _is_vague(variant: Variant) -> bool:
    """Return whether an ideal ranking of k documents means as many as were retrieved."""
    return variant.chosen["cut"] == "all" and variant.chosen.get("ideal") in {"k", "ones"}


def named_after(function: Callable[..., Any]) -> str | None:
    """Return the measure that the name of a function says; None if it says none."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name_of(function)).lower()
    for pattern, family in _NAMES.items():
        if re.search(rf"(?<![a-z])(?:{pattern})", name):
            return family
    return None


def search(
    calls: Calls,
    shape: Shape,
    outcomes: Sequence[tuple[Case, Outcome]],
    most: int,
    *,
    least: int = 0,
) -> Found | None:
    """Return the variant that gives all numbers; None if there is none.

    Parameters
    ----------
    outcomes
        What the function gave in the golden cases.
    most, least
        The numbers of changes to try.
    """
    numbers = _numbers(shape, outcomes)
    if len(numbers) < _FEWEST or is_constant(outcomes):
        return None
    name = named_after(calls.function)
    for changes in range(least, most + 1):
        agreeing = [
            variant
            for variant in variants(changes, has_k=shape.has_k, has_scores=shape.has_scores)
            if shape.knows_missed or _OF_MISSED.isdisjoint((n, w.value) for n, w in variant.changed)
            if all(variant.agrees(value, seen) for seen, value in numbers)
        ]
        if agreeing := _separated(calls, shape, agreeing):
            agreeing.sort(key=lambda one: (one.family != name, _is_vague(one), len(one.bugs)))
            best, *rest = agreeing
            return Found(best, tuple(one for one in rest if one.words() != best.words()))
    return None


def is_constant(outcomes: Sequence[tuple[Case, Outcome]]) -> bool:
    """Return whether a function gave the same number in all cases, which no measure does."""
    found = [outcome.value or 0.0 for _, outcome in outcomes if outcome.is_finite]
    return len(found) >= _FEWEST and all(same(value, found[0]) for value in found)


def nearest(
    calls: Calls, shape: Shape, outcomes: Sequence[tuple[Case, Outcome]]
) -> tuple[Variant, float]:
    """Return the variant with at most one change that gives most numbers, and their share."""
    numbers = _numbers(shape, outcomes)
    name = named_after(calls.function)

    def key(variant: Variant) -> tuple[float, bool, int]:
        agreeing = sum(variant.agrees(value, seen) for seen, value in numbers)
        return agreeing, variant.family == name, -len(variant.changed)

    tried = [
        variant
        for changes in (0, 1)
        for variant in variants(changes, has_k=shape.has_k, has_scores=shape.has_scores)
    ]
    best = max(tried, key=key)
    return best, key(best)[0] / max(len(numbers), 1)


def most_changes(shape: Shape) -> int:
    """Return up to how many changes are tried; a cutoff of the function's own is one more."""
    return _MOST if shape.has_k else _MOST - 1


def usual(family: str, shape: Shape, like: Variant | None = None) -> Variant:
    """Return the usual variant of a measure, with the same choice of cutoff or persistence."""
    of_family = [
        one
        for one in variants(0, has_k=shape.has_k, has_scores=shape.has_scores)
        if one.family == family
    ]
    if like is not None:
        for one in of_family:
            if all(like.chosen.get(name) == value for name, value in one.chosen.items()
                   if name in {"cut", "p"}):  # fmt: skip
                return one
    return of_family[0]


def _numbers(shape: Shape, outcomes: Sequence[tuple[Case, Outcome]]) -> list[tuple[Seen, float]]:
    """Return the numbers that are to be explained."""
    known = [(shape.seen(one), found.value) for one, found in outcomes if found.value is not None]
    finite = [(seen, value) for seen, value in known if math.isfinite(value)]
    return finite if len(finite) >= _FEWEST else known  # some divide by 0 in every case


def _separated(calls: Calls, shape: Shape, agreeing: list[Variant]) -> list[Variant]:
    """Drop the variants that the function does not agree with in random cases.

    It is called where they differ from one another, and in a few cases in any case.
    """
    for number, one in enumerate(others(_SEPARATING, seed=3131)):
        if not agreeing:
            break
        seen = shape.seen(one)
        values = [variant.value(seen) for variant in agreeing]
        if number >= _CONFIRMING and all(same(value, values[0]) for value in values):
            continue
        found = calls.of(shape, one)
        if found.is_finite:
            agreeing = [
                variant
                for variant, value in zip(agreeing, values, strict=True)
                if same(found.value or 0.0, value)
            ]
    return agreeing
