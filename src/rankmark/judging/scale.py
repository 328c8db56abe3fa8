"""The scale of labels: which there are, and what they are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Floats

_MOST = 100  # a table of so many labels by as many has cells that no pair falls into


class Scale(NamedTuple):
    """All labels, rising, and the values that differences are taken of.

    Parameters
    ----------
    labels
        (K,) float64, rising.
    values
        (V,) float64, rising: the labels, with those below 0 as 0.
    groups
        (K, V) float64, 1 where a label has a value.
    """

    labels: Floats
    values: Floats
    groups: Floats

    @classmethod
    def of(cls, labels: Floats) -> Scale:
        """Return the scale with these labels."""
        clamped = np.maximum(labels, 0.0)
        values, place = np.unique(clamped, return_inverse=True)
        return cls(labels, values, np.eye(len(values))[place])

    @property
    def merges(self) -> bool:
        """Whether labels below 0 count as 0."""
        return len(self.values) < len(self.labels) or bool((self.labels < 0).any())


def coded(
    labels: Floats, given: Iterable[Any] | None, names: Sequence[str]
) -> tuple[Scale, NDArray[np.int8]]:
    """Give numbers to the labels of all judges.

    Parameters
    ----------
    labels
        (m, n) float64, NaN where there is none.
    given
        The labels of the scale, or None for those that occur.
    names
        (m,) of the judges, for messages.

    Returns
    -------
    Scale, numpy.ndarray
        The scale, and (m, n) int8, the number of each label in it, -1 where there is none.

    Raises
    ------
    InputError
        If a label is not on the scale, or there are too many.
    """
    missing = np.isnan(labels)
    small = _as_small(labels, missing)
    if small is None:
        occurring = np.unique(labels[~missing])
    else:
        held = np.flatnonzero(np.bincount(small[~missing].view(np.uint8), minlength=256))
        occurring = np.sort(held.astype(np.uint8).view(np.int8)).astype(np.float64)
    scale = occurring if given is None else _as_scale(given)
    apart = np.setdiff1d(occurring, scale)
    if len(apart):
        judge = int((labels == apart[0]).any(-1).argmax())
        raise InputError(
            f"{names[judge]} has labels that are not on the scale: {written_labels(apart)}",
            "add them to labels=, map them with relabel=, or name them in failed=",
        )
    if len(scale) > _MOST:
        raise InputError(
            f"there are {len(scale):,} different labels",
            f"agreement needs {_MOST} at most; map them to fewer with relabel=, or round them",
        )
    codes = np.full(labels.shape, -1, dtype=np.int8)
    if small is None:
        codes[~missing] = np.searchsorted(scale, labels[~missing])
    else:
        number = np.full(256, -1, dtype=np.int8)
        places = np.searchsorted(scale, occurring)
        number[occurring.astype(np.int8).view(np.uint8)] = places
        codes = number[small.view(np.uint8)]
        codes[missing] = -1
    return Scale.of(scale), codes


def written_labels(labels: Iterable[float]) -> str:
    """Write labels in a row, whole ones without a decimal point."""
    found = [written_label(one) for one in labels]
    return ", ".join(found) if len(found) <= 10 else f"{', '.join(found[:10])}, ..."


def written_label(label: float) -> str:
    """Write a label, without a decimal point if it is whole."""
    return f"{label:.10g}"


def _as_small(labels: Floats, missing: Bools) -> NDArray[np.int8] | None:
    """Return labels as whole numbers of one byte, anything where missing; None if some are not."""
    with np.errstate(invalid="ignore"):
        small = labels.astype(np.int8)
    return small if bool(((small == labels) | missing).all()) else None


def _as_scale(given: Iterable[Any]) -> Floats:
    try:
        scale = np.array([float(one) for one in given])
    except (TypeError, ValueError):
        scale = np.empty(0)
    if not len(scale) or not np.isfinite(scale).all() or isinstance(given, (str, bytes)):
        raise InputError(
            f"labels is {shown(given)}", "give a list of numbers, such as [0, 1, 2, 3]"
        )
    found: Floats = np.unique(scale)
    return found
