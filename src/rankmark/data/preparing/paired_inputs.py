"""Pair the judgments of several judges by document, and the rankings of two runs by query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark._core import (
    DuplicateFault,
    LimitFault,
    ListOptions,
    Rankings,
    paired,
    paired_judgments,
    rankings_from_rows,
)
from rankmark.conventions import PairTies, combination, limit
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.evidence.distances import refuse_rising, rises_of
from rankmark.data.files.file_source import FileSource
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.preparing.units import DOCUMENTS, UnitCounts, lists_in_units, without_sum
from rankmark.errors import DuplicateError, InputError, MismatchError, SchemaError, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.contract.source import Order, Rows, Source
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run


class PairedJudgments(NamedTuple):
    """The labels that m judges gave, for n pairs of a query and a document and Q queries.

    Parameters
    ----------
    query_ids
        (Q,) ids of all queries, in the order of the first judge, then of the others.
    query
        (n,) int64, the number of each pair's query, rising.
    labels
        (m, n) float64; NaN where a judge has no label.
    places
        (n,) int64, the row of each pair in the judgments of the first judge who has it.
    first_judge
        (n,) int16, the number of that judge.
    judged
        (m, Q) bool, whether a judge has judged a query at all.
    """

    query_ids: tuple[str, ...]
    query: Ints
    labels: Floats
    places: Ints
    first_judge: NDArray[np.int16]
    judged: Bools


def pair_judgments(judges: Sequence[Qrels], threads: int) -> PairedJudgments:
    """Bring together what two or more judges said, by the ids of queries and documents.

    With several judgments of a document by one judge, as by subtopic, the highest label counts.
    """
    number: dict[str, int] = {}
    for judge in judges:
        for query in judge.query_ids:
            number.setdefault(query, len(number))
    judged = np.zeros((len(judges), len(number)), dtype=np.bool_)
    queries = []
    for at, judge in enumerate(judges):
        own = np.array([number[query] for query in judge.query_ids], dtype=np.int64)
        judged[at, own[np.diff(judge.starts) > 0]] = True
        queries.append(own)
    total = rows = len(judges[0].labels)
    pairs: list[Ints] = [np.arange(total)]  # of each judge's rows
    parts, places = [np.repeat(queries[0], np.diff(judges[0].starts))], [pairs[0]]
    first = [np.zeros(total, dtype=np.int16)]
    for at in range(1, len(judges)):
        pair = paired_judgments(judges[at].judgments, judges[0].judgments, threads).copy()
        new = np.flatnonzero(pair < 0)
        for before in range(1, at):
            if not len(new):
                break
            there = paired_judgments(judges[at].judgments, judges[before].judgments, threads)[new]
            known = there >= 0
            pair[new[known]] = pairs[before][there[known]]
            new = new[~known]
        pair[new] = total + np.arange(len(new))
        total += len(new)
        pairs.append(pair)
        # Only of the new rows, as there are few as a rule.
        parts.append(queries[at][np.searchsorted(judges[at].starts, new, side="right") - 1])
        places.append(new)
        first.append(np.full(len(new), at, dtype=np.int16))
    labels = np.full((len(judges), total), np.nan)
    for own, judge, pair in zip(labels, judges, pairs, strict=True):
        own[pair] = judge.labels
    if total == rows:
        return PairedJudgments(tuple(number), parts[0], labels, places[0], first[0], judged)
    # Those that the first judge lacks stand behind the others of their query.
    of_pair = np.concatenate(parts)
    order = np.argsort(of_pair, kind="stable")
    return PairedJudgments(
        tuple(number),
        of_pair[order],
        labels[:, order],
        np.concatenate(places)[order],
        np.concatenate(first)[order],
        judged,
    )


def documents_of(judges: Sequence[Qrels], paired: PairedJudgments, pairs: Ints) -> list[str]:
    """Return the ids of the documents of some pairs, of which there are few."""
    found = [""] * len(pairs)
    for at, judge in enumerate(judges):
        own = np.flatnonzero(paired.first_judge[pairs] == at)
        rows = np.ascontiguousarray(paired.places[pairs[own]])
        for place, document in zip(
            own.tolist(), judge.judgments.documents_of_rows(rows), strict=True
        ):
            found[place] = document
    return found


Which = Literal["both", "either"]


class PairedRuns(NamedTuple):
    """Two runs, paired query by query.

    Parameters
    ----------
    pairing
        One pair of rankings per query.
    queries
        (Q,) query ids, in the order of a, then those that only b has.
    both
        Number of queries in both runs.
    only_a, only_b
        Queries in only one run, paired with an empty ranking or left out.
    tied_a, tied_b
        Documents of the pairing that share their score with another, whether or not ties are
        broken.
    units_a, units_b
        The units that were retrieved in place of documents.
    """

    pairing: Pairing
    queries: tuple[str, ...]
    both: int
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    tied_a: int
    tied_b: int
    units_a: UnitCounts
    units_b: UnitCounts


def pair_runs(
    a: Run,
    b: Run,
    *,
    queries: Which = "both",
    ties: PairTies = "tied",
    deepest: int | None = None,
    units: Conventions = DOCUMENTS,
    reading: Reading = AS_USUAL,
) -> PairedRuns:
    """Pair two runs.

    Parameters
    ----------
    a, b
        Prepared runs.
    queries
        Those in both runs, or in either, with an empty ranking for the other.
    ties
        Whether equal scores are ties, or how they are ordered, as in ``evaluate``.
    deepest
        The last rank that counts; a tie that reaches beyond it is kept whole.
    units
        How units, if both or one of the runs have some, become documents.
    reading
        How both are read; its progress is told the number of the file, 0 for a and 1 for b.
    """
    options = ListOptions("" if ties == "tied" else _order(ties), limit(deepest))
    of_a, of_b = (
        ranked(
            run.source, options, reading.of_file(number), by_rank=ties == "rank", units=units
        ).rankings
        for number, run in enumerate((a, b))
    )
    ids_a, ids_b = of_a.query_ids(), of_b.query_ids()
    number_b = {query: place for place, query in enumerate(ids_b)}
    in_a = set(ids_a)
    only_a = tuple(query for query in ids_a if query not in number_b)
    only_b = tuple(query for query in ids_b if query not in in_a)
    if len(only_a) == len(ids_a):
        raise MismatchError(
            f"{a.name} and {b.name} have no query in common: the first has "
            f"{listed(ids_a[:3], len(ids_a))}, the second {listed(ids_b[:3], len(ids_b))}",
            "are the ids of one kind?",
        )
    kept = [place for place, query in enumerate(ids_a) if queries == "either" or query in number_b]
    added = only_b if queries == "either" else ()
    chosen = (*(ids_a[place] for place in kept), *added)
    numbers_a = np.array([*kept, *[-1] * len(added)], dtype=np.int64)
    numbers_b = np.array([number_b.get(query, -1) for query in chosen], dtype=np.int64)
    pairing = Pairing(*paired(of_a, of_b, numbers_a, numbers_b, reading.workers))
    there = (of_a, numbers_a[numbers_a >= 0]), (of_b, numbers_b[numbers_b >= 0])
    tied_a, tied_b = (int(lists.counts("tied")[numbers].sum()) for lists, numbers in there)
    units_a, units_b = (UnitCounts.of(lists, numbers) for lists, numbers in there)
    both = len(ids_a) - len(only_a)
    return PairedRuns(
        pairing, chosen, both, only_a, only_b, tied_a, tied_b, units_a=units_a, units_b=units_b
    )


class RankedRun(NamedTuple):
    """All documents of a run, ranked; ``has_scores`` unless it has only ranks, or an order."""

    rankings: Rankings
    has_scores: bool

    def of_units(self, units: Conventions, source: Source) -> RankedRun:
        """Return the same of documents that were made of units."""
        how, _ = combination(units.combine)
        if not self.has_scores and how in {"sum", "mean"}:
            raise without_sum(source.name)
        return self._replace(has_scores=self.has_scores or how in {"count", "rrf"})


def ranked(
    source: Source,
    options: ListOptions,
    reading: Reading,
    *,
    by_rank: bool,
    units: Conventions = DOCUMENTS,
) -> RankedRun:
    """Rank all documents of a run: text in the core's reader, other forms from their rows.

    Units become documents in the core, before these are ranked; ``units`` says how.
    """
    options, source = lists_in_units(options, units, source)
    try:
        found = _ranked(source, options, reading, by_rank=by_rank)
    except LimitFault as fault:  # such as a unit without a document
        raise InputError(*fault.args, where=source.name) from None
    return found.of_units(units, source) if options.ranks_units else found


def _ranked(source: Source, options: ListOptions, reading: Reading, *, by_rank: bool) -> RankedRun:
    with refused_duplicates():
        in_place = _ranked_in_place(source, options, reading, by_rank=by_rank)
        if in_place is not None:
            return in_place
        rows = source.rows(reading, lenient=False)
    if not len(rows.query_codes):
        raise InputError(
            "it holds no documents", "need some for one query at least", where=source.name
        )
    if by_rank and rows.rank is None:
        raise InputError(
            f'ties="rank" needs a rank column, and {source.name} has none', "choose another rule"
        )
    has_scores = rows.number is not None and not by_rank
    if not (options.negated and has_scores):
        refuse_wrong_order(source, options, rises_of(rows), rows.order if has_scores else None)
    codes = np.asarray(rows.doc_codes)
    doc_ids = [rows.doc_ids(code) for code in range(int(codes.max()) + 1)]
    try:
        rankings = rankings_from_rows(
            np.ascontiguousarray(rows.query_codes, dtype=np.uint32),
            [*rows.query_ids],
            np.ascontiguousarray(codes, dtype=np.uint32),
            doc_ids,
            _scores(rows, source.name, by_rank=by_rank),
            options,
        )
    except DuplicateFault as fault:
        query, document = fault.args
        raise DuplicateError(
            f"document {document!r} appears twice for query {query!r}",
            "keep one of the two",
            where=source.name,
        ) from None
    return RankedRun(rankings, has_scores)


@contextmanager
def refused_duplicates() -> Iterator[None]:
    """Let errors about duplicates not name the choice that ``evaluate`` has."""
    try:
        yield
    except DuplicateError as error:
        error.remedy = "keep one of the two"
        raise


def _ranked_in_place(
    source: Source, options: ListOptions, reading: Reading, *, by_rank: bool
) -> RankedRun | None:
    """Let the core rank a text file, or a dict of dicts of floats; None for other forms."""
    order: Order | None = "rows"
    rankings: Rankings | None = None
    if isinstance(source, FileSource):
        found = source.rankings(options, reading, by_rank=by_rank)
        if found is not None:
            rankings, order = found
    elif isinstance(source, NestedMapping) and not by_rank:
        rankings = source.rankings(options)
    if rankings is None or not rankings.query_ids():
        return None
    refuse_wrong_order(source, options, rankings.counts("rises"), order)
    return RankedRun(rankings, order is not None)


def refuse_wrong_order(
    source: Source, options: ListOptions, rises: Ints, order: Order | None
) -> None:
    """Refuse scores that seem to be distances; of negated ones, that there are none."""
    if not options.negated:
        refuse_rising(source, rises, order)
    elif order is None:
        raise InputError(
            "it has no scores, so none of which lower ones are better",
            "leave it out of lower_better",
            where=source.name,
        )


def _scores(rows: Rows, name: str, *, by_rank: bool) -> Floats:
    """Return what orders the rows, highest first: scores, else ranks, else the order given."""
    if rows.number is not None and not by_rank:
        scores = rows.number
    elif rows.rank is not None:
        scores = -rows.rank
    else:
        scores = -np.arange(len(rows.query_codes), dtype=np.float64)
    missing = np.isnan(scores)
    if missing.any():
        query = rows.query_ids[rows.query_codes[missing.argmax()]]
        raise SchemaError(
            f"query {query!r} has a document whose number is NaN, which cannot be ordered",
            "remove or replace it",
            where=name,
        )
    return np.require(scores, np.float64, ("C", "ALIGNED"))


def _order(ties: PairTies) -> str:
    """Return the core's name for the order of equal scores; equal ranks are ordered by id."""
    return "docid" if ties == "rank" else ties
