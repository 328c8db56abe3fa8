"""Find measures by name, including the names of other tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import rankmark.measures
from rankmark.errors import MeasureError, shown
from rankmark.measures.base.measure import Measure
from rankmark.measures.thresholds import with_rel

_PLAIN = re.compile(r"([A-Za-z]\w*)(?:@([1-9][0-9]{0,8}))?", re.ASCII)
_Single = str | Measure | Callable[..., Any]
AnyMeasure = _Single | Sequence[_Single]
"""A measure, a name (which may stand for several), a function of labels, or a list of these."""


def measure(name: str | Measure | Callable[..., Any]) -> Measure:
    """Find a measure by its canonical name or that of another tool.

    Parameters
    ----------
    name
        Such as ``nDCG@10``, ``AP(rel=2)@100``, ``nDCG(gain="exp2")@10``; or trec_eval's
        ``ndcg_cut_10``, ``P_5``, ``recip_rank``; ranx's ``mrr@10``, ``ndcg_burges@5``,
        ``map-l2``; plain names such as ``MRR@10``, ``HitRate@5``. Case does not matter. A measure
        is returned unchanged; a function of labels in rank order becomes one.

    Returns
    -------
    Measure
        Its ``str()`` is the canonical name, which finds the same measure.

    Raises
    ------
    MeasureError
        If no measure has that name (the message suggests three), or a parameter is wrong (it
        contains the position, and what is allowed).

    Examples
    --------
    >>> measure("ndcg_cut_10"), measure("MRR@10"), measure("AP( rel = 2 )@100")
    (nDCG@10, RR@10, AP(rel=2)@100)
    """
    found = measures(name)
    if len(found) > 1:
        listed = f"{', '.join(map(str, found[:3]))}{', ...' if found[3:] else ''}"
        raise MeasureError(
            f"{shown(name)} is {len(found)} measures, {listed}", f"give one, such as {found[0]}"
        )
    return found[0]


def is_built_in(measure: Measure) -> bool:
    """Return whether a measure is one of rankmark's, and no subclass, which may do anything."""
    return type(measure) is type(getattr(rankmark.measures, measure.name, None))


def measures(name: str | Measure | Callable[..., Any]) -> tuple[Measure, ...]:
    """Find all measures that a name stands for, once each, in order.

    Parameters
    ----------
    name
        As in ``measure``; or several names, separated by commas, as ``nDCG@10, AP``; or several
        cutoffs, as ``nDCG@1,3,5``, or trec_eval's ``P.5,10``; or a set: ``official``, ``beir``,
        ``msmarco`` or ``trec-dl`` (see ``rankmark.measures.sets``).

    Raises
    ------
    MeasureError
        As in ``measure``.

    Examples
    --------
    >>> measures("nDCG@1,3,AP(rel=2)")
    (nDCG@1, nDCG@3, AP(rel=2))
    """
    if isinstance(name, Measure):
        return (name,)
    if isinstance(name, type) and issubclass(name, Measure):
        raise MeasureError(
            f"{name.__name__} is a class of measures",
            f"give one of them, such as {name.__name__}()",
        )
    if callable(name) and not isinstance(name, type):
        from rankmark.measures.own import of_function  # noqa: PLC0415  (few have their own)

        return (of_function(name),)
    if not isinstance(name, str):
        raise MeasureError(f"{shown(name)} is not a measure", "need its name, or a measure")
    return _canonical(name) or _parsed(name)


def _canonical(names: str) -> tuple[Measure, ...] | None:
    """Find measures by their own names alone, as in ``nDCG@10, AP``; None for anything else."""
    found: dict[Measure, None] = {}
    for name in names.split(","):
        plain = _PLAIN.fullmatch(name.strip(" "))
        if plain is None or plain[1] not in rankmark.measures.NAMED:
            return None
        measure: Measure = getattr(rankmark.measures, plain[1])
        if plain[2] is not None:
            try:
                measure @= int(plain[2])
            except MeasureError:
                return None  # the grammar says where
        found[measure] = None
    return (*found,)


def _parsed(name: str) -> tuple[Measure, ...]:
    """Find measures by any name, which imports them all."""
    from rankmark.measures.grammar import parse  # noqa: PLC0415

    return parse(name)


def every(
    requested: Iterable[AnyMeasure] | AnyMeasure, *, rel: float | None = None
) -> list[Measure]:
    """Return the requested measures, once each, in order.

    Parameters
    ----------
    requested
        As in ``measures``, or a list of these, which may contain tuples and lists of measures,
        such as ``nDCG @ [1, 3, 5]``.
    rel
        The lowest relevant label of the measures that take one and do not name theirs.
    """
    asked = [measure for name in flat(requested) for measure in measures(name)]
    found = list(dict.fromkeys(with_rel(asked, rel)))
    names = set[str]()
    for name in map(str, found):
        if name in names:
            raise MeasureError(
                f"two measures are named {name}, so their numbers could not be told apart",
                "give "
                "them different names: for a function, its __name__, or rankmark.Own(name, ...)",
            )
        names.add(name)
    return found


def flat(requested: Iterable[AnyMeasure] | AnyMeasure) -> list[Any]:
    """Return the requested measures and names, with tuples and lists flattened."""
    if isinstance(requested, (str, Measure)) or (
        callable(requested) and not isinstance(requested, type)
    ):
        return [requested]
    is_one = isinstance(requested, (bytes, type)) or getattr(requested, "ndim", 1) == 0
    if is_one or not isinstance(requested, Iterable):
        raise MeasureError(
            f"measures is {shown(requested)}", "need names such as nDCG@10, or measures, or a list"
        )
    groups = (item if isinstance(item, (tuple, list)) else (item,) for item in requested)
    return [item for group in groups for item in group]
