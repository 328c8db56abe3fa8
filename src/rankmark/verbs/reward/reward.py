"""Reward rankings one by one, or in batches, by any measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np

from rankmark.arguments import checked
from rankmark.conventions import TIES, RankingConventions, query_text
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.preparing.matching import refuse_numbers_as_ids
from rankmark.data.preparing.pair_options import as_qrels
from rankmark.data.preparing.parents import parents_of, without_ids
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.ranking_patterns import RefusedUnits, plain_ranking
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.units import judgments_of_documents, with_parents_of
from rankmark.errors import InputError, MeasureError, RankmarkError, SchemaError, shown
from rankmark.scoring.mismatch_warnings import warn_of_rel
from rankmark.scoring.rejudged import rejudged
from rankmark.verbs.evaluate.evaluate import asked_of, evaluated
from rankmark.verbs.evaluate.evaluate_options import shows
from rankmark.verbs.reward.pattern_scores import JudgedElsewhere, PatternScores

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.parents import DocumentsOfUnits, ParentsSource
    from rankmark.data.preparing.qrels import QrelsSource
    from rankmark.data.preparing.run import RunSource
    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.profiles.profile import Profile
    from rankmark.scoring.request import Asked

_MOST_KNOWN = 1 << 16
"""Patterns whose values are remembered, of some 300 bytes each."""
_WITHOUT_ORDER = ("rank", "error")


class RewardConventions(RankingConventions, total=False):
    """The conventions of an evaluation that concern single rankings, its own or another tool's."""

    profile: str | Profile | None
    """The name of another tool, whose conventions and names of measures are used."""


@checked
@shows(RewardConventions)
def reward(
    qrels: Qrels | QrelsSource,
    measures: Iterable[AnyMeasure] | AnyMeasure,
    *,
    baseline: Run | RunSource | None = None,
    malformed: float | Literal["raise"] = 0.0,
    parents: ParentsSource | None = None,
    **conventions: Unpack[RewardConventions],
) -> Reward:
    """Make a reward function for rankings: ``reward(query_id, ranking)``.

    It is for training loops, which score single rankings many times: the judgments are read and
    hashed once, and rankings that look the same to the measures are scored once. The value is, to
    the last bit, that of ``evaluate`` for the query.

    Parameters
    ----------
    Data:
    qrels
        Relevance judgments in any form that ``evaluate`` takes; prepare them with Qrels if they
        need options.
    baseline
        A run in any form, which is evaluated once. The reward is then the difference from its
        value for the query; a query that it lacks counts as one for which nothing was retrieved.
    parents
        The document of each unit, such as a chunk, that rankings may have: ``{unit: document}``,
        or the path of a file with both on each line. A ranking with another unit is malformed. If
        the unit's id contains the document's, ``unit`` needs no mapping.

    Measures:
    measures
        A name or an object; several give several rewards for each ranking.

    Rewarding:
    malformed
        The value of a malformed ranking, or ``"raise"`` to refuse it with a SchemaError. Malformed
        is what ``evaluate`` would refuse as a ranking: None, text instead of a list, an id that is
        neither text nor a whole number, a score that is missing or NaN. The value takes the place
        of the measure's, so that a baseline is subtracted from it, too.

    Returns
    -------
    Reward
        To be called with a query id and a ranking; its ``batch`` takes many.

    Raises
    ------
    MeasureError
        If a measure or one of its parameters does not exist, or cannot be computed from the
        judgments.
    InputError
        If a convention has an invalid value; for ``ties``, also ``"rank"`` and ``"error"``.
        If ids are positions in an array, and are to be those of units.
    ParseError, DuplicateError, SchemaError
        If the judgments or the baseline cannot be read.

    Notes
    -----
    If lower values of a measure are better, so are lower rewards: negate them.

    Examples
    --------
    >>> import rankmark as rm
    >>> reward = rm.reward({"q1": {"d1": 1, "d2": 0}}, "RR")
    >>> reward("q1", ["d3", "d1"])
    0.5
    >>> reward.batch(["q1", "q1"], [["d1"], None])
    array([1., 0.])
    """
    asked = asked_of(measures, {**conventions})
    if asked.conventions.ties in _WITHOUT_ORDER:
        *rules, last = (rule for rule in TIES if rule not in _WITHOUT_ORDER)
        raise InputError(
            f'ties is "{asked.conventions.ties}", and single rankings have no rank column and are '
            "not refused for their ties",
            f"choose one of {', '.join(rules)} and {last}",
        )
    is_refused = isinstance(malformed, str) and malformed == "raise"
    value = None if is_refused else _number(malformed)
    prepared = as_qrels(qrels, subtopics=asked.needs.subtopics)
    prepared = judgments_of_documents(prepared, asked.conventions.qrels_unit)
    documents = None if parents is None else _documents(parents)
    if prepared.source.by_column and (asked.conventions.unit is not None or documents is not None):
        raise without_ids(prepared.name, "unit" if documents is None else "parents")
    if asked.conventions.drop_self:
        refuse_numbers_as_ids(prepared)
    less = None if baseline is None else _by_query(prepared, baseline, asked, documents)
    several = not isinstance(measures, str) and isinstance(measures, Iterable)
    shape = (len(asked.measures),) if several or len(asked.measures) > 1 else ()
    made = Reward(prepared, asked, value, less, shape, documents)
    made._try_every_query()
    return made


class Reward:
    """A reward function for rankings; made by ``reward``.

    It can be pickled, with its judgments, and used by several threads.
    """

    def __init__(
        self,
        qrels: Qrels,
        asked: Asked,
        malformed: float | None,
        baseline: Mapping[str, Any] | None,
        shape: tuple[int, ...],
        parents: DocumentsOfUnits | None = None,
    ) -> None:
        self._made_of = qrels, asked, malformed, baseline, shape, parents
        self._qrels = qrels
        self._malformed = malformed
        self._baseline = baseline
        self._shape = shape
        self._parts = _parts(qrels, asked, parents)
        self._known: dict[Any, Any] = {}
        has_units = parents is not None or asked.conventions.unit is not None
        self._find = _finder(self._parts, has_units=has_units)
        # Most measures are sums over few labels and ranks. Looking up their terms where the labels
        # are found takes a tenth of the time of their formulas, and no memory of values. All else
        # is remembered by its pattern.
        is_one = len(self._parts) == 1 and not has_units
        self._add_up = self._parts[0].scores.values if is_one else None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order of the rewards."""
        return self._made_of[1].measures

    def __call__(self, query_id: Any, ranking: Any) -> Any:
        """Reward one ranking.

        Parameters
        ----------
        query_id
            Text, or a whole number.
        ranking
            Document ids, best first; or pairs (id, score) or a dict ``{id: score}``, which are
            ordered by score as in a run of ``evaluate``. A document that is repeated counts once,
            in its first place: otherwise recall could exceed 1, and a policy would learn to repeat
            what is relevant.

        Returns
        -------
        float
            Of several measures, (m,) float64. An empty ranking has the value of a query for which
            nothing was retrieved, which is 0 for most measures. The value is NaN if the query is
            not judged: ``evaluate`` would leave it out, and 0 would say that the ranking is bad.

        Raises
        ------
        SchemaError
            If the ranking is malformed, and ``malformed="raise"``.
        InputError
            If the query id is neither text nor a whole number.
        """
        value: Any
        if self._add_up is not None and (values := self._add_up(query_id, ranking)) is not None:
            value = np.array(values) if self._shape else values[0]
        else:
            pattern = self._find(query_id, ranking)
            value = self._known.get(pattern)
            if value is None:
                value = self._value(query_id, ranking, pattern)
            if self._shape:
                value = value.copy()
        return value if self._baseline is None else value - self._less(query_id)

    def batch(self, query_ids: Any, rankings: Any) -> Floats:
        """Reward many rankings, which is faster than one by one.

        Most of the work is done on all cores, without Python's lock.

        Parameters
        ----------
        query_ids
            (n,) ids.
        rankings
            n rankings, each as for a call; or an array of ids, (n, k), in which -1 is no document;
            or a column of lists, of Arrow, pandas or Polars.

        Returns
        -------
        (n,) float64
            Of several measures, (n, m). Each value is that of a call.

        Raises
        ------
        InputError
            If there are not as many rankings as query ids.
        SchemaError
            If a ranking is malformed, and ``malformed="raise"``.
        """
        ids, given = _listed(query_ids, "query_ids"), _listed(rankings, "rankings")
        if len(ids) != len(given):
            raise InputError(
                f"there are {len(ids):,} query ids and {len(given):,} rankings",
                "give a query id for each ranking",
            )
        values = np.empty((len(ids), len(self.measures)))
        plain = np.ones(len(ids), dtype=np.bool_)
        for part in self._parts:
            values[:, part.columns], found = part.scores.score_all(ids, given)
            plain &= found
        for row in np.flatnonzero(~plain).tolist():
            values[row] = self._slowly(ids[row], given[row])
        if self._baseline is not None:
            places = {query: place for place, query in enumerate(dict.fromkeys(ids))}
            less = np.empty((len(places), len(self.measures)))
            for query, place in places.items():
                less[place] = self._less(query)
            values -= less[[places[query] for query in ids]]
        return values if self._shape else values[:, 0]

    def _value(self, query_id: Any, ranking: Any, pattern: Any) -> Any:
        """Return the value of a ranking whose pattern is not known yet: a float, or (m,)."""
        if not pattern:
            values = self._slowly(query_id, ranking)
            return values if self._shape else float(values[0])
        if len(self._parts) == 1:
            values = self._parts[0].scores.score(pattern)
        else:
            values = np.empty(len(self.measures))
            for part, own in zip(self._parts, pattern, strict=True):
                values[part.columns] = part.scores.score(own)
        value = values if self._shape else float(values[0])
        if len(self._known) >= _MOST_KNOWN:
            self._known = {}  # another thread may still use the old one
        self._known[pattern] = value
        return value

    def _slowly(self, query_id: Any, ranking: Any) -> Floats:
        """Return the values of a ranking of any form, or of a malformed one: (m,) float64."""
        query = query_text(query_id, "query_id")
        values = np.full(len(self.measures), np.nan)
        if not self._parts[0].scores.has(query):
            return values
        try:
            plain = plain_ranking(query, ranking)
        except (RankmarkError, TypeError, ValueError) as error:
            if self._malformed is not None:
                values[:] = self._malformed
                return values
            if isinstance(error, SchemaError):
                raise
            raise SchemaError(
                f"found {shown(ranking)}", f"need a ranking: {error}", where=f"query {query!r}"
            ) from error
        self._refuse_no_scores(plain)
        try:
            for part in self._parts:
                values[part.columns] = part.scores.score_plain(query, plain)
        except RefusedUnits as fault:
            if self._malformed is None:
                raise SchemaError(*fault.args, where=f"query {query!r}") from None
            values[:] = self._malformed
        return values

    def _refuse_no_scores(self, ranking: list[Any]) -> None:
        """Refuse units in order where scores are to be added up: whatever their ids are."""
        how = self._made_of[1].conventions.combine
        if how.startswith(("sum", "mean")) and ranking and isinstance(ranking[0], str):
            raise InputError(
                f'combine="{how}" needs scores of units, and a ranking has only their order',
                "give pairs (id, score), or combine units by best, first, count or rrf",
            )

    def _less(self, query_id: Any) -> Any:
        """Return the baseline's value for a query: a float, or (m,)."""
        assert self._baseline is not None  # noqa: S101
        try:
            return self._baseline[query_id]
        except KeyError:
            return self._baseline.get(query_text(query_id, "query_id"), math.nan)

    def _try_every_query(self) -> None:
        """Score an empty ranking of each query, so that what cannot be computed is told here."""
        highest = self._qrels.ideal(self._made_of[1].needs)[1].max(initial=0.0)
        warn_of_rel(self.measures, float(highest))
        for part in self._parts:
            part.scores.try_all()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of

    def __repr__(self) -> str:
        measures = ", ".join(map(str, self.measures))
        return f"<reward {measures} of {len(self._qrels.query_ids):,} queries>"


class _Part(NamedTuple):
    """The scores of measures under one set of conventions, and their columns."""

    scores: PatternScores | JudgedElsewhere
    columns: list[int]


def _documents(parents: Any) -> DocumentsOfUnits:
    if callable(parents):
        raise InputError(
            "parents is a function, and the units of rankings to come are not known",
            "give {unit: document}",
        )
    return parents_of(parents, lambda: ())


def _parts(qrels: Qrels, asked: Asked, parents: DocumentsOfUnits | None) -> list[_Part]:
    """Return the measures by what has to be ranked apart for them."""
    usual = replace(asked.conventions, queries="judged", duplicates="first")
    is_dense = qrels.positional is not None and not qrels.positional.sparse
    columns: dict[tuple[Conventions, bool | Measure], list[int]] = {}
    for column, measure in enumerate(asked.measures):
        own = replace(
            usual.of(measure), queries="judged", duplicates="first", profile=None, of_measures=()
        )
        if measure.costs:
            raise MeasureError(
                f"{measure} needs the {measure.costs[0]} of documents, and rankings to come have "
                "none",
                "leave it out",
            )
        # In an array, documents are positions, and judged for all queries or for none.
        elsewhere = measure.depends_on == "anywhere" and not is_dense
        apart = measure if measure.is_rejudged else elsewhere
        columns.setdefault((own, apart), []).append(column)
    return [
        _Part(
            (JudgedElsewhere if apart is True else PatternScores)(
                rejudged(qrels, asked.measures[places[0]]),
                conventions,
                [asked.measures[column] for column in places],
                parents,
            ),
            places,
        )
        for (conventions, apart), places in columns.items()
    ]


def _finder(parts: Sequence[_Part], *, has_units: bool) -> Callable[[Any, Any], Any]:
    """Return a function of a query id and a ranking that finds what decides about all values.

    That is a pattern, or one for each part; nothing, if the query or the ranking has none.
    """
    finds = [part.scores.find for part in parts]
    find = finds[0] if len(finds) == 1 else _all_of(finds)
    if not has_units:
        return find

    def find_units(query_id: Any, ranking: Any) -> Any:
        try:
            return find(query_id, ranking)
        except RefusedUnits:  # a unit without a document; looked at closely later
            return None

    return find_units


def _all_of(finds: Sequence[Callable[[Any, Any], Any]]) -> Callable[[Any, Any], Any]:
    def find(query_id: Any, ranking: Any) -> tuple[bytes | None, ...] | None:
        patterns = tuple([one(query_id, ranking) for one in finds])
        return patterns if all(patterns) else None

    return find


def _by_query(
    qrels: Qrels, baseline: Any, asked: Asked, parents: DocumentsOfUnits | None
) -> dict[str, Any]:
    """Evaluate the baseline: its value for each judged query, or (m,) values."""
    every = replace(asked.conventions, queries="judged")
    has_own = isinstance(baseline, Run) and with_parents_of(baseline.source) is not None
    reading = AS_USUAL if parents is None or has_own else Reading.of(parents=parents)
    scores = evaluated(qrels, baseline, asked._replace(conventions=every), reading).scores
    values = scores[:, 0].tolist() if scores.shape[1] == 1 else list(scores)
    return dict(zip(qrels.query_ids, values, strict=True))


def _number(malformed: Any) -> float:
    if getattr(malformed, "ndim", 0) == 0 and not isinstance(malformed, (bool, str, bytes)):
        with suppress(TypeError, ValueError, OverflowError):
            return float(malformed)
    raise InputError(f"malformed is {shown(malformed)}", 'need a number, or "raise"')


def _listed(given: Any, name: str) -> list[Any]:
    """Return what a batch contains as a list."""
    if isinstance(given, (list, tuple)):
        return list(given)
    dimensions = getattr(given, "ndim", 1)
    is_one = isinstance(given, (str, bytes, Mapping)) or dimensions == 0
    if is_one or not isinstance(given, Iterable):
        raise InputError(f"{name} is {shown(given)}", "need one for each ranking, in a list")
    if dimensions == 2 and "int" in str(getattr(given, "dtype", "")) and hasattr(given, "tolist"):
        return [[one for one in row if one != -1] if -1 in row else row for row in given.tolist()]
    for convert in ("tolist", "to_list", "to_pylist"):
        if hasattr(given, convert):
            return list(getattr(given, convert)())
    return list(given)
