"""The result of comparing judgments: pairs of judges, all of them together, slices and doubts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from rankmark.data.preparing.units import shown_units
from rankmark.errors import InputError, NotEvaluatedError, counted, one_line
from rankmark.judges.agreement import agreement_tables as tables
from rankmark.judges.agreement.agreement_figures import WORDS
from rankmark.judges.agreement.given_labels import written_label
from rankmark.judges.agreement.judgment_warnings import RARE, Doubt, doubts_of_labels
from rankmark.judges.agreement.pair_agreement import PairAgreement, WorstPair
from rankmark.results.number_style import number, with_ends
from rankmark.results.result import interval_for_json
from rankmark.results.shown_parts import InText, Items, Look, Notes, Part
from rankmark.results.shown_result import PagedResult
from rankmark.results.table_schema import columns_of
from rankmark.verbs.evaluate.provenance import described, read_as

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats, Ints
    from rankmark.judges.agreement.systems_by_judges import SystemsByJudges
    from rankmark.results.drawing.result_page import Picture
    from rankmark.results.marked_tables import MarkedTable
    from rankmark.results.plain_table import Table
    from rankmark.scoring.kept_data import Described
    from rankmark.statistics import Interval

AgreementPlot = Literal["confusion", "queries", "systems"]


class Judge(NamedTuple):
    """A judge: the name, where the labels come from, how many there are, and how many failed."""

    name: str
    source: Described
    judged: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgmentComparison(PagedResult):
    """How far judges agree on labels, with intervals over queries.

    The figures are those of the first two judges; ``pairs`` has those of all pairs.

    Parameters
    ----------
    judges
        The judges; the others are measured against the first.
    pairs
        The agreement of each pair of judges.
    alphas
        Krippendorff's alpha of all judges together, at each level.
    slices
        The agreement of the first two judges in each slice of the queries.
    settings
        All choices.
    leaderboards
        How the systems are ordered by the first judge and by the second; None if no runs were
        given.
    system_doubts
        Warnings that need runs.
    """

    judges: tuple[Judge, ...]
    pairs: tuple[PairAgreement, ...]
    alphas: Mapping[str, Interval]
    slices: Mapping[str, PairAgreement]
    settings: dict[str, Any]
    leaderboards: SystemsByJudges | None = None
    system_doubts: tuple[Doubt, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the judges."""
        return tuple(judge.name for judge in self.judges)

    def pair(self, first: str, second: str) -> PairAgreement:
        """Return the agreement of two judges, in the order in which they were given.

        Raises
        ------
        NotEvaluatedError
            If there is no such pair.
        """
        for one in self.pairs:
            if (one.first, one.second) == (first, second):
                return one
        raise NotEvaluatedError(
            f"there is no pair {first!r}, {second!r}", f"the judges are {', '.join(self.names)}"
        )

    def __getitem__(self, name: str) -> Interval:
        figures = self.pairs[0].figures
        if name not in figures:
            raise NotEvaluatedError(f"there is no figure {name!r}", f"choose {', '.join(figures)}")
        return figures[name]

    def _ipython_key_completions_(self) -> list[str]:
        """Return what completes ``comparison["`` in notebooks."""
        return [*WORDS]

    @property
    def agreement(self) -> Interval:
        """The share of pairs to which both give the same label."""
        return self["agreement"]

    @property
    def kappa(self) -> Interval:
        """Cohen's kappa, without weights."""
        return self["kappa"]

    @property
    def weighted_kappa(self) -> Interval:
        """Cohen's kappa with quadratic weights, by the values of the labels."""
        return self["kappa_quadratic"]

    @property
    def alpha(self) -> Interval:
        """Krippendorff's alpha of all judges, ordinal; ``alphas`` has the other levels."""
        return self.alphas["alpha_ordinal"]

    @property
    def ac1(self) -> Interval:
        """Gwet's AC1."""
        return self["ac1"]

    @property
    def bias(self) -> Interval:
        """The mean difference of labels: the second judge's minus the first's."""
        return self["bias"]

    @property
    def labels(self) -> Floats:
        """All labels, rising: (K,) float64."""
        return self.pairs[0].labels

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries with a pair that the first two judges both labelled."""
        return self.pairs[0].queries

    @property
    def confusion(self) -> Ints:
        """The pairs by the label of the first judge (row) and the second (column): (K, K) int64."""
        return self.pairs[0].confusion

    @property
    def by_label(self) -> Mapping[float, Mapping[str, Interval]]:
        """What the second judge says where the first gives a label.

        {label: {"mean", "same", "higher", "lower"}}: its mean label, and the shares that it labels
        the same, higher and lower.
        """
        return self.pairs[0].of_labels

    @property
    def by_threshold(self) -> Mapping[float, Mapping[str, Interval]]:
        """The figures if labels from a threshold on are relevant, for each label but the lowest."""
        return self.pairs[0].at_thresholds

    @property
    def by_query(self) -> Table:
        """The figures of each query, and its number of pairs."""
        return self.pairs[0].by_query

    def worst(self, n: int = 20) -> tuple[WorstPair, ...]:
        """Return the pairs that the first two judges label most differently, at most a thousand."""
        return self.pairs[0].worst(n)

    @property
    def summary(self) -> str:
        """What the comparison found: a sentence for each judge but the first."""
        sentences = [one.summary for one in self.pairs if one.first == self.names[0]]
        if len(self.judges) > 2:
            alpha = self.alpha
            sentences.append(
                f"alpha (ordinal) of all {len(self.judges)} judges is {with_ends(alpha, 2)}"
            )
        if self.leaderboards is not None and (found := self.leaderboards.summary):
            sentences.append(found)
        return "\n".join(map(one_line, sentences))

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """What to know before the labels are used, each with a code."""
        found = [
            doubt
            for pair in self.pairs
            if pair.first == self.names[0]
            for doubt in doubts_of_labels(pair, self._judge(pair.second).failed)
        ]
        return (*found, *self.system_doubts)

    @property
    def warnings(self) -> list[str]:
        """The same as text."""
        return [doubt.text for doubt in self.doubts]

    def _judge(self, name: str) -> Judge:
        return next(judge for judge in self.judges if judge.name == name)

    @property
    def headline(self) -> str:
        """The summary."""
        return self.summary

    @property
    def heading(self) -> str:
        """What was compared."""
        return f"Labels by {', '.join(self.names[:-1])} and {self.names[-1]}"

    @property
    def notes(self) -> list[str]:
        """The lines below the tables: what was compared, and how intervals were found."""
        lines = [
            f"{counted(one.n, 'pair')} of a query and a document judged by {one.first} and "
            f"{one.second}, {counted(len(one.queries), 'query', 'queries')}; "
            f"only {one.first}: {one.only_first:,}, only {one.second}: {one.only_second:,}"
            for one in self.pairs
        ]
        lines += [
            f"{judge.name} failed to label {judge.failed:,} documents, which are left out"
            for judge in self.judges
            if judge.failed
        ]
        lines.append(
            "not to be seen in these figures: whether a model had human labels in its prompt, "
            "or wrote the queries"
        )
        read = [read_as(judge.source, "every row relevant") for judge in self.judges]
        return [*lines, *self.kept_notes, *filter(None, read)]

    @property
    def kept_notes(self) -> list[str]:
        """The notes that stay without the audit: what the numbers mean."""
        pair, sampling = self.pairs[0], self.pairs[0].sampling
        by_t = "jackknife over queries, t"
        how = {
            "auto": f"{by_t}; lower ends of coefficients by {sampling.resamples:,} random weights "
            f"of the queries, and of one labelled by chance that they may lack, seed "
            f"{sampling.seed}",
            "jackknife": by_t,
            "bootstrap": f"{sampling.resamples:,} draws of queries, percentiles, seed "
            f"{sampling.seed}",
            "pairs": "by pair, as if the labels of a query were independent, and so too short",
        }
        lines = [
            f"intervals: {100 * sampling.confidence:.6g}%, {how[sampling.method]}; means of "
            f"queries: t; labels {tables.labels_of(pair)}"
        ]
        queries = len(pair.queries)
        if (missed := (1 - RARE) ** queries) > RARE:
            lines.append(
                f"in {missed:.0%} of samples, {counted(queries, 'query', 'queries')} have none of "
                f"a kind that makes up 1 in {1 / RARE:.0f}, such as those that a judge misreads; "
                f"{sampling.unaware} do not allow for it"
            )
        if units := shown_units(self.settings):
            lines.append("runs: " + " ".join(f"{name}={value}" for name, value in units.items()))
        if pair.scale.merges:
            lines.append(
                "labels below 0 are labels of their own in agreement, kappa, nominal alpha, AC1, "
                "Scott's pi and Brennan-Prediger, and 0 elsewhere"
            )
        if len(self.judges) == 2:
            lines.append(
                "one set of human labels does not show how well people agree with each other; "
                "give a second one as a third file"
            )
        return lines

    def _grids(self, *, per_query: bool = False) -> list[MarkedTable]:
        """Return all tables, or only that of the queries."""
        found = [tables.of_queries(self.pairs[0])] if per_query else self._own_grids()
        if self.leaderboards is not None and not per_query:
            found += self.leaderboards._grids()
        for at, table in enumerate(found, 1):
            table.caption = f"{self.heading}: {table.caption}."
            table.label = "tab:judges" if at == 1 else f"tab:judges-{at}"
        return found

    def _own_grids(self) -> list[MarkedTable]:
        """Return the tables without those of leaderboards."""
        pair = self.pairs[0]
        found = [
            tables.of_figures(pair),
            tables.of_thresholds(pair),
            tables.of_labels(pair),
            tables.of_confusion(pair),
        ]
        if len(self.judges) > 2:
            found = [tables.of_alphas(self.alphas), tables.of_pairs(self.pairs), *found]
        if self.slices:
            found.append(tables.of_slices(self.slices))
        return found

    @property
    def told_warnings(self) -> list[str]:
        """The warnings as lines of text."""
        return [one_line(f"warning: {line}") for line in self.warnings]

    def _parts(self, look: Look, *, per_query: bool = False) -> Sequence[Part]:
        """Return the summary, the warnings, the tables and the notes; pasted, tables alone."""
        if look.is_pasted:
            return self._grids(per_query=per_query)
        summary, warnings = self.summary.split("\n"), self.told_warnings
        queries = [tables.of_queries(self.pairs[0])] if per_query else []
        parts: list[Part] = [InText([*summary, *warnings], [*summary, Items(warnings)])]
        parts += [*self._own_grids(), *queries]
        if (boards := self.leaderboards) is not None:
            parts += boards.parts()
        return [*parts, Notes(self.kept_notes if look.quiet else self.notes)]

    def __repr__(self) -> str:
        pair = self.pairs[0]
        shown = ", ".join(
            f"{name}={number(pair.figures[name].estimate)}"
            for name in ("agreement", "kappa", "alpha_ordinal", "bias")
        )
        return one_line(f"JudgmentComparison({', '.join(self.names)}: {pair.n:,} pairs, {shown})")

    def _pictures(self) -> list[Picture]:
        from rankmark.results.drawing.result_page import Picture  # noqa: PLC0415

        first, second = self.names[:2]
        captions: dict[AgreementPlot, str] = {
            "confusion": f"How many documents have each label by {first} and by {second}",
            "queries": f"Mean label of each query by {first} and by {second}",
        }
        if self.leaderboards is not None:
            captions["systems"] = f"Score of each system by {first} and by {second}"
        return [Picture(caption, partial(self._drawn, kind)) for kind, caption in captions.items()]

    def _drawn(self, kind: AgreementPlot, ax: Axes) -> Axes:
        return self.plot(kind, ax=ax)

    def _contents(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        judge_a, judge_b
            The two judges of a figure.
        judged
            How many documents it judged.
        threshold
            The lowest relevant label of the figure; None if it is about all labels.
        query_mean, query_low, query_high
            The mean of the figure over queries, with its interval.
        figures, thresholds
            Figures with their intervals, of all labels and at each lowest relevant label.
        worst
            The pairs of labels that differ most.
        code, text
            Which warning it is, and what it says.
        """
        written: dict[str, Any] = {
            "judges": [
                {"name": judge.name, "judged": judge.judged, "failed": judge.failed}
                | {"source": described(judge.source)}
                for judge in self.judges
            ],
            "settings": self.settings,
            "summary": self.summary,
            "alphas": {name: interval_for_json(one) for name, one in self.alphas.items()},
            "pairs": [one.to_dict(per_query=per_query) for one in self.pairs],
        }
        if self.slices:
            written["slices"] = {name: one.to_dict() for name, one in self.slices.items()}
        if self.leaderboards is not None:
            written["leaderboards"] = self.leaderboards.to_dict()
        return written | {"warnings": self.doubts, "notes": self.notes}

    def _table(self) -> dict[str, Any]:
        return columns_of([row for pair in self.pairs for row in pair.rows()])

    def plot(
        self, kind: AgreementPlot = "confusion", *, title: bool = True, ax: Axes | None = None
    ) -> Axes:
        """Plot the labels of the first two judges.

        Parameters
        ----------
        kind
            What to plot: the table of labels; the mean label of each query by both; or the score of
            each of the runs by both.

            ``"confusion"`` draws the table as a heat map, ``"queries"`` the means of one judge
            against the other's, with the line of equality, and ``"systems"`` the same of the
            systems' scores, if runs were given.
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
            If the kind is unknown, needs runs, or ``ax`` is not Axes.
        """
        from rankmark.results.drawing.figures import axes  # noqa: PLC0415

        if kind not in get_args(AgreementPlot):
            raise InputError(f"kind is {kind!r}", f"choose {', '.join(get_args(AgreementPlot))}")
        if kind == "systems" and self.leaderboards is None:
            raise InputError("there are no systems to plot", "give runs= to compare_judgments")
        with axes(ax) as canvas:
            if kind == "confusion":
                _draw_confusion(canvas, self.pairs[0], has_title=title)
            elif kind == "queries":
                _draw_queries(canvas, self.pairs[0], has_title=title)
            elif self.leaderboards is not None:
                self.leaderboards.plot(title=title, ax=canvas)
        return canvas


def _draw_confusion(ax: Axes, pair: PairAgreement, *, has_title: bool) -> None:
    """Draw the table of labels of two judges."""
    from rankmark.results.drawing.shaded_cells import draw_label_cells  # noqa: PLC0415

    kappa = pair.figures["kappa"].estimate
    queries = counted(len(pair.queries), "query", "queries")
    title = f"{pair.n:,} pairs of {queries}, kappa {kappa:.2f}"
    draw_label_cells(
        ax,
        pair.confusion,
        [written_label(label) for label in pair.labels.tolist()],
        title=title if has_title else "",
        names=(pair.first, pair.second),
    )


def _draw_queries(ax: Axes, pair: PairAgreement, *, has_title: bool) -> None:
    """Draw the mean label of each query by one judge against the other's."""
    from rankmark.results.drawing.points import draw_equality  # noqa: PLC0415

    bias = pair.figures["bias"].estimate
    queries = counted(len(pair.queries), "query", "queries")
    title = f"mean labels of {queries}, mean difference {bias:+.2f}"
    draw_equality(
        ax,
        *pair.mean_labels,
        pair.queries,
        title=title if has_title else "",
        labels=(f"mean label by {pair.first}", f"mean label by {pair.second}"),
        what=("query", "queries"),
        judge=pair.second,
    )
