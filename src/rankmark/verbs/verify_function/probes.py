"""What a function does where conventions matter: duplicates, nothing relevant, several queries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankmark.verbs.verify_function.cases import (
    EMPTY,
    TWO,
    WITHOUT_RELEVANT,
    Case,
    case,
    duplicated,
)
from rankmark.verbs.verify_function.function_calls import Calls, Outcome, number
from rankmark.verbs.verify_function.lookup import same

if TYPE_CHECKING:
    from rankmark.verbs.verify_function.call_shapes import Seen, Shape
    from rankmark.verbs.verify_function.lookup import Variant

Aspect = Literal["duplicates", "no_relevant", "empty", "queries", "averaged_no_relevant"]
TITLES: dict[str, str] = {
    "ties": "documents with equal scores",
    "duplicates": "a document retrieved twice",
    "negative": "labels below 0",
    "unjudged": "documents without a judgment",
    "no_relevant": "nothing relevant",
    "empty": "nothing retrieved",
    "queries": "a judged query missing from the run",
    "averaged_no_relevant": "queries without relevant documents, in the mean",
}


@dataclass(frozen=True, slots=True)
class Edge:
    """What a function does in one aspect.

    Parameters
    ----------
    aspect
        What it is about.
    does
        The value of the convention, such as "zero"; "other" if it is none of those known,
        "refuses" for an exception.
    words
        What it does, for people.
    keyword
        The keyword of ``evaluate`` that says so, if there is one.
    kind
        "convention" or "bug".
    call
        A call that shows it.
    """

    aspect: Aspect
    does: str
    words: str
    keyword: str = ""
    kind: Literal["convention", "bug"] = "convention"
    call: str = ""


def edges(calls: Calls, shape: Shape, variant: Variant) -> list[Edge]:
    """Find out what a function that computes a variant does in each aspect that can be tried."""
    found = [*_of_duplicates(calls, shape, variant)] if "retrieved" in shape.plain else []
    tried: tuple[tuple[Aspect, Case], ...]
    tried = ("no_relevant", WITHOUT_RELEVANT), ("empty", EMPTY)
    for aspect, one in tried:
        outcome, call = calls.of(shape, one), calls.written(shape, one)
        found.append(_refused(aspect, outcome, call) or _answer(aspect, outcome.value, call))
    return [*found, *(_of_means(calls, shape, variant) if shape.takes_queries else ())]


def _of_duplicates(calls: Calls, shape: Shape, variant: Variant) -> Iterator[Edge]:
    """Find out whether a document that is retrieved twice counts twice."""
    if variant.known is not None:
        return
    outcomes = [(one, calls.of(shape, one)) for one in duplicated()]
    call = calls.written(shape, outcomes[0][0])
    known = [
        (one, shape.seen(one), found.value) for one, found in outcomes if found.value is not None
    ]
    twice = all(same(variant.value(seen), value) for _, seen, value in known)
    once = all(same(variant.value(_counted_once(seen, one)), value) for one, seen, value in known)
    if not known:
        yield Edge("duplicates", "refuses", f"refused: {outcomes[0][1].failed}", call=call)
    elif once and not twice:
        words = "at its second rank, it counts as not relevant"
        yield Edge("duplicates", "once", words, call=call)
    elif twice and not once:
        words = "it counts twice, so values can be too high"
        yield Edge("duplicates", "twice", words, kind="bug", call=call)
    elif not once:
        words = "it is removed, or counts in some other way"
        yield Edge("duplicates", "other", words, call=call)


def _counted_once(seen: Seen, one: Case) -> Seen:
    pairs = enumerate(zip(one.ranking, seen.ranked, strict=True))
    ranked = tuple(0.0 if doc_id in one.ranking[:at] else label for at, (doc_id, label) in pairs)
    return seen._replace(ranked=ranked)


def _answer(aspect: Aspect, value: float | None, call: str) -> Edge:
    if value is None or math.isnan(value):
        return Edge(aspect, "nan", "NaN", 'no_relevant="nan"', call=call)
    does = {0.0: "zero", 1.0: "one"}.get(value, number(value))
    is_known = aspect == "no_relevant" and does in {"zero", "one"}
    return Edge(aspect, does, number(value), f'no_relevant="{does}"' if is_known else "", call=call)


def _refused(aspect: Aspect, found: Outcome, call: str) -> Edge | None:
    if found.value is not None:
        return None
    if found.raised is None:
        return Edge(aspect, "no number", str(found.failed), call=call)
    kind: Literal["convention", "bug"] = "bug" if found.is_accident else "convention"
    return Edge(aspect, "refuses", f"raises {found.failed}", kind=kind, call=call)


def averaged(calls: Calls, shape: Shape, variant: Variant) -> str:
    """Return how queries are averaged: "mean", "pooled", or in words; empty if that is unknown."""
    for pair in TWO:
        together = calls.of(shape, *pair).value
        one, two = (calls.of(shape, each).value for each in pair)
        if together is None or one is None or two is None:  # such as a value for each query
            continue
        if same(together, (one + two) / 2):
            return "mean"
        parts = [variant.fraction(shape.seen(each)) for each in pair]
        total, divisor = (sum(column) for column in zip(*parts, strict=True))
        if variant.known is None and divisor and same(together, total / divisor):
            return "pooled"
        return (
            f"no mean over queries: {number(together)} for two queries with {number(one)} "
            f"and {number(two)}"
        )
    return ""


def _of_means(calls: Calls, shape: Shape, variant: Variant) -> Iterator[Edge]:
    """Find out which queries are averaged, by calls with several."""
    how = averaged(calls, shape, variant)
    if how in {"", "pooled"}:
        return
    if how != "mean":
        yield Edge("queries", "other", how, kind="bug", call=calls.written(shape, *TWO[0]))
        return
    first, second = TWO[1]
    total = sum(calls.of(shape, each).value or 0.0 for each in (first, second))
    rules = {
        "they count 0": total / 3,
        "they count 1": (total + 1) / 3,
        "they are left out": total / 2,
    }
    nothing = case((0.0,) * len(first.ranking), (), first.k)
    tried: list[tuple[Aspect, Case, tuple[str, str, str]]]
    tried = [("averaged_no_relevant", nothing, ("zero", "one", "skip"))]
    if any(word in {"run", "retrieved{}"} for word in shape.words):
        tried.append(("queries", first._replace(in_run=False), ("judged", "one", "both")))
    for aspect, third, values in tried:
        outcome = calls.of(shape, first, second, third)
        call = calls.written(shape, first, second, third)
        does, words, keyword = "other", f"the mean is {outcome}", ""
        for value, (said, expected) in zip(values, rules.items(), strict=True):
            if outcome.value is not None and same(outcome.value, expected):
                does, words = value, said
                keyword = f'{"queries" if aspect == "queries" else "no_relevant"}="{value}"'
                if aspect == "queries":
                    words = said.replace("they are", "it is").replace("they count", "it counts")
                break
        yield _refused(aspect, outcome, call) or Edge(aspect, does, words, keyword, call=call)
