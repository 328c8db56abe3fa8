"""Scores and ids side by side in two arrays, as top-k searches return them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import SchemaError
from rankmark.sources.ids.numeric import doubles
from rankmark.sources.ids.tensors import as_array, is_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE, _TEXT = "iu", "UTO"


def is_pair_of_arrays(source: object) -> bool:
    """Say whether an object is scores and ids, as torch.topk, FAISS and implicit return them.

    Two arrays of whole numbers in one dimension are two rankings.
    """
    if not (isinstance(source, tuple) and len(source) == 2 and all(map(is_array, source))):
        return False
    if _names_itsscores_and_ids(source):
        return True
    floats = [_is_of_floats(part) for part in source]
    return any(floats) or all(getattr(part, "ndim", 1) == 2 for part in source)


def ranked_pairs(source: tuple[Any, Any], where: str) -> list[tuple[Any, float]]:
    """Give one query's scores and ids as pairs (id, score).

    Raises
    ------
    SchemaError
        As ``from_pair_of_arrays`` has it, or if they are of several queries.
    """
    scores, ids = scores_and_ids(source, where)
    if ids.ndim != 1:
        raise SchemaError(f"{where}: found {ids.ndim} dimensions; need one for one query")
    return paired(scores, ids)


def scores_and_ids(source: tuple[Any, Any], where: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Tell scores, as doubles, from ids."""
    if _names_itsscores_and_ids(source):
        pair: Any = source
        scores, ids = as_array(pair.values, where), as_array(pair.indices, where)
    else:
        one, other = (as_array(part, where) for part in source)
        if _is_of_floats(one) == _is_of_floats(other):
            both = "floats" if _is_of_floats(one) else "whole numbers"
            raise SchemaError(
                f"{where}: both arrays hold {both}, so either could be the ids; need scores as "
                "floats and ids as whole numbers: astype(float), astype(int)"
            )
        scores, ids = (one, other) if _is_of_floats(one) else (other, one)
    if ids.dtype.kind not in _WHOLE + _TEXT:
        raise SchemaError(f"{where}: ids are an array of {ids.dtype}; need whole numbers or text")
    if scores.shape != ids.shape:
        raise SchemaError(f"{where}: scores are {scores.shape}, ids {ids.shape}; need one shape")
    return doubles(scores, where), ids


def _names_itsscores_and_ids(source: object) -> bool:
    return all(hasattr(type(source), name) for name in ("values", "indices"))


def _is_of_floats(part: Any) -> bool:
    dtype = str(getattr(part, "dtype", ""))
    return "float" in dtype or "double" in dtype


def there_in(ids: NDArray[Any]) -> NDArray[np.bool_]:
    """Say where there is a document: not where an id is -1."""
    if ids.dtype.kind in _WHOLE:
        return np.asarray(ids != -1)
    return np.ones(ids.shape, dtype=bool)


def paired(scores: NDArray[Any], ids: NDArray[Any]) -> list[tuple[Any, float]]:
    """Give one query's scores and ids as pairs (id, score)."""
    there = there_in(ids)
    return list(zip(ids[there].tolist(), scores[there].tolist(), strict=True))
