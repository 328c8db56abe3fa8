"""What fusion could give at most: the result of ``fusion_bounds``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.array_types import column_means, exact_mean
from rankmark.data.preparing.units import UNIT_CHOICES, shown_units
from rankmark.errors import InputError, counted, one_line
from rankmark.results.escaped_bytes import encodable
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.result import plain
from rankmark.results.shown_result import DrawnResult
from rankmark.verbs.evaluate.known_scores import known_score
from rankmark.verbs.evaluate.provenance import described

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.array_types import Floats
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.statistics import Interval

ORACLE, IDEAL = "best list of each query", "union in ideal order"
UNION = "union"


class FusionBounds(DrawnResult):
    """What each run gives by itself, and what fusing them could give at most.

    Attributes
    ----------
    measure
        The name of the measure.
    runs
        Their names.
    queries
        (n_queries,) ids of the queries averaged, in judgment order.
    scores
        (n_queries, n_runs) float64, each run by itself, its list cut at the depth.
    ideal
        (n_queries,) float64, the documents of all lists in the order of their labels, best first.
        No fusion that ranks these documents is better.
    depths, recalls
        Depths, and (n_depths, n_runs + 1) float64, the mean recall of each list and of their
        union, if lists are cut there.
    settings
        The conventions.
    """

    _captions = {  # noqa: RUF012  (nobody changes it)
        "recall": "The recall of each list and of their union, by the depth at which lists are cut"
    }

    def __init__(
        self,
        *,
        measure: str,
        more_is_better: bool,
        qrels: Qrels,
        runs: Mapping[str, Run],
        queries: Sequence[str],
        scores: Floats,
        ideal: Floats,
        depths: Sequence[int],
        recalls: Floats,
        rel: float,
        settings: Mapping[str, Any],
    ) -> None:
        self.measure = measure
        self.more_is_better = more_is_better
        self.runs: tuple[str, ...] = tuple(runs)
        self._qrels, self._runs = qrels, dict(runs)
        self.queries: tuple[str, ...] = tuple(queries)
        self.scores, self.ideal, self.recalls = scores, ideal, recalls
        self.depths: tuple[int, ...] = tuple(depths)
        self.rel = rel
        self.settings: dict[str, Any] = dict(settings)
        for values in (scores, ideal, recalls):
            values.flags.writeable = False

    @property
    def oracle(self) -> Floats:
        """The score of the best run for each query, (n_queries,) float64.

        It is what choosing the best list for each query would give. Fusion may be better.
        """
        best = self.scores.max(axis=1) if self.more_is_better else self.scores.min(axis=1)
        return np.asarray(best, dtype=np.float64)

    @property
    def best_run(self) -> str:
        """The name of the run with the best mean, the first of these."""
        means = column_means(self.scores)
        return self.runs[int(means.argmax() if self.more_is_better else means.argmin())]

    @property
    def means(self) -> dict[str, float]:
        """The mean of each run, of the oracle's choice, and of the ideal order of the union."""
        return {name: exact_mean(values) for name, values in self._columns().items()}

    @property
    def best_alone(self) -> dict[str, int]:
        """In how many queries each run is better than all others."""
        oracle = self.oracle
        is_best = self.scores == oracle[:, None]
        alone = is_best & (is_best.sum(axis=1, keepdims=True) == 1)
        return dict(zip(self.runs, alone.sum(axis=0).tolist(), strict=True))

    def interval(self, name: str) -> Interval:
        """Return the 95% confidence interval of a mean, by Student's t.

        Raises
        ------
        InputError
            If there is no such mean.
        MissingDependencyError
            If SciPy is not installed.
        """
        from rankmark.statistics import mean_interval  # noqa: PLC0415
        from rankmark.statistics.confidence_intervals import EVERYWHERE  # noqa: PLC0415

        columns = self._columns()
        if name not in columns:
            raise InputError(f"there is no mean of {name!r}", f"choose from {', '.join(columns)}")
        known = known_score(self.measure)
        return mean_interval(columns[name], method="t").within(
            EVERYWHERE if known is None else known.bounds
        )

    def _columns(self) -> dict[str, Floats]:
        columns = {run: self.scores[:, at] for at, run in enumerate(self.runs)}
        return columns | {ORACLE: self.oracle, IDEAL: self.ideal}

    @property
    def heading(self) -> str:
        """What the result is about."""
        return f"What fusion could give at most: {self.measure}"

    def _grids(self) -> list[MarkedTable]:
        """Return the table of means, and that of recall by depth."""
        found = {name: self.interval(name) for name in self._columns()}
        ends = {
            name: "" if one.undefined else f"[{one.low:.4f}, {one.high:.4f}]"
            for name, one in found.items()
        }
        rows = zip(self.depths, self.recalls.tolist(), strict=True)
        return [
            MarkedTable(
                ["", self.measure, "95% interval"],
                ([name, f"{mean:.4f}", ends[name]] for name, mean in self.means.items()),
                caption=f"{self.heading}.",
                label="tab:bounds",
            ),
            MarkedTable(
                ["recall at depth", *self.runs, UNION],
                ([f"{depth:,}", *(f"{value:.4f}" for value in row)] for depth, row in rows),
                caption="Recall by depth.",
                label="tab:recall",
            ),
        ]

    @property
    def _shown_conventions(self) -> dict[str, Any]:
        """The conventions that the notes name."""
        always = {name: one for name, one in self.settings.items() if name not in UNIT_CHOICES}
        shown = always | {"rel": f"{self.rel:g}"} | shown_units(self.settings)
        return {
            name: ",".join(value) if isinstance(value, list) else value
            for name, value in shown.items()
            if value not in (None, [])
        }

    @property
    def notes(self) -> list[str]:
        """The lines below the tables."""
        told = ", ".join(f"{run} {count:,}" for run, count in self.best_alone.items())
        equal = len(self.queries) - sum(self.best_alone.values())
        return [
            f"{counted(len(self.queries), 'query', 'queries')}; those in which one list alone is "
            f"the best: {told}; in which several are: {equal:,}",
            f"{IDEAL}: no fusion of these lists is better. {ORACLE}: as if the best list could be "
            "chosen for each query; fusion may be better",
            "conventions: "
            + " ".join(f"{name}={value}" for name, value in self._shown_conventions.items()),
        ]

    def __repr__(self) -> str:
        means = self.means
        told = ", ".join(f"{name} {means[name]:.4f}" for name in (self.best_run, ORACLE, IDEAL))
        return one_line(f"FusionBounds({self.measure}: {told})")

    def _contents(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return what JSON has, with the scores of each query if ``per_query``.

        Returns
        -------
        recall
            At each depth, the recall of each run and of the union of their lists.
        union
            Of all lists together.
        """
        runs = [*map(encodable, self.runs)]
        written: dict[str, Any] = {
            "qrels": described(self._qrels.source),
            "runs": {encodable(name): described(run.source) for name, run in self._runs.items()},
            "measure": self.measure,
            "settings": self.settings | {"rel": self.rel},
            "queries": len(self.queries),
            "best_run": encodable(self.best_run),
            "means": {encodable(run): self._written(run) for run in self.runs},
            "oracle": self._written(ORACLE),
            "ideal": self._written(IDEAL),
            "best_alone": {encodable(run): count for run, count in self.best_alone.items()},
            "recall": [
                {"depth": depth, **dict(zip([*runs, UNION], row, strict=True))}
                for depth, row in zip(self.depths, self.recalls.tolist(), strict=True)
            ],
        }
        if per_query:
            queries, *columns = self._table().values()
            names = [*self._table()][1:]
            rows = zip(queries, *map(plain, columns), strict=True)
            written["per_query"] = {q: dict(zip(names, row, strict=True)) for q, *row in rows}
        return written

    def _written(self, name: str) -> dict[str, float]:
        one = self.interval(name)
        return {"mean": self.means[name], "low": one.low, "high": one.high}

    def _table(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"query_id": [*map(encodable, self.queries)]}
        for at, run in enumerate(self.runs):
            columns[encodable(run)] = self.scores[:, at]
        return columns | {"oracle": self.oracle, "ideal": self.ideal}

    def _draw(self, kind: str, ax: Axes, *, title: bool) -> None:  # noqa: ARG002  (there is one)
        from rankmark.results.drawing.lines import Line, Look, draw_lines, limit_values  # noqa: PLC0415

        depths = np.array(self.depths)
        looks = [*(Look(number + 1, number + 1) for number in range(len(self.runs))), Look(0, 0)]
        lines = [
            Line(depths, self.recalls[:, at], look, name)
            for at, (look, name) in enumerate(zip(looks, [*self.runs, UNION], strict=True))
        ]
        limit_values(ax, lines, int(depths[-1]), log=True)
        draw_lines(
            ax,
            lines,
            [],
            title=f"recall, {counted(len(self.queries), 'query', 'queries')}" if title else "",
            x_label="depth at which lists are cut",
            y_label="recall",
        )
