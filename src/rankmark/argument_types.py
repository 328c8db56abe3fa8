"""Arguments of wrong types, refused at the door: arrays and missing values as options.

Comparing such a value with a word or a number fails somewhere inside, in the words of its library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from rankmark.errors import InputError, RankmarkError, from_here, shown

P = ParamSpec("P")
T = TypeVar("T")

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
