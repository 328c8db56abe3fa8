"""Small files of text, read as a whole: query ids, weights, words, and texts by id."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import IO, Annotated, Any, TypeVar

from rankmark.arguments import Kind
from rankmark.conventions import QUERIES_NEEDED, Queries, queries_asked, query_texts
from rankmark.data.files.byte_streams import unreadable
from rankmark.data.files.first_bytes import BYTE_ORDER_MARK
from rankmark.data.files.input_file import InputFile
from rankmark.data.files.opened import all_bytes
from rankmark.data.ids.numeric import written_number
from rankmark.errors import DuplicateError, InputError, ParseError, listed, shown


@contextmanager
def opened(file: InputFile) -> Iterator[int]:
    """Open a file, and refuse it if it cannot be read."""
    try:
        with file.descriptor() as descriptor:
            yield descriptor
    except OSError as error:
        raise unreadable(error, "check the file and its disk", file.name) from None


def whole_text(file: InputFile) -> str:
    """Return all text of a file; see ``text_of``."""
    with opened(file) as descriptor:
        return text_of(all_bytes(descriptor), file.name)


def fields_at_blanks(line: str, most: int = 0) -> list[str]:
    """Return what stands between spaces and tabs, as the core splits lines of TREC's formats."""
    line = line.strip(" \t")
    return re.split(r"[ \t]+", line, maxsplit=most) if line else []


def text_of(data: bytes, name: str) -> str:
    """Decode text, without a byte order mark; bytes that are no UTF-8 stay."""
    at = data.find(b"\0")
    if at >= 0:
        raise ParseError(
            "found a NUL byte, so this is not UTF-8 text (UTF-16? a binary file?)",
            "convert it",
            where=name,
            line=data.count(b"\n", 0, at) + 1,
        )
    return data.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "surrogateescape")


T = TypeVar("T")
QueryFile = str | os.PathLike[str] | IO[Any]
"""A path, ``-`` for standard input, or an open file, plain or packed."""


def query_ids_in(source: QueryFile) -> tuple[str, ...]:
    """Read query ids, one per line, ignoring blanks around them and empty lines."""
    file = InputFile(source)
    query_ids = tuple(line for _, line in _lines(file))
    if not query_ids:
        raise ParseError("it holds no query ids", "need one per line", where=file.name)
    return query_ids


def ids_given(
    name: str,
    given: Any,
    needed: str = "need a list of ids, or the path of a file of ids as pathlib.Path",
) -> tuple[str, ...]:
    """Return ids that are in a list, or in a file with one a line."""
    if isinstance(given, os.PathLike) or hasattr(given, "read"):
        return query_ids_in(given)
    is_list = isinstance(given, Iterable) and getattr(given, "ndim", 1) == 1
    if not is_list or isinstance(given, (str, bytes, Mapping)):
        raise InputError(f"{name} is {shown(given)}", needed)
    return query_texts(given, name)


def averaged_queries(name: str, given: Any) -> str | tuple[str, ...]:
    """Return which queries are averaged: a word, or ids, which may be in a file."""
    chosen = given if isinstance(given, str) else ids_given(name, given, QUERIES_NEEDED)
    return queries_asked(name, chosen)


Ids = Annotated[Iterable[Any] | os.PathLike[str] | IO[Any], Kind(ids_given)]
"""The verb gets a tuple of text."""
AveragedQueries = Annotated[
    Queries | Sequence[str] | os.PathLike[str] | IO[Any], Kind(averaged_queries)
]
"""The verb gets a word, or a tuple of ids."""


def weights_in(source: QueryFile | InputFile, key: str = "qid") -> dict[str, float]:
    """Read an id, of a query as a rule, and its weight from each line, separated by blanks."""

    def weight_in(line: str) -> tuple[str, float | None]:
        query, _, last = re.sub(r"[ \t]+([^ \t]+)$", r"\n\1", line).partition("\n")
        weight = written_number(last)
        return query, weight if weight is not None and 0 <= weight < math.inf else None

    needed = f"write `{key} weight`, the weight a number from 0"
    return _by_query(source, weight_in, "does not end in a weight", needed)


def words_in(source: QueryFile | InputFile, what: str) -> dict[str, str]:
    """Read a query id and a word from each line, separated by a tab or blanks.

    ``what`` the words are, for messages: "cluster".
    """

    def word_in(line: str) -> tuple[str, str | None]:
        if line.startswith("{"):  # JSON
            return line, None
        query, *word = line.split("\t") if "\t" in line else fields_at_blanks(line, 1)
        return query, (word[0].strip(" \t") or None) if len(word) == 1 else None

    needed = f"write `qid {what}`, one query a line"
    return _by_query(source, word_in, f"is not a query id and a {what}", needed)


def _by_query(
    source: QueryFile | InputFile,
    pair_in: Callable[[str], tuple[str, T | None]],
    problem: str,
    needed: str,
) -> dict[str, T]:
    """Read a query id and a value from each line; None as the value is a mistake."""
    file = source if isinstance(source, InputFile) else InputFile(source)
    values: dict[str, T] = {}
    for number, line in _lines(file):
        query, value = pair_in(line)
        if value is None:
            raise ParseError(f"{shown(line)} {problem}", needed, where=file.name, line=number)
        if query in values:
            found = f"query {query!r} appears twice"
            remedy = "keep one of the two lines"
            raise DuplicateError(found, remedy, where=file.name, line=number)
        values[query] = value
    return values


def pairs_in(source: QueryFile, first: str, second: str) -> Iterator[tuple[str, int, str, str]]:
    """Read two ids from each line, separated by a tab or blanks: (file, line, id, id).

    Parameters
    ----------
    first, second
        What they are, for messages: "unit".
    """
    file = InputFile(source)
    for number, line in _lines(file):
        fields = line.split("\t") if "\t" in line else fields_at_blanks(line)
        ids = [one.strip(" ") for one in fields]
        if len(ids) != 2 or not all(ids):
            raise ParseError(
                f"{shown(line)} is not a {first} and a {second}",
                f"write `{first} {second}`, separated by a tab if ids contain blanks",
                where=file.name,
                line=number,
            )
        yield file.name, number, ids[0], ids[1]


def _lines(file: InputFile) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers from 1."""
    for number, line in enumerate(whole_text(file).split("\n"), 1):
        if stripped := line.strip(" \t\r"):
            yield number, stripped


_IDS = (
    *("_id", "id", "query_id", "qid", "queryid", "doc_id", "docid", "docno", "pid", "passage_id"),
    *("document_id", "chunk_id", "item_id"),
)
_TEXTS = ("title", "text", "contents", "content", "body", "query", "question", "passage", "segment")
_BETWEEN = " — "  # a title and a text


def texts_in(
    source: str | os.PathLike[str] | IO[Any], wanted: Collection[str], most: int
) -> dict[str, str]:
    """Read the texts of some ids, from lines of `id TAB text` or of JSON objects.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open file, plain or packed. In lines, a title may
        stand between the id and the text, with a tab on both sides. JSON objects have an id under
        ``_id``, ``id``, ``docno``, ``qid`` or a similar name, and a text under ``text``,
        ``contents``, ``query`` or a similar name; a ``title`` comes first.
    wanted
        The ids; all lines are read, but other texts are not kept.
    most
        Number of characters kept of each text; the rest becomes an ellipsis.
    """
    file = InputFile(source)
    ids = frozenset(wanted)
    found: dict[str, str] = {}
    seen: list[str] = []
    try:
        with file.descriptor() as descriptor:
            for identifier, text in _entries(descriptor, file.name):
                if len(seen) < 3:
                    seen.append(identifier)
                if identifier in ids and identifier not in found:
                    whole = " ".join(text.split())
                    found[identifier] = whole if len(whole) <= most else whole[: most - 1] + "…"
    except OSError as error:
        raise unreadable(error, "check the file", file.name) from None
    if ids and not found:
        raise InputError(
            f"it has the text of no id that is needed: it has {listed(seen) or 'nothing'}, and "
            f"needed are {listed(sorted(ids))}",
            "are the ids of one kind?",
            where=file.name,
        )
    return found


def _entries(descriptor: int, name: str) -> Iterator[tuple[str, str]]:
    from rankmark.data.files.json_text import entries_of_lines  # noqa: PLC0415

    with closing(os.fdopen(os.dup(descriptor), "rb")) as lines:
        lines.seek(0)
        for number, raw in enumerate(lines, 1):
            line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            if not text.strip():
                continue
            if text.startswith("{"):
                ((*_, found),) = entries_of_lines(line, name, number)
                yield _of_object(found, name, number)
                continue
            identifier, tab, rest = text.partition("\t")
            if not tab:
                raise ParseError(
                    f"{shown(text, 60)} has no tab",
                    "need lines of an id, a tab and a text, or of JSON objects",
                    where=name,
                    line=number,
                )
            yield identifier.strip(), _BETWEEN.join(rest.split("\t"))


def ids_of_documents(entries: Iterable[tuple[str, int, Any]], name: str) -> list[str]:
    """Return the ids of JSON objects, given with their lines."""
    return [_of_object(found, name, line)[0] for _, line, found in entries]


def _of_object(found: dict[str, Any], name: str, line: int) -> tuple[str, str]:
    identifier = next((found[key] for key in _IDS if key in found), None)
    texts = [found[key] for key in _TEXTS if isinstance(found.get(key), str) and found[key]]
    if not isinstance(identifier, (str, int)) or isinstance(identifier, bool):
        raise ParseError(
            f"no field is an id; it has {listed([*found])}",
            f"name it {_IDS[0]} or {_IDS[1]}",
            where=name,
            line=line,
        )
    return str(identifier), _BETWEEN.join(texts)
