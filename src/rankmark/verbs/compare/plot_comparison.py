"""The method of comparisons for plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

from rankmark.errors import InputError, listed
from rankmark.verbs.plot.captions import texts
from rankmark.verbs.plot.kinds import COMPARED, KINDS, NAMES, ComparedKind, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from rankmark.measures.names import AnyMeasure
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.plot.compared_runs import ComparedRuns


class PlotComparison:
    """The part of a comparison that plots need."""

    runs: tuple[str, ...]
    baseline: str | None
    evaluations: dict[str, Evaluation]

    def plot(
        self,
        kind: ComparedKind | Kind = "leaderboard",
        *,
        measure: Iterable[AnyMeasure] | AnyMeasure | None = None,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        runs: Sequence[str] | None = None,
        query: str | None = None,
        k: int | None = None,
        highlight: Iterable[str] | str | None = None,
        log_k: bool = False,
        title: bool = True,
        ax: Axes | None = None,
    ) -> Axes:
        """Plot the comparison, or its evaluations.

        Parameters
        ----------
        kind
            ``"leaderboard"``, means with intervals; ``"matrix"``, the difference of each pair;
            ``"critical-difference"``, means with bars that join runs that do not differ
            significantly; ``"cutoffs"``, differences from the baseline at each cutoff. Any other
            kind is drawn from the evaluations, as by ``Evaluation.plot``; "Plots"
            in the documentation shows them all.
        measure, measures
            A measure, or several for a leaderboard and a curve; two names of one parameter. None
            for all in a leaderboard, and otherwise the first that can be plotted.
        runs
            Names of the runs to draw, for kinds drawn from evaluations; None for all. Of two runs,
            the first is the baseline.
        query, k, log_k
            For kinds drawn from evaluations, as for ``Evaluation.plot``.
        highlight
            Names of the runs in colour, the others being grey; None for all of up to seven runs,
            and of more, the six best, or the baseline and the five best.
        title
            Whether there is a title.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure, the first if there are several.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        MeasureError
            If a measure was not compared, or cannot be plotted this way.
        InputError
            If there is no such kind of plot, an argument does not suit it, or there is nothing to
            draw.
        """
        if measure is not None and measures is not None:
            raise InputError("measure and measures are one parameter", "give one of them")
        chosen = measure if measures is None else measures
        if kind in get_args(ComparedKind):
            self._refuse_by_rank(kind, runs=runs, query=query, k=k, log_k=log_k or None)
            from rankmark.verbs.plot.comparison_plots import ComparedPlot  # noqa: PLC0415

            compared = cast("ComparedRuns", self)
            looks: dict[str, Any] = {"highlight": highlight, "title": title}
            return ComparedPlot(cast("ComparedKind", kind), compared, chosen, **looks).draw(ax)
        first, *others = self._drawn(kind, runs)
        return self.evaluations[first].plot(
            cast("Kind", kind),
            *(self.evaluations[run] for run in others),
            measures=chosen,
            query=query,
            k=k,
            names=[first, *others],
            highlight=highlight,
            log_k=log_k,
            title=title,
            ax=ax,
        )

    def _refuse_by_rank(self, kind: str, **given: object) -> None:
        for name, value in given.items():
            if value is not None:
                raise InputError(f"{kind} does not use {name}", f"leave {name} out")

    def _drawn(self, kind: object, runs: Sequence[str] | None) -> list[str]:
        """Return the runs to draw from their evaluations, the baseline first."""
        if kind not in NAMES:
            raise InputError(f"kind is {kind!r}", f"need one of {', '.join([*COMPARED, *NAMES])}")
        if not self.evaluations:
            raise InputError(
                f"{kind} is drawn from evaluations, and these scores came from another program",
                f"choose from {', '.join(COMPARED)}",
            )
        drawn = list(self.runs) if runs is None else texts("runs", runs)
        unknown = [run for run in drawn if run not in self.evaluations]
        if unknown:
            raise InputError(
                f"runs: no run is called {unknown[0]!r}",
                f"need names from {listed(self.runs, len(self.runs))}",
            )
        needed = KINDS[kind].runs
        if needed is not None and len(drawn) != needed:
            raise InputError(
                f"{kind} takes {needed} runs, and there are {len(drawn)}",
                "choose them with runs=[baseline, other]",
            )
        if runs is None and self.baseline is not None:
            drawn.sort(key=lambda run: run != self.baseline)
        return drawn
