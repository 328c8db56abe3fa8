"""The kinds of plot, and what each accepts. Light, as ``--help`` imports it."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from rankmark.errors import InputError

Kind = Literal[
    "curve",
    "dcg",
    "precision-recall",
    "differences",
    "scatter",
    "distribution",
    "heatmap",
    "judged",
]
ComparedKind = Literal["leaderboard", "matrix", "critical-difference", "cutoffs", "trade-off"]


class Facts(NamedTuple):
    """What a kind of plot shows and accepts.

    Parameters
    ----------
    shows
        One line, for people.
    measure
        The default measure; None if it draws no measure.
    runs
        The required number of runs; None for one or several.
    measures
        The maximum number of measures; None for several.
    by_rank
        Whether it shows ranks, down to a cutoff.
    one_query
        Whether it can show a single query.
    along_k
        Whether its horizontal axis is k, which may be logarithmic.
    """

    shows: str
    measure: str | None
    runs: int | None = None
    measures: int | None = 1
    by_rank: bool = False
    one_query: bool = False
    along_k: bool = False


KINDS: dict[Kind, Facts] = {
    "curve": Facts(
        "measures at each cutoff: R@k, P@k, nDCG@k, ...",
        "nDCG",
        measures=None,
        by_rank=True,
        one_query=True,
        along_k=True,
    ),
    "dcg": Facts(
        "DCG@k of each run, and of the ideal ranking",
        "nDCG",
        by_rank=True,
        one_query=True,
        along_k=True,
    ),
    "precision-recall": Facts(
        "interpolated precision against recall",
        "IPrec",
        by_rank=True,
        one_query=True,
    ),
    "differences": Facts("the difference of each query between two runs", "nDCG@10", 2),
    "scatter": Facts("the score of each query in one run against the other", "nDCG@10", 2),
    "distribution": Facts("the distribution of query scores for each run", "nDCG@10"),
    "heatmap": Facts("all scores as colours, runs by queries", "nDCG@10"),
    "judged": Facts(
        "shares of judged and of tied documents down to each k",
        None,
        measures=0,
        by_rank=True,
        one_query=True,
        along_k=True,
    ),
}
NAMES: tuple[Kind, ...] = get_args(Kind)

COMPARED: dict[ComparedKind, str] = {
    "leaderboard": "means with intervals, a panel for each measure",
    "matrix": "differences of all pairs of runs, with p-values",
    "critical-difference": "means; bars join runs without significant difference",
    "cutoffs": "differences from the baseline at each cutoff",
    "trade-off": "two measures against each other, and the Pareto front",
}
"""Kinds of plot of a comparison, and what each shows."""

MANY_MEASURES: tuple[ComparedKind, ...] = ("leaderboard", "cutoffs")


def refuse(
    kind: Kind, runs: int, measures: int, *, by_rank: bool, one_query: bool, along_k: bool
) -> None:
    """Refuse arguments that a kind of plot does not accept."""
    facts = KINDS[kind]
    if facts.runs is not None and runs != facts.runs:
        found = "is 1" if runs == 1 else f"are {runs}"
        raise InputError(f"{kind} takes {facts.runs} runs", f"there {found}")
    if facts.measures is not None and measures > facts.measures:
        takes, remedy = ("1 measure", "name one") if facts.measures else ("no measure", "name none")
        given = "is 1" if measures == 1 else f"are {measures}"
        raise InputError(f"{kind} draws {takes}, and there {given}", remedy)
    if by_rank and not facts.by_rank:
        raise InputError(
            f"{kind} does not go down ranks", "leave k out, and name a cutoff as in nDCG@10"
        )
    if one_query and not facts.one_query:
        raise InputError(f"{kind} shows all queries", "leave query out")
    if along_k and not facts.along_k:
        raise InputError(f"{kind} has no axis of k", "leave log_k out")


def refuse_unknown(kind: object) -> None:
    """Refuse a kind that is not drawn from evaluations."""
    if kind in NAMES:  # a tuple, as ``kind`` may be unhashable
        return
    if kind in tuple(COMPARED):
        raise InputError(
            f"{kind} is drawn of a comparison, and this is an evaluation",
            f"compare the runs first, as in rm.compare(qrels, runs).plot({kind!r})",
        )
    raise InputError(f"kind is {kind!r}", f"need one of {', '.join(NAMES)}")


def refuse_compared(kind: ComparedKind, measures: int, runs: int, baseline: str | None) -> None:
    """Refuse a comparison that a kind of plot cannot show."""
    if kind == "trade-off":
        if measures != 2:
            found = "is 1" if measures == 1 else f"are {measures}"
            raise InputError(f"trade-off draws 2 measures, and there {found}", "name two")
        return
    if measures > 1 and kind not in MANY_MEASURES:
        raise InputError(f"{kind} draws 1 measure, and there are {measures}", "name one")
    if kind == "leaderboard":
        return
    if runs < 2:
        raise InputError(f"{kind} needs two runs or more", f"found {runs}")
    if kind == "cutoffs" and baseline is None and runs > 2:
        raise InputError(
            f"cutoffs draws differences from a baseline, and there are {runs} runs without one",
            "name the baseline, or draw two runs",
        )
    if baseline is not None and kind != "cutoffs":
        raise InputError(
            f"{kind} shows all pairs of runs, and only those with {baseline!r} were compared",
            "compare without a baseline, or draw the leaderboard",
        )
