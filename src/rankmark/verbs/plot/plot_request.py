"""The request for a plot: its kind, evaluations and measures, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.arguments import whole
from rankmark.errors import InputError
from rankmark.measures.names import every, measure
from rankmark.verbs.plot.captions import conventions_in_words, names_of_runs
from rankmark.verbs.plot.kinds import KINDS, refuse, refuse_unknown
from rankmark.verbs.plot.plottable import Plottable
from rankmark.verbs.plot.run_colours import numbers_of_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.verbs.plot.kinds import Kind


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
        self.log_k: bool = switch("log_k", log_k)
        self.has_title: bool = switch("title", title)
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

    def title(self, *words: str) -> str:
        """Return a title of words and the conventions; empty if there is to be no title."""
        return ", ".join([*words, self.conventions]) if self.has_title else ""


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


def switch(parameter: str, value: object) -> bool:
    """Take True or False.

    Raises
    ------
    InputError
        If the value is something else.
    """
    if not isinstance(value, bool):
        raise InputError(f"{parameter} is {value!r}", "need True or False")
    return value


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
