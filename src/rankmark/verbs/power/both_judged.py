"""Scores of runs by human labels and LLM labels, and how people's queries were drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from rankmark.conventions import by_text
from rankmark.errors import InputError, MeasureError, SchemaError, listed, warn
from rankmark.statistics.labelled_samples import Design, design_of
from rankmark.statistics.scipy_functions import stats
from rankmark.verbs.evaluate.evaluate_runs import evaluate_runs
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.given_evaluations import of_queries
from rankmark.verbs.evaluate.given_runs import named_runs
from rankmark.verbs.evaluate.judged_sample import places_among, spread_over
from rankmark.verbs.evaluate.query_attributes import (
    clusters_of,
    column_or_file,
    of_all,
    values_by_query,
)
from rankmark.verbs.evaluate.query_numbers import numbers_of, table_columns

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats
    from rankmark.measures import Measure
    from rankmark.verbs.evaluate.evaluate_options import RunsOptions


CHOSEN, PROBABILITY, STRATUM = "to_judge", "probability", "stratum"
"""Columns of what ``choose_queries`` writes."""

_UNLIKELY = 0.001
_COMPARED = 20  # runs


class BothJudged(NamedTuple):
    """Scores of runs by two sets of labels.

    Attributes
    ----------
    runs, queries
        Names of the runs, and ids of the queries that the model judged.
    measures
        The measures.
    people, model
        (n_queries, n_runs, n_measures) float64, NaN where there is no score.
    evaluations
        Of each run: by human labels, and by the model's.
    """

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    people: Floats
    model: Floats
    evaluations: tuple[tuple[Evaluation, Evaluation], ...]

    @property
    def judged(self) -> Bools:
        """Which queries people judged: (n_queries,) bool."""
        return np.array(np.isfinite(self.people).any(axis=(1, 2)), dtype=np.bool_)


class ModelJudged(NamedTuple):
    """Scores of runs by LLM labels; as ``BothJudged`` has them."""

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    model: Floats
    evaluations: tuple[Evaluation, ...]


def judged_by_model(model: Any, runs: Any, measures: Any, options: RunsOptions) -> ModelJudged:
    """Evaluate runs by LLM labels."""
    given, options = _given(runs, options)
    found = _evaluated(model, given, measures, options)
    scores = np.stack([one.scores for one in found], axis=1)
    return ModelJudged(tuple(given), found[0].queries, found[0].measures, scores, tuple(found))


def judged_by_both(
    people: Any, model: Any, runs: Any, measures: Any, options: RunsOptions
) -> BothJudged:
    """Evaluate runs by both sets of labels, each over the queries that it judges.

    Which queries cannot be won is decided by the model, who judged all of them.
    """
    given, options = _given(runs, options)
    progress = options.get("progress")
    chosen = options.get("queries", "judged")
    of_people: RunsOptions = {**options, "corpus": None, "unwinnable": None}
    if not isinstance(chosen, str):
        of_people["queries"] = "judged"  # of which those that were chosen are taken
    by_people = _evaluated(people, given, measures, of_people)
    if progress is not None:
        behind = progress
        options = {**options, "progress": lambda at, done: behind(at + 1 + len(given), done)}
    by_model = _evaluated(model, given, measures, options)
    queries, scores = by_people[0].queries, np.stack([one.scores for one in by_people], axis=1)
    wanted = {*queries} if isinstance(chosen, str) else {*cast("tuple[str, ...]", chosen)}
    wanted -= {*by_model[0].conventions.unwinnable}
    if not wanted.issuperset(queries):
        kept = [row for row, query in enumerate(queries) if query in wanted]
        queries, scores = tuple(queries[row] for row in kept), scores[kept]
    if not queries:
        raise InputError("people judged none of these queries", "check the query ids")
    asked = by_model[0].queries
    return BothJudged(
        runs=tuple(given),
        queries=asked,
        measures=by_model[0].measures,
        people=spread_over(scores, places_among(queries, asked), len(asked)),
        model=np.stack([one.scores for one in by_model], axis=1),
        evaluations=tuple(zip(by_people, by_model, strict=True)),
    )


def _given(runs: Any, options: RunsOptions) -> tuple[dict[str, Any], RunsOptions]:
    given, columns = named_runs(runs, options.get("columns"))
    for name, run in given.items():
        if isinstance(run, Evaluation):
            raise SchemaError(
                f"run {name!r} is an evaluation", "give the run, which is evaluated by both labels"
            )
        if hasattr(run, "read") or isinstance(run, Iterator):
            raise InputError(
                f"run {name!r} can be read once, and is evaluated by both sets of labels",
                "give a path, or the rows",
            )
    return given, {**options, "columns": columns}


def _evaluated(
    qrels: Any, runs: Mapping[str, Any], measures: Any, options: RunsOptions
) -> Sequence[Evaluation]:
    given = [*runs.values()]
    found = of_queries(evaluate_runs(qrels, given, measures, names=[*runs], **options))
    sums = [str(one) for one in found[0].measures if one.aggregate != "mean"]
    if sums:
        raise MeasureError(
            f"{listed(sums)} adds up over queries, and a sample estimates means",
            "choose a measure that is averaged",
        )
    for name, one in zip(runs, found, strict=True):
        if one.queries != found[0].queries:
            raise InputError(
                f"{name} is averaged over {len(one.queries):,} queries and {next(iter(runs))} over "
                f"{len(found[0].queries):,}",
                'use queries="judged", where a missing query counts 0, or name the queries',
            )
    return found


class Sampled(NamedTuple):
    """A design, and what to say of it.

    Attributes
    ----------
    design
        For the estimates.
    told
        How the sample was drawn, in words.
    """

    design: Design
    told: str


def sampled(
    both: BothJudged,
    model: Any,
    *,
    is_random: bool | None,
    strata: Any = None,
    probabilities: Any = None,
    clusters: Any = None,
    finite: bool = False,
    could_give: Sequence[str] = ("the probabilities with which they were chosen", "strata"),
) -> Sampled:
    """Return the design of the sample of queries that people judged.

    A sample is refused if nothing is said of it, and it cannot well be random.

    Parameters
    ----------
    both
        The scores by both sets of labels.
    model
        The judgments of the model, of which ``strata`` may be a column.
    is_random, strata, probabilities, clusters, finite
        As ``estimate`` takes them.
    could_give
        What the caller could say of a sample that is not random, for messages.
    """
    if is_random is False and strata is None and probabilities is None:
        raise InputError(
            "the judged queries are not a random sample, and their probabilities are not given",
            "give probabilities (choose_queries has them) or strata; a mean of chosen queries "
            "is wrong, by how much nobody knows",
        )
    queries, judged = both.queries, both.judged
    told = ["a random sample, as stated" if is_random else "assumed to be a random sample"]
    groups = chances = None
    if strata is not None:
        groups = strata_of(strata, queries, model)
        told = ["a random sample of each of", f"{len(set(groups)):,} strata"]
    if probabilities is not None:
        chances = _probabilities(probabilities, queries, judged)
        told = ["drawn with the probabilities given"] + (["in strata"] if groups else [])
    design = design_of(
        len(queries),
        strata=groups,
        probabilities=chances,
        clusters=None if clusters is None else clusters_of(clusters, queries),
        finite=finite,
    )
    if is_random is None and strata is None and probabilities is None:
        _refuse_a_chosen_sample(both.model, judged, both.runs, could_give)
    return Sampled(design, " ".join(told))


def strata_of(strata: Any, queries: Sequence[str], model: Any) -> list[str]:
    """Return the stratum of each query."""
    given = values_by_query(column_or_file(strata, model, "strata"), "strata", STRATUM)
    remedy = "give every query that the model judged a stratum"
    return [*map(str, of_all(by_text(given, "strata"), queries, "strata", remedy))]


def _probabilities(given: Any, queries: Sequence[str], judged: Bools) -> Floats:
    """Return the probability of each query, NaN for those that are unknown and not needed."""
    found = numbers_of(given, "probabilities", PROBABILITY)
    of_people = [query for query, is_judged in zip(queries, judged, strict=True) if is_judged]
    missing = [query for query in of_people if query not in found]
    if missing:
        raise InputError(
            f"probabilities has none for {len(missing):,} of the {len(of_people):,} queries that "
            f"people judged: {listed(missing[:3], len(missing))}",
            "give the probability with which each was chosen, or leave its judgments out",
        )
    for query in of_people:
        if not 0 < found[query] <= 1:
            raise InputError(
                f"the probability of query {query!r} is {found[query]:g}",
                "need a number above 0 and at most 1",
            )
    _compare_with_plan(given, of_people)
    return np.array([found.get(query, np.nan) for query in queries])


def _compare_with_plan(given: Any, of_people: Sequence[str]) -> None:
    """Refuse queries that a plan did not choose, and warn of those that nobody judged."""
    if isinstance(given, Mapping) and CHOSEN not in given:
        return
    try:
        columns = table_columns(given, "probabilities")
    except SchemaError:
        return
    if CHOSEN not in columns:
        return
    chosen = {q for q, value in columns[CHOSEN].items() if str(value).lower() in {"true", "1"}}
    beyond = [query for query in of_people if query not in chosen]
    if beyond:
        raise InputError(
            f"people judged {len(beyond):,} queries that the plan did not choose: "
            f"{listed(beyond[:3], len(beyond))}",
            "leave their judgments out, as their probabilities are those of the plan",
        )
    left = len(chosen) - len(of_people)
    if left > 0:
        warn(
            f"{left:,} of the {len(chosen):,} queries that were chosen have no judgments of people",
            "judge them too: those that are left are no random part",
        )


def _refuse_a_chosen_sample(
    model: Floats, judged: Bools, names: Sequence[str], could_give: Sequence[str]
) -> None:
    """Refuse a sample that cannot well be random, by what the model says of it.

    Scores by the model, (n_queries, n_runs, n_measures), and differences of runs must not differ
    between the queries that people judged and the others by more than chance does once in a
    thousand samples.
    """
    if judged.all():
        return
    columns = [(f"scores of {name}", model[:, run]) for run, name in enumerate(names[:_COMPARED])]
    columns += [
        (f"sizes of {name} - {names[0]}", np.abs(model[:, run] - model[:, 0]))
        for run, name in enumerate(names[:_COMPARED])
        if run
    ]
    found = []
    for what, values in columns:
        for column in values.T:
            inside, outside = column[judged], column[~judged]
            inside, outside = inside[~np.isnan(inside)], outside[~np.isnan(outside)]
            if len(inside) and len(outside) and np.ptp(np.concatenate([inside, outside])) > 0:
                p = stats.mannwhitneyu(inside, outside, method="asymptotic").pvalue
                found.append((float(p), what, float(inside.mean()), float(outside.mean())))
    if not found:
        return
    remedy = f"give {', or '.join(could_give)}; " if could_give else ""
    p, what, inside_mean, outside_mean = min(found)
    if p * len(found) < _UNLIKELY:
        raise InputError(
            "the queries that people judged do not look like a random sample: by the model, the "
            f"{what} have the mean {inside_mean:.4f} among them and {outside_mean:.4f} among the "
            f"others (p = {p * len(found):.1g})",
            f"{remedy}if they are random, say so (random=True)",
        )
