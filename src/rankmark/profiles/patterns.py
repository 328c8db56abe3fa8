"""Notations of other tools, such as ``ndcg@{k}``: text to measures, and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from rankmark.measures.base.measure import Measure
from rankmark.measures.names import measure as measure_named

_NUMBER = r"-?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})"
_PARAMETERS = "parameters"
_NUMBERS = rf"{_NUMBER}(?:,{_NUMBER})*"
_PART = re.compile(r"\{(?P<field>\w+)\}|(?P<open>\[)|(?P<close>\])|(?P<text>[^{}\[\]]+)")


def _number(text: str) -> float:
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def _each(text: str) -> list[float]:
    return [_number(one) for one in text.split(",")]


def _gains(text: str) -> dict[float | str, float | str]:
    pairs = (pair.split("=") for pair in text.split(","))
    return {**{_number(label): _number(gain) for label, gain in pairs}, "other": "linear"}


def _gains_from(level: int) -> Any:
    """Return the gains of whole labels, of which those below a level have none."""
    below = dict.fromkeys(range(1, level), 0)
    return {**below, "other": "linear"} if below else "linear"


@dataclass(frozen=True, slots=True)
class _Field:
    """What a name in braces stands for.

    Parameters
    ----------
    parameter
        The parameter of the measure that it sets.
    text
        A regular expression of the text in its place.
    values
        The values in a text; several stand for several measures.
    """

    parameter: str
    text: str
    values: Callable[[str], list[Any]]


_FIELDS = {
    "k": _Field("k", r"\d{1,18}(?:,\d{1,18})*", _each),
    "rel": _Field("rel", r"\d{1,18}", _each),
    "recall": _Field("recall", _NUMBERS, _each),
    "multiple": _Field("multiple", _NUMBERS, _each),
    # ir_measures rounds recalls to two decimals.
    "hundredths": _Field("recall", _NUMBER, lambda text: [round(float(text), 2)]),
    # A list of recalls of one measure.
    "recalls": _Field("recall", _NUMBERS, lambda text: [tuple(_each(text))]),
    # ranx writes p = 0.95 as 95.
    "decimals": _Field("p", r"\d{1,18}", lambda text: [float(f"0.{text}")]),
    # trec_eval takes the square of beta.
    "beta_squared": _Field("beta", _NUMBER, lambda text: [_number(text) ** 0.5]),
    # trec_eval's gains of labels: 1=3,2=9.
    "gains": _Field(
        "gain",
        rf"{_NUMBER}={_NUMBER}(?:,{_NUMBER}={_NUMBER})*",
        lambda text: [_gains(text)],
    ),
    # All that trec_eval takes after rbp: p=0.9,1=3.
    "pairs": _Field("pairs", r"[p\d.,=]+", list),
    # ranx's lowest label with a gain, in ndcg-l2.
    "level": _Field("gain", r"\d{1,2}", lambda text: [_gains_from(int(text))]),
    # All parameters in brackets, as ir_measures writes them.
    _PARAMETERS: _Field(_PARAMETERS, r"\((?:[^()]|\([^()]*\))*\)", list),
}
"""What fields stand for, if it is not a parameter of the same name that is set to a number."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A notation, compiled.

    Parameters
    ----------
    text
        The notation, as it is declared.
    fields
        Its fields, in order.
    required
        Those that cannot be absent.
    regex
        What matches it, with a group for each field.
    """

    text: str
    fields: tuple[str, ...]
    required: frozenset[str]
    regex: re.Pattern[str]

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(text: str) -> Pattern:
        """Compile a notation."""
        regex, depth, fields, required = "", 0, [], set()
        for part in _PART.finditer(text):
            if name := part["field"]:
                fields.append(name)
                if not depth:
                    required.add(name)
                regex += f"(?P<{name}>{_field(name).text})"
            elif part["text"]:
                regex += re.escape(part["text"])
            else:
                depth += 1 if part["open"] else -1
                regex += "(?:" if part["open"] else ")?"
        return Pattern(text, tuple(fields), frozenset(required), re.compile(regex))

    def read(self, text: str, measure: Measure) -> tuple[Measure, ...] | None:
        """Return the measures that a text stands for; None if it is in another notation.

        Raises
        ------
        MeasureError
            If the measure does not allow a number in it.
        """
        found = self.regex.fullmatch(text)
        if found is None:
            return None
        given = [
            (_field(name), found[name])
            for name in self.fields
            if name != _PARAMETERS and found[name] is not None
        ]
        if _PARAMETERS in self.fields and found[_PARAMETERS]:
            measure = _with_parameters(measure, text[: found.end(_PARAMETERS)])
        names = [field.parameter for field, _ in given]
        every = product(*(field.values(value) for field, value in given))
        return tuple(
            measure.with_parameters(**dict(zip(names, values, strict=True))) for values in every
        )

    def matches(self, text: str) -> bool:
        """Return whether a text is in this notation."""
        return self.regex.fullmatch(text) is not None

    @property
    def sets(self) -> set[str]:
        """The parameters that it can set."""
        return {_field(name).parameter for name in self.fields} - {_PARAMETERS}

    def gives(self, measure: Measure, declared: Measure) -> bool:
        """Return whether a measure is the declared one with other parameters of this notation.

        The lowest relevant label may always be another, unjudged documents left out, and
        conventions those of the measure.
        """
        if type(measure) is not type(declared):
            return False
        free = self.sets | {"rel", *(name for name, _ in measure.own_conventions)}
        if _PARAMETERS in self.fields:
            free |= {*measure.parameters} - {"k"}
        needed = {_field(name).parameter for name in self.required}
        return all(
            getattr(measure, name) == getattr(declared, name)
            for name in measure.parameters
            if name not in free
        ) and not any(getattr(measure, name) is None for name in needed)

    def version_of(self, asked: Measure, declared: Measure) -> Measure | None:
        """Return the declared measure with the parameters chosen in another; None if it cannot."""
        if type(asked) is not type(declared):
            return None
        chosen = {name: getattr(asked, name) for name in asked.chosen}
        free = self.sets & {asked.at, "rel"}  # an alias may set others, such as gain
        if any(name not in free and getattr(declared, name) != chosen[name] for name in chosen):
            return None
        if any(_field(name).parameter not in chosen for name in self.required):
            return None
        return declared.with_parameters(**{name: chosen[name] for name in chosen if name in free})


def _with_parameters(declared: Measure, text: str) -> Measure:
    """Return a measure with the parameters in brackets after its name.

    Some parameters are those of another measure, as in ir_measures' NumRet(rel=1).
    """
    given = measure_named(text)
    if type(given) is not type(declared):
        return given
    return declared.with_parameters(**{name: getattr(given, name) for name in given.chosen})


def _field(name: str) -> _Field:
    return _FIELDS.get(name) or _Field(name, _NUMBER, _each)
