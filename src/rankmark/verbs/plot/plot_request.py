"""The request for a plot of evaluations, checked: its kind, measures, captions and colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

import numpy as np

from rankmark.arguments import flag, whole
from rankmark.errors import InputError, MeasureError, counted, listed
from rankmark.measures.names import every, measure
from rankmark.results.drawing.figures import (
    BEST_RUNS,
    MOST_RUNS,
    Heading,
    coloured_runs,
    numbered,
)
from rankmark.results.run_names import short_names
from rankmark.results.text_width import cut
from rankmark.verbs.plot.kinds import KINDS, refuse, refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Needs
    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.scoring.cutoffs import Rankings
    from rankmark.verbs.plot.kinds import Kind

_TIES = {
    "docid": "ties by docid",
    "docid-asc": "ties by docid, ascending",
    "input": "ties as given",
    "rank": "by the rank column",
    "mean": "mean over orders of ties",
    "best": "best order of ties",
    "worst": "worst order of ties",
    "midrank": "ties at their middle rank",
    "error": "no ties",
}
_LONGEST_NAME = 40
_AGGREGATES = {"mean": "mean of ", "sum": "sum over ", "gmean": "geometric mean of "}


def at_each_k(measure: Measure) -> str:
    """Format a measure's name with k, or a budget's cost, as its cutoff."""
    if measure.budget is not None:
        rule = "" if measure.budget.rule == "stop" else f"({measure.budget.rule})"
        return f"{measure.with_parameters(budget=None)}@{measure.budget.cost}{rule}"
    return str(measure.with_parameters(k=1)).removesuffix("@1") + "@k"


def conventions_in_words(conventions: Conventions) -> str:
    """Return the rule for ties, and the conventions that differ from their defaults."""
    c = conventions
    others = (
        (c.no_relevant != "zero", f"no relevant: {c.no_relevant}"),
        (c.depth is not None, f"depth {c.depth or 0:,}"),
        (c.judged_only, "judged documents only"),
        (c.drop_self, "own documents dropped"),
        (c.duplicates != "error", f"duplicates: {c.duplicates}"),
        (c.precision != "double", c.precision),
        (c.unit is not None, f"units: {c.unit}"),
        (c.qrels_unit is not None, f"judged units: {c.qrels_unit}"),
        (c.combine != "best", f"units combined by {c.combine}"),
        (c.unit_depth is not None, f"first {c.unit_depth or 0:,} units"),
    )
    words = [_TIES[c.ties], *(said for differs, said in others if differs)]
    return ", ".join(words)


def over_queries(
    counts: Sequence[int], query: str | None, aggregates: Sequence[str] = ("mean",)
) -> str:
    """Describe the query shown, or the aggregate and the numbers of queries of each run."""
    if query is not None:
        return f"query {query}"
    several = len(set(aggregates)) > 1
    return ("" if several else _AGGREGATES[aggregates[0]]) + number_of_queries(counts)


def number_of_queries(counts: Sequence[int]) -> str:
    """Format the number of queries, or its range if it differs between runs."""
    least, most = min(counts), max(counts)
    if least != most:
        return f"{least:,} to {most:,} queries"
    return counted(most, "query", "queries")


def texts(parameter: str, value: object) -> list[str]:
    """Return one or several texts as a list."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)):
        listed = list(value)
        if all(isinstance(text, str) for text in listed):
            return listed
    raise InputError(f"{parameter} is {value!r}", "need names of runs: a str, or a list of them")


def names_of_runs(sources: Sequence[str], names: Sequence[str] | None = None) -> list[str]:
    """Name runs, by default by their files without folders and extensions, if these differ.

    Names are shortened to 40 columns.
    """
    return [cut(name, _LONGEST_NAME) for name in _names(sources, names)]


def _names(sources: Sequence[str], names: Sequence[str] | None) -> list[str]:
    if names is not None:
        names = texts("names", names)
        if len(names) != len(sources):
            raise InputError(f"names: {len(names)} for {len(sources)} runs", "give each run one")
        return names
    if not any(name.startswith("<") for name in sources):  # <mapping>, <stdin>, ...
        short = short_names(sources)
        if len(set(short)) == len(sources):
            return short
    if len(sources) == 1:
        return ["run"]
    return [f"run {number}" for number in range(1, len(sources) + 1)]


@runtime_checkable
class Plottable(Protocol):
    """A run's scores by query and measure, (n_queries, n_measures), and its rankings."""

    conventions: Conventions
    measures: tuple[Measure, ...]
    scores: Floats

    @property
    def queries(self) -> tuple[str, ...]:
        """(n_queries,) ids, as text."""
        ...

    @property
    def run_name(self) -> str:
        """The run's file name, or a description such as <mapping>."""
        ...

    def column(self, name: str | Measure) -> int:
        """Return the number of a measure's column in ``scores``."""
        ...

    def shares_judgments(self, other: Self) -> bool:
        """Return True if another evaluation has the same judgments."""
        ...

    def rankings(self, needs: Needs, query: str | None = None) -> Rankings:
        """Align the run, for all queries averaged or for one, for scores at many ranks."""
        ...


def numbers_of_runs(
    evaluations: Sequence[Plottable], names: Sequence[str], highlight: object = None
) -> list[int | None]:
    """Return a number for each run with a colour, in the order of names, and None for grey ones.

    Runs with a colour are the highlighted ones; by default, all if there are enough colours, or
    else the six best by the first measure evaluated.
    """
    if highlight is not None:
        return numbered(names, _found(texts("highlight", highlight), evaluations, names))
    return coloured_runs(names, _best(evaluations) if len(names) > MOST_RUNS else ())


def numbers_of_compared(
    names: Sequence[str],
    best: Sequence[int],
    highlight: object = None,
    baseline: str | None = None,
) -> list[int | None]:
    """Return a number for each run with a colour, as ``numbers_of_runs`` does, by names alone.

    ``best`` are numbers of runs, by the first measure, best first. The baseline has number 0, which
    is black, and always a colour unless others are highlighted; no other run has.
    """
    if highlight is None:
        return coloured_runs(names, best, baseline)
    chosen = set()
    for name in texts("highlight", highlight):
        if name not in names:
            raise _no_such_run(name, names)
        chosen.add(names.index(name))
    _refuse_too_many(chosen)
    return numbered(names, chosen, baseline)


def _no_such_run(name: str, names: Sequence[str]) -> InputError:
    return InputError(
        f"highlight: no run is called {name!r}", f"need one of {listed(names, len(names))}"
    )


def _refuse_too_many(chosen: set[int]) -> None:
    if len(chosen) > MOST_RUNS:
        raise InputError(
            f"highlight: {len(chosen)} runs, and there are {MOST_RUNS} distinct colours",
            "highlight fewer",
        )


def _found(
    highlighted: Sequence[str], evaluations: Sequence[Plottable], names: Sequence[str]
) -> set[int]:
    chosen = set()
    for name in highlighted:
        same = [
            run
            for run, evaluation in enumerate(evaluations)
            if name
            in {
                names[run],
                evaluation.run_name,
                evaluation.run_name.replace("\\", "/").split("/")[-1],
            }
        ]
        if not same:
            raise _no_such_run(name, names)
        chosen.update(same)
    _refuse_too_many(chosen)
    return chosen


def _best(evaluations: Sequence[Plottable]) -> list[int]:
    """Return the best runs by the first measure, or the first runs if not all have it."""
    measure = evaluations[0].measures[0]
    sign = 1.0 if measure.more_is_better else -1.0
    try:
        columns = [each.scores[:, each.column(measure)] for each in evaluations]
    except MeasureError:
        return [*range(BEST_RUNS)]
    means = [
        sign * float(np.nanmean(column)) if (~np.isnan(column)).any() else -np.inf
        for column in columns
    ]
    return np.argsort(-np.array(means), kind="stable")[:BEST_RUNS].tolist()


class PlotRequest:
    """A kind of plot, with its evaluations and options.

    Raises
    ------
    InputError
        If the kind does not exist, or does not accept the arguments.
    MeasureError
        If a measure does not exist, or the plot cannot show it.
    """

    def __init__(
        self,
        kind: Kind,
        evaluations: Sequence[Plottable],
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        *,
        query: str | None = None,
        k: int | None = None,
        names: Sequence[str] | None = None,
        highlight: Iterable[str] | str | None = None,
        log_k: bool = False,
        title: bool = True,
    ) -> None:
        refuse_unknown(kind)
        _refuse_others(evaluations)
        self.kind = kind
        self.evaluations = evaluations
        self.query: str | None = None if query is None else str(query)
        self.k: int | None = None if k is None else whole("k", k)
        self.log_k: bool = flag("log_k", log_k)
        self.has_title: bool = flag("title", title)
        requested = () if measures is None else tuple(every(measures))
        options = {"by_rank": k is not None, "one_query": query is not None, "along_k": self.log_k}
        refuse(kind, len(evaluations), len(requested), **options)
        _refuse_mixed(evaluations)
        self.measures: tuple[Measure, ...] = requested or _default_measures(kind, evaluations[0])
        self.runs: list[str] = names_of_runs(
            [evaluation.run_name for evaluation in evaluations], names
        )
        self.numbers: list[int | None] = numbers_of_runs(evaluations, self.runs, highlight)
        self.conventions: str = conventions_in_words(evaluations[0].conventions)

    def heading(self, *words: str, caption: Sequence[str] = ()) -> Heading:
        """Return a title of words, and a caption that ends with the conventions.

        Both are empty if there is to be no title.
        """
        if not self.has_title:
            return Heading()
        return Heading(", ".join(words), "; ".join([*caption, self.conventions]))


def _refuse_others(evaluations: Sequence[object]) -> None:
    """Refuse arguments that are not evaluations, such as the name of a run."""
    for evaluation in evaluations:
        if not isinstance(evaluation, Plottable):
            raise InputError(
                f"a {type(evaluation).__name__} cannot be drawn",
                "need evaluations, each an "
                'argument of its own, as in plot("curve", rm.evaluate(qrels, run, "nDCG@10"))',
            )


def _refuse_mixed(evaluations: Sequence[Plottable]) -> None:
    """Refuse evaluations with different conventions or judgments."""
    first, *others = (evaluation.conventions for evaluation in evaluations)
    for other in others:
        if other != first:
            raise InputError(
                f"evaluations with different conventions, {first} and {other}, cannot be drawn "
                "together",
                "evaluate the runs with the same conventions",
            )
    for evaluation in evaluations[1:]:
        if not evaluation.shares_judgments(evaluations[0]):
            raise InputError(
                "evaluations over different judgments cannot be drawn together",
                "evaluate the runs with the same qrels",
            )


def _default_measures(kind: Kind, evaluation: Plottable) -> tuple[Measure, ...]:
    """Return the first evaluated measure that can be drawn, or the kind's default."""
    default = KINDS[kind].measure
    if default is None:
        return ()
    names = {"dcg": ("nDCG", "DCG"), "precision-recall": ("IPrec",)}.get(kind)
    for evaluated in evaluation.measures:
        if evaluated.name in names if names else kind != "curve" or "k" in vars(evaluated):
            return (evaluated,)
    return (measure(default),)
