"""The metrics of ranx: what it calls them, and what they are here."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from rankmark.errors import InputError, MeasureError, shown
from rankmark.measures import RBP, Measure
from rankmark.profiles.ranx import PROFILE

_NAME = re.compile(
    r"(?P<base>r-precision|[a-z_]+\d?)(?:@(?P<k>-?\d+)|\.(?P<p>\d+))?(?:-l(?P<level>-?\d+))?"
)


class RefusedError(InputError, AssertionError):
    """A call that ranx refuses by an assertion."""


class _Family(NamedTuple):
    """What a name means, by the profile of ranx.

    Parameters
    ----------
    measure
        None for RBP, whose scale depends on the judgments.
    has_cutoff
        Whether ``@k`` is a cutoff; otherwise it is ignored, as in ranx.
    is_graded
        Whether labels below the level have no gain, and no rel is known.
    """

    measure: Measure | None
    has_cutoff: bool
    is_graded: bool


_FAMILIES: dict[str, _Family] = {}
for _row in PROFILE.measures:
    if isinstance(_row.measure, Measure):
        _fields = _row.patterns[0].fields
        _known = _Family(_row.measure, "k" in _fields, "rel" not in _fields)
        _FAMILIES.setdefault(_row.name, _known)
_FAMILIES["rbp"] = _Family(None, has_cutoff=False, is_graded=True)


class Metric(NamedTuple):
    """A metric of ranx.

    Parameters
    ----------
    name
        As it was requested, such as ``ndcg@10-l2``.
    base, k, p, level
        Its parts: the name alone, the cutoff, the persistence of RBP, the lowest relevant label.
    """

    name: str
    base: str
    k: int | None
    p: float | None
    level: int

    @property
    def is_graded(self) -> bool:
        """Whether labels below the level must be left out of the judgments."""
        return _FAMILIES[self.base].is_graded

    def over(self, labels: AbstractSet[float]) -> tuple[Measure, float]:
        """Return the measure for judgments with these labels, and what its value is multiplied by.

        Raises
        ------
        MeasureError
            If a label that counts is negative, and would be a negative gain.
        """
        if self.is_graded:
            if self.level <= min(labels, default=0) < 0:
                raise MeasureError(
                    f"{self.name} would have negative gains", "choose a level from 0"
                )
            if self.p is not None:  # gains are the labels themselves
                highest = max(1.0, *labels) if labels else 1.0
                return RBP(p=self.p, max_rel=highest), highest
        measure = _FAMILIES[self.base].measure
        assert measure is not None  # noqa: S101
        if self.k is not None and _FAMILIES[self.base].has_cutoff:
            measure = measure(k=self.k)
        if not self.is_graded and self.level != 1:
            measure = measure(rel=self.level)
        return measure, 1.0


def metric(name: object) -> Metric:
    """Read a name such as ``map``, ``ndcg@10``, ``precision@5-l2`` or ``rbp.95``.

    Raises
    ------
    RefusedError
        If it is no string, or the cutoff is negative.
    MeasureError
        If there is no such metric.
    """
    if not isinstance(name, str):
        raise RefusedError(f"metrics hold {shown(name)}", "give names, such as ndcg@10")
    found = _NAME.fullmatch(name)
    base = found["base"].replace("r_precision", "r-precision") if found else ""
    if found is None or base not in _FAMILIES:
        raise MeasureError(
            f"metric {shown(name)} is not supported",
            f"choose from {', '.join(_FAMILIES)}, as in ndcg@10, map-l2 or rbp.95",
        )
    k, digits = found["k"], found["p"]
    if base == "rbp":
        digits, k = digits or k, None
        if digits is None or not digits.isdigit() or not int(digits):
            raise MeasureError(f"{name} has no persistence", "write it as in rbp.95")
    elif digits is not None:
        raise MeasureError(f"metric {shown(name)} is not supported", f"write {base}@{digits}")
    if k is not None and int(k) < 0:
        raise RefusedError(f"{name} has a negative cutoff", "need a cutoff from 1")
    return Metric(
        name,
        base,
        int(k) or None if k is not None else None,  # 0 is no cutoff, as in ranx
        float(f"0.{digits}") if base == "rbp" else None,
        int(found["level"] or 1),
    )
