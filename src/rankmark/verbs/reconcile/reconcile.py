"""Find the conventions that give a number from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Unpack, cast

from rankmark.arguments import FromZero, Kind, checked, from_zero
from rankmark.conventions import DECLARED, Conventions
from rankmark.data.contract.reading_options import OF_ITEMS, Reading, ReadingOptions
from rankmark.data.files.lines_of_text import Ids
from rankmark.data.preparing.item_data import ItemData
from rankmark.data.preparing.pair_options import PairOptions, as_both
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.data.preparing.run import Run, RunSource
from rankmark.data.preparing.units import judgments_of_documents
from rankmark.errors import DuplicateError, InputError, MeasureError
from rankmark.measures import Measure
from rankmark.measures.names import AnyMeasure
from rankmark.measures.of_lists.list_measure import OfItems
from rankmark.measures.of_runs.run_measure import NumberOfRun
from rankmark.profiles.known import profile as profile_of
from rankmark.profiles.profile import Profile
from rankmark.scoring.mismatch_warnings import warn_of_mismatch
from rankmark.scoring.ranked import refuse_unjudged
from rankmark.scoring.request import Asked
from rankmark.scoring.scored_run import without_seen_documents
from rankmark.verbs.evaluate.evaluate_options import ConventionOptions, ItemOptions, shows
from rankmark.verbs.evaluate.query_attributes import Weights, given_weights
from rankmark.verbs.evaluate.shared_inputs import is_nothing, unjudged
from rankmark.verbs.reconcile.candidates import Start
from rankmark.verbs.reconcile.found_conventions import Inputs
from rankmark.verbs.reconcile.given_numbers import given_numbers
from rankmark.verbs.reconcile.rankings import Ranking, Rankings
from rankmark.verbs.reconcile.reconciled import Problem, reconciled
from rankmark.verbs.reconcile.reconciliation import Reconciliation, ToolDifference
from rankmark.verbs.reconcile.tools import tool_difference

# Of more, there are too many combinations for a day.
Changes = Annotated[int, Kind(partial(from_zero, most=5), {"least": 0, "most": 5})]


class KnownOptions(ConventionOptions, ReadingOptions, ItemOptions, total=False):
    """Conventions that the caller knows, and how the inputs are read."""


@checked
@shows(KnownOptions, dict.fromkeys(DECLARED))
def reconcile(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    measure: Iterable[AnyMeasure] | AnyMeasure | None = None,
    value: Any = None,
    *,
    per_query: Any = None,
    digits: FromZero | None = None,
    against: str | None = None,
    changes: Changes | None = None,
    subset: Ids | None = None,
    seen: Any = None,
    weights: Weights | None = None,
    **options: Unpack[KnownOptions],
) -> Reconciliation:
    """Find the conventions under which a run has a number that another program printed.

    All combinations of a few changes are tried: ties, which queries are averaged, gains,
    denominators and others. Those with the fewest changes come first. If nothing gives the number,
    the result has what comes nearest. Conventions that you give are kept, as you know them; None
    means not known. Other values of ``rel`` are tried, too.

    Parameters
    ----------
    Data:
    qrels, run
        As for ``evaluate``.

    Measures:
    measure
        The measure, by its name here, or several. None means those that ``value`` or ``per_query``
        name, or else nDCG@10.
    value
        The number, as text such as ``"0.4310"`` with the decimals that were printed, or a float.
        A number above 1 of a measure that is at most 1 is taken as percent. For several measures a
        list, or {measure: number}: one set of conventions must give them all.
    per_query
        Numbers of queries instead: the output of trec_eval -q, or CSV, TSV or JSON with a column
        for each measure.

        Or {query id: number}, {query id: {measure: number}}, {measure: {query id: number}}, or a
        frame. ``value`` takes these, too.
    digits
        Decimals to compare; None for those that the numbers show.
    against
        A tool, such as ``"ranx"``: show query by query where it differs on these inputs,
        and which of its conventions makes the difference.

        It is the name of a profile; ``value`` is not needed.
    changes
        The most conventions to change at once; None for at most 3, until the number is
        found.

        They are from 0 to 5; None tries fewer for more than 200,000 judged documents, and
        no more after some conventions gave the number.
    subset
        Queries that may have been averaged instead of all.

        A list, or a file of ids.
    seen
        Documents that the other program left out of the rankings, too, as for ``evaluate``.
    weights
        By which the other program weighed queries in its mean, as for ``evaluate``.

    **options
        Conventions that you know, which are kept, and how the inputs are read.

    Returns
    -------
    Reconciliation
        True if conventions were found. ``answers`` has them, ``nearest`` what comes nearest if
        there are none, and ``arithmetic`` the subsets of queries that fit; each with ``changes``,
        ``words``, ``values``, ``coincidence``, and the ``call`` and ``command`` that compute the
        value.

    Raises
    ------
    InputError
        If there is nothing to explain, a number is none, or an input cannot be used.
    MeasureError
        If a measure does not exist.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q": {"a": 1, "b": 2, "c": 0}}
    >>> found = rm.reconcile(qrels, {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}, "AP", "0.3333")
    >>> found.answers[0].words
    'labels from 2 on are relevant (trec_eval -l 2)'
    """
    numbers = given_numbers(measure, value, per_query, digits)
    rel = options.pop("rel", None)
    if rel is not None:
        from rankmark.measures.thresholds import with_rel  # noqa: PLC0415

        numbers = numbers._replace(measures=tuple(with_rel(numbers.measures, rel)))
    _refuse_own_conventions(numbers.measures)
    for one in numbers.measures:
        if numbers.of_queries is not None and isinstance(one, NumberOfRun):
            raise one.not_by_query()
    if not numbers.means and numbers.of_queries is None and against is None:
        raise InputError(
            "there is no number to explain", "give value, per_query, or a tool with against"
        )
    known: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    reading = Reading.taken_from(known)
    of_items = {name.removeprefix("item_"): getattr(reading, name) for name in OF_ITEMS}
    others = {"seen": seen, "weights": weights} | of_items
    inputs = Inputs(qrels, run, reading.of_contents() | others)
    items = _item_data(numbers.measures, reading)
    if is_nothing(qrels):
        qrels, (run,), reading = unjudged([run], Asked.of(numbers.measures, Conventions()), reading)
    by_subtopic = any(one.depends_on == "subtopics" for one in numbers.measures)
    qrels, run = as_both(qrels, run, reading, PairOptions(reading, subtopics=by_subtopic))
    of_units = Conventions(qrels_unit=known.get("qrels_unit")).qrels_unit
    qrels = judgments_of_documents(qrels, of_units)
    if seen is not None:
        run, _ = without_seen_documents(qrels, run, seen, reading, may_differ=False)
    rankings = Rankings(
        qrels,
        run,
        reading.once_more(),
        subtopics=by_subtopic,
        weights=None if weights is None else given_weights(weights, qrels.query_ids),
        items=items,
    )
    conventions, ranking, notes = _start(rankings, known)
    if items is None:
        warn_of_mismatch(qrels, run, ranking.alignment, ranking.facts)
    else:
        for one in numbers.measures:  # says what is missing
            ranking.scores(one)
    start = Start(numbers.measures, conventions, frozenset(known))
    chosen = () if subset is None else cast("tuple[str, ...]", subset)
    differences: tuple[ToolDifference, ...] = ()
    if against is not None:
        differences = _differences(rankings, start, profile_of(against), known, notes)
    if not numbers.means and numbers.of_queries is None:
        return _without_numbers(rankings, differences, notes)
    problem = Problem(numbers, start, ranking, rankings, inputs, known, chosen)
    found = reconciled(problem, changes)
    return replace(found, notes=(*notes, *found.notes), against=differences)


def _item_data(measures: Sequence[Measure], reading: Reading) -> ItemData | None:
    """Return what is known of items for measures of lists; None for others."""
    of_lists = [isinstance(one, OfItems) for one in measures]
    if not any(of_lists):
        reading.refuse_items()
        return None
    if not all(of_lists):
        raise InputError(
            "measures of lists are looked at by themselves", "reconcile the others in another call"
        )
    return ItemData.of(reading)


def _refuse_own_conventions(measures: Iterable[Measure]) -> None:
    """Refuse measures that name conventions, which are what is looked for."""
    for measure in measures:
        if own := measure.own_conventions:
            known = ", ".join(f"{name}={value!r}" for name, value in own)
            plain = measure.with_parameters(**{name: _default(measure, name) for name, _ in own})
            raise MeasureError(
                f"{measure} has conventions of its own, which reconcile looks for",
                f"give {plain}, and {known} if you know that",
            )


def _default(measure: Measure, name: str) -> Any:
    return {**measure.parameters, **measure.common}[name].default


def _differences(
    rankings: Rankings,
    start: Start,
    profile: Profile,
    known: Mapping[str, Any],
    notes: list[str],
) -> tuple[ToolDifference, ...]:
    """Compare with a tool; note the measures that it does not have, unless it has none of them."""
    found, errors = [], []
    for measure in start.measures:
        try:
            found.append(tool_difference(rankings, start, measure, profile, known))
        except MeasureError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    notes += [
        f"not compared: {error.found}" + (f"; {error.remedy}" if error.remedy else "")
        for error in errors
    ]
    return tuple(found)


def _without_numbers(
    rankings: Rankings, differences: tuple[ToolDifference, ...], notes: list[str]
) -> Reconciliation:
    return Reconciliation(
        qrels=rankings.qrels.name,
        run=rankings.run.name,
        start={one.measure: one.ours for one in differences},
        notes=tuple(notes),
        against=differences,
    )


def _start(rankings: Rankings, known: Mapping[str, Any]) -> tuple[Conventions, Ranking, list[str]]:
    """Return the conventions to start from, and the ranking under them."""
    conventions = Conventions(**known)
    notes: list[str] = []
    try:
        rankings.read(Conventions(duplicates=conventions.duplicates))
    except DuplicateError:
        if "duplicates" in known:
            raise
        conventions = Conventions(**{**known, "duplicates": "first"})
        notes.append(
            "a document appears twice in a ranking: its first row counts (duplicates='first')"
        )
    refuse_unjudged(conventions, rankings.qrels.query_ids)
    ranking = rankings.under(conventions)
    if ranking is None:  # a convention that does not fit the run; the message says which
        ranking = rankings.read(conventions)
    ranking.ranked._replace(conventions=conventions).refuse_ties(rankings.run.name)
    return conventions, ranking, notes
