"""From a name, as any tool of the field writes it, to the measure that it means."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from rankmark.errors import MeasureError
from rankmark.measures import ALL
from rankmark.measures.measure import Measure


class _Named(NamedTuple):
    measure: Measure
    parameters: dict[str, Any]


def _spelling(name: str) -> str:
    """Take case and hyphens out of a name: nDCG, ndcg and NDCG are one."""
    return name.lower().replace("-", "_")


_BY_NAME: dict[str, _Named] = {_spelling(m.name): _Named(m, {}) for m in ALL} | {
    _spelling(alias): _Named(m, dict(parameters))
    for m in ALL
    for alias, parameters in m.aliases.items()
}

# ir_measures writes nDCG(dcg="exp-log2") for gain="exp2".
_DCG = {"log2": "linear", "exp-log2": "exp2"}


def measure(name: str | Measure) -> Measure:
    """Find a measure by its name, canonical or another tool's.

    Parameters
    ----------
    name
        Such as ``nDCG@10``, ``AP(rel=2)@100``, ``nDCG(gain="exp2")@10``; or trec_eval's
        ``ndcg_cut_10``, ``P_5``, ``recip_rank``; ranx's ``mrr@10``, ``ndcg_burges@5``,
        ``map-l2``; plain names such as ``MRR@10``, ``HitRate@5``. Case does not matter. A measure
        is returned as it is.

    Returns
    -------
    Measure
        ``str()`` of it is the canonical name, which finds the same measure again.

    Raises
    ------
    MeasureError
        If no measure has that name (the nearest three are named), or a parameter is wrong (its
        position and what is allowed are).

    Examples
    --------
    >>> measure("ndcg_cut_10"), measure("MRR@10"), measure("AP( rel = 2 )@100")
    (nDCG@10, RR@10, AP(rel=2)@100)
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str):
        raise MeasureError(f"{name!r} is no measure; need its name, or a measure")
    return _parsed(name)


@lru_cache(maxsize=1024)
def _parsed(name: str) -> Measure:
    return _Parser(name).parse()


def nearest(name: str) -> list[str]:
    """List the three measure names that are most like ``name``."""
    from difflib import SequenceMatcher  # noqa: PLC0415

    def likeness(known: str) -> float:
        return SequenceMatcher(None, _spelling(name), known).ratio()

    found: list[str] = []
    for known in sorted(_BY_NAME, key=likeness, reverse=True):
        canonical = _BY_NAME[known].measure.name
        if canonical not in found:
            found.append(canonical)
    return found[:3]


class _Parser:
    """NAME, then (parameter=value, ...), then @k; blanks anywhere between."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._is_set_f = False  # whose beta is not ours

    def parse(self) -> Measure:
        start = self._skip_blanks()
        name = self._match(r"[^\W\d][\w.-]*") or ""
        self._is_set_f = _spelling(name) in {"set_f", "setf"}
        named, parameters = self._resolve(name, start)
        if self._take("("):
            self._parse_parameters(named, parameters)
        self._parse_cutoff(named, parameters)
        # ranx writes a relevance level as a suffix, before or behind the cutoff.
        if level := self._match(r"-l\d+"):
            self._set(named, parameters, "rel", float(level[2:]), self.at - len(level))
            self._parse_cutoff(named, parameters)
        self._skip_blanks()
        if self.at < len(self.text):
            raise self._error(f"did not expect {self.text[self.at :]!r}", self.at)
        return named.with_parameters(**parameters)

    def _resolve(self, name: str, start: int) -> tuple[Measure, dict[str, Any]]:
        if found := _BY_NAME.get(_spelling(name)):
            return found.measure, dict(found.parameters)
        if persistence := re.fullmatch(r"rbp(\.\d+)", name.lower()):  # ranx's rbp.95 is no RBP@95
            rbp, parameters = _BY_NAME["rbp"].measure, dict[str, Any]()
            self._set(rbp, parameters, "p", float(persistence[1]), start)
            return rbp, parameters
        # trec_eval writes the cutoff into the name, ranx a relevance level: ndcg_cut_10, map-l2.
        parts = re.fullmatch(r"(.+?)(?:[_.](?:at_)?(?P<k>\d+))?(?:-l(?P<level>\d+))?", name)
        whole_list = parts and parts["k"] and name.lower().startswith("set_")  # set_F.4 is no F@4
        if parts and not whole_list and (found := _BY_NAME.get(_spelling(parts[1]))):
            parameters = dict(found.parameters)
            for parameter, digits in (("k", parts["k"]), ("rel", parts["level"])):
                if digits is not None:
                    self._set(found.measure, parameters, parameter, int(digits), start)
            return found.measure, parameters
        if not name:
            raise self._error("expected the name of a measure", start)
        near = ", ".join(nearest(name))
        raise self._error(f"there is no measure {name!r}; did you mean {near}?", start)

    def _parse_parameters(self, named: Measure, parameters: dict[str, Any]) -> None:
        while not self._take(")"):
            at = self._skip_blanks()
            name = self._match(r"\w+")
            if not name or not self._take("="):
                raise self._error("expected parameter=value or )", self.at)
            value = self._value()
            if name == "beta" and self._is_set_f:
                raise self._error("trec_eval's and ir_measures' beta is b^2; write F(beta=b)", at)
            if name == "gains":
                name = "gain"
            elif name == "dcg":
                name, value = "gain", _DCG.get(str(value), value)
            self._set(named, parameters, name, value, at)
            if not self._take(",") and not self.text.startswith(")", self._skip_blanks()):
                raise self._error("expected , or )", self.at)

    def _parse_cutoff(self, named: Measure, parameters: dict[str, Any]) -> None:
        if not self._take("@"):
            return
        at = self._skip_blanks()
        digits = self._match(r"[^\s()-]+")
        if not digits or not digits.isdecimal() or not digits.isascii():
            raise self._error(f"the cutoff is {digits!r}; need a whole number from 1", at)
        self._set(named, parameters, "k", int(digits), at)

    def _set(
        self, named: Measure, parameters: dict[str, Any], name: str, value: Any, at: int
    ) -> None:
        if name in parameters:
            raise self._error(f"{name} is given twice", at)
        try:
            named.with_parameters(**{name: value})
        except MeasureError as error:
            raise self._error(str(error), at) from None
        parameters[name] = value

    def _value(self) -> Any:
        at = self._skip_blanks()
        if quoted := self._match(r"\"[^\"]*\"|'[^']*'"):
            return quoted[1:-1]
        if self._take("{"):
            return self._mapping()
        word = self._match(r"[^\s,(){}=:@\"']+")
        if not word:
            raise self._error("expected a value", at)
        try:
            return float(word) if not word.isdecimal() else int(word)
        except ValueError:
            return word

    def _mapping(self) -> dict[Any, Any]:
        pairs: dict[Any, Any] = {}
        while not self._take("}"):
            label = self._value()
            if not self._take(":"):
                raise self._error("expected label: gain", self.at)
            if label in pairs:
                raise self._error(f"label {label} is given twice", self.at)
            pairs[label] = self._value()
            if not self._take(",") and not self.text.startswith("}", self._skip_blanks()):
                raise self._error("expected , or }", self.at)
        return pairs

    def _skip_blanks(self) -> int:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at

    def _match(self, pattern: str) -> str | None:
        found = re.compile(pattern).match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def _take(self, mark: str) -> bool:
        if not self.text.startswith(mark, self._skip_blanks()):
            return False
        self.at += len(mark)
        return True

    def _error(self, message: str, at: int) -> MeasureError:
        return MeasureError(f"measure {self.text!r}, position {at + 1}: {message}")
