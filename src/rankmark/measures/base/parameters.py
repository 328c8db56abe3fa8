"""The kinds of parameters that measures have: what they mean, and which values are allowed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rankmark.arguments import COSTS, quoted
from rankmark.errors import MeasureError, shown
from rankmark.measures.base import functions
from rankmark.named_tuples import NamedTuple

_MOST = 1e100


def written(value: Any) -> str:
    """Return a value as text in the name of a measure, which can be parsed again."""
    if isinstance(value, str):
        return quoted(value)
    if callable(value):
        return functions.written(value)
    if isinstance(value, tuple) and not isinstance(value[0], tuple):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{written(a)}: {written(b)}" for a, b in value) + "}"
    return f"{int(value)}" if value == int(value) and abs(value) < 1e15 else repr(value)


OTHERS_LINEAR = ("other", "linear")
"""In a mapping of labels to gains: other labels are their own gains."""


class Parameter(NamedTuple):
    """The meaning of a parameter, its default, and what is allowed.

    ``check`` returns the value to use, or raises ValueError; ``write`` returns its text in a name.
    """

    meaning: str
    default: Any
    allowed: str
    check: Callable[[Any], Any]
    write: Callable[[Any], str] = written

    @property
    def words(self) -> list[str]:
        """The words among what is allowed."""
        return re.findall(r'"([^"]+)"', self.allowed)


def cutoff() -> Any:
    """Declare ``k``, the last rank that counts: a whole number from 1, or None."""
    return Parameter("the last rank that counts", None, "a whole number from 1", _whole)


def threshold() -> Any:
    """Declare ``rel``, the lowest relevant label."""
    return Parameter("the lowest relevant label", 1.0, "a finite number", _finite)


def size(meaning: str) -> Any:
    """Declare a whole number from 1, or None."""
    return Parameter(meaning, None, "a whole number from 1", _whole)


def judgment() -> Any:
    """Declare ``judged``, the lowest label that counts as a judgment."""
    return Parameter("the lowest label that counts as a judgment", 0.0, "a finite number", _finite)


def number(meaning: str, default: float) -> Any:
    """Declare a finite number."""
    return Parameter(meaning, default, "a finite number", _finite)


def shares(meaning: str, *default: float) -> Any:
    """Declare a number from 0 to 1, or a list of them."""
    return Parameter(meaning, default, "a number from 0 to 1, or a list of several", _shares)


def positive(meaning: str, default: float) -> Any:
    """Declare a number above 0, whose square is finite."""

    def check(value: Any) -> float:
        if _positive(value) > _MOST:
            raise ValueError
        return float(value)

    return Parameter(meaning, default, "a number above 0, at most 1e100", check)


def between(meaning: str, default: float, low: float, high: float) -> Any:
    """Declare a number from ``low`` to ``high``."""

    def check(value: Any) -> float:
        if not low <= _finite(value) <= high:
            raise ValueError
        return float(value)

    return Parameter(meaning, default, f"a number from {low:g} to {high:,.0f}", check)


def fraction(meaning: str, default: float) -> Any:
    """Declare a number above 0 and at most 1."""

    def check(value: Any) -> float:
        if _positive(value) > 1:
            raise ValueError
        return float(value)

    return Parameter(meaning, default, "a number above 0 and at most 1", check)


def percentage(meaning: str) -> Any:
    """Declare a number above 0 and at most 100, or None."""

    def check(value: Any) -> float | None:
        if value is None:
            return None
        if _positive(value) > 100:
            raise ValueError
        return float(value)

    return Parameter(meaning, None, "a number above 0 and at most 100", check)


def costs(meaning: str) -> Any:
    """Declare a number above 0, or {label: cost} with costs from 0."""
    allowed = "a number above 0, or {label: cost} with costs from 0"
    return Parameter(meaning, 1.0, allowed, _costs)


def probability(meaning: str, default: float) -> Any:
    """Declare a probability that is neither 0 nor 1."""

    def check(value: Any) -> float:
        if not 0 < _finite(value) < 1:
            raise ValueError
        return float(value)

    return Parameter(meaning, default, "a number between 0 and 1", check)


def horizon() -> Any:
    """Declare ``k``, the last rank that a user may reach; 1000 by default."""

    def check(value: Any) -> int | None:
        return 1000 if value is None else _whole(value)

    meaning = "the last rank that the user may reach"
    return Parameter(meaning, 1000, "a whole number from 1", check)


def greatest(default: float | None) -> Any:
    """Declare ``max_rel``, the highest label of the scale: a number, or that of each query."""

    def check(value: Any) -> float | str | None:
        if isinstance(value, str) and value == "query":
            return "query"
        if value is None and default is None:
            return None
        return _finite(value) if default is None else _positive(value)

    meaning = "the highest label of the scale"
    allowed = 'a number above 0, or "query": that of the query'
    if default is None:
        meaning += "; if None, gains are binary"
        allowed = 'a finite number, "query": that of the query, or None'
    return Parameter(meaning, default, allowed, check)


def flag(meaning: str) -> Any:
    """Declare True or False; False by default."""

    def check(value: Any) -> bool:
        if type(value).__name__ not in {"bool", "bool_"}:
            raise ValueError
        return bool(value)

    return Parameter(meaning, default=False, allowed="True or False", check=check, write=str)


def text(meaning: str, allowed: str = "the name of a measure") -> Any:
    """Declare a name; "" by default."""

    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError
        return str(value)

    return Parameter(meaning, "", allowed, check)


def limit_of_costs() -> Parameter:
    """Declare ``budget``, a cutoff by what documents cost; None by default."""

    def check(value: Any) -> Any:
        from rankmark.formulas import Budget  # noqa: PLC0415  (few have one)

        return None if value is None else Budget.of(value, "stop", "skip")

    return Parameter(
        "what the documents that count may cost together",
        None,
        'a cost and how much of it, such as "tokens(1000)", or "tokens(1000, skip)" to go on '
        f"behind a document that does not fit; costs are {', '.join(COSTS)}",
        check,
        str,
    )


def choice(meaning: str, *allowed: str) -> Any:
    """Declare one of several words; the first is the default."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise ValueError
        return str(value)

    words = ", ".join(f'"{word}"' for word in allowed)
    return Parameter(meaning, allowed[0], f"one of {words}", check)


def choice_of_evaluation(meaning: str, allowed: tuple[str, ...]) -> Parameter:
    """Declare one of several words in place of the one of the evaluation, which is None."""
    parameter: Parameter = choice(meaning, *allowed)

    def check(value: Any) -> str | None:
        return None if value is None else str(parameter.check(value))

    return Parameter(meaning, None, f"{parameter.allowed}; or None, as in the evaluation", check)


def gain(meaning: str = "the gain of a label", default: str = "linear") -> Any:
    """Declare ``gain``, the gain of a label: a rule, a mapping, a list or a function."""
    allowed = (
        '"linear", "exp2" or {label: gain} with gains from 0, and "other": "linear" where all '
        'others keep their label; or "binary"; in Python also a list of the gains of labels 0, 1, '
        "2, ..., or a function of an array of labels"
    )
    return Parameter(meaning, default, allowed, _gain)


def discount() -> Any:
    """Declare ``discount``, the divisor of the gain at a rank.

    "log2", "rank", the base of Järvelin's logarithm, a list or a function.
    """
    allowed = (
        '"log2", "rank" or a number above 1, or a list of the divisors of ranks 1, 2, ...; in '
        "Python also a function of an array of ranks"
    )
    return Parameter(
        "the divisor of the gain at a rank", "log2", allowed, _discount, _discount_written
    )


def checked(measure: str, name: str, value: Any, parameter: Parameter) -> Any:
    """Return the value to use, or raise a MeasureError that says what is allowed."""
    try:
        return parameter.check(value)
    except _DiscountError as error:
        found, remedy = error.args
        raise MeasureError(f"the discount {found}", remedy, where=measure) from None
    except (ValueError, TypeError, OverflowError):
        several = name == "k" and isinstance(value, (list, tuple, range))
        hint = f"; {measure} @ {shown(value)} gives several measures" if several else ""
        raise MeasureError(
            f"{name} is {shown(value)}", f"need {parameter.allowed}{hint}", where=measure
        ) from None


def _whole(value: Any) -> int | None:
    if value is None:
        return None
    number = int(value)
    if isinstance(value, (bool, str)) or number != value or number < 1:
        raise ValueError
    float(number)  # formulas divide by it
    return number


def _finite(value: Any) -> float:
    if isinstance(value, (bool, str)) or not math.isfinite(value):
        raise ValueError
    return float(value)


def _positive(value: Any) -> float:
    number = _finite(value)
    if number <= 0:
        raise ValueError
    return number


def _costs(value: Any) -> float | tuple[tuple[float, float], ...]:
    if not isinstance(value, tuple) and not hasattr(value, "items"):
        return _positive(value)
    pairs = dict(value.items() if hasattr(value, "items") else value)
    costs = {_finite(label): _finite(cost) for label, cost in pairs.items()}
    if not costs or min(costs.values()) < 0:
        raise ValueError
    return tuple(sorted(costs.items()))


def _shares(value: Any) -> float | tuple[float, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return _share(value)
    listed = sorted(map(_share, value))
    if not listed or len(set(listed)) < len(listed):
        raise ValueError
    return tuple(listed) if len(listed) > 1 else listed[0]


def _share(value: Any) -> float:
    share = _finite(value)
    if not 0 <= share <= 1:
        raise ValueError
    return share


class _DiscountError(ValueError):
    """Why a list of numbers is not a discount, and what is needed."""


def _gain(value: Any) -> Any:
    """Return the name of a rule, a function, or (label, gain) pairs."""
    if isinstance(value, str):
        if value not in {"linear", "exp2", "binary"}:
            raise ValueError
        return value
    if callable(value):
        hash(value)  # measures are hashed by their parameters
        return value
    if hasattr(value, "items"):  # a mapping, or a pandas Series
        pairs = value.items()
    else:
        pairs = list(value)
        if not any(np.ndim(pair) for pair in pairs):  # LightGBM's label_gain
            pairs = list(enumerate(pairs))
    gains = dict(pairs)
    others = gains.pop("other", None)
    gains = {_finite(label): _finite(gain) for label, gain in gains.items()}
    if not gains or min(gains.values()) < 0 or others not in {None, "linear"}:
        raise ValueError
    return (*sorted(gains.items()), *([] if others is None else [OTHERS_LINEAR]))


def _discount(value: Any) -> Any:
    """Return the name of the rule, a base, a function, or the divisor of each rank."""
    if isinstance(value, str):
        if value not in {"log2", "rank"}:
            raise ValueError
        return value
    if callable(value):
        hash(value)  # measures are hashed by their parameters
        return value
    if isinstance(value, Iterable) and np.ndim(value):  # type: ignore[arg-type]
        divisors = tuple(_finite(divisor) for divisor in value)
        if not divisors:
            raise ValueError
        if why := functions.why_no_discount(np.array(divisors)):
            raise _DiscountError(*why)
        return divisors
    base = _finite(value)
    if base <= 1:
        raise ValueError
    return base


def _discount_written(value: Any) -> str:
    return functions.divisors_written(value) if isinstance(value, tuple) else written(value)
