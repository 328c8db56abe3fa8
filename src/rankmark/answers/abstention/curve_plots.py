"""The curves of abstention: risk by coverage, and decisions by threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.answers.abstention.curves import candidates, decisions, risk_coverage
from rankmark.errors import InputError
from rankmark.results.drawing.lines import Line, Look, draw_lines, limit_shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.answers.abstention.curves import Judged, Tied


def draw_risk(ax: Axes, judged: Judged, tied: Tied, measure: str, title: str) -> None:
    """Draw the risk at each coverage, and those of the best order of queries and of no order."""
    coverage, risk = risk_coverage(judged, tied)
    best = risk_coverage(judged._replace(confidence=judged.value))[1]
    flat = np.full(len(coverage), risk[-1])
    looks = [Look(0, 0), Look(None, 1), Look(None, 2)]
    lines = [
        Line(coverage, each, look) for each, look in zip((risk, best, flat), looks, strict=True)
    ]
    legend = [*zip(looks, ("by confidence", "best order", "no order"), strict=True)]
    limit_shares(ax)
    draw_lines(
        ax,
        lines,
        legend,
        title=title,
        x_label="share of queries answered",
        y_label=f"risk: 1 - mean {measure}",
    )


def draw_thresholds(ax: Axes, judged: Judged, rule: str, measure: str, title: str) -> None:
    """Draw recall, false positives, F1 and the measure at each threshold.

    Raises
    ------
    InputError
        If the run has no document for any query.
    """
    at = candidates(judged)[:-1]
    if not len(at):
        raise InputError("the run has no document for any query", "there is nothing to plot")
    decided = decisions(judged, at)
    values = {
        "recall": decided.recall,
        "false positives": decided.false_positive_rate,
        "F1 of not answering": decided.f1,
        f"{measure}, 1 for a right refusal": decided.value,
    }
    defined = {name: each for name, each in values.items() if not np.isnan(each).any()}
    looks = [Look(number, number) for number in range(len(defined))]
    lines = [Line(at, each, look) for each, look in zip(defined.values(), looks, strict=True)]
    draw_lines(
        ax,
        lines,
        [*zip(looks, defined, strict=True)],
        title=title,
        x_label=f"threshold of confidence ({rule})",
        y_label="value",
    )
    ax.set_ylim(-0.02, 1.02)
