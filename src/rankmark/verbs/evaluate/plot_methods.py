"""The methods of evaluations for plots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from rankmark.errors import InputError, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Needs
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.scoring.cutoffs import Rankings
    from rankmark.scoring.kept_data import KeptData
    from rankmark.verbs.plot.kinds import Kind


class PlotMethods(ABC):
    """The part of an evaluation that plots need."""

    _keeps_documents: ClassVar[bool] = True
    """Whether there is more than scores."""

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
        """The name of the run's file, or its form, such as ``<mapping>``."""

    @abstractmethod
    def column(self, name: str | Measure) -> int:
        """Return the column of a measure in ``scores``."""

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
        """Plot this run, alone or with others.

        Parameters
        ----------
        kind
            ``"curve"``, a measure at each cutoff; ``"dcg"``, with the ideal; ``"judged"``, the
            judged and tied shares at each rank; ``"precision-recall"``; ``"differences"`` and
            ``"scatter"``, of two runs; ``"distribution"``; ``"heatmap"``; "Plots" in the
            documentation shows them all.
        *others
            Evaluations of other runs with the same judgments and conventions. Of two runs, this one
            is the baseline: a difference is the other minus this one.
        measures
            One measure, or several for a curve; None for the first evaluated one that can be
            plotted. For plots of scores by query, it must have been evaluated.
        query
            Plot one query; for plots by rank.

            None for all.
        k
            The last rank, for plots by rank; None for the measure's cutoff, else 100 or the
            length of the rankings.
        names
            Names of the runs, this one first; None for the names of their files.
        highlight
            A run in colour, the others being grey; None for all of up to 7, of more the 6 best, or
            the baseline and the 5 best.

            Or a list of their names.
        log_k
            Make the axis of k logarithmic.
        title
            Whether there are a title and a caption.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure, which you can change and save.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        MeasureError
            If a measure does not exist, was not evaluated, or cannot be plotted this way.
        InputError
            If there is no such kind of plot, an argument does not suit it, there is nothing to
            draw, ``ax`` is not an Axes, or another evaluation has different judgments.
        """
        from rankmark.verbs.plot.evaluation_plots import Plot  # noqa: PLC0415

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

    def shares_judgments(self, other: PlotMethods | Qrels) -> bool:
        """Return whether another evaluation has the same judgments, even if read separately."""
        if not isinstance(other, PlotMethods):
            return self._kept.shares_judgments(other)
        if not other._keeps_documents:
            return other.shares_judgments(self)
        return self._kept.shares_judgments(other._kept)

    def rankings(self, needs: Needs, query: str | None = None) -> Rankings:
        """Align the run for many cutoffs, for all queries averaged or for one.

        Raises
        ------
        InputError
            If the query was not averaged, or data that must be read again has changed.
        """
        import numpy as np  # noqa: PLC0415

        from rankmark.scoring.cutoffs import Rankings  # noqa: PLC0415

        rows = self._rows
        if query is not None:
            if not self.queries:
                raise InputError(
                    f"no query is averaged, so not query {query!r}",
                    "see the queries of the evaluation",
                )
            if query not in self.queries:
                raise InputError(
                    f"query {query!r} is not among those averaged",
                    f"choose from {listed(self.queries[:3], len(self.queries))}",
                )
            rows = np.array([self._kept.qrels.query_ids.index(query)])
        return Rankings(self._kept, needs, rows)
