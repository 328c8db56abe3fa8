"""Pairs of arrays, scores and ids, as top-k searches return them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.ids.numeric import doubles
from rankmark.data.ids.tensors import as_array, is_array
from rankmark.errors import SchemaError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE, _TEXT = "iu", "UTO"


def is_pair_of_arrays(source: object) -> bool:
    """Return True for scores and ids as torch.topk, FAISS and implicit return them.

    Two one-dimensional arrays of whole numbers are two rankings.
    """
    if not (isinstance(source, tuple) and len(source) == 2 and all(map(is_array, source))):
        return False
    if _has_named_parts(source):
        return True
    floats = [_is_of_floats(part) for part in source]
    return any(floats) or all(getattr(part, "ndim", 1) == 2 for part in source)


def ranked_pairs(source: tuple[Any, Any], where: str) -> list[tuple[Any, float]]:
    """Return one query's scores and ids as pairs (id, score).

    Raises
    ------
    SchemaError
        If either array could be the ids, their shapes differ, or there are several queries.
    """
    scores, ids = scores_and_ids(source, where)
    if ids.ndim != 1:
        raise SchemaError(
            f"the ids have {ids.ndim} dimensions", "need one dimension for one query", where=where
        )
    return paired(scores, ids)


def scores_and_ids(source: tuple[Any, Any], where: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores, as doubles, and the ids."""
    if _has_named_parts(source):
        pair: Any = source
        scores, ids = as_array(pair.values, where), as_array(pair.indices, where)
    else:
        first, second = (as_array(part, where) for part in source)
        if _is_of_floats(first) == _is_of_floats(second):
            both = "floats" if _is_of_floats(first) else "whole numbers"
            raise SchemaError(
                f"both arrays hold {both}, so either could be the ids",
                "need scores as floats and ids as whole numbers: astype(float), astype(int)",
                where=where,
            )
        scores, ids = (first, second) if _is_of_floats(first) else (second, first)
    if ids.dtype.kind not in _WHOLE + _TEXT:
        raise SchemaError(
            f"ids are an array of {ids.dtype}", "need whole numbers or text", where=where
        )
    if scores.shape != ids.shape:
        raise SchemaError(
            f"scores have shape {scores.shape}, ids {ids.shape}", "need one shape", where=where
        )
    return doubles(scores, where), ids


def _has_named_parts(source: object) -> bool:
    return all(hasattr(type(source), name) for name in ("values", "indices"))


def _is_of_floats(part: Any) -> bool:
    dtype = str(getattr(part, "dtype", ""))
    return "float" in dtype or "double" in dtype


def present_in(ids: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which ids are documents: all but -1."""
    if ids.dtype.kind in _WHOLE:
        return np.asarray(ids != -1)
    return np.ones(ids.shape, dtype=bool)


def paired(scores: NDArray[Any], ids: NDArray[Any]) -> list[tuple[Any, float]]:
    """Return one query's scores and ids as pairs (id, score)."""
    present = present_in(ids)
    return list(zip(ids[present].tolist(), scores[present].tolist(), strict=True))
