"""Rewards weighed by the probabilities of what was shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.clicks.analysis_units import issues_by_unit, number_column, refuse_infinite
from rankmark.clicks.counterfactual.logged_rewards import new_ranks, refuse_none, rewarded, texts
from rankmark.clicks.counterfactual.weighted_rewards import (
    Rewards,
    Shown,
    Units,
    Wanted,
    earned,
    sums,
)
from rankmark.clicks.logs.click_log import ClickLog
from rankmark.clicks.logs.counting import arrays
from rankmark.errors import InputError, counted

_DEEPEST = 2**31  # as engines have no larger numbers
c = nw.col


def weighed_rewards(
    log: ClickLog, run: Any, target: str | None, method: str, wanted: Wanted
) -> Rewards:
    """Weigh rewards by how likely lists are with the new ranking, and how likely they were."""
    of_run = [] if run is None else ["query"]
    numbers = [*([] if target is None else [target]), *_models(method)]
    issues = arrays(texts(issues_by_unit(log, wanted.unit, *of_run), *of_run), sort=("query_id",))
    every, frame = len(issues["query_id"]), rewarded(log, wanted.reward)
    if wanted.k is not None:
        frame = frame.filter(c("rank") <= min(wanted.k, _DEEPEST))
    if run is not None:
        frame = texts(frame, "query", "doc")
    rows = arrays(
        frame.select(
            *("query_id", "rank", "reward", "propensity"),
            *(["query", "doc"] if of_run else []),
            *(number_column(log, name).cast(nw.Float64).alias(f"given {name}") for name in numbers),
        ),
        sort=("query_id", "rank"),
    )
    ranks: dict[str, dict[str, int]] = {}
    if run is not None:
        ranks = new_ranks(run, wanted.k or int(rows["rank"].max(initial=1)))
        for of in (issues, rows):
            known = [query in ranks for query in of["query"].tolist()]
            of.update({name: values[known] for name, values in of.items()})
        refuse_none(len(issues["query_id"]))
    number = {issue: at for at, issue in enumerate(issues["query_id"].tolist())}
    at = np.array([number[issue] for issue in rows["query_id"].tolist()], dtype=np.int64)
    rank, where = rows["rank"].astype(np.int64), log.name
    refuse_infinite(rows["reward"], wanted.reward, where)
    _refuse_two_at_a_rank(rows["query_id"], at, rank, where)
    likely = _probabilities("propensity", rows["propensity"], where)
    if not (likely > 0).all():
        raise InputError("propensity is 0 for what was shown", "correct it", where=where)
    unsupported = math.nan
    if target is not None:
        new = _probabilities(target, rows[f"given {target}"], where)
    else:
        places = [*zip(rows["query"].tolist(), (rank - 1).tolist(), strict=True)]
        docs = zip(places, rows["doc"].tolist(), strict=True)
        has = [ranks[query].get(doc) == place for (query, place), doc in docs]
        new, unsupported = np.array(has, dtype=np.float64), _never_there(ranks, places, has)
    models = [_finite(name, rows[f"given {name}"], where) for name in _models(method)]
    predicted, expected = models or (np.zeros(len(at)), np.zeros(len(at)))
    lists = Shown(at, rank, rows["reward"], new / likely, predicted, expected, len(number))
    found = earned(lists, method, wanted.clip)
    names = {name: place for place, name in enumerate(dict.fromkeys(issues["unit"].tolist()))}
    unit = np.array([names[name] for name in issues["unit"].tolist()])
    return Rewards(
        values=sums(unit, found.values, len(names)),
        rewards=sums(unit, found.rewards, len(names)),
        logged=sums(unit, sums(at, rows["reward"], len(number)), len(names)),
        units=Units(sums(unit, np.ones(len(unit)), len(names)), wanted.unit),
        weights=found.weights,
        clipped=found.clipped,
        effective_n=found.effective_n,
        unsupported=unsupported,
        left_out=every - len(number),
        beyond=0,
    )


def _models(method: str) -> list[str]:
    return ["predicted", "expected"] if method == "doubly-robust" else []


def _refuse_two_at_a_rank(issues: Any, at: Ints, rank: Ints, where: str) -> None:
    twice = np.flatnonzero((at[1:] == at[:-1]) & (rank[1:] == rank[:-1]))
    if len(twice):
        row = int(twice[0])
        raise InputError(
            f"issue {issues[row]} has two documents at rank {rank[row]}",
            "a list has one at each rank",
            where=where,
        )


def _probabilities(name: str, values: Any, where: str) -> Floats:
    """Refuse what is no probability."""
    found: Floats = np.asarray(values, dtype=np.float64)
    wrong = int((~((found >= 0) & (found <= 1))).sum())
    if wrong:
        raise InputError(
            f"{name} is no probability in {counted(wrong, 'row')} of {len(found):,}",
            "need numbers from 0 to 1",
            where=where,
        )
    return found


def _finite(name: str, values: Any, where: str) -> Floats:
    """Refuse what is no number."""
    found: Floats = np.asarray(values, dtype=np.float64)
    if not np.isfinite(found).all():
        raise InputError(f"{name} is no number in some rows", "need one in each", where=where)
    return found


def _never_there(
    ranks: Mapping[str, Mapping[str, int]], places: list[tuple[str, int]], has: list[bool]
) -> float:
    """Return for which share of places the log never had what the new ranking has there."""
    tried = {place for place, is_there in zip(places, has, strict=True) if is_there}
    asked = [place for place in places if place[1] < len(ranks[place[0]])]
    return 1 - sum(place in tried for place in asked) / len(asked) if asked else math.nan
