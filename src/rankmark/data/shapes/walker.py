"""The walker: reads judgments and rankings where a shape says that they stand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.data.contract.source_options import LIST
from rankmark.data.shapes.known_shapes import SHAPES, Shape, names
from rankmark.data.shapes.plain_forms import FEW, LISTS, PLAIN, is_plain
from rankmark.data.tables.column_values import number_in
from rankmark.data.tables.columns import is_known
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, shown, warn

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind, SourceOptions

_MOST_FIELDS = 64


class Found(NamedTuple):
    """The documents of a query.

    Parameters
    ----------
    query
        Its id; None if it has none.
    ids
        Of its documents.
    numbers
        Labels or scores; None if the order is the ranking, or all are relevant.
    where
        For messages.
    """

    query: Any
    ids: list[Any]
    numbers: list[Any] | None
    where: str


def at(held: Any, path: str) -> Any:
    """Return what stands at a path in JSON or in objects with attributes; None for nothing."""
    for steps in _ways(path):
        found = _at(held, steps)
        if found is not None:
            return found
    return None


@cache
def _ways(path: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(way.split(".")) if way else () for way in path.split("|"))


def _at(held: Any, steps: tuple[str, ...]) -> Any:
    for number, step in enumerate(steps):
        if isinstance(held, LISTS):
            if step.isdigit():
                held = held[int(step)] if int(step) < len(held) else None
                continue
            if not _are_attributes(held):
                return _together(_at(one, steps[number:]) for one in held)
            held = {one["key"]: _value_of(one["value"]) for one in held}
        if step == "*":
            held = _together(held.values()) if isinstance(held, Mapping) else None
            continue
        found = _field(held, step)
        if found is None:
            return _with_dots(held, steps[number:])
        held = found
    return held


def _together(parts: Any) -> list[Any] | None:
    """Put lists together; None if there are some parts and nothing in any."""
    parts = list(parts)
    held = [part for part in parts if part is not None]
    if parts and not held:
        return None
    return [one for part in held for one in (part if isinstance(part, LISTS) else [part])]


def _field(held: Any, name: str) -> Any:
    if isinstance(held, Mapping):
        return held.get(name)
    if isinstance(held, (*PLAIN, *LISTS)):
        return None
    found = getattr(held, name, None)
    return None if callable(found) else found


def _with_dots(held: Any, steps: tuple[str, ...]) -> Any:
    """Return the field whose name contains dots, or the list of fields ``name.0.``, ``name.1.``."""
    if not isinstance(held, Mapping):
        return None
    for end in range(len(steps), 1, -1):
        found = held.get(".".join(steps[:end]))
        if found is not None:
            return _at(found, steps[end:])
    items: dict[int, dict[str, Any]] = {}
    begin = f"{'.'.join(steps)}."
    for key, value in held.items():
        if isinstance(key, str) and key.startswith(begin):
            number, _, rest = key[len(begin) :].partition(".")
            if number.isdecimal():
                items.setdefault(int(number), {})[rest] = value
    return [items[number] for number in sorted(items)] or None


def _are_attributes(held: Any) -> bool:
    """Return True for attributes as OTLP writes them: a list of objects with a key and a value."""
    first = held[0] if held else None
    return isinstance(first, Mapping) and {*first} == {"key", "value"}


def _value_of(value: Any) -> Any:
    """Return a value of OTLP, such as ``{"stringValue": "a"}``, as plain JSON."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, held),) = value.items()
    inner = held.get("values", []) if isinstance(held, Mapping) else []
    if kind in {"arrayValue", "array_value"}:
        return [_value_of(one) for one in inner]
    if kind in {"kvlistValue", "kvlist_value"}:
        return {one["key"]: _value_of(one["value"]) for one in inner}
    return held


def _documents(shape: Shape, answer: Any) -> list[Any] | None:
    """Return the documents of a query, where a shape says; None if there are none such."""
    if shape.list and isinstance(answer, LISTS) and not shape.list.endswith("|"):
        return None
    held = at(answer, shape.list)
    if isinstance(held, str) and held.startswith("["):
        with suppress(ValueError):
            held = json.loads(held)
    if isinstance(held, Mapping) and shape.id in {"key", "value"}:
        return [
            {"key": key, "value": one}
            for key, value in held.items()
            for one in (value if isinstance(value, LISTS) else [value])
        ]
    if hasattr(held, "tolist"):
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
    documents = _documents(shape, answer)
    if documents is None or (shape.beside and at(answer, shape.beside) is None):
        return False
    if not documents:  # in a field of a field, which is telling enough
        outer = (_at(answer, steps[:-1]) for steps in _ways(shape.list) if len(steps) > 1)
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


def _query_beside(entry: Any) -> Any:
    """Return the id of the query in an object with a usual name: an id before a text."""
    if not isinstance(entry, Mapping) or len(entry) > _MOST_FIELDS:
        return None
    known = {name for name in entry if is_known(name, "query_id")} | {"user_input", "input"}
    ids = [name for name in entry if name in known and name not in _TEXTS]
    texts = [name for name in entry if name in known and name in _TEXTS]
    own = [name for name in ("id", "_id") if texts]
    for name in (*ids, *own, *texts):
        if entry.get(name) is not None and isinstance(entry[name], (str, int)):
            return entry[name]
    return None


_TEXTS = frozenset({"query", "question", "topic", "user_input", "input"})


def _queries(shape: Shape, entry: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each query with its answer, or with one document if there is one in each row."""
    if shape.queries is None:
        yield from _answers(shape, entry)
        return
    held = at(entry, shape.queries)
    if not shape.query:
        yield from held.items() if isinstance(held, Mapping) else ()
        return
    for one in held if isinstance(held, LISTS) else [] if held is None else [held]:
        if _is_read(shape, one):
            found = at(one, shape.query)
            for query in found if isinstance(found, list) else [found]:
                yield query, one


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


class Walker:
    """Reads the documents of queries out of what a tool wrote.

    Parameters
    ----------
    options
        Of which ``format`` may name a shape, and ``columns`` paths.

    Attributes
    ----------
    shape
        That was recognised; None before.
    unjudged
        How many documents had no label.
    """

    def __init__(self, kind: Kind, options: SourceOptions) -> None:
        self.shape: Shape | None = None
        self.unjudged = 0
        self._kind = kind
        self._contradicted = False
        self._vouched = options.contents == "scores"
        self._asked = options.format if options.format in names() else None
        self._seen: set[Any] = set()
        self._along: dict[Any, tuple[Any, bool, bool]] = {}  # the last distance of each query
        self._rises: bool | None = None  # distances
        columns = dict(options.columns or {})
        self._is_told = LIST in columns
        self._ids: list[str] | None = None  # of queries, whose answers stand in their order
        if str(columns.get("query_id", "")).startswith("@"):
            self._ids = _ids_in(columns.pop("query_id")[1:])
        self._shapes = _shapes_for(kind, self._asked, columns)

    def columns(self) -> dict[str, str]:
        """Return the paths that are read, by their roles."""
        shape = self.shape
        if shape is None:
            return {}
        if self._ids is not None:
            shape = shape._replace(query="a file of ids")
        number = "label" if self._kind == "qrels" else "score"
        told = {
            "query_id": shape.query.strip("_"),
            LIST: shape.list,
            "doc_id": shape.id,
            number: "" if shape.distance else shape.number,
        }
        return {role: path.strip("|") for role, path in told.items() if path.strip("|")}

    def recognises(self, entry: Any, where: str, *, also_plain: bool = False) -> bool:
        """Return True if an entry has one of the shapes, which is then the shape of all.

        Raises
        ------
        SchemaError
            If several fit, or the one that was asked for does not.
        """
        if self.shape is not None:
            return True
        told = self._is_told and self._kind == "run"  # they may have been told for the run alone
        if is_plain(entry) and not (self._asked or told or also_plain):
            return False
        fitting = _fitting(self._shapes, entry)
        if not fitting and self._asked:  # nothing has to tell it from others
            bare = [shape._replace(needs="", unless="", beside="") for shape in self._shapes]
            fitting = _fitting(bare, entry)
        if len(fitting) > 1:
            first, second, *_ = fitting
            raise SchemaError(
                f"it may be {first.what} ({first.name}) or {second.what} ({second.name})",
                f"choose with format={first.name!r}, or --{self._kind}-format {first.name}",
                where=where,
            )
        if fitting:
            self.shape = _of_used_paths(fitting[0], entry)
        elif (self._asked or self._is_told) and not self.leaves_out(entry):
            raise SchemaError(
                f"it is not {self._asked or 'what the paths name'}",
                self.nearest(entry) or f"found {shown(entry)}",
                where=where,
            )
        return bool(fitting)

    def leaves_out(self, entry: Any) -> bool:
        """Return True for an entry of a trace that is of another kind than retrieval."""
        kinds = [shape.only.partition("=")[0].partition(".")[0] for shape in self._shapes]
        return any(kind and at(entry, kind) is not None for kind in kinds)

    def nearest(self, entry: Any) -> str:
        """Say which shape an entry is most like, and what is missing in it; "" if none."""
        best, told = 0, ""
        for shape in self._shapes:
            here, missing = _parts_of(shape, entry)
            if here > best and missing:
                best = here
                told = (
                    f"it is most like {shape.what} ({shape.name}), in which {missing} is missing; "
                    "name what stands where, as in --path list=hits.hits --path id=_id"
                )
        return told

    def walk(self, entry: Any, where: str) -> Iterator[Found]:
        """Yield the documents of each query of an entry whose shape is known."""
        shape = self.shape
        assert shape is not None  # noqa: S101
        for number, (query, answer) in enumerate(self._named(shape, entry, where)):
            place = f"{where}, query {shown(query)}" if query is not None else where
            if shape.failed and (error := at(answer, shape.failed)) is not None:
                raise InputError(
                    f"the query failed: {shown(error)}",
                    "repeat it, or take it out, so that it counts as missing",
                    where=place if query is not None else f"{where}, answer {number} (from 0)",
                )
            if shape.single:
                _refuse_several(shape, answer, place)
            documents = [answer] if shape.rows else _documents(shape, answer)
            if documents is None:
                raise SchemaError(
                    f"found {shown(answer)}, in which {shape.list or 'a list'} is missing",
                    "need one for each query, as in the first",
                    where=place,
                )
            if not shape.rows:
                self._refuse_twice(query, place)
            found = self._found(shape, query, documents, place)
            if found.ids or found.numbers is None or self._kind == "run":
                yield found
            else:  # of queries that nobody judged
                self.unjudged += not documents

    def _named(self, shape: Shape, entry: Any, where: str) -> Iterator[tuple[Any, Any]]:
        """Yield the queries, by the ids of a file if answers stand in their order."""
        if self._ids is None:
            yield from _queries(shape, entry)
            return
        answers = [answer for _, answer in _queries(shape, entry)]
        if len(answers) > len(self._ids):
            raise SchemaError(
                "there are more answers than ids of queries",
                "give a file with the id of each query, in the order of the answers",
                where=where,
            )
        yield from zip(self._ids, answers, strict=False)
        del self._ids[: len(answers)]

    def close(self, where: str) -> None:
        """Refuse ids of queries without an answer, and distances that fall like similarities."""
        for query, (_, rose, fell) in self._along.items():
            if fell and not rose and not self._asked:
                raise self._like_similarities(f"{where}, query {shown(query)}")
        if self._ids:
            raise SchemaError(
                f"there is no answer to the last {len(self._ids):,} queries that were named",
                "give a file with the id of each query, in the order of the answers",
                where=where,
            )

    def _refuse_twice(self, query: Any, where: str) -> None:
        if query is None:
            return
        if query in self._seen:
            raise DuplicateError("the query has several answers", "keep one of them", where=where)
        self._seen.add(query)

    def _found(self, shape: Shape, query: Any, documents: list[Any], where: str) -> Found:
        ids = _column(documents, shape.id)
        if shape.cut:
            ids = [one.split(shape.cut)[-1] if isinstance(one, str) else one for one in ids]
        numbers = _column(documents, shape.number) if shape.number else None
        if numbers is not None and not {str, list}.isdisjoint(map(type, numbers)):
            numbers = [_number(one, where) for one in numbers]
        if self._kind == "qrels" and numbers is not None:
            numbers = [None if one != one else one for one in numbers]  # noqa: PLR0124  (NaN)
        if self._kind == "qrels" and numbers is not None and None in numbers:
            judged = [place for place, one in enumerate(numbers) if one is not None]
            self.unjudged += len(numbers) - len(judged)
            ids, numbers = [ids[n] for n in judged], [numbers[n] for n in judged]
        elif numbers is not None and self._kind == "run":
            numbers = self._checked(shape, query, numbers, where)
        return Found(query, ids, numbers, where)

    def _checked(
        self, shape: Shape, query: Any, numbers: list[Any], where: str
    ) -> list[Any] | None:
        """Return the scores, unless the order is the ranking."""
        if all(one is None for one in numbers):
            return None
        if shape.distance:
            self._refuse_mixed(numbers, where)
            return None
        if shape.lowest:
            return self._turned(query, numbers, where)
        if self._vouched or shape.rows or None in numbers:
            return numbers
        try:
            falls = numbers == sorted(numbers, reverse=True)
        except TypeError:  # refused where it is added
            return numbers
        return numbers if falls else self._by_order(numbers, where)

    def _by_order(self, numbers: list[Any], where: str) -> list[Any]:
        """Return numbers that fall along a list whose scores do not, and warn of the first."""
        if not self._contradicted:
            self._contradicted = True
            warn(
                "the scores do not fall along the list, as distances do not, so the order in which "
                "the documents were returned is the ranking",
                "if the highest score is the best nevertheless, say so: contents='scores', or "
                "--contents scores",
                where=where,
            )
        return [-float(place) for place in range(len(numbers))]

    def _turned(self, query: Any, distances: list[Any], where: str) -> list[Any]:
        """Return distances as scores; refuse those that fall along a list, like similarities."""
        if not all(isinstance(one, (int, float)) for one in distances):
            return distances  # refused where it is added
        ordered = sorted(distances)
        if not self._asked and distances == ordered[::-1] != ordered:
            raise self._like_similarities(where)
        if len(distances) == 1:  # of a row, perhaps
            last, rose, fell = self._along.get(query, (distances[0], False, False))
            self._along[query] = (
                distances[0],
                rose or distances[0] > last,
                fell or distances[0] < last,
            )
        return [-one for one in distances]

    @staticmethod
    def _like_similarities(where: str) -> SchemaError:
        return SchemaError(
            "the distances fall along the list, so they may be similarities",
            "choose --run-format distances, or format='distances', if the lowest is the best, or "
            "milvus if the order of the documents is the ranking",
            where=where,
        )

    def _refuse_mixed(self, numbers: list[Any], where: str) -> None:
        """Refuse distances that neither rise nor fall along all lists."""
        falls, rises = numbers == sorted(numbers, reverse=True), numbers == sorted(numbers)
        if rises and falls:
            return
        if not (rises or falls) or self._rises not in {None, rises}:
            raise SchemaError(
                "distances rise along some lists and fall along others, so that their order is not "
                "the ranking",
                "sort each list, the best first",
                where=where,
            )
        self._rises = rises


def _refuse_several(shape: Shape, answer: Any, where: str) -> None:
    """Refuse an answer with several lists, such as of two systems, which would be one ranking."""
    held = at(answer, shape.single)
    if held is None or len(held) < 2:
        return
    first = str(next(iter(held))) if isinstance(held, Mapping) else f"{shape.single}.0"
    one = shape.list.replace("*" if isinstance(held, Mapping) else shape.single, first, 1)
    raise SchemaError(
        f"it has {len(held)} lists of documents in {shape.single}",
        f"choose one, as in --path list={one}",
        where=where,
    )


def _ids_in(path: str) -> list[str]:
    """Read a file with an id on each line."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f"it cannot be read: {error}", "check the path", where=path) from None
    return [line.strip() for line in lines if line.strip()]


def _shapes_for(kind: Kind, asked: str | None, columns: Mapping[str, Any]) -> list[Shape]:
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


def _fitting(shapes: list[Shape], entry: Any) -> list[Shape]:
    """Return the shapes that an entry has; those that name its query, if there are some."""
    if isinstance(entry, Mapping) and all(isinstance(one, PLAIN) for one in entry.values()):
        shapes = [shape for shape in shapes if shape.rows and not shape.queries]
    found = [(shape, *_first_query(shape, entry)) for shape in shapes]
    named = [shape for shape, fits, query in found if fits and query is not None]
    return named or [shape for shape, fits, _ in found if fits]


def _first_query(shape: Shape, entry: Any) -> tuple[bool, Any]:
    """Return whether an entry has a shape, and its first query that has."""
    with suppress(TypeError, AttributeError):
        for query, answer in islice(_queries(shape, entry), FEW):
            if _fits(shape, answer):
                return True, query
    return False, None


def _of_used_paths(shape: Shape, entry: Any) -> Shape:
    """Return a shape with only those of its paths that the first query has."""
    used = {"queries": _used(entry, shape.queries)}
    for _, answer in _queries(shape, entry):
        if not _fits(shape, answer):
            continue
        used |= {"query": _used(answer, shape.query), "list": _used(answer, shape.list)}
        documents = [answer] if shape.rows else _documents(shape, answer)
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


def _parts_of(shape: Shape, entry: Any) -> tuple[int, str]:
    """Return how many parts of a shape an entry has, and the first that it lacks."""
    with suppress(TypeError, AttributeError):
        for query, answer in islice(_queries(shape, entry), 1):
            has_query = query is not None and bool(shape.query)
            documents = [answer] if shape.rows else _documents(shape, answer)
            if not documents:
                return has_query, _ways_of(shape.list)
            if at(documents[0], shape.id) is None:
                return has_query + (not shape.rows), _ways_of(shape.id) or "the id of a document"
            return has_query + 2, _ways_of(shape.needs or shape.beside)
    return 0, ""


def _ways_of(path: str) -> str:
    ways = path.strip("|").split("|")
    return " or ".join(ways[:2]) + (" or another name" if len(ways) > 2 else "")


def _column(documents: list[Any], path: str) -> list[Any]:
    if not path:
        return documents
    if path.isidentifier():
        with suppress(KeyError, TypeError):
            return [document[path] for document in documents]
    return [at(document, path) for document in documents]


def _number(value: Any, where: str) -> Any:
    """Return a number that is text, or that several judges agree on; None for an empty one."""
    if isinstance(value, list):
        given = {_number(one, where) for one in value} - {None}
        if len(given) > 1:
            raise SchemaError(
                f"judges differ, {listed(list(map(str, sorted(given))))}",
                "give one label for each document, such as the mean",
                where=where,
            )
        return next(iter(given), None)
    if isinstance(value, str):
        return number_in(value) if value.strip() else None
    return value
