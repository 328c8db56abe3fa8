"""Plots of how two judges agree: their table of labels, and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.judges.agreement.scale import written_label
from rankmark.results.drawing.points import draw_equality
from rankmark.results.drawing.shaded_cells import draw_label_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.judges.agreement.pair_agreement import PairAgreement


def draw_confusion(ax: Axes, pair: PairAgreement, *, has_title: bool) -> None:
    """Draw the table of labels of two judges."""
    kappa = pair.figures["kappa"].estimate
    title = f"{pair.n:,} pairs of {_queries(pair)}, kappa {kappa:.2f}"
    draw_label_cells(
        ax,
        pair.confusion,
        [written_label(label) for label in pair.labels.tolist()],
        title=title if has_title else "",
        names=(pair.first, pair.second),
    )


def _queries(pair: PairAgreement) -> str:
    count = len(pair.queries)
    return "1 query" if count == 1 else f"{count:,} queries"


def draw_queries(ax: Axes, pair: PairAgreement, *, has_title: bool) -> None:
    """Draw the mean label of each query by one judge against the other's."""
    bias = pair.figures["bias"].estimate
    title = f"mean labels of {_queries(pair)}, mean difference {bias:+.2f}"
    draw_equality(
        ax,
        *pair.mean_labels,
        pair.queries,
        title=title if has_title else "",
        labels=(f"mean label by {pair.first}", f"mean label by {pair.second}"),
        what=("query", "queries"),
        judge=pair.second,
    )
