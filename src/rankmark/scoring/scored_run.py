"""Match a run with judgments and score it: what evaluations and accumulators share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.preparing.pair_options import PairOptions, as_both
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.units import judgments_of_documents
from rankmark.errors import InputError, quiet, warn
from rankmark.measures.base.requirements import needs_of
from rankmark.named_tuples import NamedTuple
from rankmark.scoring.mismatch_warnings import warn_of_short_lists
from rankmark.scoring.query_scores import score
from rankmark.scoring.ranked import Ranked
from rankmark.scoring.rejudged import refuse_unused, rejudged, spending_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Alignment
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.preparing.corpus_ids import JudgedInCorpus
    from rankmark.data.preparing.run import Run
    from rankmark.data.preparing.seen import Seen
    from rankmark.data.preparing.spending import Spending
    from rankmark.measures import Measure
    from rankmark.measures.of_lists.cost import OfCosts
    from rankmark.scoring.kept_data import KeptData
    from rankmark.scoring.request import Asked


class MatchedRun(NamedTuple):
    """A run and the judgments that it was matched with.

    Parameters
    ----------
    qrels, run
        As prepared.
    unseen
        The run that was ranked: without the documents in ``seen``.
    seen
        The documents that were left out as seen before; None if there are none.
    ranked
        The two matched.
    options
        How each was read.
    corpus
        What a corpus lacks of the judged documents; None without a corpus.
    """

    qrels: Qrels
    run: Run
    unseen: Run
    seen: Seen | None
    ranked: Ranked
    options: PairOptions
    corpus: JudgedInCorpus | None = None


def matched(
    qrels: Any,
    run: Any,
    asked: Asked,
    reading: Reading,
    seen: Any,
    *,
    may_differ: bool = False,
) -> MatchedRun:
    """Prepare judgments and a run of any form, and match them.

    Parameters
    ----------
    seen
        As for ``evaluate``.
    may_differ
        Whether the run may have queries of which none is judged.
    """
    given_run, documents, corpus = run, None, None
    options = PairOptions.of(reading, subtopics=asked.needs.subtopics)
    if not reading.is_plain:
        refuse_unused(reading, asked.measures)
    try:
        qrels, run = as_both(qrels, run, reading, options)
        if reading.corpus is not None or reading.unwinnable is not None:
            from rankmark.scoring.unwinnable import judged_in_corpus, leaving_out  # noqa: PLC0415

            corpus = judged_in_corpus(qrels, asked, reading)
            asked = leaving_out(asked, corpus, reading)
        qrels = judgments_of_documents(qrels, asked.conventions.qrels_unit)
        unseen = run
        if seen is not None:
            unseen, documents = without_seen_documents(
                qrels, run, seen, reading, may_differ=may_differ
            )
        ranked = Ranked.of(
            qrels,
            unseen,
            asked.conventions,
            needs=asked.needs,
            reading=reading,
            may_differ=may_differ,
        )
        if seen is not None or asked.conventions.drop_self:
            warn_of_short_lists(unseen, asked, ranked.alignment, ranked.facts)
    except InputError:
        from rankmark.scoring.misplaced_arguments import refuse_several  # noqa: PLC0415

        refuse_several(given_run)
        raise
    return MatchedRun(qrels, run, unseen, documents, ranked, options, corpus)


def effect_of_labels(
    labels: Mapping[str, Mapping[str, float]], pair: MatchedRun, asked: Asked, reading: Reading
) -> str:
    """Say what other judgments would change in the mean of the first measure that they change.

    Nothing is said of measures with data of their own, of runs without seen documents, or if
    queries were chosen by their ids.
    """
    chosen = asked.conventions
    usual = [one for one in asked.measures if not one.is_apart and chosen.of(one) is chosen]
    if pair.seen is not None or not isinstance(chosen.queries, str) or not usual:
        return ""
    with quiet():  # as the numbers now have been doubted
        other = Ranked.of(
            Qrels({**labels}, contents="labels"),
            pair.unseen,
            chosen,
            needs=asked.needs,
            reading=reading,
            may_differ=True,
        )
    now, then = (_means(usual, ranked) for ranked in (pair.ranked, other))
    for measure, old, new in zip(usual, now, then, strict=True):
        if f"{old:.4f}" != f"{new:.4f}":
            return f"; {measure} would be {new:.4f}, not {old:.4f}"
    return ""


def _means(measures: Sequence[Measure], ranked: Ranked) -> list[float]:
    scores, _ = scored(measures, ranked)
    rows = ranked.averaged()
    columns = (scores if rows is None else scores[rows]).T
    known = [column[~np.isnan(column)] for column in columns]
    return [float(column.mean()) if len(column) else np.nan for column in known]


def score_own(
    pair: MatchedRun,
    kept: KeptData,
    measures: Sequence[Measure],
    scores: Floats,
    errors: dict[Measure, Floats],
) -> dict[Measure, KeptData]:
    """Score the measures that have conventions of their own, in place, and return their data.

    Queries that others average, but not these measures, are NaN.

    Parameters
    ----------
    pair, kept
        As matched under the conventions of the other measures.
    scores, errors
        (Q, n_measures) float64, and standard errors, both of all measures.
    """
    own: dict[Measure, KeptData] = {}
    by_conventions: dict[Conventions, _Apart] = {}
    for column, measure in enumerate(measures):
        conventions = kept.conventions.of(measure)
        if conventions is kept.conventions or measure.depends_on == "lists":
            continue
        if conventions not in by_conventions:
            apart = _Apart.of(pair, kept._replace(conventions=conventions))
            apart.ranked.refuse_ties(pair.unseen.name)
            by_conventions[conventions] = apart
        apart = by_conventions[conventions]
        own[measure] = apart.kept
        scores[:, column] = apart.scores(measure, kept.conventions, errors)
    return own


def score_apart(
    pair: MatchedRun,
    kept: KeptData,
    measures: Sequence[Measure],
    scores: Floats,
    errors: dict[Measure, Floats],
    budgets: Budgets,
) -> dict[Measure, KeptData]:
    """Score the measures of other judgments, of all queries or weighted, and those within budgets.

    As ``score_own``; ``budgets`` are of the same run, and note what the reader must know of costs.
    """
    own: dict[Measure, KeptData] = {}
    everywhere = None
    for column, measure in enumerate(measures):
        if not measure.is_apart:
            continue
        conventions, needs = kept.conventions.of(measure), needs_of([measure])
        of_measure = pair
        if measure.is_rejudged:
            of_measure = pair._replace(qrels=rejudged(pair.qrels, measure))
        elif measure.depends_on == "anywhere":
            if everywhere is None:
                from rankmark.data.preparing.ranked_queries import judged_anywhere  # noqa: PLC0415  (rarely asked for)

                most = _most_looked_at(measures, kept.conventions)
                everywhere = judged_anywhere(pair.qrels, pair.unseen, kept.conventions, most)
            of_measure = pair._replace(qrels=everywhere)
        own_kept = kept._replace(qrels=of_measure.qrels, conventions=conventions, needs=needs)
        if measure.budget is not None:
            within = budgets.within(measure, conventions)
            of_measure = of_measure._replace(unseen=within)
            on_ties = budgets.rests_on_ties(measure, conventions)
            own_kept = own_kept._replace(run=within, seen=None, on_ties=on_ties)
        apart = _Apart.of(of_measure, own_kept)
        own[measure] = apart.kept
        scores[:, column] = apart.scores(measure, kept.conventions, errors)
    return own


class Budgets:
    """A run within the budgets of measures, ranked once for each cost.

    Attributes
    ----------
    notes
        What the reader must know of the costs.
    """

    def __init__(self, pair: MatchedRun, reading: Reading) -> None:
        self._pair, self._reading = pair, reading
        self._spending_by: dict[tuple[Conventions, bool, str], Spending] = {}
        self.notes: list[str] = []

    def _spending(self, measure: Measure, conventions: Conventions, name: str) -> Spending:
        if (key := (conventions, measure.judged_only, name)) not in self._spending_by:
            qrels, run = self._pair.qrels, self._pair.unseen
            found = spending_of(qrels, run, measure, conventions, name, self._reading)
            self._spending_by[key] = found
            if found.unknown:
                self.notes.append(
                    f"{found.unknown:,} of {len(found.row):,} documents that were retrieved have "
                    f"no known {name}: counted as 0"
                )
        return self._spending_by[key]

    def within(self, measure: Measure, conventions: Conventions) -> Run:
        """Return the run with the documents alone that fit into the budget of a measure."""
        assert measure.budget is not None  # noqa: S101
        return self._spending(measure, conventions, measure.budget.cost).within(measure.budget)

    def rests_on_ties(self, measure: Measure, conventions: Conventions) -> bool:
        """Return, and note, whether another order of ties could let other documents fit."""
        limit = measure.budget
        if limit is None:
            return False
        found = self._spending(measure, conventions, limit.cost).rests_on_ties(limit)
        return self._noted(measure, on_ties=found)

    def _noted(self, measure: Measure, *, on_ties: bool) -> bool:
        if on_ties:
            self.notes.append(
                f"{measure}: another order of ties could change what is paid for; what it would "
                "give is not known"
            )
        return on_ties

    def spent(self, measure: OfCosts, conventions: Conventions) -> tuple[Alignment, bool]:
        """Return all documents that fit, with what each costs, and whether that rests on ties."""
        budgets, on_ties = self, self.rests_on_ties(measure, conventions)
        if measure.budget is not None:
            within = self.within(measure, conventions)
            budgets = Budgets(self._pair._replace(unseen=within), self._reading)
        spending = budgets._spending(measure, conventions, measure.of)
        if measure.budget is not None and measure.budget.cost != measure.of:
            self.notes += budgets.notes
        on_ties = on_ties or self._noted(measure, on_ties=spending.rests_on_ties(measure.parted))
        return spending.alignment(self._pair.qrels), on_ties


def _most_looked_at(measures: Sequence[Measure], conventions: Conventions) -> int | None:
    """Return how many first documents decide the measures that need all judgments; None for all."""
    deepest = [one.needs().deepest for one in measures if one.depends_on == "anywhere"]
    by_score = conventions.precision == "double" and conventions.duplicates == "error"
    own = any(one.judged_only or conventions.of(one) is not conventions for one in measures)
    if None in deepest or not by_score or conventions.judged_only or own:
        return None
    return max(one for one in deepest if one is not None) + conventions.drop_self


class _Apart(NamedTuple):
    """A run ranked once more, for measures with data of their own."""

    kept: KeptData
    ranked: Ranked

    @classmethod
    def of(cls, pair: MatchedRun, kept: KeptData) -> _Apart:
        """Rank under the conventions and needs to be kept."""
        ranked = Ranked.of(
            pair.qrels,
            pair.unseen,
            kept.conventions,
            needs=kept.needs,
            reading=kept.reading,
            may_differ=True,
        )
        kept = kept._replace(alignment=ranked.alignment, facts=ranked.facts, only_for=None)
        return cls(kept, ranked)

    def scores(self, measure: Measure, usual: Conventions, errors: dict[Measure, Floats]) -> Floats:
        """Score each query: (Q,) float64, NaN where only the other measures average it."""
        found, of_measure = scored([measure], self.ranked)
        errors.update(of_measure)
        if self.kept.conventions.queries == "both" != usual.queries:
            found[np.asarray(self.kept.facts.answered) == 0] = np.nan
        return found[:, 0]


def scored(measures: Sequence[Measure], ranked: Ranked) -> tuple[Floats, dict[Measure, Floats]]:
    """Score each query: (Q, M) float64, and the standard errors of sampled scores, (Q,) each."""
    scores = np.empty((len(ranked.alignment.retrieved), len(measures)))
    columns = scores.T
    errors: dict[Measure, Floats] = {}
    if ranked.is_as_scored:  # spares many small calls
        for column, measure in enumerate(measures):
            columns[column] = score(measure, ranked.alignment)
        return scores, errors
    for column, measure in enumerate(measures):
        columns[column], error = ranked.score_with_error(measure)
        if error is not None:
            errors[measure] = error
    return scores, errors


def without_seen_documents(
    qrels: Qrels, run: Run, seen: Any, reading: Reading, *, may_differ: bool
) -> tuple[Run, Seen]:
    """Remove seen documents from a run, and warn if some are relevant."""
    from rankmark.data.preparing.seen import Seen, without_seen  # noqa: PLC0415

    documents = seen if isinstance(seen, Seen) else Seen(seen, reading)
    run = without_seen(qrels, run, documents, may_differ=may_differ)
    number = documents.relevant_in(qrels) if qrels.subtopics is None and qrels.groups is None else 0
    if number:
        are = "document is" if number == 1 else "documents are"
        warn(
            f"{number:,} relevant {are} in seen, and so cannot be retrieved",
            "remove relevant documents from seen",
            where="seen",
        )
    return run, documents
