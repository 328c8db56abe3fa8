"""Look the numbers of a function up in the table of formulas, those nearest to usual first."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import MeasureError
from rankmark.measures.cg import CG
from rankmark.measures.ncg import NCG
from rankmark.verbs.verify_function.cases import CUTOFFS
from rankmark.verbs.verify_function.formula_table import (
    ABOVE,
    MEASURES,
    View,
    Way,
    below,
    way,
    ways,
)
from rankmark.verbs.verify_function.function_calls import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankmark.array_types import Bools, Floats
    from rankmark.measures import Measure
    from rankmark.verbs.verify_function.call_shapes import Seen, Shape
    from rankmark.verbs.verify_function.formula_table import Key

_NEGLIGIBLE = 1e-6  # differences by rounding, or by an epsilon in a divisor, are below
_FEWEST = 8  # numbers other than those of lists without a hit
_MOST = 4  # changes
_DECIMALS = (3, 4, 5, 6)  # to which functions round
_TELLING = 7  # numbers that rule most of the table out
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


def named_after(function: Callable[..., Any]) -> str | None:
    """Return the measure that the name of a function says; None if it says none."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name_of(function)).lower()
    for pattern, family in _NAMES.items():
        if re.search(rf"(?<![a-z])(?:{pattern})", name):
            return family
    return None


class Variant(NamedTuple):
    """A measure and the way in which each of its parameters is taken.

    Parameters
    ----------
    family
        The name of the measure.
    above, below
        What is divided, and by what.
    reading
        How the ranking is read ("order") and cut ("cut"), and the number is written ("scale").
    besides
        The number where nothing is found ("misses") if it is not 0, and "pooled" averages.
    by_scores
        Whether documents are ranked by scores.
    """

    family: str
    above: Key
    below: Key
    reading: Key
    besides: Key = ()
    by_scores: bool = False

    @property
    def chosen(self) -> dict[str, Any]:
        """The value of each parameter."""
        chosen = dict(self.above) | dict(self.below)
        for name in ("gain", "discount"):
            if chosen.get(f"ideal_{name}") == chosen.get(name):
                chosen.pop(f"ideal_{name}", None)
        return {**chosen, **dict(self.reading), **dict(self.besides)}

    @property
    def changed(self) -> tuple[tuple[str, Way], ...]:
        """(parameter, way) for those that are not usual."""
        every = [
            (n, way(self.family, n, v, by_scores=self.by_scores)) for n, v in self.chosen.items()
        ]
        return tuple((name, one) for name, one in every if one.kind != "usual")

    @property
    def bugs(self) -> tuple[Way, ...]:
        """The ways that are taken for mistakes."""
        return tuple(one for _, one in self.changed if one.kind == "bug")

    @property
    def cut(self) -> int | str | None:
        """How the ranking is cut: None if it is not, "k" by the cutoff given."""
        found: int | str | None = dict(self.reading)["cut"]
        return found

    @property
    def reads_ranking(self) -> bool:
        """Whether it depends on the order of the documents."""
        of_sets = self.family in {"P", "R", "F", "Jaccard", "Success", "NumRelRet"}
        return bool(self.cut) or not of_sets

    @property
    def is_read_as_given(self) -> bool:
        """Whether the ranking is read and cut, and the number is written, as usual."""
        return not {name for name, _ in self.changed} & {"order", "scale", "cut", "misses"}

    def fraction(self, seen: Seen) -> tuple[float, float]:
        """Return what is divided, and by what."""
        view = _view(seen, **dict(self.reading))
        return ABOVE[self.family][self.above](view), below(self.family)[self.below](view)

    def value(self, seen: Seen) -> float:
        """Return what a function that computes so returns."""
        total, divisor = self.fraction(seen)
        misses: float = dict(self.besides).get("misses", 0.0)
        value = total / divisor if total and divisor else misses
        scale = dict(self.reading)["scale"]
        return {"complement": 1 - value, "percent": 100 * value}.get(scale, value)

    def words(self, known: Measure | None = None) -> str:
        """Describe the variant: the name of the measure, and what is not usual about it.

        ``known`` is the measure here that computes so, if it is not ``measure()``.
        """
        made = known or self.measure()
        name = self.family if made is None else str(made)
        if made is None and self.family == "RBP":
            name += f"(p={self.chosen['p']})"
        if self.cut is not None:
            name += f"@{self.cut}" if isinstance(self.cut, int) else "@k"
        full = MEASURES[self.family].full_name if self.family in MEASURES else "Jaccard index"
        said = [one.words for _, one in self.changed if one.words]
        return f"{name} ({full}): {', '.join(said)}" if said else f"{name} ({full})"

    def measure(self) -> Measure | None:
        """Return the measure here, without its cutoff, that computes so; None if there is none."""
        given = {name: one.value for name, one in self.changed}
        made = MEASURES.get(self.family)
        if made is None or not self.is_read_as_given or "average" in given:
            return None
        if given.get("discount") == "none":
            del given["discount"]
            made = {"nDCG": NCG, "DCG": CG}[self.family]
        if self.family == "RBP":
            given["p"] = self.chosen["p"]
        if any(name not in made.parameters for name in given):
            return None
        try:
            found: Measure = made(**given) if given else made
        except MeasureError:  # a value that the parameter does not have here
            return None
        return found


def usual(family: str, shape: Shape, like: Variant | None = None) -> Variant:
    """Return the usual variant of a measure, with the same choice of cutoff or persistence."""
    reading = dict(_readings(shape)[0])
    above, under = next(iter(ABOVE[family])), next(iter(below(family)))
    if like is not None:
        if isinstance(like.cut, int):
            reading["cut"] = like.cut
        if like.family == family == "RBP":
            above = tuple((n, like.chosen["p"] if n == "p" else value) for n, value in above)
    return Variant(family, above, under, tuple(reading.items()))


def _view(seen: Seen, order: str, cut: int | str | None, scale: str = "") -> View:  # noqa: ARG001
    ranked = seen.ranked
    if order == "reversed":
        ranked = ranked[::-1]
    elif order == "sorted":
        ranked = tuple(sorted(ranked, reverse=True))
    elif order == "input" and seen.given is not None:
        ranked = seen.given
    k = len(ranked) if seen.k is None else seen.k
    if not isinstance(cut, str):
        k = len(ranked) if cut is None else cut
        return View(ranked[:k], ranked, seen.judged, k)
    at = {"k": k, "all": len(ranked)}.get(cut) or (k + 1 if "+" in cut else k - 1)
    return View(ranked[:at], ranked, seen.judged, k if "above" in cut or cut == "all" else at)


def _readings(shape: Shape) -> list[Key]:
    """Return the ways to read and cut a ranking and to write the number, the usual ones first."""
    cuts: list[Any] = [one.value for one in ways("", "cut")] if shape.has_k else [None, *CUTOFFS]
    orders = [o.value for o in ways("", "order") if shape.has_scores or o.value != "input"]
    found = [
        (("order", order), ("cut", cut), ("scale", scale.value))
        for order, cut, scale in product(orders, cuts, ways("", "scale"))
        if not isinstance(cut, int) or (order == "ranked" and scale.value == "value")
    ]
    return sorted(found, key=_changes)


def _changes(reading: Key) -> int:
    chosen = dict(reading)
    is_cut = chosen["cut"] not in {"k", None, *CUTOFFS}
    return sum((is_cut, chosen["order"] != "ranked", chosen["scale"] != "value"))


@lru_cache(maxsize=1024)
def _table(
    family: str, seen: tuple[Seen, ...], order: str, cut: int | str | None
) -> tuple[Floats, Floats]:
    """Return what is divided, and by what: (n_parts, n_cases) float64 each."""
    views = [_view(one, order, cut) for one in seen]
    above, under = (
        np.array([[part(view) for view in views] for part in parts.values()])
        for parts in (ABOVE[family], below(family))
    )
    return above, under


class Lookup:
    """The numbers of a function in ordinary cases, looked up in the table.

    Parameters
    ----------
    shape
        How the function is called.
    name
        The measure that its name says; None if it says none.
    numbers
        What it was told of cases, and the number that it returned.
    """

    def __init__(
        self, shape: Shape, name: str | None, numbers: Sequence[tuple[Seen, float]]
    ) -> None:
        self._shape, self._name = shape, name
        self._numbers = [(seen, value) for seen, value in numbers if math.isfinite(value)]

    def variants(self) -> list[Variant]:
        """Return the variants that give all numbers with the fewest changes, the best first."""
        found: list[Variant] = []
        least = _MOST + 1
        for reading in _readings(self._shape):
            if _changes(reading) >= max(least, 1) or len(self._numbers) < _FEWEST:
                break
            found += [one for one in self._under(reading) if _cost(one) <= _MOST]
            least = min([least, *map(_cost, found)])
        found = [one for one in found if _cost(one) == least]
        return sorted(found, key=self._order)

    def _order(self, variant: Variant) -> tuple[Any, ...]:
        chosen = variant.chosen
        # Without a cutoff, k means as many as were retrieved.
        vague = variant.cut is None and chosen.get("ideal", chosen.get("norm")) in {"k", "ones"}
        vague |= chosen.get("discount") == "none"
        found = not self._shape.knows_missed and chosen.get("norm") in {"found", "hits"}
        return variant.family != self._name, vague, found, len(variant.bugs)

    def _under(self, reading: Key) -> Iterator[Variant]:
        """Yield the variants that give all numbers if rankings are read in one way."""
        chosen = dict(reading)
        values = _unscaled(np.array([value for _, value in self._numbers]), chosen["scale"])
        slack = _slack(values) if chosen["scale"] == "rounded" else 0.0
        if slack is None:
            return
        telling = np.argsort((values == 0) | (values == 1), kind="stable")[:_TELLING]
        seen = tuple(self._numbers[at][0] for at in telling.tolist())
        for family in ABOVE:
            above, under = _table(family, seen, chosen["order"], chosen["cut"])
            fits = np.argwhere(_close(values[telling], above, under, slack))
            keys = list(ABOVE[family]), list(below(family))
            for first, second in ((keys[0][i], keys[1][j]) for i, j in fits.tolist()):
                found = Variant(family, first, second, reading, (), self._shape.has_scores)
                misses = self._misses(found, values, slack) if _is_one(first, second) else None
                if misses is not None:
                    yield found._replace(besides=(("misses", misses),) if misses else ())

    def _misses(self, variant: Variant, values: Floats, slack: float) -> float | None:
        """Return the number where nothing is found, 0 without such a case; None if it is wrong."""
        misses: list[float] = []
        for (seen, _), value in zip(self._numbers, values.tolist(), strict=True):
            total, divisor = variant.fraction(seen)
            if not (total and divisor):
                misses.append(value)
            elif not abs(value * divisor - total) <= _allowed(total, divisor, slack):
                return None
        is_same = all(same(value, misses[0]) for value in misses)
        is_enough = len(self._numbers) - len(misses) >= _FEWEST
        return (misses[0] if misses else 0.0) if is_same and is_enough else None

    def nearest(self) -> tuple[Variant, float]:
        """Return the variant with at most one change that gives most numbers, and their share."""
        reading = _readings(self._shape)[0]
        values = np.array([value for _, value in self._numbers])
        seen = tuple(seen for seen, _ in self._numbers)
        best, most = usual(self._name or "nDCG", self._shape), 0
        for family in ABOVE:
            above, under = _table(family, seen, dict(reading)["order"], dict(reading)["cut"])
            a, b = above[:, None, :], under[None, :, :]
            with np.errstate(all="ignore"):
                given = np.where((a == 0) | (b == 0), 0.0, a / b)
                agreeing = np.abs(values - given) <= _NEGLIGIBLE * np.abs(given)
            counts = (agreeing & np.isfinite(given)).sum(axis=2).ravel()
            pairs = list(product(ABOVE[family], below(family)))
            for at in np.flatnonzero(counts > most)[np.argsort(-counts[counts > most])].tolist():
                first, second = pairs[at]
                one = Variant(family, first, second, reading, (), self._shape.has_scores)
                if _is_one(first, second) and len(one.changed) <= 1:
                    best, most = one, int(counts[at])
                    break
        return best, most / max(len(values), 1)


def _unscaled(values: Floats, scale: str) -> Floats:
    return {"complement": 1 - values, "percent": values / 100}.get(scale, values)


def _slack(values: Floats) -> float | None:
    """Return how far rounding may move values; None if they are not rounded."""
    decimals = [d for d in _DECIMALS if (np.round(values, d) == values).all()]
    return 0.5 * 10.0 ** -decimals[0] + 1e-9 if decimals else None


def _close(values: Floats, above: Floats, under: Floats, slack: float) -> Bools:
    """Return which pairs give all values but a few, where nothing is found: (n, m) bool.

    Parameters
    ----------
    values
        (n_cases,) float64.
    above, under
        (n, n_cases) and (m, n_cases) float64.
    slack
        How far values may be off.
    """
    a, b = above[:, None, :], under[None, :, :]
    with np.errstate(all="ignore"):
        close = np.abs(values * b - a) <= _allowed(a, b, slack)
        close &= np.isfinite(a) & np.isfinite(b)
    nothing = (a == 0) | (b == 0)
    fits: Bools = (nothing | close).all(axis=2) & ((~nothing).sum(axis=2) > len(values) / 2)
    return fits


def _allowed(above: Any, under: Any, slack: float) -> Any:
    return _NEGLIGIBLE * abs(above) + slack * abs(under)


def _is_one(above: Key, under: Key) -> bool:
    chosen = dict(above)
    return all(chosen.get(name, value) == value for name, value in under)


def _cost(variant: Variant) -> int:
    """Return how many changes there are; documents that are not relevant are rarely counted."""
    return len(variant.changed) + 2 * (variant.chosen.get("rel") == 0)
