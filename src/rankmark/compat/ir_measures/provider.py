"""A provider of ir_measures that computes with rankmark, by the profile of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import ir_measures
import numpy as np
from ir_measures import Metric
from ir_measures.providers import Evaluator, Provider
from ir_measures.providers.base import NOT_PROVIDED
from ir_measures.util import QrelsConverter, RunConverter

from rankmark.array_types import Bools, Floats
from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import DuplicateError, MeasureError, MismatchError
from rankmark.measures import Compat, Measure, NumRel
from rankmark.measures.base.requirements import ABOVE_ZERO, needs_of
from rankmark.profiles.ir_measures import OWN_PYTHON, PROFILE
from rankmark.profiles.requests import in_notation
from rankmark.scoring.query_scores import score

_DEEPER_THAN_ANY_RANKING = 10**9


class Meaning(NamedTuple):
    """What a measure of ir_measures is here.

    Parameters
    ----------
    measure
        The measure that gives its numbers.
    conventions
        Those of the tool to which ir_measures leaves the measure.
    highest
        Higher labels count as this one; None if there is no limit.
    to_the_end
        Its cutoff is the end of the ranking or of the ideal ranking, whichever is longer.
    """

    measure: Measure
    conventions: Conventions
    highest: float | None = None
    to_the_end: bool = False


def meaning_of(asked: ir_measures.Measure) -> Meaning | None:
    """Return what a measure of ir_measures is here; None if there is no such measure here."""
    given = {
        name: asked[name] for name in asked.SUPPORTED_PARAMS if asked[name] is not NOT_PROVIDED
    }
    if asked.NAME == "Compat":
        return _compat(given["p"]) if given["normalize"] else None
    if asked.NAME == "RBP" and ("rel" not in given or "cutoff" in given):
        return None  # graded relevance and cutoffs, which no tool computes for ir_measures
    gains = given.pop("gains", None)
    try:
        found = in_notation(PROFILE, str(type(asked)(**_plain(asked.params))))
        if len(found) != 1:
            return None
        measure = found[0] if gains is None else _with_gains(found[0], gains)
    except MeasureError:  # a parameter that is not allowed here
        return None
    chosen = {**PROFILE.conventions_of(measure), "judged_only": measure.judged_only}
    chosen.pop("queries", None)  # ir_measures gives numbers of queries in both, of all measures
    return Meaning(measure(judged_only=False), Conventions(**chosen), given.get("max_rel"))


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as they are written, but for gains, which are not written in full."""
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in parameters.items()
        if name != "gains"
    }


def _with_gains(measure: Measure, gains: dict[Any, float]) -> Measure:
    if getattr(measure, "gain", None) != "linear":
        raise MeasureError("gains are mapped before they are exponential", "leave out one")
    not_negative = {label: max(gain, 0) for label, gain in gains.items()}
    return measure(gain=not_negative | {"other": "linear"})


def _compat(p: float) -> Meaning:
    """Sum to the end of the longer list, which the profile refuses: no measure here does."""
    measure = Compat(k=_DEEPER_THAN_ANY_RANKING, p=p)
    return Meaning(measure, Conventions(**OWN_PYTHON), to_the_end=True)


_NUM_RELEVANT = NumRel(rel=ABOVE_ZERO)
_COLUMNS = ["query_id", "doc_id", "score"]
_PLACES = (
    "NumQ", "NumRet", "NumRel", "NumRet rel", "AP", "Rprec", "Bpref", "RR", "IPrec", "P", "R",
    "infAP", "nDCG", "nDCG cutoff", "AP cutoff", "Success", "SetP", "SetP relative", "SetR",
    "SetAP", "SetF",
)  # fmt: skip
"""The order of trec_eval, and so of ir_measures without this provider."""


class RankmarkProvider(Provider):
    """Computes the measures of ir_measures that rankmark has, with ir_measures' numbers.

    Examples
    --------
    >>> import ir_measures
    >>> from rankmark.compat.ir_measures import RankmarkProvider
    >>> qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}
    >>> RankmarkProvider().calc_aggregate([ir_measures.RR], qrels, run)
    {RR: 0.5}
    """

    NAME: str = "rankmark"

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Return whether rankmark has a measure with these parameters."""
        measure.validate_params()
        return not hasattr(measure, "runtime_impl") and meaning_of(measure) is not None

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> Evaluator:
        meanings = {}
        if isinstance(measures, AbstractSet):  # whose order changes from process to process
            measures = sorted(measures, key=_place)
        for measure in measures:
            meaning = meaning_of(measure)
            if meaning is None:
                raise ValueError(f"unsupported measure {measure}")
            meanings[measure] = meaning
        return RankmarkEvaluator(meanings, qrels)


def _place(measure: ir_measures.Measure) -> tuple[int, float, str]:
    """Return where a measure comes among others; those that trec_eval lacks are last, by name."""
    name = measure.NAME
    for parameter in ("rel", "cutoff", "relative"):
        if f"{name} {parameter}" in _PLACES and measure.params.get(parameter):
            name = f"{name} {parameter}"
    number = measure.params.get("cutoff", measure.params.get("recall", 0))
    place = _PLACES.index(name) if name in _PLACES else len(_PLACES)
    return place, number if place < len(_PLACES) else 0, str(measure)


class _Kind(NamedTuple):
    """What an alignment depends on; measures with the same are computed together."""

    conventions: Conventions
    by_subtopic: bool
    highest: float | None


class _Group(NamedTuple):
    """Measures that are computed from one alignment, and their judgments."""

    kind: _Kind
    qrels: Qrels
    measures: dict[ir_measures.Measure, Meaning]


class RankmarkEvaluator(Evaluator):
    """Evaluates any number of runs with the same measures and judgments."""

    def __init__(self, meanings: Mapping[ir_measures.Measure, Meaning], qrels: Any) -> None:
        by_kind: dict[_Kind, dict[ir_measures.Measure, Meaning]] = {}
        for asked, meaning in meanings.items():
            by_subtopic = meaning.measure.depends_on == "subtopics"
            kind = _Kind(meaning.conventions, by_subtopic, meaning.highest)
            by_kind.setdefault(kind, {})[asked] = meaning
        judgments = _Judgments(qrels, by_subtopic=any(kind.by_subtopic for kind in by_kind))
        super().__init__([*meanings], set(judgments.by_query))
        self._queries = [query for query, labels in judgments.by_query.items() if labels]
        self._groups = [
            _Group(kind, judgments.prepared(kind), measures)
            for kind, measures in by_kind.items()
            if self._queries
        ]

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        if not self._groups:
            return
        rankings = _Rankings(run)
        scores: dict[ir_measures.Measure, list[float]] = {}
        answered: Bools | None = None
        for group in self._groups:
            aligned = rankings.match(group)
            if aligned is None:  # no query is judged
                return
            alignment, answered = aligned
            for asked, meaning in group.measures.items():
                scores[asked] = _scored(meaning, alignment).tolist()
        assert answered is not None  # noqa: S101
        rows = {str(query): row for row, query in enumerate(self._queries)}
        for name in rankings.queries():
            row = rows.get(str(name))
            if row is not None and answered[row]:
                for asked, values in scores.items():
                    yield Metric(self._queries[row], asked, values[row])


class _Judgments:
    """Judgments in the forms that the measures need."""

    def __init__(self, qrels: Any, *, by_subtopic: bool) -> None:
        converter = QrelsConverter(qrels)
        self._by_subtopic: dict[str, dict[str, dict[Any, float]]] = {}
        if not by_subtopic:
            self.by_query: dict[str, dict[Any, float]] = converter.as_dict_of_dict()
            return
        self.by_query = {}
        for row in converter.as_namedtuple_iter():
            self.by_query.setdefault(row.query_id, {})[row.doc_id] = row.relevance
            subtopics = self._by_subtopic.setdefault(row.query_id, {})
            labels = subtopics.setdefault(str(getattr(row, "iteration", "0")), {})
            labels[row.doc_id] = row.relevance

    def prepared(self, kind: _Kind) -> Qrels:
        """Prepare the judgments of the queries that have any."""
        if kind.by_subtopic:
            return Qrels(self._by_subtopic, subtopics=True)
        highest, lowest = kind.highest, 0 if kind.conventions.judged_only else None
        judged = {query: labels for query, labels in self.by_query.items() if labels}
        if highest is not None or lowest is not None:
            judged = {
                query: {
                    document: label if highest is None else min(label, highest)
                    for document, label in labels.items()
                    if lowest is None or label >= lowest  # as trec_eval -J
                }
                for query, labels in judged.items()
            }
        return Qrels(judged)


class _Rankings:
    """A run, and the order of its queries."""

    def __init__(self, run: Any) -> None:
        converter = RunConverter(run)
        self._frame: Any = None
        self._rows: Any = None
        if converter.predict_type()[0] == "pd_dataframe":
            self._frame = run[_COLUMNS]  # the others may look like ids
            self._run = Run(self._frame)
        else:
            self._rows = converter.as_dict_of_dict()
            self._run = Run(self._rows)

    def queries(self) -> Iterable[str]:
        """Return the ids of the queries, in the order of the run."""
        if self._rows is None:
            return list(self._frame["query_id"].unique())
        return list(self._rows)

    def match(self, group: _Group) -> tuple[Alignment, Bools] | None:
        """Align the run with judgments; None if no query of the run is judged."""
        needs = needs_of([*(meaning.measure for meaning in group.measures.values()), _NUM_RELEVANT])
        try:
            alignment, facts = match(
                group.qrels, self._run, group.kind.conventions, needs=needs, doubted=False
            )
        except MismatchError:
            return None
        except DuplicateError:
            if self._rows is not None:
                raise
            # The last row of a document counts, as in the dicts that ir_measures makes.
            self._rows = RunConverter(self._frame).as_dict_of_dict()
            self._run = Run(self._rows)
            return self.match(group)
        return alignment, facts.answered


def _scored(meaning: Meaning, a: Alignment) -> Floats:
    """Score each query: (Q,) float64."""
    if not meaning.to_the_end:
        return score(meaning.measure, a)
    ends = np.maximum(a.retrieved, score(_NUM_RELEVANT, a)).astype(np.int64)
    values = np.zeros(len(ends))
    for end in np.unique(ends[ends > 0]).tolist():
        values = np.where(ends == end, score(_up_to(meaning.measure, end), a), values)
    return values


def _up_to(measure: Measure, end: int) -> Measure:
    return measure(k=end)
