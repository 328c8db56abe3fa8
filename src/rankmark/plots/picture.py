"""From evaluations to a picture: what is asked for, checked, and drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.conventions import whole
from rankmark.errors import InputError
from rankmark.measures.names import every, measure
from rankmark.plots import drawn_by_query, drawn_by_rank
from rankmark.plots.captions import conventions_in_words, names_of_runs
from rankmark.plots.kinds import KINDS, NAMES, refuse
from rankmark.plots.looks import numbers_of_runs
from rankmark.plots.marks.figures import SIZE, as_file, axes
from rankmark.plots.pictured import Pictured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.axes import Axes

    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.plots.kinds import Kind
    from rankmark.plots.marks.figures import Format


class Picture:
    """What is asked for: a kind of picture of evaluations, whatever it takes checked.

    Raises
    ------
    InputError
        If there is no such kind, or it does not take what is given.
    MeasureError
        If a measure does not exist, or the picture cannot show it.
    """

    def __init__(
        self,
        kind: Kind,
        evaluations: Sequence[Pictured],
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
        self.runs = names_of_runs([one.run_name for one in evaluations], names)
        self.numbers = numbers_of_runs(evaluations, self.runs, highlight)
        self.conventions = conventions_in_words(evaluations[0].conventions)

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on Axes, or on those of a new figure of pyplot, and give them back."""
        drawing = _DRAWINGS[self.kind](self)
        with axes(ax) as canvas:
            drawing(canvas)
        return canvas

    def as_file(self, form: Format, size: tuple[float, float] = SIZE) -> bytes:
        """Give the bytes of a file, ``size`` being width and height in inches."""
        return as_file(_DRAWINGS[self.kind](self), form, size)

    def title(self, *words: str) -> str:
        """Write words and the conventions on one line; nothing, where no title is wanted."""
        return ", ".join([*words, self.conventions]) if self.has_title else ""


_DRAWINGS: dict[Kind, Callable[[Picture], Callable[[Axes], None]]] = {
    "curve": drawn_by_rank.curve,
    "dcg": drawn_by_rank.dcg,
    "precision-recall": drawn_by_rank.precision_recall,
    "differences": drawn_by_query.differences,
    "scatter": drawn_by_query.scatter,
    "distribution": drawn_by_query.distribution,
    "heatmap": drawn_by_query.heatmap,
    "judged": drawn_by_rank.judged,
}


def _refuse_others(evaluations: Sequence[object]) -> None:
    """Refuse what is no evaluation, such as the name of a run."""
    for one in evaluations:
        if not isinstance(one, Pictured):
            raise InputError(
                f"a {type(one).__name__} is not drawn; need evaluations, each an argument of its "
                'own, as in plot("curve", rm.evaluate(qrels, run, "nDCG@10"))'
            )


def _refuse_mixed(evaluations: Sequence[Pictured]) -> None:
    """Refuse evaluations whose numbers one title could not describe."""
    first, *others = (one.conventions for one in evaluations)
    for other in others:
        if other != first:
            raise InputError(
                f"evaluations under unlike conventions, {first} and {other}, are not drawn "
                "together; evaluate the runs alike"
            )
    for one in evaluations[1:]:
        if not one.shares_judgments(evaluations[0]):
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


def _chosen(kind: Kind, evaluation: Pictured) -> tuple[Measure, ...]:
    """Choose what to draw where nobody asks: what was evaluated first and can be drawn."""
    usual = KINDS[kind].measure
    if usual is None:
        return ()
    of_names = {"dcg": ("nDCG", "DCG"), "precision-recall": ("IPrec",)}.get(kind)
    for one in evaluation.measures:
        if one.name in of_names if of_names else kind != "curve" or "k" in vars(one):
            return (one,)
    return (measure(usual),)
