"""What is to be plotted: a kind of plot, its evaluations and measures, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.conventions import whole
from rankmark.errors import InputError
from rankmark.measures.names import every, measure
from rankmark.plots.captions import conventions_in_words, names_of_runs
from rankmark.plots.kinds import KINDS, NAMES, refuse
from rankmark.plots.looks import numbers_of_runs
from rankmark.plots.plottable import Plottable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.plots.kinds import Kind


class PlotRequest:
    """A kind of plot of evaluations, with what it takes.

    Raises
    ------
    InputError
        If there is no such kind, or it does not take what is given.
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
        if kind not in NAMES:  # a tuple, which also takes what cannot be hashed
            raise InputError(f"kind is {kind!r}; need one of {', '.join(NAMES)}")
        _refuse_others(evaluations)
        self.kind = kind
        self.evaluations = evaluations
        self.query = None if query is None else str(query)
        self.k = None if k is None else whole("k", k)
        self.log_k = _switch("log_k", log_k)
        self.has_title = _switch("title", title)
        asked = _listed(measures)
        taken = {"by_rank": k is not None, "one_query": query is not None, "along_k": self.log_k}
        refuse(kind, len(evaluations), len(asked), **taken)
        _refuse_mixed(evaluations)
        self.measures = asked or _chosen(kind, evaluations[0])
        self.runs = names_of_runs([evaluation.run_name for evaluation in evaluations], names)
        self.numbers = numbers_of_runs(evaluations, self.runs, highlight)
        self.conventions = conventions_in_words(evaluations[0].conventions)

    def title(self, *words: str) -> str:
        """Write words and the conventions on one line; nothing, where no title is wanted."""
        return ", ".join([*words, self.conventions]) if self.has_title else ""


def _refuse_others(evaluations: Sequence[object]) -> None:
    """Refuse what is no evaluation, such as the name of a run."""
    for evaluation in evaluations:
        if not isinstance(evaluation, Plottable):
            raise InputError(
                f"a {type(evaluation).__name__} is not drawn; need evaluations, each an "
                'argument of its own, as in plot("curve", rm.evaluate(qrels, run, "nDCG@10"))'
            )


def _refuse_mixed(evaluations: Sequence[Plottable]) -> None:
    """Refuse evaluations whose numbers one title could not describe."""
    first, *others = (evaluation.conventions for evaluation in evaluations)
    for other in others:
        if other != first:
            raise InputError(
                f"evaluations under unlike conventions, {first} and {other}, are not drawn "
                "together; evaluate the runs alike"
            )
    for evaluation in evaluations[1:]:
        if not evaluation.shares_judgments(evaluations[0]):
            raise InputError(
                "evaluations over different judgments are not drawn together, as one number would "
                "stand for another task; evaluate the runs with the same qrels"
            )


def _switch(what: str, given: object) -> bool:
    if not isinstance(given, bool):
        raise InputError(f"{what} is {given!r}; need True or False")
    return given


def _listed(given: Iterable[AnyMeasure] | AnyMeasure | None) -> tuple[Measure, ...]:
    """Find the measures asked for, once each, in the order asked."""
    if given is None:
        return ()
    return tuple(every(given))


def _chosen(kind: Kind, evaluation: Plottable) -> tuple[Measure, ...]:
    """Choose what to draw where nobody asks: what was evaluated first and can be drawn."""
    usual = KINDS[kind].measure
    if usual is None:
        return ()
    of_names = {"dcg": ("nDCG", "DCG"), "precision-recall": ("IPrec",)}.get(kind)
    for measured in evaluation.measures:
        if measured.name in of_names if of_names else kind != "curve" or "k" in vars(measured):
            return (measured,)
    return (measure(usual),)
