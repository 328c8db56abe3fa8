"""Formulas with parameters, their checks, and the notation of names: NAME(parameter=value)@k."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from inspect import Parameter, signature
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast, overload

from rankmark.arguments import COSTS, quoted, whole
from rankmark.errors import InputError, MeasureError, shown


def choice(name: str, value: object, *allowed: str) -> None:
    """Refuse words that are not allowed."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(f'"{word}"' for word in allowed)
        raise InputError(f"{name} is {shown(value)}", f"need one of {words}")


NUMBER = r"-?[^\s(),@-]+"
"""A cutoff; it has no hyphen inside, which would begin ranx's -l2."""


class NotationError(Exception):
    """An invalid name: what was found, the position in the text, from 0, and what to do."""

    def __init__(
        self, found: str, at: int, remedy: str = "write NAME(parameter=value, ...)@k"
    ) -> None:
        super().__init__(found)
        self.found = found
        self.at = at
        self.remedy = remedy


def cutoff_in(digits: str | None, at: int) -> int:
    """Read a cutoff."""
    if digits is None:
        raise NotationError("the cutoff is missing", at, "need a whole number from 1")
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 18:
        raise NotationError(f"the cutoff is {shown(digits)}", at, "need a whole number from 1")
    return int(digits)


class Budget(NamedTuple):
    """A cutoff by what documents cost: those that fit, in the order of their ranks.

    Parameters
    ----------
    cost
        What is added up, one of ``COSTS``.
    most
        How much of it there is, above 0.
    rule
        ``"stop"``: the first document that does not fit ends the list; ``"skip"``: it is left out,
        and others may fit; ``"cut"``: the part of it that fits counts, of spans.
    """

    cost: str
    most: float
    rule: str = "stop"

    @classmethod
    def of(cls, given: Any, *rules: str) -> Budget:
        """Read a budget, such as tokens(1000) or tokens(1000, skip), or raise ValueError."""
        found = given
        if not isinstance(found, cls):
            if not isinstance(given, str):
                raise TypeError
            read = re.fullmatch(r"(\w+) *\( *([\d.e+-]+) *(?:, *(\w+) *)?\)", given.strip())
            if read is None:
                raise ValueError(given)
            found = cls(read[1], float(read[2]), read[3] or "stop")
        if found.cost not in COSTS or not 0 < found.most < math.inf or found.rule not in rules:
            raise ValueError(given)
        return found

    def __str__(self) -> str:
        rule = "" if self.rule == "stop" else f", {self.rule}"
        return f"{self.cost}({_written(float(self.most))}{rule})"

    def fits(self, spent: Any) -> Any:
        """Return whether a sum is within the budget, or above it by no more than rounding."""
        return spent <= self.most * (1 + 1e-9)


class Notation:
    """A parser of names, at position ``at``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at: int = 0

    def value(self) -> Any:
        """Read a quoted text, a mapping {a: b, ...}, a list [a, ...], a number or a word."""
        if self.take("{"):
            return self._mapping()
        if self.take("["):
            return self._list()
        return self._scalar()

    def _scalar(self) -> Any:
        """Read a quoted text, a number or a word."""
        at = self.skip_blanks()
        if found := self.match(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"):
            return re.sub(rf"\\([{found[0]}\\])", r"\1", found[1:-1])
        word = self.match(r"[^\s,(){}\[\]=:@\"']+")
        if not word:
            raise NotationError("expected a value", at)
        try:
            return float(word) if not word.isdecimal() else int(word)
        except ValueError:
            return word

    def parameters(self) -> Iterator[tuple[str, Any, int]]:
        """Read (name=value, ...) if present: name, value, and the position of the name."""
        if not self.take("("):
            return
        while not self.take(")"):
            at = self.skip_blanks()
            name = self.match(r"\w+")
            if not name or not self.take("="):
                raise NotationError("expected parameter=value or )", self.at)
            yield name, self.value(), at
            if not self.take(",") and not self.text.startswith(")", self.skip_blanks()):
                raise NotationError("expected , or )", self.at)

    def _mapping(self) -> dict[Any, Any]:
        pairs: dict[Any, Any] = {}
        while not self.take("}"):
            key = self._scalar()
            if not self.take(":"):
                raise NotationError("expected label: gain", self.at)
            if key in pairs:
                raise NotationError(f"label {key} is given twice", self.at, "keep one of the two")
            pairs[key] = self._scalar()
            if not self.take(",") and not self.text.startswith("}", self.skip_blanks()):
                raise NotationError("expected , or }", self.at)
        return pairs

    def _list(self) -> list[Any]:
        values: list[Any] = []
        while not self.take("]"):
            values.append(self._scalar())
            if not self.take(",") and not self.text.startswith("]", self.skip_blanks()):
                raise NotationError("expected , or ]", self.at)
        return values

    def cutoff(self) -> int | None:
        """Read @k if present."""
        if not self.take("@"):
            return None
        at = self.skip_blanks()
        digits = self.match(NUMBER)
        if digits in COSTS:
            raise NotationError(f"{digits} has no amount", at, f"write {digits}(1000)")
        return cutoff_in(digits, at)

    def budget(self) -> tuple[str, int] | None:
        """Read @tokens(1000) if present; return it without @, with its position."""
        found = self.match(r"\s*@\s*[^\W\d]\w*\s*\([^()@]*\)")
        if found is None:
            return None
        text = found.replace("@", " ").strip()
        return text, self.at - len(text)

    def another(self) -> tuple[str, int] | None:
        """Read another cutoff, ", k", if present; return it with its position."""
        number = self.match(r"\s*,\s*(?:[0-9]*\.)?[0-9]+(?=\s*(?:,|$))")
        if number is None:
            return None
        digits = number.replace(",", "").strip()
        return digits, self.at - len(digits)

    def skip_blanks(self) -> int:
        """Skip blanks, and return the position after them."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at

    def match(self, pattern: str) -> str | None:
        """Read what matches a pattern, if it does."""
        found = re.compile(pattern).match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def take(self, mark: str) -> bool:
        """Read a mark and any blanks before it, if present; return whether it was."""
        if not self.text.startswith(mark, self.skip_blanks()):
            return False
        self.at += len(mark)
        return True

    def end(self) -> None:
        """Refuse any text that is left."""
        if self.skip_blanks() < len(self.text):
            raise NotationError(f"did not expect {shown(self.text[self.at :])}", self.at)


_BEHIND_AT = "k", "budget"
AnyFormula = TypeVar("AnyFormula", bound="Formula")


class Formula(ABC):
    """A formula with its parameters: compared, hashed and printed by value.

    ``RBO(p=0.98) @ 10`` sets a parameter and the cutoff. It is the base of dataclasses.

    Attributes
    ----------
    name
        Its name in lists and on the command line.
    over
        The function; its keywords are the parameters, ``k`` the cutoff.
    given
        The parameters that differ from their defaults.
    shown
        Parameters that ``str()`` includes even if they have their defaults.
    """

    __slots__ = ()

    has_cutoff: ClassVar[bool] = True
    """Whether ``k`` is a cutoff, which is written as ``@k``, and not a parameter like others."""

    name: str
    over: Callable[..., Any]
    given: tuple[tuple[str, Any], ...]
    shown: tuple[str, ...]

    @abstractmethod
    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse values that parameters cannot have, by InputError."""

    def with_given(self, given: tuple[tuple[str, Any], ...]) -> Self:
        """Return the same formula with other parameters."""
        return replace(cast(Any, self), given=given)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters with their values, in the order in which they are declared."""
        return _declared(self.over) | dict(self.given)

    def __call__(self, **parameters: Any) -> Self:
        """Choose parameters; see ``choose``."""
        return self.choose(**parameters)

    def choose(self, **parameters: Any) -> Self:
        """Choose parameters.

        Raises
        ------
        InputError
            If a parameter does not exist, or its value is invalid.
        """
        declared = _declared(self.over)
        for name in parameters:
            if name not in declared:
                is_cutoff = name == "k" and self.has_cutoff
                what = "cutoff" if is_cutoff else f"parameter {name!r}"
                raise InputError(f"{self.name} has no {what}", f"it takes {', '.join(declared)}")
        if parameters.get("budget") is not None:
            parameters["budget"] = self._budget(parameters["budget"])
        if self.has_cutoff and parameters.get("k") is not None:
            parameters["k"] = whole("k", parameters["k"])
        chosen = self.parameters | parameters
        self.check(chosen)
        return self.with_given(
            tuple((name, chosen[name]) for name in declared if chosen[name] != declared[name])
        )

    def _budget(self, given: Any) -> Budget:
        try:
            return Budget.of(given, "stop", "skip", "cut")
        except (ValueError, TypeError):
            raise InputError(
                f"budget is {shown(given)}",
                'need a unit and how much of it, such as "tokens(1000)", "tokens(1000, skip)" to '
                'go on behind what does not fit, or "tokens(1000, cut)" to take a part of it; '
                f"units are {', '.join(COSTS)}",
            ) from None

    def at(self, k: int | Iterable[int]) -> Self | tuple[Self, ...]:
        """Set the cutoff; several cutoffs return a tuple."""
        try:
            cutoffs = None if isinstance(k, (str, bytes)) else list(k)  # type: ignore[arg-type]
        except TypeError:  # a number
            cutoffs = None
        if cutoffs is None:
            return self._at(k)
        return tuple(map(self._at, cutoffs))

    def _at(self, cutoff: Any) -> Self:
        is_budget = isinstance(cutoff, str) and "(" in cutoff
        return self.choose(**{"budget" if is_budget else "k": cutoff})

    @overload
    def __matmul__(self, k: int) -> Self: ...
    @overload
    def __matmul__(self, k: Iterable[int]) -> tuple[Self, ...]: ...
    def __matmul__(self, k: int | Iterable[int]) -> Self | tuple[Self, ...]:
        """Set the cutoff, ``RBO @ 10``; several cutoffs, ``RBO @ [5, 10]``, return a tuple."""
        return self.at(k) if self.has_cutoff else NotImplemented

    def __str__(self) -> str:
        """Format the name, parameters that differ from their defaults, and the cutoff."""
        cutoffs = [dict(self.given).get(name) for name in _BEHIND_AT if self.has_cutoff]
        inside = ", ".join(
            f"{name}={_written(value)}"
            for name, value in self.parameters.items()
            if not (name in _BEHIND_AT and self.has_cutoff)
            and (name in self.shown or name in dict(self.given))
        )
        named = self.name + (f"({inside})" if inside else "")
        return named + "".join(f"@{one}" for one in cutoffs if one is not None)

    def __repr__(self) -> str:
        return str(self)


@cache
def _declared(over: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters of a formula with their defaults."""
    declared = signature(over).parameters.values()
    return {each.name: each.default for each in declared if each.kind is Parameter.KEYWORD_ONLY}


def _written(value: Any) -> str:
    if callable(value):
        return str(value.__name__)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return quoted(value) if isinstance(value, str) else str(value)


def as_formulas(
    requested: Iterable[Any] | Any,
    named: Callable[[Any], tuple[AnyFormula, ...]],
    what: str,
    example: str,
) -> tuple[AnyFormula, ...]:
    """Return the requested formulas in order, without duplicates.

    Parameters
    ----------
    requested
        A name or a formula, or several, also in groups.
    named
        Finds those that a name stands for.
    what, example
        What they are, and a name, for the error if there are none.

    Raises
    ------
    MeasureError
        If none is requested.
    """
    is_one = isinstance(requested, str) or getattr(requested, "ndim", 1) == 0
    if is_one or not isinstance(requested, Iterable):
        requested = (requested,)
    groups = (entry if isinstance(entry, (tuple, list)) else (entry,) for entry in requested)
    found = tuple(dict.fromkeys(one for group in groups for name in group for one in named(name)))
    if not found:
        raise MeasureError(f"no {what} was requested", f"name one, such as {example}")
    return found


def formulas_in(text: str, known: Mapping[str, AnyFormula], what: str) -> tuple[AnyFormula, ...]:
    """Read names with parameters and cutoffs: ``tau@5,10`` or ``tau@10, RBO(p=0.9)``.

    Parameters
    ----------
    known
        The formulas by their names in lower case.
    what
        What they are, for messages.

    Raises
    ------
    MeasureError
        If a name is unknown, or a parameter is invalid.
    """
    reader = Notation(text)
    try:
        found = _read(reader, known, what)
        while reader.take(","):
            found += _read(reader, known, what)
        reader.end()
    except NotationError as error:
        where = f"{what} {shown(text)}, position {error.at + 1}"
        raise MeasureError(error.found, error.remedy, where=where) from None
    except InputError as error:
        raise MeasureError(error.found, error.remedy, where=error.where) from None
    return tuple(dict.fromkeys(found))


def _read(reader: Notation, known: Mapping[str, AnyFormula], what: str) -> list[AnyFormula]:
    """Read a name with all its cutoffs."""
    start = reader.skip_blanks()
    word = reader.match(r"[^\W\d]\w*") or ""
    found = known.get(word.lower())
    if found is None:
        from difflib import get_close_matches  # noqa: PLC0415  (rarely needed)

        near = [known[one].name for one in get_close_matches(word.lower(), known, 1)]
        meant = f"did you mean {near[0]}? " if near else ""
        names = ", ".join(dict.fromkeys(formula.name for formula in known.values()))
        raise NotationError(f"unknown {what} {shown(word)}", start, f"{meant}choose from {names}")
    parameters: dict[str, object] = {}
    for parameter, value, at in reader.parameters():
        _set(found, parameters, parameter, _boolean(value), at)
    budget = reader.budget()
    at = reader.at
    k = reader.cutoff() if found.has_cutoff else None
    if k is not None:
        _set(found, parameters, "k", k, at)
    if budget := budget or reader.budget():
        _set(found, parameters, "budget", *budget)
    several = [found.choose(**parameters)]
    if not found.has_cutoff:
        return several
    while another := reader.another():
        digits, at = another
        if k is None:
            raise NotationError(
                f"{shown(digits)} follows no cutoff", at, f"write {found.name}@{digits[:18]}"
            )
        several.append(several[0].choose(k=cutoff_in(digits, at)))
    return several


def _boolean(value: object) -> object:
    """Convert the words True and False."""
    words = {"true": True, "false": False}
    return words.get(value.lower(), value) if isinstance(value, str) else value


def _set(found: Formula, parameters: dict[str, object], name: str, value: object, at: int) -> None:
    if name in parameters:
        raise NotationError(f"{name} is given twice", at, "keep one of the two")
    try:
        found.choose(**{name: value})
    except (InputError, MeasureError) as error:
        raise NotationError(error.found, at, error.remedy or "") from None
    parameters[name] = value
