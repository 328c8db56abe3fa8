"""What a function does where conventions matter: ties, duplicates, nothing relevant, and others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby, permutations, product
from random import Random
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from rankmark.identifying.argument_words import MISSING, mixed
from rankmark.identifying.cases import Case, case, empty, without_relevant
from rankmark.identifying.function_calls import Calls, Outcome, number
from rankmark.identifying.variants import Variant, same

if TYPE_CHECKING:
    from rankmark.identifying.argument_words import Shape
    from rankmark.identifying.variants import Seen

Aspect = Literal[
    "ties", "duplicates", "negative", "unjudged", "fractions", "no_relevant", "empty", "queries",
    "averaged_no_relevant",
]  # fmt: skip
Kind = Literal["convention", "bug"]
ASPECTS = get_args(Aspect)
TITLES: dict[str, str] = {
    "ties": "documents with equal scores",
    "duplicates": "a document retrieved twice",
    "negative": "labels below 0",
    "unjudged": "documents without a judgment",
    "fractions": "labels between 0 and 1",
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
        Of ``ASPECTS``.
    does
        The value of the convention, such as "docid"; "other" if it is none of those known,
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


Value = Callable[["Variant", "Shape", "Case"], float]
"""What a function that computes a variant gives in a case under a rule."""


class Rule(NamedTuple):
    """A convention in one aspect: what the variant gives under it."""

    does: str
    words: str
    value: Value
    keyword: str = ""
    kind: Kind = "convention"


@cache
def tied() -> tuple[Case, ...]:
    """Return cases with ties."""
    return (
        case("two tied", (0, 1, 2, 0), (1,), 2, (0.9, 0.5, 0.5, 0.1)),
        case("three tied", (1, 0, 3, 0, 2), (), 3, (0.7, 0.7, 0.7, 0.2, 0.1)),
        case("all tied", (2, 0, 1, 0), (1,), 4, (0.5, 0.5, 0.5, 0.5)),
        case("two ties", (1, 0, 0, 2, 0, 1), (2,), 3, (0.9, 0.9, 0.9, 0.3, 0.3, 0.3)),
        case("a tie at the end", (0, 2, 0, 1, 3), (), 4, (0.9, 0.8, 0.2, 0.2, 0.2)),
        *_drawn_ties(),
    )


def _drawn_ties() -> Iterator[Case]:
    """Yield random cases with ties across the cutoff, in which most orders differ."""
    draw = Random(17)  # noqa: S311
    for k in (2, 3) * 4:
        labels = tuple(float(draw.choice((0, 0, 1, 2))) for _ in range(6))
        yield case("ties across the cutoff", labels, (1,), k, (0.9, 0.6, 0.6, 0.6, 0.3, 0.3))


def _tie_groups(one: Case) -> list[list[str]]:
    """Return groups of documents with equal scores, best first, each in the order of the input."""
    ordered = sorted(mixed(one), key=lambda pair: -pair[1])
    return [[doc_id for doc_id, _ in group] for _, group in groupby(ordered, key=lambda p: p[1])]


def _orders_of_ties(tied: Sequence[Sequence[float]]) -> Iterator[tuple[float, ...]]:
    """Yield the labels of all orders of documents of which groups tie."""
    for order in product(*map(permutations, tied)):
        yield tuple(label for group in order for label in group)


def _tied_labels(seen: Seen, one: Case, groups: Sequence[Sequence[str]]) -> list[list[float]]:
    """Return the label of each document in groups."""
    label = dict(zip(one.ranking, seen.ranked, strict=True))
    return [[label[doc_id] for doc_id in group] for group in groups]


def _ordered(order: Callable[[list[str]], list[str]]) -> Value:
    def value(variant: Variant, shape: Shape, one: Case) -> float:
        seen = shape.seen(one)
        groups = _tied_labels(seen, one, [order(group) for group in _tie_groups(one)])
        return variant.value(seen._replace(ranked=tuple(chain.from_iterable(groups))))

    return value


def _over_orders(combine: Callable[[list[float]], float]) -> Value:
    def value(variant: Variant, shape: Shape, one: Case) -> float:
        seen = shape.seen(one)
        orders = Counter(_orders_of_ties(_tied_labels(seen, one, _tie_groups(one))))
        return combine([variant.value(seen._replace(ranked=each)) for each in orders.elements()])

    return value


def _together(variant: Variant, shape: Shape, one: Case) -> float:
    """Give tied documents the last rank of their tie: of average precision only."""
    if variant.family != "AP" or variant.chosen["cut"] not in {"all", "k"}:
        return float("nan")
    seen = shape.seen(one)
    total, found, last = 0.0, 0, 0
    for group in _tied_labels(seen, one, _tie_groups(one)):
        last += len(group)
        hits = sum(label >= 1 for label in group)
        found += hits
        total += hits * found / last
    judged = sum(label >= 1 for label in seen.judged)
    return total / judged if judged else 0.0


_TIES = (
    Rule("input", "ties in the order of the input", _ordered(list), 'ties="input"'),
    Rule(
        "docid", "ties by document id, descending",
        _ordered(lambda group: sorted(group, reverse=True)), 'ties="docid"',
    ),
    Rule("docid-asc", "ties by document id, ascending", _ordered(sorted), 'ties="docid-asc"'),
    Rule("reversed", "ties in the reverse order of the input", _ordered(lambda g: g[::-1])),
    Rule(
        "mean", "the mean over all orders of ties",
        _over_orders(lambda values: sum(values) / len(values)), 'ties="mean"',
    ),
    Rule("best", "the best order of ties", _over_orders(max), 'ties="best"'),
    Rule("worst", "the worst order of ties", _over_orders(min), 'ties="worst"'),
    Rule("together", "tied documents share their last rank", _together, 'AP(ties="together")'),
)  # fmt: skip


@cache
def duplicated() -> tuple[Case, ...]:
    """Return cases in which a document is retrieved twice."""
    found = []
    for about, at, again, ranked, missed, k in (
        ("a relevant document twice, in a row", 0, 1, (2, 2, 0, 1), (1,), 3),
        ("a relevant document twice", 1, 3, (0, 1, 2, 1, 0), (), 4),
        ("a document that is not relevant twice", 0, 1, (0, 0, 1, 3), (), 3),
        ("the only relevant document twice", 0, 2, (1, 0, 1, 0), (), 4),
    ):
        one = case(about, ranked, missed, k)
        twice = list(one.ranking)
        gone, twice[again] = twice[again], twice[at]
        labels = tuple(pair for pair in one.labels if pair[0] != gone)
        found.append(one._replace(ranking=tuple(twice), labels=labels))
    return tuple(found)


def _as_given(variant: Variant, shape: Shape, one: Case) -> float:
    return variant.value(shape.seen(one))


def _removed(variant: Variant, shape: Shape, one: Case) -> float:
    return variant.value(shape.seen(one._replace(ranking=tuple(dict.fromkeys(one.ranking)))))


def _removed_within(variant: Variant, shape: Shape, one: Case) -> float:
    first = tuple(dict.fromkeys(one.ranking[: one.k if shape.has_k else None]))
    return variant.value(shape.seen(one._replace(ranking=first)))


def _counted_once(variant: Variant, shape: Shape, one: Case) -> float:
    seen, before = shape.seen(one), set[str]()
    ranked = []
    for doc_id, label in zip(one.ranking, seen.ranked, strict=True):
        ranked.append(0.0 if doc_id in before else label)
        before.add(doc_id)
    return variant.value(seen._replace(ranked=tuple(ranked)))


_TWICE = "it counts twice"
_DUPLICATES = (
    Rule(
        "once", "at its second rank, it counts as not relevant",
        _counted_once,
    ),
    Rule("first", "its second occurrence is removed", _removed, 'duplicates="first"'),
    Rule(
        "removed-after-cut", "its second occurrence is removed after the cut at k", _removed_within
    ),
    Rule("twice", _TWICE, _as_given, "", "bug"),
)  # fmt: skip


@cache
def negative() -> tuple[Case, ...]:
    """Return cases with labels below 0."""
    return (
        case("labels below 0", (2, -1, 1, 0), (), 4),
        case("labels below 0 at the top", (-2, 3, 0, 1, -1), (1,), 3),
        case("labels below 0, not retrieved", (1, 0, 2), (-1, 1), 3),
    )


@cache
def fractions() -> tuple[Case, ...]:
    """Return cases with labels between 0 and 1."""
    return (
        case("labels between 0 and 1", (0.5, 1, 0, 0.5), (), 3),
        case("labels between 0 and 1, not retrieved", (0, 0.5, 1), (0.5,), 2),
    )


@cache
def unjudged() -> tuple[Case, ...]:
    """Return cases with documents without a judgment."""
    return (
        case("an unjudged document first", (None, 2, 0, 1), (), 3),
        case("unjudged documents in between", (1, None, None, 3, 0, 1), (2,), 4),
    )


def _relabelled(label: Callable[[float], float]) -> Value:
    """Return what is given if each label is replaced by another."""

    def value(variant: Variant, shape: Shape, one: Case) -> float:
        seen = shape.seen(one)
        return variant.value(
            seen._replace(
                ranked=tuple(map(label, seen.ranked)),
                judged=tuple(map(label, seen.judged)),
                given=None if seen.given is None else tuple(map(label, seen.given)),
            )
        )

    return value


def _condensed(variant: Variant, shape: Shape, one: Case) -> float:
    known = {doc_id for doc_id, _ in one.labels}
    ranking = tuple(doc_id for doc_id in one.ranking if doc_id in known)
    return variant.value(shape.seen(one._replace(ranking=ranking)))


_NEGATIVE = (
    Rule("zero", "they count as 0", _relabelled(lambda x: max(x, 0.0))),
    Rule(
        "kept",
        "they count as negative gains, so values below 0 are possible",
        _as_given,
        'negative="keep"',
    ),
)
_FRACTIONS = (
    Rule(
        "above-0",
        "labels above 0 are relevant",
        _relabelled(lambda x: float(x > 0)),
        "rel=0.5, or lower",
    ),
    Rule("from-1", "only labels from 1 on are relevant", _as_given, "rel=1"),
)
_UNJUDGED = (
    Rule("zero", "they count as not relevant", _as_given, "judged_only=False"),
    Rule("removed", "they are removed before ranks are counted", _condensed, "judged_only=True"),
)


def edges(calls: Calls, shape: Shape, variant: Variant | None) -> list[Edge]:
    """Find out what a function does in each aspect in which it can be tried.

    ``variant`` is what it computes otherwise; None if that is another measure.
    """
    found = [] if variant is None else _by_formula(calls, shape, variant)
    found += [_by_outcome(calls, shape, "no_relevant", without_relevant())]
    found += [_by_outcome(calls, shape, "empty", empty())]
    return [*found, *(_of_averages(calls, shape) if shape.takes_queries else ())]


def _by_formula(calls: Calls, shape: Shape, variant: Variant) -> list[Edge]:
    """Find out which rules give the numbers in cases that the formula leaves open."""
    graded = variant.family in {"nDCG", "DCG"} or variant.chosen.get("rel") == "sum"
    found: list[Edge | None] = []
    tried: list[tuple[Aspect, bool, tuple[Case, ...], tuple[Rule, ...]]] = [
        ("ties", shape.has_scores, tied(), _TIES),
        ("duplicates", shape.has_ids, duplicated(), _DUPLICATES),
        ("negative", shape.has_grades and graded, negative(), _NEGATIVE),
        ("fractions", shape.has_grades and not graded, fractions(), _FRACTIONS),
        ("unjudged", shape.has_unjudged, unjudged(), _UNJUDGED),
    ]
    for aspect, is_possible, cases, rules in tried:
        if is_possible and variant.chosen["order"] in {"ranked", "reversed"}:
            found.append(_by_rules(calls, shape, variant, aspect, cases, rules))
    return [edge for edge in found if edge is not None]


def _by_rules(
    calls: Calls,
    shape: Shape,
    variant: Variant,
    aspect: Aspect,
    cases: Sequence[Case],
    rules: Sequence[Rule],
) -> Edge | None:
    outcomes = [(one, calls.of(shape, one)) for one in cases]
    known = [(one, found) for one, found in outcomes if found.value is not None]
    example = calls.written(shape, cases[0])
    if not known:
        reason = outcomes[0][1].failed
        return Edge(aspect, "refuses", f"refused: {reason}", call=example)
    agreeing = [
        rule
        for rule in rules
        if all(same(found.value or 0.0, rule.value(variant, shape, one)) for one, found in known)
        and not (aspect == "ties" and "docid" in rule.does and shape.has_positions)
    ]
    if not agreeing:
        kind: Kind = "bug" if aspect == "duplicates" else "convention"
        return Edge(aspect, "other", "in none of the ways known here", kind=kind, call=example)
    if len(agreeing) == len(rules):
        return None  # it makes no difference to the measure
    first = agreeing[0]
    if aspect == "negative" and variant.family == "nDCG":
        first = first._replace(keyword="")  # it has no such parameter here
    words = ", or ".join(rule.words for rule in agreeing)
    if words == _TWICE:
        words += ", so values can be too high"
    shown = next(
        (one for one, _ in known if _differs(variant, shape, one, rules, first)), known[0][0]
    )
    does = first.does if len(agreeing) == 1 else "|".join(rule.does for rule in agreeing)
    return Edge(aspect, does, words, first.keyword, first.kind, calls.written(shape, shown))


def _differs(
    variant: Variant, shape: Shape, one: Case, rules: Sequence[Rule], chosen: Rule
) -> bool:
    ours = chosen.value(variant, shape, one)
    return any(not same(ours, rule.value(variant, shape, one)) for rule in rules)


def _by_outcome(calls: Calls, shape: Shape, aspect: Aspect, one: Case) -> Edge:
    found, call = calls.of(shape, one), calls.written(shape, one)
    if found.raised is not None:
        kind: Kind = "bug" if found.is_accident else "convention"
        return Edge(aspect, "refuses", f"raises {found.failed}", kind=kind, call=call)
    if found.value is None:
        return Edge(aspect, "no number", str(found.failed), call=call)
    names = {0.0: "zero", 1.0: "one"}
    if found.value != found.value:
        return Edge(aspect, "nan", "NaN", 'no_relevant="nan"', call=call)
    does = names.get(found.value, number(found.value))
    keyword = f'no_relevant="{does}"' if aspect == "no_relevant" and does in names.values() else ""
    return Edge(aspect, does, number(found.value), keyword, call=call)


def _of_averages(calls: Calls, shape: Shape) -> list[Edge]:
    """Find out which queries are averaged, by calls with several."""
    first = case("the first of several queries", (1, 0, 2, 3, 0), (1,), 3)
    second = case("the second of several queries", (0, 1, 1, 0, 1), (1, 1), 3)
    one, two = calls.of(shape, first), calls.of(shape, second)
    if not (one.is_finite and two.is_finite):
        return []
    total = float(one.value or 0) + float(two.value or 0)
    together, raw = calls.raw(shape, first, second)
    if isinstance(raw, Mapping) or together.value is None:
        return []  # a value for each query, of which none is left out in a mean
    if not same(together.value, total / 2):
        said = f"no mean over queries: {number(together.value)} for two queries with "
        said += f"{number(float(one.value or 0))} and {number(float(two.value or 0))}"
        return [
            Edge("queries", "other", said, kind="bug", call=calls.written(shape, first, second))
        ]
    found = []
    nothing = case("nothing relevant", (0.0,) * len(first.ranking), (), first.k)
    tried: list[tuple[Aspect, Case, dict[str, str]]] = [
        ("averaged_no_relevant", nothing, {
            "zero": "they count 0", "one": "they count 1", "skip": "they are left out",
        }),
    ]  # fmt: skip
    if "run" in shape.words:
        tried.append(("queries", first._replace(about=MISSING), {
            "judged": "it counts 0", "one": "it counts 1", "both": "it is left out",
        }))  # fmt: skip
    for aspect, third, words in tried:
        outcome = calls.of(shape, first, second, third)
        call = calls.written(shape, first, second, third)
        found.append(_average(aspect, outcome, total, words, call))
    return found


def _average(
    aspect: Aspect, outcome: Outcome, total: float, words: dict[str, str], call: str
) -> Edge:
    if outcome.value is None:
        does = "refuses" if outcome.raised else "no number"
        reason = f"raises {outcome.failed}" if outcome.raised else str(outcome.failed)
        kind: Kind = "bug" if outcome.is_accident else "convention"
        return Edge(aspect, does, reason, kind=kind, call=call)
    zero, one, left_out = words
    for does, value in ((zero, total / 3), (one, (total + 1) / 3), (left_out, total / 2)):
        if same(outcome.value, value):
            name = "queries" if aspect == "queries" else "no_relevant"
            return Edge(aspect, does, words[does], f'{name}="{does}"', call=call)
    return Edge(aspect, "other", f"the mean is {outcome}", call=call)
