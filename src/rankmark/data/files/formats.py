"""Recognise the format of a file by its first bytes, and by its name if two formats fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from rankmark.data.files.first_bytes import BYTE_ORDER_MARK, LONGEST_HEADER, Head
from rankmark.data.files.open_text import ELLIOT, MSMARCO_RUN, PREFS, TREC_QRELS, TREC_RUN, Layout
from rankmark.data.ids.numeric import id_bytes
from rankmark.data.tables.columns import Role, choose, is_known, is_tag
from rankmark.errors import InputError, ParseError, SchemaError
from rankmark.file_names import file_name
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind

FormatName = Literal[
    "trec", "msmarco", "beir", "tsv", "csv", "json", "jsonl", "parquet", "arrow", "letor", "elliot"
]
GroupedName = Literal["prefs", "qrels_jg"]
FORMATS: tuple[FormatName, ...] = get_args(FormatName)
GROUPED: tuple[GroupedName, ...] = get_args(GroupedName)
"""Formats of judgments in groups, which cannot be recognised by content and must be chosen."""
COLUMNAR: frozenset[str] = frozenset({"parquet", "arrow"})
"""Formats of columns in binary form."""
OF_TEXT = frozenset({"trec", "msmarco", "beir", "tsv", "csv", "letor", "elliot", *GROUPED})
"""Formats of lines, of which several files are not read together."""

_EXTENSIONS: dict[str, tuple[FormatName, ...]] = {
    ".trec": ("trec",),
    ".tsv": ("tsv", "beir"),
    ".tab": ("tsv", "beir"),
    ".csv": ("csv",),
    ".json": ("json",),
    ".jsonl": ("jsonl",),
    ".ndjson": ("jsonl",),
    ".parquet": ("parquet",),
    ".arrow": ("arrow",),
    ".arrows": ("arrow",),
    ".feather": ("arrow",),
    ".ipc": ("arrow",),
    ".inter": ("tsv",),
}
_TABLES: tuple[tuple[FormatName, str], ...] = (("csv", ","), ("csv", ";"), ("tsv", "\t"))
_SEPARATORS: dict[FormatName, str] = {"tsv": "\t", "beir": "\t", "csv": ";,"}
_FEW = 20  # lines
_FEWEST_NAMES = 3  # of a table that is told by its columns alone
_IDS: tuple[Role, Role] = ("query_id", "doc_id")
_BEIR = {"query-id", "corpus-id", "score"}
_FOREIGN = {
    b"PK\x03\x04": "a zip archive (a spreadsheet?)",
    b"\x04\x22\x4d\x18": "packed with lz4",
    b"FEA1": "a Feather file of version 1",
}
_COLUMNAR_MAGIC: dict[bytes, FormatName] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # a stream
}
_NUMBER = re.compile(rb"[+-]?((\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)


class Format(NamedTuple):
    """A format, with the layout of its columns if it is text."""

    name: FormatName | GroupedName | Literal["scores", "shape"]
    layout: Layout | None = None


def recognise(head: Head, chosen: str | None = None) -> Format:
    """Recognise the format of a file, unless it was chosen."""
    if chosen is not None:
        return _as_chosen(head, chosen)
    columnar = columnar_form(head.data)
    if columnar is not None:
        return Format(columnar)
    refuse_foreign(head.data, head.name)
    if _is_letor(head):
        return Format("letor")
    if head.kind == "run" and _are_scores(head):
        return Format("scores")
    fitting = list(_fitting(head))
    if len(fitting) > 1:
        named = _EXTENSIONS.get(head.extension, ())
        by_name = [fit for fit in fitting if fit[0] in named]
        if len(by_name) != 1:
            (first, _), (other, _), *_ = fitting
            raise InputError(
                f"this may be {first} or {other}",
                f"choose with --{head.kind}-format {first}, or in Python with format={first!r}",
                where=head.name,
            )
        fitting = by_name
    return _read_as(head, *fitting[0]) if fitting else _nearest(head)


def refuse_foreign(data: bytes, name: str) -> None:
    """Refuse a file that begins like one of a format that is not read."""
    for magic, what in _FOREIGN.items():
        if data.startswith(magic):
            raise ParseError(f"this is {what}", f"need one of {', '.join(FORMATS)}", where=name)


def columnar_form(data: bytes) -> FormatName | None:
    """Return the format of columns in binary form by a file's first bytes; None for others."""
    found = (form for magic, form in _COLUMNAR_MAGIC.items() if data.startswith(magic))
    return next(found, None)


def kind_of(head: Head) -> Kind | None:
    """Return whether a file contains judgments or a run, by its columns; None if unclear."""
    for _, separator in _tables(head):
        names = _names(head, separator)
        if all(_is_named(names, role, head.columns) for role in _IDS):
            return kind_by_names(names, head.columns)
    if json_form(head) is not None:
        return kind_by_names(fields_of_json(head), head.columns)
    first = head.first
    if len(first) >= 6 and _is_number(first[4]):
        return "run"
    if len(first) >= 4 and _is_number(first[3]):
        return "qrels"
    return "run" if len(first) == 3 and _misplaced_rank(head) is None else None


def kind_by_names(names: Sequence[str], columns: Mapping[str, str] | None) -> Kind | None:
    """Return whether column names are those of judgments or of a run; None if unclear.

    A score alone decides nothing, as BEIR uses that name for labels.
    """
    if set(names) == _BEIR or _is_named(names, "label", columns):
        return "qrels"
    if _is_named(names, "rank", columns) or any(map(is_tag, names)):
        return "run"
    return None


def kind_by_file_name(name: str) -> Kind | None:
    """Return whether a file's name contains qrels or run; None for neither or both.

    It is used only if the content is unclear.
    """
    words = set(re.split(r"[\W_]+", file_name(name).lower()))
    is_qrels, is_run = bool(words & {"qrels", "qrel"}), bool(words & {"run", "runs"})
    if is_qrels == is_run:
        return None
    return "qrels" if is_qrels else "run"


def fields_of_json(head: Head) -> tuple[str, ...]:
    """Return the fields of the first row of a JSON file; none if ids are keys."""
    import json  # noqa: PLC0415  (most files are text)

    text = head.data.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace").lstrip()
    try:
        row, _ = json.JSONDecoder().raw_decode(text.removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return ()
    if not isinstance(row, dict):
        return ()
    nested = [value[0] for value in row.values() if isinstance(value, list) and value]
    for inner in (first for first in nested if isinstance(first, dict)):
        return (*row, *inner)
    return () if all(isinstance(value, (dict, list)) for value in row.values()) else (*row,)


def like_preferences(head: Head) -> bool:
    """Return True if a file begins like preferences, with the label in the last of five columns."""
    first = head.first
    return len(first) == 5 and _is_number(first[4]) and not _is_number(first[3])


def _fitting(head: Head) -> Iterator[tuple[FormatName, str]]:
    """Yield the formats that fit, with the column separator for those with a header."""
    first = head.first
    number = 3 if head.kind == "qrels" else 4
    if len(first) > number + (head.kind == "run") and _is_number(first[number]):
        yield "trec", ""
    if head.kind == "run" and len(first) == 3 and _misplaced_rank(head) is None:
        yield "msmarco", ""
    json_name = json_form(head)
    if json_name is not None:
        yield json_name, ""
        return
    for name, separator in _tables(head):
        names = _names(head, separator)
        if all(_is_named(names, role, head.columns) for role in _IDS):
            yield name, separator


def _is_letor(head: Head) -> bool:
    """Return True for lines such as ``2 qid:1 1:0.5``."""
    first = head.first
    return len(first) > 1 and first[1].startswith(b"qid:") and _is_number(first[0])


def _are_scores(head: Head) -> bool:
    """Return True for a number a line, which are the scores of the lines of judgments."""
    first = head.first
    if len(first) != 1 or not _is_number(first[0]):
        return False
    return all(_is_number(line.strip()) for _, line in head.lines[:_FEW])


def _read_as(head: Head, name: FormatName, separator: str) -> Format:
    if separator:
        return _with_header(head, name, separator)
    if name == "elliot":
        return Format(name, ELLIOT)
    if name == "msmarco" and head.kind == "run":
        return Format(name, MSMARCO_RUN)
    if name in {"trec", "msmarco"}:
        return Format(name, TREC_QRELS if head.kind == "qrels" else TREC_RUN)
    return Format(name)


def _as_chosen(head: Head, chosen: str) -> Format:
    if chosen in GROUPED:
        return Format(chosen, PREFS if chosen == "prefs" else TREC_QRELS)
    if chosen not in FORMATS:
        from rankmark.data.shapes.known_shapes import names  # noqa: PLC0415  (rarely chosen)

        if chosen not in names():
            needed = f"need one of {', '.join((*FORMATS, *names()))}"
            raise InputError(f"format is {chosen!r}", needed, where=head.name)
        return recognise(head)
    name: FormatName = chosen
    separators = _SEPARATORS.get(name, "")
    if separators and head.separator:
        separators = head.separator
    by_columns = sorted(separators, key=lambda separator: len(_names(head, separator)))
    return _read_as(head, name, by_columns[-1] if separators else "")


def _nearest(head: Head) -> Format:
    """Choose the format whose reader explains best why a file fits none."""
    first = head.first
    if len(first) == 3 and head.kind == "run" and _is_number(first[2]):
        raise ParseError(
            "there are three columns, and the last is not the query's next rank (1, 2, 3, "
            "...), as in an MS MARCO run",
            "choose --run-format msmarco if it is a rank nevertheless; if it is a score, add "
            "a first line that names the columns, separated by tabs or commas",
            where=head.name,
            line=_misplaced_rank(head),
        )
    if b"\0" not in head.data:
        named = _EXTENSIONS.get(head.extension, ())
        for name, separator in _tables(head):
            cells = len(_names(head, separator))
            few = 0 < len(first) < 4 and cells > 1
            if few and (name in named or cells > len(first) or head.columns):
                return _with_header(head, name, separator)
            if _is_table(head, separator):
                return _with_header(head, name, separator)
        _refuse_without_header(head)
    return _read_as(head, "trec", "")


def _is_table(head: Head, separator: str) -> bool:
    """Return True if the first line may name columns, as many as the next lines have.

    Names may contain blanks, by which TREC text would be split.
    """
    names = _names(head, separator)
    if len(names) < _FEWEST_NAMES or any(_is_number(id_bytes(name)) for name in names):
        return False
    rows = [_cells(head, number, separator) for number in range(1, min(len(head.lines), 5))]
    return bool(rows) and all(len(row) == len(names) for row in rows)


def _refuse_without_header(head: Head) -> None:
    """Refuse well-known files of columns without names."""
    cells = head.line(0).split(b"\t")
    if len(cells) == 4 and b" " in cells[3].strip():
        raise ParseError(
            "the lines look like those of MS MARCO's top1000, candidates without scores: qid, pid, "
            "query, passage",
            "give the run of a system that ranked them; if their order is the ranking, put a first "
            "line of these names, separated by tabs",
            where=head.name,
            line=1,
        )
    if len(head.line(0).split(b"::")) == 4:
        raise ParseError(
            "the columns are separated by '::', as in MovieLens' ratings",
            "replace it by tabs, and put a first line of names: user_id, item_id, rating, "
            "timestamp, separated by tabs",
            where=head.name,
            line=1,
        )


def _is_number(field: bytes) -> bool:
    return _NUMBER.fullmatch(field) is not None


def _misplaced_rank(head: Head) -> int | None:
    """Return the first line of three columns whose last is not the query's next rank, from 1."""
    ranks: dict[bytes, int] = {}
    number = 0
    for line in head.data.split(b"\n")[: None if head.whole else -1]:
        number += 1
        fields = line.removeprefix(BYTE_ORDER_MARK).split()
        if len(fields) != 3 or line.startswith(b"#"):
            continue
        rank = ranks[fields[0]] = ranks.get(fields[0], 0) + 1
        if fields[2] != b"%d" % rank:
            return number
    return None


def json_form(head: Head) -> FormatName | None:
    """Return json for one document, jsonl for one per line; None if it is neither."""
    begin = head.data.removeprefix(BYTE_ORDER_MARK).lstrip()
    first_byte, second_byte = begin[:1], begin[1:].lstrip()[:1]
    if first_byte == b"[":
        if _are_lists(head):
            return "jsonl"
        return "json" if second_byte in {b"{", b"[", b'"', b"]", b""} else None
    if first_byte != b"{" or second_byte not in {b'"', b"}", b""}:
        return None
    return _objects_form(head)


def _objects_form(head: Head) -> FormatName:
    """Return json for one object, jsonl for one per line."""
    by_name: FormatName = "jsonl" if "jsonl" in _EXTENSIONS.get(head.extension, ()) else "json"
    lines = [line for _, line in head.lines if line.strip()]
    if not lines:  # the only line ends beyond the head
        return by_name
    import json  # noqa: PLC0415  (most files are text)

    try:
        first = json.loads(lines[0])
    except (ValueError, RecursionError):
        continues = len(lines) > 1 and lines[0].rstrip().endswith((b"{", b"[", b",", b":"))
        return "json" if continues else by_name
    if len(lines) > 1 or not head.whole:
        return "jsonl"
    has_fields = any(not isinstance(value, (dict, list)) for value in first.values())
    return "jsonl" if has_fields else by_name


def _are_lists(head: Head) -> bool:
    """Return True if the first two lines are JSON lists, as of rows."""
    import json  # noqa: PLC0415  (most files are text)

    try:
        first, second, *_ = (json.loads(line) for _, line in head.lines[:2])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, list) and isinstance(second, list)


def _tables(head: Head) -> tuple[tuple[FormatName, str], ...]:
    """Return the formats of tables with their separators, one if the first line names it."""
    if not head.separator:
        return _TABLES
    return (("tsv" if head.separator == "\t" else "csv", head.separator),)


def _names(head: Head, separator: str) -> list[str]:
    """Split the first line into column names, if it can be a header."""
    line = head.line(0)
    if not line or line.startswith(b"#") or b"\0" in line or len(line) > LONGEST_HEADER:
        return []
    return _cells(head, 0, separator)


def _cells(head: Head, number: int, separator: str) -> list[str]:
    line = head.line(number).decode("utf-8", "surrogateescape")
    if '"' not in line:
        return line.split(separator)
    import csv  # noqa: PLC0415

    try:
        return next(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error:
        return line.split(separator)


def _is_named(names: Sequence[str], role: Role, columns: Mapping[str, str] | None) -> bool:
    chosen = (columns or {}).get(role)
    return any(name.strip() == chosen or is_known(name, role) for name in names)


def _with_header(head: Head, name: FormatName, separator: str) -> Format:
    """Read the header; a table with BEIR's three columns is named beir."""
    if not head.lines and head.kind == "run":
        return Format(name, TREC_RUN)  # an empty run is valid in any format
    if not head.lines:
        number = "label" if head.kind == "qrels" else "score"
        raise ParseError(
            "it is empty",
            f"need a line of names, such as query_id,doc_id,{number}, and rows",
            where=head.name,
        )
    end, line = head.lines[0]
    if b"\r" in line:
        raise ParseError(
            "there is a carriage return within the line (old Mac line ends? a binary file?)",
            "give text whose lines end in newlines",
            where=head.name,
            line=1,
        )
    cells = _names(head, separator)
    names = tuple(cell.strip() for cell in cells)
    where = f"{head.name}, read as {name} whose first line names the columns"
    columns = head.columns
    if places := _places(head, names):
        if _names_columns(names, places):
            columns = {role: names[place] for role, place in places.items()}
        else:
            end = head.data.rfind(b"\n", 0, end - 1) + 1
            end = end or len(head.data) - len(head.data.removeprefix(BYTE_ORDER_MARK))
            columns = {role: str(place) for role, place in places.items()}
            names = tuple(map(str, range(len(names))))
            where = f"{head.name}, read as {name} without names of columns"
    chosen = choose(
        names,
        head.kind,
        columns,
        where,
        subtopics=head.subtopics,
        numeric=lambda at: _holds_numbers(head, separator, at),
    )
    if tuple(cells) != names and len(head.lines) > 1:
        _refuse_blanks(head, separator, (chosen.query_id, chosen.doc_id))
    if name == "tsv" and set(names) == _BEIR:
        name = "beir"
    return Format(name, Layout(names, chosen, separator, end))


def _places(head: Head, names: Sequence[str]) -> dict[str, int]:
    """Return the columns that the caller named, if all are named by their places, from 0."""
    columns = head.columns or {}
    if {*columns.values()} <= {*names} or not all(str(one).isdecimal() for one in columns.values()):
        return {}
    places = {role: int(place) for role, place in columns.items()}
    return places if all(place < len(names) for place in places.values()) else {}


def _names_columns(cells: Sequence[str], places: Mapping[str, int]) -> bool:
    """Return True if the first line names the columns: there is no number where one should be."""
    numbers = [cells[at] for role, at in places.items() if role in {"label", "score", "rank"}]
    if numbers:
        return not all(_is_number(cell.encode("utf-8", "replace")) for cell in numbers)
    return any(is_known(cells[places[role]], role) for role in _IDS if role in places)


def _holds_numbers(head: Head, separator: str, at: int) -> bool:
    """Return True if the first rows have numbers in a column; some may be empty."""
    rows = (_cells(head, number, separator) for number in range(1, min(len(head.lines), _FEW)))
    cells = [row[at].strip() for row in rows if len(row) > at]
    return any(cells) and all(_is_number(cell.encode("utf-8", "replace")) for cell in cells if cell)


def _refuse_blanks(head: Head, separator: str, ids: tuple[int, ...]) -> None:
    """Refuse blanks next to separators, which would become part of the ids."""
    row = _cells(head, 1, separator)
    for place in ids:
        if place < len(row) and row[place] != row[place].strip():
            raise SchemaError(
                f"ids begin or end with blanks, such as {row[place]!r}",
                "remove the blanks next to the separators",
                where=head.name,
            )
