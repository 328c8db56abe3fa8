"""Analyse a log of interleaved lists: which ranking users prefer, and whether the log is sound."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from rankmark.arguments import Flag, Name, Names, Share, checked, names_in
from rankmark.clicks.analysis_units import Unit, column_of, issues_by_unit, number_column
from rankmark.clicks.interleaving.interleave import Interleaving
from rankmark.clicks.interleaving.interleaving_comparison import InterleavingComparison, TeamsAtRank
from rankmark.clicks.logs.click_log import ClickLog, Log
from rankmark.clicks.logs.counting import arrays, one
from rankmark.errors import InputError, listed
from rankmark.statistics import adjust, mean_interval, share_interval
from rankmark.statistics.rank_tests import p_of_signs

c = nw.col


@checked
def compare_interleaved(
    log: Log,
    *,
    method: Interleaving = "team-draft",
    unit: Unit = "user",
    credit: Name = "click",
    teams: Names = None,
    aa: Flag = False,
    confidence: Share = 0.95,
) -> InterleavingComparison:
    """Find which of two rankings users prefer, in a log of lists interleaved of both.

    Parameters
    ----------
    Data:
    log
        What ``read_log`` returns, with ``team``, the ranking that a click on the document counts
        for, and ``rank``. Of balanced lists, ``rank_a`` and ``rank_b`` instead, the ranks of the
        document in both rankings, null where it is not in it.
    method
        How lists were made, as for ``interleave``.
    teams
        The two teams, the first of which a difference above 0 is for; None for all that the log
        has, in alphabetical order.
    aa
        State that both teams are the same ranking: it is then checked that no preference is found.

    Statistics:
    unit
        What counts once: a ``"user"`` or a ``"session"``, whose searches depend on one another, or
        each ``"issue"`` of a query.
    credit
        The column of what counts, such as ``bought``: a document counts where it is above 0.
    confidence
        Of the intervals, and one minus the level of the sign test.

    Returns
    -------
    InterleavingComparison
        The preference and its sign test, the mean share of credits, and what speaks against
        believing them.

    Raises
    ------
    InputError
        If the log lacks a column, or has not two teams.

    Notes
    -----
    A ranking wins an issue of a query if it has more credits there, and a user if it wins more of
    the user's issues. The preference is (wins + ties / 2) / units - 1/2 [1]_; the sign test leaves
    out ties. The share of credits of a user is (a - b) / (a + b), and users without credits have
    none. Where the log has ``rank_a`` and ``rank_b``, issues for which both rankings are the same
    give no credit.

    References
    ----------
    .. [1] Chapelle, Joachims, Radlinski and Yue 2012, Large-scale validation and analysis of
       interleaved search evaluation, ACM Transactions on Information Systems 30(1).

    Examples
    --------
    >>> import rankmark as rm
    >>> rows = [
    ...     {"query_id": i, "user": i, "doc": d, "rank": d, "team": t, "click": int(d == 1)}
    ...     for i in range(12)
    ...     for d, t in [(1, "new" if i % 4 else "old"), (2, "old" if i % 4 else "new")]
    ... ]
    >>> found = rm.compare_interleaved(rm.read_log(rows))
    >>> found.wins, found.losses, round(found.p, 3)
    (9, 3, 0.146)
    """
    is_balanced = method == "balanced"
    needed: tuple[str, ...] = ("rank_a", "rank_b", "rank") if is_balanced else ("team",)
    log.need(*needed, column_of(unit), credit, for_="compare_interleaved")
    knows_ranks = log.has("rank_a") and log.has("rank_b")
    rows = log.frame.with_columns(credit=one(number_column(log, credit) > 0))
    if knows_ranks:
        rows = rows.with_columns(
            rank_a=number_column(log, "rank_a"), rank_b=number_column(log, "rank_b")
        )
    if is_balanced:
        named, rows = _pair(names_in(teams) or ["a", "b"]), _with_credit_of_balanced(rows)
        at_first = [one(c(f"rank_{x}") == 1) - one(c("rank_a") == c("rank_b")) for x in "ab"]
        at_rank = rows.filter(c("rank") == 1).with_columns(is_a=at_first[0], is_b=at_first[1])
    else:
        named, team = _teams(log, names_in(teams)), c("team").cast(nw.String)
        rows = rows.with_columns(is_a=one(team == named[0]), is_b=one(team == named[1]))
        at_rank = rows
    if knows_ranks:
        differs = 1 - one(c("rank_a") == c("rank_b"))
    else:  # the pairs of two rankings that are the same have no teams
        differs = c("is_a") + c("is_b") if method == "competitive-pairs" else one(nw.lit(1) > 0)
    counts = _counts(log, rows.with_columns(differs=differs), unit)
    outcomes = np.sign(counts["won"] - counts["lost"])
    wins, losses = int((outcomes > 0).sum()), int((outcomes < 0).sum())
    a, b = counts["a"].astype(np.float64), counts["b"].astype(np.float64)
    shares = np.full(len(a), np.nan)
    np.divide(a - b, a + b, out=shares, where=a + b > 0)
    decided = (outcomes[outcomes != 0] > 0).astype(np.float64)
    knows_same = knows_ranks or method == "competitive-pairs"
    return InterleavingComparison(
        teams=named,
        wins=wins,
        losses=losses,
        ties=len(outcomes) - wins - losses,
        p=float(p_of_signs(np.array(wins), np.array(losses))),
        win_share=share_interval(decided, method="Clopper-Pearson", confidence=confidence),
        credit_share=mean_interval(shares, method="t", confidence=confidence),
        credits=(int(a.sum()), int(b.sum())),
        issues=int(counts["issues"].sum()),
        credited=int(counts["credited"].sum()),
        identical=int((counts["shown"] - counts["differs"]).sum()) if knows_same else None,
        teams_at_rank=_teams_at_rank(at_rank) if log.has("rank") else (),
        settings={
            "method": method,
            "unit": unit,
            "credit": credit,
            "aa": aa,
            "confidence": confidence,
        },
    )


def _teams(log: ClickLog, named: list[str] | None) -> tuple[str, str]:
    given = log.frame.select(team=c("team").cast(nw.String)).filter(~c("team").is_null())
    found = arrays(given.unique(), sort=("team",))["team"].tolist()
    if absent := [name for name in named or () if name not in found]:
        raise InputError(
            f"no document is of team {listed(absent)}",
            f"the log has {listed(found)}",
            where=log.name,
        )
    return _pair(found if named is None else named, log.name)


def _pair(names: list[str], where: str | None = None) -> tuple[str, str]:
    if len(names) != 2 or names[0] == names[1]:
        raise InputError(
            f"there are {len(names)} teams{': ' * bool(names)}{', '.join(names[:5])}",
            "need the two that are compared: teams=[first, second]",
            where=where,
        )
    return names[0], names[1]


def _with_credit_of_balanced(rows: Any) -> Any:
    """Add to which rankings a click counts: those that have the document down to some depth.

    Both are read just as far as one of them has to be for the lowest document that was clicked.
    """
    clicked = rows.filter(c("credit") > 0)
    lowest = clicked.group_by("query_id").agg(lowest=c("rank").max())
    depth = (
        clicked.join(lowest, on="query_id", how="inner")
        .filter(c("rank") == c("lowest"))
        .group_by("query_id")
        .agg(c("rank_a").min(), c("rank_b").min())
        .select("query_id", depth=nw.min_horizontal("rank_a", "rank_b"))
    )
    return rows.join(depth, on="query_id", how="left").with_columns(
        is_a=one(c("rank_a") <= c("depth")), is_b=one(c("rank_b") <= c("depth"))
    )


def _counts(log: ClickLog, rows: Any, unit: Unit) -> dict[str, Any]:
    """Return sums over the issues of each unit: of credits, of wins, and of lists that differ."""
    by_issue = (
        rows.with_columns(a=c("credit") * c("is_a"), b=c("credit") * c("is_b"), shown=nw.lit(1))
        .group_by("query_id")
        .agg(*(c(name).sum() for name in "ab"), c("differs").max(), c("shown").max())
    )
    counted = (
        issues_by_unit(log, unit)
        .join(by_issue, on="query_id", how="left")
        .with_columns(c("a", "b", "differs", "shown").fill_null(0).cast(nw.Int64))
        .with_columns(a=c("a") * c("differs"), b=c("b") * c("differs"))
        .with_columns(
            won=one(c("a") > c("b")), lost=one(c("a") < c("b")), credited=one(c("a") + c("b") > 0)
        )
    )
    summed = ("a", "b", "won", "lost", "credited", "differs", "shown")
    by_unit = counted.group_by("unit").agg(*(c(name).sum() for name in summed), issues=nw.len())
    return arrays(by_unit, sort=("unit",))


def _teams_at_rank(rows: Any) -> tuple[TeamsAtRank, ...]:
    """Return how often each team has each rank, which a fair coin decides."""
    placed = rows.filter(c("is_a") + c("is_b") == 1, ~c("rank").is_null())
    found = arrays(
        placed.group_by("rank").agg(a=c("is_a").sum(), b=c("is_b").sum()), sort=("rank",)
    )
    p = p_of_signs(found["a"], found["b"])
    columns = (found["rank"], found["a"], found["b"], p, adjust(p).adjusted)
    return tuple(
        TeamsAtRank(*row) for row in zip(*(column.tolist() for column in columns), strict=True)
    )
