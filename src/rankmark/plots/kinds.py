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
        "interpolated precision against recall; of one query, at each rank too",
        "IPrec",
        by_rank=True,
        one_query=True,
    ),
    "differences": Facts("what each query gains or loses from one run to another", "nDCG@10", 2),
    "scatter": Facts("each query's score by one run against that by another", "nDCG@10", 2),
    "distribution": Facts("how the queries' scores are spread, run by run", "nDCG@10"),
    "heatmap": Facts("all scores in shades, runs by queries", "nDCG@10"),
    "judged": Facts(
        "how much of the first k documents is judged, and how much ties",
        None,
        measures=0,
        by_rank=True,
        one_query=True,
        along_k=True,
    ),
}
NAMES: tuple[Kind, ...] = get_args(Kind)


def refuse(
    kind: Kind, runs: int, measures: int, *, by_rank: bool, one_query: bool, along_k: bool
) -> None:
    """Refuse arguments that a kind of plot does not accept.

    Raises
    ------
    InputError
        If there are too few or too many runs or measures, or it does not use a cutoff or a query.
    """
    facts = KINDS[kind]
    if facts.runs is not None and runs != facts.runs:
        found = "is 1" if runs == 1 else f"are {runs}"
        raise InputError(f"{kind} takes {facts.runs} runs", f"there {found}")
    if facts.measures is not None and measures > facts.measures:
        takes = "no measure" if not facts.measures else "1 measure"
        raise InputError(f"{kind} draws {takes}", f"found {measures}")
    if by_rank and not facts.by_rank:
        raise InputError(
            f"{kind} does not go down ranks", "leave k out, and name a cutoff as in nDCG@10"
        )
    if one_query and not facts.one_query:
        raise InputError(f"{kind} shows all queries", "leave query out")
    if along_k and not facts.along_k:
        raise InputError(f"{kind} has no axis of k", "leave log_k out")
