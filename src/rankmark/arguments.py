"""Kinds of arguments, declared once in the signature of a verb and checked before it runs.

A parameter is annotated with a kind, such as ``Share``, or with a ``Literal`` of words; ``checked``
turns what was given into what the verb works with, and the command makes its option of it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, get_annotations, signature
from numbers import Integral, Real
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, cast, get_args, get_origin

from rankmark.errors import InputError, RankmarkError, from_here, shown
from rankmark.named_tuples import NamedTuple

P = ParamSpec("P")
T = TypeVar("T")

COSTS = ("tokens", "characters", "words", "bytes", "seconds", "cost")
"""What documents may cost; ``cost`` is money, or anything else."""
_MOST_DRAWS = 2**29 - 1  # NumPy draws without replacement from no more than 10^9


def quoted(text: str) -> str:
    """Write a text so that it can be read again, even if it contains quotes, as names may."""
    if '"' in text and "'" not in text and "\\" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'


def whole(name: str, value: Any) -> int:
    """Convert a whole number from 1, or raise InputError."""
    if type(value) is int and value > 0:  # as in most calls, which may be small
        return value
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = 0
    if number < 1 or isinstance(value, (bool, str)) or number != value:
        raise InputError(f"{name} is {shown(value)}", "need a whole number from 1")
    return number


def is_finite_number(value: Any) -> bool:
    """Return whether this is a finite number, which truth values and text are not."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of more than 308 digits
        return False


def from_zero(name: str, value: Any, most: int | None = None) -> int:
    """Convert a whole number from 0, or raise InputError."""
    try:
        number = 0 if type(value) is not str and str(value) == "0" else whole(name, value)
    except InputError:
        number = -1
    if number < 0 or (most is not None and number > most):
        upto = "" if most is None else f" to {most}"
        raise InputError(f"{name} is {shown(value)}", f"need a whole number from 0{upto}")
    return number


def number_of_draws(resamples: Any) -> int:
    """Return how often something is drawn: at least once, and no more often than it can be."""
    if whole("resamples", resamples) > _MOST_DRAWS:
        raise InputError(f"resamples is {resamples}", f"need at most {_MOST_DRAWS:,}")
    return int(resamples)


def seed_of(seed: Any) -> int:
    """Return the seed, or one drawn by chance, so that results can say which it was."""
    if seed is None:
        import secrets  # noqa: PLC0415  (rarely needed)

        return secrets.randbits(32)
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= int(seed) < 2**64:
        raise InputError(
            f"seed is {shown(seed)}", "need a whole number from 0 to 2**64 - 1, or None"
        )
    return int(seed)


def share(name: str, value: Any) -> float:
    """Return a number, which must be above 0 and below 1."""
    number = as_number(value)
    if not 0 < number < 1:
        raise InputError(f"{name} is {shown(value)}", "need a number above 0 and below 1")
    return number


def part(name: str, value: Any) -> float:
    """Return a number from 0 to 1."""
    number = as_number(value)
    if not 0 <= number <= 1:
        raise InputError(f"{name} is {shown(value)}", "need a number from 0 to 1")
    return number


def as_number(value: Any) -> float:
    """Return a number as a float; NaN for what is none."""
    if isinstance(value, (bool, str, bytes)):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def above_zero(name: str, value: Any) -> float:
    """Return a finite number, which must be above 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 < value <= sys.float_info.max:
        raise InputError(f"{name} is {shown(value)}", "need a number above 0")
    return float(value)


def finite(name: str, value: Any) -> float:
    """Refuse what is not a finite number."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not abs(value) <= sys.float_info.max:
        raise InputError(f"{name} is {shown(value)}", "need a finite number")
    return cast("float", value)


def flag(name: str, value: object) -> bool:
    """Return True or False, also of NumPy's."""
    if value is True or value is False:
        return value
    if type(value).__name__ not in {"bool", "bool_"}:
        raise InputError(f"{name} is {shown(value)}", "need True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    """Refuse what is not text."""
    if not isinstance(value, str):
        raise InputError(f"{name} is {shown(value)}", "need text")
    return value


def one_of(name: str, value: Any, *known: str) -> None:
    """Refuse a word that is none of those known."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{name} is {shown(value)}", f"need one of {', '.join(known)}")


def names(name: str, given: Any) -> list[str] | None:
    """Return a list of names, of which one may stand alone."""
    if given is None or isinstance(given, str):
        return None if given is None else [given]
    is_list = isinstance(given, Iterable) and getattr(given, "ndim", 1) == 1
    found = [*given] if is_list and not isinstance(given, (bytes, Mapping, type)) else [None]
    if not all(isinstance(one, (str, Integral)) for one in found):
        raise InputError(f"{name} is {shown(given)}", "need a name, or a list of names")
    return [*map(str, found)]


def roles(name: str, given: Any) -> Any:
    """Refuse names of columns that are not by role."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(
            f"{name} is {shown(given)}",
            "need {role: name}, such as {'query_id': 'user', 'doc_id': 'film'}",
        )
    return given


def function(name: str, given: Any) -> Any:
    """Refuse what cannot be called."""
    if not callable(given):
        raise InputError(f"{name} is {shown(given)}", "need a function")
    return given


def names_in(given: Iterable[str] | str | None) -> list[str] | None:
    """Return an argument of the kind ``Names``, of which it has made a list."""
    return cast("list[str] | None", given)


def filled(value: T | None) -> T:
    """Return an argument for which its kind has filled in a value where None was given."""
    return cast("T", value)


class Kind(NamedTuple):
    """What an argument may be.

    Attributes
    ----------
    check
        Returns what the verb works with, of the name of the parameter and what was given, or
        raises InputError.
    option
        What click needs to know of the option of the command, such as ``multiple``.
    """

    check: Callable[[str, Any], Any]
    option: Mapping[str, Any] = {}


Seed = Annotated[int | None, Kind(lambda _, given: seed_of(given), {"least": 0, "most": 2**64 - 1})]
"""None stands for a seed that is drawn, which the verb gets."""
Draws = Annotated[int, Kind(lambda _, given: number_of_draws(given), {"least": 1})]
Share = Annotated[float, Kind(share, {"above": 0, "below": 1})]
Part = Annotated[float, Kind(part, {"type": float})]
AboveZero = Annotated[float, Kind(above_zero, {"above": 0})]
Finite = Annotated[float, Kind(finite, {"type": float})]
FromOne = Annotated[int, Kind(whole, {"least": 1})]
FromZero = Annotated[int, Kind(from_zero, {"least": 0})]
Flag = Annotated[bool, Kind(flag)]
Text = Annotated[str, Kind(text)]
Name = Annotated[
    str, Kind(lambda name, given: text(name, str(given) if type(given) is int else given))
]
"""A whole number is one, too, as in tables."""
Names = Annotated[Iterable[str] | str | None, Kind(names, {"multiple": True, "metavar": "NAME"})]
"""The verb gets a list, or None."""
Columns = Annotated[Mapping[str, Any] | None, Kind(roles)]
"""The names of columns by role."""
KINDS: dict[str, Kind] = {
    name: get_args(kind)[1] for name, kind in [*globals().items()] if get_origin(kind) is Annotated
}
"""The kinds that several verbs have, by name, for the options of their commands."""


def checks_of(annotations: Mapping[str, tuple[str, Mapping[str, Any]]]) -> dict[str, Check]:
    """Return the checks of what is annotated with a kind, or with a ``Literal``.

    Parameters
    ----------
    annotations
        {name: (annotation, what the module of the annotation has)}. The annotation is the name of a
        kind or a ``Literal``, with or without ``| None``; other types have no check.
    """
    found = {name: check_of(*annotated) for name, annotated in annotations.items()}
    return {name: check for name, check in found.items() if check is not None}


def check_of(annotation: str, known: Mapping[str, Any]) -> Check | None:
    """Return the check of an annotation, by the names that its module has; None if it has none."""
    words = {*annotation.split(" | ")}
    kind = known.get(*words - {"None"}) if len(words - {"None"}) == 1 else None
    if get_origin(kind) is Literal:
        return Check(_one_of(get_args(kind)), may_be_none="None" in words)
    if get_origin(kind) is Annotated:
        return Check(get_args(kind)[1].check, may_be_none="None" in words)
    return None


class Check(NamedTuple):
    """What an argument may be, and whether it may be None instead."""

    of: Callable[[str, Any], Any]
    may_be_none: bool

    def __call__(self, name: str, given: Any) -> Any:
        """Return what an argument stands for, or raise InputError."""
        return given if given is None and self.may_be_none else self.of(name, given)


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Check the arguments of a verb by the kinds in its signature, and pass on what they stand for.

    So are those of its ``**options: Unpack[...]``, by the annotations of the TypedDict. Arguments
    of other types are left to the verb. ``inspect.signature`` shows the types that callers may
    give. Errors begin where the verb was called.

    Raises
    ------
    TypeError
        If the verb has no keyword of this name.
    InputError
        If an argument is not of its kind, or contains itself.
    """
    declared, own = signature(function), vars(sys.modules[function.__module__])
    annotations = {name: (str(one.annotation), own) for name, one in declared.parameters.items()}
    for takes in {*map(str, function.__annotations__.values())}:
        if not takes.startswith("Unpack["):
            continue
        for name, option in get_annotations(own[takes[7:-1]]).items():
            if name not in function.__annotations__:
                written, _ = annotations.get(name, (option.__forward_arg__, own))
                annotations[name] = written, vars(sys.modules[option.__forward_module__])
    checks = checks_of(annotations)
    by_place = [
        (at, name)
        for at, (name, one) in enumerate(declared.parameters.items())
        if name in checks
        and one.kind in {Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD}
    ]
    defaults = {
        name: default
        for name, default in (function.__kwdefaults__ or {}).items()
        if name in checks and not _stands_for_itself(checks[name](name, default), default)
    }

    def meant(given: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
        """Return what the arguments stand for."""
        for name, value in options.items():
            check = checks.get(name)
            if check is not None:
                if value is not None or not check[1]:
                    options[name] = check[0](name, value)
            elif name not in annotations:
                raise _unexpected(function, name, annotations)
        for name, default in defaults.items():
            if name not in options:
                options[name] = checks[name](name, default)
        for at, name in by_place:
            if at < len(given):
                given = (*given[:at], checks[name](name, given[at]), *given[at + 1 :])
        return given, options

    is_more = bool(defaults or by_place)

    @wraps(function)
    def verb(*given: P.args, **options: P.kwargs) -> T:
        try:
            if options or is_more:  # small calls have nothing to check
                given, options = meant(given, options)
            return function(*given, **options)
        except RankmarkError as error:
            raise from_here(error)  # noqa: B904  (its own cause stays)
        except RecursionError as error:
            raise InputError(
                "an argument is nested too deeply, or contains itself", "give it without levels"
            ) from error

    verb.__signature__ = declared.replace(  # type: ignore[attr-defined]
        parameters=[
            one.replace(annotation=_as_callers_see(*annotations[name]))
            for name, one in declared.parameters.items()
        ]
    )
    return verb


def _stands_for_itself(found: Any, default: Any) -> bool:
    return type(found) is type(default) and bool(found == default)


def _one_of(words: tuple[str, ...]) -> Callable[[str, Any], Any]:
    def check(name: str, given: Any) -> Any:
        if not isinstance(given, str) or given not in words:
            one_of(name, given, *words)
        return given

    return check


def _as_callers_see(annotation: str, known: Mapping[str, Any]) -> str:
    word, optional, others = annotation.partition(" | None")
    if get_origin(known.get(word)) is not Annotated:
        return annotation
    plain = get_args(known[word])[0]
    name = plain.__name__ if isinstance(plain, type) else str(plain)
    return name.replace("collections.abc.", "") + optional + others


def _unexpected(function: Callable[..., Any], name: str, known: Iterable[str]) -> TypeError:
    """Return Python's error for an unknown keyword, with the most similar one."""
    from difflib import get_close_matches  # noqa: PLC0415  (rarely needed)

    similar = get_close_matches(name, known, 1)
    meant = f". Did you mean {similar[0]!r}?" if similar else ""
    called = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    return TypeError(f"{called}() got an unexpected keyword argument {name!r}{meant}")
