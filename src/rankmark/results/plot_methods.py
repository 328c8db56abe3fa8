"""Plots of evaluations, as their methods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from rankmark.errors import InputError, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from rankmark.alignment.alignment import Needs
    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.plots.kinds import Kind
    from rankmark.scoring.cutoffs import Rankings
    from rankmark.scoring.kept_data import KeptData


class PlotMethods(ABC):
    """What an evaluation has so that it is Plottable."""

    conventions: Conventions
    measures: tuple[Measure, ...]
    scores: Floats
    _kept: KeptData
    _rows: Ints | None

    @property
    @abstractmethod
    def queries(self) -> tuple[str, ...]:
        """(n_queries,) ids, as text."""

    @property
    @abstractmethod
    def run_name(self) -> str:
        """The run's file name; a mapping has none."""

    @abstractmethod
    def column(self, name: str | Measure) -> int:
        """Give the column of ``scores`` that a measure has."""

    def plot(
        self,
        kind: Kind = "curve",
        *others: PlotMethods,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        query: str | None = None,
        k: int | None = None,
        names: Sequence[str] | None = None,
        highlight: Iterable[str] | str | None = None,
        log_k: bool = False,
        title: bool = True,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw a picture of this run, and of others beside it.

        Parameters
        ----------
        kind
            ``"curve"``, a measure at each cutoff; ``"dcg"``, against the ideal; ``"judged"``, how
            much is judged and tied at each rank; ``"precision-recall"``; ``"differences"`` and
            ``"scatter"``, of two runs; ``"distribution"``; ``"heatmap"``; see docs/plots.md.
        *others
            Evaluations of other runs, over the same judgments and under the same conventions. Of
            two, this run is the baseline: a difference is the other less this one.
        measures
            What to draw, several for a curve; None for the first evaluated that can be drawn. Where
            each query's score is drawn, it must have been evaluated.
        query
            One query instead of all, where the picture goes down ranks.
        k
            The last rank, where it does; None for the measure's cutoff, else 100 or the last.
        names
            Of the runs, this one first; None for their files' names.
        highlight
            Names of the runs that have a colour, the others standing back in grey; None for all of
            up to seven, and of more the first and the five best.
        log_k
            Whether the axis of k is logarithmic, where there is one.
        title
            Whether a title says what is drawn.
        ax
            Where to draw, over what is there; None for a new figure of pyplot.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the new figure's, to be changed and saved as one likes.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        MeasureError
            If a measure does not exist, was not evaluated, or cannot be drawn so.
        InputError
            If there is no such picture, it does not take what is given, or nothing is to be drawn;
            or if ``ax`` or another evaluation is something else, or is over other judgments.
        """
        from rankmark.plots.plots import Plot  # noqa: PLC0415

        return Plot(
            kind,
            (self, *others),
            measures,
            query=query,
            k=k,
            names=names,
            highlight=highlight,
            log_k=log_k,
            title=title,
        ).draw(ax)

    def shares_judgments(self, other: PlotMethods) -> bool:
        """Say whether another evaluation is over the same judgments, read at once or twice."""
        return self._kept.shares_judgments(other._kept)

    def rankings(self, needs: Needs, query: str | None = None) -> Rankings:
        """Align the run, of all queries averaged or of one, to look at it at many ranks.

        Raises
        ------
        InputError
            If the query is none of those averaged, or what must be read again has changed.
        """
        import numpy as np  # noqa: PLC0415

        from rankmark.scoring.cutoffs import Rankings  # noqa: PLC0415

        rows = self._rows
        if query is not None:
            if not self.queries:
                raise InputError(f"query {query!r} is not averaged: no query is; see queries")
            if query not in self.queries:
                raise InputError(
                    f"query {query!r} is none of those averaged: "
                    f"{listed(self.queries[:3], len(self.queries))}; name one of them"
                )
            rows = np.array([self._kept.qrels.query_ids.index(query)])
        return Rankings(self._kept, needs, rows)
