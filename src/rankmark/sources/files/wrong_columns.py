"""TREC text whose columns are not what they should be: runs as judgments, ranks as scores."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from rankmark.errors import SchemaError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.sources.files.head import Head

_MOST_LINES = 1000
_RATINGS = ("user_id", "item_id", "rating", "timestamp")
_HIGHEST_RATING = 10
_RUN = ("qid", "iter", "docid", "rank", "score", "tag")


def refuse_wrong_columns(head: Head) -> None:
    """Refuse a run in place of judgments, a run whose ranks and scores are swapped, and ratings.

    The rules, for the first thousand lines: ratings have four columns, with numbers of at most 10
    in the third, and seconds or milliseconds since 1970 in the fourth. A run has six columns or
    more in all of them, with numbers in the fourth and the fifth. Ranks and scores are swapped if
    the fifth column counts 0, 1, 2 or 1, 2, 3 in every query, and the fourth never rises, and
    holds a fraction.

    Raises
    ------
    SchemaError
        If the file is one of these.
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
        rank, score = (_number(field) for field in (fields[3:5] if len(fields) > 4 else (b"", b"")))
        if rank is None or score is None:
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
