"""What runs show of a judge: warnings before its labels order systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.judges.agreement.judgment_warnings import Doubt
from rankmark.results.number_style import with_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankmark.judges.agreement.ranker_likeness import Likeness
    from rankmark.judges.agreement.systems_by_judges import SystemsByJudges

FAR = 0.1
"""By how much a run may follow a judge's labels more closely than people's without a warning."""
MOST_UNEVEN = 0.05
"""How much the judged share of a system's first documents may differ between two judges."""
_SHOWN = 3


def doubts_of_systems(boards: SystemsByJudges, likenesses: Sequence[Likeness]) -> Iterator[Doubt]:
    """Yield what leaderboards by two judges, and the order of documents in runs, show."""
    yield from _ranker(boards.called, likenesses)
    yield from _unequal(boards)
    yield from _top(boards)
    yield from _uneven(boards)


def _ranker(called: tuple[str, str], likenesses: Sequence[Likeness]) -> Iterator[Doubt]:
    """Yield the runs that order documents as the judge's labels do, and not as people's."""
    people, judge = called
    for one in sorted(likenesses, key=lambda one: -one.difference.estimate):
        if one.difference.low > FAR:
            yield Doubt(
                "judge-may-be-ranker",
                f"the order of {one.system} agrees far more with the labels of {judge} (rho "
                f"{one.second:.2f}) than with those of {people} ({one.first:.2f}): difference "
                f"{with_ends(one.difference, 2)}; if the same model ranked and judged, it judged "
                "itself",
            )


def _unequal(boards: SystemsByJudges) -> Iterator[Doubt]:
    """Yield that the judge raises some systems more than others."""
    if boards.evidence is None or not boards.evidence.favoured:
        return
    favoured = boards.evidence.favoured
    listed = [
        f"{one.name} by {one.favour:+.3f} ({one.favour_low:+.3f} to {one.favour_high:+.3f})"
        for one in sorted(favoured, key=lambda one: -abs(one.favour))
    ]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    yield Doubt(
        "unequal-inflation",
        f"{boards.called[1]} changes the scores of some systems more than those of others: "
        f"compared with the mean change, {', '.join(listed[:_SHOWN])}{more}; differences between "
        "these systems come in part from the judge",
    )


def _top(boards: SystemsByJudges) -> Iterator[Doubt]:
    """Yield that the order of the best systems may be any."""
    if boards.evidence is None:
        return
    open_tops = [top for top in boards.evidence.top if top.tau.low <= 0.0]
    if open_tops:
        listed = ", ".join(f"{top.k} best {with_ends(top.tau, 2)}" for top in open_tops)
        yield Doubt(
            "top-not-resolved",
            f"whether the best systems by {boards.called[0]} have the same order by "
            f"{boards.called[1]} is not known: the interval of tau includes 0 (tau of the "
            f"{listed})",
        )


def _uneven(boards: SystemsByJudges) -> Iterator[Doubt]:
    """Yield that one judge has labels for more of what systems return than the other."""
    if boards.pairs == "common":
        return
    apart = sorted(boards.judged_shares, key=lambda one: -abs(one.share_a - one.share_b))
    if apart and abs(apart[0].share_a - apart[0].share_b) > MOST_UNEVEN:
        a, b = boards.called
        listed = ", ".join(
            f"{one.system} {one.share_a:.0%} by {a}, {one.share_b:.0%} by {b}"
            for one in apart[:_SHOWN]
        )
        yield Doubt(
            "judged-apart",
            "the judges labelled different shares of the first documents of the systems: "
            f"{listed}; documents without a label count as not relevant, which changes the scores, "
            'too; pairs="common", or --pairs common, evaluates only with the documents of both',
        )
