"""The beginning of a file: its lines, its separator, and columns in wrong places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.evidence.distances import REFUSED, log_chance_of_rising
from rankmark.data.files.byte_streams import unreadable
from rankmark.errors import SchemaError, shown
from rankmark.file_names import file_extensions

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_HEADER = 1 << 20
"""In bytes; a longer line is not a header."""
LONGEST_NAMING = 16
"""In bytes; a longer line does not name the separator."""
_HEAD_BYTES = 1 << 16
_LONGEST_LINE = 1 << 24
_MOST_FIELDS = 1 << 16  # a line of 16 MiB may have millions
_PACKED = {".gz", ".bz2", ".xz", ".zst"}


def extension_of(name: str) -> str:
    """Return the file name extension in lower case, ignoring those of packed files."""
    extensions = file_extensions(name.lower())
    return next((one for one in reversed(extensions) if one not in _PACKED), "")


@dataclass(eq=False, repr=False)  # made for each file; the rest would take longer than reading it
class Head:
    """The beginning of a file.

    Parameters
    ----------
    data
        Its first bytes, unpacked; at least one whole line, unless lines are extremely long.
    whole
        Whether this is the whole file.
    name
        The file's name.
    kind
        Whether the file should contain judgments or a run.
    columns
        ``{role: name}`` for columns that the caller named.
    subtopics
        Whether judgments are read with their subtopics.
    """

    data: bytes
    whole: bool
    name: str
    kind: Kind
    columns: Mapping[str, str] | None = None
    subtopics: bool = False

    @cached_property
    def lines(self) -> list[tuple[int, bytes]]:
        """The complete lines that are not empty, without line ends, each with its end offset.

        A byte order mark is removed, and a first line that only names the separator.
        """
        return [*self.each_line()]

    def each_line(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines, one by one, as often only the first is looked at."""
        begin = len(BYTE_ORDER_MARK) if self.data.startswith(BYTE_ORDER_MARK) else 0
        if self.separator:
            begin = self.data.find(b"\n") + 1 or len(self.data)
        is_first = True
        while (end := self.data.find(b"\n", begin)) >= 0:
            if bare := self.data[begin:end].removesuffix(b"\r"):
                yield end + 1, bare
            begin, is_first = end + 1, False
        last = self.data[begin:].removesuffix(b"\r")
        if last and (self.whole or is_first):
            yield len(self.data), last

    def line(self, number: int) -> bytes:
        """Return one of ``lines``, from 0, without splitting the rest; b"" if there are fewer."""
        return next((line for _, line in islice(self.each_line(), number, None)), b"")

    @cached_property
    def separator(self) -> str:
        """The separator that the first line names, as Excel reads and writes it; "" if none."""
        line = self.data[: len(BYTE_ORDER_MARK) + LONGEST_NAMING].partition(b"\n")[0]
        return separator_named(line.removeprefix(BYTE_ORDER_MARK).decode("latin-1"))

    @cached_property
    def first(self) -> list[bytes]:
        """The fields of the first line that is not blank or a comment, split as by the core."""
        for _, line in self.each_line():
            if not line.startswith(b"#"):
                found = re.finditer(rb"[^ \t]+", line)
                if fields := [field[0] for field in islice(found, _MOST_FIELDS)]:
                    return fields
        return []

    @cached_property
    def extension(self) -> str:
        """The file name extension in lower case, ignoring those of packed files."""
        return extension_of(self.name)


def separator_named(line: str) -> str:
    """Return the separator that a line such as ``sep=;`` names; "" for other lines.

    Spreadsheets add quotes and separators to the line when they save it again.
    """
    import re  # noqa: PLC0415

    found = re.fullmatch(r"""\"?sep=([,;|:\t])\"?[,;|:\t]*\r?""", line, re.IGNORECASE)
    return found[1] if found else ""


def first_bytes(pieces: Iterator[bytes], name: str) -> tuple[bytes, bool]:
    """Read the beginning of a file, at least its first line, and whether that is all of it."""
    try:
        data, ended = bytearray(), False
        for piece in pieces:
            data += piece
            ended = ended or b"\n" in piece
            if len(data) >= _LONGEST_LINE or (len(data) >= _HEAD_BYTES and ended):
                return bytes(data), not any(pieces)
    except OSError as error:
        raise unreadable(error, "check the file and its disk", name) from None
    return bytes(data), True


_MOST_LINES = 1000
_RATINGS = ("user_id", "item_id", "rating", "timestamp")
_HIGHEST_RATING = 10
_FEW_LISTS = 5  # that fall; if they are most of the first, all others are not looked at
_RUN = ("qid", "iter", "docid", "rank", "score", "tag")


def refuse_wrong_columns(head: Head) -> None:
    """Refuse a run in place of judgments, a run whose ranks and scores are swapped, and ratings.

    The rules, for the first thousand lines: ratings have four columns, with numbers of at most 10
    in the third, and seconds or milliseconds since 1970 in the fourth. A run has six columns or
    more in all of them, with numbers in the fourth and the fifth. Ranks and scores are swapped if
    the fifth column counts 0, 1, 2 or 1, 2, 3 in every query, and the fourth never rises, and
    holds a fraction.
    """
    if len(head.first) == len(_RATINGS):
        _refuse_ratings(head)
    if len(head.first) < len(_RUN):
        return
    if head.kind == "qrels":
        _refuse_run(head)
    elif _number(head.first[4]) in {0.0, 1.0}:
        _refuse_swapped(head)


def _refuse_ratings(head: Head) -> None:
    for fields in _rows(head):
        if len(fields) != len(_RATINGS):
            return
        rating, time = _number(fields[2]), _number(fields[3])
        if rating is None or not 0 <= rating <= _HIGHEST_RATING or not _is_time(time):
            return
    raise SchemaError(
        f"the last column holds time stamps and no labels: the lines look like ratings "
        f"({' '.join(_RATINGS)}), as of MovieLens, such as {_line(head)}",
        f"put a first line of names, {', '.join(_RATINGS)}, with the separators of the others; if "
        "these are judgments nevertheless, choose --qrels-format trec, or in Python format='trec'",
        where=head.name,
    )


def _is_time(value: float | None) -> bool:
    if value is None or not value.is_integer():
        return False
    return any(unit * 10**8 <= value < unit * 5 * 10**9 for unit in (1, 1000))


def _refuse_run(head: Head) -> None:
    for fields in _rows(head):
        if len(fields) < len(_RUN) or _number(fields[3]) is None or _number(fields[4]) is None:
            return
    raise SchemaError(
        f"these are not judgments: the lines look like a run ({' '.join(_RUN)}), such as "
        f"{_line(head)}, and ranks would be taken for labels",
        "give QRELS (qid iter docid label) first, then RUNs; if these are judgments with more "
        "columns, choose --qrels-format trec, or in Python format='trec'",
        where=head.name,
    )


def _refuse_swapped(head: Head) -> None:
    last: dict[bytes, tuple[float, float]] = {}
    fractions = 0
    for fields in _rows(head):
        try:
            rank, score = map(float, fields[3:5])
        except ValueError:  # of another number of columns, too
            return
        rank_before, score_before = last.get(fields[0], (rank, score - 1))
        if score != score_before + 1 or rank > rank_before:
            return
        if fields[0] not in last and score not in {0.0, 1.0}:
            return
        fractions += not rank.is_integer()
        last[fields[0]] = rank, score
    if not fractions:
        return
    raise SchemaError(
        f"the columns rank and score seem to be swapped: {_line(head)}; the "
        "fifth column counts the documents of every query, as ranks do, and would turn each "
        "ranking upside down",
        f"need lines `{' '.join(_RUN)}`; if the fifth column holds scores nevertheless, say so: "
        "rm.Run(..., contents='scores'), or --contents scores",
        where=head.name,
    )


def refuse_contradicting_ranks(head: Head) -> None:
    """Refuse a run whose ranks say that the lowest score is the best, as of distances.

    The rule, for the first thousand lines, in whatever order they stand: in nearly all lists, the
    scores rise with the ranks and never fall, and lists in random order would do so in 1 of 10^6
    cases or fewer. If most of the first lists fall, and five or more, the others are not read.
    """
    held: dict[bytes, list[tuple[float, float]]] = {}
    falling: set[bytes] = set()
    several = 0  # lists of two documents or more
    for fields in _rows(head):
        try:
            rank, score = map(float, fields[3:5])
        except ValueError:  # of another number of columns, too
            return
        of_query = held.setdefault(fields[0], [])
        several += len(of_query) == 1
        if of_query and (rank - of_query[0][0]) * (score - of_query[0][1]) < 0:
            falling.add(fields[0])
            if len(held) == 1 or (len(falling) >= _FEW_LISTS and 2 * len(falling) > several):
                return  # as nearly always
        of_query.append((rank, score))
    rises = []
    for of_query in held.values():
        if len({rank for rank, _ in of_query}) < len(of_query):
            return  # as where every line has the same rank, which then says nothing
        scores = [score for _, score in sorted(of_query)]
        steps = [after - before for before, after in pairwise(scores)]
        many = sum(step > 0 for step in steps)
        rises.append(-1 if any(step < 0 for step in steps) else many)
    if log_chance_of_rising(np.array(rises, dtype=np.int64)) <= REFUSED:
        raise SchemaError(
            "the scores rise with the ranks, so that rank 1 has the lowest score of each query: "
            "these seem to be distances, and the highest would count as the best",
            "if lower is better, negate them, or trust the ranks: --ties rank; if higher is better "
            "all the same, say so: rm.Run(..., contents='scores'), or --contents scores",
            where=head.name,
        )


def _line(head: Head) -> str:
    """Show the first line, which need not be UTF-8."""
    return shown(b" ".join(head.first[: len(_RUN)]).decode("utf-8", "surrogateescape"))


def _rows(head: Head) -> Iterator[list[bytes]]:
    """Yield the fields of the first lines that are no comments."""
    lines = (line.split() for _, line in head.each_line() if not line.startswith(b"#"))
    return islice(filter(None, lines), _MOST_LINES)


def _number(field: bytes) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None
