"""Train a method of fusion on judged queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.alignment import Needs, query_of_rows
from rankmark.argument_types import typed
from rankmark.conventions import Conventions
from rankmark.errors import InputError, MeasureError, shown
from rankmark.fusing.fused_inputs import given_runs
from rankmark.fusing.method import is_finite
from rankmark.fusing.method_names import method as method_named
from rankmark.fusing.methods.trained import TrainedMethod, TrainingLists
from rankmark.measures import AP
from rankmark.sources import Qrels, match
from rankmark.sources.contract.reading_options import Reading
from rankmark.sources.prepared.units import judgments_of_documents, refuse_unused_combination

if TYPE_CHECKING:
    from rankmark.conventions import Ties
    from rankmark.fusing.method import Method
    from rankmark.sources import Run
    from rankmark.sources.prepared.parents import ParentsSource
    from rankmark.sources.prepared.qrels import QrelsSource


@typed
def train_fusion(
    qrels: Qrels | QrelsSource,
    runs: Any,
    method: str | Method,
    *,
    rel: float = 1,
    ties: Ties = "docid",
    depth: int | None = None,
    unit: str | None = None,
    qrels_unit: str | None = None,
    combine: str = "best",
    unit_depth: int | None = None,
    parents: ParentsSource | None = None,
    threads: int | None = None,
) -> TrainedMethod:
    """Let a method of fusion learn from judged queries, to fuse the lists of others.

    MAPFuse, PosFuse, ProbFuse, SegFuse, SlideFuse and BayesFuse estimate from training queries how
    likely a document of each run is relevant at its rank. ``fuse`` takes what this returns, for the
    same runs in the same order; it refuses the training queries themselves, as their scores would
    be too good.

    Parameters
    ----------
    Data:
    qrels
        Judgments of the training queries. A run without a list for one has found nothing.
    runs
        The runs, as for ``fuse``.

    Method:
    method
        Such as ``"PosFuse"``, ``"ProbFuse(segments=20)"`` or ``"SlideFuse(w=5)"``.
    rel
        The lowest relevant label.

    Conventions:
    ties, depth
        The order of equal scores, and the last rank that is used, as for ``evaluate``.
    unit, qrels_unit, combine, unit_depth
        If units of documents were retrieved or judged, such as chunks, as for ``evaluate``. Give
        ``fuse`` the same.

    Reading:
    parents
        The document of each retrieved unit, as for ``evaluate``, for the runs that were not
        prepared with their own.
    threads
        Number of threads; None for one per core. It does not affect the result.

    Returns
    -------
    TrainedMethod
        The method, with what it has learnt.

    Raises
    ------
    MeasureError
        If the method does not exist, or is not one that learns.
    ParseError, DuplicateError, SchemaError, InputError
        If the judgments or a run cannot be read.
    MismatchError
        If a run has none of the judged queries.

    Examples
    --------
    >>> import rankmark as rm
    >>> runs = [{"q1": {"a": 3.0, "b": 2.0}, "q2": {"x": 2.0, "y": 1.0}},
    ...         {"q1": {"b": 9.0, "c": 8.0}, "q2": {"y": 5.0, "z": 4.0}}]
    >>> trained = rm.train_fusion({"q1": {"b": 1}}, runs, "PosFuse")
    >>> trained.learnt
    ((0.0, 1.0), (1.0, 0.0))
    """
    found = method_named(method)
    if not isinstance(found, TrainedMethod):
        raise MeasureError(f"{found} does not learn", "give it to fuse")
    if not is_finite(rel):
        raise InputError(f"rel is {shown(rel)}", "need a finite number")
    rel = float(rel)
    judgments = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    conventions = Conventions(
        ties=ties,
        depth=depth,
        unit=unit,
        qrels_unit=qrels_unit,
        combine=combine,
        unit_depth=unit_depth,
    )
    judgments = judgments_of_documents(judgments, qrels_unit)
    reading = Reading.of(threads=threads)
    named = given_runs(runs, None, {}, parents)
    refuse_unused_combination(conventions, named.values())
    parameters = found.parameters
    learnt = tuple(
        found.learn(_training_lists(judgments, run, conventions, rel, reading), **parameters)
        for run in named.values()
    )
    return found.after(learnt, frozenset(judgments.query_ids))


def _training_lists(
    qrels: Qrels, run: Run, conventions: Conventions, rel: float, reading: Reading
) -> TrainingLists:
    average_precision = AP(rel=rel)
    a, _ = match(qrels, run, conventions, needs=Needs(lowest=rel), reading=reading)
    relevant = a.label >= rel
    counts = np.bincount(query_of_rows(a.starts)[relevant], minlength=len(a.starts) - 1)
    return TrainingLists(
        np.concatenate(([0], np.cumsum(counts))),
        a.rank[relevant].astype(np.int64),
        np.asarray(a.retrieved, dtype=np.int64),
        average_precision.score(a),
    )
