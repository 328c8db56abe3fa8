"""How alike two runs are, query by query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.errors import InputError, MeasureError
from rankmark.results.ranking_comparison import ComparisonAudit, RankingComparison
from rankmark.similarity.coefficient_names import coefficients
from rankmark.similarity.coefficient_parameters import choice
from rankmark.sources import Run, cores
from rankmark.sources.prepared.paired_runs import Met, TieRule, Which, meet

if TYPE_CHECKING:
    from rankmark.alignment.ranking_pairs import Pairing
    from rankmark.array_types import Floats
    from rankmark.similarity import Coefficient
    from rankmark.sources.prepared.run import RunSource

DEFAULT = ("RBO(p=0.9)", "tau@10", "overlap@10")
"""What runs are compared by where nothing is asked for."""

_ROWS = 1 << 16  # of both runs that a thread takes at a time: they stay in its cache


def compare_rankings(
    run_a: Run | RunSource,
    run_b: Run | RunSource,
    coefficients: Iterable[str | Coefficient] | str | Coefficient | None = None,
    *,
    queries: Which = "both",
    ties: TieRule = "tied",
    run_format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    groups: Any = None,
    mask: Any = None,
    lengths: Any = None,
    contents: Literal["scores", "ids"] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RankingComparison:
    """Compare two runs, query by query.

    Parameters
    ----------
    run_a, run_b
        Retrieved documents, as ``evaluate`` takes a run. Under tauAP, a is the truth.
    coefficients
        Names or objects, such as ``"tau@10"``, ``"RBO(p=0.9)"`` or ``similarity.RBO(p=0.98)``;
        order is kept, the same one twice counts once. None for RBO(p=0.9), tau@10 and overlap@10.
    queries
        Those that ``"both"`` runs hold; or ``"either"``, the ranking of a run that lacks one being
        empty. A run does not hold a query for which it has no documents.
    ties
        What documents with equal scores are: ``"tied"``, which each coefficient has its own
        treatment of; or in an order, as in ``evaluate``: by id descending (``"docid"``) or
        ascending (``"docid-asc"``), as given (``"input"``). ``"rank"`` trusts the rank column.
    run_format, columns, groups, mask, lengths, contents
        Of both runs, as for ``evaluate``; where they differ, prepare them with Run.
    threads
        How many threads are used; None for one a core. The result is the same to the bit.
    progress
        Called while a file is read with its number, 0 for a and 1 for b, and the number of bytes
        done.

    Returns
    -------
    RankingComparison
        ``scores``: (n_queries, n_coefficients) float64, rows in the order of run_a.

    Raises
    ------
    ParseError, DuplicateError, SchemaError
        If a run cannot be read.
    MismatchError
        If no query is in both runs, or only one run has a document under ``missing="error"``.
    MeasureError
        If a coefficient or one of its parameters does not exist.
    InputError
        If a file cannot be read, or an option is none of those listed.

    Examples
    --------
    >>> import rankmark as rm
    >>> old = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 2.0, "y": 1.0}}
    >>> new = {"q1": {"b": 9.0, "a": 8.0, "c": 7.0}, "q2": {"x": 5.0, "y": 4.0}}
    >>> found = rm.compare_rankings(old, new, ["tau", "RBO(p=0.9)"])
    >>> found.per_query("tau")
    {'q1': 0.3333333333333333, 'q2': 1.0}
    """
    choice("queries", queries, *get_args(Which))
    choice("ties", ties, *get_args(TieRule))
    asked = as_coefficients(coefficients)
    said = {
        "format": run_format,
        "columns": columns,
        "groups": groups,
        "mask": mask,
        "lengths": lengths,
        "contents": contents,
    }
    a, b = (_prepared(one, said) for one in (run_a, run_b))
    limits = [one.last_rank() for one in asked]
    deepest = None if None in limits else max(limit for limit in limits if limit is not None)
    threads = threads or cores()
    told = None if progress is None else (partial(progress, 0), partial(progress, 1))
    met = meet(
        *(a, b),
        queries=queries,
        ties=ties,
        deepest=deepest,
        threads=threads,
        progress=told or (None, None),
    )
    scores = _scores(met.pairing, asked, threads)
    return RankingComparison(
        runs=(a, b),
        coefficients=asked,
        queries=met.queries,
        scores=scores,
        conventions={"queries": queries, "ties": ties},
        audit=_audit(
            met, deepest, dict(zip(map(str, asked), np.isnan(scores).sum(axis=0), strict=True))
        ),
    )


def as_coefficients(
    asked: Iterable[str | Coefficient] | str | Coefficient | None,
) -> tuple[Coefficient, ...]:
    """Find each coefficient asked for, once, in the order asked."""
    if asked is None:
        asked = DEFAULT
    elif isinstance(asked, str) or not isinstance(asked, Iterable):
        asked = (asked,)
    groups = (one if isinstance(one, (tuple, list)) else (one,) for one in asked)
    found = tuple(dict.fromkeys(c for group in groups for one in group for c in coefficients(one)))
    if not found:
        raise MeasureError("no coefficient is asked for; name one, such as RBO(p=0.9)")
    return found


def _prepared(run: Run | RunSource, said: dict[str, Any]) -> Run:
    if not isinstance(run, Run):
        return Run(run, **said)
    for name, value in said.items():
        if value is not None:
            raise InputError(f"a run is prepared already; give its {name} to Run")
    return run


def _scores(pairing: Pairing, asked: tuple[Coefficient, ...], threads: int) -> Floats:
    """Compare part by part, on several threads: NumPy lets go of the interpreter's lock."""

    def of(part: Pairing) -> Floats:
        return np.column_stack([one.of(part) for one in asked])

    pool = ThreadPoolExecutor(threads)
    try:
        return np.concatenate(list(pool.map(of, pairing.parts(_ROWS))))
    finally:  # Ctrl-C waits for none of the parts
        pool.shutdown(wait=False, cancel_futures=True)


def _audit(met: Met, depth: int | None, undefined: Mapping[str, Any]) -> ComparisonAudit:
    pairs = met.pairing
    common, rows = int((pairs.at >= 0).sum()), len(pairs.first_a) + len(pairs.first_b)
    return ComparisonAudit(
        compared=len(met.queries),
        both=met.both,
        only_a=len(met.only_a),
        only_b=len(met.only_b),
        only_a_examples=met.only_a[:3],
        only_b_examples=met.only_b[:3],
        tied_a=met.tied_a / max(len(pairs.first_a), 1),
        tied_b=met.tied_b / max(len(pairs.first_b), 1),
        common=2 * common / rows if rows else 0.0,
        depth=depth,
        undefined={name: int(count) for name, count in undefined.items()},
    )
