"""The conventions of an evaluation, checked once and shown with every result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Annotated, Any, Literal, TypedDict, cast, get_args

from rankmark.arguments import Finite, Flag, FromOne, Kind, checks_of
from rankmark.errors import DuplicateError, InputError, shown
from rankmark.named_tuples import NamedTuple

Queries = Literal["judged", "both"]
OrderedTies = Literal["docid", "docid-asc", "input", "rank"]
"""The rules that give tied documents an order."""
Unordered = Literal["mean", "best", "worst", "midrank"]
"""The rules that give tied documents no order."""
Ties = Literal[OrderedTies, Unordered, "error"]
"""The rules of evaluations; those of fused lists and of rankings that are compared follow."""
ListTies = Literal[OrderedTies, "mean"]
PairTies = Literal["tied", OrderedTies]
NoRelevant = Literal["zero", "skip", "one", "nan"]
Unwinnable = Literal["keep", "skip"]
Duplicates = Literal["error", "first", "best"]
Precision = Literal["double", "float32"]
Combine = Literal["best", "first", "sum", "mean", "count", "rrf"]
TIES = get_args(Ties)
NO_RELEVANT = get_args(NoRelevant)
_UNORDERED: dict[str, Unordered] = {rule: rule for rule in get_args(Unordered)}
ORDERS = get_args(OrderedTies)


def _separator(name: str, given: Any) -> str:
    is_text = isinstance(given, str) and given
    try:
        if is_text:
            given.encode()
    except UnicodeEncodeError:  # halves of pairs
        is_text = False
    if not is_text:
        raise InputError(f"{name} is {shown(given)}", "need text")
    return str(given)


def _combining(_: str, given: Any) -> str:
    combination(given)
    return str(given)


Separator = Annotated[str, Kind(_separator)]
"""What stands between the id of a document and the rest of a unit's."""
Combining = Annotated[str, Kind(_combining)]
"""How the scores of a document's units are combined: a word of ``Combine``, or as ``sum@3``."""


def order_of_equals(ties: str, *, by_input: bool = True) -> Literal["docid", "docid-asc", "input"]:
    """Return how documents are ordered that nothing but a rule for ties tells apart."""
    if ties == "docid-asc":
        return "docid-asc"
    return "input" if ties == "input" and by_input else "docid"


QUERIES_NEEDED = (
    "need one of judged, both, a list of query ids, the path of a file of ids as pathlib.Path"
)
_ALWAYS_SHOWN = ("queries", "ties", "no_relevant")
_PLAIN = 2**63  # integers of less are written as they are
_NO_LIMIT = 2**62  # more documents than any ranking has


class RankingConventions(TypedDict, total=False):
    """The conventions of an evaluation that concern each ranking by itself, as keywords.

    The docstring of ``evaluate`` explains them. ``rel`` is a parameter of measures, but belongs to
    them wherever conventions are chosen.
    """

    ties: Ties
    """How tied documents are ordered."""
    no_relevant: NoRelevant
    """How a judged query without relevant documents counts."""
    depth: FromOne | None
    """The last rank that counts."""
    judged_only: Flag
    """Whether unjudged documents are removed."""
    drop_self: Flag
    """Whether documents whose id equals the query's id are removed."""
    precision: Precision
    """The precision of the scores by which documents are ranked."""
    rel: Finite | None
    """The lowest relevant label."""
    unit: Separator | None
    """What separates a document's id from the rest of a unit's id."""
    qrels_unit: Separator | None
    """The same in the ids of the judgments."""
    combine: Combining
    """How the scores of a document's units are combined."""
    unit_depth: FromOne | None
    """The number of units that count, before they are combined."""


class Declared(NamedTuple):
    """A convention of a whole evaluation, as options and configuration files offer it.

    Parameters
    ----------
    name
        The keyword of ``evaluate``.
    default
        Its default: a word, False for a flag, or None for no limit.
    words
        The words that it takes; empty for a flag, a text, and a number, which is whole and from 1.
    """

    name: str
    default: Any
    words: tuple[str, ...]
    metavar: str | None = None
    """What stands for a text in the help; None for what is no text."""

    @property
    def option(self) -> str:
        """The option of the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def is_flag(self) -> bool:
        """Whether it is either False or True."""
        return isinstance(self.default, bool)


def _option(words: Any = None, metavar: str | None = None) -> dict[str, Any]:
    """Describe a convention, a field of ``Conventions``; ``words`` is a Literal."""
    return {"words": get_args(words), "metavar": metavar}


@dataclass(frozen=True, slots=True)
class Conventions:
    """Which queries are averaged and how rankings are read.

    The docstring of ``evaluate`` explains the conventions, also for the command line.

    Parameters
    ----------
    queries
        ``"judged"``, ``"both"``, or query ids.
    ties, no_relevant, depth, judged_only, duplicates, drop_self, precision
        As for ``evaluate``.
    unit, qrels_unit, combine, unit_depth
        As for ``evaluate``.
    profile
        The name of the profile that some of these are from; None if there is none.
    of_measures
        (measure, conventions) for measures with conventions of their own, as in some profiles or
        as parameters of the measure; each is a tuple of (name, value).
    unwinnable
        Ids of queries that are left out, as a corpus has none of their relevant documents.

    Raises
    ------
    InputError
        If a value is invalid.
    """

    queries: Queries | tuple[str, ...] = field(default="judged", metadata=_option(Queries))
    ties: Ties = field(default="docid", metadata=_option(Ties))
    no_relevant: NoRelevant = field(default="zero", metadata=_option(NoRelevant))
    depth: FromOne | None = field(default=None, metadata=_option())
    judged_only: Flag = field(default=False, metadata=_option())
    duplicates: Duplicates = field(default="error", metadata=_option(Duplicates))
    drop_self: Flag = field(default=False, metadata=_option())
    precision: Precision = field(default="double", metadata=_option(Precision))
    unit: Separator | None = field(default=None, metadata=_option(metavar="SEPARATOR"))
    qrels_unit: Separator | None = field(default=None, metadata=_option(metavar="SEPARATOR"))
    combine: Combining = field(default="best", metadata=_option(metavar="WORD"))
    unit_depth: FromOne | None = field(default=None, metadata=_option())
    profile: str | None = None
    of_measures: tuple[tuple[Hashable, tuple[tuple[str, Any], ...]], ...] = ()
    unwinnable: tuple[str, ...] = ()
    unordered: Unordered | None = field(init=False, repr=False, compare=False)
    """The rule for ties if it gives them no order; otherwise None."""
    for_core: tuple[str, int, bool, bool, str, bool] = field(init=False, repr=False, compare=False)
    """The arguments of the core.

    The order of equal scores, depth, judged_only, drop_self, duplicates, and whether scores are
    rounded to single precision.
    """

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))
        object.__setattr__(self, "queries", queries_asked("queries", self.queries))
        object.__setattr__(self, "unordered", _UNORDERED.get(self.ties))
        object.__setattr__(self, "for_core", self._for_core())

    @classmethod
    def given(cls, *values: Any) -> Conventions:
        """Return conventions by their values, in order, from a cache for many small calls."""
        try:
            return _made(*values)
        except TypeError:  # an unhashable value, which is refused here
            return cls(*values)

    def of(self, measure: Hashable) -> Conventions:
        """Return the conventions of a measure: these, unless it has its own."""
        named: tuple[tuple[str, Any], ...] = getattr(measure, "own_conventions", ())
        own = next((own for one, own in self.of_measures if one == measure), named)
        changed = {name: value for name, value in own if getattr(self, name) != value}
        return replace(self, of_measures=(), **changed) if changed else self

    def ordered(self) -> Conventions:
        """Return the same, with tied documents by id unless they have another order."""
        if self.unordered is None and self.ties != "error":
            return self
        return replace(self, ties="docid")

    def refuses_ties(self, measures: Iterable[Hashable]) -> bool:
        """Return whether tied documents are refused for one of the measures at least."""
        return self.ties == "error" and any(self.of(one).ties == "error" for one in measures)

    def leave_out(self, measures: Sequence[Hashable]) -> list[bool]:
        """Return of which measures' means queries without a value are left out: (M,)."""
        skips = self.no_relevant == "skip"
        if not self.of_measures:
            return [skips or getattr(one, "may_lack_value", False) for one in measures]
        own = zip(measures, map(self.of, measures), strict=True)
        return [
            one.no_relevant == "skip"
            or one.queries != self.queries
            or getattr(measure, "may_lack_value", False)
            for measure, one in own
        ]

    def _for_core(self) -> tuple[str, int, bool, bool, str, bool]:
        order = order_of_equals(self.ties)
        depth, single = limit(self.depth), self.precision == "float32"
        return order, depth, self.judged_only, self.drop_self, self.duplicates, single

    def __str__(self) -> str:
        """Format the conventions on one line."""
        queries = self.queries if isinstance(self.queries, str) else f"{len(self.queries)} listed"
        line = f"queries={queries} ties={self.ties} no_relevant={self.no_relevant}"
        for one in DECLARED.values():
            value = getattr(self, one.name)
            if one.name not in _ALWAYS_SHOWN and value != one.default:
                line += f" {one.name}={value}"
        if self.unwinnable:
            line += " unwinnable=skip"
        if self.profile is not None:
            line = f"profile={self.profile} {line}"
        for own, names in self._own_by_value().items():
            line += f"; {', '.join(names)}: " + " ".join(f"{name}={value}" for name, value in own)
        return line

    def _own_by_value(self) -> dict[tuple[tuple[str, Any], ...], list[str]]:
        """Return the names of the measures that have the same conventions of their own.

        Those whose names say so are left out.
        """
        names: dict[tuple[tuple[str, Any], ...], list[str]] = {}
        for measure, own in self.of_measures:
            if own == getattr(measure, "own_conventions", ()):
                continue
            names.setdefault(own, []).append(str(measure))
        return names

    def to_dict(self) -> dict[str, Any]:
        """Return the conventions as values that JSON can represent."""
        queries = self.queries if isinstance(self.queries, str) else list(self.queries)
        profile = {} if self.profile is None else {"profile": self.profile}
        own = {str(measure): dict(own) for measure, own in self.of_measures}
        return {
            **{name: getattr(self, name) for name in DECLARED},
            "queries": queries,
            **profile,
            **({"of_measures": own} if own else {}),
            **({"unwinnable": "skip"} if self.unwinnable else {}),
        }


_CHECKS = checks_of(
    {one.name: (str(one.type), globals()) for one in fields(Conventions) if one.metadata}
)
_made = lru_cache(maxsize=256, typed=True)(Conventions)

DECLARED: dict[str, Declared] = {
    one.name: Declared(one.name, one.default, **one.metadata)
    for one in fields(Conventions)
    if one.metadata
}
"""The conventions of an evaluation by name, in the order in which they are shown."""


class Combination(NamedTuple):
    """How the scores of a document's units are combined.

    Parameters
    ----------
    how
        A word of ``Combine``.
    of_best
        The number of units of a document, the best first, that are combined; None for all.
    """

    how: Combine
    of_best: int | None


def combination(text: Any) -> Combination:
    """Read how units are combined: a word; of the two best units ``sum@2``, ``mean@2``, ``rrf@2``.

    Raises
    ------
    InputError
        If it is something else.
    """
    how, at, number = text.partition("@") if isinstance(text, str) else ("", "", "")
    of_best = int(number) if re.fullmatch("[1-9][0-9]{0,8}", number) else None
    is_whole = not at or (of_best is not None and how in {"sum", "mean", "rrf"})
    if how not in get_args(Combine) or not is_whole:
        raise InputError(
            f"combine is {shown(text)}",
            f"need one of {', '.join(get_args(Combine))}, or sum@m, mean@m or rrf@m for the m best "
            "units",
        )
    return Combination(cast("Combine", how), of_best)


def in_a_sentence(conventions: str) -> str:
    """Separate conventions by commas; those of some measures stay behind a semicolon."""
    return re.sub(r"(?<![,;:]) ", ", ", conventions)


def limit(number: int | None) -> int:
    """Convert a number of documents, None for all, for the core."""
    return _NO_LIMIT if number is None else min(number, _NO_LIMIT)


def queries_asked(name: str, given: Any) -> str | tuple[str, ...]:
    """Check which queries are averaged: a word, or ids, one at least; a list becomes a tuple."""
    if isinstance(given, str) and given not in get_args(Queries):
        raise InputError(f"{name} is {shown(given)}", QUERIES_NEEDED)
    asked = given if isinstance(given, (str, tuple)) else query_texts(given, name)
    if not asked:
        raise InputError(
            f"{name} is an empty list", "name one query at least, or give judged or both"
        )
    return asked


def query_text(query: Any, where: str) -> str:
    """Convert a query id to text.

    Raises
    ------
    InputError
        If it is neither text nor a whole number, or one with more digits than Python converts.
    """
    if isinstance(query, str):
        return str(query)
    if isinstance(query, float) and query.is_integer():
        query = int(query)
    if isinstance(query, (bool, float, Iterable)) or query is None:
        raise InputError(
            f"{shown(query)} is not an id", "ids are text or whole numbers", where=where
        )
    try:
        return str(query)
    except ValueError:
        if not isinstance(query, int):
            raise
        raise InputError(
            f"{shown(query)} is not an id", "give the id as text", where=where
        ) from None


def by_text(given: Mapping[Any, Any], where: str) -> dict[str, Any]:
    """Return a mapping whose ids are text.

    Raises
    ------
    DuplicateError
        If two of its ids have the same text.
    """
    found = {query_text(one, where): value for one, value in given.items()}
    if len(found) < len(given):
        several = Counter(query_text(one, where) for one in given).most_common(1)[0][0]
        raise DuplicateError(
            f"{several!r} appears twice", "keep one (1 and '1' are one id)", where=where
        )
    return found


def query_texts(queries: Any, where: str = "queries") -> tuple[str, ...]:
    """Convert a list of query ids to text; sort those of a set, which has no order of its own.

    Raises
    ------
    InputError
        If they are not several, or one cannot be converted.
    """
    is_one = isinstance(queries, (str, bytes)) or getattr(queries, "ndim", 1) == 0
    if is_one or not isinstance(queries, Iterable):
        raise InputError(f"{where} is {shown(queries)}", "need a list of query ids")
    plain = queries.tolist() if hasattr(queries, "tolist") else [*queries]
    if set(map(type, plain)) == {int} and min(plain) > -_PLAIN and max(plain) < _PLAIN:
        texts = tuple(map(str, plain))
    else:
        texts = tuple(query_text(query, where) for query in plain)
    return tuple(sorted(texts)) if isinstance(queries, AbstractSet) else texts
