"""What to know before labels are used: conditions under which the figures mislead.

Some follow from the labels alone; others need runs, such as whether a judge orders documents as a
run does, and may be its ranker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import Needs, query_of_rows
from rankmark.data.preparing.matching import match
from rankmark.judges.agreement.given_labels import written_label
from rankmark.results.number_style import with_ends
from rankmark.statistics import mean_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Alignment
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.judges.agreement.pair_agreement import PairAgreement
    from rankmark.judges.agreement.system_evidence import LeaderboardEvidence
    from rankmark.judges.agreement.systems_by_judges import SystemsByJudges
    from rankmark.statistics import Interval

MOST_HOLES = 0.01
"""The share of a judge's pairs that the other may lack without a warning."""
FEW_QUERIES = 20
"""The number of queries below which intervals come with a warning."""
RARE = 0.05
"""The share of a kind of queries that samples may lack, and how often, without a note."""
MOST_DRIFT = 0.05
"""How much the share of a label may differ between two judges without a warning."""
FAR = 0.1
"""By how much a run may follow a judge's labels more closely than people's without a warning."""
MOST_UNEVEN = 0.05
"""How much the judged share of a system's first documents may differ between two judges."""
_SHOWN = 3
FEWEST = 3
"""Documents of a query of which a correlation says something."""


class Doubt(NamedTuple):
    """A warning: a code, and what was found and what it means."""

    code: str
    text: str


def doubts_of_labels(pair: PairAgreement, failed: int) -> Iterator[Doubt]:
    """Yield what the labels alone show of a judge, of whom so many labels are known to be none."""
    queries, (a, b) = len(pair.queries), (pair.first, pair.second)
    if queries < 2:
        yield Doubt(
            "few-queries",
            f"{a} and {b} have one query in common, so no interval over queries is possible; judge "
            "more queries",
        )
    elif queries < FEW_QUERIES:
        yield Doubt(
            "few-queries",
            f"{a} and {b} have {queries} queries in common; with fewer than {FEW_QUERIES}, "
            f"{pair.sampling.unaware} are unreliable; judge more queries",
        )
    for name, only, other in ((b, pair.only_second, a), (a, pair.only_first, b)):
        share = only / (only + pair.n)
        if share > MOST_HOLES:
            yield Doubt(
                "holes",
                f"{other} did not judge {only:,} of the documents that {name} judged in the same "
                f"queries ({share:.0%}); agreement is measured on the documents of both, which "
                "depend on how they were pooled, and may be different on the others",
            )
    yield from _drift(pair)
    count = int(pair.tables.sum((0, 1))[pair.labels < 0].sum())
    if count and not failed:
        yield Doubt(
            "negative-labels",
            f"{b} gives {count:,} labels below 0, which count as 0 in differences; if they stand "
            "for answers that could not be read, name them in failed, or --failed",
        )


def _drift(pair: PairAgreement) -> Iterator[Doubt]:
    """Yield which labels one judge gives more often, by more than queries differ by chance."""
    shares = [pair.tables.sum(axes) / pair.tables.sum() for axes in ((0, 2), (0, 1))]
    changed = [
        f"{written_label(label)} ({before:.0%} by {pair.first}, {after:.0%} by {pair.second})"
        for (label, one), before, after in zip(
            pair.label_changes.items(), *(each.tolist() for each in shares), strict=True
        )
        if abs(one.estimate) > MOST_DRIFT and (one.low > 0 or one.high < 0)
    ]
    if changed:
        yield Doubt(
            "label-drift",
            f"some labels are given more or less often, by more than {100 * MOST_DRIFT:.0f} "
            f"percentage points: {', '.join(changed)}; so a threshold does not mean the same "
            "for both",
        )


def doubts_of_systems(boards: SystemsByJudges, likenesses: Sequence[Likeness]) -> Iterator[Doubt]:
    """Yield what leaderboards by two judges, and the order of documents in runs, show."""
    people, judge = boards.called
    for one in sorted(likenesses, key=lambda one: -one.difference.estimate):
        if one.difference.low > FAR:
            yield Doubt(
                "judge-may-be-ranker",
                f"the order of {one.system} agrees far more with the labels of {judge} (rho "
                f"{one.second:.2f}) than with those of {people} ({one.first:.2f}): difference "
                f"{with_ends(one.difference, 2)}; if the same model ranked and judged, it judged "
                "itself",
            )
    if boards.evidence is not None:
        yield from _of_evidence(boards.called, boards.evidence)
    if boards.pairs == "common":
        return
    apart = sorted(boards.judged_shares, key=lambda one: -abs(one.share_a - one.share_b))
    if apart and abs(apart[0].share_a - apart[0].share_b) > MOST_UNEVEN:
        listed = ", ".join(
            f"{one.system} {one.share_a:.0%} by {people}, {one.share_b:.0%} by {judge}"
            for one in apart[:_SHOWN]
        )
        yield Doubt(
            "judged-apart",
            "the judges labelled different shares of the first documents of the systems: "
            f"{listed}; documents without a label count as not relevant, which changes the scores, "
            'too; pairs="common", or --pairs common, evaluates only with the documents of both',
        )


def _of_evidence(called: tuple[str, str], evidence: LeaderboardEvidence) -> Iterator[Doubt]:
    """Yield that the judge raises some systems more than others, or leaves the best in doubt."""
    if evidence.favoured:
        listed = [
            f"{one.name} by {one.favour:+.3f} ({one.favour_low:+.3f} to {one.favour_high:+.3f})"
            for one in sorted(evidence.favoured, key=lambda one: -abs(one.favour))
        ]
        more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
        yield Doubt(
            "unequal-inflation",
            f"{called[1]} changes the scores of some systems more than those of others: compared "
            f"with the mean change, {', '.join(listed[:_SHOWN])}{more}; differences between these "
            "systems come in part from the judge",
        )
    open_tops = [top for top in evidence.top if top.tau.low <= 0.0]
    if open_tops:
        tops = ", ".join(f"{top.k} best {with_ends(top.tau, 2)}" for top in open_tops)
        yield Doubt(
            "top-not-resolved",
            f"whether the best systems by {called[0]} have the same order by {called[1]} is not "
            f"known: the interval of tau includes 0 (tau of the {tops})",
        )


class Likeness(NamedTuple):
    """How a run orders the documents that both judges labelled, by the labels of each.

    Parameters
    ----------
    system
        The run.
    first, second
        The mean over queries of Spearman's rho of the run's order and of the labels.
    difference
        The mean of second minus first, with an interval over queries for all runs together.
    """

    system: str
    first: float
    second: float
    difference: Interval


def likenesses(
    judges: tuple[Qrels, Qrels], runs: Mapping[str, Run], units: Conventions, confidence: float
) -> list[Likeness]:
    """Return how each run orders documents, by the labels of two judges.

    Queries count in which the run retrieved at least three documents that both judges labelled, and
    neither gave all of them the same label.
    """
    found = []
    level = 1 - (1 - confidence) / max(len(runs), 1)
    for name, run in runs.items():
        sides = [match(judge, run, units, needs=Needs())[0] for judge in judges]
        first, second = _correlations(*sides)
        known = ~(np.isnan(first) | np.isnan(second))
        if not known.any():
            continue
        step = (second - first)[known]
        (interval,) = mean_intervals(step[:, None], method="t", confidence=level)
        means = float(first[known].mean()), float(second[known].mean())
        found.append(Likeness(name, *means, interval))
    return found


def _correlations(a: Alignment, b: Alignment) -> tuple[Floats, Floats]:
    """Return rho of ranks and labels by query, of the documents that both judges labelled."""
    number = {query: at for at, query in enumerate(a.queries)}
    queries = np.array([number.get(query, -1) for query in b.queries], dtype=np.int64)
    most = int(max(a.rank.max(initial=0), b.rank.max(initial=0))) + 1
    # A query and a rank in the run are one document.
    keys_a = query_of_rows(a.starts) * most + a.rank
    of_b = queries[query_of_rows(b.starts)]
    keys_b = np.where(of_b >= 0, of_b * most + b.rank, -1)
    common, at_a, at_b = np.intersect1d(keys_a, keys_b, assume_unique=False, return_indices=True)
    kept = common >= 0
    query, rank = common[kept] // most, common[kept] % most
    return (
        _rho(query, rank, a.label[at_a[kept]], len(a.queries)),
        _rho(query, rank, b.label[at_b[kept]], len(a.queries)),
    )


def _rho(query: Ints, rank: Ints, label: Floats, queries: int) -> Floats:
    """Return Spearman's rho of low ranks and high labels in each query: (queries,) float64."""
    counts = np.bincount(query, minlength=queries)
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    x = -_mid_ranks(query, rank.astype(np.float64), starts)
    y = _mid_ranks(query, label, starts)
    sums = [np.bincount(query, weights=each, minlength=queries) for each in (x, y)]
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (each - (total / counts)[query] for each, total in zip((x, y), sums, strict=True))
        products = [np.bincount(query, weights=w, minlength=queries) for w in (x * y, x * x, y * y)]
        rho = products[0] / np.sqrt(products[1] * products[2])
    return np.where((counts >= FEWEST) & (products[1] > 0) & (products[2] > 0), rho, np.nan)


def _mid_ranks(query: Ints, values: Floats, starts: Ints) -> Floats:
    """Rank values within each query, rising, tied ones by the mean of their ranks."""
    order = np.lexsort((values, query))
    ordered, of = values[order], query[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]) | (of[1:] != of[:-1]))[: len(order)]
    begins = np.flatnonzero(new)
    sizes = np.diff(begins, append=len(order))
    middle = begins + (sizes - 1) / 2
    found = np.empty(len(order))
    found[order] = np.repeat(middle, sizes) - starts[of]
    return found
