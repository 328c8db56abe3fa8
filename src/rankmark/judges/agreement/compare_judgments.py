"""Compare what two judges, or more, said of the same documents: ``compare_judgments``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.arguments import (
    Columns,
    Draws,
    Finite,
    FromOne,
    Seed,
    Share,
    Text,
    as_number,
    checked,
    filled,
)
from rankmark.array_types import Floats
from rankmark.conventions import Combining, Conventions, Separator
from rankmark.data.contract.reading_options import ProgressOfFiles, Reading
from rankmark.data.contract.source_options import may_fail
from rankmark.data.evidence.listed_ids import refuse_joined
from rankmark.data.preparing.failed_labels import failure_labels
from rankmark.data.preparing.pair_options import PairOptions
from rankmark.data.preparing.paired_inputs import PairedJudgments, pair_judgments
from rankmark.data.preparing.parents import ParentsSource, prepared_once
from rankmark.data.preparing.qrels import Failed, Qrels, QrelsSource
from rankmark.data.preparing.units import refuse_unused_combination, unit_settings
from rankmark.errors import InputError, MismatchError, listed, shown
from rankmark.judges.agreement.agreement_figures import alphas
from rankmark.judges.agreement.agreement_intervals import Method, Sampling, figure_intervals
from rankmark.judges.agreement.coefficients import coincidence_tables, tables_of
from rankmark.judges.agreement.given_labels import (
    GivenJudgments,
    Scale,
    coded,
    given_judgments,
    written_label,
    written_labels,
)
from rankmark.judges.agreement.judged_systems import (
    Pairs,
    refuse_evaluations,
    systems_by_judges,
    with_labels,
)
from rankmark.judges.agreement.judgment_comparison import Judge, JudgmentComparison
from rankmark.judges.agreement.judgment_warnings import Doubt, doubts_of_systems, likenesses
from rankmark.judges.agreement.pair_agreement import PairAgreement, worst_pairs
from rankmark.judges.agreement.systems_by_judges import SystemsByJudges
from rankmark.measures import Measure
from rankmark.results.run_names import short_names
from rankmark.verbs.evaluate.given_runs import named_runs
from rankmark.verbs.evaluate.query_attributes import (
    Attributes,
    attributes_of,
    column_or_file,
    slices_of,
)

_LOOKED_AT = 8
"""Queries whose ids are compared before all are paired."""


@checked
def compare_judgments(
    people: Qrels | QrelsSource,
    model: Qrels | QrelsSource,
    *more: Qrels | QrelsSource,
    names: Sequence[str] | None = None,
    rel: Finite | None = None,
    labels: Iterable[float] | None = None,
    relabel: Mapping[float, float] | None = None,
    failed: Failed | None = None,
    missing: Finite | None = None,
    by: Attributes | None = None,
    runs: Any = None,
    measure: str | Measure = "nDCG@10",
    pairs: Pairs = "own",
    unit: Separator | None = None,
    combine: Combining = "best",
    unit_depth: FromOne | None = None,
    interval: Method = "auto",
    confidence: Share = 0.95,
    resamples: Draws = 4_000,
    seed: Seed = 0,
    qrels_format: Text | None = None,
    columns: Columns = None,
    parents: ParentsSource | None = None,
    threads: FromOne | None = None,
    progress: ProgressOfFiles | None = None,
) -> JudgmentComparison:
    """Compare human labels with LLM labels, or those of any judges, for the same documents.

    The pairs of a query and a document that both judges labelled are compared, each once. The
    labels of one query are not independent, so intervals leave out, or draw, whole queries.

    Parameters
    ----------
    Data:
    people, model, *more
        Two sets of judgments or more, as for ``evaluate``, such as those of people and of a
        language model. The first is what the others are measured against. A document whose label
        is missing (None, NaN, an empty cell) failed to get one: it is counted and left out.
    names
        Name of a set of judgments in the output; None for the file without folder and ending.

        Give a list of all. Those of objects are "people", "model", "model 2", ...
    runs
        Runs, or patterns: also compare how the first two sets of judgments order the
        systems.

        They are given as for ``compare``; ``leaderboards`` of the result is on the queries
        that both judged.
    measure
        The measure of the systems.
    pairs
        Whether systems are evaluated with all judged documents of a judge (``"own"``), or only with
        those that both judged (``"common"``).

    Conventions:
    unit, combine, unit_depth
        If the runs retrieved units of documents, such as chunks, as for ``evaluate``: systems are
        evaluated by rankings of their documents.
    rel
        The lowest relevant label of the summary; None for 2 on a scale up to 3 or more,
        otherwise the lowest label above 0.

        This is as in TREC's deep learning and RAG tracks. The result has the figures for
        every lowest relevant label.
    labels
        All labels of the scale, on which AC1, AC2 and Brennan-Prediger depend; None for
        those that occur.
    relabel
        What the judges after the first mean by a label, if their scale differs from that of the
        first.

        ``{label: label}``.
    failed
        A label of the judges after the first that stands for none, such as -1 for an answer that
        could not be read; these are counted and left out, as empty labels are.

        Or several; or ``"unjudged"`` (default), which counts and leaves out documents without a
        label, or ``"error"``, which refuses them.
    missing
        The label of documents that a set lacks, and another has, in queries that both have;
        None for left out.
    by
        Slices of the queries: a table with a column of query ids, lines `qid value`, or a
        column of the judgments.

        Or ``{query id: value}``, as for ``compare``. ``slices`` of the result has each.

    Statistics:
    interval
        ``"jackknife"`` leaves out each query, and takes Student's t; ``"auto"`` also allows
        for queries that one judge misread and that the sample lacks, in the lower ends of
        coefficients; ``"bootstrap"`` draws queries, and takes percentiles; ``"pairs"`` takes
        pairs as independent, as other tools do, which makes intervals too short.

        The labels of a query are not independent, so the last is only for comparison, and for two
        judges. Such a query is labelled by chance, and as large as the largest.
    confidence
        Confidence of the intervals.
    resamples
        Number of draws of weights, or of queries for the bootstrap.
    seed
        Seed of the draws; None draws a seed.

    Reading:
    qrels_format, columns
        Of all judgments, as for ``evaluate``; prepare judgments with ``Qrels`` if they differ.
    parents
        The document of each retrieved unit, if its id does not contain it, as for ``evaluate``.
    threads
        The number of threads; None for one per core. It does not affect the result.
    progress
        Called while a file is read, with its number, from 0, and the number of bytes read so far.

    Returns
    -------
    JudgmentComparison
        ``kappa``, ``alpha``, ``ac1``, ``bias`` and others with intervals; ``confusion``,
        ``by_query``, ``slices`` and ``worst``.

    Raises
    ------
    ParseError, DuplicateError, SchemaError
        If judgments cannot be read.
    MismatchError
        If no pair is judged by both.
    InputError
        If an option is invalid, a label is not on the scale, there are more than a hundred
        different ones, or ``rel`` makes all of them relevant, or none.

    Notes
    -----
    Labels below 0 are labels of their own in agreement, kappa, nominal alpha, AC1, Scott's pi and
    Brennan-Prediger. Where differences count, they are 0, as in measures.

    References
    ----------
    .. [1] Cohen 1968, Weighted kappa, Psychological Bulletin 70(4), pages 213-220.
    .. [2] Krippendorff 2011, Computing Krippendorff's alpha-reliability.
    .. [3] Gwet 2008, Computing inter-rater reliability and its variance in the presence of high
       agreement, British Journal of Mathematical and Statistical Psychology 61(1), pages 29-48.

    Examples
    --------
    >>> import rankmark as rm
    >>> people = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "e": 0}}
    >>> model = {"q1": {"a": 2, "b": 1, "c": 2}, "q2": {"d": 1, "e": 0}}
    >>> found = rm.compare_judgments(people, model)
    >>> found.agreement.estimate, found.bias.estimate, found.confusion.tolist()
    (0.6, 0.4, [[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    """
    if interval == "pairs" and more:
        raise InputError(
            "intervals by pair are for two judges", 'take interval="auto", or leave others out'
        )
    sampling = Sampling(interval, confidence, resamples, filled(seed))
    units = Conventions(unit=unit, combine=combine, unit_depth=unit_depth)
    if runs is None and (unit is not None or parents is not None or units != Conventions()):
        raise InputError("units are retrieved by runs, and none are given", "give runs=, too")
    failed = "unjudged" if failed is None else failed
    given = people, model, *more
    reading = Reading.of(threads=threads, progress=progress)
    sides = [
        given_judgments(
            one, qrels_format, columns, reading.of_file(number), may_fail=may_fail(failed)
        )
        for number, one in enumerate(given)
    ]
    judges = [one.qrels for one in sides]
    called = _names([one.source.name for one in sides], names)
    for other in judges[1:]:
        _refuse_joined_ids(judges[0], other)
    paired = pair_judgments(judges, reading.workers)
    lost = failure_labels(failed) if may_fail(failed) else ()
    found, failures = _as_meant(paired, relabel, lost, [one.empty for one in sides], missing)
    _refuse_apart(sides, paired)
    scale, codes = coded(found, labels, called)
    threshold = None if rel is None else _threshold(rel, scale.labels)
    agreements = [*_agreements(judges, called, paired, scale, codes, sampling, threshold)]
    slices = {}
    if by is not None:
        attributes = attributes_of(column_or_file(by, people), agreements[0].queries)
        slices = {
            name: agreements[0].of_queries(rows) for name, rows in slices_of(attributes).items()
        }
    own = alphas(scale)
    over_all = {name: agreements[0].figures[name] for name in own.names}
    if more:
        matrices = coincidence_tables(codes, paired.query, len(paired.query_ids), len(scale.labels))
        matrices = matrices[matrices.any((1, 2))]
        over_all = figure_intervals(own, matrices, sampling)
    boards: SystemsByJudges | None = None
    doubts: tuple[Doubt, ...] = ()
    if runs is not None:
        meant = judges if found is paired.labels else with_labels(judges, paired, found)
        boards, doubts = _of_systems(
            meant, called, runs, measure, pairs, units, parents, sampling, reading.workers
        )
    return JudgmentComparison(
        leaderboards=boards,
        system_doubts=doubts,
        judges=tuple(
            Judge(
                name,
                one.source,
                len(one.qrels.labels) - failures_of,
                failures_of + one.qrels.failed,
            )
            for name, one, failures_of in zip(called, sides, failures, strict=True)
        ),
        pairs=tuple(agreements),
        alphas=over_all,
        slices=slices,
        settings={
            "rel": agreements[0].rel,
            "labels": scale.labels.tolist(),
            "relabel": {written_label(k): v for k, v in _items(relabel)},
            "failed": list(lost) if may_fail(failed) else "error",
            "missing": missing,
            "interval": interval,
            "confidence": sampling.confidence,
            "resamples": sampling.resamples if sampling.draws else None,
            "seed": sampling.seed if sampling.draws else None,
        }
        | unit_settings(units),
    )


def _refuse_joined_ids(a: Qrels, b: Qrels) -> None:
    """Refuse documents of one judge that are several of the other's in one cell."""
    if a.source.vouched is True or b.source.vouched is True:
        return
    at = {query: row for row, query in enumerate(b.query_ids)}
    shared = [(row, at[query]) for row, query in enumerate(a.query_ids) if query in at]
    some = []
    for rows in shared[:: max(len(shared) // _LOOKED_AT, 1)]:
        ours, theirs = (
            dict.fromkeys(one.judgments.documents_of_rows(np.arange(*one.starts[row : row + 2])))
            for one, row in zip((a, b), rows, strict=True)
        )
        some.append(
            ([one for one in ours if one not in theirs], [one for one in theirs if one not in ours])
        )
    refuse_joined(some, (a.name, b.name), "prepare them with rm.Qrels(..., split={0!r})")


def _agreements(
    judges: Sequence[Qrels],
    called: Sequence[str],
    paired: PairedJudgments,
    scale: Scale,
    codes: NDArray[np.int8],
    sampling: Sampling,
    rel: float | None,
) -> Iterator[PairAgreement]:
    """Yield the agreement of each pair of judges."""
    for a, b in combinations(range(len(judges)), 2):
        tables = tables_of(
            codes[a], codes[b], paired.query, len(paired.query_ids), len(scale.labels)
        )
        rows = np.flatnonzero(tables.any((1, 2)))
        if not len(rows):
            raise MismatchError(
                f"no pair of a query and a document is judged by both {called[a]} and {called[b]}",
                "check that both have the same ids, or leave one out",
            )
        yield PairAgreement(
            names=(called[a], called[b]),
            scale=scale,
            queries=[paired.query_ids[row] for row in rows.tolist()],
            tables=tables[rows],
            only=_only(paired, codes, a, b),
            sampling=sampling,
            rel=rel,
            worst=worst_pairs(judges, paired, codes, scale, (a, b)),
        )


def _only(paired: PairedJudgments, codes: NDArray[np.int8], a: int, b: int) -> tuple[int, int]:
    """Count the documents that only a labelled, and only b, in queries that both judged."""
    if not ((codes[a] < 0).any() or (codes[b] < 0).any()):
        return 0, 0
    shared = (paired.judged[a] & paired.judged[b])[paired.query]
    first, second = (
        # A document whose label failed is not absent.
        int(
            ((codes[one] >= 0) & (codes[other] < 0) & np.isnan(paired.labels[other]) & shared).sum()
        )
        for one, other in ((a, b), (b, a))
    )
    return first, second


def _of_systems(
    judges: Sequence[Qrels],
    called: Sequence[str],
    runs: Any,
    measure: str | Measure,
    pairs: Pairs,
    units: Conventions,
    parents: ParentsSource | None,
    sampling: Sampling,
    threads: int,
) -> tuple[SystemsByJudges, tuple[Doubt, ...]]:
    """Compare how the first two judges order systems, and return what to be warned of."""
    given, _ = named_runs(runs, None, systems=False)
    refuse_evaluations(given)
    of_pair = PairOptions(Reading.of(parents=prepared_once(parents)))
    prepared = {name: of_pair.run_of(run) for name, run in given.items()}
    refuse_unused_combination(units, prepared.values())
    both = judges[0], judges[1]
    boards = systems_by_judges(
        both, (called[0], called[1]), prepared, measure, pairs, units, sampling, threads
    )
    alike = likenesses(both, prepared, units, sampling.confidence)
    return boards, tuple(doubts_of_systems(boards, alike))


def _names(sources: Sequence[str], given: Sequence[str] | None) -> list[str]:
    """Return the names of the judges, all different: as given, or after their sources."""
    if given is not None:
        if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
            raise InputError(f"names is {shown(given)}", "give a list of names")
        if len(given) != len(sources):
            raise InputError(
                f"names has {len(given)} of {len(sources)} names",
                "give one for each set of judgments",
            )
        found = [*map(str, given)]
    else:
        short = short_names(sources)
        models = ["people", "model", *(f"model {at}" for at in range(2, len(sources)))]
        found = [
            model if name.startswith("<") else name
            for name, model in zip(short, models, strict=True)
        ]
        if len(set(found)) < len(found):
            found = models
    if len(set(found)) < len(found):
        twice = [name for name in dict.fromkeys(found) if found.count(name) > 1]
        raise InputError(
            f"two judges have the name {listed(twice)}",
            "name each differently, with names=, or --name FILE=NAME",
        )
    return found


def _as_meant(
    paired: PairedJudgments,
    relabel: Mapping[float, float] | None,
    failed: tuple[float, ...],
    empty: Sequence[float | None],
    missing: float | None,
) -> tuple[Floats, list[int]]:
    """Return the labels that count, (m, n) float64, and how many of each judge failed.

    ``empty`` are the labels that stand for none, by judge.
    """
    labels = paired.labels
    holes = np.isnan(labels)
    failures = [0] * len(labels)
    given = dict(_items(relabel))
    if failed or given or any(one is not None for one in empty):
        labels = labels.copy()
        for at, none in enumerate(empty):
            of_judge = ([] if at == 0 else [*failed]) + ([] if none is None else [none])
            own = labels[at]
            lost = np.isin(own, of_judge) & ~holes[at]
            failures[at] = int(lost.sum())
            changed = own.copy()
            for label, meant in given.items() if at else ():
                changed[own == label] = meant
            changed[lost] = np.nan
            labels[at] = changed
    if missing is not None:
        value = _finite("missing", missing)
        judged = paired.judged[:, paired.query]
        labels = np.where(holes & judged, value, labels)
    return labels, failures


def _items(relabel: Mapping[float, float] | None) -> Iterable[tuple[float, float]]:
    if relabel is None:
        return
    if not isinstance(relabel, Mapping):
        raise InputError(f"relabel is {shown(relabel)}", "give {label: label}, such as {4: 3}")
    for label, meant in relabel.items():
        yield _finite("relabel", label), _finite("relabel", meant)


def _finite(name: str, given: Any) -> float:
    number = as_number(given)
    if not math.isfinite(number):
        raise InputError(f"{name} has {shown(given)}", "give a finite number")
    return number


def _threshold(rel: float, labels: Floats) -> float:
    """Return a lowest relevant label, if some labels are relevant by it, and others are not."""
    found = _finite("rel", rel)
    if len(labels) > 1 and not labels[0] < found <= labels[-1]:
        which = "no label is" if found > labels[-1] else "all labels are"
        raise InputError(
            f"rel is {written_label(found)}, and {which} relevant then: the labels are "
            f"{written_labels(labels.tolist())}",
            f"choose a number above {written_label(labels[0])}, up to {written_label(labels[-1])}",
        )
    return found


def _refuse_apart(sides: Sequence[GivenJudgments], paired: PairedJudgments) -> None:
    """Refuse judgments that have no query in common, and say what their ids look like."""
    if paired.judged.sum(0).max(initial=0) > 1:
        return
    a, b = (
        f"{one.source.name} has {listed(one.qrels.query_ids[:3], len(one.qrels.query_ids))}"
        for one in sides[:2]
    )
    raise MismatchError(
        f"no query is judged by both: {a}, {b}",
        "are the ids of one kind?",
    )
