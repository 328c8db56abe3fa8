"""A leaderboard: models by rank, with the uncertainty of their ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.arguments import whole
from rankmark.errors import InputError, counted, few, listed, shown
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.plain_table import Table
from rankmark.results.result import Row
from rankmark.results.shown_result import Column, PagedResult, table_of
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.results.drawing.result_page import Picture

DRAWN = 40
"""Models in a plot, unless a number is asked for."""
_MOST_GROUPS = 52  # models whose groups are written as letters
_ROW, _AROUND = 0.17, 1.2  # inches in a plot

_DRAWN_UNITS = {
    "tasks": "tasks",
    "queries": "queries of each task, the tasks staying as they are",
    "both": "tasks, and queries of each task drawn",
}
_TESTED = {
    "tasks": "the bootstrap of tasks",
    "queries": "draws of queries",
    "both": "the bootstrap of tasks",
}
_INTERVALS = {
    "tasks": "Student's t over tasks",
    "queries": "normal, from the variance of the queries within tasks",
    "both": "Student's t over tasks, with the variance of their queries added, so that it is too "
    "wide",
}


@dataclass(frozen=True, slots=True)
class Standing(Row):
    """Where a model stands.

    Parameters
    ----------
    model
        Its name.
    rank
        From 1; models that are equal share a rank. None for a model without a score of some task,
        which then has no number but ``tasks``.
    mean, low, high
        The mean over tasks, and its interval for other tasks or queries. Whether two models differ
        cannot be read off two such intervals.
    borda
        In each task a point for each model that it beats, and half a point for each that it equals.
    mean_rank
        The mean over tasks of the rank in the task, of which models that are equal have the
        average.
    rank_low, rank_high
        The best and the worst rank that the separated pairs leave; all true ranks are within with
        the confidence.
    first
        The share of draws in which it is first; models that are first together divide a draw.
    draw_low, draw_high
        Percentiles of its rank in the draws. They show how a ranking would move; the true rank is
        outside more often than the confidence says.
    tier
        From 1; no two models of a tier are separated.
    tasks, missing
        How many of the tasks it has a score of, and the others.
    """

    model: str
    rank: int | None = None
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    borda: float = math.nan
    mean_rank: float = math.nan
    rank_low: int | None = None
    rank_high: int | None = None
    first: float = math.nan
    draw_low: int | None = None
    draw_high: int | None = None
    tier: int | None = None
    tasks: int = 0
    missing: tuple[str, ...] = ()


class Pair(NamedTuple):
    """Two models, the better one first.

    Parameters
    ----------
    better, worse
        Their names, by what they are ranked by.
    difference
        Of their means, or of their Borda points by task.
    low, high
        The interval of the difference; those of all pairs hold together with the confidence. NaN if
        there is none.
    p
        The p-value, corrected for the number of pairs; NaN if they do not differ on any task.
    separated
        Whether they differ significantly: the interval leaves 0 out, and p is at most the level.
    tasks_ahead, tasks_behind
        On how many tasks the better one has the better score, and the worse one.
    sign_p
        The p-value of the sign test, corrected by Holm's method: small if one of the two is better
        on more than half of the tasks on which they differ. NaN if tasks are not drawn.
    ahead_on_more
        The name of the model that is better on significantly more tasks, or None. It says nothing
        of how much better it is.
    wins
        The share of draws in which the better one is above.
    """

    better: str
    worse: str
    difference: float
    low: float
    high: float
    p: float
    separated: bool
    tasks_ahead: int
    tasks_behind: int
    sign_p: float
    ahead_on_more: str | None
    wins: float


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Leaderboard(PagedResult):
    """Models by rank, with the uncertainty of their ranks.

    Parameters
    ----------
    standings
        (n_models,) the models, best first; those without a rank at the end, in the order given.
    tasks
        (n_tasks,) the tasks that count.
    dropped
        {task: number of models without a score} of tasks that do not count.
    scores
        (n_tasks, n_ranked) float64, the scores as given, a column for each model with a rank.
    totals
        (n_ranked,) float64, what they are ranked by, summed over the tasks.
    wins
        (n_ranked, n_ranked) float64, the share of draws in which the model of the row is above that
        of the column; a draw in which they are equal counts as half of one.
    p
        (n_ranked, n_ranked) float64, corrected p-values of the pairs.
    half
        (n_ranked, n_ranked) float64, how far the interval of a pair's difference reaches on both
        sides; infinite if there are too few tasks or draws.
    ahead
        (n_ranked, n_ranked) int64, on how many tasks the model of the row has the better score.
    sign_p
        (n_ranked, n_ranked) float64, p-values of the sign test, corrected by Holm's method.
    separated
        (n_ranked, n_ranked) bool, whether the model of the row is significantly better than that of
        the column.
    queries
        How many queries the tasks have together; None if scores by query were not given.
    settings
        All choices.
    read
        What was read: ``name``, ``sha256`` (of a folder, of the hashes of its files) and ``form``.
    reading
        What was found while reading.
    """

    standings: tuple[Standing, ...]
    tasks: tuple[str, ...]
    dropped: dict[str, int]
    scores: Floats
    totals: Floats
    p: Floats
    half: Floats
    ahead: Ints
    sign_p: Floats
    wins: Floats
    separated: Bools
    queries: int | None
    settings: dict[str, Any]
    read: dict[str, Any]
    reading: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Let nobody write to the arrays."""
        of_pairs = (self.p, self.half, self.ahead, self.sign_p, self.wins, self.separated)
        for array in (self.scores, self.totals, *of_pairs):
            array.flags.writeable = False

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
        by_name = {one.model: one for one in self.standings}
        if model not in by_name:
            raise InputError(
                f"there is no model {shown(model)}", f"choose from {listed([*by_name])}"
            )
        return by_name[model]

    @property
    def maybe_first(self) -> tuple[str, ...]:
        """The models whose rank interval begins with 1: no model is significantly better."""
        return tuple(one.model for one in self.ranked if one.rank_low == 1)

    @property
    def counts(self) -> dict[str, int]:
        """How many models, tasks and pairs there are, and how many pairs are separated."""
        models = len(self.ranked)
        return {
            "models": len(self),
            "ranked": models,
            "tasks": len(self.tasks),
            "pairs": models * (models - 1) // 2,
            "separated": int(self.separated.sum()),
            "neighbours": models - 1,
            "separated_neighbours": int(np.diag(self.separated, 1).sum()),
            "tiers": max(one.tier or 0 for one in self.ranked),
            "maybe_first": len(self.maybe_first),
            "ahead_on_more": sum(one.ahead_on_more is not None for one in self.pair_list()),
        }

    def pairs(self) -> Table:
        """Return a table of all pairs: ``better``, ``worse``, ``difference``, ``p``, and more."""
        return Table(columns_of(self.pair_list()))

    def pair_list(self) -> list[Pair]:
        """Return all pairs of models with a rank, those of the best model first."""
        names, totals = [one.model for one in self.ranked], self.totals / len(self.tasks)
        return [self._pair(names, totals, *at) for at in combinations(range(len(names)), 2)]

    def _pair(self, names: Sequence[str], totals: Floats, one: int, other: int) -> Pair:
        difference, half = float(totals[one] - totals[other]), float(self.half[one, other])
        if math.isinf(half):
            half = math.nan
        ahead, behind = int(self.ahead[one, other]), int(self.ahead[other, one])
        is_told = self.sign_p[one, other] <= self._level and ahead != behind
        return Pair(
            better=names[one],
            worse=names[other],
            difference=difference,
            low=difference - half,
            high=difference + half,
            p=float(self.p[one, other]),
            separated=bool(self.separated[one, other]),
            tasks_ahead=ahead,
            tasks_behind=behind,
            sign_p=float(self.sign_p[one, other]),
            ahead_on_more=(names[one] if ahead > behind else names[other]) if is_told else None,
            wins=float(self.wins[one, other]),
        )

    @property
    def _level(self) -> float:
        return float(1.0 - self.settings["confidence"])

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
        pairs = [*combinations(range(count), 2)]
        apart = self.separated | self.separated.T
        found = letters(self.totals, pairs, [0.0 if apart[pair] else 1.0 for pair in pairs], 0.5)
        return dict(zip((one.model for one in self.ranked), found, strict=True))

    @property
    def headline(self) -> str:
        """Say in a sentence who is first, and how many others may be."""
        ranked, first = len(self.ranked), [one.model for one in self.ranked if one.rank == 1]
        of = f"of {ranked:,} models over {counted(len(self.tasks), 'task')}"
        begin = f"{first[0]} is first {of}"
        if len(first) > 1:
            named = first[: 3 if len(first) > 4 else 4]
            more = len(first) - len(named)
            rest = f"{more:,} others" if more else named.pop()
            begin = f"{', '.join(named)} and {rest} share the first place {of}"
        if len(first) == ranked:
            return begin
        others = len(self.maybe_first) - len(first)
        nouns = counted(others, "other model") if others else "no other model"
        return f"{begin}; {nouns} may be first"

    @property
    def heading(self) -> str:
        """What the leaderboard is of."""
        return f"{len(self.standings):,} models over {len(self.tasks):,} tasks"

    @property
    def notes(self) -> list[str]:
        """The lines below a table: pairs, how the numbers were found, and what is missing."""
        n, chosen = self.counts, self.settings
        over, share = chosen["over"], _percent(chosen["confidence"])
        level, tasks = self._level, counted(n["tasks"], "task")
        by = "the mean score" if chosen["by"] == "mean" else "Borda points"
        missed = "queries" if over == "queries" else "tasks"
        lines = [
            f"separated (significantly different): {n['separated']:,} of "
            f"{counted(n['pairs'], 'pair')}, and {n['separated_neighbours']:,} of "
            f"{n['neighbours']:,} with neighbouring ranks; {counted(n['tiers'], 'tier')}, with no "
            "separated pair within a tier",
            f"ranked by {by} over {tasks}; rank interval: the ranks that the separated pairs "
            f"allow, with {share} confidence for all models together",
            f"pairs: max-T test over all pairs, by {_TESTED[over]}, with a probability of at most "
            f"{_percent(level)} that any is separated wrongly, unless models fail on {missed} of a "
            f"kind that the table lacks; interval of the mean: {_INTERVALS[over]}",
            f"first, rank in draws: from {chosen['resamples']:,} draws of {_DRAWN_UNITS[over]}, "
            f"seed {chosen['seed']}; they show how the ranking would move, but have no confidence "
            "level",
        ]
        if over != "queries":
            lines[3:3] = [
                f"better on more tasks, by whatever amount (sign test, exact, with Holm's "
                f"correction): {n['ahead_on_more']:,} of {counted(n['pairs'], 'pair')}",
                *self._of_rare_tasks(),
            ]
        if chosen["lower_is_better"]:
            lines.append(f"lower is better: {listed(chosen['lower_is_better'])}")
        smallest = n["tasks"] ** (1.0 - n["tasks"])
        if over != "queries" and smallest > level:
            lines.append(
                f"{n['tasks']:,} tasks are too few to separate any two models at "
                f"{_percent(level)}: the smallest p that they can give is {smallest:.3g}"
            )
        if self.unranked:
            names = [f"{one.model} ({len(one.missing):,})" for one in self.unranked]
            lines.append(
                f"not ranked: {counted(len(names), 'model')} without scores of all tasks (number "
                f"of missing ones): {few(names)}"
            )
        if self.dropped:
            names = [f"{task} ({counted(count, 'model')})" for task, count in self.dropped.items()]
            lines.append(
                f"not counted: {counted(len(names), 'task')} without scores of all models (number "
                f"of missing ones): {few(names)}"
            )
        return [*lines, *self.reading]

    def _of_rare_tasks(self) -> list[str]:
        """Say if separated pairs differ by less than a test can tell that knows no tasks but these.

        Of two models of equal means, one may be better by a gap on all tasks but a share of them,
        on which it fails. With probability (1 + gap / range)^-tasks, none of these is drawn.
        """
        tasks, whole = len(self.tasks), self._range
        if whole is None or not self.separated.any():
            return []
        gap = whole * (self._level ** (-1.0 / tasks) - 1.0)
        away = np.abs(self.totals[:, None] - self.totals)[self.separated] / tasks
        if not (near := int(np.count_nonzero(away < gap))):
            return []
        least = math.ceil(math.log(1.0 / self._level) / math.log1p(float(away.min()) / whole))
        return [
            f"if models may fail on rare tasks that the table lacks, {tasks:,} tasks tell no "
            f"difference below {min(gap, whole):.3g}, whatever the test ({self._scale}): {near:,} "
            f"of the separated pairs {'differs' if near == 1 else 'differ'} by less, and the "
            f"smallest of their differences would take {counted(least, 'task')}"
        ]

    @property
    def _scale(self) -> str:
        if self.settings["by"] == "borda":
            return "points of a task"
        return "scores up to 1" if self._range == 1.0 else "scores up to 100"

    @property
    def _range(self) -> float | None:
        """How far apart scores of a task can be, if that can be told from them."""
        if self.settings["by"] == "borda":
            return float(len(self.totals) - 1)
        if self.scores.min() < 0.0 or self.scores.max() > 100.0:
            return None
        return 1.0 if self.scores.max() <= 1.0 else 100.0

    @property
    def kept_notes(self) -> list[str]:
        """The first of the notes, on what is separated."""
        return self.notes[:1]

    def _grids(self, *, top: int | None = None) -> list[MarkedTable]:
        """Return the table of the models, or of the first ones.

        Parameters
        ----------
        top
            How many models to show; None for all.
        """
        rows = self.standings[: None if top is None else whole("top", top)]
        left = len(self.standings) - len(rows)
        table = table_of(
            self._columns(),
            rows,
            caption=f"{self.headline}.",
            label="tab:leaderboard",
            note=f"{left:,} more models are not shown" if left else "",
        )
        return [table]

    def _columns(self) -> list[Column]:
        """Return how a model is shown, what it is ranked by first."""
        mean = [
            _column("mean", lambda one: f"{one.mean:.4f}", lambda one: one.rank == 1),
            _column(
                f"{_percent(self.settings['confidence'])} interval",
                lambda one: "" if math.isnan(one.low) else f"[{one.low:.4f}, {one.high:.4f}]",
            )._replace(attached=True),
        ]
        borda = [_column("Borda", lambda one: f"{one.borda:.1f}")]
        return [
            Column("model", lambda one: one.model),
            Column("rank", lambda one: f"{one.rank or '-'}"),
            *(mean + borda if self.settings["by"] == "mean" else borda + mean),
            _column("rank interval", lambda one: f"{one.rank_low}–{one.rank_high}"),
            _column("rank in draws", lambda one: f"{one.draw_low}–{one.draw_high}"),
            _column("first", lambda one: f"{one.first:.3f}"),
            _column("tier", lambda one: f"{one.tier}"),
        ]

    def _contents(self, *, pairs: bool = False) -> dict[str, Any]:
        """Return what JSON has.

        Parameters
        ----------
        pairs
            Whether it has all pairs of models.

        Returns
        -------
        table
            What was read: ``name``, ``sha256`` and ``form``; the hash of a folder is that of the
            hashes of its files.
        models
            The models, best first.
        dropped_tasks
            {task that does not count: number of models without a score}.
        """
        return {
            "table": self.read,
            "headline": self.headline,
            "settings": self.settings,
            "counts": self.counts,
            "queries": self.queries,
            "maybe_first": self.maybe_first,
            "models": self.standings,
            "tasks": self.tasks,
            "dropped_tasks": self.dropped,
            "notes": self.notes,
            **({"pairs": self.pair_list()} if pairs else {}),
        }

    def _table(self) -> dict[str, Any]:
        return columns_of(self.standings)

    def _pictures(self) -> list[Picture]:
        from rankmark.results.drawing.result_page import Picture  # noqa: PLC0415

        caption = "The rank of each model, with its interval"
        return [Picture(caption, self._drawn, self.picture_size(DRAWN))]

    def _drawn(self, ax: Axes) -> Axes:
        return self.plot(top=DRAWN, title=False, ax=ax)

    def picture_size(self, top: int | None) -> tuple[float, float]:
        """Return the width and height of a plot of the first models, in inches."""
        from rankmark.results.drawing.figures import SIZE  # noqa: PLC0415

        return SIZE[0], max(SIZE[1] / 2, _AROUND + _ROW * len(self.ranked[:top]))

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
        from rankmark.results.drawing.dots import Panel, draw_panels  # noqa: PLC0415
        from rankmark.results.drawing.figures import axes, count_along  # noqa: PLC0415

        top = None if top is None else whole("top", top)
        models = self.ranked[:top]
        panel = Panel(
            label="rank and its interval (hollow: may be first)",
            means=[one.rank or math.nan for one in models],
            lows=[one.rank_low or math.nan for one in models],
            highs=[one.rank_high or math.nan for one in models],
            hollow=[one.rank_low == 1 and one.rank != 1 for one in models],
            line=math.nan,
            beaten=[""] * len(models),
        )
        names = [one.model for one in models]
        with axes(ax, self.picture_size(top)) as canvas:
            told = self.headline if title else ""
            count_along(draw_panels(canvas, [panel], names, [0] * len(models), title=told))
        return canvas


def _column(
    head: str,
    text: Callable[[Standing], str],
    is_best: Callable[[Standing], bool] = lambda _: False,
) -> Column:
    """Return a column that is empty for models without a rank."""
    return Column(head, lambda one: "" if one.rank is None else text(one), is_best)


def _percent(share: float) -> str:
    return f"{100.0 * share:.6g}%"
