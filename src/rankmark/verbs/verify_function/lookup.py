"""Look the numbers of a function up in the table of formulas, those nearest to usual first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import MeasureError, RankmarkError
from rankmark.measures import ALL
from rankmark.measures.cg import CG
from rankmark.measures.ncg import NCG
from rankmark.verbs.verify_function.formula_table import (
    BY_SCORES,
    CUT,
    CUTOFFS,
    FORMULAS,
    ORDER,
    OWN_CUT,
    SCALE,
    WAYS,
    View,
    Way,
    combined,
    missing,
)

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.verbs.verify_function.call_shapes import Seen, Shape

OF_OTHER_DATA = {"subtopics", "preferences", "anywhere"}
"""What measures depend on that are not computed from the labels of one ranking."""
_NEGLIGIBLE = 1e-6  # differences by rounding, or by an epsilon in a divisor, are below
_FEWEST = 8  # numbers other than those of lists without a hit
_MOST = 4  # changes
_DECIMALS = (3, 4, 5, 6)  # to which functions round
_TELLING = 7  # numbers that rule most of the table out
_OF_SETS = {"P", "R", "F", "Jaccard", "Success", "NumRelRet"}
_VALUES: dict[str, tuple[Any, ...]] = {
    "p": (0.5, 0.8, 0.85, 0.9, 0.95),
    "max_rel": (3, 4, 5),
    "gain": ("linear", "exp2", "binary"),
    "beta": (0.5, 1, 2),
}
"""Values that are tried of parameters that have no list of their own."""
_NAMES = {
    r"rbp|rank_?biased_?prec\w*": "RBP",
    r"n_?dcg|normali[sz]ed_d(?:isc|cg)\w*": "nDCG",
    r"(?<!i)dcg|discounted\w*": "DCG",
    r"r_?prec(ision)?(?![a-z])|precision_at_r": "Rprec",
    r"m?ap(?![a-z])|mapk|apk|av(era)?g\w*_?prec\w*": "AP",
    r"m?rr(?![a-z])|recip\w*": "RR",
    r"recall": "R",
    r"precision|prec(?![a-z])|p(?=_?at)": "P",
    r"f_?1(?!\d)|f_?score|f_?measure": "F",
    r"jaccard": "Jaccard",
    r"hit|success|accuracy": "Success",
}


def same(a: float, b: float) -> bool:
    """Return whether two values are the same, up to the rounding of sums; NaN is NaN."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=_NEGLIGIBLE, abs_tol=1e-9)


def named_after(name: str) -> str | None:
    """Return the measure that the name of a function says; None if it says none."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    for pattern, family in _NAMES.items():
        if re.search(rf"(?<![a-z])(?:{pattern})", words):
            return family
    return None


class Variant(NamedTuple):
    """A measure and the way in which each of its parameters is taken.

    Parameters
    ----------
    family
        The name of the measure.
    chosen
        The way of each parameter, and how the ranking is read ("order") and cut ("cut"), the number
        is written ("scale") or given where nothing is found ("misses"), and averaged ("average").
    known
        A measure here that is looked up by its own numbers; None for one of the table of formulas.
    """

    family: str
    chosen: dict[str, Way]
    known: Measure | None = None

    @property
    def changed(self) -> dict[str, Way]:
        """The ways that are not usual."""
        return {name: one for name, one in self.chosen.items() if one.kind != "usual"}

    @property
    def cost(self) -> int:
        """How much is changed; documents that are not relevant are rarely counted."""
        return len(self.changed) + 2 * self.counts_all

    @property
    def counts_all(self) -> bool:
        """Whether documents count that are judged as not relevant."""
        return "rel" in self.chosen and self.chosen["rel"].value == 0

    @property
    def cut(self) -> int | str | None:
        """How the ranking is cut: None if it is not, "k" by the cutoff given."""
        if self.known is not None:
            return getattr(self.known, "k", None)
        return self.chosen["cut"].value

    @property
    def reads_ranking(self) -> bool:
        """Whether it depends on the order of the documents."""
        return not self.counts_all and (bool(self.cut) or self.family not in _OF_SETS)

    def fraction(self, seen: Seen) -> tuple[float, float]:
        """Return what is divided, and by what."""
        if self.known is not None:
            return _value_of(self.known, seen), 1.0
        ways = {name: self.chosen[name] for name in WAYS[self.family]}
        return FORMULAS[self.family][1](
            _view(seen, self.chosen["order"], self.chosen["cut"]), **ways
        )

    def value(self, seen: Seen) -> float:
        """Return what a function that computes so returns."""
        total, divisor = self.fraction(seen)
        missed = self.chosen["misses"].value if "misses" in self.chosen else 0.0
        value: float = total / divisor if total and divisor else missed
        return {"complement": 1 - value, "percent": 100 * value}.get(
            self.chosen["scale"].value, value
        )

    def measure(self, shape: Shape | None = None) -> Measure | None:
        """Return the measure here, without its cutoff, that computes so; None if there is none.

        Of functions called in a ``shape`` that tells no other documents than those retrieved, an
        ideal ranking of all judged documents is one of those retrieved.
        """
        made = FORMULAS[self.family][0] if self.known is None else None
        given = {name: one.value for name, one in self.changed.items()}
        if made is None:
            return self.known
        if given.get("discount") == "none":
            del given["discount"]
            made = {"nDCG": NCG, "DCG": CG}[self.family]
        if "p" in self.chosen:
            given["p"] = self.chosen["p"].value
        if shape and not shape.knows_missed and made.name == "nDCG" and "ideal" not in given:
            given["ideal"] = "retrieved"
        if not given.keys() <= made.parameters.keys():
            return None
        try:
            return made(**given) if given else made
        except MeasureError:  # a value that the parameter does not have here
            return None

    def words(self, shape: Shape | None = None) -> str:
        """Describe the variant: the name of the measure, and what is not usual about it."""
        made, cut = self.measure(shape), self.cut
        if self.known is not None:
            cut = "k" if shape and shape.has_k and "k" in self.known.parameters else None
        named = self.known or FORMULAS[self.family][0]
        name = str(made) if made else self.family
        if made is None and "p" in self.chosen:
            name += f"(p={self.chosen['p'].value})"
        said = ", ".join(one.words for one in self.changed.values() if one.words)
        full = named.full_name if named else "Jaccard index"
        return f"{name}{f'@{cut}' if cut else ''} ({full}){': ' if said else ''}{said}"

    def with_way(self, name: str, way: Way) -> Variant:
        """Return it with one more choice."""
        return self._replace(chosen={**self.chosen, name: way})


def usual(family: str, shape: Shape, like: Variant | None = None) -> Variant:
    """Return the usual variant of a measure, with the same choice of cutoff or persistence."""
    chosen = combined(family)[0] | _readings(shape)[0]
    kept = like.chosen if like is not None and like.known is None else {}
    for name in {"cut", "p"} & chosen.keys() & kept.keys():
        chosen |= {name: kept[name]} if kept[name].kind == "usual" else {}
    return Variant(family, chosen)


def _view(seen: Seen, order: Way, cut: Way) -> View:
    ranked = order.of(seen)
    k = len(ranked) if seen.k is None else seen.k
    at, divided = cut.of(k, len(ranked))
    return View(ranked[:at], ranked, seen.judged, divided)


def _readings(shape: Shape) -> list[dict[str, Way]]:
    """Return the ways to read and cut a ranking and to write the number, the usual ones first."""
    cuts = CUT if shape.has_k else OWN_CUT
    usual = {"order": ORDER[0], "cut": cuts[0], "scale": SCALE[0]}
    orders = (BY_SCORES, *ORDER[2:]) if shape.has_scores else ORDER[1:3]
    others = {"order": orders, "cut": cuts[1:], "scale": SCALE[1:]}
    changed = [usual | {name: one} for name, several in others.items() for one in several]
    return [usual, *sorted(changed, key=_changes)]


def _changes(reading: dict[str, Way]) -> int:
    return sum(one.kind != "usual" for one in reading.values())


@lru_cache(maxsize=1024)
def _vectors(family: str, seen: tuple[Seen, ...], order: Way, cut: Way) -> Floats:
    """Return what is divided, and by what, of all variants: (2, n_variants, n_cases) float64."""
    views, formula = [_view(one, order, cut) for one in seen], FORMULAS[family][1]
    rows = [[formula(view, **ways) for view in views] for ways in combined(family)]
    return np.moveaxis(np.array(rows, dtype=float), 2, 0)


def variants(
    shape: Shape, name: str | None, numbers: Sequence[tuple[Seen, float]]
) -> list[Variant]:
    """Return the variants that give all numbers with the fewest changes, the best first.

    Measures of the catalogue are tried if nothing in the table of formulas does.

    Parameters
    ----------
    shape
        How the function is called.
    name
        The measure that its name says; None if it says none.
    numbers
        What it was told of cases, and the number that it returned.
    """
    finite = [(seen, value) for seen, value in numbers if math.isfinite(value)]
    found: list[Variant] = []
    least = _MOST + 1
    for reading in _readings(shape):
        if _changes(reading) >= max(least, 1) or len(finite) < _FEWEST:
            break
        found += [one for one in _under(reading, finite) if one.cost <= _MOST]
        least = min([least, *(one.cost for one in found)])
    found = [one for one in found if one.cost == least]

    def order(one: Variant) -> tuple[Any, ...]:
        chosen = {name: way.value for name, way in one.chosen.items()}
        # Without a cutoff, k means as many as were retrieved.
        vague = one.cut is None and chosen.get("ideal", chosen.get("norm")) in {"k", "ones"}
        vague |= chosen.get("discount") == "none"
        hits = not shape.knows_missed and chosen.get("norm") in {"found", "hits"}
        bugs = sum(way.kind == "bug" for way in one.chosen.values())
        return one.family != name, vague, hits, bugs

    return sorted(found, key=order) or list(_in_catalogue(finite))


def _under(reading: dict[str, Way], numbers: Sequence[tuple[Seen, float]]) -> Iterator[Variant]:
    """Yield the variants that give all numbers if rankings are read in one way."""
    values = reading["scale"].of(np.array([value for _, value in numbers]))
    slack = _slack(values) if reading["scale"].value == "rounded" else 0.0
    if slack is None:
        return
    telling = np.argsort((values == 0) | (values == 1), kind="stable")[:_TELLING]
    seen = tuple(numbers[at][0] for at in telling.tolist())
    for family in FORMULAS:
        above, below = _vectors(family, seen, reading["order"], reading["cut"])
        nothing = (above == 0) | (below == 0)
        with np.errstate(all="ignore"):
            close = np.abs(values[telling] * below - above) <= _allowed(above, below, slack)
        close &= np.isfinite(above) & np.isfinite(below)
        fits = (nothing | close).all(axis=1) & ((~nothing).sum(axis=1) > len(telling) / 2)
        for at in np.flatnonzero(fits).tolist():
            found = Variant(family, combined(family)[at] | reading)
            misses = _misses(found, numbers, values, slack)
            if misses is not None:
                yield found.with_way("misses", missing(misses)) if misses else found


def _misses(
    variant: Variant, numbers: Sequence[tuple[Seen, float]], values: Floats, slack: float
) -> float | None:
    """Return the number where nothing is found, 0 without such a case; None if it is wrong."""
    misses: list[float] = []
    for (seen, _), value in zip(numbers, values.tolist(), strict=True):
        total, divisor = variant.fraction(seen)
        if not (total and divisor):
            misses.append(value)
        elif not abs(value * divisor - total) <= _allowed(total, divisor, slack):
            return None
    is_same = all(same(value, misses[0]) for value in misses)
    is_enough = len(numbers) - len(misses) >= _FEWEST
    return (misses[0] if misses else 0.0) if is_same and is_enough else None


def nearest(
    shape: Shape, name: str | None, numbers: Sequence[tuple[Seen, float]]
) -> tuple[Variant, float]:
    """Return the variant with at most one change that gives most numbers, and their share."""
    tried = [usual(name or "nDCG", shape)]
    reading = _readings(shape)[0]
    tried += [
        Variant(family, ways | reading) for family in FORMULAS for ways in combined(family, 1)
    ]
    shares = [sum(same(one.value(seen), x) for seen, x in numbers) / len(numbers) for one in tried]
    most = max(shares)
    return tried[shares.index(most)], most


def _slack(values: Floats) -> float | None:
    """Return how far rounding may move values; None if they are not rounded."""
    decimals = [d for d in _DECIMALS if (np.round(values, d) == values).all()]
    return 0.5 * 10.0 ** -decimals[0] + 1e-9 if decimals else None


def _allowed(above: Any, below: Any, slack: float) -> Any:
    return _NEGLIGIBLE * abs(above) + slack * abs(below)


def _in_catalogue(numbers: Sequence[tuple[Seen, float]]) -> Iterator[Variant]:
    """Yield the measures of the catalogue that give all numbers; many need something irrelevant."""
    numbers = [each for each in numbers if 0 in each[0].judged]
    needs_k = bool(numbers) and numbers[0][0].k is None
    for measure in _catalogue() if len(numbers) >= _FEWEST else ():
        cuts = [measure @ k for k in CUTOFFS] if needs_k and hasattr(measure, "k") else []
        for each in (measure, *cuts):
            one = Variant(measure.name, {"scale": SCALE[0]}, each)
            values = np.array([value for _, value in numbers])
            try:
                misses = _misses(one, numbers, values, 0.0)
            except (RankmarkError, TypeError):  # such as a measure without a cutoff
                continue
            if misses is not None:
                yield one.with_way("misses", missing(misses)) if misses else one


def _value_of(measure: Measure, seen: Seen) -> float:
    missed = list((Counter(seen.judged) - Counter(seen.ranked)).elements())
    asked = measure if seen.k is None or not hasattr(measure, "k") else measure @ seen.k
    return asked(seen.ranked, missed=missed)


def _catalogue() -> Iterator[Measure]:
    """Yield all measures of labels, with each value of each parameter, one at a time."""
    for measure in ALL:
        if measure.depends_on in OF_OTHER_DATA or measure.name.startswith("Num"):
            continue
        yield measure
        for name, parameter in measure.parameters.items():
            tried = (
                parameter.words
                if parameter.allowed.startswith("one of ")
                else _VALUES.get(name, ())
            )
            for value in () if name in {"ties", "aggregate"} else tried:
                try:
                    yield measure(**{name: value})
                except MeasureError:
                    continue
