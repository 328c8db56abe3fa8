"""From a name, as any tool of the field writes it, to the measure that it means."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from rankmark.errors import MeasureError
from rankmark.measures import ALL
from rankmark.measures.measure import Measure
from rankmark.notation import Notation, NotationError


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

_NUMBERED: dict[str, tuple[Measure, str]] = {
    _spelling(name): (m, parameter) for m in ALL for name, parameter in m.numbered.items()
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
    try:
        return _Parser(name).parse()
    except NotationError as error:
        message, at = error.args
        raise MeasureError(f"measure {name!r}, position {at + 1}: {message}") from None


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


def _number(digits: str) -> float:
    return int(digits) if digits.isdecimal() else float(digits)


class _Parser(Notation):
    """NAME, then (parameter=value, ...), then @k; blanks anywhere between."""

    _is_set_f = False  # whose beta is not ours

    def parse(self) -> Measure:
        start = self.skip_blanks()
        name = self.match(r"\d*[^\W\d][\w.-]*") or ""
        self._is_set_f = _spelling(name) in {"set_f", "setf"}
        named, parameters = self._resolve(name, start)
        self._parse_parameters(named, parameters)
        self._parse_cutoff(named, parameters)
        # ranx writes a relevance level as a suffix, before or behind the cutoff.
        if level := self.match(r"-l\d+"):
            self._set(named, parameters, "rel", float(level[2:]), self.at - len(level))
            self._parse_cutoff(named, parameters)
        self.end()
        return named.with_parameters(**parameters)

    def _resolve(self, name: str, start: int) -> tuple[Measure, dict[str, Any]]:
        if known := _BY_NAME.get(_spelling(name)):
            return known.measure, dict(known.parameters)
        if persistence := re.fullmatch(r"rbp(\.\d+)", name.lower()):  # ranx's rbp.95 is no RBP@95
            rbp, parameters = _BY_NAME["rbp"].measure, dict[str, Any]()
            self._set(rbp, parameters, "p", float(persistence[1]), start)
            return rbp, parameters
        # trec_eval writes a number into the name, ranx a relevance level: ndcg_cut_10, map-l2.
        parts = re.fullmatch(
            r"(.+?)(?:[_.](?:at_)?(?P<number>\d*\.?\d+))?(?:-l(?P<level>\d+))?", name
        )
        # set_F.4 is no F@4
        whole_list = parts and parts["number"] and name.lower().startswith("set_")
        if parts and not whole_list and (found := self._named(parts[1], parts["number"])):
            named, parameter = found
            parameters = dict(named.parameters)
            for sets, digits in ((parameter, parts["number"]), ("rel", parts["level"])):
                if digits is not None:
                    self._set(named.measure, parameters, sets, _number(digits), start)
            return named.measure, parameters
        if not name:
            raise NotationError("expected the name of a measure", start)
        near = ", ".join(nearest(name))
        raise NotationError(f"there is no measure {name!r}; did you mean {near}?", start)

    def _named(self, name: str, number: str | None) -> tuple[_Named, str] | None:
        """Give what a name means that a number may follow, and the parameter that it sets."""
        if number and (found := _NUMBERED.get(_spelling(name))):
            return _Named(found[0], {}), found[1]
        named = _BY_NAME.get(_spelling(name))
        return (named, "k") if named else None

    def _parse_parameters(self, named: Measure, parameters: dict[str, Any]) -> None:
        for name, value, at in self.parameters():
            if name == "beta" and self._is_set_f:
                raise NotationError("trec_eval's and ir_measures' beta is b^2; write F(beta=b)", at)
            meant = "gain" if name in {"gains", "dcg"} else name
            known = _DCG.get(str(value), value) if name == "dcg" else value
            self._set(named, parameters, meant, known, at)

    def _parse_cutoff(self, named: Measure, parameters: dict[str, Any]) -> None:
        at = self.skip_blanks() + 1
        if named.at == "k":
            k = self.cutoff()
            if k is not None:
                self._set(named, parameters, "k", k, at)
        elif self.take("@"):
            self.skip_blanks()
            digits = self.match(r"[^\s()-]+")
            if not digits or not re.fullmatch(r"[0-9]*\.?[0-9]+", digits):
                allowed = named.parameters[named.at].allowed
                raise NotationError(f"the {named.at} is {digits!r}; need {allowed}", at)
            self._set(named, parameters, named.at, float(digits), at)

    def _set(
        self, named: Measure, parameters: dict[str, Any], name: str, value: Any, at: int
    ) -> None:
        if name in parameters:
            raise NotationError(f"{name} is given twice", at)
        try:
            named.with_parameters(**{name: value})
        except MeasureError as error:
            raise NotationError(str(error), at) from None
        parameters[name] = value
