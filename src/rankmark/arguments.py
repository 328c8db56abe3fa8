"""Kinds of arguments, declared once in the signature of a verb and checked before it runs.

A parameter is annotated with a kind, such as ``Share``, or with a ``Literal`` of words; ``checked``
turns what was given into what the verb works with, and the command makes its option of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from os import PathLike
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeVar,
    cast,
    get_args,
    get_origin,
)

from rankmark.errors import InputError, RankmarkError, from_here, shown

P = ParamSpec("P")
T = TypeVar("T")

_MOST_DRAWS = 2**29 - 1  # NumPy draws without replacement from no more than 10^9


def whole(name: str, value: Any) -> int:
    """Convert a whole number from 1, or raise InputError."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = 0
    if number < 1 or isinstance(value, (bool, str)) or number != value:
        raise InputError(f"{name} is {shown(value)}", "need a whole number from 1, or None")
    return number


def from_zero(name: str, value: Any, most: int | None = None) -> int:
    """Convert a whole number from 0, or raise InputError."""
    try:
        number = 0 if type(value) is not str and str(value) == "0" else whole(name, value)
    except InputError:
        number = -1
    if number < 0 or (most is not None and number > most):
        upto = "" if most is None else f" to {most}"
        raise InputError(f"{name} is {shown(value)}", f"need a whole number from 0{upto}, or None")
    return number


def positive(name: str, value: Any) -> int:
    """Return a whole number, which must be at least 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < 1:
        raise InputError(f"{name} is {shown(value)}", "need a whole number of at least 1")
    return int(value)


def number_of_draws(resamples: Any) -> int:
    """Return how often something is drawn: at least once, and no more often than it can be."""
    if positive("resamples", resamples) > _MOST_DRAWS:
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
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise InputError(f"{name} is {shown(value)}", "need a number above 0 and below 1")
    return float(value)


def above_zero(name: str, value: Any) -> float:
    """Return a finite number, which must be above 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 < value <= sys.float_info.max:
        raise InputError(f"{name} is {shown(value)}", "need a number above 0")
    return float(value)


def one_of(name: str, value: Any, *known: str) -> None:
    """Refuse a word that is none of those known."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{name} is {shown(value)}", f"need one of {', '.join(known)}")


def flag(name: str, value: Any) -> bool:
    """Return True or False, and refuse other values."""
    if type(value).__name__ not in {"bool", "bool_"}:
        raise InputError(f"{name} is {shown(value)}", "need True or False")
    return bool(value)


def names(name: str, given: Any) -> list[str] | None:
    """Return a list of names, of which one may stand alone."""
    if given is None or isinstance(given, str):
        return None if given is None else [given]
    is_list = isinstance(given, Iterable) and getattr(given, "ndim", 1) == 1
    if not is_list or isinstance(given, (bytes, Mapping)):
        raise InputError(f"{name} is {shown(given)}", "need a name, or a list of names")
    return [*map(str, given)]


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


def _or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, given: None if given is None else check(name, given)


Seed = Annotated[int | None, Kind(lambda _, given: seed_of(given), {"least": 0, "most": 2**64 - 1})]
"""None stands for a seed that is drawn, which the verb gets."""
Draws = Annotated[int, Kind(lambda _, given: number_of_draws(given), {"least": 1})]
Share = Annotated[float, Kind(share, {"above": 0, "below": 1})]
AboveZero = Annotated[float, Kind(above_zero, {"above": 0})]
Count = Annotated[int, Kind(positive, {"least": 1})]
FromZero = Annotated[int, Kind(from_zero, {"least": 0})]
Flag = Annotated[bool, Kind(flag)]
Threads = Annotated[int, Kind(whole, {"least": 1})]
Top = Annotated[int, Kind(whole, {"least": 1})]
Names = Annotated[Iterable[str] | str | None, Kind(names, {"multiple": True, "metavar": "NAME"})]
"""The verb gets a list, or None."""
Columns = Annotated[Mapping[str, str] | None, Kind(lambda _, given: given)]
KINDS: dict[str, Kind] = {
    name: get_args(kind)[1] for name, kind in [*globals().items()] if get_origin(kind) is Annotated
}
"""The kinds that several verbs have, by name, for the options of their commands."""


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Check the arguments of a verb by the kinds in its signature, and pass on what they stand for.

    An annotation is the name of a kind, or of a ``Literal``, that the module has when it runs, with
    or without ``| None``; arguments of other types are left to the verb. ``inspect.signature``
    shows the types that callers may give.

    Raises
    ------
    TypeError
        If the verb has no keyword of this name.
    InputError
        If an argument is not of its kind, or ``typed`` refuses it.
    """
    declared, known = signature(function), vars(sys.modules[function.__module__])
    checks = {}
    for name, parameter in declared.parameters.items():
        if check := check_of(str(parameter.annotation), known):
            checks[name] = check
    places = {name: at for at, name in enumerate(declared.parameters) if name in checks}
    defaults = {
        name: default for name, default in (function.__kwdefaults__ or {}).items() if name in checks
    }

    @wraps(function)
    def verb(*given: P.args, **options: P.kwargs) -> T:
        chosen: dict[str, Any] = {**defaults, **options}
        for name, check in checks.items():
            if name in chosen:
                chosen[name] = check(name, chosen[name])
            elif (at := places[name]) < len(given):
                given = (*given[:at], check(name, given[at]), *given[at + 1 :])  # type: ignore[assignment]
        return function(*given, **chosen)

    verb.__signature__ = declared.replace(  # type: ignore[attr-defined]
        parameters=[
            one.replace(annotation=_as_callers_see(str(one.annotation), known))
            for one in declared.parameters.values()
        ]
    )
    return typed(verb)


def check_of(annotation: str, known: Mapping[str, Any]) -> Callable[[str, Any], Any] | None:
    """Return the check of an annotation, by the names that its module has; None if it has none."""
    word, optional, others = annotation.partition(" | None")
    found = known.get(word)
    if others or get_origin(found) not in {Annotated, Literal}:
        return None
    check = _one_of(get_args(found)) if get_origin(found) is Literal else get_args(found)[1].check
    return _or_none(check) if optional else check


def _one_of(words: tuple[str, ...]) -> Callable[[str, Any], Any]:
    def check(name: str, given: Any) -> Any:
        one_of(name, given, *words)
        return given

    return check


def _as_callers_see(annotation: str, known: Mapping[str, Any]) -> str:
    word, optional, _ = annotation.partition(" | None")
    if get_origin(known.get(word)) is not Annotated:
        return annotation
    plain = get_args(known[word])[0]
    name = plain.__name__ if isinstance(plain, type) else str(plain)
    return name.replace("collections.abc.", "") + optional


_PLAIN = (str, bytes, int, float, type(None))  # what is wrong with these is said where it is known


def _is_word(value: Any) -> bool:
    return isinstance(value, _PLAIN)


def _is_number(value: Any) -> bool:
    if isinstance(value, _PLAIN):
        return True
    return getattr(value, "ndim", 0) == 0 and any(
        hasattr(value, name) for name in ("__index__", "__float__")
    )


def _is_iterable(value: Any) -> bool:
    return isinstance(value, (*_PLAIN[:2], Iterable)) and getattr(value, "ndim", 1) > 0


def _is_iterable_or_none(value: Any) -> bool:
    return (
        isinstance(value, _PLAIN)
        or callable(value)
        or hasattr(value, "name")
        or _is_iterable(value)
    )


def _is_mapping(value: Any) -> bool:
    return value is None or isinstance(value, Mapping)


def _is_callable(value: Any) -> bool:
    return value is None or callable(value)


def _is_texts(value: Any) -> bool:
    return value is None or isinstance(value, (str, PathLike, Mapping)) or hasattr(value, "read")


_KINDS: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    "words": (
        _is_word,
        "need text",
        "qrels_format run_format format kind to contents ties no_relevant duplicates "
        "precision test correction family interval baseline unchanged title tag on_repeat "
        "small_slices unit qrels_unit combine tied preset pairs",
    ),
    "flags": (
        _is_word,
        "need True or False",
        "subtopics bounds anytime judged_only drop_self require_better finite random",
    ),
    "numbers": (
        _is_number,
        "need a number",
        "threads depth unit_depth memory resamples seed confidence level power worst documents rel "
        "max_drop max_query_drop difference collection digits top half_width uniform n",
    ),
    "lists of names": (_is_iterable, "need a name, or a list of names", "lower_is_better"),
    "measures": (
        _is_iterable_or_none,
        "need a name, or a list of names",
        "measures coefficients a b",
    ),
    "columns": (
        _is_mapping,
        "need {role: name}, such as {'query_id': 'user', 'doc_id': 'film'}",
        "columns qrels_columns run_columns",
    ),
    "slices": (_is_mapping, "need {name: query ids}", "slices"),
    "functions": (_is_callable, "need a function", "progress"),
    "texts": (
        _is_texts,
        "need {id: text}, or a file with an id and a text a line",
        "queries_text docs_text",
    ),
}
_CHECKS = {
    name: (fits, needed) for fits, needed, names in _KINDS.values() for name in names.split()
}


def _unexpected(function: Callable[..., Any], name: str, known: Iterable[str]) -> TypeError:
    """Return Python's error for an unknown keyword, with the most similar one."""
    from difflib import get_close_matches  # noqa: PLC0415  (rarely needed)

    similar = get_close_matches(name, known, 1)
    meant = f". Did you mean {similar[0]!r}?" if similar else ""
    called = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    return TypeError(f"{called}() got an unexpected keyword argument {name!r}{meant}")


def typed(function: Callable[P, T]) -> Callable[P, T]:
    """Refuse keywords of types that the function cannot use, and let its errors begin here.

    Raises
    ------
    TypeError
        If the function has no keyword of this name.
    InputError
        If an option is an array, a missing value or another object that is neither text nor a
        number, or is not a mapping, a list or a function where one is needed.
    """
    known = signature(function).parameters
    # A baseline is the name of a run, or a run.
    checks = {
        name: _CHECKS[name]
        for name, parameter in known.items()
        if name in _CHECKS and "RunSource" not in str(parameter.annotation)
    }

    @wraps(function)
    def checked(*given: P.args, **options: P.kwargs) -> T:
        for name, value in options.items():
            if name not in known:
                raise _unexpected(function, name, known)
            if name in checks:
                fits, needed = checks[name]
                if not fits(value):
                    raise InputError(f"{name} is {shown(value)}", needed)
        try:
            return function(*given, **options)
        except RankmarkError as error:
            raise from_here(error)  # noqa: B904  (its own cause stays)
        except RecursionError as error:
            raise InputError(
                "an argument is nested too deeply, or contains itself", "give it without levels"
            ) from error

    return checked
