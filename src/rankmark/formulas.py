"""Formulas with parameters and a cutoff: how they are chosen, written and read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any, ClassVar, Self, TypeVar

from rankmark.arguments import whole
from rankmark.errors import InputError, MeasureError, shown
from rankmark.notation import Notation, NotationError
from rankmark.notation import whole as whole_in

AnyFormula = TypeVar("AnyFormula", bound="Formula")


class Formula:
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

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse values that parameters cannot have, by InputError."""
        raise NotImplementedError

    def with_given(self, given: tuple[tuple[str, Any], ...]) -> Self:
        """Return the same formula with other parameters."""
        raise NotImplementedError

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
        if self.has_cutoff and parameters.get("k") is not None:
            parameters["k"] = whole("k", parameters["k"])
        chosen = self.parameters | parameters
        self.check(chosen)
        return self.with_given(
            tuple((name, chosen[name]) for name in declared if chosen[name] != declared[name])
        )

    def at(self, k: int | Iterable[int]) -> Self | tuple[Self, ...]:
        """Set the cutoff; several cutoffs return a tuple."""
        try:
            cutoffs = None if isinstance(k, (str, bytes)) else list(k)  # type: ignore[arg-type]
        except TypeError:  # a number
            cutoffs = None
        if cutoffs is None:
            return self.choose(k=k)
        return tuple(self.choose(k=cutoff) for cutoff in cutoffs)

    def __str__(self) -> str:
        """Format the name, parameters that differ from their defaults, and the cutoff."""
        k = dict(self.given).get("k") if self.has_cutoff else None
        inside = ", ".join(
            f"{name}={_written(value)}"
            for name, value in self.parameters.items()
            if not (name == "k" and self.has_cutoff)
            and (name in self.shown or name in dict(self.given))
        )
        return self.name + (f"({inside})" if inside else "") + ("" if k is None else f"@{k}")

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
    return f'"{value}"' if isinstance(value, str) else str(value)


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
    if isinstance(requested, str) or not isinstance(requested, Iterable):
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
    at = reader.at
    k = reader.cutoff() if found.has_cutoff else None
    if k is not None:
        _set(found, parameters, "k", k, at)
    several = [found.choose(**parameters)]
    if not found.has_cutoff:
        return several
    while another := reader.another():
        digits, at = another
        if k is None:
            raise NotationError(
                f"{shown(digits)} follows no cutoff", at, f"write {found.name}@{digits[:18]}"
            )
        several.append(several[0].choose(k=whole_in(digits, at)))
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
