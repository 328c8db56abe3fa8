"""The conventions of a whole evaluation: named, checked once, and shown with every result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from rankmark.errors import InputError, shown

Queries = Literal["judged", "both"]
Ties = Literal["docid", "docid-asc", "docid-up", "input", "rank", "mean", "best", "worst", "error"]
NoRelevant = Literal["zero", "skip", "one", "nan"]
Duplicates = Literal["error", "first", "best"]
Precision = Literal["double", "float32"]
_FILE = "the path of a file of ids as pathlib.Path"
_NO_LIMIT = 2**62  # more documents than any ranking holds


@dataclass(frozen=True, slots=True)
class Conventions:
    """How rankings are read and who is averaged, for ``evaluate`` and all that rests on it.

    Parameters
    ----------
    queries
        Who is averaged: every judged query, one without a ranking counting 0 (``"judged"``, as
        ``trec_eval -c``); those that the run answers as well (``"both"``); or a list of query ids.
    ties
        The order of documents with equal scores: by id, descending in byte order (``"docid"``, as
        trec_eval) or ascending (``"docid-asc"``, also called ``"docid-up"``); as given
        (``"input"``); ``"error"`` refuses ties of judged documents. ``"rank"`` trusts the file's
        rank column instead of its scores. Or no order: the expected value over all (``"mean"``), or
        each measure's value in the order that is best or worst for it (``"best"``, ``"worst"``).
    no_relevant
        The value of a judged query in which nothing is relevant: 0 (``"zero"``), 1 (``"one"``),
        NaN (``"nan"``), or no value, so that it is left out of the mean (``"skip"``).
    depth
        Ranks beyond it are not there, after sorting; None for whole rankings. At least 1.
    judged_only
        Then, rank the judged documents alone, as if the others had not been retrieved
        (condensed lists).
    duplicates
        A document twice in one ranking: refused (``"error"``); or the first row counts
        (``"first"``), or the one with the best score, the first of these (``"best"``).
    drop_self
        Rank as if a document whose id is its query's id had not been retrieved, as BEIR does where
        queries are documents of the collection. Judgments stay as they are.
    precision
        Scores as given (``"double"``), or rounded to single precision before anything is ranked
        (``"float32"``), as trec_eval 9 and what is built on it hold them.

    Raises
    ------
    InputError
        If a value is none of those.
    """

    queries: Queries | tuple[str, ...] = "judged"
    ties: Ties = field(default="docid", compare=False)
    no_relevant: NoRelevant = "zero"
    depth: int | None = None
    judged_only: bool = False
    duplicates: Duplicates = "error"
    drop_self: bool = False
    precision: Precision = "double"
    _ties: str = field(init=False, repr=False)  # by which conventions are compared

    def __post_init__(self) -> None:
        if isinstance(self.queries, str):
            _check("queries", self.queries, (*get_args(Queries), "a list of query ids", _FILE))
        _check("ties", self.ties, get_args(Ties))
        object.__setattr__(self, "_ties", one_word(self.ties))
        _check("no_relevant", self.no_relevant, get_args(NoRelevant))
        _check("duplicates", self.duplicates, get_args(Duplicates))
        _check("precision", self.precision, get_args(Precision))
        if self.depth is not None:
            object.__setattr__(self, "depth", whole("depth", self.depth))
        for name in ("judged_only", "drop_self"):
            value = getattr(self, name)
            if type(value).__name__ not in {"bool", "bool_"}:
                raise InputError(f"{name} is {shown(value)}; need True or False")
            object.__setattr__(self, name, bool(value))
        if not self.queries:
            raise InputError("queries lists no query; name one at least, or judged, or both")

    def for_core(self) -> tuple[str, int, bool, bool, str, bool]:
        """Return what the core asks for.

        The order of equal scores, depth, judged_only, drop_self, duplicates, and whether scores
        are rounded to single precision.
        """
        order = self._ties if self._ties in {"docid-up", "input"} else "docid"
        depth, single = limit(self.depth), self.precision == "float32"
        return order, depth, self.judged_only, self.drop_self, self.duplicates, single

    def __str__(self) -> str:
        """Write the conventions on one line."""
        queries = self.queries if isinstance(self.queries, str) else f"{len(self.queries)} listed"
        line = f"queries={queries} ties={self.ties} no_relevant={self.no_relevant}"
        if self.depth is not None:
            line += f" depth={self.depth}"
        if self.judged_only:
            line += " judged_only=True"
        if self.drop_self:
            line += " drop_self=True"
        if self.duplicates != "error":
            line += f" duplicates={self.duplicates}"
        if self.precision != "double":
            line += f" precision={self.precision}"
        return line

    def to_dict(self) -> dict[str, Any]:
        """Write the conventions as JSON knows them."""
        queries = self.queries if isinstance(self.queries, str) else list(self.queries)
        return {
            "queries": queries,
            "ties": self.ties,
            "no_relevant": self.no_relevant,
            "depth": self.depth,
            "judged_only": self.judged_only,
            "duplicates": self.duplicates,
            "drop_self": self.drop_self,
            "precision": self.precision,
        }


def one_word(ties: str) -> str:
    """Return the word that the core knows for a rule that has two."""
    return "docid-up" if ties == "docid-asc" else ties


def limit(number: int | None) -> int:
    """Return a number of documents, None for all, as the core takes it."""
    return _NO_LIMIT if number is None else min(number, _NO_LIMIT)


def whole(name: str, value: Any) -> int:
    """Return a whole number from 1, of whatever type, or raise InputError."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = 0
    if number < 1 or isinstance(value, (bool, str)) or number != value:
        raise InputError(f"{name} is {shown(value)}; need a whole number from 1, or None")
    return number


def query_text(query: Any, where: str) -> str:
    """Return a query id that a caller names as text: what ``str`` makes of it.

    Raises
    ------
    InputError
        If it is a whole number of more digits than Python writes.
    """
    if isinstance(query, str):
        return str(query)
    try:
        return str(query)
    except ValueError:
        if not isinstance(query, int):
            raise
        raise InputError(f"{where}: {shown(query)} is no id; give the id as text") from None


def _check(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(allowed)
        raise InputError(f"{name} is {shown(value)}; need one of {choices}")
