"""What may be wrong with a log: found, counted, and dropped where that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import narwhals as nw

from rankmark.clicks.logs.counting import one, scalar, scalars
from rankmark.errors import counted
from rankmark.results.result import Row

Rows = nw.LazyFrame[Any]
Dropped = Literal["duplicates", "unranked", "gaps", "bots", "crossover"]
c = nw.col


class Step(NamedTuple):
    """What was dropped, and the rows before and after."""

    name: str
    before: Rows
    after: Rows


def again_in_issue(rows: Rows) -> Rows:
    """Return how often each document of an issue was shown, where that is more than once."""
    return rows.group_by("query_id", "doc").agg(n=nw.len()).filter(c("n") > 1)


def with_gaps(rows: Rows) -> Rows:
    """Return the issues whose ranks do not go from 1 to the number of their documents."""
    ranked = rows.filter(~c("rank").is_null()).group_by("query_id")
    ranks = ranked.agg(n=nw.len(), low=c("rank").min(), high=c("rank").max())
    return ranks.filter((c("low") != 1) | (c("high") != c("n").cast(nw.Int64)))


def bots(rows: Rows, most: int) -> Rows:
    """Return the users that clicked more often than somebody does."""
    users = rows.filter(~c("user").is_null()).group_by("user").agg(c("click").sum())
    return users.filter(c("click") > most)


def crossover(rows: Rows) -> Rows:
    """Return the users that saw several variants."""
    known = rows.filter(~c("user").is_null(), ~c("variant").is_null()).group_by("user")
    variants = known.agg(low=c("variant").min(), high=c("variant").max())
    return variants.filter(c("low") != c("high"))


def dropped(rows: Rows, words: Sequence[str], bot_clicks: int) -> tuple[Rows, list[Step]]:
    """Return the rows without what is to be dropped, and what each step dropped."""
    shown = rows.filter(~c("doc").is_null())
    find: dict[str, tuple[str, Callable[[], Rows]]] = {
        "gaps": ("query_id", lambda: with_gaps(shown)),
        "bots": ("user", lambda: bots(shown, bot_clicks)),
        "crossover": ("user", lambda: crossover(rows)),
    }
    steps = []
    for word in sorted(words):  # bots before duplicates, whose clicks count
        if word == "duplicates":
            after = _once(rows)
        elif word == "unranked":
            after = rows.filter(c("doc").is_null() | ~c("rank").is_null())
        else:
            key, found = find[word]
            after = rows.join(found().select(key), on=key, how="anti")
        steps.append(Step(word, rows, after))
        rows = after
    return rows, steps


def _once(rows: Rows) -> Rows:
    """Return each document of an issue once: where it was shown first, clicked if ever it was."""
    have = rows.collect_schema().names()
    most = [name for name in ("click", "dwell") if name in have]
    pair = ("query_id", "doc")
    rows = rows.with_columns(*(c(name).max().over(*pair) for name in most))
    order = [name for name in ("rank", "time") if name in have]
    return rows.unique([*pair], keep="first" if order else "any", order_by=order or None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogAudit(Row):
    """What a log holds, and what may be wrong with it; None for what it cannot tell.

    Parameters
    ----------
    impressions, clicked
        Documents shown, and those of them that were clicked.
    issues, empty
        Issues of queries, and those that showed no document.
    queries, single
        Queries, and those with one issue.
    users
        Users.
    orphans
        Clicks on documents that were not shown; they are left out.
    duplicates
        Documents shown again in the same issue.
    unranked
        Documents without a rank.
    gaps
        Issues whose ranks do not go from 1 to the number of their documents.
    bots, bot_clicks
        Users with more than ``bot_clicks`` clicks.
    crossover
        Users that saw several variants.
    mixed
        Issues with several queries or users.
    ordinals
        Clicks whose place on the page, as the event has it, is another than the rank.
    dropped
        {why: how many were left out}: impressions for the words of ``drop``.
    """

    impressions: int
    clicked: int
    issues: int
    empty: int
    queries: int | None
    single: int | None
    users: int | None
    orphans: int
    duplicates: int
    unranked: int | None
    gaps: int | None
    bots: int | None
    bot_clicks: int
    crossover: int | None
    mixed: int
    ordinals: int | None
    dropped: dict[str, int]

    def lines(self) -> list[tuple[str, int | None]]:
        """Return what is shown of what may be wrong."""
        return [
            ("issues without documents", self.empty),
            ("queries with one issue", self.single),
            ("clicks on documents not shown", self.orphans),
            ("documents shown again in an issue", self.duplicates),
            ("documents without a rank", self.unranked),
            ("issues with gaps in ranks", self.gaps),
            (f"users with more than {counted(self.bot_clicks, 'click')}", self.bots),
            ("users in several variants", self.crossover),
            ("issues of several queries or users", self.mixed),
            ("clicks at another place than the rank", self.ordinals),
        ]


def audited(
    rows: Rows,
    issues: Rows,
    *,
    bot_clicks: int,
    steps: Sequence[Step],
    left_out: Mapping[str, int],
    orphans: int,
    ordinals: int | None,
) -> LogAudit:
    """Count what a log holds; ``rows`` are those with a document."""
    have = {*issues.collect_schema().names(), *rows.collect_schema().names()}
    of_query, of_user = (
        issues.filter(~c(name).is_null()).group_by(name).agg(n=nw.len()) if name in have else None
        for name in ("query", "user")
    )
    of_issues = [name for name in ("query", "user") if name in have]
    flags = {"clicked": one(c("click") > 0)}
    if "rank" in have:
        flags["unranked"] = one(c("rank").is_null())
    totals = scalars(
        rows.select(*(flag.alias(name) for name, flag in flags.items())).select(
            c(*flags).sum(), nw.len().alias("impressions")
        )
    )
    found = {name: int(n or 0) for name, n in totals.items()}
    again = again_in_issue(rows).with_columns(x=c("n").cast(nw.Int64) - 1)
    return LogAudit(
        impressions=found["impressions"],
        clicked=found["clicked"],
        issues=_count(issues),
        empty=_count(issues.join(rows.select("query_id"), on="query_id", how="anti")),
        queries=None if of_query is None else _count(of_query),
        single=None if of_query is None else _count(of_query.filter(c("n") == 1)),
        users=None if of_user is None else _count(of_user),
        orphans=orphans,
        duplicates=scalar(again.select(c("x").sum())),
        unranked=found.get("unranked"),
        gaps=_count(with_gaps(rows)) if "rank" in have else None,
        bots=_count(bots(rows, bot_clicks)) if "user" in have else None,
        bot_clicks=bot_clicks,
        crossover=_count(crossover(issues)) if {"user", "variant"} <= have else None,
        mixed=_count(_mixed(rows, of_issues)) if of_issues else 0,
        ordinals=ordinals,
        dropped={
            **left_out,
            **{step.name: _shown(step.before) - _shown(step.after) for step in steps},
        },
    )


def _mixed(rows: Rows, names: Sequence[str]) -> Rows:
    ends = rows.group_by("query_id").agg(
        *(c(name).min().alias(f"{name} low") for name in names),
        *(c(name).max().alias(f"{name} high") for name in names),
    )
    differs = [c(f"{name} low") != c(f"{name} high") for name in names]
    return ends.filter(nw.any_horizontal(*differs, ignore_nulls=True))


def _count(rows: Rows) -> int:
    return scalar(rows.select(nw.len()))


def _shown(rows: Rows) -> int:
    return _count(rows.filter(~c("doc").is_null()))
