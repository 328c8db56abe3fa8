"""One query's ranking in any form: ids, pairs, arrays, and the hits of search libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.data.contract.source_options import Kind
from rankmark.data.ids.numeric import doubles
from rankmark.data.ids.tensors import as_array, is_array
from rankmark.data.shapes.plain_forms import LISTS, PLAIN
from rankmark.data.tables.column_values import documents_of, is_series
from rankmark.data.tables.columns import OWN_IDS, Role, is_known
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, noted, shown


def items(mapping: Mapping[Any, Any], where: str) -> list[tuple[Any, Any]]:
    """List the entries of a mapping before any other code of the caller runs."""
    with walked(where):
        return list(mapping.items())


@contextmanager
def walked(where: str) -> Iterator[None]:
    """Report where the caller's mapping failed, or that it changed during iteration."""
    try:
        with noted(where):
            yield
    except RuntimeError as error:
        if "during iteration" not in str(error):
            raise
        raise InputError(
            "it changed while it was read", "give a copy that does not change", where=where
        ) from error


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
    """Return one query's scores and ids as pairs (id, score)."""
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


DOCUMENTS = ("docs", "documents", "results", "hits", "ranking", "relevant")
"""Usual names of the field with a query's documents."""
_TEXTS = frozenset({"query", "question", "topic"})
"""Names of queries that may be texts; an id beside them is the query's."""


def query_and_documents(
    entry: Mapping[str, Any], columns: Mapping[str, str] | None, where: str
) -> tuple[str, str] | None:
    """Return the field with a query's id, and the one with its documents; None without these."""
    documents = [name for name in entry if isinstance(name, str) and name.lower() in DOCUMENTS]
    if any(is_known(name, "doc_id") for name in entry):  # then "relevant" is a label
        documents = [name for name in documents if _is_held(entry[name])]
    field = _query_field(entry, columns) if documents else None
    if field is None:
        return None
    if len(documents) > 1:
        first, second, *_ = documents
        raise SchemaError(
            f"both {first!r} and {second!r} may contain the documents",
            "rename one of them",
            where=where,
        )
    return field, documents[0]


def by_query(
    rows: Sequence[Any], columns: Mapping[str, str] | None, kind: Kind
) -> tuple[dict[Any, Any], dict[str, str]]:
    """Return the documents of mappings that have those of a query each, and the fields used.

    Both are empty for other rows.
    """
    held: dict[Any, Any] = {}
    used: dict[str, str] = {}
    for row, entry in enumerate(rows):
        where = f"{kind}: entry {row} (from 0)"
        fields = query_and_documents(entry, columns, where) if isinstance(entry, Mapping) else None
        if fields is None:
            if not held:
                break
            raise SchemaError(f"found {shown(entry)}", "need fields as in the first", where=where)
        query = entry[fields[0]]
        if query in held:
            raise DuplicateError(f"query {shown(query)} appears twice", "keep one", where=where)
        held[query] = entry[fields[1]]
        used = used or dict(zip(("query_id", "list"), fields, strict=True))
    return held, used


def _query_field(entry: Mapping[str, Any], columns: Mapping[str, str] | None) -> str | None:
    chosen = (columns or {}).get("query_id")
    scalars = [name for name in entry if not _is_held(entry[name])]
    if chosen:
        return chosen if chosen in scalars else None
    field = next((name for name in scalars if is_known(name, "query_id")), None)
    if field is not None and field.lower() in _TEXTS:
        return next((name for name in scalars if name in OWN_IDS), field)
    return field


def _is_held(value: object) -> bool:
    return isinstance(value, (Mapping, list))


def plain(held: Any, kind: Kind, where: str) -> Any:  # noqa: PLR0911  (one per form)
    """Copy a query's documents into a form that the core reads; unknown types stay unchanged.

    Parameters
    ----------
    held
        A mapping; ids or pairs (id, number) in a list, a set or an array; (ids, scores) or
        (scores, ids) as arrays; hits, which are mappings or objects with an id and a score; or, for
        judgments, the only relevant id.
    where
        The name of the query in messages.
    """
    if isinstance(held, Mapping):
        with walked(where):
            return dict(held)
    if kind == "run" and is_pair_of_arrays(held):
        return ranked_pairs(held, where)
    if isinstance(held, AbstractSet):
        return set(held)
    if is_series(held):
        return documents_of(held, where)
    for name in ("tolist", "to_list"):  # of an array of ids, and of a Polars Series
        if hasattr(held, name):
            return getattr(held, name)()
    if isinstance(held, Sequence) and not isinstance(held, (str, bytes)):
        with walked(where):
            held = list(held)
        return _listed(held, kind, where)
    if kind == "qrels" and is_id(held):
        return [held]
    return held


def is_id(value: object) -> bool:
    """Return True if an object has the type of an id: text, a whole number, a UUID."""
    if isinstance(value, bool):
        return False
    if isinstance(value, str) or type(value).__name__ == "UUID":
        return True
    return hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0


def is_hit(hit: object, kind: Kind) -> bool:
    """Return True if an object is a single hit rather than a mapping from ids to numbers."""
    if not isinstance(hit, Mapping):
        return _is_document(hit) or _is_scored_object(hit)
    names = [name for name in hit if isinstance(name, str)]
    numbers: tuple[Role, ...] = ("score", "rank") if kind == "run" else ("label", "score")
    is_numbered = any(is_known(name, role) for name in names for role in numbers)
    return is_numbered and any(map(_is_name_of_id, names))


def _listed(items: list[Any], kind: Kind, where: str) -> list[Any]:
    first = items[0] if items else None
    if isinstance(first, Mapping):
        return _of_fields(items, kind, where)
    if _is_document(first):
        return [_id_of(hit, where) for hit in items]
    if isinstance(first, tuple) and len(first) == 2 and _is_document(first[0]):
        return [(_id_of(hit, where), number) for hit, number in items]
    if isinstance(first, (*PLAIN, *LISTS)) or is_id(first):
        return items
    return _of_attributes(items, where) if _is_scored_object(first) else items


def _of_attributes(items: list[Any], where: str) -> list[Any]:
    """Read hits that are objects, as of Pyserini, LlamaIndex and vector stores."""
    from rankmark.data.shapes.field_paths import at  # noqa: PLC0415
    from rankmark.data.shapes.known_shapes import OBJECTS  # noqa: PLC0415  (rarely needed)

    ids = [at(hit, OBJECTS.id) for hit in items]
    numbers = [at(hit, OBJECTS.number) for hit in items]
    for place, doc_id in enumerate(ids):
        if not is_id(doc_id) or (numbers[place] is None) != (numbers[0] is None):
            raise SchemaError(
                f"hit {place} (from 0) is {shown(items[place])}",
                "need objects with an id, and all with a score or none",
                where=where,
            )
    return ids if numbers[:1] == [None] else list(zip(ids, numbers, strict=True))


def _of_fields(items: list[Any], kind: Kind, where: str) -> list[Any]:
    """Read hits with named fields, as from sentence-transformers' semantic_search."""
    names = list(items[0])
    doc_id = _only(names, _is_name_of_id, "document id", where)
    roles: tuple[Role, ...] = ("score",) if kind == "run" else ("label", "score")
    numbers = [_only(names, partial(is_known, role=role), role, where) for role in roles]
    number = next(filter(None, numbers), None)
    if doc_id is None:
        raise SchemaError(
            f"found {shown(items[0])}, in which no field has a usual name for document "
            "ids, such as doc_id or corpus_id",
            "give (id, score)",
            where=where,
        )
    for place, hit in enumerate(items):
        missing = [name for name in (doc_id, number) if name is not None and name not in hit]
        if missing:
            raise SchemaError(
                f"hit {place} (from 0) has no {missing[0]!r}: {shown(hit)}",
                "need the fields of the first hit",
                where=where,
            )
    if number is None:
        return [hit[doc_id] for hit in items]
    return [(hit[doc_id], hit[number]) for hit in items]


def _only(names: Iterable[Any], fits: Callable[[str], bool], what: str, where: str) -> str | None:
    found = [name for name in names if isinstance(name, str) and fits(name)]
    if len(found) > 1:
        raise SchemaError(
            f"{found[0]!r} and {found[1]!r} of each hit could both be the {what}",
            "give (id, score)",
            where=where,
        )
    return found[0] if found else None


def _is_name_of_id(name: str) -> bool:
    return name in OWN_IDS or is_known(name, "doc_id")


def _is_scored_object(hit: Any) -> bool:
    """Return True if an object has an id and a score, like the hits of search libraries."""
    if isinstance(hit, (*PLAIN, *LISTS)) or is_id(hit) or hasattr(hit, "dtype"):
        return False
    from rankmark.data.shapes.field_paths import at  # noqa: PLC0415
    from rankmark.data.shapes.known_shapes import OBJECTS  # noqa: PLC0415  (rarely needed)

    return is_id(at(hit, OBJECTS.id)) and at(hit, OBJECTS.needs) is not None


def _is_document(hit: object) -> bool:
    """Return True if an object is a LangChain document: a text with metadata."""
    return hasattr(hit, "page_content") and isinstance(getattr(hit, "metadata", None), Mapping)


def _id_of(document: Any, where: str) -> Any:
    """Return the only id of a document, its own or one in its metadata."""
    known = {
        f"metadata[{name!r}]": value
        for name, value in document.metadata.items()
        if isinstance(name, str) and _is_name_of_id(name) and is_id(value)
    }
    if is_id(getattr(document, "id", None)):
        known["id"] = document.id
    if len({str(value) for value in known.values()}) != 1:
        what = (
            f"its {' and its '.join(known)} differ"
            if known
            else (f"its metadata has {listed(list(map(str, document.metadata)))}")
        )
        raise SchemaError(
            f"found a document without one id: {what}",
            "say what its id is, as in {query: [(document.metadata['source'], score) for "
            "document, score in hits]}",
            where=where,
        )
    return next(iter(known.values()))


_META = "mteb_model_meta"


def of_mteb(mapping: Mapping[Any, Any], kind: Kind, where: str) -> Mapping[Any, Any]:
    """Return the predictions of the only subset and split; other mappings unchanged."""
    if _META not in mapping or not isinstance(mapping[_META], Mapping):
        return mapping
    if kind == "qrels":
        raise SchemaError(
            "these are predictions of MTEB, not judgments", "give judgments", where=where
        )
    splits = {
        (subset, split): held
        for subset, of_subset in mapping.items()
        if subset != _META and isinstance(of_subset, Mapping)
        for split, held in of_subset.items()
    }
    if len(splits) == 1:
        (held,) = splits.values()
        if isinstance(held, Mapping):
            return held
    has = " and ".join(f"{subset}/{split}" for subset, split in splits) or "none"
    raise SchemaError(
        f"MTEB's predictions are a run for one subset and split, and these have {has}",
        "give one of them, as in json.load(file)['default']['test']",
        where=where,
    )
