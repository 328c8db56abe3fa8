"""Ranks of a query's targets, where nothing is known of the other documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankmark._core import RankingOptions, table_from_columns
from rankmark.array_types import Floats, Ints, distinct
from rankmark.data.alignment import LAST_RANK, positions, query_of_rows
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.source import (
    ANSWERED,
    COUNTS,
    JUDGED,
    JUDGED_TOP,
    RETRIEVED,
    TIED,
    AlignedRun,
    Columns,
    PreparedQrels,
    Rows,
    Source,
    Wrapped,
)
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.ids.numeric import id_text
from rankmark.data.ids.tensors import as_array, is_array
from rankmark.data.mappings.lists import Numbered
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.tables.column_values import is_series
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import TableSource, worded
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, shown

_NAME = "<ranks>"
_TOP = 10


class TargetRanks(Wrapped):
    """A run of which only the ranks of some documents are known, among others that are not listed.

    Parameters
    ----------
    source
        The documents, of any form, with ranks in the rank column, else in place of scores.
    unnamed
        Whether its documents have no ids: they are the relevant ones of their query.
    candidates
        How many documents are ranked for each query: the number of all, or by query; None if that
        is unknown.
    """

    ranks_alone = True
    has_length = False

    def __init__(self, source: Source, *, unnamed: bool = False) -> None:
        super().__init__(source)
        self.vouched = True
        self.unnamed = unnamed
        self.candidates: int | Mapping[str, int] | None = None

    def among(self, candidates: Any) -> TargetRanks:
        """Return the same ranks, with the number of documents among which they are."""
        other = self.around(self.source)
        assert other is not None  # noqa: S101
        other.vouched = True
        other.candidates, other.has_length = _candidates(candidates), True
        return other

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Place the judged documents at their ranks."""
        self._refuse_what_needs_others(ranking)
        rows = self._rows(reading)
        given = self._ranks(rows)
        ranks, answered = self._of_judged(qrels, rows, given)
        if isinstance(self.source, TableSource):
            self.source.refuse_misfit(qrels, ranking)
        starts = np.asarray(qrels.judgments.starts())
        query = query_of_rows(starts)
        deepest = np.zeros(len(starts) - 1)
        kept = np.flatnonzero(~np.isnan(ranks))
        np.maximum.at(deepest, query[kept], np.ceil(ranks[kept]))
        retrieved = self._retrieved(qrels.query_ids, deepest, answered)
        kept = kept[ranks[kept] <= ranking.depth]
        retrieved = np.minimum(retrieved, min(ranking.depth, LAST_RANK)).astype(np.int64)
        kept = kept[np.lexsort((ranks[kept], query[kept]))]
        whole, query = np.floor(ranks[kept]), query[kept]
        between = bool((whole < ranks[kept]).any())
        counts = np.zeros((COUNTS, len(starts) - 1), dtype=np.int64)
        counts[ANSWERED], counts[RETRIEVED] = answered, retrieved
        counts[JUDGED] = np.bincount(query, minlength=len(answered))
        counts[JUDGED_TOP] = np.bincount(query[ranks[kept] <= _TOP], minlength=len(answered))
        counts[TIED] = np.bincount(query[whole < ranks[kept]], minlength=len(answered))
        columns = Columns(
            np.append(0, np.cumsum(counts[JUDGED])),
            whole.astype(np.int32),
            np.asarray(qrels.judgments.labels())[kept],
            whole.astype(np.int32) if between else None,
            np.ceil(ranks[kept]).astype(np.int32) if between else None,
            counts,
        )
        known = {*qrels.query_ids}
        others = [one for one in rows.query_ids if one not in known]
        return AlignedRun(columns, len(others), others[:3], len(given), 0, 0)

    def ranks_of(self, qrels: PreparedQrels, reading: Reading) -> Floats:
        """Return the rank of each judged document, (J,) float64, NaN for those without."""
        rows = self._rows(reading)
        return self._of_judged(qrels, rows, self._ranks(rows))[0]

    def _rows(self, reading: Reading) -> Rows:
        return self.source.rows(reading, lenient=False)

    def _refuse_what_needs_others(self, ranking: RankingOptions) -> None:
        for asked, what in (
            (ranking.judged_only, "judged_only leaves other documents out"),
            (ranking.ranks_units, "units become documents of other ranks"),
            (ranking.drop_self, "drop_self leaves other documents out"),
            (ranking.looks_at_ids, "seen leaves other documents out"),
        ):
            if asked:
                raise InputError(
                    f"{what}, and of a run of ranks nothing is known of others",
                    "leave them out before you rank, or give the scores of all documents",
                    where=self.name,
                )

    def _ranks(self, rows: Rows) -> Floats:
        """Return the ranks of all rows, (n,) float64: whole numbers and middles of two, from 1."""
        given = rows.rank if rows.rank is not None else rows.number
        if given is None:
            raise SchemaError("it has no ranks", "name the column: columns={'rank': ...}")
        ranks = np.asarray(given, dtype=np.float64)
        may_be = (ranks >= 1) & (ranks <= LAST_RANK) & (ranks * 2 % 1 == 0)
        wrong = np.flatnonzero(~(may_be | np.isnan(ranks)))
        if len(wrong):
            row = int(wrong[0])
            query = rows.query_ids[int(np.asarray(rows.query_codes)[row])]
            raise SchemaError(
                f"query {query!r} has rank {ranks[row]:g}",
                "ranks count from 1: whole numbers, or halves for the middle of tied ones"
                + ("; add 1 to ranks from 0" if ranks[row] == 0 else ""),
                where=self.name,
            )
        self._refuse_impossible(rows, ranks)
        return ranks

    def _refuse_impossible(self, rows: Rows, ranks: Floats) -> None:
        """Refuse ranks that documents of one ranking cannot have together, as two at rank 1."""
        known = np.flatnonzero(~np.isnan(ranks))
        ranks = ranks[known]
        codes = np.asarray(rows.query_codes).astype(np.int64)[known]
        order = np.lexsort((ranks, codes))
        codes, in_order = codes[order], ranks[order]
        starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))[: len(codes)]
        counts = np.diff(np.append(starts, len(codes)))
        if not (counts > 1).any():
            return
        before = np.repeat(np.append(0, np.cumsum(in_order))[starts], counts)
        place = np.arange(len(codes)) - np.repeat(starts, counts) + 1
        wrong = np.flatnonzero(np.cumsum(in_order) - before < place * (place + 1) / 2)
        if len(wrong):
            query = rows.query_ids[codes[wrong[0]]]
            found = in_order[codes == codes[wrong[0]]][: place[wrong[0]]]
            these = listed([f"{rank:g}" for rank in found[:3]], len(found))
            raise SchemaError(
                f"query {query!r} has targets at ranks {these}, and a ranking has one document at "
                "each",
                "where ranks leave the other targets out, as filtered ones do, give each as a "
                "query of its own: ranks in one dimension",
                where=self.name,
            )

    def _of_judged(self, qrels: PreparedQrels, rows: Rows, given: Floats) -> tuple[Floats, Ints]:
        """Return the rank of each judged document, NaN if none, and which queries are answered."""
        starts, judged = np.asarray(qrels.judgments.starts()), qrels.judgments
        number = {query: code for code, query in enumerate(rows.query_ids)}
        queries = np.array([number.get(query, -1) for query in qrels.query_ids], dtype=np.int64)
        if self.unnamed:
            documents = self._unnamed(qrels, rows, queries)
        else:
            documents = np.asarray(rows.doc_numbers([*qrels.doc_ids]), dtype=np.int64)
        of_query = np.repeat(queries, np.diff(starts))
        wanted = np.where((of_query >= 0) & (documents >= 0), of_query << 32 | documents, -1)
        have = np.asarray(rows.query_codes).astype(np.int64) << 32 | np.asarray(rows.doc_codes)
        order = np.argsort(have, kind="stable")
        have = have[order]
        twice = np.flatnonzero(have[1:] == have[:-1])
        if len(twice):
            row = int(order[twice[0]])
            document = rows.doc_ids(int(np.asarray(rows.doc_codes)[row]))
            query = rows.query_ids[int(np.asarray(rows.query_codes)[row])]
            raise DuplicateError(
                f"document {document!r} has two ranks for query {query!r}",
                "keep one of the two",
                where=self.name,
            )
        ranks = np.full(len(judged.labels()), np.nan)
        if len(have):
            at = np.minimum(np.searchsorted(have, wanted), len(have) - 1)
            found = have[at] == wanted
            ranks[found] = given[order[at[found]]]
        return ranks, (queries >= 0).astype(np.int64)

    def as_judgments(self) -> Source:
        """Return each document as relevant to its query, whether it was ranked or not."""
        rows = self._rows(AS_USUAL)
        codes, documents = np.asarray(rows.query_codes), np.asarray(rows.doc_codes)
        held: dict[str, dict[str, int]] = {query: {} for query in rows.query_ids}
        for code, document in zip(codes.tolist(), documents.tolist(), strict=True):
            held[rows.query_ids[code]][rows.doc_ids(document)] = 1
        return (
            Numbered([*held.values()], "qrels") if self.positions else NestedMapping(held, "qrels")
        )

    def _unnamed(self, qrels: PreparedQrels, rows: Rows, queries: Ints) -> Ints:
        """Return the numbers of the relevant documents among the rows, -1 for others: (J,)."""
        starts, labels = np.asarray(qrels.judgments.starts()), np.asarray(qrels.judgments.labels())
        relevant = labels > 0
        query = query_of_rows(starts)
        counts = np.bincount(query[relevant], minlength=len(queries))
        given = np.bincount(np.asarray(rows.query_codes), minlength=len(rows.query_ids))
        has = np.where(queries >= 0, given[queries] if len(given) else 0, 0)
        highest = np.zeros(len(queries))
        lowest = np.full(len(queries), np.inf)
        np.maximum.at(highest, query[relevant], labels[relevant])
        np.minimum.at(lowest, query[relevant], labels[relevant])
        unclear = np.flatnonzero(
            (has > 0) & ((has != counts) | ((counts > 1) & (lowest < highest)))
        )
        if len(unclear):
            one = int(unclear[0])
            grades = " of several labels" if has[one] == counts[one] else ""
            raise SchemaError(
                f"query {qrels.query_ids[one]!r} has {has[one]} ranks without ids, and "
                f"{counts[one]} relevant documents{grades}",
                "say which document has which rank: {query id: {document id: rank}}",
                where=self.name,
            )
        # Of alike documents, it does not matter which has which rank.
        before: Ints = np.cumsum(relevant) - relevant
        place: Ints = before - before[starts[:-1]][query]
        names = distinct(place[relevant])
        numbers = np.asarray(rows.doc_numbers([*map(str, names.tolist())]), dtype=np.int64)
        found = np.full(len(labels), -1, dtype=np.int64)
        found[relevant] = numbers[np.searchsorted(names, place[relevant])]
        return found

    def _retrieved(self, query_ids: Sequence[str], deepest: Floats, answered: Ints) -> Floats:
        """Return how many documents are ranked, at least those down to the last rank: (Q,)."""
        if self.candidates is None:
            return deepest
        if isinstance(self.candidates, int):
            sizes = np.full(len(query_ids), float(self.candidates))
        else:
            missing = [
                query
                for query, has in zip(query_ids, answered, strict=True)
                if has and query not in self.candidates
            ]
            if missing:
                raise InputError(
                    f"candidates: {len(missing):,} queries have none: {listed(missing)}",
                    "give each the number of documents that were ranked",
                )
            sizes = np.array([float(self.candidates.get(query, 0)) for query in query_ids])
        wrong = np.flatnonzero((sizes < deepest) & (answered > 0))
        if len(wrong):
            query = int(wrong[0])
            raise InputError(
                f"query {query_ids[query]!r} has rank {deepest[query]:g} among {sizes[query]:g} "
                "candidates",
                "count the target itself as a candidate, too",
                where=self.name,
            )
        return np.where(answered > 0, sizes, 0.0)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        known = {} if self.candidates is None else {"candidates": _described(self.candidates)}
        return {**self.source.description(), "holds": "ranks"} | known


def _described(candidates: int | Mapping[str, int]) -> Any:
    return candidates if isinstance(candidates, int) else f"of {len(candidates):,} queries"


def _candidates(given: Any) -> int | Mapping[str, int]:
    """Check numbers of candidates: one, by query, or in the order of the queries."""
    if isinstance(given, Mapping):
        return {str(id_text(query) or query): _count(count) for query, count in given.items()}
    if is_array(given) and np.ndim(given) == 0:
        given = np.asarray(given).item()
    if is_array(given) or isinstance(given, (list, tuple)):
        return {str(row): _count(count) for row, count in enumerate(np.asarray(given).tolist())}
    return _count(given)


def _count(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise InputError(f"candidates is {shown(given)}", "need whole numbers from 1")
    return int(given)


def ranks_of_targets(source: Any) -> TargetRanks | None:
    """Read ranks without ids of documents: one or several of each query, by its place or its id.

    None if the source is anything else, so that its documents may have ids.
    """
    held = source.to_numpy() if is_series(source) and source.index.nlevels == 1 else source
    if is_array(held) and not is_frame(held) and np.ndim(held) in {1, 2}:
        array = np.asarray(as_array(held, "run"), dtype=np.float64)
        counts = np.full(len(array), 1 if array.ndim == 1 else array.shape[1])
        return _of_targets(None, counts, array.ravel())
    if isinstance(held, Mapping) and held and all(map(_are_ranks, held.values())):
        return _listed([_query_id(query) for query in held], [*held.values()])
    if isinstance(held, list) and held and all(map(_are_ranks, held)):
        return _listed(None, held)
    return None


def _query_id(query: Any) -> str:
    text = id_text(query)
    if text is None:
        raise SchemaError(f"{shown(query)} is not an id", "ids are text or whole numbers")
    return text


def _are_ranks(held: Any) -> bool:
    """Return whether an entry is a rank, or a list of ranks, of which None was not ranked."""
    if isinstance(held, list) or (is_array(held) and np.ndim(held) == 1):
        return all(map(_is_rank, held))
    return _is_rank(held)


def _is_rank(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float, np.number)) and value is not True)


def _listed(ids: list[str] | None, held: Sequence[Any]) -> TargetRanks:
    rows = [np.atleast_1d(np.asarray(row, dtype=np.float64)) for row in held]
    counts = np.array([len(row) for row in rows], dtype=np.int64)
    return _of_targets(ids, counts, np.concatenate(rows))


def _of_targets(ids: list[str] | None, counts: Ints, ranks: Floats) -> TargetRanks:
    """Build a source of the ranks of each query's targets, NaN for those that were not ranked."""
    starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    query = query_of_rows(starts)
    names = ["query_id", "doc_id", "rank"]
    queries: Any = query if ids is None else [ids[row] for row in query.tolist()]
    with worded(_NAME, names):
        columns = [queries, positions(starts) - 1, np.ascontiguousarray(ranks)]
        table = table_from_columns(names, columns, len(counts) if ids is None else 0)
    form = {"form": "ranks", "queries": len(counts)}
    shape = (len(counts),) if ids is None else None
    chosen = Chosen(0, 1, None, 2)
    return TargetRanks(
        TableSource(table, chosen, "run", name=_NAME, form=form, shape=shape), unnamed=True
    )
