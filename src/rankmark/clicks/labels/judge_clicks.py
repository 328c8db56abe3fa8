"""Judge documents by the clicks of a log: ``judge_clicks``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

import numpy as np

from rankmark.arguments import AboveZero, FromOne, Share, checked, one_of
from rankmark.clicks.examination import examination_by_rank, numbers_in
from rankmark.clicks.labels.judged_clicks import ClickAudit, JudgedClicks
from rankmark.clicks.labels.label_formulas import Prior, Ratio, sdbn_labels
from rankmark.clicks.labels.pair_sums import Weight, as_text, number_of_rows, pair_sums, rank_counts
from rankmark.clicks.labels.position_bias import Way, position_bias
from rankmark.clicks.labels.rank_examination import PositionBias
from rankmark.clicks.logs.click_log import ClickLog, Log
from rankmark.data.preparing.run import Run, RunSource
from rankmark.errors import InputError, shown

Method = Literal["COEC", "SDBN", "PBM", "CTR", "IPS"]
ClickProfile = Literal["opensearch"]
_BY_EXAMINATION = ("PBM", "IPS")


@checked
def judge_clicks(
    log: Log,
    method: Method = "COEC",
    *,
    min_examined: FromOne = 10,
    prior: tuple[float, float] | None = None,
    examination: Way | PositionBias | Iterable[float] = "chain",
    clip: AboveZero | None = None,
    profile: ClickProfile | None = None,
    grades: Iterable[float] | None = None,
    run: Run | RunSource | None = None,
    k: FromOne = 10,
    confidence: Share = 0.95,
) -> JudgedClicks:
    """Make judgments of the clicks in a log, with counts and an interval for each label.

    Every function takes the result as judgments. Documents that were never shown for a query, or
    too rarely, are not judged, which is not the same as a label of 0.

    Parameters
    ----------
    Data:
    log
        What ``read_log`` returns.
    run
        A new ranking: what share of its top was ever shown, and what share is judged.
    k
        How many documents of each query are its top.

    Method:
    method
        What a label is: ``"CTR"``, clicks by impressions; ``"COEC"``, clicks by those expected at
        the ranks where the document was shown; ``"SDBN"``, the chance to attract and to satisfy,
        where people look at all ranks down to their last click; ``"PBM"`` and ``"IPS"``, the
        chance to attract, by how often people look at each rank.

        CTR favours what was shown at the top. COEC is 1 for a document that is clicked as often as
        others at its ranks [1]_. SDBN [2]_ counts an impression as examined down to the last click
        of its issue; of issues without clicks, it counts none. PBM divides clicks by expected
        looks, and IPS [3]_ is the mean of clicks, each divided by the looks at its rank.
    min_examined
        The fewest impressions of a document that is judged; with SDBN, those examined.
    prior
        Two numbers that are added to the counts of each document, which draws labels of few
        impressions to their ratio: clicks, and impressions; with COEC and PBM, expected clicks or
        looks. None for nothing.

        SDBN adds them to attraction and to satisfaction; PyClick's are (1, 2).
    examination
        How it is estimated, for PBM and IPS; or how often people look at rank 1, 2, and so on, as
        numbers.

        The words are the methods of ``position_bias``, and what that returns is taken, too.
        Impressions below the ranks that it knows do not count.
    clip
        The largest weight of a click with IPS; None for no limit.
    profile
        Compute COEC as the Search Relevance Workbench of ``"opensearch"`` does: a document's
        impressions all count the click rate of the highest rank at which it was ever shown.
    grades
        Cut points: the label is how many of them it reaches, as measures of grades need. None for
        the number itself.

    Statistics:
    confidence
        Confidence of the intervals.

    Returns
    -------
    JudgedClicks
        Judgments: ``rm.evaluate(labels, run)``.

    Raises
    ------
    InputError
        If the log lacks a column that the method needs, examination is unknown, or an option does
        not apply.

    Notes
    -----
    The interval of a label is that of its click rate by the Beta distribution, times what the label
    is of it; without a prior, it is that of Jeffreys. The interval of COEC therefore takes the
    expected clicks as known, and so do those of PBM and IPS the examination. With SDBN and a prior,
    it is that of a product of two Beta distributions, by its mean and variance.

    References
    ----------
    .. [1] Zhang and Jones 2007, Comparing click logs and editorial labels for training query
       rewriting, WWW workshop on query log analysis.
    .. [2] Chapelle and Zhang 2009, A dynamic Bayesian network click model for web search ranking,
       WWW.
    .. [3] Joachims, Swaminathan and Schnabel 2017, Unbiased learning-to-rank with biased feedback,
       WSDM.

    Examples
    --------
    >>> import rankmark as rm
    >>> sessions = ["abc 010", "abc 100", "abc 110", "bac 101", "abc 000"]  # documents and clicks
    >>> rows = [
    ...     {"query_id": at, "query": "q", "doc": doc, "rank": rank, "click": int(click)}
    ...     for at, session in enumerate(sessions)
    ...     for rank, (doc, click) in enumerate(zip(*session.split()), 1)
    ... ]
    >>> labels = rm.judge_clicks(rm.read_log(rows), "COEC", min_examined=1)
    >>> labels.labels.round(3).tolist()
    [0.714, 1.364, 1.0]
    """
    _refuse_useless(method, clip=clip, profile=profile)
    log.need("query", *(["rank"] if method != "CTR" else []), for_=f"judge_clicks by {method}")
    added, tail, bias = _prior_of(prior, method), (1 - confidence) / 2, None
    more: dict[str, Any] = {}
    if method == "SDBN":
        sums = pair_sums(log, with_last_clicks=True)
        found, more["attraction"], more["satisfaction"] = sdbn_labels(sums, added, tail)
    else:
        if method in _BY_EXAMINATION:
            bias = _examination(log, examination)
        sums, ratio = _ratio(log, method, bias, clip, profile)
        found = ratio.labels(added, tail)
        if method in {"COEC", "PBM"}:
            more["expected"] = ratio.expected
    looked = sums.get("examined", sums["impressions"])
    enough, has_label = looked >= min_examined, ~np.isnan(found.label)
    judged = JudgedClicks(
        method=method,
        query=as_text(sums["query"]),
        doc=as_text(sums["doc"]),
        judged=enough & has_label,
        columns={
            "label": found.label,
            "low": found.low,
            "high": found.high,
            "impressions": sums["impressions"],
            "clicks": sums["clicks"],
            **({"examined": looked, "last_clicks": sums["last"]} if method == "SDBN" else {}),
            **more,
        },
        cuts=_cuts(grades),
        examination=() if bias is None else bias,
        settings={
            "min_examined": min_examined,
            "prior": added,
            "examination": _called(examination) if bias else None,
            "clip": clip,
            "profile": profile,
            "confidence": confidence,
        },
        audit=ClickAudit(
            queries=len({*sums["query"].tolist()}),
            documents=len(enough),
            impressions=int(sums["impressions"].sum()),
            judged_queries=len({*sums["query"][enough & has_label].tolist()}),
            judged_documents=int((enough & has_label).sum()),
            rarely_examined=int((~enough).sum()),
            nothing_expected=int((enough & ~has_label).sum()),
            impressions_left_out=number_of_rows(log) - int(sums["impressions"].sum()),
        ),
    )
    return judged if run is None else judged.with_run(run, k)


def _refuse_useless(method: str, **given: Any) -> None:
    """Refuse options of other methods."""
    for name, of in (("clip", "IPS"), ("profile", "COEC")):
        if given[name] is not None and method != of:
            raise InputError(f"{name} is for {of}, and the method is {method}", "leave it out")


def _prior_of(given: Any, method: Method) -> Prior | None:
    """Return numbers of clicks and impressions; all labels but COEC's are chances."""
    if given is None:
        return None
    numbers = numbers_in(given)
    if len(numbers) != 2 or not 0 < numbers[0] < np.inf or not 0 < numbers[1] < np.inf:
        raise InputError(f"prior is {shown(given)}", "need two numbers above 0, or None")
    if numbers[0] > numbers[1] and method != "COEC":
        raise InputError(
            f"prior is {shown(given)}, more clicks than impressions",
            "give clicks first: (1, 2) is one click in two impressions",
        )
    return Prior(*numbers)


def _cuts(grades: Iterable[float] | None) -> tuple[float, ...]:
    """Return the cut points of grades, rising."""
    found = [] if grades is None else numbers_in(grades)
    if grades is not None and not found:
        raise InputError(f"grades are {shown(grades)}", "need numbers, or None")
    if any(not upper > lower for lower, upper in zip([-np.inf, *found], found, strict=False)):
        raise InputError(f"grades are {shown(grades)}", "need numbers, each above the one before")
    return tuple(found)


def _called(examination: Any) -> str:
    if isinstance(examination, PositionBias):
        return examination.method
    return examination if isinstance(examination, str) else "given"


def _examination(log: ClickLog, given: Any) -> tuple[float, ...]:
    """Return how often people look at each rank, from rank 1."""
    if isinstance(given, str):
        one_of("examination", given, *get_args(Way))
        given = position_bias(log, given)  # type: ignore[arg-type]
    return tuple(examination_by_rank(given).tolist())


def _ratio(
    log: ClickLog,
    method: str,
    examination: tuple[float, ...] | None,
    clip: float | None,
    profile: str | None,
) -> tuple[dict[str, np.ndarray], Ratio]:
    """Return sums by query and document, and what clicks and impressions are worth."""
    if method == "CTR":
        sums = pair_sums(log)
        n = sums["impressions"]
        return sums, Ratio(sums["clicks"].astype(float), n.astype(float), n, np.ones(len(n)))
    if examination is None:
        counts = rank_counts(log)
        by_rank = dict(zip(counts.rank.tolist(), counts.click_rates.tolist(), strict=True))
    else:
        by_rank = dict(enumerate(examination, 1))
    weights = {"expected": Weight(by_rank)}
    if method == "IPS":
        by_click = {rank: min(1 / looks, clip or np.inf) for rank, looks in by_rank.items()}
        weights["gained"] = Weight(by_click, of_clicks=True)
        squares = {rank: one**2 for rank, one in by_click.items()}
        weights["squared"] = Weight(squares, of_clicks=True)
    sums = pair_sums(log, ranks=[*by_rank], weights=weights if profile is None else None)
    n, clicks = sums["impressions"], sums["clicks"].astype(float)
    if profile == "opensearch":
        rates = np.array([by_rank[rank] for rank in sums["highest"].tolist()])
        return sums, Ratio(clicks, n * rates, n, np.ones(len(n)))
    if method != "IPS":
        return sums, Ratio(clicks, sums["expected"], n, np.ones(len(n)))
    worth = n / sums["expected"]  # of a click, on average, where there is none yet
    np.divide(sums["squared"], sums["gained"], out=worth, where=clicks > 0)
    return sums, Ratio(sums["gained"], n.astype(float), n, worth)
