"""TREC text whose columns are not what they should be: runs as judgments, ranks as scores."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.evidence.distances import REFUSED, log_chance_of_rising
from rankmark.errors import SchemaError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.data.files.first_bytes import Head

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

    Raises
    ------
    SchemaError
        If the scores seem to be distances.
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
