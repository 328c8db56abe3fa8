"""A method of fusion: its formula, its parameters, and facts about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from rankmark.errors import InputError, shown
from rankmark.formulas import Formula
from rankmark.verbs.fuse.ballots import Ballots, total
from rankmark.verbs.fuse.norms import check_norm

if TYPE_CHECKING:
    from rankmark.array_types import Floats

Uses = Literal["ranks", "scores"]


@dataclass(frozen=True, slots=True)
class OneOf:
    """A check of a parameter that is one of several words or numbers."""

    allowed: tuple[Any, ...]

    def __call__(self, value: Any) -> bool:
        """Return whether the value is allowed."""
        return value in self.allowed


class Scaled(NamedTuple):
    """Scores that are a sum over lists, which is then multiplied or divided.

    The sum comes first, as in the formulas: if each term were multiplied, equal sums could differ
    in their last bits, and the documents would come in another order.

    Parameters
    ----------
    terms
        (m, U) float64, what is added up.
    scale
        What is done to the sum, elementwise; it takes (..., U) float64.
    """

    terms: Floats
    scale: Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, repr=False)
class Method(Formula):
    """A method with its parameters: compared, hashed and printed by value.

    ``RRF(k=10)`` sets a parameter.

    Parameters
    ----------
    name
        Its name in ``fuse`` and on the command line.
    over
        ``over(ballots, ...)``; its keywords are the parameters. It returns what each list gives
        each document, (m, U) float64, to be added up; the same with what scales the sum; or the
        fused scores, (U,) float64, of a method that is no sum.
    formula
        The score of document d, in plain text.
    uses
        Whether it uses the ranks of documents or their scores; methods that use scores have the
        parameters ``norm`` and ``constant``.
    weighted
        Whether it takes weights; otherwise all runs count alike.
    source
        Where it was published.
    aliases
        Other names.
    checks
        For each parameter besides norm and constant, whether a value is allowed, and what is.
    shown
        Parameters that ``str()`` includes even if they have their defaults.
    given
        The parameters that differ from their defaults.
    """

    has_cutoff: ClassVar[bool] = False

    name: str
    over: Callable[..., Floats | Scaled]
    formula: str
    uses: Uses
    source: str
    weighted: bool = False
    aliases: tuple[str, ...] = ()
    checks: tuple[tuple[str, Callable[[Any], bool], str], ...] = ()
    shown: tuple[str, ...] = ()
    given: tuple[tuple[str, Any], ...] = ()

    def choose(self, **parameters: Any) -> Method:
        """Choose parameters; see Formula."""
        listed = {name: tuple(v) for name, v in parameters.items() if isinstance(v, list)}
        return Formula.choose(self, **parameters | listed)

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse values that parameters cannot have."""
        for name, is_allowed, allowed in self.checks:
            if not _holds(is_allowed, parameters[name]):
                raise InputError(f"{name} is {shown(parameters[name])}", f"need {allowed}")
        if self.uses == "scores":
            check_norm(parameters["norm"], parameters["constant"])

    def with_given(self, given: tuple[tuple[str, Any], ...]) -> Method:
        """Return the same method with other parameters."""
        return replace(self, given=given)

    def contributions(self, ballots: Ballots) -> Floats | None:
        """Return what each list adds to the score: (m, U) float64; None if it is no sum."""
        found = self.over(ballots, **dict(self.given))
        if isinstance(found, Scaled):
            return found.scale(found.terms)
        return found if found.ndim == 2 else None

    def scores(self, ballots: Ballots) -> Floats:
        """Fuse: (U,) float64, higher is better."""
        found = self.over(ballots, **dict(self.given))
        if isinstance(found, Scaled):
            return found.scale(total(found.terms))
        return total(found) if found.ndim == 2 else found


def _holds(is_allowed: Callable[[Any], bool], value: Any) -> bool:
    try:
        return bool(is_allowed(value))
    except (TypeError, ValueError, OverflowError):
        return False


def is_finite(value: Any) -> bool:
    """Whether a value is a finite number."""
    if isinstance(value, (bool, str)):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError, OverflowError):
        return False
