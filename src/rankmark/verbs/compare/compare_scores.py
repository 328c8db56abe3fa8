"""Compare runs by scores that another program made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.arguments import typed, whole
from rankmark.data.contract.resources import cores
from rankmark.errors import InputError, MeasureError, listed, shown
from rankmark.measures.names import measures as measures_of
from rankmark.verbs.compare.compare import comparison_of
from rankmark.verbs.compare.run_difference import ComparedMeasure
from rankmark.verbs.compare.standings import means_of
from rankmark.verbs.evaluate.given_scores import score_table

if TYPE_CHECKING:
    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.compare.statistics_choices import Correction, Family, IntervalMethod, Test
    from rankmark.verbs.evaluate.query_attributes import Attributes, Clusters, Weights


@typed
def compare_scores(
    scores: Any,
    measures: Iterable[str] | str | None = None,
    *,
    baseline: str | None = None,
    lower_is_better: Iterable[str] | str = (),
    columns: Mapping[str, str] | None = None,
    test: Test = "randomisation",
    correction: Correction = "holm",
    family: Family = "measure",
    interval: IntervalMethod = "auto",
    confidence: float = 0.95,
    resamples: int | None = None,
    seed: int | None = 0,
    clusters: Clusters | None = None,
    weights: Weights | None = None,
    by: Attributes | None = None,
    threads: int | None = None,
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
    clusters, weights, by, threads
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
    if not isinstance(measures, (str, Iterable, type(None))) or isinstance(measures, type):
        raise InputError(f"measures is {shown(measures)}", "need a name, or a list of names")
    chosen = [measures] if isinstance(measures, str) else None if measures is None else [*measures]
    lower = [lower_is_better] if isinstance(lower_is_better, str) else list(lower_is_better)
    table = score_table(scores, chosen, columns or {})
    unknown = [name for name in lower if name not in table.measures]
    if unknown:
        raise InputError(
            f"lower_is_better names {listed(unknown)}, which is not compared",
            f"choose from {', '.join(table.measures)}",
        )
    return comparison_of(
        runs=table.runs,
        measures=[
            ComparedMeasure(name, more_is_better=not (name in lower or _is_error(name)))
            for name in table.measures
        ],
        queries=table.queries,
        scores=table.scores,
        means=means_of(table.scores, None),
        baseline=baseline,
        clusters=clusters,
        weights=weights,
        by=by,
        test=test,
        correction=correction,
        family=family,
        interval=interval,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        threads=cores() if threads is None else whole("threads", threads),
    )


def _is_error(name: str) -> bool:
    """Return whether a name is that of a measure of errors, where lower is better."""
    try:
        found = measures_of(name)
    except MeasureError:
        return False
    return len(found) == 1 and not found[0].more_is_better
