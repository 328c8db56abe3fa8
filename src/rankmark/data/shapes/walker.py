"""The walker: reads judgments and rankings where a shape says that they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rankmark.data.contract.source_options import LIST, Kind, SourceOptions
from rankmark.data.ids.numeric import id_text
from rankmark.data.shapes.field_paths import at
from rankmark.data.shapes.fitting_shapes import (
    documents_in,
    fitting,
    is_of_another_kind,
    of_used_paths,
    parts_of,
    queries_in,
    shapes_for,
)
from rankmark.data.shapes.known_shapes import Shape, names
from rankmark.data.shapes.plain_forms import LISTS, is_plain
from rankmark.data.tables.column_values import number_in
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, shown, warn


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
        self._left_out = 0  # entries of other kinds
        self._contradicted = False
        self._vouched = options.contents == "scores"
        self._asked = options.format if options.format in names() else None
        self._seen: set[str | None] = set()
        self._along: dict[Any, tuple[Any, bool, bool]] = {}  # the last distance of each query
        self._rises: bool | None = None  # distances
        columns = dict(options.columns or {})
        self._is_told = LIST in columns
        self._ids: list[str] | None = None  # of queries, whose answers stand in their order
        if str(columns.get("query_id", "")).startswith("@"):
            self._ids = _ids_in(columns.pop("query_id")[1:])
        self._shapes = shapes_for(kind, self._asked, columns)

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
        found = fitting(self._shapes, entry)
        if not found and self._asked:  # nothing has to tell it from others
            bare = [shape._replace(needs="", unless="", beside="") for shape in self._shapes]
            found = fitting(bare, entry)
        if len(found) > 1:
            first, second, *_ = found
            raise SchemaError(
                f"it may be {first.what} ({first.name}) or {second.what} ({second.name})",
                f"choose with format={first.name!r}, or --{self._kind}-format {first.name}",
                where=where,
            )
        if found:
            self.shape = of_used_paths(found[0], entry)
        elif (self._asked or self._is_told) and not self.leaves_out(entry):
            raise SchemaError(
                f"it is not {self._asked or 'what the paths name'}",
                self.nearest(entry) or f"found {shown(entry)}",
                where=where,
            )
        return bool(found)

    def leaves_out(self, entry: Any) -> bool:
        """Return True for an entry of a trace that is of another kind than retrieval."""
        is_other = any(map(partial(is_of_another_kind, entry=entry), self._shapes))
        self._left_out += is_other
        return is_other

    def nearest(self, entry: Any) -> str:
        """Say which shape an entry is most like, and what is missing in it; "" if none."""
        best, told = 0, ""
        for shape in self._shapes:
            here, missing = parts_of(shape, entry)
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
            documents = [answer] if shape.rows else documents_in(shape, answer)
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
            yield from queries_in(shape, entry)
            return
        answers = [answer for _, answer in queries_in(shape, entry)]
        if len(answers) > len(self._ids):
            raise SchemaError(
                "there are more answers than ids of queries",
                "give a file with the id of each query, in the order of the answers",
                where=where,
            )
        yield from zip(self._ids, answers, strict=False)
        del self._ids[: len(answers)]

    def close(self, where: str) -> None:
        """Refuse what only the whole shows: nothing of retrieval, odd distances, unused ids."""
        if self.shape is None and self._left_out:
            raise SchemaError(
                f"none of its {self._left_out:,} entries is of retrieval, with documents",
                "give spans or runs of a retriever",
                where=where,
            )
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
        query_id = id_text(query)
        if query_id is not None and query_id in self._seen:
            raise DuplicateError("the query has several answers", "keep one of them", where=where)
        self._seen.add(query_id)

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
        if shape.distance or shape.lowest:
            for one in numbers:
                if not isinstance(one, (int, float)):
                    raise SchemaError(f"a distance is {shown(one)}", "need a number", where=where)
        if shape.distance:
            self._refuse_mixed(numbers, where)
            return None
        if shape.lowest:
            return self._turned(id_text(query), numbers, where)
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

    def _turned(self, query: str | None, distances: list[Any], where: str) -> list[Any]:
        """Return distances as scores; refuse those that fall along a list, like similarities."""
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
    if not isinstance(held, (Mapping, *LISTS)) or len(held) < 2:
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
        given = {str(one): one for one in (_number(one, where) for one in value) if one is not None}
        if len(given) > 1:
            raise SchemaError(
                f"judges differ, {listed(sorted(given))}",
                "give one label for each document, such as the mean",
                where=where,
            )
        return next(iter(given.values()), None)
    if isinstance(value, str):
        return number_in(value) if value.strip() else None
    return value
