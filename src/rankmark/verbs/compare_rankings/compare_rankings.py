"""Compare the rankings of two runs, query by query."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rankmark.arguments import Columns, FromOne, Text, checked
from rankmark.array_types import Floats
from rankmark.conventions import Combining, Conventions, PairTies, Separator
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.data.contract.reading_options import ProgressOfFiles, Reading
from rankmark.data.contract.source_options import RunContents
from rankmark.data.preparing.paired_inputs import PairedRuns, Which, pair_runs
from rankmark.data.preparing.parents import ParentsSource, prepared_once
from rankmark.data.preparing.run import Run, RunSource
from rankmark.data.preparing.units import (
    refuse_unused_combination,
    unit_settings,
    with_documents,
)
from rankmark.errors import InputError
from rankmark.scoring.mismatch_warnings import warn_of_units
from rankmark.similarity import Coefficient
from rankmark.similarity.coefficient_names import as_coefficients
from rankmark.verbs.compare_rankings.ranking_comparison import ComparisonAudit, RankingComparison

DEFAULT = ("RBO(p=0.9)", "tau@10", "overlap@10")
"""The default coefficients."""

_ROWS = 1 << 16  # of both runs per part and thread, so that they stay in its cache


@checked
def compare_rankings(
    run_a: Run | RunSource,
    run_b: Run | RunSource,
    coefficients: Iterable[str | Coefficient] | str | Coefficient | None = None,
    *,
    queries: Which = "both",
    ties: PairTies = "tied",
    unit: Separator | None = None,
    combine: Combining = "best",
    unit_depth: FromOne | None = None,
    run_format: Text | None = None,
    columns: Columns = None,
    groups: Any = None,
    mask: Any = None,
    lengths: Any = None,
    contents: RunContents | None = None,
    parents: ParentsSource | None = None,
    threads: FromOne | None = None,
    progress: ProgressOfFiles | None = None,
) -> RankingComparison:
    """Compare two runs, query by query.

    Parameters
    ----------
    Data:
    run_a, run_b
        Retrieved documents, as for ``evaluate``. tauAP treats run_a as the truth.

    Measures:
    coefficients
        A coefficient, such as tau@10 or RBO(p=0.9); None for RBO(p=0.9), tau@10,
        overlap@10.

        Names or objects, such as ``similarity.RBO(p=0.98)``, in the order of the result;
        duplicates are removed.

    Conventions:
    queries
        Which queries are compared: those that ``"both"`` runs answer, or those that
        ``"either"`` answers, where the other has an empty ranking.

        A query without documents is not answered.
    ties
        How documents with equal scores are ordered: ``"tied"`` leaves them to each coefficient; by
        id, descending (``"docid"``) or ascending (``"docid-asc"``), or as in the input
        (``"input"``), as in ``evaluate``. ``"rank"`` uses the rank column instead of scores.
    unit, combine, unit_depth
        If the runs retrieved units of documents, such as chunks, as for ``evaluate``: rankings of
        their documents are compared, and a run of documents with one of units, too. Cutoffs of
        coefficients count documents.

    Reading:
    run_format, columns, groups, mask, lengths, contents
        For both runs, as for ``evaluate``; prepare the runs with Run if they need different ones.
    parents
        The document of each unit, if its id does not contain it, as for ``evaluate``; for the runs
        that were not prepared with their own.
    threads
        Number of threads; None for one per core. It does not affect the result.
    progress
        Called while a file is read, with its number (0 for a, 1 for b) and the number of bytes
        read so far.

    Returns
    -------
    RankingComparison
        ``scores``: (n_queries, n_coefficients) float64, one row per query, in the order of run_a.

    Raises
    ------
    ParseError, DuplicateError, SchemaError
        If a run cannot be read.
    MismatchError
        If no query is in both runs, or a document is in only one under ``missing="error"``.
    MeasureError
        If a coefficient or one of its parameters does not exist.
    InputError
        If a file cannot be read, an option has an invalid value, or a unit has no document in
        ``parents``.

    Examples
    --------
    >>> import rankmark as rm
    >>> old = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 2.0, "y": 1.0}}
    >>> new = {"q1": {"b": 9.0, "a": 8.0, "c": 7.0}, "q2": {"x": 5.0, "y": 4.0}}
    >>> found = rm.compare_rankings(old, new, ["tau", "RBO(p=0.9)"])
    >>> found.per_query("tau")
    {'q1': 0.3333333333333333, 'q2': 1.0}
    """
    requested = as_coefficients(DEFAULT if coefficients is None else coefficients)
    options = {
        "format": run_format,
        "columns": columns,
        "groups": groups,
        "mask": mask,
        "lengths": lengths,
        "contents": contents,
    }
    units = Conventions(unit=unit, combine=combine, unit_depth=unit_depth)
    known = prepared_once(parents)
    a, b = (with_documents(_prepared(run, options), known) for run in (run_a, run_b))
    refuse_unused_combination(units, [a, b])
    limits = [coefficient.last_rank() for coefficient in requested]
    deepest = None if None in limits else max(limit for limit in limits if limit is not None)
    reading = Reading.of(threads=threads, progress=progress)
    paired = pair_runs(
        a, b, queries=queries, ties=ties, deepest=deepest, units=units, reading=reading
    )
    counts = paired.units_a, paired.units_b
    warn_of_units(counts, f"{a.name} and {b.name}")
    scores = _scores(paired.pairing, requested, reading.workers)
    undefined = np.isnan(scores).sum(axis=0).tolist()
    return RankingComparison(
        runs=(a, b),
        coefficients=requested,
        queries=paired.queries,
        scores=scores,
        conventions={"queries": queries, "ties": ties} | unit_settings(units),
        audit=_audit(paired, deepest, dict(zip(map(str, requested), undefined, strict=True))),
    )


def _prepared(run: Run | RunSource, options: dict[str, Any]) -> Run:
    if not isinstance(run, Run):
        return Run(run, **options)
    for name, value in options.items():
        if value is not None:
            raise InputError("the run is already prepared", f"give its {name} to Run")
    return run


def _scores(pairing: Pairing, requested: tuple[Coefficient, ...], threads: int) -> Floats:
    """Compare part by part, on several threads, as NumPy releases the interpreter's lock."""

    def of(part: Pairing) -> Floats:
        return np.column_stack([coefficient.of(part) for coefficient in requested])

    pool = ThreadPoolExecutor(threads)
    try:
        scores = np.concatenate(list(pool.map(of, pairing.parts(_ROWS))))
    except BaseException:  # Ctrl-C, say: without waiting for the other parts
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()  # a process may be forked between calls, and then has no other thread
    return scores


def _audit(paired: PairedRuns, depth: int | None, undefined: dict[str, int]) -> ComparisonAudit:
    pairs = paired.pairing
    common, rows = int((pairs.at >= 0).sum()), len(pairs.first_a) + len(pairs.first_b)
    return ComparisonAudit(
        compared=len(paired.queries),
        both=paired.both,
        only_a=len(paired.only_a),
        only_b=len(paired.only_b),
        only_a_examples=paired.only_a[:3],
        only_b_examples=paired.only_b[:3],
        tied_a=paired.tied_a / max(len(pairs.first_a), 1),
        tied_b=paired.tied_b / max(len(pairs.first_b), 1),
        common=2 * common / rows if rows else 0.0,
        depth=depth,
        undefined=undefined,
        units_a=paired.units_a.units or None,
        units_b=paired.units_b.units or None,
        unit_documents_a=paired.units_a.documents if paired.units_a.units else None,
        unit_documents_b=paired.units_b.documents if paired.units_b.units else None,
    )
