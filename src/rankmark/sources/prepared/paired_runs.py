"""Two runs of any form, brought together query by query: the Pairing of their rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark import _core
from rankmark.alignment.ranking_pairs import Pairing
from rankmark.conventions import limit, one_word
from rankmark.errors import DuplicateError, InputError, MismatchError, SchemaError, listed
from rankmark.sources.files.file_source import FileSource
from rankmark.sources.ids.numeric import id_bytes
from rankmark.sources.prepared.qrels import as_threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Floats, Ints
    from rankmark.sources.contract.source import Progress, Rows, Source
    from rankmark.sources.prepared.run import Run

TieRule = Literal["tied", "docid", "docid-asc", "docid-up", "input", "rank"]
Which = Literal["both", "either"]


class Met(NamedTuple):
    """Two runs, query by query.

    Parameters
    ----------
    pairing
        A pair a query.
    queries
        (Q,) their ids: in the order of a, then those that only b holds.
    both
        How many of them both hold.
    only_a, only_b
        Queries that one run alone holds, paired with nothing or left out.
    tied_a, tied_b
        Documents of the pairing that share their score with another, also where ties are broken.
    """

    pairing: Pairing
    queries: tuple[str, ...]
    both: int
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    tied_a: int
    tied_b: int


def meet(
    a: Run,
    b: Run,
    *,
    queries: Which = "both",
    ties: TieRule = "tied",
    deepest: int | None = None,
    threads: int | None = None,
    progress: tuple[Progress | None, Progress | None] = (None, None),
) -> Met:
    """Bring two runs together.

    Parameters
    ----------
    a, b
        Prepared runs.
    queries
        Those of both; or of either, one run's ranking being empty.
    ties
        What equal scores are: ties, or an order as ``evaluate`` has it.
    deepest
        The last rank that is looked at; a tie that reaches beyond it is kept whole.
    threads, progress
        How many threads read a file, and who is told how far, of a and of b.

    Raises
    ------
    ParseError, DuplicateError, SchemaError, InputError
        As the runs' forms have it.
    MismatchError
        If no query is in both.
    """
    options = _core.ListOptions("" if ties == "tied" else _order(ties), limit(deepest))
    number = as_threads(threads)
    of_a, of_b = (
        ranked(run.source, options, by_rank=ties == "rank", threads=number, progress=told)
        for run, told in zip((a, b), progress, strict=True)
    )
    ids_a, ids_b = of_a.query_ids(), of_b.query_ids()
    number_b = {query: place for place, query in enumerate(ids_b)}
    in_a = set(ids_a)
    only_a = tuple(query for query in ids_a if query not in number_b)
    only_b = tuple(query for query in ids_b if query not in in_a)
    if len(only_a) == len(ids_a):
        raise MismatchError(
            f"{a.name} and {b.name} have no query in common: the one has "
            f"{listed(ids_a[:3], len(ids_a))}, the other {listed(ids_b[:3], len(ids_b))}"
        )
    held = [place for place, query in enumerate(ids_a) if queries == "either" or query in number_b]
    behind = only_b if queries == "either" else ()
    chosen = (*(ids_a[place] for place in held), *behind)
    numbers_a = _numbers([*held, *[-1] * len(behind)])
    numbers_b = _numbers([number_b.get(query, -1) for query in chosen])
    pairing = Pairing(
        *_core.paired(of_a, of_b, numbers_a, numbers_b, number),
    )
    tied = [
        int(of.tied()[numbers[numbers >= 0]].sum())
        for of, numbers in ((of_a, numbers_a), (of_b, numbers_b))
    ]
    return Met(pairing, chosen, len(ids_a) - len(only_a), only_a, only_b, *tied)


def ranked(
    source: Source,
    options: _core.ListOptions,
    *,
    by_rank: bool,
    threads: int,
    progress: Progress | None,
) -> _core.Rankings:
    """Rank all documents of a run: text by the core's own reader, any other form by its rows."""
    try:
        return _ranked(source, options, by_rank=by_rank, threads=threads, progress=progress)
    except DuplicateError as error:  # nothing can be chosen here, as it can in evaluate
        error.remedy = "keep one of the two"
        raise


def _ranked(
    source: Source,
    options: _core.ListOptions,
    *,
    by_rank: bool,
    threads: int,
    progress: Progress | None,
) -> _core.Rankings:
    if isinstance(source, FileSource):
        rankings = source.rankings(options, by_rank=by_rank, threads=threads, progress=progress)
        if rankings is not None:
            return rankings
    rows = source.rows(lenient=False, threads=threads, progress=progress)
    if not len(rows.query_codes):
        raise InputError(f"{source.name}: holds no documents; need some for one query at least")
    if by_rank and rows.rank is None:
        raise InputError(
            f'ties="rank" needs a rank column, which {source.name} lacks; choose another rule'
        )
    codes = np.asarray(rows.doc_codes)
    doc_ids = [rows.doc_ids(code) for code in range(int(codes.max()) + 1)]
    try:
        return _core.rankings_from_rows(
            np.ascontiguousarray(rows.query_codes, dtype=np.uint32),
            [*map(id_bytes, rows.query_ids)],
            np.ascontiguousarray(codes, dtype=np.uint32),
            [*map(id_bytes, doc_ids)],
            _scores(rows, source.name, by_rank=by_rank),
            options,
        )
    except _core.DuplicateFault as fault:
        query, document = fault.args
        raise DuplicateError(
            f"document {document!r} appears twice for query {query!r}",
            "keep one of the two",
            where=source.name,
        ) from None


def _scores(rows: Rows, name: str, *, by_rank: bool) -> Floats:
    """Give what orders the rows, highest first: scores, else ranks, else as they stand."""
    if rows.number is not None and not by_rank:
        scores = rows.number
    elif rows.rank is not None:
        scores = -rows.rank
    else:
        scores = -np.arange(len(rows.query_codes), dtype=np.float64)
    lacking = np.isnan(scores)
    if lacking.any():
        query = rows.query_ids[rows.query_codes[lacking.argmax()]]
        raise SchemaError(
            f"{name}: query {query!r} has a document whose number is NaN, which has no place in an "
            "order; remove or replace it"
        )
    return np.ascontiguousarray(scores, dtype=np.float64)


def _order(ties: TieRule) -> str:
    """Name the order that equal scores have; of ranks, those that are equal are by id."""
    return "docid" if ties == "rank" else one_word(ties)


def _numbers(numbers: Sequence[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)
