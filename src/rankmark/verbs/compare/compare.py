"""Compare several runs, or scores that another program made: means with intervals, and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from rankmark.arguments import (
    Columns,
    Draws,
    Finite,
    Flag,
    FromOne,
    Name,
    Names,
    Seed,
    Share,
    checked,
    names_in,
)
from rankmark.data.contract.resources import cores
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.errors import (
    InputError,
    MeasureError,
    MismatchError,
    SchemaError,
    listed,
    shown,
    warn,
)
from rankmark.measures.names import AnyMeasure, flat
from rankmark.measures.names import measures as measures_of
from rankmark.scoring.aggregates import for_all
from rankmark.scoring.misplaced_arguments import several
from rankmark.statistics.confidence_intervals import EVERYWHERE
from rankmark.verbs.compare.compared_rows import ComparedMeasure
from rankmark.verbs.compare.comparison import Comparison
from rankmark.verbs.compare.means_and_intervals import means_of
from rankmark.verbs.compare.statistics_choices import (
    Correction,
    Family,
    IntervalMethod,
    Sampling,
    Test,
    choices,
    completed,
)
from rankmark.verbs.evaluate.evaluate_options import RunsOptions, shows
from rankmark.verbs.evaluate.evaluate_runs import each_run, evaluate_runs, grouped
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.given_evaluations import (
    are_evaluations,
    common_measures,
    common_weights,
    given_evaluations,
)
from rankmark.verbs.evaluate.given_runs import named_runs
from rankmark.verbs.evaluate.given_scores import score_table
from rankmark.verbs.evaluate.known_scores import known_score
from rankmark.verbs.evaluate.query_attributes import (
    Attributes,
    Clusters,
    Weights,
    attributes_of,
    clusters_of,
    column_or_file,
    given_weights,
    slices_of,
)
from rankmark.verbs.evaluate.query_numbers import DrawnQueries, draws_of


@checked
@shows(RunsOptions)
def compare(
    qrels: Qrels | QrelsSource | None,
    runs: Any,
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    *,
    baseline: Name | None = None,
    test: Test | None = None,
    correction: Correction | None = None,
    family: Family = "measure",
    interval: IntervalMethod = "auto",
    confidence: Share = 0.95,
    resamples: Draws | None = None,
    seed: Seed = 0,
    clusters: Clusters | None = None,
    weights: Weights | None = None,
    draws: DrawnQueries | None = None,
    by: Attributes | None = None,
    bounds: Flag = False,
    pass_score: Finite | None = None,
    **options: Unpack[RunsOptions],
) -> Comparison:
    """Compare several runs on the same queries.

    The runs are evaluated side by side against the same judgments. A difference is the other run's
    score minus the baseline's, so a positive one means that the other is better (or worse, for
    measures where lower is better). With ``queries="both"``, the queries are those that are judged
    and that all runs answer.

    Parameters
    ----------
    Data:
    qrels
        Relevance judgments, as for ``evaluate``. If the runs are evaluations, None, or the
        judgments that they were evaluated with, which is checked.
    runs
        ``{name: run}``; paths, named after their files; a pattern of paths, such as
        ``"runs/*.run"``; a frame or a dict of columns with a column ``run``; or evaluations, in a
        list or by name. Each run has any form that ``evaluate`` takes. A list of runs by name, as
        in ``{"new": [run, run]}``, or a pattern of paths in place of a run, is one system, whose
        trials are averaged within queries.

    Measures:
    measures
        As for ``evaluate``; for evaluations, None means the measures that all have.
    pass_score
        As for ``evaluate``.

    Statistics:
    baseline
        The run that every other one is compared with; None for all pairs of runs.

        Its name. Of a pair, the one named first is the baseline.
    test
        The paired test of differences; None for randomisation, and bootstrap with the
        correction max-t.

        ``"randomisation"`` of signs, ``"t"``, ``"wilcoxon"``, ``"sign"`` or ``"bootstrap"``; see
        "Which test, and why" in the documentation.
    correction
        Correction of p-values for the number of comparisons; ``"tukey"`` is for all pairs
        of runs; None for holm, and max-t for more than 10 pairs of runs on at most 100 queries.

        ``"holm"``, ``"hochberg"``, ``"bonferroni"``, ``"bh"``, ``"by"``, ``"max-t"``,
        ``"tukey"`` or ``"none"``. With many pairs and few queries, p-values are too small for
        Holm's method, so that it finds differences of runs that are alike in more than 5% of
        collections; max-t by the bootstrap is the default there, unless there are clusters,
        weights or slices.
    family
        Whether p-values are corrected for the pairs of each ``"measure"``, or for ``"all"`` pairs
        and measures together.
    interval
        Student's ``"t"``, or the ``"BCa"`` bootstrap; ``"auto"`` is t, and Wilson's and
        Newcombe's for measures that are 0 or 1 for each query.

        Wilson's interval is that of means, Newcombe's that of differences.
    confidence
        Confidence of intervals; a difference is significant if its adjusted p is at most 1
        minus this.
    resamples
        Number of draws of the randomisation test and the bootstrap; None for at least
        10,000.

        That is enough for the number of p-values that are corrected together, slices
        included: the smallest possible one, once corrected, is a twentieth of the
        significance level, or half of it in very large families.
    seed
        Seed of the draws.

        None for one drawn by chance, which the result shows.
    clusters
        Groups of queries that are not independent, such as those of a user or a conversation: lines
        `qid cluster`.

        Or ``{query id: cluster}``, a series or a frame. For the randomisation and t tests, and
        intervals.
    weights
        Weights of the queries in means, intervals and tests: lines `qid weight`.

        Or ``{query id: weight}``, a series or a frame; from 0. Means, intervals by t, and
        the randomisation and t tests are weighted; effect sizes are not available.
    draws
        How often each query was drawn by its traffic, independently of the others: a table with
        a column ``draws``, or lines `qid draws`.

        Or what ``choose_queries`` returned, or ``{query id: number}``. Every draw counts as a
        query of its own, and takes the place of weights; queries that were not drawn are left out.
    by
        Slices of the queries, in each of which the comparison is repeated: a table with a
        header and a row for each query, lines `qid value`, or a column of the judgments.

        Or ``{query id: value}``; such as their type or language. A column needs one value
        for each query. Every column makes slices; ``slices`` of the result has a comparison
        for each.
    bounds
        Also check whether judging the unjudged documents could reverse a difference.

        ``reversible_by`` says so; it takes longer.

    Reading:
    columns
        ``{role: name}`` for columns, in either input, whose names are not recognised; with a frame
        of several runs, also ``run``.
    threads
        The number of threads; None for one per core. It does not affect the result.
    progress
        Called while a file is read, with the number of the run (0 for the judgments, then from 1)
        and the number of bytes read so far.
    **options
        The other keywords of ``evaluate``.

    Returns
    -------
    Comparison
        ``leaderboard``, ``differences`` and ``evaluations``; ``scores`` is (n_queries, n_runs,
        n_measures) float64, unitless.

    Raises
    ------
    InputError
        If there are no runs, two have the same name, the baseline is none of them, a choice of
        statistics does not exist, or a run cannot be read.
    MismatchError
        If evaluations have different judgments, queries or conventions.
    MeasureError
        If a measure or one of its parameters does not exist.
    SchemaError
        If the runs have no known form.

    References
    ----------
    .. [1] Smucker, Allan and Carterette 2007, A comparison of statistical significance tests for
       information retrieval evaluation, CIKM, pages 623-632.
    .. [2] Carterette 2012, Multiple testing in statistical analysis of systems-based information
       retrieval experiments, ACM Transactions on Information Systems 30(1).

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"a": 1}, "q4": {"c": 1}}
    >>> bm25 = {q: {"a": 3, "b": 2, "c": 1} for q in qrels}
    >>> dense = {q: {"c": 3, "a": 2, "b": 1} for q in qrels}
    >>> compared = rm.compare(qrels, {"bm25": bm25, "dense": dense}, "RR", baseline="bm25")
    >>> difference, = compared.differences
    >>> difference.run, round(difference.difference, 4), difference.p
    ('dense', -0.125, 0.875)
    >>> [(row.rank, row.run, round(row.mean, 4)) for row in compared.leaderboard]
    [(1, 'bm25', 0.7083), (2, 'dense', 0.5833)]
    """
    given_threads = options.get("threads")
    threads = cores() if given_threads is None else given_threads
    measures = None if measures is None else flat(measures)
    try:
        given, columns = named_runs(runs, options.get("columns"))
    except SchemaError:
        if len(several(qrels, are_files=True)) > 1:
            raise SchemaError(
                "qrels holds several runs", "the order is compare(qrels, runs, measures)"
            ) from None
        raise
    options |= {"columns": columns, "threads": threads}
    each = each_run(given, given.values())
    if are_evaluations(each):
        of_runs = given_evaluations(each, qrels, options)
    else:
        of_runs = _evaluated(qrels, each, measures, options)
    found = grouped(given.values(), of_runs.values(), pass_score)
    evaluations = dict(zip(given, found, strict=True))
    compared = common_measures(evaluations, measures, options.get("rel"), options.get("profile"))
    columns_of = [[one.column(name) for name in compared] for one in found]
    scores = np.stack(
        [one.scores[:, chosen] for one, chosen in zip(found, columns_of, strict=True)], axis=1
    )
    means = np.array([[one[name] for name in compared] for one in found])
    by_name = dict(zip(map(str, found[0].measures), found[0].measures, strict=True))
    kinds = [
        ComparedMeasure(
            name,
            more_is_better=by_name[name].more_is_better,
            aggregate=by_name[name].aggregate,
            bounds=by_name[name].bounds,
        )
        for name in compared
    ]
    return comparison_of(
        runs=list(evaluations),
        measures=kinds,
        queries=found[0].queries,
        scores=scores,
        means=means,
        evaluations=evaluations,
        with_bounds=bounds,
        baseline=baseline,
        clusters=clusters,
        weights=common_weights(found) if weights is None else weights,
        draws=draws,
        by=column_or_file(by, qrels),
        test=test,
        correction=correction,
        family=family,
        interval=interval,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        threads=threads,
    )


def comparison_of(
    *,
    runs: Sequence[str],
    measures: Sequence[ComparedMeasure],
    queries: Sequence[str],
    scores: Any,
    means: Any,
    baseline: str | None,
    clusters: Clusters | None,
    weights: Weights | None,
    by: Attributes | None,
    test: Test | None,
    correction: Correction | None,
    family: Family,
    draws: DrawnQueries | None = None,
    evaluations: Mapping[str, Evaluation] | None = None,
    with_bounds: bool = False,
    **statistics: Any,
) -> Comparison:
    """Check the choices of statistics, and make the result."""
    if baseline is not None and baseline not in runs:
        raise InputError(f"baseline is {shown(baseline)}", f"need one of {', '.join(runs)}")
    pairs = len(runs) * (len(runs) - 1) // 2 if baseline is None else len(runs) - 1
    if by is not None and correction in {"max-t", "tukey"}:
        raise InputError(
            f"correction {correction} cannot be combined with slices",
            "choose correction='holm', or leave by out",
        )
    drawn = None
    if draws is not None:
        if clusters is not None or weights is not None:
            other = "weights" if clusters is None else "clusters"
            raise InputError(
                f"draws and {other} are given",
                "leave one of the two out: draws are queries as users ask them, independent of "
                "each other",
            )
        drawn = draws_of(draws, queries)
        rows = np.repeat(np.arange(len(queries)), drawn)
        queries, scores = [queries[row] for row in rows.tolist()], scores[rows]
    sampling = Sampling(
        None if clusters is None else clusters_of(clusters, queries),
        None if weights is None else given_weights(weights, queries),
        drawn is not None,
    )
    if sampling.weights is not None or sampling.are_draws:
        skip = [True] * len(measures)
        weighted = [
            for_all(measures, scores[:, run], skip=skip, weights=sampling.weights)
            for run in range(len(runs))
        ]
        means = np.where(np.isnan(means), np.nan, weighted)
        measures = [
            one._replace(aggregate="mean") if one.aggregate == "sum" else one for one in measures
        ]
    attributes = None if by is None else attributes_of(by, queries)
    slices = len(slices_of(attributes or {}))
    test, correction = completed(
        test,
        correction,
        pairs=pairs,
        queries=len(queries),
        sampling=sampling,
        in_slices=by is not None,
    )
    chosen = choices(
        test=test,
        correction=correction,
        family=family,
        # One family has all measures, and the slices with the whole; or the slices by themselves.
        hypotheses=pairs * (len(measures) * (slices + 1) if family == "all" else max(slices, 1)),
        all_pairs=baseline is None,
        sampling=sampling,
        **statistics,
    )
    return Comparison(
        runs=runs,
        measures=measures,
        queries=queries,
        scores=np.ascontiguousarray(scores),
        means=means,
        baseline=baseline,
        chosen=chosen,
        sampling=sampling,
        attributes=attributes,
        evaluations=evaluations or {},
        with_bounds=with_bounds,
    )


def _evaluated(
    qrels: Any,
    runs: Mapping[str, Any],
    measures: Any,
    options: RunsOptions,
) -> dict[str, Evaluation]:
    """Evaluate the runs; with ``queries="both"``, on the queries that all of them answer."""
    given = qrels, [*runs.values()], measures
    found = evaluate_runs(*given, names=[*runs], **options)
    if queries := answered_by_all(found):
        options["queries"] = queries
        found = evaluate_runs(*given, names=[*runs], **options)
    return dict(zip(runs, found, strict=True))


def answered_by_all(found: Sequence[Evaluation]) -> tuple[str, ...] | None:
    """Return the queries that all runs answer, with a warning; None if each answers them all."""
    common = set.intersection(*(set(one.queries) for one in found))
    most = max(len(one.queries) for one in found)
    if most == len(common):
        return None
    if not common:
        raise MismatchError(
            "no judged query is answered by all runs",
            'compare fewer runs, or leave queries="both" out',
        )
    warn(
        f"{len(common):,} of {most:,} queries are answered by all runs, and only these are "
        "compared",
        'leave queries="both" out to count a missing query as 0',
    )
    return tuple(query for query in found[0].queries if query in common)


@checked
def compare_scores(
    scores: Any,
    measures: Names = None,
    *,
    baseline: Name | None = None,
    lower_is_better: Names = (),
    columns: Columns = None,
    test: Test | None = None,
    correction: Correction | None = None,
    family: Family = "measure",
    interval: IntervalMethod = "auto",
    confidence: Share = 0.95,
    resamples: Draws | None = None,
    seed: Seed = 0,
    clusters: Clusters | None = None,
    weights: Weights | None = None,
    draws: DrawnQueries | None = None,
    by: Attributes | None = None,
    threads: FromOne | None = None,
) -> Comparison:
    """Compare runs by per-query scores from elsewhere, such as clicks.

    For any number that a query has: the output of ``trec_eval -q`` or pytrec_eval, clicks, grades
    by a language model, answer times.

    Parameters
    ----------
    scores
        A frame, a dict of columns, a list of rows, or the path of a CSV, TSV, JSON or Parquet file
        with the columns ``run``, ``query_id`` and one for each measure. Or ``{run: scores}``, where
        scores are such a table without ``run``, ``{query id: {measure: score}}`` as from
        pytrec_eval, ``{query id: score}``, or a file, also of ``trec_eval -q``; or a list of paths,
        one for each run.
    measures
        The columns to compare; None for all but the run and the query.
    baseline, test, correction, family, interval, confidence, resamples, seed
        As for ``compare``.
    clusters, weights, draws, by, threads
        As for ``compare``.
    lower_is_better
        The measures for which a lower score is better, such as times. rankmark's own measures are
        known.
    columns
        The names of the columns for ``run`` and ``query_id``, if they are not recognised.

    Returns
    -------
    Comparison
        Without ``evaluations``. A query without a score is left out of the comparisons of that run;
        ``left_out`` counts them.

    Raises
    ------
    SchemaError
        If the form is unknown, a column is missing, or a score is not a number.
    DuplicateError
        If a query appears twice for a run.
    InputError
        If there are no scores, the baseline is not one of the runs, or a choice of statistics does
        not exist.

    Examples
    --------
    >>> import rankmark as rm
    >>> graded = {
    ...     "run": ["a", "a", "a", "b", "b", "b"],
    ...     "query_id": ["q1", "q2", "q3", "q1", "q2", "q3"],
    ...     "grade": [3, 2, 4, 4, 2, 5],
    ... }
    >>> compared = rm.compare_scores(graded, baseline="a")
    >>> round(compared.differences[0].difference, 4), compared.differences[0].wins
    (0.6667, 2)
    """
    lower = names_in(lower_is_better) or []
    table = score_table(scores, names_in(measures), columns or {})
    unknown = [name for name in lower if name not in table.measures]
    if unknown:
        raise InputError(
            f"lower_is_better names {listed(unknown)}, which is not compared",
            f"choose from {', '.join(table.measures)}",
        )
    return comparison_of(
        runs=table.runs,
        measures=[
            ComparedMeasure(
                name,
                more_is_better=not (name in lower or _is_error(name)),
                bounds=EVERYWHERE if (known := known_score(name)) is None else known.bounds,
            )
            for name in table.measures
        ],
        queries=table.queries,
        scores=table.scores,
        means=means_of(table.scores, None),
        baseline=baseline,
        clusters=clusters,
        weights=weights,
        draws=draws,
        by=by,
        test=test,
        correction=correction,
        family=family,
        interval=interval,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        threads=cores() if threads is None else threads,
    )


def _is_error(name: str) -> bool:
    """Return whether a name is that of a measure of errors, where lower is better."""
    try:
        found = measures_of(name)
    except MeasureError:
        return False
    return len(found) == 1 and not found[0].more_is_better
