"""Sums by query and document, as whole numbers, so that every engine gives the same labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import InputError, MissingDependencyError

try:
    import narwhals as nw
except ImportError:
    raise MissingDependencyError("Narwhals", "logs", "a log") from None

from rankmark.clicks.logs.counting import arrays, last_clicks, one, scalar

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.clicks.logs.click_log import ClickLog

_HALF = 30  # bits of each of the two whole numbers that a number by rank is split into
_c = nw.col


class RankCounts(NamedTuple):
    """What was shown and clicked at each rank.

    Parameters
    ----------
    rank, impressions, clicks
        (K,) whole numbers, the ranks rising.
    """

    rank: Ints
    impressions: Ints
    clicks: Ints

    @property
    def click_rates(self) -> Floats:
        """The share of impressions that were clicked at each rank."""
        return self.clicks / self.impressions


def rank_counts(log: ClickLog) -> RankCounts:
    """Count impressions and clicks by rank."""
    rows = _with_query(log).filter(~_c("rank").is_null()).with_columns(clicks=one(_c("click") > 0))
    counted = rows.group_by("rank").agg(_c("clicks").sum(), n=nw.len())
    found = arrays(counted, sort=("rank",))
    if not len(found["rank"]):
        raise InputError("no row of the log has a rank", "choose CTR, which needs none")
    return RankCounts(*(found[name].astype(np.int64) for name in ("rank", "n", "clicks")))


class Weight(NamedTuple):
    """A number for each rank, which is summed up over impressions, or over clicks alone.

    Parameters
    ----------
    by_rank
        {rank: number}, not negative.
    of_clicks
        Whether clicks alone count.
    """

    by_rank: Mapping[int, float]
    of_clicks: bool = False


def pair_sums(
    log: ClickLog,
    *,
    ranks: Sequence[int] | None = None,
    weights: Mapping[str, Weight] | None = None,
    with_last_clicks: bool = False,
) -> dict[str, np.ndarray]:
    """Sum up impressions and clicks by query and document, in the engine.

    The sum of a number by rank leaves the engine as two whole numbers, its leading and its other
    bits: sums of whole numbers are the same in any order.

    Parameters
    ----------
    ranks
        The ranks whose impressions count; None for all impressions, also those without a rank.
    weights
        {name: numbers by rank that are summed up}.
    with_last_clicks
        Whether to count ``examined``, impressions down to the last click of their issue, and
        ``last``, those that are this click.

    Returns
    -------
    dict
        ``query`` and ``doc``, sorted by them; ``impressions``, ``clicks``, and ``highest``, the
        highest rank, if there are ranks; and the sums asked for.
    """
    rows = _with_query(log)
    if ranks is not None:
        rows = rows.filter(_c("rank").is_in(list(ranks)))
    sums: dict[str, nw.Expr] = {"clicks": one(_c("click") > 0)}
    if with_last_clicks:
        rows = rows.join(last_clicks(log.frame), on="query_id", how="left")
        last = _c("last_rank").fill_null(0)
        sums |= {"examined": one(_c("rank") <= last), "last": one(_c("rank") == last)}
    scales: dict[str, float] = {}
    for name, weight in (weights or {}).items():
        scales[name], parts = _in_parts(weight.by_rank)
        for part, numbers in zip(("leading", "other"), parts, strict=True):
            number = _by_rank([*numbers.items()])
            if weight.of_clicks:
                number = nw.when(_c("click") > 0).then(number).otherwise(nw.lit(0, nw.Int64))
            sums[f"{name} {part}"] = number
    rows = rows.with_columns(**sums)
    highest = {} if ranks is None else {"highest": _c("rank").min()}
    by_pair = rows.group_by("query", "doc").agg(
        *(_c(name).sum() for name in sums), impressions=nw.len(), **highest
    )
    found = arrays(by_pair, sort=("query", "doc"))
    if not len(found["doc"]):
        raise InputError("no row has a query and a rank that counts", "check its columns")
    for name, scale in scales.items():
        leading, other = found.pop(f"{name} leading"), found.pop(f"{name} other")
        found[name] = scale * (leading * 2.0**_HALF + other)
    return found


def number_of_rows(log: ClickLog) -> int:
    """Count the documents shown, those without a query or a rank too."""
    return scalar(log.frame.select(nw.len()))


def _with_query(log: ClickLog) -> nw.LazyFrame[Any]:
    return log.frame.filter(~_c("query").is_null())


def _in_parts(by_rank: Mapping[int, float]) -> tuple[float, tuple[dict[int, int], dict[int, int]]]:
    """Split numbers into leading and other bits, after what the last bit is worth."""
    _, exponent = math.frexp(max(by_rank.values()))
    scale = 2.0 ** (exponent - 2 * _HALF)
    whole = {rank: int(number / scale) for rank, number in by_rank.items()}
    leading = {rank: number >> _HALF for rank, number in whole.items()}
    return scale, (leading, {rank: n - (leading[rank] << _HALF) for rank, n in whole.items()})


def _by_rank(numbers: Sequence[tuple[int, int]]) -> nw.Expr:
    """Return the number of the rank of each row, by halving the ranks: engines limit nesting."""
    if len(numbers) == 1:
        return nw.lit(numbers[0][1], nw.Int64)
    middle = len(numbers) // 2
    above = nw.when(_c("rank") < numbers[middle][0]).then(_by_rank(numbers[:middle]))
    return above.otherwise(_by_rank(numbers[middle:]))


def as_text(ids: np.ndarray) -> list[Any]:
    """Return ids as text."""
    return [*map(str, ids.tolist())]
