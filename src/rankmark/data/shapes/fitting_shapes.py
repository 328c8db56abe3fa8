"""Recognise the shape of what a tool wrote, and find its queries and documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any

from rankmark.data.contract.source_options import LIST, Kind
from rankmark.data.shapes.field_paths import at, ways_of
from rankmark.data.shapes.known_shapes import SHAPES, Shape
from rankmark.data.shapes.plain_forms import FEW, LISTS, PLAIN
from rankmark.data.tables.columns import is_known

_MOST_FIELDS = 64
_TEXTS = frozenset({"query", "question", "topic", "user_input", "input"})


def documents_in(shape: Shape, answer: Any) -> list[Any] | None:
    """Return the documents of a query, where a shape says; None if there are none such."""
    if shape.list and isinstance(answer, LISTS) and not shape.list.endswith("|"):
        return None
    held = at(answer, shape.list)
    if type(held) is list and held and type(held[0]) is dict:  # as nearly always
        return held
    if isinstance(held, str) and held.startswith("["):
        with suppress(ValueError):
            held = json.loads(held)
    if isinstance(held, Mapping) and shape.id in {"key", "value"}:
        return [
            {"key": key, "value": one}
            for key, value in held.items()
            for one in (value if isinstance(value, LISTS) else [value])
        ]
    if hasattr(held, "tolist") and getattr(held, "ndim", True):  # and no number of NumPy
        held = held.tolist()
    if isinstance(held, LISTS):
        nested = bool(held) and all(isinstance(one, LISTS) for one in held)
        return list(held[0]) if nested and len(held) == 1 and shape.list else list(held)
    return None


def _fits(shape: Shape, answer: Any) -> bool:
    """Return True if a query's documents stand where a shape says."""
    if shape.rows:
        has_fields = not shape.fields or {*answer} == shape.fields
        return has_fields and at(answer, shape.query) is not None and _is_hit(shape, answer)
    documents = documents_in(shape, answer)
    if documents is None or (shape.beside and at(answer, shape.beside) is None):
        return False
    if not documents:  # in a field of a field, which is telling enough
        outer = (
            at(answer, ".".join(steps[:-1])) for steps in ways_of(shape.list) if len(steps) > 1
        )
        return any(isinstance(one, Mapping) for one in outer)
    return _is_hit(shape, documents[0])


def _is_hit(shape: Shape, document: Any) -> bool:
    if shape.rows and shape.fields:
        return isinstance(document, Mapping) and shape.fields == {*document}
    doc_id = at(document, shape.id)
    has_id = isinstance(doc_id, (str, int)) or hasattr(doc_id, "hex")  # a UUID
    is_other = bool(shape.unless) and at(document, shape.unless) is not None
    return has_id and not is_other and (not shape.needs or at(document, shape.needs) is not None)


def _is_read(shape: Shape, entry: Any) -> bool:
    path, equals, value = shape.only.partition("=")
    found = at(entry, path) if path else True
    return found in {None, value} if equals else found is not None


def is_of_another_kind(shape: Shape, entry: Any) -> bool:
    """Return True for an object of a trace that is not one of retrieval."""
    path, equals, value = shape.only.partition("=")
    kind = at(entry, path if equals else path.partition(".")[0]) if path else None
    return kind is not None and (kind != value if equals else at(entry, path) is None)


def _query_beside(entry: Any) -> Any:
    """Return the id of the query in an object with a usual name: an id before a text."""
    if not isinstance(entry, Mapping) or len(entry) > _MOST_FIELDS:
        return None
    for name in _names_of_queries(tuple(entry)):
        if entry.get(name) is not None and isinstance(entry[name], (str, int)):
            return entry[name]
    return None


@lru_cache(256)
def _names_of_queries(names: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the names of fields that may be of a query, ids before texts."""
    known = {name for name in names if is_known(name, "query_id")} | {"user_input", "input"}
    ids = [name for name in names if name in known and name not in _TEXTS]
    texts = [name for name in names if name in known and name in _TEXTS]
    own = [name for name in ("id", "_id") if texts]
    return (*ids, *own, *texts)


def queries_in(shape: Shape, entry: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each query with its answer, or with one document if there is one in each row."""
    if shape.queries is None:
        yield from _answers(shape, entry)
        return
    held = at(entry, shape.queries)
    if not shape.query:
        texts = _texts_of(shape, entry) if shape.texts else {}
        for key, answer in held.items() if isinstance(held, Mapping) else ():
            yield texts.get(str(key), key), answer
        return
    for one in held if isinstance(held, LISTS) else [] if held is None else [held]:
        if _is_read(shape, one):
            found = at(one, shape.query)
            for query in found if isinstance(found, list) else [found]:
                yield query, one


def _texts_of(shape: Shape, entry: Any) -> dict[str, Any]:
    """Return the texts of queries by their ids, as far as an export has them."""
    path, query_id, text = shape.texts
    held = at(entry, path)
    pairs = [(at(one, query_id), at(one, text)) for one in held] if isinstance(held, LISTS) else []
    return {str(key): named for key, named in pairs if named is not None}


def _answers(shape: Shape, entry: Any) -> Iterator[tuple[Any, Any]]:
    """Yield answers with their queries: beside them, around them, or as keys of a mapping."""
    if _fits(shape, entry) or (shape.failed and at(entry, shape.failed) is not None):
        yield _query_beside(entry), entry
    elif isinstance(entry, Mapping):
        query = _query_beside(entry)
        held = [one for one in entry.values() if query is not None and _fits(shape, one)]
        if len(held) == 1:
            yield query, held[0]
        else:
            yield from entry.items()


def shapes_for(kind: Kind, asked: str | None, columns: Mapping[str, Any]) -> list[Shape]:
    """Return the shapes that come into question, with the paths that the caller named."""
    number = columns.get("label" if kind == "qrels" else "score")
    paths = {"id": columns.get("doc_id"), "query": columns.get("query_id"), "number": number}
    given: dict[str, Any] = {name: str(path) for name, path in paths.items() if path is not None}
    if LIST in columns:
        queries = "" if "query" in given else None
        told = Shape("paths", "what the paths name", kind, str(columns[LIST]), queries=queries)
        return [told._replace(**given)]
    shapes = [shape for shape in SHAPES if shape.kind == kind and asked in {None, shape.name}]
    if "id" in given:
        given["cut"] = ""
    return [shape._replace(**given) for shape in shapes] if given else shapes


def fitting(shapes: list[Shape], entry: Any) -> list[Shape]:
    """Return the shapes that an entry has; those that name its query, if there are some."""
    if isinstance(entry, Mapping) and all(isinstance(one, PLAIN) for one in entry.values()):
        shapes = [shape for shape in shapes if shape.rows and not shape.queries]
    if _are_columns(entry):
        return []
    found = [(shape, *_first_query(shape, entry)) for shape in shapes]
    named = [shape for shape, fits, query in found if fits and query is not None]
    return named or [shape for shape, fits, _ in found if fits]


def _are_columns(entry: Any) -> bool:
    """Return True for columns by name: of ids of queries and of documents, all of one length."""
    if not isinstance(entry, Mapping) or len(entry) > _MOST_FIELDS:
        return False
    held = [*entry.values()]
    if not all(isinstance(one, (*LISTS, Mapping)) for one in held):
        return False
    roles = {role for name in entry for role in ("query_id", "doc_id") if is_known(name, role)}
    return len(roles) == 2 and len({*map(len, held)}) == 1


def _first_query(shape: Shape, entry: Any) -> tuple[bool, Any]:
    """Return whether an entry has a shape, and its first query that has."""
    with suppress(TypeError, AttributeError):
        for query, answer in islice(queries_in(shape, entry), FEW):
            if _fits(shape, answer):
                return True, query
    return False, None


def of_used_paths(shape: Shape, entry: Any) -> Shape:
    """Return a shape with only those of its paths that the first query has."""
    used = {"queries": _used(entry, shape.queries)}
    for _, answer in queries_in(shape, entry):
        if not _fits(shape, answer):
            continue
        used |= {"query": _used(answer, shape.query), "list": _used(answer, shape.list)}
        documents = [answer] if shape.rows else documents_in(shape, answer)
        if documents:
            used |= {
                "id": _used(documents[0], shape.id),
                "number": _used(documents[0], shape.number),
            }
            break
    return shape._replace(**used)


def _used(held: Any, path: Any) -> Any:
    ways = path.split("|") if path else [path]
    return next((way for way in ways[:-1] if at(held, way) is not None), ways[-1])


def parts_of(shape: Shape, entry: Any) -> tuple[int, str]:
    """Return how many parts of a shape an entry has, and the first that it lacks."""
    with suppress(TypeError, AttributeError):
        for query, answer in islice(queries_in(shape, entry), 1):
            has_query = query is not None and bool(shape.query)
            documents = [answer] if shape.rows else documents_in(shape, answer)
            if not documents:
                return has_query, _named_ways(shape.list)
            if at(documents[0], shape.id) is None:
                return has_query + (not shape.rows), _named_ways(shape.id) or "the id of a document"
            return has_query + 2, _named_ways(shape.needs or shape.beside)
    return 0, ""


def _named_ways(path: str) -> str:
    ways = path.strip("|").split("|")
    return " or ".join(ways[:2]) + (" or another name" if len(ways) > 2 else "")
