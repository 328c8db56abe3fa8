"""Distances that were given as scores, so that the worst document would count as the best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rankmark.data.contract.reading_options import ONE_THREAD
from rankmark.errors import RankmarkError, SchemaError, warn
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Floats, Ints
    from rankmark.data.contract.source import Order, Rows, Source

REFUSED = math.log(5e-7)
"""From which ``log_chance`` on scores are refused: by chance in 1 of 10^6 cases at most."""
WARNED = math.log(1e-2)
_MOST_FALLING = 0.1  # of the lists of two documents or more
_MOST_LISTS = 5000  # whose documents are compared
_MOST_DOCUMENTS = 6  # of a list, whose order is compared with that in other lists
_REPEATED = 0.05  # of the pairs of documents in two lists; so many must stand in both orders
_LABELS_AGREE = 3.72  # chance does so in exp(-3.72^2 / 2) = 1 of 1,000 cases at most
_REMEDY = (
    "if lower is better, as with distances, negate them; if higher is better all the same, say "
    "so: rm.Run(..., contents='scores'), or --contents scores"
)


class Labelled(Protocol):
    """Judgments, as far as the order of documents is compared with them: those of Qrels."""

    query_ids: tuple[str, ...]

    @property
    def doc_ids(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def starts(self) -> Ints: ...  # noqa: D102

    @property
    def labels(self) -> Floats: ...  # noqa: D102


def log_chance_of_rising(rises: Ints) -> float:
    """Return the logarithm of how likely lists in random order hardly ever fall, at most.

    A list of n + 1 different numbers has (n + 1)! orders, of which one rises n times; with equal
    numbers, a smaller share never falls. If k of N lists fall, there are N over k ways to choose
    them, and (k + 1)(k + 2) / 2 pays for trying every k, as the sum of its inverse is 2. So a
    result of log(p) or less happens in a share of 2p of all cases at most.

    Parameters
    ----------
    rises
        (Q,) int64, how often the scores of each query rise from one document to the next; -1 if
        they ever fall.

    Returns
    -------
    float
        0 if more than a tenth of the lists fall, or none rises.
    """
    many = len(rises)
    if not many or (rises[0] < 0 and rises[-1] < 0 and rises[many // 2] < 0):
        return 0.0  # as nearly always
    if many == 1:  # as in the smallest calls
        return -math.lgamma(max(int(rises[0]), 0) + 2)
    pairs = [*Counter(rises.tolist()).items()]
    falling = sum(number for rise, number in pairs if rise < 0)
    of_two = falling + sum(number for rise, number in pairs if rise > 0)
    if falling > _MOST_FALLING * of_two:
        return 0.0
    weights = (math.lgamma(rise + 2) * number for rise, number in pairs if rise > 0)
    return _log_choices(of_two, falling) - math.fsum(weights)


def rises_of(rows: Rows) -> Ints:
    """Count how often the scores of each query rise: (Q,) int64, -1 if they ever fall."""
    codes, number = np.asarray(rows.query_codes), rows.number
    rises = np.zeros(len(rows.query_ids), dtype=np.int64)
    if number is None or len(codes) < 2:
        return rises
    if (codes[1:] < codes[:-1]).any():
        by_query = np.argsort(codes, kind="stable")
        codes, number = codes[by_query], number[by_query]
    of_one = codes[1:] == codes[:-1]
    rising = of_one & (number[1:] > number[:-1])
    falling = of_one & (number[1:] < number[:-1])
    rises += np.bincount(codes[1:][rising], minlength=len(rises))
    rises[codes[1:][falling]] = -1
    return rises


def refuse_rising(
    source: Source, rises: Ints, order: Order | None, judged: Labelled | None = None
) -> None:
    """Refuse scores that rise in nearly all lists, as distances do, or warn if it may be chance.

    Lists are refused if the same number of lists in random order would rise like them in 1 of
    10^6 cases or fewer, whatever form they have; up to 1 of 100, there is a warning. What counts
    is how many independent lists there are; see ``log_chance``.

    Parameters
    ----------
    source, rises, order
        The run, what ``rises_of`` counts, and what the order of documents says.
    judged
        The judgments, if there are some.

    Raises
    ------
    SchemaError
        If they are distances, as it seems.

    Warns
    -----
    RankmarkWarning
        If they may be.
    """
    if order is None or source.vouched is True or log_chance_of_rising(rises) > WARNED:
        return
    try:
        rows = source.rows(ONE_THREAD, lenient=True)
    except RankmarkError:  # of what can be read only once
        return
    chance = log_chance(rows, judged)
    if chance > WARNED:
        return
    lists = int(np.count_nonzero(rises > 0))
    falling = int(np.count_nonzero(rises < 0))
    every = "the only list and never fall" if lists == 1 else f"all {lists:,} lists and never fall"
    if falling:
        every = f"{lists:,} of {lists + falling:,} lists"
    found = (
        f"the scores rise from document to document in {every}, so these seem to be distances, "
        "and the highest would count as the best"
    )
    where = f"run {source.name}" if source.name.startswith("<") else source.name
    if source.vouched == "in part" or chance > REFUSED:
        warn(found, _REMEDY, where=where)
    else:
        raise SchemaError(found, _REMEDY, where=where)


def log_chance(rows: Rows, judged: Labelled | None) -> float:
    """Return the logarithm of the chance that rows rise like this although they are scores.

    The order of rows is evidence only as far as nothing else explains it:

    - a column of ranks that agrees with the scores settles that they are scores;
    - if the queries are interleaved, the whole table was sorted by something, such as the score,
      unless ranks contradict the scores or the first documents of all queries come first;
    - if relevant documents have higher scores than others, clearly, they are scores;
    - lists of the same documents in the same order are one list: a loop wrote them. If no two
      documents ever stand in both orders, the loop went through all documents in one order, and
      only lists without common documents count;
    - without judgments, a loop may write the bad documents first and the good ones last; then two
      halves of a list are in order for that reason.

    Returns
    -------
    float
        0 if the order says nothing.
    """
    if rows.number is None or not len(rows.number):
        return 0.0
    lists = [*_lists(rows)]
    if not lists:
        return 0.0
    ranks = _agreement_of_ranks(lists)
    if ranks > 0 or (not ranks and _are_interleaved(rows)):
        return 0.0
    if judged is not None and _labels_agree(rows, lists, judged):
        return 0.0
    falling = sum(not one.rises for one in lists)
    if falling > _MOST_FALLING * len(lists):
        return 0.0
    counted = lists if ranks < 0 else _independent(lists)
    halved = judged is None and not ranks
    weights = [_weight(one.different, halved=halved) for one in counted if one.rises]
    return _log_choices(len(counted), len(counted) - len(weights)) - sum(weights)


class _List(NamedTuple):
    """The documents of one query, as they are given."""

    query: int
    documents: NDArray[np.int64]
    number: Floats
    rank: Floats | None
    different: int
    rises: bool


def _lists(rows: Rows) -> Iterator[_List]:
    """Yield the lists of two different numbers or more."""
    codes, number = np.asarray(rows.query_codes), np.asarray(rows.number)
    order = np.argsort(codes, kind="stable")
    documents = np.asarray(rows.doc_codes).astype(np.int64)
    ends = np.flatnonzero(np.diff(codes[order].astype(np.int64))) + 1
    for at in np.split(order, ends)[:_MOST_LISTS]:
        own = number[at]
        steps = np.diff(own)
        if not (steps != 0).any():
            continue
        rank = None if rows.rank is None else np.asarray(rows.rank)[at]
        rises = bool((steps >= 0).all())
        different = 1 + int(np.count_nonzero(steps > 0))
        yield _List(int(codes[at[0]]), documents[at], own, rank, different, rises)


def _agreement_of_ranks(lists: Sequence[_List]) -> int:
    """Return 1 if ranks that count from 0 or 1 follow the scores, -1 if they contradict all."""
    agree = contradict = 0
    for one in lists:
        if one.rank is None:
            return 0
        ranks, counted = one.rank, np.arange(len(one.rank), dtype=np.float64)
        by_score = ranks[np.argsort(-one.number, kind="stable")]
        by_distance = ranks[np.argsort(one.number, kind="stable")]
        agree += any(np.array_equal(by_score, counted + first) for first in (0, 1))
        contradict += any(np.array_equal(by_distance, counted + first) for first in (0, 1))
    if agree >= (1 - _MOST_FALLING) * len(lists):
        return 1
    return -1 if contradict >= (1 - _MOST_FALLING) * len(lists) else 0


def _are_interleaved(rows: Rows) -> bool:
    """Return whether the rows of queries alternate, and not by their places in the lists."""
    codes = np.asarray(rows.query_codes)
    begins = int(np.count_nonzero(np.diff(codes.astype(np.int64)))) + 1
    queries, counts = np.unique(codes, return_counts=True)
    if begins <= len(queries) * (1 + _MOST_FALLING):
        return False
    order = np.argsort(codes, kind="stable")
    place = np.empty(len(codes), dtype=np.int64)
    place[order] = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    by_place = bool((np.diff(place) >= 0).all())
    by_score = bool((np.diff(np.asarray(rows.number)) >= 0).all())
    return by_score or not by_place


def _labels_agree(rows: Rows, lists: Sequence[_List], judged: Labelled) -> bool:
    """Return whether documents with higher labels have clearly higher scores.

    Of two documents of a query with different labels, the better one has the higher score half of
    the time if scores mean nothing. Each list counts once.
    """
    number = {query: place for place, query in enumerate(judged.query_ids)}
    ends, better = judged.starts.tolist(), []
    for one in lists:
        at = number.get(rows.query_ids[one.query])
        if at is None:
            continue
        own = slice(ends[at], ends[at + 1])
        labels = dict(zip(judged.doc_ids[own], judged.labels[own].tolist(), strict=True))
        held = np.array([labels.get(rows.doc_ids(int(d)), 0.0) for d in one.documents])
        above = held > max(held.min(), 0.0)
        if above.all() or not above.any():
            continue
        good, bad = one.number[above], np.sort(one.number[~above])
        below = np.searchsorted(bad, good) + np.searchsorted(bad, good, side="right")
        better.append(float(below.mean()) / len(bad) - 1)
    if not any(better):
        return False
    # If scores mean nothing, a list is as likely turned round, and Hoeffding's bound holds.
    return sum(better) >= _LABELS_AGREE * math.sqrt(sum(share * share for share in better))


def _independent(lists: Sequence[_List]) -> list[_List]:
    """Return lists of which none follows from others."""
    orders: dict[bytes, _List] = {one.documents.tobytes(): one for one in lists}
    distinct = sorted(orders.values(), key=lambda one: -one.different)
    if _stand_in_both_orders(distinct):
        return distinct
    used: set[int] = set()
    apart = []
    for one in distinct:
        documents = one.documents.tolist()
        if used.isdisjoint(documents):
            used.update(documents)
            apart.append(one)
    return apart


def _stand_in_both_orders(lists: Sequence[_List]) -> bool:
    """Return whether documents that come in two lists stand now in one order, now in the other."""
    seen: set[tuple[int, int]] = set()
    repeated = turned = 0
    for one in lists:
        for pair in combinations(one.documents[:_MOST_DOCUMENTS].tolist(), 2):
            is_turned = pair[::-1] in seen
            turned += is_turned
            repeated += is_turned or pair in seen
            seen.add(pair)
    return turned > 0 and turned >= _REPEATED * repeated


def _weight(different: int, *, halved: bool) -> float:
    """Return the logarithm of the number of orders of so many different numbers."""
    if not halved:
        return math.lgamma(different + 1)
    half = different // 2
    return math.lgamma(half + 1) + math.lgamma(different - half + 1)


def _log_choices(many: int, few: int) -> float:
    choices = math.lgamma(many + 1) - math.lgamma(few + 1) - math.lgamma(many - few + 1)
    return choices + math.log((few + 1) * (few + 2) / 2)
