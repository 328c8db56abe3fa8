"""From a name, as any tool of the field writes it, to the measure that it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rankmark.errors import MeasureError, shown
from rankmark.measures.base.measure import Measure
from rankmark.measures.grammar import parse

_One = str | Measure | Callable[..., Any]
AnyMeasure = _One | Sequence[_One]
"""A measure, a name, which may stand for several, a function of labels, or some of these."""


def measure(name: str | Measure | Callable[..., Any]) -> Measure:
    """Find a measure by its name, canonical or another tool's.

    Parameters
    ----------
    name
        Such as ``nDCG@10``, ``AP(rel=2)@100``, ``nDCG(gain="exp2")@10``; or trec_eval's
        ``ndcg_cut_10``, ``P_5``, ``recip_rank``; ranx's ``mrr@10``, ``ndcg_burges@5``,
        ``map-l2``; plain names such as ``MRR@10``, ``HitRate@5``. Case does not matter. A measure
        is returned as it is; a function of labels in rank order becomes one.

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
    found = measures(name)
    if len(found) > 1:
        listed = f"{', '.join(map(str, found[:3]))}{', ...' if found[3:] else ''}"
        raise MeasureError(
            f"{shown(name)} is {len(found)} measures, {listed}; one is needed here, such as "
            f"{found[0]}"
        )
    return found[0]


def measures(name: str | Measure | Callable[..., Any]) -> tuple[Measure, ...]:
    """Find all measures that a name stands for, once each, in order.

    Parameters
    ----------
    name
        As ``measure`` takes it; several, with commas between, as ``nDCG@10, AP``; or several
        cutoffs, as ``nDCG@1,3,5``, or trec_eval's ``P.5,10``.

    Raises
    ------
    MeasureError
        As ``measure`` has it.

    Examples
    --------
    >>> measures("nDCG@1,3,AP(rel=2)")
    (nDCG@1, nDCG@3, AP(rel=2))
    """
    if isinstance(name, Measure):
        return (name,)
    if isinstance(name, type) and issubclass(name, Measure):
        raise MeasureError(
            f"{name.__name__} is a class of measures; need one of them, such as {name.__name__}()"
        )
    if callable(name) and not isinstance(name, type):
        from rankmark.measures.own import of_function  # noqa: PLC0415  (few have their own)

        return (of_function(name),)
    if not isinstance(name, str):
        raise MeasureError(f"{shown(name)} is no measure; need its name, or a measure")
    return parse(name)


def every(asked: Iterable[AnyMeasure] | AnyMeasure) -> list[Measure]:
    """Find each measure asked for, once, in the order asked.

    Parameters
    ----------
    asked
        What ``measures`` takes; or several of it, among which tuples and lists of measures may
        stand, as ``nDCG @ [1, 3, 5]`` gives one.
    """
    found = list(dict.fromkeys(measure for name in flat(asked) for measure in measures(name)))
    names = set[str]()
    for name in map(str, found):
        if name in names:
            raise MeasureError(
                f"two measures are named {name}, and nothing would tell their numbers apart; give "
                "them different names: of a function, its __name__, or rankmark.Own(name, ...)"
            )
        names.add(name)
    return found


def flat(asked: Iterable[AnyMeasure] | AnyMeasure) -> list[Any]:
    """List what is asked for one by one, out of the tuples and lists among it."""
    if isinstance(asked, (str, Measure)) or (callable(asked) and not isinstance(asked, type)):
        return [asked]
    if isinstance(asked, (bytes, type)) or not isinstance(asked, Iterable):
        raise MeasureError(
            f"measures is {shown(asked)}; need names such as nDCG@10, or measures, or a list"
        )
    groups = (item if isinstance(item, (tuple, list)) else (item,) for item in asked)
    return [item for group in groups for item in group]
