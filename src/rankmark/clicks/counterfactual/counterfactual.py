"""Estimate what another ranking would have earned, from a log: ``counterfactual``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from rankmark.arguments import AboveZero, FromOne, Kind, Name, Share, as_number, checked
from rankmark.clicks.analysis_units import Unit, unit_of
from rankmark.clicks.counterfactual.by_examination import moved_rewards
from rankmark.clicks.counterfactual.by_propensity import weighed_rewards
from rankmark.clicks.counterfactual.counterfactual_value import CounterfactualValue
from rankmark.clicks.counterfactual.weighted_rewards import Rewards, Wanted
from rankmark.clicks.examination import examination_by_rank
from rankmark.clicks.logs.click_log import Log
from rankmark.data.preparing.run import Run, RunSource
from rankmark.errors import InputError, shown
from rankmark.statistics.query_weights import effective_number

CounterfactualMethod = Literal[
    "item-position",
    "IPS",
    "SNIPS",
    "independent",
    "independent-SNIPS",
    "cascade",
    "cascade-SNIPS",
    "doubly-robust",
]
_MEANS = (0.5, 2.0)  # of weights, which is 1 where probabilities are right and all was tried


def _from_zero(name: str, given: Any) -> float:
    number = as_number(given)
    if not 0 <= number < math.inf:
        raise InputError(f"{name} is {shown(given)}", "need a number from 0")
    return number


Least = Annotated[float, Kind(_from_zero, {"type": float})]


@checked
def counterfactual(
    log: Log,
    run: Run | RunSource | None = None,
    method: CounterfactualMethod = "item-position",
    *,
    examination: Any = None,
    target: Name | None = None,
    k: FromOne | None = None,
    clip: AboveZero | None = None,
    reward: Name = "click",
    unit: Unit | None = None,
    min_effective: Least = 50.0,
    confidence: Share = 0.95,
) -> CounterfactualValue:
    """Estimate what another ranking would have earned, from the log of what was shown.

    Rewards of the log are weighed by how much more, or less, likely users would have seen the same
    document with the new ranking.

    Parameters
    ----------
    Data:
    log
        What ``read_log`` returns, with ``rank``; all methods but ``"item-position"`` need
        ``propensity``, how likely the log had this document at this rank, given those above it.
    run
        The new ranking of each query; its query ids are those of the column ``query``.
    target
        In place of a run, the column that says how likely a new ranking that draws its lists has
        this document at this rank, given those above it.

    Method:
    method
        How rewards are weighed: by ``"item-position"``, which needs no probabilities; or by those
        of whole lists (``"IPS"``), of each document by itself (``"independent"``), or of the list
        down to it (``"cascade"``), whose weights ``"SNIPS"`` divides by their mean;
        ``"doubly-robust"`` corrects cascade by a model.

        By item and position, a click is worth the examination of the new rank divided by that of
        the old one: users click what they look at and like, wherever it is [1]_. Cascade is that of
        [2]_. SNIPS varies less and has some bias; with ``"independent-SNIPS"`` and
        ``"cascade-SNIPS"``, the mean is that at the same rank. For ``"doubly-robust"`` [3]_, the
        log has ``predicted``, the reward of the document by the model, and ``expected``, its mean
        reward of the new ranking at this rank.
    examination
        How likely users are to look at each rank, for ``"item-position"``: of ``position_bias``,
        or numbers from rank 1.
    k
        How many documents of a list count; None for all.
    clip
        The largest weight; None for no limit.

        Larger ones are cut, which makes the value too low and its interval shorter.
    reward
        The column of what is earned; a click counts once.

    Statistics:
    unit
        What is independent of one another: each ``"user"``, ``"session"``, or ``"issue"`` of a
        query. None for users, or for issues in logs without users.
    min_effective
        The smallest effective sample size for which there is a value; 0 for no limit.
    confidence
        Of the intervals, which are by t, with as many degrees of freedom as the effective sample
        size has.

    Returns
    -------
    CounterfactualValue
        The mean reward of an issue, its interval, and how far to believe it.

    Raises
    ------
    InputError
        If the log lacks a column, an option does not apply, or a probability is not above 0 and at
        most 1.
    MismatchError
        If the run answers no query of the log.

    Notes
    -----
    By item and position, the weight of a click is examination(new rank) / (examination(old rank) x
    share), where the share is that of the issues of the query that showed the document, 1 with a
    single ranker [1]_. Documents that were never shown for a query count as earning nothing, so the
    value is a lower bound; ``unsupported`` is the share of looks at the new ranking that they get.
    The others are unbiased if each list that is possible with the new ranking was possible with the
    log: the mean weight is then 1, but for chance. There is no value if that is below 0.5 or above
    2, unless weights are clipped. The effective sample size is the smallest of those by weights, at
    each rank that half of the issues have, and of that by weighted rewards.

    References
    ----------
    .. [1] Li, Abbasi-Yadkori, Kveton, Muthukrishnan, Vinay and Wen 2018, Offline evaluation of
       ranking policies with click models, KDD.
    .. [2] McInerney, Brost, Chandar, Mehrotra and Carterette 2020, Counterfactual evaluation of
       slate recommendations with sequential reward interactions, KDD.
    .. [3] Kiyohara, Saito, Matsuhiro, Narita, Shimizu and Yamamoto 2022, Doubly robust off-policy
       evaluation for ranking policies under the cascade behavior model, WSDM.

    Examples
    --------
    >>> import rankmark as rm
    >>> rows = [
    ...     {"query_id": i, "query": "q", "doc": d, "rank": r, "click": int(r == 1 or i % 2)}
    ...     for i in range(120)
    ...     for r, d in enumerate("ab", 1)
    ... ]
    >>> found = rm.counterfactual(rm.read_log(rows), {"q": ["b", "a"]}, examination=[1, 0.5])
    >>> round(found.value.estimate, 3), found.logged, found.effective_n
    (1.5, 1.5, 120.0)
    """
    unit = unit_of(log, unit)
    is_moved = method == "item-position"
    log.need(
        "rank",
        reward,
        *(["query"] if target is None else [target]),
        *([] if is_moved else ["propensity"]),
        *(["predicted", "expected"] if method == "doubly-robust" else []),
        for_=f"counterfactual by {method}",
    )
    if (run is None) == (target is None):
        raise InputError(
            "there is no new ranking" if run is None else "there are two new rankings",
            "give a run, or the column target",
        )
    wanted = Wanted(k, clip or math.inf, reward, unit)
    if is_moved:
        if examination is None or run is None:
            raise InputError(
                "item-position needs " + ("a run" if run is None else "examination"),
                "give it, such as what position_bias returns",
            )
        found = moved_rewards(log, run, examination_by_rank(examination), wanted)
    else:
        if examination is not None:
            raise InputError("examination is for item-position", f"leave it out with {method}")
        found = weighed_rewards(log, run, target, method, wanted)
    settings = {
        "method": method,
        "reward": reward,
        "target": target,
        "k": k,
        "clip": clip,
        "unit": unit,
        "min_effective": min_effective,
        "confidence": confidence,
    }
    return value_of(found, settings)


def value_of(found: Rewards, settings: Mapping[str, Any]) -> CounterfactualValue:
    """Return the value, unless there is too little to tell it from."""
    effective = effective_number(found.rewards)
    fewest, least = min(found.effective_n, effective), settings["min_effective"]
    mean = float(found.weights.mean()) if len(found.weights) else math.nan
    refused = ""
    if fewest < least or not found.effective_n > 0:
        refused = f"the effective sample size is {fewest:,.1f}, and at least {least:g} is needed"
    elif (
        least
        and settings["clip"] is None
        and settings["method"] != "item-position"
        and not _MEANS[0] <= mean <= _MEANS[1]
    ):
        refused = (
            f"the mean weight is {mean:.3g} and should be 1: probabilities are wrong, or the log "
            "never had what the new ranking shows"
        )
    elif not math.isfinite(found.values.sum()):
        refused = "no document of the new ranking was shown at some rank: give a smaller k"
    values = np.full_like(found.values, math.nan) if refused else found.values
    options = {"degrees": fewest - 1, "confidence": settings["confidence"], "refused": refused}
    value = found.units.interval(values, **options)
    if settings["method"] != "doubly-robust" and found.rewards.min(initial=0.0) >= 0:
        value = value.within((0.0, math.inf))  # as no ranking can earn less
    return CounterfactualValue(
        value=value,
        difference=found.units.interval(values - found.logged, **options),
        logged=float(found.logged.sum() / found.units.sizes.sum()),
        error=found.units.error(values),
        refused=refused,
        effective_n=found.effective_n,
        effective_rewards=effective,
        largest_weight=float(found.weights.max(initial=0.0)),
        mean_weight=mean,
        clipped=found.clipped,
        unsupported=found.unsupported,
        issues=int(found.units.sizes.sum()),
        left_out=found.left_out,
        beyond=found.beyond,
        settings=settings,
    )
