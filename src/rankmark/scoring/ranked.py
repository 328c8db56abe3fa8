"""A run that is ranked and matched with judgments, and which of its queries are averaged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import ORDERS
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.preparing.matching import match
from rankmark.errors import InputError, listed
from rankmark.named_tuples import NamedTuple
from rankmark.scoring.query_scores import score, set_no_relevant

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Alignment, Needs
    from rankmark.data.preparing.matching import RunFacts
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.measures import Measure
    from rankmark.scoring.ranks_alone import RanksAlone
    from rankmark.scoring.ties import Case


def averaged(conventions: Conventions, query_ids: Sequence[str], answered: Bools) -> Ints | None:
    """Return the numbers of the queries to average, (n,) int64, rising; None for all.

    Parameters
    ----------
    query_ids, answered
        (Q,) ids of judged queries, and whether the run has them.
    """
    if conventions.queries == "judged" and not conventions.unwinnable:
        return None
    if conventions.queries == "both":
        numbers: Ints = np.flatnonzero(answered)
    else:
        chosen = frozenset(conventions.queries)
        is_every = conventions.queries == "judged"
        found = [at for at, query in enumerate(query_ids) if is_every or query in chosen]
        numbers = np.array(found, dtype=np.int64)
    lost = frozenset(conventions.unwinnable)
    return numbers[[query_ids[at] not in lost for at in numbers.tolist()]] if lost else numbers


def refuse_unjudged(conventions: Conventions, query_ids: Sequence[str]) -> None:
    """Refuse listed queries that are not judged."""
    if isinstance(conventions.queries, str):
        return
    judged = frozenset(query_ids)
    unjudged = [query for query in conventions.queries if query not in judged]
    if unjudged:
        many = f"{len(unjudged):,} requested queries have"
        start = "1 requested query has" if len(unjudged) == 1 else many
        which = "it" if len(unjudged) == 1 else "them"
        raise InputError(f"{start} no judgments: {listed(unjudged)}", f"remove {which}")


def refuse_ties(name: str, queries: Sequence[str], tied: Ints, rows: Any = None) -> None:
    """Refuse tied judged documents, whether or not a measure needs them.

    Parameters
    ----------
    queries
        (Q,) ids of the judged queries.
    tied
        (Q,) int64, the number of tied judged documents of each.
    rows
        The numbers of the queries averaged; None for all.
    """
    if not tied.any():
        return
    numbers = range(len(queries)) if rows is None else rows.tolist()
    found = [row for row in numbers if tied[row]]
    if not found:
        return
    count = sum(int(tied[row]) for row in found)
    what = "1 judged document is tied" if count == 1 else f"{count:,} judged documents are tied"
    noun = "query" if len(found) == 1 else "queries"
    raise InputError(
        f"{what} ({noun} {listed([queries[row] for row in found[:3]], len(found))})",
        f"choose a rule for ties: {', '.join(ORDERS)} or mean",
        where=name,
    )


class Ranked(NamedTuple):
    """A run, ranked under some conventions and matched with judgments.

    Whoever scores a run does so here, so that one rule for ties gives one number everywhere.

    Parameters
    ----------
    alignment
        The judged documents that were retrieved; if ties have no order, they are by id.
    facts
        About the run.
    conventions
        How it was ranked.
    cases
        The cases to score if ties have no order; otherwise empty.
    alone
        Whether nothing is known of documents but the judged ones, and their ranks were given.
    """

    alignment: Alignment
    facts: RunFacts
    conventions: Conventions
    cases: Sequence[Case] = ()
    alone: RanksAlone | None = None

    @classmethod
    def of(
        cls,
        qrels: Qrels,
        run: Run,
        conventions: Conventions,
        *,
        needs: Needs,
        reading: Reading = AS_USUAL,
        may_differ: bool = False,
        doubted: bool = True,
    ) -> Ranked:
        """Rank a run and match it with judgments; parameters are those of ``match``."""
        align = partial(match, qrels, run, reading=reading, may_differ=may_differ, doubted=doubted)
        if run.source.ranks_alone:
            from rankmark.scoring.ranks_alone import RanksAlone  # noqa: PLC0415  (rarely used)

            alignment, facts = align(conventions.ordered(), needs=needs)
            alone = RanksAlone.of(qrels, run, alignment, conventions)
            return cls(alignment, facts, conventions, alone=alone)
        if conventions.unordered is None:
            alignment, facts = align(conventions, needs=needs)
            return cls(alignment, facts, conventions)
        if qrels.groups is not None:
            raise InputError(
                f'{qrels.name}: ties="{conventions.ties}" does not support judgments in groups',
                f"choose one of {', '.join(ORDERS)}",
            )
        from rankmark.scoring.ties import match_unordered  # noqa: PLC0415  (rarely used)

        alignment, facts, cases = match_unordered(align, conventions, needs)
        return cls(alignment, facts, conventions, cases)

    @property
    def is_as_scored(self) -> bool:
        """Whether each score is the measure's own: ties have an order, and 0 stays 0."""
        in_order = self.conventions.unordered is None and self.alone is None
        return in_order and self.conventions.no_relevant == "zero"

    def score(self, measure: Measure) -> Floats:
        """Score each query: (Q,) float64, in judgment order."""
        return self.score_with_error(measure)[0]

    def score_with_error(self, measure: Measure) -> tuple[Floats, Floats | None]:
        """Score each query, (Q,) float64; with standard errors if orders of ties were sampled."""
        values, error = self.raw(measure)
        if self.conventions.no_relevant == "zero":  # spares many small calls one more
            return values, error
        return self.settled(measure, values), error

    def settled(self, measure: Measure, values: Floats) -> Floats:
        """Apply ``no_relevant`` to values that ``raw`` returned, which stay as they are."""
        if self.conventions.no_relevant != "zero":
            values = values.copy()
            set_no_relevant(measure, self.alignment, self.conventions, values)
        return values

    def raw(self, measure: Measure) -> tuple[Floats, Floats | None]:
        """Do the same without regard to ``no_relevant``."""
        if self.alone is not None:
            return self.alone.score(measure, self.alignment), None
        if (rule := self.conventions.unordered) is None:
            return score(measure, self.alignment), None
        from rankmark.scoring.ties import scored  # noqa: PLC0415  (rarely used)

        return scored(measure, self.cases, rule)

    def averaged(self) -> Ints | None:
        """Return the numbers of the queries to average, (n,) int64, rising; None for all."""
        chosen = self.conventions
        if chosen.queries == "judged" and not chosen.unwinnable:  # spares small calls a look
            return None
        refuse_unjudged(self.conventions, self.alignment.queries)
        return averaged(self.conventions, self.alignment.queries, self.facts.answered)

    def refuse_ties(self, name: str) -> None:
        """Raise InputError if ties are to be refused, and a query averaged has tied documents.

        Parameters
        ----------
        name
            The name of the run.
        """
        if self.conventions.ties == "error":
            refuse_ties(name, self.alignment.queries, self.facts.tied, self.averaged())

    def over(self, alignment: Alignment) -> Ranked:
        """Return other rankings under the same conventions, which cut no tie of theirs."""
        if self.conventions.unordered is None or self.alone is not None:
            return self._replace(alignment=alignment)
        from rankmark.scoring.ties import Case  # noqa: PLC0415

        return self._replace(alignment=alignment, cases=[Case.certain(alignment)])

    def of_query(self, row: int) -> Ranked:
        """Keep the rankings of one query, by its number from 0; the facts are about all."""
        from rankmark.data.alignment.tie_probabilities import queries_of  # noqa: PLC0415

        cases = [case.of_query(row) for case in self.cases]
        return self._replace(alignment=queries_of(self.alignment, row, row + 1), cases=cases)

    def apart(self) -> Ranked:
        """Return the same without a cache that it shares with the judgments."""
        return self.with_each(lambda a: a.uncached())

    def copied(self) -> Ranked:
        """Return the same with a cache of its own, which begins empty."""
        return self.with_each(lambda a: a.with_columns())

    def with_each(self, changed: Callable[[Alignment], Alignment]) -> Ranked:
        """Return the same with other alignments, each made of one of these."""
        cases = [case._replace(alignment=changed(case.alignment)) for case in self.cases]
        return self._replace(alignment=changed(self.alignment), cases=cases)
