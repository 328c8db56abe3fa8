"""A leaderboard as text, Markdown and LaTeX."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rankmark.arguments import whole
from rankmark.errors import one_line
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.text_tables import Cell
from rankmark.results.text_width import fitted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.verbs.leaderboard.standing import Standing

BoardFormat = Literal["table", "markdown", "latex"]


class Shown(NamedTuple):
    """What a leaderboard shows: a sentence, the models, the settings, and the notes."""

    headline: str
    standings: Sequence[Standing]
    settings: Mapping[str, Any]
    notes: Sequence[str]


def rendered(shown: Shown, form: BoardFormat, *, top: int | None, width: int | None = None) -> str:
    """Write a leaderboard: the headline, the models, and the notes below a table of text."""
    if top is not None:
        whole("top", top)
    table = as_marked_table(shown.standings[:top], shown.settings)
    if form == "markdown":
        return table.as_markdown()
    if form == "latex":
        return table.as_latex(caption=f"{shown.headline}.", label="tab:leaderboard")
    left = len(shown.standings) - len(table.rows)
    notes = [*([f"{left:,} more models are not shown"] if left else []), *shown.notes]
    lines = [f"{one_line(shown.headline)}\n", table.as_text(width=width), *map(one_line, notes)]
    return fitted("\n".join(lines), width)


def as_marked_table(standings: Sequence[Standing], settings: Mapping[str, Any]) -> MarkedTable:
    """Return a row for each model, the best one in bold."""
    by_mean = settings["by"] == "mean"
    head = ["model", "rank", "mean", "interval", "Borda"]
    head += ["rank interval", "rank in draws", "first", "tier"]
    if not by_mean:
        head[2:5] = ["Borda", "mean", "interval"]
    share = f"{100 * settings['confidence']:.6g}%"
    head[head.index("interval")] = f"{share} interval"
    rows = [_row(one, by_mean=by_mean) for one in standings]
    return MarkedTable(head, rows, attached=[f"{share} interval"])


def _row(one: Standing, *, by_mean: bool) -> list[Cell]:
    if one.rank is None:
        return [Cell(one.model), Cell("-"), *(Cell("") for _ in range(7))]
    interval = "" if math.isnan(one.low) else f"[{one.low:.4f}, {one.high:.4f}]"
    scores = [Cell(f"{one.mean:.4f}", 1 if one.rank == 1 else 0), Cell(interval)]
    borda = Cell(f"{one.borda:.1f}")
    return [
        Cell(one.model),
        Cell(f"{one.rank}"),
        *([*scores, borda] if by_mean else [borda, *scores]),
        Cell(f"{one.rank_low}–{one.rank_high}"),
        Cell(f"{one.draw_low}–{one.draw_high}"),
        Cell(f"{one.first:.3f}"),
        Cell(f"{one.tier}"),
    ]
