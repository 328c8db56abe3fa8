"""ranx's interface: ``from rankmark.compat.ranx import Qrels, Run, evaluate, compare``.

The numbers are those of ranx 0.3.21, also of runs with ties, whose order is that of ranx's sort.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from rankmark.array_types import Floats
from rankmark.compat.ranx.fused_runs import fuse
from rankmark.compat.ranx.inputs import Qrels, Run
from rankmark.compat.ranx.metrics import Metric, RefusedError, metric
from rankmark.compat.ranx.tie_order import LONGEST_STABLE, ranked, ranked_of_dict
from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment
from rankmark.data.contract.reading_options import Reading
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.preparing.matching import RunFacts, match
from rankmark.data.preparing.qrels import Qrels as Judgments
from rankmark.data.preparing.run import Run as Ranking
from rankmark.errors import InputError, SchemaError, listed, shown
from rankmark.measures import Measure
from rankmark.measures.base.requirements import needs_of
from rankmark.profiles.ranx import PROFILE
from rankmark.verbs.compare.compare import compare_scores
from rankmark.verbs.compare.comparison import Comparison

__all__ = [
    "Qrels",
    "Run",
    "compare",
    "evaluate",
    "fuse",
]

__version__ = PROFILE.version
"""The version of ranx whose interface and numbers these are."""

_CONVENTIONS = Conventions(**PROFILE.conventions)
_Documents = Mapping[str, Mapping[str, float]]


def evaluate(
    qrels: Qrels | _Documents | Sequence[Any] | np.ndarray[Any, Any],
    run: Run | _Documents | Sequence[Any] | np.ndarray[Any, Any],
    metrics: list[str] | str,
    return_mean: bool = True,  # noqa: FBT001, FBT002  (as in ranx)
    return_std: bool = False,  # noqa: FBT001, FBT002
    threads: int = 0,
    save_results_in_run: bool = True,  # noqa: FBT001, FBT002
    make_comparable: bool = False,  # noqa: FBT001, FBT002
) -> Any:
    """Evaluate a run.

    Parameters
    ----------
    qrels, run
        Qrels and Run, or dicts: ``{query: {document: number}}``; or for each query an array of
        document ids, which are numbers, and labels or scores: (n, 2), best first.
    metrics
        One or several names, such as ``ndcg@10``, ``map-l2`` or ``rbp.95``.
    return_mean
        Whether to average over queries.
    return_std
        Whether to return ``{"mean": ..., "std": ...}`` for each metric.
    threads
        The number of threads; 0 for one per core. It does not affect the result.
    save_results_in_run
        Whether a Run keeps the results in ``scores``, ``mean_scores`` and ``std_scores``.
    make_comparable
        Whether to add judged queries that are missing from the run, and remove unjudged ones; a
        Run is changed, a dict is not.

    Returns
    -------
    float, array or dict
        The mean of a single metric; or without ``return_mean`` its values by query, (n_queries,)
        float64, in the order of query ids (with dicts, in that of the judgments); of several
        metrics, ``{metric: ...}``.

    Raises
    ------
    AssertionError
        If the queries of qrels and run are not the same.
    ValueError
        If a metric is not supported, or the data cannot be used.

    Examples
    --------
    >>> from rankmark.compat.ranx import Qrels, Run, evaluate
    >>> qrels, run = Qrels({"q": {"a": 2, "b": 1}}), Run({"q": {"x": 3.0, "b": 2.0, "a": 1.0}})
    >>> float(evaluate(qrels, run, "map"))
    0.5833333333333333
    """
    requested = _metrics(metrics)
    paired = _paired(qrels, run, make_comparable=make_comparable)
    scores = _scores(paired, requested, Reading.of(threads=threads or None))
    if isinstance(run, Run) and save_results_in_run:
        for name, values in scores.items():
            run.mean_scores[name] = values.mean()
            if return_mean and return_std:
                run.std_scores[name] = values.std()
            run.scores[name].update(zip(paired.judged, values, strict=True))
    results: dict[str, Any] = dict(scores)
    if return_mean:
        for name, values in scores.items():
            mean = values.mean()
            results[name] = {"mean": mean, "std": values.std()} if return_std else mean
    return results[requested[0].name] if len(requested) == 1 else results


def compare(
    qrels: Qrels,
    runs: list[Run],
    metrics: list[str] | str,
    stat_test: Literal["student", "fisher"] = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    make_comparable: bool = False,  # noqa: FBT001, FBT002  (as in ranx)
) -> Comparison:
    """Evaluate several runs, and test the differences of each two.

    Parameters
    ----------
    qrels, runs
        The judgments, and the runs, whose names must differ.
    metrics
        One or several names.
    stat_test
        ``"student"``, the paired t test, or ``"fisher"``, the randomisation test. Neither is
        corrected for the number of pairs.
    n_permutations, random_seed
        Of the randomisation test.
    max_p
        The largest p of a significant difference.
    threads, make_comparable
        As in ``evaluate``.

    Returns
    -------
    Comparison
        As of ``rankmark.compare``: a table to print, with ``differences`` and ``to_latex``.

    Raises
    ------
    NotImplementedError
        If there is no such test.
    ValueError
        If two runs have the same name.

    Examples
    --------
    >>> from rankmark.compat.ranx import Qrels, Run, compare
    >>> qrels = Qrels({q: {"a": 1} for q in ("q1", "q2", "q3")})
    >>> best = Run({q: {"a": 2.0, "b": 1.0} for q in qrels.keys()}, name="best")
    >>> good = Run(best.to_dict() | {"q1": {"b": 2.0, "a": 1.0}}, name="good")
    >>> compare(qrels, [best, good], "mrr").differences[0].difference
    -0.16666666666666666
    """
    names = [
        f"run_{number}" if run.name is None else run.name for number, run in enumerate(runs, 1)
    ]
    if len({*names}) < len(names):
        same = sorted({name for name in names if names.count(name) > 1})
        raise InputError(f"several runs are called {listed(same)}", "give each a name of its own")
    if stat_test not in _TESTS:
        raise NotImplementedError(f"there is no test {shown(stat_test)}; choose student or fisher")
    requested = [each.name for each in _metrics(metrics)]
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for name, run in zip(names, runs, strict=True):
        evaluate(qrels, run, requested, threads=threads, make_comparable=make_comparable)
        scores[name] = {
            query: {metric: run.scores[metric][query] for metric in requested}
            for query in qrels.keys()  # noqa: SIM118
        }
    return compare_scores(
        scores,
        requested,
        test=_TESTS[stat_test],
        correction="none",
        confidence=1 - max_p,
        resamples=n_permutations,
        seed=random_seed,
        threads=threads or None,
    )


class _Paired(NamedTuple):
    """The judgments and the documents of the same queries.

    Parameters
    ----------
    judged, retrieved
        ``{query: {document: number}}``; results are in the order of ``judged``.
    order
        Sorts the documents of a query as ranx does.
    longest_stable
        The most documents that it leaves in the order given where they are tied.
    """

    judged: _Documents
    retrieved: _Documents
    order: Callable[[Mapping[str, float]], Mapping[str, float]]
    longest_stable: int


def _paired(qrels: Any, run: Any, *, make_comparable: bool) -> _Paired:
    """Pair the queries of judgments and a run.

    Raises
    ------
    RefusedError
        If their queries are not the same.
    """
    if isinstance(qrels, Qrels):
        labels = qrels.to_evaluate()[0]
        judged: _Documents = {query: labels[query] for query in sorted(labels)}
    else:
        judged = _by_id("qrels", qrels)
    retrieved: _Documents
    if isinstance(run, Run):
        if make_comparable:
            run.make_comparable(judged)
        retrieved, times = run.to_evaluate()
        paired = _Paired(judged, retrieved, partial(ranked, times=times), LONGEST_STABLE)
    else:
        retrieved = _by_id("run", run)
        if make_comparable:
            retrieved = {query: retrieved.get(query, {}) for query in judged}
        paired = _Paired(judged, retrieved, ranked_of_dict, 0)
    if judged.keys() != retrieved.keys():
        missing, extra = (len({*a} - {*b}) for a, b in permutations((judged, retrieved)))
        raise RefusedError(
            f"qrels and run have different queries: {missing:,} of the qrels are missing from the "
            f"run, and {extra:,} of the run are not judged",
            "pass make_comparable=True to count missing ones as 0 and to remove others",
        )
    return paired


def _by_id(side: str, given: Any) -> _Documents:
    """Return dicts of dicts; for each query, an array may have rows of id and number, in order."""
    if isinstance(given, Mapping):
        for query, documents in given.items():
            if not isinstance(documents, Mapping):
                raise SchemaError(
                    f"{side}: query {shown(query)} has {shown(documents)}",
                    "need {document: number}",
                )
        return given
    try:
        arrays = [np.asarray(rows, dtype=np.float64) for rows in given]
    except (TypeError, ValueError):
        arrays = []
    if not arrays or any(rows.ndim != 2 or rows.shape[1] != 2 for rows in arrays):
        kind = side.capitalize()
        raise SchemaError(f"{side} is {shown(given)}", f"need {kind} or a dict of dicts")
    return {
        str(query): {
            f"{document:.17g}": number if side == "qrels" else -float(rank)
            for rank, (document, number) in enumerate(rows.tolist())
        }
        for query, rows in enumerate(arrays)
    }


def _scores(paired: _Paired, requested: list[Metric], reading: Reading) -> dict[str, Floats]:
    """Score each query with each metric: {name: (Q,) float64}."""
    labels = {float(label) for judged in paired.judged.values() for label in judged.values()}
    scores: dict[str, Floats] = {}
    for level in dict.fromkeys(_least(each, labels) for each in requested):
        judged = paired.judged
        if level is not None:
            judged = {
                query: {document: label for document, label in by_id.items() if label >= level}
                for query, by_id in judged.items()
            }
        together = [each for each in requested if _least(each, labels) == level]
        measures = [each.over(labels) for each in together]
        alignment = _aligned(paired._replace(judged=judged), [*dict(measures)], reading)
        for each, (measure, factor) in zip(together, measures, strict=True):
            scores[each.name] = factor * measure.score(alignment)
    return {each.name: scores[each.name] for each in requested}


def _least(requested: Metric, labels: set[float]) -> int | None:
    """Return the label below which judgments must be left out; None if it makes no difference."""
    makes_difference = any(0 < label < requested.level for label in labels)
    return requested.level if requested.is_graded and makes_difference else None


def _aligned(paired: _Paired, measures: list[Measure], reading: Reading) -> Alignment:
    """Align a run with judgments; tied documents are in the order of ranx's sort."""
    qrels = Judgments.of(NestedMapping(paired.judged, "qrels"))
    needs = needs_of(measures)

    def align(retrieved: _Documents) -> tuple[Alignment, RunFacts]:
        run = Ranking.of(NestedMapping(retrieved, "run"))
        return match(qrels, run, _CONVENTIONS, needs=needs, reading=reading, doubted=False)

    alignment, facts = align(paired.retrieved)
    queries = list(paired.judged)
    moved = {
        query: paired.order(paired.retrieved[query])
        for query in (queries[row] for row in np.flatnonzero(facts.tied))
        if len(paired.retrieved[query]) > paired.longest_stable
    }
    return align({**paired.retrieved, **moved})[0] if moved else alignment


def _metrics(metrics: list[str] | str) -> list[Metric]:
    return [metric(name) for name in ([metrics] if isinstance(metrics, str) else metrics)]


_TESTS: dict[str, Literal["t", "randomisation"]] = {"student": "t", "fisher": "randomisation"}
_NOT_HERE = {
    "normalize": "call ranx to normalise scores, and give the results as dicts",
    "optimize_fusion": "use rankmark.tune_fusion, which estimates on queries held out",
    "plot": "use rankmark.compare(...).plot()",
}


def __getattr__(name: str) -> NoReturn:
    """Say what this interface lacks."""
    if name in _NOT_HERE:
        raise ImportError(f"rankmark.compat.ranx has no {name}; {_NOT_HERE[name]}", name=__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
