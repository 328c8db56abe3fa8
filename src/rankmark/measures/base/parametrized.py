"""Objects with declared parameters, compared, hashed, printed and pickled by value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NoReturn, Self, overload

from rankmark.errors import MeasureError, shown
from rankmark.measures.base.parameters import Parameter, checked

_BEHIND_AT = "k", "budget"


class Parametrized:
    """An object with parameters, declared like the fields of a dataclass.

    Attributes
    ----------
    name
        The name, which is printed before the parameters.
    at
        The parameter that ``@`` sets.
    parameters
        The parameters by name, in the order in which they are printed.
    common
        Those that every object of the kind has, unless it declares one of the same name; they are
        printed last, and stored only where they differ from their defaults, which are attributes of
        the class.
    chosen
        The names of the parameters set explicitly, even to their defaults, as in ``AP(rel=1)``;
        ignored by comparisons.
    """

    __slots__ = ("__dict__", "_hash", "chosen")
    chosen: frozenset[str]
    _hash: int

    name: ClassVar[str]
    at: ClassVar[str] = "k"
    parameters: ClassVar[Mapping[str, Parameter]] = {}
    common: ClassVar[Mapping[str, Parameter]] = {}

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Parameter)}
        merged = {**cls.parameters, **own}
        cutoff = {"k": merged["k"]} if "k" in merged else {}
        cls.parameters = {**cutoff, **merged}
        cls.common = {name: one for name, one in cls.common.items() if name not in merged}

    def __init__(self, **given: Any) -> None:
        for name in given:
            if name not in self.parameters and name not in self.common:
                taken = ", ".join(self.parameters)
                takes = f"it takes {taken}" if taken else "it takes none"
                what = "cutoff" if name == "k" else f"parameter {shown(name)}"
                raise MeasureError(f"{self.name} has no {what}", f"{takes}")
        for name, parameter in self.parameters.items():
            value = given.get(name, parameter.default)
            vars(self)[name] = checked(self.name, name, value, parameter)
        for name, parameter in self.common.items():
            if name in given:
                value = checked(self.name, name, given[name], parameter)
                if value != parameter.default:
                    vars(self)[name] = value
        object.__setattr__(self, "chosen", frozenset(given))
        object.__setattr__(self, "_hash", hash((type(self), *vars(self).values())))

    def with_parameters(self, **parameters: Any) -> Self:
        """Copy the measure with other parameters.

        Raises
        ------
        MeasureError
            If the measure does not have one of them, or does not allow its value.
        """
        changed = type(self)(**vars(self) | parameters)
        object.__setattr__(changed, "chosen", self.chosen.union(parameters))
        return changed

    @overload
    def __matmul__(self, k: float | str) -> Self: ...  # type: ignore[overload-overlap]
    @overload
    def __matmul__(self, k: Iterable[float | str]) -> tuple[Self, ...]: ...
    def __matmul__(self, k: float | str | Iterable[float | str]) -> Self | tuple[Self, ...]:
        """Set the cutoff: ``nDCG @ 10``, ``R @ "tokens(1000)"``; several give several measures."""
        try:
            cutoffs = None if isinstance(k, (str, bytes)) else list(k)  # type: ignore[arg-type]
        except TypeError:  # a number, or an array without dimensions
            cutoffs = None
        if cutoffs is None:
            return self._at(k)
        several = tuple(dict.fromkeys(map(self._at, cutoffs)))
        if not several:
            raise MeasureError(f"{self} @ {shown(k)} is not a cutoff", "need one, as in @ 10")
        return several

    def _at(self, cutoff: Any) -> Self:
        is_budget = isinstance(cutoff, str) and "(" in cutoff
        return self.with_parameters(**{"budget" if is_budget else self.at: cutoff})

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{self} cannot change; {self.name}({name}=...) makes another")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{self} cannot change")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), {name: getattr(self, name) for name in self.chosen})

    @property
    def __name__(self) -> str:
        """The canonical name, for code that expects a function."""
        return str(self)

    def __str__(self) -> str:
        """Return the canonical name: parameters that differ from the defaults, then the cutoff."""
        written = [
            f"{name}={parameter.write(getattr(self, name))}"
            for name, parameter in (*self.parameters.items(), *self.common.items())
            if name not in _BEHIND_AT and getattr(self, name) != parameter.default
        ]
        inside = f"({', '.join(written)})" if written else ""
        cutoffs = [getattr(self, name, None) for name in _BEHIND_AT]
        return f"{self.name}{inside}" + "".join(f"@{one}" for one in cutoffs if one is not None)

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, spec: str) -> str:
        """Format the canonical name as text, as in ``f"{measure:12}"``."""
        return format(str(self), spec)


def _made(kind: type[Parametrized], parameters: dict[str, Any]) -> Parametrized:
    return kind(**parameters)
