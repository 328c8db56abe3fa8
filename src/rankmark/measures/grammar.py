"""The grammar of measure names, including those of other tools."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from rankmark.errors import MeasureError, shown
from rankmark.formulas import NUMBER, Notation, NotationError, cutoff_in
from rankmark.measures import EVERY
from rankmark.measures.base import other_notations
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.suggestions import PAIRWISE, REFUSED, REFUSED_AS_WRITTEN, by_meaning
from rankmark.measures.sets import SETS
from rankmark.measures.trec_eval_names import FAMILIES, measures_of_set


class _Named(NamedTuple):
    measure: Measure
    parameters: dict[str, Any]


def _spelling(name: str) -> str:
    """Return a name without case and hyphens: nDCG, ndcg and NDCG are the same."""
    return name.lower().replace("-", "_")


_BY_NAME: dict[str, _Named] = {_spelling(m.name): _Named(m, {}) for m in EVERY} | {
    _spelling(alias): _Named(m, dict(parameters))
    for m in EVERY
    for alias, parameters in m.aliases.items()
}

_BY_FULL_NAME = {re.sub("[ -]+", " ", m.full_name.lower()): m for m in EVERY}
# What trec_eval computes under a name alone; P and recall are names of one measure elsewhere.
_FAMILIES = {
    _spelling(name): family.by_default()
    for name, family in FAMILIES.items()
    if family.defaults and name not in {"P", "recall"}
}
_SETS = {_spelling(name): known for name, known in SETS.items()}

_NUMBERED: dict[str, tuple[Measure, str]] = {
    _spelling(name): (m, parameter) for m in EVERY for name, parameter in m.numbered.items()
}

# Names that a number may follow directly: ndcg10, P20. Not all names: F2 is F(beta=2), R2 is not
# recall, and AP50 is about images.
_GLUED = frozenset(
    ("dcg", "hits", "hr", "mrr", "ndcg", "p", "prec", "precision", "recall", "rr", "success")
)
_LONGEST = 40  # digits of a number in a name


# ir_measures writes nDCG(dcg="exp-log2") for gain="exp2".
_DCG = {"log2": "linear", "exp-log2": "exp2"}


# Parameters of ir_measures whose value is the only one here.
_SAID_ALREADY = frozenset({("sdcg", "dcg", "log2"), ("compat", "normalize", "True")})


@lru_cache(maxsize=1024)
def parse(name: str) -> tuple[Measure, ...]:
    """Return all measures that a name stands for, as ``names.measures`` does."""
    try:
        return _Parser(name).parse()
    except NotationError as error:
        where = f"measure {shown(name)}, position {error.at + 1}"
        raise MeasureError(error.found, error.remedy, where=where) from None


def nearest(name: str) -> list[str]:
    """Return the three measure names most similar to ``name``."""
    from difflib import SequenceMatcher  # noqa: PLC0415

    spelling = _spelling(name)[:100]

    def similarity(known: str) -> float:
        return SequenceMatcher(None, spelling, known).ratio()

    found: list[str] = []
    for known in sorted(_BY_NAME, key=similarity, reverse=True):
        canonical = _BY_NAME[known].measure.name
        if canonical not in found:
            found.append(canonical)
    return found[:3]


def _instead_of(name: str) -> str:
    """Return what to write instead of a name or words that are no name of a measure."""
    words = _in_words(name)
    if known := _BY_FULL_NAME.get(words) or _BY_FULL_NAME.get(words.removeprefix("mean ")):
        return f"write {known.name}"
    joined = "".join(words.split())
    if " " in name and (named := _BY_NAME.get(joined) or _BY_NAME.get(words.replace(" ", "_"))):
        return f"write {named.measure.with_parameters(**named.parameters)}"
    return by_meaning(name.replace(" ", "_")) or f"did you mean {', '.join(nearest(name))}?"


def _in_words(name: str) -> str:
    return re.sub("[ _-]+", " ", name.lower()).replace("normalis", "normaliz")


def _number(digits: str, at: int) -> float:
    if len(digits) > _LONGEST:
        raise NotationError(f"{shown(digits)} has too many digits", at, "need a smaller number")
    return int(digits) if digits.isdecimal() else float(digits)


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and value > 0


class _Parser(Notation):
    """NAME, then (parameter=value, ...), then @k, or the name of a set; more after commas.

    Spaces are allowed between all parts.
    """

    _spelled = ""  # the name, as _spelling gives it
    _numbered = ""  # the parameter set by a number in the name or after @
    _replaced_by_at = ""  # the one set by cutoff= or recall=, which ir_measures replaces by @

    def parse(self) -> tuple[Measure, ...]:
        found = self._measures()
        while self.take(","):
            found += self._measures()
        self.end()
        return tuple(dict.fromkeys(found))

    def end(self) -> None:
        """Refuse any text that is left; a blank is taken for a comma or for @."""
        first, rest = self.text[: self.at].strip(), self.text[self.skip_blanks() :]
        if rest and self.text[self.at - 1].isspace() and rest[0].isalnum():
            remedy = f"write {first}@{rest}" if rest.isdecimal() else f"write {first},{rest}"
            raise NotationError(f"did not expect {shown(rest)}", self.at, remedy)
        super().end()

    def _measures(self) -> list[Measure]:
        """Parse a name with all its cutoffs."""
        start = self.skip_blanks()
        self._numbered = self._replaced_by_at = ""
        if other := other_notations.read(self.text, start):
            known_here, self.at = other
            return list(parse(known_here))
        self._refuse_words(start)
        name = self.match(r"\d*[^\W\d][\w.-]*") or ""
        if _spelling(name) in _SETS:
            return self._of_set(name)
        if family := self._family(name):
            return [*family]
        self._spelled = _spelling(name)
        named, parameters = self._resolve(name, start)
        in_name = bool(self._numbered)
        named = self._parse_parameters(named, parameters)
        self._parse_cutoff(named, parameters)
        # ranx writes a relevance level as a suffix, before or after the cutoff.
        if level := self.match(r"-l\d+"):
            self._set(named, parameters, "rel", float(level[2:]), self.at - len(level))
            self._parse_cutoff(named, parameters)
        if self._spelled == "accuracy" and (
            "k" not in parameters or "(" in self.text[start : self.at]
        ):
            raise NotationError(PAIRWISE[0], start, PAIRWISE[1])
        found = [named.with_parameters(**parameters)]
        while another := self.another():
            digits, at = another
            if not self._numbered:
                raise NotationError(
                    f"{shown(digits)} follows no cutoff", at, f"write {named.name}@{digits[:18]}"
                )
            others = {name: v for name, v in parameters.items() if name != self._numbered}
            value = _number(digits, at)
            if self._numbered == "k":  # trec_eval reads P.5,10.5 as P.5,10
                value = int(value) if in_name else cutoff_in(digits, at)
            self._set(named, others, self._numbered, value, at)
            found.append(named.with_parameters(**others))
        return found

    def _family(self, name: str) -> tuple[Measure, ...]:
        """Return the measures that trec_eval computes under a name alone; none if it is not one."""
        spelled = _spelling(name)
        is_here = spelled == "success" != name  # Success is a measure here
        return () if is_here or not self._is_bare(name) else _FAMILIES.get(spelled, ())

    def _is_bare(self, name: str) -> bool:
        """Return whether neither parameters nor a cutoff follow a name."""
        at = self.skip_blanks()
        return bool(name) and self.text[at : at + 1] not in {"(", "@"}

    def _of_set(self, name: str) -> list[Measure]:
        if not self._is_bare(name):
            raise NotationError(
                f"{shown(name)} is a set of measures, without parameters and cutoffs of its own",
                self.at,
                f"write {name} alone, or name the measures",
            )
        written = _SETS[_spelling(name)].measures
        return [*(measures_of_set(_spelling(name)) if written is None else parse(written))]

    def _resolve(self, name: str, start: int) -> tuple[Measure, dict[str, Any]]:
        if self._is_bare(name) and (meant := REFUSED_AS_WRITTEN.get(name)):
            raise NotationError(meant[0], start, meant[1])
        if known := _BY_NAME.get(_spelling(name)):
            return known.measure, dict(known.parameters)
        if meant := REFUSED.get(_spelling(name)):
            raise NotationError(meant[0], start, meant[1])
        # trec_eval writes a number into the name, ranx a relevance level: ndcg_cut_10, map-l2.
        parts = re.fullmatch(
            r"(.+?)(?:[_.](?:at_)?(?P<number>(?:[0-9]*\.)?[0-9]+))?(?:-l(?P<level>[0-9]+))?", name
        )
        # People write ndcg10.
        glued = re.fullmatch(r"([A-Za-z]+)(?P<number>[0-9]+)(?:-l(?P<level>[0-9]+))?", name)
        if glued and _spelling(glued[1]) in _GLUED:
            parts = glued
        # set_F.4 is no F@4
        whole_list = parts and parts["number"] and name.lower().startswith("set_")
        if parts and not whole_list and (found := self._named(parts[1], parts["number"])):
            named, parameter = found
            parameters = dict(named.parameters)
            for sets, digits in ((parameter, parts["number"]), ("rel", parts["level"])):
                if digits is not None:
                    self._set(named.measure, parameters, sets, _number(digits, start), start)
            self._numbered = "" if parts["number"] is None else parameter
            return named.measure, parameters
        if parts and (meant := REFUSED.get(_spelling(parts[1]))):
            raise NotationError(meant[0], start, meant[1])
        if not name:
            raise NotationError("the name of a measure is missing", start)
        if name.lower().endswith("_at_k") and self._named(name[:-5], "10"):
            raise NotationError(
                "k stands for a number",
                start,
                f"write {_BY_NAME[_spelling(name[:-5])].measure.name}@10",
            )
        raise NotationError(f"there is no measure {shown(name)}", start, _instead_of(name))

    def _refuse_words(self, start: int) -> None:
        """Refuse names of several words, such as mean average precision, and lone parameters."""
        text = self.text[start:]
        if parameter := re.match(r"(\w+)\s*=\s*([\w.]+)", text):
            name, value = (
                part if len(part) <= 40 else f"{part[:40]}..." for part in parameter.groups()
            )
            how = "after a measure, as in nDCG@10" if name == "k" else f"as in AP({name}={value})"
            found = f"{name}={value} is a parameter without a measure"
            raise NotationError(found, start, f"write it {how}")
        words = re.match(r"[^\W\d][\w-]*(?: +[^\W\d][\w-]*)+", text)
        if words is None:
            return
        if meant := REFUSED.get(re.sub("[ _-]", "", words[0].lower())):
            raise NotationError(meant[0], start, meant[1])
        raise NotationError(
            f"there is no measure {shown(words[0])}", start, _instead_of(" ".join(words[0].split()))
        )

    def _named(self, name: str, number: str | None) -> tuple[_Named, str] | None:
        """Return what a name followed by a number means, and the parameter that the number sets."""
        if number and (found := _NUMBERED.get(_spelling(name))):
            return _Named(found[0], {}), found[1]
        named = _BY_NAME.get(_spelling(name))
        return (named, "k") if named else None

    def _parse_parameters(self, named: Measure, parameters: dict[str, Any]) -> Measure:
        """Parse parameters; return the measure, which some parameters of ir_measures change."""
        for name, value, at in self.parameters():
            declared = named.parameters.get(name)
            is_flag = name in {"judged_only", "weighted"} or (
                declared is not None and isinstance(declared.default, bool)
            )
            if is_flag or (name == "relative" and self._spelled in {"setp", "set_p"}):
                if value not in {"True", "False"}:
                    raise NotationError(f"{name} is {shown(value)}", at, "need True or False")
                if is_flag:
                    self._set(named, parameters, name, value == "True", at)
                elif value == "True":
                    named = _BY_NAME["r"].measure
                    self._set(named, parameters, "norm", "min", at)
                continue
            if name == "rel" and self._spelled in {"numret", "num_ret"}:
                named = _BY_NAME["numrelret"].measure
            if name == "beta" and self._spelled == "setf" and _is_positive(value):
                value = value**0.5  # noqa: PLW2901  (ir_measures takes the square)
            if (self._spelled, name, str(value)) in _SAID_ALREADY:
                continue
            meant = {"gains": "gain", "dcg": "gain", "cutoff": "k"}.get(name, name)
            known = _DCG.get(str(value), value) if name == "dcg" else value
            if name == "gains" and isinstance(value, dict):
                known = {**value, "other": "linear"}  # other labels keep theirs in ir_measures
            self._set(named, parameters, meant, known, at)
            if name in {"cutoff", "recall"}:
                self._replaced_by_at = meant
        return named

    def _parse_cutoff(self, named: Measure, parameters: dict[str, Any]) -> None:
        self._parse_budget(named, parameters)
        at = self.skip_blanks() + 1
        if self._replaced_by_at == named.at and self.text.startswith("@", at - 1):
            del parameters[named.at]
        if named.at == "k":
            k = self.cutoff()
            if k is not None:
                self._set(named, parameters, "k", k, at)
                self._numbered = "k"
        elif self.take("@"):
            self.skip_blanks()
            digits = self.match(NUMBER)
            if not digits or not re.fullmatch(r"(?:[0-9]*\.)?[0-9]+", digits):
                allowed = named.parameters[named.at].allowed
                found = "missing" if digits is None else shown(digits)
                raise NotationError(f"the {named.at} is {found}", at, f"need {allowed}")
            self._set(named, parameters, named.at, _number(digits, at), at)
            self._numbered = named.at
        self._parse_budget(named, parameters)

    def _parse_budget(self, named: Measure, parameters: dict[str, Any]) -> None:
        if found := self.budget():
            self._set(named, parameters, "budget", *found)

    def _set(
        self, named: Measure, parameters: dict[str, Any], name: str, value: Any, at: int
    ) -> None:
        if name in parameters:
            raise NotationError(f"{name} is given twice", at, "keep one of the two")
        try:
            named.with_parameters(**{name: value})
        except MeasureError as error:
            found = error.found if error.where is None else f"{error.where}: {error.found}"
            raise NotationError(found, at, error.remedy or "") from None
        parameters[name] = value
