"""SessionDCG: the DCG of each search of a session, discounted by how many came before."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rankmark.errors import InputError, shown
from rankmark.formulas import Formula, choice, formulas_in
from rankmark.measures import DCG, Measure


def _declared(
    *,
    base: float = 4,
    discount: float | str = 2,
    gain: str = "linear",
    repeats: str = "count",
    k: int | None = None,
) -> None:
    """Declare the parameters."""


@dataclass(frozen=True, slots=True, repr=False)
class SessionMeasure(Formula):
    """The sum over the calls q of a query of DCG@k / (1 + log_base(q)).

    Parameters
    ----------
    name, over
        Its name, and a function with its parameters: ``base``, that of the discount of calls;
        ``discount`` and ``gain`` of DCG; ``repeats``, "count" if a document that an earlier call
        retrieved has its gain again, "once" if it has none; and the cutoff ``k`` of each call.
    given
        The parameters that differ from their defaults.

    References
    ----------
    .. [1] Järvelin, Price, Delcambre and Nielsen, Discounted Cumulated Gain Based Evaluation of
       Multiple-Query IR Sessions, ECIR 2008.
    """

    name: str = "SessionDCG"
    over: Callable[..., Any] = _declared
    given: tuple[tuple[str, Any], ...] = ()

    shown = ()

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse values that parameters cannot have."""
        base = parameters["base"]
        is_number = isinstance(base, (int, float)) and not isinstance(base, bool)
        if not is_number or not 1 < base < math.inf:
            raise InputError(f"base is {shown(base)}", "need a finite number above 1")
        choice("repeats", parameters["repeats"], "count", "once")
        DCG(discount=parameters["discount"], gain=parameters["gain"], k=parameters["k"])

    def __matmul__(self, k: int) -> SessionMeasure:  # type: ignore[override]  # one at a time
        """Set the cutoff of each call."""
        return self.choose(k=k)

    @property
    def dcg(self) -> Measure:
        """The DCG of each call."""
        chosen = self.parameters
        return DCG(discount=chosen["discount"], gain=chosen["gain"], k=chosen["k"])

    def weight(self, number: int) -> float:
        """Return the weight of a call, from 1."""
        return 1 / (1 + math.log(number) / math.log(self.parameters["base"]))

    def seen_again(self, calls: list[list[str]]) -> list[list[str]]:
        """Return the calls, with unjudged documents in the place of those that count no more."""
        if self.parameters["repeats"] == "count":
            return calls
        seen: set[str] = set()
        found = []
        for number, documents in enumerate(calls):
            found.append([f"\0{number} {one}" if one in seen else one for one in documents])
            seen |= {*documents}
        return found


SESSION_DCG = SessionMeasure()


def session_measures(name: Any) -> tuple[SessionMeasure, ...]:
    """Return the measures of sessions that a name stands for; none if it is no such name.

    Raises
    ------
    MeasureError
        If a parameter is invalid.
    """
    if isinstance(name, SessionMeasure):
        return (name,)
    if not isinstance(name, str) or not name.strip().lower().startswith("sessiondcg"):
        return ()
    return formulas_in(name, {"sessiondcg": SESSION_DCG}, "measure of sessions")
