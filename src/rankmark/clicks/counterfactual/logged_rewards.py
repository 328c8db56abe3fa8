"""What the documents of a log earned, and the ranks that a new ranking gives them."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from rankmark.clicks.analysis_units import number_column
from rankmark.clicks.lists_of_runs import lists_of
from rankmark.clicks.logs.click_log import ClickLog
from rankmark.clicks.logs.counting import one
from rankmark.errors import MismatchError

c = nw.col


def rewarded(log: ClickLog, reward: str) -> nw.LazyFrame[Any]:
    """Return the documents that have a rank, with what each earned as ``reward``."""
    column = one(c("click") > 0) if reward == "click" else number_column(log, reward)
    rows = log.frame.filter(~c("rank").is_null())
    return rows.with_columns(reward=column.fill_null(0).cast(nw.Float64))


def texts(rows: nw.LazyFrame[Any], *names: str) -> nw.LazyFrame[Any]:
    """Return the columns named as text, as the ids of a run are."""
    return rows if not names else rows.with_columns(*(c(name).cast(nw.String) for name in names))


def refuse_none(issues: int) -> None:
    """Refuse a run that has nothing to do with the log."""
    if not issues:
        raise MismatchError(
            "the run answers no query of the log", "are its ids those of the column query?"
        )


def new_ranks(run: Any, depth: int) -> dict[str, dict[str, int]]:
    """Return the ranks of the documents of each query, from 0."""
    lists = lists_of(run, depth)
    return {query: {doc: at for at, doc in enumerate(docs)} for query, docs in lists.items()}
