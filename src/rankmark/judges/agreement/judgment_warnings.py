"""What to know before labels are used: conditions under which the figures mislead."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rankmark.judges.agreement.scale import written_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.judges.agreement.pair_agreement import PairAgreement

MOST_HOLES = 0.01
"""The share of a judge's pairs that the other may lack without a warning."""
FEW_QUERIES = 20
"""The number of queries below which intervals come with a warning."""
MOST_DRIFT = 0.05
"""How much the share of a label may differ between two judges without a warning."""


class Doubt(NamedTuple):
    """A warning: a code, and what was found and what it means."""

    code: str
    text: str


def doubts_of_labels(pair: PairAgreement, failed: int) -> Iterator[Doubt]:
    """Yield what the labels alone show of a judge, of whom so many labels are known to be none."""
    yield from _few(pair)
    yield from _holes(pair)
    yield from _drift(pair)
    count = int(pair.tables.sum((0, 1))[pair.labels < 0].sum())
    if count and not failed:
        yield Doubt(
            "negative-labels",
            f"{pair.second} gives {count:,} labels below 0, which count as 0 in differences; if "
            "they stand for answers that could not be read, name them in failed, or --failed",
        )


def _few(pair: PairAgreement) -> Iterator[Doubt]:
    """Yield that intervals over few queries can be anything."""
    queries = len(pair.queries)
    if queries < 2:
        yield Doubt(
            "few-queries",
            f"{pair.first} and {pair.second} have one query in common, so no interval over queries "
            "is possible; judge more queries",
        )
    elif queries < FEW_QUERIES:
        yield Doubt(
            "few-queries",
            f"{pair.first} and {pair.second} have {queries} queries in common; with fewer than "
            f"{FEW_QUERIES}, intervals over queries are unreliable; judge more queries",
        )


def _holes(pair: PairAgreement) -> Iterator[Doubt]:
    """Yield that agreement is measured on a part of the pairs, which was chosen by somebody."""
    for name, only, other in (
        (pair.second, pair.only_second, pair.first),
        (pair.first, pair.only_first, pair.second),
    ):
        share = only / (only + pair.n)
        if share > MOST_HOLES:
            yield Doubt(
                "holes",
                f"{other} did not judge {only:,} of the documents that {name} judged in the same "
                f"queries ({share:.0%}); agreement is measured on the documents of both, which "
                "depend on how they were pooled, and may be different on the others",
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
