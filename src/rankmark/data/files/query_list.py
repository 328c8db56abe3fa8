"""Files of query ids, one per line, optionally with weights."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Container, Iterator
from typing import IO, Any

from rankmark.data.files.input_file import InputFile
from rankmark.data.files.small_files import fields_at_blanks, whole_text
from rankmark.data.ids.numeric import written_number
from rankmark.errors import DuplicateError, ParseError, shown

QueryFile = str | os.PathLike[str] | IO[Any]
"""A path, ``-`` for standard input, or an open file, plain or packed."""


def query_ids_in(source: QueryFile) -> tuple[str, ...]:
    """Read query ids, one per line, ignoring blanks around them and empty lines.

    Raises
    ------
    ParseError
        If there are none.
    InputError
        If the file cannot be read.
    """
    file = InputFile(source)
    query_ids = tuple(line for _, line in _lines(file))
    if not query_ids:
        raise ParseError("it holds no query ids", "need one per line", where=file.name)
    return query_ids


def weights_in(source: QueryFile | InputFile) -> dict[str, float]:
    """Read a query id and its weight from each line, separated by blanks.

    Raises
    ------
    ParseError
        If a line has no weight; weights are finite and not negative.
    DuplicateError
        If a query appears twice.
    InputError
        If the file cannot be read.
    """
    file = source if isinstance(source, InputFile) else InputFile(source)
    weights: dict[str, float] = {}
    for number, line in _lines(file):
        query, _, last = re.sub(r"[ \t]+([^ \t]+)$", r"\n\1", line).partition("\n")
        weight = written_number(last)
        if weight is None or not 0 <= weight < math.inf:
            raise ParseError(
                f"{line!r} does not end in a weight",
                "write `qid weight`, the weight a number from 0",
                where=file.name,
                line=number,
            )
        _refuse_again(query, weights, file, number)
        weights[query] = weight
    return weights


def words_in(source: QueryFile | InputFile, what: str) -> dict[str, str]:
    """Read a query id and a word from each line, separated by a tab or blanks.

    Parameters
    ----------
    what
        What the words are, for messages: "cluster".

    Raises
    ------
    ParseError
        If a line has no word.
    DuplicateError
        If a query appears twice.
    InputError
        If the file cannot be read.
    """
    file = source if isinstance(source, InputFile) else InputFile(source)
    words: dict[str, str] = {}
    for number, line in _lines(file):
        query, *word = line.split("\t") if "\t" in line else fields_at_blanks(line, 1)
        if len(word) != 1 or not word[0].strip():
            raise ParseError(
                f"{shown(line)} is not a query id and a {what}",
                f"write `qid {what}`, one query a line",
                where=file.name,
                line=number,
            )
        _refuse_again(query, words, file, number)
        words[query] = word[0].strip(" \t")
    return words


def pairs_in(source: QueryFile, first: str, second: str) -> Iterator[tuple[str, int, str, str]]:
    """Read two ids from each line, separated by a tab or blanks: (file, line, id, id).

    Parameters
    ----------
    first, second
        What they are, for messages: "unit".

    Raises
    ------
    ParseError
        If a line has not two of them.
    InputError
        If the file cannot be read.
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


def _refuse_again(query: str, before: Container[str], file: InputFile, number: int) -> None:
    if query in before:
        raise DuplicateError(
            f"query {query!r} appears twice",
            "keep one of the two lines",
            where=file.name,
            line=number,
        )


def _lines(file: InputFile) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers from 1."""
    for number, line in enumerate(whole_text(file).split("\n"), 1):
        if stripped := line.strip(" \t\r"):
            yield number, stripped
