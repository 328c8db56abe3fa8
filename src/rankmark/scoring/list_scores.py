"""Scores of measures of lists, for which a run is ranked with all documents of its lists."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.array_types import distinct
from rankmark.data.alignment import Needs
from rankmark.data.preparing.item_data import AS_GIVEN, ItemData
from rankmark.data.preparing.list_facts import ListedRun, ListFacts, Lists, listed_run
from rankmark.errors import InputError, counted, listed, warn
from rankmark.measures.base.requirements import needs_of
from rankmark.measures.of_lists.cost import OfCosts
from rankmark.measures.of_lists.list_measure import OfItems
from rankmark.measures.of_runs.run_measure import RunMeasure
from rankmark.scoring.ranked import Ranked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.formulas import Budget
    from rankmark.measures import Measure
    from rankmark.measures.of_runs.run_measure import LeftOut
    from rankmark.scoring.kept_data import KeptData
    from rankmark.scoring.scored_run import Budgets, MatchedRun


class ListScores(NamedTuple):
    """The scores of measures of lists.

    Parameters
    ----------
    scores
        {measure: (Q,) float64}, NaN for lists without a value.
    errors
        Standard errors, where orders of ties were sampled.
    own
        The data of each measure.
    ranked
        The lists by their conventions and budget, and what they are ranked from, in the order of
        the measures.
    notes
        What the reader must know of the costs.
    most
        How many of the first items of a list measures need; None for all.
    read
        How what is known of items was read.
    """

    scores: dict[Measure, Floats]
    errors: dict[Measure, Floats]
    own: dict[Measure, KeptData]
    ranked: dict[tuple[Conventions, Budget | None], tuple[Ranked, ListedRun, KeptData]]
    notes: list[str]
    most: int | None
    read: dict[str, Any]

    def beside(self, scores: Floats, measures: Sequence[Measure]) -> Floats:
        """Return the scores of all measures, (Q, M), of which (Q, m) are those of the others."""
        others = iter(scores.T)
        found = [self.scores[one] if one in self.scores else next(others) for one in measures]
        return np.column_stack(found) if found else scores

    def whole(self) -> Iterator[tuple[Lists, ListFacts]]:
        """Return the lists under each ranking, with what is known of their items."""
        for ranked, found, _ in self.ranked.values():
            a, facts = ranked.alignment, found.facts
            yield a.once("lists", partial(facts.lists_in, a)), facts

    def together(self, measures: Sequence[Measure], conventions: Conventions) -> AllLists:
        """Return the values of measures of the run, and the notes on all lists."""

        def ranked(measure: OfItems) -> Ranked:
            return self.ranked[conventions.of(measure), measure.budget][0]

        asked = [
            one for one in measures if isinstance(one, OfItems) and not isinstance(one, OfCosts)
        ]
        found = AllLists.of(
            asked, lambda one: one.listed(ranked(one).alignment), lambda one: ranked(one).averaged()
        )
        told = []
        if asked:
            lists, facts = next(self.whole())
            told = told_of_lists(facts, lists, ranked(asked[0]).averaged(), self.most)
        return found._replace(notes=(*told, *found.notes, *self.notes))


class AllLists(NamedTuple):
    """What measures find in all lists together.

    Parameters
    ----------
    of_run
        The values of measures of the run, and of all lists but one.
    notes
        What the reader must know of the lists.
    """

    of_run: dict[RunMeasure, LeftOut]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        measures: Sequence[OfItems],
        listed: Callable[[OfItems], tuple[Lists, ListFacts]],
        averaged: Callable[[OfItems], Ints | None],
    ) -> AllLists:
        """Apply measures to the first k items of all lists.

        Parameters
        ----------
        listed
            Returns the lists that a measure looks at, and what is known of their items.
        averaged
            Returns the numbers of the queries that count for a measure; None for all.
        """
        of_run: dict[RunMeasure, LeftOut] = {}
        notes = dict[str, None]()
        for measure in measures:
            lists, facts = listed(measure)
            if isinstance(measure, RunMeasure):
                rows = averaged(measure)
                of_run[measure] = measure.of(lists if rows is None else lists.chosen(rows), facts)
            notes |= dict.fromkeys(measure.notes(lists, facts))
        return cls(of_run, tuple(notes))


def score_lists(
    pair: MatchedRun,
    kept: KeptData,
    measures: Sequence[Measure],
    reading: Reading,
    budgets: Budgets,
) -> ListScores:
    """Score the lists of a run.

    Parameters
    ----------
    pair, kept
        As matched under the conventions of the evaluation.
    measures
        Of which those are scored that depend on lists, each by itself or all together.
    budgets
        Of the same run, which note what the reader must know of costs.
    """
    data = ItemData.of(reading)
    of_items = [one for one in measures if isinstance(one, OfItems)]
    of_lists = [one for one in of_items if not isinstance(one, OfCosts)]
    most = needs_of(of_lists).deepest if of_lists else None
    ranked: dict[tuple[Conventions, Budget | None], tuple[Ranked, ListedRun, KeptData]] = {}
    scores: dict[Measure, Floats] = {}
    notes = dict[str, None]()
    errors: dict[Measure, Floats] = {}
    own: dict[Measure, KeptData] = {}
    for measure in of_items:
        conventions = kept.conventions.of(measure)
        if isinstance(measure, OfCosts):
            a, on_ties = budgets.spent(measure, conventions)
            try:
                values = scores[measure] = measure.score(a)
            except InputError as fault:
                raise measure.naming(fault) from None
            rows = pair.ranked.averaged()
            chosen = slice(None) if rows is None else rows
            if said := measure.told(values[chosen], a.retrieved[chosen]):
                notes[said] = None
            own[measure] = kept._replace(
                conventions=conventions,
                needs=measure.needs(),
                alignment=a,
                only_for=None,
                on_ties=on_ties,
            )
            continue
        if (ranking := (conventions, measure.budget)) not in ranked:
            needs = Needs(deepest=most, ideal=1)
            of_ranking = kept._replace(conventions=conventions, needs=needs, only_for=None)
            run = pair.unseen
            if measure.budget is not None:
                run = budgets.within(measure, conventions)
                of_ranking = of_ranking._replace(run=run, seen=None)
            found = ranked_lists(pair.qrels, run, conventions, data, most, reading)
            ranked[ranking] = *found, of_ranking
        lists, _, of_ranking = ranked[ranking]
        on_ties = budgets.rests_on_ties(measure, conventions)
        if isinstance(measure, RunMeasure):
            _refuse_unordered(measure, lists)
            continue
        values, error = lists.raw(measure)
        if error is not None:
            errors[measure] = error
        scores[measure] = values
        a = lists.alignment
        own[measure] = of_ranking._replace(alignment=a, facts=lists.facts, on_ties=on_ties)
    told = [*notes, *budgets.notes]
    return ListScores(scores, errors, own, ranked, told, most, data.description())


def of_all(measure: RunMeasure, ranked: Ranked, rows: Ints | None) -> LeftOut:
    """Return the value of the lists of some queries, by their numbers; None for all."""
    _refuse_unordered(measure, ranked)
    lists, facts = measure.listed(ranked.alignment)
    return measure.of(lists if rows is None else lists.chosen(rows), facts)


def _refuse_unordered(measure: RunMeasure, ranked: Ranked) -> None:
    if ranked.cases and ranked.alignment.tie_first is not None:
        raise InputError(
            f'ties="{ranked.conventions.ties}" leaves tied items without an order',
            'choose one, such as ties="docid"',
            where=str(measure),
        )


def ranked_lists(
    qrels: Qrels,
    run: Run,
    conventions: Conventions,
    data: ItemData,
    most: int | None,
    reading: Reading,
) -> tuple[Ranked, ListedRun]:
    """Rank a run with all documents of its lists; parameters are those of ``listed_run``."""
    if run.source.ranks_alone:
        raise InputError(
            "only the ranks of targets are known, not the other items of lists",
            "give the lists themselves",
            where=run.name,
        )
    found = listed_run(qrels, run, conventions, data, most, reading)
    ranked = Ranked.of(
        found.qrels,
        found.run,
        conventions,
        needs=Needs(deepest=most, ideal=1),
        reading=reading.in_silence(),
        may_differ=True,
        doubted=False,
    )
    return ranked.with_each(found.of), found


def told_of_lists(facts: ListFacts, lists: Lists, rows: Ints | None, most: int | None) -> list[str]:
    """Return the notes on all lists: the catalogue, users without a list, and short lists.

    Parameters
    ----------
    rows
        The numbers of the queries that are averaged; None for all.
    most
        How many items of a list are needed; None for all.
    """
    sizes = lists.sizes if rows is None else lists.sizes[rows]
    told = []
    if facts.has_catalogue:
        line = f"catalogue {counted(facts.catalogue, 'item')}, {facts.data.told}"
        items = lists.items
        if len(items) and items.min() >= facts.catalogue:
            which = f"which has {listed([*facts.data.numbers][:3], facts.catalogue)}"
            found, remedy = "no item of the lists is in the", "are the ids of one kind?"
            if facts.data.told == AS_GIVEN:
                raise InputError(f"{found} catalogue, {which}", remedy, where="catalogue")
            warn(f"{found} history, {which}", f"{remedy} If all are new, give the catalogue")
        beyond = distinct(items[items >= facts.catalogue])
        if len(beyond):
            ids = [facts.item_ids[one] for one in beyond[:3].tolist()]
            line += f"; {counted(len(beyond), 'item')} of the lists not in it: "
            line += listed(ids, len(beyond))
        told.append(line)
    none = int(np.count_nonzero(sizes == 0))
    if none:
        told.append(f"{counted(none, 'query', 'queries')} without a list, in no mean of its items")
    if most is not None:
        short = int(np.count_nonzero((sizes > 0) & (sizes < most)))
        if short:
            told.append(f"short lists {short:,} of {len(sizes) - none:,}")
    return told
