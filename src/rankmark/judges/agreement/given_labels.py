"""The labels of judges as they are given, some documents without one, and the scale they are on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark.array_types import Floats
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import Source
from rankmark.data.contract.source_options import SourceOptions
from rankmark.data.preparing.failed_labels import filled, is_no_label, rows_of_labels
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.recognise.forms import recognised
from rankmark.errors import InputError, shown
from rankmark.scoring.kept_data import Described

_BLOCK = 1 << 16
_MOST = 100  # a table of so many labels by as many has cells that no pair falls into


class GivenJudgments(NamedTuple):
    """Judgments as they were read.

    Parameters
    ----------
    qrels
        The judgments. A document without a label has ``empty`` as its label.
    source
        Where they come from, and how they were read.
    empty
        A label that no document has; None if every document has a label.
    """

    qrels: Qrels
    source: Described
    empty: float | None = None


def given_judgments(
    given: Any,
    qrels_format: str | None,
    columns: Mapping[str, Any] | None,
    reading: Reading,
    *,
    may_fail: bool,
) -> GivenJudgments:
    """Read judgments; with ``may_fail``, also those in which documents have no label."""
    if isinstance(given, Qrels):
        for name, value in (("qrels_format", qrels_format), ("columns", columns)):
            if value is not None:
                raise InputError("the qrels are already prepared", f"give their {name} to Qrels")
        return GivenJudgments(given, Described(given.source, given.source.as_read()))
    options = SourceOptions(qrels_format, columns)
    source = None
    try:
        source = recognised(given, "qrels", options)
        qrels = Qrels.of_given(given, source, options, reading)
        return GivenJudgments(qrels, Described(source, source.as_read()))
    except InputError:
        if not may_fail:
            raise
        # The usual readers are much faster, and refuse rows without labels.
        rows = rows_of_labels(given, source, options)
        if not any(is_no_label(row.label) for row in rows):
            raise
    labels, empty = filled(rows, "qrels <records>" if source is None else source.name)
    qrels = Qrels(labels, contents="labels")
    if source is None:
        return GivenJudgments(qrels, Described(qrels.source, None), empty)
    return GivenJudgments(qrels, _described(source), empty)


class _Whole(NamedTuple):
    """A file of JSON, which describes itself only if all of its labels are numbers."""

    name: str
    positions: bool = False
    by_column: bool = False
    ranks_alone: bool = False

    def description(self) -> dict[str, Any]:
        return {"form": "json"}


def _described(source: Source) -> Described:
    try:
        return Described(source, source.as_read())
    except InputError:
        whole: Any = _Whole(source.name)
        return Described(whole, source.as_read())


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
        values, place = np.unique(np.maximum(labels, 0.0), return_inverse=True)
        return cls(labels, values, np.eye(len(values))[place])

    @property
    def clamped(self) -> Floats:
        """The value of each label: (K,) float64."""
        return np.maximum(self.labels, 0.0)

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
    """
    codes = np.empty(labels.shape, dtype=np.int8)
    occurring = _as_bytes(labels, codes)
    is_small = occurring is not None
    if occurring is None:
        occurring = np.unique(labels[~np.isnan(labels)])
    scale = occurring if given is None else _as_scale(given)
    apart = np.setdiff1d(occurring, scale)
    if len(apart):
        judge = int((labels == apart[0]).any(-1).argmax())
        raise InputError(
            f"{names[judge]} has labels that are not on the scale: {written_labels(apart)}",
            "add them to labels"
            + (", map them with relabel, or name them in failed" if judge else ""),
        )
    if len(scale) > _MOST:
        raise InputError(
            f"there are {len(scale):,} different labels",
            f"agreement needs {_MOST} at most; map them to fewer with relabel=, or round them",
        )
    number = np.full(256, -1, dtype=np.int8)
    if is_small:
        number[_byte(occurring)] = np.searchsorted(scale, occurring)
    for rows, code in _blocks(labels, codes):
        if is_small:
            np.take(number, code.view(np.uint8), out=code)
        else:
            code[:] = np.searchsorted(scale, rows)
        code[np.isnan(rows)] = -1
    return Scale.of(scale), codes


def _blocks(labels: Floats, codes: NDArray[np.int8]) -> Iterator[tuple[Floats, NDArray[np.int8]]]:
    """Yield parts of the labels of each judge that stay in the processor's cache."""
    for own, code in zip(labels, codes, strict=True):
        for at in range(0, len(own), _BLOCK):
            yield own[at : at + _BLOCK], code[at : at + _BLOCK]


def _as_bytes(labels: Floats, codes: NDArray[np.int8]) -> Floats | None:
    """Write labels as whole numbers of one byte, anything where there is none.

    Returns the labels that occur, rising; None if some are not such numbers.
    """
    counts = np.zeros(256, dtype=np.int64)
    for rows, code in _blocks(labels, codes):
        missing = np.isnan(rows)
        with np.errstate(invalid="ignore"):
            code[:] = rows.astype(np.int8)
        if not ((code == rows) | missing).all():
            return None
        present = code[~missing] if missing.any() else code
        counts += np.bincount(present.view(np.uint8), minlength=256)
    held = np.flatnonzero(counts).astype(np.uint8).view(np.int8)
    return np.sort(held).astype(np.float64)


def _byte(labels: Floats) -> NDArray[np.uint8]:
    return labels.astype(np.int8).view(np.uint8)


def written_labels(labels: Iterable[float]) -> str:
    """Write labels in a row, whole ones without a decimal point."""
    found = [written_label(one) for one in labels]
    return ", ".join(found) if len(found) <= 10 else f"{', '.join(found[:10])}, ..."


def written_label(label: float) -> str:
    """Write a label, without a decimal point if it is whole."""
    return f"{label:.10g}"


def _as_scale(given: Iterable[Any]) -> Floats:
    try:
        scale = np.array([float(one) for one in given])
    except (TypeError, ValueError):
        scale = np.empty(0)
    if not len(scale) or not np.isfinite(scale).all() or isinstance(given, (str, bytes)):
        raise InputError(
            f"labels is {shown(given)}", "give a list of numbers, such as [0, 1, 2, 3]"
        )
    return np.unique(scale)
