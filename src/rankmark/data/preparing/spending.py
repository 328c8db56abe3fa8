"""What the documents of a run cost, in the order of their ranks, and those within a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark._core import paired_judgments, qrels_from_rows
from rankmark.array_types import are_among, distinct
from rankmark.data.alignment import Alignment, Needs, positions, query_of_rows
from rankmark.data.alignment.segments import fitting, lengths, parted
from rankmark.data.alignment.tie_probabilities import tie_columns
from rankmark.data.alignment.views import View
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.resources import as_threads
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.parents import own_rows, renamed
from rankmark.data.preparing.ranked_queries import (
    chosen_rows,
    judged_rows,
    ranking_key,
    rows_as_table,
    with_groups_of,
)
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.seen import WithoutSeen, over
from rankmark.data.preparing.units import naming_documents
from rankmark.errors import InputError, MeasureError, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.conventions import Conventions
    from rankmark.data.contract.source import Rows, Source
    from rankmark.data.preparing.document_costs import Costs
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.formulas import Budget


def _given_rows(run: Run) -> Source:
    """Return the source of a run's own rows, which are units if it has some, also the seen ones."""
    source = run.source
    return own_rows(source.source if isinstance(source, WithoutSeen) else source)


class Spending(NamedTuple):
    """The rows of a run in rank order, query by query, and what each costs.

    With units, such as chunks, rows are units, and a document costs what its units cost.

    Parameters
    ----------
    run, conventions, rows
        The run, how it was ranked, and its rows.
    queries
        (Q,) ids.
    starts, row, cost
        (Q + 1,) int64; (n,) int64, the numbers of the rows; (n,) float64.
    unknown
        How many of these have no known cost, and count 0.
    ties
        The ranks of the first and of the last row with the score of each, (n,) int32; None if no
        rows tie.
    """

    run: Run
    conventions: Conventions
    rows: Rows
    queries: tuple[str, ...]
    starts: Ints
    row: Ints
    cost: Floats
    unknown: int
    ties: tuple[Ranks, Ranks] | None = None

    @classmethod
    def of(
        cls,
        qrels: Qrels,
        run: Run,
        conventions: Conventions,
        name: str,
        reading: Reading = AS_USUAL,
    ) -> Spending:
        """Rank a run with all its documents, for the queries of judgments.

        Raises
        ------
        MeasureError
            If the run has no such costs.
        InputError
            If tied documents have no order.
        """
        source = _given_rows(run)
        costs: Costs | None = source.costs
        if run.source.ranks_alone:
            raise InputError(
                "only the ranks of targets are known, not what is ranked before them",
                "give the lists themselves",
                where=run.name,
            )
        rows = with_groups_of(qrels, Run.of(source)).source.rows(
            reading.in_silence(), lenient=False
        )
        of_rows = None if costs is None else costs.named(name, rows)
        if of_rows is None:
            raise MeasureError(
                f"it needs the {name} of each document, and the run has none",
                f"give document_costs, or name their column, as in run_columns={{{name!r}: "
                f"{name!r}}}, or --run-column {name}={name}",
            )
        chosen = chosen_rows(rows, qrels, range(len(qrels.query_ids)))
        if conventions.duplicates == "best":  # a document has the label of its first row below
            key = ranking_key(rows, chosen.row, by_rank=conventions.ties == "rank")
            chosen = chosen.only(np.argsort(-key, kind="stable"))
        ranked, rules = run, conventions
        if naming_documents(run.source, conventions) is not None:
            rules = replace(
                conventions,
                unit=None,
                combine="best",
                depth=conventions.unit_depth,
                unit_depth=None,
                judged_only=False,
                drop_self=False,
            )
            ranked = Run.of(source)
        if rules.judged_only:
            chosen = chosen.only(judged_rows(rows, chosen, qrels, range(len(qrels.query_ids))))
        many = int(chosen.document.max(initial=-1)) + 1
        listed = qrels.with_judgments_of_documents(
            qrels_from_rows(
                chosen.query.astype(np.uint32),
                [*qrels.query_ids],
                chosen.document.astype(np.uint32),
                [rows.doc_ids(code) for code in range(many)],
                chosen.row.astype(np.float64),
            )
        )
        listed.positional = listed.subtopics = listed.groups = None
        a, _ = match(
            listed,
            ranked,
            rules.ordered(),
            needs=Needs(ideal=1),
            reading=reading.in_silence(),
            may_differ=True,
            doubted=False,
        )
        if conventions.unordered is not None and a.tie_first is not None:
            raise InputError(
                f'ties="{conventions.ties}" leaves tied documents without an order, on which it '
                "depends what is paid for",
                'choose one, such as ties="docid", or --ties docid',
                where=run.name,
            )
        row = a.label.astype(np.int64)
        cost = of_rows[row]
        unknown = np.isnan(cost)
        return cls(
            run,
            conventions,
            rows,
            qrels.query_ids,
            a.starts,
            row,
            np.where(unknown, 0.0, cost),
            int(unknown.sum()),
            None if a.tie_first is None else tie_columns(a),
        )

    def told(self, query: str, budget: Budget) -> str:
        """Say what a query spends, and what does not fit."""
        at = self.queries.index(query)
        own = slice(*self.starts[at : at + 2].tolist())
        row, cost = self.row[own], self.cost[own]
        fits = fitting(cost, np.array([0, len(row)]), budget)
        said = f"Within {budget}, {counted(int(fits.sum()), 'row')} cost {cost[fits].sum():,.6g}"
        if fits.all():
            return f"{said}, and all fit."
        first = int(np.flatnonzero(~fits)[0])
        name = self.rows.doc_ids(int(np.asarray(self.rows.doc_codes)[row[first]]))
        return f"{said}; the first that does not fit, {name!r}, costs {cost[first]:,.6g}."

    def rests_on_ties(self, limit: Budget | Callable[[Ranks, Ranks], Bools]) -> bool:
        """Return whether another order of ties could change what fits into a budget.

        Instead of a budget, ``limit`` may say which ties matter, from their first and last ranks.
        """
        if self.ties is None:
            return False
        first, last = self.ties
        if (last > lengths(self.starts)[query_of_rows(self.starts)]).any():
            return True  # the others are beyond the depth
        if isinstance(limit, tuple):
            return bool(parted(self.cost, self.starts, first, last, limit).any())
        return bool(limit(first, last).any())

    def within(self, budget: Budget) -> Run:
        """Return the run with the documents that fit into the budget alone."""
        return self._with(fitting(self.cost, self.starts, budget))

    def tied_across(self, budget: Budget) -> Run:
        """Return the run with the documents alone that tie where the budget ends."""
        none = np.zeros(len(self.row), dtype=np.bool_)
        ties = self.ties
        return self._with(none if ties is None else parted(self.cost, self.starts, *ties, budget))

    def _with(self, some: Bools) -> Run:
        taken = self.row[some]
        pairs = np.asarray(self.rows.query_codes).astype(np.int64) << 32 | self.rows.doc_codes
        kept = are_among(pairs, distinct(pairs[taken]))  # all rows of a document that is repeated
        source: Source = rows_as_table(self.rows, np.flatnonzero(kept), self.run)
        source.nameless, source.vouched = self.run.source.nameless, True
        source.costs = _given_rows(self.run).costs.some(kept)
        return over(self.run, source)

    def alignment(self, qrels: Qrels) -> Alignment:
        """Return all rows with their labels, NaN for those not judged, and the view "costs".

        A document of several units has its label at the first of them.
        """
        conventions, run = self.conventions, self.run
        rows, query = self.rows, query_of_rows(self.starts)
        if (document_of := naming_documents(run.source, conventions)) is not None:
            rows = renamed(rows, document_of)
        document = np.asarray(rows.doc_codes)[self.row].astype(np.int64)
        _, first = np.unique(query << 32 | document, return_index=True)
        many = int(document.max(initial=-1)) + 1
        listed = qrels_from_rows(
            query[first].astype(np.uint32),
            [*self.queries],
            document[first].astype(np.uint32),
            [rows.doc_ids(code) for code in range(many)],
            first.astype(np.float64),
        )
        at = paired_judgments(listed, qrels.judgments, as_threads(None))
        judged = qrels.judgments.labels()
        several = qrels.subtopics if qrels.subtopics is not None else qrels.groups
        if several is not None:
            judged = several.highest[judged.astype(np.int64)]
        label = np.full(len(query), np.nan)
        label[listed.labels()[at >= 0].astype(np.int64)] = judged[at[at >= 0]]
        ideal_starts, ideal_label, _ = qrels.ideal(Needs())
        place = np.arange(len(query))
        return Alignment(
            self.queries,
            self.starts,
            positions(self.starts).astype(np.int32),
            label,
            np.diff(self.starts),
            ideal_starts,
            ideal_label,
            views={"costs": View(self.cost, place, np.zeros(len(ideal_label), dtype=np.int64))},
        )
