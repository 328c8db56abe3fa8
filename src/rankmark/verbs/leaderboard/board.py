"""A leaderboard: models by rank, with the uncertainty of their ranks."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.arguments import whole
from rankmark.errors import InputError, listed, one_line, shown
from rankmark.results.plain_table import Table
from rankmark.results.result import Result, json_number
from rankmark.results.table_schema import columns_of
from rankmark.results.text_width import line_width
from rankmark.verbs.leaderboard.standing import Pair, Standing
from rankmark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats
    from rankmark.results.drawing.result_page import PageParts
    from rankmark.verbs.leaderboard.board_tables import BoardFormat

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""

DRAWN = 40
"""Models in a plot, unless a number is asked for."""
_MOST_GROUPS = 52  # models whose groups are written as letters


class Leaderboard(Result):
    """Models by rank, with the uncertainty of their ranks.

    Attributes
    ----------
    standings
        (n_models,) the models, best first; those without a rank at the end, in the order given.
    tasks
        (n_tasks,) the tasks that count.
    dropped
        {task: number of models without a score} of tasks that do not count.
    scores
        (n_tasks, n_ranked) float64, the scores as given, a column for each model with a rank.
    wins
        (n_ranked, n_ranked) float64, the share of draws in which the model of the row is above that
        of the column; a draw in which they are equal counts as half of one.
    p
        (n_ranked, n_ranked) float64, corrected p-values of the pairs.
    separated
        (n_ranked, n_ranked) bool, whether the model of the row is significantly better than that of
        the column.
    queries
        How many queries the tasks have together; None if scores by query were not given.
    read
        What was read: ``name``, ``sha256`` and ``form``; see ``to_dict``.
    settings
        All choices.
    """

    def __init__(
        self,
        *,
        standings: tuple[Standing, ...],
        tasks: tuple[str, ...],
        dropped: Mapping[str, int],
        scores: Floats,
        totals: Floats,
        p: Floats,
        wins: Floats,
        better: Bools,
        queries: int | None,
        settings: Mapping[str, Any],
        read: Mapping[str, Any],
        reading: tuple[str, ...],
    ) -> None:
        self.standings, self.tasks, self.dropped = standings, tasks, dict(dropped)
        self.scores, self.wins, self.p, self.separated = scores, wins, p, better
        for array in (scores, totals, wins, p, better):
            array.flags.writeable = False
        self._totals = totals
        self.queries, self.settings, self._reading = queries, dict(settings), reading
        self.read: dict[str, Any] = dict(read)

    @property
    def ranked(self) -> tuple[Standing, ...]:
        """The models with a rank, best first."""
        return tuple(one for one in self.standings if one.rank is not None)

    @property
    def unranked(self) -> tuple[Standing, ...]:
        """The models without a score of some task."""
        return tuple(one for one in self.standings if one.rank is None)

    def __len__(self) -> int:
        return len(self.standings)

    def __getitem__(self, model: str) -> Standing:
        """Return a model.

        Raises
        ------
        InputError
            If there is none of this name.
        """
        for one in self.standings:
            if one.model == model:
                return one
        raise InputError(
            f"there is no model {shown(model)}",
            f"choose from {listed([one.model for one in self.standings])}",
        )

    @property
    def maybe_first(self) -> tuple[str, ...]:
        """The models whose rank interval begins with 1: no model is significantly better."""
        return tuple(one.model for one in self.ranked if one.rank_low == 1)

    @property
    def counts(self) -> dict[str, int]:
        """How many models, tasks and pairs there are, and how many pairs are separated."""
        models = len(self.ranked)
        neighbours = np.diag(self.separated, 1)
        return {
            "models": len(self),
            "ranked": models,
            "tasks": len(self.tasks),
            "pairs": models * (models - 1) // 2,
            "separated": int(self.separated.sum()),
            "neighbours": models - 1,
            "separated_neighbours": int(neighbours.sum()),
            "tiers": max(one.tier or 0 for one in self.ranked),
            "maybe_first": len(self.maybe_first),
        }

    def pairs(self) -> Table:
        """Return a table of all pairs: ``better``, ``worse``, ``difference``, ``p``, and more."""
        return Table(columns_of([one._asdict() for one in self.pair_list()]))

    def pair_list(self) -> list[Pair]:
        """Return all pairs of models with a rank, those of the best model first."""
        names = [one.model for one in self.ranked]
        totals = self._totals / len(self.tasks)
        return [
            Pair(
                better=names[one],
                worse=names[other],
                difference=float(totals[one] - totals[other]),
                p=float(self.p[one, other]),
                wins=float(self.wins[one, other]),
                separated=bool(self.separated[one, other]),
            )
            for one in range(len(names))
            for other in range(one + 1, len(names))
        ]

    def letters(self) -> dict[str, str]:
        """Return letters of each model: two share one if and only if they are not separated.

        Raises
        ------
        InputError
            If there are more than 52 models, which would need too many letters.
        """
        from rankmark.statistics import letters  # noqa: PLC0415

        count = len(self.ranked)
        if count > _MOST_GROUPS:
            raise InputError(
                f"letters of {count:,} models would not be readable",
                f"use the tiers and the rank intervals; letters are for {_MOST_GROUPS} models",
            )
        pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
        p = [0.0 if self.separated[pair] or self.separated[pair[::-1]] else 1.0 for pair in pairs]
        found = letters(self._totals, pairs, p, 0.5)
        return dict(zip((one.model for one in self.ranked), found, strict=True))

    @property
    def headline(self) -> str:
        """Say in a sentence who is first, and how many others may be."""
        counts, first = self.counts, [one.model for one in self.ranked if one.rank == 1]
        tasks = f"{counts['tasks']:,} task{'' if counts['tasks'] == 1 else 's'}"
        of = f"of {counts['ranked']:,} models over {tasks}"
        others = counts["maybe_first"] - len(first)
        if len(first) > 1:
            shown_first = first[: 3 if len(first) > 4 else 4]
            more = len(first) - len(shown_first)
            rest = f"{more:,} others" if more else shown_first.pop()
            begin = f"{', '.join(shown_first)} and {rest} share the first place {of}"
        else:
            begin = f"{first[0]} is first {of}"
        if len(first) == counts["ranked"]:
            return begin
        nouns = "no other model" if not others else f"{others:,} other model{'s' * (others > 1)}"
        return f"{begin}; {nouns} may be first"

    @property
    def notes(self) -> list[str]:
        """The lines below a table: pairs, how the numbers were found, and what is missing."""
        from rankmark.verbs.leaderboard.board_notes import notes_of  # noqa: PLC0415

        return [
            *notes_of(self.counts, self.settings, self.unranked, self.dropped),
            *self._reading,
        ]

    def to_text(self, *, top: int | None = None, width: int | None = None) -> str:
        """Return the headline, the table and the notes.

        Parameters
        ----------
        top
            How many models to show; None for all.
        width
            The columns of a line; None for no limit.
        """
        return self._rendered("table", top, width)

    def to_markdown(self, *, top: int | None = None) -> str:
        """Return the table as Markdown."""
        return self._rendered("markdown", top)

    def to_latex(self, *, top: int | None = None) -> str:
        """Return the table as a float of LaTeX, with booktabs and siunitx."""
        return self._rendered("latex", top)

    def _rendered(self, form: BoardFormat, top: int | None, width: int | None = None) -> str:
        from rankmark.verbs.leaderboard.board_tables import Shown, rendered  # noqa: PLC0415

        shown = Shown(self.headline, self.standings, self.settings, self.notes)
        return rendered(shown, form, top=top, width=width)

    def __str__(self) -> str:
        return self.to_text(width=line_width())

    def __repr__(self) -> str:
        return one_line(f"Leaderboard({self.headline})")

    def _repr_html_(self) -> str:
        from rankmark.results import html_parts as html  # noqa: PLC0415

        return html.page(html.title(self.headline), self._table_html())

    def _table_html(self) -> str:
        from rankmark.results import html_parts as html  # noqa: PLC0415
        from rankmark.verbs.leaderboard.board_tables import as_marked_table  # noqa: PLC0415

        table = as_marked_table(self.standings, self.settings)
        return table.as_html() + html.notes(self.notes)

    def _page_parts(self) -> PageParts:
        from rankmark.results import html_parts as html  # noqa: PLC0415
        from rankmark.results.drawing.result_page import PageParts, Picture  # noqa: PLC0415
        from rankmark.verbs.leaderboard.rank_plot import drawn_size  # noqa: PLC0415

        size = drawn_size(len(self.ranked[:DRAWN]))
        picture = Picture("The rank of each model, with its interval", self._drawn, size)
        title = f"{len(self.standings):,} models over {len(self.tasks):,} tasks"
        found = html.paragraph(self.headline)
        return PageParts(title, found, [picture], self._table_html())

    def _drawn(self, ax: Axes) -> Axes:
        return self.plot(top=DRAWN, title=False, ax=ax)

    def to_dict(self, *, pairs: bool = False) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN; ``pairs`` adds all pairs of models.

        A file has its SHA-256, and a folder that of the hashes of the files that were read.
        """
        written: dict[str, Any] = {
            "schema": SCHEMA,
            "rankmark": __version__,
            "table": self.read,
            "headline": self.headline,
            "settings": self.settings,
            "counts": self.counts,
            "queries": self.queries,
            "maybe_first": list(self.maybe_first),
            "models": [one.to_dict() for one in self.standings],
            "tasks": list(self.tasks),
            "dropped_tasks": self.dropped,
            "notes": self.notes,
        }
        if pairs:
            written["pairs"] = [
                one._asdict() | {"p": json_number(one.p)} for one in self.pair_list()
            ]
        return written

    def _table(self) -> dict[str, Any]:
        return columns_of([asdict(one) for one in self.standings])

    def plot(self, *, top: int | None = DRAWN, title: bool = True, ax: Axes | None = None) -> Axes:
        """Plot the rank interval of each model, best first.

        A hollow dot is a model that may be first, but is not in this table.

        Parameters
        ----------
        top
            How many models to draw; None for all.
        title
            Whether there is a title.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        InputError
            If ``ax`` is not Axes, or there is no room for so many models.
        """
        from rankmark.results.drawing.figures import axes  # noqa: PLC0415
        from rankmark.verbs.leaderboard.rank_plot import draw_ranks, drawn_size  # noqa: PLC0415

        models = self.ranked[: whole("top", top) if top is not None else None]
        with axes(ax, drawn_size(len(models))) as canvas:
            draw_ranks(canvas, models, self.headline if title else "")
        return canvas
