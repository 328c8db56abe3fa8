"""ranx's interface: ``from rankmark.compat.ranx import Qrels, Run, evaluate, compare``.

The numbers are those of ranx 0.3.21, also of runs with ties, whose order is that of ranx's sort.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

import numpy as np

from rankmark.array_types import Floats
from rankmark.compat.ranx.fused_runs import fuse
from rankmark.compat.ranx.inputs import Qrels, Run
from rankmark.compat.ranx.metrics import Metric, RefusedError, metric
from rankmark.compat.ranx.optimized_fusion import OptimizationReport, best_parameters
from rankmark.compat.ranx.report import Pairs, Report
from rankmark.compat.ranx.tie_order import LONGEST_STABLE, ranked, ranked_of_dict
from rankmark.conventions import Conventions
from rankmark.errors import InputError, SchemaError, listed, shown
from rankmark.measures.base.requirements import needs_of
from rankmark.profiles.ranx import PROFILE
from rankmark.scipy_functions import stats
from rankmark.sources import Qrels as Judgments
from rankmark.sources import Run as Ranking
from rankmark.sources import match
from rankmark.sources.contract.reading_options import Reading
from rankmark.sources.mappings.nested_mapping import NestedMapping
from rankmark.statistics.mean_tests import t_test
from rankmark.statistics.randomisation import randomisation_test

if TYPE_CHECKING:
    from rankmark.alignment import Alignment
    from rankmark.measures import Measure
    from rankmark.sources import RunFacts

__all__ = [
    "OptimizationReport",
    "Qrels",
    "Report",
    "Run",
    "compare",
    "evaluate",
    "fuse",
    "optimize_fusion",
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
    stat_test: Literal["student", "fisher", "tukey"] = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,  # noqa: FBT001, FBT002  (as in ranx)
    make_comparable: bool = False,  # noqa: FBT001, FBT002
) -> Report:
    """Evaluate several runs, and test the differences of each two.

    Parameters
    ----------
    qrels, runs
        The judgments, and the runs, whose names must differ.
    metrics
        One or several names.
    stat_test
        ``"student"``, the paired t test; ``"fisher"``, the randomisation test; or ``"tukey"``,
        Tukey's test for independent groups.
    n_permutations, random_seed
        Of the randomisation test.
    max_p
        The largest p of a significant difference.
    threads, make_comparable
        As in ``evaluate``.
    rounding_digits, show_percentages
        How the report shows means.

    Returns
    -------
    Report
        A table to print, with ``to_latex``, ``to_dict``, ``to_dataframe`` and ``save``.

    Raises
    ------
    NotImplementedError
        If there is no such test.
    ValueError
        If two runs have the same name.
    """
    requested = _metrics(metrics)
    names = [
        f"run_{number}" if run.name is None else run.name for number, run in enumerate(runs, 1)
    ]
    if len({*names}) < len(names):
        same = sorted({name for name in names if names.count(name) > 1})
        raise InputError(f"several runs are called {listed(same)}", "give each a name of its own")
    if stat_test not in _TESTS:
        raise NotImplementedError(
            f"there is no test {shown(stat_test)}; choose student, fisher or tukey"
        )
    scores: dict[str, dict[str, Floats]] = {}
    for name, run in zip(names, runs, strict=True):
        found = evaluate(
            qrels,
            run,
            [each.name for each in requested],
            return_mean=False,
            threads=threads,
            make_comparable=make_comparable,
        )
        scores[name] = {requested[0].name: found} if len(requested) == 1 else found
    tested = Pairs()
    for each in requested:
        values = [scores[name][each.name] for name in names]
        p_values = _p_values(values, stat_test, n_permutations, random_seed)
        for (first, second), p in p_values.items():
            by_metric = tested.setdefault((names[first], names[second]), {})
            by_metric[each.name] = {"p_value": p, "significant": p <= max_p}
    return Report(
        model_names=names,
        results={
            name: {metric: float(np.mean(values)) for metric, values in found.items()}
            for name, found in scores.items()
        },
        comparisons=tested,
        metrics=[each.name for each in requested],
        max_p=max_p,
        win_tie_loss={
            (first, second): {
                each.name: _counted(scores[first][each.name], scores[second][each.name])
                for each in requested
            }
            for first, second in permutations(names, 2)
        },
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
        stat_test=stat_test,
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


def _counted(first: Floats, second: Floats) -> dict[str, int]:
    """Count the queries in which the first is better, equal and worse."""
    counts = (first > second), (first == second), (first < second)
    return {name: int(each.sum()) for name, each in zip("WTL", counts, strict=True)}


def _p_values(
    scores: list[Floats], test: str, permutations: int, seed: int
) -> dict[tuple[int, int], float]:
    """Return p of each pair of runs, by their numbers; NaN where it is undefined."""
    pairs = list(combinations(range(len(scores)), 2))
    if test == "tukey" and pairs:
        found = stats.tukey_hsd(*scores).pvalue
        return {pair: float(found[pair]) for pair in pairs}
    results = {}
    for first, second in pairs:
        both = scores[first], scores[second]
        if test == "fisher":
            p = randomisation_test(*both, resamples=permutations, seed=seed).p
        else:
            p = t_test(*both).p
            if np.isnan(p) and len(both[0]) > 1 and (both[0] != both[1]).all():
                p = 0.0  # all differences are the same, which ranx takes for certain
        results[first, second] = p
    return results


def optimize_fusion(
    qrels: Qrels,
    runs: list[Run],
    norm: str | None = "min-max",
    method: str = "wsum",
    metric: str = "ndcg",
    return_optimization_report: bool = False,  # noqa: FBT001, FBT002  (as in ranx)
    rounding_digits: int = 3,
    show_percentages: bool = False,  # noqa: FBT001, FBT002
    **kwargs: Any,
) -> Any:
    """Find the parameters of a method of fusion with the best mean on the queries given.

    The mean of the best parameters is too good for other queries, as they were chosen on these;
    ``rankmark.tune_fusion`` estimates it on held-out queries, and is many times as fast.

    Parameters
    ----------
    qrels, runs
        Judgments, and two or more runs of the same queries.
    norm, method
        As for ``fuse``; methods are ``"gmnz"``, ``"logn_isr"``, ``"rbc"``, ``"rrf"``,
        ``"w_bordafuse"``, ``"w_condorcet"``, ``"wmnz"``, ``"mixed"`` and ``"wsum"``.
    metric
        The metric that is maximised.
    return_optimization_report
        Whether to return the mean of each configuration, too.
    rounding_digits, show_percentages
        How the report is written.
    **kwargs
        The grid, as in ranx: ``step``, ``min_k``, ``max_k``, ``min_gamma``, ...

    Returns
    -------
    dict, or tuple of dict and OptimizationReport
        The parameters, for ``fuse``. As in ranx, the last of equal ones is chosen, and weights
        whose sum is not 1.0 to the bit, such as 0.2, 0.7, 0.1, are not tried.

    Raises
    ------
    AssertionError
        If there is only one run, or the queries of a run are not those of the judgments.
    ValueError
        If there is no such method, norm, metric or option, or the method learns from judgments.

    Examples
    --------
    >>> from rankmark.compat.ranx import Qrels, Run, optimize_fusion
    >>> bm25, dense = Run({"q": {"a": 9.0, "b": 5.0}}), Run({"q": {"b": 0.9, "c": 0.5}})
    >>> optimize_fusion(Qrels({"q": {"b": 1}}), [bm25, dense], method="rrf", metric="mrr")
    {'k': 100}
    """
    best, report = best_parameters(
        lambda run: float(evaluate(qrels, run, metric, save_results_in_run=False)),
        qrels,
        runs,
        norm,
        method,
        kwargs,
    )
    if not return_optimization_report:
        return best
    names, means = [*report], [*report.values()]
    shown_as = rounding_digits, show_percentages
    return best, OptimizationReport(method, names, means, metric, *shown_as)


_TESTS = ("student", "fisher", "tukey")
_NOT_HERE = {
    "normalize": "to normalise scores",
    "plot": "to plot runs",
}


def __getattr__(name: str) -> NoReturn:
    """Say what this interface lacks."""
    if name in _NOT_HERE:
        remedy = f"call ranx {_NOT_HERE[name]}, and give the results as dicts"
        if name == "plot":
            remedy = "use rankmark.compare(...).plot()"
        raise ImportError(f"rankmark.compat.ranx has no {name}; {remedy}", name=__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
