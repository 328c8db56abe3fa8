"""Which queries were averaged, and how reliable the numbers are."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.alignment import ratio
from rankmark.data.preparing.units import units_to_documents
from rankmark.errors import ChangedError, RankmarkError, counted, listed, quiet
from rankmark.measures.base.requirements import ABOVE_ZERO, needed_by, needs_of
from rankmark.named_tuples import NamedTuple
from rankmark.results.details import Detail
from rankmark.scoring.aggregates import for_all
from rankmark.scoring.ranked import Ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.data.alignment import Alignment
    from rankmark.data.preparing.corpus_ids import JudgedInCorpus
    from rankmark.data.preparing.matching import RunFacts
    from rankmark.measures import Measure
    from rankmark.scoring.kept_data import KeptData

_JUDGED = "Judged@10"
_FEWEST_LISTS, _MOST_CANDIDATES = 20, 1001
"""Of fewer lists, all may hold the relevant document by chance; longer ones are rarely samples."""


class Audit(NamedTuple):
    """Counts that are shown with every result.

    None counts queries left out by ``unwinnable="skip"``, except ``rows`` and those of ``gone``.
    All but ``judged``, ``answered``, ``missing``, ``run_only`` and ``rows`` are over the queries
    chosen by ``queries``.

    Parameters
    ----------
    averaged
        Queries that were averaged; without those that have no value under ``no_relevant="skip"``
        or ``"nan"``.
    judged
        Queries in the qrels.
    answered
        Judged queries in the run.
    missing
        Judged queries that are missing from the run; under ``queries="judged"`` they count 0.
    missing_queries
        Their ids.
    run_only
        Queries of the run that are not judged; they are ignored.
    run_only_examples
        The first three of them.
    without_relevant
        Queries without relevant documents.
    tied_share
        Share of the retrieved judged documents whose score is tied, 0 to 1. Only these ties can
        change a number.
    judged_at_10
        Mean of Judged@10, the share of a query's first 10 documents that are judged, 0 to 1. Where
        ``ties`` takes all orders of tied documents into account, that of their order by id, unless
        Judged@10 was evaluated. NaN if only the ranks of some documents are known.
    rows
        Documents in the run.
    interleaved
        Queries of the run whose rows are interrupted by other queries.
    qrels_extra_columns, run_extra_columns
        Lines with more columns than the format.
    self_matches
        Queries that retrieved a document with their own id; 0 if there are only row and column
        numbers instead of ids.
    self_matches_ndcg
        Mean nDCG@10 with and without these documents (``drop_self``), if more than 1% of the
        answered queries retrieved one and they were not dropped. Otherwise, or if the run cannot be
        read again or came in batches, None.
    duplicates
        Rows removed as duplicates; 0 if ``duplicates="error"`` refuses them.
    seen
        Documents removed because they are in ``seen``; None without ``seen``.
    units, unit_documents
        Units retrieved, such as chunks, and the documents for which they count; None without
        units.
    units_per_document
        Their ratio: how many of the places in the rankings of units one document takes on average,
        from 1; None without units.
    effective
        How many queries of equal weight the averaged ones are worth; None without weights.
    unused_weights
        Queries that have a weight and are not averaged.
    failed
        Documents whose label failed, and which count as not judged.
    gone
        Judgments of documents that are not in the corpus; None without a corpus.
    unwinnable_queries
        The queries with relevant documents, none of which is left in the corpus.
    gone_retrieved
        Judgments of documents that are not in the corpus, and that the run retrieved all the same;
        0 if it cannot be read again.
    unwinnable_skipped
        Whether these are left out of all means.
    candidates
        How many documents each list has, if all have as few, and one relevant document each, as
        where a target is ranked among sampled items; else None.
    """

    averaged: int
    judged: int
    answered: int
    missing: int
    missing_queries: tuple[str, ...]
    run_only: int
    run_only_examples: tuple[str, ...]
    without_relevant: int
    tied_share: float
    judged_at_10: float
    rows: int
    interleaved: int
    qrels_extra_columns: int
    run_extra_columns: int
    self_matches: int
    self_matches_ndcg: tuple[float, float] | None
    duplicates: int
    seen: int | None = None
    units: int | None = None
    unit_documents: int | None = None
    units_per_document: float | None = None
    effective: float | None = None
    unused_weights: tuple[str, ...] = ()
    failed: int = 0
    gone: int | None = None
    gone_retrieved: int = 0
    unwinnable_queries: tuple[str, ...] = ()
    unwinnable_skipped: bool = False
    candidates: int | None = None

    def __str__(self) -> str:
        """Return the audit on one line."""
        return self._line(usual=True)

    @property
    def brief(self) -> str:
        """The same line without what is as usual: counts of 0, no ties, all of Judged@10."""
        return self._line(usual=False)

    def _line(self, *, usual: bool) -> str:
        if not self.judged and self.answered:
            return "; ".join([f"{counted(self.answered, 'list')}, no judgments", *self.extras()])
        counts = {
            "missing": self.missing,
            "run-only": self.run_only,
            "without relevant": self.without_relevant,
        }
        told = [f"judged {self.judged:,}", f"answered {self.answered:,}"]
        told += [f"{name} {count:,}" for name, count in counts.items() if count or usual]
        parts = [", ".join(told)]
        tied, judged = f"{self.tied_share:.1%}", f"{self.judged_at_10:.1%}"
        parts += [f"{tied} of judged documents tied"] if tied != "0.0%" or usual else []
        if not math.isnan(self.judged_at_10):
            parts += [f"Judged@10 {judged}"] if judged != "100.0%" or usual else []
        return "; ".join([*parts, *self.extras()])

    def extras(self) -> list[str]:
        """Return what applies to few runs only: extra columns, duplicates, and so on."""
        lines: list[str] = []
        if self.qrels_extra_columns + self.run_extra_columns:
            line = (
                f"lines with extra columns: {self.qrels_extra_columns:,} of the qrels, "
                f"{self.run_extra_columns:,} of the run"
            )
            lines.append(Detail(line))
        if self.failed:
            are, counts = "documents have", "count"
            if self.failed == 1:
                are, counts = "document has", "counts"
            lines.append(
                f"{self.failed:,} {are} no label, as it failed, and {counts} as not judged"
            )
        lines += [*self.about_corpus(), *self.about_age("the run")]
        if self.duplicates:
            lines.append(f"rows left out as duplicates: {self.duplicates:,}")
        if self.seen is not None:
            lines.append(f"documents left out as seen: {self.seen:,}")
        if self.units is not None:
            line = units_to_documents(self.units, self.unit_documents or 0)
            if self.units_per_document is not None:
                line += f", {self.units_per_document:.2f} each"
            lines.append(line)
        if self.effective is not None:
            lines.append(
                f"means are weighted: {self.averaged:,} queries are worth {self.effective:.1f} of "
                "equal weight"
            )
        if self.unused_weights:
            count = len(self.unused_weights)
            lines.append(
                f"{counted(count, 'weight is', 'weights are')} of queries that are not averaged: "
                f"{listed(self.unused_weights, count)}"
            )
        if self.candidates is not None:
            lines.append(
                f"each list has {self.candidates:,} documents, one of them relevant: if the others "
                "are a sample, so are the values; sampled=(items, negatives), or --sampled, "
                "estimates them on all items"
            )
        if self.interleaved:
            queries = counted(self.interleaved, "query", "queries")
            lines.append(Detail(f"{queries} interleaved"))
        if self.self_matches_ndcg is not None:
            with_them, without = self.self_matches_ndcg
            one = self.self_matches == 1
            queries, their = ("query", "its") if one else ("queries", "their")
            lines.append(
                f"{self.self_matches:,} {queries} retrieved a document with {their} own id: "
                f"nDCG@10 {with_them:.4f}, {without:.4f} with drop_self"
            )
        return lines

    def about_corpus(self) -> list[str]:
        """Say how many judged documents are gone, and which queries cannot be won any more."""
        lines = []
        if self.gone:
            judgments = counted(
                self.gone,
                "judgment is of a document that is",
                "judgments are of documents that are",
            )
            lines.append(f"{judgments} not in the corpus")
        if lost := self.unwinnable_queries:
            from rankmark.data.preparing.corpus_ids import are_left_out, none_left  # noqa: PLC0415

            them = "it" if len(lost) == 1 else "them"
            lines.append(
                are_left_out(lost)
                if self.unwinnable_skipped
                else f"{none_left(len(lost))}, and no system that searches it can answer {them}: "
                f"{listed(lost)}"
            )
        return lines

    def about_age(self, run: str) -> list[str]:
        """Say how many documents that are gone a run, called so, retrieved all the same."""
        if not self.gone_retrieved:
            return []
        many = counted(self.gone_retrieved, "judged document that is", "judged documents that are")
        return [f"{run} retrieved {many} not in the corpus: is it of an older index?"]

    def to_dict(self) -> dict[str, Any]:
        """Return the audit for JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self._asdict().items()
        }


def audit_of(
    kept: KeptData, measures: Sequence[Measure], scores: Floats, chosen: Ints | None
) -> Audit:
    """Audit an evaluation.

    Parameters
    ----------
    measures
        The measures that were evaluated.
    scores
        (n, n_measures) float64, of the chosen queries.
    chosen
        (n,) int64, their row numbers; None for all.
    """
    positions = kept.qrels.source.positions or kept.run.source.positions
    audit = counted_audit(
        kept.facts,
        measures,
        scores,
        chosen,
        queries=kept.alignment.queries,
        retrieved=kept.alignment.retrieved,
        relevant=has_relevant(measures, kept.alignment),
        qrels_extra_columns=kept.qrels.extra_columns,
        have_ids=not positions,
    )
    audit = audit._replace(failed=kept.qrels.failed, candidates=_candidates(kept, measures))
    if kept.corpus is not None:
        audit = audit._replace(
            gone=kept.corpus.number,
            gone_retrieved=_gone_retrieved(kept, kept.corpus),
            unwinnable_queries=kept.corpus.unwinnable,
            unwinnable_skipped=bool(kept.conventions.unwinnable),
        )
    if lost := {*kept.conventions.unwinnable}:
        missing = tuple(query for query in audit.missing_queries if query not in lost)
        judged = audit.judged - len(lost)
        answered = judged - len(missing)
        audit = audit._replace(
            judged=judged,
            answered=answered,
            missing=len(missing),
            missing_queries=missing,
        )
    if kept.run.source.ranks_alone:  # nothing is known of the documents between those judged
        audit = audit._replace(judged_at_10=math.nan)
    if kept.qrels.source.description()["form"] == "no judgments":
        return audit._replace(judged=0, without_relevant=0, judged_at_10=math.nan)
    ndcg = _self_matches_ndcg(kept, audit.self_matches, chosen)
    return audit if ndcg is None else audit._replace(self_matches_ndcg=ndcg)


def _gone_retrieved(kept: KeptData, corpus: JudgedInCorpus) -> int:
    """Count the judgments of documents that a corpus lacks, and that the run retrieved."""
    if not corpus.gone or kept.run.source.ranks_alone:
        return 0
    from rankmark.data.alignment import Needs  # noqa: PLC0415
    from rankmark.data.preparing.matching import match  # noqa: PLC0415

    lacking = {*corpus.found.gone}
    try:
        with quiet():  # these were given when it was evaluated
            qrels, run = kept.read()
            lacks = np.array([doc in lacking for doc in qrels.doc_ids], dtype=np.float64)
            a, _ = match(
                qrels.with_labels(lacks),
                run,
                kept.conventions.ordered(),
                needs=Needs(),
                reading=kept.reading,
            )
    except RankmarkError:  # data has changed or is gone
        return 0
    return int(np.count_nonzero(a.label))


def _candidates(kept: KeptData, measures: Sequence[Measure]) -> int | None:
    """Return how many documents each list has, if it looks like a target among sampled items."""
    a = kept.alignment
    if len(a.retrieved) < _FEWEST_LISTS or any(one.name == "Corrected" for one in measures):
        return None
    fewest, most = int(a.retrieved.min()), int(a.retrieved.max())
    if not 2 < fewest == most <= _MOST_CANDIDATES or kept.run.source.ranks_alone:
        return None
    if all(needed_by(measure).ideal == 1 for measure in measures):
        return None  # of each query, the alignment has the highest label alone
    are_one = a.num_relevant(ABOVE_ZERO) == 1
    return fewest if are_one.all() and kept.facts.judged.all() else None


def has_relevant(measures: Sequence[Measure], a: Alignment) -> Bools:
    """Whether each query has a document that is relevant to a measure: (Q,) bool."""
    rel = min([getattr(measure, "rel", math.inf) for measure in measures], default=math.inf)
    return a.num_relevant(rel if math.isfinite(rel) else 1.0) > 0


def counted_audit(
    facts: RunFacts,
    measures: Sequence[Measure],
    scores: Floats,
    chosen: Ints | None,
    *,
    queries: Sequence[str],
    retrieved: Ints,
    relevant: Bools,
    qrels_extra_columns: int,
    have_ids: bool,
) -> Audit:
    """Count what an audit shows, without ``self_matches_ndcg``.

    Parameters
    ----------
    facts
        Of all judged queries.
    measures, scores, chosen
        As for ``audit_of``.
    queries, retrieved, relevant
        (Q,) ids; (Q,) int64, the documents retrieved; (Q,) bool, whether a document is relevant.
    qrels_extra_columns
        Lines of the judgments with more columns than the format.
    have_ids
        Whether queries and documents have ids, other than row and column numbers.
    """
    rows = slice(None) if chosen is None else chosen
    missing = np.flatnonzero(np.asarray(facts.answered) == 0).tolist()
    usual = scores
    if any(measure.may_lack_value for measure in measures):
        usual = scores[:, [not measure.may_lack_value for measure in measures]]
    skipped = np.isnan(usual).any(axis=1).sum()
    of_query = np.minimum(retrieved[rows], 10).astype(np.float64)
    top = ratio(facts.judged_top[rows].astype(np.float64), of_query)
    names = [*map(str, measures)]
    if _JUDGED in names:  # both are then the same over all orders of ties
        of_measure = scores[:, names.index(_JUDGED)]
        top = top if np.isnan(of_measure).any() else of_measure
    judged = facts.judged[rows].sum()
    units = int(facts.units[rows].sum()) if facts.units.any() else None
    documents = None if units is None else int(facts.unit_documents[rows].sum())
    return Audit(
        averaged=len(scores) - int(skipped),
        judged=len(retrieved),
        answered=len(retrieved) - len(missing),
        missing=len(missing),
        missing_queries=tuple(queries[row] for row in missing),
        run_only=facts.run_only,
        run_only_examples=tuple(facts.run_only_examples),
        without_relevant=int((~relevant[rows]).sum()),
        tied_share=float(facts.tied[rows].sum() / judged) if judged else 0.0,
        judged_at_10=float(top.mean()) if len(top) else 0.0,
        rows=facts.rows,
        interleaved=facts.interleaved,
        qrels_extra_columns=qrels_extra_columns,
        run_extra_columns=facts.extra_columns,
        self_matches=int(facts.self_matches[rows].sum()) if have_ids else 0,
        self_matches_ndcg=None,
        duplicates=int(facts.duplicates[rows].sum()),
        seen=None if facts.seen is None else int(facts.seen[rows].sum()),
        units=units,
        unit_documents=documents,
        units_per_document=units / documents if units and documents else None,
    )


def _self_matches_ndcg(
    kept: KeptData, self_matches: int, chosen: Ints | None
) -> tuple[float, float] | None:
    """Return mean nDCG@10 with and without documents that have their query's id, if relevant."""
    answered = int(np.asarray(kept.facts.answered).sum())
    if kept.conventions.drop_self or 100 * self_matches <= answered:
        return None
    from rankmark.data.ids.identity import are_own  # noqa: PLC0415
    from rankmark.measures import nDCG  # noqa: PLC0415

    try:
        qrels, run = kept.read()
    except ChangedError:
        return None
    documents = len({*qrels.doc_ids})
    if not are_own(qrels.query_ids, self_matches, kept.alignment.retrieved, documents):
        return None
    shown, skip = nDCG @ 10, kept.conventions.leave_out([nDCG @ 10])
    means: list[float] = []
    for drop_self in (False, True):
        conventions = replace(kept.conventions, drop_self=drop_self)
        scores = Ranked.of(qrels, run, conventions, needs=needs_of([shown])).score(shown)[:, None]
        means += for_all([shown], scores if chosen is None else scores[chosen], skip=skip)
    return None if any(map(math.isnan, means)) else (means[0], means[1])
