"""Choose how to fuse runs on judged queries, and estimate what it gives on others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankmark.arguments import Columns, Finite, FromOne, Seed, Text, checked, filled
from rankmark.conventions import (
    Combining,
    Conventions,
    ListTies,
    NoRelevant,
    Separator,
    order_of_equals,
)
from rankmark.data.contract.reading_options import ProgressOfFiles, Reading
from rankmark.data.contract.source_options import columns_of
from rankmark.data.files.lines_of_text import AveragedQueries
from rankmark.data.preparing.matching import refuse_swapped_sides
from rankmark.data.preparing.pair_options import PairOptions
from rankmark.data.preparing.parents import ParentsSource
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.united_runs import UnitedRuns, unite_runs
from rankmark.data.preparing.units import (
    UNIT_CHOICES,
    judgments_of_documents,
    refuse_unused_combination,
    unit_settings,
)
from rankmark.errors import InputError, MeasureError, shown
from rankmark.measures import Measure
from rankmark.measures.thresholds import takes_rel
from rankmark.scoring.request import Asked
from rankmark.verbs.evaluate.query_attributes import Clusters, clusters_of
from rankmark.verbs.fuse.fuse import given_runs, lower_is_better
from rankmark.verbs.fuse.judged_lists import Way
from rankmark.verbs.fuse.method import Method
from rankmark.verbs.fuse.methods import method as method_of
from rankmark.verbs.tune.chosen_points import chosen_points, query_folds
from rankmark.verbs.tune.fusion_bounds import FusionBounds
from rankmark.verbs.tune.scored_lists import ScoredLists, scored_lists
from rankmark.verbs.tune.tuned_fusion import UNTUNED, TunedFusion
from rankmark.verbs.tune.tuning_grid import METHODS, NORMS, K, point_of, preferences, tuning_grid

_MOST_REPEATS = 10_000


@checked
def tune_fusion(
    qrels: Qrels | QrelsSource,
    runs: Any,
    measure: str | Measure = "nDCG@10",
    *,
    methods: Sequence[str | Method] | str | Method = METHODS,
    norms: Sequence[str] | str = NORMS,
    k: Iterable[float] | float = K,
    step: float | None = 0.1,
    folds: FromOne = 5,
    repeats: FromOne = 10,
    seed: Seed = 0,
    clusters: Clusters | None = None,
    depth: FromOne | None = None,
    ties: ListTies = "docid",
    lower_better: bool | Sequence[bool] | Sequence[str] = False,
    queries: AveragedQueries = "judged",
    no_relevant: NoRelevant = "zero",
    rel: Finite | None = None,
    unit: Separator | None = None,
    qrels_unit: Separator | None = None,
    combine: Combining = "best",
    unit_depth: FromOne | None = None,
    qrels_format: Text | None = None,
    run_format: Text | None = None,
    columns: Columns = None,
    parents: ParentsSource | None = None,
    qrels_parents: ParentsSource | None = None,
    threads: FromOne | None = None,
    progress: ProgressOfFiles | None = None,
) -> TunedFusion:
    """Choose weights and parameters of fusion, and estimate what they give on other queries.

    All points of a grid are scored on all queries. The best one is what to deploy; its mean is too
    optimistic, as it was chosen on the same queries. So the queries are also dealt into folds: for
    each fold, a point is chosen on the other folds, and applied to the queries of this one. These
    held-out scores estimate what tuning gives on other queries, and are compared with the single
    runs and with untuned RRF.

    Parameters
    ----------
    Data:
    qrels
        Relevance judgments, as for ``evaluate``.
    runs
        Two or more, as for ``compare``: ``{name: run}``, paths, or a frame with a column ``run``.

    Measures:
    measure
        The measure to be maximised (or minimised, if lower is better).
    rel
        The lowest relevant label, if the measure takes one and does not name its own.

    Method:
    methods
        A method of ``fuse`` to try; a parameter in its name is not varied: RRF(k=60) tunes
        only weights. By default RRF, wsum.

        Or several.
    norms
        A norm to try with methods that use scores, such as z. By default min-max.

        Or several.
    k
        Constants of RRF to try. By default 1,2,5,10,20,40,60,80,100,200.
    step
        The step between two weights, 1 divided by a whole number; all weights that add up
        to 1 are tried.

        These are 11 combinations of two runs, 66 of three and 286 of four with steps of
        0.1. None leaves all weights at 1, and tunes only parameters.

    Statistics:
    folds
        Number of folds: each query is scored by what was chosen on the other folds.
    repeats
        How often queries are dealt into folds; the time whose mean is nearest to that of
        all is compared, and the others show how much depends on the folds.
    seed
        Seed of the folds, and of the tests.

        None for one drawn by chance, which the result shows.
    clusters
        Groups of queries that are not independent, such as those of a user or a conversation, which
        are kept in one fold: lines `qid cluster`.

        In any form that ``compare`` takes.

    Conventions:
    depth
        Fuse only the first documents of each list; single runs are cut, too.
    ties
        Documents with equal scores in a list, as for ``fuse``.
    lower_better
        As for ``fuse``.
    queries, no_relevant
        As for ``evaluate``.
    unit, qrels_unit, combine, unit_depth
        As for ``evaluate``: units, such as chunks, become documents before they are fused.

    Reading:
    qrels_format, run_format, columns, threads, progress
        As for ``compare``.
    parents, qrels_parents
        As for ``evaluate``, for runs and judgments that were not prepared with their own.

    Returns
    -------
    TunedFusion
        ``best``, ``held_out``, ``optimism``, ``table``, ``run``, ``compared`` and ``bounds``.

    Raises
    ------
    InputError
        If there is only one run, a choice does not exist, or there are fewer queries (or clusters)
        than folds.
    MeasureError
        If the measure or a method does not exist, or the measure is no mean of scores by query.
    MismatchError
        If no query of the runs is judged.

    Notes
    -----
    Of points with equal means, the one nearest to equal weights is chosen, then the one with the
    smaller k. A fused document is ranked by counting the documents above it, so a new weight is one
    pass over the scores; no list is sorted. The scores are those of ``evaluate`` on the fused run,
    to the bit.

    References
    ----------
    .. [1] Bruch, Gai and Ingber 2023, An analysis of fusion functions for hybrid retrieval, ACM
       Transactions on Information Systems 42(1).

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {f"q{n}": {"a": 1, "b": n % 2} for n in range(10)}
    >>> words = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in qrels}
    >>> vectors = {q: {"c": 0.9, "a": 0.8, "b": 0.1} for q in qrels}
    >>> tuned = rm.tune_fusion(qrels, {"words": words, "vectors": vectors}, "RR")
    >>> tuned.best
    FusionPoint(method='RRF(k=1)', weights=(0.5, 0.5))
    >>> tuned.held_out_mean, tuned.training_mean
    (1.0, 1.0)
    """
    if folds < 2:
        raise InputError(f"folds is {folds}", "need two at least")
    if repeats > _MOST_REPEATS:
        raise InputError(f"repeats is {repeats:,}", f"need at most {_MOST_REPEATS:,}")
    given = GivenLists.of(locals())
    names = [*given.runs]
    ways = tuning_grid(len(names), methods, norms=norms, k=k, step=step)
    untuned = Way(method_of(UNTUNED), np.ones(len(names)))
    wanted = given.asked.measures[0]
    found = given.scored([*ways, untuned])
    query_ids, scores, of_untuned = found.queries, found.ways[:-1], found.ways[-1]
    groups = None if clusters is None else clusters_of(clusters, query_ids)
    dealt = query_folds(query_ids, folds=folds, repeats=repeats, seed=filled(seed), clusters=groups)
    picked = chosen_points(scores, dealt, preferences(ways), more_is_better=wanted.more_is_better)
    fuse_options = {"depth": depth, "ties": ties, "lower_better": given.lower_better}
    fuse_options |= unit_settings(given.units)
    settings = given.settings | {
        "methods": [*dict.fromkeys(str(way.method) for way in ways)],
        "step": step,
        "folds": folds,
        "repeats": repeats,
        "seed": seed,
        "clusters": None if groups is None else len(set(groups)),
    }
    return TunedFusion(
        measure=wanted,
        runs=given.runs,
        queries=query_ids,
        points=[*map(point_of, ways)],
        scores=scores,
        folds=dealt,
        picked=picked,
        untuned=of_untuned,
        bounds=bounds_of(given, found),
        clusters=groups,
        fuse_options=fuse_options,
        settings=settings,
    )


_OF_READING = (
    *("qrels_format", "run_format", "columns", "parents", "qrels_parents", "threads", "progress"),
)

_OF_BOUNDS = ("queries", "ties", "no_relevant", "depth", "lower_better", *UNIT_CHOICES)


@checked
def fusion_bounds(
    qrels: Qrels | QrelsSource,
    runs: Any,
    measure: str | Measure = "nDCG@10",
    *,
    depth: FromOne | None = None,
    ties: ListTies = "docid",
    lower_better: bool | Sequence[bool] | Sequence[str] = False,
    queries: AveragedQueries = "judged",
    no_relevant: NoRelevant = "zero",
    rel: Finite | None = None,
    unit: Separator | None = None,
    qrels_unit: Separator | None = None,
    combine: Combining = "best",
    unit_depth: FromOne | None = None,
    qrels_format: Text | None = None,
    run_format: Text | None = None,
    columns: Columns = None,
    parents: ParentsSource | None = None,
    qrels_parents: ParentsSource | None = None,
    threads: FromOne | None = None,
    progress: ProgressOfFiles | None = None,
) -> FusionBounds:
    """Compute what fusing runs could give at most.

    That is the union of the lists in the best order, which no fusion beats, and the recall of the
    union; and, beside each run by itself, the best list of each query.

    Parameters
    ----------
    Data:
    qrels, runs
        As for ``tune_fusion``.

    Measures:
    measure
        A name or an object.
    rel
        The lowest relevant label, if the measure takes one and does not name its own.

    Conventions:
    depth, ties, lower_better
        As for ``fuse``.
    queries, no_relevant
        As for ``evaluate``.
    unit, qrels_unit, combine, unit_depth
        As for ``evaluate``: units, such as chunks, become documents before they are fused.

    Reading:
    qrels_format, run_format, columns, threads, progress
        As for ``compare``.
    parents, qrels_parents
        As for ``evaluate``, for runs and judgments that were not prepared with their own.

    Returns
    -------
    FusionBounds
        ``scores`` and ``oracle`` by query, ``ideal``, ``means`` and ``recalls`` by depth.

    Raises
    ------
    InputError
        If there is only one run, or a choice does not exist.
    MeasureError
        If the measure does not exist, or is no mean of scores by query.
    MismatchError
        If no query of the runs is judged.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> words = {"q1": {"a": 2.0, "c": 1.0}, "q2": {"c": 2.0, "b": 1.0}}
    >>> vectors = {"q1": {"c": 0.8, "a": 0.7}, "q2": {"b": 0.9, "c": 0.1}}
    >>> bounds = rm.fusion_bounds(qrels, {"words": words, "vectors": vectors}, "RR")
    >>> bounds.means
    {'words': 0.75, 'vectors': 0.75, 'best list of each query': 1.0, 'union in ideal order': 1.0}
    """
    given = GivenLists.of(locals())
    return bounds_of(given, given.scored([]))


class GivenLists(NamedTuple):
    """What is to be fused and judged, as it was read.

    Parameters
    ----------
    asked
        The measure, and the conventions of evaluations.
    units
        How units become documents.
    qrels, runs
        As prepared; the runs by name.
    united
        The lists of the runs.
    ties, depth
        The rule for ties in lists, and their last rank.
    lower_better
        For each run, whether lower scores are better.
    threads
        The number of threads.
    """

    asked: Asked
    units: Conventions
    qrels: Qrels
    runs: dict[str, Run]
    united: UnitedRuns
    ties: ListTies
    depth: int | None
    lower_better: list[bool]
    threads: int

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> GivenLists:
        """Read judgments and runs of any form, by the names of the arguments of ``fusion_bounds``.

        Raises
        ------
        InputError
            If there is only one run.
        """
        reading = Reading.of(**{name: given[name] for name in _OF_READING})
        ties, depth = given["ties"], given["depth"]
        conventions = Conventions(
            queries=given["queries"],
            ties=order_of_equals(ties, by_input=False),
            no_relevant=given["no_relevant"],
        )
        units = Conventions(**{name: given[name] for name in UNIT_CHOICES})
        asked = asked_measure(given["measure"], conventions, given["rel"])
        of_run = columns_of(reading.columns, None, "run")
        shared = {role: name for role, name in (reading.columns or {}).items() if role != "run"}
        subtopics = asked.needs.subtopics
        of_pair = PairOptions(reading._replace(columns=shared or None), subtopics=subtopics)
        qrels = of_pair.qrels_of(given["qrels"], reading.of_file(0))
        qrels = judgments_of_documents(qrels, units.qrels_unit)
        options = {"format": reading.run_format}
        named = given_runs(given["runs"], of_run, options, reading.parents)
        refuse_unused_combination(units, named.values())
        for run in named.values():
            refuse_swapped_sides(qrels, run)
        if len(named) < 2:
            raise InputError(f"there is one run, {shown(next(iter(named)))}", "fusion needs two")
        negated = lower_is_better(given["lower_better"], [*named])
        tell = reading.progress
        if tell is not None:  # after the judgments, which are number 0
            reading = reading._replace(progress=lambda number, done: tell(number + 1, done))
        united = unite_runs(
            [*named.values()],
            ties=ties,
            depth=depth,
            lower_better=negated,
            units=units,
            reading=reading,
        )
        return cls(asked, units, qrels, named, united, ties, depth, negated, reading.workers)

    @property
    def rel(self) -> float:
        """The lowest relevant label."""
        (measure,) = self.asked.measures
        return float(getattr(measure, "rel", 1.0)) if takes_rel(measure) else 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """The conventions, with those of the lists."""
        units = unit_settings(self.units, UNIT_CHOICES)
        named = zip(self.runs, self.lower_better, strict=True)
        return {
            **self.asked.conventions.to_dict(),
            **units,
            "ties": self.ties,
            "depth": self.depth,
            "lower_better": [name for name, low in named if low],
        }

    def scored(self, ways: Sequence[Way]) -> ScoredLists:
        """Score ways to fuse, and the lists."""
        return scored_lists(
            self.qrels,
            self.united,
            self.asked.measures[0],
            self.asked.conventions,
            ways,
            runs=[*self.runs],
            rel=self.rel,
            ties=self.ties,
            threads=self.threads,
        )


def asked_measure(measure: Any, conventions: Conventions, rel: float | None) -> Asked:
    """Resolve one measure, whose mean over queries of one run is meant.

    Raises
    ------
    MeasureError
        If it is several measures, or depends on more than the labels and ranks of a query.
    """
    asked = Asked.of([measure], conventions, rel)
    if len(asked.measures) > 1:
        found = ", ".join(map(str, asked.measures))
        raise MeasureError("fusion is tuned by one measure", f"found {found}")
    (one,) = asked.measures
    if one.aggregate != "mean" or asked.anywhere or one.own_conventions or one.judged_only:
        raise MeasureError(
            f"{one} is no mean over queries of scores of whole lists",
            "choose another measure, such as nDCG@10",
        )
    return asked


def bounds_of(given: GivenLists, found: ScoredLists) -> FusionBounds:
    """Return what fusion could give at most."""
    (measure,), settings = given.asked.measures, given.settings
    return FusionBounds(
        measure=str(measure),
        more_is_better=measure.more_is_better,
        qrels=given.qrels,
        runs=given.runs,
        queries=found.queries,
        scores=np.ascontiguousarray(found.singles.T),
        ideal=found.ideal,
        depths=found.depths,
        recalls=found.recalls,
        rel=given.rel,
        settings={name: settings[name] for name in _OF_BOUNDS},
    )
