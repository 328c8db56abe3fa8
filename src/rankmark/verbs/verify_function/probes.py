"""What a function does where conventions matter: duplicates, nothing relevant, several queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Literal

from rankmark.verbs.verify_function.cases import Case, case, empty, without_relevant
from rankmark.verbs.verify_function.function_calls import Calls, Outcome, number
from rankmark.verbs.verify_function.lookup import same

if TYPE_CHECKING:
    from rankmark.verbs.verify_function.call_shapes import Seen, Shape
    from rankmark.verbs.verify_function.lookup import Variant

Aspect = Literal["duplicates", "no_relevant", "empty", "queries", "averaged_no_relevant"]
Kind = Literal["convention", "bug"]
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
    kind: Kind = "convention"
    call: str = ""


@cache
def tied() -> tuple[Case, ...]:
    """Return cases with ties, most of them across the cutoff, in which most orders differ."""
    draw = Random(17)  # noqa: S311
    drawn = [(tuple(float(draw.choice((0, 0, 1, 2))) for _ in range(6)), k) for k in (2, 3) * 4]
    return (
        case((0, 1, 2, 0), (1,), 2, (0.9, 0.5, 0.5, 0.1)),
        case((1, 0, 3, 0, 2), (), 3, (0.7, 0.7, 0.7, 0.2, 0.1)),
        case((2, 0, 1, 0), (1,), 4, (0.5, 0.5, 0.5, 0.5)),
        case((1, 0, 0, 2, 0, 1), (2,), 3, (0.9, 0.9, 0.9, 0.3, 0.3, 0.3)),
        case((0, 2, 0, 1, 3), (), 4, (0.9, 0.8, 0.2, 0.2, 0.2)),
        *(case(labels, (1,), k, (0.9, 0.6, 0.6, 0.6, 0.3, 0.3)) for labels, k in drawn),
    )


@cache
def duplicated() -> tuple[Case, ...]:
    """Return cases in which a document is retrieved twice."""
    found = []
    for at, again, ranked, missed, k in (
        (0, 1, (2, 2, 0, 1), (1,), 3),
        (1, 3, (0, 1, 2, 1, 0), (), 4),
        (0, 1, (0, 0, 1, 3), (), 3),
        (0, 2, (1, 0, 1, 0), (), 4),
    ):
        one = case(ranked, missed, k)
        twice = list(one.ranking)
        gone, twice[again] = twice[again], twice[at]
        labels = tuple(pair for pair in one.labels if pair[0] != gone)
        found.append(one._replace(ranking=tuple(twice), labels=labels))
    return tuple(found)


def _counted_once(seen: Seen, one: Case) -> Seen:
    pairs = enumerate(zip(one.ranking, seen.ranked, strict=True))
    ranked = tuple(0.0 if doc_id in one.ranking[:at] else label for at, (doc_id, label) in pairs)
    return seen._replace(ranked=ranked)


@cache
def negative() -> tuple[Case, ...]:
    """Return cases with labels below 0."""
    return (
        case((2, -1, 1, 0), (), 4),
        case((-2, 3, 0, 1, -1), (1,), 3),
        case((1, 0, 2), (-1, 1), 3),
    )


@cache
def unjudged() -> tuple[Case, ...]:
    """Return cases with documents without a judgment."""
    return case((None, 2, 0, 1), (), 3), case((1, None, None, 3, 0, 1), (2,), 4)


def edges(calls: Calls, shape: Shape, variant: Variant | None) -> list[Edge]:
    """Find out what a function does in each aspect in which it can be tried.

    ``variant`` is what it computes otherwise; None if that is another measure.
    """
    found = [] if variant is None else _of_duplicates(calls, shape, variant)
    found.append(_by_outcome(calls, shape, "no_relevant", without_relevant()))
    found.append(_by_outcome(calls, shape, "empty", empty()))
    return [*found, *(_of_means(calls, shape, variant) if shape.takes_queries else ())]


def _of_duplicates(calls: Calls, shape: Shape, variant: Variant) -> list[Edge]:
    """Find out whether a document that is retrieved twice counts twice."""
    if "retrieved" not in shape.plain:
        return []
    outcomes = [(one, calls.of(shape, one)) for one in duplicated()]
    call = calls.written(shape, outcomes[0][0])
    known = [
        (shape.seen(one), one, found.value) for one, found in outcomes if found.value is not None
    ]
    if not known:
        return [Edge("duplicates", "refuses", f"refused: {outcomes[0][1].failed}", call=call)]
    is_twice = [same(variant.value(seen), value) for seen, _, value in known]
    is_once = [same(variant.value(_counted_once(seen, one)), value) for seen, one, value in known]
    if all(is_once):
        words = "at its second rank, it counts as not relevant"
        return [] if all(is_twice) else [Edge("duplicates", "once", words, call=call)]
    if all(is_twice):
        words = "it counts twice, so values can be too high"
        return [Edge("duplicates", "twice", words, kind="bug", call=call)]
    return [Edge("duplicates", "other", "it is removed, or counts in some other way", call=call)]


def _by_outcome(calls: Calls, shape: Shape, aspect: Aspect, one: Case) -> Edge:
    found, call = calls.of(shape, one), calls.written(shape, one)
    if found.value is None:
        return _refused(aspect, found, call)
    if found.value != found.value:
        return Edge(aspect, "nan", "NaN", 'no_relevant="nan"', call=call)
    does = {0.0: "zero", 1.0: "one"}.get(found.value, number(found.value))
    is_known = aspect == "no_relevant" and does in {"zero", "one"}
    keyword = f'no_relevant="{does}"' if is_known else ""
    return Edge(aspect, does, number(found.value), keyword, call=call)


def _refused(aspect: Aspect, found: Outcome, call: str) -> Edge:
    if found.raised is None:
        return Edge(aspect, "no number", str(found.failed), call=call)
    kind: Kind = "bug" if found.is_accident else "convention"
    return Edge(aspect, "refuses", f"raises {found.failed}", kind=kind, call=call)


_TWO = (
    (case((1, 0, 2, 3, 0), (1,), 3), case((0, 1), (), 3)),
    (case((1, 0, 2, 3, 0), (1,), 3), case((0, 1, 0, 0, 0), (), 3)),  # rows of an array
)
"""Two queries of different sizes, and two with as many documents."""


def averaged(calls: Calls, shape: Shape, variant: Variant | None) -> str:
    """Return how queries are averaged: "mean", "pooled", or in words; empty if that is unknown."""
    for first, second in _TWO:
        together, raw = calls.raw(shape, first, second)
        one, two = (calls.of(shape, each).value for each in (first, second))
        if together.value is None or one is None or two is None or isinstance(raw, Mapping):
            continue  # such as a value for each query
        if same(together.value, (one + two) / 2):
            return "mean"
        if variant is not None:
            parts = [variant.fraction(shape.seen(each)) for each in (first, second)]
            totals = [sum(column) for column in zip(*parts, strict=True)]
            if totals[1] and same(together.value, totals[0] / totals[1]):
                return "pooled"
        return (
            f"no mean over queries: {number(together.value)} for two queries with {number(one)} "
            f"and {number(two)}"
        )
    return ""


def _of_means(calls: Calls, shape: Shape, variant: Variant | None) -> list[Edge]:
    """Find out which queries are averaged, by calls with several."""
    how = averaged(calls, shape, variant)
    if how in {"", "pooled"}:
        return []
    if how != "mean":
        return [Edge("queries", "other", how, kind="bug", call=calls.written(shape, *_TWO[0]))]
    first, second = _TWO[1]
    total = sum(calls.of(shape, each).value or 0.0 for each in (first, second))
    nothing = case((0.0,) * len(first.ranking), (), first.k)
    tried: list[tuple[Aspect, Case, tuple[tuple[str, str, float], ...]]] = [
        ("averaged_no_relevant", nothing, (
            ("zero", "they count 0", total / 3), ("one", "they count 1", (total + 1) / 3),
            ("skip", "they are left out", total / 2),
        )),
    ]  # fmt: skip
    if any(word in {"run", "retrieved{}"} for word in shape.words):
        tried.append(("queries", first._replace(in_run=False), (
            ("judged", "it counts 0", total / 3), ("one", "it counts 1", (total + 1) / 3),
            ("both", "it is left out", total / 2),
        )))  # fmt: skip
    found = []
    for aspect, third, rules in tried:
        outcome = calls.of(shape, first, second, third)
        call = calls.written(shape, first, second, third)
        if outcome.value is None:
            found.append(_refused(aspect, outcome, call))
            continue
        value = outcome.value
        does, words = next(
            ((does, words) for does, words, expected in rules if same(value, expected)),
            ("other", f"the mean is {outcome}"),
        )
        name = "queries" if aspect == "queries" else "no_relevant"
        keyword = "" if does == "other" else f'{name}="{does}"'
        found.append(Edge(aspect, does, words, keyword, call=call))
    return found
