"""A measure computed in one of many ways: its value on a ranking, and the formula worked out."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import MeasureError
from rankmark.identifying.ways import FAMILIES, Way, parameters
from rankmark.measures import AP, DCG, RBP, RR, F, P, R, Rprec, Success, nDCG
from rankmark.measures.cg import CG
from rankmark.measures.ncg import NCG
from rankmark.measures.num_rel_ret import NumRelRet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankmark.measures import Measure

_MEASURES: dict[str, Any] = {
    "nDCG": nDCG, "DCG": DCG, "AP": AP, "RR": RR, "R": R, "P": P, "F": F, "Success": Success,
    "Rprec": Rprec, "NumRelRet": NumRelRet, "RBP": RBP,
}  # fmt: skip
_MOST_TERMS = 8  # that are written out
_NEGLIGIBLE = 1e-9  # differences of sums in another order are far below, those of formulas above


class Seen(NamedTuple):
    """What a function is told of a case.

    Parameters
    ----------
    ranked
        Labels in rank order: 0 of documents that are not judged.
    judged
        Labels of all judged documents that it is told of, in the order given.
    k
        The cutoff; None if it is not given one.
    given
        Labels in the order in which the documents are given with their scores; None without scores.
    """

    ranked: tuple[float, ...]
    judged: tuple[float, ...]
    k: int | None
    given: tuple[float, ...] | None = None


class Worked(NamedTuple):
    """A value, and its formula with numbers."""

    value: float
    formula: str


class Variant(NamedTuple):
    """A measure and the way in which each of its parameters is taken.

    Parameters
    ----------
    family
        The name of the measure.
    changed
        (parameter, way) for those that are not usual.
    usual
        The usual ways of the other parameters.
    """

    family: str
    changed: tuple[tuple[str, Way], ...]
    usual: tuple[tuple[str, Way], ...]

    @property
    def chosen(self) -> dict[str, Any]:
        """The value of each parameter."""
        return {name: way.value for name, way in (*self.usual, *self.changed)}

    @property
    def bugs(self) -> tuple[Way, ...]:
        """The ways that are taken for mistakes."""
        return tuple(way for _, way in self.changed if way.kind == "bug")

    def value(self, seen: Seen) -> float:
        """Return what a function that computes so returns; inf or NaN where it divides by 0."""
        return self.worked(seen).value

    def agrees(self, value: float, seen: Seen) -> bool:
        """Return whether a value is that of the variant, up to the rounding of sums."""
        return same(value, self.value(seen))

    def worked(self, seen: Seen) -> Worked:
        """Return the value, and its formula with numbers."""
        return _worked(self.family, tuple(self.chosen.items()), seen)

    def words(self, known: Measure | None = None) -> str:
        """Describe the variant: the name of the measure, and what is not usual about it.

        ``known`` is the measure here that computes so, if it is not ``measure()``.
        """
        cut = self.chosen["cut"]
        made = known or self.measure()
        name = _MEASURES[self.family].name if made is None else str(made)
        if made is None and self.family == "RBP":
            name += f"(p={self.chosen['p']})"
        if isinstance(cut, int):
            name += f"@{cut}"
        elif cut != "all" or dict(self.changed).get("cut") is not None:
            name += "@k"
        said = [way.words for _, way in self.changed if way.words]
        named = f"{name} ({_MEASURES[self.family].full_name})"
        return f"{named}: {', '.join(said)}" if said else named

    def measure(self) -> Measure | None:
        """Return the measure here, without its cutoff, that computes so; None if there is none."""
        given = {name: way.value for name, way in self.changed if name != "cut"}
        if self.is_read_otherwise or self.chosen["cut"] in {"k+1", "k-1"}:
            return None
        made = _MEASURES[self.family]
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

    @property
    def is_read_otherwise(self) -> bool:
        """Whether the ranking is read, cut, or the value written in an unusual way."""
        return any(name in {"order", "scale"} for name, _ in self.changed)


def same(a: float, b: float) -> bool:
    """Return whether two values are the same, up to the rounding of sums; NaN is NaN."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=_NEGLIGIBLE)


def variants(changes: int, *, has_k: bool, has_scores: bool) -> Iterator[Variant]:
    """Yield all variants in which some number of parameters are not usual."""
    for family in FAMILIES:
        known = parameters(family, has_k=has_k, has_scores=has_scores)
        # A usual choice among several, as of a cutoff or a persistence, is no change.
        free = [name for name, ways in known.items() if ways[1:] and ways[1].kind == "usual"]
        for names in combinations([name for name in known if name not in free], changes):
            ways = [known[name][1:] for name in names]
            for of_free in product(*(known[name] for name in free)):
                fixed = dict(zip(free, of_free, strict=True))
                usual = tuple(
                    (name, fixed.get(name, several[0]))
                    for name, several in known.items()
                    if name not in names
                )
                for chosen in product(*ways):
                    changed = tuple(zip(names, chosen, strict=True))
                    if _is_own(family, dict(changed)):
                        yield Variant(family, changed, usual)


def _is_own(family: str, changed: dict[str, Way]) -> bool:
    """Return False if another variant computes the same by definition."""
    values = {name: way.value for name, way in changed.items()}
    gain, discount = values.get("gain", "linear"), values.get("discount", "log2")
    if values.get("ideal_gain") == gain or values.get("ideal_discount") == discount:
        return False
    if family == "nDCG" and values.get("ideal") in {"ones", "n-ones", "r-ones"}:
        return "ideal_gain" not in values
    return True


@lru_cache(maxsize=1 << 16)
def _worked(family: str, chosen: tuple[tuple[str, Any], ...], seen: Seen) -> Worked:
    ways = dict(chosen)
    ranked = seen.ranked
    if ways["order"] == "reversed":
        ranked = ranked[::-1]
    elif ways["order"] == "sorted":
        ranked = tuple(sorted(ranked, reverse=True))
    elif ways["order"] == "input" and seen.given is not None:
        ranked = seen.given
    cut = ways["cut"]
    k = len(ranked) if seen.k is None else seen.k
    cutoffs = {"k": k, "k+1": k + 1, "k-1": k - 1, "all": len(ranked)}
    k = cutoffs[cut] if isinstance(cut, str) else cut
    found = _FORMULAS[family](_View(ranked, seen.judged, k), ways)
    if ways["scale"] == "complement":
        return Worked(1 - found.value, f"1 - ({found.formula})")
    if ways["scale"] == "percent":
        return Worked(100 * found.value, f"100 * ({found.formula})")
    return found


class _View(NamedTuple):
    """A ranking as a formula uses it: read in some order, and with a cutoff."""

    ranked: tuple[float, ...]
    judged: tuple[float, ...]
    k: int

    @property
    def first(self) -> tuple[float, ...]:
        """The labels up to the cutoff."""
        return self.ranked[: self.k]


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def _number(value: float) -> str:
    return f"{value:.0f}" if math.isfinite(value) and value == int(value) else f"{value:.4g}"


def _divided(terms: Sequence[str], value: float, below: str, divisor: float) -> Worked:
    total = " + ".join(terms) or "0"
    above = f"({total})" if len(terms) > 1 else total
    return Worked(_ratio(value, divisor), f"{above} / {below}")


# Gains and discounts.

_GAIN: dict[Any, Callable[[float], float]] = {
    "linear": lambda label: label,
    "exp2": lambda label: 2.0**label - 1,
    "binary": lambda label: float(label > 0),
    "2^label": lambda label: 2.0**label,
    "label^2": lambda label: label**2,
    "label^2-1": lambda label: label**2 - 1,
    "label+1": lambda label: label + 1,
}
_DISCOUNT: dict[Any, tuple[Callable[[int], float], str]] = {
    "log2": (lambda i: math.log2(i + 1), "log2({0}+1)"),
    "ln": (lambda i: math.log(i + 1), "ln({0}+1)"),
    "log10": (lambda i: math.log10(i + 1), "log10({0}+1)"),
    2.0: (lambda i: max(1.0, math.log2(i)), "max(1, log2({0}))"),
    10.0: (lambda i: max(1.0, math.log10(i)), "max(1, log10({0}))"),
    "log2+2": (lambda i: math.log2(i + 2), "log2({0}+2)"),
    "log2+0": (math.log2, "log2({0})"),
    "1+log2": (lambda i: 1 + math.log2(i), "(1+log2({0}))"),
    "rank": (float, "{0}"),
    "none": (lambda _: 1.0, "1"),
}


def _discounted(gains: Sequence[float], discount: Any) -> tuple[float, list[str]]:
    """Return the sum of discounted gains, and its terms."""
    of, written = _DISCOUNT[discount]
    total, terms = 0.0, list[str]()
    for rank, gain in enumerate(gains, 1):
        divisor = of(rank)
        if divisor:
            total += gain / divisor
        else:
            total = math.nan if not gain else math.inf
        if gain:
            shown = _number(gain)
            terms.append(shown if discount == "none" else f"{shown}/{written.format(rank)}")
    if len(terms) > _MOST_TERMS:
        terms = [*terms[:_MOST_TERMS], "..."]
    return total, terms


def _dcg(view: _View, ways: dict[str, Any]) -> Worked:
    gain = _GAIN[ways["gain"]]
    total, terms = _discounted([gain(label) for label in view.first], ways["discount"])
    return Worked(total, " + ".join(terms) or "0")


def _ndcg(view: _View, ways: dict[str, Any]) -> Worked:
    dcg, terms = _discounted([_GAIN[ways["gain"]](x) for x in view.first], ways["discount"])
    name = ways["ideal_gain"] if ways["ideal_gain"] != "same" else ways["gain"]
    ideal = _ideal(view, ways["ideal"], _GAIN[name])
    discount = ways["ideal_discount"]
    best, of_ideal = _discounted(ideal, ways["discount"] if discount == "same" else discount)
    above = f"({' + '.join(terms) or '0'})"
    return Worked(_ratio(dcg, best), f"{above} / ({' + '.join(of_ideal) or '0'})")


def _ideal(view: _View, ideal: str, gain: Callable[[float], float]) -> list[float]:
    """Return the gains of the ideal ranking."""
    k, relevant = view.k, sum(label > 0 for label in view.judged)
    if ideal in {"ones", "n-ones", "r-ones"}:
        counts = {"ones": k, "n-ones": len(view.first), "r-ones": min(relevant, k)}
        return [1.0] * counts[ideal]
    if ideal == "k":
        return [max(map(gain, view.judged), default=0.0)] * k
    pools = {"retrieved@k": view.first, "retrieved": view.ranked, "retrieved-uncut": view.ranked}
    gains = [gain(label) for label in pools.get(ideal, view.judged)]
    if ideal != "given":
        gains.sort(reverse=True)
    return gains if ideal in {"uncut", "retrieved-uncut"} else gains[:k]


# Relevant documents counted.


def _hits(labels: Sequence[float], rel: Any) -> list[float]:
    """Return what each document counts."""
    return list(labels) if rel == "sum" else [float(label >= rel) for label in labels]


def _relevant(view: _View, rel: Any) -> float:
    return float(sum(_hits(view.judged, rel)))


def _precision(view: _View, ways: dict[str, Any]) -> Worked:
    found = sum(_hits(view.first, ways["rel"]))
    divisors = {"k": view.k, "retrieved": len(view.first), "all": len(view.ranked)}
    divisor = divisors[ways["norm"]]
    return _divided([_number(found)], found, _number(divisor), divisor)


def _recall(view: _View, ways: dict[str, Any]) -> Worked:
    rel = ways["rel"]
    found, relevant = sum(_hits(view.first, rel)), _relevant(view, rel)
    divisors = {
        "relevant": relevant,
        "min": min(relevant, view.k),
        "found": float(sum(_hits(view.ranked, rel))),
        "judged": float(len(view.judged)),
    }
    divisor = divisors[ways["norm"]]
    return _divided([_number(found)], found, _number(divisor), divisor)


def _f1(view: _View, ways: dict[str, Any]) -> Worked:
    p, r = _precision(view, ways), _recall(view, {**ways, "norm": "relevant"})
    value = _ratio(2 * p.value * r.value, p.value + r.value)
    a, b = _number(p.value), _number(r.value)
    return Worked(value, f"2 * {a} * {b} / ({a} + {b})")


def _success(view: _View, ways: dict[str, Any]) -> Worked:
    found = sum(_hits(view.first, ways["rel"]))
    return Worked(float(found > 0), f"{_number(found)} found")


def _rprec(view: _View, ways: dict[str, Any]) -> Worked:
    relevant = _relevant(view, ways["rel"])
    found = sum(_hits(view.ranked[: int(relevant)], ways["rel"]))
    return _divided([_number(found)], found, _number(relevant), relevant)


def _count(view: _View, ways: dict[str, Any]) -> Worked:
    found = float(sum(_hits(view.first, ways["rel"])))
    return Worked(found, _number(found))


# Ranks of relevant documents.


def _rr(view: _View, ways: dict[str, Any]) -> Worked:
    shift = ways["ranks"]
    hits = [rank + shift for rank, x in enumerate(view.first, 1) if x >= ways["rel"]]
    of = ways["of"]
    chosen = {"first": hits[:1], "last": hits[-1:]}.get(of, hits)
    terms = [f"1/{rank}" for rank in chosen]
    total = sum(1 / rank if rank else math.inf for rank in chosen)
    if of == "mean":
        return _divided(terms, total, _number(len(hits)), len(hits))
    return Worked(total, " + ".join(terms) or "0")


def _ap(view: _View, ways: dict[str, Any]) -> Worked:
    rel, shift = ways["rel"], ways["ranks"]
    hits = _hits(view.first, rel)
    total, found, terms = 0.0, 0, []
    for rank, hit in enumerate(hits, 1):
        before, found = found, found + int(hit)
        if hit or ways["at"] == "all":
            counted = before if ways["hits"] == "before" else found
            divisor = rank + shift
            total += counted / divisor if divisor else (math.inf if counted else math.nan)
            if counted:
                terms.append(f"{counted}/{divisor}")
    relevant = _relevant(view, rel)
    divisors = {
        "relevant": relevant,
        "min": min(relevant, view.k),
        "hits": sum(hits),
        "k": view.k,
        "min(R,n)": min(relevant, len(view.first)),
        "found": sum(_hits(view.ranked, rel)),
        "judged": len(view.judged),
        "retrieved": len(view.first),
    }
    divisor = float(divisors[ways["norm"]])
    return _divided(terms, total, _number(divisor), divisor)


def _rbp(view: _View, ways: dict[str, Any]) -> Worked:
    p, gain, shift = ways["p"], _GAIN[ways["gain"]], ways["ranks"]
    total, terms = 0.0, []
    for rank, label in enumerate(view.first, 1):
        if label > 0:
            total += gain(label) * p ** (rank - 1 + shift)
            terms.append(f"{_number(gain(label))}*{p}^{rank - 1 + shift}")
    text = " + ".join(terms) or "0"
    if ways["norm"] == "none":
        return Worked(total, text)
    return Worked((1 - p) * total, f"(1 - {p}) * ({text})")


_FORMULAS: dict[str, Callable[[_View, dict[str, Any]], Worked]] = {
    "nDCG": _ndcg, "DCG": _dcg, "AP": _ap, "RR": _rr, "R": _recall, "P": _precision, "F": _f1,
    "Success": _success, "Rprec": _rprec, "NumRelRet": _count, "RBP": _rbp,
}  # fmt: skip
