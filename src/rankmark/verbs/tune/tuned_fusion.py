"""The result of tuning fusion: what to deploy, what it gives on other queries, and all points."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.array_types import column_means, exact_mean
from rankmark.errors import counted, one_line
from rankmark.results.escaped_bytes import encodable
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import Heading, InText, Look, Notes, Part
from rankmark.results.shown_result import TabledResult
from rankmark.verbs.tune.tuning_grid import TriedFusion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.array_types import Floats, Ints
    from rankmark.data.preparing.run import Run
    from rankmark.measures import Measure
    from rankmark.statistics import Interval
    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.fuse.fused_run import FusedRun
    from rankmark.verbs.tune.chosen_points import ChosenPoints
    from rankmark.verbs.tune.fusion_bounds import FusionBounds
    from rankmark.verbs.tune.tuning_grid import FusionPoint

TUNED, UNTUNED = "tuned, held out", "RRF(k=60)"
_SHOWN = 10  # points in the table of a text


class TunedFusion(TabledResult):
    """Weights and parameters of fusion chosen on judged queries, with their held-out scores.

    Attributes
    ----------
    measure
        The measure that was maximised.
    runs
        Names of the runs, in the order of the weights.
    queries
        (n_queries,) ids of the queries averaged, in judgment order.
    points
        All ways to fuse that were tried.
    scores
        (n_points, n_queries) float64, the score of each query by each point.
    best
        The point with the highest mean over all queries, the one to deploy.
    bounds
        What fusion could give at most: FusionBounds.
    settings
        All choices.
    """

    def __init__(
        self,
        *,
        measure: Measure,
        runs: Mapping[str, Run],
        queries: Sequence[str],
        points: Sequence[FusionPoint],
        scores: Floats,
        folds: Ints,
        picked: ChosenPoints,
        untuned: Floats,
        bounds: FusionBounds,
        clusters: Sequence[Hashable] | None,
        fuse_options: Mapping[str, Any],
        settings: Mapping[str, Any],
    ) -> None:
        self.measure = measure
        self.runs: tuple[str, ...] = tuple(runs)
        self.queries: tuple[str, ...] = tuple(queries)
        self.points: tuple[FusionPoint, ...] = tuple(points)
        self.scores = scores
        self.scores.flags.writeable = False
        self.best = self.points[picked.best]
        self.bounds = bounds
        self.settings: dict[str, Any] = dict(settings)
        self._picked, self._folds = picked, folds
        self._untuned = untuned
        self._clusters = clusters
        self._runs = dict(runs)
        self._fuse_options = dict(fuse_options)

    @property
    def held_out(self) -> dict[str, float]:
        """{query id: score}, each by what was chosen on the queries outside of its fold.

        Those of the repeat whose mean is the nearest to that of all repeats. They go into
        ``rm.compare_scores``.
        """
        return dict(zip(self.queries, self._held_out.tolist(), strict=True))

    @property
    def _held_out(self) -> Floats:
        """The held-out scores that are compared: (n_queries,) float64.

        The mean over repeats would vary less than it should: a test would find fusion worse than a
        run that is as good in 30 % of cases at a level of 5 %.
        """
        return self._picked.held_out[self._picked.middle]

    @property
    def held_out_mean(self) -> float:
        """The mean of ``held_out``: what tuning gives on queries that it has not seen."""
        return exact_mean(self._held_out)

    @property
    def held_out_means(self) -> tuple[float, ...]:
        """The held-out mean of each repeat; their spread is due to the folds alone."""
        return tuple(map(exact_mean, self._picked.held_out))

    @property
    def training_mean(self) -> float:
        """The mean of the best point on the queries on which it was chosen, which is too good."""
        return exact_mean(self.scores[self._picked.best])

    @property
    def optimism(self) -> float:
        """By how much ``training_mean`` is better than the average of ``held_out_means``."""
        difference = self.training_mean - float(np.mean(self.held_out_means))
        return difference if self.measure.more_is_better else -difference

    @property
    def held_out_points(self) -> dict[str, FusionPoint]:
        """{query id: the point that was chosen without the query}, as in ``held_out``."""
        chosen = self._picked.of_fold(self._folds)[self._picked.middle].tolist()
        return dict(zip(self.queries, (self.points[at] for at in chosen), strict=True))

    @cached_property
    def table(self) -> tuple[TriedFusion, ...]:
        """All points, in the order of ``points``."""
        chosen = np.bincount(self._picked.chosen.reshape(-1), minlength=len(self.points))
        rows = zip(self.points, self._intervals, chosen.tolist(), strict=True)
        return tuple(
            TriedFusion(
                **point._asdict(), mean=one.estimate, low=one.low, high=one.high, chosen=times
            )
            for point, one, times in rows
        )

    @cached_property
    def _intervals(self) -> tuple[Interval, ...]:
        from rankmark.statistics import mean_intervals  # noqa: PLC0415

        found = mean_intervals(self.scores.T, method="t", clusters=self._clusters)
        return tuple(one.within(self.measure.bounds) for one in found)

    @cached_property
    def run(self) -> FusedRun:
        """The runs fused by the best point, for all queries."""
        return self.fused(self.best)

    @cached_property
    def held_out_run(self) -> Run:
        """The runs fused query by query, each by what was chosen without it, as in ``held_out``.

        Its mean is ``held_out_mean``, so any function can judge what tuning gives, such as
        ``gate``. It has the queries that are averaged.
        """
        from rankmark.data.preparing.run import Run  # noqa: PLC0415

        points = self.held_out_points
        rankings: dict[str, dict[str, float]] = {}
        for point in dict.fromkeys(points.values()):
            fused = self.fused(point).to_dict()
            rankings |= {q: fused[q] for q, one in points.items() if one == point and q in fused}
        return Run({query: rankings[query] for query in points if query in rankings})

    def fused(self, point: FusionPoint) -> FusedRun:
        """Fuse the runs by a point, for all queries.

        Parameters
        ----------
        point
            One of ``points``, or another.
        """
        from rankmark.verbs.fuse.fuse import fuse  # noqa: PLC0415

        return fuse(self._runs, **point.options, **self._fuse_options)

    @property
    def scores_by_run(self) -> dict[str, dict[str, float]]:
        """{name: {query id: score}} of each run, of untuned fusion, and of ``held_out``.

        It is what ``compared`` compares, and an argument of ``rm.compare_scores``.
        """
        columns = zip(*self._compared_scores().tolist(), strict=True)
        return {
            name: dict(zip(self.queries, column, strict=True))
            for name, column in zip(self._compared_names, columns, strict=True)
        }

    @property
    def _compared_names(self) -> list[str]:
        return [*self.runs, UNTUNED, TUNED]

    def _compared_scores(self) -> Floats:
        return np.column_stack([self.bounds.scores, self._untuned, self._held_out])

    @cached_property
    def compared(self) -> Comparison:
        """The held-out scores against the single runs and untuned RRF, with tests and intervals.

        ``rm.compare_scores`` compares ``scores_by_run`` with other choices.
        """
        from rankmark.verbs.compare.compare import comparison_of  # noqa: PLC0415
        from rankmark.verbs.compare.compared_rows import ComparedMeasure  # noqa: PLC0415

        scores = self._compared_scores()
        kind = ComparedMeasure(
            str(self.measure),
            more_is_better=self.measure.more_is_better,
            bounds=self.measure.bounds,
        )
        clusters = self._clusters
        return comparison_of(
            runs=self._compared_names,
            measures=[kind],
            queries=self.queries,
            scores=scores[:, :, None],
            means=column_means(scores)[:, None],
            baseline=TUNED,
            clusters=None if clusters is None else dict(zip(self.queries, clusters, strict=True)),
            weights=None,
            by=None,
            test="randomisation",
            correction="holm",
            family="measure",
            interval="auto",
            confidence=0.95,
            resamples=None,
            seed=self.settings["seed"],
            threads=1,
        )

    def named(self, point: FusionPoint) -> str:
        """Describe a point in words, with the names of the runs."""
        if point.weights is None:
            return point.method
        weights = zip(self.runs, point.weights, strict=True)
        return f"{point.method}, weights " + " ".join(f"{run}={w:g}" for run, w in weights)

    @property
    def _counted_queries(self) -> str:
        return counted(len(self.queries), "query", "queries")

    @property
    def summary(self) -> list[str]:
        """The lines above the tables: what to deploy, and what it gives."""
        means = self.held_out_means
        return [
            f"Best on all {self._counted_queries}: {self.named(self.best)}",
            f"{self.measure}: {self.held_out_mean:.4f} held out (with other folds {min(means):.4f} "
            f"to {max(means):.4f}, {np.mean(means):.4f} on average); {self.training_mean:.4f} on "
            "the queries it was chosen on",
            f"Optimism, the latter minus the average held out: {round(self.optimism, 4) + 0.0:.4f}",
        ]

    def _grids(self) -> list[MarkedTable]:
        """Return the table of the points chosen most often, the best point among them."""
        rows = [*enumerate(self.table)]
        sign = -1.0 if self.measure.more_is_better else 1.0
        rows.sort(key=lambda row: (row[0] != self._picked.best, -row[1].chosen, sign * row[1].mean))
        folds = self._picked.chosen.size
        head = ["method", *self.runs, str(self.measure), "95% interval", "chosen"]
        cells = []
        for at, one in rows[:_SHOWN]:
            weights = (
                ["" for _ in self.runs] if one.weights is None else map("{:g}".format, one.weights)
            )
            ends = f"[{one.low:.4f}, {one.high:.4f}]" if one.low == one.low else ""
            mark = "*" if at == self._picked.best else ""
            times = f"{one.chosen:,} of {folds:,}"
            cells.append([f"{one.method}{mark}", *weights, f"{one.mean:.4f}", ends, times])
        caption = f"Ways to fuse, {self.measure}, {self._counted_queries}."
        return [MarkedTable(head, cells, caption=caption, label="tab:tuning")]

    @property
    def notes(self) -> list[str]:
        """The lines below the tables."""
        settings = self.settings
        tried = f"{len(self.points):,} points were tried; the table has those chosen most often"
        groups = "queries" if self._clusters is None else "queries, clusters kept together"
        return [
            f"*: the best on all queries. {tried if len(self.points) > _SHOWN else ''}".rstrip(),
            f"held out: {settings['folds']} folds of {groups}, seed {settings['seed']}; each query "
            "is scored by what was chosen on the other folds. The queries were dealt into folds "
            f"{settings['repeats']} times, and the time with the mean nearest to that of all is "
            "compared",
        ]

    def _parts(self, look: Look, **_: Any) -> Sequence[Part]:
        if look.is_pasted:
            return self._grids()
        bounds = "What fusion could give at most:"
        return [
            InText(self.summary, self.summary),
            Heading("Held out, against the runs and untuned fusion:"),
            *self.compared._parts(look),
            Heading("Points:"),
            *self._grids(),
            Notes(self.notes),
            *([Heading(bounds)] if look.form == "text" else []),
            *self.bounds._parts(look),
        ]

    def __repr__(self) -> str:
        mean = f"{self.measure} {self.held_out_mean:.4f} held out"
        return one_line(f"TunedFusion({self.named(self.best)}: {mean})")

    def _contents(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return what JSON has, with the scores of each query if ``per_query``.

        Returns
        -------
        compared
            The held-out scores against the runs and untuned RRF: a Comparison.
        """
        bounds = self.bounds.to_dict(per_query=per_query)
        written: dict[str, Any] = {
            "qrels": bounds.pop("qrels"),
            "runs": bounds.pop("runs"),
            "measure": str(self.measure),
            "more_is_better": self.measure.more_is_better,
            "settings": self.settings,
            "queries": len(self.queries),
            "best": self._written(self.best),
            "held_out_mean": self.held_out_mean,
            "held_out_means": self.held_out_means,
            "training_mean": self.training_mean,
            "optimism": self.optimism,
            "points": [
                self._written(point)
                | {"mean": row.mean, "low": row.low, "high": row.high, "chosen": row.chosen}
                for point, row in zip(self.points, self.table, strict=True)
            ],
            "compared": self.compared.to_dict(),
            "bounds": bounds,
            "notes": self.notes,
        }
        return written | ({"held_out": self.held_out} if per_query else {})

    def _written(self, point: FusionPoint) -> dict[str, Any]:
        weights = point.weights
        named = (
            None if weights is None else dict(zip(map(encodable, self.runs), weights, strict=True))
        )
        return {"method": point.method, "weights": named}

    def _table(self) -> dict[str, Any]:
        rows = self.table
        columns: dict[str, Any] = {"method": [row.method for row in rows]}
        for at, run in enumerate(self.runs):
            columns[f"weight_{encodable(run)}"] = np.array(
                [np.nan if row.weights is None else row.weights[at] for row in rows]
            )
        for name in ("mean", "low", "high"):
            columns[name] = np.array([getattr(row, name) for row in rows])
        return columns | {"chosen": [row.chosen for row in rows]}

    def plot(self, *, title: bool = True, ax: Axes | None = None) -> Axes:
        """Plot the mean against the weight of a run, with intervals around the best line.

        With two runs, there is a line for each method, by the weight of the second run. With more,
        there is a line for each run, by its weight: the best mean of all points with this weight.
        Horizontal lines show the held-out mean and untuned fusion.

        Parameters
        ----------
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
            If no weights were tuned, or ``ax`` is not Axes.
        """
        from rankmark.verbs.tune.plot_weights import draw_weights  # noqa: PLC0415

        told = f"{self.measure}, {self._counted_queries}, a 95% interval around the best line"
        return draw_weights(
            ax,
            self.runs,
            self.table,
            self.table[self._picked.best],
            {TUNED: self.held_out_mean, f"{UNTUNED}, untuned": self.untuned_mean},
            measure=str(self.measure),
            more_is_better=self.measure.more_is_better,
            title=told if title else "",
        )

    @property
    def untuned_mean(self) -> float:
        """The mean of RRF with its usual constant, and equal weights."""
        return exact_mean(self._untuned)
