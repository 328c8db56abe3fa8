"""Matrices of torch on a GPU: what may be among the first k is selected there, and ranked here.

No rank up to k depends on scores below the k-th, so that only documents that reach it are copied to
the host, where the core ranks them as it ranks whole matrices, by the same rule for ties. Whatever
needs more copies the whole matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark._core import RankingOptions, align_rows, sorted_rows
from rankmark.array_types import Floats, Ints
from rankmark.data.contract.places import Places, Positional
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.resources import cores
from rankmark.data.contract.source import (
    JUDGED,
    JUDGED_TOP,
    RETRIEVED,
    TIED,
    AlignedRun,
    Columns,
    Judged,
    PreparedQrels,
    Rows,
    Source,
)
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.ids.numeric import LARGEST_WHOLE
from rankmark.data.ids.tensors import as_array

_DEVICES = {"cuda"}
_TYPES = {"torch", "torch.nn.parameter"}  # others, as of values on several devices, lack operations
_FEWEST = 1 << 16  # values; fewer are copied sooner than a device is asked for some of them
_NARROWEST = 64  # columns; rows of a few numbers may be something else
_AT_ONCE = 1 << 22  # values, as sorting them takes memory
_TOP = 10  # documents whose judgments the audit counts
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_LABELS = (*_FLOATS, "bool", "uint8", "int8", "int16", "int32", "int64")


class _Matrix(NamedTuple):
    """A matrix of queries x items on a device, and where it has documents; None for everywhere."""

    values: Any
    present: Any

    def blocks(self) -> list[_Matrix]:
        """Return blocks of queries."""
        rows = max(1, _AT_ONCE // self.values.shape[1])
        values = self.values.split(rows)
        present = [None] * len(values) if self.present is None else self.present.split(rows)
        return [*map(_Matrix, values, present)]

    def sizes(self) -> Ints:
        """Return the number of documents of each query: (Q,) int64."""
        queries, items = self.values.shape
        if self.present is None:
            return np.full(queries, items)
        return _host(self.present.sum(1), np.int64)

    def filled(self, value: Any) -> Any:
        """Return the values, with this one where there is no document."""
        if self.present is None:
            return self.values
        return self.values.masked_fill(~self.present, value)

    def has_documents_of(self, other: _Matrix) -> bool:
        """Return True if both are of the same documents, on the same device."""
        mine, theirs = self.present, other.present
        if self.values.device != other.values.device or self.values.shape != other.values.shape:
            return False
        return mine is theirs or (mine is not None and theirs is not None and mine.equal(theirs))


def stays(source: Any) -> bool:
    """Return True for a large matrix of torch on a device."""
    if type(source).__module__ not in _TYPES or source.device.type not in _DEVICES:
        return False
    is_matrix: bool = source.ndim == 2
    return is_matrix and source.numel() >= _FEWEST and source.shape[1] >= _NARROWEST


def on_device(
    source: Any,
    kind: Kind,
    options: SourceOptions,
    read: Callable[[Any, Kind, SourceOptions], Source],
) -> Source | None:
    """Take a large matrix of torch as it is on its device; None for everything else.

    Parameters
    ----------
    read
        Reads the matrix once it is on the host.
    """
    if not stays(source) or {*options.given()} - {"mask"}:
        return None
    known = _LABELS if kind == "qrels" else _FLOATS  # whole numbers of a run are ids
    if str(source.dtype).removeprefix("torch.") not in known:
        return None
    if (present := options.mask) is not None:
        fits = getattr(present, "device", None) == source.device and present.shape == source.shape
        if not fits or str(present.dtype) != "torch.bool":
            return None
    values = source.detach()
    if str(values.dtype) == "torch.bool":
        values = values.byte()  # which has an order
    there = _Matrix(values, present)
    return OnDevice(there, kind, lambda: read(as_array(source, kind), kind, options))


class OnDevice(Source):
    """Labels or scores on a device.

    Parameters
    ----------
    matrix
        Where they are.
    kind
        Whether they are labels or scores.
    read
        Reads them on the host.
    """

    name = "<array>"
    positions = by_column = True

    def __init__(self, matrix: _Matrix, kind: Kind, read: Callable[[], Source]) -> None:
        self.matrix: _Matrix | None = matrix
        self._kind = kind
        self._shape: tuple[int, ...] = tuple(matrix.values.shape)
        self._read: Callable[[], Source] | None = read

    @cached_property
    def on_host(self) -> Source:
        """A copy of all of them on the host, made when something needs it."""
        assert self._read is not None  # noqa: S101
        return self._read()

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments; those that are to be refused are read where their places are known."""
        assert self.matrix is not None  # noqa: S101
        sizes = self.matrix.sizes()
        if not sizes.any() or not all(
            _are_exact(block.filled(0)) for block in self.matrix.blocks()
        ):
            return self.on_host.read_qrels(reading)
        positional = LabelsOnDevice(self, self.matrix, np.append(0, np.cumsum(sizes)))
        queries = tuple(map(str, range(len(sizes))))
        rows = int(sizes.sum())
        return Judged(None, queries, rows, shape=self._shape, positional=positional)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments that are on the same device."""
        aligned, judged = None, qrels.positional
        if isinstance(judged, LabelsOnDevice) and not by_rank:
            aligned = self._aligned(judged.matrix, ranking, reading)
        if aligned is None:
            return self.on_host.align_run(qrels, ranking, reading, by_rank=by_rank)
        return aligned

    def _aligned(
        self, labels: _Matrix, ranking: RankingOptions, reading: Reading
    ) -> AlignedRun | None:
        """Let the core rank the documents that may be among the first; None if it needs all."""
        scores, items = self.matrix, self._shape[1]
        if scores is None or not scores.has_documents_of(labels):
            return None
        rounded = ranking.single and str(scores.values.dtype) == "torch.float64"
        if ranking.deepest >= items or ranking.depth < items or ranking.looks_at_ids or rounded:
            return None
        blocks = zip(scores.blocks(), labels.blocks(), strict=True)
        parts = [_reaching(*block, ranking.deepest) for block in blocks]
        kept, column, score, label, tied = map(np.concatenate, zip(*parts, strict=True))
        if (tied < 0).any() or not len(column):
            return None
        sizes = scores.sizes()
        starts = np.append(0, np.cumsum(kept))
        columns = Columns(*align_rows(label, score, starts, column, ranking, reading.workers))
        counts = columns.counts.copy()
        counts[[JUDGED, RETRIEVED]], counts[TIED] = sizes, tied
        counts[JUDGED_TOP] = np.minimum(sizes, _TOP)
        return AlignedRun(columns._replace(counts=counts), 0, [], int(sizes.sum()), 0, 0)

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:  # noqa: D102
        return self.on_host.rows(reading, lenient=lenient)

    def for_query(self, query: str, reading: Reading) -> Source | None:  # noqa: D102
        return self.on_host.for_query(query, reading)

    def keep(self) -> None:
        """Copy the values to the host, where results that keep them can be pickled."""
        self.on_host.keep()
        self.matrix = self._read = None

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        contents = "labels" if self._kind == "qrels" else "scores"
        return {"form": "dense array", "holds": contents, "shape": [*self._shape]}


class LabelsOnDevice(Positional):
    """Judgments by place whose labels are on a device.

    Parameters
    ----------
    of, matrix
        Their source, and where they are.
    starts
        (Q + 1,) int64, as of Places.
    """

    _of: OnDevice
    matrix: _Matrix

    def __init__(self, of: OnDevice, matrix: _Matrix, starts: Ints) -> None:
        vars(self).update(_of=of, matrix=matrix, starts=starts, sparse=False)

    @cached_property
    def _whole(self) -> Positional:
        whole = self._of.on_host.read_qrels(AS_USUAL).positional
        assert whole is not None  # noqa: S101
        return whole

    @property
    def labels(self) -> Floats | Ints:
        """All labels, on the host."""
        return self._whole.labels

    @property
    def places(self) -> Places:
        """The places of all labels."""
        return self._whole.places

    def first(self, most: int) -> Floats | Ints:
        """Return the labels of the first places."""
        values, present = self.matrix
        return _host((values.flatten() if present is None else values[present])[:most], np.float64)

    def highest(self, lowest: float, most: int) -> tuple[Ints, Floats]:
        """Return each query's labels from the lowest needed, high to low, as many as are needed."""
        if most >= self.matrix.values.shape[1] and lowest == -np.inf:
            return super().highest(lowest, most)
        parts = [_highest(block, lowest, most) for block in self.matrix.blocks()]
        sizes, labels = map(np.concatenate, zip(*parts, strict=True))
        starts = np.append(0, np.cumsum(sizes))
        found: tuple[Ints, Floats] = sorted_rows(labels, starts, lowest, most, cores())
        return found


def _are_exact(labels: Any) -> bool:
    """Return True if doubles hold all labels, and none is NaN or infinite."""
    if labels.is_floating_point():
        return bool(labels.isfinite().all())
    if str(labels.dtype) != "torch.int64":
        return True
    return bool(((labels <= LARGEST_WHOLE) & (labels >= -LARGEST_WHOLE)).all())


def _host(values: Any, dtype: Any) -> NDArray[Any]:
    """Copy values to the host."""
    return np.require(as_array(values, "a tensor"), dtype, "C")


def _reaching(scores: _Matrix, labels: _Matrix, k: int) -> tuple[NDArray[Any], ...]:
    """Select the documents whose scores reach the k-th of their query.

    Returns
    -------
    tuple
        (Q,) int64, their number for each query; (n,) int32, float64 and float64, their columns,
        scores and labels; and (Q,) int64, how many documents of each query tie with another, -1 if
        a score is NaN.
    """
    import torch  # noqa: PLC0415  (an optional library)

    shown = scores.filled(-np.inf)
    ordered = shown.sort(dim=1, descending=True).values
    same = ordered[:, 1:] == ordered[:, :-1]
    kept = shown >= ordered[:, k - 1 : k]
    if scores.present is not None:
        last = torch.arange(1, shown.shape[1], device=shown.device)
        same &= last < scores.present.sum(1, keepdim=True)
        kept &= scores.present
    begins = same[:, 0] + (same[:, 1:] & ~same[:, :-1]).sum(1)
    tied = (begins + same.sum(1)).masked_fill(ordered.isnan().any(1), -1)
    return (
        _host(kept.sum(1), np.int64),
        _host(kept.nonzero()[:, 1], np.int32),
        _host(scores.values[kept], np.float64),
        _host(labels.values[kept], np.float64),
        _host(tied, np.int64),
    )


def _highest(labels: _Matrix, lowest: float, most: int) -> tuple[NDArray[Any], ...]:
    """Select labels among which are the highest of each query: (Q,) int64, and (n,) float64."""
    items = labels.values.shape[1]
    if most < items:
        least = -np.inf if labels.values.is_floating_point() else labels.values.min()
        top = _host(labels.filled(least).topk(most, dim=1).values, np.float64)
        sizes = np.minimum(labels.sizes(), most)
        return sizes, top[np.arange(most) < sizes[:, None]]
    kept = labels.values.double() >= lowest
    if labels.present is not None:
        kept &= labels.present
    return _host(kept.sum(1), np.int64), _host(labels.values[kept], np.float64)
