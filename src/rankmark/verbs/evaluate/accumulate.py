"""Evaluate batch by batch, in one process or in many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

from rankmark.arguments import Name, checked
from rankmark.conventions import Conventions, query_texts
from rankmark.data.contract.reading_options import Progress, Reading, ReadingOptions
from rankmark.data.contract.source import ANSWERED, RETRIEVED
from rankmark.errors import InputError, MismatchError, SchemaError, listed
from rankmark.profiles.conditions import concerning
from rankmark.profiles.known import profile as known_profile
from rankmark.scoring import mismatch_warnings as mismatch
from rankmark.scoring.ranked import averaged, refuse_ties, refuse_unjudged
from rankmark.scoring.request import described
from rankmark.scoring.scored_run import matched
from rankmark.verbs.evaluate.accumulated import AccumulatedEvaluation
from rankmark.verbs.evaluate.audit import counted_audit
from rankmark.verbs.evaluate.batches import Batches, numbered
from rankmark.verbs.evaluate.evaluate import asked_of
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions, shows
from rankmark.verbs.evaluate.provenance import Sources, unsaid_rel_of
from rankmark.verbs.evaluate.query_rows import QueryRows, natural_order
from rankmark.verbs.evaluate.scored_batch import given_ids, of_queries, scored_batch

if TYPE_CHECKING:
    from rankmark.array_types import Ints
    from rankmark.data.preparing.item_data import ItemData
    from rankmark.data.preparing.qrels import Qrels, QrelsSource
    from rankmark.data.preparing.run import Run, RunSource
    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.verbs.evaluate.evaluation import Evaluation

OnRepeat = Literal["error", "last"]
_NO_QUERY = "\0"  # stands for judgments without queries


@shows(ProfiledConventions)
class Accumulator:
    """Evaluates queries that come in batches, as ``evaluate`` does for all of them at once.

    Give each batch to ``update``, in any order and form; then ``result`` returns the Evaluation of
    all queries. Accumulators of other processes or machines are added with ``merge``. They can be
    pickled, and are small: they keep the scores and counts of each query, and no documents.
    ``write`` and ``read`` keep them in a Parquet file.

    All rankings of a query must come in one batch.

    Parameters
    ----------
    Measures:
    measures
        As for ``evaluate``.

    Batches:
    on_repeat
        What to do with a query that comes twice: refuse it (``"error"``), or keep what came last
        (``"last"``). A query that one batch only judges, and another one answers, comes once, so
        that each batch can have part of a run and all judgments.
    name
        The name of this accumulator in messages, such as ``"rank 0"``.
    **conventions
        The conventions of ``evaluate``.

    Raises
    ------
    MeasureError
        If a measure or one of its parameters does not exist.
    InputError
        If a convention has an invalid value.

    Examples
    --------
    >>> import rankmark as rm
    >>> acc = rm.Accumulator(["RR", "AP"])
    >>> acc.update({"q2": {"a": 1, "b": 0}}, {"q2": {"b": 0.9, "a": 0.5}})
    >>> acc.update({"q1": {"c": 1}}, {"q1": {"c": 0.7}})
    >>> ev = acc.result()
    >>> ev["RR"], ev.per_query("RR")
    (0.75, {'q1': 1.0, 'q2': 0.5})
    """

    @checked
    @shows(ProfiledConventions)
    def __init__(
        self,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        *,
        on_repeat: OnRepeat = "error",
        name: Name | None = None,
        **conventions: Unpack[ProfiledConventions],
    ) -> None:
        self._asked = asked_of(measures, {**conventions})
        profile = self._asked.profile
        self._profile = None if profile is None else known_profile(profile)
        self._on_repeat = on_repeat
        self._name = name
        self.items: ItemData | None = None
        self._batches = Batches()
        self._merged = 0

    def __len__(self) -> int:
        return len(self._batches)

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.measures))
        queries, batches = len(self), len(self._batches.names)
        counted = f"{queries:,} {'query' if queries == 1 else 'queries'} in {batches:,} batch"
        return f"Accumulator({names}: {counted}{'' if batches == 1 else 'es'})"

    def __copy__(self) -> Self:
        """Return an accumulator of the same batches, to which others can be added."""
        return deepcopy(self, {id(self.items): self.items})

    def knowing(self, items: ItemData) -> Self:
        """Return the same with what is known of items, by which all batches are scored."""
        other = self.__copy__()
        other.items = items
        return other

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures in the requested order."""
        return self._asked.measures

    @property
    def of_queries(self) -> tuple[Measure, ...]:
        """The measures of which each query has a score."""
        return of_queries(self.measures)

    @property
    def looks_at_items(self) -> bool:
        """Whether a measure looks at the items of lists."""
        return self._asked.items

    @property
    def conventions(self) -> Conventions:
        """How documents are ranked and which queries are averaged."""
        return self._asked.conventions

    def reset(self) -> None:
        """Forget all batches."""
        self._batches, self._merged = Batches(), 0

    @checked
    @shows(ReadingOptions)
    def update(
        self,
        qrels: Qrels | QrelsSource,
        run: Run | RunSource,
        *,
        query_ids: Iterable[Any] | None = None,
        name: Name | None = None,
        seen: Any = None,
        progress: Progress | None = None,
        **options: Unpack[ReadingOptions],
    ) -> None:
        """Evaluate a batch of queries, and keep their scores.

        If this fails, nothing of the batch is kept.

        Parameters
        ----------
        Data:
        qrels, run
            The judgments and rankings of some queries, in any form that ``evaluate`` takes.
        query_ids
            (n_queries,) ids of the rows of arrays and lists, whose queries have none. Without
            them, queries are numbered from 0 through all batches, in the order in which they come.
        name
            The name of the batch in messages; None for its number.
        seen
            As for ``evaluate``.

        Reading:
        progress
            As for ``evaluate``.
        **options
            The other options of reading.

        Raises
        ------
        DuplicateError
            If a query came before, and ``on_repeat`` is ``"error"``.
        InputError
            As ``evaluate``, except that the queries of a batch need not match.
        """
        reading = Reading.of(**options, progress=progress)
        if self.items is not None:
            reading = reading.of_items(self.items)
        nothing_judged = isinstance(qrels, Mapping) and not qrels
        none = {_NO_QUERY: 0} if self.looks_at_items else {}  # which may want relevant items
        pair = matched(
            {_NO_QUERY: none} if nothing_judged else qrels,
            run,
            self._asked,
            reading,
            seen,
            may_differ=True,
        )
        ids = [*pair.qrels.query_ids] if query_ids is None else given_ids(query_ids, pair.qrels)
        if self.conventions.refuses_ties(self.measures):
            facts = pair.ranked.facts
            rows_averaged = averaged(self.conventions, ids, facts.answered)
            refuse_ties(pair.unseen.name, ids, facts.tied, rows_averaged)
        rows, totals = scored_batch(pair, ids, self._asked, self._profile, reading)
        if name is None and pair.run.source.is_file:
            name = f"{numbered(len(self._batches.names))} ({pair.run.name})"
        have_numbers = pair.qrels.shape is not None and query_ids is None
        self._batches.add(
            rows.at([]) if nothing_judged else rows,
            totals,
            [name],
            have_numbers=None if nothing_judged else have_numbers,
            last=self._on_repeat == "last",
        )

    def merge(self, other: Accumulator) -> Self:
        """Add the batches of another accumulator, which stays as it is.

        Returns
        -------
        Accumulator
            This one, so that ``functools.reduce(rm.Accumulator.merge, parts)`` merges all.

        Raises
        ------
        MismatchError
            If it has other measures or conventions.
        DuplicateError
            If both have the same query, and ``on_repeat`` is ``"error"``.
        """
        if not isinstance(other, Accumulator):
            raise SchemaError(
                f"merge takes an Accumulator, and this is {type(other).__name__}",
                "give judgments and a run to update",
            )
        if other is self:
            raise SchemaError(
                "this accumulator is merged into itself, so that its queries would count twice",
                "merge another one",
            )
        _refuse_different(self, other)
        theirs = other._batches
        if theirs.totals is None:
            return self
        whose = other._name or f"merged accumulator {self._merged + 1}"
        self._batches.add(
            theirs.rows(),
            theirs.totals,
            [f"{theirs.name(number)} of {whose}" for number in range(len(theirs.names))],
            have_numbers=theirs.have_numbers,
            last=self._on_repeat == "last",
        )
        self._merged += 1
        return self

    def result(self, *, order: Iterable[Any] | None = None) -> Evaluation:
        """Evaluate all queries that came so far; more batches can follow.

        Parameters
        ----------
        order
            Query ids in the order of the rows, such as ``qrels.query_ids``; None to sort them.
            Means depend on it in their last digit, as sums of floating-point numbers do.

        Returns
        -------
        Evaluation
            With a row for each query. They are sorted by id, where numbers in ids count by their
            value, so that q2 comes before q10. The result is the same to the bit whatever the order
            of batches, and that of one evaluation of judgments in this order.

        Raises
        ------
        InputError
            If there are no judgments, a query in ``queries`` has none, or ``order`` lacks one.
        MismatchError
            If no query of the runs is judged.
        """
        totals = self._batches.totals
        if totals is None:
            raise InputError("no batch was given", "give some to update first")
        rows = self._batches.rows()
        if not rows.queries:
            raise InputError("no batch judges a query", "give judgments to update")
        rows = rows.at(natural_order(rows.queries) if order is None else _places(rows, order))
        facts = rows.facts(
            run_only=totals.run_only,
            run_only_examples=list(totals.run_only_examples),
            rows=totals.rows,
            extra_columns=totals.run_extra_columns,
            interleaved=totals.interleaved,
            seen=totals.seen is not None,
        )
        if totals.run_only and not facts.answered.any():
            raise mismatch.mismatch_of_batches(rows.queries, facts, totals.mismatch)
        mismatch.warn_of_batches(rows.queries, facts)
        measures = self.of_queries
        mismatch.warn_of_rel(measures, totals.grades.highest)
        refuse_unjudged(self.conventions, rows.queries)
        chosen = averaged(self.conventions, rows.queries, facts.answered)
        counting = rows if chosen is None else rows.at(chosen)
        judged = totals.grades.highest, counting.relevant
        mismatch.warn_of_no_relevant(measures, self.conventions, *judged, "the judgments")
        audit = counted_audit(
            facts,
            measures,
            counting.scores,
            chosen,
            queries=rows.queries,
            retrieved=rows.counts[:, RETRIEVED],
            relevant=rows.relevant,
            qrels_extra_columns=totals.qrels_extra_columns,
            have_ids=True,
        )
        of_lists, items = None, self.items
        if items is not None:
            from rankmark.scoring.kept_lists import of_batches  # noqa: PLC0415

            asked = self.measures, self.conventions
            of_lists = of_batches(*asked, items, rows.lists, rows.queries, facts.answered)
        return AccumulatedEvaluation(
            measures=measures,
            asked=self._asked.names,
            conventions=self.conventions,
            rows=counting,
            audit=audit,
            sources=Sources(totals.qrels.of_side("qrels"), totals.run.of_side("run"), totals.seen),
            unsaid_rel=unsaid_rel_of(measures, totals.grades.values()),
            no_ties=totals.no_ties,
            profile=self._described(rows, chosen),
            of_lists=of_lists,
            of_items={} if items is None else items.description(),
        )

    def over(self, queries: Sequence[str]) -> Self:
        """Return an accumulator with the same batches that averages these queries."""
        other = self.__copy__()
        chosen = replace(self.conventions, queries=tuple(queries))
        other._asked = self._asked._replace(conventions=chosen)
        return other

    def rows_averaged(self) -> QueryRows:
        """Return the rows of the queries to average among those that came."""
        rows = self._batches.rows()
        chosen = averaged(self.conventions, rows.queries, rows.counts[:, ANSWERED] > 0)
        return rows if chosen is None else rows.at(chosen)

    def _described(self, rows: QueryRows, chosen: Ints | None) -> dict[str, Any] | None:
        """Describe the profile, and warn of what it does not reproduce in the chosen rows."""
        if self._profile is None:
            return None
        differences = concerning(self._profile, self.of_queries)
        return described(self._profile, zip(differences, rows.met.T, strict=True), chosen)


def _places(rows: QueryRows, order: Iterable[Any]) -> list[int]:
    """Return the rows in an order of query ids; ids of other queries are ignored."""
    place = {query: row for row, query in enumerate(rows.queries)}
    listed_ids = dict.fromkeys(query_texts(order, "order"))
    missing = [query for query in place if query not in listed_ids]
    if missing:
        raise InputError(
            f"order lacks queries that came: {listed(missing)}", "list all of them, or leave it out"
        )
    return [place[query] for query in listed_ids if query in place]


def _refuse_different(one: Accumulator, other: Accumulator) -> None:
    """Refuse to merge accumulators of different measures or conventions."""
    if one.items is not other.items:
        raise MismatchError(
            "measures of lists look at one history and catalogue, and each accumulator has its own",
            "evaluate all queries in one call",
        )
    if one.measures == other.measures and one.conventions == other.conventions:
        return
    pairs = {
        "measures": ([*map(str, one.measures)], [*map(str, other.measures)]),
        "conventions": (str(one.conventions), str(other.conventions)),
        "queries": ([*one.conventions.queries], [*other.conventions.queries]),
    }
    what, (mine, theirs) = next(
        item for item in pairs.items() if item[1][0] != item[1][1] or item[0] == "queries"
    )
    raise MismatchError(
        f"the accumulators have different {what}: {mine} and {theirs}",
        "create all of them with the same arguments",
    )
