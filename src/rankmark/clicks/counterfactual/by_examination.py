"""Rewards weighed by the examination of the new and the old ranks of documents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np

from rankmark.array_types import Floats
from rankmark.clicks.analysis_units import issues_by_unit, refuse_infinite
from rankmark.clicks.counterfactual.logged_rewards import new_ranks, refuse_none, rewarded, texts
from rankmark.clicks.counterfactual.weighted_rewards import Rewards, Units, Wanted, sums
from rankmark.clicks.logs.click_log import ClickLog
from rankmark.clicks.logs.counting import arrays
from rankmark.statistics.query_weights import effective_number

c = nw.col


def moved_rewards(log: ClickLog, run: Any, looks: Floats, wanted: Wanted) -> Rewards:
    """Weigh what each document earned by the examination of its new rank and its old one.

    A document that some issues of its query did not show, as with several rankers, would have
    earned more: its rewards are divided by how often it was shown. Only documents that earned
    something leave the engine, and counts of issues and documents.
    """
    depth = min(wanted.k or len(looks), len(looks))
    ranks = new_ranks(run, depth)
    issues = texts(issues_by_unit(log, wanted.unit, "query"), "query")
    is_issue = wanted.unit == "issue"
    keys = ("query",) if is_issue else ("query", "unit")
    every = arrays(issues.group_by(*keys).agg(n=nw.len()), sort=keys)
    counts = _of_queries(every, ranks)
    n = int(counts["n"].sum())
    refuse_none(n)
    documents = texts(rewarded(log, wanted.reward), "query", "doc")
    rows = arrays(
        documents.filter(c("reward") != 0)
        .join(issues.select("query_id", "unit"), on="query_id", how="inner")
        .select("unit", "query", "doc", "rank", "reward"),
        sort=("unit", "query", "doc", "rank", "reward"),
    )
    rows = _of_queries(rows, ranks)
    refuse_infinite(rows["reward"], wanted.reward, log.name)
    # Issues without rewards need no number of their own.
    named = (rows if is_issue else counts)["unit"].tolist()
    numbers = {name: at for at, name in enumerate(dict.fromkeys(named))}
    sizes = np.ones(n)
    if not is_issue:
        units = np.array([numbers[name] for name in named])
        sizes = sums(units, counts["n"], len(numbers))
    unit = np.array([numbers[name] for name in rows["unit"].tolist()], dtype=np.int64)
    shown = documents.filter(c("rank") <= len(looks)).group_by("query", "doc").agg(n=nw.len())
    often, unsupported = _how_often(ranks, counts, arrays(shown, sort=("query", "doc")), looks)
    pairs = [*zip(rows["query"].tolist(), rows["doc"].tolist(), strict=True)]
    new = np.array([ranks[query].get(doc, -1) for query, doc in pairs], dtype=np.int64)
    old, reward = rows["rank"].astype(np.int64) - 1, rows["reward"]
    moved, top = (new >= 0) & (old < len(looks)), old < depth
    likely = np.array([often.get(pair, 1.0) for pair in pairs])
    raw = looks[new[moved]] / (looks[old[moved]] * likely[moved])
    weights = np.minimum(raw, wanted.clip)
    values = sums(unit[moved], weights * reward[moved], len(sizes))
    return Rewards(
        values=values,
        rewards=values,
        logged=sums(unit[top], reward[top], len(sizes)),
        units=Units(sizes, wanted.unit),
        weights=weights,
        clipped=int((raw > wanted.clip).sum()),
        effective_n=effective_number(weights),
        unsupported=unsupported,
        left_out=int(every["n"].sum()) - n,
        beyond=int((old >= len(looks)).sum()),
    )


def _of_queries(rows: Mapping[str, Any], ranks: Mapping[str, Any]) -> dict[str, Any]:
    known = [query in ranks for query in rows["query"].tolist()]
    return {name: values[known] for name, values in rows.items()}


def _how_often(
    ranks: Mapping[str, Mapping[str, int]],
    counts: Mapping[str, Any],
    shown: Mapping[str, Any],
    looks: Floats,
) -> tuple[dict[tuple[str, str], float], float]:
    """Return in what share of the issues of its query each document of the new ranking was shown.

    And the share of looks at the new ranking for documents that were never shown.
    """
    issues: dict[str, int] = {}
    for query, n in zip(counts["query"].tolist(), counts["n"].tolist(), strict=True):
        issues[query] = issues.get(query, 0) + n
    often = {
        (query, doc): min(1.0, n / issues[query])
        for query, doc, n in zip(*(shown[name].tolist() for name in shown), strict=True)
        if query in issues and doc in ranks[query]
    }
    every = math.fsum(n * float(looks[: len(ranks[query])].sum()) for query, n in issues.items())
    there = math.fsum(issues[query] * float(looks[ranks[query][doc]]) for query, doc in often)
    return often, max(0.0, 1 - there / every) if every else math.nan
